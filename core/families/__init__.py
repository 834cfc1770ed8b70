"""The item families. To add one: a file beside this one and an entry in ``all_families.FAMILIES``.

They are loaded when they are used: most commands list items and never read one.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from core.i18n import tr_noop
from core.known_names import part_named

if TYPE_CHECKING:
    from core.families.all_families import FAMILIES as FAMILIES
    from core.families.base import Family


@lru_cache(maxsize=64)  # asked several times of every item
def family(name: str) -> "Family":
    """The family of that name; raises NotFoundError for an unknown one."""
    from core.families.all_families import FAMILIES

    return part_named(
        FAMILIES, name, tr_noop("There is no item family “{name}”. Available: {known}.")
    )


def __getattr__(name: str) -> Any:
    if name == "FAMILIES":
        from core.families import all_families

        return all_families.FAMILIES
    raise AttributeError(name)
