"""Names and texts that are code elsewhere: in exported tasks, tables and on a terminal they stay
text, and files stay in their folder."""

import ast
import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import openpyxl
import pytest
import yaml

from core.cli import main
from core.release.formats import EXPORT_FORMATS
from core.report_table import csv_text
from core.workflow import people
from core.workflow.check import review
from core.workflow.production import write
from core.workflow.workspace import Workspace
from tests.hostile.conftest import Attack
from tests.workspaces import BENCHMARK, make_task, payload

Begin = Callable[[str], Attack]
PWNED = "pwned"
NAMES = (
    f'x"""); import os; os.system("touch {PWNED}")#', "!function os.system",
    f"a: !!python/object/apply:os.system ['touch {PWNED}']", f"../../../{PWNED}",
    "{{ cycler.__init__.__globals__.os.system('x') }}", "</script><script>alert(1)</script>",
    "\\input{/etc/passwd}", "=cmd|'/C calc'!A0", "a/b\\c", "${jndi:x}", f"`touch {PWNED}`", "- x",
    "x'; DROP TABLE item;--", "{% include '/etc/passwd' %}", "x\\", "'+os.system('x')+'",
)  # fmt: skip
CALLS = frozenset({"system", "exec", "eval", "popen", "open", "__import__"})
OBEYED = "\x1b]0;evil\x07\x1b[2J\x9b31m\u202e\x7f\u2066"


class Tags(yaml.SafeLoader):
    """A loader that collects the tags, which a harness would call as functions."""


def _tagged(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> str:
    return f"TAG {suffix} {node.value}"


Tags.add_multi_constructor("!", _tagged)
Tags.add_multi_constructor("tag:yaml.org,2002:python", _tagged)


def said(place: Path, *words: str) -> str:
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        try:
            told.write(f"\n= {main(['--workspace', str(place), *words])}")
        except SystemExit as error:
            told.write(f"\n= {error.code}")
    return told.getvalue()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace with one accepted item in a task of each name."""
    ws = Workspace.create(tmp_path / "w")
    for name in ("ann", "li"):
        people.ensure_person(ws, name, "lead")
    for name in NAMES:
        make_task(ws, name, overlap=1)
        number = write.submit(ws, "ann", name, payload(f"文{name}")).number
        review.decide(ws, "li", number, "accept")
    ws.close()
    return tmp_path / "w"


def test_an_export_runs_no_name(place: Path, tmp_path: Path, attack: Begin) -> None:
    row = attack("names that are code, in exported tasks")
    assert said(
        place, "freeze", "s", "--benchmark", BENCHMARK, "--reason", "a test", "--user", "li"
    ).endswith("= 0")
    for form in EXPORT_FORMATS:
        out = tmp_path / "out" / form.name
        told = said(place, "export", "s", "--format", form.name, "--out", str(out), "--user", "li")
        row.tried("" if told.endswith("= 0") else f"{form.name}: {told[-200:]}")
        for file in sorted(path for path in out.rglob("*") if path.is_file()):
            row.tried(_fault(file))
    strays = {path.name for path in tmp_path.iterdir()} - {"w", "out"}
    row.tried(f"written elsewhere: {strays}" if strays or Path(PWNED).exists() else "")


def _fault(file: Path) -> str:
    if file.suffix == ".py":
        tree = ast.parse(file.read_text(encoding="utf-8"))
        calls = {
            ast.unparse(n.func).split(".")[-1] for n in ast.walk(tree) if isinstance(n, ast.Call)
        }
        # the reader of rows that comes with an export opens its own file
        found = calls & (CALLS - {"open"} if file.name == "benchseal_rows.py" else CALLS)
        return f"{file.name} calls {found}" if found else ""
    if file.suffix == ".yaml":
        read = repr(yaml.load(file.read_text(encoding="utf-8"), Tags))
        return f"{file.name}: {read[read.index('TAG') :][:80]}" if "TAG" in read else ""
    if file.suffix == ".xlsx":
        cells = (cell for sheet in openpyxl.load_workbook(file) for line in sheet for cell in line)
        formulas = [cell.value for cell in cells if cell.data_type == "f"]
        return f"{file.name}: formulas {formulas}" if formulas else ""
    return ""


def test_a_cell_of_a_table_is_no_formula(attack: Begin) -> None:
    row = attack("texts that a spreadsheet would run")
    for text in ("=1+1", "+1+1", "-1+cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1+1",
                 "＋1", "－1+1", "＠SUM(A1)", "  @x", "\0=1", "=cmd|'/C calc'!A0"):  # fmt: skip
        written = csv_text([(text, 1)])
        row.tried("" if written.startswith(("'", "\"'")) else repr(written))
    assert csv_text([("-0.5", -0.5)]) == "-0.5,-0.5\n"


def test_no_text_moves_the_cursor_of_a_terminal(tmp_path: Path, attack: Begin) -> None:
    row = attack("texts that a terminal would obey")
    ws = Workspace.create(tmp_path / "w")
    people.ensure_person(ws, "ann", "lead")
    make_task(ws, overlap=2)
    number = write.submit(ws, "ann", "titles", payload(f"文{OBEYED}")).number
    people.ensure_person(ws, "li", "lead")
    review.decide(ws, "li", number, "reject", reason="other", note=f"note{OBEYED}")
    ws.close()
    item, odd = str(number), f"x{OBEYED}"
    for words in (
        ("items",), ("items", "--json"), ("history", item, "--user", "li"), ("task", "list"),
        ("history", item, "--user", "li", "--json"), ("my-work", "--user", "li"),
        ("my-work", "--user", "li", "--json"), ("items", "--search", odd), ("report", odd),
        ("export", odd, "--format", "jsonl", "--out", str(tmp_path / "o")), ("check", odd),
        ("import", odd, "--task", odd, "--benchmark", odd), ("history", item, "--user", odd),
    ):  # fmt: skip
        told = said(tmp_path / "w", *words)
        found = sorted(
            {character for character in told if character in OBEYED and not character.isprintable()}
        )
        row.tried(f"{words[0]}: {found}" if found else "")
    told = said(tmp_path / "w", "history", item, "--user", "li", "--json")
    document = json.loads(told[: told.rindex("}") + 1])
    assert document["decisions"][0]["note"] == f"note{OBEYED}"
