"""A PostgreSQL that wants passwords, and TLS from everybody but this machine's own addresses.

127.0.0.1 stands for this machine, 127.0.0.2 for another one: only there certificates are verified.
"""

import datetime
import ipaddress
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.workflow import logins, people
from core.workflow.workspace import Workspace
from tests.postgres import OwnServer, own_server

HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"
PASSWORD = "a long password"

_RULES = f"""local all all trust
host all all {HERE}/32 scram-sha-256
hostssl all all {ELSEWHERE}/32 scram-sha-256
"""


class Authority:
    """A certificate authority, and the folder with its certificate and the server's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority of the tests")])
        self._write("ca.pem", self._made(self._name, self._key.public_key(), 365, authority=True))
        self.certify()

    @property
    def file(self) -> Path:
        """What a client trusts."""
        return self.folder / "ca.pem"

    def certify(self, days: int = 365) -> None:
        """A new certificate for ``ELSEWHERE``, valid for so many days from yesterday on."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, ELSEWHERE)])
        self._write("server.pem", self._made(name, key.public_key(), days, authority=False))
        text = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        path = self.folder / "server.key"
        path.write_bytes(text)
        path.chmod(0o600)
        owner = self.folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid)

    def _write(self, name: str, certificate: x509.Certificate) -> None:
        text = certificate.public_bytes(serialization.Encoding.PEM)
        (self.folder / name).write_bytes(text)

    def _made(
        self, name: x509.Name, key: ec.EllipticCurvePublicKey, days: int, *, authority: bool
    ) -> x509.Certificate:
        begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=10)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(begin + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if not authority:
            address = x509.IPAddress(ipaddress.ip_address(ELSEWHERE))
            builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        return builder.sign(self._key, hashes.SHA256())


@dataclass(frozen=True)
class StrictServer:
    """The running server and a team's workspace on it, with a lead ``ruth`` and an annotator
    ``wu``, both with ``PASSWORD``."""

    server: OwnServer
    authority: Authority
    port: int
    database: str

    def address(
        self, login: str = "", host: str = HERE, database: str = "", trusting: bool = True
    ) -> str:
        """Address of the team's workspace; from ``ELSEWHERE`` the authority is in it, unless it
        is not trusted."""
        who = f"{login}@" if login else ""
        trust = f"?sslrootcert={quote(str(self.authority.file), safe='')}"
        return (
            f"postgresql://{who}{host}:{self.port}/{database or self.database}"
            f"{trust if trusting and host == ELSEWHERE else ''}"
        )

    def certify(self, days: int = 365) -> None:
        """Let the server have a certificate that ends so many days after ten days ago."""
        self.authority.certify(days)
        self.server.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session")
def strict_server() -> Iterator[StrictServer]:
    """A server with passwords and TLS, and a team on it."""
    folder = Path(tempfile.mkdtemp(prefix="bps-"))
    folder.chmod(0o755)
    try:
        with socket.socket() as probe:
            probe.bind((ELSEWHERE, 0))
            port = probe.getsockname()[1]
        (folder / "rules").write_text(_RULES, encoding="ascii")
        authority = Authority(folder)
        settings = {
            "listen_addresses": f"{HERE},{ELSEWHERE}", "port": str(port), "ssl": "on",
            "ssl_cert_file": str(folder / "server.pem"), "ssl_key_file": str(folder / "server.key"),
            "hba_file": str(folder / "rules"), "password_encryption": "scram-sha-256",
        }  # fmt: skip
        with own_server(settings, folder) as server:
            database = server.create()
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("BENCHSEAL_FOLDER", str(folder / "workspace"))
                admin = Workspace.create(server.url(database), "ruth", "ruth")
                logins.set_first_password(admin, "ruth", PASSWORD)
                ruth = Workspace.open(server.url(database, "ruth"))
                people.ensure_person(ruth, "wu", "annotator")
                logins.set_password(ruth, "wu", PASSWORD)
                ruth.close()
                admin.close()
            yield StrictServer(server, authority, port, database)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
