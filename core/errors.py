"""The one exception tree. Every message says what happened, to what, and what to do next.

The message of an error is for people and translated when it is made: ``InputError.tr("…")``.
``exit_code`` is what the command line ends with: 1 the user's input or state is wrong,
2 usage, 3 something outside is missing or failing, 4 a number failed its independent check.
"""

from typing import Any, Self

from core import i18n


class BenchsealError(Exception):
    """Base of everything Benchseal raises on purpose.

    ``command`` is what to do about it on the command line: said there after the message, and
    nowhere else. ``field`` names the field of a form that the message is about, where there is one.
    """

    exit_code = 1

    def __init__(self, *args: object, command: str = "", field: str = "") -> None:
        super().__init__(*args)
        self.command = command
        self.field = field

    @classmethod
    def tr(cls, sentence: str, /, **values: Any) -> Self:
        """The error that says this sentence in the language in use (``core.i18n.tr``)."""
        return cls(i18n.tr(sentence, **values))

    @classmethod
    def trn(cls, singular: str, plural: str, n: int, /, **values: Any) -> Self:
        """The error that says the form which fits the count ``n`` (``core.i18n.trn``)."""
        return cls(i18n.trn(singular, plural, n, **values))

    @property
    def on_command_line(self) -> str:
        """The message, and what to do about it there."""
        return f"{self} {self.command}" if self.command else str(self)


class InputError(BenchsealError):
    """A file, an argument or a value given by the user is not usable."""


def unreadable(path: object, error: OSError) -> InputError:
    """The system refused to read a file that the user named."""
    return InputError.tr("Could not read “{path}”: {reason}.", path=path, reason=reason_of(error))


def unwritable(path: object, error: OSError) -> InputError:
    """The system refused to write where the user wants a file."""
    return InputError.tr("Could not write “{path}”: {reason}.", path=path, reason=reason_of(error))


def reason_of(error: OSError) -> str:
    """What the system says of its refusal."""
    return error.strerror or str(error)


class StateError(BenchsealError):
    """The request is fine, but not in the present state of the workspace or the run."""


class NotFoundError(BenchsealError):
    """A named item, split, run, person or file does not exist."""


class RightsError(BenchsealError):
    """This person may not do this, or not to this item."""


class ConflictError(BenchsealError):
    """Somebody else was faster; nothing was written."""


class StandsAlreadyError(ConflictError):
    """What one asked for stands already, by oneself, in another window or on the command line:
    nothing was written, and nothing went wrong."""


class WorkspaceError(BenchsealError):
    """The workspace cannot be opened or written: wrong file, newer schema, read-only, full disk."""


class WorkspaceOutsideError(WorkspaceError):
    """What keeps a workspace from being opened or written lies outside of it: its server, the
    certificate, the disk, a newer program."""

    exit_code = 3


class PasswordMissingError(InputError):
    """A database server wants a password, and none was given or found, or a wrong one."""

    exit_code = 3


class UsageError(BenchsealError):
    """The command line is not well formed."""

    exit_code = 2


class CheckError(BenchsealError):
    """A number that an independent package computes otherwise; nothing was written."""

    exit_code = 4


class OutsideError(BenchsealError):
    """Something outside Benchseal is missing or failing: a server, a program, a package."""

    exit_code = 3


class ConnectionLostError(OutsideError):
    """The server of a workspace does not answer, or no longer; whether what was being written
    arrived is unknown."""
