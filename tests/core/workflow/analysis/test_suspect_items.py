"""Suspect keys of a split, from runs to a second look; errata, with and without which scores are
shown."""

import json
import random

import pytest

from core.cli import main
from core.errors import InputError, NotFoundError, RightsError, StateError
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import AnswerKey, keys_of
from core.workflow.analysis import second_look, suspect_items
from core.workflow.evaluation import errata, score_run
from core.workflow.evaluation.compare_runs import choices, match, with_others
from core.workflow.evaluation.item_results import as_missed
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.items import history
from core.workflow.people import ensure_person
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.finished_runs import finished_run
from tests.splits import freeze_split, varied

SKILLS = {"a": 0.95, "b": 0.9, "c": 0.85, "d": 0.5, "e": 0.4, "f": 0.3}


def _other(key: AnswerKey) -> str:
    """Another answer than the key, in the format of the item."""
    last = key.answer[-1]
    first, second = "12" if last.isdigit() else "AB"
    return key.answer[:-1] + (second if last == first else first)


def plant(ws: Workspace) -> int:
    """Six models on a split of 60 items, of which the able ones all contradict one key."""
    ensure_person(ws, "Li", "lead")
    ensure_person(ws, "Wu", "researcher")
    freeze_split(ws, {"t": [varied(number) for number in range(60)]})
    keys = keys_of(freeze.members_of(ws, "s"))
    planted = keys[17].id
    for model, skill in SKILLS.items():
        draw = random.Random(model)
        rows = []
        for key in keys:
            right = draw.random() < skill
            if key.id == planted:
                right = skill < 0.8
            rows.append({"id": key.id, "text": key.answer if right else _other(key)})
        params = EvaluateParams(engine="openai", model=model, split="s")
        finished_run(ws, "evaluate", params, rows)
    return int(planted)


@pytest.fixture
def planted(ws: Workspace) -> int:
    return plant(ws)


def test_the_key_that_able_models_contradict_comes_first_and_gets_a_second_look(ws, planted):
    found = suspect_items.ranked(ws, "s", viewer="Li")
    first = found.keys[0]
    assert (int(first.id), set(first.agreeing)) == (planted, {"a", "b", "c"})
    assert first.probability > 0.5 > found.keys[1].probability
    second_look.run_for_numbers(ws, "second_look", [planted], "Li", "?", as_missed(found.keys))
    (request,) = second_look.requests(ws, viewer="Li")
    assert (request.number, request.answer) == (planted, first.answer)
    with pytest.raises(StateError, match="two or more"):
        suspect_items.ranked(ws, "s", viewer="Li", models=("a", "nobody"))


def test_compare_lists_suspect_keys_the_most_suspect_first(ws, planted):
    cache, runs = ReportCache(ws), choices(ws)
    comparison = with_others(cache, match(cache, runs[0], runs[1]), runs)
    assert [int(comparison.a[at].id) for at in comparison.rows("suspect")] == [planted]
    assert match(cache, runs[0], runs[1]).count("suspect") == 0


def test_scores_are_shown_with_and_without_errata_and_the_split_stays(ws, planted):
    run = next(choice.run for choice in choices(ws) if choice.model == "a")
    cache = ReportCache(ws)
    before = cache.report(run)
    assert "without_errata" not in before.origin
    with pytest.raises(RightsError):
        errata.declare(ws, [planted], "Wu", "two answers fit")
    assert errata.declare(ws, [planted], "Li", "two answers fit") == (planted,)
    after = cache.report(run)
    rest = after.origin["without_errata"]
    assert after.total == before.total
    assert (rest["items"], rest["n"]) == ([str(planted)], before.total.n - 1)
    assert rest["accuracy"] == pytest.approx(before.total.correct / (before.total.n - 1))
    assert f"#{planted}" in errata.errata_sentence(after)
    event = history.item_history(ws, planted, "Li").events[-1]
    assert (event.kind, event.data["note"]) == ("erratum", "two answers fit")
    assert freeze.check(ws, "s") == []
    assert verify(ws).findings == ()
    errata.withdraw(ws, [planted], "Li", "the key is right after all")
    assert "without_errata" not in score_run.report(ws, run).origin
    assert errata.errata(ws) == ()


def test_errata_are_refused_in_words(ws, planted):
    with pytest.raises(InputError, match="reason"):
        errata.declare(ws, [planted], "Li", " ")
    with pytest.raises(NotFoundError):
        errata.declare(ws, [10_000], "Li", "gone")
    with pytest.raises(StateError, match="None of these"):
        errata.withdraw(ws, [planted], "Li", "never was")
    errata.declare(ws, [planted], "Li", "wrong")
    with pytest.raises(StateError, match="already"):
        errata.declare(ws, [planted], "Li", "wrong")


def test_the_commands_list_ask_and_declare(tmp_path, capsys):
    ws = Workspace.create(tmp_path / "w")
    planted = plant(ws)
    folder = ["--workspace", str(ws.place.folder)]
    words = [*folder, "suspect-keys", "s", "--user", "Li", "--top", "3"]
    assert main([*words, "--second-look", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (len(found["items"]), found["items"][0]["id"]) == (3, str(planted))
    assert len(second_look.requests(ws, viewer="Li")) == 3
    assert main([*folder, "erratum", f"#{planted}", "--reason", "wrong", "--user", "Li"]) == 0
    assert main([*folder, "erratum", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["errata"][0]["reason"] == "wrong"
    run = next(choice.run for choice in choices(ws) if choice.model == "a")
    assert main([*folder, "report", run]) == 0
    assert f"Without errata (#{planted})" in capsys.readouterr().out
    assert main([*folder, "erratum", "--withdraw"]) == 2
    ws.close()
