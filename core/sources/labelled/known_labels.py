"""Labelled texts whose columns and labels tell what was asked of them: pairs with entailment, and
sets of CLUE and SuperGLUE. What they ask is said for all rows, in the labels that the file has.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.sources.cell_text import cell_text
from core.sources.chinese_text import is_chinese
from core.sources.text_columns import paired_texts

_YES = ("true", "1", "t", "yes")
_NO = ("false", "0", "f", "no")
_EQUAL = frozenset({"afqmc", "bustm", "lcqmc", "bq", "paws", "pawsx", "qqp"})
"""Sets of pairs with 1 for the same meaning, by the name of the file or the folder; the columns of
other sets are the same."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is asked of texts with these columns, which are joined to one text."""

    columns: tuple[str, ...]
    english: str
    chinese: str


_REFERENCE = (
    "Below the text stand a noun phrase and a pronoun of it, each with its place: the words before "
    "it. Does that pronoun refer to that noun phrase? Answer {yes} if so, else {no}.",
    "文本下面依次是其中的一个名词短语和一个代词，各自后面是它在文中的位置（前面有几个字）。"
    "该代词是否指代该名词短语？是则回答{yes}，否则回答{no}。",
)
_SPANS = ("span1_text", "span1_index", "span2_text", "span2_index")
_SETS = (
    _Known(("abst", "keyword"),
           "The first part is an abstract, the rest are keywords. Are all of them keywords of the "
           "abstract? Answer {yes} if so, else {no}.",
           "第一段是论文摘要，其余是关键词。这些关键词是否都属于该摘要？是则回答{yes}，否则回答{no}。"),
    _Known(("text", *(f"target.{span}" for span in _SPANS)), *_REFERENCE),
    _Known(("text", *_SPANS), *_REFERENCE),
    _Known(("word", "sentence1", "sentence2"),
           "A word stands above two sentences. Has it the same meaning in both? Answer {yes} if "
           "so, else {no}.",
           "两个句子上面是一个词。它在两句中的意思是否相同？是则回答{yes}，否则回答{no}。"),
)  # fmt: skip
_SAME = (
    "Do the two texts mean the same? Answer {yes} if so, else {no}.",
    "两段文本的意思是否相同？是则回答{yes}，否则回答{no}。",
)
_RELATIONS: Sequence[tuple[frozenset[str], frozenset[str], str, str]] = (
    (frozenset({"neutral", "contradiction"}), frozenset({"entailment"}),
     "What is the second text, if the first is true? Answer entailment if it follows from it, "
     "contradiction if it cannot be true, neutral if it can be either.",
     "假设第一段文本为真，第二段文本与它是什么关系？可以由它推出则回答entailment，与它矛盾则回答"
     "contradiction，两者都不是则回答neutral。"),
    (frozenset({"not_entailment"}), frozenset({"entailment"}),
     "Does the second text follow from the first? Answer entailment if so, else not_entailment.",
     "第二段文本能否由第一段推出？能则回答entailment，否则回答not_entailment。"),
    *((frozenset({unsure}), frozenset({"true", "false"}),
       f"Is the last line true, if all above it is? Answer True, False or {unsure.capitalize()}.",
       f"假设上面各行都为真，最后一行是否为真？回答True、False或{unsure.capitalize()}。")
      for unsure in ("uncertain", "unknown")),
)  # fmt: skip
"""Labels of which one is there, others that may be, and what is asked."""


def known_question(rows: Sequence[Mapping[str, Any]], label: str, path: Path) -> dict[str, str]:
    """Sources of ``instruction`` and ``input`` for rows whose labels are in the column ``label``,
    as a field mapping has them; empty where the rows do not tell what was asked."""
    written = dict.fromkeys(map(_label, (row.get(label) for row in rows)))
    labels = {text.casefold() for text in written} - {"", "-"}
    first = rows[0] if rows else {}
    yes, no = (next((t for t in written if t.casefold() in w), "") for w in (_YES, _NO))
    two = bool(yes and no) and len(labels) == 2
    for known in _SETS if two else ():
        if all(_has(first, column) for column in known.columns):
            return _asked(known.english, known.chinese, known.columns, first, yes, no)
    pair = paired_texts(first)
    if pair is None:
        return {}
    places = f"{path.parent.name} {path.stem}".casefold().replace("-", "")
    named = set(re.split(r"[\W_]+", places))
    if two and named & _EQUAL:
        return _asked(*_SAME, pair, first, yes, no)
    for needed, others, english, chinese in _RELATIONS:
        if labels & needed and labels <= needed | others:
            return _asked(english, chinese, pair, first)
    return {}


def _label(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else cell_text(value).strip()


def _has(row: Mapping[str, Any], column: str) -> bool:
    name, _, field = column.partition(".")
    value = row.get(name)
    return (value.get(field) if field and isinstance(value, Mapping) else value) is not None


def _asked(
    english: str, chinese: str, columns: Sequence[str], row: Mapping[str, Any],
    yes: str = "", no: str = "",
) -> dict[str, str]:  # fmt: skip
    text = " ".join(cell_text(row.get(column)) for column in columns)
    said = (chinese if is_chinese(text) else english).format(yes=yes, no=no)
    return {"instruction": f"={said}", "input": "+".join(columns)}
