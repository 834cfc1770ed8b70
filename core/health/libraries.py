"""The system libraries that Qt loads on Linux, by Debian's packages."""

import ctypes
from collections.abc import Mapping
from types import MappingProxyType

OFFSCREEN = MappingProxyType({
    "libgl1": "libGL.so.1",
    "libegl1": "libEGL.so.1",
    "libxkbcommon0": "libxkbcommon.so.0",
    "libfontconfig1": "libfontconfig.so.1",
    "libglib2.0-0": "libglib-2.0.so.0",
    "libdbus-1-3": "libdbus-1.so.3",
})  # fmt: skip
X11 = MappingProxyType({
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
})  # fmt: skip
WAYLAND = MappingProxyType({
    "libwayland-client0": "libwayland-client.so.0",
    "libwayland-cursor0": "libwayland-cursor.so.0",
    "libwayland-egl1": "libwayland-egl.so.1",
})  # fmt: skip


def missing(libraries: Mapping[str, str]) -> list[str]:
    """Packages whose library the dynamic linker does not find."""
    absent = []
    for package, library in libraries.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            absent.append(package)
    return absent
