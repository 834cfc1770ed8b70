"""The author's own macros: found, taken out of the text, and expanded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.sources.articles.latex.scan import braces, group, option, skip_blank
from core.sources.limits import UnreadableSource

_DEFINITION = re.compile(
    r"\\(?P<new>(?:re|provide)?newcommand|providecommand|DeclareRobustCommand"
    r"|DeclareMathOperator|pdfstringdefDisableCommands|(?:long\s*\\)?[egx]?def|(?:re)?newenvironment|let)\*?(?![a-zA-Z@])"
)
_NAME = re.compile(r"\s*\{?\s*\\([a-zA-Z@]+|.)\s*\}?\s*", re.DOTALL)
_PARAMETERS = re.compile(r"(?:\s*#\d)*\s*(?=\{)")
_LET = re.compile(
    r"\s*\\(?P<new>[a-zA-Z@]+|.)\s*=?\s*(?P<old>\\(?P<known>[a-zA-Z@]+|.)|[^\s\\])", re.DOTALL
)
_ACRONYM = re.compile(
    r"\\(?P<command>newacronym|newglossaryentry|DeclareAcronym|acrodef|acro|newacro)(?![a-zA-Z])\*?"
)
_ENVIRONMENT = re.compile(
    r"\\(?P<command>(?:re)?newenvironment|newtcbtheorem|(?:re)?newtcolorbox"
    r"|(?:New|Renew|Provide|Declare)DocumentEnvironment)\*?\s*(?:\[[^\[\]]*\]\s*)?"
    r"\{(?P<name>[^{}]+)\}\s*"
    r"(?:\[(?P<count>\d)\]\s*(?P<default>\[)?|\{(?P<signature>(?:[^{}]|\{[^{}]*\})*)\})?"
)
_KEYED = r"(?<![\w-]){name}\s*=\s*(?:\{{((?:[^{{}}]|\{{[^{{}}]*\}})*)\}}|([^,{{}}]+))"
_PROGRAMMING = re.compile(
    r"@|\\(?:csname|expandafter|if(?!f(?![a-zA-Z]))[a-zA-Z]*|else|fi|futurelet|begingroup|catcode)"
    r"(?![a-zA-Z])"
)
"""What programs TeX; not the ``iff`` of formulas, nor a name that begins like such a command."""
_CONTROL_AT_END = re.compile(r"\\[a-zA-Z]+$")
_DEPTH = 20
_GROWTH = 5 * 2**20
_CALL = 16  # what a call costs beside the characters that it brings

PROTECTED = frozenset(
    {
        "begin",
        "end",
        "section",
        "subsection",
        "subsubsection",
        "paragraph",
        "subparagraph",
        "chapter",
        "part",
        "title",
        "author",
        "caption",
        "cite",
        "citep",
        "citet",
        "ref",
        "label",
        "item",
        "footnote",
        "emph",
        "textbf",
        "textit",
        "texttt",
        "href",
        "url",
        "includegraphics",
        "input",
        "include",
        "abstract",
        "maketitle",
        "appendix",
        "frac",
        "sqrt",
        "left",
        "right",
        "par",
        "bsverbatim",
        "bscode",
    }
)
"""Commands with a meaning of their own here, which a redefinition must not change."""


@dataclass(frozen=True)
class Macro:
    """``arguments`` counts the optional one, whose value is ``default`` when it is not None."""

    body: str
    arguments: int = 0
    default: str | None = None


def environment_arguments(preamble: str) -> dict[str, int]:
    """How many ``{…}`` follow ``\\begin{…}`` of each environment that the author declared.

    They are its title and its label, which glue to the sentence behind them: ``Cycle A path is``.
    """
    counts: dict[str, int] = {}
    for match in _ENVIRONMENT.finditer(preamble):
        if match["command"] == "newtcbtheorem":
            count = 2
        elif match["command"].endswith("DocumentEnvironment"):
            count = len(re.findall(r"\bm\b", match["signature"] or ""))
        else:
            count = int(match["count"] or 0) - (match["default"] is not None)
        if count > 0:
            counts[match["name"].strip()] = count
    return counts


def take_definitions(text: str, macros: dict[str, Macro]) -> str:
    """The text without its definitions, which are added to ``macros``.

    Bodies that program TeX (conditions, ``\\csname``, delimited parameters) are taken out but not
    kept: their calls are later treated like any unknown command.
    """
    closing = braces(text)
    out: list[str] = []
    position = 0
    while match := _DEFINITION.search(text, position):
        out.append(text[position : match.start()])
        position = _definition(text, closing, match, macros)
    out.append(text[position:])
    return "".join(out)


def _definition(
    text: str, closing: Mapping[int, int], match: re.Match[str], macros: dict[str, Macro]
) -> int:
    """Read one definition; returns where the text goes on."""
    command, position = match["new"], match.end()
    if command == "let":
        return _let(text, position, macros)
    if command == "pdfstringdefDisableCommands":  # definitions for bookmarks, not for the text
        return _past_group(text, closing, position)
    if command.endswith("newenvironment"):
        return _environment(text, closing, position, macros)
    name = _NAME.match(text, position)
    if not name:
        return position
    count, default, position = 0, None, name.end()
    if command.endswith("def"):
        parameters = _PARAMETERS.match(text, position)
        if parameters is None:
            return _past_group(text, closing, position)
        count, position = parameters[0].count("#"), parameters.end()
    elif command != "DeclareMathOperator":
        count, default, position = _signature(text, closing, position)
    body = group(text, closing, position)
    if body is None:
        return position
    content = text[body[0] : body[1]]
    if command == "DeclareMathOperator":
        content = f"\\operatorname{{{content}}}"
    replaces = not (command.startswith("provide") and name[1] in macros)
    if replaces and name[1] not in PROTECTED and not _PROGRAMMING.search(content):
        macros[name[1]] = Macro(content, count, default)
    return body[2]


def _let(text: str, position: int, macros: dict[str, Macro]) -> int:
    let = _LET.match(text, position)
    if let is None:
        return position
    if let["new"] not in PROTECTED and let["new"] != let["known"]:
        macros[let["new"]] = macros.get(let["known"] or "") or Macro(let["old"])
    return let.end()


def take_acronyms(text: str) -> dict[str, tuple[str, str]]:
    """``{"fft": ("FFT", "fast Fourier transform")}`` for every acronym that is declared."""
    closing = braces(text)
    acronyms: dict[str, tuple[str, str]] = {}
    for match in _ACRONYM.finditer(text):
        position = match.end()
        key = group(text, closing, position)
        if key is None:
            continue
        name, position = text[key[0] : key[1]].strip(), key[2]
        short = option(text, closing, position)
        first = group(text, closing, short[2] if short else position)
        if first is None:
            continue
        body = text[first[0] : first[1]]
        if match["command"] in ("newglossaryentry", "DeclareAcronym"):
            long = _keyed("long", body) or _keyed("name", body)
            acronyms[name] = (_keyed("short", body) or _keyed("name", body), long)
        elif match["command"] in ("acro", "acrodef", "newacro"):
            acronyms[name] = (text[short[0] : short[1]] if short else name, body)
        elif second := group(text, closing, first[2]):
            acronyms[name] = (body, text[second[0] : second[1]])
    return acronyms


def _keyed(name: str, body: str) -> str:
    match = re.search(_KEYED.format(name=name), body)
    return (match[1] or match[2] or "").strip() if match else ""


def _signature(text: str, closing: Mapping[int, int], position: int) -> tuple[int, str | None, int]:
    count = option(text, closing, position)
    if count is None or not text[count[0] : count[1]].strip().isdigit():
        return 0, None, position
    arguments = int(text[count[0] : count[1]])
    default = option(text, closing, count[2])
    if default is None:
        return arguments, None, count[2]
    return arguments, text[default[0] : default[1]], default[2]


def _environment(
    text: str, closing: Mapping[int, int], position: int, macros: dict[str, Macro]
) -> int:
    name = group(text, closing, position)
    if name is None:
        return position
    count, _, position = _signature(text, closing, name[2])
    opening = group(text, closing, position)
    ending = group(text, closing, opening[2]) if opening else None
    if opening is None or ending is None:
        return position
    label = text[name[0] : name[1]].strip()
    bodies = text[opening[0] : opening[1]], text[ending[0] : ending[1]]
    # only shorthands for another environment matter: \newenvironment{eq}{\begin{equation}}{…}
    if count == 0 and "\\begin" in bodies[0] and not _PROGRAMMING.search("".join(bodies)):
        macros[f"begin {label}"], macros[f"end {label}"] = Macro(bodies[0]), Macro(bodies[1])
    return ending[2]


def _past_group(text: str, closing: Mapping[int, int], position: int) -> int:
    start = text.find("{", position, position + 200)
    return closing.get(start, position - 1) + 1


class _Expansion:
    def __init__(self, macros: Mapping[str, Macro], budget: int) -> None:
        self.macros = macros
        self.budget = budget
        names = sorted((n for n in macros if " " not in n), key=lambda n: (-len(n), n))
        environments = sorted({n.partition(" ")[2] for n in macros if " " in n})
        words = "|".join(re.escape(n) + ("(?![a-zA-Z@])" if n[-1].isalpha() else "") for n in names)
        envs = "|".join(map(re.escape, environments))
        self.pattern = re.compile(
            rf"\\\\|\\(?P<name>{words or '(?!)'})"
            rf"|\\(?P<edge>begin|end)\{{(?P<env>{envs or '(?!)'})\}}"
        )

    def expand(self, text: str, depth: int = 0) -> str:
        if depth > _DEPTH or not self.pattern.search(text):
            return text
        closing = braces(text)
        out: list[str] = []
        position = 0
        while match := self.pattern.search(text, position):
            out.append(text[position : match.start()])
            position = match.end()
            if match[0] == "\\\\":
                out.append(match[0])
                continue
            body, position = self._call(text, closing, match)
            self.budget -= len(body) + _CALL
            if self.budget < 0:
                raise UnreadableSource.tr("Its macros expand endlessly.")
            out.append(self.expand(body, depth + 1))
            if _CONTROL_AT_END.search(out[-1]) and text[position : position + 1].isalpha():
                out.append(" ")
        out.append(text[position:])
        return "".join(out)

    def _call(self, text: str, closing: Mapping[int, int], match: re.Match[str]) -> tuple[str, int]:
        position = match.end()
        name = match["name"] or f"{match['edge']} {match['env']}"
        macro = self.macros[name]
        arguments: list[str] = []
        if macro.default is not None:
            optional = option(text, closing, position)
            arguments.append(text[optional[0] : optional[1]] if optional else macro.default)
            position = optional[2] if optional else position
        while len(arguments) < macro.arguments:
            argument, position = _argument(text, closing, position)
            arguments.append(argument)
        if not macro.arguments and name[-1].isalpha() and " " not in name:
            position = skip_blank(text, position)
        body = macro.body
        for index, argument in enumerate(arguments, 1):
            body = body.replace(f"#{index}", argument)
        return body, position


def _argument(text: str, closing: Mapping[int, int], position: int) -> tuple[str, int]:
    braces = group(text, closing, position)
    if braces:
        return text[braces[0] : braces[1]], braces[2]
    start = skip_blank(text, position)
    if text[start : start + 1] == "\\":
        word = re.compile(r"\\(?:[a-zA-Z@]+|.)", re.DOTALL).match(text, start)
        return (word[0], word.end()) if word else ("", start)
    return ("", start) if text[start : start + 1] in "}\n" else (text[start], start + 1)


def expand(text: str, macros: Mapping[str, Macro]) -> str:
    """The text with all calls of ``macros`` replaced, to a depth of 20.

    Raises ``UnreadableSource`` when the result would grow beyond four times the text and 5 MB.
    """
    return _Expansion(macros, _GROWTH + 4 * len(text)).expand(text) if macros else text
