"""The words of the boards for what is stored: states, verdicts, reasons, criteria."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.text import tr

WORDS: Mapping[str, Callable[[], str]] = MappingProxyType(
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
        "accept": lambda: tr("accept"),
        "reject": lambda: tr("reject"),
        "return": lambda: tr("return"),
        "ambiguous": lambda: tr("ambiguous"),
        "not_solvable": lambda: tr("not solvable"),
        "formula": lambda: tr("formula"),
        "language": lambda: tr("language"),
        "other": lambda: tr("other"),
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
    found = WORDS.get(value)
    return found() if found else value.replace("_", " ")


def criterion_word(name: str) -> str:
    """A criterion as people read it: its title in the rubric that has it."""
    from core.workflow.rubrics import rubrics

    for known in rubrics():
        for criterion in known.criteria:
            if criterion.name == name:
                return word(criterion.title)
    return word(name)
