"""Models on splits in miniature, counted beside the model of ``costs``: files, bytes, statements.

``python -m tests.benchmarks.scale.simulation`` prints both for a hundredth and a tenth of the
cells of two hundred models on fifty splits.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from core.evaluation.params import EvaluateParams
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.workflow.evaluation import start
from core.workflow.runs import runs
from core.workflow.runs.kinds import run_kind
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.benchmarks.scale import costs
from tests.db.statements import sent_statements
from tests.splits import freeze_split
from tests.tampering import without_logins
from tests.workload import content, fill

PARTS = {100: (20, 5), 10: (50, 20)}
"""Which part of 200 × 50 cells, and the models and splits that make it."""


@dataclass(frozen=True)
class Simulated:
    """What was counted: bytes by files of questions, each once, and by those of answers; statements
    to enter one cell; processor seconds to ask and answer all, and to list one run."""

    cells: int
    prompts: int
    question_files: int
    question_bytes: int
    answer_bytes: int
    statements: float
    asking_s: float
    listing_s: float


def simulate(place: Path, models: int, splits: int, items: int) -> Simulated:
    """Enter every model on every split in a new workspace, and answer all by chance."""
    with closing(without_logins(str(place))) as ws:
        for split in range(splits):
            contents = [content(split * items + number) for number in range(items)]
            freeze_split(ws, {"scp": contents}, f"s{split}", f"b{split}")
        with sent_statements() as sent:
            cells = _enter(ws, models, splits)
        began = time.process_time()
        for cell in cells:
            run_worker(cell.path, 0, 1, run_kind)
        asking = time.process_time() - began
        began = time.process_time()
        listed = runs.runs(ws)
        listing = time.process_time() - began
    assert {info.state for info in listed} == {"finished"}
    questions = {
        found.st_ino: found.st_size
        for found in ((cell.path / "work.jsonl").stat() for cell in cells)
    }
    answers = [file.stat().st_size for cell in cells for file in cell.shard_files()]
    return Simulated(
        cells=len(cells),
        prompts=len(cells) * items,
        question_files=len(questions),
        question_bytes=sum(questions.values()),
        answer_bytes=sum(answers),
        statements=len(sent) / len(cells),
        asking_s=asking,
        listing_s=listing / len(cells),
    )


def _enter(ws: Workspace, models: int, splits: int) -> list[RunFolder]:
    """As a job of several splits enters them: the models of a split share its questions."""
    cells = []
    for split in range(splits):
        info = freeze.info(ws, f"s{split}")
        like: RunFolder | None = None
        for _ in range(models):
            given = EvaluateParams(split=info.name, engine="baseline:random")
            cell = start.create(ws, given, info, "local", 1, like=like)
            like = like or cell
            cells.append(cell)
    return cells


def database_bytes(place: Path, items: int) -> tuple[int, int]:
    """The bytes of a new workspace's database with so many items of the workload, without its
    search index, and those of the index."""
    with closing(fill(place, items)) as ws, ws.reading() as session:
        used = text("SELECT name LIKE 'search%', sum(pgsize) FROM dbstat GROUP BY 1")
        sizes = {bool(index): int(size) for index, size in session.execute(used)}
    return sizes[False], sizes[True]


def main(words: Sequence[str] = ()) -> None:
    """Print what was counted beside what the model says."""
    items = int(words[0]) if words else 200
    print(f"{'part':>6} {'figure':28} {'counted':>14} {'model':>14}")
    for part, (models, splits) in PARTS.items():
        with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
            found = simulate(Path(folder) / "w", models, splits, items)
        said = costs.Matrix(models, splits, items)
        for name, counted, modelled in (
            ("files of questions", found.question_files, said.splits),
            ("bytes of questions", found.question_bytes, said.question_bytes),
            ("bytes of answers", found.answer_bytes, said.answer_bytes),
            ("CPU s outside the engine", found.asking_s, said.asking_s),
            ("CPU ms to list a run", 1e3 * found.listing_s, costs.LISTING_MS),
            ("statements for a cell", found.statements, costs.CELL_STATEMENTS),
        ):
            print(f"{f'1/{part}':>6} {name:28} {counted:14,.1f} {modelled:14,.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
