#!/usr/bin/env bash
# For the day a GPU is at hand: builds, runs every probe, compares with public figures of the class. Under 6 minutes once built.
#   test/gpu/run.sh [OUT.yaml]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=${1:-gpu_calibration.yaml}
command -v nvidia-smi >/dev/null || { echo "skipped: no GPU driver here" >&2; exit 77; }
cmake --preset default -DSTEELYARD_CUDA=ON >&2
cmake --build --preset default --target advise steelyard_probe_cuda >&2
cmake --build --preset default --target steelyard_probe_nccl >&2 || echo "the NCCL plugin was not built" >&2
result=0
timeout 330 build/default/examples/advise/advise calibrate --budget 240s --out "$out" || result=$?
[ -f "$out" ] || { echo "FAIL: no calibration was written (exit $result)" >&2; exit 1; }
bad=$(grep -E 'outcome: (failed|timed_out)' "$out" || true)
[ -z "$bad" ] || { echo "FAIL: probes failed:" >&2; echo "$bad" >&2; exit 1; }
grep -q 'outcome: measured' "$out" || { echo "FAIL: nothing was measured" >&2; exit 1; }
# The summary above holds the comparison with data/evidence/class_references.yaml ("reaches 0.97 of its class").
echo "PASS: every probe that can run here was measured; $out" >&2
exit "$result"
