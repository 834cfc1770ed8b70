"""Locking a split: who can open the archive, for which period, and into which file."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from core.errors import InputError
from core.i18n import tr
from core.sealing import archive
from core.sealing.archive import Locks
from core.sealing.custodians import MOST_CUSTODIANS, CustodyRule
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import LockedArchive, SealOrder
from core.workflow.splits import openings
from gui.context import WindowContext
from gui.widgets.elements import caption, label, row
from gui.widgets.file_dialogs import ask_where
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import NumberBox


class LockDialog(Sheet):
    """Errors are said here, and what was typed stays; no passphrase is ever shown or kept."""

    def __init__(
        self, context: WindowContext, split: str, parent: QWidget, *, frozen: bool = True
    ) -> None:
        """``frozen`` splits are sealed by it, and may be so under a policy."""
        super().__init__(parent, tr("Locked archive of {split}", split=split), (620, 560))
        self._context, self._split = context, split
        self._busy = False
        self.locked: LockedArchive | None = None
        """What was written."""
        self.recipients = QPlainTextEdit()
        self.recipients.setPlaceholderText("age1…")
        self.recipients.setTabChangesFocus(True)
        self.recipients.setFixedHeight(72)
        self.passphrase, self.again = QLineEdit(), QLineEdit()
        for field in (self.passphrase, self.again):
            field.setEchoMode(QLineEdit.EchoMode.Password)
        self.custodians = QCheckBox(tr("Custodians open it together"))
        self.needed, self.shares = NumberBox(), NumberBox()
        for spin, value, title in ((self.needed, 2, tr("Custodians that are needed")),
                                   (self.shares, 3, tr("Custodians in all"))):  # fmt: skip
            spin.setRange(2, MOST_CUSTODIANS)
            spin.setValue(value)
            spin.setEnabled(False)
            spin.setMinimumWidth(72)
            spin.lineEdit().setTextMargins(8, 0, 8, 0)
            spin.setAccessibleName(title)
            self.custodians.toggled.connect(spin.setEnabled)
        self.once = QCheckBox(tr("Each model is evaluated once for each opening"))
        self.once.setToolTip(tr("A second opening for a model needs a second lead; the split is "
                                "not exported until it expires."))  # fmt: skip
        self.once.setVisible(frozen)
        self.period, self.cutoff = QLineEdit(), QLineEdit()
        self.period.setPlaceholderText(tr("such as 2026-07/2026-12"))
        self.cutoff.setPlaceholderText(tr("such as 2026-07-01"))
        self.cancel, self.lock = QPushButton(tr("Cancel")), QPushButton(tr("Write the archive…"))
        self._build()
        self.focus_first(self.recipients)

    def _build(self) -> None:
        layout, last = self.with_body(margin=20, spacing=10)
        layout.addWidget(label(
            tr("One file: the manifest in the clear, the items encrypted, all of it signed. A "
               "frozen split is sealed by it. The items in the workspace are encrypted as well: "
               "without a key that opens the archive they are lost."),
            ink="muted", wrap=True))  # fmt: skip
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        for line, (title, field) in enumerate((
            (tr("Recipients, one per line"), self.recipients),
            (tr("Passphrase"), self.passphrase),
            (tr("Passphrase once more"), self.again),
            (tr("Evaluation period"), self.period),
            (tr("Models whose data end before"), self.cutoff),
        )):  # fmt: skip
            field.setAccessibleName(title)
            tall = field is self.recipients
            at = Qt.AlignmentFlag.AlignTop if tall else Qt.AlignmentFlag.AlignVCenter
            name = caption(title)
            name.setContentsMargins(0, 8 if tall else 0, 0, 0)  # beside its first line
            grid.addWidget(name, line, 0, at)
            grid.addWidget(field, line, 1)
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)
        rule = row()
        for part in (self.custodians, self.needed, caption(tr("of")), self.shares):
            rule.addWidget(part)
        rule.addStretch(1)
        layout.addLayout(rule)
        hint = caption(tr("Their shares go into a folder beside the archive, a file for each. "
                          "Hand them over and delete them."))  # fmt: skip
        hint.setWordWrap(True)
        layout.addWidget(hint)
        layout.addWidget(self.once)
        layout.addStretch(1)
        self.lock.setProperty("look", "filled")
        self.ctrl_enter_presses(self.lock)
        last.addStretch(1)
        for button, slot in ((self.cancel, self.reject), (self.lock, self.choose_file)):
            button.clicked.connect(slot)
            last.addWidget(button)

    def choose_file(self) -> None:
        """Ask where the archive goes, once what was typed can lock one."""
        if self._busy:
            return
        for check, field in self._checks():
            try:
                check()
            except InputError as error:
                self._fail(str(error), field)
                return
        ask_where(self, tr("Write the archive…"), f"{self._split}.sealed", self.write)

    def _checks(self) -> tuple[tuple[Callable[[], object], QWidget], ...]:
        """What must hold of each field, in their order."""
        locks = self._locks()
        anybody = CustodyRule(2, 2)  # so that one field is asked about at a time
        return (
            (partial(archive.refuse_unusable, replace(locks, passphrase="", custody=anybody)),
             self.recipients),
            (self._refuse_passphrases, self.again),
            (partial(archive.refuse_unusable, replace(locks, recipients=(), custody=anybody)),
             self.passphrase),
            (partial(locked_archives.refuse_cutoff, self.cutoff.text().strip()), self.cutoff),
            (self._refuse_custody, self.needed),
            (partial(archive.refuse_unusable, locks), self.recipients),
        )  # fmt: skip

    def _refuse_passphrases(self) -> None:
        if self.passphrase.text() != self.again.text():
            raise InputError.tr("The two passphrases differ; nothing was changed.")

    def _refuse_custody(self) -> None:
        if self.custodians.isChecked() and self.needed.value() > self.shares.value():
            raise InputError.tr("More custodians are needed than there are.")

    def _locks(self) -> Locks:
        lines = self.recipients.toPlainText().splitlines()
        recipients = tuple(line.strip() for line in lines if line.strip())
        custody = CustodyRule(self.needed.value(), self.shares.value())
        return Locks(
            recipients, self.passphrase.text(), custody if self.custodians.isChecked() else None
        )

    def write(self, path: str) -> None:
        """Lock the split into this file."""
        out, locks = Path(path), self._locks()
        order = SealOrder(
            out,
            locks,
            out.with_name(f"{out.stem}-shares") if locks.custody else None,
            self.period.text().strip(),
            self.cutoff.text().strip(),
            openings.ONCE if self.once.isChecked() else "",
        )
        self._busy = True
        self.lock.setEnabled(False)
        context = self._context
        work = partial(
            locked_archives.seal, context.workspace, self._split, context.person.name, order
        )
        context.write(self, work, self._on_locked, self._on_refused, lane="background")

    def _on_locked(self, locked: LockedArchive) -> None:
        self.locked = locked
        self.drop_secrets()
        self.accept()

    def drop_secrets(self) -> None:
        """Forget the passphrase."""
        self.passphrase.clear()
        self.again.clear()

    def _on_refused(self, sentence: str) -> None:
        self._busy = False
        self._fail(sentence, self.recipients)

    def _fail(self, sentence: str, field: QWidget) -> None:
        self.lock.setEnabled(True)
        self.say_trouble(sentence, field)
