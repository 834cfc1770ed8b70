"""Sealing the rows of a split on a team's server, by the functions of ``db.server.row_sealing``.

There nobody who works may change a revision: the functions replace plain text by ciphertext where
the ledger tells of the sealing, and on a split that has expired put back what the ledger bound. So
the event comes before the rows. Answers are rows that leads may write themselves.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Row, bindparam, select, text, update

from db import ledger, search
from db.errors import StoreError
from db.evidence.bindings import BOUND, bound_columns, line_of, own_columns, touch
from db.evidence.bindings import BY_TABLE as EVIDENCE
from db.schema.json_text import read_json, write_json
from db.schema.sealed_values import FIELD, Sealer, as_stored, is_sealed_text, stored_text
from db.session import Session
from db.tables import ANSWER, EVENT, REVISION, SPLIT_ITEM

_PAGE = 500
_EVENTS = 1000
_DOCUMENTS = ("payload", "provenance", "defects")
_CALLS = {
    name: text(f"SELECT benchseal.{name}(:split, CAST(:given AS jsonb))")
    for name in ("seal_revisions", "open_revisions")
}
_LOOSE = text("SELECT kind, place, words FROM benchseal.loose_texts(:split) ORDER BY 1, 2")
_CHANGE = text("SELECT benchseal.change_loose(:split, :sealing, CAST(:given AS jsonb))")
_PUT_ANSWER = (
    update(ANSWER)
    .where(
        ANSWER.c.run_id == bindparam("of_run"),
        ANSWER.c.item_id == bindparam("of_item"),
        ANSWER.c.variant == bindparam("of_variant"),
    )
    .values(text=bindparam("new_text"), extracted=bindparam("new_extracted"))
)
KEPT_FIELDS = ("article", "article_id", "source", "instruction_id")
"""Fields of provenance that stay in the clear where they are short, for intervals over sources."""
_SHORT = 60  # characters
_FEW = 6  # words


def refuse_older(session: Session, place: str) -> None:
    """StoreError ``older_server`` where the database was last brought up to date before it had the
    functions."""
    query = text("SELECT to_regproc('benchseal.seal_revisions') IS NOT NULL")
    if not session.execute(query).scalar_one():
        raise StoreError("older_server", place)


def in_the_clear(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a provenance that stay readable."""
    return {
        name: value
        for name in KEPT_FIELDS
        if isinstance(value := provenance.get(name), str | int)
        and len(str(value)) <= _SHORT
        and len(str(value).split()) <= _FEW
    }


def seal(session: Session, split_id: int, sealer: Sealer) -> int:
    """Seal the rows of a split of which the ledger says, in this transaction or before, that it is
    sealed under this key; how many revisions were plain. StoreError where the server refuses."""
    count = 0
    for page in _pages(session, split_id, sealed=False):
        _call(session, "seal_revisions", split_id, [_as_sealed(row, sealer) for row in page])
        _bind(session, page)
        count += len(page)
    loose = [
        {"kind": row.kind, "place": row.place, "words": _sealed_words(row, sealer)}
        for row in session.execute(_LOOSE, {"split": split_id}).all()
        if row.words and not is_sealed_text(row.words)
    ]
    _change_loose(session, split_id, loose, sealing=True)
    _change_answers(session, split_id, sealer)
    return count


def open_again(session: Session, split_id: int) -> int:
    """Put the rows of a split that has expired back as they were, and index them; how many
    revisions were sealed. Their key is here. StoreError ``damaged`` where what comes out of a
    ciphertext is not what the ledger bound."""
    ids = select(REVISION.c.id).join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == REVISION.c.item_id)
    wanted = {
        str(n) for n in session.execute(ids.where(SPLIT_ITEM.c.split_id == split_id)).scalars()
    }
    told = _told(session, wanted)
    count = 0
    for page in _pages(session, split_id, sealed=True):
        given, plain = [], []
        for row in page:
            line, event = _line_before(session, row, told.get(str(row.id), {}))
            given.append({"line": line, "event": event})
            plain.append((row.item_id, row.number, read_json(read_json(line)["payload"])))
        _call(session, "open_revisions", split_id, given)
        search.write(session, plain)
        _bind(session, page)
        count += len(page)
    loose = [
        {"kind": row.kind, "place": row.place, "words": words}
        for row in session.execute(_LOOSE, {"split": split_id}).all()
        if (words := stored_text(row.words, is_json=row.kind == "draft")) is not None
    ]
    _change_loose(session, split_id, loose, sealing=False)
    _change_answers(session, split_id, None)
    return count


def _pages(session: Session, split_id: int, *, sealed: bool) -> Iterator[Sequence[Row[Any]]]:
    """Revisions of the items whose payload is sealed, or is not, as the database spells them."""
    columns = ", ".join(
        f"CAST(r.{name} AS text) AS {name}" if is_json else f"r.{name}"
        for name, is_json in own_columns("revision")
    )
    query = text(
        f"SELECT {columns} FROM revision r JOIN split_item p ON p.item_id = r.item_id "  # noqa: S608 (names of our own)
        "WHERE p.split_id = :split AND r.id > :after AND "
        "(coalesce(r.payload ->> 'sealed', '') LIKE 'benchseal-sealed:%') = :sealed "
        f"ORDER BY r.id LIMIT {_PAGE}"
    )
    last = -1
    while True:
        values = {"split": split_id, "after": last, "sealed": sealed}
        rows = session.connection().execute(query, values).all()
        if not rows:
            return
        last = rows[-1].id
        yield rows


def _call(session: Session, name: str, split_id: int, given: Sequence[Mapping[str, Any]]) -> None:
    session.execute(_CALLS[name], {"split": split_id, "given": json.dumps(given)})


def _bind(session: Session, page: Sequence[Row[Any]]) -> None:
    touch(session, "revision", [row.id for row in page], [row.item_id for row in page])
    ledger.bind_rest(session)  # a page of digests in each event


def _as_sealed(row: Row[Any], sealer: Sealer) -> dict[str, Any]:
    defects = read_json(row.defects)
    return {
        "id": row.id, "payload": sealer.stored_document(row.payload),
        "provenance": sealer.stored_document(
            row.provenance, in_the_clear(read_json(row.provenance))
        ),
        "defects": sealer.stored_document(row.defects) if defects else defects,
        "note": sealer.text(row.note),
    }  # fmt: skip


def _sealed_words(row: Row[Any], sealer: Sealer) -> str:
    if row.kind == "draft":
        return str(sealer.stored_document(row.words)[FIELD])
    return sealer.text(row.words)


def _told(session: Session, units: Collection[str]) -> dict[str, dict[str, int]]:
    """Of each revision the digests that events bound, each with its event."""
    found: dict[str, dict[str, int]] = {unit: {} for unit in units}
    last = 0
    while True:
        query = select(EVENT.c.id, EVENT.c.data).where(EVENT.c.id > last).order_by(EVENT.c.id)
        rows = session.connection().execute(query.limit(_EVENTS)).all()
        if not rows:
            return found
        last = rows[-1].id
        for number, data in rows:
            if f'"{BOUND}":' not in data:
                continue
            for unit, digest in read_json(data)[BOUND].get("revision", {}).items():
                if unit in found and digest is not None:
                    found[unit].setdefault(str(digest), number)


def _line_before(session: Session, row: Row[Any], told: Mapping[str, int]) -> tuple[str, int]:
    """The line of a row as it was before its sealing (see ``bindings.line_of``), and the event that
    bound it: as this database spells it, or the SQLite that it was copied from.

    StoreError ``damaged`` where what the ciphertext says was never bound."""
    names = bound_columns(EVIDENCE["revision"], (name for name, _ in own_columns("revision")))
    for values in _spellings(row):
        line = line_of(names, [values[name] for name in names]).decode()
        event = told.get(hashlib.sha256(line.encode()).hexdigest())
        if event is not None:
            return line, event
    raise StoreError("damaged", str(session.get_bind().engine.url.database),
                     f"revision {row.id} of item {row.item_id}")  # fmt: skip


def _spellings(row: Row[Any]) -> Iterator[dict[str, Any]]:
    values = dict(row._mapping)
    values["note"] = stored_text(row.note, is_json=False) or row.note
    for name in _DOCUMENTS:
        sealed = read_json(values[name])
        if isinstance(sealed, dict) and is_sealed_text(sealed.get(FIELD)):
            values[name] = stored_text(sealed[FIELD], is_json=True) or values[name]
    yield values
    values["at"] = values["at"].replace(tzinfo=None).isoformat(" ", "microseconds")
    for spell in (write_json, json.dumps):
        yield {**values, **{name: spell(read_json(values[name])) for name in _DOCUMENTS}}


def _change_loose(
    session: Session, split_id: int, given: Sequence[Mapping[str, str]], *, sealing: bool
) -> None:
    """Seal or open what was written about the items beside their revisions."""
    if not given:
        return
    values = {"split": split_id, "sealing": sealing, "given": json.dumps(given)}
    session.execute(_CHANGE, values)
    numbers = [int(one["place"]) for one in given if one["kind"] == "screening"]
    touch(session, "screening", numbers)


def _change_answers(session: Session, split_id: int, sealer: Sealer | None) -> None:
    query = select(
        ANSWER.c.run_id, ANSWER.c.item_id, ANSWER.c.variant, ANSWER.c.text, ANSWER.c.extracted
    ).join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == ANSWER.c.item_id)
    with as_stored():
        rows = session.execute(query.where(SPLIT_ITEM.c.split_id == split_id)).all()
    found = []
    for row in rows:
        new = [_answer(value, sealer) for value in (row.text, row.extracted)]
        if new != [row.text, row.extracted]:
            found.append({"of_run": row.run_id, "of_item": row.item_id, "of_variant": row.variant,
                          "new_text": new[0], "new_extracted": new[1]})  # fmt: skip
    if found:
        session.connection().execute(_PUT_ANSWER, found)
        touch(session, "answer", {one["of_run"] for one in found})


def _answer(value: str | None, sealer: Sealer | None) -> str | None:
    if not value:
        return value
    if sealer is not None:
        return sealer.text(value)
    return (stored_text(value, is_json=False) or value) if is_sealed_text(value) else value
