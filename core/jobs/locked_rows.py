"""Rows that nobody reads without the key of their run: those of runs on a split that was sealed.

A locked row is ``{"id": …, "locked": …}``: its id stays in the clear, so that what is done can be
counted without a key, and all of it is encrypted by AES-256-GCM under the one key of the run. The
run, the kind of row and its id are bound in, so that no row can take another's place. The key is
derived where the run was started, goes to a worker by its standard input, and is in no file, no
argument and no environment.
"""

import base64
import binascii
import json
import os
import re
import resource
import secrets
import sys
from collections.abc import Callable, Mapping
from functools import cache
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import IO, Any, Final

import orjson

from core.bounded_json import parse_json
from core.errors import InputError, StateError
from core.i18n import tr
from core.redaction import guard_secret

KEY_BYTES: Final = 32
WORK, RECORD, LINE = "work", "record", "line"
"""Kinds of rows: questions, answers, and lines of a log."""
KeySource = Callable[[], bytes]
"""Gives the key of a run when it is needed; StateError for who cannot have it."""

_FIELD = "locked"
_LOCKED_LINE = re.compile(rb'\{"id": "([ !#-\[\]-~]*)", "locked": "')
_LINE_END = b'"}\n'
_MARK = "locked:"
_NONCE_BYTES = 12
_MOST_TYPED = 1000  # bytes


class RowLock:
    """Locks and opens the rows of one run."""

    def __init__(self, key: bytes, run: str) -> None:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        if len(key) != KEY_BYTES:
            raise InputError.tr("The key of a run has {n} bytes.", n=KEY_BYTES)
        self._cipher = AESGCM(key)
        self._not_ours: tuple[type[Exception], ...] = (InvalidTag, ValueError, binascii.Error)
        # a place is the JSON list [run, kind, id], of which only the id differs from row to row
        self._places = {
            kind: f"[{encode_basestring_ascii(run)}, {encode_basestring_ascii(kind)}, "
            for kind in (WORK, RECORD, LINE)
        }

    def locked(self, kind: str, row: Mapping[str, Any]) -> str:
        """A row as it may lie in a file: the JSON of its line, which needs no second encoder."""
        id_ = str(row["id"])
        letters = self._sealed(_written(row), kind, id_)
        return f'{{"id": {encode_basestring(id_)}, "{_FIELD}": "{letters}"}}'

    def opened(self, kind: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row that was locked; InputError where it was changed, or is another run's."""
        plain = self._plain(str(row[_FIELD]), kind, str(row["id"]))
        try:
            content = parse_json(plain, as_written=True)
        except ValueError as error:
            raise _not_ours() from error
        if not isinstance(content, dict) or content.get("id") != row["id"]:
            raise _not_ours()
        return content

    def locked_line(self, text: str) -> str:
        """A line of a log as it may lie in a file."""
        return _MARK + self._sealed(text.encode("utf-8", "surrogatepass"), LINE, "")

    def opened_line(self, text: str) -> str:
        """A line as it was written; what is not locked comes back as it is."""
        before, mark, letters = text.partition(_MARK)
        if not mark:
            return text
        try:
            plain = self._plain(letters.strip(), LINE, "")
            return before + plain.decode("utf-8", "surrogatepass")
        except InputError:
            return before + hidden_line()

    def _sealed(self, content: bytes, kind: str, id_: str) -> str:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, content, self._place(kind, id_))
        return base64.b64encode(nonce + sealed).decode("ascii")

    def _plain(self, letters: str, kind: str, id_: str) -> bytes:
        try:
            content = _bytes_of(letters)
            nonce, sealed = content[:_NONCE_BYTES], content[_NONCE_BYTES:]
            return bytes(self._cipher.decrypt(nonce, sealed, self._place(kind, id_)))
        except self._not_ours as error:
            raise _not_ours() from error

    def _place(self, kind: str, id_: str) -> bytes:
        return f"{self._places[kind]}{encode_basestring_ascii(id_)}]".encode()


@cache
def _base64_reader() -> Callable[[str], bytes]:
    from pydantic_core import SchemaValidator, core_schema

    config = core_schema.CoreConfig(val_json_bytes="base64")
    return SchemaValidator(core_schema.bytes_schema(), config=config).validate_json


def _bytes_of(letters: str) -> bytes:
    """The bytes that Base64 spells; ValueError for any spelling but the one that was written.

    The engine of pydantic takes a third of the time of the standard library; it would also read
    letters without padding, the alphabet of addresses, and what JSON escapes.
    """
    if len(letters) % 4 or "-" in letters or "_" in letters or "\\" in letters:
        raise ValueError(len(letters))
    return _base64_reader()(f'"{letters}"')


def _written(row: Mapping[str, Any]) -> bytes:
    """The JSON of a row, by orjson unless it might write something else, as null for no number."""
    try:
        content = orjson.dumps(row)
    except TypeError:  # half a surrogate pair, a very large number, a key that is not a text
        content = b"null"
    if b"null" not in content:
        return content
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")


def locked_row_of(line: bytes) -> dict[str, str] | None:
    """The locked row in a line as ``RowLock.locked`` writes it, without the work of reading JSON;
    None for any other line. Whether its letters are some is seen when it is opened."""
    match = _LOCKED_LINE.match(line)
    if match is None or not line.endswith(_LINE_END):
        return None
    letters = line[match.end() : -len(_LINE_END)]
    if not letters.isascii() or b'"' in letters or b"\\" in letters:
        return None
    return {"id": match[1].decode("ascii"), _FIELD: letters.decode("ascii")}


def is_locked_row(row: Mapping[str, Any]) -> bool:
    """Whether a row of a file is locked."""
    return len(row) == 2 and isinstance(row.get(_FIELD), str)


def is_locked_line(text: str) -> bool:
    """Whether a line of a log, or a sentence, is locked."""
    return _MARK in text


def hidden_line() -> str:
    """What stands for a line that cannot be opened here."""
    return tr("(locked: who may evaluate reads it in the workspace)")


def no_key() -> StateError:
    """The error for who has a locked run without its key."""
    return StateError.tr(
        "The rows of this run are locked because its split was sealed. The workspace that "
        "started it hands over the key: benchseal run resume RUN"
    )


def typed_key(handle: IO[bytes]) -> bytes:
    """The key that a worker is handed over its standard input: one line of hexadecimal digits.

    StateError where there is none.
    """
    line = b"" if handle.isatty() else handle.readline(_MOST_TYPED)
    try:
        key = bytes.fromhex(line.decode("ascii").strip())
    except ValueError as error:
        raise no_key() from error
    if len(key) != KEY_BYTES:
        raise no_key()
    guard_secret(line.decode("ascii").strip())
    return key


def handed_over(key: bytes) -> bytes:
    """What ``typed_key`` reads."""
    return key.hex().encode("ascii") + b"\n"


def keep_in_memory() -> None:
    """From here on nothing of this process and its children lands in a file by the way: no core is
    dumped, and what libraries print goes nowhere, for it may quote what they were given."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
    finally:
        os.close(nowhere)


def _not_ours() -> InputError:
    return InputError.tr("A locked row was changed, or belongs to another run.")
