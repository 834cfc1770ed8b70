"""Somebody with a login and ``psql`` against the sealing of a team's split: nobody below a lead
holds up a sealing or an expiry, and nobody gets a text by what they write."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import DBAPIError

from core.errors import RightsError, StateError, WorkspaceError
from core.workflow.splits import item_keys, lifecycle
from core.workflow.verify.checks import verify
from db.evidence.bindings import line_of
from db.schema.sealed_values import Sealer, new_key
from db.vocabulary import EventKind
from tests.sealed.team_place import ARCHIVE, LEAD, SPLIT, TEXTS, TeamPlace
from tests.tampering import meddle

FAKE = f"benchseal-sealed:{'0' * 16}:QUJD"
REFUSED = "42501"
OPEN = "SELECT benchseal.open_revisions(1, %s, CAST(%s AS jsonb))"
_ITEM = (
    "WITH made AS (INSERT INTO item (benchmark_id, task_id, family, format, domain, label, state, "
    "revision, content_hash, open_slots, taken, disputed, barred, round, author_id, at, "
    "changed_at) SELECT 1, 1, 'instruction', 'triplet', '', '', 'draft', 1, 'h', "
    "benchseal.first_slots(1), 0, false, '', 1, id, now(), now() FROM person "
    "WHERE name = 'ann' RETURNING id, author_id) "
    "INSERT INTO revision (item_id, number, content_hash, payload, provenance, defects, author_id, "
    "note, at) SELECT id, 1, 'h', {payload}, {provenance}, {defects}, author_id, {note}, now() "
    "FROM made"
)
_PLAIN = {"payload": '\'{"input": "x"}\'', "provenance": "'{}'", "defects": "'[]'", "note": "''"}
_DRAFT = ("INSERT INTO draft (task_id, person_id, item_id, payload, at) SELECT 1, id, 1, %s, now() "
          "FROM person WHERE name = 'ann'")  # fmt: skip
_NOTE = ("INSERT INTO note_draft (person_id, item_id, place, text, at) SELECT id, 2, 'review', %s, "
         "now() FROM person WHERE name = 'ann'")  # fmt: skip


_SPLIT = (
    "INSERT INTO split (benchmark_id, name, state, manifest_hash, manifest, size, person_id, at) "
    "SELECT 1, 'own', 'frozen', 'h', '{\"half\": 1}', 0, id, now() FROM person "
    "WHERE account = session_user::text; "
)


def _revision(**other: str) -> str:
    return _ITEM.format(**{**_PLAIN, **other})


def test_nobody_writes_what_looks_like_a_sealed_text(place: TeamPlace):
    sealed = f"'{json.dumps({'sealed': FAKE})}'"
    assert place.attempt("ann", _revision()) == ""
    for wrong in ({"payload": sealed}, {"provenance": sealed}, {"defects": sealed},
                  {"note": f"'{FAKE}'"}):  # fmt: skip
        assert place.attempt("ann", _revision(**wrong)) == REFUSED, wrong
    assert place.attempt("ann", _revision(payload='\'{"sealed": "yes"}\'')) == ""
    assert place.attempt("ann", _DRAFT, '{"input": "x"}') == ""
    assert place.attempt("ann", _DRAFT, json.dumps({"sealed": FAKE})) == REFUSED
    assert place.attempt("ann", _NOTE, "a note") == ""
    assert place.attempt("ann", _NOTE, FAKE) == REFUSED
    later = "; UPDATE note_draft SET text = '{}' WHERE item_id = 2"
    assert place.attempt("ann", _NOTE.replace("%s", "'a note'") + later.format(FAKE)) == REFUSED


def test_what_looked_like_a_sealed_text_before_holds_up_nothing(place: TeamPlace):
    rows = (
        f"UPDATE revision SET note = '{FAKE}' WHERE id = 2",
        _DRAFT.replace("%s", f"'{json.dumps({'sealed': FAKE})}'"),
        _DRAFT.replace("item_id, payload", "item_id, payload").replace("%s", "'{\"sealed\": 1}'"),
        _NOTE.replace("%s", f"'{FAKE}'"),
    )
    meddle(place.admin, *rows)
    before = place.rows(), _loose(place)
    assert place.seal().encrypted
    assert FAKE not in str((place.rows(), _loose(place)))
    lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert (place.rows(), _loose(place)) == before


def _loose(place: TeamPlace) -> list[Any]:
    return place.rows("SELECT text FROM note_draft UNION ALL SELECT payload::text FROM draft "
                      "ORDER BY 1")  # fmt: skip


def test_a_payload_that_looked_sealed_before_is_sealed_with_the_others(place: TeamPlace):
    sealed = json.dumps({"sealed": FAKE})
    meddle(place.admin, "INSERT INTO revision (item_id, number, content_hash, payload, provenance, "
           "defects, author_id, note, at) SELECT item_id, 7, 'h', CAST('" + sealed + "' AS jsonb), "
           "'{}', '[]', author_id, '', now() FROM revision WHERE id = 3")  # fmt: skip
    before = place.rows()
    assert place.seal().encrypted
    assert FAKE not in str(place.rows())
    lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert place.rows() == before


KEY = {"name": "1" * 16, "content": "QUJD"}
FORGED: tuple[dict[str, Any], ...] = (
    {"item_key": KEY},
    {"item_key": KEY, "archive": ARCHIVE},
    {"item_key": "x", "archive": ARCHIVE},
    {"archive": {"sha256": 1}},
    {"archive": []},
    {"state": "opened"},
    {"state": "opened", "before": "frozen"},
    {"state": "expired", "before": "frozen"},
    {"state": "sealed", "before": "frozen"},  # which it is not
    {"state": "frozen"},
    {"digest": "of another manifest"},
    {"digest": "x", "files": {"items.jsonl": "y"}},
    {"policy": "once"},
    {"withdrawn": 7},
    {"unlocked": "x"},
    {},
)


def test_a_researcher_says_nothing_of_a_split_that_is_not_so(place: TeamPlace):
    for data in FORGED:
        with pytest.raises(RightsError, match="rules of this workspace") as refusal:
            place.say("ruth", data)
        assert refusal.value.__cause__ is not None
        refused = refusal.value.__cause__.__cause__
        assert isinstance(refused, DBAPIError), data
        assert getattr(refused.orig, "sqlstate", "") == REFUSED, data


def test_the_states_of_a_split_are_steps_that_the_ledger_tells(place: TeamPlace):
    move = "UPDATE split SET state = '{}' WHERE id = 1; SET CONSTRAINTS ALL IMMEDIATE"
    for state in ("opened", "expired", "sealed", "frozen ", "gone"):
        for login in ("ruth", LEAD):
            assert place.attempt(login, move.format(state)) == REFUSED, (state, login)
    for login in ("ann", "sue"):
        assert place.attempt(login, "UPDATE split SET state = 'sealed'") == REFUSED
    made = _SPLIT.replace("'frozen'", "'{}'") + "SET CONSTRAINTS ALL IMMEDIATE"
    for state in ("frozen", "expired"):
        assert place.attempt("ruth", made.replace("{}", state)) == REFUSED, state


def test_an_event_is_an_object(place: TeamPlace):
    for said in ("[]", "null", "7", '{"bound": []}', '{"bound": {"revision": 1}}'):
        assert place.attempt("ann", _event(said)) == REFUSED, said
    assert place.attempt("ann", _event("{}")) == ""


def _event(data: str, kind: str = "unsure", actor: str = "ann") -> str:
    """A whole event with its hash, as ``psql`` can make one."""
    seal = ("encode(sha256(convert_to('[' || concat_ws(',', (t.id + 1)::text, to_json(m)::text, "
            "to_json('{actor}'::text)::text, to_json('{kind}'::text)::text, 'null', "
            "to_json(''::text)::text, to_json('{data}'::text)::text, to_json(t.hash)::text) || "
            "']', 'UTF8')), 'hex')")  # fmt: skip
    for word, value in (("actor", actor), ("kind", kind), ("data", data)):
        seal = seal.replace(f"{{{word}}}", value)
    return (
        "INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, hash) "
        f"SELECT t.id + 1, m, '{actor}', '{kind}', NULL, '', '{data}', t.hash, {seal} "
        "FROM benchseal.ledger_tip() t, LATERAL (SELECT to_char(clock_timestamp() AT TIME ZONE "
        "'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US') || '+00:00' AS m) n"
    )


def test_forged_events_of_the_time_before_name_no_key_and_are_findings(place: TeamPlace):
    place.seal()
    said = ({"item_key": {"name": 3}}, {"item_key": [1]}, {"item_key": KEY, "archive": ARCHIVE},
            {"archive": {"x": 1}})  # fmt: skip
    with _as_before(place):
        for data in said:
            place.say("ruth", data)
    assert any("form" in one.detail for one in verify(place.ws).findings)
    item_keys.lock(place.ws, SPLIT)
    lifecycle.open_split(place.ws, SPLIT, LEAD, "July", "", place.unlocking)
    assert lifecycle.split_life(place.ws, SPLIT).key_here
    lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert "benchseal-sealed" not in str(place.rows())


@contextmanager
def _as_before(place: TeamPlace) -> Iterator[None]:
    """Within, the server checks no event, as one that has not been brought up to date."""
    turn = "ALTER TABLE event {} TRIGGER a_guard"
    named = "ALTER FUNCTION benchseal.{}(jsonb) RENAME TO {}"
    with place.admin.writing() as session:
        session.execute(text(turn.format("DISABLE")))
        session.execute(text(named.format("append_events", "later_events")))
    yield
    with place.admin.writing() as session:
        session.execute(text(turn.format("ENABLE")))
        session.execute(text(named.format("later_events", "append_events")))


def _key(place: TeamPlace) -> str:
    """The key under which the rows lie sealed."""
    sealed = "SELECT substring(payload ->> 'sealed' FROM 18 FOR 16) FROM revision"
    return str(place.rows(sealed)[0][0])


def test_a_lead_reads_no_drafts_by_a_split_of_ones_own(place: TeamPlace):
    columns = [name for (name,) in place.rows("SELECT column_name FROM information_schema.columns "
               "WHERE table_name = 'item'")]  # fmt: skip
    other = {"id": "900", "state": "'draft'", "content_hash": "'other'"}
    meddle(place.admin, f"INSERT INTO item ({', '.join(columns)}) SELECT "
           f"{', '.join(other.get(name, name) for name in columns)} FROM item WHERE id = 1",
           _DRAFT.replace("id, 1, %s", "id, 900, '{\"input\": \"secret\"}'"))  # fmt: skip
    add = ("INSERT INTO split_item (split_id, position, item_id, revision, content_hash) "
           "SELECT max(id), 0, {}, 1, 'h' FROM split")  # fmt: skip
    assert place.attempt(LEAD, _SPLIT + add.format(900)) == REFUSED  # not frozen
    assert place.attempt(LEAD, _SPLIT + add.format(1)) == REFUSED  # another split's
    place.seal()
    meddle(place.admin, "INSERT INTO split_item (split_id, position, item_id, revision, "
           "content_hash) VALUES (1, 99, 900, 1, 'h')")  # fmt: skip
    with psycopg.connect(place.server.url(place.database, LEAD)) as connection:
        read = connection.execute(
            "SELECT words FROM benchseal.loose_texts(1, %s, true)", (_key(place),)
        ).fetchall()
    assert "secret" not in str(read)


def test_a_binding_that_was_forged_before_the_sealing_opens_nothing(place: TeamPlace):
    (row,) = place.rows(f"SELECT * FROM ({TEXTS}) t WHERE id = 1")
    forged = line_of(
        ("id", "item_id", "number", "content_hash", "payload", "provenance", "defects", "note"),
        (1, row[1], row[2], row[3], '{"input": "forged"}', "{}", "[]", ""),
    ).decode()
    bound = place.rows(f"SELECT encode(sha256(convert_to('{forged}', 'UTF8')), 'hex')")[0][0]
    with _as_before(place):
        place.say(LEAD, {"bound": {"revision": {"1": bound}}}, EventKind.BOUND, "")
    number = place.rows("SELECT max(id) FROM event")[0][0]
    place.seal()
    key = _key(place)
    place.tell("expired")
    assert (
        place.attempt(LEAD, OPEN, key, json.dumps([{"line": forged, "event": number}])) == REFUSED
    )


def test_a_researcher_forges_no_key_for_the_texts_of_a_run(place: TeamPlace):
    run = ("INSERT INTO run (id, kind, split_id, title, params, launcher, shards, summary, at) "
           "VALUES ('r', 'evaluate', 1, '', '{}', 'local', 1, '{}', now()); "
           "INSERT INTO answer (run_id, item_id, variant, outcome, text, extracted, score) "
           "VALUES ('r', 2, 0, 'answered', '{}', 'B', 1.0)")  # fmt: skip
    assert place.attempt("ruth", run.replace("'{}', 'B'", "'B. x', 'B'")) == ""
    assert place.attempt("ruth", run.replace("'{}', 'B'", f"'{FAKE}', 'B'")) == REFUSED


def test_answers_under_a_run_of_another_split_hold_up_no_sealing(place: TeamPlace):
    meddle(place.admin, "INSERT INTO run (id, kind, title, params, launcher, shards, summary, at) "
           "VALUES ('r', 'evaluate', '', '{}', 'local', 1, '{}', now())",
           "INSERT INTO answer (run_id, item_id, variant, outcome, text, extracted, score) "
           "VALUES ('r', 2, 0, 'answered', 'B. x', 'B', 1.0)")  # fmt: skip
    place.seal()
    answered = "SELECT text FROM answer"
    assert "benchseal-sealed" in place.rows(answered)[0][0]
    lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert place.rows(answered) == [("B. x",)]


def test_texts_that_are_being_sealed_wait_for_nobody_and_lose_nothing(place: TeamPlace):
    meddle(place.admin, _NOTE.replace("%s", "'first'"))
    with psycopg.connect(place.server.url(place.database, LEAD)) as lead:
        lead.execute("SELECT benchseal.hold_texts(1)")
        with psycopg.connect(place.server.url(place.database, "ann")) as ann:
            ann.execute("SET lock_timeout = '50ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                ann.execute("UPDATE note_draft SET text = 'second'")


@pytest.mark.parametrize("act", ["seal", "expire"])
def test_who_does_not_let_go_of_a_text_is_named_and_keeps_nobody_else_waiting(
    place: TeamPlace, act: str
):
    meddle(place.admin, _NOTE.replace("%s", "'first'"))
    if act == "expire":
        place.seal()
    with place.admin.writing() as session:
        session.execute(text("ALTER FUNCTION benchseal.hold_texts SET lock_timeout = '50ms'"))
    expire = partial(lifecycle.expire, place.ws, SPLIT, LEAD, "", place.unlocking)
    carry_out = place.seal if act == "seal" else expire
    tip = place.rows("SELECT max(id) FROM event")
    with psycopg.connect(place.server.url(place.database, "ann")) as ann:
        ann.execute("SELECT text FROM note_draft FOR UPDATE")
        with pytest.raises(WorkspaceError, match="ann"):
            carry_out()
    assert place.rows("SELECT max(id) FROM event") == tip
    carry_out()
    assert lifecycle.split_life(place.ws, SPLIT).state == ("sealed" if act == "seal" else "expired")


def test_texts_are_waited_for_before_the_ledger_is_kept_from_others(place: TeamPlace):
    said: list[str] = []

    def note(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        found = [n for n in ("hold_texts", "ledger_tip") if f"benchseal.{n}(" in statement]
        said.extend(f"{name} {id(connection.get_transaction())}" for name in found)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        place.seal()
        sealing = len(said)
        lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    for part in (said[:sealing], said[sealing:]):
        held = next(one for one in part if one.startswith("hold_texts"))
        assert held.replace("hold_texts", "ledger_tip") in part[part.index(held) :]
        assert held.replace("hold_texts", "ledger_tip") not in part[: part.index(held)]


def test_whoever_is_no_lead_holds_no_texts(place: TeamPlace):
    for login in ("ann", "sue", "ruth"):
        assert place.attempt(login, "SELECT benchseal.hold_texts(1)") == REFUSED


def test_sealers_of_other_keys_do_not_open_by_chance(place: TeamPlace):
    place.seal()
    other = Sealer(new_key())
    meddle(place.admin, _NOTE.replace("%s", f"'{other.text('a text of another split')}'"))
    item_keys.lock(place.ws, SPLIT)
    with pytest.raises(StateError):
        lifecycle.expire(place.ws, SPLIT, LEAD)
    lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert "benchseal-sealed" in str(_loose(place))
