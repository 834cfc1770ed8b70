"""Keys of openings: one for each purpose, in the database, made late for older openings."""

import pytest
from sqlalchemy import delete, select

from core.errors import StateError
from core.workflow import people
from core.workflow.splits import lifecycle, opening_keys, openings
from core.workflow.workspace import Workspace
from db.tables import SPLIT_KEY
from tests.splits import freeze_split, varied

LEAD = "boss"


@pytest.fixture
def opened(ws: Workspace) -> Workspace:
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(3)]})
    lifecycle.seal(ws, "s", LEAD, openings.ONCE)
    return ws


def opening(ws: Workspace, model: str = "") -> int:
    with ws.reading() as session:
        return opening_keys.opening_for(session, "s", model)


def test_only_an_opened_split_has_an_opening(opened: Workspace):
    assert opening(opened) == 0
    lifecycle.open_split(opened, "s", LEAD, "july", "m")
    first = opening(opened)
    assert first > 0
    lifecycle.expire(opened, "s", LEAD)
    assert opening(opened) == 0


def test_each_opening_and_each_purpose_has_a_key_of_its_own(opened: Workspace):
    lifecycle.open_split(opened, "s", LEAD, "july", "m")
    first = opening(opened)
    lifecycle.open_split(opened, "s", LEAD, "july", "n")
    second = opening(opened)
    assert (opening(opened, "m"), opening(opened, "n"), opening(opened, "x")) == (
        first, second, second,
    )  # fmt: skip
    keys = {opening_keys.key_of(opened, one, purpose)
            for one in (first, second) for purpose in ("run a", "run b")}  # fmt: skip
    assert len(keys) == 4
    assert opening_keys.key_of(opened, first, "run a") in keys
    assert {len(key) for key in keys} == {32}
    with opened.reading() as session:
        secrets = {secret for (secret,) in session.execute(select(SPLIT_KEY.c.secret))}
    assert len(secrets) == 2
    assert not {key.hex() for key in keys} & secrets


def test_an_opening_of_an_earlier_version_gets_its_secret_when_it_is_used(opened: Workspace):
    lifecycle.open_split(opened, "s", LEAD, "july", "m")
    with opened.writing() as session:
        session.execute(delete(SPLIT_KEY))
    key = opening_keys.key_of(opened, opening(opened), "run a")
    assert key == opening_keys.key_of(opened, opening(opened), "run a")


def test_an_opening_that_there_is_not_has_no_key(opened: Workspace):
    with pytest.raises(StateError, match="locked"):
        opening_keys.key_of(opened, 10**6, "run a")
