"""What the five dashboards share: reading on a worker, drawing in pieces, items behind marks."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QPushButton, QScrollArea, QStackedLayout

from core.gc_pause import few_collections
from core.i18n import tr
from core.workflow import dashboards
from core.workflow.dashboards.figures import Dashboard, ItemSelection, Pick
from core.workflow.dashboards.registry import DashboardRequest, items_behind
from core.workflow.items.search import Filters
from core.workflow.rights import Action
from gui.charts.dashboard_page import DashboardPage
from gui.charts.figure_card import Step
from gui.context import WindowContext
from gui.garbage import give_back_memory
from gui.ledger_watch import LedgerWatch
from gui.panels.base import Panel
from gui.widgets.empty import EmptyState
from gui.widgets.steady_fields import ChoiceBox

Choice = tuple[str, str]
"""``(value, words)``."""


def read_dashboard(panel: str, request: DashboardRequest) -> Dashboard:
    """Draw a dashboard; once it is here, what its pictures need is imported."""
    with few_collections():
        dashboard = dashboards.draw(panel, request)
        import_pictures()
    give_back_memory()
    return dashboard


@few_collections()
def import_pictures() -> None:
    """Import what draws pictures. Somebody who asks while it is under way waits for it."""
    import_module("pyqtgraph")


class DashboardPanel(Panel):
    """One dashboard: it refreshes itself while it is in front, and never holds the window up."""

    topics = ("items", "decisions", "benchmarks", "people", "alarms")
    dashboard_id = ""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.watch = LedgerWatch.of(context)
        self._request = DashboardRequest(
            context.workspace, self.watch.book, context.benchmark, context.person.name
        )
        self._reading = False
        self._again = False
        self._newest = -1
        self._steps: list[Step] = []
        self.page = DashboardPage(context.colours)
        self.shown: Dashboard | None = None
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(self.page)
        self.empty = EmptyState()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(area)
        self._stack.addWidget(self.empty)
        self._next = QTimer(self)
        self._next.setInterval(0)
        self._next.timeout.connect(self._step)
        self.page.work_aside = self._work_aside
        self.page.wanted.connect(self._on_wanted)
        self.page.task_wanted.connect(self._on_task)
        self.page.refused.connect(context.complain)
        self.page.settle_wanted.connect(self._on_settle)
        self.empty.pressed.connect(self._on_empty_pressed)
        self.watch.moved.connect(self._on_moved)
        self.page.sentence.setText(tr("Reading…"))
        self.build_head()
        self._export = QPushButton()
        self._export.setText(tr("Export ▾"))
        self._export.clicked.connect(self._open_export)
        self.page.add_choice(self._export)

    # -- choices ----------------------------------------------------------------------------

    def build_head(self) -> None:
        """Put the choices of this dashboard above its answer, by ``add_choice``."""

    def add_choice(self, words: str, name: str, choices: list[Choice]) -> QComboBox:
        """A box for one field of what is asked."""
        box = ChoiceBox()
        box.setAccessibleName(words)
        for value, label in choices:
            box.addItem(label, value)
        box.setCurrentIndex(max(0, box.findData(getattr(self._request, name))))
        box.setProperty("field", name)
        box.activated.connect(self._on_choice)
        self.page.add_choice(box)
        return box

    def _on_choice(self, _index: int) -> None:
        box = self.sender()
        if isinstance(box, QComboBox):
            self.choose(**{str(box.property("field")): box.currentData()})

    def choose(self, **fields: Any) -> None:
        """Ask for something else, and read it."""
        self._request = replace(self._request, **fields)
        self.spoil()

    @property
    def request(self) -> DashboardRequest:
        """What is asked for now."""
        return self._request

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read again; while an answer is awaited, once more after it."""
        self.watch.begin(self)
        if self._reading:
            self._again = True
            return
        self._reading = True
        self._request = replace(
            self._request, benchmark=self.context.benchmark, viewer=self.context.person.name
        )
        work = partial(read_dashboard, self.dashboard_id, self._request)
        self.context.ask(self, work, self._on_dashboard, self._on_failed, lane="background")
        if self.shown is None:
            # beside the first reading, half of which the database does by itself; and once this
            # panel is painted, for an import leaves the window's thread little time
            self._steps = [self._import]
            self._next.start()

    def _import(self) -> None:
        self.context.ask(self, import_pictures, self._on_imported, lane="background")

    def _on_imported(self, _nothing: None) -> None:
        """Nothing is shown of it."""

    def _on_dashboard(self, dashboard: Dashboard) -> None:
        self._reading = False
        if self._again or dashboard.tip < self._newest:
            self._again = False
            self.refresh()
            if dashboard.benchmark != self.context.benchmark:
                return
        self._stack.setCurrentIndex(1 if dashboard.missing else 0)
        if dashboard.missing is not None:
            missing = dashboard.missing
            self.empty.say(missing.title, missing.text, missing.button)
            self.shown = dashboard
            return
        self._steps = self.page.steps(dashboard)
        self._steps.append(partial(self._finish, dashboard))
        self._next.start()

    def _on_failed(self, sentence: str) -> None:
        self._reading = False
        if self._again:  # something else was asked for meanwhile: that answer is awaited
            self._again = False
            self.refresh()
            return
        if self.shown is None:
            self.page.sentence.setText(sentence)
        self.context.complain(sentence)

    def _step(self) -> None:
        """One piece of the picture, then the window's turn."""
        if self._steps:
            self._steps.pop(0)()
        if not self._steps:
            self._next.stop()

    def _finish(self, dashboard: Dashboard) -> None:
        self.shown = dashboard
        self.on_shown(dashboard)
        self.context.actions.update()  # what an alarm offers

    def on_shown(self, dashboard: Dashboard) -> None:
        """The whole dashboard is on the screen."""

    def _on_moved(self, tip: int) -> None:
        """The ledger grew; what is awaited, or is shown already, may know that."""
        self._newest = tip
        if not self._reading and (self.shown is None or self.shown.tip < tip):
            self.spoil()

    def pause(self) -> None:
        """Watch no longer."""
        self.watch.end(self)

    def showEvent(self, event: Any) -> None:
        """Watch again; what changed meanwhile is read."""
        if self.shown is not None:
            self.stale = True
        super().showEvent(event)

    def ready(self) -> bool:
        """Whether everything is on the screen."""
        return self.shown is not None and not self.stale and not self._reading and not self._steps

    # -- items behind, export ---------------------------------------------------------------

    def _on_wanted(self, wanted: tuple[str, Pick]) -> None:
        self.open_items(wanted[1])

    def _on_task(self, task: str) -> None:
        self.context.go_to("items", Filters(self.request.benchmark, task=task))

    def open_items(self, pick: Pick) -> None:
        """Show the items behind a mark, in the list of items."""
        if not self.context.may(Action.SEE_ITEMS):
            self.context.say(tr("Only specialists, researchers and leads can list items."))
        elif isinstance(pick, ItemSelection):
            narrowed = Filters(self.request.benchmark, task=pick.task, states=pick.states)
            self.context.go_to("items", narrowed)
        else:
            work = partial(items_behind, self._request, pick)
            self.context.ask(
                self,
                work,
                self._show_items,
                self.context.complain,
                topic="behind",
                lane="background",
            )

    def _show_items(self, numbers: tuple[int, ...]) -> None:
        if numbers:
            self.context.go_to("items", Filters(self.request.benchmark, numbers=numbers))
        else:
            self.context.say(tr("There are no items behind this mark."))

    def _on_settle(self, number: int) -> None:
        self.context.go_to("adjudicate", number)

    def _on_empty_pressed(self) -> None:
        if self.shown is not None and self.shown.missing is not None:
            self.context.go_to(self.shown.missing.panel)

    def _work_aside(self, work: Callable[[], Dashboard], done: Callable[[Dashboard], None]) -> None:
        self.context.ask(self, work, done, self.context.complain, lane="background")

    def _open_export(self) -> None:
        from gui.charts.export import open_export_menu

        if self.shown is not None and self.shown.missing is None:
            open_export_menu(self._export, self.page, self.shown, self.context.complain)
