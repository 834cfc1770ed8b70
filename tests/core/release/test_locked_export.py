"""Locked files of exports: rows come back, and no byte, row or place of them can be changed."""

import io
import os
import random
import string
import sys

import pytest

from core.release import locked_export
from core.release.locked_export import head_of, locked_lines, opened_rows

KEY = bytes(range(32))
ROWS = [
    {"id": str(n), "prompt": f"山 {n} \ud800 “x”\u2028\n", "choices": ["A", None]} for n in range(5)
]
HEAD = {"export": "s/lm-eval/1", "opening": 7, "canary": "Canary", "file": "a.jsonl"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl.locked"
    path.write_bytes(b"".join(locked_lines(iter(ROWS), KEY, HEAD)))
    return path


def test_rows_come_back_and_the_head_is_in_the_clear(path):
    assert list(opened_rows(path, KEY)) == ROWS
    assert head_of(path) == {"format": "benchseal-locked-rows", **HEAD}
    assert "山".encode() not in path.read_bytes()
    assert b"prompt" not in path.read_bytes()


def test_no_rows_are_a_file_as_well(tmp_path):
    path = tmp_path / "none"
    path.write_bytes(b"".join(locked_lines([], KEY, HEAD)))
    assert list(opened_rows(path, KEY)) == []


def test_another_key_opens_nothing(path):
    with pytest.raises(ValueError, match="key is another"):
        list(opened_rows(path, bytes(32)))


def _moved(lines):
    lines[1], lines[2] = lines[2], lines[1]


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines.pop(),
        lambda lines: lines.pop(2),
        lambda lines: lines.insert(2, lines[2]),
        lambda lines: lines.append(lines[-1]),
        lambda lines: lines.__delitem__(slice(1, None)),
        lambda lines: lines.__delitem__(slice(3, None)),
        _moved,
        lambda lines: lines.__setitem__(0, lines[0].replace(b"Canary", b"Canari")),
        lambda lines: lines.__setitem__(0, lines[0].replace(b"a.jsonl", b"b.jsonl")),
    ],
    ids=["end", "row", "twice", "two ends", "all", "cut", "moved", "canary", "file"],
)
def test_what_was_left_out_added_or_moved_is_found(path, change):
    lines = path.read_bytes().splitlines(keepends=True)
    change(lines)
    path.write_bytes(b"".join(lines))
    with pytest.raises(ValueError, match=r"another one|cut short"):
        list(opened_rows(path, KEY))


def test_no_changed_bit_is_accepted(path):
    content = path.read_bytes()
    draw = random.Random(1)
    for _ in range(300):
        changed = bytearray(content)
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        try:
            found = list(opened_rows(path, KEY))
        except ValueError:
            found = []
        assert found != ROWS
        assert found == []


NUMBERS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


def _next_letter(line: bytes) -> bytes:
    """A line whose last letter has another lowest bit, which often says nothing."""
    letters, padding = line.rstrip(b"=\n"), line[len(line.rstrip(b"=\n")) :]
    other = NUMBERS[NUMBERS.index(chr(letters[-1])) ^ 1]
    return letters[:-1] + other.encode() + padding


@pytest.mark.parametrize(
    "respelled",
    [_next_letter, lambda line: line[:-1] + b" \n", lambda line: line[:-1] + b"\r\n",
     lambda line: line[:-1]],
    ids=["last letter", "space", "line end", "no line end"],
)  # fmt: skip
def test_another_spelling_of_a_line_is_a_change(path, respelled):
    lines = path.read_bytes().splitlines(keepends=True)
    for place in range(1, len(lines)):
        path.write_bytes(b"".join([*lines[:place], respelled(lines[place]), *lines[place + 1 :]]))
        with pytest.raises(ValueError, match=r"changed|another one|cut short|padding|base64"):
            list(opened_rows(path, KEY))


@pytest.fixture
def no_key():
    """No key of another test is remembered, and none is left."""
    vars(sys).pop("_benchseal_export_key", None)
    yield
    vars(sys).pop("_benchseal_export_key", None)


@pytest.mark.usefixtures("no_key")
def test_the_key_is_taken_out_of_the_environment(monkeypatch):
    monkeypatch.setenv(locked_export.KEY_VARIABLE, KEY.hex())
    assert locked_export.export_key() == KEY
    assert locked_export.KEY_VARIABLE not in os.environ
    assert locked_export.export_key() == KEY


@pytest.mark.usefixtures("no_key")
@pytest.mark.parametrize("typed", ["", "zz", "00" * 31])
def test_what_is_no_key_ends_the_program(typed, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    with pytest.raises(SystemExit, match="locked"):
        locked_export.export_key()


def test_a_harness_that_was_not_started_by_our_runner_is_refused():
    with pytest.raises(SystemExit, match=r"run\.py"):
        locked_export.refuse_unguarded()
