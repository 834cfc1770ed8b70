"""Splits: their manifests and the items in them, in order."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    func,
    insert,
    null,
    select,
    text,
    type_coerce,
    update,
)

from db.evidence.bindings import touch
from db.schema.json_text import read_json
from db.schema.sealed_values import (
    as_stored,
    has_key,
    is_marked,
    key_of_document,
    opened_json,
    opened_letters,
)
from db.server import calls, logins
from db.session import Session
from db.tables import ASSIGNMENT, EVENT, ITEM, REVISION, SPLIT, SPLIT_ITEM, SPLIT_KEY, now
from db.vocabulary import AssignmentState, EventKind, SplitState

_AT_ONCE = 500  # rows
_LOOKED_AT = 20  # rows: somebody may have changed the first
_MANY = 5000  # rows without their texts


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


StoredContent = tuple[
    int, int, str, str, str, Mapping[str, Any] | tuple[str, str], Mapping[str, Any]
]
"""As ``MemberContent``, with the payload as (JSON text, the content's hash) where the database has
a text."""

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
    return list(each_member(session, split_id))


def each_member(session: Session, split_id: int) -> Iterator[tuple[int, int, str]]:
    """As ``members``, read as they are asked for."""
    query = (
        select(SPLIT_ITEM.c.item_id, SPLIT_ITEM.c.revision, SPLIT_ITEM.c.content_hash)
        .where(SPLIT_ITEM.c.split_id == split_id)
        .order_by(SPLIT_ITEM.c.position)
        .execution_options(yield_per=_MANY)
    )
    for row in session.execute(query):
        yield row[0], row[1], row[2]


def contents(session: Session, split_id: int) -> Generator[MemberContent, None, None]:
    """The items of a split with their texts, in its order, read as they are asked for.

    One statement for the whole split: reports begin with it, and a split may have 20,000 items.
    """
    query = _with_texts(
        split_id, SPLIT_ITEM.c.item_id, SPLIT_ITEM.c.revision, ITEM.c.family, ITEM.c.format,
        ITEM.c.domain, REVISION.c.payload, REVISION.c.provenance,
    ).execution_options(yield_per=_AT_ONCE)  # fmt: skip
    with session.execute(query) as result:
        for part in result.partitions():
            yield from map(MemberContent._make, part)


def stored_contents(session: Session, split_id: int) -> Generator[StoredContent, None, None]:
    """As ``contents``, with payloads that nobody has read yet."""
    query = _with_texts(
        split_id, SPLIT_ITEM.c.item_id, SPLIT_ITEM.c.revision, ITEM.c.family, ITEM.c.format,
        ITEM.c.domain, *_UNREAD,
    ).execution_options(yield_per=_AT_ONCE)  # fmt: skip
    with session.execute(query) as result:
        for part in result.partitions():
            yield from map(stored_content, part)


def present_contents(session: Session, item_ids: Iterable[int]) -> Iterator[MemberContent]:
    """Some items with the texts that they have now, by id, read as they are asked for."""
    rows = _present(session, item_ids, REVISION.c.payload, REVISION.c.provenance)
    return map(MemberContent._make, rows)


def present_stored(session: Session, item_ids: Iterable[int]) -> Iterator[StoredContent]:
    """As ``present_contents``, with payloads that nobody has read yet."""
    return map(stored_content, _present(session, item_ids, *_UNREAD))


def _present(
    session: Session, item_ids: Iterable[int], *columns: ColumnElement[Any]
) -> Iterator[Sequence[Any]]:
    query = (
        select(
            ITEM.c.id, ITEM.c.revision, ITEM.c.family, ITEM.c.format, ITEM.c.domain, *columns
        )
        .join(
            REVISION, (REVISION.c.item_id == ITEM.c.id) & (REVISION.c.number == ITEM.c.revision)
        )
        .order_by(ITEM.c.id)
    )  # fmt: skip
    given = iter(item_ids)
    while part := list(islice(given, _AT_ONCE)):
        yield from session.execute(query.where(ITEM.c.id.in_(part))).all()


_UNREAD: tuple[ColumnElement[Any], ...] = (
    type_coerce(REVISION.c.payload, String),
    type_coerce(REVISION.c.provenance, String),
    REVISION.c.content_hash,
)


def stored_content(row: Sequence[Any]) -> StoredContent:
    """The content of a row: item id, revision, family, format, domain, payload and provenance as
    the database gives them, and the hash of the content."""
    item_id, revision, family, format, domain, payload, provenance, known = row
    text = None
    if isinstance(payload, str):  # PostgreSQL has read it
        text = opened_letters(payload) if is_marked(payload) else payload
    unread = opened_json(payload) if text is None else (text, known)
    return (item_id, revision, family, format, domain, unread, opened_json(provenance))


SEALED_ITEMS = (
    select(SPLIT_ITEM.c.item_id)
    .join(SPLIT, SPLIT.c.id == SPLIT_ITEM.c.split_id)
    .where(SPLIT.c.state == SplitState.SEALED)
)
"""The items of splits that are sealed now."""
_SEALED = text("SELECT benchseal.sealed_among(CAST(:numbers AS bigint[]))")
_HOMES = text("SELECT name FROM benchseal.homes_of(CAST(:numbers AS bigint[]))")


def homes_of(session: Session, item_ids: Sequence[int]) -> list[str]:
    """The name of its split for each of these items that is in one; on a server also of a split
    that who asks may not see, for items that they may read."""
    if logins.secured(session):
        return list(session.execute(_HOMES, {"numbers": list(item_ids)}).scalars())
    query = select(SPLIT.c.name).join(SPLIT_ITEM, SPLIT_ITEM.c.split_id == SPLIT.c.id)
    found: list[str] = []
    for start in range(0, len(item_ids), _AT_ONCE):
        part = item_ids[start : start + _AT_ONCE]
        found += session.execute(query.where(SPLIT_ITEM.c.item_id.in_(part))).scalars()
    return found


def sealed_among(session: Session, item_ids: Sequence[int]) -> set[int]:
    """Those of some items that are in a split which is sealed now."""
    if logins.secured(session):
        return set(session.execute(_SEALED, {"numbers": list(item_ids)}).scalars())
    found: set[int] = set()
    for start in range(0, len(item_ids), _AT_ONCE):
        part = item_ids[start : start + _AT_ONCE]
        found |= set(session.execute(SEALED_ITEMS.where(SPLIT_ITEM.c.item_id.in_(part))).scalars())
    return found


def is_sealed() -> ColumnElement[bool]:
    """True for items that are in a split which is sealed now, in a statement that has ``ITEM``."""
    return SEALED_ITEMS.where(SPLIT_ITEM.c.item_id == ITEM.c.id).exists()


def end_leases(session: Session, split_id: int) -> None:
    """End what anybody holds of a split that was sealed, at whatever stage."""
    if logins.secured(session):
        calls.end_leases(session, split_id)
        return
    members = select(SPLIT_ITEM.c.item_id).where(SPLIT_ITEM.c.split_id == split_id)
    session.execute(
        update(ASSIGNMENT)
        .where(text("state = 'leased'"), ASSIGNMENT.c.item_id.in_(members))
        .values(state=AssignmentState.EXPIRED, lease_until=None)
    )


def tasks_and_labels(
    session: Session, split_id: int
) -> Iterator[tuple[int, int, list[Any] | None]]:
    """(item id, task id, the labels in its payload where it has any), in the split's order, read
    as they are asked for."""
    labels = REVISION.c.payload["labels"]
    columns: tuple[ColumnElement[Any], ...] = (SPLIT_ITEM.c.item_id, ITEM.c.task_id)
    if is_sealed_split(session, split_id):
        query = _with_texts(split_id, *columns, REVISION.c.payload)
        for row in session.execute(query.execution_options(yield_per=_AT_ONCE)):
            yield row[0], row[1], row[2].get("labels")
        return
    query = _with_texts(split_id, *columns, labels)
    for row in session.execute(query.execution_options(yield_per=_MANY)):
        yield row[0], row[1], row[2]


def task_numbers(session: Session, split_id: int) -> Iterator[tuple[int, int]]:
    """(item id, task id) of a split's members, by item id, read as they are asked for."""
    query = (
        select(ITEM.c.id, ITEM.c.task_id)
        .join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == ITEM.c.id)
        .where(SPLIT_ITEM.c.split_id == split_id)
        .order_by(ITEM.c.id)
        .execution_options(yield_per=_MANY)
    )
    for row in session.execute(query):
        yield row[0], row[1]


def task_counts(session: Session, split_id: int) -> dict[int, int]:
    """How many items of a split each task has, by task id."""
    query = (
        select(ITEM.c.task_id, func.count())
        .join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == ITEM.c.id)
        .where(SPLIT_ITEM.c.split_id == split_id)
        .group_by(ITEM.c.task_id)
    )
    return {row[0]: row[1] for row in session.execute(query)}


class Origin(NamedTuple):
    """Where so many items of a split came from, with the passage of their payloads: None for items
    without one, and where passages were not asked for."""

    provenance: Mapping[str, Any]
    passage: str | None
    items: int


def origins(session: Session, split_id: int, *, passages: bool) -> Iterator[Origin]:
    """Where the items of a split came from, read as they are asked for; equal ones that lie near
    each other come once."""
    passage = REVISION.c.payload["passage"].as_string() if passages else null()
    query = _with_texts(split_id, type_coerce(REVISION.c.provenance, String), passage)
    with session.execute(query.execution_options(yield_per=_MANY)) as result:
        for part in result.partitions():
            counted = Counter((row[0], row[1]) for row in part if isinstance(row[0], str))
            for (stored, text), items in counted.items():
                yield Origin(opened_json(stored), text, items)
            for row in part:
                if not isinstance(row[0], str):  # PostgreSQL has read it
                    yield Origin(opened_json(row[0]), row[1], 1)


def stored_hashes(session: Session, split_id: int) -> dict[str, str]:
    """The content hashes of a split's revisions as they are stored, by the items' names."""
    rows = session.execute(_with_texts(split_id, SPLIT_ITEM.c.item_id, REVISION.c.content_hash))
    return {str(row[0]): row[1] for row in rows.all()}


def key_of_rows(session: Session, split_id: int) -> str:
    """The id of the key under which the items of a split lie sealed in their rows (see
    ``db.queries.sealed_rows``), of which an event tells; empty for those that lie in plain text."""
    with as_stored():
        query = _with_texts(split_id, REVISION.c.payload).limit(_LOOKED_AT)
        found = dict.fromkeys(map(key_of_document, session.execute(query).scalars()))
    return next((key for key in found if key and _is_told(session, split_id, key)), "")


def _is_told(session: Session, split_id: int, key: str) -> bool:
    """Whether an event tells of the sealing of a split under a key."""
    return sealing_event(session, split_id, key) > 0


def sealing_event(session: Session, split_id: int, key: str) -> int:
    """The first event that tells of a split's sealing under the key with that id; 0 for none."""
    told = (
        select(EVENT.c.id, EVENT.c.data)
        .join(SPLIT, SPLIT.c.name == EVENT.c.subject)
        .where(
            SPLIT.c.id == split_id, EVENT.c.kind == EventKind.SPLIT, EVENT.c.item_id.is_(None),
            # an older event may have blanks behind colons
            EVENT.c.data.contains('"item_key":', autoescape=True),
            EVENT.c.data.contains(f'"{key}"', autoescape=True),
        )
        .order_by(EVENT.c.id)
    )  # fmt: skip
    rows = session.connection().execute(told).all()
    return next((int(number) for number, data in rows if _key_told(data) == key), 0)


def _key_told(data: str) -> str:
    told = read_json(data)
    key = told.get("item_key") if isinstance(told, dict) else None
    return str(key.get("name", "")) if isinstance(key, dict) else ""


def is_sealed_split(session: Session, split_id: int) -> bool:
    """Whether the items of a split lie sealed in their rows."""
    return bool(key_of_rows(session, split_id))


def is_locked_split(session: Session, split_id: int) -> bool:
    """Whether the items of a split lie sealed in their rows, and their key is not here."""
    key = key_of_rows(session, split_id)
    return bool(key) and not has_key(key)


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


def secret_of(session: Session, event_id: int) -> str:
    """The secret of an opening, by the number of its event; empty where there is none, or none for
    who asks."""
    query = select(SPLIT_KEY.c.secret).where(SPLIT_KEY.c.event_id == event_id)
    return str(session.execute(query).scalar_one_or_none() or "")


def add_secret(session: Session, split_id: int, event_id: int, secret: str) -> None:
    """Keep the secret of an opening, which has none yet."""
    query = insert(SPLIT_KEY).values(event_id=event_id, split_id=split_id, secret=secret)
    session.execute(query)
