"""The recipes of CONTRIBUTING.md, each carried out in a copy of the source."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

import pytest

from tests.paths import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PARTS = ("first_word", "bennett_s", "baseline:shortest", "json-list", "cards", "size", "hashing",
         "patient", "lines")  # fmt: skip
CONTRACT = re.compile(r"`(tests/contracts/\w+\.py)`")


@dataclass(frozen=True)
class Block:
    """Text for a file: a new one, an end for one, or lines behind the line ``after``."""

    file: str
    after: str
    text: str


@dataclass(frozen=True)
class Recipe:
    """A section: its title, the tests that its part must pass, and what goes into which file."""

    title: str
    tests: str
    blocks: tuple[Block, ...]


def recipes() -> list[Recipe]:
    found = []
    for section in re.split("^### ", TEXT, flags=re.MULTILINE)[1:]:
        (tests,) = CONTRACT.findall(section)
        blocks = tuple(starmap(block_of, BLOCK.findall(section)))
        found.append(Recipe(section.splitlines()[0], tests, blocks))
    return found


def block_of(language: str, file: str, text: str) -> Block:
    if language != "diff":
        return Block(file, "", text)
    behind, *added = text.splitlines()
    return Block(file, behind[1:], "".join(f"{line[1:]}\n" for line in added))


def carry_out(recipe: Recipe, copy: Path) -> None:
    """Do what a recipe says."""
    for block in recipe.blocks:
        path = copy / block.file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        behind = f"{block.after}\n"
        if block.after:
            text = text.replace(behind, behind + block.text, 1)
        else:
            text += f"\n{block.text}" if text else block.text
        path.write_text(text, encoding="utf-8")


def copy_of_the_source(folder: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return folder


def test_every_file_of_a_recipe_and_every_contract_is_named_once():
    assert len(recipes()) >= 7
    for recipe in recipes():
        assert (ROOT / recipe.tests).is_file()
        assert any(not (ROOT / block.file).exists() for block in recipe.blocks)
        for block in recipe.blocks:
            if block.after:
                lines = (ROOT / block.file).read_text(encoding="utf-8").splitlines()
                assert lines.count(block.after) == 1, f"{block.file}: {block.after}"


@pytest.mark.slow
def test_every_recipe_passes_its_contract(tmp_path: Path):
    copy = copy_of_the_source(tmp_path / "copy")
    for recipe in recipes():
        carry_out(recipe, copy)
    environment = {**os.environ, "PYTHONPATH": str(copy), "QT_QPA_PLATFORM": "offscreen"}

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
        return done.stdout

    run("packaging/messages.py", "update")
    run("packaging/messages.py", "check")
    run("-m", "ruff", "check", "--no-cache", "--fix", "core", "tests/benchmarks")  # sorts imports
    run("-m", "ruff", "format", "--no-cache", "--check", "core", "tests/benchmarks")
    contracts = sorted({recipe.tests for recipe in recipes()})
    # what is slow there is of programs in environments of their own, which the copy has not
    said = run("-m", "pytest", "-vv", "-p", "no:cacheprovider", "-m", "not slow", *contracts)
    for part in PARTS:
        assert re.search(f"\\[.*{part}.*PASSED", said), part
