"""Evaluation with a fifth of the items: how near it comes to the score on all, by size of the bank.

Items with slopes exp(N(0.3, 0.35²)) and places N(0, 1.2²), models N(0, 1). Methods: adaptive by a
bank that is known, or calibrated by 40 models; a random fifth; and a random fifth with a regression
on what the other models answered, which needs no model of the answers (the difference estimator of
Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, section 6.3).
``BENCHSEAL_BENCH_MODELS`` sets how many new models are asked (100), ``BENCHSEAL_BENCH_SIZES`` the
sizes.

A last table stands beside the goal, a fifth within 1.5 points for 95 of 100 models: by how many
models calibrate and by size, over ``BENCHSEAL_BENCH_BANKS`` banks (30) and 40 new models of each,
with the 95% interval over banks, since all models of a bank share its errors.
``BENCHSEAL_BENCH_OTHERS`` sets how many calibrate, ``BENCHSEAL_BENCH_GOALS`` the sizes.
"""

import os

import numpy as np
import numpy.typing as npt

from core.analysis.item_bank import (
    FIFTH,
    AdaptiveScore,
    AdaptiveSession,
    ItemBank,
    calibrated,
)
from core.evaluation.clusters import mean_spread
from core.evaluation.mean_interval import mean_interval

Floats = npt.NDArray[np.float64]
SIZES = "500 1000 2000 3500 5000 7000 10000 14000"
OTHERS = 40
WITHIN = 0.015
GOALS, CALIBRATING, GOAL, OF_A_BANK = "5000 6000 7000 8000 10000", "10 20 40 80", 0.95, 40


def regressed(own: Floats, others: Floats, chosen: npt.NDArray[np.int64]) -> tuple[float, float]:
    """The score on all items from those chosen at random, and half of its 95% interval: a straight
    line on the share of other models that are right, and on the answers of the three most alike."""
    asked = others[chosen]
    alike = np.argsort(-np.abs(asked - own[chosen, None] < 0.5).mean(0))[:3]
    shares = np.column_stack([np.ones(len(own)), others.mean(1), others[:, alike].mean(1)])
    line, *_ = np.linalg.lstsq(shares[chosen], own[chosen], rcond=None)
    rest = own[chosen] - shares[chosen] @ line
    count, total = len(chosen), len(own)
    error = np.sqrt(rest @ rest / (count - 3) / count * (1 - count / total))
    return float((shares @ line).mean() + rest.mean()), 1.96 * float(error)


def simulated(rng: np.random.Generator, items: int, models: int) -> tuple[Floats, Floats, Floats]:
    """Slopes, places and what ``models`` answered: items × models of 1 and 0."""
    slopes, places = np.exp(rng.normal(0.3, 0.35, items)), rng.normal(0, 1.2, items)
    return slopes, places, answered(rng, slopes, places, models)


def answered(rng: np.random.Generator, slopes: Floats, places: Floats, models: int) -> Floats:
    """What new models answer: items × models of 1 and 0."""
    chances = 1 / (1 + np.exp(-slopes[:, None] * (rng.normal(size=models) - places[:, None])))
    return (rng.random(chances.shape) < chances).astype(float)


def beside_the_goal() -> None:
    """Print how often a fifth comes within 1.5 points, for each size and number of models."""
    banks = int(os.environ.get("BENCHSEAL_BENCH_BANKS", "30"))
    print(f"{banks} banks x {OF_A_BANK} models: share within 1.5 points, goal {GOAL}")
    for count in map(int, os.environ.get("BENCHSEAL_BENCH_OTHERS", CALIBRATING).split()):
        for items in map(int, os.environ.get("BENCHSEAL_BENCH_GOALS", GOALS).split()):
            rng = np.random.default_rng([21, count, items])
            ids, near, held, of, enough = tuple(map(str, range(items))), [], [], [], []
            for number in range(banks):
                slopes, places, others = simulated(rng, items, count)
                bank = calibrated(ids, others)
                enough.append(bank.size_for(FIFTH, WITHIN) or np.inf)
                for own in answered(rng, slopes, places, OF_A_BANK).T:
                    one = AdaptiveSession(bank, 0.0, FIFTH).run(own.tolist().__getitem__)
                    near.append(float(abs(one.score - own.mean()) <= WITHIN))
                    held.append(float(one.low <= own.mean() <= one.high))
                    of.append(str(number))
            spread = mean_spread(near, of, binary=True)
            found = mean_interval(spread)
            low, high = found.low or 0.0, 1.0 if found.high is None else found.high
            verdict = "reached" if low >= GOAL else "missed" if high < GOAL else "not told apart"
            print(f"   {count:>3} models, {items:>6,} items: "
                  f"{spread.mean:.3f} ({low:.3f}-{high:.3f}) {verdict:<14}  "
                  f"intervals hold {np.mean(held):.3f}  "
                  f"enough, as the bank says: {np.median(enough):,.0f}", flush=True)  # fmt: skip


def _size(bank: ItemBank) -> str:
    size = bank.size_for(FIFTH, WITHIN)
    return "no number" if size is None else f"{size:,}"


def main() -> None:
    """Print a block for each size, a line for each method; then the table beside the goal."""
    models = int(os.environ.get("BENCHSEAL_BENCH_MODELS", "100"))
    rng = np.random.default_rng(20)
    print(f"{models} new models, a fifth of the items; errors against all items in points")
    for items in map(int, os.environ.get("BENCHSEAL_BENCH_SIZES", SIZES).split()):
        slopes, places, others = simulated(rng, items, OTHERS)
        ids = tuple(str(n) for n in range(items))
        known = ItemBank(ids, slopes, places, np.zeros(items))
        made = calibrated(ids, others)
        found: dict[str, list[tuple[float, float]]] = {}
        for _ in range(models):
            own = answered(rng, slopes, places, 1)[:, 0]
            answers = own.tolist().__getitem__
            for name, bank in (("adaptive, known bank", known), ("adaptive, calibrated", made)):
                one: AdaptiveScore = AdaptiveSession(bank, 0.0, FIFTH).run(answers)
                found.setdefault(name, []).append((one.score - own.mean(), one.half_width))
            chosen = rng.choice(items, items // 5, replace=False)
            share = own[chosen].mean()
            reach = 1.96 * np.sqrt(share * (1 - share) / len(chosen) * (1 - FIFTH))
            found.setdefault("random fifth", []).append((share - own.mean(), reach))
            score, reach = regressed(own, others, chosen)
            found.setdefault("random, regression", []).append((score - own.mean(), reach))
        print(f"{items} items; enough, as the bank says: {_size(made)} "
              f"(known {_size(known)})", flush=True)  # fmt: skip
        for name, pairs in found.items():
            errors, reaches = np.abs(np.array(pairs)).T
            print(f"   {name:<22} within 1.5: {np.mean(errors <= WITHIN):.2f}  95% within "
                  f"{100 * np.quantile(errors, 0.95):.2f}  interval ± {100 * reaches.mean():.2f} "
                  f"holds {np.mean(errors <= reaches):.2f}", flush=True)  # fmt: skip
    beside_the_goal()


if __name__ == "__main__":
    main()
