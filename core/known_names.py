"""A name that somebody gave, looked up among those there are.

The sentence about an unknown one has the placeholders ``{name}`` and ``{known}``, and is marked
with ``tr_noop`` where it stands.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from core.errors import InputError, NotFoundError
from core.i18n import listed


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Part = TypeVar("_Part", bound=_Named)


def part_named(parts: Sequence[_Part], name: str, unknown: str) -> _Part:
    """The part of a registry that has the name; NotFoundError, which names them all, for none."""
    for part in parts:
        if part.name == name:
            return part
    raise NotFoundError.tr(unknown, name=name, known=listed(part.name for part in parts))


def refuse_unknown(name: str, known: Iterable[str], unknown: str) -> None:
    """InputError, which names them all, for a name that is none of the known ones."""
    names = tuple(known)
    if name not in names:
        raise InputError.tr(unknown, name=name, known=listed(names))
