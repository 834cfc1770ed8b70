"""The words for what is stored, as people read them: states of items, verdicts, reasons."""

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


def word(words: Words, value: str) -> str:
    """The word for a stored value; the value itself, readable, where we have none."""
    found = words.get(value)
    return found() if found else value.replace("_", " ")
