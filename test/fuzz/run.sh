#!/usr/bin/env bash
# run.sh [SECONDS] [TARGET...]: fuzzes every target (or the named ones) for SECONDS each, 60 by default, as many at a time as there are cores
# (STEELYARD_FUZZ_JOBS says otherwise). New inputs stay in build/fuzz/found; an input that breaks a target stays in build/fuzz/crashes and ends the
# run with an error; what each target printed is in build/fuzz/logs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${STEELYARD_FUZZ_BUILD:-$here/../../build/fuzz}
seconds=${1:-60}
jobs=${STEELYARD_FUZZ_JOBS:-$(nproc)}
[ $# -eq 0 ] || shift
cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="${CXX:-clang++-14}" >&2
cmake --build "$build" >&2
program=$build/steelyard_fuzz
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <("$program" --list)
mkdir -p "$build/crashes" "$build/logs"

# One target to its end: a line with what was run, or its whole log where it broke.
fuzz() {
  local target=$1 log=$build/logs/$1.log
  mkdir -p "$build/found/$target"
  if "$program" --target="$target" "$build/found/$target" "$here/corpus/$target" -max_total_time="$seconds" -max_len=16384 -timeout=10 \
    -rss_limit_mb=2048 -artifact_prefix="$build/crashes/$target-" -print_final_stats=1 -verbosity=0 >"$log" 2>&1; then
    printf 'fuzz: %s: %s runs in %s s, nothing broken\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$seconds" >&2
  else
    cat "$log" >&2
    printf 'fuzz: %s is broken\n' "$target" >&2
    return 1
  fi
}
export -f fuzz
export here build program seconds
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz {}' || { printf 'fuzz: broken inputs are in %s\n' "$build/crashes" >&2; exit 1; }
printf 'fuzz: %s targets, nothing broken\n' "${#targets[@]}" >&2
