"""HTML: what LaTeXML makes for arXiv, and ordinary pages with headings and paragraphs."""

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from core.sources.articles.article import Block, Kind, ParsedSource
from core.sources.articles.html_maths import tex_of, undraw
from core.sources.articles.identifiers import identifier_in_text
from core.sources.articles.prose.citations import MARKS, citation_mark, loss_mark
from core.sources.articles.prose.maths import display_maths, inline_maths
from core.sources.articles.prose.scripts import small_capitals, subscript, superscript
from core.sources.limits import UnreadableSource

_DROPPED_TAGS = frozenset(
    {"script", "style", "nav", "header", "footer", "noscript", "template", "svg", "button",
     "form", "iframe", "aside", "d-footnote", "dt-fn", "d-bibliography", "dt-byline", "d-byline",
     "d-appendix", "dt-appendix", "d-toc", "head", "select", "object", "audio", "video",
     "annotation"}
)  # fmt: skip
_DROPPED_CLASSES = frozenset(
    {"ltx_authors", "ltx_bibliography", "ltx_note", "ltx_tag", "ltx_page_navbar", "ltx_dates",
     "ltx_page_footer", "ltx_role_footnote", "ltx_keywords", "ltx_classification", "ltx_TOC",
     "ltx_ERROR", "ltx_pagination", "ltx_rule", "ltx_acknowledgement_hidden", "package-alerts",
     "ltx_page_logo", "ltx_creator_before", "ltx_subfigure_hidden", "sr-only"}
)  # fmt: skip
_FORMULA_CLASSES = frozenset({"ltx_equation", "ltx_equationgroup", "ltx_eqn_table"})
_TABLE_CLASSES = frozenset({"ltx_tabular"})
_SMALL_CAPITALS = frozenset({"ltx_font_smallcaps", "smallcaps"})  # LaTeXML's, and pandoc's
_CODE_CLASSES = frozenset({"ltx_listing", "ltx_lstlisting", "ltx_verbatim", "ltx_algorithm"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TITLE_LEVELS = {
    "ltx_title_part": 1, "ltx_title_chapter": 1, "ltx_title_section": 1, "ltx_title_appendix": 1,
    "ltx_title_abstract": 1, "ltx_title_subsection": 2, "ltx_title_subsubsection": 3,
    "ltx_title_paragraph": 4, "ltx_title_subparagraph": 5,
}  # fmt: skip
_PARAGRAPHS = frozenset({"p", "dd", "dt"})
_STAMP = re.compile(r"arXiv:\S+\s+\[(?P<category>[\w.-]+)\]\s+(?P<day>\d{1,2} \w{3} \d{4})")
_DEPTH = 250
_GENERATORS = re.compile(
    r"pdoc|doxygen|sphinx|javadoc|jsdoc|typedoc|rustdoc|mkdocs|docusaurus|vitepress|mdbook"
    r"|documenter|pkgdown|yard|godoc|swagger|redoc",
    re.IGNORECASE,
)
"""Tools that make pages of a program's documentation, as such a page names them."""
_SLIDES = frozenset({"reveal", "remark-slide", "slidy", "io2012", "shower", "deck-container"})


_CITATIONS = frozenset({"cite", "d-cite", "dt-cite"})
_CITATION_CLASSES = frozenset({"ltx_cite", "citation"})  # LaTeXML's, and pandoc's
_DATED = re.compile(r"\d|\bn\.\s?d\b|\bpress\b|\bforthcoming\b", re.IGNORECASE)
_REFERENCE_NUMBER = re.compile(r"\s*\[\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\s*\]\s*")
_KEY = r"[^\W\d_][\w:.+/-]*"
_KEYS = re.compile(rf"{_KEY}\d[\w:.+/-]*(?:\s*[;,]\s*{_KEY})*|{_KEY}(?:[_:]{_KEY})+")
"""Keys of a bibliography that was not at hand: ``hogg2010fit; rix_bovy``."""
_FORMULA = re.compile(r"\$[^$]{1,500}\$")
_LONG_TAG = re.compile(r"<[A-Za-z][^<>]{30000,}")
_ATTRIBUTES = 5000
"""Of one element: the parser's time grows with the square of their number."""


def looks_like_html(text: str) -> bool:
    """Does it start like HTML or XHTML?"""
    start = text[:2000].lstrip("\ufeff \t\r\n").lower()
    return start.startswith(("<!doctype html", "<html")) or (
        start.startswith(("<?xml", "<!--", "<article", "<body"))
        and "<" in start[5:]
        and any(mark in text[:20_000].lower() for mark in ("<html", "<p", "<section", "ltx_"))
    )


def read_html(text: str) -> ParsedSource:
    """Title, sections, paragraphs, lists, captions, tables and formulas of one page.

    Raises ``UnreadableSource`` when no element can be made of it, and for pages of a program's
    documentation and slides.
    """
    from lxml import etree, html

    if any(tag[0].count("=") > _ATTRIBUTES for tag in _LONG_TAG.finditer(text)):
        raise UnreadableSource.tr("One of its elements has too many attributes.")
    # a declaration of an encoding is of no use in text that is already decoded
    bare = re.sub(r"^\s*<\?xml[^>]*\?>", "", text).translate(MARKS)
    parser = html.HTMLParser(huge_tree=False, no_network=True, remove_comments=True)
    try:
        root = html.document_fromstring(bare, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableSource.tr("Could not parse the HTML: {error}.", error=error) from error
    _refuse_other_pages(root)
    undraw(root)
    stamp = _stamp(root)
    article = root.find(".//article")
    start = article if article is not None else root
    page = _Page()
    page.walk(start, "text", 0)
    page.flush("text")
    head = root.findtext(".//title") or ""
    identifier, version, categories, submitted = stamp
    return ParsedSource(
        title=page.title or re.sub(r"^\[[\w./-]+\]\s*", "", " ".join(head.split())),
        blocks=tuple(page.blocks),
        article_id=identifier,
        version=version,
        categories=categories,
        submitted=submitted,
    )


def _refuse_other_pages(root: Any) -> None:
    made_by = " ".join(
        meta.get("content", "") for meta in root.findall(".//meta[@name='generator']")
    )
    manual = root.find(".//link[@href='genindex.html']") is not None
    if manual or _GENERATORS.search(made_by):
        raise UnreadableSource.tr("It is documentation, not an article.")
    parts = [root.find(".//body"), *root.findall(".//body/div")]
    if any(_SLIDES.intersection((p.get("class") or "").split()) for p in parts if p is not None):
        raise UnreadableSource.tr("It is a poster, slides or a curriculum vitae, not an article.")


def _stamp(root: Any) -> tuple[str, str, tuple[str, ...], date | None]:
    """Identifier, version, category and day as arXiv prints them on the page's margin."""
    watermark = root.find(".//*[@id='watermark-tr']")
    source = " ".join(watermark.itertext()) if watermark is not None else ""
    if not source:
        meta = root.find(".//meta[@name='citation_arxiv_id']")
        link = root.find(".//link[@rel='canonical']")
        if meta is not None:
            source = f"arXiv:{meta.get('content', '')}"
        elif link is not None and "arxiv.org/" in (link.get("href") or ""):
            source = "arXiv:" + re.sub(r"^.*arxiv\.org/\w+/", "", link.get("href"))
    identifier, version = identifier_in_text(source)
    match = _STAMP.search(" ".join(source.split()))
    if not match:
        return identifier, version, (), None
    submitted = None
    if version in ("", "v1"):
        try:
            submitted = datetime.strptime(match["day"] + " +0000", "%d %b %Y %z").date()
        except ValueError:  # a day that is not a date: then it is unknown, as without a stamp
            submitted = None
    return identifier, version, (match["category"],), submitted


class _Page:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.title = ""
        self.buffer: list[str] = []

    def flush(self, kind: Kind, level: int = 1) -> None:
        text = "".join(self.buffer).replace("\xa0", " ").strip()
        self.buffer.clear()
        if text:
            self.blocks.append(Block(text, kind, level))

    def walk(self, node: Any, kind: Kind, depth: int) -> None:
        """One element and what is in it; deeper than 250 levels, its text is taken flat."""
        if not isinstance(node.tag, str):
            return
        classes = frozenset((node.get("class") or "").split())
        if node.tag in _DROPPED_TAGS or classes & _DROPPED_CLASSES:
            return
        if depth > _DEPTH:
            self.buffer.append(" ".join(node.itertext()))
            return
        special = self._special(node, classes, kind)
        if special:
            return
        inner = _kind_of(node.tag, classes, kind)
        block = node.tag in _PARAGRAPHS or node.tag in _BLOCKS
        if block:
            self.flush(kind)
        self.buffer.append(node.text or "")
        for child in node:
            self.walk(child, inner, depth + 1)
            self.buffer.append(child.tail or "")
        if block:
            self.flush(inner)

    def _special(self, node: Any, classes: frozenset[str], kind: Kind) -> bool:
        """Elements that are read as a whole."""
        if node.tag in ("math", "img"):
            self._formula(node, kind)
        elif node.tag == "sup" and _is_note(node):
            self.buffer.append(citation_mark("parenthetical"))
        elif node.tag in ("sup", "sub") or (classes & _SMALL_CAPITALS and not len(node)):
            self.buffer.append(_flat(node))
        elif node.tag == "a" and _shows_a_key(node):
            self.buffer.append(citation_mark("either"))
        elif node.tag == "br":
            self.buffer.append("\n")
        elif node.tag in _CITATIONS or classes & _CITATION_CLASSES:
            self._cite(node)
        elif node.tag in _HEADINGS:
            self._heading(node, classes, kind)
        elif classes & _FORMULA_CLASSES:
            self.flush(kind)
            formulas = [display_maths(tex_of(maths)) for maths in node.iter("math")]
            self.blocks.append(Block(" ".join(filter(None, formulas)), "formula"))
        elif classes & _TABLE_CLASSES or (node.tag == "table" and not classes & _FORMULA_CLASSES):
            self.flush(kind)
            self.blocks.append(Block("\n".join(_rows(node)), "table"))
        elif node.tag in ("figcaption", "caption"):
            self.flush(kind)
            self.blocks.append(Block(_flat(node), "caption"))
        elif node.tag == "pre" or classes & _CODE_CLASSES:
            self.flush(kind)
            self.blocks.append(Block("".join(node.itertext()), "code"))
        else:
            return False
        return True

    def _heading(self, node: Any, classes: frozenset[str], kind: Kind) -> None:
        self.flush(kind)
        text = _flat(node)
        levels = [level for name, level in _TITLE_LEVELS.items() if name in classes]
        if "ltx_title_document" in classes or (node.tag == "h1" and not levels and not self.title):
            self.title = self.title or text
        elif text:
            level = levels[0] if levels else max(1, int(node.tag[1]) - 1)
            self.blocks.append(Block(text.rstrip("."), "heading", level))

    def _formula(self, node: Any, kind: Kind) -> None:
        """A formula; an image within a line is one of a page that has none."""
        if node.get("display") == "block":
            self.flush(kind)
            self.blocks.append(Block(display_maths(tex_of(node)), "formula"))
        elif node.tag == "math":
            plural = "'" if (node.tail or "").startswith("s ") else ""
            maths = inline_maths(tex_of(node))
            self.buffer.append(maths + (plural if len(maths) == 1 else ""))
        elif _FORMULA.fullmatch(node.get("alt") or ""):
            self.buffer.append(inline_maths(node.get("alt").strip("$")))
        elif (node.tail or "").strip() and "".join(self.buffer).strip():
            # beside such an image stands the mathematics that it is for
            self.buffer.append("" if "fallback" in (node.get("class") or "") else loss_mark())

    def _cite(self, node: Any) -> None:
        text = _flat(node)
        if not text:  # an element of which a script makes the citation
            self.buffer.append(citation_mark("either"))
            return
        bracketed = re.fullmatch(r"[(\[]\s*(.*?)\s*[)\]]", text)
        missing = any("ltx_missing" in (n.get("class") or "") for n in node.iter())
        if missing or _KEYS.fullmatch(text):
            self.buffer.append(citation_mark("parenthetical" if bracketed else "either"))
        elif not re.search(r"[^\W\d_]{2}", text):  # numbers only
            self.buffer.append(citation_mark("parenthetical"))
        elif bracketed:
            self.buffer.append(citation_mark("parenthetical", "", bracketed[1]))
        elif _is_of_pandoc(node) and not _DATED.search(text):  # names of which the year is gone
            self.buffer.append(f"{text}{loss_mark()}")
        else:
            self.buffer.append(citation_mark("textual", text))


def _is_of_pandoc(citation: Any) -> bool:
    return "citation" in (citation.get("class") or "").split()


def _is_note(raised: Any) -> bool:
    """Whether something raised leads to a note or to a reference, and is not an exponent."""
    text = "".join(raised.itertext())
    links = raised.findall(".//a")
    leads = bool(links) and all((link.get("href") or "").startswith("#") for link in links)
    return _REFERENCE_NUMBER.fullmatch(text) is not None or (leads and len(text.strip()) < 12)


def _shows_a_key(link: Any) -> bool:
    """Whether a link to a place of the page shows that place's name: the key of a reference."""
    href, text = link.get("href") or "", "".join(link.itertext()).strip()
    return href.startswith("#") and len(text) > 3 and href[1:].endswith(text) and " " not in text


_BLOCKS = frozenset(
    {"div", "section", "article", "main", "body", "html", "ul", "ol", "li", "dl", "blockquote",
     "figure", "details", "center"}
)  # fmt: skip


def _kind_of(tag: str, classes: frozenset[str], kind: Kind) -> Kind:
    if tag in ("ul", "ol", "dl") or "ltx_item" in classes:
        return "list"
    if tag == "blockquote" or "ltx_quote" in classes:
        return "quote"
    return kind


def _flat(node: Any) -> str:
    """Text of an element in one line, without tags such as section numbers and notes."""
    return " ".join("".join(_pieces(node)).split())


def _pieces(node: Any, depth: int = 0) -> Iterator[str]:
    if not isinstance(node.tag, str) or depth > _DEPTH:
        return
    classes = frozenset((node.get("class") or "").split())
    if node.tag in _DROPPED_TAGS or classes & (_DROPPED_CLASSES - {"ltx_tag"}):
        return
    if "ltx_tag" in classes:
        return
    if node.tag == "math":
        yield inline_maths(tex_of(node))
        return
    if node.tag in ("sup", "sub"):
        shift = superscript if node.tag == "sup" else subscript
        yield shift("".join(_inner(node, depth)))
        return
    if classes & _SMALL_CAPITALS:
        yield small_capitals("".join(_inner(node, depth)))
        return
    yield from _inner(node, depth)


def _inner(node: Any, depth: int) -> Iterator[str]:
    yield node.text or ""
    for child in node:
        yield from _pieces(child, depth + 1)
        yield child.tail or ""


def _rows(table: Any) -> Iterator[str]:
    rows = [n for n in table.iter() if n.tag == "tr" or "ltx_tr" in (n.get("class") or "").split()]
    for row in rows:
        cells = [_flat(cell) for cell in row]
        if any(cells):
            yield " | ".join(cells)
