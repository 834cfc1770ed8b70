"""Lines in Chinese have the punctuation of Chinese, also where a command puts them together."""

import ast
import io
import re
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest

from core.cli import main
from core.i18n import joined_clauses, labelled, listed, set_language
from core.workflow.workspace import Workspace
from tests.full_workspace import FullWorkspace, fill
from tests.hostile.test_blindness_sweep import COMMANDS, LISTS
from tests.messages import messages
from tests.paths import ROOT

HAN = "\u3400-\u9fff\u3001\u3002\uff00-\uff0f\uff1a-\uff20”』》"
# a mark of half width behind a character of full width, where no word, number or address follows,
# or before one
HALF = re.compile(rf"[{HAN}][,;:!?](?![\w/(*.])|[,;!?] ?[{HAN}]|: ?[\u3400-\u9fff]")
# how values are to be typed, character for character, and marks that are meant themselves
TYPED = ("输入,输出", "甲,乙", "postgresql://服务器:端口/数据库", "“?”", "（?）",
         "other: 说明")  # fmt: skip
# what is put together there is no sentence: a line of a file as compilers name it,
# the type of an error, the name of a file
COMPOSED = frozenset(
    {
        "core/cli/production/check.py", "core/workflow/runs/runs.py",
        "core/workflow/verify/contradictions.py", "core/workflow/verify/stored_files.py",
    }
)  # fmt: skip
VALUES = {"item": "ITEM", "task": "audited", "number": "1", "panel": "agreement", "deed": "list"}


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("BENCHSEAL_LANG", "zh")
    set_language("zh")
    yield
    set_language("en")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, FullWorkspace]:
    """The folder of a workspace in which something waits at every stage, and what is in it."""
    folder = tmp_path_factory.mktemp("chinese") / "w"
    ws = Workspace.create(folder)
    found = fill(ws)
    ws.close()
    return folder, found


def untypical(text: str) -> list[str]:
    """The lines with a mark of half width among characters of full width."""
    for typed in TYPED:
        text = text.replace(typed, "")
    return [line for line in text.splitlines() if HALF.search(line)]


def test_the_catalogue_has_no_mark_of_half_width() -> None:
    for path in messages().po_files():
        catalogue = messages().read(path)
        forms = (
            form for one in messages().entries(catalogue) for form in messages().forms(one.string)
        )
        assert [line for form in forms for line in untypical(form)] == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("环境: 可用", True), ("环境:", True), ("磁盘：可用, 很大", True), ("甲;乙", True),
     ("行不行?", True),
     ("环境：Qt 6.11, 3", False), ("见 http://a:1/b。", False), ("用时 10:30", False),
     ("（见上）；再看", False)],
)  # fmt: skip
def test_what_is_a_mark_of_half_width(text: str, wrong: bool) -> None:
    assert bool(untypical(text)) is wrong


@pytest.mark.usefixtures("chinese")
def test_what_is_put_together_has_the_marks_of_the_language() -> None:
    assert labelled("磁盘", "可用") == "磁盘：可用"
    assert listed(["甲", "乙"]) == "甲、乙"
    assert joined_clauses(["甲", "乙"]) == "甲；乙"
    set_language("en")
    assert (labelled("a", "b"), listed("ab"), joined_clauses("ab")) == ("a: b", "a, b", "a; b")


def words(name: str, found: FullWorkspace) -> list[str]:
    """A command with what it needs."""
    given = name.split()
    for action in COMMANDS[name]._actions:
        if action.dest == "user":
            given += ["--user", "boss"]
        elif action.required or not (action.option_strings or action.nargs in ("*", "?", 0)):
            value = VALUES.get(action.dest, "s").replace("ITEM", str(found.waiting[0]))
            given += [*action.option_strings[-1:], value]
    return given


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("name", LISTS)
def test_no_command_prints_marks_of_half_width(
    name: str, filled: tuple[Path, FullWorkspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, found = filled
    monkeypatch.chdir(tmp_path)
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told), suppress(SystemExit):
        main(["--workspace", str(folder), *words(name, found)])
    assert untypical(told.getvalue()) == []


@pytest.mark.usefixtures("chinese")
def test_findings_are_told_with_the_marks_of_chinese(tmp_path: Path) -> None:
    ws = Workspace.create(tmp_path / "w")
    fill(ws)
    for path in (tmp_path / "w" / "releases").rglob("items.jsonl"):
        path.chmod(0o600)
        path.write_text("{}\n", encoding="utf-8")
    ws.close()
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        ends = [main(["--workspace", str(tmp_path / "w"), *line.split()]) for line in (
            "verify", "evaluate s --engine baseline:longest",
            "freeze part --benchmark bench --task audited=1 --check --user boss",
        )]  # fmt: skip
    assert ends == [1, 1, 1], told.getvalue()
    assert "：" in told.getvalue()
    assert untypical(told.getvalue()) == []


def test_no_line_for_people_is_put_together_with_marks_of_half_width() -> None:
    """``labelled``, ``listed`` and ``clauses`` do it by the language."""
    paths = [path for room in ("core/cli", "core/health", "core/workflow", "gui")
             for path in (ROOT / room).rglob("*.py")]  # fmt: skip
    names = {path.relative_to(ROOT).as_posix() for path in paths if _composes(path)}
    assert names == COMPOSED


def _composes(path: Path) -> bool:
    """Whether a text is made of values with a colon or a semicolon between."""
    joined = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
              if isinstance(node, ast.JoinedStr))  # fmt: skip
    return any(
        isinstance(between, ast.Constant)
        and between.value in (": ", "; ")
        and isinstance(before, ast.FormattedValue)
        and isinstance(after, ast.FormattedValue)
        for node in joined
        for before, between, after in zip(
            node.values, node.values[1:], node.values[2:], strict=False
        )
    )
