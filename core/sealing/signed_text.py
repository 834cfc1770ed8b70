"""A signed file: one line of canonical JSON with a body, the signer's key and a signature of it."""

from collections.abc import Mapping
from typing import Any

from core.bounded_json import parse_json
from core.files import canonical_bytes, canonical_json
from core.i18n import tr
from core.release.manifest import Difference
from core.sealing.signing import Signer, is_signed, key_id, public_key_of
from core.sealing.spelled_bytes import hex_bytes

CHANGED = "record_changed"


def signed_text(body: Mapping[str, Any], signer: Signer) -> str:
    """The text of the file: ``body`` with its Ed25519 signature."""
    signature = signer.sign(canonical_bytes(dict(body)))
    return canonical_json({
        "body": dict(body), "signer": signer.public_pem.decode(), "signature": signature.hex(),
    }) + "\n"  # fmt: skip


def read_signed(content: bytes, kind: str) -> tuple[dict[str, Any], str, tuple[Difference, ...]]:
    """(body, key id, what does not fit) of a file; the body is empty where it is not to be trusted.

    ``kind`` says what such a file is, for who is told that this one is none.
    """
    document = _object(content)
    body, pem = document.get("body"), document.get("signer")
    if not isinstance(body, dict) or not isinstance(pem, str):
        return {}, "", (_wrong(tr("the file"), kind),)
    key = public_key_of(pem.encode("utf-8", "replace"))
    if key is None:
        return {}, "", (_wrong("signer", tr("it is not the public key of a signer")),)
    own = key_id(key)
    if not _is_as_written(document, content):
        return {}, own, (_wrong(tr("the file"), tr("it is not as Benchseal writes it")),)
    signature = hex_bytes(document.get("signature"))
    if signature is None or not is_signed(key, signature, canonical_bytes(body)):
        detail = tr("the signature does not match what the record says")
        return {}, own, (_wrong("signature", detail),)
    return body, own, ()


def _is_as_written(document: Mapping[str, Any], content: bytes) -> bool:
    if document.keys() != {"body", "signer", "signature"}:  # no signature is over another field
        return False
    try:
        return canonical_bytes(dict(document)) + b"\n" == content
    except ValueError:  # half a character, which nothing can write
        return False


def _object(content: bytes) -> dict[str, Any]:
    try:
        value = parse_json(content, as_written=True)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _wrong(subject: str, detail: str) -> Difference:
    return Difference(CHANGED, subject, detail)
