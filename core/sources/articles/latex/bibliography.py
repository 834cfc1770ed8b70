"""Who is cited: names and years in the bibliographies that come with a LaTeX source."""

import re
from collections.abc import Iterator

from core.sources.articles.latex.render import Context, Renderer
from core.sources.articles.latex.scan import braces, group
from core.sources.articles.prose.citations import MARKS

_ITEM = re.compile(r"\\bibitem\s*(?:\[(?P<label>(?:[^\[\]{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*"
                   r"\})*)\])?\s*(?:%\s*)?\{(?P<key>[^{}]*)\}")  # fmt: skip
_LABEL = re.compile(r"^(?P<names>.*?)\(?(?P<year>(?:1[6-9]|20)\d\d[a-z]?)\)?", re.DOTALL)
_ENTRY = re.compile(r"@(?P<kind>\w+)\s*[{(]\s*(?P<key>[^\s,{}]+)\s*,")
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_STYLED = re.compile(r"\\(?:citeauthoryear|astroncite|BCAY|citename(?:font)?|bibnamefont)\s*(?=\{)")
"""How the styles of MNRAS, ``astron``, ``apacite``, ``named`` and REVTeX write a label's names."""
_OF_STYLES = re.compile(r"\\(?:protect|relax)(?![a-zA-Z])\s*")
_BETWEEN_NAMES = re.compile(r"\\BBA(?![a-zA-Z])(?:\\?\s|~)*")  # apacite's word for ``and``
_HARVARD = re.compile(r"\\harvarditem(?:\s*\[[^\[\]]*\])?\s*(?=\{)")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_WORD = re.compile(r"(?:[^\s~{}]|\{(?:[^{}]|\{[^{}]*\})*\}|[{}])+")
_LONGEST_FIELD = 20_000


def cited_names(bibliography: str) -> dict[str, tuple[str, str]]:
    """``{"Goodman:2010": ("Goodman & Weare", "2010")}`` from the labels of ``\\bibitem``."""
    names: dict[str, tuple[str, str]] = {}
    for item in _ITEM.finditer(bibliography):
        if named := _named(_as_natbib(item["label"] or "")):
            names[item["key"].strip()] = named
    for item in _HARVARD.finditer(bibliography):
        parts = _groups(bibliography, item.end())
        if len(parts) == 3 and (named := _named(f"{parts[0]}({parts[1]})")):
            names[parts[2].strip()] = named
    return names


def _named(label: str) -> tuple[str, str] | None:
    """Names and year of a label, unless a command of its style would stay in the names."""
    found = _LABEL.match(_plain(label))
    authors = found["names"].strip(" (,") if found else ""
    if not found or len(authors) < 2 or authors != authors.translate(MARKS):
        return None
    authors = re.sub(r"\bet\.? al\b\.?", "et al.", authors).replace(" & ", " and ")
    return authors, found["year"]


def _as_natbib(label: str) -> str:
    """A label as natbib's styles have it: ``Aguas et al.(2020)``, the names in their short form."""
    label = _BETWEEN_NAMES.sub("and ", _OF_STYLES.sub("", label))
    while command := _STYLED.search(label):
        closing, position = braces(label), command.end()
        parts: list[str] = []
        while found := group(label, closing, position):
            parts.append(label[found[0] : found[1]])
            position = found[2]
        if len(parts) > 1:  # the names in full, in short, and the year
            parts = [f"{parts[-2]}({parts[-1]})"]
        label = f"{label[: command.start()]}{''.join(parts)}{label[position:]}"
    return label


def _groups(text: str, position: int, most: int = 3) -> list[str]:
    """The groups that follow one another at a place, up to ``most``."""
    text = text[position : position + _LONGEST_FIELD]
    closing, position = braces(text), 0
    parts: list[str] = []
    while len(parts) < most and (found := group(text, closing, position)):
        parts.append(text[found[0] : found[1]])
        position = found[2]
    return parts


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
