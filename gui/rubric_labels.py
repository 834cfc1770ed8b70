"""The rubrics that ship, as people read them in their own language."""

from types import MappingProxyType

from core.i18n import tr
from core.workflow.rubrics import Criterion, ScaleValue
from gui.labels import Words

_TITLES: Words = MappingProxyType(
    {
        "fluency": lambda: tr("Fluency"),
        "coherence": lambda: tr("Coherence"),
        "factuality": lambda: tr("Factuality"),
        "accuracy": lambda: tr("Accuracy of the label"),
    }
)
_QUESTIONS: Words = MappingProxyType(
    {
        "fluency": lambda: tr("Is the language free of errors and pleasant to read?"),
        "coherence": lambda: tr("Does the text hang together and say clearly what it means?"),
        "factuality": lambda: tr("Is what the text states true, going by the knowledge shown?"),
        "accuracy": lambda: tr("Does the label fit the text?"),
    }
)
_VALUES: Words = MappingProxyType(
    {
        "fluency 1": lambda: tr(
            "Several mistakes in grammar or spelling; hard to read or to understand."
        ),
        "fluency 2": lambda: tr(
            "A few mistakes that disturb a little; the meaning as a whole is clear."
        ),
        "fluency 3": lambda: tr("No mistakes; natural and easy to understand."),
        "coherence 1": lambda: tr("No order that a reader could follow."),
        "coherence 2": lambda: tr(
            "A basic order and a theme that shows, but vague or roundabout in places."
        ),
        "coherence 3": lambda: tr("Well ordered, direct and clear throughout."),
        "factuality 0": lambda: tr("Several errors, or one that misleads."),
        "factuality 1": lambda: tr("Everything it states is right and can be verified."),
        "accuracy 0": lambda: tr("The label does not fit, or leads astray."),
        "accuracy 1": lambda: tr("The label says what the text shows."),
    }
)


def title(criterion: Criterion) -> str:
    """The name of a criterion; its own where it is none of ours."""
    found = _TITLES.get(criterion.name)
    return found() if found else criterion.title


def question(criterion: Criterion) -> str:
    """What a criterion asks."""
    found = _QUESTIONS.get(criterion.name)
    return found() if found else criterion.question


def meaning(criterion: Criterion, value: ScaleValue) -> str:
    """What a value of a criterion means."""
    found = _VALUES.get(f"{criterion.name} {value.value:g}")
    return found() if found else value.text
