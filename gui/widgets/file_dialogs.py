"""Asking for a file: where to write one, or which one to read. The window lives meanwhile."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QAbstractItemView, QDialog, QFileDialog, QLineEdit, QTreeView, QWidget

from core.i18n import tr

_KIND = 2
"""The column of ``QFileSystemModel`` with the kind of a file."""


class FileDialog(QFileDialog):
    """Qt's dialog, in which a typed path is the one that is meant.

    While a path is typed Qt selects what its beginnings name in the list, and then takes these as
    well: of a folder that was typed whole nobody was told, and a file was not taken at all.
    """

    new_folder = False
    """Whether the name of a folder that is not there yet is taken; whoever writes makes it."""

    def accept(self) -> None:
        """Take what was typed, else what is selected."""
        line = self.findChild(QLineEdit, "fileNameEdit")
        if line is not None and line.isModified() and line.text():
            for name in ("listView", "treeView"):
                view = self.findChild(QAbstractItemView, name)
                if view is not None:
                    view.clearSelection()
            path = Path(self.directory().absolutePath(), line.text()).expanduser()
            if self.new_folder and not path.exists():
                self.fileSelected.emit(str(path))
                self.done(QDialog.DialogCode.Accepted)
                return
        super().accept()


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
    dialog = FileDialog(parent, title, name)
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
    dialog = FileDialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    if shown:
        dialog.setNameFilter(shown)
    return _open(dialog, chosen)


def ask_folder(
    parent: QWidget, title: str, chosen: Callable[[str], None], *, new: bool = False
) -> QFileDialog:
    """Ask for a folder; with ``new`` also for one that is not there, to be written into."""
    dialog = FileDialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.new_folder = new
    return _open(dialog, chosen)


def worded(dialog: QFileDialog) -> QFileDialog:
    """The dialog with the words that Qt has no Chinese for, and without those of its column of
    kinds of files, which stay English and say no more than the ending."""
    for place, words in (
        (QFileDialog.DialogLabel.LookIn, tr("Folder:")),
        (QFileDialog.DialogLabel.FileName, tr("Name:")),
        (QFileDialog.DialogLabel.FileType, tr("Kind of file:")),
    ):
        dialog.setLabelText(place, words)
    details = dialog.findChild(QTreeView, "treeView")  # none where the desktop's own is shown
    if details is not None:
        details.header().hideSection(_KIND)
    return dialog


def _open(dialog: QFileDialog, chosen: Callable[[str], None]) -> QFileDialog:
    worded(dialog).fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
