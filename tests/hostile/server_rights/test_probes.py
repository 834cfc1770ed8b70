"""Somebody with a login and ``psql`` on a team's server: every attempt, as each rung."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import text

from core.errors import RightsError, WorkspaceOutsideError
from core.workflow import people
from core.workflow.check import review
from core.workflow.production import import_items, new_items, take_in_items
from core.workflow.production.import_items import ImportOrder
from core.workflow.short_steps import FEW
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger, runs
from db.evidence import bindings
from db.importing import pending_imports
from db.server import logins
from db.server.guards import EVENTS_FROM
from db.server.policies import RIGHTS
from db.tables import METADATA
from db.vocabulary import EventKind, ItemState
from tests.core.workflow.items.test_change_decision import make_task, write_items
from tests.hostile.server_rights.probe import EVERYBODY, Probe
from tests.hostile.server_rights.probes import PROBES, table_of_verdicts
from tests.paths import ROOT
from tests.postgres import PostgresServer
from tests.tampering import meddle
from tests.workload import content
from tests.workspaces import BENCHMARK, TASK

WHO = {"annotator": "ann", "specialist": "sue", "researcher": "ruth", "lead": "boss"}
REFUSED = ("42501", "42P01", "25006", "0A000", "22012", "42704")


@dataclass(frozen=True)
class Team:
    """A workspace with a login for everybody, and what the probes name in it."""

    server: PostgresServer
    database: str
    admin: Workspace
    names: dict[str, dict[str, str]]

    def url(self, login: str) -> str:
        return self.server.url(self.database, login, "unused: the tests' socket trusts")

    def open(self, login: str) -> Workspace:
        return Workspace.open(self.url(login))


@pytest.fixture(scope="module")
def team(pg_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """Four people who each wrote an item, and hold one on which a fifth has decided."""
    database = pg_server.create()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHSEAL_FOLDER", str(tmp_path_factory.mktemp("team") / "folder"))
        admin = Workspace.create(pg_server.url(database), "boss", "boss")
        made = Team(pg_server, database, admin, {})
        boss = made.open("boss")
        for role, name in (
            *WHO.items(),
            ("annotator", "zoe"),
            ("annotator", "yan"),
            ("annotator", "kim"),
        ):
            people.ensure_person(boss, name, role)
        make_task(boss, overlap=3)
        work = {name: made.open(name) for name in (*WHO.values(), "zoe", "yan")}
        others = write_items(work["zoe"], 8, author="zoe")
        hidden = write_items(work["zoe"], 1, author="zoe", start=60)[0]
        own = {
            name: write_items(work[name], 1, author=name, start=20 + place)[0]
            for place, name in enumerate(WHO.values())
        }
        frozen = {
            name: write_items(work[name], 2, author=name, start=40 + 2 * place)
            for place, name in enumerate(WHO.values())
        }
        for number in others[:5]:
            review.claim_item(work["yan"], "yan", number)
            review.decide(work["yan"], "yan", number, "accept")
        ids = {row.name: row.id for row in people.people(boss)}
        held = dict(zip(WHO.values(), others, strict=False))
        item, gold, sealed, opened = others[4:]
        for name, number in held.items():
            review.claim_item(work[name], name, number)
        meddle(admin, *_laid_out(gold, sealed, opened, held, ids["yan"], ids["zoe"]))
        meddle(admin, *_own_frozen(list(frozen.values())), _hiding(hidden), "ANALYZE decision")
        for role, name in WHO.items():
            made.names[role] = {
                "me": str(ids[name]), "my_name": name, "my_login": name, "other": str(ids["yan"]),
                "other_name": "yan", "other_login": "yan", "held": str(held[name]),
                "own": str(own[name]), "item": str(item), "gold": str(gold),
                "sealed": str(sealed), "opened": str(opened), "database": database,
                "hidden": str(hidden), "author": str(ids["zoe"]), "third": str(ids["kim"]),
                "own_opened": str(frozen[name][0]), "own_sealed": str(frozen[name][1]),
            }  # fmt: skip
        yield made
        for opened in (*work.values(), boss, admin):
            opened.close()
    pg_server.drop(database)


def _laid_out(
    gold: int, sealed: int, opened: int, held: dict[str, int], rater: int, writer: int
) -> Iterator[str]:
    """Rows that a whole pipeline would have made, put there as who administers the server."""
    yield ("UPDATE item SET state = 'frozen', open_slots = 0, taken = 0 "
           f"WHERE id IN ({gold}, {sealed}, {opened})")  # fmt: skip
    yield ("INSERT INTO gold (item_id, revision, task_id, verdict, active, person_id, at) "
           f"VALUES ({gold}, 1, 1, 'accept', true, NULL, now()), "
           f"({sealed}, 1, 1, 'accept', true, NULL, now())")  # fmt: skip
    yield ("INSERT INTO split (benchmark_id, name, state, manifest_hash, manifest, size, at) "
           "VALUES (1, 'secret', 'sealed', 'h', '{}', 1, now())")  # fmt: skip
    yield ("INSERT INTO split_item (split_id, position, item_id, revision, content_hash) "
           f"VALUES (1, 0, {sealed}, 1, 'h')")  # fmt: skip
    yield ("INSERT INTO split (benchmark_id, name, state, manifest_hash, manifest, size, at) "
           "VALUES (1, 'asked', 'opened', 'h', '{}', 1, now())")  # fmt: skip
    yield ("INSERT INTO split_item (split_id, position, item_id, revision, content_hash) "
           f"VALUES (2, 0, {opened}, 1, 'h')")  # fmt: skip
    yield ("INSERT INTO run (id, kind, title, params, launcher, shards, summary, at) "
           "VALUES ('r', 'screen', '', '{}', 'local', 1, '{}', now())")  # fmt: skip
    yield "INSERT INTO rating_draw (task_id, seed, at) VALUES (1, 1, now())"
    yield ("INSERT INTO rating_draw_item (draw_id, position, item_id, revision) "
           "SELECT 1, id, id, 1 FROM item")  # fmt: skip
    yield "INSERT INTO task_share (task_id, person_id, due, at) VALUES (1, 1, '', now())"
    yield (
        f"INSERT INTO draft (task_id, person_id, payload, at) VALUES (1, {writer}, '{{}}', now())"
    )
    for number in held.values():
        yield ("INSERT INTO screening (item_id, revision, run_id, outcome, score, threshold, "
               "rationale, model, prompt_version, audited, tokens, at) VALUES "
               f"({number}, 1, 'r', 'passed', 0.9, 0.5, '', 'm', '1', false, 1, "
               "now())")  # fmt: skip
        yield ("INSERT INTO rating (item_id, revision, person_id, criterion, value, seconds, at) "
               f"VALUES ({number}, 1, {rater}, 'fluency', 3, 1, now())")  # fmt: skip
    for name in held:
        yield ("INSERT INTO decision (item_id, revision, stage, kind, person_id, verdict, reason, "
               f"note, seconds, at) SELECT {gold}, 1, 2, 'review', id, 'accept', '', '', 1, now() "
               f"FROM person WHERE name = '{name}'")  # fmt: skip


def _own_frozen(pairs: list[list[int]]) -> Iterator[str]:
    """Of two items of each of them one is in the opened split, and one in the sealed one."""
    for place, (opened, sealed) in enumerate(pairs, 1):
        yield ("UPDATE item SET state = 'frozen', open_slots = 0, taken = 0 "
               f"WHERE id IN ({opened}, {sealed})")  # fmt: skip
        for split, number in ((1, sealed), (2, opened)):
            yield ("INSERT INTO split_item (split_id, position, item_id, revision, content_hash) "
                   f"VALUES ({split}, {place}, {number}, 1, 'h')")  # fmt: skip
    yield "INSERT INTO split_key (split_id, event_id, secret) VALUES (1, 1, 's')"
    yield "INSERT INTO pause (person_id, reason, at) SELECT id, '', now() FROM person LIMIT 1"


def _hiding(number: int) -> str:
    """An import of somebody who administers the server, which has not ended."""
    return (
        "INSERT INTO pending_import (import_id, task_id, file, first, last, at) "
        f"VALUES ('i', 1, 'f', {number}, {number}, now())"
    )


def verdict(team: Team, role: str, probe: Probe) -> bool:
    """Whether the server let it happen: no refusal, and at least one row read or written."""
    names = team.names[role]
    statement = probe.sql.format(**names)
    with psycopg.connect(team.url(names["my_login"])) as connection:
        try:
            cursor = connection.cursor()
            if statement.startswith("COPY ("):
                with cursor.copy(statement) as copy:
                    return bool([bytes(row) for row in copy])
            cursor.execute(statement)
            while cursor.nextset():
                pass
            if cursor.description is not None:
                return bool(cursor.fetchall())
            return cursor.rowcount != 0
        except psycopg.Error as error:
            if error.sqlstate not in REFUSED:
                raise
            return False
        finally:
            connection.rollback()


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: f"{probe.table}: {probe.action}")
def test_the_server_refuses_what_is_forbidden_and_lets_the_rest_happen(team: Team, probe: Probe):
    for role in EVERYBODY:
        happened = verdict(team, role, probe)
        wanted = role in probe.allowed
        assert happened == wanted, f"{role}: {probe.sql.format(**team.names[role])}"


def test_what_a_row_holds_is_asked_after_whether_it_may_be_read(team: Team):
    """What is asked first shows in what EXPLAIN counts, also of rows that nobody is shown."""
    columns = (
        "SELECT table_name, column_name, data_type FROM information_schema.columns JOIN pg_policies"
        " ON tablename = table_name AND schemaname = table_schema AND cmd = 'SELECT' WHERE qual"
        " LIKE '%shows_%' AND data_type IN ('character varying', 'text', 'double precision')"
    )
    with psycopg.connect(team.url("ann")) as connection:
        asked = connection.execute(columns).fetchall()
        for way in ("indexscan", "bitmapscan", "indexonlyscan"):
            connection.execute(f"SET enable_{way} = off".encode())
        for table, column, kind in asked:
            value = "0" if kind == "double precision" else "'x'"
            query = f'EXPLAIN (COSTS OFF) SELECT FROM {table} WHERE "{column}" = {value}'
            plan = [line for (line,) in connection.execute(query.encode()).fetchall()]
            filters = [line.strip() for line in plan if "Filter:" in line]
            assert filters[0].startswith(f"Filter: (benchseal.shows_{table}("), plan
    tables = {table for table, _, _ in asked}
    assert {"decision", "event", "gold", "rating", "screening", "search_text"} <= tables


def test_everybody_finds_by_kind_the_events_that_they_may_read(team: Team):
    read = "SELECT id FROM event WHERE kind = %s ORDER BY id"
    found = "SELECT id FROM benchseal.events_of(ARRAY[%s]) ORDER BY id"
    decided = {}
    for login in WHO.values():
        with psycopg.connect(team.url(login)) as connection:
            for kind in map(str, EventKind):
                may = connection.execute(read, (kind,)).fetchall()
                assert connection.execute(found, (kind,)).fetchall() == may, (login, kind)
            decided[login] = len(connection.execute(found, ("decided",)).fetchall())
    assert decided["boss"] > decided["ruth"] > decided["ann"], decided


def test_events_of_a_rare_kind_are_found_without_a_look_at_the_others(team: Team):
    """A policy is asked of every event first; an index of kinds that all statements may use would
    tell of which kind an event about an item is."""
    asked = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT FROM benchseal.events_of('{person}')"

    def pages(login: str) -> int:
        with psycopg.connect(team.url(login)) as connection:
            connection.execute(asked)  # reads the catalogue and plans
            row = connection.execute(asked).fetchone()
            assert row is not None
            return sum(row[0][0]["Plan"][f"Shared {how} Blocks"] for how in ("Hit", "Read"))

    before = {login: pages(login) for login in WHO.values()}
    meddle(team.admin, *_many_events(5000), "ANALYZE event")
    after = {login: pages(login) for login in WHO.values()}
    assert all(after[login] <= before[login] + 5 for login in after), (before, after)
    with psycopg.connect(team.url("ann")) as connection:
        connection.execute("SET enable_seqscan = off")
        for condition in ("kind = 'person'", "lower(kind) = 'person'"):
            rows = connection.execute(f"EXPLAIN SELECT FROM event WHERE {condition}".encode())
            plan = " ".join(line for (line,) in rows.fetchall())
            assert "ix_event_kind" not in plan, plan
    meddle(team.admin, "DELETE FROM event WHERE hash = 'x'")


def _many_events(count: int) -> Iterator[str]:
    yield (
        "INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, hash) SELECT "
        "t.id + n, t.at, 'yan', 'claimed', i.id, '', '{}', '', 'x' "
        f"FROM generate_series(1, {count}) n, (SELECT max(id) AS id, max(at) AS at FROM event) t, "
        "(SELECT min(id) AS id FROM item) i"
    )


@pytest.mark.parametrize("role", EVERYBODY[:3])
def test_no_error_and_no_setting_tells_what_others_said(team: Team, role: str):
    """Nobody can make a function or an operator; those of the server that would tell of what they
    are given, by an error or by what they do, are not given what is hidden."""
    names = team.names[role]
    hidden = "FROM decision WHERE item_id = {held} AND person_id <> {me}".format(**names)
    conditions = (
        "1 / (verdict <> 'accept')::integer > 0", "verdict::integer > 0",
        "('<x' || verdict)::xml IS NULL", "set_config('own.heard', verdict, false) IS NOT NULL",
        "pg_notify('heard', verdict) IS NOT NULL", "repeat(verdict, 2147483647) IS NULL",
        "verdict COLLATE \"C\" ~ ('(' || verdict)", "to_regclass(verdict || '.x.y.z') IS NULL",
    )  # fmt: skip
    with psycopg.connect(team.url(names["my_login"]), autocommit=True) as connection:
        connection.execute("LISTEN heard")
        for condition in conditions:
            for how in ("", "EXPLAIN (ANALYZE, COSTS OFF) "):
                connection.execute(f"{how}SELECT {hidden} AND {condition}".encode())
        told = connection.execute("SELECT current_setting('own.heard', true)").fetchone()
        assert told in ((None,), ("",))
        assert not list(connection.notifies(timeout=0))


def test_what_is_no_part_of_a_transaction_is_refused_as_well(team: Team):
    statements = (
        "ALTER SYSTEM SET fsync = off", "CREATE DATABASE own", "DROP DATABASE postgres",
        "CREATE TABLESPACE own LOCATION '/tmp'", "CREATE INDEX CONCURRENTLY own ON decision (note)",
        "REINDEX TABLE CONCURRENTLY decision",
    )  # fmt: skip
    for login in WHO.values():
        with psycopg.connect(team.url(login), autocommit=True) as connection:
            for statement in statements:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement.encode())


def test_the_table_of_the_help_is_what_was_tried():
    assert len({(probe.table, probe.action) for probe in PROBES}) == len(PROBES) >= 300
    for language in ("en", "zh"):
        page = ROOT / "resources" / "help" / f"server.{language}.md"
        assert table_of_verdicts() in page.read_text(encoding="utf-8"), (
            "run tests.hostile.server_rights.update"
        )


def test_a_login_that_was_let_in_without_a_role_is_told_so(team: Team):
    team.server.execute("CREATE ROLE stray LOGIN")
    team.server.execute(f"GRANT CONNECT ON DATABASE {team.database} TO stray")
    try:
        with pytest.raises(WorkspaceOutsideError, match="has no role in this workspace"):
            team.open("stray")
    finally:
        team.server.execute(f"REVOKE ALL ON DATABASE {team.database} FROM stray")
        team.server.execute("DROP ROLE stray")


def test_a_researcher_imports_in_parts_with_the_rights_of_the_login(team: Team, tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    rows = [{"Input": f"第{n}句", "Output": "好", "Instruction": "判断。"} for n in range(FEW + 50)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    ws = team.open("ruth")
    report = import_items.import_file(ws, ImportOrder(path, TASK, BENCHMARK, person="ruth"))
    assert report.taken == FEW + 50
    with ws.reading() as session:
        left = [item.id for item in pending_imports.hidden_in(session, 1)]
    assert left == [int(team.names["researcher"]["hidden"])]
    ws.close()


TEXTS = (
    {"context": 'a "quote", a \\\\ and \x07\x1f\x7f\u2028 in 中文 🙂', "key": 1, "rate": 0.00001},
    {"context": "numbers", "large": 10**30, "whole": 1.0, "nested": [{"b": None, "a": [True]}]},
    {"context": "", "options": []},
)


@pytest.mark.parametrize("payload", TEXTS, ids=range(len(TEXTS)))
def test_items_that_the_server_adds_are_those_that_statements_would_write(
    team: Team, payload: dict[str, object]
):
    with closing(team.open("ruth")) as ws:
        written = []
        for adds in (True, False):
            new = items.NewItem(
                1, 1, "scp", "prediction", "CS", uuid4().hex, payload, {"source": "é\t"}, "draft",
                3, label='A "b"', barred="x", defects=[{"name": "n", "note": "改"}],
            )  # fmt: skip
            with ws.writing() as session:
                login = logins.login_in(session)
                assert login is not None
                assert login.adds_items
                logins.set_login(session, replace(login, adds_items=adds))
                numbers = items.add(session, [new])
                ledger.append(session, *new_items.created_events([(numbers[0], new)], "ruth", {}))
            written.append(numbers[0])
        with ws.reading() as session:
            query = text(
                "SELECT to_jsonb(i) - 'id' - 'content_hash' - 'at' - 'changed_at', "
                "to_jsonb(r) - 'id' - 'item_id' - 'content_hash' - 'at', to_jsonb(s) - 'item_id' "
                "FROM item i JOIN revision r ON r.item_id = i.id "
                "JOIN search_text s ON s.item_id = i.id WHERE i.id = :number"
            )
            there, here = (session.execute(query, {"number": number}).one() for number in written)
            for number in written:
                bound = ledger.of_item(session, number)[-1].data["bound"]
                for table, evidence in ((name, bindings.BY_TABLE[name]) for name in bound):
                    units = list(map(int, bound[table]))
                    stored = dict(bindings.digests(session.connection(), evidence, units))
                    assert bound[table] == {str(unit): stored[unit] for unit in units}
                assert set(bound) == {"item", "revision"}
        assert there == here


def test_a_researcher_takes_a_run_in_by_parts_with_the_rights_of_the_login(team: Team):
    ws = team.open("ruth")
    with ws.writing() as session:
        runs.add(session, "big", "generate")
    made = [content(number) for number in range(FEW + 50)]
    assert take_in_items.take_in_items(ws, "big", BENCHMARK, made).added == FEW + 50
    with ws.reading() as session:
        shown = items.in_state(session, [ItemState.DRAFT], run_id="big")
        told = ledger.of_kind(session, EventKind.IMPORTED)[-1]
    assert len(shown) == told.data["items"] == FEW + 50
    assert told.actor == "ruth"
    ws.close()


def test_an_event_of_an_import_shows_what_was_hidden_and_tells_of_nothing_else(team: Team):
    names = team.names["researcher"]
    hidden, shown = int(names["hidden"]), int(names["item"])
    ws = team.open("ruth")
    with ws.writing() as session:
        ledger.append(session, _end_of_import("ruth", [[hidden, hidden]]))
        assert items.get(session, hidden) is not None
        session.rollback()
    for ranges in ([[shown, shown]], [[hidden, hidden + 1]], [[hidden, hidden], [hidden, hidden]]):
        with pytest.raises(RightsError, match="shows what was hidden"), ws.writing() as session:
            ledger.append(session, _end_of_import("ruth", ranges))
    with ws.reading() as session:
        assert items.get(session, hidden) is None
    ws.close()


def test_an_end_of_an_import_looks_at_each_range_once(team: Team):
    count, start = 400, 1_000_000
    meddle(team.admin, "INSERT INTO pending_import (import_id, task_id, file, first, last, at) "
           f"VALUES ('x', 1, 'many', {start}, {start + 2 * count - 1}, now())")  # fmt: skip
    ranges = [[start + 2 * place] * 2 for place in range(count)]
    left = ("SELECT count(*), min(first), bool_and(first = last) FROM pending_import "
            "WHERE file = 'many'")  # fmt: skip
    read = "SELECT pg_stat_get_xact_tuples_returned('pending_import'::regclass)"
    ws = team.open("ruth")
    with ws.writing() as session:
        ledger.append(session, _end_of_import("ruth", ranges))
        assert session.execute(text(left)).one() == (count, start + 1, True)
        assert session.execute(text(read)).scalar_one() < 5 * count
        ranges = [[first + 1, last + 1] for first, last in ranges[:-1]]
        ledger.append(session, _end_of_import("ruth", ranges))
        assert session.execute(text(left)).one() == (1, start + 2 * count - 1, True)
        assert session.execute(text(read)).scalar_one() < 10 * count
        session.rollback()
    ws.close()
    meddle(team.admin, "DELETE FROM pending_import WHERE file = 'many'")


def test_an_event_of_new_items_reads_only_the_texts_that_it_binds(team: Team):
    count, read = 2 * FEW, "SELECT pg_stat_get_xact_tuples_returned('revision'::regclass)"
    made = [content(number) for number in range(5000, 5000 + count)]
    ws = team.open("ruth")
    with ws.writing() as session:
        runs.add(session, "bound", "generate")
        task = benchmarks.task(session, 1)
        new = new_items.new_items([(one, task) for one in made], "bound", None)
        written = zip(items.add(session, new), new, strict=True)
        ledger.append(session, *new_items.created_events(written, "ruth", {}))
        assert session.execute(text(read)).scalar_one() < 10 * count
        session.rollback()
    ws.close()


def _end_of_import(actor: str, ranges: list[list[int]]) -> ledger.NewEvent:
    data = {"file": "f", "items": 1, pending_imports.RANGES: ranges}
    return ledger.NewEvent(EventKind.IMPORTED, actor, subject=TASK, data=data)


def test_every_table_has_its_rights_and_every_kind_of_event_its_rung():
    tables = {*METADATA.tables, "search_text", "alembic_version"}
    assert set(RIGHTS) == tables
    assert {kind for kinds in EVENTS_FROM.values() for kind in kinds} == set(EventKind)


def test_whoever_listens_hears_the_number_of_the_newest_event_and_nothing_else(team: Team):
    names = team.names["annotator"]
    with psycopg.connect(team.url(names["my_login"]), autocommit=True) as connection:
        connection.execute("LISTEN benchseal_ledger")
        ws = Workspace.open(team.url("yan"))
        with ws.writing() as session:
            ledger.append(session, ledger.NewEvent(EventKind.READING, "yan", data={"secret": 1}))
            newest = ledger.tip(session)
        ws.close()
        heard = [notice.payload for notice in connection.notifies(timeout=30, stop_after=1)]
    assert heard == [str(newest)]
