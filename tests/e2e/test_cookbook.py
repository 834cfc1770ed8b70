"""The cookbook is followed word for word, from the file to the table of the paper."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from core.cli import main
from core.sources.labelled.dataset_files import read_labelled
from core.sources.labelled.datasets import EMOTION
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from tests.contracts.test_commands import COMMANDS
from tests.core.rewriting.scripted_model import ScriptedModel, cast, write_news
from tests.paths import ROOT
from tests.servers.model_server import LoopbackModel

pytestmark = pytest.mark.usefixtures("only_named_keys")

HELP = ROOT / "resources" / "help"
PROJECT = 20
"""Tasks of the small project; behind them are the roads of three papers."""
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# What the cookbook does not need, tried at its end: the line, and what it says.
OTHERS = {
    "engines": "baseline:tfidf",
    "config theme": "light",
    "my-work --user bob": "9 of 100 items reviewed",
    "gate": "No item has been screened yet",
    "workspace": "personal",
    "keys list": "No server is allowed yet",
    "keys add SERVER --env LAB_KEY --name lab": "LAB_KEY",
    "keys remove SERVER": "127.0.0.1",
    "outbox": "Nothing waits here",
    "question ask 1 --user bob 'Is this the river or the canal?'": "question 1",
    "question list": "Is this the river or the canal?",
    "question answer 1 --user ada 'The river.'": "1",
    "suspect-keys round1": "models with the key",
    "analyze items round1": "Options never selected",
    "analyze lengths round1": "question",
    "analyze overlap round1 --corpus articles": "0 of 9 items",
    "analyze stability --sources articles --seeds 2 --per-article 2": "2",
    "check ITEMS": "no defects",
    "task add notes --benchmark geo --family instruction --set gate=off": "notes",
    "export round1 --format lm-eval --out task --plain 'Runs on the cluster'": "Wrote 9 items",
    "gold mark 1 --accept": "now gold",
    "gold unmark 1": "no longer gold",
    "gold qualification": "No one has to qualify",
    "erratum 6 --reason 'Two options are right.'": "#6",
    "split errata round1 --out errata.json": "Wrote 1 erratum",
    "second-look 4 --note 'Look again.'": "#4",
    "reveal 1": "accept",
    "alarm set --below 0.6": "Alarm 1 set",
    "run logs RUN": "",
    "report site --out site": "index.html",
    "copy quiz second": "equal there",
    "split expire round1 --reason 'The period is over.'": "expired",
    "restore BACKUP": "Restored",
}

# Why a command is not carried out here, or where else it is.
ELSEWHERE = {
    "analyze bank": "tests/core/workflow/analysis/test_item_banks.py",
    "analyze calibration": "tests/core/workflow/evaluation/test_score_run.py",
    "analyze correlate": "tests/core/workflow/analysis/test_analyze.py",
    "analyze exposure": "tests/core/workflow/analysis/test_corpus_files.py",
    "analyze public": "tests/core/workflow/evaluation/test_public_score_files.py",
    "analyze robustness": "tests/core/workflow/splits/test_prompt_variants.py",
    "answer": "tests/core/workflow/evaluation/test_people_answers.py",
    "demo": "tests/e2e/test_first_light.py",
    "evaluate-pack": "tests/sealed/test_packs.py",
    "fetch arxiv": "tests/core/sources/articles/test_arxiv_api.py",
    "gold lift": "tests/core/cli/test_review.py",
    "gui": "tests/gui/jobs/test_first_run.py",
    "import-results": "tests/core/cli/evaluation/test_evaluate.py",
    "judge": "tests/core/workflow/evaluation/test_answer_ratings.py",
    "knowledge search": "tests/e2e/test_rewriting.py",
    "matrix": "tests/core/workflow/evaluation/test_matrix.py",
    "organisation": "tests/core/workflow/analysis/test_organisations.py",
    "pack": "tests/sealed/test_packs.py",
    "package call-off": "tests/core/cli/test_review.py",
    "package key": "tests/core/cli/test_review.py",
    "package list": "tests/core/cli/test_review.py",
    "package make": "tests/core/cli/test_review.py",
    "package merge": "tests/core/cli/test_review.py",
    "package open": "tests/core/cli/test_review.py",
    "package return": "tests/core/cli/test_review.py",
    "rate": "tests/core/cli/test_review.py",
    "sample": "tests/e2e/test_team_server.py",
    "simulate": "tests/core/workflow/analysis/test_analyze.py",
    "split lock": "tests/core/cli/splits/test_seal.py",
    "split publish": "tests/core/workflow/sealing/test_publish.py",
    "split pull": "tests/e2e/test_release_storage.py",
    "split push": "tests/e2e/test_release_storage.py",
    "split seal": "tests/core/cli/splits/test_seal.py",
    "split unlock": "tests/core/cli/splits/test_seal.py",
    "track": "tests/core/cli/evaluation/test_track.py",
    "unsure": "tests/core/workflow/check/test_questions.py",
}


def blocks(code: str, kind: str) -> list[str]:
    """The blocks of one kind in the page of a language, in order."""
    text = (HELP / f"cookbook.{code}.md").read_text(encoding="utf-8")
    return [body for name, body in _BLOCK.findall(text) if name == kind]


def answer(body: dict[str, object]) -> str:
    """A reply that is a verdict of the gate, or names an option."""
    return '{"score": 8, "reasons": "clear"}' if "score" in str(body) else "B"


def in_its_words(line: str, server: LoopbackModel) -> str:
    """A line of the page with what stands for something put in its place."""
    if "RUN" in line:
        words = shlex.split(line)
        ws = Workspace.open(Path(words[2] if "--workspace" in words else "quiz"))
        names = [run.id[-6:] for run in runs.runs(ws)]
        ws.close()
        line = line.replace("RUN2", names[min(1, len(names) - 1)]).replace("RUN", names[0])
    return line.replace("SERVER", server.url).replace("MODEL", "test-model")


def write_files_of_the_page() -> ScriptedModel:
    """What the page says to save, and news on what is rewritten; gives the model that rewrites."""
    names = ("questions.csv", "public.csv", "tweets.csv")
    for name, body in zip(names, blocks("en", "csv"), strict=True):
        Path(name).write_text(body.replace("MODEL", "test-model"), encoding="utf-8")
    tasks = ("45_Sentiment_Analysis.jsonl", "44_Stance_Detection.jsonl")
    for name, body in zip(tasks, blocks("en", "jsonl"), strict=True):
        Path(name).write_text(body, encoding="utf-8")
    examples = read_labelled(Path("tweets.csv"), EMOTION).examples
    parts = cast(examples, len(examples), branches=("good",))
    write_news(Path("news"), parts)
    return ScriptedModel(EMOTION, parts)


def carry_out(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line: a command of ours, a variable, or a text that goes to a file."""
    words = shlex.split(line)
    if words[0] == "export":
        monkeypatch.setenv(*words[1].split("=", 1))
    elif words[0] == "echo":
        Path(words[-1]).write_text(words[1] + "\n", encoding="utf-8")
    else:
        assert words[0] == "benchseal"
        assert main(words[1:]) == 0, line


def test_both_languages_have_the_same_tasks() -> None:
    assert len(blocks("en", "sh")) == 23
    for kind in ("sh", "csv", "jsonl"):
        assert blocks("en", kind) == blocks("zh", kind)


def test_every_command_of_the_cookbook_does_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "resources" / "demo", "articles")
    write_files_of_the_page()
    said: dict[str, str] = {}
    with LoopbackModel(answer=answer) as server:
        for block in blocks("en", "sh")[:PROJECT]:
            for line in block.splitlines():
                carry_out(in_its_words(line, server), monkeypatch)
                said[line] = capsys.readouterr().out

    assert "accepted 9" not in said["benchseal items"]
    assert "8" in said["benchseal items"]
    assert "passed" in said["benchseal audit status capitals"]
    assert "opened once" in said["benchseal split status round1"]
    assert "0 problems" in said["benchseal verify --anchors anchors --receipt receipt.json"]
    table = Path("scores.tex").read_text(encoding="utf-8")
    assert r"\toprule" in table
    assert "test-model" in table
    assert "baseline:longest" in table
    assert "McNemar" in Path("differences.tex").read_text(encoding="utf-8")
    assert Path("gate.png").read_bytes().startswith(b"\x89PNG")

    for line, expected in OTHERS.items():
        (items,) = Path("papers", "runs").glob("*/items.jsonl")
        backup = next(Path("quiz", "backups").glob("*.db"))
        given = in_its_words(line, server).replace("ITEMS", str(items))
        carry_out(f"benchseal {given.replace('BACKUP', str(backup))}", monkeypatch)
        assert expected in "".join(capsys.readouterr()), line


@pytest.mark.parametrize(
    ("place", "table", "words"),
    [
        (PROJECT, "rugged.tex", ("RS I", "test-model", "baseline:longest")),
        (PROJECT + 1, "coreeval.tex", ("orig", "semt", "ours")),
        (PROJECT + 2, "cif.tex", ("Sentiment", "Public against private")),
    ],
    ids=["arxivroll", "coreeval", "cif-bench"],
)
def test_the_road_of_a_paper_ends_with_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int, table: str, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "resources" / "demo", "articles")
    rewriter = write_files_of_the_page()
    with LoopbackModel(answer=answer) as server, LoopbackModel(answer=rewriter) as writing:
        for line in blocks("en", "sh")[place].splitlines():
            asked = writing if " rewrite " in line else server
            carry_out(in_its_words(line, asked), monkeypatch)
    written = Path(table).read_text(encoding="utf-8")
    assert r"\toprule" in written
    assert all(word in written for word in words)


def words_of(line: str) -> list[str]:
    """The words of a line of ours, without the workspace that stands before the command."""
    words = shlex.split(line)
    return words[2:] if words[0] == "--workspace" else words


def test_every_command_is_carried_out_here_or_in_a_test_that_is_named() -> None:
    lines = [
        line.removeprefix("benchseal ")
        for block in blocks("en", "sh")
        for line in block.splitlines()
        if line.startswith("benchseal ")
    ]
    here = {
        name
        for name in COMMANDS
        for line in (*lines, *OTHERS)
        if words_of(line)[: len(name.split())] == name.split()
    }
    assert set(COMMANDS) - here == set(ELSEWHERE)
    for name, place in ELSEWHERE.items():
        text = (ROOT / place).read_text(encoding="utf-8")
        spoken = ", ".join(f'"{word}"' for word in name.split())
        assert spoken in re.sub(r",\s+", ", ", text), f"{place} does not run {name}"
