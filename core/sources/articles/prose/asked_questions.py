"""Parts of an article that answer the questions of a form, such as a data sheet or a checklist.

An answer says what it is about only together with its question: ``Yes, they are.``
"""

import re
from collections.abc import Iterator, Sequence

from core.sources.articles.article import Block

_MANY = 4
"""Questions from which a text is a form; an article may ask one or two by themselves."""
_LONGEST = 400
_STOP = re.compile(r"[.!。！](?=\s|$)|(?<=[。！])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf)\.|\(.*?\)|（.*?）")
_OF_DATA = re.compile(
    r"\bdata(?: ?sets?|sheets?|bases?)?\b|\binstances?\b|\bindividuals\b|\bsubjects\b|\bannotat"
    r"|\bcode ?book\b|数据",
    re.IGNORECASE,
)


def answers(blocks: Sequence[Block]) -> frozenset[int]:
    """The places of the questions of a form, and of what stands under them.

    A question is a paragraph of its own, or a heading that asks about data: a data sheet has both,
    while the headings of an article may well be its questions. Empty where there are few.
    """
    asked = [_asks(block) for block in blocks]
    return frozenset(_under(blocks, asked)) if sum(asked) >= _MANY else frozenset()


def _asks(block: Block) -> bool:
    text = block.text.strip()
    if len(text) > _LONGEST or not text.endswith(("?", "？")):
        return False
    if block.kind == "heading":
        return _OF_DATA.search(text) is not None
    return block.kind in ("text", "doubtful") and not _STOP.search(_ABBREVIATION.sub("", text))


def _under(blocks: Sequence[Block], asked: Sequence[bool]) -> Iterator[int]:
    open_question = False
    for place, block in enumerate(blocks):
        if asked[place]:
            open_question = True
        elif block.kind == "heading":
            open_question = False
        if open_question:
            yield place
