"""A key that k of n custodians hold together, by Shamir's scheme over the field of 2^521 − 1.

Fewer than k of them know nothing about it: their shares fit every secret equally well (Shamir
1979, How to share a secret, Communications of the ACM 22, 612-613).
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shamirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import InputError, unreadable
from core.files import json_text, read_regular
from core.i18n import tr
from core.redaction import guard_secret
from core.sealing.signing import write_secret

PRIME = 2**521 - 1
SECRET_BYTES = 32
MOST_CUSTODIANS = 99
_FORMAT = "benchseal-share"
_MOST_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class CustodyRule:
    """How many custodians there are, and how many of them it takes."""

    needed: int
    shares: int

    @classmethod
    def parse(cls, text: str) -> "CustodyRule":
        """``2/3``: two of three; InputError for another text."""
        needed, _, shares = text.partition("/")
        if not (needed.isdecimal() and shares.isdecimal()):
            raise InputError(_unusable(text))
        rule = cls(int(needed), int(shares))
        if not 2 <= rule.needed <= rule.shares <= MOST_CUSTODIANS:
            raise InputError(_unusable(text))
        return rule


class Share(BaseModel):
    """One custodian's share, as its file has it; ``root`` names the archive it belongs to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str = Field(default=_FORMAT, pattern=f"^{_FORMAT}$")
    version: int = Field(default=1, ge=1, le=1)
    split: str
    root: str = Field(pattern="^[0-9a-f]{64}$")
    number: int = Field(ge=1, le=MOST_CUSTODIANS)
    needed: int = Field(ge=2, le=MOST_CUSTODIANS)
    shares: int = Field(ge=2, le=MOST_CUSTODIANS)
    value: str = Field(pattern="^[0-9a-f]{132}$")

    @property
    def digest(self) -> str:
        """SHA-256 in hex of number and value: the archive knows it, and it tells nothing."""
        return hashlib.sha256(f"{self.number}:{self.value}".encode()).hexdigest()


def divide_key(split: str, root: str, rule: CustodyRule) -> tuple[str, tuple[Share, ...]]:
    """A new secret (the passphrase that it spells) and the shares of it."""
    secret = secrets.token_bytes(SECRET_BYTES)
    points = shamirs.shares(
        int.from_bytes(secret), quantity=rule.shares, modulus=PRIME, threshold=rule.needed
    )
    shares = tuple(
        Share(split=split, root=root, number=int(point.index), needed=rule.needed,
              shares=rule.shares, value=f"{int(point.value):0132x}")
        for point in points
    )  # fmt: skip
    for share in shares:
        guard_secret(share.value)
    return _spelled(secret), shares


def passphrase_of(shares: Sequence[Share], known: Mapping[str, Any]) -> str:
    """The passphrase that enough shares give.

    ``known`` is what the archive says of its custodians: ``needed``, ``shares`` and ``digests``.
    InputError where there are too few shares, one was changed or belongs to another archive.
    """
    digests = set(known.get("digests", ()))
    for share in shares:
        if share.digest not in digests:
            raise InputError.tr(
                "Share {number} of split “{split}” does not belong to this archive, or was "
                "changed.",
                number=share.number,
                split=share.split,
            )
    needed = int(known["needed"])
    distinct = {share.number: share for share in shares}
    if len(distinct) < needed:
        raise InputError.trn(
            "This archive opens with the share of 1 custodian; given: {given}.",
            "This archive opens with the shares of {n} custodians; given: {given}.",
            needed,
            given=len(distinct),
        )
    passphrase = combined(list(distinct.values())[:needed])
    guard_secret(passphrase)
    return passphrase


def combined(shares: Sequence[Share]) -> str:
    """What some shares give, whether they are enough or not; without any check."""
    points = [shamirs.share(share.number, int(share.value, 16), PRIME) for share in shares]
    value = shamirs.interpolate(points)
    # what does not fit is not a secret of ours: kept to its length, so that it stays a wrong guess
    return _spelled(int(value % 2 ** (8 * SECRET_BYTES)).to_bytes(SECRET_BYTES))


def write_shares(folder: Path, shares: Sequence[Share]) -> tuple[Path, ...]:
    """Write each share into a file of its own that only its owner can read; their paths.

    OSError where that is impossible, FileExistsError for a file that is there.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    paths = []
    for share in shares:
        path = folder / f"{share.split}-share-{share.number}-of-{share.shares}.json"
        write_secret(path, json_text(share.model_dump()).encode())
        paths.append(path)
    return tuple(paths)


def read_share(path: Path) -> Share:
    """The share in a file; InputError for anything else."""
    try:
        share = Share.model_validate_json(read_regular(path, _MOST_BYTES))
    except OSError as error:
        raise unreadable(path, error) from error
    except ValidationError as error:
        raise InputError.tr("“{path}” is not the share of a custodian.", path=path) from error
    guard_secret(share.value)
    return share


def _spelled(secret: bytes) -> str:
    return secret.hex()


def _unusable(text: str) -> str:
    return tr(
        "“{value}” does not say how many custodians it takes; write 2/3 for two of three.",
        value=text,
    )
