"""Texts that stand in others, found without holding either."""

import random
from contextlib import closing

from core.analysis.corpus_overlap import corpus_overlap
from core.screening import covered_texts
from core.screening.covered_texts import CoveredTexts

WORDS = [f"w{number}" for number in range(300)]


def texts_of(draw: random.Random, count: int) -> list[str]:
    return [" ".join(draw.choices(WORDS, k=draw.randrange(60))) for _ in range(count)]


def test_shares_are_those_of_the_overlap_that_holds_everything(monkeypatch) -> None:
    monkeypatch.setattr(covered_texts, "_BLOCK", 50)
    monkeypatch.setattr(covered_texts, "_MOST_FOUND", 40)
    monkeypatch.setattr(covered_texts, "_BATCH", 90)
    draw = random.Random(11)
    texts = texts_of(draw, 60)
    copied = [" ".join(text.split()[4:40]) for text in texts[::3]]
    corpus = [*texts_of(draw, 40), *(f"before {text} after" for text in copied)]
    with closing(CoveredTexts(texts)) as covered:
        found = dict(covered.within(corpus, 0.05))
        again = dict(covered.within(iter(corpus), 0.5))
    named = {str(place): text for place, text in enumerate(texts)}
    whole = corpus_overlap(named, corpus)
    expected = {int(item.id): item.covered for item in whole.items if item.covered >= 0.05}
    assert len(expected) > 8
    assert found == expected
    assert again == {place: share for place, share in expected.items() if share >= 0.5}


def test_a_run_across_two_texts_is_none() -> None:
    text = " ".join(WORDS[:20])
    halves = [" ".join(WORDS[:10]), " ".join(WORDS[10:20])]
    with closing(CoveredTexts([text, ""])) as covered:
        assert covered.within(halves, 0.1) == []
        assert covered.within([" ".join(halves)], 0.1) == [(0, 1.0)]
        assert covered.within([], 0.1) == []
