"""Typst as markup alone: parts put in place, and the program around the text left out.

Pandoc runs a document's own functions and gives up at the first template or package that it cannot
find. Of an article the markup is enough: definitions, rules and imports go, a call of an unknown
function leaves the content between its brackets, and where it has none the place is marked as lost.
"""

import re
from collections.abc import Iterator
from typing import Any

from core.sources.articles.pandoc.process import RefusedAt, syntax_tree
from core.sources.articles.prose.citations import loss_mark, reference
from core.sources.articles.trees import SourceTree, inside
from core.sources.limits import UnreadableSource

TYPST = ".typ"
_COMMENT = re.compile(r"(?<![:/])//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(
    rf"(?P<comment>{_COMMENT.pattern})"
    r"|(?P<argument>\babstract\s*:\s*)include\s+\"(?P<abstract>[^\"\n]{1,300})\""
    r"|#include\s*(?P<open>\()?\s*\"(?P<part>[^\"\n]{1,300})\"(?(open)\s*\))",
    re.DOTALL,
)
_RULES = re.compile(r"^\s*#(?:show\s*:|set\s+document\b)", re.MULTILINE)
_STATEMENT = re.compile(r"#(?:import|let|set|show|context|if|for|while)\b")
_CALL = re.compile(r"#([A-Za-z_][\w-]*(?:\.[\w-]+)*)")
_RAW = re.compile(r"(?s)(`{3,}).*?\1|`[^`\n]*`")
_ASSIGNED = re.compile(
    r"#let\s+([A-Za-z_][\w-]*)\s*=\s*(?:\"([^\"\n]*)\"|\[([^\[\]#\n]*)\])\s*$", re.M
)
_ABSTRACT = re.compile(r"\babstract\s*:\s*\[")
_KNOWN = frozenset({"cite", "emph", "strong", "sub", "super", "smallcaps", "linebreak", "parbreak"})
"""Typst's own functions that pandoc puts into its tree, called with plain arguments."""
_GONE = frozenset(
    {"h", "v", "pagebreak", "colbreak", "outline", "line", "counter", "place", "figure", "image",
     "table", "footnote", "bibliography", "grid", "stack", "strike", "todo", "note", "columns"}
)  # fmt: skip
_LABEL = re.compile(r"<([A-Za-z][\w:.-]*)>")
_REFERENCE = re.compile(r"(?<![\w.\\])@([A-Za-z][\w:.-]*\w)(?:\[[^\[\]]*\])?")
_UNKNOWN = re.compile(r"Identifier \"([A-Za-z_][\w-]*)\" not found")
_MOST_UNKNOWN = 25
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_STRING = re.compile(r"\"([^\"\n]*)\"")
_MOST_PARTS = 100


def typst_tree(text: str) -> dict[str, Any]:
    """Pandoc's syntax tree of a Typst document: of all of it, else of its markup alone.

    Raises ``UnreadableSource`` when pandoc can read neither.
    """
    try:
        return syntax_tree(text.encode("utf-8", "replace"), "typst")
    except UnreadableSource:
        markup = markup_of_typst(text)
    for _ in range(_MOST_UNKNOWN):
        try:
            return syntax_tree(markup.encode("utf-8", "replace"), "typst")
        except RefusedAt as error:
            markup = _mended(markup, error)
    return syntax_tree(markup.encode("utf-8", "replace"), "typst")


def _mended(markup: str, error: RefusedAt) -> str:
    """The markup without what pandoc complains of: an unknown name, or a line's paragraph."""
    if unknown := _UNKNOWN.search(error.said):
        return f'#let {unknown[1]} = "{loss_mark()}"\n{markup}'
    lines = markup.split("\n")
    if not 0 < error.line <= len(lines):
        raise error
    first = last = error.line - 1
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    kept = lines[:first] + [""] * (last + 1 - first) + lines[last + 1 :]
    if kept == lines:
        raise error
    return "\n".join(kept)


def assembled_typst(text: str, tree: SourceTree, base: str = "", most: int = _MOST_PARTS) -> str:
    """The text with the files that it includes in their places; missing ones leave nothing."""

    def included(match: re.Match[str]) -> str:
        if match["comment"]:
            return match[0]
        name = place_of_part(base, match["part"] or match["abstract"])
        source = tree.read(name) if name and most > 0 else None
        part = assembled_typst(source, tree, name, most // 2) if name and source else ""
        return f"{match['argument']}[{part}]" if match["argument"] else part

    return _INCLUDE.sub(included, text)


def is_typst_root(text: str) -> bool:
    """Whether a document lays itself out: chapters leave that to what includes them."""
    return bool(_RULES.search(text))


def parts_of_typst(text: str) -> tuple[str, ...]:
    """The names of files that a document includes, as they are written there."""
    found = (match["part"] or match["abstract"] for match in _INCLUDE.finditer(text))
    return tuple(name for name in found if name)


def place_of_part(base: str, name: str) -> str | None:
    """Where a file that ``base`` includes lies in its tree; ``/`` begins at the root."""
    return inside("", name.lstrip("/")) if name.startswith("/") else inside(base, name)


def markup_of_typst(text: str) -> str:
    """The markup of a document without its program; what a call hid is marked as lost."""
    plain = _RAW.sub(lambda m: m[0], _COMMENT.sub("", text))
    values = {m[1]: m[2] or m[3] or "" for m in _ASSIGNED.finditer(plain)}
    abstract = _ABSTRACT.search(plain)
    start = ""
    if abstract:
        end = _closed(plain, abstract.end() - 1)
        start = f"= Abstract\n\n{plain[abstract.end() : end - 1]}\n\n"
        plain = plain[: abstract.end()] + plain[end - 1 :]
    labels = set(_LABEL.findall(plain))
    plain = _REFERENCE.sub(lambda m: reference("") if m[1] in labels else m[0], start + plain)
    return "".join(_markup(plain, values))


def _markup(text: str, values: dict[str, str]) -> Iterator[str]:
    position = 0
    while True:
        place = text.find("#", position)
        if place < 0:
            yield text[position:]
            return
        yield text[position:place]
        if place and text[place - 1] == "\\":
            yield "#"
            position = place + 1
        elif match := _STATEMENT.match(text, place):
            position = _statement_end(text, match.end())
        elif match := _CALL.match(text, place):
            position = _arguments_end(text, match.end())
            yield from _called(text[place:position], match, text, position, values)
        elif text[place + 1 : place + 2] in _CLOSING:
            position = _closed(text, place + 1)
            yield "" if text[place + 1] == "{" else loss_mark()
        else:
            yield "#"
            position = place + 1


def _called(
    whole: str, match: re.Match[str], text: str, end: int, values: dict[str, str]
) -> Iterator[str]:
    """What a call or the name of a value leaves in the text."""
    name = match[1]
    if name in _KNOWN:
        yield whole
        return
    if name in _GONE:
        return
    contents = [*_contents(text, match.end(), end)]
    if contents:
        yield " ".join("".join(_markup(content, values)) for content in contents)
    elif name in values:
        yield values[name]
    elif name == "link" and (address := _STRING.search(whole)):
        yield address[1].replace("//", "\\/\\/")
    else:
        yield loss_mark()


def _contents(text: str, start: int, end: int) -> Iterator[str]:
    """What stands between the square brackets that follow a call, not those among its arguments."""
    position = start
    while position < end:
        closed = _closed(text, position)
        if text[position] == "[":
            yield text[position + 1 : closed - 1]
        position = closed


def _arguments_end(text: str, position: int) -> int:
    while position < len(text) and text[position] in "([":
        position = _closed(text, position)
    return position


def _statement_end(text: str, position: int) -> int:
    """Behind a statement: the end of its line, once all brackets are closed."""
    quoted = False
    while position < len(text):
        sign = text[position]
        if quoted:
            quoted = sign != '"' or text[position - 1] == "\\"
        elif sign == '"':
            quoted = True
        elif sign in _CLOSING:
            position = _closed(text, position)
            continue
        elif sign in ")]}" or (
            sign == "\n" and not text[:position].rstrip(" \t").endswith(("=", ",", ":", "=>"))
        ):
            return position
        position += 1
    return position


def _closed(text: str, position: int) -> int:
    """Behind the bracket that closes the one at ``position``; the text's end without one."""
    stack: list[str] = []
    while position < len(text):
        sign = text[position]
        in_content = bool(stack) and stack[-1] == "["
        if sign == "\\":
            position += 1
        elif sign == '"' and not in_content:
            end = text.find('"', position + 1)
            position = end if end > 0 else len(text)
        elif sign == "$" and (end := text.find("$", position + 1)) > 0:
            position = end
        elif sign in _CLOSING and (
            not in_content or sign == "[" or text[position - 1 : position] == "#"
        ):
            stack.append(sign)
        elif stack and sign == _CLOSING[stack[-1]]:
            stack.pop()
            if not stack:
                return position + 1
        position += 1
    return len(text)
