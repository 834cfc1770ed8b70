"""Items of a locked archive that were found wrong since: a signed file beside it.

The archive stays as it was sealed. This file names items by their place in it and by their salted
hash there, each with the reason, and is signed by the key that signed the archive, so that who has
both can tell scores with and without these items and see no item.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.i18n import tr
from core.release.manifest import Difference
from core.sealing.signed_text import CHANGED, read_signed, signed_text
from core.sealing.signing import Signer

FORMAT, VERSION = "benchseal-errata", 1


@dataclass(frozen=True, slots=True)
class SealedErratum:
    """One item: its place in the split from 0, its salted hash (hexadecimal), why, and since when
    (an ISO time, UTC)."""

    place: int
    hash: str
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class ErrataCheck:
    """What a file of errata says, and everything that does not fit the archive."""

    errata: tuple[SealedErratum, ...]
    differences: tuple[Difference, ...]


def errata_text(
    manifest: Mapping[str, Any], errata: Sequence[SealedErratum], event: int, signer: Signer
) -> str:
    """The text of the file for an archive with that ``manifest``, as of an event of the ledger."""
    body = {
        "format": FORMAT, "version": VERSION, "event": event, "split": manifest["split"],
        "split_digest": manifest["split_digest"], "root": manifest["root"],
        "items": manifest["items"],
        "errata": [
            {"place": one.place, "hash": one.hash, "reason": one.reason, "at": one.at}
            for one in sorted(errata, key=lambda one: one.place)
        ],
    }  # fmt: skip
    return signed_text(body, signer)


def check_errata(
    content: bytes,
    manifest: Mapping[str, Any],
    archive_key: str,
    hash_at: Callable[[int], str],
) -> ErrataCheck:
    """Compare a file of errata with an archive: its manifest, who signed it, and the hash that it
    has at a place (empty where it has none)."""
    body, key, problems = read_signed(content, tr("it is not an errata file"))
    if problems:
        return ErrataCheck((), problems)
    if body.get("format") != FORMAT:
        return ErrataCheck((), (_wrong(tr("it is not an errata file")),))
    if key != archive_key:
        return ErrataCheck((), (_wrong(tr("another key than that of the archive signed it")),))
    for name in ("split_digest", "root", "items"):
        if body.get(name) != manifest.get(name):
            return ErrataCheck((), (_wrong(tr("it is about another archive")),))
    try:
        errata = tuple(
            SealedErratum(int(row["place"]), str(row["hash"]), str(row["reason"]), str(row["at"]))
            for row in body["errata"]
        )
    except (KeyError, TypeError, ValueError):
        return ErrataCheck((), (_wrong(tr("it is not an errata file")),))
    foreign = [one for one in errata if hash_at(one.place) != one.hash]
    return ErrataCheck(
        errata,
        tuple(_wrong(tr("item {place} is not in the archive", place=one.place)) for one in foreign),
    )


def _wrong(detail: str) -> Difference:
    return Difference(CHANGED, tr("errata"), detail)
