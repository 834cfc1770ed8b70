"""The entry to the window."""

import gc
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, Qt, QtMsgType, qInstallMessageHandler, qWarning
from PySide6.QtWidgets import QApplication

from core import crash_reports
from core.errors import OutsideError
from core.i18n import language_from_environment, tr
from gui import i18n, preferences, theme
from gui.actions import KeyGate
from gui.dialogs.crash_report import offer_reports
from gui.ending import close_when_told
from gui.garbage import GarbageCollector
from gui.preferences import Preferences
from gui.window.main_window import MainWindow


def application(preferences: Preferences) -> QApplication:
    """The one application object, dressed in the theme and speaking the language."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        app = existing
    else:
        QApplication.setHighDpiScaleFactorRoundingPolicy(
            Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
        )
        with _one_sentence_without_display():
            app = QApplication(sys.argv[:1])
        app.setApplicationName("benchseal")
        app.setDesktopFileName("benchseal")
        sys.setswitchinterval(0.001)  # a worker hands its result over within a millisecond
        gc.set_threshold(50_000, 20, 50)  # a collection in the middle of a key press is seen
        GarbageCollector(app)
    i18n.use_language(app, preferences.language or language_from_environment())
    theme.use_family(preferences.font)
    theme.apply(app, preferences.theme)
    if app.findChild(KeyGate) is None:
        KeyGate(app)
    return app


@contextmanager
def _one_sentence_without_display() -> Iterator[None]:
    """Qt aborts the process where it can show nothing: this ends it with a sentence instead, and
    without what would be taken for a crash at the next start."""
    said: list[str] = []

    def take(kind: QtMsgType, _: QMessageLogContext, message: str) -> None:
        if kind != QtMsgType.QtFatalMsg:
            said.append(message)
            return
        crash_reports.stop()
        reason = next(iter([*said, message])).strip().rstrip(".")
        said_why = tr(
            "The window cannot be opened: {reason}. See what to do with: benchseal doctor",
            reason=reason,
        )
        os.write(sys.stderr.fileno(), f"{said_why}\n".encode())
        os._exit(OutsideError.exit_code)

    before = qInstallMessageHandler(take)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
    for message in said:
        qWarning(message)


def run_window(location: str | Path = "", person: str | None = None) -> int:
    """Open the window on a workspace and stay until it is closed; returns the exit code.

    Without a location the start page asks for one. ``person`` begins at once; without one the
    window first asks who is working.
    """
    crash_reports.start()
    kept = preferences.load()
    app = application(kept)
    window = MainWindow(str(location), kept)
    window.fit(window.screen().availableSize())
    if location:
        window.open_(person or "")
    else:
        window.show_start()
    window.show()
    close_when_told(window)
    offer_reports(window)
    code = int(app.exec())
    crash_reports.stop()
    if not window.ended_well:
        # a worker hangs in the system: Python would wait for it for ever
        logging.shutdown()
        os._exit(code)
    return code
