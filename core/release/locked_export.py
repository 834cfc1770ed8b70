"""Locked data files of an export: rows of JSON, each encrypted by AES-256-GCM with one key.

This text stands in every locked export as well, where a harness reads the rows by it, so that it
imports the standard library and ``cryptography`` alone. The first line of a file is its head in the
clear, the last one says how many rows there are; head and number are bound into every row, so that
none can be changed, moved, left out or added. Nothing is written in plain text, and the key leaves
the environment before anything else sees it.
"""

import base64
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ENDING = ".locked"
FORMAT = "benchseal-locked-rows"
KEY_VARIABLE = "BENCHSEAL_EXPORT_KEY"
KEY_BYTES = 32
_NONCE_BYTES = 12
_MOST_LINE = 1 << 28  # bytes
_MOST_HEAD = 1 << 16  # bytes


def locked_lines(
    rows: Iterable[Mapping[str, Any]], key: bytes, head: Mapping[str, Any]
) -> Iterator[bytes]:
    """The lines of a locked file, made one by one."""
    first = json.dumps({"format": FORMAT, **head}, sort_keys=True).encode()
    yield first + b"\n"
    count = 0
    for row in rows:
        yield _sealed(json.dumps(row).encode(), key, first, f"row {count}")
        count += 1
    yield _sealed(b"", key, first, f"end {count}")


def head_of(path: Path) -> dict[str, Any]:
    """What a locked file says of itself; ValueError for another file."""
    with path.open("rb") as handle:
        head = json.loads(handle.readline(_MOST_HEAD))
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ValueError("it is no locked file of Benchseal")
    return head


def opened_rows(path: Path, key: bytes) -> Iterator[dict[str, Any]]:
    """The rows of a locked file, decrypted in memory one by one; ValueError where the key is
    another one, or a byte was changed, and at the end where rows are missing."""
    from cryptography.exceptions import InvalidTag

    count = 0
    with path.open("rb") as handle:
        first = handle.readline(_MOST_HEAD).removesuffix(b"\n")
        line = handle.readline(_MOST_LINE)
        while line:
            following = handle.readline(_MOST_LINE)
            place = f"row {count}" if following else f"end {count}"
            try:
                content = _opened(line, key, first, place)
            except InvalidTag as error:
                problem = "the key is another one, or the file was changed"
                raise ValueError(f"{path.name}: {problem}") from error
            if not following:
                return
            yield json.loads(content)
            count += 1
            line = following
    raise ValueError(f"{path.name}: it is cut short")


def _sealed(content: bytes, key: bytes, head: bytes, place: str) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE_BYTES)
    sealed = AESGCM(key).encrypt(nonce, content, head + b"\n" + place.encode())
    return base64.b64encode(nonce + sealed) + b"\n"


def _opened(line: bytes, key: bytes, head: bytes, place: str) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    content = base64.b64decode(line.removesuffix(b"\n"), validate=True)
    if base64.b64encode(content) + b"\n" != line:  # bits that say nothing, or the line's end
        raise ValueError(f"{place} was changed")
    nonce, sealed = content[:_NONCE_BYTES], content[_NONCE_BYTES:]
    return AESGCM(key).decrypt(nonce, sealed, head + b"\n" + place.encode())


def export_key() -> bytes:
    """The key of this export: from the environment, from which it is taken out, else the first line
    of the standard input. Kept in memory for the next file; no core of that is dumped."""
    known = getattr(sys, "_benchseal_export_key", None)
    if isinstance(known, bytes):
        return known
    text = os.environ.pop(KEY_VARIABLE, "")
    if not text and not sys.stdin.isatty():
        text = sys.stdin.readline(1000)
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise SystemExit(
            f"The export is locked. Give its key, 64 hexadecimal digits, in {KEY_VARIABLE} or as "
            "the first line of the standard input."
        )
    with suppress(ImportError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):  # the limit does not hold where a system hands cores to a program
        Path("/proc/self/coredump_filter").write_text("0", encoding="ascii")
    sys._benchseal_export_key = key  # type: ignore[attr-defined] # outlives copies of this module
    return key


def refuse_unguarded() -> None:
    """Refuse a harness that was not started by ``run.py``: its own logs would hold the items."""
    if not getattr(sys, "_benchseal_guarded", False):
        raise SystemExit(
            "The export is locked. Start it by run.py in its folder: the harness's own program "
            "would write the items into its logs in plain text."
        )
