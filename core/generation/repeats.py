"""Passages that say again what another one says, of which only one is asked about."""

from core.generation.tfidf import tokens

_WORDS = 5
_ALIKE = 0.3
"""Share of the runs of words of the shorter one of two passages that stand in the other, too."""

Shingles = frozenset[tuple[str, ...]]


class AskedPassages:
    """The passages of the items of one format that were made of an article so far."""

    def __init__(self) -> None:
        self._shingles: list[Shingles] = []

    def has_like(self, passage: str) -> bool:
        """Whether one of them says about the same, with a third of its runs of words."""
        own = _shingles(passage)
        return any(
            len(own & other) >= _ALIKE * max(1, min(len(own), len(other)))
            for other in self._shingles
        )

    def add(self, passage: str) -> None:
        """Take in the passage of an item that was made."""
        self._shingles.append(_shingles(passage))


def _shingles(text: str) -> Shingles:
    words = tokens(text)
    return frozenset(zip(*(words[start:] for start in range(_WORDS)), strict=False))
