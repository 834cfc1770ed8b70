"""Ciphertext that was changed past the program, read by whoever has the key: it is called changed
and not locked, ``verify`` names it also where the ledger was brought to agree, and no split expires
with what cannot be opened."""

from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import text

from core.errors import StateError, WorkspaceError
from core.frames import open_workspace
from core.workflow.splits import exports, freeze, item_keys, lifecycle
from core.workflow.verify.checks import verify
from db import ledger
from db.evidence.bindings import touch
from db.schema.json_text import read_json, write_json
from db.schema.sealed_values import FIELD, Sealer, new_key
from tests.sealed.conftest import LEAD, SPLIT, SealedPlace
from tests.tampering import meddle, without_triggers

FIRST, LATER = 1, 5
NOTE = ("INSERT INTO note_draft (person_id, item_id, place, text, at) SELECT id, 2, 'review', "
        "'a note on it', '2026-01-01' FROM person WHERE name = '{}'")  # fmt: skip


def changed(sealed: str) -> str:
    """A sealed text with another letter near its end."""
    place = len(sealed) - 20
    return sealed[:place] + ("A" if sealed[place] != "A" else "B") + sealed[place + 1 :]


def stored(place: SealedPlace, column: str, number: int) -> str:
    with place.ws.reading() as session:
        query = text(f"SELECT {column} FROM revision WHERE id = :id")
        return str(session.execute(query, {"id": number}).scalar_one())


def put(place: SealedPlace, column: str, number: int, value: str) -> None:
    """Write a value into a revision past every guard."""
    with place.ws.writing() as session, without_triggers(session.connection()) as connection:
        query = text(f"UPDATE revision SET {column} = :value WHERE id = :id")
        connection.execute(query, {"value": value, "id": number})


def forge(place: SealedPlace, number: int, column: str = "payload") -> None:
    """Change a letter of what is sealed of a revision."""
    value: Mapping[str, Any] = read_json(stored(place, column, number))
    put(place, column, number, write_json({**value, FIELD: changed(value[FIELD])}))


def bind(place: SealedPlace, number: int) -> None:
    """Let the ledger agree with a row as it is, as who can write events might."""
    with place.ws.writing() as session:
        touch(session, "revision", [number], [number])
        ledger.bind_rest(session)


@pytest.fixture
def opened(sealed: SealedPlace) -> SealedPlace:
    """A split that is sealed, opened, and whose key is here."""
    sealed.seal()
    sealed.ws.person = LEAD
    return sealed


@pytest.mark.parametrize("number", [FIRST, LATER])
def test_a_changed_ciphertext_is_said_to_be_changed(opened: SealedPlace, number: int) -> None:
    forge(opened, number)
    ws = opened.ws
    assert item_keys.state_of(ws, SPLIT) == item_keys.KeyState(sealed=True, here=True)
    with pytest.raises(WorkspaceError, match="changed"):
        str([dict(one.content.payload) for one in freeze.members_of(ws, SPLIT)])
    assert [one.subject for one in freeze.check(ws, SPLIT)] == [str(number)]
    with pytest.raises(StateError, match="has changed since it was frozen"):
        exports.export(ws, SPLIT, "jsonl", opened.root / "out", person=LEAD, plain="why not")
    assert not (opened.root / "out").exists()
    found = {(one.kind, one.subject) for one in verify(ws).findings}
    assert found >= {("content", f"revision {number}"), ("content", f"#{number}")}
    with open_workspace(ws.place.folder, user=LEAD) as frames:
        assert frames.items()["payload"].isna().sum() == 1


@pytest.mark.parametrize("number", [FIRST, LATER])
def test_the_ledger_that_was_brought_to_agree_hides_nothing(
    opened: SealedPlace, number: int
) -> None:
    forge(opened, number)
    bind(opened, number)
    assert f"#{number}" in {one.subject for one in verify(opened.ws).findings}


@pytest.mark.parametrize("number", [FIRST, LATER])
def test_a_key_of_which_nothing_tells_is_named_without_any_key(
    opened: SealedPlace, number: int
) -> None:
    other = Sealer(new_key()).document({"instruction": "x", "input": "y", "output": "z"})
    put(opened, "payload", number, write_json(other))
    bind(opened, number)
    item_keys.lock(opened.ws, SPLIT)
    assert f"#{number}" in {one.subject for one in verify(opened.ws).findings}


@pytest.mark.parametrize("column", ["payload", "provenance", "note"])
def test_nothing_expires_with_a_revision_that_does_not_open(
    opened: SealedPlace, column: str
) -> None:
    if column == "note":
        with opened.ws.reading() as session:
            sealer = item_keys.sealer_of(session, 1)
        assert sealer is not None
        put(opened, column, LATER, changed(sealer.text("why it was returned")))
    else:
        forge(opened, LATER, column)
    before = stored(opened, column, LATER)
    with pytest.raises(WorkspaceError, match=f"revision {LATER} of item {LATER}"):
        lifecycle.expire(opened.ws, SPLIT, LEAD)
    assert lifecycle.split_life(opened.ws, SPLIT).state == "opened"
    assert stored(opened, column, LATER) == before
    assert opened.found() == []


def test_texts_beside_the_items_that_do_not_open_stay_as_they_are(sealed: SealedPlace) -> None:
    meddle(sealed.ws, NOTE.format(LEAD))
    sealed.seal()
    read = "SELECT text FROM note_draft"
    with sealed.ws.reading() as session:
        note = session.execute(text(read)).scalar_one()
    assert note.startswith("benchseal-sealed:")
    meddle(sealed.ws, f"UPDATE note_draft SET text = '{changed(note)}'")
    lifecycle.expire(sealed.ws, SPLIT, LEAD)
    with sealed.ws.reading() as session:
        assert session.execute(text(read)).scalar_one() == changed(note)
