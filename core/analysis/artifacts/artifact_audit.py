"""How often each shallow solver is right, with its interval, and which items most of them solve.

The idea is that of the option-only and cue baselines of Gururangan et al. (2018) and of Balepur et
al. (2024): what is solved without the question is not evidence for understanding.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

from core.analysis.artifacts.learned import (
    by_classifier,
    by_language_model,
    by_position,
    folds_of,
    option_features,
    surface_features,
)
from core.analysis.artifacts.solvers import LEARNED, solver_names
from core.evaluation.clusters import mean_spread
from core.evaluation.mean_interval import MeanSpread, caution, mean_interval
from core.families.base import ItemContent
from core.generation.shortcuts.cues import TermWeights, cues_of
from core.generation.shortcuts.question import OptionQuestion, has_several, question_of
from core.proportion import student_quantile

LEAST_ITEMS = 20
"""Fewer questions of one kind give no interval worth reading."""
MOST_ITEMS = 4000
"""Of more questions of one kind so many, evenly spread, are looked at by default."""
EASY_SHARE = 0.5
POWER = 0.8
"""Share of the audits in which a solver of the accuracy ``found_from`` is found."""
_SPREAD = 1e-9


@dataclass(frozen=True)
class SolverResult:
    """One solver on the questions of one kind.

    ``accuracy``, ``low``, ``high`` (a 95% interval over sources) and ``chance`` are 0–1; of options
    that a solver likes equally each counts with its share. ``caution`` says in words why the
    interval may be too short, empty where it is not. ``all_low`` and ``all_high`` are of intervals
    that hold for all solvers of the audit together (Bonferroni), so also for the strongest of them:
    they are what is shown, and what decides. ``found_from`` is the true accuracy from which on the
    solver is found above chance in four of five such audits (``POWER``).
    """

    solver: str
    accuracy: float
    low: float | None
    high: float | None
    chance: float
    caution: str
    all_low: float | None = None
    all_high: float | None = None
    found_from: float | None = None

    @property
    def above_chance(self) -> bool:
        """Whether the interval for all solvers together lies above chance: of a sound item set
        any solver's does in at most one audit of forty, however many solvers there are."""
        return self.all_low is not None and self.all_low > self.chance

    @property
    def below_chance(self) -> bool:
        """Whether the interval for all solvers together lies below chance: who leaves out what the
        solver prefers gains. One that learned from the keys of other items (``LEARNED``) falls
        below chance by itself where these are balanced, which tells nobody anything."""
        fixed = self.solver not in LEARNED
        return fixed and self.all_high is not None and self.all_high < self.chance

    @property
    def above_alone(self) -> bool:
        """Whether only the interval of this solver by itself lies above chance."""
        return not self.above_chance and self.low is not None and self.low > self.chance


@dataclass(frozen=True)
class KindAudit:
    """The solvers on the questions of one kind; ``items`` of them, from ``sources`` sources.

    ``same_options`` of the items offer the same options as another one, whatever their order, and
    ``most_alike`` is how many offer those that are offered most often.
    """

    kind: str
    items: int
    sources: int
    solvers: tuple[SolverResult, ...]
    same_options: int = 0
    most_alike: int = 0

    @property
    def above_chance(self) -> int:
        """How many solvers are above chance."""
        return sum(solver.above_chance for solver in self.solvers)

    @property
    def below_chance(self) -> int:
        """How many solvers are below chance."""
        return sum(solver.below_chance for solver in self.solvers)

    @property
    def above_alone(self) -> int:
        """How many solvers are above chance only when each is looked at by itself."""
        return sum(solver.above_alone for solver in self.solvers)

    @property
    def found_from(self) -> float | None:
        """The true accuracy (0–1) from which on any of the solvers would be found in four of five
        such audits; None where that is not known of each."""
        known = [solver.found_from for solver in self.solvers if solver.found_from is not None]
        return max(known) if known and len(known) == len(self.solvers) else None


@dataclass(frozen=True)
class EasyItem:
    """An item that ``right`` of ``solvers`` solve: ``place`` is where it stands in the file."""

    place: str
    kind: str
    right: int
    solvers: int


@dataclass(frozen=True)
class ArtifactAudit:
    """The audit of an item set; ``without_options`` items offer no texts to choose from, and
    ``several_right`` may have several right ones."""

    kinds: tuple[KindAudit, ...]
    easy_items: tuple[EasyItem, ...]
    without_options: int
    too_few: Mapping[str, int]
    several_right: int = 0

    @property
    def clean(self) -> bool:
        """Whether no solver is above chance, and none below."""
        return not any(kind.above_chance or kind.below_chance for kind in self.kinds)

    def as_json(self) -> dict[str, Any]:
        """One JSON object, with ``clean`` and, of each solver, ``above_chance`` and
        ``below_chance``; of each kind ``found_from``."""
        document = asdict(self)
        for kind, row in zip(self.kinds, document["kinds"], strict=True):
            for solver, entry in zip(kind.solvers, row["solvers"], strict=True):
                entry["above_chance"] = solver.above_chance
                entry["below_chance"] = solver.below_chance
            row["found_from"] = kind.found_from
        return {**document, "clean": self.clean}


def audit_items(
    items: Sequence[ItemContent], places: Sequence[str | int], most: int = MOST_ITEMS
) -> ArtifactAudit:
    """The audit of items; ``places`` name them, one for one. Of more than ``most`` questions of one
    kind so many are looked at, evenly spread; they alone are held, and the items, which may lie on
    the disk, are read once more for them."""
    by_kind: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
    without = several = 0
    for number, item in enumerate(items):
        asked = question_of(item)
        if asked is None:
            several += has_several(item)
            without += not has_several(item)
        else:
            by_kind[asked.kind].append(number)
    credited: dict[str, tuple[list[OptionQuestion], dict[str, list[float | None]]]] = {}
    easy: list[EasyItem] = []
    too_few: dict[str, int] = {}
    for kind, found in sorted(by_kind.items()):
        if len(found) < LEAST_ITEMS:
            too_few[kind] = len(found)
            continue
        step = -(-len(found) // most)
        seen = found[::step]
        questions = [asked for number in seen if (asked := question_of(items[number]))]
        credited[kind] = questions, _credits(questions)
        easy += _easy(kind, [str(places[number]) for number in seen], credited[kind][1])
    tried = sum(len(credits) for _, credits in credited.values())
    kinds = tuple(_kind_audit(kind, *seen_of, tried) for kind, seen_of in credited.items())
    return ArtifactAudit(kinds, tuple(easy), without, too_few, several)


def _credits(questions: Sequence[OptionQuestion]) -> dict[str, list[float | None]]:
    """By solver, how far (0–1) it is right about each question; None where it does not apply."""
    weights = TermWeights(
        text for question in questions for text in (question.context, *question.options[:4])
    )
    folds = folds_of(questions)
    learned: dict[str, Callable[[], list[list[float]]]] = {
        "position": lambda: by_position(questions, folds),
        "options_only": lambda: by_classifier(questions, folds, option_features),
        "surface": lambda: by_classifier(questions, folds, surface_features),
        "language_model": lambda: by_language_model(questions, folds),
    }
    offered = Counter(option for question in questions for option in question.options)
    often = [[float(offered[option]) for option in question.options] for question in questions]
    learned |= {
        "often_offered": lambda: often,
        "seldom_offered": lambda: [[-count for count in row] for row in often],
    }
    credits: dict[str, list[float | None]] = {
        name: [
            _credit(scores, question.key)
            for scores, question in zip(solver(), questions, strict=True)
        ]
        for name, solver in learned.items()
    }
    for number, question in enumerate(questions):
        for name, scores in cues_of(question, weights).items():
            row = credits.setdefault(name, [None] * len(questions))
            row[number] = _credit(scores, question.key)
    known = list(solver_names())
    return {
        name: credits[name] for name in sorted(credits, key=known.index) if _says(credits[name])
    }


def _says(credits: Sequence[float | None]) -> bool:
    """Whether a solver ever prefers an option: equal lengths of orders tell nothing."""
    return any(credit in (0.0, 1.0) for credit in credits)


def _credit(scores: Sequence[float], key: int) -> float | None:
    if not scores:
        return None
    best = max(scores)
    liked = [index for index, score in enumerate(scores) if score >= best - _SPREAD]
    return 1 / len(liked) if key in liked else 0.0


def _kind_audit(
    kind: str,
    questions: Sequence[OptionQuestion],
    credits: Mapping[str, Sequence[float | None]],
    tried: int,
) -> KindAudit:
    """The solvers of one kind, of ``tried`` in the whole audit."""
    clusters = [question.source or f"\0{n}" for n, question in enumerate(questions)]
    solvers = []
    for name, row in credits.items():
        asked = [n for n, credit in enumerate(row) if credit is not None]
        values = [float(row[n] or 0.0) for n in asked]
        spread = mean_spread(
            values, [clusters[n] for n in asked], binary=all(v in (0.0, 1.0) for v in values)
        )
        interval, together = mean_interval(spread), mean_interval(spread, 1 - 0.05 / tried)
        chance = sum(1 / len(questions[n].options) for n in asked) / len(asked)
        solvers.append(
            SolverResult(
                name,
                spread.mean,
                interval.low,
                interval.high,
                chance,
                caution(spread),
                together.low,
                together.high,
                _found_from(spread, chance, 1 - 0.05 / tried),
            )
        )
    sets = Counter(frozenset(q.options) for q in questions if not q.orders)
    same, most = sum(n for n in sets.values() if n > 1), max(sets.values(), default=0)
    return KindAudit(kind, len(questions), len(set(clusters)), tuple(solvers), same, most)


def _found_from(spread: MeanSpread, chance: float, confidence: float) -> float | None:
    """The least true accuracy (0–1) of which an interval at that confidence lies above chance in a
    share ``POWER`` of the audits with as many answers; None where these are worth too few.

    Wilson's interval lies above chance where the accuracy is ``quantile`` errors above it, which
    are those of a share as large as chance; the other error is that of the accuracy itself.
    """
    if spread.worth <= 0 or not 0 < chance < 1:
        return None
    quantile = student_quantile(spread.freedom, confidence)
    seen = chance + quantile * sqrt(chance * (1 - chance) / spread.worth)
    beyond, low, high = student_quantile(None, 2 * POWER - 1), seen, 1.0
    if seen >= 1:
        return None
    for _ in range(30):  # the accuracy less its error grows with it from a half on, and below too
        middle = (low + high) / 2
        reached = middle - beyond * sqrt(middle * (1 - middle) / spread.worth) >= seen
        low, high = (low, middle) if reached else (middle, high)
    return high


def _easy(
    kind: str, places: Sequence[str], credits: Mapping[str, Sequence[float | None]]
) -> list[EasyItem]:
    """Items that more than half of the solvers get right, the easiest first."""
    easy = []
    for number, place in enumerate(places):
        given = [row[number] for row in credits.values() if row[number] is not None]
        right = sum(credit == 1.0 for credit in given)
        if right > EASY_SHARE * len(given):
            easy.append(EasyItem(place, kind, right, len(given)))
    return sorted(easy, key=lambda item: -item.right / item.solvers)
