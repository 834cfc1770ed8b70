"""Workspaces to look at, and a window on them: real databases, real runs, a real window."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.evaluation.run import EvaluateParams
from core.families.base import ItemContent
from core.generation.spec import ScpSpec
from core.i18n import set_language
from core.sources.articles.read_paths import read_paths
from core.workflow import people, tasks
from core.workflow.audit import lots
from core.workflow.check import review
from core.workflow.evaluation import start
from core.workflow.production import take_in_items
from core.workflow.runs import runs, take_in
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui import i18n, theme
from gui.app import application
from gui.panels.base import Panel
from gui.panels.review.panel import ReviewPanel
from gui.preferences import Preferences
from gui.tasks import Tasks
from gui.window.main_window import MainWindow
from gui.window.workbench import Workbench
from resources import resource
from tests.splits import varied

BENCHMARK = "arxiv-2026b"
LEAD, SECOND, THIRD = "Li", "Chen", "王芳"
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
_PLAIN = Qt.KeyboardModifier.NoModifier
_PATIENCE_MS = 30_000


def make_empty(place: Path) -> Path:
    """A workspace with one person and nothing else."""
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    ws.close()
    return place


def make_small(place: Path, count: int = 12, overlap: int = 1) -> Path:
    """A workspace with ``count`` different items that wait for review by ``overlap`` people."""
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    people.ensure_person(ws, SECOND, "specialist")
    add_items(ws, [varied(number) for number in range(count)])
    if overlap != 2:
        _set_overlap(ws, overlap)
    ws.close()
    return place


def add_items(ws: Workspace, contents: list[ItemContent]) -> None:
    """Put items into the benchmark as a run would."""
    from core.generation.run import prepare
    from core.sources.articles.article import Block, compose
    from db import runs as run_rows

    article = compose([Block("A text. " * 40, "text")], path="a.txt", article_id="a")
    folder = prepare(ws.runs, [article], ScpSpec(), origin={"benchmark": BENCHMARK})
    run_id = folder.spec().id
    with ws.writing() as session:
        bench = people.ensure_benchmark_in(session, BENCHMARK)
        run_rows.add(session, run_id, "generate", benchmark_id=bench.id, title="a", params={})
    take_in_items.take_in_items(ws, run_id, BENCHMARK, contents)


def _set_overlap(ws: Workspace, overlap: int) -> None:
    from db import benchmarks, items
    from db.tables import ITEM

    with ws.writing() as session:
        bench = people.benchmark_in(session, BENCHMARK)
        for task in benchmarks.tasks(session, bench.id):
            benchmarks.add_protocol(session, task.id, {**task.protocol, "overlap": overlap})
        ids = [row[0] for row in session.execute(ITEM.select().with_only_columns(ITEM.c.id))]
        items.change(session, ids, open_slots=overlap)


def make_full(place: Path) -> Path:
    """Generated items of seven articles, decisions of three people, a split and two scores."""
    ws = Workspace.create(place)
    for name, role in ((LEAD, "lead"), (SECOND, "specialist"), (THIRD, "annotator")):
        people.ensure_person(ws, name, role)
    _generate(ws, per_article=2)
    for person, count in ((LEAD, 14), (SECOND, 12), (THIRD, 4)):
        for _ in range(count):
            decide_next(ws, person)
    freeze.freeze(ws, "july", BENCHMARK, LEAD)
    for engine in ("baseline:tfidf", "baseline:random"):
        params = EvaluateParams(engine=engine, split="july")
        started = start.start(ws, "july", params).spec().id
        runs.wait(ws, started, 120)
        take_in.take_in(ws, started)
    ws.close()
    return place


def make_audited(place: Path) -> Path:
    """Generated items of seven articles that one person accepted and the lead audited, all of
    them."""
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    people.ensure_person(ws, SECOND, "specialist")
    _generate(ws, per_article=1)
    _set_overlap(ws, 1)
    while (card := review.next_card(ws, SECOND, BENCHMARK)) is not None:
        review.decide(ws, SECOND, card.number, "accept")
    for task in tasks.tasks(ws, BENCHMARK):
        lots.start(ws, task.name, LEAD, benchmark=BENCHMARK)
        while (card := lots.next_card(ws, task.name, LEAD, BENCHMARK)) is not None:
            lots.decide(ws, LEAD, card.number, "accept")
    ws.close()
    return place


def _generate(ws: Workspace, per_article: int) -> None:
    report = read_paths([resource("demo")])
    spec = ScpSpec(per_article=per_article, seed=3)
    run_id = take_in_items.start_generation(ws, report, BENCHMARK, spec).spec().id
    runs.wait(ws, run_id, 120)
    take_in_items.generated(ws, run_id)


def decide_next(ws: Workspace, person: str) -> None:
    """A decision that depends on the item's number alone, with an odd one now and then."""
    card = review.next_card(ws, person, BENCHMARK)
    if card is None:
        return
    if card.number % 5 == 0:
        review.decide(ws, person, card.number, "reject", reason="formula")
    elif card.number % 7 == 0 and person == SECOND:
        review.decide(ws, person, card.number, "reject", reason="ambiguous")
    else:
        review.decide(ws, person, card.number, "accept")


def decisions_of(place: Path, person: str) -> list[tuple[int, str]]:
    """(item, verdict) of a person's standing decisions, read from the disk, oldest first."""
    ws = Workspace.open(place)
    try:
        recent = review.queue(ws, person, BENCHMARK).recent
        return [(e.number, e.verdict) for e in reversed(recent) if e.verdict != "skip"]
    finally:
        ws.close()


@dataclass
class Scene:
    """Opens windows for a test, and takes them down after it."""

    qtbot: QtBot
    windows: list[MainWindow] = field(default_factory=list)

    def open(
        self,
        place: Path,
        person: str = LEAD,
        *,
        theme_name: str = "light",
        language: str = "en",
        kept: Preferences | None = None,
        until_working: bool = True,
    ) -> MainWindow:
        """A window on a workspace, with ``person`` at work in it."""
        kept = kept or Preferences(theme=theme_name, language=language, size=(1280, 820))
        app = application(kept)
        i18n.use_language(app, language)
        theme.apply(app, theme_name)
        window = MainWindow(str(place), kept, keeping=False)
        self.windows.append(window)
        window.open_(person)
        with self.qtbot.waitExposed(window):
            window.show()
        with self.qtbot.waitActive(window):
            window.activateWindow()
        if until_working:
            self.until(lambda: window.workbench is not None)
        return window

    def until(self, condition: Callable[[], bool]) -> None:
        """Let the window live until something is true."""
        self.qtbot.waitUntil(condition, timeout=_PATIENCE_MS)

    def turn(self) -> None:
        """Let the windows live for one turn of the event loop, with all that is due in it."""
        turned: list[bool] = []
        QTimer.singleShot(0, partial(turned.append, True))  # behind the timers that are due already
        while not turned:
            QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents()

    def settle(self, window: MainWindow, shown: Callable[[], bool] = lambda: True) -> None:
        """Wait until all that a window asked for is answered and laid out, and ``shown`` is true.

        To be called before places or pictures are compared: an answer may lead to the next question
        one turn of the loop later, and a card that grows to a change of what holds it.
        """
        self.until(lambda: shown() and self._passes_quietly(window.tasks))

    def _passes_quietly(self, tasks: Tasks) -> bool:
        """Whether nothing is asked, and a turn of the loop neither asks nor brings anything."""
        if tasks.busy:
            return False
        came: list[bool] = []
        note = partial(came.append, True)
        tasks.delivered.connect(note)
        self.turn()
        tasks.delivered.disconnect(note)
        return not came and not tasks.busy

    def at(self, window: MainWindow, panel: str) -> Panel:
        """A panel in front, with everything it asked for."""
        bench = bench_of(window)
        bench.show_panel(panel)
        shown = bench.panel(panel)
        self.settle(window, shown.ready)
        return shown

    def review(self, window: MainWindow) -> ReviewPanel:
        """The review panel in front, with an item and the one after it."""
        panel = self.at(window, "review")
        assert isinstance(panel, ReviewPanel)
        return panel

    def close(self) -> None:
        """Close every window and let Qt delete what it put off."""
        for window in self.windows:
            window.close()
            window.deleteLater()
        self.windows.clear()
        for _ in range(3):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        set_language("en")


def bench_of(window: MainWindow) -> Workbench:
    """The workbench of a window in which somebody works."""
    assert window.workbench is not None
    return window.workbench


def copy_of(template: Path, place: Path) -> Path:
    """A workspace of one's own, like a template that nobody has open."""
    shutil.copytree(template, place)
    return place


def press(widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = _PLAIN) -> None:
    """A key, wherever the focus of the widget's window is."""
    window = widget.window()
    QTest.keyClick(window.focusWidget() or window, key, modifier)


def type_text(widget: QWidget, text: str) -> None:
    """Text as an input method commits it, into whatever has the focus."""
    event = QInputMethodEvent("", [])
    event.setCommitString(text)
    target = widget.window().focusWidget()
    assert target is not None
    QCoreApplication.sendEvent(target, event)


def rest(scene: Scene, panel: Panel) -> None:
    """Wait until a panel shows everything and nothing is under way."""
    window = panel.window()
    assert isinstance(window, MainWindow)
    scene.settle(window, panel.ready)
