"""A freeze in short transactions, for which nobody who decides meanwhile has to wait.

What is to be frozen is read, spelled and written to the disk first. Then some hundred items a
transaction become frozen, each with its events, and the last transaction writes the split, which
nobody sees before. Where it does not come to that, the items are given back: at once by a freeze
that fails, after a kill by a freeze under the same name, which keeps those that it takes, or by who
gives it up. Few items are one transaction.
"""

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import BenchsealError, ConnectionLostError, NotFoundError, StateError
from core.files import make_private_folder
from core.i18n import trn
from core.release import manifest as manifests
from core.release.frozen_items import FrozenItems, FrozenManifest
from core.workflow import short_steps
from core.workflow.lost_connections import carried_through
from core.workflow.rights import Action, writing_as
from core.workflow.short_steps import ShortSteps
from core.workflow.splits.selection import SplitPart
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import items, ledger, splits
from db.benchmarks import BenchmarkRow
from db.engine import Session
from db.evidence import written_rows
from db.items import FreezableRow, ItemRow
from db.queries import exposures
from db.queries.held_items import HeldItem, are_frozen_for, held_items
from db.server import calls
from db.vocabulary import EventKind, ItemState, SplitState

_Step = tuple[FreezableRow, str]
"""An item and the name of the split that it is frozen for."""


def changed() -> StateError:
    """That a freeze finds other items than those that were chosen."""
    return StateError.tr(
        "The items that can be frozen have changed since they were checked. Check them again."
    )


@dataclass(frozen=True, slots=True)
class WrittenSplit:
    """A part of a freeze whose files lie in a ``folder`` that is not yet that of the split."""

    part: SplitPart
    manifest: FrozenManifest
    folder: Path


@contextmanager
def written_parts(
    ws: Workspace, session: Session, benchmark: str, parts: Sequence[SplitPart]
) -> Iterator[list[WrittenSplit]]:
    """The files of all parts, on the disk: when it refuses them, nothing is frozen. What is not
    moved to its place by the end is removed."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    make_private_folder(ws.releases)
    with ExitStack() as kept:
        written = []
        for part in parts:
            contents = splits.present_stored(session, (row.id for row in part.rows))
            frozen = kept.enter_context(closing(FrozenItems(contents, part.name, ws.releases)))
            manifest = kept.enter_context(closing(frozen.seal(part.name, benchmark, created)))
            folder = _aside(ws.releases / part.name)
            kept.callback(shutil.rmtree, folder, ignore_errors=True)
            manifest.write(folder)
            written.append(WrittenSplit(part, manifest, folder))
        yield written


def _aside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.uncommitted-{datetime.now(UTC):%Y%m%d%H%M%S%f}")


def carry_out(
    ws: Workspace,
    person: str,
    benchmark: BenchmarkRow,
    written: Sequence[WrittenSplit],
    held: Mapping[int, HeldItem],
) -> None:
    """Freeze the items of all parts and write their splits; ``held`` are the items that an earlier
    freeze under one of these names left, by number.

    StateError where somebody has changed an item since it was chosen, or written a split of the
    name; then, as after any error, nothing stays frozen.
    """
    names = {one.part.name for one in written}
    left = {row.id for row, name in _steps(written) if row.id in held and held[row.id].name == name}
    give_back(ws, person, [item for item in held.values() if item.id not in left])
    steps = (step for step in _steps(written) if step[0].id not in left)
    few: list[_Step] = []
    try:
        if sum(len(one.part.rows) for one in written) - len(left) > short_steps.FEW:
            _freeze_in_steps(ws, person, steps)
        else:
            few = list(steps)

        def ended(again: bool) -> None:
            with writing_as(ws, person, Action.FREEZE) as (session, actor):
                if again and _are_written(session, written):
                    return
                _freeze_items(session, few, actor.name)
                _write_splits(ws, session, benchmark, written, actor.name)

        carried_through(ended)
    except ConnectionLostError:
        raise  # nothing can be given back now: the next one takes up what stays
    except BaseException:
        with suppress(BenchsealError, OSError):  # what stays is taken up by the next one
            _give_back_all(ws, person, names, [row.id for row, _ in _steps(written)])
        raise


def _steps(written: Sequence[WrittenSplit]) -> Iterator[_Step]:
    return ((row, one.part.name) for one in written for row in one.part.rows)


def _freeze_in_steps(ws: Workspace, person: str, wanted: Iterable[_Step]) -> None:
    pace = ShortSteps()
    for some in pace.parts(wanted):

        def frozen(again: bool, some: Sequence[_Step] = some) -> None:
            with writing_as(ws, person, Action.FREEZE) as (session, actor):
                pace.begin()
                calls.frees_early(session)
                _freeze_items(session, _not_yet(session, some) if again else some, actor.name)
            _paused(ws, session, pace)

        carried_through(frozen)


def _not_yet(session: Session, steps: Sequence[_Step]) -> list[_Step]:
    """Those of some items that a try, of which nobody knows whether it arrived, has not frozen."""
    numbers = [row.id for row, _ in steps]
    items.get_many(session, numbers, lock=True)  # until whoever tried has ended
    arrived = {item.id: item.name for item in held_items(session, among=numbers)}
    return [(row, name) for row, name in steps if arrived.get(row.id) != name]


def _are_written(session: Session, written: Sequence[WrittenSplit]) -> bool:
    """Whether the splits are there that such a try wrote, in one transaction."""
    present = [splits.named(session, one.part.name) for one in written]
    return [row.manifest_hash for row in present if row] == [w.manifest.digest for w in written]


def _paused(ws: Workspace, session: Session, pace: ShortSteps) -> None:
    written = None if ws.is_server else ledger.appended(session)
    pace.end(*((written.first - 1, written.last) if written else ()))


def _freeze_items(session: Session, steps: Sequence[_Step], person: str) -> None:
    frozen = {"state": ItemState.FROZEN, "open_slots": 0}
    approved = {"state": ItemState.APPROVED}
    names = {row.id: name for row, name in steps}
    rows = _locked(session, [row for row, _ in steps])
    if early := [row for row in rows if row.state == ItemState.ACCEPTED]:
        why = {"why": "frozen without an audit"}
        apply(session, EventKind.APPROVED, person, [Move(row, approved, why) for row in early])
    seen = [
        row._replace(state=ItemState.APPROVED) if row.state == ItemState.ACCEPTED else row
        for row in rows
    ]
    moves = [Move(row, frozen, {"split": names[row.id]}) for row in seen]
    if moves:
        apply(session, EventKind.FROZEN, person, moves)


def _locked(session: Session, chosen: Sequence[FreezableRow]) -> list[ItemRow]:
    """Items that nobody else changes from now on; StateError where somebody has since they were
    chosen."""
    wanted = sorted((row.id, row.revision, row.state) for row in chosen)
    rows = items.get_many(session, [number for number, *_ in wanted], lock=True)
    if [(row.id, row.revision, row.state) for row in rows] != wanted:
        raise changed()
    return rows


def _write_splits(
    ws: Workspace,
    session: Session,
    benchmark: BenchmarkRow,
    written: Sequence[WrittenSplit],
    person: str,
) -> None:
    """The rows of the splits, and at last their events: until then nobody waits on a server."""
    records = [_record(one) for one in written]
    numbers = []
    for one, record in zip(written, records, strict=True):
        manifest = one.manifest
        number = splits.add(
            session, benchmark.id, one.part.name, SplitState.FROZEN, record, manifest.digest,
            len(manifest.items),
            ((int(e.uid), e.revision, e.content_hash) for e in manifest.items.entries()),
        )  # fmt: skip
        if not are_frozen_for(session, number, len(manifest.items)):
            raise changed()
        for table in ("split", "split_item"):
            written_rows.read(session, table, [number])
        numbers.append(number)
    for one in written:  # before the commit: when the disk refuses, there is no split
        _move(one.folder, ws.releases / one.part.name)
    for one, record, number in zip(written, records, numbers, strict=True):
        told = {"digest": one.manifest.digest, "items": len(one.manifest.items),
                "benchmark": benchmark.name, "files": one.manifest.files, **record}  # fmt: skip
        event = ledger.NewEvent(EventKind.SPLIT, person, subject=one.part.name, data=told)
        ledger.append(session, event)
        exposures.keep(session, number, one.part.name)


def _record(one: WrittenSplit) -> dict[str, Any]:
    unaudited = sum(row.state == ItemState.ACCEPTED for row in one.part.rows)
    counted = {"counts": one.manifest.items.counts, "unaudited": unaudited}
    return {**counted, "created": one.manifest.created, **one.part.record}


def _move(folder: Path, place: Path) -> None:
    """Give a split its folder; what a freeze left there that was never committed is put aside."""
    if not folder.exists():
        return  # a try that did not arrive has moved it
    if (place / manifests.MANIFEST_FILE).exists():
        place.rename(_aside(place))
    folder.rename(place)


def give_back(ws: Workspace, person: str, held: Sequence[HeldItem]) -> int:
    """Bring held items back to where they were before their freeze, in short transactions, unless
    somebody has done so or has written their split; returns how many."""
    pace, count = ShortSteps(), 0
    for some in pace.parts(held):

        def given_back(_: bool, some: Sequence[HeldItem] = some) -> int:
            with writing_as(ws, person, Action.FREEZE) as (session, actor):
                pace.begin()
                calls.frees_early(session)
                rows = items.get_many(session, [item.id for item in some], lock=True)
                still = {item.id: item for item in held_items(session, among=[r.id for r in rows])}
                took = _take_back(session, [r for r in rows if r.id in still], still, actor.name)
            _paused(ws, session, pace)
            return took

        count += carried_through(given_back)
    return count


def _take_back(
    session: Session, rows: Sequence[ItemRow], held: Mapping[int, HeldItem], person: str
) -> int:
    """One event for each event that is taken back, the newest first, as ``undo`` writes them."""
    kinds = (EventKind.FROZEN, EventKind.APPROVED)
    standing = list(rows)
    for place, kind in enumerate(kinds):
        moves = [
            Move(row, held[row.id].steps[place][1],
                 {"undone": held[row.id].steps[place][0], "verdict": "", "kind": kind})
            for row in standing if len(held[row.id].steps) > place
        ]  # fmt: skip
        if moves:
            apply(session, EventKind.UNDONE, person, moves)
        standing = [move.item._replace(**move.values) for move in moves]
    return len(rows)


def _give_back_all(
    ws: Workspace, person: str, names: Collection[str], numbers: Sequence[int]
) -> None:
    with ws.reading() as session:
        left = held_items(session, among=numbers)
    give_back(ws, person, [item for item in left if item.name in names])


def held_in(session: Session, benchmark_id: int, names: Collection[str]) -> dict[int, HeldItem]:
    """The items of a benchmark that freezes under some names have taken and not come to the end
    of, by number."""
    return {item.id: item for item in held_items(session, benchmark_id) if item.name in names}


def unfinished_freezes(ws: Workspace) -> tuple[str, ...]:
    """What is to be said of freezes that have not come to their end."""
    with ws.reading() as session:
        return unfinished_in(session)


def unfinished_in(session: Session, benchmark_id: int | None = None) -> tuple[str, ...]:
    """As ``unfinished_freezes``, of a benchmark or of all, within a session."""
    counts = Counter(item.name for item in held_items(session, benchmark_id))
    return tuple(
        trn(
            "Freezing “{name}” is not finished: it holds 1 item. If it is no longer running, "
            "freeze under this name again to finish it, or give it up with --give-up.",
            "Freezing “{name}” is not finished: it holds {n} items. If it is no longer running, "
            "freeze under this name again to finish it, or give it up with --give-up.",
            count,
            name=name,
        )
        for name, count in sorted(counts.items())
    )


def give_up(ws: Workspace, person: str, name: str) -> int:
    """Bring back what a freeze under a name has taken that has not come to its end; returns how
    many items. One that is running fails. NotFoundError where there is none."""
    with ws.reading() as session:
        left = [item for item in held_items(session) if item.name == name]
    if not left:
        raise NotFoundError.tr("No freeze of “{name}” is unfinished.", name=name)
    return give_back(ws, person, left)
