"""Cloze items: four sentences of a fragment masked (ArxivRoll §2.2, figure 2)."""

import random
from collections.abc import Sequence

from core.families.scp_payload import CLOZE, ClozePayload, mask_mark
from core.generation.build import FormatResult, PieceOrder, Span, puzzles
from core.generation.fragments import SENTENCE_WORDS, ArticleText, Fragment, FragmentShape
from core.generation.spec import ScpSpec

MASKS = 4
SENTENCES = 6  # four to mask, and two that stay


def cloze_items(text: ArticleText, spec: ScpSpec) -> FormatResult:
    """Up to ``per_article`` cloze items from disjoint fragments; any sentence may be masked."""

    def payload(fragment: Fragment, spans: Sequence[Span], puzzle: PieceOrder) -> ClozePayload:
        return ClozePayload(
            text=with_holes(text, fragment, spans),
            candidates=puzzle.pieces,
            assignments=puzzle.orders,
            key=puzzle.key,
        )

    return puzzles(text, spec, CLOZE, FragmentShape(spec.min_words, SENTENCES), _masked, payload)


def _masked(fragment: Fragment, rng: random.Random) -> list[Span] | str:
    fit = [sentence for sentence in fragment.sentences if sentence.size >= SENTENCE_WORDS]
    if len(fit) < MASKS:
        return "too_few_sentences"
    positions = sorted(rng.sample(range(len(fit)), MASKS))
    return [[fit[index].start, fit[index].end] for index in positions]


def with_holes(text: ArticleText, fragment: Fragment, masked: Sequence[Span]) -> str:
    """The fragment's text with numbered marks in the place of the masked spans."""
    pieces: list[str] = []
    position = fragment.start
    for number, (start, end) in enumerate(masked, 1):
        pieces += (text.slice(position, start), mask_mark(number))
        position = end
    return "".join((*pieces, text.slice(position, fragment.end)))
