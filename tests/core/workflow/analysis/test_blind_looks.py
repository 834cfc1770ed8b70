"""A second look without knowing: the item is answered first; key and models are told only then."""

import json
from dataclasses import asdict

import pytest

from core.cli import main
from core.errors import InputError, RightsError, StateError
from core.families.base import ItemContent
from core.workflow import people
from core.workflow.analysis import blind_looks, second_look
from core.workflow.evaluation.item_results import MissedItem
from core.workflow.items import history
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, varied

KEY, OTHER, THIRD = "hush", "loud", "odd"


def riddle(number: int) -> ItemContent:
    payload = {"question": f"What is the word of {number}?", "answers": [f"{KEY}{number}"]}
    return ItemContent("answer", "answer", payload, {"article": f"a{number}"}, "riddles")


@pytest.fixture
def asked(ws: Workspace) -> list[int]:
    """Three frozen questions without choices, two of which Li wants to be looked at again; Bo and
    Wu know nothing of them."""
    people.ensure_person(ws, "Li", "lead")
    people.ensure_person(ws, "Bo", "researcher")
    people.ensure_person(ws, "Wu", "specialist")
    freeze_split(ws, {"words": [riddle(n) for n in range(3)]})
    numbers = [int(member.uid) for member in freeze.members_of(ws, "s")]
    missed = [MissedItem(n, f"{KEY}{n}", OTHER, ("m1", "m2")) for n in numbers[:2]]
    second_look.run_for_numbers(ws, "second_look", numbers[:2], "Li", "see page 3", missed)
    return numbers


def test_nothing_that_is_shown_before_the_answer_tells_key_or_models(ws, asked):
    question = blind_looks.next_look(ws, "Bo")
    assert question is not None
    assert (question.number, question.left, question.knows) == (asked[0], 2, "")
    said = json.dumps(asdict(question))
    assert not any(word in said for word in (KEY, OTHER, "m1", "see page 3"))
    shown = json.dumps([asdict(one) for one in second_look.requests(ws, viewer="Bo")])
    assert not any(word in shown for word in (OTHER, "m1", "see page 3"))
    told = json.dumps([asdict(one) for one in second_look.requests(ws, viewer="Li")])
    assert all(word in told for word in (OTHER, "m1", "see page 3"))


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [(f"{KEY}0", "key"), (OTHER, "models"), (THIRD, "neither"), ("", "unknown")],
)
def test_the_answer_is_recorded_first_and_then_both_are_told(ws, asked, answer, agrees):
    found = blind_looks.look(ws, asked[0], "Bo", text=answer, unknown=not answer)
    assert (found.given, found.agrees, found.blind) == (answer, agrees, True)
    assert (found.key, found.answer, found.models) == (f"{KEY}0", OTHER, ("m1", "m2"))
    assert found.note == "see page 3"
    event = history.item_history(ws, asked[0], "Bo").events[-1]
    assert (event.kind, event.actor) == ("looked_again", "Bo")
    assert (event.data["agrees"], event.data["blind"]) == (agrees, True)
    assert [one.number for one in second_look.requests(ws, viewer="Bo")] == [asked[1]]
    with pytest.raises(StateError, match="not waiting"):
        blind_looks.look(ws, asked[0], "Bo", text=KEY)
    assert freeze.check(ws, "s") == []
    assert verify(ws).findings == ()


def test_who_asked_or_worked_on_the_item_is_not_blind_and_gets_those_items_last(ws, asked):
    assert blind_looks.next_look(ws, "Li").knows == "you requested this second look"
    second_look.run_for_numbers(ws, "looked_again", asked[:2], "Li", "begin again")
    second_look.run_for_numbers(ws, "second_look", asked[:1], "Bo", "?")
    second_look.run_for_numbers(ws, "second_look", asked[1:2], "Li", "?")
    question = blind_looks.next_look(ws, "Bo")
    assert (question.number, question.knows) == (asked[1], "")
    assert blind_looks.next_look(ws, "Bo", number=asked[0]).knows
    found = blind_looks.look(ws, asked[0], "Bo", text=f"{KEY}0")
    assert (found.agrees, found.blind, found.answer) == ("key", False, "")


def test_what_cannot_be_looked_at_is_refused_in_words(ws, asked):
    with pytest.raises(RightsError):
        blind_looks.next_look(ws, "Wu")
    with pytest.raises(StateError, match="not waiting"):
        blind_looks.next_look(ws, "Bo", number=asked[2])
    with pytest.raises(InputError, match="Write an answer"):
        blind_looks.look(ws, asked[0], "Bo", text=" ")
    with pytest.raises(InputError, match="not an answer to choose"):
        blind_looks.look(ws, asked[0], "Bo", choice="A")
    assert len(second_look.requests(ws, viewer="Bo")) == 2


def test_the_command_asks_and_then_tells(tmp_path, capsys):
    ws = Workspace.create(tmp_path / "w")
    people.ensure_person(ws, "Li", "lead")
    people.ensure_person(ws, "Bo", "researcher")
    freeze_split(ws, {"scp": [varied(n) for n in range(2)]})
    number = int(freeze.members_of(ws, "s")[0].uid)
    second_look.run_for_numbers(ws, "second_look", [number], "Li", "?",
                                [MissedItem(number, "A", "Selection 3", ("m1",))])  # fmt: skip
    words = ["--workspace", str(ws.place.folder), "second-look", "--blind", "--user", "Bo"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert f"second-look #{number} --blind --choice …" in said
    assert "m1" not in said
    (choice, *_) = json.loads(_json_of(words, capsys))["question"]["choices"]
    assert main([*words, f"#{number}", "--choice", choice]) == 0
    said = capsys.readouterr().out
    assert ("m1" in said, f"Your answer: {choice}" in said) == (True, True)
    assert main(words) == 0
    assert "No items are waiting" in capsys.readouterr().out
    assert main([*words, "--choice", choice]) == 2
    ws.close()


def _json_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main([*words, "--json"]) == 0
    return capsys.readouterr().out
