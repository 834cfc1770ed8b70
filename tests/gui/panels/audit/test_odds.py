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
