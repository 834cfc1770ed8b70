"""Which names people, benchmarks, tasks and splits may have: none that is taken for another."""

from collections.abc import Iterable

from core.confusables import is_unseen, look_alike
from core.errors import InputError
from core.i18n import tr


def check_person_name(name: str) -> str:
    """The name without spaces around it; InputError for one that cannot be a person's."""
    name = name.strip()
    if not _legible(name, 80):
        raise InputError(
            tr("A person's name must have 1 to 80 characters and no control characters.")
        )
    return name


def check_benchmark_name(name: str) -> str:
    """The name without spaces around it; InputError for one that cannot be a benchmark's."""
    name = name.strip()
    if not _legible(name, 120):
        raise InputError(
            tr("A benchmark's name must have 1 to 120 characters and no control characters.")
        )
    return name


def check_task_name(name: str) -> str:
    """The name without spaces around it; InputError for one that cannot be a task's."""
    name = name.strip()
    if not _legible(name, 120):
        raise InputError(
            tr("A task's name must have 1 to 120 characters and no control characters.")
        )
    return name


def refuse_alike(name: str, others: Iterable[str]) -> None:
    """InputError for a new name that people would take for one that there is."""
    other = look_alike(name, others)
    if other is not None:
        raise InputError(
            tr(
                "The name “{name}” looks like “{other}”, which is already used. Choose another "
                "name.",
                name=name,
                other=other,
            )
        )


def _legible(name: str, most: int) -> bool:
    return 0 < len(name) <= most and not any(is_unseen(letter) for letter in name)
