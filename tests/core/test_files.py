"""JSON lines as this program writes them, whatever stands in them."""

import errno
import json
import math
import os
import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.files import (
    NewFile,
    canonical_bytes,
    canonical_json,
    read_jsonl,
    write_atomic,
    write_jsonl,
)

ROWS = [
    {"id": "1", "text": "答案是 B。\u2028 “and so”", "n": 3, "nested": {"a": [1, 2.5, None, True]}},
    {"id": "2", "text": "half a pair: \ud83d", "big": 2**70},
    {"id": "3", "text": "", "scores": [-1e-300, 0.1 + 0.2, 1e22]},
]


def test_what_is_written_is_read_back(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    write_jsonl(path, [ROWS[0], ROWS[2]])
    assert list(read_jsonl(path)) == [ROWS[0], ROWS[2]]


def test_numbers_are_read_to_the_last_digit(tmp_path: Path):
    rng = random.Random(5)
    values = [math.ldexp(rng.random() - 0.5, rng.randrange(-1000, 1000)) for _ in range(2000)]
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": "1", "scores": [*values, math.inf]}) + "\n")
    (row,) = read_jsonl(path)
    assert row["scores"] == [*values, math.inf]


def test_half_a_surrogate_pair_and_empty_lines_do_no_harm(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n\n" for row in ROWS))
    assert list(read_jsonl(path)) == ROWS


def test_a_torn_last_line_is_left_out_and_a_damaged_one_is_not_passed_over(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "1"}\n{"id": "2"')
    assert list(read_jsonl(path)) == [{"id": "1"}]
    path.write_text('{"id": "1"}\n{"id": \n{"id": "3"}\n')
    with pytest.raises(ValueError, match="line"):
        list(read_jsonl(path))
    path.write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(ValueError, match="utf-8"):
        list(read_jsonl(path))


@pytest.mark.parametrize("where", ["no/such/folder/page.html", "."])
def test_a_place_that_cannot_be_written_is_named_and_nothing_stays_behind(
    tmp_path: Path, where: str
):
    folder = tmp_path / "here"
    folder.mkdir()
    path = folder / where
    with pytest.raises(OSError, match=r"here") as caught:
        write_atomic(path, "text")
    assert caught.value.filename == str(path)
    assert [found.name for found in tmp_path.rglob("*")] == ["here"]


@pytest.mark.parametrize("is_nameless", [True, False], ids=["without a name", "hidden"])
def test_a_new_file_appears_when_it_is_complete_and_replaces_only_what_it_may(
    tmp_path: Path, is_nameless: bool, monkeypatch: pytest.MonkeyPatch
):
    if not is_nameless:
        monkeypatch.delattr(os, "O_TMPFILE")
    path = tmp_path / "file[1].txt"
    abandoned = tmp_path / ".file[1].txt.1.tmp"
    abandoned.touch()
    with closing(NewFile(path, 0o600)) as file:
        file.handle.write(b"first")
        assert not path.exists()
        file.publish()
    with closing(NewFile(path, 0o600)) as file, closing(NewFile(path, 0o600)) as other:
        file.handle.write(b"second")
        with pytest.raises(FileExistsError):
            file.publish()
        assert path.read_bytes() == b"first"
        other.handle.write(b"third")
        other.publish(replace=True)
    assert path.read_bytes() == b"third"
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_new_file_is_written_on_a_disk_without_links_and_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Such as a stick formatted with exFAT, or a share of another computer."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.delattr(os, "O_TMPFILE")
    monkeypatch.setattr(os, "link", refused)
    monkeypatch.setattr("fcntl.flock", refused)
    path = tmp_path / "file.txt"
    with closing(NewFile(path, 0o600)) as file:
        file.handle.write(b"first")
        file.publish()
    with closing(NewFile(path, 0o600)) as file:
        file.handle.write(b"second")
        with pytest.raises(FileExistsError):
            file.publish()
    assert path.read_bytes() == b"first"
    write_atomic(path, "third")
    assert path.read_bytes() == b"third"
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(JSON)
@example([1e16, 1e-5, 0.1, -0.0])
@example({"\uffff": 1, "\U00010000": 2, "a": None, "b": math.nan})
@example({"text": "5e-3 null \x7f\u2028 \x1b"})
@example({1: (2**70, True)})
def test_the_quick_spelling_is_the_one_that_is_hashed(value: Any) -> None:
    by_the_book = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert canonical_json(value) == by_the_book
    try:
        expected = by_the_book.encode()
    except UnicodeEncodeError:
        with pytest.raises(UnicodeEncodeError):
            canonical_bytes(value)
    else:
        assert canonical_bytes(value) == expected
