"""Small, safe file operations that every package needs: atomic writes, JSON lines, digests."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any


def canonical_json(value: Any) -> str:
    """The one spelling of a JSON value that is hashed: sorted keys, no spaces, UTF-8 as is."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """SHA-256 in hex of the canonical JSON of ``value``."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def digest_of_hashes(hashes: Iterable[str]) -> str:
    """SHA-256 in hex over the sorted hashes, one per line; independent of their order."""
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 in hex of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def write_atomic(path: Path, text: str, *, durable: bool = False) -> None:
    """Replace a file in one step, so that a reader sees the old or the new one, never a half.

    Raises OSError that names ``path``, and leaves nothing behind, when that is not possible.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as handle:
            handle.write(text)
            if durable:
                handle.flush()
                os.fsync(handle.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_json(path: Path, value: Any, *, durable: bool = False) -> None:
    """Write a JSON document in one step, readable by people."""
    write_atomic(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n", durable=durable)


def write_jsonl(path: Path, rows: Iterable[Any]) -> int:
    """Write JSON lines in one step; returns the number of rows."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    write_atomic(path, "".join(line + "\n" for line in lines))
    return len(lines)


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSON lines file that this program wrote; a torn last line is left out."""
    from pydantic_core import from_json

    with path.open("rb") as handle:
        for line in handle:
            if not line.endswith(b"\n"):
                return
            try:
                yield from_json(line)
            except ValueError:
                if line.strip():
                    # four times as slow, but it reads half a surrogate pair, and says what is off
                    yield json.loads(line)
