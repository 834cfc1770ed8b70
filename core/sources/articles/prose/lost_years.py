"""Citations by name that lost their year: *(Moradi)*, where the article cites *Moradi 2014*."""

import re
from collections.abc import Callable, Iterable

from core.sources.articles.article import Block

_NAME = r"[A-ZÀ-Þ][\w’'-]{2,30}"
_WITH_YEAR = re.compile(
    rf"\b({_NAME})(?: et al\.?|,? (?:and|&) {_NAME})?,? \(?(?:1[6-9]|20)\d\d[a-z]?\b"
)
_BARE = re.compile(rf"[(;]\s?({_NAME})(?: et al\.?)?(?=[;)])")


def names_without_years(blocks: Iterable[Block]) -> Callable[[str], bool]:
    """Whether a text cites by name alone somebody whom the blocks cite with a year."""
    dated = {name for block in blocks for name in _WITH_YEAR.findall(block.text)}
    return lambda text: not dated.isdisjoint(_BARE.findall(text))
