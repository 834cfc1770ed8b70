"""Giving a key for items that are encrypted in the workspace: files and a passphrase."""

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget
from typing_extensions import override

from core.i18n import tr
from core.workflow.sealing import given_keys
from gui.context import WindowContext
from gui.widgets.elements import caption, label
from gui.widgets.file_dialogs import FileDialog, worded
from gui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from core.sealing.archive import Unlocking

Work = Callable[["Unlocking | None"], object]


class KeyFields(QWidget):
    """Two lines: the files with identities or shares, and the passphrase, which is not shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.files, self.passphrase = QLineEdit(), QLineEdit()
        self.files.setPlaceholderText(tr("identity, or custodians' shares"))
        self.passphrase.setEchoMode(QLineEdit.EchoMode.Password)
        self.choose = QPushButton(tr("Choose…"))
        self.choose.clicked.connect(self._ask)
        self._paths: tuple[Path, ...] = ()
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        for line, (title, field) in enumerate((
            (tr("Key files"), self.files), (tr("Passphrase"), self.passphrase),
        )):  # fmt: skip
            field.setAccessibleName(title)
            grid.addWidget(caption(title), line, 0)
            grid.addWidget(field, line, 1)
        grid.addWidget(self.choose, 0, 2)
        grid.setColumnStretch(1, 1)

    def line_up_with(self, above: QGridLayout) -> None:
        """Begin the fields where those of the form above begin, whichever has the longer words."""
        grids = (self._grid, above)
        widest = max(_words_width(grid) for grid in grids)
        for grid in grids:
            grid.setColumnMinimumWidth(0, widest)

    def _ask(self) -> None:
        dialog = worded(FileDialog(self, tr("Key files")))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.show_paths)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def show_paths(self, paths: list[str]) -> None:
        """Take these files."""
        self._paths = tuple(map(Path, paths))
        self.files.setText("; ".join(paths))

    def given(self) -> tuple[tuple[Path, ...], str]:
        """The files and the passphrase; one file may be typed."""
        typed = self.files.text().strip()
        if typed == "; ".join(map(str, self._paths)):
            return self._paths, self.passphrase.text()
        return ((Path(typed),) if typed else ()), self.passphrase.text()


def _words_width(grid: QGridLayout) -> int:
    cells = (grid.itemAtPosition(line, 0) for line in range(grid.rowCount()))
    return max((cell.sizeHint().width() for cell in cells if cell is not None), default=0)


def with_key(fields: KeyFields, work: Work) -> Callable[[], object]:
    """The work with what the fields say now; the files are read by who does it."""
    return partial(_unlocked, *fields.given(), work)


def _unlocked(paths: tuple[Path, ...], passphrase: str, work: Work) -> object:
    return work(given_keys.unlocking_from(paths, passphrase))


class KeySheet(Sheet):
    """Does something with a key that is given in it; what is refused is said here."""

    def __init__(
        self, context: WindowContext, title: str, act: str, parent: QWidget, size: tuple[int, int]
    ) -> None:
        super().__init__(parent, title, size)
        self._context = context
        self._busy = False
        self.keys = KeyFields()
        self.cancel, self.act = QPushButton(tr("Cancel")), QPushButton(act)

    def _end_with_buttons(self, last: QHBoxLayout) -> None:
        self.act.setProperty("look", "filled")
        last.addStretch(1)
        for button, slot in ((self.cancel, self.reject), (self.act, self.run)):
            button.clicked.connect(slot)
            last.addWidget(button)
        self.ctrl_enter_presses(self.act)

    def run(self) -> None:
        """Do what the dialog was made for."""
        if self._busy:
            return
        self._busy = True
        self.act.setEnabled(False)
        work = with_key(self.keys, self._work_now())
        self._context.write(self, work, self._on_done, self._on_refused, lane="background")

    @abstractmethod
    def _work_now(self) -> Work:
        """What to do with the key, by what the fields say now."""

    def _to_mend(self) -> QWidget:
        """The field that a refusal leads to."""
        return self.keys.files

    def _on_done(self, _done: object) -> None:
        self.keys.passphrase.clear()
        self.accept()

    def _on_refused(self, sentence: str) -> None:
        self._busy = False
        self.act.setEnabled(True)
        self.say_trouble(sentence, self._to_mend())


class KeyDialog(KeySheet):
    """Asks for a key and nothing else."""

    def __init__(
        self, context: WindowContext, title: str, act: str, work: Work, parent: QWidget
    ) -> None:
        super().__init__(context, title, act, parent, (560, 300))
        self._work = work
        layout, last = self.with_body(margin=20, spacing=10)
        layout.addWidget(label(
            tr("The items are encrypted in the workspace. Give a key that opens their archive: an "
               "identity, the passphrase, or enough shares."), wrap=True,
        ))  # fmt: skip
        layout.addWidget(self.keys)
        layout.addStretch(1)
        self._end_with_buttons(last)
        self.focus_first(self.keys.files)

    @override
    def _work_now(self) -> Work:
        return self._work
