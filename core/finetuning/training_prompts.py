"""Three prompt templates a task, in our own words (CoreEval appendix A.2 asks with three).

The first explains the task and wants JSON, the second is short and wants JSON, the third explains
and wants the bare label. Training shows the same prompts, each followed by its answer.
"""

import json
import re

from core.errors import InputError
from core.families.rewrite import label_pattern
from core.sources.labelled.datasets import LabelledExample, LabelledTask


def prompt(task: LabelledTask, example: LabelledExample, template: int) -> str:
    """The prompt of one example in one template; ends where the answer begins."""
    shown = [f"{name}: {text}" for name, text in _shown(task, example)]
    question = task.question.replace("{target}", example.target)
    if example.target and "{target}" not in task.question:
        shown.append(f"target: {example.target}")
    options = ", ".join(f'"{label}"' for label in task.labels)
    if template == 1:
        lines = [
            f"You are given a labelling task. {question} The labels are {options}.",
            "Exactly one label is right; if none fits well, take the nearest.",
            *shown,
            f'Reply with one JSON object whose key is "{task.name}" and whose value is the label.',
        ]
    elif template == 2:
        lines = [question, *shown, f'JSON, key "{task.name}", one of {options}:']
    elif template == 3:
        lines = [
            f"You are given a labelling task. {question} The labels are {options}.",
            "Exactly one label is right; if none fits well, take the nearest.",
            *shown,
            "Reply with the label alone.",
        ]
    else:
        raise InputError.tr("There is no template {number}; there are 1, 2 and 3.", number=template)
    return "\n".join([*lines, "Answer: "])


def answer(task: LabelledTask, label: str, template: int) -> str:
    """The right answer in a template's form."""
    if template == 3:
        return label
    return json.dumps({task.name: label}, ensure_ascii=False)


def plain(example: LabelledExample) -> str:
    """The bare text of an example, for contamination without prompt and label."""
    return "\n".join(part for part in (example.text, example.second) if part)


def read_label(task: LabelledTask, reply: str) -> str | None:
    """The first label in a reply, the longest where several begin at one place; None without.

    The key of a JSON reply may be a label itself (``irony``), so what stands behind it is read.
    """
    keyed = re.search(rf'"{re.escape(task.name)}"\s*:(.*)', reply, re.IGNORECASE | re.DOTALL)
    if keyed:
        reply = keyed.group(1)
    ordered = sorted(task.labels, key=len, reverse=True)
    pattern = "|".join(label_pattern(label) for label in ordered)
    match = re.search(pattern, reply, re.IGNORECASE)
    if match is None:
        return None
    written = _folded(match.group(0))
    return next((label for label in task.labels if _folded(label) == written), None)


def _shown(task: LabelledTask, example: LabelledExample) -> list[tuple[str, str]]:
    if not example.second:
        return [("text", example.text)]
    return [(task.parts[0], example.text), (task.parts[1], example.second)]


def _folded(label: str) -> str:
    return re.sub(r"[\s_-]+", " ", label).casefold().strip()
