#!/usr/bin/env bash
# The program with its interpreter in one folder, as a tarball and as a package of Debian, in dist/,
# and beside it a second one with the heavy libraries that few people use (benchseal-extras).
# Usage: packaging/bundle.sh   XZ_LEVEL=1 packs quickly, for a try; 6 without it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root="$PWD"
folder=.envs/bundle
locks=(packaging/locks/app.txt packaging/locks/bundle.txt)
[ -x .tools/bin/uv ] || { echo "bundle: run make setup first; it fetches uv" >&2; exit 3; }
for program in objdump strip; do
    command -v "$program" >/dev/null || { echo "bundle: needs $program (Debian: binutils)" >&2; exit 3; }
done
export UV_NO_PROGRESS=1 UV_PYTHON_DOWNLOADS=never
. packaging/pip_settings.sh
unset PYTHONPATH
if ! [ -x "$folder/bin/python" ] || ! cat "${locks[@]}" | cmp -s - "$folder/lock.txt"; then
    echo "bundle: making $folder"
    rm -rf "$folder"
    .tools/bin/uv venv --quiet --python .venv/bin/python "$folder"
    .tools/bin/uv pip install --quiet --python "$folder/bin/python" --require-hashes \
        -r "${locks[0]}" -r "${locks[1]}"
    cat "${locks[@]}" > "$folder/lock.txt"
fi
# the built wheel, as it would be installed, not the source tree
.tools/bin/uv pip install --quiet --python "$folder/bin/python" --no-deps \
    --reinstall-package benchseal --build-constraints packaging/locks/build.txt .
python="$root/$folder/bin/python"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
echo "bundle: freezing; this takes some minutes"
# elsewhere than in the source tree, whose modules would be found before the wheel's
(cd "$work" && "$python" -m PyInstaller --noconfirm --log-level WARN --distpath "$work/dist" \
    --workpath "$work/build" "$root/packaging/bundle/benchseal.spec")
"$python" packaging/bundle/libraries.py part "$work/dist/benchseal" "$work/extras"
"$python" packaging/bundle/libraries.py trim "$work/dist/benchseal" "$work/extras"
"$python" packaging/bundle/licences.py "${locks[0]}" "$work/dist/benchseal" "$work/extras"
# what README and the help name is what the files need
symbols="$("$python" packaging/bundle/libraries.py oldest "$work/dist/benchseal" "$work/extras")"
echo "bundle: its files need no symbols of glibc that are newer than $symbols"
"$work/dist/benchseal/benchseal" --version
mkdir -p dist
version="$("$python" -c 'from importlib.metadata import version; print(version("benchseal"))')"
system="$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"
rm -rf dist/benchseal dist/benchseal-extras
cp -a "$work/dist/benchseal" dist/benchseal
cp -a "$work/extras" dist/benchseal-extras
# both unpack into the folder benchseal
for part in benchseal benchseal-extras; do
    packed="dist/$part-$version-$system.tar.xz"
    tar -C dist --transform="s,^$part,benchseal," --owner=0 --group=0 -cf - "$part" |
        xz --threads=0 "-${XZ_LEVEL:-6}" > "$packed"
    echo "bundle: $packed ($(du --apparent-size -h "$packed" | cut -f1))"
done
if command -v dpkg-deb >/dev/null; then
    "$python" packaging/bundle/debian.py dist "$version" dist
else
    echo "bundle: no dpkg-deb here, so no package of Debian"
fi
