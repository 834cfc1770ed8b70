"""What ``--json`` prints, held against the page that names its keys.

The blocks of ``resources/help/json.en.md`` have a line for each command: its name, then its keys.
``name[…]`` holds a list of objects with these keys, ``name{…}`` an object; ``name[]`` is a list of
anything, and ``name{}`` an object whose keys are names of the workspace or stand elsewhere.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

import core.cli
from core.cli.console import Console
from tests.e2e.written_lines import read
from tests.paths import ROOT

Keys = dict[str, tuple[str, "Keys"]]
"""For each key ``""``, ``"["`` or ``"{"``, and the keys of the objects in it."""

_BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"(\w+)([\[{]?)(.*)")


def blocks(code: str) -> list[str]:
    """The blocks of keys on the page in a language."""
    page = ROOT / "resources" / "help" / f"json.{code}.md"
    return _BLOCK.findall(page.read_text(encoding="utf-8"))


@cache
def named_keys() -> Mapping[str, Keys]:
    """The keys of each command, as the page has them."""
    lines = re.sub(r"\n +", " ", "".join(blocks("en"))).splitlines()
    return {name: read_keys(keys) for name, _, keys in (line.partition(": ") for line in lines)}


def read_keys(text: str) -> Keys:
    """The keys that a line names."""
    keys, rest = _read(text)
    assert rest == "", text
    return keys


def _read(text: str) -> tuple[Keys, str]:
    """The keys at the beginning of a text, up to the bracket that closes them, and what follows."""
    keys: Keys = {}
    while text and text[0] not in "]}":
        named = _NAMED.fullmatch(text)
        assert named, text
        name, kind, text = named.groups()
        inner: Keys = {}
        if kind:
            inner, text = _read(text)
            text = text[1:]
        keys[name] = (kind, inner)
        text = text.lstrip()
    return keys, text


def strange(document: Mapping[str, Any], keys: Keys, place: str = "") -> Iterator[str]:
    """What a document holds that its keys do not name."""
    for name, value in document.items():
        at = f"{place}{name}"
        kind, inner = keys.get(str(name), (None, {}))
        here = "{" if isinstance(value, Mapping) else "[" if isinstance(value, list | tuple) else ""
        if kind is None or (here and here != kind):
            yield f"{at}{here}"
        elif inner and value:
            rows = [value] if here == "{" else [row for row in value if isinstance(row, Mapping)]
            for row in rows:
                yield from strange(row, inner, f"{at}{here}.")


@pytest.fixture
def only_named_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever command a test runs, with ``--json`` or without: its document has the keys of the
    page, else the test fails at that command."""
    grammar, emit = core.cli.build_parser, Console.emit
    command: list[str] = []

    def build_parser(arguments: Sequence[str] = ()) -> Any:
        command[:] = read(shlex.join(arguments)).command
        return grammar(arguments)

    def emitting(console: Console, document: dict[str, Any], text: str) -> None:
        if command:
            name = " ".join(command)
            found = sorted(set(strange(document, named_keys()[name])))
            assert found == [], f"{name}: resources/help/json.en.md does not name {found}"
        emit(console, document, text)

    monkeypatch.setattr(core.cli, "build_parser", build_parser)
    monkeypatch.setattr(Console, "emit", emitting)
