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
    """Places of the paragraphs of running text that another one near by says in other words."""
    paragraphs = [
        (place, [word.casefold() for word in _WORD.findall(block.text)])
        for place, block in enumerate(blocks)
        if block.kind in ("text", "doubtful")
    ]
    found: set[int] = set()
    for number, (place, words) in enumerate(paragraphs):
        for other, others in paragraphs[number + 1 : number + 1 + _NEAR]:
            if (
                words != others
                and words[:_SAME_START] == others[:_SAME_START]
                and _are_alike(words, others)
            ):
                found |= {place, other}
    return found


def _are_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    own, their = set(words), set(others)
    shorter = min(len(own), len(their))
    return shorter >= _FEWEST and len(own & their) >= _SHARED * shorter
