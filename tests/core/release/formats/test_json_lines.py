"""JSON lines: an item's own line, with the name of its task put in."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import StateError
from core.release.formats.base import ItemTask, Tasks
from core.release.formats.json_lines import JsonLines
from core.release.frozen_items import FrozenItems, stored
from core.release.manifest import ITEMS_FILE, SplitItem
from tests.splits import make_split

ODD = 'She wrote ,"task":"x","uid":"9"} \u2028 and \x01 “task”.'


def odd_items() -> list[SplitItem]:
    """Items whose texts and columns look like the end of a line."""
    found = []
    for item in make_split(6):
        provenance = {"columns": {"uid": "9", "task": 'a","uid":"7'}, "task": ODD, "uid": "3"}
        payload = {**item.content.payload, "context": ODD} if item.position % 2 else None
        content = replace(item.content, provenance=provenance)
        found.append(replace(item, content=replace(content, payload=payload or content.payload)))
    return found


def written(items: Sequence[SplitItem], folder: Path, tasks: Tasks) -> list[dict[str, object]]:
    with closing(FrozenItems(map(stored, items), "s")) as frozen:
        JsonLines().export(frozen, "s", folder, tasks=tasks)
    text = (folder / ITEMS_FILE).read_text("utf-8")
    assert len(text.splitlines()) == len(items)  # also for who takes U+2028 for a line's end
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("name", ["", "topic", 'a","uid":"8', "话题 \u2028 two"])
def test_a_line_is_the_item_with_the_name_of_its_task(tmp_path: Path, name: str) -> None:
    items = odd_items()
    tasks = {item.uid: ItemTask(name) for item in items}
    said = {"task": name} if name else {}
    assert written(items, tmp_path / "out", tasks) == [item.as_json() | said for item in items]
    assert JsonLines().read_back(tmp_path / "out") == [item.content for item in items]


@pytest.mark.parametrize("name", ["", "topic", 'a","uid":"8'])
def test_the_lines_are_read_back_without_the_names(tmp_path: Path, name: str) -> None:
    items = odd_items()
    written(items, tmp_path / "out", {item.uid: ItemTask(name) for item in items})
    read = [row if isinstance(row, str) else row.decode()
            for row in JsonLines().read_rows(tmp_path / "out")]  # fmt: skip
    assert read == [item.canonical() for item in items]


def test_a_line_that_is_cut_or_changed_is_no_export(tmp_path: Path) -> None:
    class Torn(JsonLines):
        """Loses what ``change`` takes away."""

        def __init__(self, old: str, new: str) -> None:
            self.old, self.new = old, new

        def write(
            self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks
        ) -> str:
            name = super().write(items, split_name, folder, tasks)
            path = folder / ITEMS_FILE
            path.write_text(path.read_text("utf-8").replace(self.old, self.new, 1), "utf-8")
            return name

    items = make_split(3)
    tasks = {item.uid: ItemTask("topic") for item in items}
    for old, new in (
        ('"task":"topic"', '"task":topic'),
        ('"revision":1', '"revision":2'),
        ('"}\n', '"'),
        (',"task":"topic","uid"', ',"task":"topic"]"uid"'),
    ):
        with closing(FrozenItems(map(stored, items), "s")) as frozen, pytest.raises(StateError):
            Torn(old, new).export(frozen, "s", tmp_path / "out", tasks=tasks)
        assert not (tmp_path / "out").exists()
