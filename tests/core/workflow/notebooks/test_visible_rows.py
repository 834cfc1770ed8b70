"""What each role finds in the frames, before and after deciding: what the window would show."""

from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest

from core.errors import RightsError
from core.frames import open_workspace
from core.workflow import people, rights
from core.workflow.check import adjudicate, blinding, gold, rate, review
from core.workflow.items import history
from core.workflow.workspace import Workspace
from db import assignments
from db.vocabulary import Stage
from tests.workspaces import (
    BENCHMARK,
    make_task,
    ratings_of,
    screened,
    write_items,
)

FRAMES = ("items", "decisions", "ratings", "screenings")
SECRETS = ('"ann"', "'ann'", '"li"', "'li'", "ambiguous", "两解", "3.1415926", "通顺", "fluency")


@pytest.fixture
def number(ws) -> int:
    """An item by ann, scored, rated and rejected by li, that waits for a second reviewer."""
    for name, role in (
        ("kim", "annotator"), ("wu", "specialist"), ("max", "researcher"), ("boss", "lead"),
    ):  # fmt: skip
        people.ensure_person(ws, name, role)
    make_task(ws, overlap=2, rubric="coreeval", raters=3)
    (made,) = write_items(ws, 1)
    screened(ws, made, 3.1415926)
    rate.rate(ws, "li", made, {"fluency": 2})
    review.decide(ws, "li", made, "reject", reason="ambiguous", note="两解")
    return made


def read(place: str, user: str) -> dict[str, pd.DataFrame]:
    with open_workspace(place, user=user) as frames:
        return {name: getattr(frames, name)() for name in FRAMES}


def told(frames: dict[str, pd.DataFrame]) -> str:
    """Everything that the frames hold, the unused categories of their columns included."""
    words = [frame.to_json(force_ascii=False, date_format="iso") for frame in frames.values()]
    for frame in frames.values():
        for column in frame.select_dtypes("category"):
            words += [str(list(frame[column].cat.categories))]
    return "\n".join(words)


@pytest.mark.parametrize("user", ["kim", "wu", "max", "boss"])
def test_before_deciding_nobody_sees_anything_of_others(ws, location, number, user):
    assert review.next_card(ws, user, BENCHMARK).number == number
    frames = read(location, user)
    assert list(frames["items"]["item"]) == [number]
    assert frames["items"]["hidden"].all()
    for name in ("decisions", "ratings", "screenings"):
        assert frames[name].empty
    for secret in SECRETS:
        assert secret not in told(frames), secret


def test_an_annotator_is_not_told_that_others_are_at_work(ws, location, number):
    review.next_card(ws, "kim", BENCHMARK)
    row = read(location, "kim")["items"].iloc[0]
    assert row[["disputed", "changed_at", "author"]].isna().all()


@pytest.mark.parametrize("user", ["kim", "wu", "max", "boss"])
def test_after_ones_own_decision_everything_about_it_is_open(ws, location, number, user):
    review.decide(ws, user, number, "accept")
    frames = read(location, user)
    assert not frames["items"]["hidden"].any()
    assert list(frames["items"]["author"]) == ["ann"]
    assert sorted(frames["decisions"]["person"]) == sorted(["li", user])
    assert list(frames["screenings"]["score"]) == [3.1415926]
    assert frames["ratings"].empty  # these are open to who has rated
    rate.rate(ws, user, number, {"fluency": 3})
    assert sorted(read(location, user)["ratings"]["person"]) == sorted(["li", user])


@pytest.mark.parametrize("user", ["max", "boss"])
def test_who_asks_for_everything_sees_all_of_it_the_ledger_says_so_and_reviewing_ends(
    ws, location, number, user
):
    assert blinding.reveal_all(ws, user, BENCHMARK) == 1
    frames = read(location, user)
    assert list(frames["items"]["author"]) == ["ann"]
    assert list(frames["decisions"]["person"]) == ["li"]
    assert list(frames["ratings"]["value"]) == [2.0]
    assert list(frames["screenings"]["score"]) == [3.1415926]
    looked = [one for one in history.item_history(ws, number, "").events if one.kind == "revealed"]
    assert [one.actor for one in looked] == [user]
    with pytest.raises(RightsError, match="has seen the hidden details of item #"):
        review.decide(ws, user, number, "accept")
    assert blinding.reveal_all(ws, user) == 0, "what is open already is not written down again"


def test_who_holds_an_item_and_asks_for_everything_gives_it_back(ws, number):
    assert review.next_card(ws, "boss", BENCHMARK).number == number
    blinding.reveal_all(ws, "boss")
    assert review.next_card(ws, "boss", BENCHMARK) is None
    assert review.next_card(ws, "wu", BENCHMARK).number == number


def test_who_has_decided_and_asks_sees_the_ratings_too(ws, number):
    review.decide(ws, "boss", number, "accept")
    blinding.reveal(ws, "boss", number)
    assert ratings_of(ws, "boss", number) == {"li": {"fluency": 2.0}}
    assert review.queue(ws, "boss", BENCHMARK).done == 1


@pytest.mark.parametrize("user", ["kim", "wu"])
def test_only_researchers_and_leads_ask_for_everything(ws, number, user):
    with pytest.raises(RightsError, match="hidden"):
        blinding.reveal_all(ws, user)


@pytest.mark.parametrize("user", ["kim", "wu", "max", "boss"])
def test_the_frames_agree_with_the_history_of_every_item(ws, location, number, user):
    """The same rule for one item and for all of them."""
    make_task(ws, "more", overlap=2)
    others = write_items(ws, 4, task="more", start=1)
    review.decide(ws, "li", others[0], "accept")
    review.decide(ws, "zoe", others[0], "accept")  # settled
    review.decide(ws, "li", others[1], "accept")
    review.decide(ws, "zoe", others[1], "reject", reason="language")  # disputed
    review.decide(ws, "li", others[2], "return", note="写清楚")
    frames = read(location, user)
    if user == "kim":  # an annotator asks for no item's history, and none was theirs
        with pytest.raises(RightsError):
            history.item_history(ws, number, user)
        assert not set(frames["items"]["item"]) & {number, *others}
        assert not set(frames["decisions"]["item"]) & {number, *others}
        return
    for item in (number, *others):
        life = history.item_history(ws, item, user)
        rows = frames["items"][frames["items"]["item"] == item]
        assert list(rows["hidden"]) == [life.hidden]
        seen = frames["decisions"][frames["decisions"]["item"] == item]
        assert list(seen["decision"]) == [d.id for d in life.decisions]


def test_an_adjudicator_who_has_settled_sees_it(ws, location, number):
    review.decide(ws, "wu", number, "accept")
    adjudicate.settle(ws, "max", number, "accept")
    assert len(read(location, "max")["decisions"]) == 3


def test_annotators_get_the_items_that_they_worked_on(ws, location, number):
    mine, *_ = write_items(ws, 2, author="kim", start=5)
    review.decide(ws, "kim", number, "accept")
    items = read(location, "kim")["items"]
    assert set(items["item"]) == {number, mine, mine + 1}
    own = items[items["item"] != number]
    assert set(own["author"]) == {"kim"}, "who wrote an item knows that"
    assert len(read(location, "wu")["items"]) == 3


def test_an_earlier_revision_is_as_hidden_as_the_present_one_but_for_ones_own(ws, location, number):
    from core.workflow.production import write
    from tests.workspaces import payload

    review.decide(ws, "wu", number, "return", note="写清楚")
    write.revise(ws, "ann", number, payload("第二稿"))
    review.decide(ws, "li", number, "accept")
    assert read(location, "boss")["decisions"].empty
    assert list(read(location, "wu")["decisions"]["person"]) == ["wu"]
    seen = read(location, "li")["decisions"]
    assert set(seen["revision"]) == {1, 2}
    assert {"li", "wu"} <= set(seen["person"])


# --- gold ------------------------------------------------------------------------------------


def hand_as_gold(ws: Workspace, item: int, name: str) -> None:
    """The draw, which is random, gave this gold item to this person."""
    with ws.writing() as session:
        person = rights.known_person(session, name)
        lease = timedelta(minutes=30)
        assignments.lease_item(session, item, person.id, Stage.CHECK, lease, gold=True)


@pytest.fixture
def shown_as_gold(ws, number) -> int:
    """A settled item whose verdict is known, in the hands of kim as if it were under review."""
    make_task(ws, "golden", overlap=1)
    (known,) = write_items(ws, 1, task="golden", start=10)
    review.decide(ws, "li", known, "accept")
    gold.mark_gold(ws, "boss", known, "reject")
    hand_as_gold(ws, known, "kim")
    return known


@pytest.mark.parametrize("decided", [False, True])
def test_a_gold_item_looks_like_every_other_to_its_reviewer(ws, location, shown_as_gold, decided):
    if decided:
        review.decide(ws, "kim", shown_as_gold, "accept")
    frames = read(location, "kim")
    row = frames["items"].set_index("item").loc[shown_as_gold]
    assert row["state"] == "in_review"
    assert pd.isna(row["gold"])
    assert bool(row["hidden"]) is not decided
    assert "gold" not in set(frames["decisions"]["kind"])
    assert "'gold'" not in told(frames)


@pytest.mark.parametrize(("user", "knows"), [("wu", False), ("max", True), ("boss", True)])
def test_gold_is_for_researchers_and_leads(ws, location, shown_as_gold, user, knows):
    review.decide(ws, "kim", shown_as_gold, "accept")
    frames = read(location, user)
    row = frames["items"].set_index("item").loc[shown_as_gold]
    assert row["state"] == "accepted"
    assert (not pd.isna(row["gold"])) is knows
    assert ("gold" in set(frames["decisions"]["kind"])) is knows


# --- runs and answers ------------------------------------------------------------------------


@pytest.mark.parametrize("user", ["kim", "wu"])
def test_runs_and_answers_are_for_researchers_and_leads(ws, location, number, user):
    with open_workspace(location, user=user) as frames:
        for ask in (frames.runs, lambda: frames.answers("r1")):
            with pytest.raises(RightsError, match="researcher"):
                ask()


def test_answers_to_an_item_in_ones_hands_are_hidden(ws, location, tmp_path: Path):
    """A frozen item can come back to a reviewer as gold."""
    from core.workflow.splits import freeze
    from tests.finished_runs import take_in_answers

    people.ensure_person(ws, "boss", "lead")
    make_task(ws, overlap=1)
    first, second = write_items(ws, 2)
    for item in (first, second):
        review.decide(ws, "li", item, "accept")
    freeze.freeze(ws, "s", BENCHMARK, "boss")
    gold.mark_gold(ws, "boss", first, "accept")
    replies = {member.uid: "春" for member in freeze.members_of(ws, "s")}
    run = take_in_answers(ws, tmp_path, replies)
    with open_workspace(location, user="boss") as frames:
        assert set(frames.answers(run)["item"]) == {first, second}
        hand_as_gold(ws, first, "boss")
        assert set(frames.answers(run[:-2])["item"]) == {second}


def test_the_command_reveals_everything(sqlite_ws: Workspace, place, capsys):
    from core.cli import main

    make_task(sqlite_ws, overlap=2)
    write_items(sqlite_ws, 3)
    people.ensure_person(sqlite_ws, "boss", "lead")
    sqlite_ws.close()
    ask = ["--workspace", str(place), "reveal", "--user", "boss", "--json"]
    assert main([*ask, "--all"]) == 0
    assert '"items": 3' in capsys.readouterr().out
    assert main(ask) != 0
