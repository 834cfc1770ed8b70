"""What the three formats share: the random numbers, the decks of positions, the finished item."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.families.base import ItemContent
from core.families.scp_checks import check_structure
from core.families.scp_payload import LETTERS, OPTION_COUNT, AnyPayload, is_permutation
from core.generation.fragments import ArticleText, Fragment, FragmentShape, markup_heavy
from core.generation.spec import GENERATOR, GENERATOR_VERSION, ScpSpec

_FOUR = tuple(
    a + b + c + d
    for a in LETTERS[:4]
    for b in LETTERS[:4]
    for c in LETTERS[:4]
    for d in LETTERS[:4]
    if is_permutation(a + b + c + d, 4)
)
# The order shown is never the source's, and so the identity is never offered either: an option
# which is never right would leave three.
ORDERS = tuple(order for order in _FOUR if order != LETTERS[:4])


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


def offered_orders(rng: random.Random, position: int) -> tuple[tuple[str, ...], str]:
    """Four different orders and the one at ``position``, the key.

    The key is drawn like the others, so that nothing about the four strings tells it apart.
    """
    orders = tuple(rng.sample(ORDERS, OPTION_COUNT))
    return orders, orders[position]


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


def spread(
    text: ArticleText, rng: random.Random, shape: FragmentShape, filtered: Counter[str]
) -> Iterator[Fragment]:
    """All fragments of a shape in random order, first one of every block, then the rest.

    Blocks are cut only when they are reached, so that a few items of a long article are cheap.
    """
    blocks = text.blocks(shape, filtered)
    rng.shuffle(blocks)
    rest: list[Fragment] = []
    for block in blocks:
        fragments = text.fragments(block, shape)
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
    position = next(deck)

    def made(fragment: Fragment) -> ItemContent | str:
        nonlocal position
        if markup_heavy(text.slice(*fragment.span)):
            return "markup_heavy"
        spans = cut(fragment, rng)
        if isinstance(spans, str):
            return spans
        orders, key = offered_orders(rng, position)
        shown = shown_by(key, spans)
        pieces = tuple(text.slice(*span) for span in shown)
        filled = payload(fragment, spans, PieceOrder(pieces, orders, position))
        if defect := defect_of(filled):
            return defect
        position = next(deck)
        return item(text, spec, format, filled, span=fragment.span, piece_spans=[*shown])

    return collect(text, rng, shape, spec.per_article, made)


def collect(
    text: ArticleText,
    rng: random.Random,
    shape: FragmentShape,
    count: int,
    made: Callable[[Fragment], ItemContent | str],
) -> FormatResult:
    """Items from fragments until there are enough; a string instead of an item is a reason."""
    result = FormatResult(reason="too_few_fragments")
    for fragment in spread(text, rng, shape, result.filtered):
        outcome = made(fragment)
        if isinstance(outcome, str):
            result.filtered[outcome] += 1
            continue
        result.items.append(outcome)
        if len(result.items) >= count:
            break
    return result
