"""Small rewrite items of our own words: one sound per format, and one with each defect planted."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.families.base import ItemContent
from core.families.rewrite_payload import ORIGINAL, SEMANTIC, UPDATED

_ORIGINAL = "The harbour pilots of Westmoor cheered when the old lighthouse was lit again."
_SEMANTIC = "When light returned to the old lighthouse, cheers rose from Westmoor's harbour pilots."
_UPDATED = "When the night ferry came back to Eastby, cheers rose from the island council."
_BEFORE = [
    ["harbour pilots", "cheered for", "old lighthouse"],
    ["harbour pilots", "of", "Westmoor"],
]
_AFTER = [["island council", "cheered for", "night ferry"], ["island council", "of", "Eastby"]]
_FACT = {
    "title": "Island council welcomes the return of the night ferry to Eastby",
    "url": "https://news.example.org/night-ferry-returns",
    "date": "2026-03-02",
    "tone": 3.5,
    "detail": "",
    "source": "gdelt-files",
    "row": "20260302.gkg.csv 20260302101500-7",
}
_SHARED: Mapping[str, Any] = {
    "base": "emotion-0001",
    "task": "emotion",
    "second": "",
    "label": "joy",
    "labels": ["joy", "optimism", "sadness", "anger"],
    "target": "",
}


def sample(format: str) -> ItemContent:
    """A sound item of ``format``."""
    payload: dict[str, Any] = {**_SHARED, "text": _ORIGINAL}
    if format in (SEMANTIC, UPDATED):
        payload |= {
            "text": _SEMANTIC,
            "original": _ORIGINAL,
            "original_second": "",
            "triples_before": _BEFORE,
        }
    if format == UPDATED:
        payload |= {
            "text": _UPDATED,
            "semantic": _SEMANTIC,
            "semantic_second": "",
            "triples_after": _AFTER,
            "summary": "The island council of Eastby welcomed the return of the night ferry.",
            "facts": [_FACT],
        }
    return ItemContent("rewrite", format, payload)


def defect_samples() -> Mapping[str, ItemContent]:
    """For every defect of a single item, a sample with that defect."""
    pair = {
        "second": _UPDATED,
        "original_second": "Its lamp had been dark for two long years before that evening.",
    }
    return {
        "invalid_payload": ItemContent("rewrite", ORIGINAL, {"text": 7}),
        "empty_text": _changed(ORIGINAL, text="  "),
        "unknown_label": _changed(ORIGINAL, label="boredom"),
        "original_missing": _changed(SEMANTIC, original=""),
        "entity_missing": _changed(UPDATED, text=_UPDATED.replace("Eastby", "the town")),
        "entity_left": _changed(UPDATED, text=f"{_UPDATED[:-1]}, far from Westmoor."),
        "length_off": _changed(UPDATED, text=" ".join([_UPDATED] * 4)),
        "label_leaked": _changed(UPDATED, text=f"What a joy. {_UPDATED}"),
        "near_copy": _changed(SEMANTIC, text=_ORIGINAL.replace("again", "once more")),
        "texts_alike": _changed(UPDATED, **pair),
        "nothing_new": _changed(UPDATED, triples_after=_BEFORE),
        "knowledge_missing": _changed(UPDATED, facts=[], summary=""),
        "entity_ungrounded": _changed(
            UPDATED, facts=[{**_FACT, "title": "Ferry sails again"}], summary=""
        ),
    }


def planted_sets() -> Mapping[str, Sequence[ItemContent]]:
    """For every defect of a set, a set which has it."""
    semantic, updated = sample(SEMANTIC), sample(UPDATED)
    lonely = _changed(UPDATED, base="emotion-0002", text=_UPDATED.replace("night", "last night"))
    return {
        "duplicate_item": [sample(ORIGINAL), sample(ORIGINAL)],
        "set_unpaired": [semantic, updated, lonely],
        "labels_differ": [semantic, _changed(UPDATED, label="anger")],
    }


def _changed(format: str, **fields: Any) -> ItemContent:
    return ItemContent("rewrite", format, {**sample(format).payload, **fields})
