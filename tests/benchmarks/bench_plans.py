"""As ``bench_coverage``, for what is said before or beside an evaluation: power of a planned split,
forecasts, means over tasks, item analysis, the scales of two periods linked by anchors, shallow
solvers, and people's ratings beside scores.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from core.analysis.artifacts.artifact_audit import audit_items
from core.analysis.cif import TaskScore, cif_analysis, human_verification
from core.analysis.item_bank import ItemBank, linked, linking_caution
from core.analysis.response_model import few_models, two_parameter_model
from core.evaluation.clusters import spread_over_tasks
from core.evaluation.compare import clustered_mcnemar, sources_caution
from core.evaluation.mean_interval import caution, mean_interval
from core.evaluation.metrics.f1 import macro_f1_by_item
from core.evaluation.power import (
    ComparisonSettings,
    PairAssumptions,
    smallest_difference,
    spread_sizes,
)
from core.families import family
from core.families.base import ItemContent
from core.workflow.analysis.leaderboard_figures import over_tasks
from core.workflow.dashboards.forecast import forecast
from tests.benchmarks.bench_coverage import Random, Tally, line, print_tables

Floats = npt.NDArray[np.float64]
SAMPLES = 300


def power(samples: int, rng: Random) -> None:
    """The smallest difference that a split is said to show with 80%, and none at all, met by
    models that lean two ways by article, which the plan does not assume, with its difference and
    its correlation within an article."""
    print("-- power: 80% at the difference that plan-size says, 3 to 7 of 100 where there is none")
    for articles, each, icc in ((10, 10, 0.05), (30, 10, 0.05), (100, 3, 0.1), (300, 1, 0.0)):
        assumed = PairAssumptions(discordance=0.3, icc=icc)
        sizes = spread_sizes(articles * each, articles)
        smallest = smallest_difference(sizes, assumed, ComparisonSettings()) or 0.0
        found, none = Tally(), Tally()
        for _ in range(10 * samples):
            for truth, tally in ((smallest, found), (0.0, none)):
                variance = icc * (0.3 - truth**2)
                high = min(0.3, truth + np.sqrt(variance))
                low = truth - variance / (high - truth) if variance else truth
                often = (truth - low) / (high - low) if variance else 1.0
                level = np.where(rng.random(articles) < often, high, low)
                chance = np.repeat(level, each)
                u = rng.random(len(chance))
                ahead = (u < (0.3 + chance) / 2).astype(int) - (u > 1 - (0.3 - chance) / 2)
                p = clustered_mcnemar(ahead.reshape(articles, each).sum(1).tolist())
                tally.count(p < 0.05, bool(sources_caution(articles, articles - 1)))
        name = f"{articles} articles, {each} each: {100 * smallest:.1f}"
        line(name, (("power", found),), 0.75, 0.85)
        line("   p < 0.05", (("none", none),), 0.03, 0.07)


def forecasts(samples: int, rng: Random) -> None:
    """The day on which a target is reached, 90%: work goes on as it did, days differ much."""
    print("-- forecast of the last day, 90%: it lies within in 0.88 to 0.95")
    for days in (5, 7, 14):
        for left in (50, 200, 1000):
            tally = Tally()
            for _ in range(4 * samples):
                work = rng.negative_binomial(3, 3 / (3 + 20), days + 4000)
                start = date(2026, 1, 1)
                burn = tuple(
                    (start + timedelta(days=n), int(total))
                    for n, total in enumerate(np.cumsum(work[:days]).tolist())
                )
                done = int(work[:days].sum())
                today = start + timedelta(days=days - 1)
                found = forecast(burn, done, done + left, today)
                needed = 1 + int(np.searchsorted(np.cumsum(work[days:]), left))
                reached = today + timedelta(days=needed)
                if found.low is not None:
                    held = found.low <= reached <= (found.high or date.max)
                    tally.count(held, bool(found.caution))
            line(f"{days} days of work, {left} items left", (("day", tally),), 0.88, 0.95)


def categories(samples: int, rng: Random) -> None:
    """The mean over the tasks of a category, whose scores are 0.6 on average and skewed."""
    print("-- mean over the tasks of a category")
    for tasks in (2, 3, 5, 10, 30):
        tally = Tally()
        for _ in range(10 * samples):
            found = over_tasks(rng.beta(3, 2, tasks).tolist())
            if found.low is not None:
                tally.count(found.low <= 0.6 <= (found.high or 1), bool(found.caution))
        line(f"{tasks} tasks", (("mean", tally),), 0.93, 0.97)


def item_analysis(samples: int, rng: Random) -> None:
    """Bounds of the discrimination, errors of difficulty and ability, over all items together."""
    print("-- two-parameter model: discrimination, difficulty ± and ability ± (both as 95%)")
    z = NormalDist().inv_cdf(0.975)
    for items, models in ((60, 10), (200, 10), (200, 20), (200, 40), (500, 40)):
        slope, place, ability = Tally(), Tally(), Tally()
        for _ in range(max(4, samples // 30)):
            a, b = np.exp(rng.normal(0.3, 0.35, items)), rng.normal(0, 1.2, items)
            theta = rng.normal(size=models)
            theta = (theta - theta.mean()) / theta.std()  # the scale is that of the models
            right = rng.random((items, models)) < _chances(a, b, theta)
            fit = two_parameter_model(right.astype(float))
            for tally, held in (
                (slope, (fit.discrimination_low <= a) & (a <= fit.discrimination_high)),
                (place, np.abs(fit.difficulty - b) <= z * fit.difficulty_error),
                (ability, np.abs(fit.ability - theta) <= z * fit.ability_error),
            ):
                tally.samples += len(held)
                tally.hits += int(held.sum())
                tally.said += len(held) * bool(few_models(models))
        parts = (("slope", slope), ("difficulty", place), ("ability", ability))
        line(f"{items} items, {models} models", parts, 0.93, 0.97)


def _chances(slopes: Floats, places: Floats, abilities: Floats) -> Floats:
    distance = slopes[:, None] * (abilities - places[:, None])
    return np.asarray(1 / (1 + np.exp(-distance)))


def linking(samples: int, rng: Random) -> None:
    """Slope and shift between the scales of two periods, ± as printed, by common items."""
    print("-- linked periods: slope 0.8 and shift 0.5, with 1.96 errors; a model's ability")
    z = NormalDist().inv_cdf(0.975)
    for anchors, own, models in ((10, 90, 20), (20, 80, 20), (30, 170, 40)):
        slope, shift, ability = Tally(), Tally(), Tally()
        rough = bool(linking_caution(anchors, models))
        for _ in range(max(10, samples // 5)):
            count = anchors + 2 * own
            a, b = np.exp(rng.normal(0.3, 0.35, count)), rng.normal(0, 1.2, count)
            banks, fits, truths = [], [], []
            for scale, lift, places in (
                (1.0, 0.0, np.arange(anchors + own)),
                (0.8, 0.5, np.r_[0:anchors, anchors + own : count]),
            ):
                theta = lift + scale * rng.normal(size=models)
                chance = _chances(a[places], b[places], theta)
                fit = two_parameter_model((rng.random(chance.shape) < chance).astype(float))
                banks.append(ItemBank.of([str(n) for n in places], fit))
                fits.append(fit)
                truths.append(theta)
            # each period's scale is that of its own models: mean 0, deviation 1
            first, second = truths
            true_slope = second.std() / first.std()
            true_shift = (second.mean() - first.mean()) / first.std()
            link = linked(*banks)
            slope.count(abs(link.slope - true_slope) <= z * link.slope_error, rough)
            shift.count(abs(link.shift - true_shift) <= z * link.shift_error, rough)
            own_scale = ((second - first.mean()) / first.std()).tolist()
            found = zip(fits[1].ability.tolist(), fits[1].ability_error.tolist(), strict=True)
            for pair, truth in zip(found, own_scale, strict=True):
                value, deviation = link.on_earlier_scale(*pair)
                ability.count(abs(value - truth) <= z * deviation, rough)
        parts = (("slope", slope), ("shift", shift), ("ability", ability))
        line(f"{anchors} anchors of {anchors + own} items, {models} models", parts, 0.93, 0.97)


def solvers(samples: int, rng: Random) -> None:
    """Sound items of four options: each shallow solver by itself, and any of them above chance."""
    print("-- shallow solvers on sound items: interval of each; any called above chance (p)")
    words, sample = [f"w{n}" for n in range(400)], family("choice").sample("")
    for items, articles in ((24, 24), (60, 10), (60, 60), (200, 40)):
        alone, any_of = Tally(), Tally()
        for _ in range(max(20, samples // 6)):
            made = []
            for n in range(items):
                options = [" ".join(rng.choice(words, rng.integers(3, 8))) for _ in range(4)]
                question = " ".join(rng.choice(words, 12))
                payload = {**sample.payload, "question": question, "passage": "",
                           "options": options, "key": "ABCD"[rng.integers(4)]}  # fmt: skip
                source = {"article": f"a{n % articles}"}
                made.append(ItemContent("choice", "", payload, source))
            (kind,) = audit_items(made, range(items)).kinds
            for one in kind.solvers:
                alone.count(one.low <= one.chance <= one.high, bool(one.caution))
            any_of.count(kind.above_chance > 0, True)
        line(f"{items} items, {articles} sources", (("alone", alone),), 0.93, 0.97)
        line("   any above chance", (("at most 0.05", any_of),), 0.0, 0.05)


def means_over_tasks(samples: int, rng: Random) -> None:
    """CIF-Bench's and CoreEval's means: over the items of fixed tasks, and over tasks like these;
    the items of a task share sources."""
    print("-- means over tasks: overall, difference of halves; average macro F1")
    for tasks, items in ((2, 20), (3, 50), (5, 50), (12, 50), (50, 20)):
        names = ("overall", "difference", "macro F1")
        tallies = {name: Tally() for name in names}
        level = np.linspace(0.3, 0.8, tasks)
        truth = float(level.mean())  # macro F1 of equal labels, of which as many are right
        for _ in range(samples):
            rates = np.stack([rng.beta(8 * one, 8 * (1 - one), items // 5) for one in level])
            right = rng.random((tasks, items)) < rates.repeat(5, 1)[:, :items]
            shift = rng.normal(0, 0.1, tasks)  # by which a task's private half is easier
            public = rng.random((tasks, items)) < (level - shift).clip(0.02, 0.98)[:, None]
            rows = [*_task_scores("private", right), *_task_scores("public", public)]
            (found,) = cif_analysis(rows)
            for name, true in (("overall", level.mean()), ("difference", 0.0)):
                if name in found.intervals:
                    low, high = found.intervals[name]
                    tallies[name].count(low <= true <= high, name in found.cautions)
            spread = spread_over_tasks([_labelled(row, f"{n}") for n, row in enumerate(right)])
            if spread is not None:
                bounds = mean_interval(spread)
                tallies["macro F1"].count(bounds.low <= truth <= bounds.high, bool(caution(spread)))
        line(f"{tasks} tasks, {items} items", tuple(tallies.items()), 0.93, 0.97)


def _task_scores(half: str, right: np.ndarray) -> list[TaskScore]:
    return [
        TaskScore("m", task + 1, half, float(score), "one", str(n), source=f"{task} {n // 5}")
        for task, row in enumerate(right)
        for n, score in enumerate(row)
    ]


def _labelled(right: np.ndarray, task: str) -> tuple[Sequence[float], list[str]]:
    """By item the values of macro F1 of two labels that take turns, and the sources."""
    true = ["ab"[n % 2] for n in range(len(right))]
    said = [label if good else "ab"[label == "a"] for label, good in zip(true, right, strict=True)]
    return macro_f1_by_item(true, said, "ab"), [f"{task} {n // 5}" for n in range(len(right))]


def verifications(samples: int, rng: Random) -> None:
    """Spearman's correlation of scores with people's ratings, where four models answer an item."""
    print("-- scores and people's ratings, four answers to an item (Spearman)")

    def drawn(items: int) -> tuple[np.ndarray, np.ndarray]:
        item = rng.normal(size=(2, items, 1))
        own = rng.normal(size=(2, items, 4))
        x, y = (0.6 * item + 0.8 * own) * 1.0
        return x.ravel(), (0.7 * x + 0.7 * y).ravel()

    truth = float(spearmanr(*drawn(100_000)).statistic)
    for items in (5, 10, 30, 100):
        tally = Tally()
        for seed in range(samples):
            x, y = ({str(n): float(v) for n, v in enumerate(side)} for side in drawn(items))
            rated = {name: [value] for name, value in y.items()}
            of = {str(n): str(n // 4) for n in range(4 * items)}
            found = human_verification(rated, {}, x, seed=seed, items=of)
            if found.low is not None and found.high is not None:
                tally.count(found.low <= truth <= found.high, bool(found.caution))
        line(f"{items} items", (("Spearman", tally),), 0.93, 0.97)


TABLES = (
    power, forecasts, categories, item_analysis, linking, solvers, means_over_tasks, verifications,
)  # fmt: skip


def main() -> None:
    """Print every table."""
    print_tables(TABLES, SAMPLES)


if __name__ == "__main__":
    main()
