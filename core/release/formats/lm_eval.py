"""A task folder for lm-evaluation-harness 0.4.13: ``lm_eval --include_path DIR --tasks NAME``.

One task per task of the workspace, one group over all of them. The prompts are rendered here, so
the harness asks exactly what Benchseal asks, and it reads and measures replies with a copy of our
own reader; a column ``item`` carries the whole item, which makes the export readable again. The
rows are loaded by the same Python file beside the tasks (``!function`` finds it relative to the
YAML): the folder can be moved, and no copy of a private split is left in the cache of Hugging Face
``datasets``, as ``dataset_path: json`` would leave one.
"""

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from core.families import family
from core.families.base import Prompt
from core.files import write_atomic
from core.i18n import tr
from core.release import locked_export
from core.release.answer_candidates import FAMILY as FREE_ANSWERS
from core.release.answer_candidates import candidates_of
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
from core.release.formats.harness_tasks import (
    HarnessTask,
    harness_tasks,
    read_text,
    reader_source,
    references_of,
    slug,
)
from core.release.formats.locked_runners import LM_EVAL_RUNNER, RUNNER, locked_readme, runner
from core.release.frozen_items import kind_counts
from core.release.manifest import SplitItem

COMMON = "common_yaml"  # without the ending .yaml, so that the harness takes it for no task
COMMON_LIKELIHOOD = "likelihood_yaml"
LIKELIHOOD = "_likelihood"
"""Behind the names of tasks that are answered by the likeliest option."""
LOADER = "benchseal_rows.py"
SCORE = "score"
"""The metric that every task has: its own, by whatever name, so that a group can average it."""

_LOAD = '''

def rows_of(file):
    """The rows of a data file."""
    from pathlib import Path

    text = (Path(__file__).resolve().parent / file).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\\n") if line]
'''
_LOAD_LOCKED = (
    "\n\n"
    + inspect.getsource(locked_export)
    + '''

def rows_of(file):
    """The rows of a locked data file, in memory."""
    refuse_unguarded()
    return list(opened_rows(Path(__file__).resolve().parent / (file + ENDING), export_key()))
'''
)
_LOADER_TEXT = '''

def load(file, **_):
    """One split, ``test``, with the columns id, prompt, target, read and item (all text)."""
    import datasets

    rows = rows_of(file)
    names = ("id", "prompt", "target", "read", "choices", "item")
    columns = {name: datasets.Value("string") for name in names}
    return {"test": datasets.Dataset.from_list(rows, features=datasets.Features(columns))}


def process(doc, results):
    """The score of one reply, and for labels the pair of which macro F1 is made."""
    told = json.loads(doc["read"])
    value, answer = scored(results[0], told)
    scores = {"score": value, told["metric"]: value}
    if told["labels"]:
        scores["macro_f1"] = (doc["target"], answer, tuple(told["labels"]))
    return scores


def choices_of(doc):
    """The options whose log-likelihoods are compared."""
    return json.loads(doc["choices"])


def right_one(doc):
    """The place of the right option, which the harness wants to know; it is in no prompt."""
    told = json.loads(doc["read"])
    values = [measure(told["metric"], one, told["references"]) for one in choices_of(doc)]
    return values.index(max(values))


def by_likelihood(doc, results):
    """The score of the likeliest option; free answers are compared by byte."""
    told, options = json.loads(doc["read"]), choices_of(doc)
    free = told["family"] == "answer"
    sums = [result[0] / (len(one.encode()) if free else 1) for one, result in zip(options, results)]
    chosen = options[sums.index(max(sums))]
    return {"score": float(measure(told["metric"], chosen, told["references"]) > 0.999999)}


def over_labels(rows):
    """Macro F1 over the label space of all rows."""
    labels = tuple(dict.fromkeys(label for _, _, known in rows for label in known))
    return macro_f1([(right, said) for right, said, _ in rows], labels)
'''


class LmEval(ExportFormat):
    """Tasks ``SPLIT_task`` and the group ``SPLIT``, each task measured by its own metric."""

    name = "lm-eval"
    title = "lm-evaluation-harness tasks"
    can_lock = True

    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """Task files, data files, the loader and a README; returns the group's name."""
        group = slug(split_name)
        questions, wordings = asked_apart(items)
        own = harness_tasks(questions, tasks)
        (folder / DATA_FOLDER).mkdir()
        load = _LOAD if self.lock is None else _LOAD_LOCKED
        write_atomic(folder / LOADER, reader_source() + load + _LOADER_TEXT)
        module = Path(LOADER).stem
        common = f"custom_dataset: !function {module}.load\n"
        common += f"process_results: !function {module}.process\n"
        write_atomic(folder / COMMON, common)
        compared = _compared(questions)
        chosen: list[HarnessTask] = []
        for task in own:
            if self._write_rows(folder / _data_file(task), task, compared):
                chosen.append(task)
            _write_task(folder / f"{_name(group, task)}.yaml", group, task)
        _write_yaml(folder / f"{group}.yaml", _group_config(group, own))
        if chosen:
            _write_likelihood(folder, group, chosen)
        if wordings:
            prompts = (family(item.content.family).prompt(item.content) for item in wordings)
            rows = (
                {**_told(item, prompt), "item": self.carried(item)}
                for item, prompt in zip(wordings, prompts, strict=True)
            )
            self.write_data(folder / WORDINGS_FILE, rows)
        if self.lock is not None:
            write_atomic(folder / RUNNER, runner(LM_EVAL_RUNNER, group, self.lock))
        write_atomic(folder / "README.md", _readme(group, own, wordings, self.lock))
        return group

    def _write_rows(
        self, path: Path, task: HarnessTask, compared: Mapping[str, Sequence[str]]
    ) -> bool:
        """Write the rows of a task; whether each of them has options to choose from."""
        choosing = True

        def rows() -> Iterator[dict[str, Any]]:
            nonlocal choosing
            for item, prompt in task.asked():
                choices = prompt.choices or tuple(compared.get(item.uid, ()))
                choosing = choosing and bool(choices)
                references = references_of(item.content)
                yield {
                    "id": item.uid,
                    "prompt": prompt.text,
                    "target": references[0],
                    "item": self.carried(item),
                    "read": read_text(item, prompt, task, references),
                    "choices": _choices_text(choices),
                }

        self.write_data(path, rows())
        return choosing

    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of all data files."""
        return items_of_texts(carried_texts(folder, lock=self.lock))

    def read_rows(self, folder: Path) -> Iterator[bytes | str]:
        """The texts that carry the items."""
        return carried_rows(folder, lock=self.lock)


def _compared(items: Sequence[SplitItem]) -> Mapping[str, Sequence[str]]:
    if FREE_ANSWERS not in kind_counts(items)["family"]:
        return {}
    return candidates_of((item.uid, item.content) for item in items)


def _data_file(task: HarnessTask) -> str:
    return f"{DATA_FOLDER}/{task.name}.jsonl"


def _name(group: str, task: HarnessTask) -> str:
    return f"{group}_{task.name}"


@lru_cache(maxsize=1024)  # letters and labels, which many items share
def _choices_text(choices: tuple[str, ...]) -> str:
    return json.dumps(choices, ensure_ascii=False)


def _told(item: SplitItem, prompt: Prompt) -> dict[str, str]:
    key = family(item.content.family).key(item.content)
    return {"id": item.uid, "prompt": prompt.text, "target": key}


def _write_task(path: Path, group: str, task: HarnessTask) -> None:
    text = _yaml(_task_config(group, task))
    if task.labels:  # an aggregation of our own is a function, which plain YAML cannot name
        text += "- metric: macro_f1\n  higher_is_better: true\n"
        text += f"  aggregation: !function {Path(LOADER).stem}.over_labels\n"
    write_atomic(path, text)


def _write_likelihood(folder: Path, group: str, tasks: Sequence[HarnessTask]) -> None:
    """The tasks once more, answered by the likeliest option, and a group of their own."""
    module = Path(LOADER).stem
    common = f"custom_dataset: !function {module}.load\n"
    common += f"process_results: !function {module}.by_likelihood\n"
    common += f"doc_to_choice: !function {module}.choices_of\n"
    common += f"doc_to_target: !function {module}.right_one\n"
    write_atomic(folder / COMMON_LIKELIHOOD, common)
    whole = f"{group}{LIKELIHOOD}"
    for task in tasks:
        config = {
            "include": COMMON_LIKELIHOOD,
            "task": _name(whole, task),
            "task_alias": task.name,
            "dataset_kwargs": {"file": _data_file(task)},
            "output_type": "multiple_choice",
            "test_split": "test",
            "num_fewshot": 0,
            "doc_to_text": "prompt",
            "should_decontaminate": False,
            "metadata": {"version": 1.0, "task": task.title, "metric": task.metric},
            "metric_list": [{"metric": SCORE, "aggregation": "mean", "higher_is_better": True}],
        }
        _write_yaml(folder / f"{_name(whole, task)}.yaml", config)
    grouped = _group_config(whole, tasks)
    grouped["aggregate_metric_list"][0]["filter_list"] = ["none"]
    _write_yaml(folder / f"{whole}.yaml", grouped)


def _task_config(group: str, task: HarnessTask) -> dict[str, Any]:
    """The task's YAML; ``metric_list`` comes last, for more may be written behind it."""
    metrics = dict.fromkeys((SCORE, task.metric))
    return {
        "include": COMMON,
        "task": _name(group, task),
        "task_alias": task.name,
        "dataset_kwargs": {"file": _data_file(task)},
        "output_type": "generate_until",
        "test_split": "test",
        "num_fewshot": 0,
        "doc_to_text": "prompt",
        "doc_to_target": "target",
        "should_decontaminate": False,
        "generation_kwargs": {
            "until": list(task.stops),
            "do_sample": False,
            "temperature": 0.0,
            "max_gen_toks": task.max_tokens,
        },
        "filter_list": [{"name": "answer", "filter": [{"function": "take_first"}]}],
        "metadata": {"version": 2.0, "task": task.title, "metric": task.metric},
        "metric_list": [
            {"metric": name, "aggregation": "mean", "higher_is_better": True} for name in metrics
        ],
    }


def _group_config(group: str, tasks: Sequence[HarnessTask]) -> dict[str, Any]:
    aggregate = {
        "metric": SCORE,
        "aggregation": "mean",
        "weight_by_size": False,
        "filter_list": ["answer"],
    }
    return {
        "group": group,
        "task": [_name(group, task) for task in tasks],
        "aggregate_metric_list": [aggregate],
        "metadata": {"version": 2.0},
    }


def _write_yaml(path: Path, config: dict[str, Any]) -> None:
    write_atomic(path, _yaml(config))


def _yaml(config: dict[str, Any]) -> str:
    return str(yaml.safe_dump(config, allow_unicode=True, sort_keys=False, width=100))


def _readme(
    group: str,
    tasks: Sequence[HarnessTask],
    wordings: Sequence[SplitItem],
    lock: ExportLock | None,
) -> str:
    if lock is not None:
        started = "python run.py --model local-completions --model_args … --out DIR"
        told = "\n".join(task_line(task, _name(group, task)) for task in tasks)
        return locked_readme(group, "lm-evaluation-harness 0.4.13", started, told, lock)
    lines = [
        f"# {group}",
        tr(
            "Items of a private split for lm-evaluation-harness 0.4.13, with their answer "
            "keys. Keep this folder as secret as the split itself."
        ),
        tr("Run this command from any folder; the task folder may be moved:"),
        f"    lm_eval --include_path . --tasks {group} --model … --log_samples --output_path …",
        tr(
            "Answers are generated greedily, read as Benchseal reads them and measured by the "
            "metric of their task, which every task also gives as `{score}`. The value of the "
            "group is the mean over tasks.",
            score=SCORE,
        ),
        "\n".join(task_line(task, _name(group, task)) for task in tasks),
        tr(
            "Tasks with options, and short answers that can be compared with those of other items, "
            "are also in the group `{group}`, where the likeliest option is the answer.",
            group=f"{group}{LIKELIHOOD}",
        ),
        *wordings_line(wordings),
    ]
    return "\n\n".join(lines) + "\n"


def task_line(task: HarnessTask, name: str) -> str:
    """What a README says of a task."""
    line = f"- `{name}`: {task.title}, {len(task.members)}, {task.metric}"
    if task.intended == "judge" and task.metric == "chrf":
        return line + " " + tr("(stands in for a judge)")
    return line
