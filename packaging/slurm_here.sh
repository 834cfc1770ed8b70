#!/usr/bin/env bash
# See to it that a Slurm of one node can be started here by the tests: install Debian's packages
# where that is possible, else say what is missing.
set -euo pipefail

missing=""
for pair in sbatch:slurm-wlm slurmctld:slurmctld slurmd:slurmd munged:munge sshd:openssh-server \
    ssh:openssh-client rsync:rsync; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair#*:}"
done
if [ "$(id -u)" != 0 ]; then
    echo "slurm_here: a Slurm for tests is started as root; run make test-slurm as root" >&2
    exit 3
fi
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
    echo "slurm_here: install what these packages of Debian hold, then try again:$missing" >&2
    exit 3
fi
echo "slurm_here: installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
if ! { apt-get install -y -qq --no-install-recommends $missing ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; }; } \
    >/dev/null 2>&1; then
    echo "slurm_here: apt could not install:$missing" >&2
    exit 3
fi
