"""A source with its changes marked, read as its new version."""

import re
from collections.abc import Iterator, Set

from core.sources.articles.latex.scan import braces, group, option

_MARK = re.compile(
    r"\\(?:(?P<old>DIFdel(?:FL)?|sout|xout|st|deleted)|(?P<new>DIFadd(?:FL)?|added)"
    r"|(?P<both>replaced)|DIF(?:add|del)(?:begin|end)(?:FL)?)(?![a-zA-Z])\s*"
)
_PACKAGES = {"deleted": "changes", "added": "changes", "replaced": "changes", "st": "soul"}
"""Marks that other sources use for something else, and the package that makes marks of them."""
_LOADED = re.compile(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}")


def new_version(body: str, preamble: str) -> str:
    """The text without what latexdiff, ``changes``, ``ulem`` or ``soul`` strike.

    What they add stays.
    """
    if not _MARK.search(body):
        return body
    loaded = " ".join(_LOADED.findall(preamble))
    unknown = {name for name, package in _PACKAGES.items() if package not in loaded}
    return "".join(_pieces(body, unknown))


def _pieces(text: str, unknown: Set[str]) -> Iterator[str]:
    closing = braces(text)
    position = 0
    for match in _MARK.finditer(text):
        if match.start() < position:
            continue  # within what is struck
        said = next(filter(None, match.groups()), "")
        if said in unknown:
            continue
        yield text[position : match.start()]
        position = match.end()
        if said:
            options = option(text, closing, position)
            position = options[2] if options else position
        if match["old"] and (struck := group(text, closing, position)):
            position = struck[2]
        elif match["both"] and (new := group(text, closing, position)):
            old = group(text, closing, new[2])
            yield text[position : new[2]]
            position = old[2] if old else new[2]
    yield text[position:]
