"""The types that columns have beside those of SQLAlchemy."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, String, TypeDecorator
from sqlalchemy.types import TypeEngine

from db.schema.sealed_values import opened_document, opened_text

# SQLite gives its row id, the fast key, only to a column that is declared INTEGER.
BigId = BigInteger().with_variant(Integer(), "sqlite")


class Json(TypeDecorator[Any]):
    """A JSON document: JSONB on PostgreSQL, whose part of SQLAlchemy is imported only there. One
    that is sealed is read as ``db.schema.sealed_values`` says."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            from sqlalchemy.dialects.postgresql import JSONB

            return dialect.type_descriptor(JSONB())
        return dialect.type_descriptor(JSON())

    def coerce_compared_value(self, op: Any, value: Any) -> TypeEngine[Any]:
        return JSON().coerce_compared_value(op, value)

    def process_result_value(self, value: Any, _dialect: Dialect) -> Any:
        return opened_document(value)


class SealedText(TypeDecorator[str]):
    """A text that is sealed together with the item it speaks of."""

    impl = String
    cache_ok = True

    def process_result_value(self, value: str | None, _dialect: Dialect) -> str | None:
        return opened_text(value) if value else value


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time in Python; SQLite keeps it without zone, PostgreSQL with."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)
