"""The interval of any look holds at all looks together, where the usual one does not."""

import numpy as np
import pytest

from core.evaluation.report_parts.any_look import any_look, width
from core.evaluation.scoring import AccuracyEstimate


def test_the_width_is_that_of_the_published_formula():
    # at t = 100 of 100, α = 0.05: ρ² = (5.9915 + log 6.9915)/100
    square = (5.991464547 + np.log(6.991464547)) / 100
    inside = 100 * square + 1
    assert width(100, 100) == pytest.approx(
        np.sqrt(2 * inside / (1e4 * square) * np.log(np.sqrt(inside) / 0.05))
    )
    assert width(100, 100) > 1.96 / 10, "looking often has its price"


def test_it_holds_at_all_looks_together():
    rng = np.random.default_rng(3)
    held, usual = [], []
    for _ in range(400):
        scores = rng.random(400) < 0.4
        fine = ordinary = True
        for n in range(20, 401, 10):
            part = AccuracyEstimate(n, int(scores[:n].sum()), None, clusters=n)
            found, interval = any_look(part, 400), part.interval
            fine = fine and found is not None and found.low <= 0.4 <= found.high
            ordinary = ordinary and interval.low <= 0.4 <= interval.high
        held.append(fine)
        usual.append(ordinary)
    assert np.mean(held) >= 0.93
    assert np.mean(usual) < 0.85


def test_too_few_answers_have_none():
    assert any_look(AccuracyEstimate(12, 6, None, clusters=12), 100) is None
    assert any_look(AccuracyEstimate(0, 0, None, clusters=0), 100) is None
