"""An item as a row that people and other programs read, with the whole item as JSON beside it."""

from typing import Any

from core.families import family
from core.release.formats.base import Tasks, task_of
from core.release.frozen_items import ItemKind, kind_of
from core.release.manifest import SplitItem

ITEM = "item"
ROW_FIELDS = ("uid", "task", "family", "format", "domain", "prompt", "choices", "target",
              "references", ITEM)  # fmt: skip
LISTS = ("choices", "references")


def title_of(kind: ItemKind, tasks: Tasks) -> str:
    """The task that a row names: the item's own, else its format or its family."""
    return task_of(kind, tasks).name or kind.format or kind.family


def plain_row(item: SplitItem, tasks: Tasks) -> dict[str, Any]:
    """The fields of ``asked_row``; ``item`` is the item as JSON, which makes an export readable
    again."""
    return {**asked_row(item, title_of(kind_of(item), tasks)), ITEM: item.canonical()}


def asked_row(item: SplitItem, title: str) -> dict[str, Any]:
    """uid, task, family, format, domain, prompt, choices, target, references of an item whose task
    has this title. A wording has no target: it asks nothing."""
    content = item.content
    kind = family(content.family)
    prompt = kind.prompt(content)
    asked = kind.is_question(content)
    key = kind.key(content) if asked else ""
    return {
        "uid": item.uid,
        "task": title,
        "family": content.family,
        "format": content.format,
        "domain": content.domain,
        "prompt": prompt.text,
        "choices": list(prompt.choices),
        "target": key,
        "references": [key, *kind.others(content)] if asked else [],
    }
