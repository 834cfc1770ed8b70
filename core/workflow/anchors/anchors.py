"""Anchors of the ledger: which event was the newest at some moment, signed by who saw it.

Whoever owns the database can write a whole new chain that fits together. An anchor that somebody
keeps elsewhere shows it: the hash of its event binds all events before. It is a JSON object signed
with Ed25519 by a key of the person's own, which is made with the first anchor and stays in their
folder. A lead's anchor also holds the beginning of the hash of each event since their last one, so
that the very first event which was rewritten can be named; who reads no others' events has heads
alone.
"""

import base64
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from platformdirs import user_data_path

from core.errors import OutsideError, StateError, WorkspaceError
from core.files import (
    canonical_json,
    digest,
    json_text,
    make_durable_folder,
    make_private_folder,
    read_regular,
    write_atomic,
)
from core.i18n import printed_day, tr
from core.sealing import time_stamps
from core.sealing.signing import is_signed, signer_at
from core.sealing.spelled_bytes import hex_bytes
from core.settings import settings
from core.workflow.rights import Action, at_work, is_allowed
from core.workflow.workspace import Workspace, without_login
from db import ledger
from db.engine import one_state

VERSION = 1
LONGEST_TRAIL = 20_000
_PART = 16  # hexadecimal digits of each hash in a trail


@dataclass(frozen=True, slots=True)
class Anchor:
    """``event`` and its ``hash`` and time are those of the newest event when it was made.
    ``trail`` has the first digits of the hashes of the events after ``after`` up to it, or nothing.
    ``workspace`` is the address without a login; ``public_key`` and ``signature`` are
    hexadecimal, the signature over the canonical JSON of all other fields but ``stamp``: the answer
    of an RFC 3161 server to all of them, in base64, empty where none was asked."""

    anchor: int
    workspace: str
    event: int
    hash: str
    at: str
    person: str
    made_at: str
    after: int
    trail: tuple[str, ...]
    public_key: str = ""
    signature: str = ""
    stamp: str = ""

    def stamped_part(self) -> bytes:
        """What the time stamp is over."""
        return self.signed_part() + bytes.fromhex(self.signature)

    def signed_part(self) -> bytes:
        """What the signature is over."""
        document = asdict(self)
        del document["signature"], document["stamp"]
        return canonical_json({**document, "trail": list(self.trail)}).encode()

    def is_signed(self) -> bool:
        """Whether the signature is that of its key over just these fields."""
        public, signature = hex_bytes(self.public_key), hex_bytes(self.signature)
        if public is None or signature is None:
            return False
        try:
            key = Ed25519PublicKey.from_public_bytes(public)
            return is_signed(key, signature, self.signed_part())
        except ValueError:
            return False


_FIELDS = {field.name: field.type for field in fields(Anchor)}


def own_folder(ws: Workspace) -> Path:
    """The person's own folder of anchors of a workspace."""
    return _home() / digest(_address(ws))[:16]


def make(ws: Workspace, person: str = "", to: Path | None = None) -> tuple[Anchor, Path]:
    """Anchor the ledger as it is now; returns the anchor and its file in the person's own folder.

    It also goes to ``to``, else to the place of the setting ``anchor_to``: a folder (in a git
    repository it is committed there), or a file, which gets one line more. Raises StateError for an
    empty ledger, WorkspaceError where the ledger is not the one of the person's newest anchor,
    OutsideError where a place cannot be written, or the anchor was kept without the time stamp that
    the setting ``anchor_stamp`` asks for.
    """
    with ws.reading() as session:
        one_state(session)
        actor = at_work(session, person)
        head = ledger.head(session)
        last = max(_read(own_folder(ws)), key=lambda one: one.event, default=None)
        after = max(last.event if last else 0, head.id - LONGEST_TRAIL)
        reads_all = not ws.has_logins or is_allowed(actor.role, Action.VERIFY)
        trail = tuple(
            one[:_PART] for one in (ledger.hashes(session, after, head.id) if reads_all else ())
        )
    ws.settle()
    if not head.id:
        raise StateError.tr("The ledger has no event yet.")
    path = own_folder(ws) / f"{head.id:09d}.json"
    if last is not None and last.event >= head.id:
        _refuse_rewritten(last, head)
        anchor = last
    else:
        anchor = _signed(Anchor(
            VERSION, _address(ws), head.id, head.hash, head.at, actor.name,
            datetime.now(UTC).isoformat(timespec="seconds"), after if trail else head.id, trail,
        ))  # fmt: skip
    place = also_to(to)
    try:
        anchor = _stamped(anchor)
    except OutsideError:
        _write(anchor, path, place)  # better without a stamp than not at all
        raise
    _write(anchor, path, place)
    return anchor, path


def also_to(to: Path | None) -> Path | None:
    """Where anchors go beside the person's own folder: to ``to``, else where the setting says."""
    usual = settings().anchor_to
    return to or (Path(usual).expanduser() if usual else None)


def _stamped(anchor: Anchor) -> Anchor:
    """With the stamp of the server of the settings, where there is one; OutsideError where it does
    not stamp."""
    server = settings().anchor_stamp
    if not server or anchor.stamp:
        return anchor
    stamp = time_stamps.stamp(anchor.stamped_part(), server)
    return replace(anchor, stamp=base64.b64encode(stamp).decode())


def _refuse_rewritten(last: Anchor, head: ledger.Head) -> None:
    if last.event > head.id:
        raise WorkspaceError.tr(
            "The ledger ends at event {number}, but your anchor of {day} is for event "
            "{event}: events were removed.", number=head.id,
            day=printed_day(last.made_at), event=last.event
        )  # fmt: skip
    if last.hash != head.hash:
        raise WorkspaceError.tr(
            "Event {number} is not the one that you anchored on {day}: the ledger was "
            "rewritten. A lead can look: benchseal verify --anchors FILE",
            number=head.id, day=printed_day(last.made_at)
        )  # fmt: skip


def _write(anchor: Anchor, path: Path, place: Path | None) -> None:
    try:
        make_private_folder(path.parent)
        if not path.exists() or anchor.stamp:
            write_atomic(path, json_text(_as_json(anchor)), durable=True)
        if place is not None:
            _send(anchor, place)
    except OSError as error:
        raise OutsideError.tr(
            "The anchor could not be written to “{path}”: {reason}.",
            path=error.filename or path, reason=error.strerror or str(error)
        ) from error  # fmt: skip


def known_anchors(ws: Workspace, *places: Path) -> tuple[Anchor, ...]:
    """The anchors of a workspace in the person's own folder and in the place of the setting, and
    all that are in ``places``, of whatever workspace; what is not readable as one is left out."""
    chosen = settings().anchor_to
    usual = [own_folder(ws), *([Path(chosen).expanduser()] if chosen else [])]
    own = [one for place in usual for one in _read(place) if one.workspace == _address(ws)]
    return tuple(dict.fromkeys([*own, *(one for place in places for one in _read(place))]))


def _address(ws: Workspace) -> str:
    return without_login(ws.address) if ws.is_server else str(Path(ws.address).resolve())


def _home() -> Path:
    return user_data_path("benchseal") / "anchors"


def _signed(anchor: Anchor) -> Anchor:
    """Signed with the person's own key, which is made when there is none."""
    signer = signer_at(_home() / "key.pem")
    public = replace(anchor, public_key=signer.public_bytes.hex())
    return replace(public, signature=signer.sign(public.signed_part()).hex())


def _as_json(anchor: Anchor) -> dict[str, Any]:
    document = {**asdict(anchor), "trail": list(anchor.trail)}
    if not anchor.stamp:
        del document["stamp"]
    return document


def _read(place: Path) -> Iterator[Anchor]:
    """The anchors in a file, one a line or one in all, or in the files of a folder."""
    paths = sorted(place.glob("*.json")) if place.is_dir() else [place]
    for path in paths:
        try:
            text = read_regular(path).decode()
        except (OSError, UnicodeDecodeError):
            continue
        whole = _anchor(text)
        yield from [whole] if whole else filter(None, map(_anchor, text.splitlines()))


def _anchor(text: str) -> Anchor | None:
    try:
        document = json.loads(text)
    except ValueError:
        return None
    if not isinstance(document, Mapping) or {*document, "stamp"} != _FIELDS.keys():
        return None
    trail = document["trail"]
    texts = isinstance(trail, list) and all(isinstance(one, str) for one in trail)
    numbers = all(type(document[name]) is int for name in ("anchor", "event", "after"))
    others = [value for name, value in document.items() if _FIELDS[name] is str]
    if not (texts and numbers and all(isinstance(one, str) for one in others)):
        return None
    return Anchor(**{**document, "trail": tuple(trail)})


def _send(anchor: Anchor, place: Path) -> None:
    """Write an anchor to a folder, and commit it where that is in a git repository, or add it to a
    file."""
    line = canonical_json(_as_json(anchor))
    if not place.is_dir():
        make_durable_folder(place.parent)
        with place.open("a", encoding="utf-8") as handle:
            handle.write(f"{line}\n")
            handle.flush()
            os.fsync(handle.fileno())
        return
    name = f"anchor-{digest(anchor.workspace)[:8]}-{anchor.event:09d}-{anchor.public_key[:8]}.json"
    write_atomic(place / name, json_text(_as_json(anchor)), durable=True, for_others=True)
    if _git(place, "rev-parse", "--is-inside-work-tree") is None:
        return
    words = ("commit", "--quiet", "-m", f"Anchor of event {anchor.event}", "--", name)
    for step in (("add", "--", name), words):
        if (said := _git(place, *step)) is None and not _is_committed(place, name):
            raise OutsideError.tr(
                "git could not commit the anchor in “{path}”: {reason}", path=place,
                reason=said or tr("see git status there")
            )  # fmt: skip


def _is_committed(place: Path, name: str) -> bool:
    return _git(place, "status", "--porcelain", "--", name) == ""


def _git(place: Path, *words: str) -> str | None:
    """What git says; None where it fails or is not there."""
    command = ["git", "-C", str(place), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
