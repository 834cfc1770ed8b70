"""Hosts in addresses of the web: one that every reader of addresses understands alike, or none."""

import ipaddress
import re
from urllib.parse import urlsplit

from core.unicode_forms import normal_form

_HOST_AND_PORT = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d*)?")


def web_host(address: str) -> str:
    """The host of an ``http`` or ``https`` address, in lower case; empty for what is none.

    An address whose host is spelled so that two programs could take it for two hosts has none:
    with control characters, percent signs, backslashes, a name of a user before it, or look-alikes
    that are mapped to others.
    """
    if not address.isprintable() or any(character.isspace() for character in address):
        return ""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        return ""
    written = parts.netloc
    plain = _HOST_AND_PORT.fullmatch(written) and normal_form("NFKC", written) == written
    return parts.hostname or "" if usable and plain else ""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine for certain: by its name or its whole number."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"  # 127.example.org begins like a number and is anybody's
