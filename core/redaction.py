"""What tells of a secret: names of parameters and variables, and addresses that hold a key.

Whatever is kept with a run, a profile or a workspace is read by others, so no key may be in it.
"""

import base64
import html
import re
import resource
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from core.errors import InputError

_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD_SEPARATOR = re.compile(r"[-_.\s]+")
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
_SIGNATURE = re.compile(r"(?:^|[-_])sig(?:nature)?$", re.IGNORECASE)  # of a signed address
_BEFORE_HOST = re.compile(r"^([A-Za-z][A-Za-z0-9+.\-]*:/*)?.*@")
HIDDEN = "[key]"
SHORTEST_SECRET = 8  # characters; a shorter one, such as EMPTY, may be a word of an answer
# where a secret may be written otherwise than it is
_ENCODED = re.compile(r"[\\%&]|[A-Za-z0-9+/_\-]{10}")
# control characters, line ends, marks that turn the order of letters about, half surrogate pairs
_CONTROL_CHARACTERS = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ud800-\\udfff]"
)
_USER_PART = re.compile(r"^[A-Za-z][A-Za-z0-9+.\-]*://[^/\s@]+@")


def names_secret(name: str) -> bool:
    """Whether a parameter or header of that name holds a secret, as far as its name tells."""
    *before, last = _WORD_SEPARATOR.split(_CAMEL_CASE.sub("_", name.strip()).casefold())
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
    found = next((name for name in names if names_secret(name) or _SIGNATURE.search(name)), "")
    return found or ("sk-…" if looks_like_key(parts.path) else "")


def looks_like_key(text: str) -> bool:
    """Whether a text holds what is certainly a key of one of the well-known services."""
    return bool(_KEY.search(text))


def redacted_url(url: str) -> str:
    """An address as it may be shown: its user part, query and fragment left out."""
    return re.split(r"[?#]", _BEFORE_HOST.sub(r"\1…@", url))[0]


_known: set[str] = set()
_CORE_FILTER = Path("/proc/self/coredump_filter")  # core(5): which memory a core has; Linux alone


def guard_secret(secret: str) -> None:
    """Have this process write ``secret`` nowhere, also when it is ended by a fault: from here on no
    core is dumped. One of a few characters may be a plain word."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):  # the limit does not hold where a system hands cores to a program
        _CORE_FILTER.write_text("0", encoding="ascii")
    if len(secret) >= SHORTEST_SECRET:
        _known.add(secret)


def without_known_secrets(text: str) -> str:
    """Text without the secrets of this process, however they are written in it."""
    for secret in _known:
        text = without_secret(text, secret)
    return text


def without_secret(text: str, secret: str) -> str:
    """Text without a secret: as it is, in capitals, or with characters written as escapes of JSON,
    of addresses or of HTML; and without text that has it in Base64 or in hexadecimal digits."""
    if not _ENCODED.search(text) and secret.casefold() not in text.casefold():
        return text
    return _pattern_of(secret).sub(HIDDEN, text)


@lru_cache(maxsize=16)
def _pattern_of(secret: str) -> re.Pattern[str]:
    """Finds a secret; each of its characters may be written in another way."""
    spelled = "".join(_spelled(character) for character in secret)
    encoded = secret.encode()
    others = [encoded.hex(), *_in_base64(encoded)]
    return re.compile("|".join([spelled, *map(re.escape, others)]), re.IGNORECASE)


def _spelled(character: str) -> str:
    number, named = ord(character), html.escape(character)
    ways = [
        re.escape(character), rf"\\+u0*{number:x}", rf"\\+u\{{0*{number:x}\}}",
        rf"\\+x{number:02x}", rf"\\+0*{number:o}", rf"%(?:25)*{number:02x}",
        rf"&(?:amp;)*\#0*{number};?", rf"&(?:amp;)*\#x0*{number:x};?", re.escape(named),
    ]  # fmt: skip
    return rf"(?:{'|'.join(ways)})"


def _in_base64(secret: bytes) -> list[str]:
    """What stays the same of a secret in Base64, whichever place of three it begins at."""
    parts = []
    for before in range(3):
        text = base64.b64encode(b"\0" * before + secret).decode().rstrip("=")
        # the first and last characters also tell of the bytes beside the secret
        part = text[-(-before * 8 // 6) : (before + len(secret)) * 8 // 6]
        parts += [part, part.replace("+", "-").replace("/", "_")]
    return list(dict.fromkeys(parts))


def one_line(text: str) -> str:
    """Text from outside as it may stand in a log or a sentence: on one line, with everything that
    a terminal or a reader of lines would obey written out."""
    return _CONTROL_CHARACTERS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def refuse_stored_key(base_url: str, key_env: str = "") -> None:
    """Raise InputError where an address, or the name of a key's variable, holds a key itself.

    Both are kept with runs. What is refused is not repeated.
    """
    secret = secret_in_address(base_url)
    if secret:
        raise InputError.tr(
            "The server address contains a password or key (“{name}”), which would be "
            "stored. Remove it from the address and put the key in the environment "
            "variable {variable} or the system keyring.",
            name=secret,
            variable="BENCHSEAL_API_KEY",
        )
    if key_env and (not _VARIABLE.fullmatch(key_env) or looks_like_key(key_env)):
        raise InputError.tr(
            "This would store the key itself. Give the name of the environment variable "
            "that holds it: letters, digits and underscores, such as {variable}.",
            variable="BENCHSEAL_API_KEY",
        )
