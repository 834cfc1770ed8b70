"""Freezing approved items as a split, and checking that it never changed."""

import math
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.audit.sampling import draw
from core.errors import BenchsealError, InputError, StateError
from core.families.base import ItemContent
from core.families.instruction_payload import VARIANT
from core.files import make_private_folder
from core.gc_pause import few_collections
from core.i18n import tr, trn
from core.release import manifest as manifests
from core.release.frozen_items import FrozenItems, FrozenManifest
from core.release.manifest import Difference, SplitItem
from core.workflow.names import refuse_alike
from core.workflow.people import benchmark_in
from core.workflow.protocols import settings_of
from core.workflow.rights import Action, writing_as
from core.workflow.splits import split_states
from core.workflow.splits.halves import public_items
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger, splits
from db.benchmarks import BenchmarkRow
from db.engine import Session
from db.items import ItemRow
from db.splits import MemberContent, SplitRow
from db.vocabulary import EventKind, ItemState, SplitState

_AT_ONCE = 5000  # items
_ROUNDING = 1e-9  # a share of 0.55 of 100 items is 55.00000000000001 in floating point


@dataclass(frozen=True, slots=True)
class SplitInfo:
    """A split: its state, size, the short hash people compare, and when it was frozen.

    ``unaudited`` counts items that were accepted in review but never went through an audit.
    """

    name: str
    benchmark: str
    state: str
    size: int
    manifest_hash: str
    unaudited: int
    at: str
    folder: str


@dataclass(frozen=True, slots=True)
class ReadyTask:
    """How many items of a task ``freeze`` would take now, and how many of them no audit saw.

    Instruction variants are not counted: they come with their task.
    """

    name: str
    items: int
    unaudited: int


@dataclass(frozen=True, slots=True)
class FreezePreview:
    """What ``freeze`` would take now: all ``items``, those of them that are ``unaudited``, and how
    many accepted ones are ``held`` back by an audit that is open or was lost; and by task."""

    items: int
    unaudited: int
    held: int
    tasks: tuple[ReadyTask, ...] = ()


def freezable(ws: Workspace, benchmark: str) -> FreezePreview:
    """How many items of a benchmark ``freeze`` would take; writes nothing."""
    with ws.reading() as session:
        benchmark_row = benchmark_in(session, benchmark)
        ready = (ItemState.APPROVED, ItemState.ACCEPTED)
        counted = items.counted_for_freezing(session, benchmark_row.id, ready)
        in_round_one = _in_round_one(session, benchmark_row.id)
        names = {task.id: task.name for task in benchmarks.tasks(session, benchmark_row.id)}
    counts: Counter[str] = Counter()
    unseen: Counter[str] = Counter()
    taken = unaudited = held = 0
    for task_id, state, format, free, number in counted:
        if state == ItemState.ACCEPTED:
            if not free or task_id not in in_round_one:
                held += number
                continue
            unaudited += number
        taken += number
        if format != VARIANT:
            counts[names[task_id]] += number
            unseen[names[task_id]] += number if state == ItemState.ACCEPTED else 0
    by_task = tuple(ReadyTask(name, counts[name], unseen[name]) for name in sorted(counts))
    return FreezePreview(taken, unaudited, held, by_task)


def freezable_items(ws: Workspace, benchmark: str) -> tuple[SplitItem, ...]:
    """The items of a benchmark that ``freeze`` would take, in its order; writes nothing."""
    with ws.reading() as session:
        rows, _ = _ready(session, benchmark_in(session, benchmark).id)
        return _split_items(splits.present_contents(session, [row.id for row in rows]))


def freeze(
    ws: Workspace,
    name: str,
    benchmark: str,
    person: str = "",
    *,
    sizes: Mapping[str, int] | None = None,
    seed: int | None = None,
) -> SplitInfo:
    """Freeze approved items of a benchmark under a name, in the order of their numbers.

    All of them, or of each task in ``sizes`` so many, drawn by a recorded ``seed`` (made when none
    is given); instruction variants come with their task and are not counted. Accepted items of
    tasks whose audit has not begun are approved here without one: the ledger and the manifest's
    record say so. Items of a lot that is being audited or was returned stay out. Raises InputError
    for sizes that cannot be had, StateError when there is nothing to freeze or the name is taken.
    """
    seed = _checked_seed(seed)
    with few_collections(), writing_as(ws, person, Action.FREEZE) as (session, actor):
        benchmark_row = benchmark_in(session, benchmark)
        rows, unaudited = _ready_or_refuse(session, benchmark_row, (name,))
        rows, record = _chosen(session, rows, sizes, seed)
        part = SplitPart(name, rows, record)
        _freeze_part(ws, session, benchmark_row, part, unaudited, actor.name)
    return info(ws, name)


def _checked_seed(seed: int | None) -> int:
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError(tr("A seed is a whole number from 0 to 2^63 − 1."))
    return secrets.randbelow(2**31) if seed is None else seed


def _chosen(
    session: Session, rows: Sequence[ItemRow], sizes: Mapping[str, int] | None, seed: int
) -> tuple[list[ItemRow], dict[str, Any]]:
    """The rows of the chosen tasks in the chosen sizes, and what the record says of the choice."""
    if sizes is None:
        return list(rows), {}
    if not sizes:
        raise InputError(tr("Choose at least one task to freeze."))
    questions: dict[str, list[str]] = {}
    wordings: dict[str, list[int]] = {}
    names = {row.task_id: benchmarks.task_name(session, row.task_id) for row in rows}
    for row in rows:
        name = names[row.task_id]
        if row.format == VARIANT:
            wordings.setdefault(name, []).append(row.id)
        else:
            questions.setdefault(name, []).append(str(row.id))
    kept: set[int] = set()
    for name, size in sizes.items():
        ready = questions.get(name, [])
        if size < 1:
            raise InputError(tr("The size of “{task}” must be at least one item.", task=name))
        if size > len(ready):
            raise InputError(
                tr("Only {ready} of “{task}” can be frozen, not {size}.", task=name,
                   ready=len(ready), size=size)
            )  # fmt: skip
        kept.update(map(int, draw(ready, size, seed)))
        kept.update(wordings.get(name, ()))
    return [row for row in rows if row.id in kept], {"sizes": dict(sizes), "size_seed": seed}


def freeze_halves(
    ws: Workspace,
    private: str,
    public: str,
    benchmark: str,
    person: str = "",
    *,
    seed: int | None = None,
    sizes: Mapping[str, int] | None = None,
) -> tuple[SplitInfo, SplitInfo]:
    """Freeze what ``freeze`` would as two splits: the private one, and one that may be released.

    Each task keeps the private share of its protocol, rounded up; which of its items are public is
    drawn by a recorded seed, one that is made when none is given. An instruction variant follows
    its own mark. Raises StateError where one of the two would be empty, else as ``freeze``.
    """
    if private == public:
        raise InputError(tr("The two splits need two names."))
    seed = _checked_seed(seed)
    with writing_as(ws, person, Action.FREEZE) as (session, actor):
        benchmark_row = benchmark_in(session, benchmark)
        rows, unaudited = _ready_or_refuse(session, benchmark_row, (private, public))
        # another draw than that of the halves, which would else depend on it
        rows, record = _chosen(session, rows, sizes, (seed + 1) % 2**63)
        released = _public_half(session, rows, seed)
        halves = (
            SplitPart(private, [row for row in rows if row.id not in released],
                 {"half": "private", "other_half": public, "seed": seed, **record}),
            SplitPart(public, [row for row in rows if row.id in released],
                 {"half": "public", "other_half": private, "seed": seed, **record}),
        )  # fmt: skip
        if not all(part.rows for part in halves):
            raise StateError(
                trn(
                    "By the protocols of “{benchmark}”, 1 item would be private and {public} "
                    "public. Set the private share of a task: benchseal task protocol TASK "
                    "--set private_share=0.5",
                    "By the protocols of “{benchmark}”, {n} items would be private and "
                    "{public} public. Set the private share of a task: benchseal task "
                    "protocol TASK --set private_share=0.5",
                    len(halves[0].rows),
                    benchmark=benchmark,
                    public=len(halves[1].rows),
                )
            )
        for part in halves:
            _freeze_part(ws, session, benchmark_row, part, unaudited, actor.name)
    return info(ws, private), info(ws, public)


def _public_half(session: Session, rows: Sequence[ItemRow], seed: int) -> set[int]:
    """Ids of the items that are released, drawn task by task (``halves.public_items``)."""
    released: set[int] = set()
    for task_id in sorted({row.task_id for row in rows}):
        share = settings_of(benchmarks.task(session, task_id).protocol).private_share
        task_rows = [row for row in rows if row.task_id == task_id]
        wordings = [row.id for row in task_rows if row.format == VARIANT]
        questions = [row for row in task_rows if row.format != VARIANT]
        drawn = public_items(
            questions, len(questions) - math.ceil(share * len(questions) - _ROUNDING), seed
        )
        released.update(drawn)
        if drawn:
            contents = items.contents(session, wordings)
            released.update(n for n in wordings if contents[n].payload.get("public"))
    return released


@dataclass(frozen=True, slots=True)
class SplitPart:
    """One split to be frozen: its name, its items by number, and what its record says besides."""

    name: str
    rows: Sequence[ItemRow]
    record: Mapping[str, Any]


def _ready_or_refuse(
    session: Session, benchmark_row: BenchmarkRow, names: Sequence[str]
) -> tuple[list[ItemRow], list[ItemRow]]:
    for name in names:
        _check_name(name)
        if splits.named(session, name) is not None:
            raise StateError(
                tr("A split “{name}” already exists; frozen splits never change.", name=name)
            )
        refuse_alike(name, (*names, *(row.name for row in splits.all_splits(session))))
    rows, unaudited = _ready(session, benchmark_row.id)
    if not rows:
        raise StateError(_nothing_ready(session, benchmark_row.id, benchmark_row.name))
    return rows, unaudited


def _freeze_part(
    ws: Workspace,
    session: Session,
    benchmark_row: BenchmarkRow,
    part: SplitPart,
    unaudited: Sequence[ItemRow],
    person: str,
) -> None:
    created = datetime.now(UTC).isoformat(timespec="seconds")
    make_private_folder(ws.releases)
    ids = [row.id for row in part.rows]
    with (
        FrozenItems(splits.present_contents(session, ids), part.name, ws.releases) as frozen,
        frozen.seal(part.name, benchmark_row.name, created) as manifest,
    ):
        _freeze_rows(session, benchmark_row, part, unaudited, manifest, person)
        # Written before the commit: when the disk refuses, nothing is frozen.
        manifest.write(_clean_folder(ws, part.name))


def _freeze_rows(
    session: Session,
    benchmark_row: BenchmarkRow,
    part: SplitPart,
    unaudited: Sequence[ItemRow],
    manifest: FrozenManifest,
    person: str,
) -> None:
    name = part.name
    unseen = {row.id for row in unaudited} & {row.id for row in part.rows}
    approved = {"state": ItemState.APPROVED}
    frozen = {"state": ItemState.FROZEN, "open_slots": 0}
    for start in range(0, len(part.rows), _AT_ONCE):
        rows = part.rows[start : start + _AT_ONCE]
        early = [row for row in rows if row.id in unseen]
        if early:
            why = {"why": "frozen without an audit"}
            apply(session, EventKind.APPROVED, person, [Move(row, approved, why) for row in early])
        now = [row._replace(state=ItemState.APPROVED) if row.id in unseen else row for row in rows]
        apply(
            session, EventKind.FROZEN, person, [Move(row, frozen, {"split": name}) for row in now]
        )
    record = {
        "counts": manifest.items.counts, "unaudited": len(unseen), "created": manifest.created,
        **part.record,
    }  # fmt: skip
    splits.add(
        session,
        benchmark_row.id,
        name,
        SplitState.FROZEN,
        record,
        manifest.digest,
        len(manifest.items),
        ((int(e.uid), e.revision, e.content_hash) for e in manifest.items.entries()),
    )
    ledger.append(
        session,
        ledger.NewEvent(
            EventKind.SPLIT,
            person,
            subject=name,
            data={
                "digest": manifest.digest,
                "items": len(manifest.items),
                "benchmark": benchmark_row.name,
                "files": manifest.files,
                **record,
            },
        ),
    )


def _check_name(name: str) -> None:
    allowed = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    if not name or name[0] in ".-" or len(name) > 80 or not set(name) <= allowed:
        raise InputError(
            tr("A split's name must have 1 to 80 letters, digits, dots, dashes and underscores.")
        )


def _clean_folder(ws: Workspace, name: str) -> Path:
    """The split's folder; what a freeze left there that was never committed is put aside."""
    folder = ws.releases / name
    if (folder / manifests.MANIFEST_FILE).exists():
        aside = folder.with_name(f"{name}.uncommitted-{datetime.now(UTC):%Y%m%d%H%M%S%f}")
        folder.rename(aside)
    return folder


def _ready(session: Session, benchmark_id: int) -> tuple[list[ItemRow], list[ItemRow]]:
    """(all items to freeze by number, those of them that no audit has seen)."""
    approved = items.in_state(session, (ItemState.APPROVED,), benchmark_id=benchmark_id)
    accepted = items.in_state(session, (ItemState.ACCEPTED,), benchmark_id=benchmark_id)
    unaudited = [row for row in accepted if row.lot_id is None and not row.barred]
    in_round_one = _in_round_one(session, benchmark_id)
    unaudited = [row for row in unaudited if row.task_id in in_round_one]
    return sorted([*approved, *unaudited], key=lambda row: row.id), unaudited


def _in_round_one(session: Session, benchmark_id: int) -> set[int]:
    """Tasks whose accepted items may be frozen without an audit: none has begun, or none is due."""
    return {
        task.id
        for task in benchmarks.tasks(session, benchmark_id)
        if task.round == 1 or settings_of(task.protocol).audit_sample == 0
    }


def _nothing_ready(session: Session, benchmark_id: int, benchmark: str) -> str:
    from db.queries import item_lists

    states = item_lists.states(session, benchmark_id)
    waiting = states.get(ItemState.IN_REVIEW, 0) + states.get(ItemState.DRAFT, 0)
    if accepted := states.get(ItemState.ACCEPTED, 0):
        return trn(
            "Nothing to freeze in “{benchmark}”: 1 accepted item is waiting for an audit to "
            "end, {waiting} for review.",
            "Nothing to freeze in “{benchmark}”: {n} accepted items are waiting for an "
            "audit to end, {waiting} for review.",
            accepted,
            benchmark=benchmark,
            waiting=waiting,
        )
    return trn(
        "Nothing to freeze in “{benchmark}”: no items are approved or accepted; 1 is "
        "waiting for review.",
        "Nothing to freeze in “{benchmark}”: no items are approved or accepted; {n} are "
        "waiting for review.",
        waiting,
        benchmark=benchmark,
    )


def _info(ws: Workspace, session: Session, row: SplitRow) -> SplitInfo:
    return SplitInfo(
        name=row.name,
        benchmark=benchmarks.benchmark(session, row.benchmark_id).name,
        state=row.state,
        size=row.size,
        manifest_hash=row.manifest_hash,
        unaudited=int(row.manifest.get("unaudited", 0)),
        at=row.at.isoformat(timespec="seconds"),
        folder=str(ws.releases / row.name),
    )


def info(ws: Workspace, name: str) -> SplitInfo:
    """One split."""
    with ws.reading() as session:
        return info_in(ws, session, name)


def info_in(ws: Workspace, session: Session, name: str) -> SplitInfo:
    """As ``info``, within a session."""
    return _info(ws, session, split_states.split_in(session, name))


def all_splits(ws: Workspace) -> tuple[SplitInfo, ...]:
    """All splits, newest first."""
    with ws.reading() as session:
        return tuple(_info(ws, session, row) for row in splits.all_splits(session))


def record_of(ws: Workspace, name: str) -> dict[str, Any]:
    """What was recorded when a split was frozen: counts, and the seeds by which it was drawn."""
    with ws.reading() as session:
        return dict(split_states.split_in(session, name).manifest)


def other_half(ws: Workspace, name: str) -> str:
    """The split that was frozen together with this one; empty where it was frozen alone."""
    return str(record_of(ws, name).get("other_half", ""))


def members_of(ws: Workspace, name: str) -> tuple[SplitItem, ...]:
    """The items of a frozen split in order, from the workspace."""
    with ws.reading() as session:
        return members_in(session, name)


def members_in(session: Session, name: str) -> tuple[SplitItem, ...]:
    """As ``members_of``, within a session."""
    return _split_items(splits.contents(session, split_states.split_in(session, name).id))


def _split_items(rows: Iterable[MemberContent]) -> tuple[SplitItem, ...]:
    return manifests.number_items(
        (
            str(row.item_id),
            row.revision,
            ItemContent(row.family, row.format, row.payload, row.provenance, row.domain),
        )
        for row in rows
    )


def refuse_sealed(split: SplitInfo) -> None:
    """StateError while a split is sealed: it is neither exported nor asked."""
    if split.state == SplitState.SEALED:
        raise StateError(
            tr(
                "Split “{name}” is sealed. A lead can open it: benchseal split open {name} "
                "--user NAME --reason REASON",
                name=split.name,
            )
        )


def refuse_changed(ws: Workspace, name: str) -> None:
    """StateError for a split that is not as it was frozen."""
    with ws.reading() as session:
        refuse_changed_in(ws, session, name)


@contextmanager
def unchanged_items(ws: Workspace, name: str) -> Iterator[FrozenItems]:
    """The items of a split, read once and compared with what was frozen; StateError as
    ``refuse_changed``."""
    with ExitStack() as kept:
        with ws.reading() as session:
            split = info_in(ws, session, name)
            frozen = kept.enter_context(_frozen_again(session, split))
            if not _is_as_frozen(session, split, frozen):
                _refuse_differences(name, _item_differences(session, split))
        yield frozen


def refuse_changed_in(ws: Workspace, session: Session, name: str) -> None:
    """As ``refuse_changed``, within a session."""
    _refuse_differences(name, _differences(ws, session, name))


def _refuse_differences(name: str, differences: Sequence[Difference]) -> None:
    if differences:
        raise StateError(
            trn(
                "Split “{name}” has changed since it was frozen, so no action was taken. 1 "
                "difference: {first}",
                "Split “{name}” has changed since it was frozen, so no action was taken. "
                "{n} differences, the first: {first}",
                len(differences),
                name=name,
                first=f"{differences[0].subject}: {differences[0].detail}",
            )
        )


def check(ws: Workspace, name: str) -> list[Difference]:
    """Every difference between a frozen split and what was frozen, in the folder and workspace."""
    with ws.reading() as session:
        return _differences(ws, session, name)


def _differences(ws: Workspace, session: Session, name: str) -> list[Difference]:
    """What is no longer as it was frozen: looked for item by item only where the same pass as when
    it was frozen does not give the same bytes."""
    split = info_in(ws, session, name)
    try:
        with _frozen_again(session, split) as frozen:
            if _is_as_frozen(session, split, frozen):
                return []
    except (BenchsealError, OSError, UnicodeError):
        pass  # what is the matter with which item is said below
    return _item_differences(session, split)


def _frozen_again(session: Session, split: SplitInfo) -> FrozenItems:
    number = split_states.split_in(session, split.name).id
    return FrozenItems(splits.contents(session, number), split.name)


def _is_as_frozen(session: Session, split: SplitInfo, items: FrozenItems) -> bool:
    created = str(split_states.split_in(session, split.name).manifest.get("created", ""))
    with items.seal(split.name, split.benchmark, created) as manifest:
        return manifest.digest == split.manifest_hash and manifest.is_in(Path(split.folder))


def _item_differences(session: Session, split: SplitInfo) -> list[Difference]:
    folder = Path(split.folder)
    return manifests.verify(folder, split.manifest_hash) or manifests.differences(
        manifests.read_manifest(folder), members_in(session, split.name)
    )
