"""Inline maths: plain characters where that loses nothing, else LaTeX between dollars."""

import re

from core.sources.articles.prose.scripts import subscript
from core.sources.articles.prose.symbols import MATHS

_SPACING = re.compile(r"\\[,;:> ]|\\(?:thinspace|hspace\*?\{[^{}]*\}|displaystyle|limits)(?![a-z])")
_NARROWER = re.compile(r"\\!|\\negthinspace(?![a-zA-Z])")
"""What takes space away: ``0,\\!5`` is one number."""
_UNSEEN = re.compile(r"\\(?:label|tag\*?)\s*\{[^{}]*\}|\\(?:nonumber|notag|left|right)(?![a-zA-Z])")
_UPRIGHT = re.compile(
    r"\\(?:mathrm|mathit|mathbf|mathsf|mathtt|text|textrm|textit|textbf|mbox|operatorname\*?"
    r"|ensuremath|rm|boldsymbol|bm|mathbb)\s*\{([^{}\\$]*)\}"
)
_WORD_BEFORE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]+$")
_WORD_AFTER = re.compile(r"[A-Za-z]+")
_COMMAND = re.compile(r"\\([a-zA-Z]+)(\s*)(?=(.?))", re.DOTALL)
_BARE_GROUP = re.compile(r"(?<![\^_a-zA-Z}\]\\])\s?\{([^{}]*)\}")
_IN_BRACES = re.compile(r"(?<![\^_}\]\\])(\\[a-zA-Z]+\s*)?\{([^{}]*)\}")
_LONE_SIGN = re.compile(
    r"(?:\\math(?:ord|rel|bin|op|punct)\s*|(?<![\^_}\]])(?<!\\[a-zA-Z])(?<!\\[a-zA-Z]{2}))"
    r"\{\s*(\\(?:sim|simeq|approx|times|pm|le|leq|ge|geq|cdot|ll|gg|equiv|to)|[=<>+,:/])\s*\}"
)
"""A sign in braces of its own, which take its space away: ``{\\sim}2``, ``x{=}3``."""
_RELATION = re.compile(r"(?<=\S)\s*([=<>+≈≠≤≥≪≫∝≡≃≅≲≳∈→±×])\s*(?=\S)")
_RELATION_AT_END = re.compile(r"(?<=\S)\s*([=<>≈≤≥])\s*$")
_NESTED = 5
_LONGEST_NAME = 60
_LEFTOVER = re.compile(r"[\\{}^_&]")
_EXPONENT = re.compile(r"\^(?:\{([0-9+\-−]+|\\circ|\\prime)\}|(\d|[+\-−](?!\d)|\\circ|\\prime))")
_ORDINAL = re.compile(
    r"^\s*(?P<number>\d*)(?:\{\})?\^\{?\s*(?:\\(?:rm|mathrm|text|textrm)\s*\{?)?\s*"
    r"(?P<end>st|nd|rd|th)\s*\}{0,2}\s*$"
)
_OF_THE_SUN = re.compile(r"^\s*(?:\{\})?_\s*\{?\s*(\\odot|\\oplus)\s*\}?\s*$")
_INDEX = re.compile(r"^\s*(?:\{\})?_\{?(\d+)\}?$")
_LETTERS = re.compile(r"(?<![\\$])(\$[A-Za-z]\$|\\\([A-Za-z]\\\))(?=s\b)")
_SUPERSCRIPTS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


def inline_maths(source: str) -> str:
    """``x``, ``≈ 99.99%`` or ``10⁻³`` where plain characters suffice, else ``$\\frac{a}{b}$``."""
    source = display_maths(source)
    if not source:
        return ""
    if ordinal := _ORDINAL.match(source):
        return ordinal["number"] + ordinal["end"]
    if sun := _OF_THE_SUN.match(source):
        return MATHS[sun[1][1:]]
    if not _SPACING.sub("", source).strip():
        return " "
    plain = _LONE_SIGN.sub(_bare_sign, source)
    plain = _SPACING.sub(" ", _NARROWER.sub("", plain)).replace("~", " ").replace("\\%", "%")
    plain = re.sub(r"<\s*<", "≪", re.sub(r">\s*>", "≫", plain))
    plain = _UPRIGHT.sub(_upright, _UPRIGHT.sub(_upright, plain))
    plain = _INDEX.sub(lambda match: subscript(match[1]), _EXPONENT.sub(_superscript, plain))
    plain = _COMMAND.sub(_sign, plain).replace("{}", "")
    plain = _IN_BRACES.sub(lambda match: match[0] if match[1] else match[2], plain)
    if _LEFTOVER.search(plain):
        return f"${source}$"
    plain = _RELATION_AT_END.sub(r" \1", _RELATION.sub(r" \1 ", plain))
    return " ".join(plain.split())


def with_plurals(source: str) -> str:
    """A source in which the plural of a letter has its apostrophe: ``$i$s`` would be read *is*."""
    return _LETTERS.sub(r"\1'", source)


def _upright(match: re.Match[str]) -> str:
    """The letters of a font, apart from a word beside them: ``\\mathsf{AG} reset``."""
    inside, source = match[1], match.string
    before = _WORD_BEFORE.search(source, max(0, match.start() - _LONGEST_NAME), match.start())
    group = _UPRIGHT.match(source, match.end())
    after = _WORD_AFTER.match(group[1] if group else source, 0 if group else match.end())
    first, last = _WORD_AFTER.match(inside), _WORD_BEFORE.search(inside)
    left = " " if before and first and len(before[0]) + len(first[0]) > 2 else ""
    right = " " if after and last and len(after[0]) + len(last[0]) > 2 else ""
    return f"{left}{inside}{right}"


def _bare_sign(match: re.Match[str]) -> str:
    return f"{match[1]}{{}}" if match[1].startswith("\\") else match[1]


def _superscript(match: re.Match[str]) -> str:
    exponent = match[1] or match[2]
    if exponent.startswith("\\"):
        return "°" if exponent == "\\circ" else "′"
    return exponent.translate(_SUPERSCRIPTS)


def _sign(match: re.Match[str]) -> str:
    sign = MATHS.get(match[1])
    if sign is None:
        return match[0]
    # \log x needs its space, \alpha x does not, x \in A has its own before
    return sign + (" " if match[2] and (len(sign) > 1 or not sign.isalpha()) else "")


def display_maths(source: str) -> str:
    """A displayed formula without labels, in one line of LaTeX."""
    if "\\ensuremath" in source:
        source = source.replace("\\ensuremath", "")
        for _ in range(_NESTED):
            source = _BARE_GROUP.sub(r"\1", source)
    return " ".join(_UNSEEN.sub("", source).split())
