"""The real window with a control that nobody named: ``python planted_window.py WORKSPACE PERSON``.

Started by ``test_at_spi.py``, which must find the control.
"""

import sys

from PySide6.QtWidgets import QToolButton, QWidget

from gui.actions import Actions
from gui.window import frame


class PlantedTopBar(frame.TopBar):
    """The top bar, and at its end a button without words."""

    def __init__(self, actions: Actions, ink: str, parent: QWidget | None = None) -> None:
        super().__init__(actions, ink, parent)
        button = QToolButton()
        button.setMinimumSize(20, 20)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(button)


if __name__ == "__main__":
    frame.TopBar = PlantedTopBar  # type: ignore[misc]  # before the workbench takes it
    from gui.app import run_window

    sys.exit(run_window(*sys.argv[1:3]))
