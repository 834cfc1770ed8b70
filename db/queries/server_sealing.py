"""Sealing the rows of a split on a team's server, by the functions of ``db.server.row_sealing``.

There nobody who works may change a revision: the functions replace plain text by ciphertext where
the ledger tells of the sealing, and on a split that has expired put back what the ledger bound. So
the event comes before the rows. It names the events before it that bind them as they are, which
nothing but those rows answers to. Answers are rows that leads may write themselves.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Row, bindparam, select, text, update
from sqlalchemy.exc import DBAPIError

from db import ledger, search, splits
from db.errors import StoreError
from db.evidence.bindings import BOUND, bound_columns, line_of, own_columns, touch
from db.evidence.bindings import BY_TABLE as EVIDENCE
from db.schema.json_text import read_json, write_json
from db.schema.sealed_values import (
    FIELD,
    Sealer,
    as_stored,
    key_of_document,
    key_of_text,
    stored_text,
)
from db.server.row_sealing import BUSY
from db.session import Session
from db.tables import ANSWER, EVENT, REVISION, SPLIT_ITEM

_PAGE = 500
_EVENTS = 1000
_DOCUMENTS = ("payload", "provenance", "defects")
_CALLS = {
    name: text(f"SELECT benchseal.{name}(:split, :key, CAST(:given AS jsonb))")
    for name in ("seal_revisions", "open_revisions")
}
_HOLD = text("SELECT benchseal.hold_texts(:split)")
_AS_JSONB = text("SELECT CAST(CAST(:value AS jsonb) AS text)")
_LOOSE = text(
    "SELECT kind, place, words FROM benchseal.loose_texts(:split, :key, :sealing) ORDER BY 1, 2"
)
_CHANGE = text("SELECT benchseal.change_loose(:split, :key, :sealing, CAST(:given AS jsonb))")
_PUT_ANSWER = (
    update(ANSWER)
    .where(
        ANSWER.c.run_id == bindparam("of_run"),
        ANSWER.c.item_id == bindparam("of_item"),
        ANSWER.c.variant == bindparam("of_variant"),
    )
    .values(text=bindparam("new_text"), extracted=bindparam("new_extracted"))
)
InTheClear = Callable[[Mapping[str, Any], Any], dict[str, Any]]
"""Of provenance and the payload's passage the fields of the provenance that stay readable."""
_PASSAGE = '"passage"'


def refuse_older(session: Session, place: str) -> None:
    """StoreError ``older_server`` where the database was last brought up to date before it had the
    functions."""
    query = text("SELECT to_regproc('benchseal.renew_statistics') IS NOT NULL")
    if not session.execute(query).scalar_one():
        raise StoreError("older_server", place)


PlainLines = Mapping[str, tuple[str, int]]
"""Of each revision the digest of its row as it was before its sealing, and the event with it."""
PLAIN = "plain"
"""The field of a sealing's event with the first of the events before it that bind the rows."""


def bind_plain(session: Session, split_id: int, key: str) -> dict[str, int]:
    """Bind the rows of a split that are not sealed under a key as they are, and keep whoever writes
    about its items waiting; what the event of the sealing says of it, nothing where all are. To be
    called before that event."""
    hold(session, split_id)
    first = 0
    for page in _pages(session, split_id, key=key, sealed=False):
        first = first or ledger.next_number(session)
        _bind(session, page)
    return {PLAIN: first} if first else {}


def hold(session: Session, split_id: int) -> None:
    """Keep whoever writes about the items of a split waiting until the transaction ends; StoreError
    ``held`` where somebody does not let go of what they write."""
    try:
        session.execute(_HOLD, {"split": split_id})
    except DBAPIError as error:
        said = str(error.orig).partition("\n")[0]
        if not said.startswith(BUSY):
            raise
        place = str(session.get_bind().engine.url.database)
        raise StoreError("held", place, said.removeprefix(BUSY)) from error


def seal(session: Session, split_id: int, sealer: Sealer, in_the_clear: InTheClear) -> int:
    """Seal the rows of a split of which the ledger says, in this transaction or before, that it is
    sealed under this key; how many revisions were plain. StoreError where the server refuses."""
    count = 0
    for page in _pages(session, split_id, key=sealer.name, sealed=False):
        given = [_as_sealed(row, sealer, in_the_clear) for row in page]
        _call(session, "seal_revisions", split_id, sealer.name, given)
        _bind(session, page)
        count += len(page)
    loose = [
        {"kind": row.kind, "place": row.place, "words": _sealed_words(row, sealer)}
        for row in _loose(session, split_id, sealer.name, sealing=True)
        if row.words and key_of_text(row.words) != sealer.name
    ]
    _change_loose(session, split_id, sealer.name, loose, sealing=True)
    _change_answers(session, split_id, sealer.text)
    return count


def open_again(session: Session, split_id: int, key: str, lines: PlainLines) -> int:
    """Put the rows of a split that has expired back as they were, and index them; how many
    revisions were sealed. The key with that id is here. StoreError ``damaged`` where what comes out
    of a ciphertext is not what the ledger bound."""
    hold(session, split_id)
    count = 0
    for page in _pages(session, split_id, key=key, sealed=True):
        given, plain = [], []
        for row in page:
            line, event = _line_before(session, row, lines.get(str(row.id)))
            given.append({"line": line, "event": event})
            plain.append((row.item_id, row.number, read_json(read_json(line)["payload"])))
        _call(session, "open_revisions", split_id, key, given)
        search.write(session, plain)
        _bind(session, page)
        count += len(page)
    loose = [
        {"kind": row.kind, "place": row.place, "words": words}
        for row in _loose(session, split_id, key, sealing=False)
        if key_of_text(row.words) == key
        and (words := stored_text(row.words, is_json=row.kind == "draft")) is not None
    ]

    def opened(value: str) -> str:
        return (stored_text(value, is_json=False) or value) if key_of_text(value) == key else value

    _change_loose(session, split_id, key, loose, sealing=False)
    _change_answers(session, split_id, opened)
    return count


def _pages(
    session: Session, split_id: int, *, key: str, sealed: bool
) -> Iterator[Sequence[Row[Any]]]:
    """Revisions of the items whose payload is sealed under a key, or is not, as the database spells
    them."""
    columns = ", ".join(
        f"CAST(r.{name} AS text) AS {name}" if is_json else f"r.{name}"
        for name, is_json in own_columns("revision")
    )
    query = text(
        f"SELECT {columns} FROM revision r JOIN split_item p ON p.item_id = r.item_id "  # noqa: S608 (names of our own)
        "WHERE p.split_id = :split AND r.id > :after AND "
        "(coalesce(r.payload ->> 'sealed', '') LIKE :sealed_so) = :sealed "
        f"ORDER BY r.id LIMIT {_PAGE}"
    )
    last = -1
    while True:
        values = {"split": split_id, "after": last, "sealed": sealed,
                  "sealed_so": f"benchseal-sealed:{key}:%"}  # fmt: skip
        rows = session.connection().execute(query, values).all()
        if not rows:
            return
        last = rows[-1].id
        yield rows


def _call(
    session: Session, name: str, split_id: int, key: str, given: Sequence[Mapping[str, Any]]
) -> None:
    session.execute(_CALLS[name], {"split": split_id, "key": key, "given": json.dumps(given)})


def _loose(session: Session, split_id: int, key: str, *, sealing: bool) -> Sequence[Row[Any]]:
    return session.execute(_LOOSE, {"split": split_id, "key": key, "sealing": sealing}).all()


def _bind(session: Session, page: Sequence[Row[Any]]) -> None:
    touch(session, "revision", [row.id for row in page], [row.item_id for row in page])
    ledger.bind_rest(session)  # a page of digests in each event


def _as_sealed(row: Row[Any], sealer: Sealer, in_the_clear: InTheClear) -> dict[str, Any]:
    defects = read_json(row.defects)
    return {
        "id": row.id, "payload": sealer.stored_document(row.payload),
        "provenance": sealer.stored_document(
            row.provenance, in_the_clear(read_json(row.provenance), passage_in(row.payload))
        ),
        "defects": sealer.stored_document(row.defects) if defects else defects,
        "note": sealer.text(row.note),
    }  # fmt: skip


def passage_in(payload: str) -> Any:
    """The passage in the JSON text of a payload, which is read only where it may have one."""
    return read_json(payload).get("passage") if _PASSAGE in payload or "\\u" in payload else None


def _sealed_words(row: Row[Any], sealer: Sealer) -> str:
    if row.kind == "draft":
        return str(sealer.stored_document(row.words)[FIELD])
    return sealer.text(row.words)


def plain_lines(session: Session, split_id: int, key: str) -> PlainLines:
    """What the ledger bound of a split's revisions last, before the event that tells of their
    sealing under a key."""
    ids = select(REVISION.c.id).join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == REVISION.c.item_id)
    wanted = {
        str(n) for n in session.execute(ids.where(SPLIT_ITEM.c.split_id == split_id)).scalars()
    }
    found: dict[str, tuple[str, int]] = {}
    last = splits.sealing_event(session, split_id, key)
    while last > 1 and len(found) < len(wanted):
        query = select(EVENT.c.id, EVENT.c.data).where(EVENT.c.id < last)
        rows = session.connection().execute(query.order_by(EVENT.c.id.desc()).limit(_EVENTS)).all()
        for number, data in rows:
            if f'"{BOUND}":' not in data:
                continue
            for unit, digest in _bound_revisions(data).items():
                if unit in wanted and digest is not None:
                    found.setdefault(unit, (str(digest), number))
        if not rows:
            break
        last = rows[-1].id
    return found


def _bound_revisions(data: str) -> dict[str, Any]:
    told = read_json(data)
    bound = told.get(BOUND) if isinstance(told, dict) else None
    units = bound.get("revision") if isinstance(bound, dict) else None
    return units if isinstance(units, dict) else {}


def _line_before(session: Session, row: Row[Any], told: tuple[str, int] | None) -> tuple[str, int]:
    """The line of a row as it was before its sealing (see ``bindings.line_of``), and the event that
    bound it: as this database spells it, or the SQLite that it was copied from.

    StoreError ``damaged`` where what the ciphertext says was not what was bound."""
    names = bound_columns(EVIDENCE["revision"], (name for name, _ in own_columns("revision")))
    digest, event = told or ("", 0)
    for values in _spellings(session, row):
        line = line_of(names, [values[name] for name in names]).decode()
        if hashlib.sha256(line.encode()).hexdigest() == digest:
            return line, event
    raise damaged(session, row)


def damaged(session: Session, row: Any) -> StoreError:
    """What is raised for a revision whose ciphertext does not say what was sealed."""
    return StoreError("damaged", str(session.get_bind().engine.url.database),
                      f"revision {row.id} of item {row.item_id}")  # fmt: skip


def _spellings(session: Session, row: Row[Any]) -> Iterator[dict[str, Any]]:
    values = dict(row._mapping)
    key = key_of_text(read_json(row.payload)[FIELD])
    if key_of_text(row.note) == key:
        values["note"] = stored_text(row.note, is_json=False) or row.note
    for name in _DOCUMENTS:
        sealed = read_json(values[name])
        if key_of_document(sealed) == key:
            values[name] = stored_text(sealed[FIELD], is_json=True) or values[name]
    yield values
    # sealed on a server without logins: what was read there, and not what the database held
    spelled = {name: session.execute(_AS_JSONB, {"value": values[name]}).scalar_one()
               for name in _DOCUMENTS}  # fmt: skip
    yield {**values, **spelled}
    values["at"] = values["at"].replace(tzinfo=None).isoformat(" ", "microseconds")
    for spell in (write_json, json.dumps):
        yield {**values, **{name: spell(read_json(values[name])) for name in _DOCUMENTS}}


def _change_loose(
    session: Session, split_id: int, key: str, given: Sequence[Mapping[str, str]], *, sealing: bool
) -> None:
    """Seal or open what was written about the items beside their revisions."""
    if not given:
        return
    values = {"split": split_id, "key": key, "sealing": sealing, "given": json.dumps(given)}
    session.execute(_CHANGE, values)
    numbers = [int(one["place"]) for one in given if one["kind"] == "screening"]
    touch(session, "screening", numbers)


def _change_answers(session: Session, split_id: int, change: Callable[[str], str]) -> None:
    query = select(
        ANSWER.c.run_id, ANSWER.c.item_id, ANSWER.c.variant, ANSWER.c.text, ANSWER.c.extracted
    ).join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == ANSWER.c.item_id)
    with as_stored():
        rows = session.execute(query.where(SPLIT_ITEM.c.split_id == split_id)).all()
    found = []
    for row in rows:
        new = [value and change(value) for value in (row.text, row.extracted)]
        if new != [row.text, row.extracted]:
            found.append({"of_run": row.run_id, "of_item": row.item_id, "of_variant": row.variant,
                          "new_text": new[0], "new_extracted": new[1]})  # fmt: skip
    if found:
        session.connection().execute(_PUT_ANSWER, found)
        touch(session, "answer", {one["of_run"] for one in found})
