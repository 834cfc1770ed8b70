"""What somebody decided while the server was away: kept on this computer, sent once, in order.

Every decision on a server's workspace is written into the journal of ``outbox_file`` first, under a
token that its event in the ledger carries later. Where the answer of the server is lost, it stays
unknown whether the decision was written: whoever sends it again looks for the token, with the item
locked, and so it is never written twice.
"""

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Literal

from platformdirs import user_data_path

from core.errors import (
    BenchsealError,
    ConflictError,
    ConnectionLostError,
    InputError,
    NotFoundError,
    PasswordMissingError,
    RightsError,
    StateError,
    WorkspaceError,
)
from core.i18n import listed, tr
from core.workflow.check import adjudicate, rate, review
from core.workflow.check.adjudicate import Adjudicated
from core.workflow.check.outbox_file import OutboxFile, journal_key
from core.workflow.check.rate import CommittedRatings
from core.workflow.check.review import CommittedDecision
from core.workflow.eligibility import refuse_invalid
from core.workflow.lookup import item_in
from core.workflow.rights import Action, acting_name, writing_as
from core.workflow.workspace import Workspace, without_login
from db import ledger
from db.engine import Session
from db.errors import StoreError
from db.people import PersonRow
from db.vocabulary import EventKind

Kind = Literal["decide", "skip", "rate", "adjudicate"]
_Committed = CommittedDecision | CommittedRatings | Adjudicated
_REFUSALS = (ConflictError, StateError, RightsError, InputError, NotFoundError)
"""What the server says of a decision for good; anything else says nothing about it."""


@dataclass(frozen=True, slots=True)
class KeptDecision:
    """A decision, a skip, ratings or an adjudication that wait on this computer, or that were
    refused when they were sent."""

    token: str
    kind: Kind
    number: int
    verdict: str = ""
    reason: str = ""
    note: str = ""
    seconds: float = 0.0
    revision: int | None = None
    made: str = ""
    """When it was made by this computer's clock, ISO 8601 in UTC."""
    values: tuple[tuple[str, float], ...] = ()
    """The ratings, by criterion; a comment beside them is the note."""
    decisions: tuple[int, ...] = ()
    """Those that were shown to who adjudicates."""
    refusal: str = ""
    """Why the server did not take it; empty while it waits."""


@dataclass(frozen=True, slots=True)
class SendReport:
    """What came of sending: what the server has now, what it refused, what still waits."""

    sent: tuple[KeptDecision, ...] = ()
    refused: tuple[KeptDecision, ...] = ()
    """All that were refused and not put away yet, those of earlier times included."""
    waiting: tuple[KeptDecision, ...] = ()
    trouble: str = ""
    """Why sending ended before everything was sent; empty where nothing waits."""
    answered: bool = True
    """Whether the server is there: it may answer and take nothing, as with a full disk."""
    unread: int = 0
    """Lines of the journal that cannot be read with the key of this keyring."""


class Outbox:
    """The journal of one person for one workspace on a server."""

    def __init__(self, ws: Workspace, person: str) -> None:
        self._ws, self._person = ws, person
        place = f"{without_login(ws.address)}\n{person}"
        name = f"{hashlib.sha256(place.encode()).hexdigest()[:24]}.jsonl"
        folder = user_data_path("benchseal") / "outbox"
        self._file = OutboxFile(folder / name, journal_key())

    @property
    def is_encrypted(self) -> bool:
        """Whether the journal is encrypted with a key of the keyring."""
        return self._file.is_encrypted

    @property
    def place(self) -> str:
        """The journal's path."""
        return str(self._file.path)

    def read(self) -> SendReport:
        """What waits and what was refused, without asking the server."""
        with _on_disk(self._file):
            return self._report(())

    def decide(
        self,
        number: int,
        verdict: str,
        *,
        reason: str = "",
        note: str = "",
        seconds: float = 0.0,
        revision: int | None = None,
        sending: bool = True,
    ) -> CommittedDecision | KeptDecision:
        """Commit one decision as ``review.decide`` does, or keep it where the server does not
        answer; with ``sending`` false it is kept at once.

        What waits from before is sent first. Raises what ``review.decide`` raises, with nothing
        kept; never OSError, but WorkspaceError where this computer's disk cannot keep it.
        """
        refuse_invalid(verdict, reason, note)
        kept = KeptDecision(
            _new_token(), "decide", number, verdict, reason, note, seconds, revision, _now()
        )
        result = self._keep_and_send(kept, sending)
        assert isinstance(result, CommittedDecision | KeptDecision)
        return result

    def skip(self, number: int, reason: str = "", *, sending: bool = True) -> KeptDecision | None:
        """Give an item back as ``review.skip`` does, or keep that; None where it was done."""
        kept = KeptDecision(_new_token(), "skip", number, "", reason, made=_now())
        result = self._keep_and_send(kept, sending)
        return result if isinstance(result, KeptDecision) else None

    def rate(
        self,
        number: int,
        values: Mapping[str, float],
        *,
        comment: str = "",
        seconds: float = 0.0,
        revision: int | None = None,
        sending: bool = True,
    ) -> CommittedRatings | KeptDecision:
        """Commit ratings as ``rate.rate`` does, or keep them; as ``decide``."""
        kept = KeptDecision(
            _new_token(), "rate", number, "", "", comment, seconds, revision, _now(),
            tuple(values.items()),
        )  # fmt: skip
        result = self._keep_and_send(kept, sending)
        assert isinstance(result, CommittedRatings | KeptDecision)
        return result

    def adjudicate(
        self,
        number: int,
        verdict: str,
        *,
        reason: str = "",
        note: str = "",
        seconds: float = 0.0,
        revision: int | None = None,
        decisions: tuple[int, ...] = (),
        sending: bool = True,
    ) -> Adjudicated | KeptDecision:
        """Settle a disagreement as ``adjudicate.settle`` does, or keep that; as ``decide``."""
        refuse_invalid(verdict, reason, note)
        kept = KeptDecision(
            _new_token(), "adjudicate", number, verdict, reason, note, seconds, revision, _now(),
            decisions=decisions,
        )  # fmt: skip
        result = self._keep_and_send(kept, sending)
        assert isinstance(result, Adjudicated | KeptDecision)
        return result

    def _keep_and_send(self, kept: KeptDecision, sending: bool) -> object:
        try:
            with self._file.held():
                return self._kept_and_sent(kept, sending)
        except OSError as error:
            if not sending:
                raise _cannot_keep(self._file, error) from error
        # nothing can be kept here: then it is as safe as the connection
        return self._commit(kept, first=False)

    def _kept_and_sent(self, kept: KeptDecision, sending: bool) -> object:
        if sending:
            sending = self._send(self._waiting())[1] is None
        self._file.add({"kept": asdict(kept)})
        if not sending:
            self._file.sync()
            return kept
        try:
            result = self._commit(kept, first=True)
        except Exception as error:
            if isinstance(error, BenchsealError) and not is_final(error):
                self._file.sync()
                return kept
            self._settle_soon(kept)
            raise
        self._settle_soon(kept)
        return result

    def _settle_soon(self, kept: KeptDecision) -> None:
        """Settle it; where the disk does not take that, who sends it again finds it in the
        ledger, or hears once more that it is not taken."""
        with suppress(OSError):
            self._settle(kept)

    def send(self) -> SendReport:
        """Send what waits, oldest first, each exactly once; ends at the first that the server
        does not answer."""
        with _on_disk(self._file):
            sent, trouble = self._send(self._waiting())
            return self._report(tuple(sent), trouble)

    def put_away(self, tokens: tuple[str, ...]) -> SendReport:
        """Forget refused decisions that somebody has seen; what still waits is never forgotten."""
        with _on_disk(self._file):
            refused = {kept.token for kept in self._entries() if kept.refusal}
            for token in tokens:
                if token in refused:
                    self._file.add({"done": token})
            self._tidy()
            return self._report(())

    # -- the journal ------------------------------------------------------------------------

    def _entries(self) -> list[KeptDecision]:
        """What waits or was refused, oldest first."""
        entries: dict[str, KeptDecision] = {}
        for record in self._file.records()[0]:
            if fields := record.get("kept"):
                kept = _read_kept(fields)
                entries[kept.token] = kept
            elif (token := record.get("refused")) in entries:
                entries[token] = replace(entries[token], refusal=str(record.get("why", "")))
            else:
                entries.pop(record.get("done", ""), None)
        return list(entries.values())

    def _waiting(self) -> list[KeptDecision]:
        return [kept for kept in self._entries() if not kept.refusal]

    def _settle(self, kept: KeptDecision) -> None:
        self._file.add({"done": kept.token})
        self._tidy()

    def _tidy(self) -> None:
        if not self._entries() and not self._file.records()[1]:
            self._file.empty()

    def _report(
        self, sent: tuple[KeptDecision, ...], trouble: BenchsealError | None = None
    ) -> SendReport:
        entries = self._entries()
        return SendReport(
            sent,
            tuple(kept for kept in entries if kept.refusal),
            tuple(kept for kept in entries if not kept.refusal),
            "" if trouble is None else str(trouble),
            not isinstance(trouble, ConnectionLostError),
            self._file.records()[1],
        )

    # -- sending ----------------------------------------------------------------------------

    def _send(
        self, waiting: list[KeptDecision]
    ) -> tuple[list[KeptDecision], BenchsealError | None]:
        """(what was sent, why not everything was)."""
        sent: list[KeptDecision] = []
        for kept in waiting:
            try:
                self._commit(kept, first=False)
            except BenchsealError as error:
                if not is_final(error):
                    return sent, error
                self._file.add({"refused": kept.token, "why": str(error)})
                continue
            self._settle(kept)
            sent.append(kept)
        return sent, None

    def _commit(self, kept: KeptDecision, *, first: bool) -> _Committed | None:
        return commit_once(self._ws, self._person, kept, first=first)


def commit_once(
    ws: Workspace, name: str, kept: KeptDecision, *, first: bool = False, recorded_by: str = ""
) -> _Committed | None:
    """Commit what was kept, unless the ledger has its token; None where it has, or for a skip.

    ``first`` says that it was never sent; ``recorded_by`` is who brought it in for somebody else.
    Raises what ``review.decide``, ``rate.rate`` and ``adjudicate.settle`` raise.
    """
    told: dict[str, Any] = {"token": kept.token}
    if not first:
        told["made"] = kept.made
    fields = {"verdict": kept.verdict, "reason": kept.reason, "note": kept.note,
              "seconds": kept.seconds}  # fmt: skip
    if first and kept.kind == "decide" and not recorded_by:
        done = review.decide_at_once(ws, name, kept.number, fields, kept.revision, kept.token)
        if done is not None:
            return done
    at_once = first and kept.kind == "skip" and not recorded_by
    if at_once and review.skip_at_once(ws, name, kept.number, kept.reason, kept.token):
        return None
    with writing_as(ws, name, _ACTIONS[kept.kind]) as (session, person):
        if not first:
            item_in(session, kept.number, lock=True)
            if is_known(session, person, kept):
                return None
        if kept.kind == "skip":
            review.skip_in(session, person, kept.number, kept.reason, told)
            return None
        if kept.kind == "rate":
            rated = {"values": dict(kept.values), "comment": kept.note, "seconds": kept.seconds}
            return rate.rate_in(session, person, kept.number, rated, kept.revision, told)
        if kept.kind == "adjudicate":
            return adjudicate.settle_in(
                session, person, kept.number, fields, kept.revision, kept.decisions, told
            )
        return review.decide_in(
            session, person, kept.number, fields, kept.revision, recorded_by=recorded_by, told=told
        )


_ACTIONS: Mapping[Kind, Action] = MappingProxyType(
    {"decide": Action.REVIEW, "skip": Action.REVIEW, "rate": Action.RATE,
     "adjudicate": Action.ADJUDICATE}
)  # fmt: skip


def _read_kept(fields: Mapping[str, Any]) -> KeptDecision:
    """What a line of the journal holds; one of an earlier version has no values."""
    values = tuple((str(name), float(value)) for name, value in fields.get("values", ()))
    decisions = tuple(map(int, fields.get("decisions", ())))
    return KeptDecision(**{**fields, "values": values, "decisions": decisions})


def what_of(kept: KeptDecision) -> str:
    """What was done without a verdict, in words: a skip, or ratings with their values."""
    if kept.kind != "rate":
        return tr("skip")
    values = listed(f"{name} {value:g}" for name, value in kept.values)
    return tr("rating ({values})", values=values)


def outbox_of(ws: Workspace, name: str) -> Outbox:
    """The journal of a person, or with no name of who works here; the server is asked who."""
    with ws.reading() as session:
        return Outbox(ws, acting_name(session, name))


def is_final(error: BenchsealError) -> bool:
    """Whether an error is the server's answer to a decision, and no answer is still to come.

    A server that lets nobody in (no password, an address that it does not know) answered nothing.
    """
    store = error.__cause__
    if isinstance(store, StoreError) and store.trouble not in ("forbidden", "private"):
        return False
    return isinstance(error, _REFUSALS) and not isinstance(error, PasswordMissingError)


def is_known(session: Session, person: PersonRow, kept: KeptDecision) -> bool:
    """Whether the ledger has the event of what was kept; asked with the item locked."""
    kinds = (EventKind.DECIDED, EventKind.SKIPPED, EventKind.RATED, EventKind.ADJUDICATED)
    return any(
        event.actor == person.name and event.data.get("token") == kept.token
        for event in ledger.of_items(session, (kept.number,), kinds)
    )


@contextmanager
def _on_disk(file: OutboxFile) -> Iterator[None]:
    """The journal held, and its disk's trouble in words."""
    try:
        with file.held():
            yield
    except OSError as error:
        raise _cannot_keep(file, error) from error


def _cannot_keep(file: OutboxFile, error: OSError) -> WorkspaceError:
    return WorkspaceError.tr(
        "Cannot keep decisions in “{path}” on this computer: {reason}.", path=file.path,
        reason=error.strerror or str(error)
    )  # fmt: skip


def _new_token() -> str:
    return secrets.token_hex(16)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
