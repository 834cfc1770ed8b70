"""Storages for tests: fsspec, from the side environment ``storage``, and an S3 server on loopback.

The server is moto's, a process of its own; whoever asks it is a process of its own too, with the
packages of that environment before ours, so that the two never mix.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.workflow import people
from core.workflow.workspace import Workspace
from tests.paths import ROOT
from tests.side_environments import python_of
from tests.splits import freeze_split, varied

BUCKET = "runs"
_SERVE = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
server.stop()
"""
_KILLED = """
import os, signal, sys
from core.cli import main
from core.jobs.object_store import ObjectStore
left = int(sys.argv[1])
def until_killed(act):
    def acting(*arguments):
        global left
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        act(*arguments)
    return acting
ObjectStore.write, ObjectStore.send = map(until_killed, (ObjectStore.write, ObjectStore.send))
main(sys.argv[2:])
"""
_MAKE_BUCKET = f"import s3fs; s3fs.S3FileSystem().mkdir({BUCKET!r})"


def packages() -> Path:
    """The folder of the packages that storages need."""
    python = python_of("storage")
    return python.parent.parent / f"lib/python3.{sys.version_info.minor}/site-packages"


def have_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process import fsspec, which needs nothing else of that environment."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages())])


def fill_for_storage(ws: Workspace, count: int) -> None:
    """Give a workspace a split of that many items, and somebody who may export nothing."""
    freeze_split(ws, {"scp": [varied(number) for number in range(count)]})
    people.ensure_person(ws, "ann", "annotator")


def files_of(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their path there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class S3Server:
    """An S3 server with a bucket, and programs that ask it."""

    def __init__(self, port: int, home: Path) -> None:
        self.address = f"s3://{BUCKET}/team"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
            "PYTHONPATH": os.pathsep.join((str(packages()), str(ROOT))),
            "HOME": str(home), "BENCHSEAL_FOLDER": str(home / "benchseal"), "LANG": "C.UTF-8",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": "of-the-tests",
        }  # fmt: skip

    def python(self, script: str) -> str:
        """What a script prints that asks the server."""
        return self._said([str(python_of("storage")), "-c", script])

    def benchseal(self, *arguments: str, code: int = 0) -> str:
        """What a command prints, which ends with ``code``."""
        return self._said([sys.executable, "-m", "core.cli", *arguments], code)

    def killed_after(self, writes: int, *arguments: str) -> None:
        """Let a command be killed, by the system, before it writes one object more."""
        command = [sys.executable, "-c", _KILLED, str(writes), *arguments]
        self._said(command, -signal.SIGKILL)

    def _said(self, command: list[str], code: int = 0) -> str:
        done = subprocess.run(
            command, env=self.environment, cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == code, done.stderr[-2000:]
        return done.stdout + done.stderr


@contextmanager
def s3_server(home: Path) -> Iterator[S3Server]:
    """An S3 server on loopback while it lasts; ``home`` is that of the programs that ask it."""
    with subprocess.Popen(
        [str(python_of("storage")), "-c", _SERVE],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        server = S3Server(int(process.stdout.readline()), home)
        server.python(_MAKE_BUCKET)
        yield server
        process.stdin.close()
