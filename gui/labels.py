"""Stored values as people read them: states, verdicts, formats, roles, settings, rubrics."""

from collections.abc import Mapping
from types import MappingProxyType

from core.i18n import tr, with_note
from core.workflow.labels import (
    BARRED,
    DEFECTS,
    EVENT_KINDS,
    FAMILIES,
    FORMATS,
    ITEM_STATES,
    METRICS,
    REASONS,
    ROLES,
    RUN_KINDS,
    RUN_STATES,
    SETTING_TITLES,
    SPLIT_STATES,
    TEXTS,
    VERDICT_NAMES,
    Words,
    word,
)
from core.workflow.rubrics import Criterion, ScaleValue, rubrics

__all__ = [
    "BARRED",
    "BULK",
    "DEFECTS",
    "EVENT_KINDS",
    "FAMILIES",
    "FORMATS",
    "ITEM_STATES",
    "JUDGED",
    "LANGUAGES",
    "METRICS",
    "REASONS",
    "ROLES",
    "RUN_KINDS",
    "RUN_STATES",
    "SETTING_CHOICES",
    "SETTING_TITLES",
    "SPLIT_STATES",
    "STAGES",
    "TEXTS",
    "UNDOABLE",
    "VERDICTS",
    "VERDICT_NAMES",
    "YES_OR_NO",
    "Words",
    "criterion_question",
    "criterion_title",
    "engine_words",
    "ink_of",
    "scale_meaning",
    "setting_title",
    "setting_value",
    "word",
]

VERDICTS: Words = MappingProxyType(
    {
        "accept": lambda: tr("accepted"),
        "reject": lambda: tr("rejected"),
        "return": lambda: tr("returned"),
        "skip": lambda: tr("skipped"),
    }
)
UNDOABLE: Words = MappingProxyType(
    {
        "decided": lambda: tr("decision"),
        "adjudicated": lambda: tr("adjudication"),
        "audit_decided": lambda: tr("audit decision"),
        "submitted": lambda: tr("submission"),
        "revised": lambda: tr("revision"),
        "rated": lambda: tr("rating"),
        "bulk": lambda: tr("bulk change"),
        "skipped": lambda: tr("skip"),
    }
)
BULK: Words = MappingProxyType(
    {
        "reject": lambda: tr("Reject items in bulk"),
        "return": lambda: tr("Return items in bulk"),
        "reopen": lambda: tr("Send items back to review in bulk"),
        "second_look": lambda: tr("Request a second look"),
        "looked_again": lambda: tr("End the second look"),
        "declare_errata": lambda: tr("Declare errata"),
        "withdraw_errata": lambda: tr("Withdraw errata"),
    }
)
LANGUAGES: Words = MappingProxyType(
    {
        "zh": lambda: tr("Chinese"),
        "en": lambda: tr("English"),
    }
)
STAGES: Words = MappingProxyType(
    {
        "1": lambda: tr("stage 1, production"),
        "2": lambda: tr("stage 2, check"),
        "3": lambda: tr("stage 3, audit"),
    }
)
JUDGED: Words = MappingProxyType(
    {
        "creativity": lambda: tr("creativity"),
        "fluency": lambda: tr("fluency"),
        "instruction_following": lambda: tr("following the instruction"),
        "confidence": lambda: tr("confidence"),
        "answer_correct": lambda: tr("answer is correct"),
        "reference_correct": lambda: tr("reference is correct"),
    }
)
"""What a judge rates."""
YES_OR_NO: Words = MappingProxyType({"yes": lambda: tr("yes"), "no": lambda: tr("no")})
SETTING_CHOICES: Mapping[str, Words] = MappingProxyType(
    {
        "gate": MappingProxyType(
            {
                "required": lambda: tr("required before review"),
                "optional": lambda: tr("optional"),
                "off": lambda: tr("off"),
            }
        ),
        "skip": MappingProxyType(
            {
                "to_end": lambda: tr("to the end of their own queue"),
                "to_others": lambda: tr("to others"),
                "with_reason": lambda: tr("to others, with a reason"),
            }
        ),
    }
)
_CRITERION_TITLES: Words = MappingProxyType(
    {
        "fluency": lambda: tr("Fluency"),
        "coherence": lambda: tr("Coherence"),
        "factuality": lambda: tr("Factuality"),
        "accuracy": lambda: tr("Label accuracy"),
    }
)
_CRITERION_QUESTIONS: Words = MappingProxyType(
    {
        "fluency": lambda: tr("Is the text free of language errors and pleasant to read?"),
        "coherence": lambda: tr("Is the text coherent, and is its meaning clear?"),
        "factuality": lambda: tr("Given the knowledge shown, is what the text states true?"),
        "accuracy": lambda: tr("Does the label fit the text?"),
    }
)
_SCALE_VALUES: Words = MappingProxyType(
    {
        "fluency 1": lambda: tr(
            "Several mistakes in grammar or spelling; hard to read or to understand."
        ),
        "fluency 2": lambda: tr(
            "A few mistakes that are slightly distracting; the overall meaning is clear."
        ),
        "fluency 3": lambda: tr("No mistakes; natural and easy to understand."),
        "coherence 1": lambda: tr("No order that a reader can follow."),
        "coherence 2": lambda: tr(
            "Some order and a recognisable theme, but vague or roundabout in places."
        ),
        "coherence 3": lambda: tr("Well ordered, direct and clear throughout."),
        "factuality 0": lambda: tr("Several errors, or one that is misleading."),
        "factuality 1": lambda: tr("Everything it states is correct and verifiable."),
        "accuracy 0": lambda: tr("The label does not fit or is misleading."),
        "accuracy 1": lambda: tr("The label matches what the text says."),
    }
)

_VERDICT_INK = MappingProxyType({"accept": "accept", "reject": "reject", "return": "return"})
_STATE_INK = MappingProxyType(
    {
        "accepted": "accept",
        "approved": "accept",
        "frozen": "accent",
        "rejected": "reject",
        "screened_out": "reject",
        "returned": "return",
        "failed": "reject",
        "interrupted": "return",
        "stopped": "return",
        "preempted": "return",
        "timeout": "return",
        "running": "accent",
        "finished": "accept",
    }
)


def ink_of(value: str) -> str:
    """Name of the ink in which a state or verdict is written; ``muted`` where it has none."""
    return _VERDICT_INK.get(value) or _STATE_INK.get(value) or "muted"


def setting_title(name: str) -> str:
    """The title of a setting; its own name where we have none."""
    return word(SETTING_TITLES, name)


def setting_value(name: str, value: object) -> str:
    """A value as it is read."""
    if name in SETTING_CHOICES and str(value) in SETTING_CHOICES[name]:
        return SETTING_CHOICES[name][str(value)]()
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) or tr("none")


def criterion_title(criterion: Criterion) -> str:
    """The name of a criterion; its own where it is none of ours."""
    return _ours(_CRITERION_TITLES, criterion, criterion.name) or criterion.title


def criterion_question(criterion: Criterion) -> str:
    """What a criterion asks."""
    return _ours(_CRITERION_QUESTIONS, criterion, criterion.name) or criterion.question


def scale_meaning(criterion: Criterion, value: ScaleValue) -> str:
    """What a value of a criterion means."""
    return _ours(_SCALE_VALUES, criterion, f"{criterion.name} {value.value:g}") or value.text


def _ours(words: Words, criterion: Criterion, name: str) -> str:
    """What we say of a shipped criterion; nothing of one that a task words otherwise."""
    shipped = any(criterion in entry.criteria for entry in rubrics())
    return words[name]() if shipped and name in words else ""


def engine_words(name: str, title: str) -> str:
    """An engine as one chooses it; a baseline with the name under which its scores are listed."""
    return with_note(title, name) if name.startswith("baseline:") else title
