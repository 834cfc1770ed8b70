"""Two readers of one article: a paragraph is sure when both give the same words."""

import re
from collections.abc import Iterable

from core.sources.articles.article import Block
from core.sources.articles.prose.citations import without_marks
from core.unicode_forms import normal_form

_BETWEEN = re.compile(r"[\W_]+")  # as a run of what is neither letter nor digit


def words_of(text: str) -> str:
    """Letters and digits in one case, without citations and references: what must be the same."""
    folded = normal_form("NFKC", without_marks(text)).casefold()
    return _BETWEEN.sub(" ", folded).strip()


def confirmed(blocks: Iterable[Block], witness: Iterable[Block]) -> list[bool]:
    """For each block, whether a block of the other reader has the same words."""
    seen = {words_of(block.text) for block in witness if block.kind != "heading"}
    return [words_of(block.text) in seen for block in blocks]
