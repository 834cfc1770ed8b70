"""The enumerations that are stored. Their values are written to disk: never rename one."""

from enum import IntEnum, StrEnum


class Role(StrEnum):
    """What a person does; each role sees its own entries of the window."""

    ANNOTATOR = "annotator"
    SPECIALIST = "specialist"
    RESEARCHER = "researcher"
    LEAD = "lead"


class Stage(IntEnum):
    """The three stages every item passes; rating is beside them, and its claims are of its own."""

    PRODUCTION = 1
    CHECK = 2
    AUDIT = 3
    RATING = 4


class ItemState(StrEnum):
    """Where an item stands. Nothing is ever deleted: leaving the pipeline is a state too."""

    DRAFT = "draft"
    SCREENING = "screening"
    SCREENED_OUT = "screened_out"
    IN_REVIEW = "in_review"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RETURNED = "returned"
    APPROVED = "approved"
    FROZEN = "frozen"


class Verdict(StrEnum):
    """What a person decides about one item revision."""

    ACCEPT = "accept"
    REJECT = "reject"
    RETURN = "return"


class DecisionKind(StrEnum):
    """In which capacity a decision was made."""

    REVIEW = "review"
    ADJUDICATION = "adjudication"
    AUDIT = "audit"
    GOLD = "gold"
    BULK = "bulk"


class CommentKind(StrEnum):
    """What somebody wrote about an item beside a decision."""

    QUESTION = "question"
    ANSWER = "answer"
    UNSURE = "unsure"
    RATING = "rating"


class AssignmentState(StrEnum):
    """Life of one person's claim on one item revision."""

    LEASED = "leased"
    DONE = "done"
    SKIPPED = "skipped"
    POSTPONED = "postponed"
    EXPIRED = "expired"
    RELEASED = "released"


PACKAGED = "package"
"""Why somebody holds an item that lies in a work package of theirs."""
REVEALED = "revealed"
"""The reason of an assignment whose reader asked to see what is hidden: they judge it no more."""


class ScreeningOutcome(StrEnum):
    """How one screening request ended."""

    PASSED = "passed"
    SCREENED_OUT = "screened_out"
    INVALID = "invalid"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    FAILED = "failed"


class LotState(StrEnum):
    """Life of a lot in the audit."""

    OPEN = "open"
    PASSED = "passed"
    RETURNED = "returned"


class SplitState(StrEnum):
    """Life of a split."""

    DRAFT = "draft"
    FROZEN = "frozen"
    SEALED = "sealed"
    OPENED = "opened"
    EXPIRED = "expired"


class EventKind(StrEnum):
    """What a ledger event records."""

    WORKSPACE_MADE = "workspace_made"
    WORKSPACE = "workspace"
    PERSON = "person"
    BENCHMARK = "benchmark"
    TASK = "task"
    PROTOCOL = "protocol"
    CREATED = "created"
    REVISED = "revised"
    SUBMITTED = "submitted"
    SCREENING_STARTED = "screening_started"
    SCREENED = "screened"
    CLAIMED = "claimed"
    SKIPPED = "skipped"
    DECIDED = "decided"
    RATED = "rated"
    ADJUDICATED = "adjudicated"
    AUDIT_STARTED = "audit_started"
    AUDIT_DECIDED = "audit_decided"
    AUDIT_ENDED = "audit_ended"
    APPROVED = "approved"
    FROZEN = "frozen"
    SPLIT = "split"
    UNDONE = "undone"
    REVEALED = "revealed"
    GOLD = "gold"
    RETURNED = "returned"
    RUN = "run"
    ALARM = "alarm"
    BULK = "bulk"
    PUBLIC_SCORES = "public_scores"
    SECOND_LOOK = "second_look"
    LOOKED_AGAIN = "looked_again"
    ERRATUM = "erratum"
    BOUND = "bound"
    STATE_FOUND = "state_found"
    READING = "reading"
    ASKED = "asked"
    ANSWERED = "answered"
    UNSURE = "unsure"
    IMPORTED = "imported"
