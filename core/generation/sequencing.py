"""Sequencing items: a fragment in four parts, shuffled (ArxivRoll §2.2, figure 2)."""

from collections.abc import Sequence

from core.families.base import ItemContent
from core.families.scp_payload import SEQUENCING, SequencingPayload
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
from core.generation.fragments import Fragment, Sentence, Shape, Text, markup_heavy
from core.generation.spec import ScpSpec

PARTS = 4


def sequencing_items(text: Text, spec: ScpSpec) -> Yield:
    """Up to ``per_article`` sequencing items from disjoint fragments of the article."""
    rng = rng_for(text, spec, SEQUENCING)
    deck = positions(rng_for(text, spec, f"{SEQUENCING}-positions"))
    position = next(deck)

    def made(fragment: Fragment) -> ItemContent | str:
        nonlocal position
        if markup_heavy(text.slice(*fragment.span)):
            return "markup_heavy"
        spans = [[group[0].start, group[-1].end] for group in quarters(fragment.sentences)]
        orders, key = offered_orders(rng, position)
        shown = shown_by(key, spans)
        payload = SequencingPayload(
            parts=tuple(text.slice(*span) for span in shown), orders=orders, key=position
        )
        if defect := defect_of(payload):
            return defect
        position = next(deck)
        return item(text, spec, SEQUENCING, payload, span=fragment.span, piece_spans=[*shown])

    return collect(text, rng, Shape(spec.min_words, PARTS), spec.per_article, made)


def quarters(sentences: Sequence[Sentence]) -> list[Sequence[Sentence]]:
    """Four groups of consecutive sentences, about equally long; needs at least four sentences."""
    total = sum(sentence.size for sentence in sentences)
    groups: list[Sequence[Sentence]] = []
    begin, passed = 0, 0.0
    for number in range(1, PARTS):
        last = len(sentences) - (PARTS - number)  # leave one sentence for each later part
        goal = total * number / PARTS
        end = begin + 1
        passed += sentences[begin].size
        while end < last and passed + sentences[end].size / 2 <= goal:
            passed += sentences[end].size
            end += 1
        groups.append(sentences[begin:end])
        begin = end
    groups.append(sentences[begin:])
    return groups
