"""What every panel is handed: the workspace, who works, on which benchmark, and how to say so."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from core.workflow.changes import ChangeFeed, ChangeRecord, Topic
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.people import PersonInfo
from core.workflow.rights import Action, is_allowed
from core.workflow.workspace import Workspace
from gui.actions import Actions
from gui.live_ledger import LiveLedger
from gui.preferences import Preferences
from gui.server_link import ServerLink
from gui.tasks import Lane, StandingSentence, Tasks
from gui.theme import Tokens


@dataclass(frozen=True, slots=True)
class Change:
    """Something changed in the workspace. Each view decides whether it is stale."""

    topics: frozenset[Topic]
    by: QObject | None = None
    """Who wrote it in this window; None for a change that came from elsewhere."""


FILE = "file"


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence that a person has to see; ``reject`` is for what went wrong."""

    text: str
    tone: Literal["plain", "reject"] = "plain"
    link: str = ""
    """The words of a button that leads to what the sentence is about; none when empty."""
    panel: str = ""
    """Where the button leads; ``FILE`` for a file that another program opens."""
    argument: Any = None
    benchmark: str = ""
    """The benchmark that the sentence is about, in which the button acts; empty: any."""


@dataclass(frozen=True, slots=True)
class ArrivedItem:
    """An item that has just come in: Review brings it to the front if it waits for the person."""

    number: int


class WindowContext(QObject):
    """One person at work on one workspace. Lives as long as the window of that person."""

    changed = Signal(object)
    noticed = Signal(object)
    undo_changed = Signal(object)
    """The words of what undo would undo; empty when there is nothing."""
    benchmark_changed = Signal(object)
    columns_chosen = Signal(object)
    """``(list, ids of the columns)``: a person chose what a list shows, to be remembered."""
    guideline_toggled = Signal()
    """``guideline`` changed: whether it stands beside the item."""
    reading_changed = Signal()
    """The text of items is set in another size, line height or density."""
    review_counted = Signal(object)
    """How many items are left to review, as soon as Review knows."""
    asked_for = Signal(object)
    """``(panel id, argument)``: another panel should come to the front."""

    def __init__(
        self,
        workspace: Workspace,
        person: PersonInfo,
        tasks: Tasks,
        actions: Actions,
        colours: Tokens,
        preferences: Preferences,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.person = person
        self.tasks = tasks
        self.actions = actions
        self.colours = colours
        self.preferences = preferences
        self.reports = ReportCache(workspace)
        self.feed = ChangeFeed(workspace)
        self.live = LiveLedger(workspace, tasks, self)
        self.link = ServerLink(workspace, person.name, tasks, self.feed.read, self)
        self.link.back.connect(self.live.listen)
        self.undoing = False
        """Whether something is being taken back: what is in front may not stay there."""
        self.guideline = preferences.guideline
        """Whether the guideline of the task in front stands beside the item."""
        self.wanted_item = 0
        """The item that was on the page of Review when the window was closed; taken up once."""
        self.shared = False
        """Whether accounts of the operating system decide who acts here."""
        self._benchmark = ""
        self.read_news()

    def may(self, action: Action) -> bool:
        """Whether the person at work may do something; what they may not is not offered."""
        return is_allowed(self.person.role, action)

    @property
    def benchmark(self) -> str:
        """Name of the benchmark in front; empty while the workspace has none."""
        return self._benchmark

    def choose_benchmark(self, name: str) -> None:
        """Bring another benchmark to the front."""
        if name != self._benchmark:
            self._benchmark = name
            self.benchmark_changed.emit(name)

    def ask(
        self,
        owner: QObject,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None] | None = None,
        *,
        topic: str = "",
        lane: Lane = "database",
    ) -> None:
        """Read something off the window's thread; see ``Tasks.run``.

        While the server is away, what the one worker of the database is asked ends at once with
        ConnectionLostError: decisions that are kept here do not wait behind it.
        """
        if lane == "database":
            work = partial(self.link.guarded, work)
        self.tasks.run(owner, work, done, failed, topic=topic, lane=lane)

    def write(
        self,
        owner: QObject,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None] | None = None,
        *,
        lane: Lane = "database",
        kept: bool = False,
    ) -> None:
        """Change something; it is finished even when the window closes meanwhile.

        What was changed is in the ledger: every view is told of it before ``done`` is called.
        ``kept`` is for work that needs no server: it keeps here what cannot be sent.
        """
        if lane == "database" and not kept:
            work = partial(self.link.guarded, work)
        record = ChangeRecord()
        self.tasks.run(
            owner,
            partial(self.feed.record, work, record),
            done,
            failed,
            lane=lane,
            write=True,
            landed=partial(self._announce_write, record, owner),
        )

    def _announce_write(self, record: ChangeRecord, owner: QObject) -> None:
        self.announce(record.topics, owner)

    def announce(self, topics: frozenset[Topic], by: QObject | None = None) -> None:
        """Tell every view what changed; for ``write`` and for what the poll finds."""
        if topics:
            self.changed.emit(Change(topics, by))

    def read_news(self) -> None:
        """Tell every view what other programs wrote since this was done last."""
        self.ask(self, self.feed.read, self._on_news, self._on_no_news, lane="background")

    def _on_news(self, _nothing: None) -> None:
        self.announce(self.feed.take_news())

    def _on_no_news(self, _sentence: str) -> None:
        """The status line says that the connection is lost; the next poll tries again."""

    def say(
        self, text: str, link: str = "", panel: str = "", argument: Any = None, benchmark: str = ""
    ) -> None:
        """Float a sentence over the panel for a while; ``link`` leads to a panel, in ``benchmark``
        or else in the one that is in front now, whichever is in front by then."""
        at = benchmark or self._benchmark
        self.noticed.emit(Notice(text, "plain", link, panel, argument, at))

    def complain(self, text: str) -> None:
        """Float what went wrong over the panel for a while; that the server is away is told once,
        by the status line and one notice, and not for everything that is read. What stands already
        is only said."""
        if text in self.link.sentences:
            return
        if isinstance(text, StandingSentence):
            self.say(text)
            return
        self.noticed.emit(Notice(text, "reject"))

    def keep_columns(self, name: str, shown: tuple[str, ...]) -> None:
        """Remember the columns of a list beyond this window."""
        self.preferences = self.preferences.with_columns(name, shown)
        self.columns_chosen.emit((name, shown))

    def go_to(self, panel: str, argument: Any = None) -> None:
        """Bring another panel to the front and hand it an argument."""
        self.asked_for.emit((panel, argument))


def touches(change: Change, topics: Iterable[Topic]) -> bool:
    """Whether a change concerns any of these topics."""
    return bool(change.topics & frozenset(topics))


def context_of(widget: QObject) -> WindowContext:
    """The context of the window in which a widget stands; LookupError outside of one."""
    holder: QObject | None = widget
    while holder is not None:
        if isinstance(context := getattr(holder, "context", None), WindowContext):
            return context
        holder = holder.parent()
    raise LookupError(f"{widget!r} stands in no window")
