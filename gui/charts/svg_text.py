"""Words of an SVG file that look alike on every machine: names of fonts that any reader takes.

Qt writes a list of font families as it is. CSS takes no name with a number in it unless it stands
in quotes, and then falls back to a serif face; and where a face is missing, words run into what
stands behind them. So names are quoted, and every piece of text says how long it is.
"""

import html
import re

from PySide6.QtGui import QFont, QFontMetricsF

_TEXT = re.compile(
    r'(<text [^>]*?font-family=")([^"]*)(" font-size="([\d.]+)" font-weight="(\d+)"[^>]*?)'
    r"\s*>(.*?)</text>",
    re.DOTALL,
)
_FAMILIES = re.compile(r'font-family="([^"]*)"')
_PLAIN = "sans-serif"


def portable(drawn: str) -> str:
    """The SVG text ``drawn`` by Qt with quoted families, and the length of every text in pixels."""
    measured = _TEXT.sub(_measured, drawn)
    return _FAMILIES.sub(lambda match: f'font-family="{_quoted(match[1])}"', measured)


def _measured(match: re.Match[str]) -> str:
    before, families, between, size, weight, escaped = match.groups()
    font = QFont()
    font.setFamilies([name.strip() for name in families.split(",")])
    font.setPixelSize(max(1, round(float(size))))
    font.setWeight(QFont.Weight(int(weight)))
    length = QFontMetricsF(font).horizontalAdvance(html.unescape(escaped))
    fixed = f' textLength="{length:.2f}" lengthAdjust="spacingAndGlyphs"' if length > 0 else ""
    return f"{before}{families}{between}{fixed}>{escaped}</text>"


def _quoted(families: str) -> str:
    names = [name.strip(" '") for name in families.split(",")]
    quoted = dict.fromkeys([*(f"'{name}'" for name in names if name and name != _PLAIN), _PLAIN])
    return ",".join(quoted)
