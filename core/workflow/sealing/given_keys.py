"""What somebody gives to open a locked archive, from files: identities and custodians' shares."""

from collections.abc import Sequence
from pathlib import Path

from core.errors import InputError, unreadable
from core.files import read_regular
from core.sealing.archive import Unlocking, identities_in
from core.sealing.custodians import read_share

_MOST_BYTES = 2**20


def text_of(path: Path) -> str:
    """The text of a small file; InputError for one that cannot be read."""
    try:
        return read_regular(path, _MOST_BYTES).decode()
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise InputError.tr("“{path}” is not a text file.", path=path) from error


def identities_of(paths: Sequence[Path]) -> tuple[str, ...]:
    """The identities in some files; InputError for a file without one."""
    identities: list[str] = []
    for path in paths:
        found = identities_in(text_of(path))
        if not found:
            raise InputError.tr("“{path}” contains no identity.", path=path)
        identities += found
    return tuple(identities)


def unlocking_from(paths: Sequence[Path], passphrase: str = "") -> Unlocking | None:
    """What these files and this passphrase open; a file holds identities or one share. None for
    nothing, InputError for a file of another kind."""
    if not paths and not passphrase:
        return None
    shares = [path for path in paths if text_of(path).lstrip().startswith("{")]
    others = [path for path in paths if path not in shares]
    return Unlocking(identities_of(others), passphrase, tuple(map(read_share, shares)))
