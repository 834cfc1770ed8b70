"""Colours, type and spacing of the window: the one place where a colour has a value.

Colour means state and nothing else, and is always doubled by a word or a shape.
"""

from dataclasses import dataclass, fields
from functools import cache
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication

from core.i18n import language
from resources import resource

RADIUS = 6
"""Corner radius in pixels."""
ITEM_PX = 17
"""Size of item text in pixels; the measure of the item column follows from it."""
TEXT_PX = 15
"""Size of the window's own words in pixels."""
SMALL_PX = 13
"""Size of captions and figures beside a title in pixels."""
LINE_HEIGHT = 1.5
"""Line height as a multiple of the text size."""

SIZES = (13, 15, 17, 19, 21, 24, 28, 32)
"""The sizes of item text that can be chosen, in pixels."""
LINE_HEIGHTS = (1.3, 1.5, 1.8)
DENSITIES = (0.6, 1.0, 1.5)
"""Space between the blocks of an item, as a multiple of the usual one."""


@dataclass(frozen=True, slots=True)
class ReadingType:
    """How the text of items is set: its size in pixels, its line height and the space between
    blocks as multiples of the usual, and whether formulas are drawn or stand as TeX."""

    size: int = ITEM_PX
    line_height: float = LINE_HEIGHT
    density: float = 1.0
    formulas: bool = True

    @property
    def measure(self) -> int:
        """Width of the item column in pixels: about 70 Latin or 36 Chinese characters."""
        return 36 * self.size


_reading = ReadingType()


def reading() -> ReadingType:
    """How the text of items is set in this window."""
    return _reading


def read_in(type_: ReadingType) -> None:
    """Set the text of items so from now on; what is on a page already stays as it is."""
    global _reading
    _reading = type_


FAMILIES = (
    "Noto Sans",
    "Source Sans 3",
    "Segoe UI",
    "Helvetica Neue",
    "Noto Sans CJK SC",
    "PingFang SC",
    "Microsoft YaHei UI",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "DejaVu Sans",
)
"""First choice first. The Latin faces come before the Chinese ones, which fill in the rest."""

_family = ""


def use_family(name: str) -> None:
    """Set words in this family from now on, before those of ``FAMILIES``; empty: in those alone."""
    global _family
    _family = name


MONOSPACE = (
    "Noto Sans Mono",
    "Cascadia Mono",
    "Menlo",
    "DejaVu Sans Mono",
    "Noto Sans Mono CJK SC",
)
"""For hashes, logs and code only."""

SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Series in figures, colour-blind safe (Okabe and Ito 2008); each also has its own marker."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme as ``#RRGGBB``."""

    background: str
    surface: str
    line: str
    text: str
    muted: str
    accent: str
    selection: str
    accept: str
    reject: str
    returned: str
    on_fill: str

    @property
    def inks(self) -> dict[str, str]:
        """Every colour that words are written in, by name."""
        grounds = {"background", "surface", "line", "selection", "on_fill"}
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in grounds}

    @property
    def grounds(self) -> dict[str, str]:
        """Every colour that words are written on, by name."""
        return {name: getattr(self, name) for name in ("background", "surface", "selection")}


LIGHT = Tokens(
    background="#F7F6F2",
    surface="#FFFFFF",
    line="#D8D5CC",
    text="#1E2328",
    muted="#59626D",
    accent="#2B5C8F",
    selection="#DCE8F4",
    accept="#1B7346",
    reject="#AD3229",
    returned="#8A5A00",
    on_fill="#FFFFFF",
)
DARK = Tokens(
    background="#15181C",
    surface="#1E2227",
    line="#3A414A",
    text="#E7E9EB",
    muted="#A6AFB9",
    accent="#82B4E6",
    selection="#2A3B4D",
    accept="#62C492",
    reject="#F2938A",
    returned="#E3B65A",
    on_fill="#15181C",
)


def tokens(name: str) -> Tokens:
    """The colours of a theme; every name but ``dark`` is the light one."""
    return DARK if name == "dark" else LIGHT


def luminance(colour: str) -> float:
    """Relative luminance in [0, 1] of ``#RRGGBB`` (WCAG 2.2, relative luminance)."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(ink: str, ground: str) -> float:
    """Contrast ratio in [1, 21] of two colours, in either order (WCAG 2.2, 1.4.3)."""
    dark, light = sorted((luminance(ink), luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def font(
    pixels: int = TEXT_PX,
    *,
    bold: bool = False,
    monospace: bool = False,
    chinese: bool | None = None,
) -> QFont:
    """A font of our families; one weight for text, one for headings.

    ``chinese`` says whether the text is; None goes by the window's language. The Chinese faces set
    quotation marks and apostrophes as wide as a character, which is right in Chinese text only.
    """
    wide = language() == "zh" if chinese is None else chinese
    return QFont(_font("" if monospace else _family, pixels, bold, monospace, wide))


@cache
def _font(family: str, pixels: int, bold: bool, monospace: bool, wide: bool) -> QFont:
    """A font to be copied: a window asks for ninety, of a dozen kinds."""
    font_ = QFont()
    own = (family,) if family else ()
    font_.setFamilies([*own, *(MONOSPACE if monospace else FAMILIES)])
    font_.setPixelSize(pixels)
    font_.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    # said either way: a font that says nothing takes the feature of the application's font
    font_.setFeature(QFont.Tag("pwid"), 0 if wide else 1)
    font_.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return font_


def palette(colours: Tokens) -> QPalette:
    """The same colours for whatever Qt paints by itself."""
    palette_ = QPalette()
    role = QPalette.ColorRole
    for target, value in (
        (role.Window, colours.background),
        (role.WindowText, colours.text),
        (role.Base, colours.surface),
        (role.AlternateBase, colours.background),
        (role.Text, colours.text),
        (role.Button, colours.surface),
        (role.ButtonText, colours.text),
        (role.BrightText, colours.on_fill),
        (role.Highlight, colours.selection),
        (role.HighlightedText, colours.text),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.accent),
        (role.ToolTipBase, colours.surface),
        (role.ToolTipText, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Accent, colours.accent),
        (role.Mid, colours.line),
        (role.Midlight, colours.line),
        (role.Dark, colours.line),
        (role.Light, colours.surface),
        (role.Shadow, colours.line),
    ):
        palette_.setColor(target, QColor(value))
    for target in (role.WindowText, role.Text, role.ButtonText):
        palette_.setColor(QPalette.ColorGroup.Disabled, target, QColor(colours.muted))
    return palette_


def style_sheet(colours: Tokens) -> str:
    """The style sheet of the whole window; widgets opt in by name or by the ``look`` property."""
    values = {field.name: getattr(colours, field.name) for field in fields(colours)}
    template = Template(resource("themes", "window.qss").read_text(encoding="utf-8"))
    shade = "dark" if colours is DARK else "light"
    drawn = {
        name: resource("themes", f"{name}-{shade}.svg").as_posix() for name in ("arrow", "check")
    }
    return template.substitute(values, radius=RADIUS, **drawn)


def apply(app: QApplication, name: str) -> Tokens:
    """Dress the application in a theme and return its colours."""
    colours = tokens(name)
    app.setStyle("Fusion")
    app.setFont(font())
    app.setPalette(palette(colours))
    app.setStyleSheet(style_sheet(colours))
    hints = app.styleHints()
    scheme = Qt.ColorScheme.Dark if name == "dark" else Qt.ColorScheme.Light
    if hints.colorScheme() != scheme:
        hints.setColorScheme(scheme)
        app.setPalette(palette(colours))
    return colours
