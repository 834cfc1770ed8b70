"""The keyring of the system, where keys and passwords of this person are kept."""

import configparser

from core.errors import OutsideError

SERVICE = "benchseal"  # under which all entries of ours are
# a keyring that is set up wrongly fails where it is first asked, with whatever its module raises
_TROUBLES = (RuntimeError, OSError, ImportError, AttributeError, ValueError, TypeError,
             configparser.Error)  # fmt: skip


def kept(entry: str) -> str:
    """What the keyring has under that name; empty where it has nothing or none answers."""
    import keyring
    from keyring.errors import KeyringError

    try:
        return str(keyring.get_password(SERVICE, entry) or "")
    except (KeyringError, *_TROUBLES):
        return ""


def keep(entry: str, secret: str) -> None:
    """Let the keyring keep a secret; OutsideError where there is none that does."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, entry, secret)
    except (KeyringError, *_TROUBLES) as error:
        raise OutsideError.tr(
            "This machine has no system keyring. Use --env with the name of a variable."
        ) from error


def keyring_name() -> str:
    """What keeps secrets here, by its own name; empty where nothing does.

    Raises OutsideError where one is set up that cannot be loaded.
    """
    import keyring
    from keyring.backends import fail, null
    from keyring.errors import KeyringError

    try:
        backend = keyring.get_keyring()
    except (KeyringError, *_TROUBLES) as error:
        raise OutsideError.tr(
            "The keyring that is set up cannot be loaded: {reason}.", reason=error
        ) from error
    return "" if isinstance(backend, fail.Keyring | null.Keyring) else str(backend.name)
