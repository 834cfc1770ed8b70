"""Foreign files in a child process: what it says, what it may need, and what becomes of it."""

import gzip
import os
import subprocess
from pathlib import Path
from typing import Any

import pandas
import pytest

from core.errors import InputError
from core.sources.articles.read_paths import read_paths
from core.sources.bounded import BoundedReader, Budget
from core.sources.tables import read_table
from core.sources.text_tables import foreign_pieces, foreign_rows

LIMITS = {
    "file_bytes": 10**8, "text_bytes": 10**7, "unpacked_bytes": 10**8, "members": 100,
    "ratio": 100, "ratio_from": 10**7, "files": 10, "depth": 10,
}  # fmt: skip


def articles(reader: BoundedReader, path: Path) -> list[str]:
    """Texts of the articles in a plain text file, as the child read them."""
    rows = reader.read("articles", path, kind="text", fallback="", limits=LIMITS)
    return [row["text"] for row, _ in rows]


def test_one_child_reads_file_after_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"The text of {name} is short.")
    with BoundedReader() as reader:
        assert articles(reader, tmp_path / "a.txt") == ["The text of a is short."]
        assert articles(reader, tmp_path / "b.txt") == ["The text of b is short."]


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that were started, by their numbers."""
    started: list[int] = []
    real = subprocess.Popen

    def start(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        child = real(*args, **kwargs)
        started.append(child.pid)
        return child

    monkeypatch.setattr(subprocess, "Popen", start)
    return started


def test_tables_are_read_one_after_the_other_by_one_child(
    tmp_path: Path, children: list[int]
) -> None:
    large = bytearray(400 * 2**20)  # what a parent holds is not held against its child
    book = tmp_path / "book.xlsx"
    damaged = tmp_path / "damaged.xlsx"
    pandas.DataFrame({"question": ["Why?"]}).to_excel(book, index=False)
    damaged.write_bytes(book.read_bytes()[:-200])
    for _ in range(3):
        assert list(read_table(book).columns) == ["question"]
        with pytest.raises(InputError):
            read_table(damaged)
    assert large[-1] == 0
    assert len(children) <= 1


def test_a_table_beside_one_that_is_being_read_has_a_child_of_its_own(
    tmp_path: Path, children: list[int]
) -> None:
    book = tmp_path / "book.xlsx"
    pandas.DataFrame({"question": [f"Why {n}?" for n in range(3000)]}).to_excel(book, index=False)
    first = foreign_pieces(book, kind="excel", sheet="")
    pieces = [next(first)]
    assert len(foreign_rows(book, kind="excel", sheet="")) == 3001
    pieces += first
    assert sum(len(piece["rows"]) for piece in pieces) == 3001
    assert len(children) <= 2


def test_a_file_that_takes_too_long_is_refused_and_the_next_one_is_read(tmp_path: Path) -> None:
    line = b"A sentence of some words about a thing, which is said in $x_1$ words.\n\n"
    (tmp_path / "slow.gz").write_bytes(gzip.compress(line * 120_000))
    (tmp_path / "good.txt").write_text("A sound text has words.")
    with BoundedReader(Budget(seconds=1)) as reader:
        with pytest.raises(InputError, match="takes too long"):
            list(reader.read("articles", tmp_path / "slow.gz", kind="archive", fallback="",
                             limits=LIMITS))  # fmt: skip
        assert articles(reader, tmp_path / "good.txt") == ["A sound text has words."]


def test_a_file_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<html><body>" + "<p>a" * 200_000)
    with (
        BoundedReader(Budget(memory=25 * 2**20)) as reader,
        pytest.raises(InputError, match=r"too much memory|Could not parse the HTML"),
    ):
        list(reader.read("articles", tmp_path / "page.html", kind="html", fallback="",
                         limits=LIMITS))  # fmt: skip


def test_what_comes_back_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"A text of some length. " * 10_000))
    with (
        BoundedReader(Budget(result=100)) as reader,
        pytest.raises(InputError, match="too much for a file of its size"),
    ):
        list(reader.read("articles", tmp_path / "a.gz", kind="archive", fallback="",
                         limits=LIMITS))  # fmt: skip


def test_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="not a regular file"):
        read_table(tmp_path / "pipe.csv")
    report = read_paths([tmp_path])
    assert [reason for _, reason in report.skipped] == ["It is not a regular file."]


def test_a_module_in_the_folder_where_somebody_stands_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lxml.py").write_text("open('ran', 'w').close()")
    (tmp_path / "page.html").write_text("<html><body><p>A page of text.</p></body></html>")
    monkeypatch.chdir(tmp_path)
    assert [a.text for a in read_paths([Path("page.html")]).articles] == ["A page of text."]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("included", [0, 700_000])
def test_a_whole_thesis_may_take_three_times_as_long_as_on_a_quiet_machine(
    tmp_path: Path, included: int
) -> None:
    """A megabyte of LaTeX takes ten seconds of a processor, on a busy one three times it."""
    path = tmp_path / "thesis.tex"
    path.write_bytes(b" " * (1_000_000 - included))
    assert Budget().for_file(path, included).seconds >= 30


def test_no_text_may_take_longer_than_a_minute_however_long_it_is(tmp_path: Path) -> None:
    path = tmp_path / "book.tex"
    path.write_bytes(b" " * 2**20)
    assert Budget().for_file(path, 2**24).seconds == 60


def test_a_small_text_has_no_reason_to_take_long(tmp_path: Path) -> None:
    path = tmp_path / "note.tex"
    path.write_bytes(b" " * 2000)
    assert Budget().for_file(path).seconds == Budget().seconds
