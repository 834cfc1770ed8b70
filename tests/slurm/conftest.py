"""A real Slurm of one node, for tests that run as root: munged, slurmctld and slurmd of their own.

Everything lies in one temporary folder: configuration, state, logs, sockets. The daemons stay in
the foreground as children of the tests and are ended by their process ids. No accounting is kept,
so the ends of jobs have to be learned from the controller.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.polling import becomes_true
from tests.servers.cluster_runs import slow_model
from tests.servers.model_server import LoopbackModel

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sacct")
CPUS = 4

CONFIGURATION = """\
ClusterName=benchseal-tests
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={control_port}
SlurmdPort={node_port}
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldLogFile={root}/log/slurmctld.log
SlurmdLogFile={root}/log/slurmd.log
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={root}/munge/socket
# no systemd and no cgroups here
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
# everything as soon as possible
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0
CompleteWait=0
KillWait=2
InactiveLimit=0
ReturnToService=2
MinJobAge=600
MailProg=/bin/true
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000 Gres=gpu:2 State=UNKNOWN
PartitionName=work Nodes={host} Default=YES MaxTime=INFINITE PriorityTier=1 GraceTime=0 State=UP
PartitionName=urgent Nodes={host} MaxTime=INFINITE PriorityTier=9 PreemptMode=OFF State=UP
"""
# without cgroups slurmd only looks whether the files of its GPUs exist
GPUS = "NodeName={host} Name=gpu File=/dev/null\nNodeName={host} Name=gpu File=/dev/zero\n"


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


@contextmanager
def _daemon(command: list[str], log: Path) -> Iterator[None]:
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _until_idle(root: Path) -> None:
    def is_idle() -> bool:
        done = subprocess.run(
            ["sinfo", "-h", "-p", "work", "-o", "%T"], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() == "idle"

    if not becomes_true(is_idle, 60):
        logs = "\n".join(path.read_text()[-2000:] for path in sorted((root / "log").iterdir()))
        pytest.fail(f"Slurm did not come up within a minute:\n{logs}")


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a Slurm that runs, with partitions ``work`` and ``urgent``."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        pytest.fail(f"a Slurm of its own needs root, slurm-wlm and munge; missing: {missing}")
    root = tmp_path_factory.mktemp("slurm")
    # munged insists that nobody else can write above its socket
    for parent in (root, *root.parents):
        if parent.is_relative_to("/tmp") and parent != Path("/tmp"):
            parent.chmod(0o755)
    for name in ("state", "spool", "log", "munge"):
        (root / name).mkdir(mode=0o755)
    host = socket.gethostname().split(".")[0]
    control_port, node_port = _free_ports(2)
    configuration = root / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(
            host=host, root=root, control_port=control_port, node_port=node_port, cpus=CPUS
        )
    )
    (root / "gres.conf").write_text(GPUS.format(host=host))
    key = root / "munge" / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("SLURM_CONF", str(configuration))
        munged = ["munged", "--foreground", f"--key-file={key}", "--force",
                  f"--socket={root}/munge/socket", f"--pid-file={root}/munge/pid",
                  f"--log-file={root}/munge/log", f"--seed-file={root}/munge/seed"]  # fmt: skip
        stack.enter_context(_daemon(munged, root / "log" / "munged.out"))
        _until_exists(root / "munge" / "socket")
        control = ["slurmctld", "-D", "-c", "-f", str(configuration)]
        stack.enter_context(_daemon(control, root / "log" / "slurmctld.out"))
        node = ["slurmd", "-D", "-N", host, "-f", str(configuration)]
        stack.enter_context(_daemon(node, root / "log" / "slurmd.out"))
        _until_idle(root)
        try:
            yield root
        finally:
            subprocess.run(["scancel", "--user=root"], check=False)
            _until_idle(root)


def _until_exists(path: Path) -> None:
    becomes_true(path.exists, 20)


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    """A model server on loopback that answers slowly enough to be caught at work."""
    with slow_model() as running:
        yield running
