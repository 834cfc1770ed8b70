"""A child of ``doctor``: starts Qt as the window would, and says in one line of JSON what it found.

``platform`` is the display that Qt chose, ``chinese`` whether two Chinese characters are painted
differently, ``input_methods`` the plug-ins for them.
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, qVersion
from PySide6.QtGui import QGuiApplication, QImage, QPainter

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


def main() -> None:
    """Print what was found."""
    application = QGuiApplication(sys.argv[:1])
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    plugins = (folder / "platforminputcontexts").glob(f"*{_PLUGIN}*")
    found = {
        "qt": qVersion(),
        "platform": application.platformName(),
        "chinese": _painted("国") != _painted("语"),
        "input_methods": sorted(
            path.name.partition(_PLUGIN)[0].removeprefix("lib") for path in plugins
        ),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
