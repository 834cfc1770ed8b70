"""Write the tables of ``db/schema/models.py`` into ``db/tables.py``, as plain SQLAlchemy, and the
statements of a new SQLite file, as the migrations make it, into ``db/migrations/newest.sql``.

``tables.py update`` writes them, ``tables.py check`` says whether they are up to date.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from alembic import command  # noqa: E402 (after the path is set)
from alembic.config import Config  # noqa: E402 (after the path is set)
from sqlalchemy import Column, ColumnDefault, Table, create_engine  # noqa: E402 (after the path is set)
from sqlmodel import SQLModel  # noqa: E402 (after the path is set)

import db.schema.models  # noqa: E402, F401 (after the path is set; fills the metadata)
from db.schema.column_types import BigId, Json, SealedText, UtcDateTime  # noqa: E402 (after the path is set)
from db.schema.newest import BETWEEN, STATEMENTS  # noqa: E402 (after the path is set)

TABLES = ROOT / "db" / "tables.py"
_BEGIN = "METADATA = MetaData()\n"  # what stands before is written by hand


def source() -> str:
    """The module ``db/tables.py`` as it should be."""
    tables = SQLModel.metadata.tables.values()
    head, begin, _ = TABLES.read_text(encoding="utf-8").partition(_BEGIN)
    text = "\n".join([head + begin, *(_table(table) for table in tables)])
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TABLES), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def _table(table: Table) -> str:
    columns = ", ".join(_column(column) for column in table.columns)
    return f"{table.name.upper()} = Table({table.name!r}, METADATA, {columns},)"


def _column(column: Column[Any]) -> str:
    parts = [repr(column.name), _type(column)]
    parts += [f"ForeignKey({key.target_fullname!r})" for key in column.foreign_keys]
    if column.primary_key:
        parts.append("primary_key=True")
    elif not column.nullable:
        parts.append("nullable=False")
    if column.autoincrement is False:
        parts.append("autoincrement=False")
    if isinstance(column.default, ColumnDefault):
        parts.append(f"default={column.default.arg!r}")
    return f"Column({', '.join(parts)})"


def _type(column: Column[Any]) -> str:
    if isinstance(column.type, Json | SealedText | UtcDateTime):
        return type(column.type).__name__
    if column.type is BigId:
        return "BigId"
    name = type(column.type).__name__.replace("AutoString", "String")
    length = getattr(column.type, "length", None)
    return f"{name}({length})" if length else name


def statements() -> str:
    """The file ``db/migrations/newest.sql`` as it should be."""
    config = Config()
    config.set_main_option("script_location", str(ROOT / "db" / "migrations"))
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        made = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        ).all()
        virtual = [name for name, sql in made if sql.startswith("CREATE VIRTUAL")]
        settings = [
            f"INSERT INTO {name} ({name}, rank) VALUES ('{key}', {value})"  # noqa: S608 (names of our own)
            for name in virtual
            for key, value in connection.exec_driver_sql(f"SELECT k, v FROM {name}_config")  # noqa: S608 (as above)
            if key != "version"
        ]
        revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    own = tuple(f"{name}_" for name in virtual)  # what a virtual table makes for itself
    kept = [sql for name, sql in made if not name.startswith((*own, "sqlite_"))]
    kept += [*settings, f"INSERT INTO alembic_version VALUES ('{revision}')"]  # noqa: S608 (as above)
    assert not any(BETWEEN in sql for sql in kept)
    return "".join(sql + BETWEEN for sql in kept)


def main(what: str) -> int:
    """Write the two files, or say whether they are up to date; the exit status."""
    status = 0
    for path, made in ((TABLES, source()), (STATEMENTS, statements())):
        if what == "update":
            path.write_text(made, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != made:
            print(f"{path.relative_to(ROOT)} is not up to date: run packaging/tables.py update")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) == 2 else "check"))
