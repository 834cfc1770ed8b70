"""The house stays clean: what the files, the locks, the translations and the code must keep to."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.benchmarks.run import BENCHMARKS

ROOT = Path(__file__).resolve().parent.parent
SOURCE_FOLDERS = ("core", "db", "gui", "resources")
LONGEST_FILE = 600
LONGEST_FUNCTION = 80


@cache
def project_files() -> tuple[Path, ...]:
    """Every file of the project that exists, as git sees it: what is ignored is not ours."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return tuple(path for path in paths if path.is_file())


def python_files(*folders: str) -> Iterator[Path]:
    for path in project_files():
        parts = path.relative_to(ROOT).parts
        if path.suffix == ".py" and (not folders or parts[0] in folders):
            yield path


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


# --- what no file may hold -------------------------------------------------------------------

# written in pieces, so that this file does not hold them either
REGISTRY_HOSTS = tuple(
    ".".join(words)
    for words in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("anaconda", "org"),
        ("crates", "io"),
        ("deb", "debian", "org"),
        ("download", "pytorch", "org"),
    )
)
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:work|root|opt/(?:wheels|pypi))(?:/|\b)")


def text_files() -> Iterator[tuple[str, str]]:
    for path in project_files():
        try:
            yield name_of(path), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def test_no_file_names_a_package_registry() -> None:
    found = [
        f"{name}: {host}" for name, text in text_files() for host in REGISTRY_HOSTS if host in text
    ]
    assert not found


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    found = [
        f"{name}: {match.group()}"
        for name, text in text_files()
        if name != "tests/test_house.py"
        for match in MACHINE_PATH.finditer(text)
    ]
    assert not found


def test_there_is_one_kind_of_lock() -> None:
    assert not [name_of(path) for path in project_files() if path.name == "uv.lock"]


def test_the_licence_is_the_gpl_version_3() -> None:
    head = (ROOT / "LICENSE").read_text(encoding="utf-8")[:200]
    assert "GNU GENERAL PUBLIC LICENSE" in head
    assert "Version 3, 29 June 2007" in head


# --- the locks -------------------------------------------------------------------------------

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("app", "dev", "build", "tools")


@cache
def locked(lock: str) -> dict[str, dict[str, list[str]]]:
    """Of each locked package: its versions, and for each version its hashes.

    More than one version where the newest needs a newer Python.
    """
    text = (ROOT / "packaging" / "locks" / f"{lock}.txt").read_text(encoding="utf-8")
    packages: dict[str, dict[str, list[str]]] = {}
    for entry in re.split(r"\n(?=[A-Za-z0-9])", text):
        if match := re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", entry):
            hashes = re.findall(r"--hash=(sha256:[0-9a-f]{64})", entry)
            packages.setdefault(canonicalize_name(match[1]), {})[match[2]] = hashes
        else:
            assert entry.startswith("#"), f"{lock}.txt has a line without a version: {entry[:80]}"
    return packages


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_version_has_hashes(lock: str) -> None:
    versions = [
        (name, version, hashes)
        for name, found in locked(lock).items()
        for version, hashes in found.items()
    ]
    assert versions
    assert not [(name, version) for name, version, hashes in versions if not hashes]


def requirements(lock: str) -> list[str]:
    if lock in ("build", "tools"):
        text = (ROOT / "packaging" / "locks" / f"{lock}.in").read_text(encoding="utf-8")
        return text.split()
    wanted = list(PROJECT["project"]["dependencies"])
    return wanted + (PROJECT["dependency-groups"]["dev"] if lock == "dev" else [])


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_holds_what_the_project_asks_for(lock: str) -> None:
    wrong = []
    for line in requirements(lock):
        wanted = Requirement(line)
        versions = locked(lock).get(canonicalize_name(wanted.name), {})
        if not versions or not all(wanted.specifier.contains(v) for v in versions):
            wrong.append(f"{line}: locked is {', '.join(versions) or 'nothing'} (run make lock)")
    assert not wrong


def test_what_is_tested_is_what_ships() -> None:
    tested = locked("dev")
    assert not [n for n, versions in locked("app").items() if tested.get(n, {}) != versions]


def test_the_build_is_pinned_to_the_version_that_pyproject_names() -> None:
    assert set(PROJECT["build-system"]["requires"]) < set(requirements("build"))


def test_the_installed_packages_are_the_locked_ones() -> None:
    from importlib.metadata import distributions

    known = locked("dev")
    wrong = [
        f"{found.name} {found.version}"
        for found in distributions()
        if (name := canonicalize_name(found.name)) in known and found.version not in known[name]
    ]
    assert not wrong


LOADED_BY_NAME = {"openpyxl", "psycopg"}
"""pandas loads the one for Excel, SQLAlchemy the other for PostgreSQL."""
SHIPPED_WITH = {"pydantic-core": "pydantic", "shiboken6": "pyside6-essentials"}


def declared(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in requirements}


def imported() -> set[str]:
    """The distributions that product modules import, at their start or inside functions."""
    modules = {
        name.partition(".")[0]
        for path in python_files(*SOURCE_FOLDERS)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else
                     [alias.name for alias in node.names])
    }  # fmt: skip
    owners = packages_distributions()
    others = modules - sys.stdlib_module_names - set(SOURCE_FOLDERS)
    return {canonicalize_name(owner) for name in others for owner in owners.get(name, [name])}


def test_product_modules_import_every_dependency() -> None:
    unused = declared(PROJECT["project"]["dependencies"]) - imported() - LOADED_BY_NAME
    assert not unused


def test_every_package_that_is_imported_is_a_dependency() -> None:
    extras = [line for group in PROJECT["project"]["optional-dependencies"].values()
              for line in group]  # fmt: skip
    known = declared([*PROJECT["project"]["dependencies"], *extras])
    wanted = {SHIPPED_WITH.get(name, name) for name in imported()}
    assert wanted - known <= {"google"}  # a namespace; of the extra bigquery


@pytest.mark.parametrize("tool", ["ruff", "mypy", "lint-imports", "pytest", "benchseal"])
def test_the_tools_of_the_checks_are_there(tool: str) -> None:
    assert shutil.which(tool, path=str(Path(sys.executable).parent))


# --- size and names --------------------------------------------------------------------------


def test_no_file_is_longer_than_two() -> None:
    long = [
        f"{name_of(path)}: {lines} lines"
        for path in python_files()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    ]
    assert not long


def test_no_function_is_longer_than_two_screens() -> None:
    """Migrations are lists of columns and are read as such."""
    long = [
        f"{name_of(path)}: {node.name} has {lines} lines"
        for path in python_files()
        if "versions" not in path.parts
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert not long


VAGUE = re.compile(
    r"(?:^|_)(?:manager|helpers?|utils?|misc)(?:_|$)|(?:Manager|Helper|Utils?|Misc)$"
)


def test_a_name_says_what_a_thing_is_for() -> None:
    modules = [name_of(path) for path in python_files() if VAGUE.search(path.stem)]
    folders = [f for f in {p.parent for p in python_files()} if VAGUE.search(f.name)]
    things = [
        f"{name_of(path)}: {node.name}"
        for path in python_files()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and VAGUE.search(node.name)
    ]
    assert not [*modules, *folders, *things]


UNFINISHED = re.compile(
    r"#\s*(?:TO" + r"DO|FIX" + r"ME|XXX)\b|raise NotImplemented" + r"Error|pragma: no " + "cover"
)
UNREASONED = re.compile(r"#\s*(?:type: ignore(?:\[[\w, -]+\])?|noqa(?:: ?[A-Z0-9, ]+)?)\s*$", re.M)


def test_nothing_is_left_unfinished_or_silenced_without_a_reason() -> None:
    found = [
        f"{name_of(path)}: {match.group()}"
        for path in python_files()
        for pattern in (UNFINISHED, UNREASONED)
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_no_test_is_switched_off() -> None:
    decorator = re.compile(r"@pytest\.mark\.(?:skip|skipif|xfail)\b")
    off = [
        name_of(path)
        for path in python_files("tests")
        if decorator.search(path.read_text(encoding="utf-8"))
    ]
    assert not off


def test_every_benchmark_is_run() -> None:
    files = {path.stem for path in (ROOT / "tests" / "benchmarks").glob("bench_*.py")}
    assert files == {f"bench_{name}" for name in BENCHMARKS}
