#!/usr/bin/env bash
# run.sh BUILD WORK SOURCE: .deb -> plain extracted root -> an answer from there.
set -euo pipefail
build=$1 work=$2 source=$3
rm -rf "$work"
mkdir -p "$work/root"
(cd "$build" && cpack -G DEB -B "$work" >/dev/null)
package=("$work"/steelyard_*.deb)
[ -f "${package[0]}" ]
grep -q '^ Depends: .*libyaml-cpp' <<<"$(dpkg-deb --info "${package[0]}")"
dpkg-deb -x "${package[0]}" "$work/root"
for part in bin/advise share/man/man1/advise.1 share/bash-completion/completions/advise include/steelyard/steelyard.h; do
  [ -e "$work/root/usr/$part" ] || { echo "the package lacks /usr/$part"; exit 1; }
done
cd /
grep -q '^Rent ' <<<"$("$work/root/usr/bin/advise" recommend "$source/examples/workloads/llama3-70b.yaml" --today 2026-11-30)"
bash -n "$work/root/usr/share/bash-completion/completions/advise"
