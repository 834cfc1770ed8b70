"""What the three formats share: the random numbers, the decks of positions, the finished item."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from core.families.base import NO_ARTICLE_FIELD, ItemContent
from core.families.scp_checks import check_structure
from core.families.scp_payload import (
    CLOZE,
    LETTERS,
    OPTION_COUNT,
    SEQUENCING,
    AnyPayload,
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

PIECES = 4
ORDERS = tuple("".join(order) for order in permutations(LETTERS[:PIECES]))
_LIKENESS = np.asarray([[likeness_of_orders(a, b) for b in ORDERS] for a in ORDERS])
_CUES = (
    "neighbour_overlap", "neighbour_tfidf", "next_sentence",
    "neighbour_tfidf_sharp", "next_sentence_sharp", "neighbours_together", "first_word",
    "last_word", "most_typical",
)  # fmt: skip
LEAD = {
    "neighbour_overlap": 0.0, "neighbour": 0.4, "next": 0.4, "last_word": 0.2, "first_word": 0.1,
}  # fmt: skip
"""Items by which the first rank of a cue comes ahead, by the first beginning that its name has."""
AT_ONCE = {
    SEQUENCING: {"neighbour": 0.1, "next": 0.1},
    CLOZE: {"neighbour": 0.3, "next": 0.3},
}
"""Share of the articles in which it is a whole item ahead from the start."""
COUNTS = {"last_word": 3.0, "first_word": 3.0}
DRAWS = 160
"""Sets of three distractors that are compared for one fragment."""
BATCH = 6
"""Fragments that are compared for one item."""
WORST, MORE = 0.84, 0.1
"""How far ahead of the rarest a rank may come for any true cue: at first, and with each item."""

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


@dataclass(frozen=True)
class _Puzzle:
    """A fragment cut into pieces, with the sets of orders that may be offered for it.

    ``drawn`` (sets, options) holds numbers of ``ORDERS`` of the pieces as they follow each other in
    the source, whose own order, the right one, comes first; ``ranks`` are its ranks in each set.
    """

    fragment: Fragment
    spans: tuple[Span, ...]
    drawn: npt.NDArray[np.int64]
    ranks: Ranks

    def best(self, balance: CueBalance) -> tuple[float, float, int]:
        """The set that balances the cues best: its excess, the largest of a true cue, its place."""
        total, worst = balance.excess(self.ranks)
        place = int(np.lexsort((worst, total))[0])
        return float(total[place]), float(worst[place]), place


def drawn_orders(
    rng: random.Random, scores: Floats, same_first: bool
) -> tuple[npt.NDArray[np.int64], Ranks]:
    """Sets of the source's order and three others, as numbers of ``ORDERS``, and its ranks in each.

    ``scores`` (cues, orders) are those of all cues but the last. With ``same_first`` all begin with
    the same piece.
    """
    others = [n for n, o in enumerate(ORDERS) if n and (o[0] == ORDERS[0][0] or not same_first)]
    drawn = np.asarray([[0, *rng.sample(others, OPTION_COUNT - 1)] for _ in range(DRAWS)])
    typical = _LIKENESS[drawn[:, :, None], drawn[:, None, :]].sum(axis=2).round(9)
    return drawn, ranks_of(np.concatenate([scores[:, drawn], typical[None]]))


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
    payload: Callable[[Fragment, Sequence[Span], PieceOrder], AnyPayload],
) -> FormatResult:
    """Up to ``per_article`` items in which four pieces of a fragment are put in order.

    ``cut`` chooses the pieces as spans of the text in source order, or gives the reason why a
    fragment is passed over; ``payload`` puts the pieces, as they are shown, into the format.
    """
    rng = rng_for(text, spec, format)
    deck = positions(rng_for(text, spec, f"{format}-positions"))
    by_chance = rng_for(text, spec, f"{format}-cues")
    balance = CueBalance(by_chance, _CUES, OPTION_COUNT, LEAD, AT_ONCE[format], COUNTS)
    asked = AskedPassages()

    def prepared(fragment: Fragment) -> _Puzzle | str:
        if markup_heavy(text.slice(*fragment.span)):
            return "markup_heavy"
        spans = cut(fragment, rng)
        if isinstance(spans, str):
            return spans
        if ordinal_cues([text.slice(*span) for span in spans]):
            return "ordinal_cues"
        # a paragraph begins unlike other sentences, and so, a little, does any passage
        begins = spans[0][0] == fragment.start
        same_first = begins and (format == SEQUENCING or fragment.start in text.paragraph_starts)
        scores = _scores(text, fragment, spans)
        return _Puzzle(fragment, tuple(spans), *drawn_orders(rng, scores, same_first))

    def made(puzzle: _Puzzle, place: int, position: int) -> ItemContent | str:
        passage = text.slice(*puzzle.fragment.span)
        if asked.has_like(passage):
            return "said_before"
        # any letters, whatever the orders: chosen with a view to them, they would tell the key
        letters = str.maketrans(ORDERS[0], rng.choice(ORDERS))
        right, *orders = (ORDERS[n].translate(letters) for n in puzzle.drawn[place])
        orders.insert(position, right)
        shown = shown_by(right, puzzle.spans)
        order = PieceOrder(tuple(text.slice(*span) for span in shown), tuple(orders), position)
        filled = payload(puzzle.fragment, puzzle.spans, order)
        if defect := defect_of(filled):
            return defect
        where = {"span": puzzle.fragment.span, "piece_spans": [*shown]}
        content = item(text, spec, format, filled, **where)
        if text_defects(content):
            return "damaged"
        balance.add(puzzle.ranks.of(place))
        asked.add(passage)
        return content

    blocks, filtered = _in_order(text, spec, shape, backwards=format == CLOZE)
    result = FormatResult(reason="too_few_fragments", filtered=filtered)
    fragments = spread_fragments(text, rng, blocks, shape, filtered)
    position = next(deck)
    for puzzle, place in _balanced(fragments, prepared, balance, filtered):
        outcome = made(puzzle, place, position)
        if isinstance(outcome, str):
            filtered[outcome] += 1
            continue
        position = next(deck)
        result.items.append(outcome)
        if len(result.items) >= spec.per_article:
            break
    return result


def _balanced(
    fragments: Iterator[Fragment],
    prepared: Callable[[Fragment], _Puzzle | str],
    balance: CueBalance,
    filtered: Counter[str],
) -> Iterator[tuple[_Puzzle, int]]:
    """Puzzles, each with the place of its set of orders: of some that wait, the one that balances
    the cues best."""
    waiting: list[_Puzzle] = []
    wanted, limit = BATCH, WORST
    while True:
        while len(waiting) < wanted and (fragment := next(fragments, None)) is not None:
            outcome = prepared(fragment)
            if isinstance(outcome, str):
                filtered[outcome] += 1
            else:
                waiting.append(outcome)
        found = [puzzle.best(balance) for puzzle in waiting]
        fit = [n for n, (_, worst, _) in enumerate(found) if worst <= limit]
        if fit:
            best = min(fit, key=lambda n: found[n])
            yield waiting.pop(best), found[best][2]
            wanted, limit = BATCH, limit + MORE
        elif len(waiting) < wanted:
            filtered["told_by_words"] += len(waiting)
            return
        else:
            wanted += 1


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


def _scores(text: ArticleText, fragment: Fragment, spans: Sequence[Span]) -> Floats:
    """Scores (cues, orders) of all ``ORDERS`` of the pieces, as they follow each other."""
    pieces = tuple(text.slice(*span) for span in spans)
    edges = [fragment.start, *(edge for span in spans for edge in span), fragment.end]
    segments = tuple(text.slice(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True))
    question = OptionQuestion("", "", ORDERS, 0, "", ORDERS, pieces, segments)
    cues = order_cues(question, text.weights)
    sharp = order_cues(question, text.sharp_weights)
    cues |= {f"{name}_sharp": sharp[name] for name in ("neighbour_tfidf", "next_sentence")}
    level = [0.0] * len(ORDERS)
    return np.asarray([cues.get(name, level) for name in _CUES[:-1]])
