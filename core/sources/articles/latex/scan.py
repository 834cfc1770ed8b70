"""Looking at LaTeX without running it: comments, verbatim parts, groups and arguments."""

import re
from collections.abc import Mapping

_VERBATIM = "verbatim|Verbatim|BVerbatim|lstlisting|minted|alltt|pycode"
_UNSEEN = "comment|filecontents|tikzpicture|pspicture|pgfpicture|CCSXML|forest|asy"
_SPECIAL = re.compile(
    rf"\\begin\s*\{{(?P<env>(?:{_VERBATIM}|{_UNSEEN})\*?)\}}"
    r"|\\(?P<verb>verb\*?|lstinline|mintinline)(?![a-zA-Z])"
    r"|\\(?P<url>url|path|nolinkurl|href)\s*\{(?P<address>[^{}\n]*)\}"
    r"|(?P<iffalse>\\iffalse(?![a-zA-Z]))"
    r"|\\.|(?P<comment>%[^\n]*(?:\n[ \t]*)?)",
    re.DOTALL,
)
_OPTIONS = re.compile(r"[ \t]*(?:\[[^\]\n]*\])?(?:\{\w+\}(?=\s*\n|[{|!/+]))?")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BLANK = re.compile(r"[ \t]*(?:\n[ \t]*)?")


class Stash:
    """Verbatim parts, taken out of the text so that nothing later mistakes them for LaTeX."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def keep(self, part: str, command: str) -> str:
        """A command that stands for the part: ``\\bsverbatim{3}`` or ``\\bscode{3}``."""
        self.parts.append(part)
        return f"\\{command}{{{len(self.parts) - 1}}}"


def strip_comments(text: str, stash: Stash) -> str:
    """The text without comments and drawings, verbatim parts and addresses stashed."""
    out: list[str] = []
    position = 0
    while match := _SPECIAL.search(text, position):
        out.append(text[position : match.start()])
        position = match.end()
        if match["env"]:
            part, position = _environment(text, match["env"], position, stash)
            out.append(part)
        elif match["verb"]:
            part, position = _verb(text, position, stash)
            out.append(part)
        elif match["url"]:
            out.append(_address(match, stash))
        elif match["iffalse"]:
            end = text.find("\\fi", position)
            position = len(text) if end < 0 else end + 3
        elif not match["comment"]:
            out.append(match[0])
    out.append(text[position:])
    return "".join(out)


def _address(match: re.Match[str], stash: Stash) -> str:
    if match["url"] == "href":
        return "\\href{}"
    address = match["address"]
    # an address made with the author's own macros must still be expanded
    return address if "\\" in address else stash.keep(address, "bsverbatim")


def _environment(text: str, name: str, position: int, stash: Stash) -> tuple[str, int]:
    closing = f"\\end{{{name}}}"
    end = text.find(closing, position)
    stop, after = (len(text), len(text)) if end < 0 else (end, end + len(closing))
    if re.fullmatch(_UNSEEN, name.rstrip("*")):
        return "", after
    options = _OPTIONS.match(text, position)
    start = options.end() if options else position
    return f"\n\n{stash.keep(text[start:stop], 'bscode')}\n\n", after


def _verb(text: str, position: int, stash: Stash) -> tuple[str, int]:
    options = _OPTIONS.match(text, position)
    start = options.end() if options else position
    delimiter = {"{": "}"}.get(text[start : start + 1], text[start : start + 1])
    end = text.find(delimiter, start + 1, start + 1000) if delimiter else -1
    if end < 0 or "\n" in text[start:end]:
        return "", position
    return stash.keep(text[start + 1 : end], "bsverbatim"), end + 1


def braces(text: str) -> dict[int, int]:
    """Position of the closing brace for every opening one that is closed; one linear pass."""
    closing: dict[int, int] = {}
    open_at: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            open_at.append(match.start())
        elif match[0] == "}" and open_at:
            closing[open_at.pop()] = match.start()
    return closing


def skip_blank(text: str, position: int) -> int:
    """Past spaces and at most one line end: a blank line is a paragraph and stays."""
    match = _BLANK.match(text, position)
    return match.end() if match else position


def group(text: str, closing: Mapping[int, int], position: int) -> tuple[int, int, int] | None:
    """Start, end and what follows of a ``{…}`` argument at ``position``; None if there is none."""
    start = skip_blank(text, position)
    end = closing.get(start)
    return None if end is None else (start + 1, end, end + 1)


def option(text: str, closing: Mapping[int, int], position: int) -> tuple[int, int, int] | None:
    """Start, end and what follows of a ``[…]`` argument; None if there is none nearby."""
    start = skip_blank(text, position)
    if text[start : start + 1] != "[":
        return None
    at = start + 1
    limit = min(len(text), start + 2000)
    while at < limit:
        sign = text[at]
        if sign == "]":
            return start + 1, at, at + 1
        if sign == "{" and at in closing:
            at = closing[at]
        elif sign == "\\":
            at += 1
        elif sign == "[" or text.startswith("\n\n", at):
            return None  # LaTeX nests no bare brackets, and looking on would take quadratic time
        at += 1
    return None
