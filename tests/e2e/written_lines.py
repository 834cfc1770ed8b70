"""The command lines that pages write down, and whether one that is run is what is written."""

import argparse
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.cli.parser import GROUPS, build_parser
from tests.paths import ROOT

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")),
    *sorted((ROOT / "resources" / "help").glob("*.md")),
)
NAMES = {name for names in GROUPS.values() for name in names}
# what a command of several deeds is told first
DEEDS = frozenset(
    {
        "add", "reset", "ask", "answer", "list", "stop", "resume", "logs", "remove", "sample",
        "ratings", "agree", "pairs", "elo", "funnel", "trace", "site", "coreeval-human",
        "cif-human",
    }
)  # fmt: skip
# the words that an option takes, where its grammar does not list them
WORDS: Mapping[str, tuple[str, ...]] = {
    "--engine": ("people",), "--variants": ("all",), "--templates": ("all",),
}  # fmt: skip
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_PART = re.compile(r"\[([^\[\]]*(?:\[[^\]]*\])?[^\[\]]*)\]")


def written(page: Path) -> Iterator[str]:
    """The command lines of a page, without the program's own name: in its text and its blocks.

    In a row of README's table the first one begins with ``benchseal``, the others may leave it out.
    """
    text = page.read_text(encoding="utf-8")
    for block in _FENCE.findall(text):
        for line in block.splitlines()[1:-1]:
            yield from _of_program(line.strip())
    for line in _FENCE.sub("", text).splitlines():
        row = line.startswith("|") and page.name == "README.md"
        for span in _SPAN.findall(line):
            yield from _of_program(span)
            if row and span.partition(" ")[0] in NAMES and "make" not in line:
                yield span


def _of_program(line: str) -> Iterator[str]:
    first, _, rest = line.partition(" ")
    if Path(first).name == "benchseal" and rest:
        yield rest


@dataclass(frozen=True)
class Reading:
    """What a line gives: a command, how many words, and options with their fixed values."""

    command: tuple[str, ...]
    words: int
    options: frozenset[str]

    def is_in(self, run: "Reading") -> bool:
        """Whether a line that is run is this one, perhaps with more. A bare name only names the
        command."""
        if not (self.words or self.options):
            return run.command[: len(self.command)] == self.command
        return (
            self.command == run.command and self.words <= run.words and self.options <= run.options
        )

    def __str__(self) -> str:
        return " ".join((*self.command, *("…",) * self.words, *sorted(self.options)))


def readings(line: str) -> list[Reading]:
    """The ways to read a written line: without what stands in brackets, and with each part of it;
    with each of the words between which ``|`` stands."""
    plain = _PART.sub(" ", line)
    parts = (part.replace("[", " ").replace("]", " ") for part in _PART.findall(line))
    chosen = [plain, *(f"{plain} {part}" for part in parts)]
    return list(dict.fromkeys(read(way) for each in chosen for way in _choices(each)))


def _choices(line: str) -> list[str]:
    """``A --b x|y``: with x, and with y. ``A --b x|--c``: with --b, and with --c."""
    found = re.search(r"(?:(--\S+) )?(\S+\|\S.*)", line)
    if found is None:
        return [line]
    option = found[1] or ""
    pieces = [piece.strip() for piece in found[2].split("|")]
    # what follows the last choice belongs to all of them
    last, *rest = pieces[-1].split() if not pieces[-1].startswith("-") else [pieces[-1]]
    pieces[-1] = last
    head, tail = line[: found.start()], " ".join(rest)
    return [f"{head} {'' if piece.startswith('-') else option} {piece} {tail}" for piece in pieces]


def read(line: str) -> Reading:
    """A line without brackets or choices, by the program's grammar."""
    parser = _grammar()
    path: list[str] = []
    options: set[str] = set()
    count = 0
    option: argparse.Action | None = None
    for word in shlex.split(line.replace("…", " ")):
        below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        if word.startswith("--"):
            name, _, value = word.partition("=")
            option = parser._option_string_actions.get(name)
            options.add(option.option_strings[-1] if option else name)
            if option is None or value or option.nargs == 0:
                option = None
        elif option is not None:
            if word in (option.choices or ()) or word in WORDS.get(option.option_strings[-1], ()):
                options.add(f"{option.option_strings[-1]} {word}")
            option = option if option.nargs in ("*", "+") else None
        elif below and word in below[0].choices:
            parser = below[0].choices[word]
            path.append(word)
        elif path and not count and word in DEEDS:
            path.append(word)
        else:
            count += 1
    everywhere = {"--workspace", "--help", "--json"}
    return Reading(tuple(path), count, frozenset(options - everywhere))


def is_literal(word: str) -> bool:
    """Whether a word stands for itself, and not for what somebody puts in its place."""
    return bool(re.fullmatch("[a-z][a-z0-9-]*", word))


@cache
def _grammar() -> argparse.ArgumentParser:
    return build_parser()


LINES = sorted({line for page in PAGES for line in written(page)})
