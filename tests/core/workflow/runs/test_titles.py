"""A run that was started in one language is read in another."""

import ast
import re

import pytest

from core.i18n import set_language, tr, trn
from core.workflow.runs import runs
from core.workflow.runs.titles import title_now
from core.workflow.workspace import Workspace
from db import runs as run_rows
from tests.paths import ROOT


def said() -> list[str]:
    """A title of each kind in the language in use."""
    two = trn("1 split", "{n} splits", 2)
    return [
        trn("SCP from 1 article", "SCP from {n} articles", 1),
        trn("SCP from 1 article", "SCP from {n} articles", 1200),
        trn("1 item · {model}", "{n} items · {model}", 3, model="org/m: 1 item"),
        trn("{task}: 1 item · {model}", "{task}: {n} items · {model}", 1, task="moods", model="m"),
        trn("1 model × {splits}", "{n} models × {splits}", 4, splits=two),
        tr("{judge} judges {run}", judge="j", run="july · m"),
        tr("{judge} judges {run}", judge="j", run=tr("{judge} compares {models}", judge="k",
                                                     models="a, b")),
    ]  # fmt: skip


def in_language(code: str) -> list[str]:
    set_language(code)
    return said()


@pytest.mark.parametrize(("kept", "read"), [("en", "zh"), ("zh", "en"), ("zh", "zh"), ("en", "en")])
def test_a_title_is_said_again_in_the_language_of_who_reads(kept, read):
    stored, wanted = in_language(kept), in_language(read)
    assert [title_now(title) for title in stored] == wanted


@pytest.mark.parametrize("title", ["july · org/model", "moods · m", "我的运行", ""])
def test_what_is_no_sentence_stays_as_it_is(title):
    set_language("zh")
    assert title_now(title) == title


def test_the_list_of_runs_speaks_the_language_of_the_window(sqlite_ws: Workspace):
    with sqlite_ws.writing() as session:
        run_rows.add(session, "20260101-000000-aa", "generate", title="SCP from 2 articles")
    set_language("zh")
    (run,) = runs.runs(sqlite_ws)
    assert run.title == "由 2 篇文章生成 SCP"
    assert runs.info(sqlite_ws, run.id).title == run.title


def test_every_sentence_that_a_run_is_entered_with_can_be_said_again():
    """Whoever starts a new kind of run with a sentence of its own adds it to ``titles``."""
    known = (ROOT / "core/workflow/runs/titles.py").read_text(encoding="utf-8")
    literal = {node.value for node in ast.walk(ast.parse(known)) if isinstance(node, ast.Constant)}
    sentences = set()
    for path in (ROOT / "core/workflow").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and "runs.enter(" in ast.unparse(node):
                sentences |= _titles(node)
    assert len(sentences) > 5
    assert {s for s in sentences if re.search("[A-Za-z]{3,}", re.sub(r"{\w+}", "", s))} <= literal


def _titles(tree: ast.FunctionDef) -> set[str]:
    """The sentences that are assigned to ``title`` or given to ``runs.enter`` at once."""
    found: set[str] = set()
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "title":
            values = [node.value]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "runs.enter":
            values = node.args
        calls = [
            v for v in values if isinstance(v, ast.Call) and ast.unparse(v.func) in ("tr", "trn")
        ]
        found |= {
            constant.value
            for call in calls
            for constant in call.args[:2]
            if isinstance(constant, ast.Constant)
        }
    return found
