"""What the Qt of this installation must be able to do before any window is worth testing."""

import subprocess
import sys

import pytest
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

# PySide6 6.12.0 on Python 3.11 loses a reference to None in every void call and dies after some
# thousands; the calls run in a process of their own so that an abort is a failure with a name.
MANY_VOID_CALLS = """
import sys
from PySide6.QtCore import QObject
thing = QObject()
before = sys.getrefcount(None)
for _ in range(20_000):
    thing.setObjectName("x")
print(before - sys.getrefcount(None))
"""


def test_twenty_thousand_void_calls_cost_no_reference_to_none() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY_VOID_CALLS], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1_000


def painted(text: str, font: QFont) -> bytes:
    image = QImage(96, 96, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    painter.setFont(font)
    painter.setPen(0)
    painter.drawText(16, 72, text)
    painter.end()
    return bytes(image.constBits())


@pytest.mark.parametrize("pair", ["国语", "审核", "评测", "样本", "Ab"])
def test_two_different_characters_paint_differently(qapp: QApplication, pair: str) -> None:
    font = QFont(qapp.font())
    font.setPixelSize(56)
    pictures = [painted(character, font) for character in pair]
    assert all(picture != painted("", font) for picture in pictures)
    assert pictures[0] != pictures[1]
