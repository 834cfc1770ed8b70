"""The rows of a file on their way into the workspace: on the disk, so that a file may be of any
size while nobody is kept from writing."""

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from tempfile import TemporaryFile
from typing import Any

import orjson

from core.families.base import Defect, ItemContent
from core.families.intake import AcceptedRow
from core.sources.imports import RefusedRow
from db.schema.json_text import SpelledPayload

_BUFFER = 1 << 20  # bytes
_FEW = 100_000  # rows: to import numpy takes longer than to sort them without it


class SpooledRows:
    """Rows that were read to their end, to be gone through in their order, again and again.

    They lie in a file without a name that only this process can open, and that goes away with it.
    """

    def __init__(self, rows: Iterable[AcceptedRow | RefusedRow]) -> None:
        self.count = 0
        self.has_items = False
        self._contents = array("Q")  # the beginning of each content hash
        self._numbers = array("Q")  # of the rows that have them
        self._places = array("Q")  # where each row begins in the file
        self._held: dict[int, AcceptedRow | RefusedRow] = {}  # those that JSON cannot hold
        self._file = TemporaryFile(buffering=_BUFFER)  # noqa: SIM115 - lives as long as the rows
        try:
            self._add(rows)
        except BaseException:
            self.close()
            raise

    def _add(self, rows: Iterable[AcceptedRow | RefusedRow]) -> None:
        place = 0
        for row in rows:
            try:
                written = _written(row)
            except (TypeError, UnicodeEncodeError):
                self._held[self.count] = row
                written = b"null\n"
            if isinstance(row, AcceptedRow):
                self.has_items = True
                try:
                    self._contents.append(_beginning(row.content.content_hash))
                    self._numbers.append(self.count)
                except UnicodeEncodeError:  # half a character: it has no hash
                    pass
            self._file.write(written)
            self._places.append(place)
            place += len(written)
            self.count += 1
        self._places.append(place)
        self._file.flush()

    def repeated(self) -> Callable[[str], bool]:
        """Whether a content hash may be that of several of the rows: of all that are, and hardly
        any other. So whoever looks for rows that repeat an earlier one need not hold them all."""
        several = frozenset(self._several())
        return lambda content_hash: bool(several) and _beginning(content_hash) in several

    def _several(self) -> Iterable[int]:
        if len(self._contents) < _FEW:
            ordered = sorted(self._contents)
            return (one for one, other in pairwise(ordered) if one == other)
        import numpy as np

        sought = np.sort(np.frombuffer(self._contents, dtype=np.uint64))
        again: list[int] = sought[1:][sought[1:] == sought[:-1]].tolist()
        return again

    @cached_property
    def _by_content(self) -> tuple[Any, Any]:
        """The beginnings of all content hashes in their order, and the rows that have them."""
        import numpy as np

        contents = np.frombuffer(self._contents, dtype=np.uint64)
        order = np.argsort(contents, kind="stable")
        return contents[order], np.frombuffer(self._numbers, dtype=np.uint64)[order]

    def with_content(self, content_hash: str) -> Iterator[AcceptedRow]:
        """The rows with one content, in their order; also while others are gone through."""
        import numpy as np

        ordered, numbers = self._by_content
        sought = np.uint64(_beginning(content_hash))
        begin, end = (ordered.searchsorted(sought, side) for side in ("left", "right"))
        for number in map(int, numbers[begin:end]):
            begins, ends = self._places[number], self._places[number + 1]
            held = self._held.get(number)
            lines = os.pread(self._file.fileno(), ends - begins, begins).splitlines()
            row = held or _row(iter(lines))
            if isinstance(row, AcceptedRow) and row.content.content_hash == content_hash:
                yield row

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[AcceptedRow | RefusedRow]:
        self._file.seek(0)
        for number in range(self.count):
            row = _row(self._file)
            yield self._held[number] if row is None else row


def _beginning(content_hash: str) -> int:
    return int(content_hash[:16], 16)


def _written(row: AcceptedRow | RefusedRow) -> bytes:
    """A row as a line, that of an item with its payload on a line of its own; TypeError and
    UnicodeEncodeError where JSON cannot hold it."""
    if isinstance(row, RefusedRow):
        return orjson.dumps((row.line, row.reason)) + b"\n"
    content = row.content
    payload = content.quick_payload()
    values = (
        row.line, row.dropped, content.family, content.format, content.domain,
        content.content_hash,  # now, while nobody is kept from writing
        dict(content.provenance),
        None if row.defects is None else [(d.name, d.detail, d.field) for d in row.defects],
        payload is not None,
    )  # fmt: skip
    if payload is None:
        payload = orjson.dumps(dict(content.payload))
    return b"%b\n%b\n" % (orjson.dumps(values), payload)


def _row(lines: Iterator[bytes]) -> AcceptedRow | RefusedRow | None:
    """The row that begins with the next line; None where JSON could not hold it."""
    values = orjson.loads(next(lines))
    if values is None or len(values) == 2:
        return RefusedRow(*values) if values else None
    number, dropped, family, format, domain, content_hash, provenance, found, canonical = values
    line = next(lines)
    payload = orjson.loads(line)
    if canonical:
        payload = SpelledPayload(payload, line.removesuffix(b"\n").decode())
    content = ItemContent(family, format, payload, provenance, domain)
    vars(content)["content_hash"] = content_hash  # our own line: it was just computed
    defects = None if found is None else tuple(Defect(*defect) for defect in found)
    return AcceptedRow(number, content, tuple(dropped), defects)
