"""A matrix in the window: models by splits, watched while its cells come in."""

from pathlib import Path
from threading import Event

import pytest

from core.evaluation.params import EvaluateParams
from core.workflow.evaluation import matrix
from core.workflow.evaluation.matrix import MatrixCell
from core.workflow.people import ensure_person
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from gui.panels.runs.matrix_page import MatrixPage, cell_text
from gui.panels.runs.panel import RunsPanel
from tests.gui.scene import LEAD, Scene, bench_of
from tests.servers.model_server import LoopbackModel
from tests.splits import freeze_split, varied

MODELS, SPLITS, COUNT = ("able", "dull"), ("s", "t"), 4


@pytest.fixture
def place(tmp_path: Path) -> Path:
    ws = Workspace.create(tmp_path / "ws")
    ensure_person(ws, LEAD, "lead")
    for at, split in enumerate(SPLITS):
        contents = [varied(number) for number in range(100 * at, 100 * at + COUNT)]
        freeze_split(ws, {"scp": contents}, split, f"b{at}")
    ws.close()
    return tmp_path / "ws"


def page_of(panel: RunsPanel) -> MatrixPage:
    page = panel.pages["matrix"]
    assert isinstance(page, MatrixPage)
    return page


def rows_of(panel: RunsPanel) -> list[list[str]]:
    model = page_of(panel).model
    return [
        [model.index(row, place).data() for place in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_cells_come_in_while_the_matrix_is_watched_and_lead_to_their_scores(scene: Scene, place):
    ws, may_answer = Workspace.open(place), Event()

    def answer(_body: dict) -> str:
        may_answer.wait(60)
        return "A"

    with LoopbackModel(answer=answer) as server:
        params = EvaluateParams(split="", engine="openai", base_url=server.url, mode="completion",
                                concurrency=1)  # fmt: skip
        run = matrix.start_matrix(ws, SPLITS, MODELS, params, person=LEAD).spec().id
        window = scene.open(place, person=LEAD)
        panel = scene.at(window, "runs")
        assert isinstance(panel, RunsPanel)
        panel.take(run)
        scene.until(lambda: panel.ready() and len(rows_of(panel)) == 2)
        assert {row[0] for row in rows_of(panel)} == set(MODELS)
        scene.until(lambda: any("/4" in cell for row in rows_of(panel) for cell in row[1:3]))
        assert page_of(panel).says.text().startswith("Accuracy in percent. 0 of 4 cells")
        may_answer.set()
        assert runs.wait(ws, run, 120).state == "finished"
        scene.until(lambda: page_of(panel).board.finished == 4)
    board = matrix.board(ws, run)
    cell = board.cells[0]
    shown = next(row for row in rows_of(panel) if row[0] == cell.model)
    assert shown[1] == f"{100 * cell.accuracy:.1f} [{100 * cell.low:.1f}, {100 * cell.high:.1f}]"
    assert "The intervals are rough (few" in page_of(panel).says.text()
    assert not panel.figures.isVisible(), "its cells are no trainings"
    page_of(panel).table.activated.emit(page_of(panel).model.index(rows_of(panel).index(shown), 1))
    scene.until(lambda: bench_of(window).front == "scores")
    ws.close()


@pytest.mark.parametrize(
    ("state", "done", "text"),
    [("queued", 0, "queued"), ("running", 0, "running 0/9"), ("failed", 3, "failed 3/9")],
)
def test_a_cell_without_a_score_says_how_far_it_is(state: str, done: int, text: str):
    assert cell_text(MatrixCell("r", "m", "s", state, done, 9)) == text
