"""Time stamps of an RFC 3161 server: who asks shows that something was there at a moment.

What is sent is a SHA-512 digest and a random number; what comes back holds the moment and is signed
by a certificate whose root one trusts.
"""

import hashlib
from datetime import datetime
from pathlib import Path

from cryptography.x509 import Certificate, load_pem_x509_certificates

from core.errors import InputError, OutsideError
from core.files import read_regular
from core.i18n import tr

_LONGEST_ANSWER = 2**18  # bytes
_PATIENCE_S = 10.0
_HEADERS = {"content-type": "application/timestamp-query", "accept": "application/timestamp-reply"}
_MOST_ROOTS = 2**22  # bytes


def stamp(content: bytes, server: str) -> bytes:
    """The answer of a time-stamp server (DER) that it saw the digest of the content.

    OutsideError where none came, or one to something else.
    """
    import httpx2
    from rfc3161_client import TimestampRequestBuilder, decode_timestamp_response

    from core.bounded_http import RefusedAnswer, post

    asked = TimestampRequestBuilder().data(content).build()
    try:
        answer = post(server, asked.as_bytes(), total_s=_PATIENCE_S, headers=_HEADERS,
                      most_bytes=_LONGEST_ANSWER)  # fmt: skip
        answer.raise_for_status()
        response = decode_timestamp_response(answer.content)
        info = response.tst_info  # ValueError for a refusal
        if info.nonce != asked.nonce or info.message_imprint.message != _digest(content):
            raise ValueError(tr("its answer belongs to another request"))
    except (httpx2.HTTPError, httpx2.InvalidURL, RefusedAnswer, ValueError) as error:
        raise OutsideError.tr(
            "The time-stamp server “{server}” did not stamp the anchor, which is kept without a "
            "time stamp: {reason}.", server=server,
            reason=str(error).rstrip(".") or type(error).__name__
        ) from error  # fmt: skip
    return answer.content


def checked(stamp: bytes, content: bytes, roots: Path | None) -> datetime:
    """When (aware) a content was stamped.

    ``roots`` is a PEM file with the root certificates that are trusted; without one only the digest
    is compared, which anybody can make. ValueError where the stamp is not one, is of another
    content or is signed by nobody who is trusted; InputError for a file without certificates.
    """
    from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

    response = decode_timestamp_response(stamp)
    if response.tst_info.message_imprint.message != _digest(content):
        raise ValueError("a stamp of another content")
    if roots is not None:
        builder = VerifierBuilder(roots=_certificates(roots))
        try:
            if not builder.build().verify_message(response, content):
                raise ValueError("not signed by a trusted certificate")
        except VerificationError as error:
            raise ValueError(str(error)) from error
    return response.tst_info.gen_time


def _certificates(path: Path) -> list[Certificate]:
    try:
        return load_pem_x509_certificates(read_regular(path.expanduser(), _MOST_ROOTS))
    except (OSError, ValueError) as error:
        raise InputError.tr("“{path}” contains no readable certificates.", path=path) from error


def _digest(content: bytes) -> bytes:
    return hashlib.sha512(content).digest()
