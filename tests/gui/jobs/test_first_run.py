"""The first ten minutes, by keys and pointer, with the steps counted."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit

from core.cli import main
from core.workflow import people, tasks
from core.workflow.workspace import Workspace
from gui import i18n, theme
from gui.app import application
from gui.dialogs.new_task import NewTaskDialog
from gui.panels.sources.import_dialog import ImportDialog
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from gui.window.opening_pages import PersonChooser
from gui.window.start_forms import StartOrder
from gui.window.start_page import StartPage
from gui.window.ways_in import WaysIn
from tests.gui.jobs.steps import Steps
from tests.gui.scene import BENCHMARK, LEAD, Scene, bench_of, decisions_of, make_small

ROWS = ["instruction,input,output", *(
    f"Name the mood of the review.,The film number {n} was a dull one.,negative {n}"
    for n in range(30)
)]  # fmt: skip


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    path.write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    return path


def started(scene: Scene, kept: Preferences | None = None) -> MainWindow:
    """The window as ``benchseal`` without arguments opens it."""
    kept = kept or Preferences(size=(1280, 720), language="en")
    app = application(kept)
    i18n.use_language(app, kept.language)
    theme.apply(app, kept.theme)
    window = MainWindow("", kept, keeping=False)
    scene.windows.append(window)
    window.show_start()
    with scene.qtbot.waitExposed(window):
        window.show()
    with scene.qtbot.waitActive(window):
        window.activateWindow()
    return window


def start_page(window: MainWindow) -> StartPage:
    page = window.centralWidget()
    assert isinstance(page, StartPage)
    return page


def at_rest(window: MainWindow):
    def settled() -> bool:
        bench = window.workbench
        panel = bench.panel(bench.front) if bench is not None and bench.front else None
        return not window.tasks.busy and (panel is None or panel.ready())

    return settled


def test_from_the_start_page_to_the_first_accepted_item_of_an_own_file(
    scene: Scene, own_file: Path, tmp_path: Path
):
    window = started(scene)
    steps = Steps(scene, at_rest(window))
    place = tmp_path / "mine"
    steps.type(str(place))
    assert not place.exists()
    steps.key(Qt.Key.Key_Return)
    assert isinstance(bench_of(window).stack.currentWidget(), WaysIn)
    steps.key(Qt.Key.Key_Return)
    sheet = window.findChild(ImportDialog)
    steps.type(str(own_file))
    steps.key(Qt.Key.Key_Return)
    assert "30 rows: 30 can be imported" in sheet.says.text()
    assert "English" in sheet.language.currentText()
    steps.key(Qt.Key.Key_Return)
    steps.key(Qt.Key.Key_Return)
    assert bench_of(window).front == "review"
    steps.key(Qt.Key.Key_A)
    steps.done("first run with an own file")
    name = bench_of(window).context.person.name
    benchmark = bench_of(window).context.benchmark
    scene.close()
    ws = Workspace.open(place)
    assert [info.kept for info in tasks.tasks(ws, benchmark)] == [1]
    assert people.people(ws)[0].name == name
    ws.close()


def test_an_own_table_with_odd_names_is_reviewed_to_its_end_and_leads_to_the_splits(
    scene: Scene, tmp_path: Path
):
    # it asked for an instruction and an output, and in the end led to an empty board
    path = tmp_path / "quiz.csv"
    path.write_text("\n".join([
        "Nr;The question is;Opt one;Opt two;Opt three;Right answer;Remark of author",
        "1;Which planet is nearest to the sun?;Venus;Mercury;Mars;B;easy",
        "2;Who wrote Faust?;Schiller;Goethe;Heine;B;literature",
        "3;Which metal is liquid?;Mercury;Lead;Tin;;to be checked",
    ]) + "\n", encoding="utf-8")  # fmt: skip
    window = started(scene)
    steps = Steps(scene, at_rest(window))
    steps.type(str(tmp_path / "own"))
    steps.key(Qt.Key.Key_Return)
    steps.key(Qt.Key.Key_Return)
    sheet = window.findChild(ImportDialog)
    steps.type(str(path))
    steps.key(Qt.Key.Key_Return)
    assert "multiple choice" in sheet.family.currentText()
    assert "3 rows: 2 can be imported, 0 already there, 1 cannot be imported" in sheet.says.text()
    steps.key(Qt.Key.Key_Return)
    assert sheet.kept.isVisible()
    assert not sheet.leave_out.isVisible()  # they are imported
    steps.key(Qt.Key.Key_Return)
    steps.key(Qt.Key.Key_A)
    steps.done("first run with odd names")
    panel = bench_of(window).panel("review")
    steps.key(Qt.Key.Key_A)
    scene.until(panel.empty.button.isVisible)
    assert panel.empty.button.text() == "Show splits"
    steps.click(panel.empty.button)
    assert bench_of(window).front == "splits"


def test_what_is_typed_at_once_takes_the_place_of_the_proposed_folder(scene: Scene):
    page = start_page(started(scene))
    field = page.forms["new"].first
    assert isinstance(field, QLineEdit)
    assert field.text()
    QTest.keyClicks(field, "elsewhere")
    assert field.text() == "elsewhere"


def test_thirty_items_are_decided_by_one_key_each(scene: Scene, tmp_path: Path):
    place = make_small(tmp_path / "thirty", count=30)
    window = scene.open(place, LEAD)
    steps = Steps(scene, at_rest(window))
    steps.wait()
    for number in range(30):
        steps.key(Qt.Key.Key_S if number == 29 else Qt.Key.Key_A)
    steps.done("thirty items by keys")
    scene.close()
    assert len([verdict for _, verdict in decisions_of(place, LEAD) if verdict == "accept"]) == 29


def test_the_program_without_a_command_opens_the_start_page(
    monkeypatch: pytest.MonkeyPatch, home: Path
):
    opened: list[str] = []
    monkeypatch.setattr("gui.app.run_window", lambda place, person: opened.append(place) or 0)
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    assert main([]) == 0
    assert main(["gui"]) == 0
    assert main(["--workspace", "nowhere", "gui"]) == 0
    assert main(["gui", "a file manager's/workspace.db"]) == 0
    assert opened == ["", "", "nowhere", "a file manager's/workspace.db"]
    assert not list(home.rglob("workspace.db"))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert main([]) == 2


def test_without_arguments_nothing_is_made_before_somebody_says_where(scene: Scene, home: Path):
    window = started(scene)
    scene.until(lambda: not window.tasks.busy)
    assert start_page(window).form is start_page(window).forms["new"]
    assert not list(home.rglob("workspace.db"))
    assert window.focusWidget() is start_page(window).forms["new"].first


@pytest.mark.parametrize("wrong", ["nowhere", "letter.db", "postgresql://127.0.0.1:9/team", "?"])
def test_a_wrong_place_is_said_on_the_page_and_can_be_put_right(
    scene: Scene, tmp_path: Path, wrong: str
):
    (tmp_path / "letter.db").write_text("Dear all,", encoding="utf-8")
    window = started(scene)
    page = start_page(window)
    way = "join" if "://" in wrong or wrong == "?" else "open"
    page.choose(way)
    page.focus_form()
    steps = Steps(scene, lambda: not window.tasks.busy)
    steps.type(wrong if way == "join" else str(tmp_path / wrong))
    steps.key(Qt.Key.Key_Return)
    said = page.forms[way].says
    assert said.isVisible()
    assert wrong.partition("//")[2] in said.text()
    assert "benchseal --" not in said.text()
    assert page.forms[way].button.isEnabled()
    assert window.focusWidget() is page.forms[way].first
    assert not (tmp_path / "nowhere").exists()
    right = make_small(tmp_path / "right")
    page.choose("open")
    page.focus_form()
    steps.type(str(right))
    steps.key(Qt.Key.Key_Return)
    scene.until(lambda: not isinstance(window.centralWidget(), StartPage))


def test_a_team_is_joined_by_the_address_of_its_server(scene: Scene, pg_url: str):
    window = started(scene)
    page = start_page(window)
    page.choose("join")
    page.focus_form()
    steps = Steps(scene, lambda: not window.tasks.busy)
    steps.type(pg_url)
    steps.key(Qt.Key.Key_Return)
    scene.until(lambda: not isinstance(window.centralWidget(), StartPage))
    assert isinstance(window.centralWidget(), PersonChooser)


def test_a_server_that_wants_a_password_is_asked_again_on_the_page(scene: Scene):
    window = started(scene)
    page = start_page(window)
    page.ask_password("postgresql://li@db.example/team", "The server requires a password.")
    form = page.forms["join"]
    assert page.form is form
    assert window.focusWidget() is form.password
    steps = Steps(scene, lambda: True)
    orders: list[StartOrder] = []
    page.open_wanted.disconnect()
    page.open_wanted.connect(orders.append)
    steps.type("s3cret/word")
    steps.key(Qt.Key.Key_Return)
    assert orders == [StartOrder("postgresql://li:s3cret%2Fword@db.example/team")]


def test_enter_continues_with_the_newest_workspace_that_is_still_there(
    scene: Scene, tmp_path: Path
):
    place = make_small(tmp_path / "here")
    gone = str(tmp_path / "gone")
    kept = Preferences(recent=(gone, str(place)), person={str(place): LEAD}, language="en")
    window = started(scene, kept)
    steps = Steps(scene, lambda: not window.tasks.busy)
    steps.wait()
    form = start_page(window).forms["continue"]
    assert not form.list.item(0).flags() & Qt.ItemFlag.ItemIsEnabled
    assert "not found" in form.list.item(0).text()
    steps.key(Qt.Key.Key_Return)
    scene.until(lambda: not isinstance(window.centralWidget(), StartPage))
    assert steps.count == 1


def test_the_language_is_chosen_on_the_start_page(scene: Scene):
    window = started(scene)
    page = start_page(window)
    page.language.setCurrentIndex(page.language.findData("zh"))
    page.language.activated.emit(page.language.currentIndex())
    scene.until(lambda: start_page(window) is not page)
    assert "工作区" in start_page(window).ways.item(0).text()
    i18n.use_language(application(Preferences()), "en")


def test_a_demonstration_is_made_and_opened(scene: Scene, tmp_path: Path):
    window = started(scene)
    page = start_page(window)
    page.choose("demo")
    page.focus_form()
    steps = Steps(scene, lambda: True)
    steps.type(str(tmp_path / "demo"))
    steps.key(Qt.Key.Key_Return)
    assert "demonstration" in page.forms["demo"].says.text()
    scene.qtbot.waitUntil(
        lambda: not isinstance(window.centralWidget(), StartPage), timeout=200_000
    )
    assert (tmp_path / "demo" / "workspace.db").exists()


def test_written_items_begin_with_a_task_and_end_in_its_form(scene: Scene, empty_place: Path):
    window = scene.open(empty_place, LEAD)
    steps = Steps(scene, at_rest(window))
    steps.wait()
    ways = bench_of(window).stack.currentWidget()
    assert isinstance(ways, WaysIn)
    steps.click(ways.buttons["write"])
    assert window.findChild(NewTaskDialog) is not None
    steps.type("moods")
    steps.key(Qt.Key.Key_Return)
    assert bench_of(window).front == "write"
    assert bench_of(window).panel("write").task() == "moods"


def test_a_missing_task_has_a_button_where_it_is_missed(scene: Scene, tmp_path: Path):
    ws = Workspace.create(tmp_path / "bare", LEAD)
    tasks.add(ws, "cloze", "scp", benchmark=BENCHMARK, format="cloze")
    ws.close()
    window = scene.open(tmp_path / "bare", LEAD)
    panel = scene.at(window, "write")
    assert "Nothing to write yet." in [part.text() for part in panel.empty.findChildren(QLabel)]
    steps = Steps(scene, at_rest(window))
    steps.click(panel.empty.button)
    assert window.findChild(NewTaskDialog) is not None
