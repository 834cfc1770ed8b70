"""How a server's certificate is verified: as an address says, and never less."""

import os
from pathlib import Path

from sqlalchemy.engine import URL

_SURE = ("verify-ca", "verify-full")


def verified(url: URL) -> dict[str, str]:
    """What makes libpq verify a server's certificate: always, but for this machine's own servers.

    An address may name the authority (``sslrootcert``) and ``verify-ca``; it cannot ask for less.
    """
    asked = url.query
    hosts = [url.host or "", *_texts(asked.get("host")), *_texts(asked.get("hostaddr"))]
    named = [host for value in hosts for host in value.split(",") if host]
    local = ("localhost", "127.0.0.1", "::1")
    if all(host.startswith("/") or host in local for host in named) and not (
        not named and os.environ.get("PGHOST", "/").partition("/")[0] not in ("", *local)
    ):
        return {}
    mode = "".join(_texts(asked.get("sslmode")))
    arguments = {} if mode in _SURE else {"sslmode": "verify-full"}
    own = Path.home() / ".postgresql" / "root.crt"
    if "sslrootcert" not in asked and "PGSSLROOTCERT" not in os.environ and not own.exists():
        arguments["sslrootcert"] = "system"
    return arguments


def _texts(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value
