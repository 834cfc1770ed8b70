"""An RFC 3161 time-stamp server on loopback, whose answers OpenSSL signs (``openssl ts``)."""

import datetime
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from typing_extensions import override

_CONFIG = """[tsa]
default_tsa = here
[here]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
"""


@dataclass
class TimeStampServer:
    """``roots`` is the certificate that a client must trust. ``faulty`` answers the next queries
    with the stamp of another content."""

    url: str
    roots: Path
    faulty: bool = False
    asked: int = 0


def _certificates(folder: Path) -> None:
    root_key = rsa.generate_private_key(65537, 2048)
    key = rsa.generate_private_key(65537, 2048)
    root_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "root of the tests")])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "time stamps of the tests")])
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)

    def builder(subject: x509.Name, public: rsa.RSAPublicKey, ca: bool) -> x509.CertificateBuilder:
        made = x509.CertificateBuilder(root_name, subject, public, x509.random_serial_number())
        made = made.not_valid_before(begin)
        made = made.not_valid_after(begin + datetime.timedelta(days=30))
        return made.add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)

    root = builder(root_name, root_key.public_key(), True).sign(root_key, hashes.SHA256())
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    tsa = builder(name, key.public_key(), False).add_extension(purpose, critical=True)
    pem = serialization.Encoding.PEM
    (folder / "root.pem").write_bytes(root.public_bytes(pem))
    (folder / "tsa.pem").write_bytes(tsa.sign(root_key, hashes.SHA256()).public_bytes(pem))
    (folder / "tsa.key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    (folder / "serial").write_text("01\n", encoding="ascii")
    (folder / "tsa.cnf").write_text(_CONFIG.format(folder=folder), encoding="ascii")


@contextmanager
def time_stamp_server(folder: Path) -> Iterator[TimeStampServer]:
    """A server that keeps its keys in ``folder``, which must exist and be empty."""
    _certificates(folder)
    query, reply = folder / "query.tsq", folder / "reply.tsr"
    command = ["openssl", "ts", "-reply", "-config", folder / "tsa.cnf", "-queryfile", query,
               "-out", reply]  # fmt: skip

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Stamp what was sent."""
            content = self.rfile.read(int(self.headers["content-length"]))
            state.asked += 1
            if state.faulty and query.exists():
                content = query.read_bytes()  # of an earlier one
            query.write_bytes(content)
            subprocess.run(command, check=True, capture_output=True)
            answer = reply.read_bytes()
            self.send_response(200)
            self.send_header("content-type", "application/timestamp-reply")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state = TimeStampServer(f"http://127.0.0.1:{server.server_port}", folder / "root.pem")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
