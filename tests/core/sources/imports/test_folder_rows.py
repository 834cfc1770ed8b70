"""Folders and archives of files that are read alike, with the split that each file is."""

import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from core.errors import InputError
from core.families.intake import AcceptedRow, ImportTarget, beginning, preview_of, read, recognised
from core.sources.packed import unpacked

QUESTIONS = b"question,answer\nWho?,me\n"
SPLITS = ("dev", "test", "train")


def rows_of(path: Path):
    first = beginning(path)
    target = ImportTarget(recognised(first))
    return list(read(path, target, preview_of(first, target).mapping))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file for each split, one that is none, and what a system leaves."""
    place = tmp_path / "capitals"
    place.mkdir()
    for split in SPLITS:
        rows = [{"question": f"{split} {n}?", "A": "Rome", "B": "Lima", "answer": "AB"[n % 2]}
                for n in range(3)]  # fmt: skip
        (place / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (place / "read me.txt").write_text("How the questions were made.\n")
    (place / ".hidden").write_text("x")
    return place


def zipped(folder: Path, place: Path) -> Path:
    with zipfile.ZipFile(place, "w") as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, f"data/{path.name}")
    return place


def tarred(folder: Path, place: Path) -> Path:
    with tarfile.open(place, "w:gz") as archive:
        archive.add(folder, "data")
    return place


@pytest.mark.parametrize("packed", ["folder", "zip", "tar"])
def test_the_splits_of_a_folder_stay_with_their_rows(folder: Path, tmp_path: Path, packed: str):
    path = {
        "folder": lambda: folder,
        "zip": lambda: zipped(folder, tmp_path / "c.zip"),
        "tar": lambda: tarred(folder, tmp_path / "c.tar.gz"),
    }[packed]()
    rows = rows_of(path)
    taken = [row.content for row in rows if isinstance(row, AcceptedRow)]
    assert [c.provenance["columns"]["split"] for c in taken] == [
        s for s in SPLITS for _ in range(3)
    ]
    assert [c.provenance["line"] for c in taken] == [1, 2, 3] * 3
    assert {Path(c.provenance["file"]).name for c in taken} == {f"{s}.jsonl" for s in SPLITS}
    assert [c.payload["key"] for c in taken] == ["A", "B", "A"] * 3
    (other,) = [row.reason for row in rows if not isinstance(row, AcceptedRow)]
    assert "read me.txt" in other


def test_the_files_of_race_are_read_from_their_folders(tmp_path: Path):
    for place in ("test/high/1.txt", "test/middle/2.txt"):
        path = tmp_path / "RACE" / place
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({
            "article": f"The article {place}.", "questions": ["Which?", "How many?"],
            "options": [["a", "b", "c", "d"], ["1", "2", "3", "4"]], "answers": ["C", "B"],
            "id": place,
        }))  # fmt: skip
    found = [row.content for row in rows_of(tmp_path / "RACE")]
    assert [c.payload["key"] for c in found] == ["C", "B"] * 2
    assert [c.payload["passage"] for c in found][::2] == [
        "The article test/high/1.txt.",
        "The article test/middle/2.txt.",
    ]
    assert {c.provenance["columns"]["split"] for c in found} == {"test"}


def test_an_archive_with_one_file_is_that_file(folder: Path, tmp_path: Path):
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(folder / "dev.jsonl", "a/dev.jsonl")
    assert beginning(path).format == "jsonl"
    assert len(rows_of(path)) == 3


def test_what_leads_out_of_an_archive_is_left_alone(tmp_path: Path):
    path = tmp_path / "out.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../out.jsonl", '{"question": "x", "answer": "y"}\n')
        archive.writestr("in.jsonl", '{"question": "q", "answer": "a"}\n')
    assert [row.content.payload["question"] for row in rows_of(path)] == ["q"]
    assert not (tmp_path.parent / "out.jsonl").exists()


def test_an_archive_that_grows_too_much_and_a_broken_one_are_refused(tmp_path: Path):
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", b" " * (60 * 2**20))
    with pytest.raises(InputError, match="unpacks to more than 50 MB"):
        beginning(bomb)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", '{"question": "q", "answer": "a"}\n' * 500)
        archive.writestr("b.jsonl", "{}\n")
    whole = bytearray(data.getvalue())
    whole[40:60] = b"\xff" * 20
    broken = tmp_path / "broken.zip"
    broken.write_bytes(whole)
    with pytest.raises(InputError, match="is damaged"):
        beginning(broken)


def test_a_folder_without_files_is_refused(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="has no file in it"):
        beginning(tmp_path / "empty")


def of_tar(path: Path, *names: str) -> Path:
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(QUESTIONS)
            archive.addfile(entry, io.BytesIO(QUESTIONS))
    return path


def test_names_that_no_file_has_are_left_alone_or_said_to_be_damage(tmp_path: Path) -> None:
    with unpacked(of_tar(tmp_path / "a.tar", "n\0ul.csv" + "é", "q.csv")) as inner:
        assert inner.name == "q.csv"
    with (
        pytest.raises(InputError, match="cannot be unpacked"),
        unpacked(of_tar(tmp_path / "b.tar", ".", "q.csv")),
    ):
        pass


def test_an_archive_with_a_locked_entry_behind_another_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "questions.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", QUESTIONS)
        archive.writestr("b.csv", QUESTIONS)
    raw = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.rindex(mark) + place] |= 1
    path.write_bytes(raw)
    with pytest.raises(InputError, match="encrypted ZIP archive"), unpacked(path):
        pass
