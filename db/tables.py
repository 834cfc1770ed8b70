"""The tables, which ``packaging/tables.py update`` writes from ``db/schema/models.py``.

Columns alone, without the indexes and constraints that migrations make: statements need no more.
Rows never leave ``db``: functions beside this file return frozen values.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
)

from db.schema.column_types import BigId, Json, SealedText
from db.schema.column_types import UtcDateTime as UtcDateTime
from db.schema.column_types import now as now

METADATA = MetaData()

META = Table(
    "meta",
    METADATA,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)
PERSON = Table(
    "person",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("role", String, nullable=False),
    Column("active", Boolean, nullable=False, default=True),
    Column("gold_from", Integer, nullable=False, default=0),
    Column("account", String),
    Column("at", UtcDateTime, nullable=False),
)
BENCHMARK = Table(
    "benchmark",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
TASK = Table(
    "task",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("benchmark_id", Integer, ForeignKey("benchmark.id"), nullable=False),
    Column("name", String, nullable=False),
    Column("family", String, nullable=False),
    Column("format", String, nullable=False, default=""),
    Column("domain", String, nullable=False, default=""),
    Column("round", Integer, nullable=False, default=1),
    Column("profile", Json, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
PROTOCOL = Table(
    "protocol",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("task_id", Integer, ForeignKey("task.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("settings", Json, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id")),
    Column("at", UtcDateTime, nullable=False),
)
ITEM = Table(
    "item",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("benchmark_id", Integer, ForeignKey("benchmark.id"), nullable=False),
    Column("task_id", Integer, ForeignKey("task.id"), nullable=False),
    Column("family", String, nullable=False),
    Column("format", String, nullable=False, default=""),
    Column("domain", String, nullable=False, default=""),
    Column("label", String, nullable=False, default=""),
    Column("state", String, nullable=False),
    Column("revision", Integer, nullable=False, default=1),
    Column("content_hash", String(64), nullable=False),
    Column("open_slots", Integer, nullable=False, default=0),
    Column("taken", Integer, nullable=False, default=0),
    Column("disputed", Boolean, nullable=False, default=False),
    Column("barred", String, nullable=False, default=""),
    Column("round", Integer, nullable=False, default=1),
    Column("author_id", Integer, ForeignKey("person.id")),
    Column("run_id", String, ForeignKey("run.id")),
    Column("lot_id", Integer, ForeignKey("lot.id")),
    Column("at", UtcDateTime, nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
)
REVISION = Table(
    "revision",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("item_id", Integer, ForeignKey("item.id"), nullable=False),
    Column("number", Integer, nullable=False, default=1),
    Column("content_hash", String, nullable=False),
    Column("payload", Json, nullable=False),
    Column("provenance", Json, nullable=False),
    Column("defects", Json, nullable=False),
    Column("author_id", Integer, ForeignKey("person.id")),
    Column("note", SealedText, nullable=False, default=""),
    Column("at", UtcDateTime, nullable=False),
)
PENDING_IMPORT = Table(
    "pending_import",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("import_id", String, nullable=False),
    Column("task_id", Integer, ForeignKey("task.id"), nullable=False),
    Column("file", String, nullable=False),
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id")),
    Column("at", UtcDateTime, nullable=False),
)
SCREENING = Table(
    "screening",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("item_id", Integer, ForeignKey("item.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("run_id", String, ForeignKey("run.id"), nullable=False),
    Column("outcome", String, nullable=False),
    Column("score", Float),
    Column("threshold", Float, nullable=False),
    Column("rationale", SealedText, nullable=False, default=""),
    Column("model", String, nullable=False),
    Column("prompt_version", String, nullable=False),
    Column("audited", Boolean, nullable=False, default=False),
    Column("tokens", Integer, nullable=False, default=0),
    Column("at", UtcDateTime, nullable=False),
)
ASSIGNMENT = Table(
    "assignment",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("item_id", Integer, ForeignKey("item.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("stage", Integer, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id"), nullable=False),
    Column("state", String, nullable=False),
    Column("lease_until", UtcDateTime),
    Column("reason", String, nullable=False, default=""),
    Column("gold", Boolean, nullable=False, default=False),
    Column("at", UtcDateTime, nullable=False),
)
DECISION = Table(
    "decision",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("item_id", Integer, ForeignKey("item.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("stage", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id"), nullable=False),
    Column("verdict", String, nullable=False),
    Column("reason", String, nullable=False, default=""),
    Column("note", String, nullable=False, default=""),
    Column("seconds", Float, nullable=False, default=0.0),
    Column("lot_id", Integer, ForeignKey("lot.id")),
    Column("withdrawn_event", BigInteger),
    Column("at", UtcDateTime, nullable=False),
)
RATING = Table(
    "rating",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("item_id", Integer, ForeignKey("item.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id"), nullable=False),
    Column("criterion", String, nullable=False),
    Column("value", Float, nullable=False),
    Column("seconds", Float, nullable=False, default=0.0),
    Column("withdrawn_event", BigInteger),
    Column("at", UtcDateTime, nullable=False),
)
COMMENT = Table(
    "comment",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("item_id", BigInteger, ForeignKey("item.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id"), nullable=False),
    Column("kind", String, nullable=False),
    Column("thread", BigInteger),
    Column("text", String, nullable=False, default=""),
    Column("withdrawn_event", BigInteger),
    Column("seen_at", UtcDateTime),
    Column("at", UtcDateTime, nullable=False),
)
NOTE_DRAFT = Table(
    "note_draft",
    METADATA,
    Column("person_id", Integer, ForeignKey("person.id"), primary_key=True),
    Column("item_id", BigInteger, ForeignKey("item.id"), primary_key=True, autoincrement=False),
    Column("place", String, primary_key=True),
    Column("text", SealedText, nullable=False, default=""),
    Column("at", UtcDateTime, nullable=False),
)
TASK_SHARE = Table(
    "task_share",
    METADATA,
    Column("task_id", Integer, ForeignKey("task.id"), primary_key=True),
    Column("person_id", Integer, ForeignKey("person.id"), primary_key=True),
    Column("most", Integer),
    Column("due", String, nullable=False, default=""),
    Column("at", UtcDateTime, nullable=False),
)
PAUSE = Table(
    "pause",
    METADATA,
    Column("person_id", Integer, ForeignKey("person.id"), primary_key=True),
    Column("reason", String, nullable=False, default=""),
    Column("at", UtcDateTime, nullable=False),
)
RATING_DRAW = Table(
    "rating_draw",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("task_id", Integer, ForeignKey("task.id"), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id")),
    Column("at", UtcDateTime, nullable=False),
)
RATING_DRAW_ITEM = Table(
    "rating_draw_item",
    METADATA,
    Column("draw_id", Integer, ForeignKey("rating_draw.id"), primary_key=True),
    Column("item_id", BigId, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("position", Integer, nullable=False),
)
DRAFT = Table(
    "draft",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("task_id", Integer, ForeignKey("task.id"), nullable=False),
    Column("person_id", Integer, ForeignKey("person.id"), nullable=False),
    Column("item_id", Integer, ForeignKey("item.id")),
    Column("payload", Json, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
GOLD = Table(
    "gold",
    METADATA,
    Column("item_id", BigId, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("task_id", Integer, ForeignKey("task.id"), nullable=False),
    Column("verdict", String, nullable=False),
    Column("active", Boolean, nullable=False, default=True),
    Column("person_id", Integer, ForeignKey("person.id")),
    Column("at", UtcDateTime, nullable=False),
)
LOT = Table(
    "lot",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("task_id", Integer, ForeignKey("task.id"), nullable=False),
    Column("round", Integer, nullable=False),
    Column("attempt", Integer, nullable=False, default=1),
    Column("state", String, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("size", Integer, nullable=False),
    Column("sample", Integer, nullable=False),
    Column("allowed", Integer, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id"), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
)
LOT_ITEM = Table(
    "lot_item",
    METADATA,
    Column("lot_id", Integer, ForeignKey("lot.id"), primary_key=True),
    Column("item_id", BigId, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("position", Integer),
)
SPLIT = Table(
    "split",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("benchmark_id", Integer, ForeignKey("benchmark.id"), nullable=False),
    Column("name", String, nullable=False),
    Column("state", String, nullable=False),
    Column("manifest_hash", String, nullable=False),
    Column("manifest", Json, nullable=False),
    Column("size", Integer, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id")),
    Column("at", UtcDateTime, nullable=False),
)
SPLIT_ITEM = Table(
    "split_item",
    METADATA,
    Column("split_id", Integer, ForeignKey("split.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("item_id", Integer, ForeignKey("item.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("content_hash", String, nullable=False),
)
SPLIT_KEY = Table(
    "split_key",
    METADATA,
    Column("event_id", BigId, primary_key=True, autoincrement=False),
    Column("split_id", Integer, ForeignKey("split.id"), nullable=False),
    Column("secret", SealedText, nullable=False),
)
RUN = Table(
    "run",
    METADATA,
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("benchmark_id", Integer, ForeignKey("benchmark.id")),
    Column("split_id", Integer, ForeignKey("split.id")),
    Column("title", String, nullable=False, default=""),
    Column("params", Json, nullable=False),
    Column("launcher", String, nullable=False, default="local"),
    Column("shards", Integer, nullable=False, default=1),
    Column("taken_in_at", UtcDateTime),
    Column("summary", Json, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
ANSWER = Table(
    "answer",
    METADATA,
    Column("run_id", String, ForeignKey("run.id"), primary_key=True),
    Column("item_id", BigId, primary_key=True),
    Column("variant", String, primary_key=True, default=""),
    Column("outcome", String, nullable=False),
    Column("text", SealedText, nullable=False, default=""),
    Column("extracted", SealedText),
    Column("score", Float),
)
SAVED_FILTER = Table(
    "saved_filter",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("person_id", Integer, ForeignKey("person.id")),
    Column("settings", Json, nullable=False),
    Column("at", UtcDateTime, nullable=False),
)
EVENT = Table(
    "event",
    METADATA,
    Column("id", BigId, primary_key=True, autoincrement=False),
    Column("at", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("item_id", BigInteger),
    Column("subject", String, nullable=False, default=""),
    Column("data", String, nullable=False),
    Column("previous", String, nullable=False),
    Column("hash", String, nullable=False),
)
