"""The registry of item families. To add one: a file beside this one and an entry in the tuple."""

from core.errors import NotFoundError
from core.families.answer import AnswerFamily
from core.families.base import Family
from core.families.choice import ChoiceFamily
from core.families.instruction import InstructionFamily
from core.families.rewrite import RewriteFamily
from core.families.scp import ScpFamily
from core.i18n import tr

FAMILIES: tuple[Family, ...] = (
    ScpFamily(),
    InstructionFamily(),
    RewriteFamily(),
    ChoiceFamily(),
    AnswerFamily(),
)


def family(name: str) -> Family:
    """The family of that name; raises NotFoundError for an unknown one."""
    for candidate in FAMILIES:
        if candidate.name == name:
            return candidate
    raise NotFoundError(
        tr(
            "There is no item family “{name}”. Available: {known}.",
            name=name,
            known=", ".join(f.name for f in FAMILIES),
        )
    )
