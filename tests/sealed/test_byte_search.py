"""The byte search finds a text in every form that it says, and nothing where nothing is."""

import base64
import bz2
import gzip
import io
import json
import lzma
import sqlite3
import tarfile
import urllib.parse
import zipfile
import zlib
from contextlib import closing

import pytest

from tests.sealed.byte_search import ByteSearch

ITEM = (
    "Nine lamps along the quay went out before the harbour master, Mirela Ødegård, had counted "
    "the seventh barge; nobody on “Pier 4” ever said why."
)
CHINESE = "港口的第七条驳船在清晨六点以前已经离开码头，没有人知道原因。"
ELSE = "The quay has nine lamps, and the harbour master counts barges every evening. " * 40


def _zip(content, way=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", way) as archive:
        archive.writestr("log/one.json", content)
    return out.getvalue()


def _tar(content):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo("one.txt")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def _parquet(text):
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"prompt": [text] * 50}), out, compression="zstd")
    return out.getvalue()


FORMS = {
    "plain": lambda text: text.encode(),
    "wrapped": lambda text: text.replace(" ", "\n  ").encode(),
    "among other bytes": lambda text: b"\x80\xff\x00" + text.encode() + b"\xfe\x00",
    "json": lambda text: json.dumps({"prompt": f"Q:\n{text}\n"}).encode(),
    "json in json": lambda text: json.dumps({"body": json.dumps({"prompt": text})}).encode(),
    "numbers of html": lambda text: "".join(f"&#{ord(one)};" for one in text).encode(),
    "address": lambda text: f"http://localhost/?q={urllib.parse.quote(text)}".encode(),
    "form": lambda text: urllib.parse.urlencode({"q": text}).encode(),
    "utf-16 little": lambda text: b"x" + text.encode("utf-16-le"),
    "utf-16 big": lambda text: text.encode("utf-16-be"),
    "gzip": lambda text: gzip.compress(text.encode()),
    "bzip2": lambda text: bz2.compress(text.encode()),
    "xz": lambda text: lzma.compress(text.encode()),
    "zlib": lambda text: zlib.compress(text.encode()),
    "zip": lambda text: _zip(text.encode()),
    "stored zip of json": lambda text: _zip(json.dumps(text).encode(), zipfile.ZIP_STORED),
    "gzip in zip": lambda text: _zip(gzip.compress(text.encode())),
    "tar": lambda text: _tar(text.encode()),
    "base64": lambda text: json.dumps({"b": base64.b64encode(text.encode()).decode()}).encode(),
    "base64 of zlib": lambda text: base64.b64encode(zlib.compress(text.encode())),
    "parquet": _parquet,
}


@pytest.mark.parametrize("text", [ITEM, CHINESE], ids=["english", "chinese"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_found(form, text, tmp_path):
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    (folder / "file.bin").write_bytes(FORMS[form](text))
    (found,) = ByteSearch((text,)).folders(tmp_path)
    assert found.path.startswith(str(folder / "file.bin"))
    assert not found.unread
    assert ByteSearch((text,)).folders(tmp_path, skip=lambda path: path.name == "file.bin") == []


@pytest.mark.parametrize("form", FORMS)
def test_other_texts_are_not_found(form, tmp_path):
    (tmp_path / "file.bin").write_bytes(FORMS[form](ELSE))
    assert ByteSearch((ITEM, CHINESE)).folders(tmp_path) == []


def test_eight_words_in_the_middle_are_enough_and_seven_are_not(tmp_path):
    words = ITEM.split()
    (tmp_path / "eight").write_text(" ".join(words[4:12]), encoding="utf-8")
    (tmp_path / "seven").write_text(" ".join(words[4:11]), encoding="utf-8")
    (found,) = ByteSearch((ITEM,)).folders(tmp_path)
    assert found.path.endswith("eight")


def test_a_name_of_a_file_is_looked_at(tmp_path):
    (tmp_path / "-".join(ITEM.split()[:8])).write_bytes(b"")
    assert ByteSearch((ITEM,)).folders(tmp_path)


def test_a_large_file_is_found_at_the_edge_of_its_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.sealed.byte_search._PIECE", 1 << 18)
    with (tmp_path / "large").open("wb") as out:
        out.write(b"." * ((1 << 18) - 40) + ITEM.encode() + b"." * (1 << 18))
    assert ByteSearch((ITEM,)).folders(tmp_path)


def test_what_cannot_be_looked_into_is_named(tmp_path):
    (tmp_path / "a").write_bytes(b"(\xb5/\xfd" + bytes(40))
    (tmp_path / "b.zip").write_bytes(_zip(ITEM.encode())[:60])
    found = ByteSearch((ITEM,)).folders(tmp_path)
    assert [(one.path.rpartition("/")[2], one.unread) for one in found] == [
        ("a", True), ("b.zip", True),
    ]  # fmt: skip


def test_rows_of_databases_are_found_and_what_was_deleted_from_them(tmp_path):
    path = tmp_path / "w.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE item (n INTEGER, payload TEXT)")
        # a value that is spread over many pages, so that a piece of it may lie on each side
        long = " ".join(f"filler{n}" for n in range(200)) + " "
        rows = [(n, json.dumps({"text": long * 3 + ITEM + long})) for n in range(9)]
        database.executemany("INSERT INTO item VALUES (?, ?)", rows)
        database.commit()
    search = ByteSearch((ITEM,))
    assert search.folders(tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA secure_delete = OFF")
        database.execute("DELETE FROM item")
        database.commit()
    assert search.folders(tmp_path), "freed pages keep what was deleted"
    with closing(sqlite3.connect(path)) as database:
        database.execute("VACUUM")
    assert search.folders(tmp_path) == []


def test_the_journal_of_a_database_is_looked_at(tmp_path):
    path = tmp_path / "w.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE item (payload TEXT)")
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("INSERT INTO item VALUES (?)", (ITEM,))
        database.commit()
        found = ByteSearch((ITEM,)).folders(tmp_path)
    assert {one.path.rpartition("/")[2] for one in found} == {"w.db!item", "w.db-wal"}
