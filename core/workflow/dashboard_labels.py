"""The words of the boards for what is stored: states, verdicts, reasons, criteria."""

from types import MappingProxyType

from core.i18n import tr
from core.workflow import labels
from core.workflow.labels import ITEM_STATES, REASONS, VERDICT_NAMES

WORDS: labels.Words = MappingProxyType(
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


def word(value: str) -> str:
    """The word for a stored value, or the value itself where we have none."""
    return labels.word(WORDS, value)


def criterion_word(name: str) -> str:
    """A criterion as people read it: its title in the rubric that has it."""
    from core.workflow.rubrics import rubrics

    for known in rubrics():
        for criterion in known.criteria:
            if criterion.name == name:
                return word(criterion.title)
    return word(name)
