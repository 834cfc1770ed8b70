"""The tutorial of the help: its steps are done here, and its pictures are made here.

``TUTORIAL_PICTURES=write pytest tests/gui/dialogs/test_help.py`` puts new pictures into
``resources/help/pictures``; otherwise they go to a folder of the test, and those that are there
are compared in size and content.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from core.workflow import people, tasks
from core.workflow.check import adjudicate, review
from core.workflow.workspace import Workspace
from gui.actions import COMMANDS, PLACES, printed_key
from gui.dialogs.help import HelpDialog, help_page
from gui.panels.sources.import_dialog import ImportDialog
from gui.panels.splits.freeze_dialog import FreezeDialog
from gui.panels.team.assign_dialog import AssignDialog
from gui.preferences import Preferences
from gui.window.notice import NoticeBar
from gui.window.start_page import StartPage
from resources import resource
from tests.gui.jobs.steps import Steps
from tests.gui.jobs.test_first_run import at_rest, start_page, started
from tests.gui.leaderboard_workspace import answered
from tests.gui.scene import Scene, bench_of, rest

SIZE = (1000, 640)
MOST_BYTES = 600_000
"""All pictures of both languages together."""
COLOURS = 48
PICTURES = (
    *("start", "import", "review", "assign", "adjudicate", "progress", "freeze"),
    *("evaluate", "compare", "leaderboard"),
)
ROWS = {
    "en": ("Name the mood of the review.", "Film number {n} was a {word} evening out.",
           "The mood is {word}.", ("dull", "bright", "slow", "moving")),
    "zh": ("说出这篇影评的语气。", "第{n}部影片让人度过了一个{word}的夜晚。", "语气是{word}的。",
           ("沉闷", "明快", "缓慢", "感人")),
}  # fmt: skip


@pytest.fixture
def own_file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    instruction, text, answer, words = ROWS[request.getfixturevalue("code")]
    path = tmp_path / "reviews.csv"
    lines = ["instruction,input,output"]
    for number in range(12):
        word = words[number % len(words)]
        lines.append(
            ",".join((instruction, text.format(n=number + 1, word=word), answer.format(word=word)))
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def in_few_colours(picture: QImage) -> QImage:
    """The picture in its ``COLOURS`` commonest colours, each other one as the nearest of them:
    Qt's own way would dither, which no PNG makes small."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    height, width = plain.height(), plain.width()
    pixels = np.frombuffer(plain.constBits(), np.uint32).reshape(height, -1)[:, :width]
    known, place, count = np.unique(pixels, return_inverse=True, return_counts=True)
    parts = np.stack([(known >> shift) & 255 for shift in (16, 8, 0)], axis=1).astype(np.int64)
    kept = np.argsort(-count)[:COLOURS]
    apart = ((parts[:, None, :] - parts[None, kept, :]) ** 2).sum(axis=2)
    nearest = apart.argmin(axis=1).astype(np.uint8)[place].reshape(height, width)
    made = QImage(nearest.tobytes(), width, height, width, QImage.Format.Format_Indexed8)
    made.setColorTable([int(colour) | 0xFF000000 for colour in known[kept]])
    return made.copy()


class Camera:
    """Takes the pictures of one language."""

    def __init__(self, scene: Scene, folder: Path, code: str) -> None:
        self._scene, self._folder, self._code = scene, folder, code
        self.taken: list[Path] = []

    def take(self, name: str, widget: QWidget) -> None:
        """A picture of a widget, as small as PNG makes it, without what has just been said."""
        self._scene.turn()
        for notice in widget.findChildren(NoticeBar):
            notice.dismiss()
        image = in_few_colours(widget.grab().toImage())
        path = self._folder / f"{name}.{self._code}.png"
        assert image.save(str(path), "PNG", 0)
        self.taken.append(path)


@pytest.fixture
def camera(scene: Scene, tmp_path: Path, code: str) -> Camera:
    folder = resource("help", "pictures")
    if os.environ.get("TUTORIAL_PICTURES") != "write":
        folder = tmp_path / "pictures"
    folder.mkdir(exist_ok=True)
    return Camera(scene, folder, code)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_steps_of_the_tutorial_lead_from_a_file_to_a_split(
    scene: Scene, own_file: Path, tmp_path: Path, camera: Camera, code: str
):
    window = started(scene, Preferences(size=SIZE, language=code))
    form = start_page(window).forms["new"]
    form.folder.setText("/home/li/films")
    form.name.setText("Li")
    camera.take("start", start_page(window))
    form.folder.selectAll()
    steps = Steps(scene, at_rest(window))
    place = tmp_path / "films"
    steps.type(str(place))
    steps.key(Qt.Key.Key_Return)
    steps.key(Qt.Key.Key_Return)
    sheet = window.findChild(ImportDialog)
    steps.type(str(own_file))
    steps.key(Qt.Key.Key_Return)
    path, blocked = sheet.path.text(), sheet.path.blockSignals(True)
    sheet.path.setText("/home/li/reviews.csv")
    camera.take("import", sheet)
    sheet.path.setText(path)
    sheet.path.blockSignals(blocked)
    steps.key(Qt.Key.Key_Return)
    steps.key(Qt.Key.Key_Return)
    assert bench_of(window).front == "review"
    camera.take("review", window)
    context = bench_of(window).context
    for name, role in (("Chen", "annotator"), ("Wu", "annotator"), ("Zhao", "specialist")):
        people.ensure_person(context.workspace, name, role)
    values = {"overlap": "2"}
    tasks.set_protocol(context.workspace, "reviews", values, benchmark=context.benchmark)
    team = scene.at(window, "team")
    team.people_table.selectRow(0)
    team.open_assign()
    dialog = team.findChild(AssignDialog)
    dialog.tasks.tick_all()
    dialog.limited.setChecked(True)
    dialog.most.setValue(6)
    camera.take("assign", dialog)
    dialog.reject()
    scene.until(lambda: not dialog.isVisible())
    reviewed_by_all(context.workspace, context.benchmark)
    scene.at(window, "adjudicate")
    camera.take("adjudicate", window)
    steps.key(Qt.Key.Key_A)
    scene.until(lambda: not adjudicate.disputed(context.workspace, "Li", context.benchmark))
    scene.at(window, "progress")
    camera.take("progress", window)
    splits = scene.at(window, "splits")
    splits.open_freeze()
    scene.until(lambda: splits.findChild(FreezeDialog) is not None and not window.tasks.busy)
    freeze = splits.findChild(FreezeDialog)
    freeze.name.setText("2026-11")
    camera.take("freeze", freeze)
    freeze.run()
    scene.until(lambda: bool(freeze.findings.reasons))
    for line in freeze.findings.reasons.values():
        line.setText("a first try")
    freeze.run()
    scene.until(lambda: freeze.split is not None)
    evaluate = scene.at(window, "evaluate")
    evaluate.form.engine.setCurrentIndex(evaluate.form.engine.findData("openai"))
    evaluate.form.server.setText("http://127.0.0.1:8000/v1")
    evaluate.form.models.setPlainText("big\nmedium\nsmall")
    rest(scene, evaluate)
    camera.take("evaluate", window)
    for model, skill in (("big", 0.8), ("medium", 0.6), ("small", 0.3)):
        answered(context.workspace, "2026-11", model, skill)
    for name in ("compare", "leaderboard"):
        rest(scene, scene.at(window, name))
        camera.take(name, window)
    assert [path.name for path in camera.taken] == [f"{name}.{code}.png" for name in PICTURES]


def reviewed_by_all(ws: Workspace, benchmark: str) -> None:
    """Li decides on the items in front of her, two people on the others, and not alike on #7."""
    for person, most in (("Li", 2), ("Chen", 12), ("Wu", 12)):
        for _ in range(most):
            if (card := review.next_card(ws, person, benchmark)) is not None:
                alike = (person, card.number) != ("Wu", 7)
                verdict, reason = ("accept", "") if alike else ("reject", "ambiguous")
                review.decide(ws, person, card.number, verdict, reason=reason)


def shown_pictures(code: str) -> list[str]:
    return re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\)", help_page("tutorial", code))


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_tutorial_shows_every_picture_with_words_for_it(code: str):
    assert shown_pictures(code) == [f"{name}.{code}.png" for name in PICTURES]
    for name in shown_pictures(code):
        image = QImage(str(resource("help", "pictures", name)))
        assert image.width() > 400, name


def test_the_pictures_are_all_shown_and_small():
    files = list(resource("help", "pictures").iterdir())
    assert {path.name for path in files} == {*shown_pictures("en"), *shown_pictures("zh")}
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


def test_the_start_page_leads_to_the_tutorial_and_to_administrators(scene: Scene):
    page = start_page(started(scene))
    assert isinstance(page, StartPage)
    for button, heading in ((page.tutorial, "Tutorial"), (page.administrators, "administrators")):
        button.click()
        dialog = page.findChildren(HelpDialog)[-1]
        assert heading in dialog.page.toPlainText().partition("\n")[0]
        assert dialog.isVisible()
        dialog.reject()


def test_a_picture_of_the_help_fits_the_page(scene: Scene):
    page = start_page(started(scene))
    page.tutorial.click()
    (dialog,) = page.findChildren(HelpDialog)
    text = dialog.page.document()
    scene.turn()
    assert text.idealWidth() <= dialog.page.viewport().width() + 1
    assert "￼" in text.toRawText() or "\ufffc" in dialog.page.toPlainText()


def test_every_link_of_the_help_leads_to_a_page():
    missing = []
    for path in sorted(resource("help").glob("*.md")):
        code = path.stem.rpartition(".")[2]
        for target in re.findall(r"(?<!!)\[[^\]]+\]\(([^)#:]+)\)", path.read_text("utf-8")):
            if not resource("help", f"{target}.{code}.md").is_file():
                missing.append(f"{path.name}: {target}")
    assert missing == []


NOT_COMMANDS = {
    "review": {"Ctrl", "+", "-", "0"},  # sizes of the text, in three words
    "rate": {"Tab"},  # Qt's own
}


def bound(place: str) -> set[str]:
    """The keys of a panel's commands and of those everywhere, as the help spells them."""
    keys = {key for one in COMMANDS if one.place in (place, "window") for key in one.keys}
    return {printed_key(key).replace("PgDown", "PgDn") for key in keys}


def tabled(page: str) -> set[str]:
    """The keys in the first column of a page's table of keys; of a range its ends."""
    table = re.search(r"(?m)^\| (?:key|按键) \|.*\n((?:\|.*\n?)+)", page)
    rows = table[1].splitlines() if table else []
    return {key for row in rows for key in re.findall("`([^`]+)`", row.split("|")[1])}


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("place", [place for place in PLACES if place != "window"])
def test_a_page_has_the_keys_of_its_panel_and_no_others(place: str, code: str):
    page = help_page(place, code)
    assert tabled(page) - bound(place) - NOT_COMMANDS.get(place, set()) == set()
    spans = set(re.findall("`([^`]+)`", page))
    for command in COMMANDS:
        keys = {printed_key(key).replace("PgDown", "PgDn") for key in command.keys}
        listed = keys & spans or any(key.isdigit() for key in keys)
        arrows = keys & {"Up", "Down", "Shift+J"} and re.search("arrow|方向键|`J`", page)
        if command.place == place and keys:
            assert listed or arrows, command.id
