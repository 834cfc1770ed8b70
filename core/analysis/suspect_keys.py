"""Which keys are probably wrong, judged by the answers of many models.

Each item has one true answer: the key, or with a small prior probability another answer that some
model gave. Given the true answer, a model of ability θ gives it with probability
1/(1 + exp(−a(θ − b))), as in the two-parameter model, and its other answers fall on the remaining
options in proportions of which little is known (Dirichlet, all ½), so that an option which
attracts weak models is not evidence by itself: what counts is that able models choose it. This is
Dawid and Skene's latent truth (1979, Applied Statistics 28, 20-28) with an item response model for
the observers, as in Whitehill and others (2009, NIPS 22), with the key as a prior. Slope and
difficulty are integrated out.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.analysis.response_model import FEWEST_ITEMS, FEWEST_MODELS, two_parameter_model
from core.errors import InputError
from core.evaluation.scoring import ItemScore, Report
from core.report_table import JsonFields

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LIKELY = 0.5
"""From this probability on a key is called probably wrong."""
PRIOR = 0.05
"""The share of wrong keys that is expected before any answer is seen."""
_MOST_OPTIONS = 10
_SPREAD = 0.5  # Jeffreys' prior of how the other answers fall on the other options
_ROUNDS = 3
_NODES = (7, 21)  # of log a and of b
_PORTION = 500_000  # cells of item × grid held at once


@dataclass(frozen=True, slots=True)
class SuspectKey(JsonFields):
    """An item whose key may be wrong. ``probability`` (0…1) is that of any answer but the key;
    ``answer`` the likeliest of them, which the models ``agreeing`` gave; ``keeping`` gave the key.
    """

    id: str
    key: str
    answer: str
    probability: float
    agreeing: tuple[str, ...]
    keeping: tuple[str, ...]
    answered: int


@dataclass(frozen=True, slots=True)
class _Item:
    """An item's answers as codes by model (0 the key, −1 none), the answers of codes 1, 2 … and
    how many options there are."""

    id: str
    key: str
    answers: tuple[str, ...]
    codes: tuple[int, ...]
    options: int


def suspect_keys(reports: Mapping[str, Report], *, prior: float = PRIOR) -> tuple[SuspectKey, ...]:
    """Every item that some model answers otherwise than the key, the most suspect first.

    ``reports`` are by model, with one answer to an item in each. Answers that a judge or a metric
    graded do not count. An item has as many options as its format has different answers, ten at
    most. Raises InputError for fewer
    than two models, or a prior outside 0…1.
    """
    if len(reports) < 2:
        raise InputError.tr("Suspect keys need the answers of two or more models.")
    if not 0 < prior < 1:
        raise InputError.tr("The expected share of wrong keys must be between 0 and 1.")
    names = list(reports)
    items = _items(reports)
    if not items:
        return ()
    codes = np.asarray([item.codes for item in items], dtype=np.int64)
    options = np.asarray([item.options for item in items], dtype=np.int64)
    weights = _posterior(codes, options, prior)
    found = []
    for item, row, own in zip(items, weights, codes, strict=True):
        if not item.answers:
            continue
        likeliest = int(np.argmax(row[1 : len(item.answers) + 1])) + 1
        found.append(
            SuspectKey(
                item.id,
                item.key,
                item.answers[likeliest - 1],
                float(1 - row[0]),
                tuple(name for name, code in zip(names, own, strict=True) if code == likeliest),
                tuple(name for name, code in zip(names, own, strict=True) if code == 0),
                int(np.count_nonzero(own >= 0)),
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.probability, one.id)))


def _items(reports: Mapping[str, Report]) -> list[_Item]:
    by_id: dict[str, list[ItemScore | None]] = {}
    for place, report in enumerate(reports.values()):
        for entry in report.scores:
            if entry.graded is None and not entry.unjudged:
                by_id.setdefault(entry.id, [None] * len(reports))[place] = entry
    options = _options(by_id)
    items = []
    for id_, entries in by_id.items():
        known: dict[str, int] = {}
        codes = [-1 if entry is None else _code(entry, known) for entry in entries]
        if any(code >= 0 for code in codes):
            first = next(entry for entry in entries if entry is not None)
            most = max(2, options[first.format], len(known) + 1)
            items.append(_Item(id_, first.expected, tuple(known), tuple(codes), most))
    return items


def _options(by_id: Mapping[str, Sequence[ItemScore | None]]) -> dict[str, int]:
    """How many answers an item of each format has, at most ten."""
    answers: dict[str, set[str]] = {}
    for entries in by_id.values():
        for entry in entries:
            if entry is not None:
                known = answers.setdefault(entry.format, {entry.expected})
                if len(known) < _MOST_OPTIONS:
                    known.update((entry.expected, entry.predicted or entry.expected))
    return {name: min(_MOST_OPTIONS, len(known)) for name, known in answers.items()}


def _code(entry: ItemScore, known: dict[str, int]) -> int:
    if not entry.answered or entry.predicted is None:
        return -1
    return 0 if entry.correct else known.setdefault(entry.predicted, len(known) + 1)


def _posterior(codes: Ints, options: Ints, prior: float) -> Floats:
    """items × answers: the probability of each answer to be the true one; column 0 is the key.

    Abilities are first those by the keys; then items whose key is probably wrong are left out.
    """
    truth = np.zeros(len(codes), dtype=np.int64)
    weights = np.zeros((len(codes), int(codes.max(initial=0)) + 1))
    for _ in range(_ROUNDS):
        right = np.where(codes < 0, math.nan, (codes == truth[:, None]).astype(float))
        ability, grid, mass = _abilities(right)
        weights = _weights(codes, options, (ability, grid, mass), prior)
        best = np.argmax(weights, axis=1)
        if np.array_equal(best, truth):
            break
        truth = best
    return weights


def _abilities(right: Floats) -> tuple[Floats, tuple[Floats, Floats], Floats]:
    """θ by model, the grid (a, b) of items, and the prior mass of each of its points."""
    if right.shape[0] >= FEWEST_ITEMS and right.shape[1] >= FEWEST_MODELS:
        model = two_parameter_model(right)
        ability = model.ability
        centre = float(np.log(model.discrimination).mean()), float(model.difficulty.mean())
        wide = max(0.75, float(model.difficulty.std()))
    else:
        answered = ~np.isnan(right)
        share = (np.nansum(right, axis=0) + 0.5) / (answered.sum(0) + 1)
        ability = np.log(share / (1 - share))
        centre, wide = (0.0, 0.0), 1.5
    log_a = centre[0] + 0.5 * np.linspace(-2, 2, _NODES[0])
    b = centre[1] + wide * np.linspace(-3, 3, _NODES[1])
    mass = np.outer(np.exp(-np.linspace(-2, 2, _NODES[0]) ** 2 / 2),
                    np.exp(-np.linspace(-3, 3, _NODES[1]) ** 2 / 2)).ravel()  # fmt: skip
    a_grid, b_grid = (part.ravel() for part in np.meshgrid(np.exp(log_a), b, indexing="ij"))
    return ability, (a_grid, b_grid), mass / mass.sum()


def _weights(
    codes: Ints, options: Ints, model: tuple[Floats, tuple[Floats, Floats], Floats], prior: float
) -> Floats:
    from scipy.special import gammaln, logsumexp

    ability, (a, b), mass = model
    reach = np.outer(ability, a) - a * b  # models × grid
    right, wrong = -np.logaddexp(0, -reach), -np.logaddexp(0, reach)
    answers = int(codes.max(initial=0)) + 1
    counts = np.stack([(codes == answer).sum(1) for answer in range(answers)], axis=1)
    answered = counts.sum(1)
    # the other answers in any order: Γ(αK)/Γ(n + αK) Π Γ(n_j + α)/Γ(α)
    spread = gammaln(counts + _SPREAD) - gammaln(_SPREAD)
    logs = np.full((len(codes), answers), -np.inf)
    step = max(1, _PORTION // len(mass))
    for answer in range(answers):
        others = answered - counts[:, answer]
        kinds = options - 1.0
        falls = (
            gammaln(_SPREAD * kinds)
            - gammaln(others + _SPREAD * kinds)
            + spread.sum(1)
            - spread[:, answer]
        )
        for start in range(0, len(codes), step):
            part = slice(start, start + step)
            hit = (codes[part] == answer).astype(float)
            miss = ((codes[part] >= 0) & (codes[part] != answer)).astype(float)
            fits = logsumexp(hit @ right + miss @ wrong + np.log(mass), axis=1)
            logs[part, answer] = fits + falls[part]
        before = math.log(1 - prior) if answer == 0 else np.log(prior / kinds)
        given = (counts[:, answer] > 0) | (answer == 0)
        logs[:, answer] = np.where(given, logs[:, answer] + before, -np.inf)
    return np.asarray(np.exp(logs - logsumexp(logs, axis=1, keepdims=True)), dtype=float)
