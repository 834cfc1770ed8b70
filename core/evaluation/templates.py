"""Prompt templates: several ways to ask for the same label (CoreEval §4.2, appendix A.2).

CoreEval asks every item by three templates of its task and averages over them. The wording in
``resources/prompts/evaluate_rewrite.md`` is our own: of each three, some ask for a JSON object and
some for the bare label.

An item of the families ``scp``, ``choice`` and ``answer`` has three other instructions in its
language and three layouts of instruction, question and the place of the answer, for splits that
bring no wordings of their own: a score that holds in one wording only is not a property of a model
(Mizrahi and others 2024, State of What Art? A Call for Multi-Prompt LLM Evaluation, TACL 12).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

from core.errors import InputError
from core.evaluation.types import Question
from core.families import family
from core.families.base import ItemContent
from core.i18n import listed
from core.sources.chinese_text import is_chinese
from resources import resource

TOKENS = 32  # a JSON object takes more than the bare label

_PLACE = re.compile(r"\{\{(text|second|target|labels|first|texts)\}\}")
_HEAD, _LAYOUT = "\x00", "layout"
_OTHER = "other"  # the templates of a task that has none of its own

Value = TypeVar("Value")


@cache
def _all_templates() -> Mapping[str, Mapping[str, str]]:
    """By task, the templates' names to their texts."""
    whole = resource("prompts", "evaluate_rewrite.md").read_text(encoding="utf-8")
    templates: dict[str, dict[str, str]] = {}
    for section in whole.split("\n# ")[1:]:
        head, _, text = section.partition("\n")
        task, _, name = head.strip().rpartition(" ")
        templates.setdefault(task, {})[name] = text.strip()
    return templates


def templates_for(content: ItemContent) -> Mapping[str, str]:
    """The templates of an item's task, by name; empty for families that have none."""
    if content.family != "rewrite":
        return {}
    known = _all_templates()
    return known.get(str(content.payload.get("task") or ""), known[_OTHER])


def by_template(question: Question, content: ItemContent, template: str) -> Question:
    """The question asked by a template; how its answer is read stays the family's."""
    payload = content.payload
    labels = [str(label) for label in payload.get("labels") or ()]
    second = str(payload.get("second") or "")
    texts = [f"Text: {payload['text']}"]
    texts += [f"Second text: {second}"] if second else []
    texts += [f"Target: {payload['target']}"] if payload.get("target") else []
    values = {
        "text": str(payload["text"]),
        "second": second,
        "target": str(payload.get("target") or ""),
        "labels": ", ".join(f'"{label}"' for label in labels),
        "first": json.dumps(labels[0] if labels else "", ensure_ascii=False),
        "texts": "\n".join(texts),
    }
    # one pass: a text that looks like a placeholder stays as it is
    prompt = _PLACE.sub(lambda place: values[place.group(1)], template)
    return Question(
        id=question.id,
        family=question.family,
        format=question.format,
        domain=question.domain,
        prompt=prompt,
        choices=question.choices,
        choice_texts=question.choice_texts,
        stop=question.stop,
        max_tokens=max(question.max_tokens, TOKENS),
    )


@cache
def _sections() -> tuple[Mapping[str, Mapping[str, str]], Mapping[str, str]]:
    """Instructions by kind of item and name, and layouts by name."""
    whole = resource("prompts", "evaluate_wordings.md").read_text(encoding="utf-8")
    wordings: dict[str, dict[str, str]] = {}
    layouts: dict[str, str] = {}
    for section in whole.split("\n# ")[1:]:
        head, _, text = section.partition("\n")
        if head.strip() == _LAYOUT:
            layouts[f"layout-{len(layouts) + 1}"] = text.strip()
        else:
            kind, _, name = head.strip().rpartition(" ")
            wordings.setdefault(kind, {})[f"wording-{name}"] = text.strip()
    return wordings, layouts


def wordings_for(content: ItemContent) -> Mapping[str, str]:
    """Other instructions for an item, by name; empty for a family that has none here."""
    kind = content.format
    if content.family == "choice":
        kind = "several" if content.payload.get("right") == "several" else "one"
    elif content.family == "answer":
        kind = "text"
    asked = str(content.payload.get("question") or "")
    language = "zh" if is_chinese(asked) else "en"
    return _sections()[0].get(f"{content.family} {kind} {language}", {})


def layouts_for(content: ItemContent) -> Mapping[str, str]:
    """The layouts of an item, by name; empty for a family that has none here."""
    return _sections()[1] if wordings_for(content) else {}


def by_layout(question: Question, content: ItemContent, layout: str) -> Question:
    """The question in a layout; its words, and how its answer is read, stay."""
    frame = family(content.family).prompt(content, _HEAD).text
    before, _, after = frame.partition(_HEAD)
    told = question.prompt[len(before) : len(question.prompt) - len(after)]
    asked, _, cue = after.strip("\n").rpartition("\n\n")
    values = {"instruction": told, "question": asked, "cue": cue}
    parts = layout.split("{{")
    text = parts[0]
    for part in parts[1:]:
        name, _, rest = part.partition("}}")
        text += values[name] + rest
    return replace(question, prompt=text)


def select(known: Mapping[str, Value], requested: Sequence[str]) -> dict[str, Value]:
    """The named things that were selected, by name or by number from 1.

    ``("all",)`` are all of them. Raises InputError for one that there is not.
    """
    if list(requested) == ["all"]:
        return dict(known)
    names = list(known)
    selected: dict[str, Value] = {}
    for key in requested:
        place = int(key) if key.isascii() and key.isdigit() else 0
        if key not in known and not 1 <= place <= len(names):
            raise InputError.tr(
                "“{name}” is not available. Choose from: {known}.",
                name=key,
                known=listed(names),
            )
        name = key if key in known else names[place - 1]
        selected[name] = known[name]
    return selected
