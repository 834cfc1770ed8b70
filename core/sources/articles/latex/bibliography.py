"""Who is cited: names and years in the bibliographies that come with a LaTeX source."""

import re
from collections.abc import Iterator

from core.sources.articles.latex.render import Context, Renderer

_ITEM = re.compile(r"\\bibitem\s*(?:\[(?P<label>(?:[^\[\]{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*"
                   r"\})*)\])?\s*(?:%\s*)?\{(?P<key>[^{}]*)\}")  # fmt: skip
_LABEL = re.compile(r"^(?P<names>.*?)\(?(?P<year>(?:1[6-9]|20)\d\d[a-z]?)\)?", re.DOTALL)
_ENTRY = re.compile(r"@(?P<kind>\w+)\s*[{(]\s*(?P<key>[^\s,{}]+)\s*,")
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_WORD = re.compile(r"(?:[^\s~{}]|\{(?:[^{}]|\{[^{}]*\})*\}|[{}])+")
_LONGEST_FIELD = 20_000


def cited_names(bibliography: str) -> dict[str, tuple[str, str]]:
    """``{"Goodman:2010": ("Goodman & Weare", "2010")}`` from the labels of ``\\bibitem``."""
    names: dict[str, tuple[str, str]] = {}
    for item in _ITEM.finditer(bibliography):
        label = _LABEL.match(_plain(item["label"] or ""))
        if label and len(label["names"].strip(" (,")) > 1:
            authors = label["names"].strip(" (,")
            authors = re.sub(r"\bet\.? al\b\.?", "et al.", authors).replace(" & ", " and ")
            names[item["key"].strip()] = (authors, label["year"])
    return names


def names_in_bib(source: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """``("Goodman:2010", ("Goodman and Weare", "2010"))`` for each entry of a BibTeX file."""
    entries = list(_ENTRY.finditer(source))
    for index, entry in enumerate(entries):
        end = entries[index + 1].start() if index + 1 < len(entries) else len(source)
        body = source[entry.end() : min(end, entry.end() + _LONGEST_FIELD)]
        people = _field(body, "author") or _field(body, "editor")
        year = _YEAR.search(_field(body, "year") or _field(body, "date"))
        if people and year:
            who = _people([_plain(_family(name)) for name in _AND.split(people)])
            if who:
                yield entry["key"], (who, year[0])


def _field(body: str, name: str) -> str:
    match = re.search(rf"(?:^|[\s,]){name}\s*=\s*", body, re.IGNORECASE)
    if not match:
        return ""
    start, depth = match.end(), 0
    closing = {'"': '"', "{": "}"}.get(body[start : start + 1])
    if closing is None:
        return re.split(r"[,\n}]", body[start:], maxsplit=1)[0].strip()
    for at in range(start + 1, len(body)):
        sign = body[at]
        if sign == closing and depth == 0:
            return " ".join(body[start + 1 : at].split())
        depth += (sign == "{") - (sign == "}")
    return ""


def _family(name: str) -> str:
    """The family name in ``Weare, Jonathan``, ``Jonathan Weare`` or ``{Planck Collaboration}``."""
    name = name.strip()
    if name.startswith("{") and name.endswith("}"):
        return name[1:-1]
    if "," in name:
        return name.partition(",")[0]
    words = _WORD.findall(name)
    first = next((i for i, w in enumerate(words[:-1]) if i and w[:1].islower()), len(words) - 1)
    return " ".join(words[first:])


def _people(families: list[str]) -> str:
    if not all(any(c.isalpha() for c in family) for family in families[:2]):
        return ""
    if len(families) > 2 or families[-1] == "others":
        return f"{families[0]} et al."
    return " and ".join(families)


def _plain(source: str) -> str:
    """A name as it prints."""
    context = Context(text=source, labels={}, cites={}, stash=[])
    return " ".join(Renderer(context).inline(0, len(source)).split())
