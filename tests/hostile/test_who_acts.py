"""Who acts: personal and shared workspaces, the first lead, and the account of the system."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.accounts import login
from core.cli import main
from core.workflow import people
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import ledger
from tests.hostile.conftest import Attack
from tests.paths import ROOT
from tests.workspaces import (
    BENCHMARK,
    TASK,
    all_events,
    make_task,
    write_items,
)


def run(folder: Path, *words: str) -> int:
    return main(["--workspace", str(folder), *words])


def roles(folder: Path) -> dict[str, str]:
    ws = Workspace.open(folder)
    try:
        return {person.name: person.role for person in people.people(ws)}
    finally:
        ws.close()


def test_init_makes_the_account_a_lead_who_then_needs_no_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(tmp_path, "init") == 0
    assert roles(tmp_path) == {login(): "lead"}
    assert run(tmp_path, "task", "add", TASK, "--benchmark", BENCHMARK) == 0
    assert run(tmp_path, "people", "li", "--role", "researcher") == 0
    assert run(tmp_path, "submit", TASK, "--set", "instruction=a", "output=b") == 0
    assert run(tmp_path, "undo") == 0
    capsys.readouterr()
    ws = Workspace.open(tmp_path)
    with ws.reading() as session:
        assert {event.actor for event in all_events(session)} == {login()}
    ws.close()


def test_init_names_its_lead_and_the_environment_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("USER", "LOGNAME", "USERNAME", "LNAME"):
        monkeypatch.setenv(name, "eve")
    assert run(tmp_path / "a", "init", "--lead", "李娜") == 0
    assert run(tmp_path / "a", "people", "wu") == 0
    assert roles(tmp_path / "a") == {"wu": "specialist", "李娜": "lead"}
    assert run(tmp_path / "b", "init") == 0
    assert roles(tmp_path / "b") == {login(): "lead"}


def test_the_last_lead_stays_and_a_workspace_without_one_gets_it_by_init_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    run(tmp_path, "init", "--lead", "ann")
    assert run(tmp_path, "people", "ann", "--role", "annotator") == 1
    assert run(tmp_path, "people", "ann", "--active", "no") == 1
    assert run(tmp_path, "init", "--lead", "eve") == 1
    assert "has a lead already (ann)" in capsys.readouterr().err
    ws = Workspace.open(tmp_path)
    with ws.writing() as session:  # as an older program left it
        session.connection().exec_driver_sql("UPDATE person SET role = 'annotator', account = NULL")
    ws.close()
    assert run(tmp_path, "people", "eve", "--role", "lead", "--user", "ann") == 1
    assert run(tmp_path, "people", "eve", "--role", "lead") == 1
    assert "benchseal init --lead NAME" in capsys.readouterr().err
    assert run(tmp_path, "init", "--lead", "ann") == 0
    assert run(tmp_path, "people", "eve") == 0
    assert roles(tmp_path) == {"ann": "lead", "eve": "specialist"}


def test_in_a_shared_workspace_the_account_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], attack: Callable[[str], Attack]
):
    row = attack("another's name in a shared workspace")
    run(tmp_path, "init", "--lead", "ann")
    ws = Workspace.open(tmp_path)
    make_task(ws)
    people.ensure_person(ws, "boss", "lead")
    people.ensure_person(ws, "li", "specialist")
    (number,) = write_items(ws, 1, author="li")
    ws.close()
    assert run(tmp_path, "workspace", "--shared") == 0
    assert "account of the operating system decides" in capsys.readouterr().out
    tip = _tip(tmp_path)
    acts = (
        f"decide {number} --accept", f"submit {TASK} --set instruction=c output=d",
        "people eve --role lead", f"task change {TASK} --guideline x", "undo",
        "workspace --personal", f"queue --benchmark {BENCHMARK}", f"history {number}",
        f"reveal {number}", f"audit start {TASK}",
    )  # fmt: skip
    for act in acts:
        for name in ("boss", "li", "eve", "Ann", "аnn"):
            code = run(tmp_path, *act.split(), "--user", name)
            said = capsys.readouterr().err
            fine = code == 1 and "is ann" in said and "\n" not in said.strip()
            row.tried("" if fine else f"{act} --user {name}: {code} {said}")
    row.tried("" if _tip(tmp_path) == tip else "something was written")
    assert run(tmp_path, "decide", str(number), "--accept") == 0
    assert run(tmp_path, "decide", str(number), "--accept", "--user", "ann") in (0, 1)
    assert verify_sound(tmp_path)


def test_an_account_that_is_nobodys_does_nothing_in_a_shared_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], attack: Callable[[str], Attack]
):
    row = attack("an account that is nobody's in a shared workspace")
    run(tmp_path, "init", "--lead", "ann")
    run(tmp_path, "workspace", "--shared")
    ws = Workspace.open(tmp_path)
    with ws.writing() as session:
        session.connection().exec_driver_sql("UPDATE person SET account = 'somebody-else'")
    ws.close()
    capsys.readouterr()
    for words in ("people eve", "people eve --user ann", "task add t --benchmark b", "undo"):
        code = run(tmp_path, *words.split())
        said = capsys.readouterr().err
        row.tried("" if code == 1 and "belongs to nobody" in said else f"{words}: {code} {said}")


def test_two_real_accounts(tmp_path: Path):
    if os.getuid() != 0:
        pytest.skip("needs to act under two accounts")
    """The process of another account acts as the person that a lead has assigned to it."""
    nobody = subprocess.run(["id", "-u", "nobody"], capture_output=True, text=True, check=True)
    folder = Path("/tmp") / f"benchseal-shared-{os.getpid()}"
    try:
        run(folder, "init", "--lead", "ann")
        run(folder, "people", "li", "--role", "researcher")
        run(folder, "people", "li", "--account", "nobody")
        run(folder, "workspace", "--shared")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, -1, int(nobody.stdout))  # its group, on Debian, has the same number
            path.chmod(0o2770 if path.is_dir() else 0o660)
        script = (
            "import sys\nfrom core.cli import main\nfrom core.accounts import login\n"
            "import pwd, os\nos.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))\n"
            "assert login() == 'nobody'\nsys.exit(main(sys.argv[2:]))"
        )
        start = [sys.executable, "-c", script, nobody.stdout.strip(), "--workspace", str(folder)]
        environment = {**os.environ, "USER": "root", "LOGNAME": "root"}
        for words, code in ((["people", "eve", "--role", "lead"], 1), (["undo"], 1),
                            (["people", "eve", "--user", "ann"], 1)):  # fmt: skip
            done = subprocess.run([*start, *words], cwd=ROOT, capture_output=True, text=True,
                                  env=environment, timeout=120)  # fmt: skip
            assert done.returncode == code, done.stderr
            assert "li" in done.stderr
        assert set(roles(folder)) == {"ann", "li"}
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)


def _tip(folder: Path) -> int:
    ws = Workspace.open(folder)
    try:
        with ws.reading() as session:
            return ledger.tip(session)
    finally:
        ws.close()


def verify_sound(folder: Path) -> bool:
    ws = Workspace.open(folder)
    try:
        return verify(ws).sound
    finally:
        ws.close()
