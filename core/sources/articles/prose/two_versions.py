"""Paragraphs that stand beside what became of them: an author rewrote one and kept both.

A passage over the two says everything twice, so that nobody can tell the order of its sentences.
"""

import re
from collections.abc import Sequence

from core.sources.articles.article import Block

_WORD = re.compile(r"[^\W\d_]+")
_SAME_START = 4
"""Words with which both begin."""
_NEAR = 2
"""Paragraphs further apart than this say something again on purpose, as a summary does."""
_FEWEST, _SHARED = 12, 0.5
"""Different words of the shorter one, and the share of them that the other one has, too."""


def in_two_versions(blocks: Sequence[Block]) -> set[int]:
    """Places of the paragraphs of running text that another one near by, under the same heading,
    says in other words."""
    found: set[int] = set()
    before: list[tuple[int, list[str]]] = []
    for place, block in enumerate(blocks):
        if block.kind == "heading":
            before = []
        if block.kind not in ("text", "doubtful"):
            continue
        words = [word.casefold() for word in _WORD.findall(block.text)]
        for other, others in before[-_NEAR:]:
            begins_alike = words[:_SAME_START] == others[:_SAME_START]
            if begins_alike and words != others and _are_alike(words, others):
                found |= {place, other}
        before.append((place, words))
    return found


def _are_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    own, their = set(words), set(others)
    shorter = min(len(own), len(their))
    return shorter >= _FEWEST and len(own & their) >= _SHARED * shorter
