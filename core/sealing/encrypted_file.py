"""A JSON document in a file that is encrypted with age (age-encryption.org/v1) to some people."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyrage

from core.bounded_json import parse_json
from core.errors import InputError, unreadable
from core.files import canonical_bytes, make_private_folder, read_regular
from core.redaction import guard_secret
from core.sealing.archive import identity_of, recipient_of
from core.sealing.signing import write_secret

_MOST_KEY = 4096  # bytes


def own_recipient(path: Path) -> str:
    """The age recipient (``age1…``) of the identity in a file, which is made where there is none.

    InputError for a file that holds none.
    """
    if not path.exists():
        make_private_folder(path.parent)
        made = pyrage.x25519.Identity.generate()
        guard_secret(str(made))
        write_secret(path, f"{made}\n".encode())
    return str(_identity_in(path).to_public())


def _identity_in(path: Path) -> Any:
    lines = read_regular(path, _MOST_KEY).decode("utf-8", "replace").splitlines()
    keys = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if len(keys) != 1:
        raise InputError.tr("“{path}” does not contain exactly one age identity.", path=path)
    return identity_of(keys[0])


def write_encrypted(path: Path, document: Mapping[str, Any], recipients: Sequence[str]) -> None:
    """Write a new file that the recipients (age, or a line of an SSH public key) can read.

    FileExistsError for a file that is there, InputError for something else than a recipient.
    """
    found = [recipient_of(text) for text in recipients]
    write_secret(path, pyrage.encrypt(canonical_bytes(document), found))


def read_encrypted(path: Path, identity: Path) -> dict[str, Any]:
    """The document in a file, by the identity in another one.

    InputError where the file cannot be read or opened, or holds no document.
    """
    key = _identity_in(identity) if identity.exists() else None
    try:
        if key is None:
            raise pyrage.DecryptError
        document = parse_json(pyrage.decrypt(read_regular(path), [key]))
    except OSError as error:
        raise unreadable(path, error) from error
    except pyrage.DecryptError as error:
        raise InputError.tr(
            "“{path}” is not encrypted to the key of this account ({key}).", path=path,
            key=identity
        ) from error  # fmt: skip
    except ValueError as error:
        raise InputError.tr("“{path}” is damaged.", path=path) from error
    if not isinstance(document, dict):
        raise InputError.tr("“{path}” is damaged.", path=path)
    return document
