"""A cluster behind ssh: run folders go there and come back; only a known host is talked to."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import OutsideError
from core.jobs.folder import RunFolder
from core.jobs.launchers.slurm import SlurmLauncher
from core.jobs.launchers.slurm_profiles import SlurmProfile
from tests.paths import ROOT
from tests.polling import until
from tests.servers.cluster_runs import launch, lines, prepare
from tests.servers.model_server import LoopbackModel

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

CONFIGURATION = """\
ListenAddress 127.0.0.1:{port}
HostKey {root}/host_key
PidFile {root}/sshd.pid
AuthorizedKeysFile {root}/user_key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv SLURM_CONF={slurm}/slurm.conf
"""


def make_key(path: Path) -> None:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(command, check=True)


@pytest.fixture
def login(slurm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict]:
    """The profile fields of an ssh server on loopback, whose key this person knows."""
    root = tmp_path / "ssh"
    root.mkdir()
    make_key(root / "host_key")
    make_key(root / "user_key")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (root / "sshd_config").write_text(CONFIGURATION.format(port=port, root=root, slurm=slurm))
    key = (root / "host_key.pub").read_text().strip()
    (root / "known_hosts").write_text(f"[127.0.0.1]:{port} {key}\n")
    Path("/run/sshd").mkdir(exist_ok=True)
    agent = subprocess.Popen(
        ["ssh-agent", "-D", "-a", str(root / "agent")], stdout=subprocess.DEVNULL
    )
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin") or "sshd"
    with (root / "sshd.log").open("ab") as log:
        server = subprocess.Popen(
            [program, "-D", "-e", "-f", str(root / "sshd_config")], stderr=log, stdin=log
        )
    try:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(root / "agent"))
        add = ["ssh-add", "-q", str(root / "user_key")]
        # its socket is there before it listens
        until(lambda: subprocess.run(add, capture_output=True).returncode == 0)
        until(lambda: answers(port))
        yield {
            "host": "root@127.0.0.1", "port": port, "known_hosts": str(root / "known_hosts"),
            "folder": str(tmp_path / "far away"), "python": str(ROOT / ".venv/bin/python"),
            "partition": "work", "cpus": 1, "environment": {"PYTHONPATH": str(ROOT)},
        }  # fmt: skip
    finally:
        for process in (server, agent):
            process.terminate()
            process.wait()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_run_goes_there_and_its_answers_come_back(
    login: dict, model: LoopbackModel, tmp_path: Path
):
    model.policy.latency_s = 0.02
    way = SlurmLauncher("far", SlurmProfile.model_validate(login))
    folder = prepare(tmp_path / "here", model, 20)
    way.start(folder, 2)
    assert folder.state() == "queued"
    assert way.wait(folder, 90)
    assert folder.state() == "finished"
    assert len(folder.records()) == 20
    assert launch(folder).launcher == "slurm:far"
    assert (tmp_path / "far away" / folder.path.name / "result.json").is_file()
    assert "shard 1/2" in way.logs(folder)


def test_a_stopped_run_keeps_what_came_back_and_goes_on_from_there(
    login: dict, model: LoopbackModel, tmp_path: Path
):
    way = SlurmLauncher("far", SlurmProfile.model_validate(login))
    folder = prepare(tmp_path / "here", model, 40)
    there = RunFolder(tmp_path / "far away" / folder.path.name)
    way.start(folder, 1)
    until(lambda: lines(there, 0) >= 2)
    way.stop(folder, grace=30)
    assert folder.state() == "stopped"
    finished = len(folder.finished_ids())
    assert 2 <= finished < 40
    model.policy.latency_s = 0.0
    way.start(folder, 2)
    assert way.wait(folder, 90)
    assert folder.state() == "finished"
    assert folder.result()["resumed"] == finished
    assert max(model.asked().values()) <= 2


def test_an_unknown_host_is_refused_before_anything_is_sent(
    login: dict, model: LoopbackModel, tmp_path: Path
):
    (tmp_path / "nobody").write_text("")
    stranger = SlurmProfile.model_validate({**login, "known_hosts": str(tmp_path / "nobody")})
    folder = prepare(tmp_path / "here", model, 4)
    with pytest.raises(OutsideError, match="verification failed"):
        SlurmLauncher("far", stranger).start(folder, 1)
    assert folder.state() == "prepared"
    assert not (tmp_path / "far away").exists()
