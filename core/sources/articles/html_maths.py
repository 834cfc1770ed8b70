"""Formulas of a page: MathML, and what MathJax and KaTeX drew in the place of TeX."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

_DRAWN = frozenset(
    {"MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG", "MathJax_SVG_Display",
     "MathJax_CHTML", "mjx-chtml", "MJXc-display", "katex"}
)  # fmt: skip
"""Classes of the elements in which a formula is drawn."""
_TEX_SCRIPT = re.compile(r"math/tex", re.IGNORECASE)
_SPOKEN = re.compile(r"^[^\\^_{}]*[A-Za-z]{2,} [A-Za-z]{2,}[^\\^_{}]*$")
"""A label that says a formula in words, from which it cannot be told."""
_COMMANDS = {
    "msub": "{0}_{{{1}}}", "msup": "{0}^{{{1}}}", "msubsup": "{0}_{{{1}}}^{{{2}}}",
    "mfrac": "\\frac{{{0}}}{{{1}}}", "mroot": "\\sqrt[{1}]{{{0}}}",
    "mover": "\\overset{{{1}}}{{{0}}}", "munder": "{0}_{{{1}}}",
    "munderover": "{0}_{{{1}}}^{{{2}}}",
}  # fmt: skip
"""LaTeX for the elements of MathML that put one thing above, below or beside another."""
_UNSEEN = frozenset({"annotation", "annotation-xml", "mphantom"})
_MOST_DEPTH = 60


def tex_of(maths: Any) -> str:
    """The LaTeX that a ``math`` element keeps in ``alttext`` or an annotation, else made of it."""
    alternative = maths.get("alttext")
    if alternative:
        return str(alternative)
    for annotation in maths.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower():
            return str(annotation.text or "")
    return _made(maths, 0)


def undraw(root: Any) -> None:
    """Put a ``math`` element with its LaTeX where a script or a program drew a formula.

    One of which nothing but its drawing is known becomes an image without a text.
    """
    for script in [s for s in root.iter("script") if _TEX_SCRIPT.search(s.get("type") or "")]:
        _remove_drawings_before(script)
        _become(script, script.text or "", display="display" in script.get("type"))
    for drawn in [n for n in root.iter() if isinstance(n.tag, str) and _is_drawn(n)]:
        if drawn.getparent() is None or any(_is_drawn(above) for above in drawn.iterancestors()):
            continue  # the outer one stands for what is in it
        tex = next(_known(drawn), "")
        if tex:
            _become(drawn, tex, display=_is_displayed(drawn))
        else:
            _empty(drawn).tag = "img"


def _is_drawn(node: Any) -> bool:
    if not isinstance(node.tag, str):
        return False
    return node.tag == "mjx-container" or not _DRAWN.isdisjoint((node.get("class") or "").split())


def _is_displayed(drawn: Any) -> bool:
    above = drawn.getparent()
    classes = f"{drawn.get('class') or ''} {above.get('class') or ''}".lower()
    return "display" in classes or drawn.get("display") == "true"


def _known(drawn: Any) -> Iterator[str]:
    for maths in drawn.iter("math"):
        yield tex_of(maths)
    for node in drawn.iter():
        label = (node.get("aria-label") or "") if isinstance(node.tag, str) else ""
        if label and not _SPOKEN.match(label):
            yield label


def _remove_drawings_before(script: Any) -> None:
    while (before := script.getprevious()) is not None and _is_drawn(before):
        if (before.tail or "").strip():
            return
        tail, before.tail = before.tail or "", None
        outer = before.getprevious()
        parent = before.getparent()
        parent.remove(before)
        if outer is not None:
            outer.tail = (outer.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail


def _become(node: Any, tex: str, *, display: bool) -> None:
    _empty(node).tag = "math"
    node.set("alttext", tex.strip())
    if display:
        node.set("display", "block")


def _empty(node: Any) -> Any:
    tail = node.tail
    node.clear()
    node.tail = tail
    return node


def _made(node: Any, depth: int) -> str:
    """LaTeX of an element of MathML, whose signs stay as they are."""
    if not isinstance(node.tag, str) or node.tag in _UNSEEN or depth > _MOST_DEPTH:
        return ""
    parts = [_made(child, depth + 1) for child in node]
    if len(node) == _places(node.tag):
        return _COMMANDS[node.tag].format(*parts)
    inside = "".join(_in_turn(node, parts))
    return f"\\sqrt{{{inside}}}" if node.tag == "msqrt" else inside


def _places(tag: str) -> int:
    """How many things an element puts beside each other; -1 for one that only holds them."""
    if tag not in _COMMANDS:
        return -1
    return 3 if tag in ("msubsup", "munderover") else 2


def _in_turn(node: Any, parts: Sequence[str]) -> Iterator[str]:
    yield (node.text or "").strip()
    for child, part in zip(node, parts, strict=True):
        yield part
        yield (child.tail or "").strip()
