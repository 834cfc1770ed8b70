"""The items of a sealed split on a team's server: encrypted where they lie by functions that leads
alone may call, which do nothing else; everything else stays as append-only as it was."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pyrage
import pytest
from sqlalchemy import text

from core.errors import RightsError, StateError, WorkspaceError
from core.sealing.archive import Locks, Unlocking
from core.workflow import people
from core.workflow.backups import copies
from core.workflow.evaluation.take_in_answers import take_in
from core.workflow.items import search
from core.workflow.sealing import locked_archives, plain_remains
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import freeze, item_keys, lifecycle, readings
from core.workflow.splits.readings import Act
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db.schema.sealed_values import Sealer, new_key
from db.server import split_guards
from db.server.row_sealing import FOR_LEADS, INSIDE, STORED_IN, UNCHANGED
from db.vocabulary import EventKind
from tests.finished_runs import take_in_answers
from tests.postgres import PostgresServer
from tests.sealed.conftest import SealedPlace
from tests.sealed.private_items import ITEMS
from tests.sealed.team_place import LEAD, SPLIT, TEAM, TeamPlace
from tests.splits import freeze_split
from tests.tampering import meddle, without_logins


def _words(place: TeamPlace) -> list[str]:
    """The tables in whose files on the server a private text stands, in whichever spelling."""
    needles = [text.encode() for item in ITEMS for text in map(str, item.payload.values())]
    found = []
    with psycopg.connect(place.server.url(place.database), autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        for table in (*STORED_IN, "item"):
            content = connection.execute(
                "SELECT pg_read_binary_file(pg_relation_filepath(c.oid)) || "
                "coalesce(pg_read_binary_file(pg_relation_filepath(nullif(c.reltoastrelid, 0))), "
                "'') FROM pg_class c WHERE c.oid = %s::regclass", (table,),
            ).fetchone()  # fmt: skip
            assert content is not None
            if any(needle in content[0] for needle in needles):
                found.append(table)
    return found


def test_the_texts_are_ciphertext_after_sealing_and_the_very_rows_again_after_expiry(
    place: TeamPlace,
):
    before = place.rows()
    contents = [one.content for one in freeze.members_of(place.ws, SPLIT)]
    assert _words(place)
    locked = place.seal()
    assert locked.encrypted
    assert locked.remains == ()
    assert _words(place) == []
    assert place.rows("SELECT * FROM search_text") == []
    assert verify(place.ws).findings == ()
    item_keys.lock(place.ws, SPLIT)
    with pytest.raises(StateError):
        list(freeze.members_of(place.ws, SPLIT)[0].content.payload)
    lifecycle.open_split(place.ws, SPLIT, LEAD, "July", "", place.unlocking)
    assert [one.content for one in freeze.members_of(place.ws, SPLIT)] == contents
    assert freeze.check(place.ws, SPLIT) == []
    lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert place.rows() == before
    assert verify(place.ws).findings == ()
    words = str(ITEMS[3].payload["input"]).split(": ")[1][:30]
    assert len(search.numbers(place.ws, search.Filters(words=words), viewer=LEAD)) == 1


LOOSE = (
    "INSERT INTO run (id, kind, split_id, title, params, launcher, shards, summary, at) "
    "VALUES ('r', 'screen', 1, '', '{}', 'local', 1, '{}', now())",
    "INSERT INTO screening (item_id, revision, run_id, outcome, score, threshold, rationale, "
    "model, prompt_version, audited, tokens, at) VALUES (1, 1, 'r', 'passed', 0.9, 0.5, "
    "'because 春夏', 'm', '1', false, 1, now())",
    "INSERT INTO answer (run_id, item_id, variant, outcome, text, extracted, score) "
    "SELECT 'r', 2, 0, 'answered', 'B. 秋冬', 'B', 1.0",
    "INSERT INTO note_draft (person_id, item_id, place, text, at) SELECT id, 3, 'review', "
    "'my note 山川', now() FROM person WHERE name = 'ann'",
    "INSERT INTO draft (task_id, person_id, item_id, payload, at) SELECT 1, id, 4, "
    "'{\"input\": \"my “draft” 风\"}', now() FROM person WHERE name = 'sue'",
    "INSERT INTO split_key (split_id, event_id, secret) VALUES (1, 1, 'a secret')",
)
LOOSE_TEXTS = (
    "SELECT rationale FROM screening UNION ALL SELECT text || extracted FROM answer UNION ALL "
    "SELECT text FROM note_draft UNION ALL SELECT payload::text FROM draft UNION ALL "
    "SELECT secret FROM split_key"
)


def test_who_reads_meanwhile_is_named_and_ends_no_sealing(place: TeamPlace):
    with place.admin.writing() as session:
        session.execute(text("ALTER FUNCTION benchseal.compact_sealed() SET lock_timeout = '50ms'"))
    with psycopg.connect(place.server.url(place.database)) as reader:
        reader.execute("SELECT count(*) FROM revision")
        locked = place.seal()
    assert [one.kind for one in locked.remains] == [plain_remains.DATABASE]
    assert plain_remains.remains(place.ws, SPLIT) == ()


def test_reasons_answers_drafts_and_secrets_of_everybody_are_sealed_and_come_back(place: TeamPlace):
    meddle(place.admin, *(line.replace("%", "%%") for line in LOOSE))
    before = place.rows(LOOSE_TEXTS)
    place.seal()
    assert all("benchseal-sealed:" in words for (words,) in place.rows(LOOSE_TEXTS))
    assert "benchseal-sealed:" in place.rows("SELECT extracted FROM answer")[0][0]
    lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert place.rows(LOOSE_TEXTS) == before


def _given(place: TeamPlace, sealer: Sealer, number: int = 1, **other: Any) -> str:
    """What a lead's program gives ``seal_revisions`` for one revision."""
    (row,) = (row for row in place.rows() if row[0] == number)
    sealed = {
        "id": number, "payload": sealer.stored_document(row[4]),
        "provenance": sealer.stored_document(row[5]), "defects": sealer.stored_document(row[6]),
        "note": row[8],
    }  # fmt: skip
    return json.dumps([{**sealed, **other}])


SEAL = "SELECT benchseal.seal_revisions(1, %s, CAST(%s AS jsonb))"
OPEN = "SELECT benchseal.open_revisions(1, %s, CAST(%s AS jsonb))"
LOOSE_OF = "SELECT benchseal.loose_texts(1, %s, true)"
CHANGE = "SELECT benchseal.change_loose(1, %s, %s, CAST(%s AS jsonb))"


def test_a_split_that_the_ledger_does_not_call_sealed_is_not_touched(place: TeamPlace):
    sealer = Sealer(new_key())
    given = _given(place, sealer)
    assert place.attempt(LEAD, SEAL, sealer.name, given) == "42501"
    place.tell("sealed")
    assert place.attempt(LEAD, SEAL, sealer.name, given) == "42501"


def test_who_is_no_lead_may_call_none_of_the_functions(place: TeamPlace):
    sealer = Sealer(new_key())
    place.tell("sealed", sealer.name)
    given = _given(place, sealer)
    assert place.attempt(LEAD, SEAL, sealer.name, given) == ""
    for login in TEAM:
        assert place.attempt(login, SEAL, sealer.name, given) == "42501"
        assert place.attempt(login, OPEN, sealer.name, "[]") == "42501"
        assert place.attempt(login, LOOSE_OF, sealer.name) == "42501"
        assert place.attempt(login, CHANGE, sealer.name, True, "[]") == "42501"
        assert place.attempt(login, "SELECT benchseal.compact_sealed()") == "42501"


def test_a_lead_puts_no_other_text_in_the_place_of_an_items(place: TeamPlace):
    sealer, other = Sealer(new_key()), Sealer(new_key())
    place.tell("sealed", sealer.name)
    assert place.attempt(LEAD, SEAL, sealer.name, _given(place, sealer)) == ""
    plain = {"instruction": "x", "input": "y", "output": "z"}
    for wrong in (
        {"payload": plain},
        {"payload": other.document(plain)},
        {"payload": sealer.document(plain)},  # of another length
        {"payload": {**sealer.document(plain), "input": "y"}},
        {"note": "another note"},
        {"defects": [{"kind": "x"}]},
        {"provenance": {"source": "elsewhere"}},
        {"id": 10**6},
    ):
        given = _given(place, sealer, **wrong)
        assert place.attempt(LEAD, SEAL, sealer.name, given) == "42501", wrong
    assert place.attempt(LEAD, "UPDATE revision SET note = 'x'") == "42501"
    owner = f'SET ROLE "benchseal_{place.database}_owner"; '
    superuser = psycopg.conninfo.conninfo_to_dict(place.server.base).get("user", "postgres")
    for change in ("UPDATE revision SET note = 'x'", "UPDATE revision SET payload = '{}'",
                   "UPDATE revision SET content_hash = 'h', payload = '{}'"):  # fmt: skip
        assert place.attempt(str(superuser), owner + change) == "42501", change


def test_nothing_but_the_bound_row_comes_back_and_only_after_expiry(place: TeamPlace):
    place.seal()
    key = place.rows("SELECT data::jsonb -> 'item_key' ->> 'name' FROM event "
                     "WHERE data::jsonb ? 'item_key'")[0][0]  # fmt: skip
    (row,) = (row for row in place.rows() if row[0] == 1)
    forged = {"id": 1, "item_id": row[1], "number": 1, "content_hash": row[3],
              "payload": '{"input": "forged"}', "provenance": "{}", "defects": "[]",
              "note": ""}  # fmt: skip
    line = json.dumps(forged)
    digest = hashlib.sha256(line.encode()).hexdigest()
    bound = {"bound": {"revision": {"1": digest}}}
    with pytest.raises(RightsError, match="bound as it is"):
        place.say(LEAD, bound, EventKind.BOUND, "")
    newest = place.rows("SELECT max(id) FROM event")[0][0]
    given = json.dumps([{"line": line, "event": newest}])
    assert place.attempt(LEAD, OPEN, key, given) == "42501"
    place.tell("expired")
    for event in range(1, newest + 2):
        given = json.dumps([{"line": line, "event": event}])
        assert place.attempt(LEAD, OPEN, key, given) == "42501"
    assert place.attempt(LEAD, SEAL, key, "[]") == "42501"


def test_a_ciphertext_of_another_text_never_becomes_plain(place: TeamPlace):
    place.seal()
    (payload,) = place.rows("SELECT payload::text FROM revision WHERE id = 2")[0]
    meddle(place.admin, f"UPDATE revision SET payload = '{payload}' WHERE id = 1")
    assert [one.kind for one in verify(place.ws).findings]
    with pytest.raises(WorkspaceError, match="revision 1"):
        lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert lifecycle.split_life(place.ws, SPLIT).state == "sealed"
    assert place.rows("SELECT payload::text FROM revision WHERE id = 1")[0][0] == payload


def test_a_researcher_asks_a_lead_and_may_keep_the_rows_plain(place: TeamPlace, tmp_path: Path):
    ruth = place.open("ruth")
    locks = Locks((str(place.identity.to_public()),))
    with pytest.raises(StateError, match="only a lead"):
        locked_archives.seal(ruth, SPLIT, "ruth", SealOrder(tmp_path / "r.sealed", locks))
    assert not (tmp_path / "r.sealed").exists()
    order = SealOrder(tmp_path / "r.sealed", locks, keep_plain=True)
    assert not locked_archives.seal(ruth, SPLIT, "ruth", order).encrypted
    ruth.close()


def test_a_researcher_unlocks_an_opened_split_and_keeps_answers_that_are_sealed(
    place: TeamPlace, tmp_path: Path
):
    place.seal()
    lifecycle.open_split(place.ws, SPLIT, LEAD, "July", "m", place.unlocking)
    item_keys.lock(place.ws, SPLIT)
    ruth = place.open("ruth")
    item_keys.unlock(ruth, SPLIT, "ruth", place.unlocking)
    replies = {member.uid: "B. said" for member in freeze.members_of(ruth, SPLIT)}
    run = take_in_answers(ruth, tmp_path, replies, SPLIT, model="m")
    take_in(ruth, run)
    assert all("benchseal-sealed:" in words for (words,) in place.rows("SELECT text FROM answer"))
    assert verify(place.ws).findings == ()
    ruth.close()


def test_a_database_of_the_version_before_is_brought_up_to_date_by_who_administers_it(
    place: TeamPlace,
):
    with place.admin.writing() as session:
        for line in _as_before():
            session.connection().exec_driver_sql(line)
    with pytest.raises(WorkspaceError, match="init"):
        place.seal()
    Workspace.secured(place.server.url(place.database)).close()
    assert place.seal().encrypted
    assert verify(place.ws).findings == ()


def test_a_server_that_would_keep_statistics_is_brought_up_to_date_before_a_sealing(
    place: TeamPlace,
):
    meddle(place.admin, "DROP FUNCTION benchseal.renew_statistics()")
    with pytest.raises(WorkspaceError, match="init"):
        place.seal()
    Workspace.secured(place.server.url(place.database)).close()
    assert place.seal().encrypted


def test_what_a_server_of_the_version_before_lacks_is_said_with_what_to_do(place: TeamPlace):
    meddle(place.admin, "DROP FUNCTION benchseal.homes_of(bigint[])")
    with pytest.raises(WorkspaceError, match="init"):
        readings.record_before_sending(place.ws, Act.ITEMS, "items.csv", [1, 2])


def test_another_archive_binds_no_row_that_is_sealed_already(place: TeamPlace, tmp_path: Path):
    place.seal()
    lifecycle.open_split(place.ws, SPLIT, LEAD, "July", "", place.unlocking)
    before = place.rows("SELECT max(id) FROM event")[0][0]
    order = SealOrder(tmp_path / "again.sealed", Locks((str(place.identity.to_public()),)))
    locked_archives.seal(place.ws, SPLIT, LEAD, order)
    told = place.rows(f"SELECT kind, data::jsonb ? 'plain' FROM event WHERE id > {before}")
    assert told == [("split", False)]
    lifecycle.expire(place.ws, SPLIT, LEAD, "", place.unlocking)
    assert verify(place.ws).findings == ()


def test_the_key_of_a_sealed_answer_is_looked_for_in_the_ledger_once(place: TeamPlace):
    place.seal()
    meddle(
        place.admin,
        "INSERT INTO run (id, kind, title, params, launcher, shards, summary, at, split_id) "
        "VALUES ('asked', 'evaluate', '', '{}', 'local', 1, '{}', now(), 1)",
        "INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, hash) SELECT "
        "1000 + n, '', 'boss', 'bound', NULL, '', '{}', '', '' FROM generate_series(1, 3000) n",
    )
    put = ("INSERT INTO answer (run_id, item_id, variant, outcome, text, extracted) "
           "SELECT 'asked', item_id, '', 'ok', payload ->> 'sealed', payload ->> 'sealed' "
           "FROM revision WHERE id = 1")  # fmt: skip
    read = ("SELECT pg_stat_get_xact_tuples_returned('event'::regclass) "
            "+ pg_stat_get_xact_tuples_fetched('event'::regclass)")  # fmt: skip
    with psycopg.connect(place.server.url(place.database, LEAD)) as connection:
        connection.execute(put)
        looked_at = connection.execute(read).fetchone()
        connection.rollback()
    assert looked_at is not None
    assert looked_at[0] < 2 * 3000


def _as_before() -> Iterator[str]:
    """The statements that leave a database as the version before the functions made it."""
    for table, _, _ in split_guards.TEXTS:
        yield f"DROP TRIGGER b_not_sealed ON {table}"
    yield "DROP TRIGGER is_told ON split"
    for function in (*FOR_LEADS, *INSIDE):
        yield f"DROP FUNCTION benchseal.{function} CASCADE"
    for table in UNCHANGED:
        yield f"DROP TRIGGER {table}_no_update ON {table}"
        yield (f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} FOR EACH ROW "
               "EXECUTE FUNCTION refuse_change()")  # fmt: skip


def test_a_split_that_was_sealed_on_sqlite_expires_on_the_server_it_was_copied_to(
    sealed: SealedPlace, pg_server: PostgresServer
):
    plain = {row.uid: row.content for row in freeze.members_of(sealed.ws, "s")}
    sealed.seal()
    people.ensure_person(sealed.ws, LEAD, "lead")
    database = pg_server.create()
    copies.copy(sealed.ws, pg_server.url(database))
    admin = Workspace.secured(pg_server.url(database), LEAD, LEAD)
    ws = Workspace.open(pg_server.url(database, LEAD))
    lifecycle.expire(ws, "s", LEAD, "", sealed.unlocking)
    assert {row.uid: row.content for row in freeze.members_of(ws, "s")} == plain
    assert verify(ws).findings == ()
    ws.close()
    admin.close()
    pg_server.drop(database)


def test_a_split_that_was_sealed_on_a_server_without_logins_expires_under_logins(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = pg_server.create()
    before = without_logins(pg_server.url(database))
    freeze_split(before, {"诗": ITEMS}, SPLIT)
    plain = {row.uid: row.content for row in freeze.members_of(before, SPLIT)}
    identity = pyrage.x25519.Identity.generate()
    locks = Locks((str(identity.to_public()),))
    assert locked_archives.seal(before, SPLIT, "", SealOrder(tmp_path / "s", locks)).encrypted
    before.close()
    admin = Workspace.secured(pg_server.url(database), LEAD, LEAD)
    ws = Workspace.open(pg_server.url(database, LEAD))
    lifecycle.expire(ws, SPLIT, LEAD, "", Unlocking((str(identity),)))
    assert {row.uid: row.content for row in freeze.members_of(ws, SPLIT)} == plain
    assert verify(ws).findings == ()
    ws.close()
    admin.close()
    pg_server.drop(database)
