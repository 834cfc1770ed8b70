"""A table of rugged scores from rows of accuracies: pairing, undefined cases, intervals.

The bootstrap resamples items within every cell (model × benchmark): for right-or-wrong items that
is a binomial draw, so the cells' accuracies and item counts are all it needs. Where it is known
which items share an article, it resamples articles within domains instead, the same for all models
and formats: G − 1 of G, rescaled, which has the variance of the mean (Rao and Wu 1988, Journal of
the American Statistical Association 83, 231-241). Where all of a cell's n items are right, or all
wrong, neither would ever draw another accuracy: such a cell is drawn from (k + ½)/(n + 1), of as
many items as its articles are worth.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from core.analysis.accuracies import AccuracyRow, Side
from core.analysis.benchmark_pairs import PairCatalogue, comparable_name, shipped_pairs
from core.analysis.rugged import RANKS, RS1_VARIANTS, Floats, rugged_two, rugged_two_normalised
from core.errors import InputError
from core.evaluation.mean_interval import FEW_CLUSTERS, MeanSpread
from core.i18n import tr, trn
from core.proportion import student_quantile

_PORTION, _CUBE = 20, 200
_SAME_RANKS, _FEW_DRAWS = 1e-9, 0.05
_FEW_OF_A_KIND = 5  # right, or wrong: of fewer in a cell the interval holds in 90 to 93 of 100
_MEASURED = ("rs1", "rs1_relative", "rs2", "rs2_normalised")
SCORES = ("rs1", "rs1_relative", "rs2", "rs2_corrected", "rs2_normalised")
"""``rs2_corrected`` is the spread of the domains less the part that their items alone explain."""


@dataclass(frozen=True, slots=True)
class ScoreWithInterval:
    """A score with its interval; where one is None its reason says why. ``caution`` says where the
    interval rests on few articles."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    interval_reason: str | None = None
    caution: str = ""


@dataclass(frozen=True)
class RuggedScores:
    """The rugged scores of one model, with what they were made of. ``digests`` are the SHA-256 of
    files by the name under which ``runs`` lists them; the items are those of all accuracies of a
    side, None where an accuracy came without its number."""

    model: str
    scores: Mapping[str, ScoreWithInterval]
    pairs: Mapping[str, tuple[float, float]]
    public_alone: Mapping[str, float]
    private_alone: Mapping[str, float]
    private_mean: float | None
    runs: tuple[str, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    private_items: int | None = None
    public_items: int | None = None

    def as_json(self) -> dict[str, Any]:
        """One object: each score as a fraction, its ``_low``, ``_high`` and ``_reason``."""
        row: dict[str, Any] = {"model": self.model}
        for name, score in self.scores.items():
            row[name] = score.value
            row[f"{name}_low"] = score.low
            row[f"{name}_high"] = score.high
            row[f"{name}_reason"] = score.reason
            row[f"{name}_interval_reason"] = score.interval_reason
            row[f"{name}_caution"] = score.caution
        row["private_mean"] = self.private_mean
        row["pairs"] = {
            domain: {"public": public, "private": private}
            for domain, (public, private) in self.pairs.items()
        }
        row["unmatched_public"] = dict(self.public_alone)
        row["unmatched_private"] = dict(self.private_alone)
        row["runs"] = list(self.runs)
        row["digests"] = dict(self.digests)
        row["private_items"] = self.private_items
        row["public_items"] = self.public_items
        return row


@dataclass(frozen=True, slots=True)
class RuggedOptions:
    """``resamples`` 0 asks for no intervals; the variants are names of ``core.analysis.rugged``."""

    pairs: PairCatalogue = field(default_factory=shipped_pairs)
    seed: int = 0
    resamples: int = 2000
    confidence: float = 0.95
    rs1: str = "corrected"
    ranks: str = "true"


def rs_table(
    rows: Sequence[AccuracyRow],
    options: RuggedOptions | None = None,
    models: Sequence[str] = (),
) -> list[RuggedScores]:
    """The rugged scores of every model in the rows, in their first order of appearance.

    ``models`` come first and have a line, with reasons, even where no row is theirs. Raises
    InputError where there is no row at all.
    """
    if not rows:
        raise InputError.tr("There are no accuracies to compare.")
    options = options or RuggedOptions()
    models = list(dict.fromkeys((*models, *(row.model for row in rows))))
    grid = _Grid(rows, options.pairs, models)
    values = grid.scores(grid.accuracies[None], options)
    centres = grid.scores(grid.rates[None], options)
    drawn = None
    if options.resamples > 0 and not np.isnan(grid.counts).all():
        parts = [grid.scores(cube, options) for cube in grid.draws(options)]
        drawn = {name: np.concatenate([part[name] for part in parts]) for name in _MEASURED}
    table = []
    for place in range(len(models)):
        scores = {}
        for name in SCORES:
            measured = "rs2" if name == "rs2_corrected" else name
            point = float(values[measured][0, place])
            sample = None
            if drawn is not None:
                sample = _Sample(drawn[measured][:, place], float(centres[measured][0, place]))
            scores[name] = _measured(name, point, sample, grid, place, options)
        table.append(grid.described(place, scores, rows))
    return table


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Resampled scores, and the score of the rates that they were drawn from."""

    values: Floats
    centre: float


class _Grid:
    """Accuracies as models × benchmarks, and which columns are paired with which."""

    def __init__(
        self, rows: Sequence[AccuracyRow], pairs: PairCatalogue, models: Sequence[str]
    ) -> None:
        self.models = models
        cells = dict.fromkeys((row.set, comparable_name(row.domain)) for row in rows)
        self._names = {(row.set, comparable_name(row.domain)): row.domain for row in reversed(rows)}
        place = {model: number for number, model in enumerate(models)}
        members: dict[tuple[int, str, str], list[AccuracyRow]] = {}
        for row in rows:
            members.setdefault((place[row.model], row.set, comparable_name(row.domain)), []).append(
                row
            )
        # every row is a column of its own below its benchmark, so that it is resampled by itself
        self._width = {
            cell: max(len(members.get((m, *cell), ())) for m in range(len(models)))
            for cell in cells
        }
        shape = (len(models), sum(self._width.values()))
        self.accuracies = np.full(shape, math.nan)
        self.counts = np.full(shape, math.nan)
        self.columns: dict[tuple[Side, str], slice] = {}
        self._sources: dict[
            tuple[int, int], tuple[tuple[Side, str], Mapping[str, tuple[float, int]]]
        ] = {}
        start = 0
        for cell, width in self._width.items():
            self.columns[cell] = slice(start, start + width)
            for m in range(len(models)):
                for offset, row in enumerate(members.get((m, *cell), ())):
                    self.accuracies[m, start + offset] = row.accuracy
                    if row.n:
                        self.counts[m, start + offset] = row.n
                    if row.sources:
                        self._sources[m, start + offset] = cell, row.sources
            start += width
        self._pair(pairs)
        self._number_articles()
        self._set_rates()

    def _pair(self, pairs: PairCatalogue) -> None:
        private = [name for side, name in self.columns if side == "private"]
        titles = {self._names["private", name]: name for name in private}
        self.partners: dict[str, list[str]] = {name: [] for name in private}
        self.public_alone: list[str] = []
        for side, name in self.columns:
            if side == "private":
                continue
            domains = pairs.domains_of(self._names[side, name], titles)
            for domain in domains:
                self.partners[titles[domain]].append(name)
            if not domains:
                self.public_alone.append(name)

    def _number_articles(self) -> None:
        """Articles by side and by the first domain that they are in, and the cells made of them."""
        places: dict[tuple[Side, str], tuple[int, tuple[Side, str]]] = {}
        for domain, sources in self._sources.values():
            for article in sources:
                places.setdefault((domain[0], article), (len(places), domain))
        self._strata: dict[tuple[Side, str], list[int]] = {}
        for place, domain in places.values():
            self._strata.setdefault(domain, []).append(place)
        self._articles = len(places)
        self._cells: dict[tuple[int, int], tuple[npt.NDArray[np.intp], Floats, Floats]] = {}
        for cell, (domain, sources) in self._sources.items():
            if len(self._strata.get(domain, ())) > 1:
                own = np.array([places[domain[0], article][0] for article in sources], np.intp)
                totals, counts = np.array(list(sources.values()), np.float64).T
                self._cells[cell] = own, totals, counts

    def _set_rates(self) -> None:
        """What cells are drawn from: their accuracies, or near them where all items went alike."""
        known = ~np.isnan(self.counts)
        self._alike = alike = known & ((self.accuracies == 0) | (self.accuracies == 1))
        self._items = np.where(known, self.counts, 1.0)
        for cell, (_, sources) in self._sources.items():
            if alike[cell]:
                spread = MeanSpread(0.0, int(self._items[cell]), 0.0, clusters=len(sources))
                self._items[cell] = max(1, round(spread.worth))
                self._cells.pop(cell, None)
        near = (self.accuracies * self._items + 0.5) / (self._items + 1)
        self.rates = np.where(alike, near, self.accuracies)

    def freedom(self, private_only: bool) -> float:
        """Degrees of freedom of what is resampled by article; infinite where nothing is."""
        sizes = [
            len(articles)
            for (side, _), articles in self._strata.items()
            if side == "private" or not private_only
        ]
        degrees = sum(size - 1 for size in sizes)
        return float(degrees) if self._cells and degrees else math.inf

    @property
    def fewest_articles(self) -> int | None:
        """Articles of the domain that has fewest; None where it is not known of any."""
        return min(map(len, self._strata.values()), default=None)

    def _by_article(self, rng: np.random.Generator, cube: Floats) -> None:
        """Put the accuracies of resampled articles into the cells that are made of them."""
        weights = np.ones((len(cube), self._articles))
        for members in self._strata.values():
            size = len(members)
            if size > 1:
                drawn = rng.multinomial(size - 1, np.full(size, 1 / size), len(cube))
                weights[:, members] = drawn * (size / (size - 1))
        for (model, column), (articles, totals, counts) in self._cells.items():
            own = weights[:, articles]
            with np.errstate(invalid="ignore"):
                cube[:, model, column] = (own @ totals) / (own @ counts)

    def draws(self, options: RuggedOptions) -> Iterator[Floats]:
        """Resampled accuracies: resamples × models × columns; NaN where the items are unknown.

        In cubes of some resamples each, since all at once would fill the memory.
        """
        rng = np.random.default_rng(options.seed)
        known = ~np.isnan(self.counts)
        counts = self._items.astype(np.int64)
        shares = np.where(known, self.rates, 0.0)
        for start in range(0, options.resamples, _CUBE):
            # in portions: one call would hold the interpreter, and with it a window, for long
            ends = range(start, min(start + _CUBE, options.resamples), _PORTION)
            parts = [
                rng.binomial(
                    counts, shares, (min(_PORTION, options.resamples - done), *shares.shape)
                )
                for done in ends
            ]
            cube = np.where(known, np.concatenate(parts) / counts, math.nan)
            self._by_article(rng, cube)
            yield cube

    def means(self, cube: Floats, side: Side, name: str) -> Floats:
        """Mean over the rows of one benchmark: … × models; NaN where a model has none.

        A model's row that exists but could not be drawn makes its mean NaN as well.
        """
        part = cube[..., self.columns[side, name]]
        present = ~np.isnan(self.accuracies[:, self.columns[side, name]])
        with np.errstate(invalid="ignore"):
            total = np.where(present, part, 0.0).sum(axis=-1) / present.sum(axis=-1)
        return np.asarray(total, dtype=float)

    def scores(self, cube: Floats, options: RuggedOptions) -> dict[str, Floats]:
        """Every score: leading axis × models; NaN where it is undefined."""
        public = {n: self.means(cube, s, n) for s, n in self.columns if s == "public"}
        private = {n: self.means(cube, s, n) for s, n in self.columns if s == "private"}
        leading = cube.shape[:1]
        all_scores = {name: np.full((*leading, len(self.models)), math.nan) for name in _MEASURED}
        formula = RS1_VARIANTS[options.rs1]
        rank = RANKS[options.ranks]
        public_ranks = {name: _over_models(rank, values) for name, values in public.items()}
        private_ranks = {name: _over_models(rank, values) for name, values in private.items()}
        for place in range(len(self.models)):
            all_scores["rs1"][:, place] = self._one(place, public, private, formula)
            if len(self.models) > 1:
                all_scores["rs1_relative"][:, place] = self._one(
                    place, public_ranks, private_ranks, formula
                )
            present = [private[name][..., place] for name in self._present("private", place)]
            if present:
                stacked = np.stack(present, axis=-1)
                all_scores["rs2"][:, place] = rugged_two(stacked)
                all_scores["rs2_normalised"][:, place] = rugged_two_normalised(stacked)
        return all_scores

    def _present(self, side: Side, place: int) -> list[str]:
        return [
            name
            for part, name in self.columns
            if part == side and not np.isnan(self.accuracies[place, self.columns[part, name]]).all()
        ]

    def domains(self, place: int) -> int:
        """How many private domains a model has."""
        return len(self._present("private", place))

    def sides(self, place: int) -> tuple[dict[str, list[str]], list[str], list[str]]:
        """(public benchmarks by paired private domain, public alone, private alone) of a model."""
        public, private = self._present("public", place), self._present("private", place)
        paired = {
            domain: [name for name in self.partners[domain] if name in public] for domain in private
        }
        paired = {domain: names for domain, names in paired.items() if names}
        used = {name for names in paired.values() for name in names}
        return (
            paired,
            [name for name in public if name not in used],
            [domain for domain in private if domain not in paired],
        )

    def _one(
        self,
        place: int,
        public: Mapping[str, Floats],
        private: Mapping[str, Floats],
        formula: Callable[[Floats, Floats, Floats, Floats], Floats],
    ) -> Floats:
        paired, public_alone, private_alone = self.sides(place)
        leading = next(iter({**private, **public}.values())).shape[:-1]

        def stack(parts: list[Floats]) -> Floats:
            return np.stack(parts, axis=-1) if parts else np.empty((*leading, 0))

        return formula(
            stack([
                np.mean([public[name][..., place] for name in names], axis=0)
                for names in paired.values()
            ]),
            stack([private[domain][..., place] for domain in paired]),
            stack([public[name][..., place] for name in public_alone]),
            stack([private[name][..., place] for name in private_alone]),
        )  # fmt: skip

    def described(
        self, place: int, scores: Mapping[str, ScoreWithInterval], rows: Sequence[AccuracyRow]
    ) -> RuggedScores:
        """The scores of one model beside the accuracies that they were made of."""
        cube = self.accuracies[None]

        def of(side: Side, name: str) -> float:
            return float(self.means(cube, side, name)[0, place])

        paired, public_alone, private_alone = self.sides(place)
        private = [of("private", name) for name in self._present("private", place)]
        return RuggedScores(
            model=self.models[place],
            scores=scores,
            pairs={
                self._names["private", domain]: (
                    float(np.mean([of("public", name) for name in names])),
                    of("private", domain),
                )
                for domain, names in paired.items()
            },
            public_alone={self._names["public", n]: of("public", n) for n in public_alone},
            private_alone={self._names["private", n]: of("private", n) for n in private_alone},
            private_mean=float(np.mean(private)) if private else None,
            runs=tuple(
                dict.fromkeys(r.run for r in rows if r.model == self.models[place] and r.run)
            ),
            digests={r.run: r.digest for r in rows if r.model == self.models[place] and r.digest},
            private_items=_items(rows, self.models[place], "private"),
            public_items=_items(rows, self.models[place], "public"),
        )

    def unknown_items(self, place: int, private_only: bool) -> bool:
        """Whether an accuracy that a score needs came without its number of items."""
        for (side, _), part in self.columns.items():
            if private_only and side == "public":
                continue
            present = ~np.isnan(self.accuracies[place, part])
            if (present & np.isnan(self.counts[place, part])).any():
                return True
        return False

    def rarest(self, place: int, private_only: bool) -> float:
        """How many items the rarer kind, right or wrong, has in the cell that a score needs where
        it has fewest."""
        fewer = np.minimum(self.accuracies, 1 - self.accuracies) * self.counts
        parts = [
            fewer[place, part]
            for (side, _), part in self.columns.items()
            if side == "private" or not private_only
        ]
        known = np.concatenate([part[~np.isnan(part)] for part in parts]) if parts else np.empty(0)
        return float(known.min(initial=np.inf))


def _items(rows: Sequence[AccuracyRow], model: str, side: Side) -> int | None:
    counts = [row.n for row in rows if row.model == model and row.set == side]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _over_models(rank: Callable[[Any], Floats], values: Floats) -> Floats:
    """Ranks along the last axis, the models; those without a value stay out."""
    return np.moveaxis(rank(np.moveaxis(values, -1, 0)), 0, -1)


def _measured(
    name: str,
    point: float,
    sample: _Sample | None,
    grid: _Grid,
    place: int,
    options: RuggedOptions,
) -> ScoreWithInterval:
    if math.isnan(point):
        return ScoreWithInterval(None, reason=_why_undefined(name, grid, place))
    private_only = name.startswith("rs2")
    places = range(len(grid.models)) if name == "rs1_relative" else (place,)
    if any(grid.unknown_items(p, private_only) for p in places) or sample is None:
        reason = tr("The number of items behind an accuracy is unknown.")
        if options.resamples <= 0:
            reason = tr("No intervals were requested.")
        if name == "rs2_corrected":
            return ScoreWithInterval(None, reason=reason)
        return ScoreWithInterval(point, interval_reason=reason)
    defined = sample.values[~np.isnan(sample.values)]
    if not len(defined) or len(defined) < 0.95 * len(sample.values):
        reason = tr("Too many resamples have no score because there are too few items.")
        if name == "rs2_corrected":
            return ScoreWithInterval(None, reason=reason)
        return ScoreWithInterval(point, interval_reason=reason)
    quantile = student_quantile(grid.freedom(private_only), options.confidence)
    drawn, tail = _Sample(defined, sample.centre), NormalDist().cdf(-quantile)
    if private_only:
        low, high = _spread_bounds(point, drawn, tail, grid.domains(place))
        if name == "rs2_corrected":
            point = math.sqrt(max(0.0, point**2 - _noise(drawn)))
        high = max(high, point)  # as published it counts the chance of the items as spread
    else:
        low, high = _bounds(point, drawn, tail)
    fewest = grid.fewest_articles
    why = ""
    if fewest is not None and fewest < FEW_CLUSTERS:
        why = trn(
            "one of the accuracies is over items of only 1 source",
            "one of the accuracies is over items of only {n} sources",
            fewest,
        )
    elif (rarest := min(grid.rarest(p, private_only) for p in places)) < _FEW_OF_A_KIND - 0.5:
        why = trn(
            "few items with the rarer outcome: 1",
            "few items with the rarer outcome: {n}",
            round(rarest),
        )
    elif name == "rs1_relative" and _ranks_change(point, drawn):
        why = tr("models change ranks from draw to draw")
    return ScoreWithInterval(point, low, high, caution=why)


def _ranks_change(point: float, sample: _Sample) -> bool:
    """Whether more than one draw in twenty has other ranks. A bootstrap then does not hold them: of
    2 to 5 models two points apart, with 100 items a domain, it did so in 40 to 65 of 100 samples,
    of 8 models six points apart in 92."""
    return float(np.mean(np.abs(sample.values - point) > _SAME_RANKS)) > _FEW_DRAWS


def _bounds(point: float, sample: _Sample, tail: float) -> tuple[float, float]:
    """The bootstrap's quantiles less its bias; they hold the point where its cells are drawn from
    other rates."""
    low, high = np.quantile(sample.values, [tail, 1 - tail]) - (
        sample.values.mean() - sample.centre
    )
    return min(float(low), point), max(float(high), point)


def _spread_bounds(point: float, sample: _Sample, tail: float, domains: int) -> tuple[float, float]:
    """Those of the true spread behind RS_II.

    The squared spread of n domains, over the variance v of their accuracies and times n - 1, is
    non-central chi-square with n - 1 degrees of freedom, where the true spread makes the
    non-centrality; its distribution is inverted. The draws are such samples as well, around their
    own centre, so their mean and their variance both tell v; the larger is taken. No upper bound is
    lower than that of a spread which chance alone leads to expect: domains that happen to be alike
    do not show that there is no spread.
    """
    from scipy.special import chdtr, chndtrinc

    freedom, square = domains - 1, sample.centre**2
    spread = float((sample.values**2).var())
    of_width = math.sqrt(square**2 + spread * freedom / 2) - square
    variance = max(of_width, _noise(sample))
    if variance <= 0:
        return point, point
    found = freedom * point**2 / variance
    # where even no spread leads to less than this too seldom, the bound is no spread
    low = chndtrinc(found, freedom, 1 - tail) if chdtr(freedom, found) > 1 - tail else 0.0
    high = chndtrinc(max(found, freedom), freedom, tail)
    return math.sqrt(low * variance / freedom), math.sqrt(high * variance / freedom)


def _noise(sample: _Sample) -> float:
    """By how much the items alone enlarge the squared spread."""
    return float((sample.values**2).mean()) - sample.centre**2


def _why_undefined(name: str, grid: _Grid, place: int) -> str:
    paired, public_alone, private_alone = grid.sides(place)
    if name.startswith("rs2"):
        if len(paired) + len(private_alone) < 2:
            return tr("A spread needs private accuracies in two or more domains.")
        return tr("The private accuracies are all zero.")
    if not paired and not public_alone:
        return tr("This model has no public accuracy.")
    if not paired and not private_alone:
        return tr("This model has no private accuracy.")
    if name == "rs1_relative" and len(grid.models) < 2:
        return tr("A rank needs two or more models.")
    return tr(
        "Public and private accuracy are both zero in one domain, so they cannot be compared."
    )
