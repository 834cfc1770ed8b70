"""What is stored as people read it: states of items, verdicts, reasons, outcomes, criteria."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.i18n import tr

Words = Mapping[str, Callable[[], str]]

ITEM_STATES: Words = MappingProxyType(
    {
        "draft": lambda: tr("draft"),
        "screening": lambda: tr("in screening"),
        "screened_out": lambda: tr("screened out"),
        "in_review": lambda: tr("in review"),
        "accepted": lambda: tr("accepted"),
        "rejected": lambda: tr("rejected"),
        "returned": lambda: tr("returned"),
        "approved": lambda: tr("approved"),
        "frozen": lambda: tr("frozen"),
    }
)
VERDICT_NAMES: Words = MappingProxyType(
    {
        "accept": lambda: tr("accept"),
        "reject": lambda: tr("reject"),
        "return": lambda: tr("return"),
    }
)
"""The verdict as a deed, not as what became of an item."""
REASONS: Words = MappingProxyType(
    {
        "ambiguous": lambda: tr("ambiguous"),
        "not_solvable": lambda: tr("not solvable"),
        "formula": lambda: tr("formula"),
        "language": lambda: tr("language"),
        "wrong_key": lambda: tr("wrong key"),
        "other": lambda: tr("other"),
    }
)
ROLES: Words = MappingProxyType(
    {
        "annotator": lambda: tr("annotator"),
        "specialist": lambda: tr("specialist"),
        "researcher": lambda: tr("researcher"),
        "lead": lambda: tr("lead"),
    }
)
STORED: Words = MappingProxyType(
    {
        **ITEM_STATES,
        **VERDICT_NAMES,
        **REASONS,
        "open": lambda: tr("open"),
        "passed": lambda: tr("passed"),
        "invalid": lambda: tr("unreadable"),
        "truncated": lambda: tr("truncated"),
        "refused": lambda: tr("refused"),
        "failed": lambda: tr("failed"),
        "decision": lambda: tr("decision"),
        "Fluency": lambda: tr("Fluency"),
        "Coherence": lambda: tr("Coherence"),
        "Factuality": lambda: tr("Factuality"),
        "Accuracy": lambda: tr("Accuracy"),
    }
)
"""All of these at once, for dashboards and histories, where any of them may stand."""
SETTING_TITLES: Words = MappingProxyType(
    {
        "target": lambda: tr("Target number of items"),
        "overlap": lambda: tr("Reviewers per item"),
        "gate": lambda: tr("Language-model gate"),
        "threshold": lambda: tr("Lowest passing score (0 to 10)"),
        "gate_audit_share": lambda: tr("Share of screened-out items sent to review"),
        "audit_sample": lambda: tr("Items drawn for the audit (0: none)"),
        "audit_allowed": lambda: tr("Failures allowed for a lot to pass"),
        "private_share": lambda: tr("Private share"),
        "instructions": lambda: tr("Instruction variants"),
        "public_instructions": lambda: tr("Public instruction variants"),
        "raters": lambda: tr("Raters per sampled item"),
        "rating_sample": lambda: tr("Items drawn for rating"),
        "rubric": lambda: tr("Rubric"),
        "lease_minutes": lambda: tr("Minutes until a claim expires"),
        "gold_rate": lambda: tr("Share of gold items"),
        "gold_limit": lambda: tr("Gold accuracy below which a reviewer is paused"),
        "qualification": lambda: tr("Gold items of the qualification round (0: none)"),
        "qualification_pass": lambda: tr("Share of them that must be right to pass"),
        "skip": lambda: tr("Where skipped items go"),
    }
)
"""The settings of a protocol by their names."""
TASK_PARTS: Words = MappingProxyType(
    {
        "guideline": lambda: tr("guideline"),
        "instruction": lambda: tr("instruction"),
        "labels": lambda: tr("label space"),
        "reasons": lambda: tr("rejection reasons"),
        "rubric": lambda: tr("rubric"),
        "judge": lambda: tr("instructions for judges"),
    }
)
"""What people write about a task (``core.workflow.tasks.DESCRIBED``)."""


def word(words: Words, value: str) -> str:
    """The word for a stored value; the value itself, readable, where we have none."""
    label = words.get(value)
    return label() if label else value.replace("_", " ")


def label_of(value: str) -> str:
    """The word for any stored value."""
    return word(STORED, value)


def role_label(role: str) -> str:
    """The word for a role."""
    return word(ROLES, role)


def criterion_label(name: str) -> str:
    """A criterion as people read it: its title in the rubric that has it."""
    from core.workflow.rubrics import rubrics

    titles = (c.title for rubric in rubrics() for c in rubric.criteria if c.name == name)
    return label_of(next(titles, name))
