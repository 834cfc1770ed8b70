"""What every command shares: the workspace it opened is closed, however the command ends."""

import io
import json
import os
import pwd
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import psutil
import pytest

from core.cli import main
from core.cli.commands import ask_new_password, ask_passphrase, json_object
from core.cli.console import Console
from core.cli.parser import GROUPS, build_parser, group_module
from core.errors import InputError, OutsideError
from core.workflow import tasks
from core.workflow.people import ensure_person
from core.workflow.workspace import Workspace

PROCESS = psutil.Process()


def open_databases(folder: Path) -> list[str]:
    return [file.path for file in PROCESS.open_files() if file.path.startswith(str(folder))]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    assert main(["--workspace", str(tmp_path / "w"), "init"]) == 0
    return tmp_path / "w"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["items"], 0),
        (["history", "999"], 1),
        (["report", "nothing"], 1),
        (["decide", "999", "--reviewer", "wu", "--accept"], 1),
        (["split", "seal", "nothing", "--user", "li"], 1),
        (["engines"], 0),
    ],
)
def test_a_command_leaves_no_database_open(place: Path, words: list[str], code: int, capsys):
    assert main(["--workspace", str(place), *words]) == code
    assert open_databases(place) == []


REFUSED = (
    "freeze july",
    "freeze july --check",
    "freeze july --unchecked why",
    "screen --base-url http://127.0.0.1:9/v1 --model m",
    "task add films",
    "task change films --labels good",
    "task protocol films --set overlap=2",
    "generate scp .",
    "audit start films",
    "gold mark 1 --accept",
    "seal july --out july.sealed",
    "split seal july",
    "split open july --reason why",
    "split expire july",
    "evaluate july --engine baseline:random",
    "export july --format jsonl --out out",
    "people bob --role annotator",
    "assign films --to bob",
    "erratum 1 --reason why",
    "alarm set --below 0.5",
    "backup",
)


def test_who_may_not_do_it_hears_so_before_anything_is_asked(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ws = Workspace.open(place)
    ensure_person(ws, "ann", "annotator")
    for benchmark in ("winter", "summer"):
        tasks.add(ws, "films", "answer", benchmark=benchmark)
    ws.close()
    said = {}
    for line in REFUSED:
        code = main(["--workspace", str(place), *line.split(), "--user", "ann"])
        said[line] = (code, capsys.readouterr().err)
    assert {
        line: answer
        for line, answer in said.items()
        if answer[0] != 1 or "ann has the role annotator, but" not in answer[1]
    } == {}


def test_the_help_lists_every_command_once_under_the_heading_of_its_group():
    parser = build_parser()
    listed = [line.dest for _, lines in parser.groups for line in lines]
    assert len(listed) == len(set(listed)) > 40
    text = parser.format_help()
    for (title, commands), group in zip(parser.groups, GROUPS, strict=True):
        assert f"{group_module(group).TITLE}:" in text
        assert title == group_module(group).TITLE
        assert tuple(command.dest for command in commands) == GROUPS[group]
    for name in listed:
        assert len(re.findall(rf"^  {re.escape(name)}(?:\s|$)", text, re.MULTILINE)) == 1


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"benchseal {version('benchseal')}\n"


@pytest.mark.parametrize("content", [b"{", b"\x00\x01\x02" * 900])
def test_what_is_no_json_is_called_so_by_its_path(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "receipt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"“.*receipt” is not a JSON file"):
        json_object(path)


@pytest.mark.parametrize("words", [["doctor"], ["keys", "list"], ["items"]])
def test_an_account_without_a_home_is_told_to_name_one(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A container may run under a number that the system has no account for."""

    def no_account(_: object) -> None:
        raise KeyError("uid not found")

    for name in ("HOME", "BENCHSEAL_WORKSPACE", *(n for n in os.environ if n.startswith("XDG_"))):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", no_account)
    assert main(words) == 3
    assert "HOME" in capsys.readouterr().err


def test_another_fault_is_not_taken_for_a_missing_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object) -> None:
        raise RuntimeError("something else")

    monkeypatch.setattr("core.workflow.workspace.default_location", wrong)
    with pytest.raises(RuntimeError, match="something else"):
        main(["doctor"])


@contextmanager
def ascii_output(patch: pytest.MonkeyPatch) -> Iterator[io.BytesIO]:
    """A terminal that has ASCII alone; others lack Chinese alike (LC_ALL=en_US.ISO-8859-1)."""
    taken = io.BytesIO()
    stream = io.TextIOWrapper(taken, encoding="ascii", write_through=True)
    with patch.context() as here:
        here.setattr(sys, "stdout", stream)
        yield taken
    stream.detach()


def test_a_terminal_without_chinese_gets_it_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ["--workspace", str(tmp_path / "w")]
    with ascii_output(monkeypatch) as taken:
        assert main([*where, "init", "--lead", "王𝒜"]) == 0
        assert main([*where, "people"]) == 0
    assert b"\\u738b" in taken.getvalue()
    with ascii_output(monkeypatch) as taken:
        assert main([*where, "people", "--json"]) == 0
    assert "王𝒜" in str(json.loads(taken.getvalue()))


def test_a_table_for_programs_that_the_output_cannot_hold_is_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Characters that were written out would be other data."""
    with ascii_output(monkeypatch) as taken:
        with pytest.raises(OutsideError, match="UTF-8"):
            Console(json=False).write("王,1")
        Console(json=False).write("Li,1")
    assert taken.getvalue() == b"Li,1\n"


def test_a_key_that_is_asked_for_may_be_piped_and_must_be_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept: list[tuple[str, str]] = []
    monkeypatch.setattr("core.system_keyring.keep", lambda user, key: kept.append((user, key)))
    ask = ["keys", "add", "http://models.example.org", "--ask"]
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(ask) == 1
    assert "Nothing was entered" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO("a-key-of-mine\n"))
    main(ask)
    assert [key for _, key in kept] == ["a-key-of-mine"]


class Terminal(io.StringIO):
    """Where somebody sits, as far as a program can tell."""

    def isatty(self) -> bool:
        return True


def test_who_ends_the_input_at_a_question_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("getpass.getpass", ended)
    monkeypatch.setattr(sys, "stdin", Terminal())
    for ask in (lambda: ask_passphrase("?"), lambda: ask_new_password("wu")):
        with pytest.raises(InputError, match="Nothing was entered"):
            ask()
