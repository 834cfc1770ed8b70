"""What the three formats share: the random numbers, the decks of positions, the finished item."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.families.base import NO_ARTICLE_FIELD, ItemContent
from core.families.scp_checks import check_structure
from core.families.scp_payload import (
    CLOZE,
    LETTERS,
    OPTION_COUNT,
    AnyPayload,
    is_permutation,
)
from core.generation.fragments import (
    ArticleText,
    Fragment,
    FragmentShape,
    markup_heavy,
)
from core.generation.repeats import AskedPassages
from core.generation.shortcuts.balance import CueBalance, Floats, Ranks, ranks_of
from core.generation.shortcuts.cues import likeness_of_orders, order_cues
from core.generation.shortcuts.question import OptionQuestion
from core.generation.spec import GENERATOR, GENERATOR_VERSION, ScpSpec
from core.generation.text_defects import ordinal_cues, text_defects
from core.sources.articles.article import Paragraph

ORDERS = tuple(
    a + b + c + d
    for a in LETTERS[:4]
    for b in LETTERS[:4]
    for c in LETTERS[:4]
    for d in LETTERS[:4]
    if is_permutation(a + b + c + d, 4)
)
_LIKENESS = np.asarray([[likeness_of_orders(a, b) for b in ORDERS] for a in ORDERS])
_CUES = (
    "alphabetical", "neighbour_overlap", "neighbour_tfidf", "next_sentence",
    "neighbour_tfidf_sharp", "next_sentence_sharp", "neighbours_together", "first_word",
    "most_typical",
)  # fmt: skip
LEAD = 1.25
AT_ONCE = {"next": 0.6, "neighbour_overlap": 0.3, "neighbour": 0.6}  # the first name that fits
"""Items by which the first rank of a cue is ahead at the beginning."""
DRAWS = 160
"""Sets of three distractors that are compared for one item."""

Span = list[int]
"""Where a piece begins and ends in an article's text, in characters."""


@dataclass(frozen=True, slots=True)
class PieceOrder:
    """Four pieces as they are shown, the orders offered, and the index of the right one."""

    pieces: tuple[str, ...]
    orders: tuple[str, ...]
    key: int


@dataclass
class FormatResult:
    """What one format got from one article."""

    items: list[ItemContent] = field(default_factory=list)
    filtered: Counter[str] = field(default_factory=Counter)
    reason: str = ""


def rng_for(text: ArticleText, spec: ScpSpec, format: str) -> random.Random:
    """Random numbers that depend on the seed, the article, its text and the format alone."""
    article = text.article
    return random.Random(f"{spec.seed}/{format}/{article.id}/{text.passage_digest}")


def positions(rng: random.Random) -> Iterator[int]:
    """Positions 0–3 for ever, in shuffled fours, so that their counts differ by one at most."""
    while True:
        four = list(range(OPTION_COUNT))
        rng.shuffle(four)
        yield from four


def offered_orders(
    rng: random.Random,
    balance: CueBalance,
    scores: Floats,
    key: str,
    same_first: bool,
) -> tuple[list[str], Ranks]:
    """Three other orders such that over the items no cue tells the key apart, and its ranks.

    ``scores`` holds, for each cue but the last of the balance, a score for each of ``ORDERS``. The
    source's order may be the key, and it may be a distractor, like any other. With ``same_first``
    all begin with the same piece.
    """
    others = [n for n, o in enumerate(ORDERS) if o != key and (o[0] == key[0] or not same_first)]
    drawn = np.asarray(
        [[ORDERS.index(key), *rng.sample(others, OPTION_COUNT - 1)] for _ in range(DRAWS)]
    )
    typical = _LIKENESS[drawn[:, :, None], drawn[:, None, :]].sum(axis=2).round(9)
    ranks = ranks_of(np.concatenate([scores[:, drawn], typical[None]]))
    best = int(balance.excess(ranks)[0].argmin())
    return [ORDERS[n] for n in drawn[best, 1:]], ranks.of(best)


def shown_by(order: str, pieces: Sequence[Any]) -> tuple[Any, ...]:
    """The pieces (in source order) as they must be shown for ``order`` to restore them."""
    shown: list[Any] = [None] * len(pieces)
    for piece, letter in zip(pieces, order, strict=True):
        shown[LETTERS.index(letter)] = piece
    return tuple(shown)


def item(
    text: ArticleText, spec: ScpSpec, format: str, payload: AnyPayload, **where: Any
) -> ItemContent:
    """The finished item with its provenance; ``where`` are the spans."""
    article = text.article
    parameters = {"per_article": spec.per_article, "min_words": spec.min_words}
    return ItemContent(
        family="scp",
        format=format,
        payload=payload.model_dump(mode="json"),
        provenance={
            "article": article.id,
            "version": article.version,
            "title": article.title,
            **({NO_ARTICLE_FIELD: article.no_article} if article.no_article else {}),
            "text_digest": text.passage_digest,
            **where,
            "generator": GENERATOR,
            "generator_version": GENERATOR_VERSION,
            "seed": spec.seed,
            "parameters": parameters,
            "as_published": spec.as_published,
        },
        domain=article.domain,
    )


def defect_of(payload: AnyPayload) -> str | None:
    """Name of the first defect of a payload by the family's own checks, or None.

    Maths and markup are left out: the fragments passed a stricter measure before.
    """
    return next((defect.name for defect in check_structure(payload)), None)


def spread_fragments(
    text: ArticleText,
    rng: random.Random,
    blocks: Sequence[Sequence[Paragraph]],
    shape: FragmentShape,
    filtered: Counter[str],
) -> Iterator[Fragment]:
    """All fragments of a shape, first one of every block in their order, then the rest.

    Blocks are cut only when they are reached, so that a few items of a long article are cheap.
    """
    rest: list[Fragment] = []
    for block in blocks:
        fragments = text.fragments(block, shape, rng)
        if not fragments:
            filtered["too_few_sentences"] += 1
            continue
        yield fragments.pop(rng.randrange(len(fragments)))
        rest.extend(fragments)
    rng.shuffle(rest)
    yield from rest


def puzzles(
    text: ArticleText,
    spec: ScpSpec,
    format: str,
    shape: FragmentShape,
    cut: Callable[[Fragment, random.Random], list[Span] | str],
    payload: Callable[[Fragment, list[Span], PieceOrder], AnyPayload],
) -> FormatResult:
    """Up to ``per_article`` items in which four pieces of a fragment are put in order.

    ``cut`` chooses the pieces as spans of the text in source order, or gives the reason why a
    fragment is passed over; ``payload`` puts the pieces, as they are shown, into the format.
    """
    rng = rng_for(text, spec, format)
    deck = positions(rng_for(text, spec, f"{format}-positions"))
    balance = CueBalance(rng_for(text, spec, f"{format}-cues"), _CUES, OPTION_COUNT, LEAD, AT_ONCE)
    position = next(deck)
    asked = AskedPassages()

    def made(fragment: Fragment) -> ItemContent | str:
        nonlocal position
        passage = text.slice(*fragment.span)
        if markup_heavy(passage):
            return "markup_heavy"
        if asked.has_like(passage):
            return "said_before"
        spans = cut(fragment, rng)
        if isinstance(spans, str):
            return spans
        if ordinal_cues([text.slice(*span) for span in spans]):
            return "ordinal_cues"
        key = rng.choice(ORDERS)
        shown = shown_by(key, spans)
        pieces = tuple(text.slice(*span) for span in shown)
        # a paragraph begins unlike other sentences: then every option begins with it
        same_first = spans[0][0] == fragment.start and fragment.start in text.paragraph_starts
        scores = _scores(text, fragment, spans, pieces)
        orders, ranks = offered_orders(rng, balance, scores, key, same_first)
        orders.insert(position, key)
        filled = payload(fragment, spans, PieceOrder(pieces, tuple(orders), position))
        if defect := defect_of(filled):
            return defect
        content = item(text, spec, format, filled, span=fragment.span, piece_spans=[*shown])
        if text_defects(content):
            return "damaged"
        balance.add(ranks)
        asked.add(passage)
        position = next(deck)
        return content

    blocks = _in_order(text, spec, shape, backwards=format == CLOZE)
    return collect(text, rng, blocks, shape, spec.per_article, made)


def _in_order(
    text: ArticleText, spec: ScpSpec, shape: FragmentShape, *, backwards: bool
) -> tuple[list[list[Paragraph]], Counter[str]]:
    """The blocks of a shape in random order, and what was filtered.

    One format goes through them the other way round, so that it asks about other passages than
    the other one, as long as there are some.
    """
    filtered: Counter[str] = Counter()
    blocks = text.blocks(shape, filtered)
    rng = rng_for(text, spec, "passages")
    places = {p.start: rng.random() for run in text.runs for p in run}
    blocks.sort(key=lambda block: places[block[0].start], reverse=backwards)
    return blocks, filtered


def _scores(
    text: ArticleText, fragment: Fragment, spans: Sequence[Span], pieces: tuple[str, ...]
) -> Floats:
    """Scores (cues, orders) of all ``ORDERS`` of the pieces, which are shown as they stand."""
    edges = [fragment.start, *(edge for span in spans for edge in span), fragment.end]
    segments = tuple(text.slice(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True))
    question = OptionQuestion("", "", ORDERS, 0, "", ORDERS, pieces, segments)
    cues = order_cues(question, text.weights)
    sharp = order_cues(question, text.sharp_weights)
    cues |= {f"{name}_sharp": sharp[name] for name in ("neighbour_tfidf", "next_sentence")}
    level = [0.0] * len(ORDERS)
    return np.asarray([cues.get(name, level) for name in _CUES[:-1]])


def collect(
    text: ArticleText,
    rng: random.Random,
    ordered: tuple[Sequence[Sequence[Paragraph]], Counter[str]],
    shape: FragmentShape,
    count: int,
    made: Callable[[Fragment], ItemContent | str],
) -> FormatResult:
    """Items from fragments until there are enough; a string instead of an item is a reason."""
    blocks, filtered = ordered
    result = FormatResult(reason="too_few_fragments", filtered=filtered)
    for fragment in spread_fragments(text, rng, blocks, shape, result.filtered):
        outcome = made(fragment)
        if isinstance(outcome, str):
            result.filtered[outcome] += 1
            continue
        result.items.append(outcome)
        if len(result.items) >= count:
            break
    return result
