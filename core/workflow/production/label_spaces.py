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

_MOST = 30
_LONGEST = 60  # characters of a label
_FRACTION = re.compile(r"[-+]?\d*[.,]\d+")


def with_label_space(
    preview: ImportPreview,
    given: Mapping[str, str],
    target: ImportTarget,
    rows: Iterable[ImportRow | RefusedRow],
) -> ImportPreview:
    """The preview with the labels of all ``rows`` as the label space, where the answers are labels
    and neither the mapping, what was ``given`` (be it nothing) nor the task says another."""
    column = preview.mapping.get("label", "")
    if (
        not _is_lacking(preview, target)
        or "labels" in given
        or column not in preview.columns
        or preview.mapping.get("output") != column
    ):
        return preview
    found = labels_of(row.values.get(column) for row in rows if isinstance(row, ImportRow))
    if not found:
        return preview
    mapping = {**preview.mapping, "labels": f"={'|'.join(found)}"}
    return replace(preview, mapping=mapping, label_space=found)


def labels_of(values: Iterable[Any]) -> tuple[str, ...]:
    """The different labels, sorted; none where they are not a small number of words that come
    again: more than 30, long texts, fractions, lists, or hardly one twice."""
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
            return ()
    return tuple(sorted(counts)) if 1 < len(counts) <= counts.total() / 2 else ()


def told_label_space(preview: ImportPreview) -> str:
    """What label space was read from the file, and how it is refused; empty where none was."""
    if not preview.label_space:
        return ""
    return tr("The label space (labels) was read from the file: {labels}. Map it to “=” to have "
              "none.", labels=listed(preview.label_space))  # fmt: skip


def lacking_label_space(preview: ImportPreview, target: ImportTarget) -> str:
    """Of texts with labels, how their label space is given where it is not."""
    if not _is_lacking(preview, target):
        return ""
    labels = _first_labels(preview)
    if len(labels) < 2:
        return ""
    return tr("No label space is given, so that a reply has to be the label to the letter. Map the "
              "label space (labels) to all labels, such as “={labels}”.",
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
    mapping = preview.mapping
    return (
        "labels" in target.fields
        and "label" in mapping
        and "labels" not in mapping
        and not target.defaults.get("labels")
    )
