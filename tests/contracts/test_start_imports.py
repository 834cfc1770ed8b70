"""A command imports what it needs: half of a short command's time was modules it never called."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli.parser import GROUPS, groups_for
from core.evaluation.params import EvaluateParams
from core.evaluation.types import Question
from core.jobs.folder import RunFolder
from core.workflow.dashboards import DASHBOARDS
from tests.paths import ROOT
from tests.workload import BENCHMARK, fill

HEAVY = (
    "PySide6", "alembic", "core.llm.batch", "httpx", "krippendorff", "numpy", "openai", "pandas",
    "psutil", "scipy", "sklearn", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm", "sqlmodel",
    "statsmodels",
)  # fmt: skip
UNTYPED = ("core.workflow.check.review", "core.workflow.splits.freeze", "pydantic", "pydantic_core")
"""What commands that only read do not import either; pydantic is half of SQLAlchemy's cost."""
OF_OTHERS = (
    "core.confusables", "core.families.reading", "core.redaction", "core.workflow.items.history",
    "core.workflow.splits.readings", "db.queries.replay",
)  # fmt: skip
"""What is for other commands than a list of items: their patterns and classes take a tenth."""
IN_A_WORKER = ("asyncio", "db", "sqlalchemy")
READING = (
    ["items", "--limit", "1"],
    ["history", "1"],
    ["people", "list"],
)
SHORT = (
    ["items", "--limit", "1"],
    ["history", "1"],
    ["people", "list"],
    ["task", "list"],
    ["config"],
    ["runs"],
    ["decide", "1", "--accept"],
)  # fmt: skip
_SCRIPT = """
import json, sys
from core.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    ws = fill(tmp_path_factory.mktemp("imports") / "ws", 4)
    ws.close()
    return ws.place.folder


def modules_of(words: list[str], place: Path) -> tuple[int, list[str]]:
    """The exit code of a command and what it had imported at its end."""
    command = [sys.executable, "-c", _SCRIPT, "--workspace", str(place), *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, modules


@pytest.mark.parametrize("words", SHORT, ids=" ".join)
def test_a_short_command_imports_nothing_heavy(words: list[str], place: Path) -> None:
    code, modules = modules_of(words, place)
    assert code in (0, None), code
    assert [name for name in HEAVY if name in modules] == []


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_command_that_reads_builds_no_models(words: list[str], place: Path) -> None:
    code, modules = modules_of(words, place)
    assert code in (0, None), code
    assert [name for name in UNTYPED if name in modules] == []


def test_a_list_of_items_imports_nothing_of_other_commands(place: Path) -> None:
    code, modules = modules_of(["items", "--limit", "1"], place)
    assert code in (0, None), code
    assert [name for name in OF_OTHERS if name in modules] == []


def test_the_worker_of_a_baseline_imports_no_database_and_nothing_heavy(tmp_path: Path) -> None:
    questions = [Question(str(number), "choice", "", "", "Which?", choices=("A", "B"))
                 for number in range(3)]  # fmt: skip
    params = EvaluateParams(engine="baseline:random", split="s")
    folder = RunFolder.create(tmp_path, "evaluate", params, (q.as_json() for q in questions))
    code, modules = modules_of(["run", str(folder.path)], tmp_path)
    assert code in (0, None), code
    assert folder.files.has("result.json")
    assert [name for name in (*HEAVY, *IN_A_WORKER) if name in modules] == []


def test_the_window_paints_before_the_heavy_imports() -> None:
    script = "import json, sys\nimport gui.app\nprint(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    modules = json.loads(done.stdout)
    behind = {*HEAVY, *IN_A_WORKER, "core.workflow", "gui.panels", "gui.window.workbench"}
    assert sorted(behind.intersection(modules) - {"PySide6"}) == []


def test_one_command_reads_the_grammar_of_its_group_alone(place: Path) -> None:
    _, modules = modules_of(["items", "--help"], place)
    assert [name for name in GROUPS if f"core.cli.{name}" in modules] == ["items"]


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        (["--workspace", "freeze", "items"], ("items",)),
        (["--workspace=w", "freeze"], ("splits",)),
        (["--work", "items", "freeze"], ("splits",)),
        (["no-such"], tuple(GROUPS)),
        (["--help"], tuple(GROUPS)),
        ([], tuple(GROUPS)),
    ],
)
def test_the_command_says_which_grammar_is_read(words: list[str], groups: tuple[str, ...]) -> None:
    assert groups_for(words) == groups


_DRAWING = """
import sys
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.dashboards.registry import DashboardRequest, draw
from core.workflow.workspace import Workspace
ws = Workspace.open(sys.argv[1])
shown = draw(sys.argv[2], DashboardRequest(ws, JudgementBook(ws), sys.argv[3], ""))
print(bool(shown.figures), *sys.modules)
"""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Items of 500 articles, decided by three of five people, rated, screened and audited."""
    place = tmp_path_factory.mktemp("imports") / "judged"
    ws = fill(place, 1200, decided=0.9, criteria=("accuracy",), screened=True, lots=True, team=5)
    ws.close()
    return ws.place.folder


@pytest.mark.parametrize("dashboard", DASHBOARDS)
def test_the_first_picture_of_a_dashboard_waits_for_no_heavy_import(
    dashboard: str, judged: Path
) -> None:
    command = [sys.executable, "-c", _DRAWING, str(judged), dashboard, BENCHMARK]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    drawn, *modules = done.stdout.split()
    assert drawn == "True"
    assert [name for name in ("pandas", "scipy", "sklearn", "statsmodels") if name in modules] == []
