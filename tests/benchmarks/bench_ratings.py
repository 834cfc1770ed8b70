"""As ``bench_coverage``, for figures of people's ratings and judges': every agreement coefficient,
a judge against people, the human ceiling, and the bound that acceptance sampling proves.
"""

import numpy as np
import numpy.typing as npt

from core.agreement.coefficients import COEFFICIENTS
from core.agreement.compute import coefficients_for, value_of
from core.agreement.ratings import table_of_matrix
from core.audit.sampling import SamplingPlan, proven_bound
from core.evaluation.judge_agreement import judge_agreement
from core.evaluation.report_parts.human_ceiling import ENGINE, PERSON, human_ceiling
from core.evaluation.scoring import AccuracyEstimate, ItemScore, Report
from tests.benchmarks.bench_coverage import Random, Tally, line, print_tables

Codes = npt.NDArray[np.int8]
SAMPLES = 200
LARGE = 100_000


def _rated(rng: Random, items: int, raters: int, levels: int, keep: float) -> Codes:
    """Ratings of an ordered scale: raters keep to the true level, else say a near one."""
    true = np.minimum(levels - 1, rng.geometric(0.45, items) - 1)
    near = np.clip(true[:, None] + rng.integers(-1, 2, (items, raters)), 0, levels - 1)
    any_ = rng.integers(0, levels, (items, raters))
    kept = rng.random((items, raters))
    said = np.where(kept < keep, true[:, None], np.where(kept < 0.9, near, any_))
    return said.astype(np.int8)


def coefficients(samples: int, rng: Random) -> None:
    """Every coefficient, of two and of three raters on five ordered categories."""
    for raters in (2, 3):
        print(f"-- agreement of {raters} raters on five categories, BCa")
        whole = table_of_matrix(_rated(rng, LARGE, raters, 5, 0.6), range(5))
        truth = {one.name: value_of(whole, one.name) for one in COEFFICIENTS}
        tallies = {size: {name: Tally() for name in truth} for size in (12, 30, 50, 100, 300)}
        for size, found in tallies.items():
            for seed in range(samples):
                table = table_of_matrix(_rated(rng, size, raters, 5, 0.6), range(5))
                for one in coefficients_for(table, resamples=500, seed=seed):
                    if one.low is not None and one.high is not None:
                        held = one.low - 1e-9 <= truth[one.name] <= one.high + 1e-9
                        found[one.name].count(held, any("rough" in note for note in one.notes))
        for name in truth:
            parts = [(str(size), found[name]) for size, found in tallies.items()]
            line(name, parts, 0.93, 0.97)


def judge_and_people(samples: int, rng: Random) -> None:
    """A judge and people on answers that share articles: both find some articles' easier."""
    print("-- a judge against people: answers that share articles, ratings 1–5 and verdicts")

    def drawn(articles: int, each: int) -> tuple[dict[str, list[float]], dict[str, str]]:
        mood, apart = rng.normal(0, 0.8, articles), rng.gamma(4, 0.2, articles)
        true = (mood[:, None] + rng.normal(0, 0.9, (articles, each))).ravel()
        spread = np.repeat(apart, each)
        one, other = (true + spread * rng.normal(size=len(true)) for _ in range(2))
        sides = {
            "ratings": [np.clip(np.rint(3 + side), 1, 5).tolist() for side in (one, other)],
            "verdicts": [(side > -0.5).astype(float).tolist() for side in (one, other)],
        }
        clusters = {str(n): str(n // each) for n in range(articles * each)}
        return sides, clusters  # type: ignore[return-value]  # lists of two lists

    def agreed(sides, clusters, **more):  # type: ignore[no-untyped-def]  # as drawn
        for kind, scale in (("ratings", range(1, 6)), ("verdicts", (0, 1))):
            judged, human = (dict(zip(clusters, side, strict=True)) for side in sides[kind])
            yield from judge_agreement(
                judged, human, categories=tuple(scale), clusters=clusters, **more
            )

    sides, clusters = drawn(LARGE // 20, 20)
    truth = {one.name: one.value or 0.0 for one in agreed(sides, clusters, resamples=2)}
    for articles, each in ((5, 20), (10, 10), (10, 30), (30, 5), (100, 1), (100, 3)):
        tallies = {name: Tally() for name in truth}
        for seed in range(samples):
            for one in agreed(*drawn(articles, each), resamples=500, seed=seed):
                if one.low is not None and one.high is not None:
                    held = one.low <= truth[one.name] <= one.high
                    tallies[one.name].count(held, any("rough" in note for note in one.notes))
        line(f"{articles} articles, {each} answers each", tuple(tallies.items()), 0.93, 0.97)


def ceilings(samples: int, rng: Random) -> None:
    """Three people on items that share articles: mean, majority, and how far they agree."""
    print("-- human ceiling of three people, four options")

    def answered(articles: int, each: int) -> list[ItemScore]:
        know = np.repeat(rng.beta(6, 2.5, articles), each)
        guessed = rng.integers(0, 4, (len(know), 3))
        said = np.where(rng.random(guessed.shape) < know[:, None], 0, guessed)
        return [
            ItemScore(f"{n}#{PERSON}{place}", "prediction", "", f"a{n // each}", "A", "ABCD"[code],
                      code == 0, True, "ok", variant=f"{PERSON}{place}")
            for n, row in enumerate(said.tolist())
            for place, code in enumerate(row)
        ]  # fmt: skip

    def figures(entries: list[ItemScore]):  # type: ignore[no-untyped-def]  # three of them
        total = AccuracyEstimate(0, 0)
        found = human_ceiling(Report("", ENGINE, "", total, 0, 0, {}, 0, {}, tuple(entries)))
        assert found is not None
        assert found.majority is not None
        assert found.alpha is not None
        return found

    whole = figures(answered(2000, 10))
    truths = (whole.mean.value, whole.majority.value, whole.alpha)
    for articles, each in ((2, 12), (5, 12), (10, 10), (30, 10), (100, 3)):
        tallies = [Tally() for _ in range(3)]
        for _ in range(samples):
            found = figures(answered(articles, each))
            rough = bool(found.mean.caution)
            spans = ((found.mean.low, found.mean.high), (found.majority.low, found.majority.high),
                     (found.alpha_low, found.alpha_high))  # fmt: skip
            for tally, (low, high), truth in zip(tallies, spans, truths, strict=True):
                if low is not None:
                    tally.count(low <= truth <= high, rough)
        line(
            f"{articles} articles, {each} items each",
            tuple(zip(("mean", "majority", "alpha"), tallies, strict=True)),
            0.93,
            0.97,
        )


def lots(samples: int, rng: Random) -> None:
    """The share of defects that a sample rules out, one-sided: above the truth in 95 of 100."""
    print("-- acceptance sampling: the bound lies above the truth (at least 0.95 by its making)")
    for lot, drawn in ((100, 20), (500, 50), (5000, 50), (0, 20)):
        for share in (0.02, 0.1):
            tally = Tally()
            for _ in range(20 * samples):
                bad = round(share * lot)
                failures = (
                    int(rng.hypergeometric(bad, lot - bad, drawn)) if lot
                    else int(rng.binomial(drawn, share))
                )  # fmt: skip
                bound = proven_bound(SamplingPlan(drawn), failures, lot=lot or None)
                tally.count(share <= bound + 1e-12, True)
            line(f"{drawn} of {lot or 'a large lot'}, {share}", (("bound", tally),), 0.95, 1.0)


TABLES = (coefficients, judge_and_people, ceilings, lots)


def main() -> None:
    """Print every table."""
    print_tables(TABLES, SAMPLES)


if __name__ == "__main__":
    main()
