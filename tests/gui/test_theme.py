"""Colours are readable, Chinese is Chinese, and the tokens are those of the design."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from gui import theme
from gui.icons import icon
from resources import resource


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_every_ink_reaches_four_and_a_half_on_every_ground(colours):
    for ink_name, ink in colours.inks.items():
        for ground_name, ground in colours.grounds.items():
            assert theme.contrast(ink, ground) >= 4.5, f"{ink_name} on {ground_name}"


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_a_label_on_a_filled_button_is_readable(colours):
    for ink in (colours.accent, colours.accept, colours.reject, colours.returned):
        assert theme.contrast(colours.on_fill, ink) >= 4.5


def test_contrast_is_that_of_the_published_formula():
    assert theme.contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert theme.contrast("#777777", "#FFFFFF") == pytest.approx(4.478, abs=0.001)
    assert theme.contrast("#FFFFFF", "#777777") == theme.contrast("#777777", "#FFFFFF")


def test_two_chinese_characters_paint_differently(qapp):
    def painted(text: str) -> QImage:
        image = QImage(40, 40, QImage.Format.Format_Grayscale8)
        image.fill(255)
        painter = QPainter(image)
        painter.setFont(theme.font(24))
        painter.drawText(4, 30, text)
        painter.end()
        return image

    assert painted("条") != painted("评")


def test_an_english_apostrophe_is_narrow_and_a_chinese_quotation_mark_is_wide(qapp):
    english = QFontMetricsF(theme.font(20, chinese=False)).horizontalAdvance("’")
    assert english < 10


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_style_sheet_has_no_hole(qapp, name):
    sheet = theme.style_sheet(theme.tokens(name))
    assert "$" not in sheet
    assert sheet.count("{") == sheet.count("}")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_box_of_a_line_that_can_be_ticked_is_seen(qapp, qtbot, name):
    theme.apply(qapp, name)
    colours = theme.tokens(name)
    ticks = QListWidget()
    qtbot.addWidget(ticks)
    line = QListWidgetItem(" ")
    line.setCheckState(Qt.CheckState.Unchecked)
    ticks.addItem(line)
    ticks.setFixedSize(60, 60)
    ticks.show()
    place = ticks.visualItemRect(line)

    def strongest() -> float:
        image = ticks.viewport().grab(place).toImage()
        painted = {image.pixelColor(x, y).name()
                   for x in range(image.width()) for y in range(image.height())}  # fmt: skip
        return max(theme.contrast(colour, colours.surface) for colour in painted)

    assert strongest() >= 3.0
    line.setCheckState(Qt.CheckState.Checked)
    assert strongest() >= 3.0


@pytest.mark.parametrize("path", sorted(resource("icons").glob("*.svg")), ids=lambda p: p.stem)
def test_an_icon_takes_the_ink_of_the_theme(qapp, path):
    image = icon(path.stem, "#AD3229").pixmap(36, 36).toImage()
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    strongest = max(pixels, key=lambda colour: colour.alpha())
    assert strongest.alpha() > 120
    for seen, wanted in zip(strongest.getRgb()[:3], (0xAD, 0x32, 0x29), strict=True):
        assert abs(seen - wanted) <= 6
