"""A folder for Inspect (0.3): ``inspect eval tasks.py`` in it, data as JSON lines.

One task for every way in which replies are cut and read; formats and domains are in the samples'
metadata. The rows hold ``id``, ``input``, ``target``, ``choices`` and ``metadata``; the whole item
travels in ``metadata.item``, which makes the export readable again.
"""

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.families import family
from core.families.base import ItemContent, Prompt
from core.files import canonical_json, write_atomic
from core.i18n import tr
from core.json_lines import write_lines
from core.release.formats.base import (
    DATA_FOLDER,
    WORDINGS_FILE,
    ExportFormat,
    asked_apart,
    carried_items,
    wordings_line,
)
from core.release.manifest import SplitItem

TASKS_FILE = "tasks.py"

_HEAD = '''\
"""Tasks for Inspect: greedy answers, read by a pattern and compared exactly."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import exact, pattern
from inspect_ai.solver import generate

HERE = Path(__file__).resolve().parent


def read_as(file, regex, stop, max_tokens):
    """The task over one data file."""
    return Task(
        dataset=json_dataset(str(HERE / file)),
        solver=generate(),
        scorer=pattern(regex, ignore_case=False) if regex else exact(),
        config=GenerateConfig(temperature=0.0, max_tokens=max_tokens, stop_seqs=stop or None),
    )
'''


class Inspect(ExportFormat):
    """``tasks.py`` with a task per way of reading replies, and a data file for each."""

    name = "inspect"
    title = "Inspect tasks"

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path) -> str:
        """Task file, data files and a README; returns ``tasks.py``."""
        questions, wordings = asked_apart(items)
        tasks = _tasks(questions, split_name)
        (folder / DATA_FOLDER).mkdir()
        for task in tasks:
            write_lines(folder / task.data_file, (_row(item, p) for item, p in task.members))
        write_atomic(folder / TASKS_FILE, _HEAD + "".join(task.code() for task in tasks))
        if wordings:
            prompts = (family(item.content.family).prompt(item.content) for item in wordings)
            write_lines(folder / WORDINGS_FILE, map(_row, wordings, prompts))
        write_atomic(folder / "README.md", _readme(split_name, tasks, wordings))
        return TASKS_FILE

    @override
    def read_back(self, folder: Path) -> list[ItemContent]:
        """The items of all data files in the order of the split."""
        return carried_items(folder, lambda row: row.get("metadata"))


@dataclass(frozen=True, slots=True)
class _Task:
    name: str
    prompt: Prompt
    members: tuple[tuple[SplitItem, Prompt], ...]

    @property
    def data_file(self) -> str:
        return f"{DATA_FOLDER}/{self.name}.jsonl"

    def code(self) -> str:
        """The function in ``tasks.py``; every text in it is a Python literal."""
        prompt = self.prompt
        arguments = f"{self.data_file!r}, {prompt.pattern!r}, {list(prompt.stop)!r}, "
        call = f"read_as({arguments}{prompt.max_tokens!r})"
        return f"\n\n@task\ndef {self.name}():\n    return {call}\n"


def _tasks(items: Sequence[SplitItem], split_name: str) -> list[_Task]:
    tasks_by_form: dict[tuple[Any, ...], list[tuple[SplitItem, Prompt]]] = {}
    for item in items:
        prompt = family(item.content.family).prompt(item.content)
        tasks_by_form.setdefault((prompt.stop, prompt.pattern, prompt.max_tokens), []).append(
            (item, prompt)
        )
    names: set[str] = set()
    tasks: list[_Task] = []
    for members in tasks_by_form.values():
        forms = sorted({item.content.format or item.content.family for item, _ in members})
        full_name = _identifier("_".join([split_name, *forms]))
        name, number = full_name, 1
        while name.casefold() in names:
            number += 1
            name = f"{full_name}_{number}"
        names.add(name.casefold())
        tasks.append(_Task(name, members[0][1], tuple(members)))
    return tasks


def _identifier(text: str) -> str:
    """A name that Python and a command line take: ASCII letters, digits and underscores."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") or "split"
    return f"split_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name


def _row(item: SplitItem, prompt: Prompt) -> dict[str, Any]:
    content = item.content
    row: dict[str, Any] = {
        "id": item.uid,
        "input": prompt.text,
        "target": family(content.family).key(content),
        "metadata": {
            "family": content.family,
            "format": content.format,
            "domain": content.domain,
            "item": canonical_json(item.as_json()),
        },
    }
    if prompt.choices:
        row["choices"] = list(prompt.choices)
    return row


def _readme(split_name: str, tasks: Sequence[_Task], wordings: Sequence[SplitItem]) -> str:
    lines = [
        f"# {split_name}",
        tr(
            "Items of a private split for Inspect, with their answer keys. Keep this folder "
            "as secret as the split itself."
        ),
        tr("Run this command inside this folder, which may be moved:"),
        "    inspect eval tasks.py --model … --log-format json",
        "\n".join(f"- `{task.name}`: {len(task.members)}" for task in tasks),
        *wordings_line(wordings),
    ]
    return "\n\n".join(lines) + "\n"
