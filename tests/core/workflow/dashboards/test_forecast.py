"""The range of the day on which a target is reached holds as often as it says."""

from datetime import date, timedelta

import numpy as np
import pytest

from core.workflow.dashboards.forecast import LEAST_DAYS, forecast

START = date(2026, 1, 1)


@pytest.mark.parametrize("left", [100, 600])
def test_the_range_allows_for_the_days_to_come(left: int) -> None:
    rng = np.random.default_rng(left)
    held = 0
    for _ in range(300):
        work = rng.negative_binomial(3, 3 / 23, 400)
        done = np.cumsum(work[:7]).tolist()
        burn = tuple((START + timedelta(days=n), total) for n, total in enumerate(done))
        today = burn[-1][0]
        found = forecast(burn, done[-1], done[-1] + left, today)
        needed = 1 + int(np.searchsorted(np.cumsum(work[7:]), left))
        held += found.low <= today + timedelta(days=needed) <= (found.high or date.max)
    assert 0.86 <= held / 300 <= 0.98


def test_few_days_of_work_have_no_range() -> None:
    burn = tuple((START + timedelta(days=n), 10 * (n + 1)) for n in range(LEAST_DAYS - 1))
    found = forecast(burn, burn[-1][1], 500, burn[-1][0])
    assert found.day is not None
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize(
    ("days", "left", "said"),
    [(5, 400, "rough: 5 days of work"), (14, 20, "in whole days"), (14, 2000, "")],
)
def test_a_range_says_where_it_holds_less_or_more_often(days: int, left: int, said: str) -> None:
    rng = np.random.default_rng(days)
    done = np.cumsum(rng.negative_binomial(3, 3 / 23, days)).tolist()
    burn = tuple((START + timedelta(days=n), total) for n, total in enumerate(done))
    found = forecast(burn, done[-1], done[-1] + left, burn[-1][0])
    assert found.low is not None
    assert found.caution.startswith(said)
    assert bool(found.caution) == bool(said)
