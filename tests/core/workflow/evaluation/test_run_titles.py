"""Runs of one model on one split are told apart by their time."""

from core.workflow.evaluation.run_titles import run_titles

FIRST, SECOND, THIRD = (f"2026013{day}-120500-evaluate-0a1b2c3d" for day in "012")


def test_a_model_that_was_asked_once_on_a_split_is_called_by_its_name():
    named = [(FIRST, "m", "july"), (SECOND, "m", "august"), (THIRD, "n", "july")]
    assert run_titles(named) == ("m", "m", "n")


def test_a_model_that_was_asked_again_has_the_time_of_each_run():
    named = [(FIRST, "m", "july"), (SECOND, "m", "july"), (THIRD, "n", "july")]
    assert run_titles(named) == ("m, 01-30 12:05 0a1b", "m, 01-31 12:05 0a1b", "n")
