"""The two-parameter model on simulated answers, against what the answers hold at all.

The issue asks that planted parameters come back with a correlation over 0.9 at 1,000 items × 40
models. Difficulty and ability do. A slope does not, by any method: forty answers hold too little
about one. Even whoever knew every ability and the true distributions would reach 0.67 where slopes
are uniform in 0.5…2, and over 0.9 only where they differ much; ``best_possible`` computes it. So
the tests ask for 0.9 where it can be had, and elsewhere for 97% of what can be had.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from core.analysis.response_model import ResponseModel, two_parameter_model
from core.errors import InputError

Floats = npt.NDArray[np.float64]
Curve = tuple[Floats, Floats]
"""Nodes and their weights."""


def correlation(a: Floats, b: Floats) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def answered(
    slope: Floats, place: Floats, ability: Floats, seed: int, guess: float = 0.0
) -> Floats:
    """Items × models of 0 and 1, from the model itself."""
    p = 1 / (1 + np.exp(-slope[:, None] * (ability - place[:, None])))
    drawn = np.random.default_rng([seed, 1]).random(p.shape)
    return (drawn < guess + (1 - guess) * p).astype(float)


def best_possible(answers: Floats, ability: Floats, slopes: Curve, places: Curve) -> Floats:
    """The mean of log a by whoever knows all abilities and the true distributions of a and b."""
    a, b = (grid.ravel() for grid in np.meshgrid(slopes[0], places[0], indexing="ij"))
    logit = np.outer(ability, a) - a * b
    logs = answers @ logit - np.logaddexp(0, logit).sum(0)
    logs += np.log(np.outer(slopes[1], places[1]).ravel())
    weight = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weight @ np.log(a) / weight.sum(axis=1), dtype=float)


def normal(nodes: Floats) -> Floats:
    return np.asarray(np.exp(-(nodes**2) / 2), dtype=float)


_Z = np.linspace(-3.5, 3.5, 41)
STANDARD = (_Z, normal(_Z))
UNIFORM = (np.linspace(0.5, 2, 41), np.ones(41))

DRAWS: dict[str, tuple[Callable[[np.random.Generator], Floats], Curve]] = {
    "uniform in 0.5 to 2": (lambda draw: draw.uniform(0.5, 2, 1000), UNIFORM),
    "lognormal, sd 0.5": (
        lambda draw: draw.lognormal(0, 0.5, 1000), (np.exp(0.5 * _Z), STANDARD[1])),
}  # fmt: skip


@pytest.mark.parametrize("design", DRAWS)
def test_forty_models_give_difficulty_and_ability_and_what_they_hold_of_slopes(
    design: str,
) -> None:
    draw = np.random.default_rng(4)
    planted, curve = DRAWS[design]
    slope, place, ability = planted(draw), draw.normal(0, 1, 1000), draw.normal(0, 1, 40)
    answers = answered(slope, place, ability, 4)
    found = two_parameter_model(answers)
    assert found.converged
    assert correlation(found.difficulty, place) > 0.9
    assert correlation(found.ability, ability) > 0.9
    best = correlation(best_possible(answers, ability, curve, STANDARD), np.log(slope))
    assert best < 0.8
    assert correlation(np.log(found.discrimination), np.log(slope)) > 0.97 * best


def test_forty_models_give_slopes_too_where_items_differ_much_in_them() -> None:
    """Slopes from 0.1 to 10, and models from weak to strong at even steps."""
    draw = np.random.default_rng(2)
    slope, place = draw.lognormal(0, 1, 1000), draw.uniform(-2, 2, 1000)
    ability = np.linspace(-3, 3, 40)
    found = two_parameter_model(answered(slope, place, ability, 2))
    assert correlation(np.log(found.discrimination), np.log(slope)) > 0.9
    assert correlation(found.ability, ability) > 0.99
    assert found.reliability > 0.7


def spread(models: int, items: int, seed: int) -> tuple[ResponseModel, Floats, Floats, Floats]:
    """A fit to the standard design, and what was planted."""
    draw = np.random.default_rng(seed)
    slope, place = draw.uniform(0.5, 2, items), draw.normal(0, 1, items)
    ability = draw.normal(0, 1, models)
    found = two_parameter_model(answered(slope, place, ability, seed))
    return found, slope, place, ability


def test_slopes_are_recovered_where_there_are_answers_enough_for_them() -> None:
    found, slope, place, _ = spread(1000, 100, 5)
    assert correlation(found.discrimination, slope) > 0.95
    assert correlation(found.difficulty, place) > 0.98
    assert found.reliability > 0.9


@pytest.mark.parametrize(("models", "items"), [(40, 400), (20, 60), (300, 40)])
def test_intervals_hold_the_planted_slopes_and_reliability_is_what_correlates(
    models: int, items: int
) -> None:
    found, slope, place, ability = spread(models, items, 7)
    # the sample's own spread of abilities is the unit of a, and its middle the zero of b
    unit, middle = np.polyfit(found.ability, ability, 1)
    inside = (found.discrimination_low < slope * unit) & (slope * unit < found.discrimination_high)
    assert 0.85 < inside.mean() <= 1
    off = np.abs(found.difficulty * unit + middle - place) / (found.difficulty_error * unit)
    assert 0.85 < (off < 2.5).mean() <= 1
    assert (found.discrimination_low < found.discrimination).all()
    assert (found.discrimination < found.discrimination_high).all()
    reached = correlation(np.log(found.discrimination), np.log(slope))
    assert found.reliability == pytest.approx(reached**2, abs=0.2)


def test_errors_of_abilities_hold_the_planted_ones_on_the_scale_of_the_models() -> None:
    """Of many items the scale once drifted up to 15% from that of the models: 0.81 held."""
    held = []
    for seed in range(3):
        draw = np.random.default_rng(seed)
        ability = draw.normal(0, 1, 40)
        ability = (ability - ability.mean()) / ability.std()
        slope, place = draw.lognormal(0.3, 0.35, 500), draw.normal(0, 1.2, 500)
        found = two_parameter_model(answered(slope, place, ability, seed))
        assert found.ability.mean() == pytest.approx(0, abs=1e-9)
        assert found.ability.var() + (found.ability_error**2).mean() == pytest.approx(1)
        held.append(np.abs(found.ability - ability) < 1.96 * found.ability_error)
    assert 0.9 < np.mean(held) <= 1


def test_errors_of_places_are_as_large_as_what_the_places_are_off() -> None:
    """A learned prior with peaks at the items themselves made errors 13% too small: 0.90 held."""
    off = []
    items = 100
    for seed in range(1, 6):
        draw = np.random.default_rng(seed)
        ability = draw.normal(0, 1, 300)
        ability = (ability - ability.mean()) / ability.std()
        slope, place = draw.lognormal(0.3, 0.35, items), draw.normal(0, 1.2, items)
        found = two_parameter_model(answered(slope, place, ability, seed))
        off.extend(((found.difficulty - place) / found.difficulty_error).tolist())
    assert 0.9 < np.std(off) < 1.08
    assert 0.93 < np.mean(np.abs(off) < 1.96) < 0.97


def test_places_in_two_heaps_are_not_drawn_to_one_middle() -> None:
    """The prior of places is learned from all items, so that it need not be a normal curve."""
    draw = np.random.default_rng(5)
    slope = draw.lognormal(0.3, 0.35, 300)
    place = np.where(draw.random(300) < 0.5, -1.5, 1.5) + draw.normal(0, 0.4, 300)
    ability = draw.normal(0, 1, 40)
    ability = (ability - ability.mean()) / ability.std()
    found = two_parameter_model(answered(slope, place, ability, 5))
    # under a normal curve of the same spread it is 0.44
    assert float(np.sqrt(np.mean((found.difficulty - place) ** 2))) < 0.38


def test_an_item_that_separates_the_models_perfectly_does_not_get_a_slope_of_its_own() -> None:
    """Without the cap on the tails, this draw ends in one slope of ten and all others near one."""
    found, slope, _, _ = spread(40, 1000, 2)
    assert found.discrimination.max() < 3
    assert correlation(found.discrimination, slope) > 0.6


def test_slopes_that_are_all_alike_are_not_told_apart() -> None:
    draw = np.random.default_rng(8)
    place, ability = draw.normal(0, 1, 300), draw.normal(0, 1, 20)
    found = two_parameter_model(answered(np.ones(300), place, ability, 8))
    assert found.reliability < 0.2
    assert found.discrimination.std() < 0.2


def test_guessing_one_in_ten_leaves_difficulty_and_ability() -> None:
    draw = np.random.default_rng(9)
    slope, place, ability = draw.uniform(0.5, 2, 300), draw.normal(0, 1, 300), draw.normal(0, 1, 40)
    found = two_parameter_model(answered(slope, place, ability, 9, guess=0.1))
    assert correlation(found.difficulty, place) > 0.85
    assert correlation(found.ability, ability) > 0.95


def test_missing_answers_cost_little_and_items_all_or_none_solve_stay_finite() -> None:
    draw = np.random.default_rng(6)
    slope, place, ability = draw.uniform(0.5, 2, 100), draw.normal(0, 1, 100), draw.normal(0, 1, 30)
    answers = answered(slope, place, ability, 6)
    whole = two_parameter_model(answers)
    answers[draw.random(answers.shape) < 0.2] = np.nan
    answers[0], answers[1], answers[2] = 1.0, 0.0, np.nan
    found = two_parameter_model(answers)
    for part in (found.discrimination, found.difficulty, found.difficulty_error):
        assert np.isfinite(part).all()
    assert found.difficulty[0] < place.mean() < found.difficulty[1]
    assert found.difficulty_error[2] > 0.8  # no answer: as wide as what is known of all items
    assert correlation(found.ability, whole.ability) > 0.97


@pytest.mark.parametrize("value", [0.0, 1.0, np.nan])
def test_models_that_all_answer_alike_are_level(value: float) -> None:
    found = two_parameter_model(np.full((5, 6), value))
    assert np.ptp(found.ability) == pytest.approx(0)
    assert np.isfinite(found.difficulty).all()
    assert found.reliability == pytest.approx(0, abs=1e-6)


def test_a_model_with_everything_right_is_the_ablest_and_one_with_nothing_the_least() -> None:
    draw = np.random.default_rng(3)
    place = draw.normal(0, 1, 50)
    answers = answered(np.ones(50), place, np.linspace(-1, 1, 8), 3)
    answers[:, 3], answers[:, 5] = 1.0, 0.0
    found = two_parameter_model(answers)
    assert found.ability.argmax() == 3
    assert found.ability.argmin() == 5
    assert np.abs(found.ability).max() < 4


def test_of_many_models_the_estimates_are_those_of_the_largest_marginal_likelihood() -> None:
    """Where answers outweigh priors: Bock and Aitkin's likelihood (1981), by SciPy's optimiser."""
    draw = np.random.default_rng(8)
    slope, place = draw.lognormal(0, 0.35, 12), draw.normal(0, 1, 12)
    answers = answered(slope, place, draw.normal(0, 1, 3000), 8)
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)

    def lost(values: Floats) -> tuple[float, Floats]:
        a, apart = np.exp(values[:12])[:, None], nodes - values[12:, None]
        none = np.logaddexp(0, a * apart)
        logs = answers.T @ (a * apart) - none.sum(0) + np.log(weights / weights.sum())
        whole = logsumexp(logs, axis=1, keepdims=True)
        at = np.exp(logs - whole)
        beyond = answers @ at - at.sum(0) * np.exp(a * apart - none)
        slopes = np.concatenate([(beyond * apart * a).sum(1), -(beyond * a).sum(1)])
        return -float(whole.sum()), -slopes

    best = minimize(lost, np.zeros(24), jac=True, method="L-BFGS-B")
    found = two_parameter_model(answers)
    assert found.discrimination == pytest.approx(np.exp(best.x[:12]), abs=0.06)
    assert found.difficulty == pytest.approx(best.x[12:], abs=0.1)
    curvature = np.array([lost(best.x + 1e-4 * step)[1] - lost(best.x - 1e-4 * step)[1]
                          for step in np.eye(24)]) / 2e-4  # fmt: skip
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))
    errors[:12] *= np.exp(best.x[:12])
    # from twelve items an ability is known poorly: taken as averages, errors were 0.6 of these
    assert 0.75 < (found.discrimination_error / errors[:12]).mean() < 1
    assert 0.7 < (found.difficulty_error / errors[12:]).mean() < 1


def test_too_few_items_or_models_are_refused() -> None:
    for shape in ((5, 3), (1, 40), (0, 0)):
        with pytest.raises(InputError, match="five models"):
            two_parameter_model(np.ones(shape))
