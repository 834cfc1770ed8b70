"""The settings of a protocol as people read them: titles in order, and words for choices."""

from collections.abc import Mapping
from types import MappingProxyType

from core.i18n import tr
from gui.labels import Words, word

TITLES: Words = MappingProxyType(
    {
        "target": lambda: tr("Items wanted"),
        "overlap": lambda: tr("Reviewers on every item"),
        "gate": lambda: tr("Language-model gate"),
        "threshold": lambda: tr("Lowest score that passes (0 to 10)"),
        "gate_audit_share": lambda: tr("Share of the screened-out shown to people"),
        "audit_sample": lambda: tr("Items drawn for the audit (0: none)"),
        "audit_allowed": lambda: tr("Failures with which a lot passes"),
        "private_share": lambda: tr("Share kept private"),
        "instructions": lambda: tr("Wordings of the instruction"),
        "public_instructions": lambda: tr("Wordings that are public"),
        "raters": lambda: tr("Raters of each sampled item"),
        "rating_sample": lambda: tr("Items drawn for rating"),
        "rubric": lambda: tr("Rubric"),
        "lease_minutes": lambda: tr("Minutes a claim is held"),
        "gold_rate": lambda: tr("Share of gold items mixed in"),
        "gold_limit": lambda: tr("Gold accuracy below which a reviewer is paused"),
        "skip": lambda: tr("Where a skipped item goes"),
    }
)
CHOICES: Mapping[str, Words] = MappingProxyType(
    {
        "gate": MappingProxyType(
            {
                "required": lambda: tr("required before people"),
                "optional": lambda: tr("optional"),
                "off": lambda: tr("off"),
            }
        ),
        "skip": MappingProxyType(
            {
                "to_end": lambda: tr("to the end of one's queue"),
                "to_others": lambda: tr("to others"),
                "with_reason": lambda: tr("to others, with a reason"),
            }
        ),
    }
)


def title(name: str) -> str:
    """The title of a setting; its own name where we have none."""
    return word(TITLES, name)


def value_words(name: str, value: object) -> str:
    """A value as it is read."""
    if name in CHOICES and str(value) in CHOICES[name]:
        return CHOICES[name][str(value)]()
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) or tr("none")
