"""Columns that are usual for a field of an item, by their names; compared without case."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.sources.cell_text import cell_text
from core.sources.text_columns import paired_texts, running_texts

_SURE_LABELS = ("label", "labels_given", "gold_label", "sentiment", "标签", "情感")
_LABELS = (*_SURE_LABELS, "class", "类别", "polarity", "category", "topic", "intent", "stance")
"""The last of them are a label only where nothing else is the answer to a text."""
_LABEL_NAMES = ("label_text", "label_name", "label_desc", "label_des", "label_description")

# the surest first
_USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "instruction": ("instruction", "question", "definition", "prompt", "指令", "说明"),
        "input": (
            *("shown", "input", "text", "sentence", "context", "content", "输入", "文本"),
            *("question", "问题", "题目"),
        ),
        "output": (
            *("output", "response", "answer", "completion", "reference", "输出", "答案"),
            *_LABELS,
        ),
        "label": ("label", "gold_label", "class", "标签"),
        "text": ("text", "instruction", "sentence", "content", "文本", "指令"),
        "base": ("base", "id", "idx"),
        "second": ("second", "text2", "hypothesis", "sentence2"),
    }
)


def usual_columns(
    columns: Sequence[str], fields: Collection[str], examples: Mapping[str, Any]
) -> dict[str, str]:
    """For each field the column of its own name, else the most usual one that is there.

    The input of a file of pairs is both of their texts, of one without instructions its one column
    of running text; a label that is the answer is the item's label, by its name where the file has
    numbers and their names.
    """
    plain = {name.strip().casefold(): name for name in reversed(columns)}
    mapping: dict[str, str] = {}
    for name in fields:
        usual = _USUAL.get(name, ())
        # where a reader joined a pair for showing, the joined text is the input
        names = usual if usual[:1] == ("shown",) else (name, *usual)
        asked = (mapping.get("instruction", ""),) if name == "input" else ()
        column = next((plain[n] for n in names if n in plain and plain[n] not in asked), None)
        if column is not None:
            mapping[name] = column
    pair = paired_texts(examples) if "input" in fields else None
    if pair and mapping.get("input") in (None, *pair) and mapping.get("instruction") not in pair:
        mapping["input"] = "+".join(pair)
    if "input" in fields and not {"instruction", "input"} & set(mapping):
        texts = running_texts(examples, set(mapping.values()))
        if len(texts) == 1:  # what each row is about
            mapping["input"] = texts[0]
    answer = mapping.get("output", "").strip().casefold()
    named = next((plain[n] for n in _LABEL_NAMES if n in plain), "")
    if named and answer == "label" and cell_text(examples.get(mapping["output"])).isdecimal():
        mapping["output"] = mapping["label"] = named  # numbers say nothing to who is asked
    elif answer in _LABELS and "label" in fields:
        if answer not in _SURE_LABELS and ("input" not in mapping or "instruction" in mapping):
            del mapping["output"]
        else:
            mapping.setdefault("label", mapping["output"])
    return mapping
