"""What the tests themselves must keep to, list by list, as ``structure`` does for the source."""

import ast
import re
from collections.abc import Callable, Iterator

from tests.house.source import ROOT, name_of, python_files, tree_of

CROSS_CUTTING = {
    "core/analysis/test_published_tables.py": "every number that the three papers print",
    "core/cli/test_awkward_tables.py": "awkward tables through every command that reads one",
    "core/cli/test_save_tables.py": "--save FILE of every command that prints a table",
    "core/sources/test_hostile_sources.py": "files that are broken or mean harm, of every kind",
    "core/workflow/dashboards/test_written_reports.py": "every written report names its check",
    "core/workflow/evaluation/test_interrupted_runs.py": "evaluations that are cut off and go on",
    "core/workflow/notebooks/test_notebook_help.py": "the help's page on notebooks, run",
    "core/workflow/splits/test_freeze_sizes.py": "splits of chosen tasks and sizes",
    "core/workflow/test_concurrent_work.py": "several processes at one workspace",
    "core/workflow/test_pipeline_model.py": "random sequences of every action against a model",
    "core/workflow/test_reads.py": "no read writes, and none asks once per item",
    "core/workflow/test_role_changes.py": "every use case asked by one who lost the right",
    "core/workflow/test_team_of_six.py": "a team of six takes a task from empty to approved",
    "gui/test_changes.py": "what one view changes, every other view shows",
    "gui/test_failed_reads.py": "panels whose reading fails",
    "gui/test_qt_installation.py": "what the Qt of this installation can do",
    "gui/jobs/test_sigkill.py": "the window killed right after a key press",
    "gui/test_input_methods.py": "input methods in every panel with keys",
    "gui/test_plain_text.py": "names with tags in every panel",
    "gui/test_chinese.py": "no English in a window in Chinese",
    "gui/test_accessible.py": "names, roles and the order of Tab in every panel and dialog",
    "gui/jobs/test_first_run.py": "from an own file to the first accepted item",
    "gui/jobs/test_days_work.py": "a lead's and an annotator's jobs with their steps counted",
    "gui/jobs/test_leads_day.py": "a lead's day by keys alone, with its steps counted",
    "gui/jobs/test_annotators_hour.py": "what an hour of 200 items as a new annotator found",
    "gui/screen_reader/test_at_spi.py": "the same in the real program, over its bus",
    "gui/jobs/test_under_xvfb.py": "these jobs once more on a real X server",
    "gui/test_picture_walk.py": "every panel and dialog at every size, language and theme",
    "gui/test_smallest_window.py": "every panel in the smallest window",
    "gui/test_true_sentences.py": "what panels say where nothing is left",
    "gui/test_stages.py": "an item through the three stages by keys alone",
}
"""Test files that belong to no single module, each with what it is about."""

POLLING = "tests/polling.py"
CLOCKS = frozenset({"monotonic", "perf_counter", "process_time", "time", "time_ns"})


def suites_without_source() -> list[str]:
    """Test files of core, db and gui that mirror no module or package and stand in no table."""
    found = []
    for path in python_files("tests"):
        place = path.relative_to(ROOT / "tests")
        if not path.name.startswith("test_") or place.parts[0] not in ("core", "db", "gui"):
            continue
        source = ROOT / place.parent / path.stem.removeprefix("test_")
        mirrored = source.with_suffix(".py").is_file() or source.is_dir()
        if not mirrored and place.as_posix() not in CROSS_CUTTING:
            found.append(f"{place.as_posix()}: there is no {name_of(source)}(.py)")
    return found


def table_of_suites_without_need() -> list[str]:
    """Entries of ``CROSS_CUTTING`` without a file."""
    return [name for name in CROSS_CUTTING if not (ROOT / "tests" / name).is_file()]


def private_reads() -> list[str]:
    """Private names of the product that a test of the window uses, and any that a test imports."""
    found = []
    for path in python_files("tests"):
        tree = tree_of(path)
        uses = list(_private_imports(tree))
        if _imports_gui(tree):
            uses += list(private_attributes(tree))
        found += [f"{name_of(path)}:{line}: {name}" for line, name in sorted(uses)]
    return found


def _imports_gui(tree: ast.Module) -> bool:
    return any(
        module.startswith(("gui", "tests.gui"))
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (module := node.module or "")
    )


def _private_imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            ("core", "db", "gui")
        ):
            for alias in node.names:
                if alias.name.startswith("_"):
                    yield node.lineno, f"imports {alias.name}"
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("monkeypatch.setattr"):
            for argument in node.args[:2]:
                if isinstance(argument, ast.Constant) and re.search(
                    r"(?:^|\.)_[a-z]", str(argument.value)
                ):
                    yield node.lineno, f"replaces {argument.value}"


def private_attributes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and re.match(r"_[a-z]", node.attr)
            and ast.unparse(node.value) not in ("self", "cls", "super()")
        ):
            yield node.lineno, ast.unparse(node)


def fixed_waits() -> list[str]:
    """Sleeps of tests: only ``tests/polling.py`` sleeps, between two looks at a condition."""
    return [
        f"{name_of(path)}:{node.lineno}: {ast.unparse(node)}"
        for path in python_files("tests")
        if name_of(path) != POLLING and path.parent.name != "servers"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and re.search(r"(?:^|\.)sleep$|qtbot\.wait$|qWait$", ast.unparse(node.func))
    ]


def asserted_durations() -> list[str]:
    """Assertions on how long something took: those are figures of benchmarks."""
    found = []
    for path in python_files("tests"):
        if path.parent.name == "benchmarks" or name_of(path) == POLLING:
            continue
        for function in ast.walk(tree_of(path)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                timed = timed_names(function)
                found += [
                    f"{name_of(path)}:{node.lineno}: {ast.unparse(node)[:80]}"
                    for node in ast.walk(function)
                    if isinstance(node, ast.Assert) and mentions(node, timed)
                ]
    return sorted(set(found))


def timed_names(function: ast.AST) -> set[str]:
    """Names that hold a moment, or what was computed from one."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and mentions(node.value, names):
            for target in node.targets:
                # of ``moments["end"]`` the name is ``moments``
                while isinstance(target, ast.Subscript):
                    target = target.value
                if isinstance(target, ast.Name):
                    names.add(target.id)
    return names


def mentions(tree: ast.AST, names: set[str]) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in CLOCKS
            and ast.unparse(node.func.value) == "time"
        ):
            return True
    return False


LISTS: dict[str, Callable[[], list[str]]] = {
    "test files without a source": suites_without_source,
    "cross-cutting suites that are gone": table_of_suites_without_need,
    "private names that tests use": private_reads,
    "waits of a fixed time": fixed_waits,
    "assertions on durations": asserted_durations,
}
