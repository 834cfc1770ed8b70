"""Instruction variants of a split: every wording in which each of its items can be asked.

A task's variants are items of the format ``instruction`` beside its triplets. They are not asked
themselves; with ``variants`` each triplet is asked once by every wording of its task.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.errors import StateError
from core.evaluation.base import question_of
from core.evaluation.scoring import Key, key_of
from core.release.manifest import SplitItem
from core.text import tr
from core.workflow import freeze
from core.workflow.workspace import Workspace
from db import items as item_rows

_VARIANT = "instruction"  # the format of an item that is a wording


def askable(members: Sequence[SplitItem]) -> list[SplitItem]:
    """The items of a split that are questions; a wording by itself is none."""
    asked = [item for item in members if not _is_wording(item)]
    return asked or list(members)


def _is_wording(item: SplitItem) -> bool:
    return item.content.family == "instruction" and item.content.format == _VARIANT


def instructions_of(ws: Workspace, members: Sequence[SplitItem]) -> dict[int, dict[str, str]]:
    """By task, the wordings of the split's variants: their names to their texts, in order."""
    wordings = [item for item in members if _is_wording(item)]
    tasks = _tasks(ws, wordings)
    found: dict[int, dict[str, str]] = {}
    for item in wordings:
        known = found.setdefault(tasks[item.uid], {})
        payload = item.content.payload
        name = str(payload.get("instruction_id") or len(known) + 1).replace("#", "_")
        if name in known:
            name = f"{name}.{len(known) + 1}"
        known[name] = str(payload["text"])
    return found


def _tasks(ws: Workspace, members: Sequence[SplitItem]) -> dict[str, int]:
    with ws.reading() as session:
        rows = item_rows.get_many(session, [int(item.uid) for item in members])
    return {str(row.id): row.task_id for row in rows}


def variant_work(ws: Workspace, split: str) -> list[dict[str, Any]]:
    """Lines of ``work.jsonl`` for every item by every wording of its task.

    An item whose task has no variants is asked in its own words. Raises StateError where no task
    of the split has any.
    """
    members = freeze.members_of(ws, split)
    wordings = instructions_of(ws, members)
    if not wordings:
        raise StateError(
            tr("The split “{name}” has no instruction variants: nothing to vary.", name=split)
        )
    asked = askable(members)
    tasks = _tasks(ws, asked)
    return [
        question_of(f"{item.uid}#{name}" if name else item.uid, item.content, text).as_json()
        for item in asked
        for name, text in (wordings.get(tasks[item.uid]) or {"": ""}).items()
    ]


def keys_by_id(members: Iterable[SplitItem], ids: Iterable[str]) -> list[Key]:
    """The key of each question by its id, ``uid`` or ``uid#variant``, in the order of the ids.

    The answers to one item share its cluster: they are not independent of each other. An id of no
    item of the split is left out, so that scoring complains of its answer.
    """
    contents: Mapping[str, SplitItem] = {item.uid: item for item in members}
    known: dict[str, Key] = {}
    found: list[Key] = []
    for id_ in ids:
        uid, _, variant = id_.partition("#")
        if uid not in contents:
            continue
        if uid not in known:
            known[uid] = key_of(uid, contents[uid].content)
        key = known[uid]
        if variant:
            key = _as_variant(key, variant)
        found.append(key)
    return found


def _as_variant(key: Key, variant: str) -> Key:
    """Written out because ``replace`` costs more than scoring the answer does."""
    return Key(
        id=f"{key.id}#{variant}",
        answer=key.answer,
        family=key.family,
        format=key.format,
        domain=key.domain,
        pattern=key.pattern,
        choices=key.choices,
        cluster=key.cluster or key.id,
        variant=variant,
    )
