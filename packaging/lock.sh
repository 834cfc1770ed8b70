#!/usr/bin/env bash
# Write the hashed locks again from pyproject.toml and the two .in files.
# `make lock` keeps the versions that still fit; `make lock UPGRADE=1` takes the newest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compile() {
    .tools/bin/uv pip compile --quiet --universal --python-version 3.11 --no-python-downloads \
        --generate-hashes --custom-compile-command "make lock" ${UPGRADE:+--upgrade} "$@"
}

compile packaging/locks/tools.in -o packaging/locks/tools.txt
compile packaging/locks/build.in -o packaging/locks/build.txt
compile pyproject.toml -o packaging/locks/app.txt
# the second lock may only add to the first, so that a tested version is the one that ships
compile pyproject.toml --group dev -c packaging/locks/app.txt -o packaging/locks/dev.txt
echo "The locks in packaging/locks are up to date."
