"""Name the system packages that the window needs and this system lacks (Linux, Debian's names).

Prints one line for each: ``vital PACKAGE`` where no window can start without it, ``wanted PACKAGE``
where something shows badly or a part of the tests cannot run. Usage: system_check.py [dev|app]
"""

import ctypes
import os
import shutil
import subprocess
import sys

OFFSCREEN = {
    "libgl1": "libGL.so.1",
    "libegl1": "libEGL.so.1",
    "libxkbcommon0": "libxkbcommon.so.0",
    "libfontconfig1": "libfontconfig.so.1",
    "libglib2.0-0": "libglib-2.0.so.0",
    "libdbus-1-3": "libdbus-1.so.3",
}
X11 = {
    "libxcb-cursor0": "libxcb-cursor.so.0",
    "libxcb-icccm4": "libxcb-icccm.so.4",
    "libxcb-image0": "libxcb-image.so.0",
    "libxcb-keysyms1": "libxcb-keysyms.so.1",
    "libxcb-randr0": "libxcb-randr.so.0",
    "libxcb-render-util0": "libxcb-render-util.so.0",
    "libxcb-shape0": "libxcb-shape.so.0",
    "libxcb-sync1": "libxcb-sync.so.1",
    "libxcb-xfixes0": "libxcb-xfixes.so.0",
    "libxcb-xkb1": "libxcb-xkb.so.1",
    "libxkbcommon-x11-0": "libxkbcommon-x11.so.0",
    "libx11-xcb1": "libX11-xcb.so.1",
    "libxcb-util1": "libxcb-util.so.1",
}
WAYLAND = {
    "libwayland-client0": "libwayland-client.so.0",
    "libwayland-cursor0": "libwayland-cursor.so.0",
    "libwayland-egl1": "libwayland-egl.so.1",
}
TEST_PROGRAMS = {"xvfb": "Xvfb", "xauth": "xauth"}

# Without a Chinese font every character is painted as the same box.
PAINT_TWO_CHARACTERS = """
from PySide6.QtGui import QGuiApplication, QImage, QPainter
application = QGuiApplication([])
def painted(character):
    image = QImage(64, 64, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    font = painter.font()
    font.setPixelSize(40)
    painter.setFont(font)
    painter.drawText(8, 48, character)
    painter.end()
    return bytes(image.constBits())
raise SystemExit(painted("国") == painted("语"))
"""


def missing(libraries: dict[str, str]) -> list[str]:
    """Packages whose library the dynamic linker does not find."""
    absent = []
    for package, library in libraries.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            absent.append(package)
    return absent


def chinese_is_painted() -> bool:
    """Whether Qt paints two Chinese characters differently."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", PAINT_TWO_CHARACTERS]
    return subprocess.run(command, env=environment, capture_output=True).returncode == 0


def main() -> None:
    """Print what is missing."""
    if sys.platform != "linux":
        return
    testing = sys.argv[1:] == ["dev"]
    vital = missing(OFFSCREEN)
    wanted = []
    if os.environ.get("DISPLAY") or testing:
        wanted += missing(X11)
    if os.environ.get("WAYLAND_DISPLAY"):
        wanted += missing(WAYLAND)
    if testing:
        wanted += [package for package, name in TEST_PROGRAMS.items() if not shutil.which(name)]
    # without the libraries nothing can be painted: then only the list of fonts can tell
    if not (fontconfig_knows_chinese() if vital else chinese_is_painted()):
        wanted.append("fonts-noto-cjk")
    for kind, packages in (("vital", vital), ("wanted", wanted)):
        for package in packages:
            print(kind, package)


def fontconfig_knows_chinese() -> bool:
    """Whether ``fc-list``, where it exists, names a font for Chinese."""
    program = shutil.which("fc-list")
    if program is None:
        return False
    listed = subprocess.run([program, ":lang=zh"], capture_output=True, text=True)
    return bool(listed.stdout.strip())


if __name__ == "__main__":
    main()
