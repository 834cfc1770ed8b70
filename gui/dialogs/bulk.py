"""One action on many items: what it would change is said first, then it is done."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QRadioButton, QWidget

from core.i18n import tr, trn
from core.workflow.analysis import errata_of_many, second_look
from core.workflow.items import bulk
from core.workflow.items.bulk import BulkAction, BulkDone, BulkPreview
from core.workflow.items.search import Filters
from gui import i18n, labels
from gui.context import WindowContext
from gui.widgets.elements import caption, label
from gui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from core.workflow.evaluation.item_results import MissedItem

_SHOWN = 6
LOOKS = tuple(second_look.ACTIONS)
"""The actions that change no item: nothing is undone, a second look is ended."""
ERRATA = errata_of_many.ACTIONS
"""Those of leads on frozen items, which stay as they are too."""


class BulkDialog(Sheet):
    """``selected`` are the items chosen in the list, ``all_filters`` all that pass the filter,
    which ``all_words`` call otherwise; ``missed`` is what models said against their keys, where
    that is why a second look is asked for.

    ``done_many`` is emitted with the ``BulkDone``.
    """

    done_many = Signal(object)

    def __init__(
        self,
        context: WindowContext,
        action: str,
        selected: Filters,
        all_filters: Filters,
        parent: QWidget,
        *,
        all_words: str = "",
        missed: Sequence["MissedItem"] = (),
    ) -> None:
        super().__init__(parent, labels.word(labels.BULK, action), (540, 400))
        self._context, self._action = context, action
        self._missed = tuple(missed)
        self._use_case = (
            second_look if action in LOOKS else errata_of_many if action in ERRATA else bulk
        )
        self._selected, self._all_filters = selected, all_filters
        count = len(selected.numbers)
        only = trn("the selected item", "the {n} selected items", count)
        if count == 1:
            only = tr("{items} (#{number})", items=only, number=selected.numbers[0])
        self.only = QRadioButton(only)
        self.all = QRadioButton(all_words or tr("all items that match the filters"))
        self.says = label(tr("Counting…"), wrap=True)
        self.says.setMinimumHeight(72)
        self.says.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.words = QLineEdit()
        self.run_button = QPushButton(labels.word(labels.BULK, action))
        self.run_button.setProperty("look", "filled")
        self.run_button.setEnabled(False)
        self._count = 0
        self._build()
        (self.only if count else self.all).setChecked(True)
        self.only.setVisible(count > 0)
        self.only.toggled.connect(self._count_again)
        self.words.textChanged.connect(self._on_words)
        self.run_button.clicked.connect(self.run)
        self._count_again()

    def _build(self) -> None:
        layout, line = self.with_body()
        layout.addWidget(self.only)
        layout.addWidget(self.all)
        layout.addWidget(self.says)
        asked = {
            "reject": tr("Reason"),
            "return": tr("What the authors should change"),
            "second_look": tr("What to look at"),
            "looked_again": tr("Result of the second look"),
            "declare_errata": tr("What is wrong with it"),
            "withdraw_errata": tr("Why it counts again"),
        }
        title = asked.get(self._action)
        if title:
            layout.addWidget(caption(title))
            layout.addWidget(self.words)
            self.words.setAccessibleName(title)
        leave = QPushButton(tr("Cancel"))
        leave.clicked.connect(self.reject)
        line.addWidget(leave)
        line.addStretch(1)
        line.addWidget(self.run_button)
        layout.addStretch(1)
        # nothing that changes many items is a key away: Enter acts only where a reason was typed
        self.focus_first(self.words if title else leave)
        if title:
            self.enter_presses(self.run_button)

    @property
    def filters(self) -> Filters:
        """What the action is done to."""
        return self._selected if self.only.isChecked() else self._all_filters

    def _count_again(self) -> None:
        self._count = 0
        self._allow()
        action = BulkAction(self._action)
        viewer = self._context.person.name
        work = partial(
            self._use_case.preview, self._context.workspace, self.filters, action, viewer
        )
        self._context.ask(self, work, self._show, self._fail, topic="count", lane="background")

    def _show(self, plan: BulkPreview) -> None:
        self._count = plan.will_change
        self.says.setText(preview_words(plan, changes=self._action not in (*LOOKS, *ERRATA)))
        self._allow()

    def _on_words(self, _text: str) -> None:
        self.trouble.hide()
        self._allow()

    def _allow(self) -> None:
        needs_words = self._action != "reopen"
        has_words = bool(self.words.text().strip())
        self.run_button.setEnabled(self._count > 0 and (has_words or not needs_words))

    def run(self) -> None:
        """Do it; the sheet stays until it is done, or says why it was not."""
        if not self.run_button.isEnabled():
            return
        self.run_button.setEnabled(False)
        action = BulkAction(self._action, self.words.text().strip())
        person = self._context.person.name
        place = self._context.workspace
        if self._action == "second_look":
            work = partial(second_look.run, place, self.filters, action, person, self._missed)
        else:
            work = partial(self._use_case.run, place, self.filters, action, person)
        self._context.write(self, work, self._finish, self._fail)

    def _finish(self, done: BulkDone) -> None:
        self.done_many.emit(done)
        self.accept()

    def _fail(self, sentence: str) -> None:
        self.say_trouble(sentence)
        self._allow()


def done_words(action: str, done: BulkDone) -> str:
    """What was done, in a sentence."""
    count = len(done.changed)
    match action:
        case "second_look":
            return trn(
                "1 item is now waiting for a second look; the item itself does not change.",
                "{n} items are now waiting for a second look; the items themselves do not change.",
                count,
            )
        case "looked_again":
            return trn("1 item is no longer waiting.", "{n} items are no longer waiting.", count)
        case "declare_errata":
            return trn(
                "1 item is now an erratum; reports give scores with and without it.",
                "{n} items are now errata; reports give scores with and without them.",
                count,
            )
        case "withdraw_errata":
            return trn("1 item is no longer an erratum.", "{n} items are no longer errata.", count)
    return trn(
        "1 item changed. Undo reverts it.",
        "{n} items changed. Undo reverts all of them.",
        count,
    )


def preview_words(plan: BulkPreview, *, changes: bool = True) -> str:
    """``This changes 214 items, 3 cannot: …`` with one line for each reason."""
    count = plan.will_change
    if not plan.cannot:
        return (
            trn("This changes 1 item.", "This changes {n} items.", count)
            if changes
            else trn(
                "This is recorded on 1 item; the item itself does not change.",
                "This is recorded on {n} items; the items themselves do not change.",
                count,
            )
        )
    left = i18n.number(sum(plan.cannot.values()))
    lines = [
        trn(
            "This changes 1 item; {left} cannot be changed:",
            "This changes {n} items; {left} cannot be changed:",
            count,
            left=left,
        )
        if changes
        else trn(
            "This is recorded on 1 item; {left} cannot be included:",
            "This is recorded on {n} items; {left} cannot be included:",
            count,
            left=left,
        )
    ]
    shown = list(plan.cannot.items())[:_SHOWN]
    lines += [tr("  {count} · {why}", count=i18n.number(n), why=why) for why, n in shown]
    return "\n".join(lines)
