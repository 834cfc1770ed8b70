"""A database's password is in no argument list, no run folder and no file of the program."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.cli import main
from core.jobs.child_environment import worker_environment
from core.workflow.workspace import Workspace, shown_address
from gui import processes
from gui.preferences import Preferences
from tests.hostile.conftest import Attack
from tests.paths import ROOT
from tests.polling import becomes_true

SECRET = "s3cret-0f-the-database"
ADDRESS = f"postgresql://ann:{SECRET}@127.0.0.1:9/team"


@pytest.mark.parametrize(
    "address", [ADDRESS, f"postgresql://127.0.0.1:9/team?user=ann&password={SECRET}"]
)
@pytest.mark.parametrize("words", ["init", "items", "gui", "people"])
def test_an_address_with_a_password_is_refused_on_the_command_line(
    address: str, words: str, capsys: pytest.CaptureFixture[str], attack: Callable[[str], Attack]
):
    row = attack("a password on the command line")
    code = main(["--workspace", address, words])
    said = capsys.readouterr()
    fine = code == 2 and "PGPASSFILE" in said.err and SECRET not in said.err + said.out
    row.tried("" if fine else f"{words}: {code} {said.err}")


def arguments_of_all() -> str:
    """The arguments of every process that can be seen here, as ``ps`` shows them."""
    shown = subprocess.run(["ps", "-eo", "args", "-ww"], capture_output=True, text=True, check=True)
    return shown.stdout


def test_no_process_shows_it_and_workers_never_get_it(
    pg_server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: Callable[[str], Attack]
):
    """A real command on a real server, looked at with ``ps`` while it lives."""
    row = attack("a password that others can read")
    name = pg_server.create()
    pg_server.execute(f"CREATE ROLE ann_of_passwords SUPERUSER LOGIN PASSWORD '{SECRET}'")
    address = pg_server.url(name, "ann_of_passwords", SECRET)
    monkeypatch.setenv("BENCHSEAL_WORKSPACE", address)
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setenv("PGPASSWORD", SECRET)
    try:
        assert main(["init", "--lead", "ann"]) == 0
        held = (
            "import sys, time\nfrom core.cli.commands import open_workspace\n"
            "from core.cli import main\nfrom core.workflow.workspace import Workspace, "
            "default_location\nws = Workspace.open(default_location())\n"
            "print(ws.title, ws.address, flush=True)\ntime.sleep(60)\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", held], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        try:
            assert child.stdout is not None
            said = child.stdout.readline()
            row.tried("" if said and SECRET not in said else f"the title: {said}")
            row.tried("" if SECRET not in arguments_of_all() else "the arguments show it")
        finally:
            child.kill()
            child.wait()
            if child.stdout:
                child.stdout.close()
        environment = worker_environment()
        row.tried("" if SECRET not in str(environment) else "a worker's environment has it")
        kept = Preferences().opened(shown_address(address)).model_dump_json()
        row.tried("" if SECRET not in kept else "the window keeps it")
        demo = str(ROOT / "resources" / "demo")
        assert main(["generate", "scp", demo, "--benchmark", "b", "--per-article", "1"]) == 0
        holding = [
            path
            for path in (tmp_path / "folder").rglob("*")
            if path.is_file() and SECRET.encode() in path.read_bytes()
        ]
        row.tried("" if not holding else f"it lies in {holding}")
    finally:
        pg_server.drop(name)
        pg_server.execute("DROP ROLE ann_of_passwords")


def test_a_second_window_is_started_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: Callable[[str], Attack]
):
    """A stand-in for Python writes down how it was called, and in which environment."""
    row = attack("a password in the arguments of a second window")
    program = tmp_path / "python"
    program.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/arguments.new\necho "$BENCHSEAL_WORKSPACE" > '
        f"{tmp_path}/environment\nmv {tmp_path}/arguments.new {tmp_path}/arguments\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    assert processes.open_window(ADDRESS)
    becomes_true((tmp_path / "arguments").exists)
    row.tried("" if SECRET not in (tmp_path / "arguments").read_text() else "it is there")
    row.tried("" if ADDRESS in (tmp_path / "environment").read_text() else "it is lost")


def test_the_keyring_and_the_password_file_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Without a terminal and without a password, a sentence says where it can come from."""
    monkeypatch.delenv("PGPASSWORD", raising=False)
    assert os.environ.get("PGPASSFILE") is None
    code = main(["--workspace", "postgresql://ann@127.0.0.1:9/team", "items"])
    assert code == 3  # the server does not answer; no password was in the way
    assert "does not answer" in capsys.readouterr().err
    assert Workspace.exists("postgresql://ann@127.0.0.1:9/team")
