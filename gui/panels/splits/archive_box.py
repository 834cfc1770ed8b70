"""The locked archives of a split, and the buttons that write and check one."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import tr, trn
from core.workflow.splits.lifecycle import ArchiveNote, SplitLife
from gui import i18n
from gui.widgets.elements import column, label, row

if TYPE_CHECKING:
    from core.sealing.archive import ArchiveCheck

_SHOWN = 3


class ArchiveBox(QWidget):
    """Says which archives were written of the split, the newest first."""

    lock_wanted = Signal()
    check_wanted = Signal()
    unlock_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.notes = label("", ink="muted", wrap=True, selectable=True)
        self.lock = QPushButton(tr("Locked archive…"))
        self.lock.setToolTip(tr("Writes the split as one encrypted and signed file."))
        self.lock.clicked.connect(self.lock_wanted)
        self.check = QPushButton(tr("Verify an archive…"))
        self.check.setToolTip(tr("Checks signature and hashes; nothing is opened."))
        self.check.clicked.connect(self.check_wanted)
        self.key = label("", ink="muted", wrap=True)
        self.unlock = QPushButton(tr("Unlock the items…"))
        self.unlock.setToolTip(tr("Asks for a key, which stays on this computer."))
        self.unlock.clicked.connect(self.unlock_wanted)
        layout = column(self, spacing=8)
        layout.addWidget(self.notes)
        layout.addWidget(self.key)
        line = row()
        for button in (self.lock, self.check, self.unlock):
            line.addWidget(button)
        line.addStretch(1)
        layout.addLayout(line)
        self.show_state("")

    def show_state(self, state: str) -> None:
        """Offer what a split in this state can do; its archives come with ``show_life``."""
        self.lock.setVisible(state in ("frozen", "sealed", "opened"))
        self.notes.setText("")
        for part in (self.notes, self.key, self.unlock):
            part.hide()

    def show_life(self, life: SplitLife) -> None:
        """Tell of the newest archives."""
        lines = [_line(note) for note in reversed(life.archives)]
        left_out = len(lines) - _SHOWN
        if left_out > 0:
            more = trn("… and 1 earlier archive", "… and {n} earlier archives", left_out)
            lines = [*lines[:_SHOWN], more]
        self.notes.setText("\n".join(lines))
        self.notes.setVisible(bool(lines))
        self.key.setText(
            tr("The items are encrypted in the workspace. Their key is on this computer.")
            if life.key_here
            else tr("The items are encrypted in the workspace. Their key is not on this computer.")
        )
        self.key.setVisible(life.encrypted)
        self.unlock.setVisible(not life.key_here and life.state == "opened")


def _line(note: ArchiveNote) -> str:
    return tr("{when} locked archive by {person}: root {root}, opened by {openers}",
              when=i18n.stamp(note.at), person=note.person, root=note.root[:12],
              openers=note.openers)  # fmt: skip


def verdict(checked: "ArchiveCheck", split: str, signer: str) -> tuple[str, str]:
    """(sentence, ink) about an archive that was checked; ``split`` is the one of this workspace
    whose ledger knows the file, ``signer`` who signed others of its archives with the same key,
    each empty for none."""
    if not checked.sound:
        lines = [tr("✕ {subject}: {detail}", subject=one.subject, detail=one.detail)
                 for one in checked.differences]  # fmt: skip
        return "\n".join(lines), "reject"
    items = trn("1 item", "{n} items", int(checked.manifest.get("items", 0)))
    name, key = str(checked.manifest.get("split", "")), checked.key_id[:16]
    if split:
        return tr("✓ The archive of {split} ({items}) is as this workspace wrote it.",
                  split=split, items=items), "accept"  # fmt: skip
    if signer:
        return tr("✓ The archive of {split} ({items}) is as it was signed by the key {key}, "
                  "which {person} has used for other archives of this workspace. This one is not "
                  "recorded here.",
                  split=name, items=items, key=key, person=signer), "accept"  # fmt: skip
    return tr("The archive of {split} ({items}) is as it was signed by the key {key}, which this "
              "workspace does not know: anybody can sign an archive with a key of their own. "
              "Compare the key with the one that you were told.", split=name, items=items,
              key=key), "returned"  # fmt: skip
