"""Pictures of every panel, made without a display: for the demonstration, and to be looked at."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QCursor, QImage

from core.errors import OutsideError
from gui import i18n, theme
from gui.app import application
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from gui.window.workbench import Workbench

SIZE = (1280, 820)
_LIMIT_S = 60.0


def save_pictures(
    workspace_location: str | Path,
    out: Path,
    person: str,
    language: str = "en",
    panels: Sequence[str] = (),
) -> list[Path]:
    """Open the window as ``person``, show one panel after the other, and save each as PNG.

    ``panels`` are ids of the registry; all that the person sees when empty. The files are named
    ``review.png`` and so on. Raises OutsideError when the window cannot show the workspace.
    """
    preferences = Preferences(language=language, size=SIZE)
    app = application(preferences)
    i18n.use_language(app, language)
    theme.apply(app, preferences.theme)
    out.mkdir(parents=True, exist_ok=True)
    window = MainWindow(str(workspace_location), preferences, keeping=False)
    QCursor.setPos(SIZE[0] + 200, SIZE[1] + 200)
    try:
        window.open_(person)
        window.show()
        wait_for(lambda: window.workbench is not None)
        workbench = window.workbench
        assert workbench is not None
        workbench.poll()
        return [_save(window, workbench, panel, out) for panel in panels or workbench.places]
    finally:
        window.close()
        window.deleteLater()


def _save(window: MainWindow, workbench: Workbench, panel: str, out: Path) -> Path:
    workbench.show_panel(panel)
    shown = workbench.panel(panel)
    wait_for(lambda: shown.ready() and not window.tasks.busy)
    path = out / f"{panel}.png"
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    if not image.save(str(path)):
        raise OutsideError.tr("Could not write the image “{path}”.", path=path)
    return path


def wait_for(condition: Callable[[], bool], limit: float = _LIMIT_S) -> None:
    """Let the window live until something is true; OutsideError when that takes too long."""
    deadline = time.monotonic() + limit
    loop = QEventLoop()
    timer = QTimer()
    timer.setInterval(5)
    timer.timeout.connect(loop.quit)
    timer.start()
    loop.exec()
    while not condition():
        if time.monotonic() > deadline:
            timer.stop()
            raise OutsideError.tr("The window took too long to show its content.")
        loop.exec()
    loop.exec()
    timer.stop()
