"""Sealing what the rows of a split's items say, in place, and opening it again when it is public.

Sealed are payload, provenance, defects and note of every revision, the gate's reasons, drafts and
answers; the search index forgets them. Content hashes, states, verdicts and scores stay, and so do
people's notes and comments, which the ledger holds for good. Rows that nobody may change otherwise
are changed with their guard taken off for this one transaction, which binds them again, as they lie
there then: so the ledger tells when, and a ciphertext that is changed later differs from its
digest. On a server with logins functions of the database do it (``server_sealing``).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Row,
    Table,
    and_,
    bindparam,
    delete,
    func,
    select,
    text,
    tuple_,
    update,
)

from db import ledger, search, splits
from db.evidence import written_rows
from db.evidence.bindings import own_columns, touch
from db.evidence.triggers import without_guards
from db.queries import search_backlog, server_sealing
from db.queries.server_sealing import InTheClear, PlainLines, passage_in
from db.schema.json_text import read_json, write_json
from db.schema.sealed_values import (
    FIELD,
    Sealer,
    as_stored,
    is_marked,
    key_of_document,
    key_of_text,
    stored_text,
)
from db.search import SEARCH_TEXT
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

_PAGE = 2000
_DOCUMENTS = ("payload", "provenance", "defects")
_CHANGED = (*_DOCUMENTS, "note")
_GUARDED = ("revision", "screening")
_TEXTS: tuple[tuple[Table, tuple[str, ...], bool], ...] = (
    (SCREENING, ("rationale",), True),
    (NOTE_DRAFT, ("text",), False),
    (ANSWER, ("text", "extracted"), False),
)
"""Tables of what was written about an item, their texts, and whether a row is a unit of evidence of
its item."""

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


def seal(session: Session, split_id: int, sealer: Sealer, in_the_clear: InTheClear) -> int:
    """Seal the rows of a split's items under a key; how many revisions were plain."""
    if logins.secured(session):
        return server_sealing.seal(session, split_id, sealer, in_the_clear)
    count, rebuilt = 0, _is_most(session, split_id)
    with as_stored(), without_guards(session, _GUARDED):
        for page in _pages(session, split_id, sealer.name, sealed=False):
            if not rebuilt:
                plain = [(row.item_id, row.number, read_json(row.payload)) for row in page]
                _forget(session, plain)
            _put(session, page, [_as_sealed(row, sealer, in_the_clear) for row in page])
            count += len(page)
        if rebuilt:
            search_backlog.rebuild(session)
        _change_texts(session, split_id, sealer.text)
        _change_drafts(session, split_id, sealer.name, sealer)
        _change_secrets(session, split_id, sealer.text)
    return count


def open_again(session: Session, split_id: int, lines: PlainLines) -> int:
    """Write the rows of a split's items in plain text again, to be indexed; how many revisions were
    sealed. The caller has made sure that their keys are here, and gives ``plain_lines``."""
    key = splits.key_of_rows(session, split_id)
    if logins.secured(session):
        return server_sealing.open_again(session, split_id, key, lines)

    def opened(value: str) -> str:  # what was changed stays as it is, as on a server
        plain = stored_text(value, is_json=False) if key_of_text(value) == key else None
        return value if plain is None else plain

    count = 0
    with without_guards(session, _GUARDED):
        for page in _pages(session, split_id, key, sealed=True):
            values = [_as_written(session, row, key) for row in page]
            if session.dialect.name == "postgresql":
                texts = [
                    (row.item_id, row.number, read_json(new[0]))
                    for row, new in zip(page, values, strict=True)
                ]
                _forget(session, texts)  # an empty text, in a copy by an earlier version
                search.write(session, texts)
            else:
                search_backlog.put_back(session, [(row.item_id, row.number) for row in page])
            _put(session, page, values)
            count += len(page)
        _change_texts(session, split_id, opened)
        _change_drafts(session, split_id, key, None)
        _change_secrets(session, split_id, opened)
    return count


def keys_of_secrets(session: Session, split_id: int) -> frozenset[str]:
    """The ids of the keys under which secrets of a split's openings lie sealed."""
    query = select(SPLIT_KEY.c.secret).where(SPLIT_KEY.c.split_id == split_id)
    with as_stored():
        return frozenset(filter(None, map(key_of_text, session.execute(query).scalars())))


def open_secrets(session: Session, split_id: int) -> None:
    """Write the secrets of a split's openings in plain text whose key is here."""
    _change_secrets(session, split_id, lambda value: stored_text(value, is_json=False) or value)


def _pages(
    session: Session, split_id: int, key: str, *, sealed: bool
) -> Iterator[Sequence[Row[Any]]]:
    """Revisions of a split's items whose payload is sealed under a key, or is not, as the database
    spells them, by item."""
    server = session.dialect.name == "postgresql"
    columns = ", ".join(
        f"CAST(r.{name} AS text) AS {name}" if server and name in _DOCUMENTS else f"r.{name}"
        for name in (*_kept_columns(), *_CHANGED)
    )
    query = text(
        f"SELECT {columns} FROM split_item s JOIN revision r ON r.item_id = s.item_id "  # noqa: S608 (names of our own)
        "WHERE s.split_id = :split AND s.item_id >= :item "
        "AND (s.item_id, r.number) > (:item, :number) "
        f"ORDER BY s.item_id, r.number LIMIT {_PAGE}"
    )
    values = {"split": split_id, "item": -1, "number": -1}
    while rows := session.connection().execute(query, values).all():
        yield [row for row in rows if (_key_in(row.payload) == key) == sealed]
        values |= {"item": rows[-1].item_id, "number": rows[-1].number}


def _key_in(stored: str) -> str:
    """The id of the key under which a JSON value is sealed that is stored as a text."""
    return key_of_document(read_json(stored)) if is_marked(stored) else ""


def _put(session: Session, page: Sequence[Row[Any]], values: Sequence[tuple[str, ...]]) -> None:
    """Write what changes of a page of revisions, and bind them again."""
    if not page:
        return
    touch(session, "revision", [row.id for row in page], [row.item_id for row in page])
    pairs = list(zip(page, values, strict=True))
    if session.dialect.name == "sqlite":
        put = ", ".join(f"{name} = ?" for name in _CHANGED)
        statement = f"UPDATE revision SET {put} WHERE id = ?"  # noqa: S608 (names of our own)
        session.connection().exec_driver_sql(statement, [(*new, row.id) for row, new in pairs])
        kept = _kept_columns()
        rows = [(*row[: len(kept)], *new) for row, new in pairs]
        written_rows.bind(session, "revision", (*kept, *_CHANGED), rows)
    else:  # which spells JSON in its own way
        put = ", ".join(
            f"{name} = CAST(:{name} AS {'jsonb' if name in _DOCUMENTS else 'text'})"
            for name in _CHANGED
        )
        session.execute(
            text(f"UPDATE revision SET {put} WHERE id = :place"),  # noqa: S608 (names of our own)
            [{"place": row.id, **dict(zip(_CHANGED, new, strict=True))} for row, new in pairs],
        )
    ledger.bind_rest(session)  # a page of digests in each event


def _kept_columns() -> list[str]:
    return [name for name, _ in own_columns("revision") if name not in _CHANGED]


def _as_sealed(row: Row[Any], sealer: Sealer, in_the_clear: InTheClear) -> tuple[str, ...]:
    """What changes of a revision, in the order of ``_CHANGED``, as it is stored."""
    keep = in_the_clear(read_json(row.provenance), passage_in(row.payload))
    return (
        sealer.stored_json(row.payload),
        sealer.stored_json(row.provenance, keep),
        row.defects if row.defects == "[]" else sealer.stored_json(row.defects),
        sealer.text(row.note),
    )


def _as_written(session: Session, row: Row[Any], key: str) -> tuple[str, ...]:
    """As ``_as_sealed``, of a revision that is sealed under a key, opened; StoreError ``damaged``
    where one of its values was changed."""
    new = []
    for name in _CHANGED:
        value = getattr(row, name)
        is_text = name not in _DOCUMENTS
        if (key_of_text if is_text else _key_in)(value) == key:
            opened = stored_text(value if is_text else read_json(value)[FIELD], is_json=not is_text)
            if opened is None:
                raise server_sealing.damaged(session, row)
            value = opened if is_text else write_json(read_json(opened))
        new.append(value)
    return tuple(new)


def _is_most(session: Session, split_id: int) -> bool:
    """Whether the index is rebuilt sooner than a split's texts are taken out of it."""
    query = select(func.count()).select_from(REVISION)
    total = session.execute(query).scalar_one()
    of_split = query.join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == REVISION.c.item_id)
    own = session.execute(of_split.where(SPLIT_ITEM.c.split_id == split_id)).scalar_one()
    return session.dialect.name == "sqlite" and 2 * own >= total - own


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
    pending = search_backlog.take_out(session, [(item_id, number) for item_id, number, _ in plain])
    search.remove_texts(session, search.indexed([row for row in plain if row[:2] not in pending]))


def _change_texts(session: Session, split_id: int, change: Change) -> None:
    own = select(SPLIT_ITEM.c.item_id).where(SPLIT_ITEM.c.split_id == split_id)
    for table, names, bound in _TEXTS:
        keys = list(table.primary_key.columns)
        query = (
            select(*keys, table.c.item_id.label("of_item"), *(table.c[n] for n in names))
            .where(own.where(SPLIT_ITEM.c.item_id == table.c.item_id).exists())
            .order_by(*keys)
            .limit(_PAGE)
        )
        page = query
        while True:
            with as_stored():
                rows = session.execute(page).all()
            if not rows:
                break
            _change_page(session, table, names, rows, change, bound=bound)
            page = query.where(tuple_(*keys) > tuple_(*rows[-1][: len(keys)]))


def _change_page(
    session: Session,
    table: Table,
    names: Sequence[str],
    rows: Sequence[Any],
    change: Change,
    *,
    bound: bool,
) -> None:
    keys = list(table.primary_key.columns)
    found = [
        (row, new)
        for row in rows
        if (new := {n: change(v) if (v := getattr(row, n)) else v for n in names})
        != {n: getattr(row, n) for n in names}
    ]
    if not found:
        return
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
        ledger.bind_rest(session)
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


def _change_secrets(session: Session, split_id: int, change: Change) -> None:
    """Change the secrets of a split's openings, with which the rows of its runs are locked."""
    query = select(SPLIT_KEY.c.event_id, SPLIT_KEY.c.secret).where(SPLIT_KEY.c.split_id == split_id)
    with as_stored():
        rows = session.execute(query).all()
    for event_id, secret in rows:
        put = update(SPLIT_KEY).where(SPLIT_KEY.c.event_id == event_id)
        session.execute(put.values(secret=change(secret)))
