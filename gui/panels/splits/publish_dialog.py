"""Publishing a split that has expired: under which license, and into which folder."""

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QWidget

from core.i18n import tr
from core.workflow.sealing import publish
from core.workflow.sealing.publish import PublishedFolder
from gui.context import WindowContext
from gui.widgets.elements import caption, label
from gui.widgets.file_dialogs import ask_folder
from gui.widgets.sheet import Sheet


class PublishDialog(Sheet):
    """Errors are said here, and what was typed stays. ``published`` is what was written."""

    def __init__(
        self, context: WindowContext, split: str, parent: QWidget, *, proven: bool = True
    ) -> None:
        """``proven`` splits have a locked archive, whose root the folder proves."""
        super().__init__(parent, tr("Publish {split}", split=split), (620, 340))
        self._context, self._split = context, split
        self._busy = False
        self.published: PublishedFolder | None = None
        self.license, self.address = QLineEdit(), QLineEdit()
        self.license.setPlaceholderText(tr("such as cc-by-4.0, or its address"))
        self.address.setPlaceholderText(tr("where the benchmark is described; may be empty"))
        self.cancel, self.act = QPushButton(tr("Cancel")), QPushButton(tr("Choose a folder…"))
        layout, last = self.with_body(margin=20, spacing=10)
        layout.addWidget(label(
            tr("Writes a folder for the Hugging Face Hub: the items in plain text, a data card, "
               "Croissant, the datasheet, and the items that were found wrong. Nothing is "
               "uploaded."), wrap=True,
        ))  # fmt: skip
        layout.addWidget(label(
            tr("Each item comes with its salt, and a script recomputes the root of the locked "
               "archive: whoever publishes it must have sealed the split.")
            if proven
            else tr("The split has no locked archive: the folder proves that its items are those "
                    "of the manifest, and not that they were sealed."),
            ink="muted", wrap=True,
        ))  # fmt: skip
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        for line, (title, field) in enumerate((
            (tr("License"), self.license), (tr("Address"), self.address),
        )):  # fmt: skip
            field.setAccessibleName(title)
            grid.addWidget(caption(title), line, 0)
            grid.addWidget(field, line, 1)
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)
        layout.addStretch(1)
        self.act.setProperty("look", "filled")
        last.addStretch(1)
        for button, slot in ((self.cancel, self.reject), (self.act, self.choose_folder)):
            button.clicked.connect(slot)
            last.addWidget(button)
        self.focus_first(self.license)
        self.enter_presses(self.act)

    def choose_folder(self) -> None:
        """Ask below which folder it goes, once a license is named."""
        if self._busy:
            return
        if not self.license.text().strip():
            self.say_trouble(tr("Name a license, such as cc-by-4.0, or its address."), self.license)
            return
        ask_folder(self, tr("Publish {split}", split=self._split), self.write_below, new=True)

    def write_below(self, folder: str) -> None:
        """Publish into a folder of the split's own name below this one."""
        self._busy = True
        self.act.setEnabled(False)
        context = self._context
        work = partial(
            publish.publish, context.workspace, self._split,
            Path(folder) / f"{self._split}-published", person=context.person.name,
            license=self.license.text(), address=self.address.text().strip(),
        )  # fmt: skip
        context.write(self, work, self._on_published, self._on_refused, lane="background")

    def _on_published(self, published: PublishedFolder) -> None:
        self.published = published
        self.accept()

    def _on_refused(self, sentence: str) -> None:
        self._busy = False
        self.act.setEnabled(True)
        self.say_trouble(sentence, self.license)
