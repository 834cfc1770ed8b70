"""Line icons in the ink of the theme. They double a word, they never stand alone."""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from resources import resource

_SCALES = (1, 2)


@cache
def _drawing(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


def icon(name: str, ink: str, size: int = 18) -> QIcon:
    """The icon of that name drawn in ``ink`` (``#RRGGBB``), at ``size`` pixels and twice that."""
    icon_ = QIcon()
    for scale in _SCALES:
        key = f"{name} {ink} {size} {scale}"
        pixmap = QPixmap()
        if not QPixmapCache.find(key, pixmap):
            pixmap = _drawn(name, ink, size, scale)
            QPixmapCache.insert(key, pixmap)
        icon_.addPixmap(pixmap)
    return icon_


def _drawn(name: str, ink: str, size: int, scale: int) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", ink).encode()))
    pixmap = QPixmap(size * scale, size * scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size * scale, size * scale))
    painter.end()
    pixmap.setDevicePixelRatio(scale)
    return pixmap
