#!/usr/bin/env bash
# Formatting, static checks, YAML and Python types; a tool that is absent is named and skipped.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
status=0
run() {
  command -v "$1" >/dev/null || { echo "lint: $1 is not installed, skipped"; return; }
  echo "lint: $1"
  "$@" || status=1
}
mapfile -t sources < <(git ls-files '*.cpp' '*.hpp')
mapfile -t units < <(git ls-files 'lib/*.cpp' 'examples/*.cpp' 'tools/*.cpp' | grep -v -e '^lib/probes/cuda' -e '^lib/probes/nccl')
mapfile -t module < <(git ls-files 'bindings/*.cpp')
run clang-format --dry-run --Werror "${sources[@]}"
run yamllint -s data rules examples
if [ -d bindings/python/steelyard ]; then run mypy --strict bindings/python/steelyard; fi
if [ "${1:-}" != quick ]; then
  if command -v clang-tidy >/dev/null; then
    echo "lint: clang-tidy"
    printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p build/default --quiet || status=1
    # The Python module is no part of the default build: it needs only its compile commands.
    cmake -S . -B build/module -G Ninja -DSTEELYARD_PYTHON=ON -DSTEELYARD_TESTS=OFF -DSTEELYARD_EXAMPLES=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null || status=1
    clang-tidy -p build/module --quiet "${module[@]}" || status=1
  fi
fi
exit $status
