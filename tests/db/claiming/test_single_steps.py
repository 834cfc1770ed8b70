"""A reviewer's steps in one statement each: as the long way does them, and no other."""

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from core.errors import BenchsealError
from core.workflow import people, tasks, team
from core.workflow.check import gold, review
from core.workflow.check.review import CommittedDecision
from core.workflow.items import history, undo
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import benchmarks, ledger
from db.evidence import bindings
from db.importing import pending_imports
from db.tables import METADATA
from tests.db.statements import sent_statements
from tests.postgres import PostgresServer, own_server
from tests.tampering import meddle
from tests.workspaces import BENCHMARK, TASK, make_task, screened, write_items

STAFF = {"ann": "annotator", "bob": "annotator", "cy": "annotator", "sue": "specialist",
         "ruth": "researcher"}  # fmt: skip
REVIEWERS = ("bob", "cy", "sue", "ruth")
ITEMS = 12
SHORT, LONG = "short", "long"

Team = dict[str, Workspace]


@pytest.fixture
def teams(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Team]]:
    """Two workspaces that are alike, but one is on a server that an earlier version set up; both
    verify at the end."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    made: dict[str, Team] = {}
    with ExitStack() as stack:
        for kind in (SHORT, LONG):
            database = pg_server.create()
            stack.callback(pg_server.drop, database)
            admin = Workspace.create(pg_server.url(database), "boss", "boss")
            stack.callback(admin.close)
            boss = Workspace.open(pg_server.url(database, "boss"))
            for name, role in STAFF.items():
                people.ensure_person(boss, name, role)
            if kind == LONG:
                with psycopg.connect(pg_server.url(database)) as connection:
                    connection.execute("DROP FUNCTION benchseal.skip_on")
            made[kind] = {"admin": admin, "boss": boss}
            for name in STAFF:
                made[kind][name] = Workspace.open(pg_server.url(database, name))
            for ws in made[kind].values():
                stack.callback(ws.close)
        yield made
        assert verify(made[SHORT]["boss"]).findings == ()


@pytest.fixture
def sent() -> Iterator[list[str]]:
    """The statements that go to any server."""
    with sent_statements() as statements:
        yield statements


def lay_out(ws: Team, **settings: object) -> None:
    make_task(ws["boss"], **settings)
    make_task(ws["boss"], "others", **settings)
    write_items(ws["ann"], ITEMS)
    write_items(ws["bob"], 3, author="bob", start=40)
    write_items(ws["ann"], 3, task="others", start=80)


def both(teams: dict[str, Team], deed: Callable[[Team], Any]) -> Any:
    """What came of it in both workspaces, which is the same."""
    results = []
    for ws in teams.values():
        try:
            results.append(deed(ws))
        except BenchsealError as error:
            results.append(f"{type(error).__name__}: {error}")
    assert results[0] == results[1]
    return results[0]


ROWS = {
    "item": "SELECT id, state, revision, open_slots, taken, disputed FROM item ORDER BY id",
    "assignment": "SELECT item_id, revision, stage, person_id, state, reason, gold, lease_until "
    "IS NULL FROM assignment ORDER BY id",
    "decision": "SELECT id, item_id, revision, stage, kind, person_id, verdict, reason, note, "
    "seconds, lot_id, withdrawn_event FROM decision ORDER BY id",
    "note": "SELECT person_id, item_id, place FROM note_draft",
}


def stored(ws: Team) -> dict[str, list[Any]]:
    """What a workspace holds, but times and what depends on them."""
    with ws["admin"].reading() as session:
        rows = {name: list(map(tuple, session.execute(text(sql)))) for name, sql in ROWS.items()}
        query = text("SELECT id, actor, kind, item_id, subject, data FROM event ORDER BY id")
        events = []
        for row in session.execute(query):
            told = json.loads(row.data)
            bound = {table: sorted(units) for table, units in told.pop("bound", {}).items()}
            events.append((*row[:5], list(told), told, bound))
        # digests of rows of which none has a time are the same
        rows["events"] = [one for one in events if one[2] not in ("workspace_made", "person")]
    return rows


def compare(teams: dict[str, Team]) -> None:
    """Both workspaces hold the same."""
    here, there = stored(teams[SHORT]), stored(teams[LONG])
    for table, rows in here.items():
        for row, other in zip(rows, there[table], strict=True):
            assert row == other, table


def step(ws: Team, seed: int, held: dict[str, list[int]]) -> Any:
    """One random deed of somebody; the same for the same seed."""
    rng = random.Random(seed)
    who = rng.choice(REVIEWERS)
    mine = held[who]
    number = rng.choice(mine or [1]) if rng.random() < 0.9 else rng.randrange(1, ITEMS + 5)
    deed = rng.random()
    if deed < 0.45:
        leave_out = tuple(rng.sample(mine, rng.randrange(len(mine) + 1)))
        card = review.next_card(ws[who], who, BENCHMARK, leave_out=leave_out)
        if card is not None and card.number not in mine:
            mine.append(card.number)
        return card
    if deed < 0.85:
        verdict = rng.choice(("accept", "accept", "accept", "reject", "return"))
        words = rng.choice(("", "schön “fine” \\ \x01\t\n 😀"))
        done = review.decide(
            ws[who], who, number, verdict, reason="ambiguous" if verdict == "reject" else "",
            note=words or ("say more" if verdict == "return" else ""),
            seconds=rng.choice((0.0, 12.0, 1e-05, 86_400.0, rng.random() * 100)),
            revision=rng.choice((None, 1, 1, 1)),
        )  # fmt: skip
        mine[:] = [other for other in mine if other != number]
        return done
    if deed < 0.92:
        review.skip(ws[who], who, number)
        mine[:] = [other for other in mine if other != number]
        return "skipped"
    if deed < 0.96:
        return undo.undo(ws[who], who)
    return review.claim_item(ws[who], who, number)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("settings", [
    {"overlap": 2}, {"overlap": 1, "skip": "to_end", "lease_minutes": 45},
], ids=["two", "one"])  # fmt: skip
def test_any_work_leaves_what_the_long_way_leaves(teams, sent, settings, seed):
    for ws in teams.values():
        lay_out(ws, **settings)
    held = {kind: {name: [] for name in REVIEWERS} for kind in teams}
    names = {id(ws): kind for kind, ws in teams.items()}
    sent.clear()
    for number in range(60):
        both(teams, lambda ws, n=number: step(ws, 1000 * seed + n, held[names[id(ws)]]))
    compare(teams)
    assert sum("decide(" in one for one in sent) > 10, "the short way was not taken"
    assert sum("next_to_review" in one for one in sent) > 10


def _paused(ws: Team) -> None:
    team.pause(ws["boss"], "cy", "a holiday", "boss")


def _given_to_others(ws: Team) -> None:
    team.assign(ws["boss"], [TASK], ["sue"], "boss")


def _few(ws: Team) -> None:
    team.assign(ws["boss"], [TASK], ["cy", "bob"], "boss", most=2)


def _gold(ws: Team) -> None:
    for number in write_items(ws["ann"], 3, start=90):
        for who in ("sue", "ruth"):
            review.claim_item(ws[who], who, number)
            review.decide(ws[who], who, number, "accept")
        gold.mark_gold(ws["ruth"], "ruth", number, "accept", "it is")


def _mixed_in(ws: Team) -> None:
    _gold(ws)
    tasks.set_protocol(ws["boss"], TASK, {"gold_rate": "0.5", "gold_limit": "0.5"}, person="boss")


def _qualification(ws: Team) -> None:
    _gold(ws)
    tasks.set_protocol(ws["boss"], TASK, {"qualification": "2"}, person="boss")


def _importing(ws: Team) -> None:
    with ws["admin"].writing() as session:
        task = benchmarks.tasks(session)[0].id
        pending_imports.hide(session, "i", task, "f", [4, 5, 6], None)


def _screened(ws: Team) -> None:
    screened(ws["admin"], 1, 7.5)


def _barred(ws: Team) -> None:
    meddle(ws["admin"], "UPDATE item SET barred = 'unpinned' WHERE id IN (2, 4)")


CIRCUMSTANCES = (_paused, _given_to_others, _few, _mixed_in, _qualification, _importing,
                 _screened, _barred)  # fmt: skip


@pytest.mark.parametrize("circumstance", CIRCUMSTANCES, ids=lambda one: one.__name__[1:])
def test_what_is_not_plain_is_done_and_refused_as_ever(teams, circumstance):
    for ws in teams.values():
        lay_out(ws, overlap=2)
    held = {kind: {name: [] for name in REVIEWERS} for kind in teams}
    names = {id(ws): kind for kind, ws in teams.items()}
    for number in range(8):  # so that nobody's first claim is still to come
        both(teams, lambda ws, n=number: step(ws, n, held[names[id(ws)]]))
    for ws in teams.values():
        circumstance(ws)
    for number in range(40):
        both(teams, lambda ws, n=number: step(ws, 500 + n, held[names[id(ws)]]))
    compare(teams)
    for ws in teams.values():  # what was laid out past the program is taken away again
        meddle(ws["admin"], "UPDATE item SET barred = ''")


def test_gold_items_and_a_round_that_was_passed_leave_most_claims_in_one_statement(teams, sent):
    for ws in teams.values():
        lay_out(ws, overlap=2)
        _gold(ws)
        values = {"gold_rate": "0.2", "gold_limit": "0.5", "qualification": "1"}
        tasks.set_protocol(ws["boss"], TASK, values, person="boss")
    alone = []

    def go_on(ws: Team) -> review.ReviewCard | None:
        sent.clear()
        card = review.next_card(ws["cy"], "cy", BENCHMARK)
        alone.append(len(sent) == 1)
        if card is not None:
            review.decide(ws["cy"], "cy", card.number, "accept", revision=card.revision)
        return card

    while both(teams, go_on) is not None:
        pass
    compare(teams)
    assert len(alone) == 2 * (ITEMS + 3 + 3 + 3 + 1)  # of both tasks, gold ones, and nothing
    assert sum(alone) >= 10, alone


@pytest.mark.parametrize("policy", ["to_end", "to_others", "with_reason"])
def test_the_first_claim_skips_and_gold_decisions_are_one_statement_each(teams, sent, policy):
    for ws in teams.values():
        lay_out(ws, overlap=2, skip=policy)
        _gold(ws)
        tasks.set_protocol(ws["boss"], TASK, {"gold_rate": "0.5"}, person="boss")
    counts: list[list[int]] = []

    def work(ws: Team) -> list[Any]:
        done: list[Any] = []
        counts.append([])
        for turn in range(15):
            sent.clear()
            card = review.next_card(ws["cy"], "cy", BENCHMARK)
            assert card is not None
            if turn == 0:
                counts[-1].append(len(sent))
            sent.clear()
            if turn % 3 == 2:
                review.skip(ws["cy"], "cy", card.number, 'too “long”\n"\\')
                done.append(card.number)
            else:
                done.append(review.decide(ws["cy"], "cy", card.number, "accept", note="so"))
            counts[-1].append(len(sent))
        return done

    both(teams, work)
    compare(teams)
    assert counts[0] == [1] * 16
    assert min(counts[1]) > 5
    kinds = [row[4] for row in stored(teams[SHORT])["decision"] if row[5] == 4]
    assert {"gold", "review"} == set(kinds)


def test_a_skip_without_the_words_that_it_needs_is_refused_as_ever(teams):
    for ws in teams.values():
        lay_out(ws, overlap=2, skip="with_reason")
    both(teams, lambda ws: review.next_card(ws["cy"], "cy", BENCHMARK))
    for words in ("", " \u2003"):
        said = both(teams, lambda ws, words=words: review.skip(ws["cy"], "cy", 1, words))
        assert "needs a reason" in said
    both(teams, lambda ws: review.skip(ws["cy"], "cy", 1, "、"))
    compare(teams)


def test_a_lease_is_as_long_as_the_protocol_says_and_renewed_when_a_tenth_is_over(teams):
    for ws in teams.values():
        lay_out(ws, overlap=1, lease_minutes=45)
    left = "SELECT round(extract(epoch FROM lease_until - {}) / 60) FROM assignment ORDER BY id"

    def minutes(ws: Team, since: str) -> list[float]:
        with ws["admin"].reading() as session:
            return [float(row[0]) for row in session.execute(text(left.format(since)))]

    for ws in teams.values():
        first = review.next_card(ws["cy"], "cy", BENCHMARK)
        review.next_card(ws["cy"], "cy", BENCHMARK, leave_out=(first.number,))
        assert minutes(ws, "at") == [45, 45]
        meddle(ws["admin"], "UPDATE assignment SET lease_until = now() + interval '40 minutes'")
        assert review.next_card(ws["cy"], "cy", BENCHMARK).number == first.number
        assert minutes(ws, "clock_timestamp()") == [45, 45]


def test_a_clock_that_was_set_back_is_told_by_the_long_way(teams):
    for ws in teams.values():
        lay_out(ws, overlap=1)
        card = review.next_card(ws["cy"], "cy", BENCHMARK)
        with ws["admin"].writing() as session:
            later = datetime.now(UTC) + timedelta(hours=1)
            ledger.append(session, ledger.NewEvent("bound", "boss"), at=later)
        assert isinstance(review.decide(ws["cy"], "cy", card.number, "accept"), CommittedDecision)
        with ws["admin"].reading() as session:
            assert ledger.event(session, ledger.tip(session)).data["clock"] < -3000


def test_what_the_step_wrote_is_told_to_the_window(teams):
    ws = teams[SHORT]
    lay_out(ws, overlap=1)
    first = review.next_card(ws["cy"], "cy", BENCHMARK)
    with ws["cy"].recording() as entries:
        second = review.next_card(ws["cy"], "cy", BENCHMARK, leave_out=(first.number,))
        done = review.decide(ws["cy"], "cy", first.number, "accept", revision=first.revision)
    assert second is not None
    told = [(entry.kinds, entry.first, entry.last) for entry in entries]
    assert told == [({"claimed"}, done.event - 1, done.event - 1),
                    ({"decided"}, done.event, done.event)]  # fmt: skip


def test_a_decision_is_on_the_disk_when_it_is_acknowledged(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    # nothing else brings the log to the disk in time
    lazy = {"fsync": "on", "synchronous_commit": "on", "wal_writer_delay": "10s"}
    with own_server(lazy) as server:
        database = server.create()
        Workspace.create(server.url(database), "boss", "boss").close()
        boss = Workspace.open(server.url(database, "boss"))
        people.ensure_person(boss, "cy", "annotator")
        make_task(boss, overlap=1)
        write_items(boss, 3, author="boss")
        cy = Workspace.open(server.url(database, "cy"))
        first = review.next_card(cy, "cy", BENCHMARK)
        second = review.next_card(cy, "cy", BENCHMARK, leave_out=(first.number,))
        done = review.decide(cy, "cy", second.number, "accept", revision=second.revision)
        server.kill()
        server.start()
        assert history.state_of(boss, second.number) == "accepted"
        with boss.reading() as session:
            assert ledger.tip(session) == done.event
        assert verify(boss).findings == ()
        # and what has left the workspace, although nobody was told of it
        assert review.next_card(cy, "cy", BENCHMARK).number == first.number
        assert review.next_card(cy, "cy", BENCHMARK, leave_out=(first.number,)) is not None
        with cy.reading() as session:
            tip = ledger.tip(session)
        cy.settle()
        server.kill()
        server.start()
        with boss.reading() as session:
            assert tip > done.event
            assert ledger.tip(session) == tip
        boss.close()
        cy.close()


TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40)
SECONDS = st.one_of(st.floats(0, 86_400), st.integers(0, 86_400).map(float),
                    st.floats(0, 1e-3))  # fmt: skip


@pytest.fixture(scope="module")
def steps(pg_server: PostgresServer) -> Iterator[psycopg.Connection]:
    """A connection to a server that knows the steps."""
    database = pg_server.create()
    Workspace.create(pg_server.url(database), "boss", "boss").close()
    with psycopg.connect(pg_server.url(database), autocommit=True) as connection:
        yield connection
    pg_server.drop(database)


@given(TEXTS, TEXTS, SECONDS, st.datetimes(timezones=st.just(UTC)))
def test_the_server_digests_rows_as_the_program_does(steps, reason, note, seconds, at):
    decision = {"id": 7, "item_id": 2**31 - 1, "revision": 3, "stage": 2, "kind": "review",
                "person_id": 5, "verdict": "reject", "reason": reason, "note": note,
                "seconds": seconds, "lot_id": None, "withdrawn_event": None,
                "at": at}  # fmt: skip
    claim = {"id": 2**40, "item_id": 4, "revision": 1, "stage": 2, "person_id": 5, "state": "done",
             "lease_until": None, "reason": reason, "gold": False, "at": at}  # fmt: skip
    for table, row in (("decision", decision), ("assignment", claim)):
        names = [column.name for column in METADATA.tables[table].columns]
        assert list(row) == names, "the server's digest has to learn of a new column"
        bound = bindings.bound_columns(bindings.BY_TABLE[table], names)
        line = bindings.line_of(bound, [row[name] for name in bound])
        places = ", ".join(f"%({name})s" for name in names)
        query = f"SELECT benchseal.{table}_digest(ROW({places})::{table})"
        assert steps.execute(query, row).fetchone() == (hashlib.sha256(line).hexdigest(),)
