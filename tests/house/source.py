"""The project's files as git sees them, and the Python of each, read once."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.paths import ROOT

PRODUCT = ("core", "db", "gui", "resources")


@cache
def project_files() -> tuple[Path, ...]:
    """Every file of the project that exists, as git sees it: what is ignored is not ours."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return tuple(path for path in paths if path.is_file())


def python_files(*folders: str) -> Iterator[Path]:
    """The Python files, or those below the given folders of the project."""
    for path in project_files():
        parts = path.relative_to(ROOT).parts
        if path.suffix == ".py" and (not folders or parts[0] in folders):
            yield path


def name_of(path: Path) -> str:
    """The path within the project, with slashes."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))
