"""Formulas on the page: drawn in the line, copied and read out as TeX, raw on request."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QTextBrowser

from core.formulas.finding import Formula, pieces
from core.workflow import people
from core.workflow.production import write
from core.workflow.workspace import Workspace
from gui import theme
from gui.documents.formulas import put_formulas, text_with_tex, typesetter
from gui.documents.writer import Writer
from gui.widgets.page import ItemPage
from tests.gui.scene import LEAD, Scene, press
from tests.workspaces import make_task, payload

DRAWN = "\ufffc"
TEXT = r"The share \(p_o\) and $\kappa = \frac{p_o - p_e}{1 - p_e}$, for $5 each."


def written(text: str, *, colours: theme.Tokens = theme.LIGHT, **more: bool) -> QTextDocument:
    writer = Writer(colours, chinese=False, **more)
    writer.block().text(text)
    return writer.finish()


def set_now(qtbot) -> None:
    qtbot.waitUntil(lambda: not typesetter().busy, timeout=60_000)


def test_a_formula_takes_the_place_of_its_tex_when_its_outline_comes(qtbot):
    document = written(TEXT)
    set_now(qtbot)
    assert document.toPlainText() == f"The share {DRAWN} and {DRAWN}, for $5 each."
    assert text_with_tex(document) == TEXT
    again = written(TEXT)
    assert again.toPlainText() == document.toPlainText()


def test_an_unknown_macro_stays_tex(qtbot):
    document = written(r"so $\notamacro{x}$ is")
    set_now(qtbot)
    assert document.toPlainText() == r"so $\notamacro{x}$ is"


def test_tex_stays_where_a_document_or_the_person_wants_it(qtbot):
    assert written(TEXT, formulas=False).toPlainText() == TEXT
    theme.read_in(theme.ReadingType(formulas=False))
    try:
        assert written(TEXT).toPlainText() == TEXT
    finally:
        theme.read_in(theme.ReadingType())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"Let $x$ be \\ a root, \\[2pt] and $y$ too. \\", "Let {} be\na root,\nand {} too."),
        ("Given $x$ \\\\\nfind $y$.", "Given {}\nfind {}."),
        (
            r"Write \\ between two lines of C:\\temp \\ here.",
            r"Write \\ between two lines of C:\\temp \\ here.",
        ),
        (r"With $x$ in C:\\temp", r"With {} in C:\\temp"),
    ],
)
def test_an_end_of_a_line_in_tex_is_one_where_the_text_has_formulas(qtbot, text, shown):
    document = written(text)
    set_now(qtbot)
    assert document.toPlainText() == shown.replace("{}", DRAWN)


def test_a_low_formula_leaves_the_lines_as_they_are_and_a_deep_one_gets_room(qtbot):
    deep = r"$\begin{pmatrix}a&b\\c&d\end{pmatrix}$"
    for text in (r"$x_i$", deep):
        written(text)
    set_now(qtbot)
    plain = written("x").size().height()
    assert written(r"$x_i$").size().height() == plain
    assert written(deep).size().height() > plain + 4


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_a_formula_has_the_colour_of_its_text(qtbot, colours):
    from PySide6.QtGui import QImage, QPainter

    written("$m$")
    set_now(qtbot)
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    image.fill(colours.surface)
    painter = QPainter(image)
    written("$m$", colours=colours).drawContents(painter)
    painter.end()
    names = {image.pixelColor(x, y).name() for x in range(60) for y in range(40)}
    assert colours.text.lower() in names


def test_where_a_text_has_no_colour_of_its_own_a_formula_has_that_of_the_page(qtbot):
    page = QTextBrowser()
    qtbot.addWidget(page)
    # a palette would yield to the style sheet that a window before has left
    page.setStyleSheet("color: #f0e0d0; background: #101010")
    page.setHtml("<p>\ue000</p>")
    (formula,) = pieces("$m$")
    assert isinstance(formula, Formula)
    put_formulas(page.document(), "\ue000", [formula], 24, drawn=True)
    qtbot.waitUntil(lambda: DRAWN in page.toPlainText())

    def colours_shown() -> set[str]:
        image = page.viewport().grab().toImage()
        return {image.pixelColor(x, y).name()
                for x in range(image.width()) for y in range(image.height())}  # fmt: skip

    qtbot.waitUntil(lambda: "#f0e0d0" in colours_shown())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    ws = Workspace.create(tmp_path / "formulas")
    people.ensure_person(ws, LEAD, "lead")
    people.ensure_person(ws, "Writer", "annotator")
    task = make_task(ws, overlap=1)
    for name in ("one", "two", "three"):
        write.submit(ws, "Writer", task, payload(f"{name}: {TEXT}", output="some text"))
    ws.close()
    return tmp_path / "formulas"


def test_review_draws_formulas_copies_and_reads_out_their_tex(scene: Scene, place: Path):
    window = scene.open(place, LEAD)
    panel = scene.review(window)
    page = panel.page
    scene.until(lambda: DRAWN in page.toPlainText())
    page.selectAll()
    page.copy()
    assert TEXT in QApplication.clipboard().text()
    press(page, Qt.Key.Key_A)
    scene.until(lambda: page.painted > 1 and page.in_sight > 0)
    # the next item was set while the first was read: it comes with its formulas drawn
    assert DRAWN in page.toPlainText()
    assert TEXT in page.accessibleDescription()


@pytest.mark.parametrize("name", ["review", "items"])
def test_f3_shows_the_tex_and_draws_it_again(scene: Scene, place: Path, name: str):
    window = scene.open(place, LEAD)
    panel = scene.at(window, name)
    page = panel.findChild(ItemPage)  # in Items the keys of reading belong to the list
    assert page is not None
    scene.until(lambda: DRAWN in page.toPlainText())
    press(panel, Qt.Key.Key_F3)
    scene.until(lambda: TEXT in page.toPlainText())
    assert not theme.reading().formulas
    press(panel, Qt.Key.Key_F3)
    scene.until(lambda: DRAWN in page.toPlainText())
    assert theme.reading().formulas


def inks(document: QTextDocument) -> dict[str, float]:
    """How opaque each stretch of a document's first line is."""
    text = document.begin().text()
    return {
        text[part.start : part.start + part.length]: part.format.foreground().color().alphaF()
        for part in document.begin().textFormats()
    }


def test_tex_is_pale_while_its_outline_is_awaited_and_like_the_text_where_there_is_none(qtbot):
    document = written(r"of $y_{17}$ and $\notthismacro{y}$ so")
    waiting = inks(document)
    assert waiting["of "] == waiting[" so"] == 1.0
    assert waiting["$y_{17}$"] == waiting[r"$\notthismacro{y}$"] < 0.6
    set_now(qtbot)
    assert document.toPlainText() == rf"of {DRAWN} and $\notthismacro{{y}}$ so"
    assert set(inks(document).values()) == {1.0}
