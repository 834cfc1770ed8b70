"""Cloze items: four sentences of a fragment masked (ArxivRoll §2.2, figure 2)."""

from core.families.base import ItemContent
from core.families.scp_payload import CLOZE, ClozePayload, hole
from core.generation.build import (
    Yield,
    collect,
    defect_of,
    item,
    offered_orders,
    positions,
    rng_for,
    shown_by,
)
from core.generation.fragments import (
    SENTENCE_WORDS,
    Fragment,
    Sentence,
    Shape,
    Text,
    markup_heavy,
)
from core.generation.spec import ScpSpec

MASKS = 4
SENTENCES = 6  # four to mask, the first one, and one more that stays


def cloze_items(text: Text, spec: ScpSpec) -> Yield:
    """Up to ``per_article`` cloze items from disjoint fragments; the first sentence stays."""
    rng = rng_for(text, spec, CLOZE)
    deck = positions(rng_for(text, spec, f"{CLOZE}-positions"))
    position = next(deck)

    def made(fragment: Fragment) -> ItemContent | str:
        nonlocal position
        if markup_heavy(text.slice(*fragment.span)):
            return "markup_heavy"
        fit = [sentence for sentence in fragment.sentences[1:] if sentence.size >= SENTENCE_WORDS]
        if len(fit) < MASKS:
            return "too_few_sentences"
        chosen = sorted(rng.sample(range(len(fit)), MASKS))
        masked = [fit[index] for index in chosen]
        orders, key = offered_orders(rng, position)
        shown = shown_by(key, [[sentence.start, sentence.end] for sentence in masked])
        payload = ClozePayload(
            text=with_holes(text, fragment, masked),
            candidates=tuple(text.slice(*span) for span in shown),
            assignments=orders,
            key=position,
        )
        if defect := defect_of(payload):
            return defect
        position = next(deck)
        return item(text, spec, CLOZE, payload, span=fragment.span, piece_spans=[*shown])

    return collect(text, rng, Shape(spec.min_words, SENTENCES), spec.per_article, made)


def with_holes(text: Text, fragment: Fragment, masked: list[Sentence]) -> str:
    """The fragment's text with numbered marks in the place of the masked sentences."""
    pieces: list[str] = []
    position = fragment.start
    for number, sentence in enumerate(masked, 1):
        pieces += (text.slice(position, sentence.start), hole(number))
        position = sentence.end
    return "".join((*pieces, text.slice(position, fragment.end)))
