"""Prompt templates: several ways to ask for the same label (CoreEval §4.2, appendix A.2).

CoreEval asks every item by three templates of its task and averages over them. The wording in
``resources/prompts/evaluate_rewrite.md`` is our own: of each three, some ask for a JSON object and
some for the bare label.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeVar

from core.errors import InputError
from core.evaluation.types import Question
from core.families.base import ItemContent
from core.i18n import tr
from resources import resource

TOKENS = 32  # a JSON object takes more than the bare label

_PLACE = re.compile(r"\{\{(text|second|target|labels|first|texts)\}\}")
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


def select(known: Mapping[str, Value], requested: Sequence[str]) -> dict[str, Value]:
    """Those of some named things that are wanted: by name, or by number from 1.

    ``("all",)`` are all of them. Raises InputError for one that there is not.
    """
    if list(requested) == ["all"]:
        return dict(known)
    names = list(known)
    selected: dict[str, Value] = {}
    for key in requested:
        place = int(key) if key.isascii() and key.isdigit() else 0
        if key not in known and not 1 <= place <= len(names):
            raise InputError(
                tr(
                    "“{name}” is not available. Choose from: {known}.",
                    name=key,
                    known=", ".join(names),
                )
            )
        name = key if key in known else names[place - 1]
        selected[name] = known[name]
    return selected
