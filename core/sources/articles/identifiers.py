"""arXiv identifiers, with their versions, in file names and in text."""

import re

from core.sources.articles.domains import ARCHIVES

_NEW = r"(?P<new>\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})"
_OLD = (
    r"(?P<archive>[a-z]+(?:-[a-z]+)?(?:\.[A-Z]{2})?)[/_ -]?(?P<number>\d{2}(?:0[1-9]|1[0-2])\d{3})"
)
_VERSION = r"(?:v(?P<version>[1-9]\d{0,2}))?"
_IN_NAME = re.compile(rf"(?:^|(?<=[^\d.]))(?:{_NEW}|{_OLD}){_VERSION}(?=$|[^\d.\w]|_|\.\D)")
_IN_TEXT = re.compile(rf"arXiv:\s*(?:{_NEW}|{_OLD}){_VERSION}", re.IGNORECASE)

_STAMP = re.compile(r"arXiv:\s*\S{9,30}\s+\[[a-z-]+(?:\.[A-Za-z-]+)?\]\s+\d{1,2} \w{3} \d{4}")

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


def without_version(identifier: str) -> str:
    """``2607.01234`` from ``2607.01234v2``."""
    return re.sub(r"v\d+$", "", identifier)


def _parts(match: re.Match[str]) -> tuple[str, str]:
    identifier = match["new"] or f"{match['archive']}/{match['number']}"
    return identifier, f"v{match['version']}" if match["version"] else ""
