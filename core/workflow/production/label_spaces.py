"""The label space of texts with labels: read from the file where nobody gives it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from core.families.intake import ImportPreview, ImportTarget
from core.i18n import listed, tr
from core.sources.cell_text import cell_text
from core.sources.imports import ImportRow, RefusedRow
from core.unicode_forms import normal_form

_MOST = 300
_FEW = 30
_OFTEN = 5
_WORD = 20  # characters of an answer that is a label, though nobody calls it so
_LONGEST = 60  # characters of a label
_FRACTION = re.compile(r"[-+]?\d*[.,]\d+")
_NUMBER = re.compile(r"[-+]?[\d.,]+")


def with_label_space(
    preview: ImportPreview,
    given: Mapping[str, str],
    target: ImportTarget,
    rows: Iterable[ImportRow | RefusedRow],
) -> ImportPreview:
    """The preview with the labels of all ``rows`` as the label space, where the answers are labels
    and neither the mapping, what was ``given`` (be it nothing) nor the task says another.

    Answers are labels if their column is called so, and, as in files of CIF-Bench, if a few words
    come again and again."""
    column = preview.mapping.get("output", "")
    called = preview.mapping.get("label", column)
    if (
        not _is_without(preview, target)
        or "labels" in given
        or given.get("label", column) != column
        or column not in preview.columns
        or called != column
    ):
        return preview
    values = (row.values.get(column) for row in rows if isinstance(row, ImportRow))
    found = labels_of(values) if "label" in preview.mapping else answered_again(values)
    if not found:
        return preview
    mapping = {**preview.mapping, "label": column, "labels": f"={'|'.join(found)}"}
    return replace(preview, mapping=mapping, label_space=found)


def labels_of(values: Iterable[Any]) -> tuple[str, ...]:
    """The different labels, sorted; none where they are not words that come again: long texts,
    fractions, lists, hardly one twice, or more than 30 of which each does not come often."""
    counts = _counts_of(values)
    often = _OFTEN if len(counts) > _FEW else 2
    return tuple(sorted(counts)) if 1 < len(counts) <= counts.total() / often else ()


def answered_again(values: Iterable[Any]) -> tuple[str, ...]:
    """The different answers, sorted, where they are so few words that they must be labels: each
    comes five times on average, and none is long or a number."""
    counts = _counts_of(values)
    few = 1 < len(counts) <= min(_FEW, counts.total() / _OFTEN)
    words = all(len(said) <= _WORD and not _NUMBER.fullmatch(said) for said in counts)
    return tuple(sorted(counts)) if few and words else ()


def _counts_of(values: Iterable[Any]) -> Counter[str]:
    """How often each label is there; empty where some cannot be labels."""
    counts: Counter[str] = Counter()
    for value in values:
        label = str(value).lower() if isinstance(value, bool) else cell_text(value).strip()
        if label in ("", "-"):  # such rows are refused
            continue
        counts[label] += 1
        if (
            len(counts) > _MOST
            or len(label) > _LONGEST
            or "|" in label
            or _FRACTION.fullmatch(label)
            or isinstance(value, list | tuple | dict)
        ):
            return Counter()
    return counts


def told_label_space(preview: ImportPreview) -> str:
    """What label space was read from the file, and how it is refused; empty where none was."""
    if not preview.label_space:
        return ""
    labels = [*preview.label_space[:_FEW], *("…" for _ in preview.label_space[_FEW : _FEW + 1])]
    return tr("The label space (labels) was read from the file: {labels}. Map it to “=” to have "
              "none.", labels=listed(labels))  # fmt: skip


def lacking_label_space(preview: ImportPreview, target: ImportTarget) -> str:
    """Of texts with labels, how their label space is given where it is not."""
    if not _is_lacking(preview, target):
        return ""
    labels = _first_labels(preview)
    if len(labels) < 2:
        return ""
    return tr("No label space is given, so a reply must match the label exactly. Map the label "
              "space (labels) to all labels, such as “={labels}”.",
              labels="|".join(sorted(labels)))  # fmt: skip


def _first_labels(preview: ImportPreview) -> set[str]:
    """The labels of the first rows; none where they look like free answers."""
    column = preview.mapping.get("label", "")
    values = [row.values for row in preview.rows if isinstance(row, ImportRow)]
    labels = {cell_text(row.get(column)).strip() for row in values} - {"", "-"}
    if len(labels) >= len(values) or any(map(_FRACTION.fullmatch, labels)):
        return set()
    return labels


def labels_alike(preview: ImportPreview) -> str:
    """Of a label space, or else of the labels of the first rows, those that differ in nothing but
    case, width or spaces, as “Yes” and “yes”: a sentence that says so; empty where none do."""
    space = preview.mapping.get("labels", "")
    names = space[1:].split("|") if space.startswith("=") else sorted(_first_labels(preview))
    known = defaultdict(list)
    for name in names:
        known["".join(normal_form("NFKC", name).casefold().split())].append(f"“{name}”")
    alike = [" = ".join(names) for names in known.values() if len(names) > 1]
    if not alike:
        return ""
    return tr("Some labels differ only in case, width or spaces, yet are different labels: "
              "{labels}. Write each in one way in the file.", labels=listed(alike))  # fmt: skip


def _is_lacking(preview: ImportPreview, target: ImportTarget) -> bool:
    return "label" in preview.mapping and _is_without(preview, target)


def _is_without(preview: ImportPreview, target: ImportTarget) -> bool:
    return (
        "labels" in target.fields
        and "labels" not in preview.mapping
        and not target.defaults.get("labels")
    )
