"""What was done with a split in other copies of its workspace, as far as it is known here.

A copy of a personal workspace from before an opening was used does not know of the use. So each act
with a split that was sealed is noted in the person's own data folder, under the hash of the event
that froze the split, which all copies share wherever they lie; and run folders and receipts in the
workspace's folder may tell of what the ledger beside them does not. Who copies a computer as a
whole, or works on two, is not found out by it.
"""

import fcntl
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from core.errors import BenchsealError
from core.files import make_private_folder, read_regular
from core.json_lines import json_line
from core.workflow.splits import split_states
from core.workflow.workspace import Workspace
from db import ledger, runs
from db.engine import Session
from db.evidence.openings import ASKING
from db.ledger import LedgerEvent
from db.splits import SplitRow
from db.vocabulary import EventKind, SplitState

log = logging.getLogger(__name__)

EVALUATION, TRIAL = "evaluation", "trial"
_KINDS = (EventKind.SPLIT, EventKind.RUN, EventKind.READING)


@dataclass(frozen=True, slots=True)
class ActElsewhere:
    """``act`` is the state that a step led to, ``EVALUATION`` or ``TRIAL``, of ``model``, which is
    empty where it is not known; ``policy`` is that of a sealing, ``run`` the id of an evaluation.
    ``hash`` is its event's, empty for one that files tell of; ``place`` is where it was done, or
    the file that tells of it."""

    act: str
    model: str
    person: str
    at: str
    place: str
    policy: str = ""
    run: str = ""
    hash: str = ""


_FIELDS = {field.name for field in fields(ActElsewhere)}


def keep(ws: Workspace, name: str) -> None:
    """Note in the person's own folder what was done with a split that was sealed."""
    with ws.reading() as session:
        split = split_states.split_in(session, name)
        path = _path(session, name)
        acts = list(_acts_in(ws, session, split))
    if path is None or not any(act.act == SplitState.SEALED for act in acts):
        return
    noted = {act.hash for act in _noted(path)}
    lines = b"".join(json_line(asdict(act)) for act in acts if act.hash not in noted)
    if not lines:
        return
    try:
        make_private_folder(path.parent)
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        with os.fdopen(number, "wb") as handle:
            handle.write(b"\n" + lines)  # behind a line that a power cut may have left
            handle.flush()
            os.fsync(number)
    except OSError as error:
        log.info("what was done with split %s was not noted: %s", name, error)


@contextmanager
def one_at_a_time(ws: Workspace, name: str) -> Iterator[None]:
    """While it lasts no other copy on this computer uses the split: of two in the same instant the
    second sees what the first did. It begins before the transaction that looks for acts elsewhere
    and ends when the act is noted. Of a split that was never sealed nothing is held."""
    with ws.reading() as session:
        path = _path(session, name)
    try:
        number = os.open(path, os.O_RDWR | os.O_NOFOLLOW) if path else -1
    except OSError:  # nothing is noted, or nothing can be
        number = -1
    try:
        if number >= 0:
            fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        if number >= 0:
            os.close(number)


def acts_elsewhere(ws: Workspace, session: Session, name: str) -> tuple[ActElsewhere, ...]:
    """The acts with a split that are known here and of which the ledger does not tell."""
    split = split_states.split_in(session, name)
    path = _path(session, name)
    here = {event.hash for event in ledger.events_about(session, _KINDS, name)}
    noted = tuple(act for act in _noted(path) if act.hash not in here) if path else ()
    return noted + _left_in_folder(ws, session, split, noted)


def _path(session: Session, name: str) -> Path | None:
    """Where the acts with a split are noted; None for one whose freezing no event tells."""
    events = ledger.of_subject(session, EventKind.SPLIT, name)
    frozen = [one for one in events if split_states.state_after(one) == SplitState.FROZEN]
    if not frozen:
        return None
    return user_data_path("benchseal") / "sealed" / f"{frozen[-1].hash[:32]}.jsonl"


def _acts_in(ws: Workspace, session: Session, split: SplitRow) -> Iterator[ActElsewhere]:
    """The acts with a split of which the ledger tells, oldest first."""
    models = {row.id: _model(row.params) for row in _asking(session, split)}
    for event in ledger.events_about(session, _KINDS, split.name):
        if found := _act_of(event, split.name, models):
            act, model = found
            yield ActElsewhere(
                act, model, event.actor, event.at, ws.address,
                str(event.data.get("policy", "")) if act == SplitState.SEALED else "",
                event.subject if act == EVALUATION else "", event.hash,
            )  # fmt: skip


def _act_of(event: LedgerEvent, split: str, models: dict[str, str]) -> tuple[str, str] | None:
    data = event.data
    if event.kind == EventKind.SPLIT and event.subject == split:
        state = split_states.state_after(event)
        return (state, str(data.get("model", ""))) if state else None
    if event.kind == EventKind.RUN and event.subject in models and "kind" in data:
        return EVALUATION, models[event.subject]
    if event.kind == EventKind.READING and data.get("act") == TRIAL:
        return TRIAL, str(data.get("for", ""))
    return None


def _asking(session: Session, split: SplitRow) -> list[runs.RunRow]:
    rows = runs.all_runs(session)
    return [row for row in rows if row.kind in ASKING and row.split_id == split.id]


def _model(params: Any) -> str:
    return str(params.get("model") or params.get("engine") or "")


def _noted(path: Path) -> list[ActElsewhere]:
    try:
        lines = read_regular(path).decode().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [act for line in lines if (act := _note(line)) is not None]


def _note(line: str) -> ActElsewhere | None:
    try:
        document = json.loads(line)
    except ValueError:
        return None  # the power was cut while it was written
    if not isinstance(document, dict) or document.keys() != _FIELDS:
        return None
    texts = all(isinstance(value, str) for value in document.values())
    return ActElsewhere(**document) if texts else None


def _left_in_folder(
    ws: Workspace, session: Session, split: SplitRow, noted: tuple[ActElsewhere, ...]
) -> tuple[ActElsewhere, ...]:
    """The evaluations of which run folders of the workspace, or else its receipts, tell alone."""
    told = {row.id for row in runs.all_runs(session)} | {act.run for act in noted}
    paths = sorted(ws.runs.iterdir()) if ws.runs.is_dir() else ()
    found = [act for path in paths if path.name not in told and (act := _run_in(path, split))]
    known = len(_asking(session, split)) + len(found) + sum(act.act == EVALUATION for act in noted)
    return (*found, *_counted_by_receipts(ws, split, known))


def _run_in(path: Path, split: SplitRow) -> ActElsewhere | None:
    """The evaluation of a split in a run folder, if it was ever started."""
    from core.jobs.folder import RunFolder  # a command that reads starts without pydantic
    from core.jobs.launch_record import read_launch

    try:
        spec = RunFolder(path).spec()
        is_started = read_launch(path) is not None
    except (BenchsealError, OSError):
        return None
    is_of = (spec.kind in ASKING and spec.origin.get("split") == split.name
             and spec.params.get("split_digest") == split.manifest_hash)  # fmt: skip
    if not is_of or not is_started:
        return None
    return ActElsewhere(EVALUATION, _model(spec.params), "", spec.created, str(path), run=spec.id)


def _counted_by_receipts(ws: Workspace, split: SplitRow, known: int) -> Iterator[ActElsewhere]:
    """An evaluation of a model that is not known, where a receipt counts more than are known."""
    from core.bounded_json import parse_json

    for path in sorted(ws.receipts.glob("*.json")) if ws.receipts.is_dir() else ():
        try:
            document = parse_json(read_regular(path))
        except (OSError, ValueError):
            continue
        if not isinstance(document, dict) or document.get("split") != split.name:
            continue
        count, at = document.get("evaluations"), document.get("as_of")
        is_of = document.get("manifest_hash") == split.manifest_hash
        if is_of and isinstance(count, int) and isinstance(at, str) and count > known:
            yield ActElsewhere(EVALUATION, "", "", at, str(path))
            return
