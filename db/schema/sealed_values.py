"""Values of rows that are sealed: texts of private items, encrypted where they lie.

A sealed value is ``benchseal-sealed:<id of the key>:<base64>``, as a text or as the one field
``sealed`` of a JSON object; beside it an object may keep fields that figures need without the key.
AES-256-GCM with a random nonce of 96 bits (NIST SP 800-38D); the kind of value is bound in. Types
of columns open what they read where this process has the key, and else give a ``LockedValue``,
which refuses to be read, or ``HIDDEN`` for a text. What was changed since it was sealed opens under
no key: it is a ``LockedValue`` that says so, or ``FORGED``.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Final, NoReturn, cast

from db.errors import StoreError
from db.schema.json_text import read_json, write_json

KEY_BYTES: Final = 32
FIELD: Final = "sealed"
HIDDEN: Final = "🔒"
"""What stands for a sealed text whose key is not here."""
FORGED: Final = "⚠"
"""What stands for a sealed text that its key does not open: it was changed."""

_MARK = "benchseal-sealed:"
SEALED_PAYLOADS: Final = f'{{"{FIELD}":%"{_MARK}%'
"""What the JSON texts of sealed payloads are like, as SQL asks."""
_BEGIN, _END = f'{{"{FIELD}":"{_MARK}', '"}'
_FORM = re.compile(_MARK + r"([0-9a-f]{16}):([A-Za-z0-9+/]+={0,2})")
_LETTERS = len(_MARK) + 17  # where the base64 of a sealed value begins
_NONCE_BYTES = 12
_TEXT, _JSON = b"benchseal text", b"benchseal json"
_STAND_IN = b"benchseal stand-in"
_CIPHERS: dict[str, Any] = {}
_AS_STORED: ContextVar[bool] = ContextVar("as_stored", default=False)


def _no_key(_name: str) -> bytes | None:
    return None


def _locked(name: str, is_forged: bool) -> Exception:
    return StoreError("damaged" if is_forged else "sealed", "", name)


class _ForgedError(Exception):
    """A sealed value was changed."""


Refusal = Callable[[str, bool], Exception]
"""What is raised where a value is read that cannot be: by the id of its key, and whether that is
here and does not open it."""
_find: list[Callable[[str], bytes | None]] = [_no_key]
_refusal: list[Refusal] = [_locked]


def use_keys(find: Callable[[str], bytes | None], refusal: Refusal) -> None:
    """Say where keys are looked up by their ids, and what is raised where a value stays closed."""
    _find[0], _refusal[0] = find, refusal


def forget_keys() -> None:
    """Forget every key that was looked up: the next value asks again."""
    _CIPHERS.clear()


def new_key() -> bytes:
    """A new key."""
    return secrets.token_bytes(KEY_BYTES)


def key_name(key: bytes) -> str:
    """The id of a key: 16 hexadecimal digits, which tell nothing of it."""
    return hashlib.sha256(b"benchseal key of items" + key).hexdigest()[:16]


@contextmanager
def as_stored() -> Iterator[None]:
    """Within, values are read as they are stored, sealed or not, whoever has the key."""
    token = _AS_STORED.set(True)
    try:
        yield
    finally:
        _AS_STORED.reset(token)


class Sealer:
    """Seals values under one key."""

    def __init__(self, key: bytes) -> None:
        self.name = key_name(key)
        self._cipher = _cipher_of(key)
        self._key = key

    def text(self, value: str) -> str:
        """A text as it is stored; one that is empty or sealed under this key stays as it is."""
        if not value or key_of_text(value) == self.name:
            return value
        return self._sealed(value.encode("utf-8", "surrogatepass"), _TEXT)

    def document(self, value: Any, keep: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A JSON value as it is stored, with the fields that stay in the clear."""
        content = json.dumps(value, separators=(",", ":")).encode()  # half characters are escaped
        return {**(keep or {}), FIELD: self._sealed(content, _JSON)}

    def stored_document(self, stored: str, keep: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """As ``document``, of the JSON text that a database holds, to the byte."""
        return {**(keep or {}), FIELD: self._sealed(stored.encode(), _JSON)}

    def stored_json(self, stored: str, keep: Mapping[str, Any] | None = None) -> str:
        """As ``stored_document``, as the JSON text that a database is given."""
        if keep:
            return write_json(self.stored_document(stored, keep))
        return f'{{"{FIELD}":"{self._sealed(stored.encode(), _JSON)}"}}'

    def stand_in(self, value: str) -> str:
        """What stands for a text in the clear: the same for the same one, 32 hexadecimal digits
        that nobody tells anything of without the key."""
        return hmac.digest(self._key, _STAND_IN + value.encode(), "sha256").hex()[:32]

    def _sealed(self, content: bytes, kind: bytes) -> str:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        letters = base64.b64encode(nonce + self._cipher.encrypt(nonce, content, kind))
        return f"{_MARK}{self.name}:{letters.decode('ascii')}"


def _cipher_of(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def is_sealed_text(value: object) -> bool:
    """Whether a stored text is sealed."""
    return isinstance(value, str) and value.startswith(_MARK) and bool(_FORM.fullmatch(value))


def is_marked(stored: str) -> bool:
    """Whether a stored text, or the JSON text of a document, may be or hold a sealed value."""
    return _MARK in stored


def key_of_text(value: object) -> str:
    """The id of the key under which a stored text is sealed, or seems to be; empty for plain."""
    return _name_in(value) if isinstance(value, str) and is_sealed_text(value) else ""


def key_of_document(value: object) -> str:
    """As ``key_of_text``, of a stored JSON value."""
    return key_of_text(value.get(FIELD)) if isinstance(value, Mapping) else ""


def is_sealed(value: object) -> bool:
    """Whether a stored JSON value is sealed."""
    return isinstance(value, Mapping) and FIELD in value and is_sealed_text(value[FIELD])


def opened_text(value: str) -> str:
    """A stored text as it was written; ``HIDDEN`` without its key, ``FORGED`` where it was
    changed."""
    if not value.startswith(_MARK) or _AS_STORED.get():
        return value
    try:
        content = _opened(value, _TEXT)
    except _ForgedError:
        return FORGED if is_sealed_text(value) else value
    if content is None:
        return HIDDEN if is_sealed_text(value) else value
    return content.decode("utf-8", "surrogatepass")


def stored_text(sealed: str, *, is_json: bool) -> str | None:
    """What a sealed value says, to the byte; None without its key, or where it was changed."""
    try:
        content = _opened(sealed, _JSON if is_json else _TEXT)
    except _ForgedError:
        return None
    return None if content is None else content.decode("utf-8", "surrogatepass")


def opened_document(value: Any) -> Any:
    """A stored JSON value as it was written; without its key, or where it was changed, the fields
    that stayed in the clear, or a ``LockedValue`` where there are none."""
    if type(value) is not dict or FIELD not in value or _AS_STORED.get():
        return value
    sealed = value[FIELD]
    if not isinstance(sealed, str) or not sealed.startswith(_MARK):
        return value
    is_forged = False
    try:
        content = _opened(sealed, _JSON)
    except _ForgedError:
        content, is_forged = None, True
    if content is not None:  # and so it had the form of a sealed text
        return read_json(content.decode())
    if not is_sealed(value):
        return value
    clear = {name: part for name, part in value.items() if name != FIELD}
    return clear or LockedValue(_name_in(value[FIELD]), is_forged)


def opened_letters(stored: str) -> str | None:
    """What the JSON text of a sealed document without fields in the clear says, as the text that
    was sealed; None for any other one, and where it cannot be opened here."""
    if not (stored.startswith(_BEGIN) and stored.endswith(_END)) or _AS_STORED.get():
        return None
    return stored_text(stored[len(_BEGIN) - len(_MARK) : -len(_END)], is_json=True)


def opened_json(stored: Any) -> Any:
    """As ``opened_document``, of the JSON text that a database holds, or of what it has read."""
    return opened_document(read_json(stored) if isinstance(stored, str) else stored)


def is_locked(value: object) -> bool:
    """Whether a value that was read is sealed and cannot be opened here."""
    return isinstance(value, LockedValue)


def has_key(name: str) -> bool:
    """Whether the key of that id is here."""
    return _cipher(name) is not None


def _name_in(sealed: str) -> str:
    return sealed[len(_MARK) : len(_MARK) + 16]


def _cipher(name: str) -> Any:
    if name not in _CIPHERS:
        key = _find[0](name)
        if key is None or key_name(key) != name:
            return None
        _CIPHERS[name] = _cipher_of(key)
    return _CIPHERS[name]


def _opened(sealed: str, kind: bytes) -> bytes | None:
    """What a sealed value says; None without its key, _ForgedError where it was changed."""
    cipher = _cipher(_name_in(sealed))
    if cipher is None:
        return None
    if sealed[_LETTERS - 1 : _LETTERS] != ":":
        raise _ForgedError
    try:
        content = _bytes_of(sealed[_LETTERS:])
        return cast(bytes, cipher.decrypt(content[:_NONCE_BYTES], content[_NONCE_BYTES:], kind))
    except _not_ours() as error:
        raise _ForgedError from error


def _bytes_of(letters: str) -> bytes:
    """The bytes that Base64 spells; ValueError for any spelling but the one that is written."""
    content = binascii.a2b_base64(letters, strict_mode=True)
    # bits of the last letter that say nothing could be changed, and nobody would see it
    if (rest := len(content) % 3) and base64.b64encode(content[-rest:]).decode() != letters[-4:]:
        raise ValueError(len(letters))
    return content


@cache
def _not_ours() -> tuple[type[Exception], ...]:
    """What is raised for a value that was changed."""
    from cryptography.exceptions import InvalidTag

    return InvalidTag, ValueError, binascii.Error


class LockedValue(Mapping[str, Any]):
    """A sealed payload that cannot be opened here: whoever reads it is refused."""

    def __init__(self, key: str, is_forged: bool = False) -> None:
        self.key = key
        """The id of the key that opens it."""
        self.is_forged = is_forged
        """Whether the key is here, and does not open it."""

    def _refuse(self) -> NoReturn:
        raise _refusal[0](self.key, self.is_forged)

    def __getitem__(self, _name: str) -> Any:
        self._refuse()

    def __iter__(self) -> Iterator[str]:
        self._refuse()

    def __len__(self) -> int:
        raise _refusal[0](self.key, self.is_forged)

    def __contains__(self, _name: object) -> bool:
        self._refuse()
