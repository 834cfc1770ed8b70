"""Where the key of a server comes from, and how it is kept out of every message.

Order: the variable named by ``ModelServer.key_env``, ``BENCHSEAL_API_KEY``, ``OPENAI_API_KEY``,
then the system keyring (service ``benchseal``, user name = the server's address, then
``default``). A key is never stored, logged or put into an exception.
"""

import os
import re

from core.errors import InputError
from core.i18n import tr
from core.llm.types import ModelServer

KEY_VARIABLES = ("BENCHSEAL_API_KEY", "OPENAI_API_KEY")
KEYRING_SERVICE = "benchseal"
_HIDDEN = "[key]"
_LOOKS_LIKE_KEY = re.compile(r"\b(?:sk|pk|hf|gsk|xai)[-_][A-Za-z0-9_\-*]{8,}|(?i:bearer\s+)\S{8,}")


def find_key(server: ModelServer) -> str:
    """The key for a server; empty where there is none. Raises InputError for an unusable one."""
    for name in (server.key_env, *KEY_VARIABLES):
        if name and (value := os.environ.get(name, "").strip()):
            return _usable(value, name)
    return _usable(_from_keyring(server.base_url), "keyring")


def redact(text: str, *keys: str) -> str:
    """``text`` without the given keys, without those of the environment, and without anything
    that looks like one (``sk-…``, ``Bearer …``)."""
    known = [*keys, *(os.environ.get(name, "").strip() for name in KEY_VARIABLES)]
    for key in known:
        if len(key) >= 4:
            text = text.replace(key, _HIDDEN)
    return _LOOKS_LIKE_KEY.sub(_HIDDEN, text)


def _usable(key: str, origin: str) -> str:
    if not (key.isascii() and (key.isprintable() or not key)):
        raise InputError(
            tr(
                "The key from {origin} contains characters that are not allowed in a key. "
                "Set it again.",
                origin=origin,
            )
        )
    return key


def _from_keyring(base_url: str) -> str:
    import keyring
    from keyring.errors import KeyringError

    for user in (base_url, "default"):
        try:
            key = keyring.get_password(KEYRING_SERVICE, user)
        except (KeyringError, RuntimeError, OSError):
            return ""  # a machine without a keyring service simply has no key there
        if key:
            return str(key).strip()
    return ""
