"""What every command shares: the workspace it opened is closed, however the command ends."""

import re
from importlib.metadata import version
from pathlib import Path

import psutil
import pytest

from core.cli import main
from core.cli.commands import json_object
from core.cli.parser import GROUPS, build_parser, group_module
from core.errors import InputError
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
