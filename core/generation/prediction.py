"""Prediction items: which text comes next (ArxivRoll §2.2, figure 2).

The four options are TF-IDF neighbours in one article. Were they always the true text and its three
nearest, the true text would be the middle of the four, and somebody who reads only the options
could pick the one most like the others. So the four are chosen first, a passage and its three
nearest, and then one of them, each with the same chance, becomes the true text: its predecessor is
the context. No option directly precedes another, and only texts that do follow another passage
are options, so that the options by themselves tell nothing.
"""

import random
from collections.abc import Iterator, Sequence

import numpy as np

from core.families.base import ItemContent
from core.families.scp_payload import OPTION_COUNT, PREDICTION, PredictionPayload
from core.generation.build import FormatResult, defect_of, item, positions, rng_for
from core.generation.fragments import ArticleText, Fragment, FragmentShape, markup_heavy
from core.generation.spec import ScpSpec
from core.generation.tfidf import Neighbours

NEAR_DUPLICATE = 0.8  # cosine from which two passages say the same
LENGTH_FACTOR = 1.6  # options of one item differ in length by less than this
PASSES = 4  # how often every passage may be the centre of four options
CHUNK = 32


def prediction_items(text: ArticleText, spec: ScpSpec) -> FormatResult:
    """Up to ``per_article`` prediction items, each with a true text of its own."""
    rng = rng_for(text, spec, PREDICTION)
    result = FormatResult()
    passages, followers = _passages(text, spec, result)
    if len(followers) < OPTION_COUNT:
        result.reason = "too_few_passages"
        return result
    deck = positions(rng_for(text, spec, f"{PREDICTION}-positions"))
    position = next(deck)
    used: set[int] = set()
    for group in _groups(text, passages, followers, rng):
        free = [index for index in group if index not in used]
        if not free:
            continue
        truth = rng.choice(free)
        outcome = _item(text, spec, passages, group, truth, position, rng)
        used.add(truth)
        if isinstance(outcome, str):
            result.filtered[outcome] += 1
            continue
        result.items.append(outcome)
        if len(result.items) >= spec.per_article:
            return result
        position = next(deck)
    result.reason = "too_few_neighbours"
    return result


def _passages(
    text: ArticleText, spec: ScpSpec, result: FormatResult
) -> tuple[list[Fragment], list[int]]:
    """All passages in order, and the indices of those that directly follow another one."""
    passages: list[Fragment] = []
    followers: list[int] = []
    shape = FragmentShape(spec.min_words, 1)
    for run in text.runs:
        before: Fragment | None = None
        for passage in text.fragments(run, shape):
            if markup_heavy(text.slice(*passage.span)):
                result.filtered["markup_heavy"] += 1
                before = None
                continue
            if before is not None:
                followers.append(len(passages))
            passages.append(passage)
            before = passage
    return passages, followers


def _groups(
    text: ArticleText, passages: Sequence[Fragment], followers: Sequence[int], rng: random.Random
) -> Iterator[tuple[int, ...]]:
    """Fours of passages: a centre and its three nearest that may stand beside each other."""
    texts = [text.slice(*passage.span) for passage in passages]
    neighbours = Neighbours(texts)
    lengths = [len(passage) for passage in texts]
    allowed = np.zeros(len(passages), dtype=bool)
    allowed[list(followers)] = True
    for _ in range(PASSES):
        centres = list(followers)
        rng.shuffle(centres)
        for start in range(0, len(centres), CHUNK):
            chunk = centres[start : start + CHUNK]
            for centre, row in zip(chunk, neighbours.similarities(chunk), strict=True):
                group = _group(centre, np.where(allowed, row, -1.0), lengths)
                if len(group) == OPTION_COUNT:
                    yield group


def _group(centre: int, row: np.ndarray, lengths: Sequence[int]) -> tuple[int, ...]:
    group = [centre]
    for candidate in np.argsort(-row, kind="stable"):
        index = int(candidate)
        if row[index] < 0:
            break
        if index == centre or row[index] >= NEAR_DUPLICATE:
            continue
        if any(abs(index - other) == 1 for other in group):
            continue
        size = [lengths[other] for other in (*group, index)]
        if max(size) >= LENGTH_FACTOR * min(size):
            continue
        group.append(index)
        if len(group) == OPTION_COUNT:
            break
    return tuple(group)


def _item(
    text: ArticleText,
    spec: ScpSpec,
    passages: Sequence[Fragment],
    group: Sequence[int],
    truth: int,
    position: int,
    rng: random.Random,
) -> ItemContent | str:
    shown = [index for index in group if index != truth]
    rng.shuffle(shown)
    shown.insert(position, truth)
    context = passages[truth - 1].span
    spans = [passages[index].span for index in shown]
    payload = PredictionPayload(
        context=text.slice(*context),
        options=tuple(text.slice(*span) for span in spans),
        key=position,
    )
    if defect := defect_of(payload):
        return defect
    return item(
        text,
        spec,
        PREDICTION,
        payload,
        span=[context[0], passages[truth].end],
        context_span=context,
        piece_spans=spans,
    )
