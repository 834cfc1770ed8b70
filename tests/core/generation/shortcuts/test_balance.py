"""The right option stands at each rank of a cue about equally often, in an article of few items
too."""

import random

import numpy as np
import pytest

from core.generation.shortcuts.balance import CueBalance, ranks_of

EASY = 0.13
"""Of true texts, those that stand first by a true cue in every set."""


def shares(items: int, cue: str, articles: int = 300) -> list[float]:
    """How often the right option had each rank, where of 12 random sets the best one was taken."""
    drawn = np.random.default_rng(5)
    counts = np.zeros(4)
    for seed in range(articles):
        balance = CueBalance(random.Random(seed), (cue,), 4, 1.5, {"context": 0.5})
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
    first, *others = shares(items, "context_tfidf")
    assert 0.13 < first < 0.28  # it truly has more of the context, and is held back for it
    assert all(0.2 < share < 0.32 for share in others)


@pytest.mark.parametrize("items", [3, 8])
def test_what_everybody_counts_alike_is_not_held_back(items: int) -> None:
    assert all(0.2 < share < 0.32 for share in shares(items, "context_overlap"))
