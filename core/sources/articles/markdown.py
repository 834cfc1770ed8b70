"""Markdown, with pandoc's citations, figure captions and front matter."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.i18n import tr
from core.sources.articles.article import Block, Kind, ParsedSource
from core.sources.articles.arxiv_html import read_html
from core.sources.articles.identifiers import identifier_in_stamp
from core.sources.articles.prose.citations import (
    MARKS,
    citation_mark,
    has_marks,
    loss_mark,
    reference,
)
from core.sources.articles.prose.maths import display_maths, inline_maths, with_plurals
from core.sources.articles.prose.scripts import subscript, superscript
from core.sources.limits import UnreadableSource

_FRONT = re.compile(r"\A\s*---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(
    r"^[\"']?title[\"']?[ \t]*:[ \t]*(?:[|>][+-]?[ \t]*\n(?P<lines>(?:[ \t]+\S[^\n]*(?:\n|\Z))+)"
    r"|(?P<quote>[\"'])(?P<quoted>.{0,1000}?)(?P=quote)[ \t]*$|(?P<plain>[^\n]*))",
    re.MULTILINE | re.DOTALL,
)
_SLIDES = re.compile(
    r"^marp\s*:\s*true|(?:^|\s)[\"']?(?:revealjs|beamer|xaringan::\w+|\w+_presentation|pptx"
    r"|slidev|remark|slideshow)\b",
    re.MULTILINE,
)
_FORMAT = re.compile(
    r"^(?:format|output|layout|theme)\s*:(.*(?:\n[ \t]+.*)*)|^marp\s*:\s*true", re.M
)
_DOCUMENT = re.compile(
    r"\b(?:pdf(?!-)|pdf_document|docx|word_document|html(?!-)|html_document|papaja|rticles|typst|jats)"
)
"""What is written as a document as well as on slides."""
_DISPLAY = re.compile(r"^[ \t]*\$\$(.{1,5000}?)\$\$(?:[ \t]*\{#[^}\n]*\})?", re.DOTALL | re.M)
_INLINE = re.compile(r"(?<![\\$\w])\$(?=\S)([^$\n]{1,400}?)(?<=\S)\$(?![\d$])")
# MathJax's own marks, with one backslash or, where Markdown takes one away, with two; in CommonMark
# they are brackets, so that what is between them must look like maths
_BRACKETED = re.compile(r"(?<!\\)(\\\\?)\((?=\S)([^$\n]{1,400}?)(?<=\S)\1\)")
_BRACKETED_DISPLAY = re.compile(
    r"^[ \t]*(\\\\?)\[[ \t]*\n(.{1,5000}?)\n[ \t]*\1\][ \t]*$", re.DOTALL | re.M
)
_LIKE_MATHS = re.compile(r"[\\_^=<>+{|]|^(?:[A-Za-z]|\d+)$")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
# white space is tried from its beginning alone, and nothing within brackets twice: a long run of
# either would otherwise cost the square of its length
_CITES = re.compile(
    r"(?<![ \t\n])(?P<space>[ \t\n]*)\[(?=[^\[\]]*+\])[^\[\]]*?@[\w:./#$%&+?<>~-][^\[\]]*+\]"
)
_TEXT_CITE = re.compile(r"(?<![\w@.])@(?:doi|arxiv|pmid|pmcid|url|tag|isbn):[^\s,;)\]]+")
_BARE_CITE = re.compile(
    r"(?<![\w@./\\-])-?@\{?[A-Za-z](?:[\w:.#$%&+?<>~/-]{0,80}\w)?\}?(?:[ ]\[pp?\.[^\]\n]{1,30}\])?"
)
_CROSS = re.compile(r"\{?@(?:fig|tbl|tab|eq|sec|lst|thm)[:-][\w-]+\}?")
_ATTRIBUTES = re.compile(r"\{[#.][^{}\n]*\}|(?<=[\])])\{[\w-]+=[\"'][^{}\n]*\}")
_UNBROKEN = re.compile(r"(?<=[^\s\\])\\ (?=\S)")
"""A space at which pandoc breaks no line."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\](?!:)|\^\\?\[[^\]]*\]\^?")
_FOOTNOTE_TEXT = re.compile(r"^\[\^[^\]\s]+\]:.*(?:\n[ \t]+.*)*", re.MULTILINE)
_TAG = re.compile(r"<[^<>]{1,200}>")
_NOTE = re.compile(r"<sup>\s*<a\b[^<>]{0,200}\bhref=[\"']#[^<>]{0,200}>[^<>]{0,40}</a>\s*</sup>")
_PAGE_PART = re.compile(r"\s*</?(?:p|h[1-6]|div|section|ul|ol|blockquote)\b[^<>]{0,200}>")
"""What a page begins with; indented, Markdown takes it for code."""
_RAISED = re.compile(r"(?<![\\^\s])\^([^\s^\[\]\\]{1,30})\^")
_LOWERED = re.compile(r"(?<![\\~\s])~([^\s~\[\]\\]{1,30})~(?!~)")
_COMPUTED = re.compile(r"(?:r|python|julia|\{\w+\})\s")
"""Code in a line whose result the author's tools put there."""
# the typographer would make signs of them; escaped, they stay
_LETTER_SIGN = re.compile(r"(?<!\\)\((?=(?:c|r|tm|p)\))", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$|(`+)[^`].*?\2", re.DOTALL | re.MULTILINE)


def read_markdown(text: str) -> ParsedSource:
    """Blocks of CommonMark with tables; the first heading of level 1, alone, is the title.

    Raises ``UnreadableSource`` for slides.
    """
    title = ""
    front = _FRONT.match(text)
    if front:
        if _is_slides(front[1]):
            reason = tr("It is a poster, slides or a curriculum vitae, not an article.")
            raise UnreadableSource(reason)
        said = _FRONT_TITLE.search(front[1])
        title = (
            " ".join("".join(filter(None, said.group("lines", "quoted", "plain"))).split())
            if said
            else ""
        )
        text = text[front.end() :]
    identifier, version = identifier_in_stamp(text[:2000])
    tokens = _parser().parse(_prepared(text.translate(MARKS)))
    blocks = list(_blocks(tokens))
    tops = [block for block in blocks if block.kind == "heading" and block.level == 1]
    if not title and len(tops) == 1 and blocks[0] is tops[0]:
        title = tops[0].text
        blocks = blocks[1:]
    return ParsedSource(title, tuple(blocks), article_id=identifier, version=version)


def _is_slides(front: str) -> bool:
    """Whether the front matter asks for slides, and for no document."""
    formats = " ".join(match[0] for match in _FORMAT.finditer(front))
    return _SLIDES.search(formats) is not None and not _DOCUMENT.search(formats)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "typographer": True})
    return parser.enable(["table", "replacements", "smartquotes"])


def _prepared(text: str) -> str:
    """The text without what is not prose; code is left as it is."""
    out: list[str] = []
    position = 0
    for fence in _FENCE.finditer(text):
        out += [_cleaned(text[position : fence.start()]), fence[0]]
        position = fence.end()
    out.append(_cleaned(text[position:]))
    return "".join(out)


def _cleaned(text: str) -> str:
    text = _FOOTNOTE_TEXT.sub("", _COMMENT.sub("", text))
    text = _LETTER_SIGN.sub(r"\\(", _NOTE.sub("", _FOOTNOTE.sub("", text)))
    text = _CITES.sub(_citation, text)
    text = _CROSS.sub(reference(""), _TEXT_CITE.sub(citation_mark("textual"), text))
    text = _BARE_CITE.sub(citation_mark("either"), text)
    text = _BRACKETED_DISPLAY.sub(lambda m: f"\n$${m[2]}$$\n", text)
    text = _BRACKETED.sub(_maths_or_brackets, text)
    text = _DISPLAY.sub(lambda m: f"\n\n    $${_escaped(display_maths(m[1]))}$$\n\n", text)
    text = with_plurals(text)
    text = _INLINE.sub(lambda m: _escaped(inline_maths(m[1])), text)
    text = _RAISED.sub(lambda m: superscript(m[1]), text)
    text = _LOWERED.sub(lambda m: subscript(m[1]), text)
    return _ATTRIBUTES.sub("", _UNBROKEN.sub(" ", text))


def _maths_or_brackets(match: re.Match[str]) -> str:
    return f"${match[2]}$" if _LIKE_MATHS.search(match[2]) else match[0]


def _escaped(maths: str) -> str:
    return _PUNCTUATION.sub(r"\\\g<0>", maths)


def _citation(match: re.Match[str]) -> str:
    return f"{match['space']}{citation_mark('parenthetical')}"


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    kinds: list[Kind] = ["text"]
    level = 1
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1:])
            kinds.append("heading")
        elif token.type in _OPEN:
            kinds.append(_OPEN[token.type])
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            if kinds[-1] == "table" and rows:
                rows[-1].append(_inline(token))
            else:
                yield from _inline_blocks(token, kinds[-1], level)
        elif token.type == "code_block" and _PAGE_PART.match(token.content):
            yield from _page_blocks(token.content)
        elif token.type in ("fence", "code_block"):
            formula = re.fullmatch(r"\s*\$\$(.*)\$\$\s*", token.content, re.DOTALL)
            text = _ESCAPED.sub(r"\1", formula[1]) if formula else token.content
            yield Block(text, "formula" if formula else "code")
        elif token.type == "html_block":
            yield from _page_blocks(token.content)
        if token.type == "table_close":
            yield Block("\n".join(" | ".join(row) for row in rows), "table")
            rows = []
        if token.type in _CLOSE and len(kinds) > 1:
            kinds.pop()


def _page_blocks(content: str) -> Iterator[Block]:
    """The blocks of HTML that stands by itself in Markdown."""
    if not has_marks(content):
        try:
            yield from read_html(content).blocks
            return
        except UnreadableSource:
            pass  # as a comment, or a tag that is opened here and closed further down
    if text := _TAG.sub(" ", content).strip():
        yield Block(text)


_OPEN: dict[str, Kind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "table_open": "table",
}
_CLOSE = frozenset(
    {"heading_close", "bullet_list_close", "ordered_list_close", "blockquote_close", "table_close"}
)


def _inline_blocks(token: Token, kind: Kind, level: int) -> Iterator[Block]:
    children = token.children or []
    images = [child for child in children if child.type == "image"]
    visible = [c for c in children if c.type not in ("image", "softbreak", "html_inline")]
    if images and not any(child.content.strip() for child in visible):
        # a picture alone in its paragraph: pandoc prints its description as the caption
        for image in images:
            yield Block(_TAG.sub("", image.content), "caption")
        return
    yield Block(_inline(token), kind, level)


def _inline(token: Token) -> str:
    parts: list[str] = []
    shift, start = None, 0
    for child in token.children or []:
        tag = child.content.lower().strip() if child.type == "html_inline" else ""
        if tag in ("<sup>", "<sub>"):
            shift, start = (superscript if tag == "<sup>" else subscript), len(parts)
        elif tag in ("</sup>", "</sub>") and shift is not None:
            parts[start:] = [shift("".join(parts[start:]))]
            shift = None
        elif child.type == "code_inline" and _COMPUTED.match(child.content):
            parts.append(loss_mark())
        elif child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
    return "".join(parts)
