"""Rewrites: labelled texts, their semantic rewrites and their updates (CoreEval, figure 2)."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.families.base import Defect, Family, FormField, ItemContent, Prompt
from core.families.payload import Payload
from core.families.rewrite_checks import check_payload
from core.families.rewrite_payload import (
    FORMATS,
    ORIGINAL,
    SEMANTIC,
    UNCHANGED,
    UPDATED,
    AnyPayload,
    OriginalPayload,
    SemanticPayload,
    UpdatedPayload,
)
from core.families.rewrite_samples import defect_samples, planted_sets, sample
from core.files import text_key
from core.i18n import tr
from core.sources.labelled.datasets import TASKS, LabelledTask

_OWN = set(OriginalPayload.model_fields)

_MODELS: Mapping[str, type[Payload]] = {
    ORIGINAL: OriginalPayload,
    SEMANTIC: SemanticPayload,
    UPDATED: UpdatedPayload,
}


class RewriteFamily(Family):
    """Classification items in three linked sets: original, semantic and updated.

    The semantic item says the same in another form; the updated item says something new, taken
    from recent news, in that form. The label is the same in all three.
    """

    name = "rewrite"
    title = "Rewritten classification"
    formats = FORMATS
    models = _MODELS
    defect_names = (
        "invalid_payload",
        "empty_text",
        "unknown_label",
        "original_missing",
        "entity_missing",
        "entity_left",
        "length_off",
        "label_leaked",
        "near_copy",
        "texts_alike",
        "nothing_new",
        "knowledge_missing",
        "entity_ungrounded",
        "duplicate_item",
        "set_unpaired",
        "labels_differ",
    )

    def sample(self, format: str) -> ItemContent:
        """A small sound item of our own words."""
        return sample(format)

    def defects(
        self, payload: AnyPayload, item: ItemContent, source: str | None
    ) -> Sequence[Defect]:
        """What is wrong with one item; ``source`` is not needed, the payload has its original."""
        del source
        if item.provenance.get(UNCHANGED):  # its original, as its mark says
            return check_payload(OriginalPayload.model_validate(payload.model_dump(include=_OWN)))
        return check_payload(payload)

    def check_set(self, items: Sequence[ItemContent]) -> Mapping[int, Sequence[Defect]]:
        """Items that occur twice, and semantic and updated items that do not pair one to one."""
        defects: dict[int, list[Defect]] = defaultdict(list)
        seen: dict[bytes, int] = {}
        bases: dict[str, dict[str, int]] = {SEMANTIC: {}, UPDATED: {}}
        labels: dict[str, str] = {}
        for index, item in enumerate(items):
            fields = item.payload
            shown = [item.format, *(str(fields.get(k)) for k in ("text", "second", "target"))]
            first = seen.setdefault(text_key("\n".join(shown)), index)
            if first != index:
                detail = tr("It is identical to item {number}.", number=first + 1)
                defects[index].append(Defect("duplicate_item", detail))
            base, label = str(fields.get("base")), str(fields.get("label"))
            if item.format in bases:
                bases[item.format].setdefault(base, index)
            if labels.setdefault(base, label) != label:
                detail = tr("Another item of “{base}” has a different label.", base=base)
                defects[index].append(Defect("labels_differ", detail))
        if all(bases.values()):
            _report_lonely(bases[SEMANTIC], bases[UPDATED], defects)
            _report_lonely(bases[UPDATED], bases[SEMANTIC], defects)
        return defects

    def planted(self) -> Mapping[str, ItemContent]:
        """An item with each defect that ``check`` finds."""
        return defect_samples()

    def planted_sets(self) -> Mapping[str, Sequence[ItemContent]]:
        """A set with each defect that ``check_set`` finds."""
        return planted_sets()

    def form(self, format: str) -> Sequence[FormField]:
        """Fields in the order in which they are read."""
        fields = [
            FormField("text", tr("Text"), "long_text"),
            FormField("second", tr("Second text of the pair"), "long_text", required=False),
            FormField("target", tr("Target"), required=False),
            FormField("label", tr("Label")),
            FormField("labels", tr("Label space"), "list"),
            FormField("base", tr("Id of the original")),
            FormField("task", tr("Task"), required=False),
        ]
        if format in (SEMANTIC, UPDATED):
            fields += [
                FormField("original", tr("Original text"), "long_text"),
                FormField("original_second", tr("Original second text"), "long_text", (), False),
                FormField("triples_before", tr("Triples before the update"), "list", (), False),
            ]
        if format == UPDATED:
            fields += [
                FormField("semantic", tr("Semantic rewrite"), "long_text", (), False),
                FormField(
                    "semantic_second", tr("Semantic rewrite, second text"), "long_text", (), False
                ),
                FormField("triples_after", tr("Triples after the update"), "list", (), False),
                FormField("summary", tr("Summary of the knowledge"), "long_text", (), False),
                FormField("facts", tr("Facts and their sources"), "list", (), False),
            ]
        return fields

    def prompt(self, item: ItemContent, instruction: str = "") -> Prompt:
        """The texts, the question of the task, and its labels as the choices."""
        payload: AnyPayload = self.payload(item)
        task = next((known for known in TASKS if known.name == payload.task), None)
        lines = [instruction, ""] if instruction else []
        lines += [f"{name}: {text}" for name, text in _shown(payload, task)]
        question = task.question if task else LabelledTask.model_fields["question"].default
        if payload.target and "{target}" not in question:
            lines.append(f"Target: {payload.target}")
        lines += [
            "",
            question.replace("{target}", payload.target),
            f"Answer with one of these labels and nothing else: {', '.join(payload.labels)}.",
            "Label:",
        ]
        return Prompt(
            text="\n".join(lines),
            choices=payload.labels,
            pattern=_pattern(payload.labels),
            max_tokens=16,
        )

    def key(self, item: ItemContent) -> str:
        """The label."""
        return str(item.payload["label"])

    def plain_text(self, item: ItemContent) -> str:
        """The text or the two texts; the original and the knowledge are not part of the item."""
        fields = item.payload
        return "\n".join(str(fields[k]) for k in ("text", "second") if fields.get(k))


def _shown(payload: AnyPayload, task: LabelledTask | None) -> list[tuple[str, str]]:
    if not payload.second:
        return [("Text", payload.text)]
    first, second = task.parts if task else ("first text", "second text")
    return [(first.capitalize(), payload.text), (second.capitalize(), payload.second)]


def _pattern(labels: Sequence[str]) -> str:
    """Longest label first, so that “irony” is not read out of “not irony”."""
    ordered = sorted(labels, key=len, reverse=True)
    return "(" + "|".join(label_pattern(label) for label in ordered) + ")"


def label_pattern(label: str) -> str:
    """A label as whole words, for a regular expression; spaces may be underscores or hyphens."""
    spelled = r"[\s_-]+".join(re.escape(part) for part in label.split())
    before = r"(?<![A-Za-z0-9])" if label[:1].isascii() else ""
    after = r"(?![A-Za-z0-9])" if label[-1:].isascii() else ""
    return before + spelled + after


def _report_lonely(
    bases: Mapping[str, int], partners: Mapping[str, int], defects: dict[int, list[Defect]]
) -> None:
    for base, index in bases.items():
        if base not in partners:
            detail = tr("“{base}” has no counterpart in the other set.", base=base)
            defects[index].append(Defect("set_unpaired", detail))
