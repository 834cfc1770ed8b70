"""Why a server's certificate was refused, which PostgreSQL's client does not say."""

import socket
import ssl
import struct
from contextlib import suppress

from sqlalchemy.engine import URL

_ASKS_FOR_TLS = struct.pack("!II", 8, 80877103)  # PostgreSQL's protocol, SSLRequest
_EXPIRED = 10  # OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED
_PATIENCE_S = 5.0


def has_expired(url: URL) -> bool:
    """Whether the certificate of an address's server has expired; asks the server."""
    authority = url.query.get("sslrootcert", "")
    file = authority if isinstance(authority, str) and authority not in ("", "system") else None
    with suppress(OSError, ValueError):
        context = ssl.create_default_context(cafile=file)
        context.check_hostname = False
        place = (url.host or "localhost", url.port or 5432)
        with socket.create_connection(place, timeout=_PATIENCE_S) as door:
            door.sendall(_ASKS_FOR_TLS)
            if door.recv(1) == b"S":
                try:
                    context.wrap_socket(door, server_hostname=place[0]).close()
                except ssl.SSLCertVerificationError as error:
                    return error.verify_code == _EXPIRED
    return False
