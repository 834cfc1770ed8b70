"""As ``bench_coverage``, for figures of people's ratings and judges': every agreement coefficient,
a judge against people, the human ceiling, and the bound that acceptance sampling proves.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from core.agreement import coefficient
from core.agreement.coefficients import COEFFICIENTS
from core.agreement.compute import FEW_SOURCES, coefficients_for, value_of
from core.agreement.intervals import mean_interval
from core.agreement.ratings import table_of_matrix
from core.agreement.shared_sources import SharedSources
from core.audit.sampling import SamplingPlan, proven_bound
from core.evaluation.judge_agreement import RATING_COEFFICIENTS, VERDICT_COEFFICIENTS
from core.evaluation.report_parts.human_ceiling import ENGINE, PERSON, HumanCeiling, human_ceiling
from core.evaluation.scoring import AccuracyEstimate, ItemScore, Report
from core.workflow.dashboards.agreement_query import DEFAULT_COEFFICIENTS
from tests.benchmarks.bench_coverage import Random, Tally, line, print_tables

Codes = npt.NDArray[np.int8]
Shares = npt.NDArray[np.float64]
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


def analytic(samples: int, rng: Random) -> None:
    """The analytic interval of every coefficient that has one, for three raters."""
    print("-- agreement of three raters on five categories, analytic")
    whole = table_of_matrix(_rated(rng, LARGE, 3, 5, 0.6), range(5))
    truth = {one.name: value_of(whole, one.name) for one in COEFFICIENTS}
    sizes = (12, 30, 100, 300, 1000)
    tallies = {name: {size: Tally() for size in sizes} for name in truth}
    for size in sizes:
        for _ in range(2 * samples):
            table = table_of_matrix(_rated(rng, size, 3, 5, 0.6), range(5))
            for one in coefficients_for(table, interval="analytic"):
                if one.low is not None and one.high is not None:
                    held = one.low <= truth[one.name] <= one.high
                    tallies[one.name][size].count(held, one.rough)
    for name, by_size in tallies.items():
        if by_size[sizes[-1]].samples:
            line(name, [(str(size), tally) for size, tally in by_size.items()], 0.93, 0.97)


def mean_agreement(samples: int, rng: Random) -> None:
    """The mean of a coefficient over three criteria of the same items, as reports of people's
    ratings print it; items share articles, which are clear or not for all criteria."""
    print("-- mean of Cohen's kappa over three criteria, by article: BCa, of few Student's")
    kappa = coefficient("cohen_kappa")

    def drawn(articles: int, each: int) -> list[Codes]:
        keep = np.repeat(rng.beta(6, 3, articles), each)[:, None]
        criteria = rng.integers(0, 3, (3, articles * each, 1))
        said = rng.random((3, articles * each, 2)) < keep
        guessed = rng.integers(0, 3, said.shape)
        return list(np.where(said, criteria, guessed).astype(np.int8))

    truth = float(np.mean([
        value_of(table_of_matrix(one, range(3)), kappa.name) for one in drawn(LARGE // 5, 5)
    ]))  # fmt: skip
    for articles, each in ((2, 15), (5, 12), (10, 10), (30, 5), (100, 1), (100, 3)):
        tally, codes = Tally(), np.arange(articles * each) // each
        shared = SharedSources(codes, articles)
        for seed in range(2 * samples):
            tables = [table_of_matrix(one, range(3)) for one in drawn(articles, each)]
            sources = [str(code) for code in codes.tolist()]
            alone = [
                coefficients_for(one, [kappa.name], resamples=10, sources=sources)[0]
                for one in tables
            ]
            found = mean_interval([kappa.statistic(one) for one in tables], [shared] * 3, 500, seed)
            if found.low is not None and found.high is not None:
                held = found.low <= truth <= found.high
                tally.count(held, any(one.rough for one in alone))
        line(f"{articles} articles, {each} items each", (("mean", tally),), 0.93, 0.97)


def agreement_by_article(samples: int, rng: Random) -> None:
    """The dashboard's coefficients of three reviewers' verdicts on items that share articles, of
    which some are harder to agree on."""
    print("-- agreement of three reviewers' verdicts, by article: BCa, of few Student's")

    def drawn(articles: int, each: int) -> Codes:
        good, keep = rng.beta(6, 3, articles), rng.beta(8, 2, articles)
        true = (rng.random((articles, each)) < good[:, None]).ravel()
        kept = rng.random((len(true), 3)) < np.repeat(keep, each)[:, None]
        said = np.where(kept, true[:, None], rng.integers(0, 2, kept.shape))
        return said.astype(np.int8)

    whole = table_of_matrix(drawn(LARGE // 5, 10), range(2))
    truth = {name: value_of(whole, name) for name in DEFAULT_COEFFICIENTS}
    for articles, each in ((2, 30), (5, 20), (10, 10), (15, 10), (20, 10), (30, 10), (100, 3)):
        sources = [str(n // each) for n in range(articles * each)]
        tallies = {name: Tally() for name in truth}
        for seed in range(2 * samples):
            table = table_of_matrix(drawn(articles, each), range(2))
            for one in coefficients_for(table, list(truth), resamples=500, seed=seed,
                                        sources=sources):  # fmt: skip
                if one.low is not None and one.high is not None:
                    tallies[one.name].count(one.low <= truth[one.name] <= one.high, one.rough)
        line(f"{articles} articles, {each} items each", tuple(tallies.items()), 0.93, 0.97)


def chance_agreement(samples: int, rng: Random) -> None:
    """Fleiss' test of kappa = 0: three raters who lean in each article to a verdict of their own
    and agree by chance alone; the second line, on items that share nothing."""
    print("-- |z| or |t| beyond its 5% where three raters agree by chance")
    for articles, each in ((5, 20), (10, 15), (20, 15), (30, 10), (100, 5), (100, 1), (1000, 1)):
        alone, over = Tally(), Tally()
        sources = [str(n // each) for n in range(articles * each)]
        for _ in range(5 * samples):
            lean = rng.beta(1.5, 1.5, (articles, 3)) if each > 1 else np.full((articles, 3), 0.4)
            said = (rng.random((articles, each, 3)) < lean[:, None]).reshape(-1, 3)
            table = table_of_matrix(said.astype(np.int8), range(2))
            for tally, named in ((alone, None), (over, sources)):
                (found,) = coefficients_for(table, ["fleiss_kappa"], "none", sources=named)
                value = found.details.get("t", found.details.get("z", 0.0))
                reach = float(stdtrit(found.details.get("freedom", np.inf), 0.975))
                rough = tally is alone if each > 1 else False
                tally.count(abs(value) > reach, rough or (each > 1 and articles < FEW_SOURCES))
        line(f"{articles} articles, {each} items each", (("z over items", alone),
             ("t over articles", over)), 0.03, 0.07)  # fmt: skip


def judge_and_people(samples: int, rng: Random) -> None:
    """A judge and a person on answers that share articles, as ``judge_agreement`` counts them: both
    find some articles' easier."""
    print("-- a judge against people: answers that share articles, ratings 1–5 and verdicts")
    scales = {"ratings": range(1, 6), "verdicts": range(2)}
    names = {"ratings": RATING_COEFFICIENTS, "verdicts": VERDICT_COEFFICIENTS}

    def drawn(articles: int, each: int) -> dict[str, Codes]:
        mood, apart = rng.normal(0, 0.8, articles), rng.gamma(4, 0.2, articles)
        true = (mood[:, None] + rng.normal(0, 0.9, (articles, each))).ravel()
        sides = true[:, None] + np.repeat(apart, each)[:, None] * rng.normal(size=(len(true), 2))
        ratings = np.clip(np.rint(2 + sides), 0, 4).astype(np.int8)
        return {"ratings": ratings, "verdicts": (sides > -0.5).astype(np.int8)}

    truth = {
        (kind, name): value_of(table_of_matrix(matrix, scales[kind]), name)
        for kind, matrix in drawn(LARGE // 20, 20).items()
        for name in names[kind]
    }
    for articles, each in ((2, 30), (5, 20), (10, 10), (10, 30), (30, 5), (100, 1), (100, 3)):
        tallies = {key: Tally() for key in truth}
        sources = [str(n // each) for n in range(articles * each)]
        for seed in range(samples):
            for kind, matrix in drawn(articles, each).items():
                table = table_of_matrix(matrix, scales[kind])
                for one in coefficients_for(table, names[kind], resamples=500, seed=seed,
                                            sources=sources):  # fmt: skip
                    if one.low is not None and one.high is not None:
                        held = one.low <= truth[kind, one.name] <= one.high
                        tallies[kind, one.name].count(held, one.rough)
        parts = tuple((name, tally) for (_, name), tally in tallies.items())
        line(f"{articles} articles, {each} answers each", parts, 0.93, 0.97)


def ceilings(samples: int, rng: Random) -> None:
    """Three people on items that share articles: mean, majority, and how far they agree."""
    print("-- human ceiling of three people, four options")
    skills = np.full(3, 0.7)
    whole = _ceiling(rng, skills, 2000, 10)
    assert whole.majority is not None
    for articles, each in ((2, 12), (5, 12), (10, 10), (30, 10), (100, 3)):
        tallies = {name: Tally() for name in ("mean", "majority", "alpha")}
        for _ in range(samples):
            found = _ceiling(rng, skills, articles, each)
            assert found.majority is not None
            for name, figure, truth in (
                ("mean", found.mean, whole.mean.value),
                ("majority", found.majority, whole.majority.value),
            ):
                held = (figure.low or 0.0) <= truth <= (figure.high or 1.0)
                tallies[name].count(held, bool(figure.caution))
            if found.alpha_low is not None and found.alpha_high is not None:
                held = found.alpha_low <= (whole.alpha or 0.0) <= found.alpha_high
                tallies["alpha"].count(held, bool(found.alpha_caution))
        line(f"{articles} articles, {each} items each", tuple(tallies.items()), 0.93, 0.97)


def people_like_these(samples: int, rng: Random) -> None:
    """The mean of anybody, by a few who were asked and who differ by ten points."""
    print("-- mean of people like those who answered, who differ by 10 points")
    for people in (2, 3, 5, 10, 30):
        parts = []
        for articles, each in ((5, 8), (30, 3), (60, 1)):
            tally = Tally()
            for _ in range(samples):
                skills = rng.normal(0.6, 0.1, people).clip(0, 1)
                found = _ceiling(rng, skills, articles, each).anybody
                if found is not None:
                    held = (found.low or 0.0) <= _right(0.6) <= (found.high or 1.0)
                    tally.count(held, bool(found.caution))
            parts.append((f"{articles} × {each}", tally))
        line(f"{people} people", parts, 0.93, 0.97)


def _right(knows: float) -> float:
    """The share right of who knows such a share, and guesses one of four else."""
    return knows + (1 - knows) / 4


def _ceiling(
    rng: Random, skills: npt.NDArray[np.float64], articles: int, each: int
) -> HumanCeiling:
    """Of people who know such shares; articles are easier or harder by up to a quarter."""
    easier = np.repeat(rng.uniform(-0.25, 0.25, articles), each)[:, None]
    guessed = rng.integers(0, 4, (len(easier), len(skills)))
    said = np.where(rng.random(guessed.shape) < skills + easier, 0, guessed)
    entries = tuple(
        ItemScore(f"{n}#{PERSON}{place}", "prediction", "", f"a{n // each}", "A", "ABCD"[code],
                  code == 0, True, "ok", variant=f"{PERSON}{place}")
        for n, row in enumerate(said.tolist())
        for place, code in enumerate(row)
    )  # fmt: skip
    total = AccuracyEstimate(0, 0)
    found = human_ceiling(Report("", ENGINE, "", total, 0, 0, {}, 0, {}, entries))
    assert found is not None
    return found


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


TABLES = (
    coefficients, analytic, agreement_by_article, mean_agreement, chance_agreement,
    judge_and_people, ceilings, people_like_these, lots,
)  # fmt: skip


def main() -> None:
    """Print every table."""
    print_tables(TABLES, SAMPLES)


if __name__ == "__main__":
    main()
