"""What a command prints: a terminal obeys nothing that stands in a name."""

import json
from datetime import UTC, datetime

import pytest

from core.cli.console import Console, columns

NAME = "a\x1b[2Jb\u202ec\r\x9bd"
WRITTEN_OUT = "a\\x1b[2Jb\\u202ec\\r\\x9bd"


def test_control_characters_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(json=False)
    console.emit({}, f"一\t二\n{NAME}")
    console.say(NAME)
    assert capsys.readouterr() == (f"一\t二\n{WRITTEN_OUT}\n", f"{WRITTEN_OUT}\n")


def test_a_complaint_stays_in_one_line_and_is_legible(capsys: pytest.CaptureFixture[str]) -> None:
    Console(json=False).complain("no file\n\x1b[31mred")
    assert capsys.readouterr().err == "no file \\x1b[31mred\n"


def test_lines_of_a_chinese_complaint_are_joined_without_spaces(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Console(json=False).complain("没有冻结任何内容：\n✕ 2 个条目未经抽检。\n请排除 （1）。")
    told = "没有冻结任何内容：✕ 2 个条目未经抽检。请排除（1）。\n"
    assert capsys.readouterr().err == told


def test_a_document_and_a_table_for_programs_stay_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Console(json=True).emit({"name": NAME}, "")
    assert json.loads(capsys.readouterr().out) == {"name": NAME}
    Console(json=True).emit({"at": datetime(2026, 8, 31, 7, tzinfo=UTC)}, "")
    assert json.loads(capsys.readouterr().out) == {"at": "2026-08-31T07:00:00+00:00"}
    Console(json=False).write(NAME)
    assert capsys.readouterr().out == NAME + "\n"


def test_a_name_of_several_lines_takes_one_row() -> None:
    table = columns([("a\nb\tc", 1), ("中文", 20)], ("model", "n"))
    assert table.splitlines() == ["model     n", "a\\nb\\tc   1", "中文     20"]
