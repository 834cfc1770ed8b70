"""Name the system packages that the window needs and this system lacks (Linux, Debian's names).

Prints one line for each: ``vital PACKAGE`` where no window can start without it, ``wanted PACKAGE``
where something shows badly or a part of the tests cannot run. Usage: system_check.py [dev|app]
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.health.libraries import OFFSCREEN, WAYLAND, X11, missing
from core.health.workstation import probe_window

TEST_PROGRAMS = {"xvfb": "Xvfb", "xauth": "xauth"}


def chinese_is_painted() -> bool:
    """Whether Qt paints two Chinese characters differently."""
    probe = probe_window(display=False)
    return probe.chinese and not probe.trouble


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
