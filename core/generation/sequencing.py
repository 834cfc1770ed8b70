"""Sequencing items: a fragment in four parts, shuffled (ArxivRoll §2.2, figure 2)."""

import random
from collections.abc import Sequence

from core.families.scp_payload import SEQUENCING, SequencingPayload
from core.generation.build import FormatResult, PieceOrder, Span, puzzles
from core.generation.fragments import ArticleText, Fragment, FragmentShape, Sentence
from core.generation.spec import ScpSpec

PARTS = 4


def sequencing_items(text: ArticleText, spec: ScpSpec) -> FormatResult:
    """Up to ``per_article`` sequencing items from disjoint fragments of the article."""
    shape = FragmentShape(spec.min_words, PARTS)
    return puzzles(text, spec, SEQUENCING, shape, _parts, _payload)


def _parts(fragment: Fragment, rng: random.Random) -> list[Span]:
    del rng
    return [[group[0].start, group[-1].end] for group in quarters(fragment.sentences)]


def _payload(fragment: Fragment, spans: Sequence[Span], puzzle: PieceOrder) -> SequencingPayload:
    del fragment, spans
    return SequencingPayload(parts=puzzle.pieces, orders=puzzle.orders, key=puzzle.key)


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
