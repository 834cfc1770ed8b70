#!/usr/bin/env bash
# See to it that a Slurm of one node can be started here by the tests.
set -euo pipefail

if [ "$(id -u)" != 0 ]; then
    echo "slurm_here: a Slurm for tests is started as root; run make test-slurm as root" >&2
    exit 3
fi
bash "$(dirname "${BASH_SOURCE[0]}")/debian_packages.sh" sbatch:slurm-wlm slurmctld:slurmctld \
    slurmd:slurmd munged:munge sshd:openssh-server ssh:openssh-client rsync:rsync
