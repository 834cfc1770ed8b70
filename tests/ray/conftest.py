"""A real Ray cluster of two nodes on this machine, for tests that run in a network of their own.

Ray's processes listen on every interface, whatever addresses they are given. `make test-ray` runs
these tests where loopback is the only one, so that nobody else can reach the cluster.
"""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.errors import OutsideError
from core.jobs.launchers.ray import RayLauncher, RayProfile
from tests.polling import becomes_true
from tests.servers.cluster_runs import slow_model
from tests.servers.model_server import LoopbackModel
from tests.side_environments import python_of

GCS_PORT, DASHBOARD_PORT = 6379, 8265
CPUS = 2  # of each node; a shard takes one


@dataclass
class RayCluster:
    """A cluster that runs: the head, and a second node, which tests may end."""

    address: str
    second: subprocess.Popen[bytes]


@contextmanager
def _node(folder: Path, name: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """``ray start --block`` as a child that leads a group of its own, ended with the group."""
    program = python_of("ray").parent / "ray"
    environment = {
        **os.environ, "HOME": str(folder), "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_IPV6": "0",
    }  # fmt: skip
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [str(program), "start", "--block", "--node-ip-address=127.0.0.1",
             f"--num-cpus={CPUS}", "--object-store-memory=80000000", *arguments],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        end_node(process)


def end_node(process: subprocess.Popen[bytes]) -> None:
    """End a node and all that it started, at once, as when its machine fails."""
    children = _descendants(process.pid)
    for pid in (process.pid, *children):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()


def _descendants(root: int) -> list[int]:
    import psutil

    try:
        return [child.pid for child in psutil.Process(root).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _only_loopback() -> bool:
    return [name for _, name in socket.if_nameindex()] == ["lo"]


@pytest.fixture(scope="session")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    """A cluster of two nodes with two processors each."""
    if not _only_loopback():
        pytest.fail("run make test-ray: it gives the cluster a network of its own")
    # the paths of Ray's sockets have to be short
    folder = Path("/tmp") / f"ray-{os.getpid()}"
    folder.mkdir()
    address = f"http://127.0.0.1:{DASHBOARD_PORT}"
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.enter_context(_node(
            folder, "head", "--head", f"--port={GCS_PORT}", "--dashboard-host=127.0.0.1",
            f"--dashboard-port={DASHBOARD_PORT}", f"--temp-dir={folder}/t",
        ))  # fmt: skip
        launcher = RayLauncher("test", RayProfile(address=address))
        if not becomes_true(lambda: _answers(launcher), 120):
            pytest.fail(f"Ray did not come up:\n{(folder / 'head.log').read_text()[-3000:]}")
        second = stack.enter_context(_node(folder, "second", f"--address=127.0.0.1:{GCS_PORT}"))
        log = folder / "second.log"
        if not becomes_true(lambda: "Ray runtime started" in log.read_text(), 120):
            pytest.fail(f"The second node did not come up:\n{log.read_text()[-3000:]}")
        yield RayCluster(address, second)


def _answers(launcher: RayLauncher) -> bool:
    try:
        launcher.require()
    except OutsideError:
        return False
    return True


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    """A model server on loopback that answers slowly enough to be caught at work."""
    with slow_model() as running:
        yield running
