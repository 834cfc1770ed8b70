"""One pass over a document body that keeps its prose, block by block."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.sources.articles.article import Block, Kind
from core.sources.articles.latex import commands
from core.sources.articles.latex.scan import braces, group, option, skip_blank
from core.sources.articles.prose.citations import (
    CitationForm,
    bracketed_words,
    citation_mark,
    loss_mark,
    names_of,
    reference,
    textual_words,
)
from core.sources.articles.prose.maths import display_maths, inline_maths
from core.sources.articles.prose.scripts import small_capitals, subscript, superscript
from core.sources.articles.prose.symbols import ACCENTS, CHARACTERS, ESCAPED, MATHS, accented

_TOKEN = re.compile(
    r"(?P<text>[^\\{}$~\n&]+)|\\(?P<word>[a-zA-Z@]+)\*?|\\(?P<sign>.)|(?P<par>\n[ \t]*\n\s*)"
    r"|(?P<brace>[{}])|(?P<dollar>\$\$?)|(?P<other>[~\n&\\])",
    re.DOTALL,
)
_COLON, _BOLD = re.compile(r"\s?:(?=\s)|\.(?=\s+[A-ZÀ-Þ])"), ("textbf", "bf", "bfseries")
_DOLLAR_END = re.compile(r"\\.|(?P<end>\$)|(?P<par>\n[ \t]*\n)", re.DOTALL)
_SPACE_BELOW = re.compile(r"\s+\[\s*-?[\d.]+\s*(?:pt|cm|mm|em|ex|in|\\[a-z]+)\s*\]")
_NAME = re.compile(r"\b[A-ZÀ-Þ][^\W\d_][\w’'-]*$|\bal\.$")
_SKIP = re.compile(r"[ \t]*=?[ \t]*-?[\d.]+\s*(?:pt|cm|mm|em|ex|in|\\[a-z]+)(?:\s*(?:plus|minus)\s*"
                   r"[\d.]+\s*[a-z]+)*")  # fmt: skip
_DIMENSIONS = frozenset({"vskip", "hskip", "kern", "parindent", "parskip", "baselineskip", "vglue"})
_CHINESE_SPACE = re.compile(r"(?<=[\u3001-\u303f\u3400-\u9fff]) (?=[\u3001-\u303f\u3400-\u9fff])")
"""What TeX leaves out between Chinese characters, such as the end of a line."""
_QUOTED = re.compile(r"‘([^‘’'\n]{1,300})'(?![a-z])")
_CHAPTER = re.compile(r"\\chapter\*?\s*[\[{]")
_NESTED = 40
_SHORT = 60
"""Characters of a source that may be an acronym."""

Env = tuple[str, Kind | None]
"""Name of an open environment and the kind of its text; None discards it (figures)."""


@dataclass
class Context:
    """What one document's rendering shares."""

    text: str
    labels: Mapping[str, tuple[str, str]]
    cites: Mapping[str, tuple[str, str]]
    stash: list[str]
    acronyms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    closing: dict[int, int] = field(default_factory=dict)
    unclosed: set[str] = field(default_factory=set)
    title: str = ""
    arguments: Mapping[str, int] = field(default_factory=lambda: commands.ARGUMENTS)
    """How many arguments follow the beginning of an environment and are no text."""
    chaptered: bool = False
    """Whether its sections are parts of chapters, a level below."""

    def __post_init__(self) -> None:
        self.closing = braces(self.text)
        self.chaptered = _CHAPTER.search(self.text) is not None


_NAMED = (
    "Figure", "Figures", "Fig", "Figs", "Table", "Tables", "Tab", "Section", "Sections", "Sec",
    "Appendix", "Theorem", "Lemma", "Algorithm", "Chapter", "Eq", "Equation",
)  # fmt: skip


class Renderer:
    """Blocks of a range of the context's text."""

    def __init__(self, context: Context, depth: int = 0, *, table: bool = False) -> None:
        self.context = context
        self.text = context.text
        self.blocks: list[Block] = []
        self.depth = depth
        self.table = table
        self.buffer: list[str] = []
        self.open: list[Env] = []
        self.position = 0
        self.end = 0

    def run(self, start: int, end: int) -> list[Block]:
        """Render ``text[start:end]``; linear in its length."""
        self.position, self.end = start, end
        while self.position < self.end:
            match = _TOKEN.match(self.text, self.position, self.end)
            if match is None:
                break
            self.position = match.end()
            kind = match.lastgroup or "text"
            _TOKENS[kind](self, match[kind])
        self.flush()
        return self.blocks

    def inline(self, start: int, end: int) -> str:
        """Text of a range, its blocks joined by spaces; beyond 40 levels the range is dropped."""
        if self.depth >= _NESTED:
            return ""
        inner = Renderer(self.context, self.depth + 1, table=self.table)
        return " ".join(block.text for block in inner.run(start, end))

    def flush(self, kind: Kind | None = None) -> None:
        """End the paragraph."""
        text = "".join(self.buffer)
        text = text.strip() if self.table else _CHINESE_SPACE.sub("", " ".join(text.split()))
        self.buffer.clear()
        if not text:
            return
        if "‘" in text:
            text = _QUOTED.sub(r"‘\1’", text)
        inside = self.open[-1][1] if self.open else "text"
        block_kind = kind or inside
        if block_kind is not None:
            self.blocks.append(Block(text, block_kind))

    # --- tokens -----------------------------------------------------------------------------

    def on_text(self, text: str) -> None:
        if "`" in text or "'" in text or "-" in text:
            text = text.replace("``", "“").replace("''", "”").replace("---", "—")
            text = text.replace("--", "–").replace("`", "‘")
        self.buffer.append(text)

    def on_par(self, _: str) -> None:
        if self.table:
            self.buffer.append(" ")
        else:
            self.flush()

    def on_brace(self, _: str) -> None:
        """Groups are transparent."""

    def on_other(self, sign: str) -> None:
        self.buffer.append(" | " if sign == "&" and self.table else " ")

    def on_sign(self, sign: str) -> None:
        if sign in "([":
            self._closed_maths("\\)" if sign == "(" else "\\]", display=sign == "[")
        elif sign in ACCENTS and sign not in ESCAPED:
            self._accent(sign)
        elif sign == "\\":
            self.buffer.append("\n" if self.table else " ")
            if self.text[self.position : self.position + 1] == "*":
                self.position += 1
            if self.text[self.position : self.position + 1] == "[":
                self._option()
            elif space := _SPACE_BELOW.match(self.text, self.position, self.end):
                self.position = space.end()
        else:
            self.buffer.append(ESCAPED.get(sign, ""))

    def on_dollar(self, sign: str) -> None:
        if sign == "$$":
            self._closed_maths("$$", display=True)
            return
        for match in _DOLLAR_END.finditer(self.text, self.position, self.end):
            if match["par"]:
                return
            if match["end"]:
                self.buffer.append(inline_maths(self.text[self.position : match.start()]))
                self.position = match.end()
                return

    def on_word(self, name: str) -> None:
        if name in commands.FACES and self._run_in_heading(name):
            return
        special = _SPECIAL.get(name)
        if special is not None:
            special(self, name)
        elif name in commands.HEADINGS:
            self._heading(name)
        elif name in commands.SIGNATURES:
            self._signature(commands.SIGNATURES[name])
        elif "cite" in name.lower() and name != "nocite":
            self._cite(name)
        elif name in commands.ACRONYMS:
            self._acronym(name)
        elif name in commands.REFERENCES:
            self._reference(name)
        elif name in CHARACTERS or name in MATHS:
            self._character(CHARACTERS.get(name) or MATHS.get(name, ""))
        elif name in ACCENTS:
            self._accent(name)
        elif name in _DIMENSIONS:
            if skip := _SKIP.match(self.text, self.position, self.end):
                self.position = skip.end()
        else:
            self._transparent(name)

    def _transparent(self, name: str) -> None:
        """A command of layout, or an unknown one: its arguments may be text, its options not."""
        if name not in commands.LAYOUT:
            self.buffer.append(loss_mark())
        if self.text[self.position : self.position + 1] == "[":
            self._option()
        else:
            self.position = min(skip_blank(self.text, self.position), self.end)

    # --- commands ---------------------------------------------------------------------------

    def _group(self) -> tuple[int, int] | None:
        braces = group(self.text, self.context.closing, self.position)
        if braces is None or braces[2] > self.end:
            return None
        self.position = braces[2]
        return braces[0], braces[1]

    def _option(self) -> str:
        brackets = option(self.text, self.context.closing, self.position)
        if brackets is None or brackets[2] > self.end:
            return ""
        self.position = brackets[2]
        return self.text[brackets[0] : brackets[1]]

    def _argument(self) -> str:
        argument = self._group()
        return self.text[argument[0] : argument[1]] if argument else ""

    def _character(self, character: str) -> None:
        after = min(skip_blank(self.text, self.position), self.end)
        gap = after > self.position and character.endswith(".")
        self.position = after
        self.buffer.append(character + " " if gap else character)

    def _acronym(self, name: str) -> None:
        self._option()
        short, long = self.context.acronyms.get(self._argument().strip(), ("", ""))
        form, plural = commands.ACRONYMS[name]
        known = {"short": short, "long": long, "full": f"{long} ({short})" if short else long}[form]
        if not known.strip(" ()"):
            self.buffer.append(loss_mark())
            return
        text = self._plain(known) + ("s" if plural else "")
        self.buffer.append(text[:1].upper() + text[1:] if name[:1].isupper() else text)

    def _plain(self, source: str) -> str:
        if self.depth >= _NESTED:
            return ""
        inner = Context(text=source, labels={}, cites={}, stash=self.context.stash)
        return Renderer(inner, self.depth + 1).inline(0, len(source))

    def _accent(self, accent: str) -> None:
        letter = self._group()
        if letter:
            letters = self.inline(*letter)
        else:
            self.position = min(skip_blank(self.text, self.position), self.end)
            match = re.compile(r"\\([ij])(?![a-z])|[^\\{}\s]").match(self.text, self.position)
            if match is None:
                return
            letters, self.position = match[1] or match[0], match.end()
        self.buffer.append(accented(accent, letters))

    def _signature(self, pattern: str) -> None:
        while self._option():
            pass
        for action in pattern:
            braces = group(self.text, self.context.closing, self.position)
            if braces is None or braces[2] > self.end:
                return
            if action == "k":
                self.position = braces[0]  # read on inside: the braces are transparent
                return
            self.position = braces[2]

    def _run_in_heading(self, name: str) -> bool:
        """``\\textbf{Results.} We found`` or ``{\\bf Results:} We found`` starts a paragraph."""
        if self.table or self.depth or any(part.strip() for part in self.buffer):
            return False
        start = self.position - len(name) - 1
        inside = self.text[start - 1 : start] == "{"
        words = (
            (self.position, self.context.closing.get(start - 1, -1), 0)
            if inside and name not in commands.FACES_OF_GROUPS
            else group(self.text, self.context.closing, self.position)
        )
        if words is None or not 0 < words[1] - words[0] <= commands.LONGEST_RUN_IN:
            return False
        title = self.inline(words[0], words[1]).strip()
        colon = _COLON.match(self.text, words[1] + 1, self.end) if name in _BOLD else None
        if words[1] >= self.end or len(title) < 2:
            return False
        if not title.endswith((".", ":")) and (colon is None or not title[:1].isupper()):
            return False
        self.position = colon.end() if colon else words[1] + 1
        self.blocks.append(Block(title.rstrip(".:"), "heading", 4))
        return True

    def _small_capitals(self, name: str) -> None:
        """``\\textsc{nlp}`` or ``{\\sc nlp}``: an acronym is in capitals, all else is read on."""
        start = skip_blank(self.text, self.position)
        if name == "textsc":
            start, end = start + 1, self.context.closing.get(start, -1)
        else:
            end = self.context.closing.get(self.position - len(name) - 2, -1)
        written = self.inline(start, end) if 0 <= end - start <= _SHORT and end < self.end else ""
        if (shown := small_capitals(written)) == written:
            self._transparent(name)
            return
        self.buffer.append(shown + " " * self.text[end - 1].isspace())
        self.position = end + (name == "textsc")

    def _heading(self, name: str) -> None:
        self._option()
        heading = self._group()
        title = self.inline(*heading).strip() if heading else ""
        self.flush()
        if name == "centerline" and (len(title) > 60 or title.endswith(".")):
            self.blocks.append(Block(title))
        elif title:
            below = self.context.chaptered and name not in commands.ABOVE_SECTIONS
            level = commands.HEADINGS[name] + below
            self.blocks.append(Block(title.rstrip("."), "heading", level))

    def _cite(self, name: str) -> None:
        notes: list[str] = []
        while self._next_is_option():
            notes.append(self._option())
        keys = self._argument().split(",")
        names = names_of(keys, self.context.cites)
        if not names:
            self.buffer.append(loss_mark())  # to be filled in
        elif name in commands.CITED_NAMES:
            words = " and ".join(dict.fromkeys(who for who, _ in names))
            self.buffer.append(citation_mark("textual", words if all(n for n, _ in names) else ""))
        elif name in commands.CITED_YEARS:
            years = ", ".join(year for _, year in names)
            bare = "par" not in name and not self._behind_a_name()
            self.buffer.append(reference(years if bare or not years else f"({years})"))
        else:
            role: CitationForm = commands.CITES.get(name, "unknown")
            note = notes[-1] if notes else ""
            note = "" if "\\" in note else " ".join(note.replace("~", " ").split())
            self.buffer.append(
                citation_mark(role, textual_words(names, note), bracketed_words(names))
            )

    def _behind_a_name(self) -> bool:
        """Whether a name stands before, outside brackets: *Harvey 1993 says* needs its brackets."""
        before = "".join(self.buffer[-8:]).rstrip()
        return _NAME.search(before) is not None and before.count("(") <= before.count(")")

    def _next_is_option(self) -> bool:
        brackets = option(self.text, self.context.closing, self.position)
        return brackets is not None and brackets[2] <= self.end

    def _reference(self, name: str) -> None:
        keys = [key.strip() for key in self._argument().split(",")]
        known = [self.context.labels.get(key, ("", "")) for key in keys]
        numbers = [number for _, number in known]
        if not all(numbers) or name == "nameref":
            self.buffer.append(reference(""))
            return
        text = " and ".join([", ".join(numbers[:-1]), numbers[-1]] if numbers[1:] else numbers)
        if name.lower() in ("cref", "autoref", "vref", "thref", "figref", "secref"):
            word = known[0][0]
            text = f"{word}{'s' if len(keys) > 1 and word else ''} {text}".strip()
        elif name == "eqref":
            text = f"({text})"
        elif known[0][0] not in ("", "Equation") and self._alone_in_parentheses():
            text = f"{known[0][0]} {text}"
        self.buffer.append(reference(text))

    def _alone_in_parentheses(self) -> bool:
        """Whether nothing but what is read here stands between two parentheses."""
        before = "".join(self.buffer[-3:]).rstrip()
        named = before[:-1].rstrip(" ~.").endswith(_NAMED)
        return (
            before.endswith("(")
            and not named
            and self.text[self.position : self.end].lstrip().startswith(")")
        )

    def _page_reference(self, _: str) -> None:
        self._argument()
        self.buffer.append(reference(""))

    def _closed_maths(self, closing: str, *, display: bool) -> None:
        end = -1
        if closing not in self.context.unclosed:
            end = self.text.find(closing, self.position, self.end)
            if end < 0 and self.end == len(self.text):
                self.context.unclosed.add(closing)
        if end < 0:
            return
        source = self.text[self.position : end]
        self.position = end + len(closing)
        if display and not self.table:
            self._formula(source)
        else:
            self.buffer.append(inline_maths(source))

    def _formula(self, source: str) -> None:
        self.flush()
        if self.open and self.open[-1][1] is None:
            return
        self.blocks.append(Block(display_maths(source), "formula"))

    def _caption(self, _: str) -> None:
        self._option()
        caption = self._group()
        if caption and (text := self.inline(*caption).strip()):
            self.blocks.append(Block(" ".join(text.split()), "caption"))

    def _title(self, _: str) -> None:
        self._option()
        title = self._group()
        if title and not self.context.title:
            self.context.title = " ".join(self.inline(*title).split())

    def _above_columns(self, _: str) -> None:
        """``\\twocolumn[…]``: beside the title stand the authors, whom nobody reads."""
        brackets = option(self.text, self.context.closing, self.position)
        if brackets and brackets[2] <= self.end:
            self.inline(brackets[0], brackets[1])
            self.position = brackets[2]

    def _item(self, _: str) -> None:
        self.flush()
        brackets = option(self.text, self.context.closing, self.position)
        if brackets and brackets[2] <= self.end:
            self.position = brackets[2]
            if label := self.inline(brackets[0], brackets[1]).strip():
                self.buffer.append(label + (" " if label[-1] in ".:" else ": "))

    def _verbatim(self, name: str) -> None:
        index = self._argument()
        parts = self.context.stash
        part = parts[int(index)] if index.isdecimal() and int(index) < len(parts) else ""
        if name == "bsverbatim":
            self.buffer.append(part)
            return
        self.flush()
        if not (self.open and self.open[-1][1] is None) or part.count("\n") > 1:
            self.blocks.append(Block(part, "code"))

    def _paragraph(self, _: str) -> None:
        self.flush()

    def _abstract(self, _: str) -> None:
        self.flush()
        self.blocks.append(Block("Abstract", "heading", 1))

    def _xspace(self, _: str) -> None:
        following = self.text[skip_blank(self.text, self.position) :][:1]
        if following and following not in ".,'’/?;:!~-)]}{":
            self.buffer.append(" ")

    def _ensuremath(self, _: str) -> None:
        self.buffer.append(inline_maths(self._argument()))

    def _superscript(self, _: str) -> None:
        letters = self._group()
        self.buffer.append(superscript(self.inline(*letters) if letters else ""))

    def _quoted(self, _: str) -> None:
        words = self._group()
        self.buffer.append(f"“{self.inline(*words)}”" if words else "")

    def _subscript(self, _: str) -> None:
        letters = self._group()
        self.buffer.append(subscript(self.inline(*letters) if letters else ""))

    def _acknowledgements(self, _: str) -> None:
        self.flush()
        self.blocks.append(Block("Acknowledgements", "heading", 1))

    # --- environments -----------------------------------------------------------------------

    def _begin(self, _: str) -> None:
        name = self._argument().strip()
        bare = name.rstrip("*")
        if bare in _WHOLE and self._whole(name, bare):
            return
        self._option()
        for _count in range(self.context.arguments.get(name, 0)):
            self._group()
        if bare in commands.BACK_MATTER:
            self.flush()
            self.blocks.append(Block(bare.capitalize(), "heading", 1))
        if bare in ("abstract", "significance", "summary"):
            self._abstract(bare)
        kind = self._kind_within(bare)
        if bare not in ("center", "small", "linenomath", "document", "spacing", "sloppypar"):
            self.flush()
        self.open.append((name, kind))
        self._option()

    def _kind_within(self, bare: str) -> Kind | None:
        if bare in commands.FLOATS:
            return None
        innermost: Kind | None = self.open[-1][1] if self.open else "text"
        if innermost is None:
            return None
        for names, kind in _KINDS:
            if bare in names:
                return kind
        return innermost

    def _whole(self, name: str, bare: str) -> bool:
        """Environments that are looked at from outside; False when this one is never closed."""
        closing = f"\\end{{{name}}}"
        if closing in self.context.unclosed:
            return False
        end = self.text.find(closing, self.position, self.end)
        if end < 0:
            if self.end == len(self.text):
                self.context.unclosed.add(closing)
            return False
        self._option()
        for _ in range(self.context.arguments.get(name, 0)):
            self._group()
        start, self.position = min(self.position, end), end + len(closing)
        if bare == "math":
            self.buffer.append(inline_maths(self.text[start:end]))
        elif bare in commands.FORMULAS:
            self._formula(self.text[start:end])
        elif bare in commands.TABLES:
            self._table(start, end)
        return True

    def _table(self, start: int, end: int) -> None:
        if self.depth >= _NESTED:
            return
        self.flush()
        inner = Renderer(self.context, self.depth + 1, table=True)
        for block in inner.run(start, end):
            if block.kind in ("caption", "code"):
                self.blocks.append(block)
            else:
                rows = (" ".join(row.split()) for row in block.text.split("\n"))
                self.blocks.append(Block("\n".join(r for r in rows if r.strip(" |")), "table"))

    def _end(self, _: str) -> None:
        name = self._argument().strip()
        if name.rstrip("*") not in ("center", "small", "linenomath", "spacing", "sloppypar"):
            self.flush()
        for index in range(len(self.open) - 1, -1, -1):
            if self.open[index][0] == name:
                del self.open[index:]
                return


_WHOLE = commands.DROPPED | commands.FORMULAS | commands.TABLES
_KINDS: tuple[tuple[frozenset[str], Kind], ...] = (
    (commands.LISTS, "list"),
    (commands.QUOTES, "quote"),
    (commands.CODES, "code"),
)
_TOKENS: Mapping[str, Callable[[Renderer, str], None]] = {
    "text": Renderer.on_text,
    "word": Renderer.on_word,
    "sign": Renderer.on_sign,
    "par": Renderer.on_par,
    "brace": Renderer.on_brace,
    "dollar": Renderer.on_dollar,
    "other": Renderer.on_other,
}
_SPECIAL: Mapping[str, Callable[[Renderer, str], None]] = {
    "begin": Renderer._begin,
    "end": Renderer._end,
    **dict.fromkeys(commands.TITLES, Renderer._title),
    "twocolumn": Renderer._above_columns,
    "caption": Renderer._caption,
    "captionof": Renderer._caption,
    "tablecaption": Renderer._caption,
    "item": Renderer._item,
    "par": Renderer._paragraph,
    "bigskip": Renderer._paragraph,
    "medskip": Renderer._paragraph,
    "clearpage": Renderer._paragraph,
    "newpage": Renderer._paragraph,
    "abstract": Renderer._abstract,
    "pageref": Renderer._page_reference,
    "vpageref": Renderer._page_reference,
    "ensuremath": Renderer._ensuremath,
    "sc": Renderer._small_capitals,
    "scshape": Renderer._small_capitals,
    "textsc": Renderer._small_capitals,
    "textsuperscript": Renderer._superscript,
    "textsubscript": Renderer._subscript,
    "xspace": Renderer._xspace,
    "enquote": Renderer._quoted,
    "acknowledgments": Renderer._acknowledgements,
    "acknowledgements": Renderer._acknowledgements,
    "ack": Renderer._acknowledgements,
    "bsverbatim": Renderer._verbatim,
    "bscode": Renderer._verbatim,
}
