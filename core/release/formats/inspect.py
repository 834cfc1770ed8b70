"""A folder for Inspect (0.3): ``inspect eval tasks.py`` in it, data as JSON lines.

One task per task of the workspace; replies are read and measured by a copy of our own reader. The
rows hold ``id``, ``input``, ``target``, ``choices`` and ``metadata``, in which formats and domains
are; the whole item travels in ``metadata.item``, which makes the export readable again.
"""

import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import getsource
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.families import family
from core.families.base import Prompt
from core.files import write_atomic
from core.i18n import tr
from core.release import locked_export
from core.release.export_lock import ExportLock
from core.release.formats.base import (
    DATA_FOLDER,
    WORDINGS_FILE,
    ExportFormat,
    Tasks,
    asked_apart,
    carried_rows,
    carried_texts,
    items_of_texts,
    wordings_line,
)
from core.release.formats.harness_tasks import HarnessTask, harness_tasks, read_with, reader_source
from core.release.formats.lm_eval import task_line
from core.release.formats.locked_runners import INSPECT_RUNNER, RUNNER, locked_readme, runner
from core.release.manifest import SplitItem

TASKS_FILE = "tasks.py"

_LOAD = '''

from inspect_ai.dataset import json_dataset


def rows_of(file):
    """The samples of a data file."""
    return json_dataset(str(HERE / file))
'''
_LOAD_LOCKED = (
    "\n\n"
    + getsource(locked_export)
    + '''

from inspect_ai.dataset import MemoryDataset, Sample


def rows_of(file):
    """The samples of a locked data file, in memory."""
    refuse_unguarded()
    rows = opened_rows(HERE / (file + ENDING), export_key())
    return MemoryDataset([Sample(**row) for row in rows], name=file)
'''
)
_HEAD = '''

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

HERE = Path(__file__).resolve().parent


@scorer(metrics=[mean(), stderr()])
def benchseal():
    """The task's own metric of a reply, in 0..1."""

    async def score(state: TaskState, target: Target) -> Score:
        told = state.metadata["read"]
        value, answer = scored(state.output.completion, told)
        return Score(value=value, answer=answer, metadata={"metric": told["metric"]})

    return score


def read_as(file, stop, max_tokens):
    """The task over one data file."""
    return Task(
        dataset=rows_of(file),
        solver=generate(),
        scorer=benchseal(),
        config=GenerateConfig(temperature=0.0, max_tokens=max_tokens, stop_seqs=stop or None),
    )
'''


class Inspect(ExportFormat):
    """``tasks.py`` with every task of the split, and a data file for each."""

    name = "inspect"
    title = "Inspect tasks"
    can_lock = True

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """Task file, data files and a README; returns ``tasks.py``."""
        questions, wordings = asked_apart(items)
        named = _named(harness_tasks(questions, tasks), split_name)
        (folder / DATA_FOLDER).mkdir()
        for name, task in named.items():
            rows = (self._row(item, prompt, read_with(item, prompt, task))
                    for item, prompt in task.asked())  # fmt: skip
            self.write_data(folder / _data_file(name), rows)
        code = "".join(_code(name, task) for name, task in named.items())
        load = _LOAD if self.lock is None else _LOAD_LOCKED
        write_atomic(folder / TASKS_FILE, reader_source() + load + _HEAD + code)
        if wordings:
            prompts = (family(item.content.family).prompt(item.content) for item in wordings)
            self.write_data(folder / WORDINGS_FILE, map(self._row, wordings, prompts))
        if self.lock is not None:
            write_atomic(
                folder / RUNNER, runner(INSPECT_RUNNER, split_name, self.lock, tuple(named))
            )
        write_atomic(folder / "README.md", _readme(split_name, named, wordings, self.lock))
        return TASKS_FILE

    @override
    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of all data files."""
        return items_of_texts(carried_texts(folder, _carrier, self.lock))

    @override
    def read_rows(self, folder: Path) -> Iterator[bytes | str]:
        """The texts that carry the items."""
        return carried_rows(folder, _carrier, self.lock)

    def _row(
        self, item: SplitItem, prompt: Prompt, told: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        content = item.content
        key = told["references"][0] if told else family(content.family).key(content)
        row: dict[str, Any] = {
            "id": item.uid,
            "input": prompt.text,
            "target": key,
            "metadata": {
                "family": content.family,
                "format": content.format,
                "domain": content.domain,
                "item": self.carried(item),
            },
        }
        if told is not None:
            row["metadata"]["read"] = told
        if prompt.choices:
            row["choices"] = list(prompt.choices)
        return row


def _carrier(row: dict[str, Any]) -> object:
    return row.get("metadata")


def _data_file(name: str) -> str:
    return f"{DATA_FOLDER}/{name}.jsonl"


def _code(name: str, task: HarnessTask) -> str:
    """The function in ``tasks.py``; every text in it is a Python literal."""
    call = f"read_as({_data_file(name)!r}, {list(task.stops)!r}, {task.max_tokens!r})"
    return f"\n\n@task\ndef {name}():\n    {task.title!r}\n    return {call}\n"


def _named(tasks: Sequence[HarnessTask], split_name: str) -> dict[str, HarnessTask]:
    """The tasks by names that Python takes."""
    named: dict[str, HarnessTask] = {}
    used: set[str] = set()
    for task in tasks:
        full_name = _identifier(f"{split_name}_{task.name}")
        name, number = full_name, 1
        while name.casefold() in used:
            number += 1
            name = f"{full_name}_{number}"
        used.add(name.casefold())
        named[name] = task
    return named


def _identifier(text: str) -> str:
    """A name that Python and a command line take: ASCII letters, digits and underscores."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") or "split"
    return f"split_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name


def _readme(
    split_name: str,
    tasks: Mapping[str, HarnessTask],
    wordings: Sequence[SplitItem],
    lock: ExportLock | None,
) -> str:
    if lock is not None:
        started = "python run.py --model openai/… --out DIR"
        told = "\n".join(task_line(task, name) for name, task in tasks.items())
        return locked_readme(split_name, "Inspect", started, told, lock)
    lines = [
        f"# {split_name}",
        tr(
            "Items of a private split for Inspect, with their answer keys. Keep this folder "
            "as secret as the split itself."
        ),
        tr("Run this command inside this folder, which may be moved:"),
        "    inspect eval tasks.py --model … --log-format json",
        "\n".join(task_line(task, name) for name, task in tasks.items()),
        *wordings_line(wordings),
    ]
    return "\n\n".join(lines) + "\n"
