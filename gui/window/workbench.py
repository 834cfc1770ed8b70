"""The frame of one person at work: places on the left, the panel in the middle, the truth below."""

import time
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.i18n import language, tr, trn
from core.workflow import people
from core.workflow.check.questions import QuestionNews
from core.workflow.items.undo import Undone
from core.workflow.rights import Action
from core.workflow.runs import take_in
from core.workflow.runs.runs import RunInfo
from core.workflow.workspace import Workspace
from gui import i18n, labels, theme
from gui.actions import Actions, command
from gui.context import Change, WindowContext
from gui.dialogs.help import HelpDialog
from gui.dialogs.shortcuts import ShortcutsDialog
from gui.ledger_watch import LedgerWatch
from gui.panels import PANELS
from gui.panels.base import Panel, PanelSpec
from gui.panels.runs.figures import outcome_of
from gui.preferences import Preferences
from gui.tasks import Tasks
from gui.theme import Tokens
from gui.timers import single_shot
from gui.widgets.elements import column, face, row, tip
from gui.window.command_elsewhere import CommandElsewhere
from gui.window.command_palette import CommandPalette
from gui.window.connection_state import ConnectionState
from gui.window.frame import Navigation, PlaceEntry, StatusLine, TopBar
from gui.window.menus import TopMenus
from gui.window.notice import NoticeBar
from gui.window.panel_room import PanelRoom, PutAwayWhenNarrow
from gui.window.reading_keys import ReadingKeys
from gui.window.search_indexing import SearchIndexing
from gui.window.status_poll import (
    UNDONE_AT,
    StageCounts,
    StatusPoll,
    poll_status,
    question_list,
    question_words,
    runs_in_words,
    take_in_run,
    undo_or_say,
    undo_words,
    undone_words,
    waiting_words,
)
from gui.window.table_keys import TableKeys
from gui.window.trail import Stop, Trail
from gui.window.ways_in import WaysIn

_RENEW_S = 240.0
_SLOW_MS = 300
"""A write that takes longer is said to be under way."""


class Workbench(QWidget):
    """Everything around the panels. Rebuilt for another person, theme or language."""

    preferences_changed = Signal(object)
    """New ``Preferences`` to be kept."""
    remade = Signal(object)
    """New ``Preferences`` that need the window to be rebuilt (theme, language)."""
    person_change_wanted = Signal()
    other_workspace_wanted = Signal()

    def __init__(
        self,
        workspace: Workspace,
        location: str,
        person: people.PersonInfo,
        tasks: Tasks,
        preferences: Preferences,
        colours: Tokens,
    ) -> None:
        super().__init__()
        self._location = location
        self._preferences = preferences
        self._panels: dict[str, Panel] = {}
        self._places: tuple[PanelSpec, ...] = tuple(p for p in PANELS if p.seen_by(person.role))
        self._status: StatusPoll | None = None
        self._undo_words = ""
        self._ways_in: WaysIn | None = None
        self._undo_again = 0
        self._taken: set[str] = set()
        self._stage_counts = StageCounts()
        self._trail = Trail()
        self._renewed = time.monotonic()
        self.actions_ = Actions(dict(preferences.keys), colours.text, self)
        self.context = WindowContext(
            workspace, person, tasks, self.actions_, colours, preferences, self
        )
        self.context.wanted_item = preferences.item.get(location, 0)
        theme.read_in(preferences.reading)
        self.stack = QStackedWidget()
        self._reading = ReadingKeys(self.context, self.stack, self)
        self._reading.preferences_changed.connect(self._on_reading)
        TableKeys(self.context, self.stack, self)
        self._elsewhere = CommandElsewhere(self.context, self)
        self._bind()
        self._build(colours)
        self._connect()
        self._slow = single_shot(self, _SLOW_MS, self._say_saving)
        self._show_names()
        self._show_undo("")
        self._say_saved_nothing()

    def _bind(self) -> None:
        bind = self.actions_.bind
        bind("find", self, self.open_find)
        bind("undo", self, self.undo, self._can_undo)
        bind("keys", self, self.open_keys)
        bind("help", self, self.open_help)
        bind("back", self, self.go_back, partial(getattr, self._trail, "can_go_back"))
        bind("forward", self, self.go_forward, partial(getattr, self._trail, "can_go_on"))
        bind("refresh", self, self.read_again)
        bind("navigation", self, self._toggle_navigation)
        bind("theme", self, self._toggle_theme)
        bind("language", self, self._toggle_language)
        bind("person", self, self.person_change_wanted.emit)
        bind("open", self, self.other_workspace_wanted.emit)
        bind("quit", self, self._close_window)
        bind("task", self, self.open_task)
        if self.context.may(Action.VERIFY):
            bind("verify", self, self.open_verify)
        if self.context.may(Action.ADD_TASK):
            bind("new-task", self, self.open_new_task)
        if self.context.may(Action.MAKE_ITEMS):
            bind("screen", self, self.open_screening)
            bind("add-items", self, self.show_ways_in)
            bind("import", self, self.open_import)

    def _build(self, colours: Tokens) -> None:
        self.top = TopBar(self.actions_, colours.muted)
        self.menus = TopMenus(self.context, self.top, self._location)
        entries = [PlaceEntry(spec.id, spec.title(), spec.group()) for spec in self._places]
        self.navigation = Navigation(entries)
        self.status = StatusLine(self.actions_)
        self.connection = ConnectionState(self.context, self.status, self)
        middle = QWidget()
        inner = column(middle, spacing=0)
        inner.addWidget(PanelRoom(self.stack), 1)
        self.notice = NoticeBar(colours.muted, self.stack)
        body = row(spacing=0)
        body.addWidget(self.navigation)
        body.addWidget(middle, 1)
        whole = column(self, spacing=0)
        whole.addWidget(self.top)
        whole.addLayout(body, 1)
        whole.addWidget(self.status)
        PutAwayWhenNarrow(self, self.navigation)

    def _connect(self) -> None:
        context = self.context
        self.navigation.chosen.connect(self.show_panel)
        context.noticed.connect(self.notice.show_notice)
        self.notice.followed.connect(self._on_asked_for)
        context.undo_changed.connect(self._show_undo)
        context.live.due.connect(self.poll)
        context.link.back.connect(self.poll)
        context.asked_for.connect(self._on_asked_for)
        context.columns_chosen.connect(self._on_columns)
        context.review_counted.connect(partial(self._show_count, "review"))
        context.changed.connect(self.actions_.update)
        context.changed.connect(self._count_again)
        context.benchmark_changed.connect(self._on_benchmark)
        context.tasks.writing.connect(self._on_writing)
        context.tasks.settled.connect(self._on_settled)
        context.tasks.failed.connect(context.complain)
        self.actions_.remapped.connect(self._on_remapped)

    # -- panels -----------------------------------------------------------------------------

    def start(self) -> None:
        """Show the first place and begin to listen for changes."""
        self.context.link.begin()  # what was decided earlier is sent before anything is claimed
        usual = "review" if "review" in self.places else self._places[0].id
        first = self._preferences.place.get(self._location, usual)
        if not self.context.benchmark and self.context.may(Action.MAKE_ITEMS):
            self.show_ways_in()
        else:
            self.show_panel(first if first in self.places else usual)
        self.poll()
        self.context.live.start()
        SearchIndexing(self.context).go_on()
        if "agreement" in self.places:
            LedgerWatch.of(self.context).warm_soon()

    @property
    def places(self) -> tuple[str, ...]:
        """Ids of the panels that this person sees, in their order."""
        return tuple(spec.id for spec in self._places)

    def panel(self, panel_id: str) -> Panel:
        """The panel of that id, built when it was not shown before."""
        if panel_id not in self._panels:
            spec = next(spec for spec in self._places if spec.id == panel_id)
            built = spec.factory(self.context)
            self._panels[panel_id] = built
            self.stack.addWidget(built)
        return self._panels[panel_id]

    @property
    def front(self) -> str:
        """Id of the panel in front; empty before the first."""
        shown = self.stack.currentWidget()
        return next((name for name, panel in self._panels.items() if panel is shown), "")

    def show_panel(self, panel_id: str) -> None:
        """Bring a place to the front; one that this person does not have is left alone."""
        if panel_id not in self.places:
            return
        if self.front and panel_id != self.front:
            self._trail.leave(self._here())
        self._bring(panel_id)

    def _bring(self, panel_id: str) -> None:
        self.navigation.choose(panel_id)
        panel = self.panel(panel_id)
        place = {**self._preferences.place, self._location: panel_id}
        self._keep(self._preferences.model_copy(update={"place": place}))
        self.stack.setCurrentWidget(panel)
        panel.setFocus()
        self.actions_.update()

    def _here(self) -> Stop:
        panel = self._panels.get(self.front)
        left = (panel.place(), panel.focus_place()) if panel else (None, None)
        return Stop(self.front, self.context.benchmark, *left)

    def go_back(self) -> None:
        """The place before, as it was left."""
        self._go_to_stop(self._trail.back(self._here()))

    def go_forward(self) -> None:
        """Where one came back from."""
        self._go_to_stop(self._trail.on(self._here()))

    def _go_to_stop(self, stop: Stop | None) -> None:
        if stop is None:
            return
        if stop.benchmark:
            self.context.choose_benchmark(stop.benchmark)
        if not stop.panel:
            self.show_ways_in()
            return
        self._bring(stop.panel)
        self._panels[stop.panel].come_back(stop.place, stop.focus)

    def show_ways_in(self) -> None:
        """The three ways in which items come into a workspace."""
        if self._ways_in is None:
            self._ways_in = WaysIn()
            self._ways_in.chosen.connect(self._on_way)
            self.stack.addWidget(self._ways_in)
        self.navigation.choose_none()
        self.stack.setCurrentWidget(self._ways_in)
        self._ways_in.buttons["import"].setFocus()
        self.actions_.update()

    def _on_way(self, way: str) -> None:
        if way == "import":
            self.open_import()
        elif way == "generate":
            self.show_panel("sources")
        elif self.context.benchmark:
            self.show_panel("write")
        else:
            self.open_new_task()

    def _on_asked_for(self, wanted: tuple[str, Any], benchmark: str = "") -> None:
        panel_id, argument = wanted
        if panel_id in ("new-task", "outbox", "packages"):
            self.actions_.action(panel_id).trigger()
            return
        if panel_id not in self.places:
            return
        goes = panel_id != self.front or benchmark not in ("", self.context.benchmark)
        if self.front and (goes or argument is not None):
            self._trail.leave(self._here())
        self.context.choose_benchmark(benchmark or self.context.benchmark)
        self._bring(panel_id)
        if argument is not None:
            self._panels[panel_id].take(argument)

    def read_again(self) -> None:
        """Read again what is in front, and the counts."""
        self.context.link.try_now()
        if isinstance(panel := self.stack.currentWidget(), Panel):
            panel.spoil()
        self.poll()

    # -- the poll ---------------------------------------------------------------------------

    def poll(self) -> None:
        """Ask for counts and runs, beside the lane on which decisions are written."""
        context = self.context
        if context.link.is_lost:  # which asks by itself, less and less often
            return
        work = partial(
            poll_status,
            context.workspace,
            context.feed,
            self._stage_counts,
            context.person.name,
            context.benchmark,
            self.front == "review" and self.isVisible(),
            self._renews(),
        )
        context.ask(self, work, self._on_status, self.connection.say_silent, topic="status",
                    lane="background")  # fmt: skip

    @property
    def last_poll(self) -> StatusPoll | None:
        """What the last look at the workspace found; None before the first."""
        return self._status

    def _count_again(self, change: Change) -> None:
        """What was done here is counted at once; Review, where keys are quick, counts by itself."""
        if change.by is not None and self.front != "review":
            self.poll()

    def _renews(self) -> bool:
        due = time.monotonic() - self._renewed > _RENEW_S
        if due:
            self._renewed = time.monotonic()
        return due and self.window().isActiveWindow()

    def _on_status(self, status: StatusPoll) -> None:
        before, self._status = self._status, status
        self.context.live.looked(self.context.feed.tip, bool(status.active))
        self.connection.say_answered()
        self.menus.benchmarks = status.benchmarks
        if self.context.benchmark not in status.benchmarks:
            self.context.choose_benchmark(status.benchmarks[0] if status.benchmarks else "")
        self._show_runs(status)
        waiting = status.waiting
        if waiting < 0 and "review" in self._panels:
            waiting = self._panels["review"].waiting()
        if waiting >= 0:
            self._show_count("review", waiting)
        for panel_id in ("adjudicate", "rate", "answer", "audit"):
            self._show_count(panel_id, status.queues.get(panel_id, 0))
        self._show_count("write", status.returned)
        self._show_questions(status.questions, before.questions if before else QuestionNews())
        if not self.context.tasks.is_writing and not self.context.undoing:
            newest = status.undo
            self._show_undo(undo_words(newest) if newest else "", newest.refusal if newest else "")
        self._take_in(status, before)
        topics = self.context.feed.take_news()
        if before is not None and before.run_states != status.run_states:
            topics |= {"runs"}
        self.context.announce(topics)

    def _take_in(self, status: StatusPoll, before: StatusPoll | None) -> None:
        # a run whose failed items are asked again finishes once more, and is taken in again
        self._taken -= {run.id for run in status.active}
        self._taken -= {run.id for run in status.ended if run.taken_in}
        for run in status.ended:
            if run.state == "finished" and not run.taken_in and run.id not in self._taken:
                self._taken.add(run.id)
                if take_in.has_results(run.kind):
                    work = partial(take_in_run, self.context.workspace, run)
                    self.context.write(self, work, self._on_taken_in, lane="background")
                elif before is not None:  # what had ended before the window came is not news
                    self._on_taken_in(run)

    def _on_taken_in(self, run: RunInfo) -> None:
        kind = labels.word(labels.RUN_KINDS, run.kind)
        said = tr("{kind} finished: {what}.", kind=kind, what=run.title)
        outcome = outcome_of(run)
        if outcome is not None and outcome.panel in self.places:
            leads_to = (outcome.words, outcome.panel, outcome.argument, run.benchmark)
            self.context.say(said, *leads_to)
        else:
            self.context.say(said)
        self.poll()

    def _show_count(self, panel_id: str, waiting: int) -> None:
        """A count beside a place, and nothing where nothing waits."""
        words = waiting_words(panel_id, waiting)
        self.navigation.badge(panel_id, i18n.number(waiting) if waiting else "", words)

    def _show_questions(self, news: QuestionNews, before: QuestionNews) -> None:
        says = question_words(news)
        self.navigation.badge("my_work", i18n.number(news.total) if news.total else "", says)
        if news.waiting > before.waiting or news.answered > before.answered:
            self.context.say(says, tr("Show in My work"), "my_work", *question_list(news, before))
            self.context.announce(frozenset({"questions"}))

    def _show_runs(self, status: StatusPoll) -> None:
        says = trn("1 active run", "{n} active runs", len(status.active)) if status.active else ""
        self.navigation.badge("runs", "●" if status.active else "", says)
        self.status.say_runs(runs_in_words(status.active))

    # -- saving and undo --------------------------------------------------------------------

    def _say_saved_nothing(self) -> None:
        read_only = self.context.workspace.is_read_only
        self.status.say_saved(tr("read-only") if read_only else tr("nothing to save"), "muted")
        self.status.say_connected(tr("connecting…"), "muted")
        self.status.say_runs("")

    def _on_writing(self) -> None:
        if not self._slow.isActive():
            self._slow.start()

    def _say_saving(self) -> None:
        if self.context.tasks.is_writing:
            self.status.say_saved(tr("saving…"), "muted")

    def _on_settled(self, sentence: str) -> None:
        self._slow.stop()
        if sentence:
            self.status.say_saved(tr("not saved ✕"), "reject")
        else:
            self.status.say_saved(self.connection.saved_words(), "accept")
        self.status.saved.setToolTip(tip(sentence))

    def _can_undo(self) -> bool:
        return bool(self._undo_words) or self.context.undoing

    def _show_undo(self, what: str, refusal: str = "") -> None:
        """What undo would take back; where it is refused, that and why."""
        self._undo_words = "" if refusal else what
        action = self.actions_.action("undo")
        words = tr("Undo: {what}", what=what) if what else tr("Nothing to undo")
        action.setText(face(words))
        action.setToolTip(tip(refusal or words))
        action.setEnabled(bool(self._undo_words))

    def undo(self) -> None:
        """Take back the newest decision of this person; pressed meanwhile, the one before too."""
        if self.context.undoing:
            self._undo_again += 1
            return
        self.context.undoing = True
        self.actions_.action("undo").setText(tr("Undo"))
        work = partial(undo_or_say, self.context.workspace, self.context.person.name)
        self.context.write(self, work, self._on_undone, self._on_not_undone)

    def _on_undone(self, undone: Undone | str) -> None:
        if isinstance(undone, str):
            self._on_not_undone(undone)
            return
        self.context.undoing = False
        self.context.say(undone_words(undone))
        place = UNDONE_AT.get(undone.kind, "")
        if undone.kind in ("decided", "skipped"):
            self.context.go_to("review", undone)
        elif place and place == self.front:
            self.context.go_to(place, undone if place == "rate" else undone.number)
        if self._undo_again:
            self._undo_again -= 1
            self.undo()
        else:
            self.poll()

    def _on_not_undone(self, sentence: str) -> None:
        self.context.undoing = False
        self._undo_again = 0
        self.context.complain(sentence)
        self._show_undo("")
        self.poll()

    # -- menus ------------------------------------------------------------------------------

    def _show_names(self) -> None:
        self.top.show_names(
            self.context.workspace.title, self.context.benchmark, self.context.person.name
        )

    def _on_benchmark(self, name: str) -> None:
        self._show_names()
        if name:
            self._keep(self._preferences.with_benchmark(self._location, name))
        self.poll()

    # -- dialogs and preferences ------------------------------------------------------------

    def open_find(self) -> None:
        """The palette: every command, every place, every item."""
        dialog = CommandPalette(self.context, self._places, self.front, self)
        dialog.panel_chosen.connect(self.show_panel)
        dialog.elsewhere_chosen.connect(self._on_elsewhere)
        dialog.open()

    def _on_elsewhere(self, command_id: str) -> None:
        self.show_panel(place := command(command_id).place)
        self._elsewhere.choose(command_id, self._panels[place])

    def open_keys(self) -> None:
        """The sheet of all keys."""
        ShortcutsDialog(self.actions_, self).open()

    def open_help(self) -> None:
        """Help for the panel in front."""
        HelpDialog(self.front or "start", self).open()

    def open_verify(self) -> None:
        """Walk the ledger and recompute every item, and say what does not fit."""
        from gui.dialogs.verify import VerifyDialog

        VerifyDialog(self.context, self).open()

    def open_task(self) -> None:
        """What a task asks for and how it is reviewed: the one of the panel in front."""
        from gui.dialogs.task import TaskDialog

        panel = self.stack.currentWidget()
        task = panel.task() if isinstance(panel, Panel) else ""
        TaskDialog(self.context, task, self).open()

    def remember(self, preferences: Preferences) -> Preferences:
        """Preferences with the place in front and the item on the page of Review."""
        review = self._panels.get("review")
        item = review.item() if review is not None else self.context.wanted_item
        return preferences.with_place(self._location, self.front, item)

    def open_new_task(self) -> None:
        """Add a task, from the catalogue or by hand; then its items can be written."""
        from gui.dialogs.new_task import NewTaskDialog, show_added

        dialog = NewTaskDialog(self.context, self)
        dialog.added.connect(partial(show_added, self.context))
        dialog.open()

    def open_import(self) -> None:
        """Import a file, into the task in front where there is one."""
        from gui.panels.sources.import_dialog import ImportDialog

        panel = self.stack.currentWidget()
        ImportDialog(self.context, self, panel.task() if isinstance(panel, Panel) else "").open()

    def open_screening(self) -> None:
        """Send drafts through the gate."""
        from gui.dialogs.screening import ScreeningDialog

        ScreeningDialog(self.context, self).open()

    def _on_remapped(self) -> None:
        self._keep(self._preferences.model_copy(update={"keys": self.actions_.remaps}))

    def _on_columns(self, chosen: tuple[str, tuple[str, ...]]) -> None:
        self._keep(self._preferences.with_columns(*chosen))

    def _keep(self, preferences: Preferences) -> None:
        if preferences != self._preferences:
            self._preferences = preferences
            self.preferences_changed.emit(preferences)

    def _on_reading(self, changes: dict[str, Any]) -> None:
        after = self._preferences.model_copy(update=changes)
        if changes.keys() & {"language", "theme", "font"}:
            self.remade.emit(after)
        else:
            self._keep(after)

    def _toggle_navigation(self) -> None:
        self.navigation.setVisible(not self.navigation.isVisible())

    def _toggle_theme(self) -> None:
        theme = "light" if self._preferences.theme == "dark" else "dark"
        self.remade.emit(self._preferences.model_copy(update={"theme": theme}))

    def _toggle_language(self) -> None:
        other = "en" if language() == "zh" else "zh"
        self.remade.emit(self._preferences.model_copy(update={"language": other}))

    def _close_window(self) -> None:
        self.window().close()

    def stop(self) -> None:
        """Stop asking; the window goes or is rebuilt."""
        self.context.live.stop()
        self._slow.stop()
        self.context.link.stop()
        self.notice.dismiss()

    def event(self, event: QEvent) -> bool:
        """Esc takes the notice away, and does whatever else it does in the panel in front."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if pressed and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]  # pressed says so
            self.notice.dismiss()
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """The window comes back to the front: the commands are as they should be."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange:
            self.actions_.update()
