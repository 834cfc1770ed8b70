"""What no file of the project may hold, how things are named, and what is not switched off."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.house.source import ROOT, name_of, project_files, python_files, tree_of

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
        if name != "tests/house/test_files.py"
        for match in MACHINE_PATH.finditer(text)
    ]
    assert not found


def test_there_is_one_kind_of_lock() -> None:
    assert not [name_of(path) for path in project_files() if path.name == "uv.lock"]


def test_nothing_half_written_is_stored() -> None:
    """What a killed process leaves beside the file that it was writing."""
    ends = (".part", ".tmp", ".orig", ".rej", ".swp", "~")
    empty = [path for path in project_files() if path.stat().st_size == 0]
    assert not [name_of(path) for path in project_files() if path.name.endswith(ends)]
    assert not [name_of(path) for path in empty if path.name != "__init__.py"]


def test_the_licence_is_the_gpl_version_3() -> None:
    head = (ROOT / "LICENSE").read_text(encoding="utf-8")[:200]
    assert "GNU GENERAL PUBLIC LICENSE" in head
    assert "Version 3, 29 June 2007" in head


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


def test_the_citation_is_of_this_program_and_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert (cited["version"], cited["license"]) == (built["version"], built["license"])


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_what_a_page_points_to_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [target for target in targets if not (ROOT / target).exists()] == []


def lost_paths(text: str, root: Path) -> list[str]:
    """Files and folders in the tables of a page that are not there: each from the root, or from a
    folder that stands above it or before it in its row."""
    lost = []
    for row in text.splitlines():
        before = [root]
        for name in re.findall(r"`([\w./*-]+)`", row if row[:1] == "|" else ""):
            found = next((place for folder in before for place in folder.glob(name)), None)
            if found is not None:
                before += [found, *(place for place in found.parents if root in place.parents)]
            elif "/" in name or name.endswith((".py", ".sh", ".toml", ".yml")):
                lost.append(name)
    return lost


def test_a_newcomer_finds_every_path_of_the_map() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    head, where = text.partition("## Adding a part")[0], text.partition("## Where to look")[2]
    assert where.count("core/workflow/") > 50
    assert lost_paths(head + where, ROOT) == []
    assert lost_paths("| who | `core/nobody.py`, `db/` | `nothing.py` |", ROOT) == [
        "core/nobody.py",
        "nothing.py",
    ]
