"""The size of a split is planned from its articles and from pilot runs of the workspace."""

import json
from dataclasses import replace

import pytest

from core.cli import main
from core.errors import InputError, StateError
from core.evaluation.power import ComparisonSettings, PairAssumptions
from core.families.base import ItemContent
from core.workflow.analysis import plan_size
from core.workflow.analysis.plan_size import SourceSizes
from core.workflow.evaluation.compare_runs import choices, every_pair
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.people import ensure_person
from core.workflow.workspace import Workspace
from tests.gui.leaderboard_workspace import answered
from tests.splits import freeze_split, varied


@pytest.fixture
def ws(tmp_path):
    made = Workspace.create(tmp_path / "w")
    ensure_person(made, "Li", "lead")
    freeze_split(made, {"t": [varied(number) for number in range(60)]}, "pilot")
    for model, share in (("a", 0.7), ("b", 0.5), ("c", 0.3)):
        answered(made, "pilot", model, share)
    yield made
    made.close()


def test_pilot_runs_say_how_often_two_models_differ(ws):
    pilot = plan_size.pilot_of(ws, "pilot")
    assert pilot.models == ("c", "b", "a")
    pairs = every_pair(ReportCache(ws), choices(ws))
    shares = [(len(pair.a_only) + len(pair.b_only)) / pair.n for pair in pairs]
    assert pilot.assumed.discordance == pytest.approx(sum(shares) / 3)
    assert pilot.low < pilot.assumed.discordance < pilot.high
    assert 0 <= pilot.assumed.icc <= 1
    assert (pilot.icc_known, pilot.caution) == (True, "few sources: 5")


def test_a_pilot_of_models_that_never_differ_does_not_promise_power(tmp_path):
    """Of 36 items no one tells two models apart, which as many as a tenth of all may do."""
    ws = Workspace.create(tmp_path / "alike")
    ensure_person(ws, "Li", "lead")
    freeze_split(ws, {"t": [alone(number) for number in range(36)]}, "pilot")
    for model in ("a", "b"):
        answered(ws, "pilot", model, 1.0)
    pilot = plan_size.pilot_of(ws, "pilot")
    # Wilson's for 0 of 36, as statsmodels gives it
    assert (pilot.low, pilot.high) == (0.0, pytest.approx(0.0964, abs=5e-5))
    assert (pilot.assumed.icc, pilot.icc_known) == (PairAssumptions().icc, False)
    sizes = SourceSizes((1,) * 400)
    plan = plan_size.plan(sizes, pilot.assumed, ComparisonSettings(), pilot=pilot)
    cautious = plan_size.plan(sizes, PairAssumptions(discordance=pilot.high), ComparisonSettings())
    assert plan.smallest_by_pilot == cautious.smallest > 2 * plan.smallest
    said = "\n".join(plan_size.sentences(plan))
    assert "0.0% of the items there (95% interval 0.0% to 9.6%, rough: few items: 36)" in said
    assert f"At 9.6% the smallest difference is {100 * cautious.smallest:.1f} points" in said
    assert "cannot be told from “pilot”" in said
    told = plan_size.plan(sizes, PairAssumptions(discordance=0.3), ComparisonSettings(),
                          pilot=pilot)  # fmt: skip
    assert told.smallest_by_pilot is None
    assert "95% interval" not in "\n".join(plan_size.sentences(told))
    ws.close()


def alone(number: int) -> ItemContent:
    return replace(varied(number), provenance={"article": f"own-{number}"})


def test_a_plan_is_of_the_sources_of_the_split_and_says_how_they_are_known(ws):
    sizes = plan_size.sizes_of(ws, split="pilot")
    assert sorted(sizes.counts) == [12] * 5
    plan = plan_size.plan(sizes, PairAssumptions(), ComparisonSettings())
    assert plan.smallest is not None  # all five articles on one side: p = 1/32
    said = "The items are from 5 sources (identified by the article or example)."
    assert said in plan_size.sentences(plan)
    fewer = plan_size.plan(SourceSizes(sizes.counts[:4]), PairAssumptions(), ComparisonSettings())
    assert fewer.smallest is None
    assert "can show no difference" in plan_size.sentences(fewer)[0]
    alone = plan_size.plan(SourceSizes((1,) * 4), PairAssumptions(), ComparisonSettings(), 0.0001)
    assert alone.smallest is None
    assert not [said for said in plan_size.sentences(alone)[:2] if "source" in said]
    with pytest.raises(StateError, match="--items"):
        plan_size.sizes_of(ws, benchmark="b")


def test_too_few_pilot_runs_and_odd_sizes_are_refused_in_words(ws):
    freeze_split(ws, {"u": [varied(number) for number in range(60, 70)]}, "new", "other")
    with pytest.raises(StateError, match="two models"):
        plan_size.pilot_of(ws, "new")
    for items, per_article in ((10, 0.5), (10, 11), (0, 1)):
        with pytest.raises(InputError):
            plan_size.stated_sizes(items, per_article)
    with pytest.raises(InputError):
        plan_size.plan(SourceSizes((1,) * 50), PairAssumptions(), ComparisonSettings(), -0.1)


def test_the_command_prints_plan_and_curve(ws, capsys):
    folder = str(ws.place.folder)
    words = ["--workspace", folder, "plan-size", "--items", "400", "--per-article", "5"]
    assert main([*words, "--difference", "0.08", "--pilot", "pilot", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["items"], plan["articles"], plan["pilot"]) == (400, 80, "pilot")
    smallest = [point["smallest"] for point in plan["curve"]]
    assert smallest == sorted(smallest, reverse=True)
    assert plan["smallest_difference"] in smallest
    assert main([*words, "--icc", "2"]) == 1
    assert "correlation within a source" in capsys.readouterr().err
    assert main([*words, "--csv"]) == 0
    assert capsys.readouterr().out.startswith("items,sources")
    assert main(["--workspace", folder, "plan-size", "pilot", "--items", "4"]) == 2


def test_the_power_of_few_sources_is_said_to_be_rough():
    few, enough, alone = (
        plan_size.plan(SourceSizes(sizes), PairAssumptions(), ComparisonSettings(), curve=False)
        for sizes in ((10,) * 10, (10,) * 11, (1,) * 9)
    )
    assert few.caution == few.as_json()["caution"] == "few sources: 10"
    assert any("power is rough" in said for said in plan_size.sentences(few))
    assert (enough.caution, alone.caution) == ("", "")
    assert not any("power is rough" in said for said in plan_size.sentences(enough))


def test_a_difference_that_cannot_be_is_refused_and_a_best_case_is_called_one():
    high = PairAssumptions(accuracy=0.95)
    with pytest.raises(InputError, match="at most 10 points"):
        plan_size.plan(SourceSizes((1,) * 100), high, ComparisonSettings(), 0.2)
    said = "Models that far apart differ on more items than the assumed {share}"

    def sentences(apart: float) -> str:
        assumed = PairAssumptions(discordance=apart)
        plan = plan_size.plan(SourceSizes((1,) * 100), assumed, ComparisonSettings(), curve=False)
        return "\n".join(plan_size.sentences(plan))

    assert said.format(share="0.0%") in sentences(0.0)
    assert "differ on more items" not in sentences(0.3)


def test_items_that_share_no_source_are_not_said_to_be_from_sources():
    def said(sizes: tuple[int, ...]) -> str:
        plan = plan_size.plan(SourceSizes(sizes), PairAssumptions(), ComparisonSettings(), 0.1)
        return plan_size.sentences(plan)[0]

    assert said((1,) * 9).startswith("9 items can show")
    assert said((2,) * 9).startswith("18 items from 9 sources can show")
