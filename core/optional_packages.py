"""Packages that an installation may lack: the frozen program has them in a second package, so that
somebody who only annotates need not fetch them."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import OutsideError
from core.i18n import tr
from core.own_process import is_frozen

EXTRAS = "benchseal-extras"


def how_to_add(package: str) -> str:
    """The sentence that says what to install; ``package`` is its name in the index of Python."""
    if is_frozen():
        return tr("It is not in this program: install {extras} of the same version beside it.",
                  extras=EXTRAS)  # fmt: skip
    return tr("Install the package {package} and try again.", package=package)


@contextmanager
def needed_for(purpose: str, package: str) -> Iterator[None]:
    """OutsideError, which says what it is for and how to add it, where an import inside fails."""
    try:
        yield
    except ImportError as error:
        raise OutsideError.tr(
            "{purpose} needs {package}. {remedy}", purpose=purpose, package=package,
            remedy=how_to_add(package)
        ) from error  # fmt: skip
