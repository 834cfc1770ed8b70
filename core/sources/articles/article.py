"""The values that every reader of articles yields: an article, its paragraphs, its sections.

Provenance of an item is ``(article.id, article.version, start, end)``: offsets count the characters
(code points) of ``article.text``, and ``article.text[p.start:p.end] == p.text`` holds for every
paragraph.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, Literal

from core.unicode_forms import normal_form

Kind = Literal[
    "text", "heading", "caption", "table", "formula", "list", "code", "quote", "reference",
    "back_matter", "doubtful",
]  # fmt: skip
"""Items are made of ``text`` alone; ``doubtful`` is running text that may be damaged."""

SEPARATOR = "\n\n"


@dataclass(frozen=True)
class Paragraph:
    """One block of an article; ``section`` is the index of its section in ``Article.sections``."""

    text: str
    start: int
    end: int
    kind: Kind = "text"
    section: int = 0


@dataclass(frozen=True)
class Section:
    """A heading and what follows it up to the next heading of any level.

    ``level`` is 1 for a section, 2 for a subsection and so on; the text before the first heading
    is a section with an empty title and level 0. ``start`` and ``end`` are offsets into the text.
    """

    title: str
    level: int
    start: int
    end: int


@dataclass(frozen=True)
class Block:
    """What a reader yields before offsets exist; ``level`` is meaningful for headings only.

    ``sure`` says whether a second reader found the same words; None when there was none.
    """

    text: str
    kind: Kind = "text"
    level: int = 1
    sure: bool | None = None


@dataclass(frozen=True)
class ParsedSource:
    """What a reader understood of one source; fields it could not see stay empty.

    ``article_id`` and ``version`` are arXiv's, ``notes`` are sentences for people about parts that
    were left out, such as a missing ``\\input`` file. ``strict`` asks for stricter checks of a text
    that may not be what the author wrote: one reader of two failed, or the source was a PDF.
    """

    title: str
    blocks: tuple[Block, ...]
    article_id: str = ""
    version: str = ""
    categories: tuple[str, ...] = ()
    submitted: date | None = None
    notes: tuple[str, ...] = ()
    strict: bool = False


@dataclass(frozen=True)
class Article:
    """One article in its normalised form.

    ``id`` is the arXiv id without version where one is known, else the file's stem. ``version`` is
    ``v1``, ``v2``, … for arXiv, else ``text-`` and twelve hex digits of the text's SHA-256.
    ``domain`` is one of ``domains.DOMAINS`` or empty. ``submitted`` is the day (UTC) of the first
    version, since that is when the text may have become known; None when unknown. ``no_article`` is
    empty, or what the text is that was read because texts of any kind were wanted, a key of
    ``no_article.NO_ARTICLE``.
    """

    id: str
    version: str
    title: str
    domain: str
    categories: tuple[str, ...]
    submitted: date | None
    path: str
    text: str
    paragraphs: tuple[Paragraph, ...]
    sections: tuple[Section, ...]
    no_article: str = ""

    @property
    def text_digest(self) -> str:
        """SHA-256 in hex of the text: equal digests mean that character spans agree."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def to_row(self) -> dict[str, Any]:
        """A JSON object from which ``from_row`` makes an equal article."""
        row: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        row["categories"] = list(self.categories)
        row["submitted"] = self.submitted.isoformat() if self.submitted else None
        row["paragraphs"] = [[p.start, p.end, p.kind, p.section] for p in self.paragraphs]
        row["sections"] = [[s.title, s.level, s.start, s.end] for s in self.sections]
        return row

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> "Article":
        """The article that ``to_row`` wrote."""
        text = row["text"]
        submitted = row["submitted"]
        return cls(
            **{name: row[name] for name in ("id", "version", "title", "domain", "path", "text")},
            categories=tuple(row["categories"]),
            submitted=date.fromisoformat(submitted) if submitted else None,
            paragraphs=tuple(Paragraph(text[p[0] : p[1]], *p) for p in row["paragraphs"]),
            sections=tuple(Section(*s) for s in row["sections"]),
            no_article=row.get("no_article", ""),
        )


def normalise(text: str) -> str:
    """Text in NFC with one space for every run of white space and no control characters.

    A line break between two Chinese characters leaves no space; ligatures are letters, radicals the
    characters that they look like, and hyphens that stand for a dash are one.
    """
    if "--" in text:
        text = _DASH.sub(lambda match: "—" if match[1] or match[2] else "–", text)
    if not text.isascii():
        text = text.translate(_LIGATURES)
    return in_one_line(normal_form("NFC", visible(text)))


def in_one_line(text: str) -> str:
    """Text with one space for every run of white space, and none where a line of Chinese goes on
    in the next one."""
    if "\n" in text and not text.isascii():
        text = _CHINESE_BREAK.sub("", text)
    return " ".join(text.split())


def visible(text: str) -> str:
    """The text without control, format, surrogate, private and unassigned characters."""
    if text.isascii() and (text.isprintable() or not _ASCII_CONTROL.search(text)):
        return text
    return "".join(c for c in text if c.isspace() or unicodedata.category(c) not in _UNSEEN)


_DASH = re.compile(r"(?<=\s)--(-)?(?=\s)|(?<=[^\W_])--(-)?(?=[“\"‘(]?[^\W_])")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
    | {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
)
"""Letters for ligatures, and characters for the radicals that PDFs have in their place."""
_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_CHINESE_BREAK = re.compile(
    r"(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])[ \t]*\r?\n[ \t]*"
    r"(?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])"
)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def normalise_lines(text: str) -> str:
    """Like ``normalise``, but line ends and indentation stay: for code and tables."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n")
    seen = [visible(line).rstrip() for line in lines]
    return normal_form("NFC", "\n".join(seen)).strip("\n")


def compose(
    blocks: Iterable[Block],
    *,
    path: str,
    article_id: str,
    title: str = "",
    version: str = "",
) -> Article:
    """An article made of blocks in reading order; blocks without a visible character are left out.

    The text is the blocks joined by a blank line. An empty ``version`` becomes the text's digest.
    """
    paragraphs: list[Paragraph] = []
    heads: list[tuple[str, int, int]] = []
    position = 0
    for block in blocks:
        text = (normalise_lines if block.kind in ("code", "table") else normalise)(block.text)
        if not text.strip():
            continue
        if block.kind == "heading" or not heads:
            heading = block.kind == "heading"
            heads.append((text if heading else "", block.level if heading else 0, position))
        end = position + len(text)
        paragraphs.append(Paragraph(text, position, end, block.kind, len(heads) - 1))
        position = end + len(SEPARATOR)
    article = Article(
        id=article_id,
        version=version,
        title=normalise(title),
        domain="",
        categories=(),
        submitted=None,
        path=path,
        text=SEPARATOR.join(paragraph.text for paragraph in paragraphs),
        paragraphs=tuple(paragraphs),
        sections=_sections(heads, paragraphs),
    )
    return article if version else replace(article, version=f"text-{article.text_digest[:12]}")


def _sections(
    heads: list[tuple[str, int, int]], paragraphs: list[Paragraph]
) -> tuple[Section, ...]:
    last = {paragraph.section: paragraph.end for paragraph in paragraphs}
    return tuple(
        Section(title, level, start, last[index])
        for index, (title, level, start) in enumerate(heads)
    )
