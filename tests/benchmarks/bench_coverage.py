"""How often the intervals that the program prints hold the truth, and how often its tests err.

Simulated samples whose truth is known, by the program's own functions. An interval of 95% should
hold it in 93 to 97 of 100 samples, a p-value lie below 0.05 in 3 to 7 of 100 where nothing differs;
what is outside is marked ``!``, or ``(said)`` where the program says in words that the figure is
rough. ``BENCHSEAL_BENCH_SAMPLES`` sets the number of samples (600), ``BENCHSEAL_BENCH_TABLES``
names the tables that are printed (all).
"""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from core.agreement import coefficient
from core.agreement.compute import FEW_ITEMS as FEW_RATED
from core.agreement.intervals import Bootstrap, bootstrap_interval
from core.agreement.ratings import table_of_matrix
from core.analysis.accuracies import AccuracyRow
from core.analysis.response_model import few_models, two_parameter_model
from core.analysis.rugged_table import RuggedOptions, rs_table
from core.evaluation.clusters import mean_spread
from core.evaluation.compare import (
    clustered_mcnemar,
    few_pairs,
    mcnemar,
    sources_caution,
)
from core.evaluation.judge_correction import prediction_powered_mean, rogan_gladen_mean
from core.evaluation.mean_interval import (
    MeanSpread,
    caution,
    mean_interval,
)
from core.evaluation.metrics.f1 import macro_f1_by_item, macro_f1_caution
from core.evaluation.score_intervals import (
    bootstrap_means,
    bootstrap_p,
    clustered_error,
    degrees_of_freedom,
    percentile_interval,
    standard_error,
    student_interval,
)
from core.proportion import proportion
from core.screening.gate_curve import Reviewed, gate_curve, share_accepted

Random = np.random.Generator
Ints = npt.NDArray[np.int64]
SAMPLES = 600
# (clusters, items in all); the sizes of the clusters are unequal where that is said
LAYOUTS = (
    (2, 12), (2, 24), (2, 1000), (5, 12), (5, 60), (5, 1000), (10, 30), (10, 100), (10, 1000),
    (30, 60), (30, 300), (30, 1000), (100, 300), (100, 1000),
)  # fmt: skip
ITEMS = (12, 30, 100, 300, 1000)


@dataclass
class Tally:
    """Samples in which a figure was right, and in which the program called it rough."""

    samples: int = 0
    hits: int = 0
    said: int = 0

    def count(self, hit: bool, said: bool) -> None:
        self.samples += 1
        self.hits += hit
        self.said += said

    def text(self, low: float, high: float) -> str:
        """The share, marked where it is outside and nobody said so."""
        share = self.hits / max(1, self.samples)
        if self.said > self.samples / 2 and not low <= share <= high:
            return f"{share:.3f} (said)"
        # three standard errors of the simulation itself
        slack = 3 * math.sqrt(0.05 * 0.95 / max(1, self.samples))
        return f"{share:.3f}" if low - slack <= share <= high + slack else f"{share:.3f} !"


def line(name: str, parts: Sequence[tuple[str, Tally]], low: float, high: float) -> None:
    """Print what a figure came to in one setting."""
    figures = "".join(f"  {title} {tally.text(low, high):<13}" for title, tally in parts)
    print(f"{name:<34}{figures}", flush=True)


def _sizes(rng: Random, clusters: int, items: int, unequal: bool) -> Ints:
    weights = np.exp(rng.normal(0, 0.8 if unequal else 0.0, clusters))
    return np.maximum(1, np.floor(weights / weights.sum() * items)).astype(np.int64)


def _layouts(rng: Random) -> Iterator[tuple[str, Callable[[], Ints]]]:
    for unequal in (False, True):
        for clusters, items in LAYOUTS:
            words = "unequal" if unequal else "equal"
            yield (
                f"{clusters} sources, {items} items, {words}",
                lambda c=clusters, i=items, u=unequal: _sizes(rng, c, i, u),  # type: ignore[misc]  # bound in the loop
            )


def accuracies(samples: int, rng: Random) -> None:
    """The interval of an accuracy, with the normal one beside it."""
    print("-- accuracy: 95% interval; correlation within a source 0.2")
    for name, sizes in _layouts(rng):
        for level in (0.02, 0.1, 0.3, 0.5):
            ours, normal = Tally(), Tally()
            for _ in range(samples):
                counts = sizes()
                rates = rng.beta(4 * level, 4 * (1 - level), len(counts))
                values = (rng.random(counts.sum()) < np.repeat(rates, counts)).astype(float)
                clusters = [str(n) for n in np.repeat(np.arange(len(counts)), counts).tolist()]
                spread = mean_spread(values.tolist(), clusters, binary=True)
                found = mean_interval(spread)
                rough = bool(caution(spread))
                ours.count((found.low or 0.0) <= level <= (found.high or 0.0), rough)
                reach = 1.96 * (spread.clustered or 0.0)
                normal.count(abs(spread.mean - level) <= reach, True)
            line(f"{name}, {level}", (("ours", ours), ("normal", normal)), 0.93, 0.97)
    print("-- accuracy: independent items (Wilson)")
    for items in ITEMS:
        for level in (0.02, 0.1, 0.3, 0.5):
            ours = Tally()
            for right in rng.binomial(items, level, 10 * samples).tolist():
                share = right / items
                spread = MeanSpread(share, items, share * (1 - share), clusters=items)
                found = mean_interval(spread)
                ours.count((found.low or 0) <= level <= (found.high or 0), bool(caution(spread)))
            line(f"{items} items, {level}", (("ours", ours),), 0.93, 0.97)


def graded(samples: int, rng: Random) -> None:
    """Scores between 0 and 1, as a judge or a metric gives them: many near the ends, or skewed."""
    print("-- mean of graded scores: 95% interval; sources give 0.2 of the spread")
    shapes = {"two humps": (0.5, 0.5), "skewed": (1.0, 6.0), "0, ½ or 1": (2.0, 1.0)}

    def drawn(shape: str, counts: Ints) -> npt.NDArray[np.float64]:
        a, b = shapes[shape]
        share = a / (a + b)
        level = np.repeat(rng.beta(4 * share, 4 * (1 - share), len(counts)), counts)
        both = ((a + b) * np.maximum(one, 0.01) for one in (level, 1 - level))
        values = rng.beta(*both)
        return np.minimum(2, np.floor(3 * values)) / 2 if shape == "0, ½ or 1" else values

    truths = {shape: drawn(shape, np.ones(2_000_000, np.int64)).mean() for shape in shapes}
    for name, sizes in _layouts(rng):
        parts = []
        for shape, truth in truths.items():
            tally = Tally()
            for _ in range(samples // 2):
                counts = sizes()
                clusters = [str(n) for n in np.repeat(np.arange(len(counts)), counts).tolist()]
                spread = mean_spread(drawn(shape, counts).tolist(), clusters)
                found = mean_interval(spread)
                tally.count((found.low or 0) <= truth <= (found.high or 0), bool(caution(spread)))
            parts.append((shape, tally))
        line(name, parts, 0.93, 0.97)
    for items in ITEMS:
        parts = []
        for shape, truth in truths.items():
            tally = Tally()
            for _ in range(2 * samples):
                values = drawn(shape, np.ones(items, np.int64)).tolist()
                spread = mean_spread(values, [str(n) for n in range(items)])
                found = mean_interval(spread)
                tally.count((found.low or 0) <= truth <= (found.high or 0), bool(caution(spread)))
            parts.append((shape, tally))
        line(f"{items} items", parts, 0.93, 0.97)


def differences(samples: int, rng: Random) -> None:
    """Two models that are equally good, of which articles prefer one or the other."""
    print("-- difference of two runs: interval and cluster bootstrap; p < 0.05 where none is")
    for name, sizes in _layouts(rng):
        tallies = [Tally() for _ in range(5)]
        for seed in range(samples // 2):
            counts = sizes()
            groups = np.repeat(np.arange(len(counts)), counts)
            level, lean = rng.normal(0, 1, (2, len(counts)))
            right = [
                rng.random(len(groups)) < 1 / (1 + np.exp(-(level + sign * lean)))[groups]
                for sign in (1, -1)
            ]
            values = (right[0].astype(float) - right[1]).tolist()
            clusters = groups.tolist()
            freedom = degrees_of_freedom(len(values), clusters)
            rough = bool(sources_caution(len(counts), freedom))
            error = max(standard_error(values) or 0, clustered_error(values, clusters) or 0)
            mean = sum(values) / len(values)
            found = student_interval(mean, error, freedom)
            means = bootstrap_means(values, seed=seed, resamples=1000, clusters=clusters)
            drawn = percentile_interval(means, 0.95, freedom, len(counts))
            tallies[0].count((found.low or 0) <= 0 <= (found.high or 0), rough)
            if drawn.low is not None and drawn.high is not None:
                tallies[1].count(drawn.low <= 0 <= drawn.high, rough)
            ahead = [int(np.sum(right[0] & ~right[1])), int(np.sum(right[1] & ~right[0]))]
            sums = np.bincount(groups, weights=values).round().astype(int).tolist()
            tallies[2].count(clustered_mcnemar(sums) < 0.05, rough)
            tallies[3].count(bootstrap_p(means, freedom) < 0.05, rough)
            tallies[4].count(mcnemar(*ahead) < 0.05, True)
        line(name, (("interval", tallies[0]), ("bootstrap", tallies[1])), 0.93, 0.97)
        tests = (("McNemar", tallies[2]), ("bootstrap", tallies[3]), ("over items", tallies[4]))
        line("   p < 0.05", tests, 0.03, 0.07)


def rugged(samples: int, rng: Random) -> None:
    """RS I and RS II of eight domains whose items share articles; three formats of each article."""
    print("-- rugged scores, 8 domains, 3 formats, 5 items of each in an article")
    true = 0.35 + 0.04 * np.arange(8)
    public = true + 0.1
    score, spread = float(np.mean(2 * 0.1 / (public + true))), float(true.std(ddof=1))
    for articles in (2, 5, 10, 30, 100):
        truths = {"rs1": score, "rs2": spread, "rs2_corrected": spread,
                  "rs2_normalised": spread / float(true.mean())}  # fmt: skip
        tallies, items = {name: Tally() for name in truths}, Tally()
        for seed in range(max(60, samples // 4)):
            rows = [AccuracyRow("m", "public", f"d{d}", p, 100_000) for d, p in enumerate(public)]
            plain = list(rows)
            for domain, level in enumerate(true):
                rates = rng.beta(4 * level, 4 * (1 - level), articles)
                for _ in range(3):
                    right = rng.binomial(5, rates)
                    named = {f"{domain} {n}": (float(r), 5) for n, r in enumerate(right.tolist())}
                    count = 5 * articles
                    share = float(right.sum()) / count
                    row = ("m", "private", f"d{domain}", share, count, "", "")
                    rows.append(AccuracyRow(*row, named))  # type: ignore[arg-type]  # as the table gives it
                    plain.append(AccuracyRow(*row))  # type: ignore[arg-type]  # as the table gives it
            options = RuggedOptions(resamples=400, seed=seed)
            (found,), (alone,) = rs_table(rows, options), rs_table(plain, options)
            for name, truth in truths.items():
                one = found.scores[name]
                if one.low is not None and one.high is not None:
                    said = bool(one.caution) or one.low <= 0  # "may be due to chance"
                    tallies[name].count(one.low <= truth <= one.high, said)
            third = alone.scores["rs1"]
            items.count((third.low or 0) <= score <= (third.high or 0), True)
        parts = (*tallies.items(), ("rs1 by items", items))
        line(f"{articles} articles in a domain", parts, 0.93, 0.97)


def rugged_ranks(samples: int, rng: Random) -> None:
    """The relative RS I of five models, from their ranks in four domains of independent items.

    Ranks are whole numbers, so that an interval may be a point that is always right.
    """
    print("-- relative RS I, 5 models, 4 domains (at least 0.93)")
    public = np.linspace(0.4, 0.8, 5)[:, None] + np.array([0.0, 0.05, -0.05, 0.02])
    true = public[[1, 0, 3, 2, 4]] - 0.1

    def rows(shares: npt.NDArray[np.float64], items: int) -> list[AccuracyRow]:
        return [
            AccuracyRow(f"m{m}", side, f"d{d}", share, count)  # type: ignore[arg-type]  # one of the sides
            for side, table, count in (("public", public, 100_000), ("private", shares, items))
            for m, domains in enumerate(table.tolist())
            for d, share in enumerate(domains)
        ]

    exact = rs_table(rows(true, 100_000), RuggedOptions(resamples=0))
    for items in (30, 100, 300, 1000):
        tally = Tally()
        for seed in range(max(30, samples // 8)):
            shares = rng.binomial(items, true) / items
            found = rs_table(rows(shares, items), RuggedOptions(resamples=400, seed=seed))
            for one, whole in zip(found, exact, strict=True):
                score, truth = one.scores["rs1_relative"], whole.scores["rs1_relative"].value or 0.0
                if score.low is not None and score.high is not None:
                    tally.count(score.low <= truth <= score.high, bool(score.caution))
        line(f"{items} items", (("relative RS I", tally),), 0.93, 1.0)


def rare_rugged(samples: int, rng: Random) -> None:
    """RS I of four domains of independent items of which nearly none are right: where it is none of
    a domain, the program says so."""
    print("-- RS I, 4 domains, public score 0.3")
    for true in (0.01, 0.02, 0.05, 0.1):
        score, parts = 2 * (0.3 - true) / (0.3 + true), []
        for items in (12, 30, 60, 200):
            ours = Tally()
            for seed in range(max(60, samples // 2)):
                rows = [AccuracyRow("m", "public", f"d{d}", 0.3, 100_000) for d in range(4)]
                shares = rng.binomial(items, true, 4) / items
                rows += [
                    AccuracyRow("m", "private", f"d{d}", share, items)
                    for d, share in enumerate(shares.tolist())
                ]
                (found,) = rs_table(rows, RuggedOptions(resamples=400, seed=seed))
                one = found.scores["rs1"]
                ours.count((one.low or 0) <= score <= (one.high or 0), bool(one.caution))
            parts.append((f"{items} items", ours))
        line(f"{true} right", parts, 0.93, 0.97)


def f1_scores(samples: int, rng: Random) -> None:
    """Macro F1 of three labels, of which one is rare."""
    print("-- macro F1, three labels (0.6, 0.3, 0.1)")
    chances, labels = (0.6, 0.3, 0.1), "abc"

    def answers(count: int) -> tuple[list[str], list[str]]:
        true = rng.choice(3, count, p=chances)
        said = np.where(rng.random(count) < 0.6, true, rng.integers(0, 3, count))
        return [labels[t] for t in true], [labels[s] for s in said]

    truth = float(np.mean(macro_f1_by_item(*answers(400_000), labels)))
    for items in ITEMS:
        ours = Tally()
        for _ in range(samples):
            true, said = answers(items)
            values = macro_f1_by_item(true, said, labels)
            spread = mean_spread(values, [str(n) for n in range(items)])
            found = mean_interval(spread)
            rough = caution(spread) or macro_f1_caution(true, labels)
            ours.count((found.low or 0) <= truth <= (found.high or 0), bool(rough))
        line(f"{items} items", (("ours", ours),), 0.93, 0.97)


def agreement(samples: int, rng: Random) -> None:
    """Fleiss' kappa of three raters, BCa and percentile."""
    print("-- Fleiss' kappa of three raters: BCa and percentile")
    for words, share, keep in (("balanced", 0.5, 0.9), ("85 to 15", 0.85, 0.9)):

        def rated(items: int, share: float = share, keep: float = keep) -> npt.NDArray[np.int8]:
            true = rng.random(items) < share
            kept = rng.random((items, 3)) < keep
            return np.where(kept, true[:, None], ~true[:, None]).astype(np.int8)

        kappa = coefficient("fleiss_kappa")
        truth = kappa.statistic(table_of_matrix(rated(400_000), range(2))).value
        for items in (12, 30, 50, 100, 300):
            ours, plain = Tally(), Tally()
            for seed in range(samples // 2):
                statistic = kappa.statistic(table_of_matrix(rated(items), range(2)))
                if math.isnan(statistic.value):
                    continue
                drawn = Bootstrap(500, seed)
                for tally, accelerated in ((ours, True), (plain, False)):
                    found = bootstrap_interval(statistic, drawn, 0.95, accelerated)
                    if found.low is not None and found.high is not None:
                        hit = found.low - 1e-9 <= truth <= found.high + 1e-9
                        tally.count(hit, items < FEW_RATED or not accelerated)
            line(f"{items} items, {words}", (("BCa", ours), ("percentile", plain)), 0.93, 0.97)


def shares(samples: int, rng: Random) -> None:
    """Shares of counts, Wilson's and the exact interval."""
    print("-- shares: Wilson and Clopper-Pearson (at least 0.95 by its making)")
    for total in (12, 30, 100, 1000):
        for level in (0.05, 0.3):
            wilson, exact = Tally(), Tally()
            for count in rng.binomial(total, level, 2 * samples).tolist():
                for tally, method in ((wilson, "wilson"), (exact, "beta")):
                    found = proportion(count, total, method=method)
                    hit = (found.low or 0) <= level <= (found.high or 0)
                    tally.count(hit, bool(found.caution) or method == "beta")
            line(f"{total} items, {level}", (("Wilson", wilson), ("exact", exact)), 0.93, 0.97)


def exact_shares(samples: int, rng: Random) -> None:
    """Exact coverage over a fine grid of shares, from binomial chances: no simulation."""
    print("-- shares, exact: of all shares 0.001 to 0.999, how many are outside 0.93 to 0.97;")
    print("   those of which most samples carry no caution; and of 0.05 to 0.95, other intervals")
    shares = np.linspace(0.001, 0.999, 1997)
    middle = (shares >= 0.05) & (shares <= 0.95)
    for total in (12, 20, 30, 50, 53, 75, 100, 150, 200, 300, 500, 1000):
        counts = np.arange(total + 1)
        found = [proportion(count, total) for count in counts.tolist()]
        others = {
            "Jeffreys": proportion_confint(counts, total, method="jeffreys"),
            "Agresti-Coull": proportion_confint(counts, total, method="agresti_coull"),
        }
        chances = binom.pmf(counts[:, None], total, shares)
        ours = _outside(([f.low or 0.0 for f in found], [f.high or 0.0 for f in found]),
                        chances, shares)  # fmt: skip
        quiet = chances[[not one.caution for one in found]].sum(0) > 0.5
        beside = "".join(
            f"  {name} {_outside(bounds, chances, shares)[middle].mean():.3f}"
            for name, bounds in others.items()
        )
        print(f"{total:>5} items  all {ours.mean():.3f}  without a caution "
              f"{(ours & quiet).mean():.3f}  middle: Wilson {ours[middle].mean():.3f}{beside}",
              flush=True)  # fmt: skip


def _outside(bounds: Any, chances: Any, shares: Any) -> npt.NDArray[np.bool_]:
    """Which shares the interval holds in fewer than 93 or more than 97 of 100 samples."""
    low, high = (np.asarray(side, float)[:, None] for side in bounds)
    held = np.where((low <= shares) & (shares <= high), chances, 0.0).sum(0)
    return np.asarray((held < 0.93) | (held > 0.97))


def pairs(samples: int, rng: Random) -> None:
    """Two runs on items that share nothing: of ``apart`` only one run is right, of ``ahead`` of
    them the first; the interval of the difference, and McNemar's p where none is."""
    print("-- difference of two runs, independent items: share that only one got right")
    for total in (50, 100, 300, 1000):
        for apart in (0.02, 0.1, 0.2, 0.4):
            parts = []
            for ahead in (0.5, 0.8):
                tally, p = Tally(), Tally()
                chances = (apart * ahead, apart * (1 - ahead), 1 - apart)
                for a, b, _ in rng.multinomial(total, chances, 5 * samples).tolist():
                    mean = (a - b) / total
                    error = math.sqrt(((a + b) / total - mean**2) / (total - 1))
                    found = student_interval(mean, error, total - 1.0)
                    truth, rough = apart * (2 * ahead - 1), bool(few_pairs(total, a + b))
                    tally.count((found.low or 0) <= truth <= (found.high or 0), rough)
                    p.count(mcnemar(a, b) < 0.05, rough)
                parts.append((f"{ahead}", tally))
                if ahead == 0.5:
                    line(f"{total}, {apart}: p < 0.05", (("McNemar", p),), 0.03, 0.07)
            line(f"{total}, {apart}", parts, 0.93, 0.97)


def gate(samples: int, rng: Random) -> None:
    """The area of a gate of which people see all that passes and a share of the rest."""
    print("-- the gate: area and rates of all screened items (truth 0.8211 and 0.7424)")
    area, passing = 0.8211, 0.7424
    for items, share in ((600, 0.05), (2227, 0.05), (2227, 0.2), (2227, 1.0)):
        areas, raw, covered, rates = [], [], Tally(), Tally()
        for _ in range(200):
            good = rng.random(items) < 0.5
            scores = np.clip(
                6 + 1.5 * (np.where(good, 0.65, -0.65) + rng.normal(size=items)), 0, 10
            )
            out = scores < 6
            seen = ~out | (rng.random(items) < share)
            sizes = np.array([np.sum(~out), np.sum(out)], float)
            kinds = np.array([False, True])
            sample = Reviewed(scores[seen], good[seen], out[seen].astype(np.int64), sizes, kinds)
            found = gate_curve(sample)
            raw.append(gate_curve(Reviewed.of_all(scores[seen], good[seen])).area or 0.0)
            areas.append(found.area or 0.0)
            rough = bool(found.caution)
            covered.count((found.low or 0) <= area <= (found.high or 0), rough)
            row = next(row for row in found.thresholds if row.threshold == 6)
            low, high = row.true_positive_low or 0, row.true_positive_high or 0
            rates.count(low <= passing <= high, rough)
        name = f"{items} items, {share:.0%} seen"
        print(f"{name:<34}  mean {np.mean(areas):.3f}  on what was seen {np.mean(raw):.3f}")
        line("", (("area", covered), ("rate", rates)), 0.93, 0.97)


def gate_of_articles(samples: int, rng: Random) -> None:
    """The gate where the items of an article are good or bad, and scored high or low, together."""
    print("-- the gate by article: area, rate at 6 and false rejects; correlation 0.2")

    def screened(articles: int, size: int) -> tuple[Ints, npt.NDArray[np.bool_], Any]:
        source = np.repeat(np.arange(articles), size)
        level, lean = rng.beta(2, 2, articles), rng.normal(0, 0.5, articles)
        good = rng.random(len(source)) < level[source]
        noise = rng.normal(0, math.sqrt(0.75), len(source)) + lean[source]
        return source, good, np.clip(6 + 1.5 * (np.where(good, 0.65, -0.65) + noise), 0, 10)

    _, good, scores = screened(40_000, 10)
    area = gate_curve(Reviewed.of_all(scores, good)).area or 0.0
    passing, lost = (scores[good] >= 6).mean(), good[scores < 6].mean()
    for articles, size, share in (
        (2, 60, 0.2), (5, 60, 0.2), (10, 60, 0.2), (12, 50, 1.0), (30, 20, 0.2), (30, 20, 1.0),
        (100, 20, 0.05), (100, 20, 0.2),
    ):  # fmt: skip
        areas, rates, losses = Tally(), Tally(), Tally()
        for _ in range(samples):
            source, good, scores = screened(articles, size)
            out = scores < 6
            seen = ~out | (rng.random(len(scores)) < share)
            sizes = np.array([np.sum(~out), np.sum(out)], float)
            kinds = np.array([False, True])
            strata = out[seen].astype(np.int64)
            sample = Reviewed(scores[seen], good[seen], strata, sizes, kinds, source[seen])
            found = gate_curve(sample)
            rough = bool(found.caution)
            row = next(row for row in found.thresholds if row.threshold == 6)
            low, high = row.true_positive_low or 0, row.true_positive_high or 0
            areas.count((found.low or 0) <= area <= (found.high or 0), rough)
            rates.count(low <= passing <= high, rough)
            audited = out & seen
            rejects = share_accepted(
                Reviewed.of_all(scores[audited], good[audited], source[audited])
            )
            held = (rejects.low or 0) <= lost <= (rejects.high or 0)
            losses.count(held, rough or bool(rejects.caution))
        parts = (("area", areas), ("rate", rates), ("false rejects", losses))
        line(f"{articles} articles, {size} each, {share:.0%} seen", parts, 0.93, 0.97)


def judges(samples: int, rng: Random) -> None:
    """The people's mean where the judge says right twenty points too often."""
    print("-- a judge 20 points too kind, corrected by a human sample")
    for answers, rated in ((300, 30), (1000, 50), (1000, 100), (2000, 300)):
        for truth, sensitivity, specificity in (
            (0.5, 0.95, 0.55), (0.2, 0.95, 0.75 - 0.0125), (0.03, 0.95, 0.8),
        ):  # fmt: skip
            powered, gladen, judge = Tally(), Tally(), Tally()
            for _ in range(samples):
                right = rng.random(answers) < truth
                kind = np.where(right, sensitivity, 1 - specificity)
                said = (rng.random(answers) < kind).astype(float)
                judged = {str(n): value for n, value in enumerate(said.tolist())}
                chosen = rng.choice(answers, rated, replace=False).tolist()
                human = {str(n): float(right[n]) for n in chosen}
                for tally, found in (
                    (powered, prediction_powered_mean(judged, human)),
                    (gladen, rogan_gladen_mean(judged, human)),
                ):
                    if found.low is not None and found.high is not None:
                        tally.count(found.low <= truth <= found.high, bool(found.caution))
                reach = 1.96 * math.sqrt(said.mean() * (1 - said.mean()) / answers)
                judge.count(abs(said.mean() - truth) <= reach, True)
            parts = (("prediction-powered", powered), ("Rogan–Gladen", gladen), ("judge", judge))
            line(f"{rated} of {answers} answers rated, {truth}", parts, 0.93, 0.97)


def judges_of_articles(samples: int, rng: Random) -> None:
    """The same judge where truth and its errors lean on the article, unequal in size."""
    print("-- the same judge, whose errors and whose truth lean on the article (0.1 and 0.2)")
    for articles, size in ((2, 120), (5, 60), (10, 60), (30, 30), (100, 10)):
        for rated in (60, 150):
            powered, gladen, alone = Tally(), Tally(), Tally()
            for _ in range(samples):
                counts = _sizes(rng, articles, articles * size, True)
                source = np.repeat(np.arange(articles), counts)
                rates = rng.beta(2, 2, articles)[source]
                kind, harsh = (
                    rng.beta(9 * level, 9 * (1 - level), articles)[source] for level in (0.95, 0.55)
                )
                right = rng.random(len(source)) < rates
                said = rng.random(len(source)) < np.where(right, kind, 1 - harsh)
                judged = {str(n): float(value) for n, value in enumerate(said.tolist())}
                clusters = {str(n): f"a{name}" for n, name in enumerate(source.tolist())}
                chosen = rng.choice(len(source), rated, replace=False).tolist()
                human = {str(n): float(right[n]) for n in chosen}
                for tally, found in (
                    (powered, prediction_powered_mean(judged, human, clusters)),
                    (gladen, rogan_gladen_mean(judged, human, clusters)),
                    (alone, rogan_gladen_mean(judged, human)),
                ):
                    if found.low is not None and found.high is not None:
                        rough = bool(found.caution) or tally is alone
                        tally.count(found.low <= 0.5 <= found.high, rough)
            parts = (("prediction-powered", powered), ("Rogan–Gladen", gladen),
                     ("as independent", alone))  # fmt: skip
            line(f"{articles} articles, {rated} rated", parts, 0.93, 0.97)


def response_model(samples: int, rng: Random) -> None:
    """Slopes, places and abilities of the two-parameter model, on the scale of the models."""
    print("-- two-parameter model: 95% bounds of slopes, places and abilities ± 1.96 errors")
    for models, items in ((20, 100), (40, 100), (40, 400), (300, 20), (300, 50), (300, 100),
                          (300, 400)):  # fmt: skip
        tallies = [Tally() for _ in range(3)]
        for _ in range(max(2, samples * 2 // items)):
            able = rng.normal(size=models)
            able = (able - able.mean()) / able.std()
            slope, place = rng.lognormal(0.3, 0.35, items), rng.normal(0, 1.2, items)
            chance = 1 / (1 + np.exp(-slope[:, None] * (able - place[:, None])))
            one = two_parameter_model((rng.random(chance.shape) < chance).astype(float))
            held = (
                (one.discrimination_low <= slope) & (slope <= one.discrimination_high),
                np.abs(one.difficulty - place) <= 1.96 * one.difficulty_error,
                np.abs(one.ability - able) <= 1.96 * one.ability_error,
            )
            for tally, hits in zip(tallies, held, strict=True):
                for hit in hits.tolist():
                    tally.count(hit, bool(few_models(models)))
        parts = tuple(zip(("slope", "place", "ability"), tallies, strict=True))
        line(f"{models} models, {items} items", parts, 0.93, 0.97)


TABLES = (
    shares, exact_shares, accuracies, graded, differences, pairs, rugged, rugged_ranks, rare_rugged,
    f1_scores, agreement, gate, gate_of_articles, judges, judges_of_articles, response_model,
)  # fmt: skip


def print_tables(tables: Sequence[Callable[[int, Random], None]], samples: int) -> None:
    """Print the tables, or those that ``BENCHSEAL_BENCH_TABLES`` names."""
    samples = int(os.environ.get("BENCHSEAL_BENCH_SAMPLES", str(samples)))
    print(f"{samples} samples; 95% intervals hold 0.93–0.97, tests err 0.03–0.07")
    wanted = os.environ.get("BENCHSEAL_BENCH_TABLES", "").split()
    for table in tables if not wanted else [one for one in tables if one.__name__ in wanted]:
        table(samples, np.random.default_rng(20))


def main() -> None:
    """Print every table."""
    print_tables(TABLES, SAMPLES)


if __name__ == "__main__":
    main()
