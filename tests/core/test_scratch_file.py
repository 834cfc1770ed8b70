"""Files without a name that hold ciphertext and are read like any other file."""

import os
import random
from contextlib import closing, suppress
from pathlib import Path

from core.release.frozen_items import FrozenItems, stored
from core.scratch_file import ScratchFile
from tests.splits import make_split


def _on_disk() -> bytes:
    """What lies in the files without a name that this process has open."""
    found = []
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the folder itself, and whatever cannot be read
            if str(path.readlink()).endswith("(deleted)"):
                found.append(path.read_bytes())
    return b"".join(found)


def test_it_is_read_as_it_was_written_from_any_place(tmp_path: Path) -> None:
    draw = random.Random(18)
    pieces = [draw.randbytes(draw.choice((0, 1, 15, 16, 17, 1000, 200_000))) for _ in range(60)]
    whole = b"".join(pieces)
    with closing(ScratchFile(tmp_path)) as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        assert file.tell() == len(whole)
        for _ in range(200):
            start, size = draw.randrange(len(whole)), draw.randrange(5000)
            assert file.at(start, size) == whole[start : start + size]
            file.seek(start)
            assert file.read(size) == whole[start : start + size]
        file.seek(0)
        assert file.read() == whole
        file.seek(0)
        assert b"".join(file.readlines(1000)) in whole
        assert file.seek(0, os.SEEK_END) == len(whole)
        assert file.at(len(whole), 10) == b""
        assert whole[:40] not in _on_disk()
    assert not any(tmp_path.iterdir())


def test_the_items_of_a_split_lie_encrypted_while_they_are_compared_or_asked(
    tmp_path: Path,
) -> None:
    items = make_split(50)
    with closing(FrozenItems(map(stored, items), "s", tmp_path)) as frozen:
        lines = [line for _, line in frozen.named_lines()]
        there = _on_disk()
        assert len(there) >= sum(map(len, lines)), "the files are looked at"
        for line, entry in zip(lines, frozen.entries(), strict=True):
            assert line[20:60] not in there
            assert entry.content_hash.encode() not in there
        assert [item.canonical() for item in frozen] == [item.canonical() for item in items]
        assert frozen[-1].canonical() == items[-1].canonical()
