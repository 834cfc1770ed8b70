"""The plan and its odds in words."""

from core.audit.sampling import SamplingPlan, meaning
from gui.panels.audit.odds import odds_words


def test_a_lot_smaller_than_the_sample_is_drawn_whole_and_no_more_than_that():
    said = odds_words(meaning(SamplingPlan(20, 0), lot=18))
    assert said == (
        "18 drawn, no failures allowed: the lot has only 18 items, so all of them are audited."
    )
    assert odds_words(meaning(SamplingPlan(20, 1), lot=400)).startswith(
        "20 drawn, 1 failure allowed: a lot with 10% defects passes"
    )


def test_a_pass_never_rules_out_the_share_it_names():
    """1 defect in 25 items is 4%, and a lot with it passes one time in five."""
    said = odds_words(meaning(SamplingPlan(20, 0), lot=25))
    assert "Passing shows at most 4% defects at 95% confidence." in said
    for lot in range(21, 400, 7):
        found = meaning(SamplingPlan(20, 1), lot=lot)
        said = odds_words(found)
        named = float(said.partition("at most ")[2].partition("%")[0]) / 100
        assert named >= found.proves_at_most - 1e-9


def test_a_small_lot_is_said_in_items_for_no_share_of_it_is_less_than_one():
    said = odds_words(meaning(SamplingPlan(20, 0), lot=30))
    assert said.startswith(
        "20 drawn, no failures allowed: a lot of 30 passes 3% of the time with 3 defective items, "
        "10% with 2, 33% with 1."
    )
    assert "100%" not in odds_words(meaning(SamplingPlan(1, 0), lot=2))
