"""Asking for a file: where to write one, or which one to read. The window lives meanwhile."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from core.i18n import tr


def ask_where(
    parent: QWidget,
    title: str,
    name: str,
    chosen: Callable[[str], None],
    endings: Sequence[str] = (),
) -> QFileDialog:
    """Ask where to write; ``name`` is offered, and its ending is given to a name without one.

    With ``endings`` the kind of file can be chosen.
    """
    dialog = QFileDialog(parent, title, name)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if endings:
        dialog.setNameFilters([f"*.{ending}" for ending in endings])
        dialog.filterSelected.connect(partial(_on_filter, dialog))
    dialog.setDefaultSuffix(name.rpartition(".")[2])
    return _open(dialog, chosen)


def _on_filter(dialog: QFileDialog, shown: str) -> None:
    """Another kind of file was chosen: the name gets its ending."""
    ending = shown.rpartition(".")[2]
    dialog.setDefaultSuffix(ending)
    if names := dialog.selectedFiles():
        path = Path(names[0])
        if path.name and not path.is_dir():
            dialog.selectFile(path.with_suffix(f".{ending}").name)


def ask_which(
    parent: QWidget, title: str, chosen: Callable[[str], None], shown: str = ""
) -> QFileDialog:
    """Ask for a file that is there; ``shown`` is the filter of names, such as ``(*.csv)``."""
    dialog = QFileDialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    if shown:
        dialog.setNameFilter(shown)
    return _open(dialog, chosen)


def ask_folder(parent: QWidget, title: str, chosen: Callable[[str], None]) -> QFileDialog:
    """Ask for a folder that is there, or make one."""
    dialog = QFileDialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    return _open(dialog, chosen)


def worded(dialog: QFileDialog) -> QFileDialog:
    """The dialog with the words that Qt has no Chinese for."""
    for place, words in (
        (QFileDialog.DialogLabel.LookIn, tr("Folder:")),
        (QFileDialog.DialogLabel.FileName, tr("Name:")),
        (QFileDialog.DialogLabel.FileType, tr("Kind of file:")),
    ):
        dialog.setLabelText(place, words)
    return dialog


def _open(dialog: QFileDialog, chosen: Callable[[str], None]) -> QFileDialog:
    worded(dialog).fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
