"""The tables as SQLModel declares them: where a column is added, with what it means.

Making these classes takes longer than most commands, so that only migrations and tests load them:
``packaging/tables.py update`` writes the same tables into ``db/tables.py``, which everybody reads.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Index, String, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from db.schema.column_types import BigId, Json, SealedText, UtcDateTime, now


def _json() -> Any:
    return Column(Json(), nullable=False)


def _sealed_text(nullable: bool = False) -> Any:
    return Column(SealedText(), nullable=nullable, default=None if nullable else "")


def _at(nullable: bool = False) -> Any:
    return Column(UtcDateTime(), nullable=nullable)


class MetaTable(SQLModel, table=True):
    """Facts about the workspace itself."""

    __tablename__ = "meta"

    key: str = Field(primary_key=True)
    value: str


class PersonTable(SQLModel, table=True):
    """Somebody who works here."""

    __tablename__ = "person"

    __table_args__ = (Index("uq_person_account", "account", unique=True),)

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    role: str
    active: bool = True
    gold_from: int = 0  # gold decisions with a smaller id no longer count for the pause
    account: str | None = Field(
        default=None
    )  # of the operating system; only a shared workspace asks
    at: datetime = Field(default_factory=now, sa_column=_at())


class BenchmarkTable(SQLModel, table=True):
    """A named set of tasks for one evaluation period."""

    __tablename__ = "benchmark"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    at: datetime = Field(default_factory=now, sa_column=_at())


class TaskTable(SQLModel, table=True):
    """One kind of question in a benchmark. ``profile`` holds what only its family reads."""

    __tablename__ = "task"

    __table_args__ = (UniqueConstraint("benchmark_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id")
    name: str
    family: str
    format: str = ""
    domain: str = ""
    round: int = 1
    profile: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    at: datetime = Field(default_factory=now, sa_column=_at())


class ProtocolTable(SQLModel, table=True):
    """One version of how a task is reviewed; the highest version counts."""

    __tablename__ = "protocol"

    __table_args__ = (UniqueConstraint("task_id", "version"),)

    id: int | None = Field(default=None, primary_key=True)
    task_id: int = Field(foreign_key="task.id")
    version: int
    settings: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now, sa_column=_at())


class ItemTable(SQLModel, table=True):
    """One question, in the state its newest event left it. Its id is the number people see.

    ``open_slots`` is how many people review the present revision (0: it is not open), ``taken`` how
    many of these places are leased or done; ``disputed`` is set while reviewers disagree;
    ``barred`` names why the item can never be approved (empty: it can).
    """

    __tablename__ = "item"

    __table_args__ = (
        UniqueConstraint("task_id", "content_hash", name="uq_item_content"),
        Index("ix_item_label", "label", "id"),
        Index("ix_item_author", "author_id", "id"),
        Index("ix_item_state", "benchmark_id", "state", "id"),
        Index("ix_item_task_state", "task_id", "state", "id"),
        Index(
            "ix_item_open",
            "benchmark_id",
            "id",
            sqlite_where=text("taken < open_slots"),
            postgresql_where=text("taken < open_slots"),
        ),
        Index(
            "ix_item_disputed",
            "benchmark_id",
            "id",
            sqlite_where=text("disputed"),
            postgresql_where=text("disputed"),
        ),
    )

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    benchmark_id: int = Field(foreign_key="benchmark.id")
    task_id: int = Field(foreign_key="task.id")
    family: str
    format: str = ""
    domain: str = ""
    label: str = ""
    state: str
    revision: int = 1
    content_hash: str = Field(sa_column=Column(String(64), nullable=False))
    open_slots: int = 0
    taken: int = 0
    disputed: bool = False
    barred: str = ""
    round: int = 1
    author_id: int | None = Field(default=None, foreign_key="person.id")
    run_id: str | None = Field(default=None, foreign_key="run.id")
    lot_id: int | None = Field(default=None, foreign_key="lot.id")
    at: datetime = Field(default_factory=now, sa_column=_at())
    changed_at: datetime = Field(default_factory=now, sa_column=_at())


class RevisionTable(SQLModel, table=True):
    """The content of an item at one time; never changed once written."""

    __tablename__ = "revision"

    __table_args__ = (
        UniqueConstraint("item_id", "number"),
        Index(
            "ix_revision_author",
            "author_id",
            sqlite_where=text("author_id IS NOT NULL"),
            postgresql_where=text("author_id IS NOT NULL"),
        ),
    )

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    item_id: int = Field(foreign_key="item.id")
    number: int = 1
    content_hash: str
    payload: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    provenance: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    defects: list[dict[str, str]] = Field(default_factory=list, sa_column=_json())
    author_id: int | None = Field(default=None, foreign_key="person.id")
    note: str = Field(default="", sa_column=_sealed_text())
    at: datetime = Field(default_factory=now, sa_column=_at())


class PendingImportTable(SQLModel, table=True):
    """Items that an import is still bringing, by their first and last number: nobody sees them
    until its end, which takes the rows away."""

    __tablename__ = "pending_import"
    __table_args__ = (Index("ix_pending_import_range", "first", "last"),)

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    import_id: str
    task_id: int = Field(foreign_key="task.id")
    file: str
    first: int = Field(sa_column=Column(BigInteger, nullable=False))
    last: int = Field(sa_column=Column(BigInteger, nullable=False))
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now, sa_column=_at())


class ScreeningTable(SQLModel, table=True):
    """The language model's verdict on one item revision."""

    __tablename__ = "screening"

    __table_args__ = (
        UniqueConstraint("run_id", "item_id"),
        Index("ix_screening_item", "item_id", "revision"),
    )

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    item_id: int = Field(foreign_key="item.id")
    revision: int
    run_id: str = Field(foreign_key="run.id")
    outcome: str
    score: float | None = None
    threshold: float
    rationale: str = Field(default="", sa_column=_sealed_text())
    model: str
    prompt_version: str
    audited: bool = False
    tokens: int = 0
    at: datetime = Field(default_factory=now, sa_column=_at())


class AssignmentTable(SQLModel, table=True):
    """One person's claim on one item revision at one stage: a lease until it is done."""

    __tablename__ = "assignment"

    __table_args__ = (
        UniqueConstraint("item_id", "revision", "stage", "person_id", name="uq_assignment"),
        Index(
            "ix_assignment_lease",
            "lease_until",
            sqlite_where=text("state = 'leased'"),
            postgresql_where=text("state = 'leased'"),
        ),
        Index("ix_assignment_person", "person_id", "stage", "id"),
    )

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    item_id: int = Field(foreign_key="item.id")
    revision: int
    stage: int
    person_id: int = Field(foreign_key="person.id")
    state: str
    lease_until: datetime | None = Field(default=None, sa_column=_at(nullable=True))
    reason: str = ""
    gold: bool = False
    at: datetime = Field(default_factory=now, sa_column=_at())


class DecisionTable(SQLModel, table=True):
    """One person's verdict on one item revision; withdrawn by undo, never removed."""

    __tablename__ = "decision"

    __table_args__ = (
        Index("ix_decision_item", "item_id", "revision"),
        Index("ix_decision_person", "person_id", "id"),
        Index(
            "uq_decision_live",
            "item_id",
            "revision",
            "kind",
            "person_id",
            unique=True,
            sqlite_where=text("withdrawn_event IS NULL"),
            postgresql_where=text("withdrawn_event IS NULL"),
        ),
    )

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    item_id: int = Field(foreign_key="item.id")
    revision: int
    stage: int
    kind: str
    person_id: int = Field(foreign_key="person.id")
    verdict: str
    reason: str = ""
    note: str = ""
    seconds: float = 0.0
    lot_id: int | None = Field(default=None, foreign_key="lot.id")
    withdrawn_event: int | None = Field(default=None, sa_column=Column(BigInteger))
    at: datetime = Field(default_factory=now, sa_column=_at())


class RubricRatingTable(SQLModel, table=True):
    """One rater's value for one criterion; a newer one of the same rater replaces it."""

    __tablename__ = "rating"

    __table_args__ = (
        Index("ix_rating_item", "item_id", "revision", "criterion"),
        Index("ix_rating_person", "person_id", "id"),
    )

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    item_id: int = Field(foreign_key="item.id")
    revision: int
    person_id: int = Field(foreign_key="person.id")
    criterion: str
    value: float
    seconds: float = 0.0
    withdrawn_event: int | None = Field(default=None, sa_column=Column(BigInteger))
    at: datetime = Field(default_factory=now, sa_column=_at())


class CommentTable(SQLModel, table=True):
    """What somebody wrote about an item beside a decision: a question or an answer in its thread
    (``thread`` is the first question, which names none), a mark of being unsure, or a comment on
    one's ratings. ``seen_at`` is when who asked saw an answer."""

    __tablename__ = "comment"

    __table_args__ = (
        Index("ix_comment_item", "item_id", "id"),
        Index("ix_comment_person", "person_id", "kind", "id"),
        Index("ix_comment_thread", "thread"),
        Index("ix_comment_kind", "kind", "id"),
    )

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    item_id: int = Field(sa_column=Column(BigInteger, ForeignKey("item.id"), nullable=False))
    revision: int
    person_id: int = Field(foreign_key="person.id")
    kind: str
    thread: int | None = Field(default=None, sa_column=Column(BigInteger))
    text: str = ""
    withdrawn_event: int | None = Field(default=None, sa_column=Column(BigInteger))
    seen_at: datetime | None = Field(default=None, sa_column=_at(nullable=True))
    at: datetime = Field(default_factory=now, sa_column=_at())


class NoteDraftTable(SQLModel, table=True):
    """The note that a person is writing on an item, until the decision is made."""

    __tablename__ = "note_draft"

    person_id: int = Field(foreign_key="person.id", primary_key=True)
    item_id: int = Field(
        sa_column=Column(BigInteger, ForeignKey("item.id"), primary_key=True, autoincrement=False)
    )
    place: str = Field(primary_key=True)
    text: str = Field(default="", sa_column=_sealed_text())
    at: datetime = Field(default_factory=now, sa_column=_at())


class TaskShareTable(SQLModel, table=True):
    """One person's part in a task: whoever is named for a task reviews and rates it, and nobody
    else does. A task that names nobody is everybody's."""

    __tablename__ = "task_share"

    task_id: int = Field(foreign_key="task.id", primary_key=True)
    person_id: int = Field(foreign_key="person.id", primary_key=True)
    most: int | None = Field(default=None)  # items that the person reviews; none: no limit
    due: str = ""  # the day until which it should be done, as YYYY-MM-DD; empty: none
    at: datetime = Field(default_factory=now, sa_column=_at())


class PauseTable(SQLModel, table=True):
    """Somebody to whom a lead gives no new items for a while."""

    __tablename__ = "pause"

    person_id: int = Field(foreign_key="person.id", primary_key=True)
    reason: str = ""
    at: datetime = Field(default_factory=now, sa_column=_at())


class RatingDrawTable(SQLModel, table=True):
    """A random sample of a task's items that raters rate; the newest of a task counts."""

    __tablename__ = "rating_draw"

    id: int | None = Field(default=None, primary_key=True)
    task_id: int = Field(foreign_key="task.id", index=True)
    seed: int = Field(sa_column=Column(BigInteger, nullable=False))
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now, sa_column=_at())


class RatingDrawItemTable(SQLModel, table=True):
    """One drawn item, in drawing order."""

    __tablename__ = "rating_draw_item"

    draw_id: int = Field(foreign_key="rating_draw.id", primary_key=True)
    item_id: int = Field(sa_column=Column(BigId, primary_key=True))
    revision: int
    position: int


class DraftTable(SQLModel, table=True):
    """What a person is writing and has not handed in: a new item, or a returned one again."""

    __tablename__ = "draft"

    __table_args__ = (Index("ix_draft_person", "person_id", "task_id", "id"),)

    id: int | None = Field(default=None, sa_column=Column(BigId, primary_key=True))
    task_id: int = Field(foreign_key="task.id")
    person_id: int = Field(foreign_key="person.id")
    item_id: int | None = Field(default=None, foreign_key="item.id")
    payload: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    at: datetime = Field(default_factory=now, sa_column=_at())


class GoldTable(SQLModel, table=True):
    """An item whose right verdict is known, shown to reviewers among the others."""

    __tablename__ = "gold"

    item_id: int = Field(sa_column=Column(BigId, primary_key=True))
    revision: int
    task_id: int = Field(foreign_key="task.id", index=True)
    verdict: str
    active: bool = True
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now, sa_column=_at())


class LotTable(SQLModel, table=True):
    """The accepted items of a task that go to the audit together."""

    __tablename__ = "lot"

    __table_args__ = (UniqueConstraint("task_id", "round", "attempt"),)

    id: int | None = Field(default=None, primary_key=True)
    task_id: int = Field(foreign_key="task.id")
    round: int
    attempt: int = 1
    state: str
    seed: int = Field(sa_column=Column(BigInteger, nullable=False))
    size: int
    sample: int
    allowed: int
    person_id: int = Field(foreign_key="person.id")
    at: datetime = Field(default_factory=now, sa_column=_at())
    ended_at: datetime | None = Field(default=None, sa_column=_at(nullable=True))


class LotItemTable(SQLModel, table=True):
    """An item in a lot; ``position`` is set for the drawn ones, in drawing order."""

    __tablename__ = "lot_item"

    lot_id: int = Field(foreign_key="lot.id", primary_key=True)
    item_id: int = Field(sa_column=Column(BigId, primary_key=True))
    revision: int
    position: int | None = None


class SplitTable(SQLModel, table=True):
    """A chosen, ordered set of approved items."""

    __tablename__ = "split"

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id")
    name: str = Field(unique=True)
    state: str
    manifest_hash: str
    manifest: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    size: int
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now, sa_column=_at())


class SplitItemTable(SQLModel, table=True):
    """One place in a split."""

    __tablename__ = "split_item"
    __table_args__ = (UniqueConstraint("split_id", "item_id"),)

    split_id: int = Field(foreign_key="split.id", primary_key=True)
    position: int = Field(primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    revision: int
    content_hash: str


class SplitKeyTable(SQLModel, table=True):
    """The secret of one opening of a split, from which the keys of its runs are derived."""

    __tablename__ = "split_key"

    event_id: int = Field(sa_column=Column(BigId, primary_key=True, autoincrement=False))
    split_id: int = Field(foreign_key="split.id")
    secret: str = Field(sa_column=Column(SealedText(), nullable=False))


class RunTable(SQLModel, table=True):
    """A run that this workspace started. Its folder says how far it is."""

    __tablename__ = "run"

    id: str = Field(primary_key=True)
    kind: str
    benchmark_id: int | None = Field(default=None, foreign_key="benchmark.id")
    split_id: int | None = Field(default=None, foreign_key="split.id")
    title: str = ""
    params: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    launcher: str = "local"
    shards: int = 1
    taken_in_at: datetime | None = Field(default=None, sa_column=_at(nullable=True))
    summary: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    at: datetime = Field(default_factory=now, sa_column=_at())


class AnswerTable(SQLModel, table=True):
    """What a model answered to one item of a split in one evaluation run."""

    __tablename__ = "answer"

    __table_args__ = (Index("ix_answer_item", "item_id"),)

    run_id: str = Field(foreign_key="run.id", primary_key=True)
    item_id: int = Field(sa_column=Column(BigId, primary_key=True))
    variant: str = Field(default="", primary_key=True)
    outcome: str
    text: str = Field(default="", sa_column=_sealed_text())
    extracted: str | None = Field(default=None, sa_column=_sealed_text(nullable=True))
    score: float | None = None


class SavedFilterTable(SQLModel, table=True):
    """A named way of narrowing the list of items, for everybody."""

    __tablename__ = "saved_filter"
    __table_args__ = (UniqueConstraint("name", name="uq_saved_filter"),)

    id: int | None = Field(default=None, primary_key=True)
    name: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    settings: dict[str, Any] = Field(default_factory=dict, sa_column=_json())
    at: datetime = Field(default_factory=now, sa_column=_at())


class EventTable(SQLModel, table=True):
    """The ledger: append-only, gapless, each line sealed by the hash of the one before."""

    __tablename__ = "event"

    __table_args__ = (
        Index("ix_event_item", "item_id", "id"),
        Index("ix_event_actor", "actor", "id"),
        Index(
            "ix_event_second_look",
            "item_id",
            "id",
            sqlite_where=text("kind IN ('second_look', 'looked_again')"),
            postgresql_where=text("kind = 'second_look' OR kind = 'looked_again'"),
        ),
    )

    id: int = Field(sa_column=Column(BigId, primary_key=True, autoincrement=False))
    at: str
    actor: str
    kind: str
    item_id: int | None = Field(default=None, sa_column=Column(BigInteger))
    subject: str = ""
    data: str
    previous: str
    hash: str
