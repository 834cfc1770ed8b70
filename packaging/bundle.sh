#!/usr/bin/env bash
# The program with its interpreter in one folder, as a tarball and as a package of Debian, in dist/.
# Usage: packaging/bundle.sh   It runs on systems whose C library is as old as this one's, or newer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root="$PWD"
folder=.envs/bundle
locks=(packaging/locks/app.txt packaging/locks/bundle.txt)
[ -x .tools/bin/uv ] || { echo "bundle: run make setup first; it fetches uv" >&2; exit 3; }
export UV_NO_PROGRESS=1 UV_PYTHON_DOWNLOADS=never
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
echo "bundle: freezing"
# elsewhere than in the source tree, whose modules would be found before the wheel's
(cd "$work" && "$python" -m PyInstaller --noconfirm --log-level WARN --distpath "$work/dist" \
    --workpath "$work/build" "$root/packaging/bundle/benchseal.spec")
"$work/dist/benchseal/benchseal" --version
mkdir -p dist
name="benchseal-$("$python" -c 'from importlib.metadata import version; print(version("benchseal"))')-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"
rm -rf dist/benchseal
cp -a "$work/dist/benchseal" dist/benchseal
tar -C dist -cJf "dist/$name.tar.xz" benchseal
echo "bundle: dist/$name.tar.xz ($(du -h "dist/$name.tar.xz" | cut -f1))"
if command -v dpkg-deb >/dev/null; then
    "$python" packaging/bundle/debian.py dist/benchseal dist
else
    echo "bundle: no dpkg-deb here, so no package of Debian"
fi
