"""A task folder for lm-evaluation-harness 0.4.13: ``lm_eval --include_path DIR --tasks NAME``.

One task per format and domain, one group over all of them. The prompts are rendered here, so the
harness asks exactly what Benchseal asks; a column ``item`` carries the whole item, which makes the
export readable again. The rows are loaded by a small Python file beside the tasks (``!function``
finds it relative to the YAML): the folder can be moved, and no copy of a private split is left in
the cache of Hugging Face ``datasets``, as ``dataset_path: json`` would leave one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

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

COMMON = "common_yaml"  # without the ending .yaml, so that the harness takes it for no task
LOADER = "benchseal_rows.py"

_LOADER_TEXT = '''\
"""Rows of the exported items for lm-evaluation-harness, read from the folder of this file."""

import json
from pathlib import Path


def load(file, **_):
    """One split, ``test``, with the columns id, prompt, target and item (all text)."""
    import datasets

    text = (Path(__file__).resolve().parent / file).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\\n") if line]
    columns = {name: datasets.Value("string") for name in ("id", "prompt", "target", "item")}
    return {"test": datasets.Dataset.from_list(rows, features=datasets.Features(columns))}
'''

# The whole reply without the white space around it, for families that read replies as they are.
_WHOLE_REPLY = r"^\s*([\s\S]*?)\s*$"


class LmEval(ExportFormat):
    """Tasks ``NAME_format_domain`` and the group ``NAME``, exact match after extraction."""

    name = "lm-eval"
    title = "lm-evaluation-harness tasks"

    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path) -> str:
        """Task files, data files, the loader and a README; returns the group's name."""
        group = _slug(split_name)
        questions, wordings = asked_apart(items)
        tasks = _tasks(questions, group)
        (folder / DATA_FOLDER).mkdir()
        write_atomic(folder / LOADER, _LOADER_TEXT)
        write_atomic(folder / COMMON, f"custom_dataset: !function {Path(LOADER).stem}.load\n")
        for task in tasks:
            write_lines(folder / task.data_file, task.rows)
            _write_yaml(folder / f"{task.name}.yaml", _task_config(task))
        _write_yaml(folder / f"{group}.yaml", _group_config(group, tasks))
        if wordings:
            prompts = (family(item.content.family).prompt(item.content) for item in wordings)
            write_lines(folder / WORDINGS_FILE, map(_row, wordings, prompts))
        write_atomic(folder / "README.md", _readme(group, tasks, wordings))
        return group

    def read_back(self, folder: Path) -> list[ItemContent]:
        """The items of all data files in the order of the split."""
        return carried_items(folder)


@dataclass(frozen=True, slots=True)
class _Task:
    name: str
    group: str
    alias: str
    prompt: Prompt
    rows: tuple[dict[str, str], ...]

    @property
    def data_file(self) -> str:
        return f"{DATA_FOLDER}/{self.name}.jsonl"


def _tasks(items: Sequence[SplitItem], group: str) -> list[_Task]:
    """Items by format and domain, and apart where their replies are cut or read differently."""
    tasks_by_form: dict[tuple[Any, ...], list[tuple[SplitItem, Prompt]]] = {}
    for item in items:
        content = item.content
        prompt = family(content.family).prompt(content)
        reading = (prompt.stop, prompt.pattern, prompt.max_tokens)
        tasks_by_form.setdefault(
            (content.family, content.format, content.domain, *reading), []
        ).append((item, prompt))
    tasks: list[_Task] = []
    used_names = {group.casefold()}
    for (family_name, form, domain, *_), members in sorted(
        tasks_by_form.items(), key=lambda e: str(e[0])
    ):
        alias = f"{form or family_name}_{domain or 'other'}"
        name = _free_name(f"{group}_{_slug(alias)}", used_names)
        rows = tuple(_row(item, prompt) for item, prompt in members)
        tasks.append(_Task(name, group, name.removeprefix(f"{group}_"), members[0][1], rows))
    return tasks


def _row(item: SplitItem, prompt: Prompt) -> dict[str, str]:
    return {
        "id": item.uid,
        "prompt": prompt.text,
        "target": family(item.content.family).key(item.content),
        "item": canonical_json(item.as_json()),
    }


def _slug(text: str) -> str:
    """A name that is safe in a file name, in YAML and in a comma-separated list of tasks."""
    return re.sub(r"[^\w.\-]+", "_", text).strip("._") or "split"


def _free_name(stem: str, used_names: set[str]) -> str:
    """The name, numbered where it is taken; file systems may not tell capitals apart."""
    name, number = stem, 1
    while name.casefold() in used_names:
        number += 1
        name = f"{stem}_{number}"
    used_names.add(name.casefold())
    return name


def _task_config(task: _Task) -> dict[str, Any]:
    pattern = task.prompt.pattern or _WHOLE_REPLY
    return {
        "include": COMMON,
        "task": task.name,
        "task_alias": task.alias,
        "dataset_kwargs": {"file": task.data_file},
        "output_type": "generate_until",
        "test_split": "test",
        "num_fewshot": 0,
        "doc_to_text": "prompt",
        "doc_to_target": "target",
        "should_decontaminate": False,
        "generation_kwargs": {
            "until": list(task.prompt.stop),
            "do_sample": False,
            "temperature": 0.0,
            "max_gen_toks": task.prompt.max_tokens,
        },
        "filter_list": [
            {
                "name": "answer",
                "filter": [
                    {"function": "regex", "regex_pattern": pattern},
                    {"function": "take_first"},
                ],
            }
        ],
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0},
    }


def _group_config(group: str, tasks: Sequence[_Task]) -> dict[str, Any]:
    aggregate = {
        "metric": "exact_match",
        "aggregation": "mean",
        "weight_by_size": True,
        "filter_list": ["answer"],
    }
    return {
        "group": group,
        "task": [task.name for task in tasks],
        "aggregate_metric_list": [aggregate],
        "metadata": {"version": 1.0},
    }


def _write_yaml(path: Path, config: dict[str, Any]) -> None:
    write_atomic(path, yaml.safe_dump(config, allow_unicode=True, sort_keys=False, width=100))


def _readme(group: str, tasks: Sequence[_Task], wordings: Sequence[SplitItem]) -> str:
    lines = [
        f"# {group}",
        tr(
            "Items of a private split for lm-evaluation-harness 0.4.13, with their answer "
            "keys. Keep this folder as secret as the split itself."
        ),
        tr("Run this command from any folder; the task folder may be moved:"),
        f"    lm_eval --include_path . --tasks {group} --model … --log_samples --output_path …",
        tr(
            "Answers are generated greedily, cut at the given stops, read with the given "
            "pattern and compared exactly. The value of the group gives every item the same "
            "weight."
        ),
        "\n".join(f"- `{task.name}`: {len(task.rows)}" for task in tasks),
        *wordings_line(wordings),
    ]
    return "\n\n".join(lines) + "\n"
