"""What a database consists of, tables to triggers, against what the program's own migrations make.

Nobody keeps a list: the migrations run once more, on SQLite in memory, on PostgreSQL in a schema of
their own that is rolled back, and both catalogues are read alike. On a server with logins nobody
who works there may make a schema: there ``record`` keeps, bound by the ledger, what was made when
the rights were put in, and the rights belong to it.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import Engine

from db.engine import migrate_in, prepare_memory
from db.queries import facts
from db.server import logins
from db.session import Session

Catalogue = dict[tuple[str, str], str]  # (kind, name) to how it is defined

_SQLITE = text(
    "SELECT type, name, tbl_name || ': ' || coalesce(sql, '') FROM sqlite_master "
    "WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'"
)
_CLASS = "JOIN pg_class c ON c.oid = {} JOIN pg_namespace n ON n.oid = c.relnamespace"
_POSTGRESQL = tuple(
    text(statement)
    for statement in (
        # tables, views, sequences
        "SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' ELSE 'table' END, "
        "c.relname, c.relkind::text || CASE WHEN c.relkind IN ('v', 'm') "
        "THEN pg_get_viewdef(c.oid) "
        "ELSE '' END || c.relrowsecurity::text || c.relforcerowsecurity::text "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.oid = :schema AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')",
        "SELECT 'column', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod) || "
        "a.attnotnull::text || coalesce(pg_get_expr(d.adbin, d.adrelid), '') FROM pg_attribute a "
        + _CLASS.format("a.attrelid")
        + " LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
        "WHERE n.oid = :schema AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped",
        "SELECT 'index', i.relname, pg_get_indexdef(x.indexrelid) || x.indisvalid::text "
        "FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid "
        + _CLASS.format("x.indrelid")
        + " WHERE n.oid = :schema",
        "SELECT 'constraint', c.relname || '.' || o.conname, pg_get_constraintdef(o.oid) || "
        "o.convalidated::text FROM pg_constraint o "
        + _CLASS.format("o.conrelid")
        + " WHERE n.oid = :schema",
        "SELECT 'trigger', c.relname || '.' || g.tgname, "
        "pg_get_triggerdef(g.oid) || g.tgenabled::text FROM pg_trigger g "
        + _CLASS.format("g.tgrelid")
        + " WHERE n.oid = :schema AND NOT g.tgisinternal",
        "SELECT 'trigger', r.rulename, pg_get_ruledef(r.oid) || r.ev_enabled::text "
        "FROM pg_rewrite r "
        + _CLASS.format("r.ev_class")
        + " WHERE n.oid = :schema AND c.relkind NOT IN ('v', 'm')",
        "SELECT 'function', p.proname, pg_get_functiondef(p.oid) FROM pg_proc p "
        "WHERE p.pronamespace = :schema AND p.prokind IN ('f', 'p')",
        "SELECT 'policy', c.relname || '.' || l.polname, l.polcmd::text || "
        "coalesce(pg_get_expr(l.polqual, l.polrelid), '') || "
        "coalesce(pg_get_expr(l.polwithcheck, l.polrelid), '') FROM pg_policy l "
        + _CLASS.format("l.polrelid")
        + " WHERE n.oid = :schema",
    )
)
_RIGHTS = (
    text(
        "SELECT 'right', c.relname, coalesce(c.relacl::text, '') || pg_get_userbyid(c.relowner) "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname IN ('public', 'benchseal') AND c.relkind IN ('r', 'p', 'v', 'm', 'S')"
    ),
    text(
        "SELECT 'right', c.relname || '.' || a.attname, a.attacl::text FROM pg_attribute a "
        + _CLASS.format("a.attrelid")
        + " WHERE n.nspname = 'public' AND a.attacl IS NOT NULL"
    ),
    text(
        "SELECT 'function', n.nspname || '.' || p.proname, string_agg(pg_get_functiondef(p.oid) || "
        "coalesce(p.proacl::text, '') || pg_get_userbyid(p.proowner), '' ORDER BY p.oid) "
        "FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
        "WHERE n.nspname = 'benchseal' AND p.prokind IN ('f', 'p') GROUP BY 1, 2"
    ),
)
_RECORD = "catalogue"
_SCRATCH = "benchseal_as_made"  # a schema that lives in one transaction
_SCHEMA = re.compile(rf"\b(?:public|{_SCRATCH})\.")
_SPACE = re.compile(r"\s+")


def differences(session: Session) -> Iterator[tuple[str, str, str]]:
    """(kind, name, what) of each part of the database that is ``foreign``, ``missing`` or
    ``changed``; kinds are table, column, index, constraint, trigger, view, function, policy."""
    engine = session.get_bind().engine
    if logins.secured(session):
        expected = _recorded(session)
        present = _digests(_with_rights(session.connection()))
    else:
        sqlite = engine.dialect.name == "sqlite"
        expected = _expected_sqlite() if sqlite else _expected_server(engine)
        present = _catalogue(session.connection())
    for key in sorted(expected.keys() | present.keys()):
        if key not in expected:
            yield (*key, "foreign")
        elif key not in present:
            yield (*key, "missing")
        elif expected[key] != present[key]:
            yield (*key, "changed")


def record(session: Session) -> None:
    """Keep what a server's database consists of now, for ``differences``."""
    kept = _digests(_with_rights(session.connection()))
    lines = [[*key, digest] for key, digest in sorted(kept.items())]
    facts.write(session, _RECORD, json.dumps(lines, separators=(",", ":")))


def is_recorded(session: Session) -> bool:
    """Whether the rights were ever put into the database."""
    return bool(facts.read(session, _RECORD))


def _recorded(session: Session) -> Catalogue:
    lines = json.loads(facts.read(session, _RECORD) or "[]")
    return {(kind, name): digest for kind, name, digest in lines}


def _digests(parts: Catalogue) -> Catalogue:
    return {key: hashlib.sha256(value.encode()).hexdigest() for key, value in parts.items()}


def _with_rights(connection: Connection) -> Catalogue:
    parts = _catalogue(connection)
    for statement in _RIGHTS:
        for kind, name, definition in connection.execute(statement):
            parts[kind, name] = _plain(definition)
    return parts


def damages(session: Session) -> list[str]:
    """What SQLite itself finds wrong with a file: pages, indices, rows that point nowhere."""
    if session.dialect.name != "sqlite":
        return []
    connection = session.connection()
    lines = [row[0] for row in connection.exec_driver_sql("PRAGMA integrity_check(100)")]
    found = [str(line) for line in lines if line != "ok"]
    for table, rowid, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        found.append(f"{table} {rowid}: {parent}")
    return found


def _catalogue(connection: Connection) -> Catalogue:
    if connection.dialect.name == "sqlite":
        rows = connection.execute(_SQLITE).all()
        return {(kind, name): _plain(definition) for kind, name, definition in rows}
    query = text("SELECT oid FROM pg_namespace WHERE nspname = current_schema()")
    schema = int(connection.execute(query).scalar_one())
    parts: Catalogue = {}
    for statement in _POSTGRESQL:
        for kind, name, definition in connection.execute(statement, {"schema": schema}):
            parts[kind, name] = _plain(definition)
    return parts


def _plain(definition: str) -> str:
    return _SPACE.sub(" ", _SCHEMA.sub("", definition)).strip()


@cache
def _expected_sqlite() -> Catalogue:
    """What the migrations make of a SQLite file; asked once in a process."""
    engine = create_engine("sqlite://")
    prepare_memory(engine)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        migrate_in(connection)
        expected = _catalogue(connection)
    engine.dispose()
    return expected


_SERVERS: dict[str, Catalogue] = {}


def _expected_server(engine: Engine) -> Catalogue:
    """What the migrations make on this server; asked once in a process."""
    version = str(engine.dialect.server_version_info)
    if version not in _SERVERS:
        with engine.connect() as connection, connection.begin() as transaction:
            connection.exec_driver_sql("SET TRANSACTION READ WRITE")
            connection.exec_driver_sql(f"CREATE SCHEMA {_SCRATCH}")
            connection.exec_driver_sql(f"SET LOCAL search_path = {_SCRATCH}")
            migrate_in(connection)
            _SERVERS[version] = _catalogue(connection)
            transaction.rollback()
    return _SERVERS[version]
