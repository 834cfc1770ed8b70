"""Work packages by keys: from the lead's window to somebody's own computer, and back."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from core.workflow import people
from core.workflow.check import review
from core.workflow.packages.hand_out import PackageOrder, hand_out
from core.workflow.packages.offline_work import give_back, open_package
from core.workflow.packages.package_file import own_key
from core.workflow.packages.packages_out import call_off, packages_out
from core.workflow.workspace import Workspace
from gui.dialogs.brought_in import BroughtInDialog
from gui.dialogs.confirm import ConfirmDialog
from gui.dialogs.hand_out_items import HandOutDialog
from gui.dialogs.work_packages import WorkPackagesDialog
from tests.gui.jobs.test_first_run import start_page, started
from tests.gui.scene import BENCHMARK, LEAD, SECOND, Scene, bench_of, make_small


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make_small(tmp_path / "small")


def opened(window: QWidget, kind: type) -> QWidget:
    (dialog,) = [child for child in window.findChildren(kind) if child.isVisible()]
    return dialog


def gone(window: QWidget, kind: type) -> bool:
    return not [child for child in window.findChildren(kind) if child.isVisible()]


def packages(scene: Scene, window: QWidget) -> WorkPackagesDialog:
    """The dialog, with everything that is out."""
    bench_of(window).actions_.action("packages").trigger()
    dialog = opened(window, WorkPackagesDialog)
    scene.until(lambda: dialog.shown is not None)
    return dialog


def choose(window: QWidget, path: Path) -> None:
    """Answer the question for a file."""
    dialog = opened(window, QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()


def key(widget: QWidget, which: Qt.Key) -> None:
    QTest.keyClick(widget.focusWidget() or widget, which)


def came_back(place: Path, folder: Path, count: int = 3) -> Path:
    """A file with a decision on each but the last item that was handed out."""
    ws = Workspace.open(place)
    order = PackageOrder(SECOND, count, own_key(), benchmark=BENCHMARK)
    hand_out(ws, order, folder / "out.package", LEAD)
    ws.close()
    open_package(folder / "out.package", folder / "away")
    away = Workspace.open(folder / "away")
    for number in range(1, count):
        review.decide(away, SECOND, number, "accept")
    give_back(away, folder / "back.package", SECOND)
    away.close()
    return folder / "back.package"


def test_items_are_handed_out_by_keys(scene: Scene, place: Path, tmp_path: Path):
    window = scene.open(place)
    panel = scene.at(window, "team")
    panel.packages.setFocus()
    QTest.keyClick(panel.packages, Qt.Key.Key_Space)
    dialog = opened(window, WorkPackagesDialog)
    scene.until(lambda: dialog.shown is not None)
    assert dialog.nothing.isVisible()
    assert dialog.focusWidget() is dialog.hand_out
    key(dialog, Qt.Key.Key_Return)
    asked = opened(window, HandOutDialog)
    assert asked.focusWidget() is asked.person
    QTest.keyClicks(asked.person, SECOND[0])
    key(asked, Qt.Key.Key_Return)
    assert "key of Chen" in asked.trouble.text()
    assert asked.focusWidget() is asked.key  # where what is missing goes
    QTest.keyClicks(asked.key, "age1nobody")
    key(asked, Qt.Key.Key_Return)
    assert "recipient" in asked.trouble.text()
    assert asked.focusWidget() is asked.key
    asked.key.setText(own_key())
    asked.items.setValue(3)
    key(asked, Qt.Key.Key_Return)
    choose(window, tmp_path / "out.package")
    scene.until(lambda: gone(window, HandOutDialog) and dialog.package() is not None)
    out = dialog.package()
    assert (out.person, out.items, out.held, out.lead) == (SECOND, 3, 3, LEAD)
    assert (tmp_path / "out.package").is_file()
    assert "3 items for Chen" in bench_of(window).notice.text


def test_what_comes_back_is_taken_in_and_each_refusal_says_why(
    scene: Scene, place: Path, tmp_path: Path
):
    back = came_back(place, tmp_path)
    window = scene.open(place)
    dialog = packages(scene, window)
    assert (dialog.package().decided, dialog.package().held) == (0, 3)
    dialog.take_in.setFocus()
    key(dialog, Qt.Key.Key_Space)
    choose(window, tmp_path / "out.package")
    scene.until(lambda: "not a work package that comes back" in dialog.trouble.text())
    key(dialog, Qt.Key.Key_Space)
    choose(window, back)
    scene.until(lambda: not gone(window, BroughtInDialog))
    came = opened(window, BroughtInDialog)
    assert came.says.text() == "2 decisions were taken."
    assert not dialog.trouble.isVisible()
    scene.until(lambda: dialog.package().decided == 2)
    key(came, Qt.Key.Key_Return)
    scene.until(lambda: gone(window, BroughtInDialog))
    dialog.bring_in(str(back))
    scene.until(lambda: not gone(window, BroughtInDialog))
    came = opened(window, BroughtInDialog)
    assert "2 were there already" in came.says.text()
    came.list.click()
    scene.until(lambda: bench_of(window).front == "items")
    assert gone(window, WorkPackagesDialog)
    assert len(came.numbers) == 2


def test_a_decision_that_is_refused_stands_first_with_its_whole_reason(
    scene: Scene, place: Path, tmp_path: Path
):
    back = came_back(place, tmp_path)
    ws = Workspace.open(place)
    (out,) = packages_out(ws, LEAD)
    call_off(ws, out.package, LEAD)
    for _ in range(2):  # somebody else decides on them meanwhile
        card = review.next_card(ws, LEAD, BENCHMARK)
        review.decide(ws, LEAD, card.number, "accept")
    ws.close()
    window = scene.open(place)
    dialog = packages(scene, window)
    dialog.bring_in(str(back))
    scene.until(lambda: not gone(window, BroughtInDialog))
    came = opened(window, BroughtInDialog)
    assert "2 were not taken" in came.says.text()
    assert came.focusWidget() is came.view
    first = came.why.text()
    assert first
    key(came, Qt.Key.Key_Down)
    assert came.why.text()
    assert came.why.text() != first
    key(came, Qt.Key.Key_Return)
    scene.until(lambda: gone(window, BroughtInDialog))


def test_a_package_is_called_off_and_enter_does_not(scene: Scene, place: Path, tmp_path: Path):
    came_back(place, tmp_path)
    window = scene.open(place)
    dialog = packages(scene, window)
    dialog.call_off.setFocus()
    key(dialog, Qt.Key.Key_Space)
    asked = opened(window, ConfirmDialog)
    key(asked, Qt.Key.Key_Return)
    scene.until(lambda: gone(window, ConfirmDialog))
    assert dialog.package().held == 3
    key(dialog, Qt.Key.Key_Space)
    opened(window, ConfirmDialog).act.click()
    scene.until(lambda: dialog.package().held == 0)
    assert not dialog.call_off.isEnabled()
    assert "3 items went back" in bench_of(window).notice.text


def test_a_package_is_opened_on_the_start_page_and_goes_back_from_the_window(
    scene: Scene, place: Path, tmp_path: Path
):
    came_back(place, tmp_path)
    window = started(scene)
    page = start_page(window)
    page.choose("package")
    page.focus_form()
    form = page.form
    form.key.click()
    assert QApplication.clipboard().text() == own_key()
    assert own_key() in form.says.text()
    QTest.keyClicks(form.file, str(tmp_path / "back.package"))
    form.folder.setText(str(tmp_path / "mine"))
    key(window, Qt.Key.Key_Return)
    scene.until(lambda: "is not a work package" in form.says.text())
    assert not (tmp_path / "mine").exists()
    form.file.setText(str(tmp_path / "out.package"))
    key(window, Qt.Key.Key_Return)
    scene.until(lambda: window.workbench is not None and not window.tasks.busy)
    bench = bench_of(window)
    assert bench.context.person.name == SECOND
    assert "handed out to you" in bench.notice.text
    review.decide(bench.context.workspace, SECOND, 1, "accept")
    dialog = packages(scene, window)
    assert LEAD in dialog.home.text()
    assert not dialog.hand_out.isVisible()
    assert dialog.focusWidget() is dialog.write
    key(dialog, Qt.Key.Key_Return)
    choose(window, tmp_path / "mine.package")
    scene.until(lambda: gone(window, WorkPackagesDialog))
    assert "1 decision. Send it to Li" in bench.notice.text
    assert (tmp_path / "mine.package").is_file()


def test_an_annotator_finds_their_key_and_nothing_to_hand_out(scene: Scene, place: Path):
    ws = Workspace.open(place)
    people.ensure_person(ws, "wu", "annotator", actor=LEAD)
    ws.close()
    window = scene.open(place, "wu")
    dialog = packages(scene, window)
    assert not dialog.hand_out.isVisible()
    assert not dialog.view.isVisible()
    assert dialog.key.text() == own_key()
    assert dialog.focusWidget() is dialog.copy
    key(dialog, Qt.Key.Key_Return)
    assert QApplication.clipboard().text() == own_key()
