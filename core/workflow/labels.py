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
