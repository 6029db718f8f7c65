#!/usr/bin/env bash
# run.sh [SECONDS] [TARGET...]: fuzzes every target (or the named ones) for SECONDS each, 60 by default. New inputs stay in build/fuzz/found;
# an input that breaks a target stays in build/fuzz/crashes and ends the run with an error.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${STEELYARD_FUZZ_BUILD:-$here/../../build/fuzz}
seconds=${1:-60}
[ $# -eq 0 ] || shift
cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="${CXX:-clang++-14}" >&2
cmake --build "$build" >&2
program=$build/steelyard_fuzz
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <("$program" --list)
mkdir -p "$build/crashes"
failed=()
for target in "${targets[@]}"; do
  mkdir -p "$build/found/$target"
  printf 'fuzz: %s for %s s\n' "$target" "$seconds" >&2
  "$program" --target="$target" "$build/found/$target" "$here/corpus/$target" -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$build/crashes/$target-" -print_final_stats=0 -verbosity=0 || failed+=("$target")
done
[ ${#failed[@]} -eq 0 ] || { printf 'fuzz: broken: %s\n' "${failed[*]}" >&2; exit 1; }
printf 'fuzz: %s targets, nothing broken\n' "${#targets[@]}" >&2
