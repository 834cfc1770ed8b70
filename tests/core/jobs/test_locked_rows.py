"""Locked rows: no byte changes, no row takes another's place, and a key comes by one way only."""

import io
import json
import os
import secrets
import string

import pytest

from core.errors import InputError, StateError
from core.jobs import locked_rows
from core.jobs.locked_rows import LINE, RECORD, WORK, RowLock

KEY = bytes(range(32))
ROW = {"id": "7#a", "prompt": "山高 \ud800 “x”\n", "scores": [0.1, None]}


def test_a_row_comes_back_and_no_two_are_alike():
    lock = RowLock(KEY, "r")
    first, second = json.loads(lock.locked(WORK, ROW)), json.loads(lock.locked(WORK, ROW))
    assert lock.opened(WORK, first) == lock.opened(WORK, second) == ROW
    assert list(first) == ["id", "locked"]
    assert first["locked"] != second["locked"]
    assert locked_rows.is_locked_row(first)
    assert not locked_rows.is_locked_row(ROW)


@pytest.mark.parametrize("id_", ["7", '山\u2028"\\\n', "\x00\x85", ""])
def test_the_line_of_a_row_is_that_of_the_json_of_its_two_fields(id_):
    line = RowLock(KEY, "r").locked(RECORD, {"id": id_, "text": "x"})
    row = json.loads(line)
    assert row["id"] == id_
    assert json.dumps(row, ensure_ascii=False) == line


@pytest.mark.parametrize("id_", ["7", "7#a b", '山\u2028"\\\n', "\x7f", ""])
def test_a_line_of_its_own_is_read_as_json_reads_it(id_):
    line = RowLock(KEY, "r").locked(RECORD, {"id": id_, "text": "x"}).encode() + b"\n"
    assert locked_rows.locked_row_of(line) in (json.loads(line), None)
    assert (locked_rows.locked_row_of(line) is None) == (id_ not in ("7", "7#a b", ""))


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "7", "text": "x"}\n',
        b'{"id": "7", "locked": "A", "locked": "B"}\n',
        b'{"id": "7", "locked": "\\u0041"}\n',
        b'{"id": "7", "locked": "\xc3\xa9"}\n',
        b'{"id": "7", "locked": "A"} \n',
        b'{"id": "7", "locked": "A"',
        b'{"id": "7", "locked": "\n',
        b"",
    ],
)
def test_any_other_line_is_left_to_who_reads_json(line):
    assert locked_rows.locked_row_of(line) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda row: (RowLock(KEY, "other"), WORK, row),
        lambda row: (RowLock(KEY, "r"), RECORD, row),
        lambda row: (RowLock(KEY, "r"), WORK, {**row, "id": "8"}),
        lambda row: (RowLock(bytes(32), "r"), WORK, row),
        lambda row: (RowLock(KEY, "r"), WORK, {**row, "locked": row["locked"][:-8] + "AAAAAAA="}),
        lambda row: (RowLock(KEY, "r"), WORK, {**row, "locked": "no base64"}),
        lambda row: (RowLock(KEY, "r"), WORK, {**row, "locked": ""}),
    ],
    ids=["run", "kind", "id", "key", "byte", "letters", "empty"],
)
def test_what_was_changed_or_moved_is_refused(change):
    lock, kind, row = change(json.loads(RowLock(KEY, "r").locked(WORK, ROW)))
    with pytest.raises(InputError, match="changed"):
        lock.opened(kind, row)


def _after(letter: str) -> str:
    """The letter of Base64 with the next number, whose lowest bit is another one."""
    letters = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    return letters[letters.index(letter) ^ 1]


@pytest.mark.parametrize(
    "respelled",
    [
        lambda letters: letters.replace("+", "-").replace("/", "_"),
        lambda letters: letters.rstrip("="),
        lambda letters: letters + "====",
        lambda letters: letters + "    ",
        lambda letters: letters + "\n\n\n\n",
        lambda letters: letters.replace("A", "\\u0041", 4),
        lambda letters: letters.replace("/", "\\/", 4),
        lambda letters: letters[:-2] + _after(letters[-2]) + "=",
        lambda letters: letters[:-4] + 4 * "\ud800",
        lambda letters: letters + '"  "',
    ],
    ids=["addresses", "unpadded", "padded", "spaces", "lines", "escaped", "slashes", "last bit",
         "surrogates", "quotes"],
)  # fmt: skip
def test_another_spelling_of_the_same_bytes_is_a_change(respelled):
    lock, row = RowLock(KEY, "r"), {"locked": ""}
    while not (row["locked"].count("A") > 3 < row["locked"].count("/")
               and "+" in row["locked"] and row["locked"][-2:].count("=") == 1):  # fmt: skip
        row = json.loads(lock.locked(WORK, {"id": "7", "text": "x" * secrets.randbelow(900)}))
    assert lock.opened(WORK, row)["id"] == "7"
    changed = respelled(row["locked"])
    assert changed != row["locked"]
    with pytest.raises(InputError, match="changed"):
        lock.opened(WORK, {**row, "locked": changed})


def test_a_line_of_a_log_is_read_with_the_key_and_hidden_without():
    lock = RowLock(KEY, "r")
    line = "2026-01-01 " + lock.locked_line("asked “山高”")
    assert lock.opened_line(line) == "2026-01-01 asked “山高”"
    assert lock.opened_line("plain") == "plain"
    assert "山高" not in RowLock(bytes(32), "r").opened_line(line)
    assert locked_rows.is_locked_line(line)
    with pytest.raises(InputError):
        lock.opened(LINE, {"id": "", "locked": "AAAA"})


def test_the_key_comes_in_one_line():
    handle = io.BytesIO(locked_rows.handed_over(KEY) + b"rest")
    assert locked_rows.typed_key(handle) == KEY
    assert handle.read() == b"rest"


@pytest.mark.parametrize("typed", [b"", b"\n", b"zz" * 32, b"00" * 31, "钥".encode(), b"0" * 2000])
def test_what_is_no_key_is_refused(typed):
    with pytest.raises(StateError, match="locked"):
        locked_rows.typed_key(io.BytesIO(typed))


def test_a_terminal_is_not_asked():
    main, terminal = os.openpty()
    with (
        os.fdopen(main, "rb"),
        os.fdopen(terminal, "rb", buffering=0) as handle,
        pytest.raises(StateError, match="locked"),
    ):
        locked_rows.typed_key(handle)


def test_a_key_of_another_length_is_refused():
    with pytest.raises(InputError, match="32 bytes"):
        RowLock(b"short", "r")
