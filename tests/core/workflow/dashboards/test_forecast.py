"""The range of the day on which a target is reached holds as often as it says."""

from datetime import date, timedelta

import numpy as np
import pytest

from core.workflow.dashboards import DashboardRequest, draw
from core.workflow.dashboards.forecast import LEAST_DAYS, forecast
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.workspace import Workspace
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items

START = date(2026, 1, 1)


def test_what_one_task_has_too_many_of_does_not_stand_for_what_another_lacks(ws: Workspace) -> None:
    make_task(ws, "full", overlap=1, target=2)
    make_task(ws, "empty", overlap=1, target=3)
    accept_all(ws, write_items(ws, 6, task="full"), "li")
    board = draw("progress", DashboardRequest(ws, JudgementBook(ws), BENCHMARK, "li"))
    assert "2 of 5 items done" in board.sentence
    assert "4 more are done than their tasks need." in board.sentence
    assert "has been reached" not in board.sentence
    assert board.facts == {"done": 6, "target": 5}
    accept_all(ws, write_items(ws, 3, task="empty", start=9), "li")
    board = draw("progress", DashboardRequest(ws, JudgementBook(ws), BENCHMARK, "li"))
    assert "5 of 5 items done. The target has been reached." in board.sentence


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
