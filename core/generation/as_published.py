"""The published generator's choices, defects included, for study beside our own items.

Restated from the behaviour of the published code, not from the paper: three parts and three masks,
fragments of whole lines, sentences by a full stop and a space. Its defects stay: the sequencing key
is the shuffle itself instead of its inverse (wrong unless the two agree), distractors may repeat,
two cloze distractors are always the key and the third sometimes, and the label is the last option
that equals the key. A fragment is used once per article and format here.
"""

import random
from collections.abc import Sequence

from core.families.base import ItemContent
from core.families.scp_payload import (
    CLOZE,
    LETTERS,
    PREDICTION,
    SEQUENCING,
    ClozePayload,
    PredictionPayload,
    SequencingPayload,
    mask_mark,
)
from core.generation.build import FormatResult, item, rng_for
from core.generation.fragments import ArticleText, is_formula_heavy
from core.generation.sentences import Span
from core.generation.spec import ScpSpec
from core.generation.tfidf import Neighbours

_PIECES = 3
_SPLIT = ". "
# lines per fragment and least number of characters, as the published script calls it
_SHAPES = {SEQUENCING: (2, 250), CLOZE: (5, 400), PREDICTION: (1, 100)}


def published_items(text: ArticleText, spec: ScpSpec, format: str) -> FormatResult:
    """Up to ``per_article`` items of a format with the published choices."""
    rng = rng_for(text, spec, f"published-{format}")
    fragments = _fragments(text, *_SHAPES[format])
    result = FormatResult(reason="too_few_fragments")
    if len(fragments) <= 4:
        return result
    candidates = [
        index for index in range(1, len(fragments)) if _selectable(text, fragments, index)
    ]
    rng.shuffle(candidates)
    neighbours = Neighbours([text.slice(*f) for f in fragments]) if format == PREDICTION else None
    for index in candidates:
        items: ItemContent | None
        if format == SEQUENCING:
            items = _sequencing(text, spec, fragments[index], rng)
        elif format == CLOZE:
            items = _cloze(text, spec, fragments[index], rng)
        elif neighbours is not None:
            items = _prediction(text, spec, fragments, index, neighbours, rng)
        if items is None:
            result.filtered["too_few_sentences"] += 1
            continue
        result.items.append(items)
        if len(result.items) >= spec.per_article:
            break
    return result


def _fragments(text: ArticleText, lines: int, characters: int) -> list[Span]:
    """Blocks of that many lines; like the published loop, the last block is never used."""
    paragraphs = text.article.paragraphs
    fragments: list[Span] = []
    for number in range(len(paragraphs) // lines - 1):
        block = paragraphs[number * lines : (number + 1) * lines]
        if sum(len(paragraph.text) + 1 for paragraph in block) - 1 >= characters:
            fragments.append((block[0].start, block[-1].end))
    return fragments


def _selectable(text: ArticleText, fragments: Sequence[Span], index: int) -> bool:
    passages, before = text.slice(*fragments[index]), text.slice(*fragments[index - 1])
    return not is_formula_heavy(passages) and _plain(passages) and _plain(before)


def _plain(text: str) -> bool:
    head = text[:8]
    return not head[:1].islower() and not (head.startswith("Figure ") and head[7:].isdigit())


def _sentences(text: ArticleText, span: Span) -> list[Span]:
    """Spans of the pieces between full stops; the stop and the space belong to none."""
    sentences: list[Span] = []
    start = span[0]
    for piece in text.slice(*span).split(_SPLIT):
        sentences.append((start, start + len(piece)))
        start += len(piece) + len(_SPLIT)
    return sentences


def _sequencing(
    text: ArticleText, spec: ScpSpec, span: Span, rng: random.Random
) -> ItemContent | None:
    sentences = _sentences(text, span)
    if len(sentences) < _PIECES:
        return None
    piece_length = len(sentences) // _PIECES
    groups = [
        sentences[:piece_length],
        sentences[piece_length : 2 * piece_length],
        sentences[2 * piece_length :],
    ]
    parts = [[group[0][0], group[-1][1]] for group in groups]
    shuffle = list(range(_PIECES))
    rng.shuffle(shuffle)
    shown = [parts[index] for index in shuffle]
    key = _letters(shuffle)
    orders = [key, *(_other_order(key, rng) for _ in range(3))]
    rng.shuffle(orders)
    payload = SequencingPayload(
        parts=tuple(text.slice(*part) for part in shown),
        orders=tuple(orders),
        key=_last(orders, key),
    )
    return item(text, spec, SEQUENCING, payload, span=[*span], piece_spans=shown)


def _cloze(text: ArticleText, spec: ScpSpec, span: Span, rng: random.Random) -> ItemContent | None:
    sentences = _sentences(text, span)
    if len(sentences) < _PIECES:
        return None
    hidden = rng.sample(range(len(sentences)), _PIECES)
    pieces: list[str] = []
    for index, sentence in enumerate(sentences):
        masked = index in hidden
        number = sorted(hidden).index(index) + 1 if masked else 0
        pieces.append(mask_mark(number) if masked else text.slice(*sentence) + ".")
    shown = [[*sentences[index]] for index in hidden]
    key = _letters(sorted(range(_PIECES), key=hidden.__getitem__))
    stray = list(range(_PIECES))
    rng.shuffle(stray)
    assignments = [key, key, key, _letters(stray)]
    rng.shuffle(assignments)
    payload = ClozePayload(
        text=" ".join(pieces),
        candidates=tuple(text.slice(*sentence) + "." for sentence in shown),
        assignments=tuple(assignments),
        key=_last(assignments, key),
    )
    return item(text, spec, CLOZE, payload, span=[*span], piece_spans=shown)


def _prediction(
    text: ArticleText,
    spec: ScpSpec,
    fragments: Sequence[Span],
    index: int,
    neighbours: Neighbours,
    rng: random.Random,
) -> ItemContent:
    row = neighbours.similarities([index])[0]
    nearest = sorted(range(len(fragments)), key=lambda other: (-row[other], other))[:4]
    shown = [*[other for other in nearest if other != index][:3], index]
    rng.shuffle(shown)
    context = [*fragments[index - 1]]
    truth = text.slice(*fragments[index])
    options = tuple(text.slice(*fragments[other]) for other in shown)
    payload = PredictionPayload(
        context=text.slice(*context), options=options, key=options.index(truth)
    )
    return item(
        text,
        spec,
        PREDICTION,
        payload,
        span=[context[0], fragments[index][1]],
        context_span=context,
        piece_spans=[[*fragments[other]] for other in shown],
    )


def _letters(indices: Sequence[int]) -> str:
    return "".join(LETTERS[index] for index in indices)


def _other_order(key: str, rng: random.Random) -> str:
    while True:
        order = "".join(rng.sample(key, len(key)))
        if order != key:
            return order


def _last(options: Sequence[str], key: str) -> int:
    return max(index for index, option in enumerate(options) if option == key)
