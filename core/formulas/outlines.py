"""The outline of a formula: shapes in units of its type size, for whoever draws it.

Set by ziamath in STIX Two Math; a formula with a macro or a character that is not known there has
no outline and is read as TeX.
"""

import re
import warnings
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

UNITS = 100
"""Units of an outline in one type size (one em)."""
_LARGEST = 60 * UNITS
_DEEPEST = 8
"""Braces within braces; ziamath takes twice as long for each further one."""
_MOST_SHAPES = 2000

_DROPPED = re.compile(r"\\hline|\\cline|\\begin\{array\}\s*(?:\[\w\])?\{[^{}]*\|")
"""What ziamath leaves out without a word: rules in tables."""
_NOT_SET = re.compile(r"\\label\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])")
_MODULO = re.compile(r"\\bmod(?![A-Za-z])")
_NAMED = re.compile(
    r"(\\(?:det|gcd|inf|sup|Pr)|\\operatorname\*?\s*\{[^{}]*\})"
    r"(?=\s*[A-Za-z0-9]|\s*\\(?!left|[bB]ig|limits)[A-Za-z])"
)
"""Functions after which ziamath leaves no space, as it does after the others."""
_WRAPPED = re.compile(r"\\(?:begin|end)\{(?:equation|displaymath|math|multline)\*?\}")
_ALIGNED = re.compile(r"\\(begin|end)\{(?:align|eqnarray)\*?\}")
_GATHERED = re.compile(r"\\(begin|end)\{gather\*?\}")


def outline(tex: str, *, display: bool) -> dict[str, Any]:
    """``width``, ``ascent`` and ``descent`` of a formula, and its ``shapes``.

    All lengths are in 1/``UNITS`` of the type size, y downwards from the base line. A shape is
    ``[kind, colour, data]``: ``path`` with the commands M L Q C Z and coordinates, or ``rect``
    with x, y, width and height; an empty colour is that of the text. Raises ValueError for what
    cannot be set.
    """
    with warnings.catch_warnings():  # ziamath 0.13 asks for its fonts in an old way
        warnings.simplefilter("ignore", DeprecationWarning)
        import ziamath

    if _DROPPED.search(tex):
        raise ValueError("its rules would be lost")
    if tex.count("{") > 400 or _depth(tex) > _DEEPEST:
        raise ValueError("nested too deeply")
    ziamath.config.svg2 = False
    made = ziamath.Latex(_plain(tex), size=UNITS, inline=not display)
    _refuse_unknown(made.mathmlstr(), made)
    svg = made.svgxml()
    left, top, width, height = (float(n) for n in svg.attrib["viewBox"].split())
    if not (0 < width < _LARGEST and 0 < height < _LARGEST):
        raise ValueError("it has no size")
    shapes = list(_shapes(svg))
    if not shapes or len(shapes) > _MOST_SHAPES:
        raise ValueError("nothing to draw, or too much")
    return {
        "width": width, "ascent": -top, "descent": top + height, "left": left, "shapes": shapes
    }  # fmt: skip


def _depth(tex: str) -> int:
    deepest = depth = 0
    for character in tex:
        depth += (character == "{") - (character == "}")
        deepest = max(deepest, depth)
    return deepest


def _plain(tex: str) -> str:
    """Without what numbers and names a formula, in environments that ziamath knows, with the spaces
    that TeX sets and ziamath does not."""
    tex = _NAMED.sub(r"\1\\,", _MODULO.sub(r"\\;\\mathrm{mod}\\;", tex))
    tex = _WRAPPED.sub("", _NOT_SET.sub("", tex))
    tex = _ALIGNED.sub(r"\\\1{align*}", tex)
    return _GATHERED.sub(r"\\\1{gathered}", tex).strip()


def _refuse_unknown(mathml: str, made: Any) -> None:
    for element in ElementTree.fromstring(mathml).iter():  # noqa: S314  made by ziamath
        text = (element.text or "").strip()
        if len(text) > 1 and text.startswith("\\"):
            raise ValueError(f"{text} is not known")
        for character in text:
            if not character.isspace() and not made.font.glyphindex(character):
                raise ValueError(f"no glyph for {character}")


def _shapes(svg: ElementTree.Element) -> Iterator[list[str]]:
    for element in svg.iter():
        kind = element.tag.rsplit("}", 1)[-1]
        if kind in ("svg", "g", "title"):
            continue
        if kind not in ("path", "rect") or element.get("stroke") or element.get("transform"):
            raise ValueError(f"{kind} cannot be drawn")
        colour = element.get("fill", "")
        colour = "" if colour in ("black", "currentColor", "none") else colour
        if kind == "path":
            yield ["path", colour, element.get("d", "")]
        else:
            places = (element.get(name, "0") for name in ("x", "y", "width", "height"))
            yield ["rect", colour, " ".join(places)]
