"""Every command once: id, words, icon, key, and where it acts. A panel says what it does, and when.

Single letters act only while no text field has the focus and no input method is composing.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

from core import crash_reports
from core.i18n import tr
from gui.icons import icon

Place = Literal[
    "window", "write", "review", "adjudicate", "rate", "answer", "audit", "my_work", "items",
    "sources", "runs", "splits",
    "evaluate", "compare", "agreement", "gate", "team", "scores", "leaderboard",
]  # fmt: skip

_SAFE_UNSEEN = frozenset({
    "new-item", "into-form", "search-items", "filter", "saved-filters", "columns", "launch-form",
    "audit-plan", "log", "compare-second-look", "compare-errata", "settings", "open", "task",
    "protocols", "question", "new-task", "add-items", "import", "screen", "table", "packages",
    "outbox",
    "many-reject", "many-return", "many-reopen", "many-second-look", "many-looked-again",
    "many-declare-errata", "many-withdraw-errata", "export-items", "freeze", "export", "seal",
    "open-split", "expire", "publish", "alarm-items", "set-alarm", "set-threshold", "add-person",
    "assign-tasks", "html-report", "public-scores", "compare-in-pairs", "adaptive",
    "change-person", "invite", "change-assignment", "add-files", "add-folder", "rewrite-data",
    "datasheet", "receipt", "lock-split", "check-archive", "unlock-split", "rating-sheet",
    "take-ratings", "sign-score", "second-looks",
})  # fmt: skip
"""Commands that ask before they change something, or only show something."""

PLACES: dict[Place, Callable[[], str]] = {
    "window": lambda: tr("Everywhere"),
    "write": lambda: tr("Write"),
    "review": lambda: tr("Review"),
    "adjudicate": lambda: tr("Adjudicate"),
    "rate": lambda: tr("Rate"),
    "answer": lambda: tr("Answer"),
    "audit": lambda: tr("Audit"),
    "my_work": lambda: tr("My work"),
    "items": lambda: tr("Items"),
    "sources": lambda: tr("Sources"),
    "runs": lambda: tr("Runs"),
    "splits": lambda: tr("Splits"),
    "evaluate": lambda: tr("Evaluate"),
    "compare": lambda: tr("Compare"),
    "agreement": lambda: tr("Agreement"),
    "gate": lambda: tr("Gate"),
    "team": lambda: tr("Team"),
    "scores": lambda: tr("Scores"),
    "leaderboard": lambda: tr("Leaderboard"),
}


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a person can do. ``keys`` are portable key names, such as ``Ctrl+Z``."""

    id: str
    title: Callable[[], str]
    keys: tuple[str, ...] = ()
    icon: str = ""
    place: Place = "window"

    @property
    def is_safe_unseen(self) -> bool:
        """Whether it may be done in a panel that one does not see yet."""
        return self.id in _SAFE_UNSEEN


def _reasons(prefix: str, place: Place) -> tuple[Command, ...]:
    """A command for each reason that a task may have; what they say is the task's business."""

    def title(digit: int) -> Callable[[], str]:
        return lambda: tr("Reject for reason {number}", number=digit)

    return tuple(
        Command(f"{prefix}-{digit}", title(digit), (str(digit),), "", place)
        for digit in range(1, 10)
    )


def _choices() -> tuple[Command, ...]:
    """A command for each of the first answers that a question offers."""

    def title(digit: int) -> Callable[[], str]:
        return lambda: tr("Choose answer {number}", number=digit)

    return tuple(
        Command(f"answer-{digit}", title(digit), (str(digit),), "", "answer")
        for digit in range(1, 10)
    )


def _ratings() -> tuple[Command, ...]:
    """A command for each value that a criterion may have."""

    def title(digit: int) -> Callable[[], str]:
        return lambda: tr("Rate {value}", value=digit)

    return tuple(
        Command(f"rate-{digit}", title(digit), (str(digit),), "", "rate") for digit in range(10)
    )


_STAGES: tuple[Command, ...] = (
    Command("submit", lambda: tr("Submit"), ("Ctrl+Return",), "accept", "write"),
    Command("into-form", lambda: tr("Move to the form"), ("F",), "", "write"),
    Command("leave-form", lambda: tr("Leave the form"), ("Esc",), "", "write"),
    Command("new-item", lambda: tr("Write another item"), ("N",), "", "write"),
    Command("next-entry", lambda: tr("Down"), ("J", "Down"), "down", "write"),
    Command("previous-entry", lambda: tr("Up"), ("Shift+J", "Up"), "up", "write"),
    Command("next-task", lambda: tr("Next task"), ("T",), "", "write"),
    Command("wording", lambda: tr("Use the next instruction"), ("V",), "", "write"),
    Command("kind-of-item", lambda: tr("Switch between item and instruction"), ("M",), "", "write"),
    Command("unchanged", lambda: tr("Submit unchanged"), ("U",), "", "write"),
    Command("settle-accept", lambda: tr("Accept"), ("A",), "accept", "adjudicate"),
    Command("settle-reject", lambda: tr("Reject"), ("R",), "reject", "adjudicate"),
    *_reasons("settle-reason", "adjudicate"),
    Command("settle-return", lambda: tr("Return with a note"), ("E",), "return", "adjudicate"),
    Command("settle-hand-in", lambda: tr("Submit the decision with this "
                                         "note"), ("Ctrl+Return",), "",
            "adjudicate"),
    Command("settle-leave", lambda: tr("Leave the note or the list of reasons"), ("Esc",), "",
            "adjudicate"),
    Command("settle-key", lambda: tr("Show or hide the answer key"), ("K",), "key", "adjudicate"),
    Command("settle-next", lambda: tr("Down"), ("J", "Down"), "down", "adjudicate"),
    Command("settle-previous", lambda: tr("Up"), ("Shift+J", "Up"), "up", "adjudicate"),
    *_ratings(),
    Command("rate-comment", lambda: tr("Write a comment"), ("C",), "", "rate"),
    Command("rate-leave", lambda: tr("Back to the criteria"), ("Esc",), "", "rate"),
    Command("rate-hand-in", lambda: tr("Submit ratings"), ("Ctrl+Return",), "accept", "rate"),
    Command("rate-semantic", lambda: tr("Show or hide the semantic rewrite"), ("K",), "key",
            "rate"),
    Command("rate-draw", lambda: tr("Draw items for rating"), (), "", "rate"),
    *_choices(),
    Command("answer-unknown", lambda: tr("Say that you do not know"), ("U",), "", "answer"),
    Command("answer-write", lambda: tr("Move to the answer"), ("F",), "", "answer"),
    Command("answer-leave", lambda: tr("Leave the answer"), ("Esc",), "", "answer"),
    Command("answer-hand-in", lambda: tr("Submit the answer"), ("Ctrl+Return",), "accept",
            "answer"),
    Command("second-looks", lambda: tr("Second looks…"), (), "", "answer"),
    Command("audit-pass", lambda: tr("Pass"), ("A",), "accept", "audit"),
    Command("audit-fail", lambda: tr("Fail with a reason"), ("R",), "reject", "audit"),
    Command("audit-hand-in", lambda: tr("Submit this reason"), ("Ctrl+Return",), "", "audit"),
    Command("audit-leave", lambda: tr("Leave the reason field"), ("Esc",), "", "audit"),
    Command("audit-start", lambda: tr("Start the audit"), ("B",), "", "audit"),
    Command("audit-plan", lambda: tr("Show another plan"), ("P",), "", "audit"),
    Command("audit-choose", lambda: tr("Use this plan for the task"), (), "", "audit"),
    Command("audit-key", lambda: tr("Show or hide the answer key"), ("K",), "key", "audit"),
    Command("audit-next", lambda: tr("Down"), ("J", "Down"), "down", "audit"),
    Command("audit-previous", lambda: tr("Up"), ("Shift+J", "Up"), "up", "audit"),
)  # fmt: skip
"""What is done at the contexts of the three stages beside Review."""

_SCORING: tuple[Command, ...] = (
    Command("launch-start", lambda: tr("Start the evaluation"), ("Ctrl+Return",), "run",
            "evaluate"),
    Command("launch-try", lambda: tr("Trial run with a few prompts"), ("Ctrl+E",), "", "evaluate"),
    Command("launch-cancel", lambda: tr("Cancel the trial run"), ("Esc",), "stop", "evaluate"),
    Command("launch-form", lambda: tr("Move to the form"), ("F",), "", "evaluate"),
    Command("compare-item", lambda: tr("Open the item"), ("Return",), "source", "compare"),
    Command("compare-next", lambda: tr("Next kind of item"), ("T",), "", "compare"),
    Command("compare-swap", lambda: tr("Swap A and B"), ("X",), "", "compare"),
    Command("compare-second-look", lambda: tr("Request a second look…"), ("L",), "", "compare"),
    Command("compare-errata", lambda: tr("Declare errata…"), (), "", "compare"),
    Command("compare-pairs", lambda: tr("Switch between pairs of runs and items"), ("P",), "",
            "compare"),
)  # fmt: skip
"""What is done with models: evaluating them and comparing their answers."""

COMMANDS: tuple[Command, ...] = (
    Command("find", lambda: tr("Search or run a command"), ("Ctrl+K",), "search"),
    Command("undo", lambda: tr("Undo"), ("Ctrl+Z",), "undo"),
    Command("keys", lambda: tr("All keyboard shortcuts"), ("?",), "keys"),
    Command("help", lambda: tr("Help for this panel"), ("F1",), "help"),
    Command("back", lambda: tr("Back"), ("Alt+Left",)),
    Command("forward", lambda: tr("Forward"), ("Alt+Right",)),
    Command("refresh", lambda: tr("Refresh"), ("F5",), "refresh"),
    Command("navigation", lambda: tr("Show or hide the sidebar"), ("Ctrl+B",), "menu"),
    Command("theme", lambda: tr("Switch between light and dark"), (), "theme"),
    Command("language", lambda: tr("Switch between 中文 and English"), (), "language"),
    Command("settings", lambda: tr("Settings…"), ("Ctrl+,",)),
    Command("person", lambda: tr("Switch to another person"), (), "person"),
    Command("open", lambda: tr("Open another workspace…"), ("Ctrl+O",), "folder"),
    Command("quit", lambda: tr("Close the window"), ("Ctrl+Q",)),
    Command("task", lambda: tr("Task: guideline, labels, protocol…"), ("Ctrl+G",)),
    Command("protocols", lambda: tr("Protocols of several tasks…")),
    Command("guideline", lambda: tr("Show or hide the guideline beside the item"), ("F2",)),
    Command("question", lambda: tr("Ask about the item in front…"), ("Q",)),
    Command("find-text", lambda: tr("Find in the item"), ("Ctrl+F",), "search"),
    Command("page-down", lambda: tr("Scroll the item down"), ("PgDown", "Space")),
    Command("page-up", lambda: tr("Scroll the item up"), ("PgUp", "Shift+Space")),
    Command("page-top", lambda: tr("To the top of the item"), ("Home",)),
    Command("page-end", lambda: tr("To the end of the item"), ("End",)),
    Command("text-larger", lambda: tr("Larger item text"), ("Ctrl++", "Ctrl+=")),
    Command("text-smaller", lambda: tr("Smaller item text"), ("Ctrl+-",)),
    Command("text-usual", lambda: tr("Usual size of item text"), ("Ctrl+0",)),
    Command("line-height", lambda: tr("Next line height of item text")),
    Command("density", lambda: tr("Next density of item text")),
    Command("formulas", lambda: tr("Show formulas drawn, or as TeX"), ("F3",)),
    Command("new-task", lambda: tr("New task…")),
    Command("add-items", lambda: tr("Add items: import, generate, write…")),
    Command("import", lambda: tr("Import items from a file…"), ("Ctrl+I",)),
    Command("screen", lambda: tr("Start screening…")),
    Command("table", lambda: tr("Copy or save the table in front…"), ("Ctrl+Shift+E",), "export"),
    Command("verify", lambda: tr("Verify the ledger and every item"), (), "accept"),
    Command("backup", lambda: tr("Back up the workspace now")),
    Command("packages", lambda: tr("Work packages…")),
    Command("outbox", lambda: tr("Decisions that wait on this computer…")),
    Command("accept", lambda: tr("Accept"), ("A",), "accept", "review"),
    Command("reject", lambda: tr("Reject"), ("R",), "reject", "review"),
    *_reasons("reason", "review"),
    Command("unsure", lambda: tr("Mark as unsure, or take the mark away"), ("U",), "", "review"),
    Command("return", lambda: tr("Return with a note"), ("E",), "return", "review"),
    Command("skip", lambda: tr("Skip"), ("S",), "skip", "review"),
    Command("hand-in", lambda: tr("Submit the decision with this "
                                  "note"), ("Ctrl+Return",), "", "review"),
    Command("leave-note", lambda: tr("Leave the note or the list of "
                                     "reasons"), ("Esc",), "", "review"),
    Command("key", lambda: tr("Show or hide the answer key"), ("K",), "key", "review"),
    Command("source", lambda: tr("Show the source in the article"), ("O",), "source", "review"),
    Command("defects", lambda: tr("Show defects"), ("D",), "defects", "review"),
    Command("next", lambda: tr("Down"), ("J", "Down"), "down", "review"),
    Command("previous", lambda: tr("Up"), ("Shift+J", "Up"), "up", "review"),
    *_STAGES,
    *_SCORING,
    Command("open-entry", lambda: tr("Go on with it"), ("Return",), "source", "my_work"),
    Command("next-kind", lambda: tr("Next list"), ("T",), "", "my_work"),
    Command("next-own", lambda: tr("Down"), ("J",), "down", "my_work"),
    Command("previous-own", lambda: tr("Up"), ("Shift+J",), "up", "my_work"),
    Command("search-items", lambda: tr("Search item texts"), ("/",), "search", "items"),
    Command("filter", lambda: tr("Filter items"), ("F",), "search", "items"),
    Command("saved-filters", lambda: tr("Saved filters"), ("G",), "", "items"),
    Command("everywhere", lambda: tr("This benchmark or all benchmarks"), ("W",), "", "items"),
    Command("columns", lambda: tr("Choose columns"), ("C",), "", "items"),
    Command("life", lambda: tr("Open the item's history"), ("Return",), "source", "items"),
    Command("choose-all", lambda: tr("Select all items that match the filters"), ("Ctrl+A",), "",
            "items"),
    Command("many-reject", lambda: tr("Reject selected items…"), ("R",), "reject", "items"),
    Command("many-return", lambda: tr("Return selected items…"), ("E",), "return", "items"),
    Command("many-reopen", lambda: tr("Send selected items back to review…"), ("O",), "", "items"),
    Command("many-second-look", lambda: tr("Request a second look at the selected items…"), ("L",),
            "", "items"),
    Command("many-looked-again", lambda: tr("End the second look at the selected items…"), (), "",
            "items"),
    Command("many-declare-errata", lambda: tr("Declare the selected items errata…"), (), "",
            "items"),
    Command("many-withdraw-errata", lambda: tr("Withdraw the selected errata…"), (), "", "items"),
    Command("export-items", lambda: tr("Export the matching items…"), ("X",), "export", "items"),
    Command("next-item", lambda: tr("Down"), ("J",), "down", "items"),
    Command("previous-item", lambda: tr("Up"), ("Shift+J",), "up", "items"),
    Command("add-files", lambda: tr("Add files…"), (), "", "sources"),
    Command("add-folder", lambda: tr("Add folder…"), (), "", "sources"),
    Command("rewrite-data", lambda: tr("Rewrite labelled data with new knowledge…"), (), "",
            "sources"),
    Command("stop-run", lambda: tr("Stop the run"), ("S",), "stop", "runs"),
    Command("resume-run", lambda: tr("Resume the run"), ("R",), "run", "runs"),
    Command("log", lambda: tr("Show log"), ("L",), "log", "runs"),
    Command("freeze", lambda: tr("Freeze a split…"), (), "freeze", "splits"),
    Command("export", lambda: tr("Export to a folder…"), (), "export", "splits"),
    Command("datasheet", lambda: tr("Datasheet…"), (), "", "splits"),
    Command("seal", lambda: tr("Seal…"), (), "", "splits"),
    Command("open-split", lambda: tr("Open…"), (), "", "splits"),
    Command("expire", lambda: tr("Expire…"), (), "", "splits"),
    Command("publish", lambda: tr("Publish…"), (), "", "splits"),
    Command("receipt", lambda: tr("Issue the receipt again…"), (), "", "splits"),
    Command("lock-split", lambda: tr("Locked archive…"), (), "", "splits"),
    Command("check-archive", lambda: tr("Verify an archive…"), (), "", "splits"),
    Command("unlock-split", lambda: tr("Unlock the items…"), (), "", "splits"),
    Command("alarm-items", lambda: tr("Show the items of the first alarm"), (), "", "agreement"),
    Command("set-alarm", lambda: tr("Alarm…"), (), "", "agreement"),
    Command("set-threshold", lambda: tr("Set the threshold…"), (), "", "gate"),
    Command("add-person", lambda: tr("Add a person…"), (), "", "team"),
    Command("change-person", lambda: tr("Change a person…"), (), "", "team"),
    Command("invite", lambda: tr("Invite…"), (), "", "team"),
    Command("assign-tasks", lambda: tr("Assign tasks…"), (), "", "team"),
    Command("change-assignment", lambda: tr("Change the assignment…"), (), "", "team"),
    Command("html-report", lambda: tr("HTML report…"), (), "", "scores"),
    Command("rating-sheet", lambda: tr("Sample answers for rating…"), (), "", "scores"),
    Command("take-ratings", lambda: tr("Import ratings…"), (), "", "scores"),
    Command("sign-score", lambda: tr("Signed record…"), (), "", "scores"),
    Command("public-scores", lambda: tr("Add public scores…"), (), "", "leaderboard"),
    Command("compare-in-pairs", lambda: tr("Compare in pairs…"), (), "", "leaderboard"),
    Command("adaptive", lambda: tr("Adaptive evaluation…"), (), "", "leaderboard"),
)  # fmt: skip


def command(command_id: str) -> Command:
    """The command of that id; KeyError for one that does not exist."""
    for entry in COMMANDS:
        if entry.id == command_id:
            return entry
    raise KeyError(command_id)


def always() -> bool:
    """When a command needs nothing."""
    return True


_REPEATED = ("next", "previous", "page-down", "page-up", "text-larger", "text-smaller")
"""Commands that go on while their key is held."""


def printed_key(key: str) -> str:
    """``Ctrl+Return`` as it is engraved on a keyboard, which is the same in every language."""
    formats = QKeySequence.SequenceFormat
    # on a Mac the keys bear signs; elsewhere the native text would be Qt's translation
    native = formats.NativeText if sys.platform == "darwin" else formats.PortableText
    # Qt says Return, which is also what a reviewer does to an item
    return QKeySequence(key).toString(native).replace("Return", "Enter")


class Actions(QObject):
    """The commands as QActions, with the keys that this person chose.

    A panel binds the commands of its place; their keys act while the panel is in front.
    """

    remapped = Signal()

    def __init__(self, keys: dict[str, tuple[str, ...]], ink: str, parent: QObject) -> None:
        super().__init__(parent)
        self._keys = dict(keys)
        self._ink = ink
        self._actions: dict[str, QAction] = {}
        self._run: dict[str, Callable[[], None]] = {}
        self._when: dict[str, Callable[[], bool]] = {}

    def bind(
        self,
        command_id: str,
        widget: QWidget,
        run: Callable[[], None],
        when: Callable[[], bool] = always,
    ) -> QAction:
        """Give a command what it does; its keys act while ``widget`` is shown."""
        spec = command(command_id)
        action = QAction(spec.title(), widget)
        action.setObjectName(command_id)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setAutoRepeat(command_id in _REPEATED)
        if spec.icon:
            action.setIcon(icon(spec.icon, self._ink))
        action.setShortcuts([QKeySequence(key) for key in self.keys(command_id)])
        action.triggered.connect(self._on_triggered)
        widget.addAction(action)
        self._actions[command_id] = action
        self._run[command_id] = run
        self._when[command_id] = when
        action.setEnabled(when())
        return action

    def _on_triggered(self) -> None:
        command_id = self.sender().objectName()
        crash_reports.note(f"command {command_id}")
        self._run[command_id]()

    def action(self, command_id: str) -> QAction:
        """The bound action; KeyError before its place was opened."""
        return self._actions[command_id]

    def bound(self) -> tuple[str, ...]:
        """Ids of the commands that something is bound to, in the order of ``COMMANDS``."""
        return tuple(spec.id for spec in COMMANDS if spec.id in self._actions)

    def update(self) -> None:
        """Ask every command again whether it is possible now."""
        for command_id, action in self._actions.items():
            possible = self._when[command_id]()
            if action.isEnabled() != possible:
                action.setEnabled(possible)

    def keys(self, command_id: str) -> tuple[str, ...]:
        """The keys in use for a command."""
        return self._keys.get(command_id, command(command_id).keys)

    def key_text(self, command_id: str) -> str:
        """The first key as it is printed on this machine's keyboard; empty without one."""
        keys = self.keys(command_id)
        return printed_key(keys[0]) if keys else ""

    def clash(self, command_id: str, key: str) -> Command | None:
        """The other command that already answers to ``key`` where this one acts."""
        place = command(command_id).place
        wanted = QKeySequence(key)
        for spec in COMMANDS:
            together = spec.place == place or "window" in (spec.place, place)
            sequences = (QKeySequence(sequence) for sequence in self.keys(spec.id))
            if spec.id != command_id and together and wanted in sequences:
                return spec
        return None

    def remap(self, command_id: str, keys: tuple[str, ...] | None) -> None:
        """Use other keys from now on; None gives the command its own keys back."""
        if keys is None:
            self._keys.pop(command_id, None)
        else:
            self._keys[command_id] = keys
        if action := self._actions.get(command_id):
            action.setShortcuts([QKeySequence(key) for key in self.keys(command_id)])
        self.remapped.emit()

    @property
    def remaps(self) -> dict[str, tuple[str, ...]]:
        """Command id to keys, for those that differ from their own."""
        return dict(self._keys)


_PLAIN = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier


def typing(widget: QWidget | None) -> bool:
    """Whether keys pressed now belong to a text field."""
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        return widget.isEnabled() and not widget.isReadOnly()
    return False


_PRESSED = (QAbstractButton, QComboBox)
"""What Space presses or opens while it has the focus."""
_CHOOSING = (Qt.Key.Key_Up, Qt.Key.Key_Down)
"""What chooses another entry of a box that has the focus."""
_ENDS_COMPOSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
TYPED_INTO = "typed_into"
"""Property of a box in which letters choose an entry, as they do in a form."""


class KeyGate(QObject):
    """Keeps keys that are being typed away from the shortcuts.

    Watches the text field that has the focus: an unmodified key (or Shift and a key) pressed there,
    or any key while an input method composes, is never a shortcut. The Enter that commits pinyin
    is one of them, and hands in nothing; nor does the Esc that drops it close a dialog.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._composing = False
        self._watched: QWidget | None = None
        app.focusChanged.connect(self._on_focus)
        self._on_focus(None, app.focusWidget())

    @property
    def composing(self) -> bool:
        """Whether an input method holds text that is not committed yet."""
        return self._composing

    def _on_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        if self._watched is not None and isValid(self._watched):
            self._watched.removeEventFilter(self)
        self._composing = False
        if isinstance(new, QPushButton) and not isinstance(new.window(), QDialog):
            new.setAutoDefault(True)  # Enter presses it, also one that came after its panel
        watched = typing(new) or isinstance(new, (*_PRESSED, QAbstractSpinBox))
        self._watched = new if watched else None
        if self._watched is not None:
            self._watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Accept the override of a typed key, so that Qt sends it to the field as a key press."""
        kind = event.type()
        if kind == QEvent.Type.InputMethod and isinstance(event, QInputMethodEvent):
            self._composing = bool(event.preeditString())
        elif kind == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if isinstance(self._watched, _PRESSED) and not self._watched.property(TYPED_INTO):
                chooses = isinstance(self._watched, QComboBox) and event.key() in _CHOOSING
                typed = (
                    event.key() == Qt.Key.Key_Space
                    or chooses
                    or _pressed_by_enter(self._watched, event)
                )
            else:
                typed = self._composing or _is_typed(event)
            if typed:
                event.accept()
            return typed
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._composing:
            return event.key() in _ENDS_COMPOSING
        return False


def _pressed_by_enter(widget: QAbstractButton | QComboBox, event: QKeyEvent) -> bool:
    """Whether Enter means the button that has the focus; one of several that are switched, such as
    a kind of items, leaves it to the list."""
    return (
        isinstance(widget, QPushButton)
        and widget.autoDefault()
        and not widget.isCheckable()
        and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        and event.modifiers()
        in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    )


def _is_typed(event: QKeyEvent) -> bool:
    modifiers = event.modifiers() & ~(_PLAIN | Qt.KeyboardModifier.ShiftModifier)
    if modifiers == Qt.KeyboardModifier.NoModifier:
        return event.key() != Qt.Key.Key_Escape and not _is_function_key(event.key())
    return False


def _is_function_key(key: int) -> bool:
    return Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35
