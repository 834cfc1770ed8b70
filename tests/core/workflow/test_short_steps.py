"""How many things a transaction changes while others wait, and where nobody does."""

import pytest

from core.workflow import short_steps
from core.workflow.short_steps import FEW, MOST, ShortSteps


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No transaction takes any time."""
    monkeypatch.setattr(short_steps.time, "monotonic", lambda: 0.0)
    monkeypatch.setattr(short_steps.time, "thread_time", lambda: 0.0)
    monkeypatch.setattr(short_steps, "_GAP", 0.0)


def done(steps: ShortSteps, *newest: int) -> int:
    steps.begin()
    steps.end(*newest)
    return steps.size


def grown(steps: ShortSteps, first: int, *, between: int = 0) -> int:
    """The size after many steps of ten events, ``between`` which somebody else writes some."""
    for _ in range(12):
        done(steps, first, first + 10)
        first += 10 + between
    return steps.size


@pytest.mark.usefixtures("quick")
def test_who_is_alone_takes_longer_steps() -> None:
    steps = ShortSteps()
    assert steps.size == FEW
    assert grown(steps, 5) > MOST
    assert not steps.others


@pytest.mark.usefixtures("quick")
def test_steps_are_short_for_good_once_somebody_else_has_written() -> None:
    steps = ShortSteps()
    assert grown(steps, 5) > MOST
    assert done(steps, 126, 136) <= MOST
    assert steps.others
    assert grown(steps, 136) == MOST
    assert grown(ShortSteps(), 5, between=1) == MOST


@pytest.mark.usefixtures("quick")
def test_who_does_not_look_is_never_alone() -> None:
    steps = ShortSteps()
    for _ in range(12):
        done(steps)
    assert steps.size == MOST


def test_a_step_that_takes_long_is_followed_by_a_shorter_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(short_steps.time, "monotonic", lambda: float(next(clock)))
    assert done(ShortSteps()) == short_steps.LEAST
