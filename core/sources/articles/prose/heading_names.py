"""Headings that running text uses as names of its parts: ``In Gauge readings, each value is``.

Who reads a passage alone does not know that this is a section, and the sentence makes no sense.
"""

import re
from collections.abc import Callable, Iterable

from core.sources.articles.article import Block

_WORD = re.compile(r"[^\W\d_]+")
_LONGEST = 120
_MOST = 1_000
_PLAIN = 4
"""Letters of a word that a heading in the manner of a sentence writes small."""


def names_of_headings(blocks: Iterable[Block]) -> Callable[[str], bool]:
    """Whether a text has one of the blocks' headings within a sentence, written as there.

    Headings of one word, those whose words all begin large, and those that begin with a word that
    the blocks never write small, such as a name, may stand in any sentence and do not count.
    """
    small: set[str] = set()
    headings: dict[str, None] = {}
    for block in blocks:
        if block.kind == "heading":
            headings[" ".join(block.text.split())] = None
        else:
            small.update(word for word in _WORD.findall(block.text) if word.islower())
    told = [text for text in headings if len(text) <= _LONGEST and _is_sentence(text, small)]
    if not told:
        return lambda _: False
    names = "|".join(r"\s+".join(map(re.escape, text.split())) for text in told[:_MOST])
    found = re.compile(rf"(?<=[a-z,;] )[‘“'\"]?(?:{names})(?!\w)")
    return lambda text: found.search(text) is not None


def _is_sentence(heading: str, small: set[str]) -> bool:
    words = _WORD.findall(heading)
    return (
        len(words) > 1
        and words[0].istitle()
        and words[0].lower() in small
        and any(word.islower() and len(word) >= _PLAIN for word in words[1:])
    )
