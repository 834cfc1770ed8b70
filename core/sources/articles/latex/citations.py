"""What a citation says in words. Numbers are never used: they would give the order away."""

import re
from collections.abc import Iterable, Mapping

_ITEM = re.compile(r"\\bibitem\s*(?:\[(?P<label>(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\])?\s*\{"
                   r"(?P<key>[^{}]*)\}")  # fmt: skip
_LABEL = re.compile(r"^(?P<names>.*?)\(?(?P<year>(?:1[6-9]|20)\d\d[a-z]?)\)?", re.DOTALL)
_KEY = re.compile(r"^(?P<name>[A-Z]?[a-z]{2,})(?:etal|EtAl)?[:_.+-]?(?P<year>(?:1[6-9]|20)\d\d)")
_MARKUP = re.compile(r"\\(?:natexlab|protect|citeauthoryear)\s*|\\[a-zA-Z]+\s*|[{}]")
PLACEHOLDER = "[ref]"

NEEDS_WORDS = frozenset(
    {"in", "by", "from", "of", "see", "to", "with", "and", "than", "following", "per", "ref",
     "refs", "reference", "references", "both", "or", "cf", "via", "e.g", "i.e", "also"}
)  # fmt: skip
"""Words that cannot stand before nothing: a citation after one of them becomes a word too."""


def cited_names(bibliography: str) -> dict[str, tuple[str, str]]:
    """``{"Goodman:2010": ("Goodman & Weare", "2010")}`` from the labels of ``\\bibitem``."""
    names: dict[str, tuple[str, str]] = {}
    for item in _ITEM.finditer(bibliography):
        label = _LABEL.match(" ".join(_MARKUP.sub("", item["label"] or "").split()))
        if label and label["names"].strip(" (,"):
            authors = label["names"].strip(" (,").replace("\\&", "&").replace("~", " ")
            names[item["key"].strip()] = (authors.replace("et al", "et al."), label["year"])
    return {key: (who.replace("..", "."), year) for key, (who, year) in names.items()}


def cited_in_words(keys: Iterable[str], known: Mapping[str, tuple[str, str]]) -> str:
    """``Goodman & Weare (2010) and Hou (2011)``; ``[ref]`` where neither label nor key says it."""
    words: list[str] = []
    for key in (k.strip() for k in keys):
        guess = _KEY.match(key)
        who, year = known.get(key) or (
            (guess["name"].capitalize(), guess["year"]) if guess else ("", "")
        )
        word = f"{who} ({year})" if who else PLACEHOLDER
        if word not in words:
            words.append(word)
    if len(words) > 3:
        words = [*words[:2], PLACEHOLDER]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
