"""Asking for a file: where to write one, or which one to read. The window lives meanwhile."""

from collections.abc import Callable

from PySide6.QtWidgets import QFileDialog, QWidget


def ask_where(parent: QWidget, title: str, name: str, chosen: Callable[[str], None]) -> QFileDialog:
    """Ask where to write; ``name`` is offered, and its ending is given to a name without one."""
    dialog = QFileDialog(parent, title, name)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(name.rpartition(".")[2])
    return _open(dialog, chosen)


def ask_which(
    parent: QWidget, title: str, chosen: Callable[[str], None], shown: str = ""
) -> QFileDialog:
    """Ask for a file that is there; ``shown`` is the filter of names, such as ``(*.csv)``."""
    dialog = QFileDialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    if shown:
        dialog.setNameFilter(shown)
    return _open(dialog, chosen)


def _open(dialog: QFileDialog, chosen: Callable[[str], None]) -> QFileDialog:
    dialog.fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
