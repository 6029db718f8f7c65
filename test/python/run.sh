#!/usr/bin/env bash
# run.sh SOURCE BUILD ADVISE: wheel -> fresh virtual environment -> pytest.
set -euo pipefail
source=$1 build=$2
export STEELYARD_ADVISE=$3
rm -rf "$build/venv" "$build/dist"
python3 -m venv "$build/venv"
"$build/venv/bin/pip" install -q pytest build scikit-build-core pybind11 mypy pandas matplotlib tqdm nbclient nbformat ipykernel distributed
"$build/venv/bin/pip" wheel -q --no-deps --no-build-isolation -w "$build/dist" -C build-dir="$build/wheel" -C cmake.define.STEELYARD_WERROR=ON "$source"
"$build/venv/bin/pip" install -q "$build"/dist/steelyard-*.whl
cd "$build"
exec "$build/venv/bin/python" -m pytest -q -p no:cacheprovider "$source/test/python"
