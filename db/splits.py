"""Splits: their manifests and the items in them, in order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, insert, select, update

from db.evidence.bindings import touch
from db.session import Session
from db.tables import ITEM, REVISION, SPLIT, SPLIT_ITEM, now

_AT_ONCE = 500  # rows


@dataclass(frozen=True, slots=True)
class SplitRow:
    """A split."""

    id: int
    benchmark_id: int
    name: str
    state: str
    manifest_hash: str
    manifest: dict[str, Any]
    size: int
    at: datetime


class MemberContent(NamedTuple):
    """One item of a split in the revision that was frozen."""

    item_id: int
    revision: int
    family: str
    format: str
    domain: str
    payload: dict[str, Any]
    provenance: dict[str, Any]


_COLUMNS = tuple(SPLIT.c[name] for name in SplitRow.__dataclass_fields__)


def add(
    session: Session,
    benchmark_id: int,
    name: str,
    state: str,
    manifest: Mapping[str, Any],
    manifest_hash: str,
    size: int,
    members: Iterable[tuple[int, int, str]],
    person_id: int | None = None,
) -> int:
    """Write a split; ``members`` are so many (item id, revision, content hash) in order."""
    query = insert(SPLIT).values(
        benchmark_id=benchmark_id,
        name=name,
        state=state,
        manifest=dict(manifest),
        manifest_hash=manifest_hash,
        size=size,
        person_id=person_id,
        at=now(),
    )
    number = int(session.execute(query.returning(SPLIT.c.id)).scalar_one())
    session.add_rows(
        SPLIT_ITEM,
        ("split_id", "position", "item_id", "revision", "content_hash"),
        ((number, position, *member) for position, member in enumerate(members)),
    )
    touch(session, "split", [number])
    touch(session, "split_item", [number])
    return number


def named(session: Session, name: str, *, lock: bool = False) -> SplitRow | None:
    """The split of that name; ``lock`` keeps other writers away until the transaction ends."""
    query = select(*_COLUMNS).where(SPLIT.c.name == name)
    row = session.execute(query.with_for_update() if lock else query).first()
    return SplitRow(*row) if row else None


def set_state(session: Session, split_id: int, state: str) -> None:
    """Bring a split to another state."""
    session.execute(update(SPLIT).where(SPLIT.c.id == split_id).values(state=state))
    touch(session, "split", [split_id])


def get(session: Session, split_id: int) -> SplitRow:
    """The split with that id."""
    return SplitRow(*session.execute(select(*_COLUMNS).where(SPLIT.c.id == split_id)).one())


def all_splits(session: Session) -> list[SplitRow]:
    """All splits, newest first."""
    rows = session.execute(select(*_COLUMNS).order_by(SPLIT.c.id.desc()))
    return [SplitRow(*row) for row in rows]


def members(session: Session, split_id: int) -> list[tuple[int, int, str]]:
    """(item id, revision, content hash) in the split's order."""
    query = (
        select(SPLIT_ITEM.c.item_id, SPLIT_ITEM.c.revision, SPLIT_ITEM.c.content_hash)
        .where(SPLIT_ITEM.c.split_id == split_id)
        .order_by(SPLIT_ITEM.c.position)
    )
    return [(row[0], row[1], row[2]) for row in session.execute(query)]


def contents(session: Session, split_id: int) -> Iterator[MemberContent]:
    """The items of a split with their texts, in its order, read as they are asked for.

    One statement for the whole split: reports begin with it, and a split may have 20,000 items.
    """
    query = _with_texts(
        split_id, SPLIT_ITEM.c.item_id, SPLIT_ITEM.c.revision, ITEM.c.family, ITEM.c.format,
        ITEM.c.domain, REVISION.c.payload, REVISION.c.provenance,
    ).execution_options(yield_per=_AT_ONCE)  # fmt: skip
    for part in session.execute(query).partitions():
        yield from map(MemberContent._make, part)


def present_contents(session: Session, item_ids: Sequence[int]) -> Iterator[MemberContent]:
    """Some items with the texts that they have now, by id, read as they are asked for."""
    query = (
        select(
            ITEM.c.id, ITEM.c.revision, ITEM.c.family, ITEM.c.format, ITEM.c.domain,
            REVISION.c.payload, REVISION.c.provenance,
        )
        .join(
            REVISION, (REVISION.c.item_id == ITEM.c.id) & (REVISION.c.number == ITEM.c.revision)
        )
        .order_by(ITEM.c.id)
    )  # fmt: skip
    for start in range(0, len(item_ids), _AT_ONCE):
        part = item_ids[start : start + _AT_ONCE]
        rows = session.execute(query.where(ITEM.c.id.in_(part)))
        yield from map(MemberContent._make, rows.all())


def tasks_and_labels(session: Session, split_id: int) -> list[tuple[int, int, list[Any] | None]]:
    """(item id, task id, the labels in its payload where it has any), in the split's order."""
    labels = REVISION.c.payload["labels"]
    query = _with_texts(split_id, SPLIT_ITEM.c.item_id, ITEM.c.task_id, labels)
    return [(row[0], row[1], row[2]) for row in session.execute(query).all()]


def _with_texts(split_id: int, *columns: ColumnElement[Any]) -> Select[Any]:
    """Columns of a split's members, their items and the revisions that were frozen, in order."""
    return (
        select(*columns)
        .join(ITEM, ITEM.c.id == SPLIT_ITEM.c.item_id)
        .join(
            REVISION,
            (REVISION.c.item_id == SPLIT_ITEM.c.item_id)
            & (REVISION.c.number == SPLIT_ITEM.c.revision),
        )
        .where(SPLIT_ITEM.c.split_id == split_id)
        .order_by(SPLIT_ITEM.c.position)
    )
