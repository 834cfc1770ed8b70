"""A team's workspace on a server with a frozen split, for tests of sealing its rows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import pyrage

from core.sealing.archive import Locks, Unlocking
from core.workflow import people
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.queries import sealed_rows
from db.vocabulary import EventKind
from tests.postgres import PostgresServer
from tests.sealed.private_items import ITEMS
from tests.splits import freeze_split

LEAD, SPLIT = "boss", "s"
TEAM = {"ann": "annotator", "sue": "specialist", "ruth": "researcher"}
TEXTS = ("SELECT id, item_id, number, content_hash, payload::text, provenance::text, "
         "defects::text, author_id, note, at FROM revision ORDER BY id")  # fmt: skip

ARCHIVE = {"sha256": "", "root": "", "key_id": "", "recipients": 1, "passphrase": False,
           "custodians": ""}  # fmt: skip


class TeamPlace:
    """A team's workspace with a frozen split, as its lead has it."""

    def __init__(self, server: PostgresServer, database: str, folder: Path) -> None:
        self.server, self.database, self.folder = server, database, folder
        self.admin = Workspace.create(server.url(database), LEAD, LEAD)
        self.ws = self.open(LEAD)
        for name, role in TEAM.items():
            people.ensure_person(self.ws, name, role)
        freeze_split(self.ws, {"诗": ITEMS}, SPLIT)
        self.identity = pyrage.x25519.Identity.generate()

    def open(self, login: str) -> Workspace:
        return Workspace.open(self.server.url(self.database, login))

    def seal(self) -> locked_archives.LockedArchive:
        locks = Locks((str(self.identity.to_public()),))
        return locked_archives.seal(
            self.ws, SPLIT, LEAD, SealOrder(self.folder / "s.sealed", locks)
        )

    @property
    def unlocking(self) -> Unlocking:
        return Unlocking((str(self.identity),))

    def rows(self, statement: str = TEXTS) -> list[Any]:
        """What the server holds, as who administers it."""
        with psycopg.connect(self.server.url(self.database)) as connection:
            return connection.execute(statement.encode()).fetchall()

    def attempt(self, login: str, statement: str, *values: object) -> str:
        """The code of the refusal, empty where the statement was carried out; rolled back."""
        with psycopg.connect(self.server.url(self.database, login)) as connection:
            try:
                connection.execute(statement.encode(), values)
            except psycopg.Error as error:
                return error.sqlstate or "?"
            finally:
                connection.rollback()
        return ""

    def tell(self, state: str, key: str = "") -> None:
        """What a lead with ``psql`` may say: that the split has come to a state, and where a key is
        named, that its rows are sealed under it."""
        with self.ws.writing() as session:
            said: dict[str, Any] = {}
            if key:
                wrapped = dict.fromkeys(("content", "by_passphrase", "by_custodians"), "")
                said = {"item_key": {"name": key, **wrapped, "custodians": {}}, "archive": ARCHIVE}
                said |= sealed_rows.bind_plain(session, 1, key)
            splits.set_state(session, 1, state)
            digest = splits.get(session, 1).manifest_hash
            data = {"state": state, "digest": digest, **said}
            event = ledger.NewEvent(EventKind.SPLIT, LEAD, subject=SPLIT, data=data)
            ledger.append(session, event)

    def say(
        self, login: str, data: Mapping[str, Any], kind: str = EventKind.SPLIT, subject: str = SPLIT
    ) -> None:
        """An event that somebody with ``psql`` writes in their own name."""
        ws = self.open(login)
        try:
            with ws.writing() as session:
                ledger.append(session, ledger.NewEvent(kind, login, subject=subject, data=data))
        finally:
            ws.close()
