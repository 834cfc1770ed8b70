"""Sealing what the rows of a split's items say, in place, and opening it again when it is public.

Sealed are payload, provenance, defects and note of every revision, the gate's reasons, drafts and
answers; the search index forgets them. Content hashes, states, verdicts and scores stay, and so do
people's notes and comments, which the ledger holds for good. Rows that nobody may change otherwise
are changed with their guard taken off for this one transaction, which binds them anew, as they lie
there then: so the ledger tells when, and a ciphertext that is changed later differs from its
digest. On a server with logins functions of the database do it (``server_sealing``).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Select, Table, and_, bindparam, delete, select, update

from db import ledger, search, splits
from db.evidence.bindings import touch
from db.evidence.triggers import without_guards
from db.queries import server_sealing
from db.queries.search_backlog import SEARCH_PENDING
from db.queries.server_sealing import PlainLines, in_the_clear
from db.schema.json_text import read_json
from db.schema.sealed_values import (
    FIELD,
    Sealer,
    as_stored,
    key_of_document,
    key_of_text,
    opened_document,
    stored_text,
)
from db.search import REVISION_BITS, SEARCH_TEXT
from db.server import logins
from db.session import Session
from db.tables import (
    ANSWER,
    DRAFT,
    NOTE_DRAFT,
    REVISION,
    SCREENING,
    SPLIT_ITEM,
    SPLIT_KEY,
)

_PAGE = 500
_GUARDED = ("revision", "screening")
_TEXTS: tuple[tuple[Table, tuple[str, ...], bool], ...] = (
    (SCREENING, ("rationale",), True),
    (NOTE_DRAFT, ("text",), False),
    (ANSWER, ("text", "extracted"), False),
)
"""Tables of what was written about an item, their texts, and whether a row is a unit of evidence of
its item."""
STORED_IN = ("revision", "screening", "note_draft", "answer", "draft",
             "search_text", "split_key")  # fmt: skip
"""The tables of a server in which texts of items lie."""

Change = Callable[[str], str]


def bind_plain(session: Session, split_id: int, key: str) -> dict[str, int]:
    """Before the event of a sealing under the key with that id: what it says of how the rows were
    bound, on a server."""
    return server_sealing.bind_plain(session, split_id, key) if logins.secured(session) else {}


def hold(session: Session, split_id: int) -> None:
    """On a server: before the event of an expiry, keep whoever writes about the items waiting, so
    that nobody else waits meanwhile. StoreError ``held`` where somebody does not let go."""
    if logins.secured(session):
        server_sealing.hold(session, split_id)


def plain_lines(session: Session, split_id: int) -> PlainLines:
    """Before an expiry, and before anybody waits for it: what the ledger says of the rows as they
    were, where a server asks for it."""
    if not logins.secured(session):
        return {}
    return server_sealing.plain_lines(session, split_id, splits.key_of_rows(session, split_id))


def seal(session: Session, split_id: int, sealer: Sealer) -> int:
    """Seal the rows of a split's items under a key; how many revisions were plain."""
    if logins.secured(session):
        return server_sealing.seal(session, split_id, sealer)
    with as_stored(), without_guards(session, _GUARDED):
        count = _change_revisions(session, split_id, sealer.name, sealer)
        _change_texts(session, split_id, sealer.text)
        _change_drafts(session, split_id, sealer.name, sealer)
        secrets = select(SPLIT_KEY.c.event_id, SPLIT_KEY.c.secret)
        for event_id, secret in session.execute(
            secrets.where(SPLIT_KEY.c.split_id == split_id)
        ).all():
            put = update(SPLIT_KEY).where(SPLIT_KEY.c.event_id == event_id)
            session.execute(put.values(secret=sealer.text(secret)))
    return count


def open_again(session: Session, split_id: int, lines: PlainLines) -> int:
    """Write the rows of a split's items in plain text again, and index them; how many revisions
    were sealed. The caller has made sure that their keys are here, and gives ``plain_lines``."""
    key = splits.key_of_rows(session, split_id)
    if logins.secured(session):
        return server_sealing.open_again(session, split_id, key, lines)

    def opened(value: str) -> str:  # what was changed stays as it is, as on a server
        plain = stored_text(value, is_json=False) if key_of_text(value) == key else None
        return value if plain is None else plain

    with without_guards(session, _GUARDED):
        count = _change_revisions(session, split_id, key, None)
        _change_texts(session, split_id, opened)
        _change_drafts(session, split_id, key, None)
    return count


def _revisions(split_id: int, after: int) -> Select[Any]:
    return (
        select(REVISION)
        .join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == REVISION.c.item_id)
        .where(SPLIT_ITEM.c.split_id == split_id, REVISION.c.id > after)
        .order_by(REVISION.c.id)
        .limit(_PAGE)
    )


def _pages(session: Session, split_id: int) -> Iterator[Sequence[Any]]:
    last = -1
    while True:
        with as_stored():
            rows = session.execute(_revisions(split_id, last)).all()
        if not rows:
            return
        yield rows
        last = rows[-1].id


_PUT_REVISION = (
    update(REVISION)
    .where(REVISION.c.id == bindparam("revision_id"))
    .values(
        {name: bindparam(f"new_{name}") for name in ("payload", "provenance", "defects", "note")}
    )
)


def _change_revisions(session: Session, split_id: int, key: str, sealer: Sealer | None) -> int:
    count = 0
    for page in _pages(session, split_id):
        rows = [row for row in page if (key_of_document(row.payload) == key) == (sealer is None)]
        plain = [(row.item_id, row.number, opened_document(row.payload)) for row in rows]
        if sealer is None:
            values = [_as_written(session, row, key) for row in rows]
            if session.dialect.name == "postgresql":
                _forget(session, plain)  # an empty text, in a copy by an earlier version
            search.write(session, plain)
        else:
            values = [_as_sealed(row, sealer) for row in rows]
            _forget(session, plain)
        if rows:
            session.connection().execute(_PUT_REVISION, values)
            touch(session, "revision", [row.id for row in rows], [row.item_id for row in rows])
            ledger.bind_rest(session)  # a page of digests in each event
            count += len(rows)
    return count


def _as_sealed(row: Any, sealer: Sealer) -> dict[str, Any]:
    return {
        "revision_id": row.id, "new_payload": sealer.document(row.payload),
        "new_provenance": sealer.document(row.provenance, in_the_clear(row.provenance)),
        "new_defects": sealer.document(row.defects) if row.defects else row.defects,
        "new_note": sealer.text(row.note),
    }  # fmt: skip


def _as_written(session: Session, row: Any, key: str) -> dict[str, Any]:
    """The values of a revision that are sealed under a key, opened; StoreError ``damaged`` where
    one was changed."""
    new: dict[str, Any] = {"revision_id": row.id}
    for name in ("payload", "provenance", "defects", "note"):
        value = getattr(row, name)
        is_text = name == "note"
        if (key_of_text if is_text else key_of_document)(value) == key:
            opened = stored_text(value if is_text else value[FIELD], is_json=not is_text)
            if opened is None:
                raise server_sealing.damaged(session, row)
            value = opened if is_text else read_json(opened)
        new[f"new_{name}"] = value
    return new


def _forget(session: Session, plain: Sequence[tuple[int, int, Mapping[str, Any]]]) -> None:
    """Take revisions out of the search index."""
    if session.dialect.name == "postgresql":
        for item_id, number, _ in plain:
            session.execute(
                delete(SEARCH_TEXT).where(
                    SEARCH_TEXT.c.item_id == item_id, SEARCH_TEXT.c.revision == number
                )
            )
        return
    places = [item_id << REVISION_BITS | number for item_id, number, _ in plain]
    waits = delete(SEARCH_PENDING).where(SEARCH_PENDING.c.place.in_(places))
    pending = set(session.execute(waits.returning(SEARCH_PENDING.c.place)).scalars())
    indexed = [row for place, row in zip(places, plain, strict=True) if place not in pending]
    search.remove_texts(session, search.indexed(indexed))


def _change_texts(session: Session, split_id: int, change: Change) -> None:
    for table, names, bound in _TEXTS:
        keys = list(table.primary_key.columns)
        query = select(*keys, table.c.item_id.label("of_item"), *(table.c[n] for n in names))
        query = query.join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == table.c.item_id).where(
            SPLIT_ITEM.c.split_id == split_id
        )
        with as_stored():
            rows = session.execute(query).all()
        found = [
            (row, new)
            for row in rows
            if (new := {n: change(v) if (v := getattr(row, n)) else v for n in names})
            != {n: getattr(row, n) for n in names}
        ]
        if not found:
            continue
        those = and_(*(key == bindparam(f"key_{key.name}") for key in keys))
        put = update(table).where(those).values({n: bindparam(f"new_{n}") for n in names})
        values = [
            {f"key_{key.name}": getattr(row, key.name) for key in keys}
            | {f"new_{name}": value for name, value in new.items()}
            for row, new in found
        ]
        session.connection().execute(put, values)
        if bound:
            touch(session, table.name, [row.id for row, _ in found],
                  [row.of_item for row, _ in found])  # fmt: skip
        elif table is ANSWER:
            touch(session, "answer", {row.run_id for row, _ in found})


def _change_drafts(session: Session, split_id: int, key: str, sealer: Sealer | None) -> None:
    query = select(DRAFT.c.id, DRAFT.c.payload).join(
        SPLIT_ITEM, SPLIT_ITEM.c.item_id == DRAFT.c.item_id
    )
    with as_stored():
        rows = session.execute(query.where(SPLIT_ITEM.c.split_id == split_id)).all()
    for row in rows:
        if (key_of_document(row.payload) == key) == (sealer is None):
            if sealer:
                new = sealer.document(row.payload)
            elif (opened := stored_text(row.payload[FIELD], is_json=True)) is not None:
                new = read_json(opened)
            else:
                continue
            session.execute(update(DRAFT).where(DRAFT.c.id == row.id).values(payload=new))
