#!/usr/bin/env bash
# The documentation as a site in build/docs/html: pages, C++ reference, rules of both books (from the books themselves, so that they can't go
# stale), and the Python reference where the package is installed in .venv. usage: tools/docs.sh ADVISE
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
advise=${1:?usage: tools/docs.sh ADVISE}
pages=build/docs/pages
rm -rf build/docs
mkdir -p "$pages"
for book in reference field_guide; do "$advise" rules list "$book" --format markdown --out "$pages/rules_of_$book.md"; done
doxygen docs/Doxyfile
if [ -x .venv/bin/python ] && .venv/bin/python -c 'import steelyard' 2>/dev/null; then
  # pandas and matplotlib stand in annotations.
  .venv/bin/python -c 'import pdoc, pandas, matplotlib' 2>/dev/null || .venv/bin/pip install -q pdoc pandas matplotlib
  .venv/bin/python -m pdoc -o build/docs/html/python steelyard
else
  echo "docs: no Python package in .venv (./dev python), its reference is left out"
fi
echo "docs: build/docs/html/index.html"
