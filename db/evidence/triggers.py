"""Triggers that keep evidence as it was written, in the database itself.

``append_only`` and ``protect`` are what two migrations run; what they make in a new workspace is
what every workspace has. A migration that rebuilds one of these tables (Alembic's batch mode on
SQLite drops the triggers) must run ``protect`` again for it; ``verify`` misses them otherwise.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import text

from db.session import Session

# What the first migration made: table to the operations that are refused on it.
APPEND_ONLY = (
    ("event", ("UPDATE", "DELETE")),
    ("revision", ("UPDATE", "DELETE")),
    ("decision", ("DELETE",)),
    ("rating", ("DELETE",)),
    ("item", ("DELETE",)),
    ("split_item", ("UPDATE", "DELETE")),
)

_PG_FUNCTION = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'table % is append-only', TG_TABLE_NAME USING ERRCODE = '42501'; END $$
"""


@dataclass(frozen=True, slots=True)
class Protection:
    """What stays as it was written in one table.

    ``fixed`` are the columns that nobody may set again, empty for all of them; ``once`` one that
    may be set while it is empty. ``keys`` are the columns that name a row, each its own key: a
    second row of that name is refused, so that INSERT OR REPLACE cannot put one in its place.
    """

    fixed: tuple[str, ...] = ()
    once: str = ""
    keys: tuple[tuple[str, ...], ...] = (("id",),)
    deletes: bool = False


PROTECTED: Mapping[str, Protection] = {
    "event": Protection(),
    "revision": Protection(keys=(("id",), ("item_id", "number"))),
    "screening": Protection(keys=(("id",), ("run_id", "item_id"))),
    "benchmark": Protection(keys=(("id",), ("name",))),
    "protocol": Protection(keys=(("id",), ("task_id", "version"))),
    "rating_draw": Protection(),
    "rating_draw_item": Protection(keys=(("draw_id", "item_id"),)),
    "lot_item": Protection(keys=(("lot_id", "item_id"),)),
    "split_item": Protection(keys=(("split_id", "position"), ("split_id", "item_id"))),
    "decision": Protection(
        ("id", "item_id", "revision", "stage", "kind", "person_id", "verdict", "reason", "note",
         "seconds", "lot_id", "at"),
        once="withdrawn_event",
    ),
    "rating": Protection(
        ("id", "item_id", "revision", "person_id", "criterion", "value", "seconds", "at")
    ),
    "comment": Protection(
        ("id", "item_id", "revision", "person_id", "kind", "thread", "text", "at"),
        once="withdrawn_event",
    ),
    "item": Protection(
        ("id", "benchmark_id", "task_id", "family", "format", "domain", "run_id", "author_id",
         "barred", "at"),
        keys=(("id",), ("task_id", "content_hash")),
    ),
    "pending_import": Protection(
        ("id", "import_id", "task_id", "file", "first", "person_id", "at"), deletes=True
    ),
    "assignment": Protection(
        ("id", "item_id", "revision", "stage", "person_id", "gold"),
        keys=(("id",), ("item_id", "revision", "stage", "person_id")),
    ),
    "gold": Protection(("item_id", "task_id"), keys=(("item_id",),)),
    "lot": Protection(
        ("id", "task_id", "round", "attempt", "seed", "size", "sample", "allowed", "person_id",
         "at"),
        keys=(("id",), ("task_id", "round", "attempt")),
    ),
    "split": Protection(
        ("id", "benchmark_id", "name", "manifest_hash", "manifest", "size", "person_id", "at"),
        keys=(("id",), ("name",)),
    ),
    "run": Protection(("id", "kind", "benchmark_id", "split_id", "title", "at")),
    "answer": Protection(
        ("run_id", "item_id", "variant"), keys=(("run_id", "item_id", "variant"),)
    ),
    "person": Protection(("id", "name", "at"), keys=(("id",), ("name",))),
    "task": Protection(
        ("id", "benchmark_id", "name", "family", "format", "domain", "at"),
        keys=(("id",), ("benchmark_id", "name")),
    ),
    "meta": Protection(("key",), keys=(("key",),)),
}  # fmt: skip
"""Every table of evidence. What is not named stays open to the program: an item's state, who holds
it, a lot's end, a split's state, what a run brought, a person's role."""


def trigger_name(table: str, operation: str) -> str:
    """Name of the trigger which refuses an operation on a table."""
    return f"{table}_no_{operation.lower()}"


def append_only(dialect: str) -> Iterator[str]:
    """The statements of the first migration, for ``sqlite`` or ``postgresql``."""
    if dialect == "postgresql":
        yield _PG_FUNCTION
    for table, operations in APPEND_ONLY:
        for operation in operations:
            yield _trigger(dialect, table, operation, operation)


def protect(dialect: str, tables: Collection[str] = tuple(PROTECTED)) -> Iterator[str]:
    """The statements that protect tables of evidence, in the place of those of ``append_only``."""
    for table, operations in APPEND_ONLY:
        for operation in operations if table in tables else ():
            on = f" ON {table}" if dialect == "postgresql" else ""
            yield f"DROP TRIGGER IF EXISTS {trigger_name(table, operation)}{on}"
    for table in tables:
        yield from _protect(dialect, table, PROTECTED[table])


@contextmanager
def without_guards(session: Session, tables: Collection[str]) -> Iterator[None]:
    """Within, rows of these tables may be updated by this transaction alone, as sealing does; the
    guards are there again before it commits. On a server only who owns the tables can."""
    connection = session.connection()
    names = [trigger_name(table, "UPDATE") for table in tables]
    if connection.dialect.name == "postgresql":
        for table, name in zip(tables, names, strict=True):
            connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER {name}"))
        yield
        for table, name in zip(tables, names, strict=True):
            connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER {name}"))
        return
    query = text("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = :name")
    made = [connection.execute(query, {"name": name}).scalar() for name in names]
    for name in names:
        connection.execute(text(f"DROP TRIGGER IF EXISTS {name}"))
    yield
    for statement in filter(None, made):
        connection.exec_driver_sql(statement)


def _protect(dialect: str, table: str, protection: Protection) -> Iterator[str]:
    if not protection.deletes:
        yield _trigger(dialect, table, "DELETE", "DELETE")
    columns = f"UPDATE OF {', '.join(_quoted(protection.fixed))}" if protection.fixed else "UPDATE"
    yield _trigger(dialect, table, "UPDATE", columns)
    if protection.once:
        name = _quoted((protection.once,))[0]
        yield _trigger(
            dialect, table, "SECOND", f"UPDATE OF {name}", f"WHEN (OLD.{name} IS NOT NULL)"
        )
    if dialect == "postgresql":
        yield (
            f"CREATE TRIGGER {trigger_name(table, 'TRUNCATE')} BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        return
    there = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} WHERE "  # noqa: S608 (names of our own)
        + " AND ".join(f"{name} = NEW.{name}" for name in _quoted(key))
        + ")"
        for key in protection.keys
    )
    yield _trigger(dialect, table, "REPLACE", "INSERT", f"WHEN ({there})")


def _quoted(names: tuple[str, ...]) -> list[str]:
    return [f'"{name}"' for name in names]


def _trigger(dialect: str, table: str, what: str, operation: str, when: str = "") -> str:
    head = f"CREATE TRIGGER {trigger_name(table, what)} BEFORE {operation} ON {table}"
    condition = f" {when}" if when else ""
    if dialect == "postgresql":
        return f"{head} FOR EACH ROW{condition} EXECUTE FUNCTION refuse_change()"
    return f"{head}{condition} BEGIN SELECT RAISE(ABORT, 'table {table} is append-only'); END"
