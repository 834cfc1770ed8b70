"""What the checks before freezing found: each finding with a reason to type, or its items left
out."""

from collections.abc import Mapping

from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QWidget

from core.i18n import tr, trn
from core.workflow.splits.freeze_checks import CheckedSelection, FreezeFinding, numbers_of, titles
from gui import theme
from gui.widgets.elements import column, label


class FindingsBox(QWidget):
    """Empty until something was checked; typed reasons stay where it is checked again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = column(self, spacing=6)
        self._findings: dict[str, FreezeFinding] = {}
        self.reasons: dict[str, QLineEdit] = {}
        self.leaving: dict[str, QCheckBox] = {}
        self._lines: list[QWidget] = []

    def show_checked(self, checked: CheckedSelection) -> None:
        """The findings of a selection, in place of those before."""
        typed = self.typed()
        for line in self._lines:
            line.hide()
            line.deleteLater()
        self._lines, self.reasons, self.leaving = [], {}, {}
        self._findings = {finding.check.value: finding for finding in checked.findings}
        sound = [title for check, title in titles().items() if check in checked.sound]
        for finding in checked.findings:
            self._add(finding, typed.get(finding.check.value, ""))
        if checked.findings and sound:
            self._put(_small("✓ " + " · ".join(sound)))

    def _add(self, finding: FreezeFinding, reason: str) -> None:
        name = finding.check.value
        self._put(label(f"✕ {finding.sentence}", ink="reject", wrap=True))
        about = [numbers_of(finding.items)] if finding.items else []
        about += finding.examples
        if about:
            self._put(_small(" · ".join(about)))
        if finding.items:
            box = QCheckBox(
                trn("Leave this item out", "Leave these {n} items out", len(finding.items))
            )
            box.setChecked(finding.blocks)
            self.leaving[name] = box
            self._put(box)
        if not finding.blocks:
            line = QLineEdit(reason)
            line.setPlaceholderText(tr("Reason to freeze anyway; kept in the ledger"))
            line.setAccessibleName(tr("Reason: {finding}", finding=finding.sentence))
            self.reasons[name] = line
            self._put(line)
            if name in self.leaving:
                self.leaving[name].toggled.connect(line.setDisabled)

    def _put(self, widget: QWidget) -> None:
        self._layout.addWidget(widget)
        widget.show()  # now, not at Qt's next turn: what is not in sight takes no focus
        self._lines.append(widget)

    def typed(self) -> Mapping[str, str]:
        """The reasons by check, as far as they were given."""
        return {name: line.text().strip() for name, line in self.reasons.items()
                if line.text().strip()}  # fmt: skip

    def left_out(self) -> frozenset[int]:
        """The numbers of the items that are to be left out."""
        return frozenset(
            number
            for name, box in self.leaving.items()
            if box.isChecked()
            for number in self._findings[name].items
        )

    def first_open(self) -> QWidget | None:
        """The field of the first finding without a reason."""
        return next((line for name, line in self.reasons.items()
                     if not line.text().strip() and line.isEnabled()), None)  # fmt: skip


def _small(text: str) -> QLabel:
    return label(text, ink="muted", size=theme.SMALL_PX, wrap=True)
