"""The right option stands at each rank of a cue about equally often, in an article of few items
too."""

import random
from collections import defaultdict

import numpy as np
import pytest

from core.families.scp_payload import CLOZE, PREDICTION, SEQUENCING
from core.generation.article_items import generate_from_article
from core.generation.shortcuts.balance import CueBalance, ranks_of
from core.generation.shortcuts.cues import TermWeights, cues_of
from core.generation.shortcuts.question import question_of
from core.generation.spec import ScpSpec
from core.sources.articles.article import Article, Block, compose

EASY = 0.13
"""Of true texts, those that stand first by a true cue in every set."""


def shares(items: int, cue: str, articles: int = 300) -> list[float]:
    """How often the right option had each rank, where of 12 random sets the best one was taken."""
    drawn = np.random.default_rng(5)
    counts = np.zeros(4)
    for seed in range(articles):
        balance = CueBalance(random.Random(seed), (cue,), 4, {"context_t": 1.5}, {"context_t": 0.5})
        for _ in range(items):
            scores = drawn.random((1, 12, 4))
            scores[:, :, 0] += drawn.random() < EASY
            ranks = ranks_of(scores)
            total, _ = balance.excess(ranks)
            best = ranks.of(int(np.argmin(total)))
            counts[best.above[0, 0]] += 1
            balance.add(best)
    return list(counts / counts.sum())


@pytest.mark.parametrize("items", [1, 2, 3, 5, 8, 20, 60])
def test_no_rank_is_left_out_however_few_items_there_are(items: int) -> None:
    first, *others = shares(items, "context_tfidf", max(300, 1200 // items))
    assert 0.13 < first < 0.28  # it truly has more of the context, and is held back for it
    assert all(0.2 < share < 0.32 for share in others)


@pytest.mark.parametrize("items", [3, 8])
def test_what_everybody_counts_alike_is_not_held_back(items: int) -> None:
    assert all(0.2 < share < 0.32 for share in shares(items, "context_overlap"))


def test_the_cues_that_truth_has_begin_alike() -> None:
    """What has more by one of them has more by the others: else no set keeps to all of them."""
    scores = np.random.default_rng(3).random((1, 12, 4)).repeat(2, axis=0)
    ranks = ranks_of(scores)
    for seed in range(20):
        both = CueBalance(random.Random(seed), ("neighbour_tfidf", "next_sentence"), 4, {}, {})
        total, worst = both.excess(ranks)
        assert total == pytest.approx(2 * worst)


def test_a_cue_that_counts_more_moves_the_choice_more() -> None:
    ranks = ranks_of(np.random.default_rng(3).random((2, 12, 4)))
    once, often = (
        CueBalance(random.Random(1), ("length", "last_word"), 4, {}, {}, counts).excess(ranks)[0]
        for counts in ({}, {"last_word": 3.0})
    )
    alone = CueBalance(random.Random(1), ("length", "last_word"), 4, {}, {}, {"length": 1e-12})
    assert often - once == pytest.approx(2 * alone.excess(ranks)[0], abs=1e-6)


_NOUNS = (
    "gauge", "river", "sensor", "valley", "model", "storm", "bridge", "sample", "survey", "record",
    "filter", "basin", "pump", "meadow", "signal", "tower",
)  # fmt: skip
_VERBS = ["shows", "follows", "repeats", "explains", "limits", "measures", "replaces", "supports"]
_PLACES = (
    "along the bank", "in the dry season", "before the flood", "near the old weir",
    "during the night shift", "at the upper station", "under the snow", "beside the channel",
)  # fmt: skip


def topical(seed: int) -> Article:
    """An article whose paragraphs have words of their own, so that neighbours share some."""
    rng = random.Random(seed)
    topics = [rng.sample(_NOUNS, 5) for _ in range(5)]
    blocks = [Block("Readings", "heading", 1)]
    for _ in range(16):
        own = rng.choice(topics)

        def noun(own: list[str] = own) -> str:
            return rng.choice(own if rng.random() < 0.6 else _NOUNS)

        blocks.append(
            Block(
                " ".join(
                    f"Every {noun()} numbered {rng.randrange(2, 900)} {rng.choice(_VERBS)} what "
                    f"the {noun()} recorded {rng.choice(_PLACES)}, although readings of the "
                    f"{noun()} {rng.choice(_PLACES)} were kept for {rng.randrange(2, 60)} weeks."
                    for _ in range(7)
                )
            )
        )
    name = f"0001.{seed:05}"
    return compose(blocks, path=f"{name}.tex", article_id=name, title="Rain", version="v1")


@pytest.mark.parametrize("format", [SEQUENCING, CLOZE, PREDICTION])
def test_shared_words_tell_neither_what_is_right_nor_what_is_not(format: str) -> None:
    """Held back once and for all they would be a cue to what is wrong, where balance is easy."""
    credits = defaultdict(list)
    for seed in range(12):
        spec = ScpSpec(per_article=5, seed=seed, formats=(format,))
        for made in generate_from_article(topical(seed), spec).items:
            asked = question_of(made)
            weights = TermWeights([asked.context, *asked.options])
            for cue, scores in cues_of(asked, weights).items():
                if cue.startswith(("neighbour", "context", "next")):
                    liked = [n for n, score in enumerate(scores) if score == max(scores)]
                    credits[cue].append((asked.key in liked) / len(liked))
    assert min(map(len, credits.values())) > 45
    assert 0.18 < np.mean([np.mean(row) for row in credits.values()]) < 0.32
