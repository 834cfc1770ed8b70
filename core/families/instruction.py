"""Instructions: triplets of instruction, input and output, and instruction variants (CIF-Bench)."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from core.families.base import Defect, Family, FormField, ItemContent, Prompt
from core.families.instruction_checks import (
    DEFECT_NAMES,
    check_many,
    check_triplet,
    check_variant,
    is_plainly_sound,
    picture_defects,
)
from core.families.instruction_payload import (
    FORMATS,
    TRIPLET,
    VARIANT,
    TripletPayload,
    VariantPayload,
)
from core.families.instruction_samples import defect_samples, planted_sets, sample
from core.families.payload import Payload
from core.i18n import tr
from core.unicode_forms import normal_form

_LONGEST_ANSWER = 1024

_MODELS: Mapping[str, type[Payload]] = {
    "": TripletPayload,
    TRIPLET: TripletPayload,
    VARIANT: VariantPayload,
}


class InstructionFamily(Family):
    """Triplets of instruction, input and output, written by annotators for a task.

    A task has several instruction variants of one meaning; they are items of the format
    ``instruction`` and pass the same stages as the triplets.
    """

    name = "instruction"
    asks_all = False
    title = "Instruction following"
    formats = FORMATS
    models = _MODELS
    hides_key = False
    defect_names = DEFECT_NAMES

    def sample(self, format: str) -> ItemContent:
        """A small sound item of our own words, in Chinese."""
        return sample(format)

    def defects(
        self, payload: TripletPayload | VariantPayload, item: ItemContent, source: str | None
    ) -> Sequence[Defect]:
        """What is wrong with one item; there is no source to compare it with."""
        del source
        if isinstance(payload, TripletPayload):
            if is_plainly_sound(payload, item):
                return ()
            return (*check_triplet(payload), *picture_defects(item))
        return tuple(check_variant(payload))

    def check_set(self, items: Sequence[ItemContent]) -> Mapping[int, Sequence[Defect]]:
        """Items that occur twice, and equal inputs with different outputs."""
        return check_many(items)

    def planted(self) -> Mapping[str, ItemContent]:
        """An item with each defect that ``check`` finds."""
        return defect_samples()

    def planted_sets(self) -> Mapping[str, Sequence[ItemContent]]:
        """A set with each defect that ``check_set`` finds."""
        return planted_sets()

    def form(self, format: str) -> Sequence[FormField]:
        """Fields in the order in which they are written."""
        language = FormField("language", tr("Language"), required=False)
        variant = FormField("instruction_id", tr("Instruction variant"), required=False)
        if format and format != TRIPLET:
            return (FormField("text", tr("Instruction"), "long_text"), variant, language)
        return (
            FormField("instruction", tr("Instruction"), "long_text"),
            FormField("input", tr("Input"), "long_text"),
            FormField("output", tr("Output"), "long_text"),
            FormField("alternatives", tr("Alternative correct outputs"), "list", required=False),
            FormField("label", tr("Label"), required=False),
            FormField("labels", tr("Label space"), "list", required=False),
            variant,
            language,
        )

    def prompt(self, item: ItemContent, instruction: str = "") -> Prompt:
        """Instruction and input, one after the other (§3); ``instruction`` replaces the item's.

        A variant is shown by itself: what is asked of it is whether a model can follow it.
        """
        payload: TripletPayload | VariantPayload = self.payload(item)
        if isinstance(payload, VariantPayload):
            parts = [instruction, payload.text]
        else:
            parts = [instruction or payload.instruction, payload.input]
        return _reading(payload).asking("\n".join(part for part in parts if part.strip()))

    def reading(self, item: ItemContent) -> Prompt:
        """The labels of a classification; free text is read as it is."""
        return _reading(self.payload(item))

    def is_question(self, item: ItemContent) -> bool:
        """A triplet is; a variant is a wording for the triplets of its task."""
        return item.format != VARIANT

    def key(self, item: ItemContent) -> str:
        """The output of a triplet; the wording itself of a variant."""
        return _key(self.payload(item))

    def scoring(self, item: ItemContent) -> tuple[Prompt, str]:
        """Both from one look at the payload."""
        payload: TripletPayload | VariantPayload = self.payload(item)
        return _reading(payload), _key(payload)

    def plain_text(self, item: ItemContent) -> str:
        """Instruction, input and output, or the wording of a variant."""
        fields = item.payload
        names = ("instruction", "input", "output", "text")
        return "\n".join(str(fields[name]) for name in names if fields.get(name))


def _key(payload: TripletPayload | VariantPayload) -> str:
    return payload.output.strip() if isinstance(payload, TripletPayload) else payload.text


def _reading(payload: TripletPayload | VariantPayload) -> Prompt:
    if isinstance(payload, TripletPayload) and payload.output.strip() in payload.labels:
        return _choosing(payload.labels)
    return _FREE


_FREE = Prompt("", max_tokens=_LONGEST_ANSWER)


@lru_cache(maxsize=1024)
def _choosing(labels: tuple[str, ...]) -> Prompt:
    return Prompt("", choices=labels, pattern=_pattern(labels), max_tokens=64)


def _pattern(labels: tuple[str, ...]) -> str:
    """The longest label first, so that 满意 is not read out of 不满意."""
    ordered = sorted((normal_form("NFKC", label) for label in labels), key=len)
    return "(" + "|".join(_bounded(label) for label in reversed(ordered)) + ")"


def _bounded(label: str) -> str:
    before = r"(?<![A-Za-z0-9])" if label[:1].isascii() and label[:1].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if label[-1:].isascii() and label[-1:].isalnum() else ""
    return before + re.escape(label) + after
