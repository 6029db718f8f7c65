# Completion of advise for bash: verbs and options come from the program itself.
_advise() {
  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}
  if [[ $COMP_CWORD -eq 1 && $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(advise --help | sed -n 's/^  \([a-z]*\) .*/\1/p')" -- "$word"; compgen -f -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(advise "$verb" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _advise advise
