"""From pandoc's syntax tree to blocks; the nodes are those of pandoc-types."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.sources.articles.article import Block, Kind, in_one_line
from core.sources.articles.prose.citations import citation_mark, loss_mark, reference
from core.sources.articles.prose.maths import display_maths, inline_maths
from core.sources.articles.prose.page_kinds import is_section_of_an_article
from core.sources.articles.prose.scripts import small_capitals, subscript, superscript

_BLANK = frozenset({"Space", "SoftBreak", "LineBreak"})
_FACES = frozenset({"Strong", "Emph", "SmallCaps", "Underline"})
_LONGEST_RUN_IN, _RUN_IN = 90, 4
"""Characters of a heading in the line or of a line in bold type, and its level."""
_STOPS = ".?!;,。！？；，"
_QUOTES = {"SingleQuote": "‘’", "DoubleQuote": "“”"}


@dataclass
class TreeReader:
    """Blocks of one tree; ``acronyms`` has the short and the long form of ``\\gls{key}``."""

    acronyms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)

    def read(self, nodes: list[Any]) -> list[Block]:
        """The blocks of a list of block nodes, in order."""
        self._walk(nodes, "text")
        return self.blocks

    def read_tree(self, tree: Mapping[str, Any]) -> list[Block]:
        """The blocks of a whole tree: its abstract, which pandoc has among the metadata, first."""
        abstract = tree.get("meta", {}).get("abstract", {})
        nodes: list[Any] = []
        if abstract.get("t") == "MetaBlocks":
            nodes = abstract["c"]
        elif abstract.get("t") == "MetaInlines":
            nodes = [{"t": "Para", "c": abstract["c"]}]
        if nodes and nodes[0]["t"] != "Header":
            self._add("Abstract", "heading")
        return self.read([*nodes, *tree.get("blocks", ())])

    def title(self, tree: Mapping[str, Any]) -> str:
        """The document's title, empty when it has none."""
        value = tree.get("meta", {}).get("title", {})
        if value.get("t") == "MetaInlines":
            return " ".join(self.inline(value["c"]).split())
        return str(value.get("c", "")) if value.get("t") == "MetaString" else ""

    def _walk(self, nodes: list[Any], kind: Kind) -> None:
        for node in nodes:
            handler = _BLOCKS.get(node["t"])
            if handler is not None:
                handler(self, node.get("c"), kind)

    def _add(self, text: str, kind: Kind, level: int = 1) -> None:
        if text.strip():
            self.blocks.append(Block(in_one_line(text), kind, level))

    def _paragraph(self, content: Any, kind: Kind) -> None:
        parts: list[str] = []
        if kind == "text" and (heading := self._bold_line(content)):
            self._add(heading, "heading", 1 if is_section_of_an_article(heading) else _RUN_IN)
            return
        content = self._after_run_in(content, kind)
        for node in content:
            if node["t"] == "Math" and node["c"][0]["t"] == "DisplayMath":
                self._add("".join(parts), kind)
                self._add(display_maths(node["c"][1]), "formula")
                parts = []
            else:
                parts.append(self.inline([node]))
        self._add("".join(parts), kind)

    def _bold_line(self, content: Any) -> str:
        """What a paragraph says that is set in bold type and ends no sentence; else empty."""
        nodes = [node for node in content if node["t"] not in _BLANK]
        while len(nodes) == 1 and nodes[0]["t"] in ("Emph", "Underline"):
            nodes = nodes[0]["c"]
        if not nodes or any(node["t"] != "Strong" for node in nodes):
            return ""
        title = " ".join(self.inline(content).split()).rstrip(":")
        is_line = 2 <= len(title) <= _LONGEST_RUN_IN and not title.endswith(tuple(_STOPS))
        return title if is_line else ""

    def _after_run_in(self, content: Any, kind: Kind) -> Any:
        """The paragraph without its run-in heading, such as ``**Results.** We found``."""
        index = next((i for i, node in enumerate(content) if node["t"] not in _BLANK), None)
        if kind == "text" and index is not None and content[index]["t"] in _FACES:
            title = self.inline([content[index]]).strip()
            following = content[index + 1 :]
            bold = content[index]["t"] == "Strong" and title[:1].isupper()
            if bold and (colon := _colon_of(following)):
                title, following = title + ":", following[colon:]
            if following and title.endswith((".", ":")) and 2 <= len(title) <= _LONGEST_RUN_IN:
                self._add(title.rstrip(".:"), "heading", _RUN_IN)
                return following
        return content

    def _header(self, content: Any, _: Kind) -> None:
        level, _attributes, inlines = content
        self._add(self.inline(inlines).strip().rstrip("."), "heading", level)

    def _code(self, content: Any, _: Kind) -> None:
        self.blocks.append(Block(content[1], "code"))

    def _quote(self, content: Any, _: Kind) -> None:
        self._walk(content, "quote")

    def _items(self, content: Any, _: Kind) -> None:
        for item in content:
            self._walk(item, "list")

    def _ordered(self, content: Any, kind: Kind) -> None:
        self._items(content[1], kind)

    def _definitions(self, content: Any, _: Kind) -> None:
        for term, definitions in content:
            self._add(self.inline(term), "list")
            for definition in definitions:
                self._walk(definition, "list")

    def _lines(self, content: Any, kind: Kind) -> None:
        self._add(" ".join(map(self.inline, content)), "quote" if kind == "text" else kind)

    def _figure(self, content: Any, _: Kind) -> None:
        self._walk(content[1][1], "caption")

    def _table(self, content: Any, _: Kind) -> None:
        self._walk(content[1][1], "caption")
        head, bodies, foot = content[3], content[4], content[5]
        rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
        lines = (" | ".join(map(self._cell, cells)) for _, cells in rows)
        text = "\n".join(line for line in lines if line.strip(" |"))
        if text:
            self.blocks.append(Block(text, "table"))

    def _cell(self, cell: Any) -> str:
        inner = TreeReader(self.acronyms)
        return " ".join(" ".join(block.text.split()) for block in inner.read(cell[4]))

    def _div(self, content: Any, kind: Kind) -> None:
        (_, classes, attributes), nodes = content
        if "title" in classes and kind == "text":
            return
        if style := dict(attributes).get("custom-style"):
            self._styled(style, nodes, kind)
            return
        for name in classes:
            if name.lower() in _SECTIONS:
                self._add(name.capitalize(), "heading")
        inner: Kind = "reference" if "references" in classes else kind
        self._walk(self._without_label(nodes), inner)

    def _without_label(self, nodes: Any) -> Any:
        """What a theorem or the like says, without the *Lemma 3 (Baker).* that stands before it."""
        first = nodes[0] if nodes else {}
        inlines = first.get("c") if first.get("t") == "Para" else None
        if not inlines or inlines[0]["t"] != "Strong":
            return nodes
        if not _THEOREM.fullmatch(self.inline([inlines[0]])):
            return nodes
        words = [self.inline([node]).strip() for node in inlines]
        named = len(words) > 2 and words[2].startswith("(")
        end = next((i for i, word in enumerate(words) if word.endswith(")." if named else ".")), 0)
        return [{"t": "Para", "c": inlines[end + 1 :]}, *nodes[1:]] if end else nodes

    def _styled(self, style: str, nodes: Any, kind: Kind) -> None:
        """Paragraphs of a word processor, whose style may say what they are."""
        if heading := _HEADING_STYLE.search(style):
            text = " ".join(self.inline(n["c"]) for n in nodes if n["t"] in ("Para", "Plain"))
            self._add(text.strip().rstrip("."), "heading", int(heading[1] or 0) + 1)
            return
        told = next((k for k, names in _STYLES if names.search(style)), kind)
        self._walk(nodes, told if kind == "text" else kind)

    # --- inlines ----------------------------------------------------------------------------

    def inline(self, nodes: list[Any]) -> str:
        """The text of inline nodes in one line, with marks for citations and references."""
        return "".join(self._inline(nodes))

    def _inline(self, nodes: list[Any]) -> Iterator[str]:
        for node in nodes:
            handler = _INLINES.get(node["t"])
            if handler is not None:
                yield handler(self, node.get("c"))

    def _quoted(self, content: Any) -> str:
        opening, closing = tuple(_QUOTES[content[0]["t"]])
        return f"{opening}{self.inline(content[1])}{closing}"

    def _cite(self, content: Any) -> str:
        citations, shown = content
        words = "" if any(node["t"] == "RawInline" for node in shown) else self.inline(shown)
        said = words
        for citation in citations:
            said = said.replace(citation["citationId"], "")
        if not _LETTER.search(said):
            words = ""  # a key or a number says nothing to a reader
        textual = any(c["citationMode"]["t"] == "AuthorInText" for c in citations)
        return citation_mark(
            "textual" if textual else "either", words.strip(), words.strip(" ()[]")
        )

    def _link(self, content: Any) -> str:
        (_, _, attributes), inlines, (target, _) = content
        if any(name == "reference" for name, _ in attributes):
            return reference("")
        if _CITING_LINK.match(target):
            return citation_mark("either")
        return self.inline(inlines)

    def _code_inline(self, content: Any) -> str:
        """Code; of reStructuredText also the roles that pandoc does not know."""
        (_, classes, attributes), text = content
        if "interpreted-text" not in classes:
            return str(text)
        role = dict(attributes).get("role", "")
        if role in _LABEL_ROLES:
            return reference("")
        if role.partition(":")[0] in _CITING_ROLES:
            return citation_mark("textual" if role.endswith(":t") else "either")
        said = _ROLE_TARGET.sub("", str(text)).strip()
        return said.rpartition(".")[2] if said.startswith("~") else said

    def _span(self, content: Any) -> str:
        (_, classes, attributes), inlines = content
        if "spurious-link" in classes:
            return reference("")  # of Org: to a figure, a section or a line of code
        known = dict(attributes)
        if "acronym-label" in known:
            return self._acronym(known["acronym-label"], known.get("acronym-form", ""))
        return self.inline(inlines)

    def _acronym(self, label: str, form: str) -> str:
        short, long = self.acronyms.get(label, ("", ""))
        text = f"{long} ({short})" if "full" in form else long if "long" in form else short
        return (text + "s" if "plural" in form else text) if text else loss_mark()

    def _raw(self, content: Any) -> str:
        raised = content[1].lower().startswith(("<sup", "<sub"))
        return loss_mark() if raised or content[0] in ("latex", "tex") else ""


def _colon_of(nodes: list[Any]) -> int:
    """How many nodes at the beginning are the colon or full stop that ends a heading."""
    for count, node in enumerate(nodes[:2], 1):
        if node["t"] == "Str" and node["c"] in (":", "."):
            return count
        if node["t"] not in _BLANK:
            break
    return 0


_LETTER = re.compile(r"[^\W\d_]")
_THEOREM = re.compile(r"[^\d.]{2,40}[ \n]\d+(?:\.\d+)*")
"""What pandoc begins an environment with that ``\\newtheorem`` made."""
_CITING_LINK = re.compile(r"(?:cite|citep|citet|citealp|autocite|parencite|textcite|footcite)\w*:")
_LABEL_ROLES = frozenset({"eq", "ref", "numref", "math:numref", "prf:ref", "doc"})
_CITING_ROLES = frozenset({"cite", "citep", "citet", "footcite", "footfullcite", "citealp"})
_ROLE_TARGET = re.compile(r"\s*<[^<>]*>\s*$")
_SECTIONS = frozenset(
    {"abstract", "acknowledgments", "acknowledgements", "acknowledgment", "acknowledgement",
     "acks", "ack", "funding"}
)  # fmt: skip
_HEADING_STYLE = re.compile(r"head(?:ing|er)[ _-]?(\d)|(?:^|[\d_ ])title$", re.IGNORECASE)
_STYLES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("table", re.compile(r"table[ _-]?(?:body|content|text|cell)", re.IGNORECASE)),
    ("caption", re.compile(r"caption|legend|figure|table", re.IGNORECASE)),
    ("reference", re.compile(r"bibliography|reference|works cited", re.IGNORECASE)),
    ("code", re.compile(r"source ?code|verbatim|html ?preformatted", re.IGNORECASE)),
    ("quote", re.compile(r"quote|block ?text|epigraph", re.IGNORECASE)),
    (
        "back_matter",
        re.compile(
            r"back[ _-]?matter|affiliation|author|history|copyright|keyword|acknowledg|editor"
            r"|citation|correspond|funding|foot(?:note|er)|biograph|abbreviation|address|toc",
            re.IGNORECASE,
        ),
    ),
)
"""Kinds of paragraphs and what the names of their styles have in them."""
_BLOCKS: Mapping[str, Callable[[TreeReader, Any, Kind], None]] = {
    "Para": TreeReader._paragraph,
    "Plain": TreeReader._paragraph,
    "Header": TreeReader._header,
    "CodeBlock": TreeReader._code,
    "BlockQuote": TreeReader._quote,
    "BulletList": TreeReader._items,
    "OrderedList": TreeReader._ordered,
    "DefinitionList": TreeReader._definitions,
    "LineBlock": TreeReader._lines,
    "Figure": TreeReader._figure,
    "Table": TreeReader._table,
    "Div": TreeReader._div,
}
_INLINES: Mapping[str, Callable[[TreeReader, Any], str]] = {
    "Str": lambda _, content: str(content).replace("\xa0", " "),
    "Space": lambda *_: " ",
    "SoftBreak": lambda *_: "\n",
    "LineBreak": lambda *_: "\n",
    "Emph": lambda reader, content: reader.inline(content),
    "Strong": lambda reader, content: reader.inline(content),
    "Underline": lambda reader, content: reader.inline(content),
    "Strikeout": lambda *_: "",
    "SmallCaps": lambda reader, content: small_capitals(reader.inline(content)),
    "Superscript": lambda reader, content: superscript(reader.inline(content)),
    "Subscript": lambda reader, content: subscript(reader.inline(content)),
    "Quoted": TreeReader._quoted,
    "Cite": TreeReader._cite,
    "Code": TreeReader._code_inline,
    "Math": lambda _, content: inline_maths(content[1]),
    "Link": TreeReader._link,
    "Span": TreeReader._span,
    "RawInline": TreeReader._raw,
}
"""Notes and images leave no trace in the line."""
