"""arXiv identifiers, with their versions, in file names and in text."""

import re
from collections import Counter
from collections.abc import Sequence

from core.sources.articles.domains import ARCHIVES

_NEW = r"(?P<new>\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})"
_OLD = (
    r"(?P<archive>[a-z]+(?:-[a-z]+)?(?:\.[A-Z]{2})?)[/_ -]?(?P<number>\d{2}(?:0[1-9]|1[0-2])\d{3})"
)
_VERSION = r"(?:v(?P<version>[1-9]\d{0,2}))?"
_IN_NAME = re.compile(rf"(?:^|(?<=[^\d.]))(?:{_NEW}|{_OLD}){_VERSION}(?=$|[^\d.\w]|_|\.\D)")
_IN_TEXT = re.compile(rf"arXiv:\s*(?:{_NEW}|{_OLD}){_VERSION}", re.IGNORECASE)

_STAMP = re.compile(r"arXiv:\s*\S{9,30}\s+\[[a-z-]+(?:\.[A-Za-z-]+)?\]\s+\d{1,2} \w{3} \d{4}")

_TITLE = 40
"""Characters of a title that tell its article from others."""

SUFFIXES = (
    ".tar.gz", ".tgz", ".tar", ".gz", ".tex", ".ltx", ".latex", ".html", ".htm", ".xhtml",
    ".md", ".markdown", ".txt", ".text", ".jsonl", ".ndjson", ".json",
    ".pdf", ".zip", ".docx", ".odt", ".epub", ".rst", ".org", ".typ", ".ipynb", ".nxml", ".jats",
    ".xml", ".adoc", ".asciidoc", ".asc",
)  # fmt: skip
"""Endings that are taken off a file name to get its stem, longest first where they overlap."""


def stem_of(name: str) -> str:
    """File name without folders and without the ending of a known kind."""
    bare = name.rsplit("/", 1)[-1]
    for suffix in SUFFIXES:
        if bare.lower().endswith(suffix) and len(bare) > len(suffix):
            stem = bare[: -len(suffix)]
            # 2607.01234v2.tex.gz: a single packed file keeps both endings
            return stem_of(stem) if suffix == ".gz" else stem
    return bare


def identifier_in_name(name: str) -> tuple[str, str]:
    """``("2607.01234", "v2")`` from a file name or stem; empty strings where there is none.

    Old identifiers are found with a slash, an underscore, a hyphen or nothing between archive and
    number, since a file name cannot hold the slash: ``hep-th_9901001v2``.
    """
    for match in _IN_NAME.finditer(name):
        archive = match["archive"]
        if archive is None or archive.partition(".")[0].lower() in ARCHIVES:
            return _parts(match)
    return "", ""


def identifier_in_text(text: str) -> tuple[str, str]:
    """The first identifier written as ``arXiv:2607.01234v2``; empty strings where there is none."""
    match = _IN_TEXT.search(text)
    return _parts(match) if match else ("", "")


def identifier_in_stamp(text: str) -> tuple[str, str]:
    """The identifier of arXiv's stamp ``arXiv:2607.01234v2 [cs.CL] 3 Jul 2026``; no citation."""
    match = _STAMP.search(text)
    return identifier_in_text(match[0]) if match else ("", "")


def told_apart(articles: Sequence[tuple[str, str, str]]) -> list[str]:
    """Identifiers that no two articles share, from an identifier, a title and a folder of each.

    Those that several have get the words of their title behind them, as far as these tell them
    apart; then the folder in front, then a number: ``manuscript/nests-of-the-northern-bank``.
    """
    shared = Counter(identifier for identifier, _, _ in articles)
    taken = {identifier for identifier, count in shared.items() if count == 1}
    names = []
    for identifier, title, folder in articles:
        name = identifier
        if shared[identifier] > 1:
            words = _words_of(title)
            choices = [f"{identifier}/{words}"] if words else []
            choices += [identifier, f"{folder}/{identifier}".lstrip("/")]
            name = next((choice for choice in choices if choice not in taken), choices[-1])
            number = 2
            while name in taken:
                name, number = f"{choices[-1]}-{number}", number + 1
            taken.add(name)
        names.append(name)
    return names


def _words_of(title: str) -> str:
    """The first words of a title in small letters, with hyphens between them."""
    words = re.findall(r"\w+", title.lower())
    while len(words) > 1 and len("-".join(words)) > _TITLE:
        words.pop()
    return "-".join(words)[:_TITLE]


def without_version(identifier: str) -> str:
    """``2607.01234`` from ``2607.01234v2``."""
    return re.sub(r"v\d+$", "", identifier)


def _parts(match: re.Match[str]) -> tuple[str, str]:
    identifier = match["new"] or f"{match['archive']}/{match['number']}"
    return identifier, f"v{match['version']}" if match["version"] else ""
