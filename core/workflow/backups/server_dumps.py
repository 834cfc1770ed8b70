"""Backups of a server's database with PostgreSQL's own ``pg_dump`` and ``pg_restore``.

The roles and rights of a workspace belong to its server and carry its database's name. So they are
left out when it is restored, and made again for the database that it is restored into.
"""

import os
import shutil
import subprocess
from pathlib import Path

from core.errors import OutsideError, RightsError, StateError
from core.redaction import without_known_secrets
from core.workflow.workspace import Workspace
from db import addresses
from db.copies.rows import reads_everything
from db.server import secure

# what ``init`` makes again
_RIGHTS = ("POLICY", "ROW SECURITY", "SCHEMA", "FUNCTION benchseal", "PROCEDURE benchseal")


def refuse_hidden(ws: Workspace) -> None:
    """RightsError for a login from which rows are hidden: it would copy a part for the whole."""
    with ws.reading() as session:
        if not reads_everything(session):
            raise RightsError.tr(
                "On a server its administrator makes backups and copies: no other login reads "
                "every row."
            )  # fmt: skip


def dump(ws: Workspace, path: Path) -> None:
    """Write the database to a file in the custom format; RightsError, OutsideError."""
    refuse_hidden(ws)
    part = path.with_name(f".{path.name}.part")
    part.touch(0o600)
    try:
        _run("pg_dump", ws.place.database, "--format=custom", "--no-owner", "--no-privileges",
             f"--file={part}")  # fmt: skip
        _run("pg_restore", "", "--list", str(part))
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def restore(path: Path, address: str) -> None:
    """Fill an empty database from a dump, in one transaction, and give everybody rights again."""
    if Workspace.has_tables(address):
        raise StateError.tr("A workspace is in that database already; name an empty one.")
    listed = _run("pg_restore", "", "--list", str(path))
    chosen = path.with_name(f".{path.name}.list")
    chosen.write_text("\n".join(filter(_is_wanted, listed.splitlines())), encoding="utf-8")
    try:
        _run("pg_restore", address, "--single-transaction", "--exit-on-error", "--no-owner",
             "--no-privileges", f"--use-list={chosen}", str(path))  # fmt: skip
    finally:
        chosen.unlink()
    Workspace.secure_again(address)


def _is_wanted(line: str) -> bool:
    if line.startswith(";"):
        return False
    entry = " ".join(line.split()[3:])
    if entry.startswith("TRIGGER") and entry.split()[3] in secure.TRIGGERS:
        return False
    return not entry.startswith(_RIGHTS)


def _run(program: str, address: str, *arguments: str) -> str:
    """What a program of PostgreSQL prints; its password goes in the environment."""
    found = shutil.which(program)
    if found is None:
        raise OutsideError.tr(
            "“{program}” is not on this machine. Install PostgreSQL's client programs.",
            program=program
        )  # fmt: skip
    environment = {**os.environ, "LC_ALL": "C"}
    place: tuple[str, ...] = ()
    if address:
        place = (f"--dbname={addresses.without_password(address)}",)
        if password := addresses.password_in(address):
            environment["PGPASSWORD"] = password
    done = subprocess.run(
        [found, *place, *arguments], capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        said = without_known_secrets(done.stderr).strip().splitlines() or ["–"]
        raise OutsideError.tr("“{program}” failed: {reason}", program=program, reason=said[0])
    return done.stdout
