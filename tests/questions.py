"""Questions of a split and their keys, as the workflow makes them, without a workspace."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.evaluation.scoring import AnswerKey, as_variant, keys_of
from core.evaluation.types import question_of
from core.release.manifest import SplitItem


def work_rows(items: Sequence[SplitItem], instruction: str = "") -> list[dict[str, Any]]:
    """The lines of ``work.jsonl``: one question per item, in the order of the split."""
    return [question_of(item.uid, item.content, instruction).as_json() for item in items]


def variant_rows(
    items: Sequence[SplitItem], instructions: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Questions for every item by every instruction (its name to its text); ``uid#name``."""
    return [
        question_of(f"{item.uid}#{name}", item.content, text).as_json()
        for name, text in instructions.items()
        for item in items
    ]


def variant_keys(items: Sequence[SplitItem], variants: Iterable[str]) -> list[AnswerKey]:
    """The keys of a split that was asked by several instructions or templates.

    The answers to one item share its cluster: they are not independent of each other.
    """
    plain = keys_of(items)
    return [as_variant(key, name) for name in variants for key in plain]
