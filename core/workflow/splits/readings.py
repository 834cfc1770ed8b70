"""Readings: every act by which the texts of private items leave the workspace, one event each.

These acts are readings, and nothing else is:

- ``export``: a split is written to a folder in an export format.
- ``evaluation``: a model is asked the items of a split. Each run is one, also one whose answers
  were imported from another harness; a run that is resumed, or asks again what failed, is still
  the same one.
- ``trial``: some items of a split are asked to see how long a run would take.
- ``judging``: the answers of a run, with the references, are sent to a judge.
- ``sheet``: answers are written to a file with their references, for people to rate.
- ``simulation``: a model is trained or tested on the items of a split.
- ``items``: a list of items is written to a file that has their texts.
- ``table``: the texts are read as a table by a script or notebook.
- ``embedding``: the texts are sent to a server that compares them by meaning.
- ``storage``: the folder of a run, or an export, is put where machines elsewhere read it. Of what
  is locked the event tells that no text was read.
- ``copy`` and ``backup``: the workspace is copied, or a backup of it is written, while the items
  lie readable in it.

Looking at items in the window or as part of one's work (review, rating, adjudication, audit, the
history of an item) is none, nor is what a run of production asks a model about drafts. Figures,
numbers of items and reports are none: they have no texts.

Most are told by the event that the act writes anyway (``reading_of`` knows which); ``record`` is
for the others. An event says who read, how many items, and a digest of their content hashes, never
a text.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

from core.errors import StateError
from core.files import digest_of_hashes
from core.i18n import tr
from core.release.question_ids import uid_of
from core.workflow.rights import Action, acting_name, writing_as
from core.workflow.splits import openings
from core.workflow.store_sentences import closed_sentence
from core.workflow.workspace import Workspace
from db import items, ledger, people, splits
from db.engine import Session
from db.ledger import LedgerEvent, NewEvent
from db.splits import SplitRow
from db.vocabulary import EventKind, SplitState

KINDS = (EventKind.SPLIT, EventKind.RUN, EventKind.READING)
"""The kinds of the events that tell of readings."""


class Act(StrEnum):
    """How private items were read."""

    EXPORT = "export"
    EVALUATION = "evaluation"
    TRIAL = "trial"
    JUDGING = "judging"
    SHEET = "sheet"
    SIMULATION = "simulation"
    ITEMS = "items"
    TABLE = "table"
    EMBEDDING = "embedding"
    STORAGE = "storage"
    COPY = "copy"
    BACKUP = "backup"


_LOCKED = "locked"
_OF_RUN = {"evaluate": Act.EVALUATION, "adaptive": Act.EVALUATION, "judge": Act.JUDGING,
           "pairwise": Act.JUDGING, "finetune": Act.SIMULATION}  # fmt: skip

TITLES: Mapping[str, Callable[[], str]] = {
    Act.EXPORT: lambda: tr("exported"),
    Act.EVALUATION: lambda: tr("evaluated"),
    Act.TRIAL: lambda: tr("trial run"),
    Act.JUDGING: lambda: tr("answers judged"),
    Act.SHEET: lambda: tr("answer sheet written"),
    Act.SIMULATION: lambda: tr("used in a simulation"),
    Act.ITEMS: lambda: tr("written to a list of items"),
    Act.TABLE: lambda: tr("read as a table"),
    Act.EMBEDDING: lambda: tr("compared by meaning"),
    Act.STORAGE: lambda: tr("put into a storage"),
    Act.COPY: lambda: tr("copied with the workspace"),
    Act.BACKUP: lambda: tr("backed up with the workspace"),
}
"""The acts in the words of people."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One act: ``purpose`` is an export's format, a run, the file that was written, or of an
    embedding or a storage what ``receiver_of`` gives.

    ``items`` and ``digest`` (of their content hashes) are of what was read of the split; 0 and
    empty where an earlier version of the program did not say. ``at`` is an ISO time, UTC.
    """

    event: int
    at: str
    person: str
    act: str
    purpose: str
    items: int
    digest: str

    @property
    def is_publication(self) -> bool:
        """Whether it is the export by which a split is published."""
        from core.release.public_folder import PublishedSplit

        return (self.act, self.purpose) == (Act.EXPORT, PublishedSplit.name)

    @property
    def title(self) -> str:
        """The act in the words of people."""
        return tr("published") if self.is_publication else TITLES[self.act]()

    @property
    def detail(self) -> str:
        """The purpose where the title does not say it."""
        return "" if self.is_publication else self.purpose

    @property
    def receiver(self) -> tuple[str, str]:
        """Model, or address of a storage, and host that the texts were sent to."""
        model, _, host = self.purpose.rpartition("@")
        return model, host


def receiver_of(name: str, host: str) -> str:
    """The purpose of an embedding, by its model, or of a storage, by its address; the host is empty
    where it is this machine."""
    return f"{name}@{host}"


def digest_of_items(content_hashes: Iterable[str]) -> str:
    """What stands for the texts of some items in an event."""
    return digest_of_hashes(content_hashes)


def reading_facts(
    session: Session, split: SplitRow, uids: Iterable[str] | None = None
) -> dict[str, Any]:
    """What an event says of the items of a split that are read: all, or those with these ids.

    An id may name a way of asking behind ``#``.
    """
    wanted = None if uids is None else _numbers(uids)
    hashes = [
        content_hash
        for item_id, _, content_hash in splits.each_member(session, split.id)
        if wanted is None or _has(wanted, item_id)
    ]
    return {"split": split.name, "items": len(hashes), "digest": digest_of_items(hashes)}


def _numbers(uids: Iterable[str]) -> "array[int]":
    """The items of some ids, each perhaps several times, in ascending order."""
    numbers = array("q", (int(uid_of(uid)) for uid in uids))
    if any(later < earlier for earlier, later in pairwise(numbers)):
        numbers = array("q", sorted(numbers))
    return numbers


def _has(numbers: "array[int]", number: int) -> bool:
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def record(session: Session, person: str, act: Act, data: Mapping[str, Any]) -> int:
    """Write the event of a reading that no other event tells of; returns its number."""
    subject = str(data.get("split", ""))
    event = NewEvent(EventKind.READING, person, subject=subject, data={"act": act, **data})
    return ledger.append(session, event)


def record_locked(session: Session, person: str, data: Mapping[str, Any], digest: str) -> int:
    """Write that what is locked was put into a storage: no text was read by it. ``digest`` is that
    of its file or marker."""
    return record(session, person, Act.STORAGE, {**data, "items": 0, _LOCKED: digest})


def record_items(
    session: Session, person: str, act: Act, purpose: str, numbers: Sequence[int]
) -> int:
    """Write that the present texts of some items, of whatever split, are read; 0 for none that is
    private."""
    private = set(numbers) - public_items(session)
    if not private:
        return 0
    chosen = sorted(private)
    rows = items.get_many(session, chosen)
    homes = Counter(splits.homes_of(session, chosen))
    data = {
        "items": len(rows),
        "digest": digest_of_items(row.content_hash for row in rows),
        "splits": dict(sorted(homes.items())),
        "for": purpose,
    }
    return record(session, person, act, data)


def record_before_sending(ws: Workspace, act: Act, purpose: str, numbers: Sequence[int]) -> None:
    """As ``record_items``, in a transaction of who works here, before the texts are sent.

    RightsError where some are private and nobody says who asks, or may not look at them, StateError
    where the split of some is sealed.
    """
    with ws.reading() as session:
        if splits.sealed_among(session, numbers):
            raise StateError(closed_sentence())
        private = not public_items(session).issuperset(numbers)
    if private:
        with writing_as(ws, "", Action.SEE_ITEMS) as (session, actor):
            record_items(session, actor.name, act, purpose, numbers)


def record_workspace_copy(
    ws: Workspace, person: str, act: Act, purpose: str, plain: Callable[[str], bool]
) -> None:
    """Before the whole workspace is written to another place: that the items of each private split
    which lie readable in it go along, in the database or where ``plain`` says so of a split. On a
    server it is who administers it that does so."""
    with ws.reading() as session:
        rows = [
            row
            for row in splits.all_splits(session)
            if not _is_public(row)
            and (not splits.is_sealed_split(session, row.id) or plain(row.name))
        ]
    if not rows:
        return
    with ws.writing() as session:
        own = people.of_account(session, ws.login) if ws.is_server else None
        actor = own.name if own else ws.login or acting_name(session, person)
        for row in rows:
            record(session, actor, act, {**reading_facts(session, row), "for": purpose})


def _is_public(row: SplitRow) -> bool:
    return row.state == SplitState.EXPIRED or row.manifest.get("half") == "public"


def split_of_items(session: Session) -> dict[int, str]:
    """The split of every frozen item, by number."""
    return {
        item_id: row.name
        for row in splits.all_splits(session)
        for item_id, _, _ in splits.members(session, row.id)
    }


def public_items(session: Session) -> set[int]:
    """Items that are no secret: of splits that have expired or were frozen to be released."""
    return {
        item_id
        for row in splits.all_splits(session)
        if _is_public(row)
        for item_id, _, _ in splits.members(session, row.id)
    }


def sealed_items(session: Session) -> set[int]:
    """Items of splits that are sealed now, or opened under a policy: their texts leave the
    workspace in no list."""
    return {
        item_id
        for row in splits.all_splits(session)
        if row.state == SplitState.SEALED or openings.policy_of(session, row.name)
        for item_id, _, _ in splits.members(session, row.id)
    }


def reading_of(event: LedgerEvent, split: str) -> Reading | None:
    """What an event says of a reading of a split; None for one that tells of none."""
    data = event.data
    act, purpose, count = "", "", data.get("items", 0)
    if event.kind == EventKind.SPLIT and "exported" in data and event.subject == split:
        act, purpose = Act.EXPORT, str(data["exported"])
    elif event.kind == EventKind.RUN and data.get("split") == split:
        act = Act.SHEET if "drawn" in data else _OF_RUN.get(str(data.get("kind", "")), "")
        purpose = event.subject
    elif event.kind == EventKind.READING:
        act, purpose = str(data.get("act", "")), str(data.get("for", ""))
        if event.subject != split:
            homes = data.get("splits", {})
            count = homes.get(split, 0) if isinstance(homes, dict) else 0
            act = act if count else ""
    if act not in TITLES or type(count) is not int or (act == Act.STORAGE and _LOCKED in data):
        # ciphertext, or of another form than any program writes, which ``verify`` says
        return None
    digest = str(data.get("digest", ""))
    return Reading(event.id, event.at, event.actor, act, purpose, count, digest)


def is_malformed(event: LedgerEvent) -> bool:
    """Whether an event of the kind ``reading`` is of no form that a program writes."""
    data = event.data
    counts = data.get("splits", {})
    return event.kind == EventKind.READING and not (
        str(data.get("act")) in TITLES
        and type(data.get("items", 0)) is int
        and isinstance(counts, dict)
        and all(type(count) is int for count in counts.values())
    )


def of_split(session: Session, split: str) -> tuple[Reading, ...]:
    """Every reading of a split, oldest first."""
    events = ledger.events_about(session, KINDS, split)
    return tuple(entry for event in events if (entry := reading_of(event, split)) is not None)
