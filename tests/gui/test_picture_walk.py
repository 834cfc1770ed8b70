"""The picture walk: every place and every dialog at every size, in both languages and themes.

200% of a screen of 1920×1080 is a window of 960×540 (``SMALLEST`` is that less the bars).
"""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QWidget,
)

from core.workflow.dashboards import alarms
from core.workflow.dashboards.alarms import Alarm
from core.workflow.workspace import Workspace
from gui.dialogs.confirm import ConfirmDialog
from gui.dialogs.item_history import open_history
from gui.dialogs.protocols import ProtocolsDialog
from gui.dialogs.settings import SettingsDialog, settings_now
from gui.dialogs.task import TaskDialog
from gui.panels.splits.freeze_dialog import FreezeDialog
from gui.panels.splits.open_dialog import OpenDialog
from gui.preferences import Preferences
from gui.window.main_window import SMALLEST, MainWindow
from tests.gui.dialog_openers import OPENERS
from tests.gui.picture_walk import faults, unseen_main_buttons
from tests.gui.scene import BENCHMARK, LEAD, Scene, bench_of
from tests.gui.stages_workspace import start_audit

SIZES = ((1280, 720), (1440, 900), (1920, 1080), (960, 540), SMALLEST)
BY_COMMAND = (
    "help", "keys", "find", "task", "new-task", "screen", "verify", "filter", "history", "freeze",
    "confirm", "alarm", "import", "rewrite", "bulk", "settings", "servers", "person", "assign",
    "invite", "protocols", "reading", "rubric", "findings",
)  # fmt: skip
_SEEN = {
    "HelpDialog", "ShortcutsDialog", "CommandPalette", "TaskDialog", "NewTaskDialog",
    "ScreeningDialog", "VerifyDialog", "FilterDialog", "ItemHistoryDialog", "FreezeDialog",
    "ConfirmDialog", "AlarmDialog", "ImportDialog", "RewriteDialog", "BulkDialog", "SettingsDialog",
    "PersonDialog", "AssignDialog", "InviteDialog", "ProtocolsDialog",
}  # fmt: skip
"""What ``BY_COMMAND`` opens; every other class of a dialog is opened as ``OPENERS`` says."""
BY_CLASS = ("open-locked", *sorted(OPENERS.keys() - _SEEN))
DIALOGS = (*BY_COMMAND, *BY_CLASS)


def open_window(scene: Scene, place, language: str, theme_name: str) -> MainWindow:
    kept = Preferences(language=language, theme=theme_name, size=SIZES[0])
    return scene.open(place, LEAD, kept=kept, language=language, theme_name=theme_name)


def walk(scene: Scene, window: MainWindow, sizes) -> Iterator[str]:
    """Every fault in every panel at every size."""
    for name in bench_of(window).places:
        scene.at(window, name)
        for size in sizes:
            window.resize(*size)
            scene.settle(window)
            if (window.width(), window.height()) != size:
                yield f"{name}: the window is {window.width()}×{window.height()}, not {size}"
            found = faults(window)
            if size[1] >= SIZES[0][1]:
                found += unseen_main_buttons(window)
            yield from (f"{name} at {size}: {fault}" for fault in found)


def opened(scene: Scene, window: MainWindow, name: str) -> QDialog:
    """A dialog as a person would open it."""
    bench = bench_of(window)
    known = set(window.findChildren(QDialog))
    opens: dict[str, Callable[[], object]] = {
        "help": bench.open_help,
        "keys": bench.open_keys,
        "find": bench.open_find,
        "task": bench.open_task,
        "new-task": bench.open_new_task,
        "screen": bench.open_screening,
        "verify": bench.open_verify,
        "filter": lambda: scene.at(window, "items").open_filters(),
        "open-locked": lambda: OpenDialog(bench.context, "s1", bench, locked=True).open(),
        "bulk": lambda: scene.at(window, "items").open_bulk("reject"),
        "history": lambda: open_history(bench.context, 1, bench),
        "freeze": lambda: scene.at(window, "splits").open_freeze(),
        "confirm": lambda: ConfirmDialog(
            bench, "Expire the split?", ("Its items count as public. " * 4,), "Expire",
            lambda _reason: None, reason="Reason",
        ).open(),
        "alarm": lambda: scene.at(window, "agreement").alarm.click(),
        "import": lambda: scene.at(window, "sources").open_import(),
        "rewrite": lambda: scene.at(window, "sources").open_rewrite(),
    }  # fmt: skip
    opens |= _lead_dialogs(scene, window)
    opens |= {kind: partial(OPENERS[kind], scene, window) for kind in OPENERS.keys() - _SEEN}
    opens[name]()
    new: list[QDialog] = []

    def is_open() -> bool:
        new[:] = [d for d in window.findChildren(QDialog) if d not in known and d.isVisible()]
        return bool(new)

    scene.until(is_open)
    scene.settle(window)
    return new[-1]


def _lead_dialogs(scene: Scene, window: MainWindow) -> dict[str, Callable[[], object]]:
    """The dialogs with which a lead arranges the work, and the pages inside of them."""
    bench = bench_of(window)

    def servers() -> None:
        dialog = SettingsDialog(bench.context, settings_now(bench.context), bench)
        dialog.tabs.setCurrentIndex(1)
        dialog.open()

    def page(name: str) -> None:
        dialog = TaskDialog(bench.context, "", bench)
        dialog.open()
        dialog.tabs.setCurrentWidget(getattr(dialog, name))

    def findings() -> None:
        scene.at(window, "splits").open_freeze()
        dialog = window.findChildren(FreezeDialog)[-1]
        dialog.name.setText("august")
        dialog.run()
        scene.until(lambda: dialog.findings.first_open() is not None)

    return {
        "findings": findings,
        "settings": bench.actions_.action("settings").trigger,
        "servers": servers,
        "person": lambda: scene.at(window, "team").open_add(),
        "assign": lambda: scene.at(window, "team").open_assign(),
        "invite": lambda: scene.at(window, "team").open_invite(),
        "protocols": lambda: ProtocolsDialog(bench.context, bench).open(),
        "reading": partial(page, "reading"),
        "rubric": partial(page, "rubric"),
    }


def walk_dialogs(scene: Scene, window: MainWindow, sizes) -> Iterator[str]:
    """Every fault of every dialog, and whether it fits the screen that such a window fills."""
    for name in DIALOGS:
        dialog = opened(scene, window, name)
        for size in sizes:
            dialog.resize(min(dialog.width(), size[0] - 16), min(dialog.height(), size[1] - 48))
            scene.settle(window)
            if dialog.width() > size[0] or dialog.height() > size[1]:
                yield f"{name}: {dialog.width()}×{dialog.height()} does not fit a screen of {size}"
            yield from (f"{name} on {size}: {fault}" for fault in faults(dialog))
        dialog.close()
        scene.settle(window)


def said(found: Iterator[str]) -> str:
    return "\n".join(found)


def prepared(place):
    """Alarms that ring and a lot under audit, so that more is in sight."""
    ws = Workspace.open(place)
    alarms.set_alarm(ws, LEAD, Alarm("fleiss_kappa", 1.0, 2, benchmark=BENCHMARK))
    ws.close()
    return place


def test_nothing_is_cut_or_lost_in_the_small_window(scene: Scene, place):
    window = open_window(scene, prepared(place), "zh", "dark")
    assert said(walk(scene, window, (SIZES[0], SIZES[3]))) == ""


def test_no_panel_scrolls_sideways_at_200_percent(scene: Scene, full_place):
    window = open_window(scene, full_place, "en", "light")
    assert said(walk(scene, window, (SIZES[3],))) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("language", "theme_name"), [("en", "light"), ("zh", "dark")])
def test_no_panel_has_a_fault_at_any_size(language, theme_name, scene, full_place, place):
    start_audit(place)
    for workspace in (full_place, prepared(place)):
        window = open_window(scene, workspace, language, theme_name)
        assert said(walk(scene, window, SIZES)) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("language", "theme_name"), [("en", "dark"), ("zh", "light")])
def test_no_dialog_has_a_fault_on_any_screen(language, theme_name, scene, place):
    window = open_window(scene, place, language, theme_name)
    assert said(walk_dialogs(scene, window, SIZES)) == ""


@pytest.mark.parametrize("policy", list(Qt.ScrollBarPolicy))
def test_the_walk_finds_what_lies_to_the_right(qtbot, policy):
    area, table, log = QScrollArea(), QTableWidget(1, 4), QPlainTextEdit("a long line " * 40)
    page = QLabel("a sentence that is wider than its area")
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(policy)
    area.setWidget(page)
    log.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    holder = QWidget()
    qtbot.addWidget(holder)
    for place, part in enumerate((area, table, log)):
        part.setParent(holder)
        part.setGeometry(0, 100 * place, 100, 90)
    holder.resize(420, 300)
    holder.show()
    qtbot.waitUntil(lambda: area.horizontalScrollBar().maximum() > 0)
    found = said(iter(faults(holder)))
    assert "px: QScrollArea" in found
    assert "px in sight: QTableWidget" in found
    assert "QPlainTextEdit" not in found
    area.resize(400, 90)
    table.resize(300, 90)
    qtbot.waitUntil(lambda: area.horizontalScrollBar().maximum() == 0)
    assert said(iter(faults(holder))) == ""


def test_the_walk_finds_what_it_is_for(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    holder.resize(200, 100)
    cut, lost, over = (
        QLabel("a rather long sentence", holder),
        QPushButton("b", holder),
        QLabel(holder),
    )
    cut.setGeometry(0, 0, 40, 20)
    lost.setGeometry(190, 40, 60, 30)
    over.setGeometry(10, 5, 50, 20)
    for left, height in ((110, 28), (150, 24)):
        QPushButton(f"of {height}", holder).setGeometry(left, 72 - height // 2, 36, height)
    names = QListWidget(holder)
    names.addItem("a name that is much longer than its list")
    names.setGeometry(0, 40, 100, 60)
    holder.show()
    found = said(iter(faults(holder)))
    assert "cut: QLabel “a rather long sentence”" in found
    assert "outside the window: QPushButton “b”" in found
    assert "overlap of 30×15" in found
    assert "scrolls sideways" in found
    assert "uneven: QPushButton “of 28” in QWidget is 28 px high" in found
