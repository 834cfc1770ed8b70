"""As ``bench_coverage``, for figures that stand beside scores: correlations, Elo, δ, robustness,
calibration, evidence of exposure, looks at a run that goes on, and adaptive scores.
"""

import numpy as np

from core.analysis.adaptive.sampled_score import SampledSession
from core.analysis.contamination import FEW_SEEDS, SimulationScore, deltas
from core.analysis.corpus_overlap import corpus_overlap
from core.analysis.exposure import canary_completion, canary_rank, compare_scores, order_test
from core.analysis.item_bank import (
    AdaptiveSession,
    ItemBank,
    calibrated,
)
from core.analysis.score_correlation import correlate
from core.evaluation.clusters import ClusterSums
from core.evaluation.compare import holm, mcnemar
from core.evaluation.preference.bradley_terry import ELO, PairOutcome, strengths
from core.evaluation.report_parts.any_look import any_look
from core.evaluation.report_parts.calibration import calibration
from core.evaluation.robustness import hotelling_p
from core.evaluation.scoring import AccuracyEstimate, AnswerKey
from core.workflow.analysis.item_banks import shared_note
from tests.benchmarks.bench_coverage import Random, Tally, line, print_tables

SAMPLES = 300


def correlations(samples: int, rng: Random) -> None:
    """Correlation of two scores over models that are a sample of models."""
    print("-- correlations over models (Pearson, Spearman, Kendall)")
    truth = {"pearson": 0.8, "spearman": 0.786, "kendall": 0.590}
    for models in (5, 8, 12, 30, 100):
        tallies = {name: Tally() for name in truth}
        for seed in range(samples):
            x = rng.normal(size=models)
            y = 0.8 * x + 0.6 * rng.normal(size=models)
            sides = ({str(n): float(v) for n, v in enumerate(side)} for side in (x, y))
            for found in correlate(*sides, seed=seed, resamples=400):
                if found.low is not None and found.high is not None:
                    held = found.low <= truth[found.measure] <= found.high
                    tallies[found.measure].count(held, bool(found.caution))
        line(f"{models} models", tuple(tallies.items()), 0.93, 0.97)


def elo(samples: int, rng: Random) -> None:
    """Strengths of four models, compared on items that share sources."""
    print("-- Elo of four models, every pair on each item")
    theta = np.array([0.6, 0.2, -0.2, -0.6])
    names = "abcd"
    for sources, each in ((2, 30), (5, 20), (10, 10), (30, 5), (100, 3)):
        tally = Tally()
        for _ in range(samples):
            outcomes = []
            for source in range(sources):
                lean = rng.normal(0, 0.5, 4)
                for _item in range(each):
                    for a in range(4):
                        for b in range(a):
                            gap = theta[a] - theta[b] + lean[a] - lean[b]
                            better = float(rng.random() < 1 / (1 + np.exp(-gap)))
                            outcomes.append(PairOutcome(names[a], names[b], better, str(source)))
            table = strengths(outcomes)
            wanted = _marginal(theta)
            for one in table.models:
                if one.low is not None and one.high is not None:
                    held = one.low <= 1000 + ELO * wanted[names.index(one.model)] <= one.high
                    tally.count(held, bool(table.caution))
        line(f"{sources} sources, {each} items each", (("Elo", tally),), 0.93, 0.97)


def _marginal(theta: np.ndarray) -> np.ndarray:
    """What the model finds of strengths that lean on the source: flatter by the usual factor."""
    flatter = float(np.sqrt(1 + (16 * np.sqrt(3) / (15 * np.pi)) ** 2 * 0.5))
    return np.asarray(theta / flatter)


def contamination(samples: int, rng: Random) -> None:
    """δ of trainings of several seeds on the same items."""
    print("-- δ1 and δ2: a true difference of 10 points, which seeds change by 2")
    for seeds, items in (
        (1, 30),
        (1, 200),
        (2, 200),
        (3, 200),
        (3, 1000),
        (5, 500),
        (5, 2000),
        (8, 500),
        (10, 500),
    ):
        tally, other = Tally(), Tally()
        for _ in range(samples):
            difficulty = rng.beta(2, 2, items)
            scores = []
            for seed in range(seeds):
                shift = rng.normal(0, 0.02) if seeds > 1 else 0.0
                before = (rng.random(items) < difficulty * 0.9).astype(float)
                after = (rng.random(items) < difficulty * 0.9 + 0.1 + shift).astype(float)
                both = (rng.random(items) < difficulty * 0.9 + 0.1 + shift).astype(float)
                train = (rng.random(items) < difficulty * 0.9).astype(float)
                for mode, values in (("zero", before), ("test", after),
                                     ("train", train), ("train+test", both)):  # fmt: skip
                    scores.append(
                        SimulationScore(
                            "m", "t", "orig", mode, 0 if mode == "zero" else 100,  # type: ignore[arg-type]  # one of the modes
                            float(values.mean()), seed=seed, by_item=tuple(values.tolist()),
                        )
                    )  # fmt: skip
            (found,) = [row for row in deltas(scores) if row.delta1 is not None]
            tally.count((found.low1 or 0) <= 10 <= (found.high1 or 0), seeds < FEW_SEEDS)
            other.count((found.low2 or 0) <= 10 <= (found.high2 or 0), seeds < FEW_SEEDS)
        line(f"{seeds} seeds, {items} items", (("δ1", tally), ("δ2", other)), 0.93, 0.97)


def evidence(samples: int, rng: Random) -> None:
    """How often the tests find what is not there."""
    print("-- p < 0.05 where nothing was seen, or no place is preferred")
    for size in (5, 12, 40, 200):
        parts = {name: Tally() for name in ("min-k", "order", "canary", "places")}
        for _ in range(samples * 3):
            item, other = rng.normal(size=(2, size))
            parts["min-k"].count(compare_scores("", item, other).p < 0.05, False)
            sums = rng.normal(0, 20, (size, 1)) + rng.normal(0, 3, (size, 21))
            found = order_test(sums[:, 0].tolist(), sums[:, 1:].tolist())
            parts["order"].count(found.p < 0.05, False)
            drawn = rng.normal(size=200)
            parts["canary"].count(canary_rank(drawn[0], drawn[1:].tolist()).p <= 0.05, False)
            p = hotelling_p(rng.multinomial(8, [0.25] * 4, size)[:, :3] - 2.0)
            if p is not None:
                parts["places"].count(p < 0.05, False)
        line(f"{size} items, shards or articles", tuple(parts.items()), 0.03, 0.07)


def overlaps(samples: int, rng: Random) -> None:
    """Items that a corpus holds no more of than of others, in parts; a canary that was never seen
    (a bound of its p, at most 0.05 by its making)."""
    print("-- p < 0.05 where a corpus holds items and controls alike; canary digits by chance")
    words = [f"w{n}" for n in range(3000)]
    for size in (12, 40, 200):
        overlap, written = Tally(), Tally()
        for _ in range(samples):
            texts = [" ".join(rng.choice(words, 40)) for _ in range(2 * size)]
            corpus = [text[: int(len(text) * rng.beta(0.4, 0.4))] for text in texts]
            items, control = (
                {str(n): text for n, text in enumerate(side)}
                for side in (texts[:size], texts[size:])
            )
            found = corpus_overlap(items, corpus, control=control, window=5)
            overlap.count(found.p is not None and found.p < 0.05, False)
            digits = rng.integers(0, 16, (1 + size // 4, 8))
            secret, *guesses = ("".join(f"{one:x}" for one in row) for row in digits.tolist())
            written.count(canary_completion(secret, guesses).p < 0.05, True)
        parts = (("overlap", overlap), ("completion", written))
        line(f"{size} items, shards or articles", parts, 0.03, 0.07)


def dependent(samples: int, rng: Random) -> None:
    """Scores of items that share articles (correlation 0.2), each alone and by article; and a text
    with phrases that a corpus of the same phrases shares by nature, with no item in it."""
    print(
        "-- p < 0.05 where nothing was seen, but items share articles, or phrases with the corpus"
    )
    for articles, each in ((10, 4), (40, 5), (10, 20)):
        alone, means = Tally(), Tally()
        for _ in range(4 * samples):
            level = np.sqrt(0.2) * rng.normal(size=(2, articles, 1))
            sides = level + np.sqrt(0.8) * rng.normal(size=(2, articles, each))
            alone.count(compare_scores("", *sides.reshape(2, -1)).p < 0.05, True)
            means.count(compare_scores("", *sides.mean(2), by_source=True).p < 0.05, False)
        parts = (("min-k alone", alone), ("by article", means))
        line(f"{articles} articles, {each} items each", parts, 0.03, 0.07)
    words = [f"w{n}" for n in range(3000)]
    for articles, each in ((5, 5), (12, 5), (40, 5)):
        alone, means = Tally(), Tally()
        for _ in range(samples // 2):
            texts = {f"{side}{a} {n}": " ".join(rng.choice(words, 20))
                     for side in "ic" for a in range(articles) for n in range(each)}  # fmt: skip
            sources = {name: name.split()[0] for name in texts}
            held = {one for one in dict.fromkeys(sources.values()) if rng.random() < 0.4}
            corpus = [text for name, text in texts.items() if sources[name] in held]
            items, others = ({n: t for n, t in texts.items() if n[0] == side} for side in "ic")
            for tally, named in ((alone, None), (means, sources)):
                found = corpus_overlap(items, corpus, control=others, window=5, sources=named,
                                       control_sources=named)  # fmt: skip
                tally.count(found.p is not None and found.p < 0.05, bool(found.caution))
        parts = (("overlap alone", alone), ("by article", means))
        line(f"{articles} articles, {each} items each", parts, 0.03, 0.07)
    follow = rng.dirichlet(np.full(400, 0.02), 400).cumsum(1)

    def text(length: int) -> str:
        words = [int(rng.integers(400))]
        for draw in rng.random(length - 1).tolist():
            words.append(min(399, int(np.searchsorted(follow[words[-1]], draw))))
        return " ".join(f"w{word}" for word in words)

    shuffled, control = Tally(), Tally()
    for _ in range(samples):
        items, others = ({str(n): text(40) for n in range(40)} for _ in range(2))
        for tally, more in ((shuffled, None), (control, others)):
            found = corpus_overlap(items, [text(2000)], control=more, window=5)
            tally.count(found.p is not None and found.p < 0.05, tally is shuffled)
    parts = (("overlap, shuffled words", shuffled), ("control", control))
    line("40 items of 40 words", parts, 0.03, 0.07)


def families(samples: int, rng: Random) -> None:
    """Holm's correction of all pairs of models that are equally good: any of them below 0.05."""
    print("-- any corrected p < 0.05 among all pairs of equally good models (at most 0.05)")
    for models, items in ((3, 300), (5, 300), (5, 1000)):
        any_of = Tally()
        for _ in range(4 * samples):
            hard = rng.beta(2, 2, items)
            right = rng.random((models, items)) < hard
            pairs = [
                mcnemar(int(np.sum(right[a] & ~right[b])), int(np.sum(right[b] & ~right[a])))
                for a in range(models)
                for b in range(a)
            ]
            corrected = holm(pairs)
            any_of.count(any(p is not None and p < 0.05 for p in corrected), True)
        line(f"{models} models, {items} items", (("Holm", any_of),), 0.0, 0.05)


def likelihoods(samples: int, rng: Random) -> None:
    """The calibration error of a calibrated and of an overconfident model."""
    print("-- calibration error (0 and 20 points), and p < 0.05 where there is none")
    choices = ("a", "b", "c", "d")
    for answers, sources in ((50, 50), (300, 300), (300, 30), (1000, 100)):
        well, over, test = Tally(), Tally(), Tally()
        for _ in range(samples // 2):
            sure = rng.uniform(0.35, 0.95, answers)
            for gap, tally in ((0.0, well), (0.2, over)):
                right = rng.random(answers) < sure - gap
                keys, records = [], {}
                for n, (share, good) in enumerate(zip(sure.tolist(), right.tolist(), strict=True)):
                    answer, cluster = choices[0 if good else 1], f"s{n % sources}"
                    keys.append(AnswerKey(str(n), answer, "", "", "", "", choices, cluster))
                    rest = np.log((1 - share) / 3)
                    records[str(n)] = {"scores": [np.log(share), rest, rest, rest]}
                found = calibration((key, records.get(key.id)) for key in keys)
                if found is not None:
                    tally.count(found.low <= gap <= found.high, bool(found.caution))
                    if not gap:
                        test.count(found.p < 0.05, bool(found.caution))
        name = f"{answers} answers, {sources} sources"
        line(name, (("calibrated", well), ("overconfident", over)), 0.93, 0.97)
        line("   p < 0.05", (("none", test),), 0.03, 0.07)


def looks(samples: int, rng: Random) -> None:
    """A run that is looked at after every tenth answer, by itself or article by article."""
    print("-- any look: all looks of a run together, 600 answers (at least 0.95 by its making)")
    for level in (0.03, 0.1, 0.3, 0.6, 0.95):
        for size in (1, 5, 15):
            tally, once = Tally(), Tally()
            for _ in range(samples):
                rates = rng.beta(4 * level, 4 * (1 - level), 600 // size)
                rate = level if size == 1 else np.repeat(rates, size)
                scores = (rng.random(600) < rate).astype(float)
                held = plain = True
                rough = False
                for n in range(40, 601, 20 if size == 1 else 30):
                    part = _so_far(scores[:n], size)
                    found, usual = any_look(part, 600), part.interval
                    held &= found is None or found.low <= level <= found.high
                    rough |= found is not None and bool(found.caution)
                    plain &= (usual.low or 0) <= level <= (usual.high or 1)
                tally.count(held, rough)
                once.count(plain, True)
            parts = (("sequence", tally), ("usual interval", once))
            line(f"{level}, {size} in an article", parts, 0.95, 1.0)


def _so_far(scores: np.ndarray, size: int) -> AccuracyEstimate:
    count, right = len(scores), float(scores.sum())
    if size == 1:
        return AccuracyEstimate(count, right, None, clusters=count)
    sums = ClusterSums()
    sums.extend([str(n // size) for n in range(count)], scores.tolist())
    error, freedom = sums.error(), sums.freedom()
    return AccuracyEstimate(count, right, None, error, len(sums), freedom, sums)


def adaptive(samples: int, rng: Random) -> None:
    """Adaptive scores by a bank that is known, of models as it says; and by banks of 11 models
    that have an ability of its own for each of two kinds of items, which no one scale holds."""
    print("-- adaptive score, a fifth of the items: the most telling ones, and random ones")
    for items in (200, 1000):
        slopes, places = np.exp(rng.normal(0.3, 0.35, items)), rng.normal(0, 1.2, items)
        bank = ItemBank(tuple(map(str, range(items))), slopes, places, np.zeros(items))
        telling, drawn = Tally(), Tally()
        for _ in range(samples // 2):
            chances = 1 / (1 + np.exp(-slopes * (rng.normal() - places)))
            own = (rng.random(items) < chances).astype(float)
            _both(bank, own, telling, drawn, int(rng.integers(10**6)))
        line(f"{items} items", (("telling", telling), ("random", drawn)), 0.93, 0.97)
    for models in (10, 20, 50):  # calibrate the items of a bank, which 20 new models share
        telling, drawn = Tally(), Tally()
        for _ in range(max(2, samples // 20)):
            slopes, places = np.exp(rng.normal(0.3, 0.35, 500)), rng.normal(0, 1.2, 500)
            abilities = rng.normal(size=models + 20)
            chances = 1 / (1 + np.exp(-slopes[:, None] * (abilities - places[:, None])))
            answers = (rng.random(chances.shape) < chances).astype(float)
            bank = calibrated(tuple(map(str, range(500))), answers[:, :models])
            for own in answers[:, models:].T:
                _both(bank, own, telling, drawn, int(rng.integers(10**6)))
        if shared_note(models):
            telling.said = telling.samples
        line(f"500 items, {models} models", (("telling", telling), ("random", drawn)), 0.93, 0.97)
    for items in (200, 500):
        telling, drawn = Tally(), Tally()
        for _ in range(max(4, samples // 10)):
            ability, kind = rng.normal(size=(12, 2)), rng.integers(0, 2, items)
            slopes, places = np.exp(rng.normal(0.3, 0.35, items)), rng.normal(0, 1.2, items)
            distance = slopes[:, None] * (ability[:, kind].T - places[:, None])
            answers = (rng.random((items, 12)) < 1 / (1 + np.exp(-distance))).astype(float)
            bank = calibrated(tuple(map(str, range(items))), answers[:, 1:])
            _both(bank, answers[:, 0], telling, drawn, int(rng.integers(10**6)))
        telling.said = telling.samples  # in words, wherever such an interval is printed
        line(f"{items} items, two kinds", (("telling", telling), ("random", drawn)), 0.93, 0.97)


def _both(bank: ItemBank, own: np.ndarray, telling: Tally, drawn: Tally, seed: int) -> None:
    """Count a model's two intervals by a fifth of the items."""
    ask = own.tolist().__getitem__
    found = AdaptiveSession(bank, 0.0, 0.2).run(ask)
    telling.count(found.low <= own.mean() <= found.high, bool(found.caution))
    found = SampledSession(bank, 0.0, 0.2, seed).run(ask)
    drawn.count(found.low <= own.mean() <= found.high, bool(found.caution))


TABLES = (
    correlations, elo, contamination, evidence, overlaps, dependent, families, likelihoods, looks,
    adaptive,
)  # fmt: skip


def main() -> None:
    """Print every table."""
    print_tables(TABLES, SAMPLES)


if __name__ == "__main__":
    main()
