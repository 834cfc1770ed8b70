"""Write the tables of ``db/schema/models.py`` into ``db/tables.py``, as plain SQLAlchemy.

``tables.py update`` writes them, ``tables.py check`` says whether they are up to date.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sqlalchemy import Column, ColumnDefault, Table  # noqa: E402 (after the path is set)
from sqlmodel import SQLModel  # noqa: E402 (after the path is set)

import db.schema.models  # noqa: E402, F401 (after the path is set; fills the metadata)
from db.schema.column_types import BigId, Json, SealedText, UtcDateTime  # noqa: E402 (after the path is set)

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


def main(what: str) -> int:
    """Write the module, or say whether it is up to date; the exit status."""
    made = source()
    if what == "update":
        TABLES.write_text(made, encoding="utf-8")
    elif TABLES.read_text(encoding="utf-8") != made:
        print("db/tables.py is not up to date: run packaging/tables.py update")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) == 2 else "check"))
