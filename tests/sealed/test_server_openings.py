"""What uses a split that is opened for one model once, as somebody with ``psql`` tries it."""

import json
import threading
from collections.abc import Mapping
from contextlib import closing

import psycopg
import pytest

from core.workflow import people
from core.workflow.evaluation.start import EvaluateParams, start
from core.workflow.splits import lifecycle, openings
from tests.polling import until
from tests.sealed.private_items import ITEMS
from tests.sealed.team_place import LEAD, SPLIT, TeamPlace
from tests.splits import freeze_split

MODEL = "baseline:random"
ENTER = (
    "INSERT INTO run (id, kind, split_id, title, params, launcher, shards, summary, at) "
    "VALUES (%s, %s, 1, '', %s::jsonb, 'local', 1, '{}', now())"
)
ASKS = f'{{"engine": "{MODEL}", "split": "{SPLIT}"}}'
REFUSED = "42501"


@pytest.fixture
def opened(place: TeamPlace) -> TeamPlace:
    """The split was sealed under the policy and is opened for one model, once."""
    lifecycle.seal(place.ws, SPLIT, LEAD, openings.ONCE)
    lifecycle.open_split(place.ws, SPLIT, LEAD, "July", MODEL)
    return place


@pytest.mark.parametrize("kind", ["evaluate", "adaptive"])
def test_a_run_of_any_kind_that_asks_the_model_uses_the_opening(opened: TeamPlace, kind: str):
    assert opened.attempt("ruth", ENTER, "x", kind, ASKS) == ""
    with closing(opened.open("ruth")) as ws:
        run = start(ws, SPLIT, EvaluateParams(split=SPLIT, engine=MODEL), person="ruth").spec().id
    assert opened.attempt("ruth", ENTER, "x", kind, ASKS) == REFUSED
    people = f'{{"engine": "people", "model": "{MODEL}"}}'
    assert opened.attempt("ruth", ENTER, "x", kind, people) == REFUSED
    renamed = 'UPDATE run SET params = params || \'{"engine": "baseline:longest"}\''
    assert opened.attempt("ruth", renamed) == REFUSED
    judged = f'{{"model": "j", "of": "{run}"}}'
    assert opened.attempt("ruth", ENTER, "x", "judge", judged) == ""
    assert opened.attempt("ruth", ENTER, "x", "judge", '{"model": "j", "of": "?"}') == REFUSED


def test_no_other_kind_of_run_is_on_the_split_and_none_hides_it(opened: TeamPlace):
    for kind in ("finetune", "matrix", "prescreen", "rewrite", "generate"):
        assert opened.attempt("ruth", ENTER, "x", kind, ASKS) == REFUSED
    hidden = ENTER.replace("%s, 1,", "%s, NULL,")
    assert opened.attempt("ruth", hidden, "x", "evaluate", ASKS) == REFUSED


def test_a_run_that_asks_one_split_does_not_use_the_opening_of_another(opened: TeamPlace):
    freeze_split(opened.ws, {"文": ITEMS}, "other")
    lifecycle.seal(opened.ws, "other", LEAD, openings.ONCE)
    for name in ("other", SPLIT):
        asks = ASKS.replace(f'"{SPLIT}"', f'"{name}"')
        for home in ("1", "(SELECT max(id) FROM split)"):
            enter = ENTER.replace("%s, 1,", f"%s, {home},")
            code = opened.attempt("ruth", enter, "x", "evaluate", asks)
            assert (code == "") == (name == SPLIT and home == "1"), (name, home)


def test_no_table_of_ones_own_stands_in_the_place_of_the_ledger(opened: TeamPlace):
    with psycopg.connect(opened.server.url(opened.database, "ruth")) as connection:
        connection.execute(ENTER.encode(), ("x", "evaluate", ASKS))
        connection.execute("SET LOCAL search_path = pg_temp, public")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(ENTER.encode(), ("y", "adaptive", ASKS))


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_who_does_not_see_what_others_enter_enters_nothing(opened: TeamPlace, level: str):
    with psycopg.connect(opened.server.url(opened.database, "ruth")) as connection:
        connection.execute(f"SET TRANSACTION ISOLATION LEVEL {level}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="READ COMMITTED"):
            connection.execute(ENTER.encode(), ("x", "evaluate", ASKS))


def test_two_who_enter_a_run_at_once_use_an_opening_once(opened: TeamPlace):
    codes: list[str] = []

    def enter() -> None:
        codes.append(opened.attempt("ruth", ENTER, "y", "adaptive", ASKS))

    with psycopg.connect(opened.server.url(opened.database)) as first:
        first.execute(ENTER.encode(), ("x", "evaluate", ASKS))
        second = threading.Thread(target=enter)
        second.start()
        waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        until(lambda: bool(codes or opened.rows(waits)[0][0]))
        first.commit()
        second.join()
    assert codes == [REFUSED]


HASH = (
    "encode(sha256(convert_to('[' || concat_ws(',', (t.id + 1)::text, to_json(now.at)::text, "
    "to_json(v.actor)::text, '\"split\"', 'null', to_json(v.subject)::text, "
    "to_json(v.data)::text, to_json(t.hash)::text) || ']', 'UTF8')), 'hex')"
)
OPENS = (
    "INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, hash) "
    f"SELECT t.id + 1, now.at, v.actor, 'split', NULL, v.subject, v.data, t.hash, {HASH} "
    "FROM benchseal.ledger_tip() t, (VALUES (%s::text, %s::text, %s::text)) v (actor, subject, "
    "data), (SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', "
    "'YYYY-MM-DD\"T\"HH24:MI:SS.US') || '+00:00' AS at) now"
)


def _opening(place: TeamPlace, login: str, data: Mapping[str, object], actor: str = "") -> str:
    """Why the database refuses an opening that somebody writes past the program; empty where it
    takes it. It is rolled back."""
    with psycopg.connect(place.server.url(place.database, login)) as connection:
        try:
            connection.execute(OPENS.encode(), (actor or login, SPLIT, json.dumps(data)))
        except psycopg.errors.InsufficientPrivilege as error:
            return str(error.diag.message_primary)
        finally:
            connection.rollback()
    return ""


def _opens(place: TeamPlace) -> dict[str, object]:
    """What an opening of the split says but for its model."""
    digest = place.rows("SELECT manifest_hash FROM split WHERE id = 1")[0][0]
    return {"state": "opened", "reason": "again", "digest": digest}


def test_a_second_opening_by_a_statement_of_ones_own_needs_a_second_lead(opened: TeamPlace):
    people.ensure_person(opened.ws, "zoe", "lead")
    opens = _opens(opened)
    for again in (MODEL, f" {MODEL.title()}", f"./{MODEL}/"):
        refused = _opening(opened, LEAD, {**opens, "model": again})
        assert "second lead" in refused, again
    for unnamed in (opens, {**opens, "model": ""}):
        assert "names a model" in _opening(opened, LEAD, unnamed)
    assert _opening(opened, LEAD, {**opens, "model": "another"}) == ""
    assert _opening(opened, "zoe", {**opens, "model": MODEL}) == ""
    opened.say("zoe", {**opens, "model": MODEL})
    assert "second lead" in _opening(opened, "zoe", {**opens, "model": MODEL})


def test_nobody_is_a_second_lead_by_another_name_or_without_being_one(opened: TeamPlace):
    people.ensure_person(opened.ws, "zoe", "lead")
    data = {**_opens(opened), "model": MODEL}
    for login, actor in ((LEAD, "zoe"), ("ruth", "zoe"), ("ruth", "ruth"), ("sue", "sue"),
                         ("ann", "ann")):  # fmt: skip
        refused = _opening(opened, login, data, actor)
        assert refused, (login, actor)
        assert "second lead" not in refused, (login, actor)
    rename = "UPDATE event SET actor = 'zoe' WHERE kind = 'split'"
    assert opened.attempt(LEAD, rename) == REFUSED
