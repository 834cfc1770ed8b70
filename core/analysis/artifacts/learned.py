"""Solvers that learn from other items: never from an item of the same source.

Each gives one score per option; the questions are split into folds by source. What is learned from
keys is learned from earlier folds only (Dawid 1984, Journal of the Royal Statistical Society A 147,
278-292): where keys are by chance each question is then answered by chance whatever came before,
so that the interval of the accuracy holds. In cross-validation two questions that are alike by luck
would help each other both ways, and the accuracy would vary √2 times as much as its interval says.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import log

import numpy as np

from core.generation.shortcuts.cues import goes_on
from core.generation.shortcuts.question import OptionQuestion
from core.generation.tfidf import tokens

FOLDS = 8
RIDGE = 1.0
_LEAST_SEEN = 2  # questions in which a feature must occur
_MODEL_WEIGHTS = (0.6, 0.3)  # of the pair and of the word; the rest is spread evenly

Features = Callable[[OptionQuestion, int], Iterable[str]]


def folds_of(questions: Sequence[OptionQuestion]) -> list[int]:
    """A fold for each question; those of one source share it, and folds are about equally large."""
    sizes = Counter(question.source or f"\0{n}" for n, question in enumerate(questions))
    held = [0] * FOLDS
    fold: dict[str, int] = {}
    for source, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        fold[source] = held.index(min(held))
        held[fold[source]] += size
    return [fold[question.source or f"\0{n}"] for n, question in enumerate(questions)]


def by_position(questions: Sequence[OptionQuestion], folds: Sequence[int]) -> list[list[float]]:
    """How often the earlier folds' keys stand at each position; no scores in the first fold."""
    counts = [Counter[int]() for _ in range(FOLDS)]
    for question, fold in zip(questions, folds, strict=True):
        for later in range(fold + 1, FOLDS):
            counts[later][question.key] += 1
    return [
        [float(counts[fold][place]) for place in range(len(question.options))]
        if counts[fold]
        else []
        for question, fold in zip(questions, folds, strict=True)
    ]


def by_classifier(
    questions: Sequence[OptionQuestion], folds: Sequence[int], features: Features
) -> list[list[float]]:
    """Scores of a conditional logit model over features of the options, from the earlier folds; no
    scores in the first one.

    ``P(option i) ∝ exp(w·x_i)`` over the options of a question, with a ridge penalty (McFadden
    1974); a feature that is the same in all options of a question tells nothing about it.
    """
    from scipy.sparse import csr_matrix

    seen: Counter[str] = Counter()
    rows: list[list[str]] = []
    for question in questions:
        per_option = [sorted(set(features(question, i))) for i in range(len(question.options))]
        rows += per_option
        seen.update(set().union(*per_option))
    columns = {name: i for i, name in enumerate(sorted(n for n in seen if seen[n] >= _LEAST_SEEN))}
    known = [[columns[name] for name in row if name in columns] for row in rows]
    starts = np.cumsum([0, *map(len, known)])
    flat = np.asarray([column for row in known for column in row], dtype=np.int32)
    matrix = csr_matrix((np.ones(len(flat)), flat, starts), shape=(len(rows), max(1, len(columns))))
    first = np.cumsum([0, *(len(question.options) for question in questions)])
    scores = np.zeros(len(rows))
    of_row = np.repeat(np.asarray(folds), np.diff(first))
    taught = set()
    for fold in sorted(set(folds)):
        learned = [n for n, other in enumerate(folds) if other < fold]
        if not learned:
            continue
        taught.add(fold)
        weights = _fitted(matrix, first, learned, [questions[n].key for n in learned])
        scores[of_row == fold] = matrix[of_row == fold] @ weights
    rounded = np.round(scores, 6)
    return [
        rounded[a:b].tolist() if fold in taught else []
        for (a, b), fold in zip(pairwise(first.tolist()), folds, strict=True)
    ]


def _fitted(
    matrix: "object", first: np.ndarray, learned: Sequence[int], keys: Sequence[int]
) -> np.ndarray:
    from typing import Any, cast

    from scipy.optimize import minimize

    everything = cast(Any, matrix)
    rows = np.concatenate([np.arange(first[n], first[n + 1]) for n in learned])
    sizes = np.asarray([first[n + 1] - first[n] for n in learned])
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    part = everything[rows]
    right = begins + np.asarray(keys)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        values = part @ weights
        values -= np.repeat(np.maximum.reduceat(values, begins), sizes)
        powers = np.exp(values)
        totals = np.add.reduceat(powers, begins)
        chances = powers / np.repeat(totals, sizes)
        value = float(np.sum(np.log(totals)) - values[right].sum() + RIDGE * weights @ weights / 2)
        chances[right] -= 1.0
        return value, part.T @ chances + RIDGE * weights

    start = np.zeros(everything.shape[1])
    fit = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60})
    weights: np.ndarray = fit.x
    return weights


def option_features(question: OptionQuestion, index: int) -> Iterable[str]:
    """What stands in an option: its words, or where each letter of an order stands."""
    if question.orders:
        order = question.orders[index]
        yield from (f"{letter}@{place}" for place, letter in enumerate(order))
        yield from (f"{a}{b}" for a, b in pairwise(order))
    else:
        yield from tokens(question.options[index])


def surface_features(question: OptionQuestion, index: int) -> Iterable[str]:
    """First word, first and last character, digits and punctuation of an option.

    Of orders, of the piece that each puts first and of the one that it puts last.
    """
    if question.orders:
        units = question.units(question.orders[index])
        texts = [("first", units[0])] if not question.segments[0].strip() else []
        texts += [("last", units[-1])] if not question.segments[-1].strip() else []
    else:
        texts = [("", question.options[index])]
    for name, text in texts:
        words = tokens(text[:80])
        yield f"{name}word {words[0] if words else ''}"
        yield f"{name}goes on {goes_on(text)}"
        yield f"{name}begins {_kind(text[:1])}"
        yield f"{name}ends {text.strip()[-1:]}"
        yield f"{name}digit {any(c.isdigit() for c in text)}"
        for sign in ',;:()[]$"“—–-?%':
            if sign in text:
                yield f"{name}{sign}{min(3, text.count(sign))}"


def _kind(character: str) -> str:
    if character.isdigit():
        return "digit"
    return "upper" if character.isupper() else "lower" if character.isalpha() else character


def by_language_model(
    questions: Sequence[OptionQuestion], folds: Sequence[int]
) -> list[list[float]]:
    """Mean log-probability of a word of each option under a model of pairs of words.

    It is made from the other folds' contexts and options, and interpolated with single words; the
    most predictable option has the highest score.
    """
    pairs: list[Mapping[tuple[str, str], int]] = []
    words: list[Counter[str]] = []
    texts = [[tokens(option) for option in question.options] for question in questions]
    contexts = [tokens(question.context) for question in questions]
    total_pairs: defaultdict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    total_words: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for question, fold, options, context in zip(questions, folds, texts, contexts, strict=True):
        for text in (context, *(options[:1] if question.orders else options)):
            total_pairs[fold].update(pairwise(text))
            total_words[fold].update(text)
    for fold in range(FOLDS):
        pair: Counter[tuple[str, str]] = Counter()
        word: Counter[str] = Counter()
        for other in range(FOLDS):
            if other != fold:
                pair.update(total_pairs[other])
                word.update(total_words[other])
        pairs.append(pair)
        words.append(word)
    sizes = [(sum(word.values()), len(word) + 1) for word in words]
    return [
        [_per_word(option, pairs[fold], words[fold], *sizes[fold]) for option in options]
        for options, fold in zip(texts, folds, strict=True)
    ]


def _per_word(
    text: Sequence[str],
    pairs: Mapping[tuple[str, str], int],
    words: Mapping[str, int],
    total: int,
    kinds: int,
) -> float:
    if not text:
        return 0.0
    of_pair, of_word = _MODEL_WEIGHTS
    value, before = 0.0, ""
    for word in text:
        likely = (1 - of_pair - of_word) / kinds + of_word * words.get(word, 0) / max(1, total)
        if count := words.get(before, 0):
            likely += of_pair * pairs.get((before, word), 0) / count
        value += log(likely)
        before = word
    return round(value / len(text), 6)
