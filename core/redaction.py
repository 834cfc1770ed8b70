"""What tells of a secret: names of parameters and variables, and addresses that hold a key.

Whatever is kept with a run, a profile or a workspace is read by others, so no key may be in it.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from core.errors import InputError
from core.i18n import tr

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = re.compile(r"[-_.\s]+")
_SECRET_WORDS = frozenset({
    "accesskey", "accesstoken", "apikey", "apitoken", "auth", "authorization", "authtoken",
    "bearer", "cookie", "cookies", "credential", "credentials", "jwt", "passcode", "passphrase",
    "passwd", "password", "passwords", "privatekey", "pwd", "secret", "secretkey", "secrets"
})  # fmt: skip
_SECRET_KEYS = frozenset({
    "access", "account", "admin", "anthropic", "api", "auth", "aws", "azure", "cohere",
    "dashscope", "deepseek", "deploy", "encryption", "gcp", "gemini", "google", "groq", "hf",
    "license", "master", "mistral", "moonshot", "openai", "openrouter", "private", "secret",
    "service", "session", "signing", "ssh", "ssl", "subscription", "tls", "together", "zhipu"
})  # fmt: skip
# an eos_token is a word of a model, and so are these
_MODEL_TOKENS = frozenset({
    "audio", "begin", "bos", "cls", "end", "eos", "eot", "fim", "first", "image", "last", "mask",
    "new", "next", "pad", "per", "sep", "sot", "special", "start", "stop", "think", "unk",
    "video"
})  # fmt: skip
_CHINESE = ("密钥", "密码", "口令", "令牌")
_SECRET_ENDS = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_KEY = re.compile(r"\b(?:sk|gsk|xai)-[A-Za-z0-9_\-]{16,}|\bhf_[A-Za-z0-9]{16,}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BEFORE_HOST = re.compile(r"^([A-Za-z][A-Za-z0-9+.\-]*:/*)?.*@")
_USER_PART = re.compile(r"^[A-Za-z][A-Za-z0-9+.\-]*://[^/\s@]+@")


def names_secret(name: str) -> bool:
    """Whether a parameter or header of that name holds a secret, as far as its name tells."""
    *before, last = _BETWEEN.split(_HUMP.sub("_", name.strip()).casefold())
    if last == "env":  # names a variable of the environment
        return False
    if any(word in name for word in _CHINESE):
        return True
    if last in ("key", "keys") and before:
        return before[-1] in _SECRET_KEYS
    if last == "token":
        return not before or before[-1] not in _MODEL_TOKENS
    return last == "key" or not _SECRET_WORDS.isdisjoint([*before, last])


def names_secret_variable(name: str) -> bool:
    """Whether an environment variable of that name holds a secret: there any …KEY does."""
    return bool(_SECRET_ENDS.search(name)) or names_secret(name)


def secret_in(value: Any) -> str:
    """The first name in nested values that tells of a secret; "" where there is none.

    Of an address with a key in it, it is what in the address holds the key.
    """
    if isinstance(value, str):
        return secret_in_address(value) if "://" in value else ""
    if isinstance(value, Mapping):
        named = (name if names_secret(str(name)) else secret_in(one) for name, one in value.items())
        return next(filter(None, named), "")
    inner = map(secret_in, value) if isinstance(value, list | tuple) else ()
    return next(filter(None, inner), "")


def secret_in_address(url: str) -> str:
    """What in an address holds a secret, the secret itself left out; "" where there is none."""
    text = url.strip()
    if _USER_PART.match(text):
        return "user:password@"
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    names = (name for name, _ in parse_qsl(f"{parts.query}&{parts.fragment}"))
    found = next(filter(names_secret, names), "")
    return found or ("sk-…" if looks_like_key(parts.path) else "")


def looks_like_key(text: str) -> bool:
    """Whether a text holds what is certainly a key of one of the well-known services."""
    return bool(_KEY.search(text))


def without_secrets(url: str) -> str:
    """An address as it may be shown: its user part, query and fragment left out."""
    return re.split(r"[?#]", _BEFORE_HOST.sub(r"\1…@", url))[0]


def refuse_stored_key(base_url: str, key_env: str = "") -> None:
    """Raise InputError where an address, or the name of a key's variable, holds a key itself.

    Both are kept with runs. What is refused is not repeated.
    """
    secret = secret_in_address(base_url)
    if secret:
        raise InputError(
            tr(
                "The server address contains a password or key (“{name}”), which would be "
                "stored. Remove it from the address and put the key in the environment "
                "variable {variable} or the system keyring.",
                name=secret,
                variable="BENCHSEAL_API_KEY",
            )
        )
    if key_env and (not _VARIABLE.fullmatch(key_env) or looks_like_key(key_env)):
        raise InputError(
            tr(
                "This would store the key itself. Give the name of the environment variable "
                "that holds it: letters, digits and underscores, such as {variable}.",
                variable="BENCHSEAL_API_KEY",
            )
        )
