"""Words for every step, outcome and reason of rewriting."""

from core.rewriting import record, step_labels
from tests.core.rewriting.scripted_model import ENDS


def test_every_step_outcome_and_reason_has_its_words():
    assert all(step_labels.step_text(step) for step in record.STEPS)
    assert all(step_labels.outcome_text(o) for o in (*record.OUTCOMES, "unfinished"))
    assert all(
        bool(step_labels.reason_text(reason)) == bool(reason) for *_, reason in ENDS.values()
    )
