"""Freezing approved items as a split, and checking that it never changed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.errors import BenchsealError, InputError, StateError
from core.families.base import ItemContent
from core.families.instruction_payload import VARIANT
from core.gc_pause import few_collections
from core.i18n import labelled, tr, trn
from core.release import manifest as manifests
from core.release.by_uid import ItemsByUid
from core.release.frozen_items import FrozenItems
from core.release.manifest import Difference, SplitItem
from core.workflow.lost_connections import carried_through
from core.workflow.names import refuse_alike
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, refuse_early
from core.workflow.splits import freeze_steps, openings, split_states
from core.workflow.splits.selection import (
    FreezeOrder,
    Selection,
    SplitPart,
    checked_seed,
    draw_tasks,
    public_half,
    ready_items,
    tasks_in_round_one,
)
from core.workflow.workspace import Workspace
from db import benchmarks, items, splits
from db.benchmarks import BenchmarkRow
from db.engine import Session
from db.items import FreezableRows
from db.schema.sealed_values import is_locked
from db.splits import MemberContent, SplitRow
from db.vocabulary import ItemState, SplitState


@dataclass(frozen=True, slots=True)
class SplitInfo:
    """A split: its state, size, the short hash people compare, and when it was frozen.

    ``unaudited`` counts items that were accepted in review but never went through an audit;
    ``half`` is ``private`` or ``public`` where it was frozen as a part of a benchmark, else empty.
    ``policy`` is the one it was sealed under, as ``openings`` has it.
    """

    name: str
    benchmark: str
    state: str
    size: int
    manifest_hash: str
    unaudited: int
    at: str
    folder: str
    half: str = ""
    policy: str = ""


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
    many accepted ones are ``held`` back by an audit that is open or was lost; and by task.
    ``unfinished`` says which freezes have not come to their end."""

    items: int
    unaudited: int
    held: int
    tasks: tuple[ReadyTask, ...] = ()
    unfinished: tuple[str, ...] = ()


def freezable(ws: Workspace, benchmark: str) -> FreezePreview:
    """How many items of a benchmark ``freeze`` would take; writes nothing."""
    with ws.reading() as session:
        benchmark_row = benchmark_in(session, benchmark)
        ready = (ItemState.APPROVED, ItemState.ACCEPTED)
        counted = items.counted_for_freezing(session, benchmark_row.id, ready)
        in_round_one = tasks_in_round_one(session, benchmark_row.id)
        names = {task.id: task.name for task in benchmarks.tasks(session, benchmark_row.id)}
        unfinished = freeze_steps.unfinished_in(session, benchmark_row.id)
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
    return FreezePreview(taken, unaudited, held, by_task, unfinished)


def freezable_items(ws: Workspace, benchmark: str) -> tuple[SplitItem, ...]:
    """The items of a benchmark that ``freeze`` would take, in its order; writes nothing."""
    with ws.reading() as session:
        rows = ready_items(session, benchmark_in(session, benchmark).id)
        return tuple(_split_items(splits.present_contents(session, (row.id for row in rows))))


def freeze(
    ws: Workspace,
    name: str,
    benchmark: str,
    person: str = "",
    *,
    sizes: Mapping[str, int] | None = None,
    seed: int | None = None,
) -> SplitInfo:
    """As ``freeze_order``, of one split and without any check."""
    return freeze_order(ws, FreezeOrder(name, benchmark, "", sizes, seed), person)[0]


def freeze_order(
    ws: Workspace,
    order: FreezeOrder,
    person: str = "",
    *,
    record: Mapping[str, Any] = MappingProxyType({}),
    selected: str = "",
) -> tuple[SplitInfo, ...]:
    """Freeze approved items of a benchmark under a name, in the order of their numbers.

    All of them, or of each task in ``sizes`` so many, drawn by a recorded ``seed`` (made when none
    is given); instruction variants come with their task and are not counted. With a ``public`` name
    there are two splits, the private one and one that may be released: each task keeps the private
    share of its protocol, rounded up; which of its items are public is drawn by the seed, an
    instruction variant follows its own mark. Accepted items of tasks whose audit has not begun are
    approved here without one: the ledger and the manifest's record say so. Items of a lot that is
    being audited or was returned stay out.

    ``record`` goes into the record of each split; ``selected`` is the digest of the selection that
    was checked. Raises InputError for sizes that cannot be had, StateError when there is nothing to
    freeze, one of two parts would be empty, the name is taken or the selection is another one.
    """
    order = replace(order, seed=checked_seed(order.seed))
    refuse_early(ws, person, Action.FREEZE)
    with few_collections(), ExitStack() as kept:
        with ws.reading() as session:
            selection = select(session, order)
            if selected and selection.digest != selected:
                raise freeze_steps.changed()
            benchmark_row = benchmark_in(session, order.benchmark)
            held = freeze_steps.held_in(session, benchmark_row.id, order.names)
            parts = [replace(part, record={**part.record, **record}) for part in selection.parts]
            written = kept.enter_context(
                freeze_steps.written_parts(ws, session, benchmark_row.name, parts)
            )
        freeze_steps.carry_out(ws, person, benchmark_row, written, held)
    return carried_through(lambda _: tuple(info(ws, part.name) for part in selection.parts))


def freeze_unchecked(
    ws: Workspace, order: FreezeOrder, person: str, reason: str
) -> tuple[SplitInfo, ...]:
    """Freeze without any check, for a reason that the record keeps; InputError without one."""
    if not reason.strip():
        raise InputError.tr("Give a reason to freeze without the checks.")
    return freeze_order(ws, order, person, record={"unchecked": reason.strip()})


def select(session: Session, order: FreezeOrder) -> Selection:
    """What an order takes, which has a seed; errors as of ``freeze_order``."""
    assert order.seed is not None
    if order.name == order.public:
        raise InputError.tr("The two splits need two names.")
    benchmark_row = benchmark_in(session, order.benchmark)
    ready = _ready_or_refuse(session, benchmark_row, order.names)
    if not order.public:
        rows, record = draw_tasks(session, ready, order, order.seed)
        if not rows:
            raise StateError.tr("Split “{name}” has no items to freeze.", name=order.name)
        return Selection((SplitPart(order.name, rows, record),), ready)
    # another draw than that of the halves, which would else depend on it
    rows, record = draw_tasks(session, ready, order, (order.seed + 1) % 2**63)
    released = public_half(session, rows, order.seed)
    parts = tuple(
        SplitPart(
            name, FreezableRows(r for r in rows if (r.id in released) == (half == "public")),
            {"half": half, "other_half": other, "seed": order.seed, **record},
        )
        for name, half, other in (
            (order.name, "private", order.public), (order.public, "public", order.name)
        )
    )  # fmt: skip
    if not all(part.rows for part in parts):
        raise StateError(
            trn(
                "By the protocols of “{benchmark}”, 1 item would be private and {public} "
                "public. Set the private share in the protocol of a task.",
                "By the protocols of “{benchmark}”, {n} items would be private and "
                "{public} public. Set the private share in the protocol of a task.",
                len(parts[0].rows),
                benchmark=benchmark_row.name,
                public=len(parts[1].rows),
            ),
            command=tr("For example: benchseal task protocol TASK --set private_share=0.5"),
        )
    return Selection(parts, ready)


def _ready_or_refuse(
    session: Session, benchmark_row: BenchmarkRow, names: Sequence[str]
) -> FreezableRows:
    for name in names:
        _check_name(name)
        if splits.named(session, name) is not None:
            raise StateError.tr(
                "A split “{name}” already exists; frozen splits never change.", name=name
            )
        refuse_alike(name, (*names, *(row.name for row in splits.all_splits(session))))
    held = freeze_steps.held_in(session, benchmark_row.id, names)
    rows = ready_items(session, benchmark_row.id, held)
    if not rows:
        raise StateError(
            _nothing_ready(session, benchmark_row.id, benchmark_row.name),
            command=tr("What is waiting: benchseal audit status TASK, benchseal queue --user NAME"),
        )
    return rows


def _check_name(name: str) -> None:
    allowed = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    if not name or name[0] in ".-" or len(name) > 80 or not set(name) <= allowed:
        raise InputError.tr(
            "A split's name must have 1 to 80 letters of the Latin alphabet, digits, dots, "
            "dashes and underscores, such as “round-1”."
        )  # fmt: skip


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
        half=str(row.manifest.get("half", "")),
        policy=openings.policy_of(session, row.name),
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
    rows = splits.contents(session, split_states.split_in(session, name).id)
    return tuple(_split_items(rows))


def each_member(ws: Workspace, name: str) -> Iterator[SplitItem]:
    """As ``members_of``, read as they are asked for."""
    with ws.reading() as session:
        rows = splits.contents(session, split_states.split_in(session, name).id)
        yield from _split_items(rows)


@contextmanager
def stored_members(ws: Workspace, name: str) -> Iterator[FrozenItems]:
    """As ``members_of``, read once and then from the disk."""
    with ws.reading() as session:
        frozen = _frozen_again(session, name)
    with closing(frozen):
        yield frozen


@contextmanager
def members_by_uid(ws: Workspace, name: str) -> Iterator[Mapping[str, SplitItem]]:
    """As ``members_of``, by uid: read once and then from the disk."""
    with stored_members(ws, name) as members:
        yield ItemsByUid(members)


def _split_items(rows: Iterable[MemberContent]) -> Iterator[SplitItem]:
    for place, row in enumerate(rows):
        content = ItemContent(row.family, row.format, row.payload, row.provenance, row.domain)
        yield SplitItem(place, str(row.item_id), row.revision, content)


def refuse_sealed(split: SplitInfo) -> None:
    """StateError while a split is sealed: it is neither exported nor asked."""
    if split.state == SplitState.SEALED:
        raise StateError(
            tr("Split “{name}” is sealed. A lead can open it.", name=split.name),
            command=tr("For example: benchseal split open {name} --user NAME --model MODEL "
                       "--reason REASON", name=split.name)
            if split.policy
            else tr("For example: benchseal split open {name} --user NAME --reason REASON",
                    name=split.name),
        )  # fmt: skip


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
            try:
                frozen = kept.enter_context(closing(_frozen_again(session, split.name)))
            except BenchsealError:  # an item cannot be read
                if not splits.is_locked_split(session, split_states.split_in(session, name).id):
                    _refuse_differences(name, _item_differences(session, split))
                raise
            if not _is_as_frozen(session, split, frozen):
                _refuse_differences(name, _item_differences(session, split))
        yield frozen


def refuse_changed_in(ws: Workspace, session: Session, name: str) -> None:
    """As ``refuse_changed``, within a session."""
    _refuse_differences(name, _differences(ws, session, name))


def _refuse_differences(name: str, differences: Sequence[Difference]) -> None:
    if differences:
        raise StateError.trn(
            "Split “{name}” has changed since it was frozen, so no action was taken. 1 "
            "difference: {first}",
            "Split “{name}” has changed since it was frozen, so no action was taken. "
            "{n} differences, the first: {first}",
            len(differences),
            name=name,
            first=labelled(differences[0].subject, differences[0].detail),
        )


def check(ws: Workspace, name: str) -> list[Difference]:
    """Every difference between a frozen split and what was frozen, in the folder and workspace."""
    with ws.reading() as session:
        return _differences(ws, session, name)


def _differences(ws: Workspace, session: Session, name: str) -> list[Difference]:
    """What is no longer as it was frozen: looked for item by item only where the same pass as when
    it was frozen does not give the same bytes."""
    split = info_in(ws, session, name)
    if splits.is_locked_split(session, split_states.split_in(session, name).id):
        return _sealed_differences(session, split)
    try:
        with closing(_frozen_again(session, split.name)) as frozen:
            if _is_as_frozen(session, split, frozen):
                return []
    except (BenchsealError, OSError, UnicodeError):
        pass  # what is the matter with which item is said below
    return _item_differences(session, split)


def _sealed_differences(session: Session, split: SplitInfo) -> list[Difference]:
    """What is no longer as it was frozen of a split whose items are encrypted here: its files, and
    which content its rows stand for. That each ciphertext is the one that was written is what the
    ledger's digests of the rows say."""
    folder = Path(split.folder)
    gone = split_states.withdrawn(session, split.name)
    found = manifests.verify(folder, split.manifest_hash, gone)
    if found:
        return found
    stored = splits.stored_hashes(session, split_states.split_in(session, split.name).id)
    frozen = {entry.uid: entry.content_hash for entry in manifests.read_manifest(folder).entries}
    changed = [uid for uid, digest in frozen.items() if stored.get(uid) != digest]
    return [
        Difference("item_altered", uid, tr("The item is not the one that was frozen."))
        for uid in changed
    ]


def _frozen_again(session: Session, name: str) -> FrozenItems:
    """The items of a split as they are in the workspace."""
    with closing(splits.stored_contents(session, split_states.split_in(session, name).id)) as rows:
        return FrozenItems(rows, name)


def _is_as_frozen(session: Session, split: SplitInfo, items: FrozenItems) -> bool:
    created = str(split_states.split_in(session, split.name).manifest.get("created", ""))
    gone = split_states.withdrawn(session, split.name)
    with closing(items.seal(split.name, split.benchmark, created)) as manifest:
        return manifest.digest == split.manifest_hash and manifest.is_in(Path(split.folder), gone)


def _item_differences(session: Session, split: SplitInfo) -> list[Difference]:
    folder = Path(split.folder)
    gone = split_states.withdrawn(session, split.name)
    if found := manifests.verify(folder, split.manifest_hash, gone):
        return found
    members = members_in(session, split.name)
    return [
        Difference("item_altered", item.uid, tr("Encrypted data here was changed."))
        for item in members
        if is_locked(item.content.payload) or is_locked(item.content.provenance)
    ] or manifests.differences(manifests.read_manifest(folder), members)
