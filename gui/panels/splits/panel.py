"""Splits: a timeline for each, its short hash, its checks, buttons that say what will happen."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import unwritable
from core.files import file_digest
from core.i18n import listed, tr, trn
from core.workflow.analysis import second_look
from core.workflow.splits import datasheets, exports, freeze, item_keys, lifecycle, receipts
from core.workflow.splits.freeze import FreezePreview, SplitInfo
from core.workflow.splits.lifecycle import SplitLife
from core.workflow.workspace import Workspace
from gui import i18n, labels, theme
from gui.context import WindowContext
from gui.dialogs.confirm import ConfirmDialog
from gui.panels.base import Panel
from gui.panels.splits.archive_box import ArchiveBox, verdict
from gui.panels.splits.freeze_dialog import FreezeDialog, consequence
from gui.panels.splits.history_box import OPEN, SEAL, SplitHistoryBox
from gui.panels.splits.key_dialog import KeyDialog
from gui.panels.splits.open_dialog import OpenDialog
from gui.panels.splits.size_card import SizeCard, SizeQuestion, answered
from gui.panels.splits.timeline import Timeline
from gui.widgets.chips import FlowLayout
from gui.widgets.elements import column, heading, label, rule, scrolled, set_ink, side_by_side
from gui.widgets.file_dialogs import ask_folder, ask_where, ask_which
from gui.widgets.steady_fields import ChoiceBox
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

if TYPE_CHECKING:
    from core.release.formats.base import ExportReport
    from core.release.manifest import Difference
    from core.sealing.archive import ArchiveCheck
    from gui.panels.splits.lock_dialog import LockDialog
    from gui.panels.splits.publish_dialog import PublishDialog

_SHORT = 12
_LEAST_TABLE = 170  # pixels


@dataclass(frozen=True, slots=True)
class SplitsData:
    """All splits, how many items could be frozen now, and how many items have the text of one
    that waits for a second look."""

    splits: tuple[SplitInfo, ...]
    freezable: FreezePreview
    second_look_count: int = 0


def read(ws: Workspace, benchmark: str) -> SplitsData:
    """Everything that the panel opens with."""
    ready = freeze.freezable(ws, benchmark) if benchmark else FreezePreview(0, 0, 0)
    second_look_count = len(second_look.repeated_texts(ws, benchmark)) if benchmark else 0
    return SplitsData(freeze.all_splits(ws), ready, second_look_count)


def _issue(ws: Workspace, name: str, path: Path) -> None:
    """Write the newest receipt of a split to a file; InputError where that is impossible."""
    receipt, _ = receipts.issue_again(ws, name)
    try:
        receipts.write(path, receipt)
    except OSError as error:
        raise unwritable(path, error) from error


def checked_archive(ws: Workspace, path: Path) -> "tuple[ArchiveCheck, str, str]":
    """An archive's check, the split of this workspace that it was written of, if any, and who of
    this workspace has its key, if anybody."""
    from core.workflow.sealing import locked_archives

    checked = locked_archives.verify(path)
    split = locked_archives.known_archives(ws).get(file_digest(path), "")
    return checked, split, locked_archives.known_signers(ws).get(checked.key_id, "")


def _preview_sentence(preview: FreezePreview, benchmark: str) -> str:
    """What freezing would do now, in a sentence."""
    if not preview.items and preview.held:
        return trn(
            "1 accepted item is waiting for an audit to end; there is nothing else to freeze.",
            "{n} accepted items are waiting for an audit to end; there is nothing else to freeze.",
            preview.held,
        )
    if not preview.items:
        return tr("No approved or accepted items are left to freeze; review some first.")
    return consequence(preview.items, preview.unaudited, benchmark)


class SplitsPanel(Panel):
    """The splits on the left; the chosen one, and the form for a new one, on the right."""

    topics = ("splits", "items", "decisions", "benchmarks")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._data: SplitsData | None = None
        self._chosen = ""
        self._reads_life = False
        self._used_once = False
        self._locked = False
        self._has_archive = False
        self.model = TableModel((), self)
        self.table = ReadingTable(self.model)
        self.table.setAccessibleName(tr("Splits"))
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names differ at their ends
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        right = QWidget()
        right.setProperty("look", "page")
        layout = column(right, margin=16, spacing=8)
        layout.setContentsMargins(16, 16, 24, 16)
        self._build_split(layout)
        layout.addSpacing(16)
        layout.addWidget(rule())
        layout.addSpacing(8)
        self._build_form(layout)
        layout.addSpacing(8)
        self.size_card = SizeCard()
        self.size_card.asked.connect(self.plan_size)
        layout.addWidget(self.size_card)
        layout.addStretch(1)
        left = QWidget()
        inner = column(left)
        inner.setContentsMargins(24, 16, 8, 16)
        inner.addWidget(self.table)
        self.table.setMinimumWidth(_LEAST_TABLE)
        split = side_by_side(left, scrolled(right), widths=(520, 560))
        column(self).addWidget(split)
        context.actions.bind("freeze", self, self.open_freeze, self._can_freeze)
        context.actions.bind("export", self, self.choose_folder, self._has_split)
        box, archives = self.history_box, self.archive_box
        for name, button in (("seal", box.seal), ("open-split", box.open), ("expire", box.expire),
                             ("publish", box.publish), ("receipt", box.receipt),
                             ("datasheet", self.datasheet_button), ("lock-split", archives.lock),
                             ("check-archive", archives.check),
                             ("unlock-split", archives.unlock)):  # fmt: skip
            self.bind_button(name, button)

    def _build_split(self, layout: QVBoxLayout) -> None:
        self.name = heading(tr("No splits yet"))
        self.timeline = Timeline(self.context.colours)
        self.about = label("", wrap=True)
        self.hash = label("", monospace=True, selectable=True, size=theme.SMALL_PX)
        self.findings = label("", wrap=True, selectable=True)
        self.check_button = QPushButton(tr("Verify integrity"))
        self.check_button.clicked.connect(self.check)
        self.format = ChoiceBox()
        self.format.setAccessibleName(tr("Export format"))
        for name, title in (
            ("jsonl", tr("JSON lines")),
            ("lm-eval", tr("lm-eval task folder")),
            ("inspect", tr("Inspect tasks")),
            ("opencompass", tr("OpenCompass data sets")),
            ("parquet", tr("Parquet with a data card")),
            ("excel", tr("Excel workbook")),
            ("label-studio", tr("Label Studio tasks")),
        ):
            self.format.addItem(title, name)
        self.export_button = QPushButton(tr("Export to a folder…"))
        self.export_button.clicked.connect(self.choose_folder)
        self.datasheet_button = QPushButton(tr("Datasheet…"))
        self.datasheet_button.clicked.connect(self.choose_datasheet)
        self.evaluate_button = QPushButton(tr("Evaluate a model"))
        self.evaluate_button.clicked.connect(self._to_evaluate)
        self.history_box = SplitHistoryBox()
        self.history_box.step_chosen.connect(self.step)
        self.history_box.open_wanted.connect(self.open_for_model)
        self.history_box.receipt_wanted.connect(self.choose_receipt)
        self.history_box.publish_wanted.connect(self.open_publish)
        self.archive_box = ArchiveBox()
        self.archive_box.lock_wanted.connect(self.open_lock)
        self.archive_box.check_wanted.connect(self.choose_archive)
        self.archive_box.unlock_wanted.connect(self.unlock)
        for part in (
            self.name,
            self.timeline,
            self.about,
            self.hash,
            self.history_box,
            self.archive_box,
            self.findings,
        ):
            layout.addWidget(part)
        line = FlowLayout(gap=8)
        for control in (self.check_button, self.format, self.export_button, self.datasheet_button):
            line.addWidget(control)
        layout.addLayout(line)
        layout.addWidget(self.evaluate_button, 0, Qt.AlignmentFlag.AlignLeft)

    def _build_form(self, layout: QVBoxLayout) -> None:
        layout.addWidget(label(tr("Freeze a new split"), bold=True))
        self.preview = label("", ink="muted", wrap=True)
        self.preview.setObjectName("why-not-freeze")
        self.freeze_button = QPushButton(tr("Freeze a split…"))
        self.freeze_button.clicked.connect(self.open_freeze)
        layout.addWidget(self.preview)
        layout.addWidget(self.freeze_button, 0, Qt.AlignmentFlag.AlignLeft)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the splits and what could be frozen."""
        work = partial(read, self.context.workspace, self.context.benchmark)
        self.context.ask(
            self, work, self._show, self.context.complain, topic="splits", lane="background"
        )

    def _show(self, data: SplitsData) -> None:
        self._data = data
        columns = (
            Column(tr("Split"), 160),
            Column(tr("Benchmark"), 130),
            Column(tr("Items"), 70, number=True),
            Column(tr("State"), 80),
        )
        rows = [
            (s.name, s.benchmark, i18n.number(s.size), labels.word(labels.SPLIT_STATES, s.state))
            for s in data.splits
        ]
        self.model.show_rows(columns, rows)
        self.table.fit_columns()
        names = [split.name for split in data.splits]
        if names:
            self.table.selectRow(names.index(self._chosen) if self._chosen in names else 0)
        self.size_card.show_pilots(names)
        self._show_split()
        self._show_preview()

    def _on_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        if self._data is not None and 0 <= current.row() < len(self._data.splits):
            name = self._data.splits[current.row()].name
            if name != self._chosen:
                self._chosen = name
                self.findings.setText("")
                self.size_card.forget()
                self._show_split()

    def _split(self) -> SplitInfo | None:
        splits = self._data.splits if self._data else ()
        return next((split for split in splits if split.name == self._chosen), None)

    def _has_split(self) -> bool:
        return self._split() is not None

    def _show_split(self) -> None:
        split = self._split()
        for button in (self.check_button, self.export_button, self.format, self.datasheet_button,
                       self.evaluate_button):  # fmt: skip
            button.setEnabled(split is not None)
        if split is not None and split.state == SEAL:
            self.export_button.setEnabled(False)
        self.timeline.setVisible(split is not None)
        self.history_box.show_state("" if split is None else split.state)
        self.archive_box.show_state("" if split is None else split.state)
        self.hash.setVisible(split is not None)
        self.context.actions.update()
        if split is None:
            self.about.setText(
                tr("Approved items are frozen here as a split on which models can be scored.")
            )
            return
        self.name.setText(split.name)
        self.timeline.show_state(split.state)
        self._read_history(split.name)
        self.hash.setText(tr("manifest {hash}", hash=split.manifest_hash[:_SHORT]))
        sentence = trn(
            "1 item of {benchmark}, frozen {when}.",
            "{n} items of {benchmark}, frozen {when}.",
            split.size,
            benchmark=split.benchmark,
            when=i18n.stamp(split.at),
        )
        if split.unaudited:
            sentence = trn(
                "{said} 1 of them was accepted in review but not audited.",
                "{said} {n} of them were accepted in review but not audited.",
                split.unaudited,
                said=sentence,
            )
        self.about.setText(sentence)

    def _read_history(self, name: str) -> None:
        self._reads_life = True
        work = partial(lifecycle.split_life, self.context.workspace, name)
        self.context.ask(
            self, work, self._on_history, self._on_no_history, topic="life", lane="background"
        )

    def _on_no_history(self, sentence: str) -> None:
        self._reads_life = False
        self._on_trouble(sentence)

    def _on_history(self, history: SplitLife) -> None:
        self._reads_life = False
        if history.name == self._chosen:
            been = {step.state for step in history.steps}
            self._used_once = bool(history.policy)
            self._locked = not history.key_here
            self._has_archive = bool(history.archives)
            self.timeline.show_state(history.state, history.openings, been)
            self.history_box.show_history(history)
            self.archive_box.show_life(history)

    # -- doing ------------------------------------------------------------------------------

    def step(self, state: str, reason: str) -> None:
        """Seal, open or end the chosen split."""
        if (split := self._split()) is None:
            return
        ws, person = self.context.workspace, self.context.person.name
        if state == SEAL:
            work: Callable[[], object] = partial(lifecycle.seal, ws, split.name, person)
        elif state == OPEN:
            work = partial(lifecycle.open_split, ws, split.name, person, reason, "")
        else:
            work = partial(lifecycle.expire, ws, split.name, person, reason)
        if self._locked and state != SEAL:
            act = tr("Open") if state == OPEN else tr("Expire")
            self._ask_key(tr("Key of {split}", split=split.name), act, work)
            return
        self.context.write(self, work, self._on_step, self._on_trouble, lane="background")

    def open_for_model(self) -> None:
        """Ask for which model the chosen split is opened, as its policy has it."""
        if (split := self._split()) is not None:
            dialog = OpenDialog(self.context, split.name, self, locked=self._locked)
            dialog.accepted.connect(partial(self._on_step, None))
            dialog.open()

    def _ask_key(self, title: str, act: str, work: Callable[..., object]) -> None:
        dialog = KeyDialog(self.context, title, act, work, self)
        dialog.accepted.connect(partial(self._on_step, None))
        dialog.open()

    def unlock(self) -> None:
        """Ask for a key of the chosen split, which is open, and read its items on this computer."""
        if (split := self._split()) is not None:
            ws, person = self.context.workspace, self.context.person.name
            work = partial(item_keys.unlock, ws, split.name, person)
            self._ask_key(tr("Unlock the items"), tr("Unlock"), work)

    def _on_step(self, _done: object) -> None:
        self._say("", "muted")
        self.refresh()

    def choose_receipt(self) -> None:
        """Ask where the newest receipt of the chosen split goes."""
        if (split := self._split()) is not None:
            title = tr("Issue the receipt again")
            ask_where(self, title, f"{split.name}-receipt.json", self.issue_receipt)

    def issue_receipt(self, path: str) -> None:
        """Write the newest receipt of the chosen split, and those that are missing."""
        if (split := self._split()) is None:
            return
        work = partial(_issue, self.context.workspace, split.name, Path(path))
        done = partial(self._on_receipt, path)
        self.context.ask(self, work, done, self._on_trouble, lane="background")

    def _on_receipt(self, path: str, _done: object) -> None:
        self._say(tr("✓ The receipt was written to {path}.", path=path), "accept")

    def open_publish(self) -> None:
        """Ask under which license the chosen split, which has expired, is published."""
        from gui.panels.splits.publish_dialog import PublishDialog

        if (split := self._split()) is not None:
            dialog = PublishDialog(self.context, split.name, self, proven=self._has_archive)
            dialog.accepted.connect(partial(self._on_published, dialog))
            dialog.open()

    def _on_published(self, dialog: "PublishDialog") -> None:
        if (published := dialog.published) is None:
            return
        self._read_history(published.split)
        items = trn("1 item", "{n} items", published.items)
        self._say(
            tr("✓ {count} published in {path}, with the proof of root {root}.", count=items,
               path=published.path, root=published.root[:_SHORT])
            if published.root
            else tr("✓ {count} published in {path}.", count=items, path=published.path),
            "accept",
        )  # fmt: skip

    def open_lock(self) -> None:
        """Ask for whom the chosen split is locked, and into which file."""
        from gui.panels.splits.lock_dialog import LockDialog

        if (split := self._split()) is not None:
            dialog = LockDialog(self.context, split.name, self, frozen=split.state == "frozen")
            dialog.accepted.connect(partial(self._on_locked, dialog))
            dialog.open()

    def _on_locked(self, dialog: "LockDialog") -> None:
        if (locked := dialog.locked) is None:
            return
        said = tr("✓ {count} locked in {path}.", count=trn("1 item", "{n} items", locked.items),
                  path=locked.path)  # fmt: skip
        if locked.shares:
            folder = Path(locked.shares[0]).parent
            said += " " + tr("Hand over the shares in {folder} and delete them there.",
                             folder=folder)  # fmt: skip
        if locked.remains:
            said += "\n" + trn(
                "1 place still holds items in plain text; benchseal split lock {split} names it.",
                "{n} places still hold items in plain text; benchseal split lock {split} names "
                "them.",
                len(locked.remains),
                split=locked.split,
            )
        self.refresh()
        self._say(said, "accept")

    def choose_archive(self) -> None:
        """Ask which archive to check."""
        ask_which(self, tr("Verify an archive…"), self.check_archive)

    def check_archive(self, path: str) -> None:
        """Check an archive, without opening it."""
        work = partial(checked_archive, self.context.workspace, Path(path))
        self.context.ask(self, work, self._on_archive_checked, self._on_trouble, lane="background")

    def _on_archive_checked(self, found: "tuple[ArchiveCheck, str, str]") -> None:
        self._say(*verdict(*found))

    def check(self) -> None:
        """Compare the split with what was frozen."""
        if (split := self._split()) is not None:
            self._say(tr("Verifying every file and item …"), "muted")
            work = partial(freeze.check, self.context.workspace, split.name)
            self.context.ask(self, work, self._on_checked, self._on_trouble, lane="background")

    def _on_checked(self, differences: "list[Difference]") -> None:
        if not differences:
            self._say(tr("✓ The manifest, every file and every item are unchanged."),
                      "accept")  # fmt: skip
            return
        lines = [
            tr("✕ {subject}: {detail}", subject=difference.subject, detail=difference.detail)
            for difference in differences[:8]
        ]
        if len(differences) > 8:
            lines.append(
                trn("… and 1 more difference", "… and {n} more differences", len(differences) - 8)
            )
        self._say("\n".join(lines), "reject")

    def _say(self, text: str, ink: str) -> None:
        self.findings.setText(text)
        set_ink(self.findings, ink)

    def _on_trouble(self, sentence: str) -> None:
        self._say(sentence, "reject")

    def choose_folder(self) -> None:
        """Ask where the export goes."""
        ask_folder(self, tr("Export to a folder…"), self.export_to, new=True)

    def export_to(self, folder: str) -> None:
        """Export the chosen split below this folder, in a folder of its own name; for a private
        one the reason is asked first."""
        split = self._split()
        if split is None:
            return
        # what a policy refuses needs no reason before it is refused
        if self._used_once or not exports.needs_reason(split):
            self._export(folder, "")
            return
        says = (
            tr("The items leave the workspace in plain text: whoever gets the files can read them, "
               "and so can a model that is trained on them."),
            tr("For lm-evaluation-harness and Inspect a split that was opened can be exported "
               "locked, from the command line: {command}",
               command=f"benchseal export {split.name} --format lm-eval --locked"),
        )  # fmt: skip
        title = tr("Export “{name}” in plain text?", name=split.name)
        agreed = partial(self._export, folder)
        ConfirmDialog(self, title, says, tr("Export"), agreed, reason=tr("Reason")).open()

    def _export(self, folder: str, reason: str) -> None:
        split = self._split()
        if split is None:
            return
        form = str(self.format.currentData())
        out = Path(folder) / f"{split.name}-{form}"
        self._say(tr("Exporting to {folder} …", folder=out), "muted")
        person = self.context.person.name
        work = partial(exports.export, self.context.workspace, split.name, form, out,
                       person=person, plain=reason)  # fmt: skip
        done = partial(self._on_exported, out)
        self.context.write(self, work, done, self._on_trouble, lane="background")

    def _on_exported(self, out: Path, report: "ExportReport") -> None:
        self._read_history(self._chosen)
        self._say(
            tr(
                "✓ {count} written to {folder} in {files}.",
                count=trn("1 item", "{n} items", report.items),
                files=trn("1 file", "{n} files", len(report.files)),
                folder=out,
            ),
            "accept",
        )

    def choose_datasheet(self) -> None:
        """Ask where the datasheet goes."""
        ask_folder(self, tr("Datasheet…"), self.write_datasheet, new=True)

    def write_datasheet(self, folder: str) -> None:
        """Write datasheet and Croissant description below this folder; they hold no item."""
        split = self._split()
        if split is None:
            return
        out = Path(folder) / f"{split.name}-datasheet"
        work = partial(datasheets.write, self.context.workspace, split.name, out)

        def done(paths: tuple[Path, ...]) -> None:
            names = listed(path.name for path in paths)
            self._say(tr("✓ {names} written to {folder}.", names=names, folder=out), "accept")

        self.context.write(self, work, done, self._on_trouble, lane="background")

    def _to_evaluate(self) -> None:
        self.context.go_to("evaluate", self._chosen)

    def _ready_items(self) -> FreezePreview:
        return self._data.freezable if self._data else FreezePreview(0, 0, 0)

    def _can_freeze(self) -> bool:
        return self._ready_items().items > 0

    def _show_preview(self) -> None:
        data = self._data
        self.freeze_button.setEnabled(self._can_freeze())
        if data is not None:
            ready = self._ready_items()
            sentences = [_preview_sentence(ready, self.context.benchmark), *ready.unfinished]
            if data.second_look_count:
                sentences.append(
                    trn(
                        "1 item has the same text as an item waiting for a second look.",
                        "{n} items have the same text as an item waiting for a second look.",
                        data.second_look_count,
                    )
                )
            self.preview.setText("\n".join(sentences))

    def plan_size(self) -> None:
        """Say what the items that can be frozen now can show; of none, what the split can."""
        data = self._data
        if data is None or not (data.freezable.items or self._chosen):
            self.size_card.show_answer(tr("No approved or accepted items are left to freeze."))
            return
        self.size_card.wait()
        split = "" if data.freezable.items else self._chosen
        ws, question = self.context.workspace, self.size_card.question()
        work = partial(answered, ws, self.context.benchmark, split, question)
        self.context.ask(
            self,
            work,
            partial(self._on_planned, question),
            self.size_card.show_answer,
            topic="size",
            lane="background",
        )

    def _on_planned(self, question: SizeQuestion, sentences: tuple[str, ...]) -> None:
        if question == self.size_card.question():
            self.size_card.show_answer("\n".join(sentences))

    def open_freeze(self) -> None:
        """Ask what to freeze and under which name; errors are said there."""
        dialog = FreezeDialog(self.context, self._ready_items(), self)
        dialog.accepted.connect(partial(self._on_frozen, dialog))
        dialog.open()

    def _on_frozen(self, dialog: FreezeDialog) -> None:
        if dialog.split is not None:
            self._chosen = dialog.split.name
        self.refresh()

    def ready(self) -> bool:
        """Whether the splits are on the screen, and the life of the chosen one."""
        return self._data is not None and not self.stale and not self._reads_life
