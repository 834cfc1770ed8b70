"""A child of ``doctor``: starts Qt as the window would, and says in one line of JSON what it found.

``platform`` is the display that Qt chose, ``chinese`` whether two Chinese characters are painted
differently, ``boxes`` the other scripts of which two characters are not, ``input_methods`` the
plug-ins for them.
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, qVersion
from PySide6.QtGui import QGuiApplication, QImage, QPainter

_SCRIPTS = {
    "Arabic": "عم", "Bengali": "কখ", "Cyrillic": "жш", "Devanagari": "कख", "Hebrew": "אש",
    "Japanese": "あを", "Korean": "가힣", "Tamil": "கஞ", "Thai": "กฮ",
}  # fmt: skip
_PLUGIN = "platforminputcontextplugin"


def _painted(character: str) -> bytes:
    image = QImage(64, 64, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    font = painter.font()
    font.setPixelSize(40)
    painter.setFont(font)
    painter.drawText(8, 48, character)
    painter.end()
    return bytes(image.constBits())


def _is_painted(two: str) -> bool:
    """Whether a font has two characters: without one both are the same box."""
    return _painted(two[0]) != _painted(two[1])


def main() -> None:
    """Print what was found."""
    application = QGuiApplication(sys.argv[:1])
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    plugins = (folder / "platforminputcontexts").glob(f"*{_PLUGIN}*")
    found = {
        "qt": qVersion(),
        "platform": application.platformName(),
        "chinese": _is_painted("国语"),
        "boxes": [script for script, two in _SCRIPTS.items() if not _is_painted(two)],
        "input_methods": sorted(
            path.name.partition(_PLUGIN)[0].removeprefix("lib") for path in plugins
        ),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
