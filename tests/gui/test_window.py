"""Opening, who works, language and theme, what goes wrong, and the pictures."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from core.accounts import login
from core.i18n import language
from core.workflow import people, tasks
from core.workflow.rights import Action
from core.workflow.runs import take_in
from core.workflow.workspace import Workspace
from gui.dialogs.help import HelpDialog
from gui.screenshots.panels import save_pictures
from gui.window.opening_pages import OpenFailure, PersonChooser
from tests.gui.leaderboard_workspace import simulated
from tests.gui.scene import LEAD, Scene, bench_of


def central(window, kind):
    return isinstance(window.centralWidget(), kind)


def test_without_a_name_the_window_asks_who_is_working(scene: Scene, small_place):
    window = scene.open(small_place, "", until_working=False)
    scene.until(lambda: central(window, PersonChooser))
    chooser = window.centralWidget()
    names = [chooser.list.item(row).text() for row in range(chooser.list.count())]
    assert any(LEAD in name for name in names)
    chooser.list.setCurrentRow(next(i for i, name in enumerate(names) if LEAD in name))
    chooser.begin_button.click()
    scene.until(lambda: window.workbench is not None)
    assert bench_of(window).context.person.name == LEAD


def test_the_person_of_this_account_is_in_front(scene: Scene, tmp_path):
    ws = Workspace.create(tmp_path / "shown")
    people.ensure_person(ws, "Aaron", "annotator")
    ws.close()
    window = scene.open(tmp_path / "shown", "", until_working=False)
    scene.until(lambda: central(window, PersonChooser))
    chosen = window.centralWidget().list
    assert chosen.count() == 2
    assert chosen.currentItem().data(Qt.ItemDataRole.UserRole) == login()


def test_somebody_new_is_added_with_a_role(scene: Scene, tmp_path):
    Workspace.create(tmp_path / "new").close()
    window = scene.open(tmp_path / "new", "", until_working=False)
    scene.until(lambda: window.workbench is not None)  # whoever is alone is not asked
    bench_of(window).person_change_wanted.emit()
    scene.until(lambda: central(window, PersonChooser))
    chooser = window.centralWidget()
    assert not chooser.add.isEnabled()
    chooser.name.setText("赵敏")  # QTest types ASCII only
    chooser.add.click()
    scene.until(lambda: "was added" in window.centralWidget().added_says.text())
    assert window.workbench is None, "who adds somebody does not become them"
    QTest.keyClick(window.centralWidget().list, Qt.Key.Key_Escape)
    scene.until(lambda: window.workbench is not None)
    assert bench_of(window).context.person.name == login()
    scene.close()
    ws = Workspace.open(tmp_path / "new")
    found = {p.name: p.role for p in people.people(ws)}
    assert found == {login(): "lead", "赵敏": "annotator"}
    ws.close()


def test_changing_who_works_can_be_cancelled_and_keeps_place_and_benchmark(
    scene: Scene, small_place
):
    window = scene.open(small_place)
    ws = bench_of(window).context.workspace
    tasks.add(ws, "later", "instruction", benchmark="made meanwhile", person=LEAD)
    bench_of(window).context.choose_benchmark("made meanwhile")
    scene.at(window, "team")
    for leave in ("cancel", "the same person"):
        bench_of(window).person_change_wanted.emit()
        scene.until(lambda: central(window, PersonChooser))
        chooser = window.centralWidget()
        (chooser.stay if leave == "cancel" else chooser.begin_button).click()
        scene.until(lambda: window.workbench is not None)
        assert bench_of(window).context.benchmark == "made meanwhile", leave
        assert bench_of(window).context.person.name == LEAD
        if leave == "cancel":
            assert bench_of(window).front == "team"


def test_nobody_is_added_by_who_is_no_lead(scene: Scene, tmp_path):
    ws = Workspace.create(tmp_path / "new", "boss")
    people.ensure_person(ws, "li", "specialist")
    people.set_account(ws, "boss", "")
    people.ensure_person(ws, login(), "annotator", "boss")
    ws.close()
    window = scene.open(tmp_path / "new", "", until_working=False)
    scene.until(lambda: central(window, PersonChooser))
    chooser = window.centralWidget()
    chooser.name.setText("Eve")
    chooser.role.setCurrentIndex(chooser.role.count() - 1)
    chooser.add.click()
    scene.until(lambda: chooser.trouble.isVisible())
    assert "lead" in chooser.trouble.text()
    ws = Workspace.open(tmp_path / "new")
    assert "Eve" not in [person.name for person in people.people(ws)]
    ws.close()


def test_in_a_shared_workspace_the_window_knows_who_one_is(scene: Scene, tmp_path):
    ws = Workspace.create(tmp_path / "new", "boss")
    people.ensure_person(ws, "li", "specialist")
    people.set_shared(ws, True)
    ws.close()
    window = scene.open(tmp_path / "new", "")
    assert bench_of(window).context.person.name == "boss"
    bench_of(window).person_change_wanted.emit()
    scene.until(lambda: central(window, PersonChooser))
    assert window.centralWidget().list.count() == 1
    other = scene.open(tmp_path / "new", "li", until_working=False)
    scene.until(lambda: central(other, OpenFailure))
    assert "is boss" in other.centralWidget().sentence.text()


def test_a_missing_workspace_is_said_and_can_be_made_there(scene: Scene, tmp_path):
    window = scene.open(tmp_path / "nowhere", "", until_working=False)
    scene.until(lambda: central(window, OpenFailure))
    page = window.centralWidget()
    assert "nowhere" in page.sentence.text()
    page.name.setText("赵敏")
    page.make.click()
    scene.until(lambda: window.workbench is not None)
    assert bench_of(window).context.person.name == "赵敏"
    assert bench_of(window).context.may(Action.CHANGE_PEOPLE)


def test_a_file_that_is_no_workspace_is_said_and_left_alone(scene: Scene, tmp_path):
    other = tmp_path / "letter.db"
    other.write_text("Dear all,", encoding="utf-8")
    window = scene.open(other, "", until_working=False)
    scene.until(lambda: central(window, OpenFailure))
    assert not window.centralWidget().make.isVisible()
    assert other.read_text(encoding="utf-8") == "Dear all,"


def test_the_language_changes_everywhere_and_the_place_stays(scene: Scene, full_place):
    window = scene.open(full_place)
    scene.at(window, "progress")
    bench_of(window).actions_.action("language").trigger()
    scene.until(lambda: language() == "zh")
    bench = bench_of(window)
    assert bench.front == "progress"
    assert "搜索" in bench.top.search.text()
    scene.until(lambda: bench.panel("progress").ready() and not window.tasks.busy)


def test_the_theme_changes_and_the_place_stays(scene: Scene, full_place):
    window = scene.open(full_place)
    scene.at(window, "runs")
    before = bench_of(window).context.colours
    bench_of(window).actions_.action("theme").trigger()
    assert bench_of(window).context.colours != before
    assert bench_of(window).front == "runs"


def test_f1_helps_with_what_is_in_front(scene: Scene, full_place):
    window = scene.open(full_place)
    scene.at(window, "agreement")
    QTest.keyClick(window, Qt.Key.Key_F1)
    dialog = bench_of(window).findChild(HelpDialog)
    assert "kappas" in dialog.page.toPlainText()


def test_a_page_of_help_leads_to_another(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    dialog = HelpDialog("items", window)
    assert 'href="notebooks"' in dialog.page.toHtml()
    dialog.page.anchorClicked.emit(QUrl("notebooks"))
    shown = dialog.page.toPlainText()
    assert "open_workspace(" in shown
    assert "datetime64[us, UTC]" in shown
    assert "`" not in shown


def test_the_list_of_places_can_be_put_away(scene: Scene, small_place):
    window = scene.open(small_place)
    scene.review(window)
    bench = bench_of(window)
    QTest.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not bench.navigation.isVisible()


def test_a_workspace_that_vanishes_is_said_in_the_status_line(scene: Scene, small_place):
    window = scene.open(small_place)
    scene.review(window)
    bench = bench_of(window)
    bench.context.workspace.close()
    for file in small_place.glob("workspace.db*"):
        file.unlink()
    (small_place / "workspace.db").write_bytes(b"this was a workspace " * 500)
    bench.poll()
    scene.until(lambda: bench.status.connected.text() == "not connected ○")


def test_pictures_of_every_panel_are_saved_and_in_both_languages(full_place, tmp_path: Path):
    made = save_pictures(full_place, tmp_path / "en", LEAD)
    assert {path.stem for path in made} >= {"review", "items", "runs", "scores"}
    made += save_pictures(full_place, tmp_path / "zh", LEAD, language="zh", panels=["review"])
    for path in made:
        image = QImage(str(path))
        assert image.width() == 1280
        colours = {image.pixel(x, y) for x in range(0, 1280, 7) for y in range(0, 820, 7)}
        assert len(colours) > 20, path.name
    english, chinese = (QImage(str(tmp_path / code / "review.png")) for code in ("en", "zh"))
    assert english != chinese


def test_what_ended_before_the_window_came_is_no_news_and_what_ends_now_is(
    scene: Scene, small_place
):
    ws = Workspace.open(small_place)
    take_in.take_in(ws, simulated(ws, small_place))
    window = scene.open(small_place)
    bench = bench_of(window)
    said: list[str] = []
    bench.context.noticed.connect(lambda notice: said.append(notice.text))
    scene.until(lambda: bench.last_poll is not None and not window.tasks.busy)
    assert said == []
    newer = simulated(ws, small_place)
    ws.close()
    bench.poll()
    scene.until(lambda: bool(said) and not window.tasks.busy)
    bench.poll()
    scene.until(lambda: not window.tasks.busy)
    assert len(said) == 1
    assert newer in said[0]
