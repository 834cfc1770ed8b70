"""Whether what is stored was said: decisions, ratings, texts, people and tasks against the ledger.

Everything that people say is a row, and an event tells of it. A row that no event tells of, that
says something else than its event, or that is gone though its event stands, was changed past the
program.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.i18n import tr
from core.workflow.tasks import DESCRIBED, described
from core.workflow.verify.findings import VerifyFinding, VerifyRun
from db import benchmarks, lots, people, splits
from db.engine import Session
from db.evidence.recorded_digests import UnitDigests, packed
from db.evidence.row_events import RowEvents
from db.queries import replay as rows
from db.vocabulary import EventKind, LotState

_WRITING = (EventKind.CREATED, EventKind.SUBMITTED, EventKind.REVISED)


@dataclass(slots=True)
class _Recorded:
    """What the events tell, gathered in one walk."""

    decisions: RowEvents = field(default_factory=RowEvents)
    ratings: RowEvents = field(default_factory=RowEvents)
    replaced: dict[int, list[int]] = field(default_factory=dict)
    replacing: dict[int, int] = field(default_factory=dict)
    undone: dict[int, int] = field(default_factory=dict)
    texts: UnitDigests = field(default_factory=UnitDigests)  # with the numbers of their authors
    authors: dict[str, int] = field(default_factory=dict)
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    tasks: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    protocols: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    lots: dict[int, dict[str, Any]] = field(default_factory=dict)
    ended: dict[int, int] = field(default_factory=dict)
    splits: set[str] = field(default_factory=set)

    def take(self, event: rows.ReplayedEvent) -> None:
        """Remember what one event says."""
        data = event.data
        if "decision" in data:
            self.decisions.put(int(data["decision"]), event.id)
        if event.kind == EventKind.RATED and event.item_id is not None:
            self._rated(event)
        elif event.kind == EventKind.UNDONE:
            self._taken_back(int(data["undone"]), event.id)
        elif event.kind in _WRITING and event.item_id is not None:
            number = int(data.get("after", {}).get("revision", 1))
            author = "" if event.kind == EventKind.CREATED else event.actor
            content = packed(str(data.get("content_hash", "")))
            numbered = self.authors.setdefault(author, len(self.authors) + 1)
            self.texts.put(_text_unit(event.item_id, number), content, numbered)
        elif event.kind == EventKind.PERSON:
            self.people.setdefault(event.subject, {}).update(data)
        elif event.kind == EventKind.TASK:
            self._task(event)
        elif event.kind == EventKind.PROTOCOL and "changed" in data:
            home = str(data.get("benchmark", ""))
            self.protocols.setdefault((home, event.subject), []).append(data["changed"])
        elif event.kind == EventKind.SPLIT and "digest" in data:
            self.splits.add(event.subject)
        elif "lot" in data:
            self._lot(event)

    def _lot(self, event: rows.ReplayedEvent) -> None:
        number = int(event.data["lot"])
        if event.kind == EventKind.AUDIT_STARTED and "drawn" in event.data:
            seed, drawn = event.data["seed"], event.data["drawn"]
            self.lots[number] = {"seed": seed, "sample": drawn, "state": LotState.OPEN}
        if event.data.get("ends") and number in self.lots:
            passed = event.data.get("passed")
            self.lots[number]["state"] = LotState.PASSED if passed else LotState.RETURNED
            self.ended[event.id] = number

    def _rated(self, event: rows.ReplayedEvent) -> None:
        for number in event.data.get("ratings", ()):
            self.ratings.put(int(number), event.id)
        if before := [int(number) for number in event.data.get("replaced", ())]:
            self.replaced[event.id] = before
            self.replacing.update(dict.fromkeys(before, event.id))

    def _taken_back(self, what: int, by: int) -> None:
        # of several events written together the first is the one that is named
        self.undone.setdefault(what, by)
        if (lot := self.ended.get(what)) is not None:
            self.lots[lot]["state"] = LotState.OPEN
        for number in self.replaced.pop(what, ()):
            self.replacing.pop(number, None)

    def _task(self, event: rows.ReplayedEvent) -> None:
        known = self.tasks.setdefault((str(event.data.get("benchmark", "")), event.subject), {})
        if "protocol" in event.data:
            known["protocol"] = event.data["protocol"]
            if "profile" in event.data:
                known.update(described(event.data["profile"]))
        known.update(event.data.get("changed", {}))


def mismatches(run: VerifyRun) -> Iterator[VerifyFinding]:
    """Every row that says something else than the ledger."""
    session = run.session
    recorded = _Recorded()
    for event in rows.row_events(session):
        recorded.take(event)
    yield from _decisions(session, recorded)
    yield from _ratings(session, recorded)
    yield from _texts(session, recorded)
    yield from _people(session, recorded)
    yield from _tasks(session, recorded)
    yield from _lots(session, recorded)
    for name in recorded.splits - {row.name for row in splits.all_splits(session)}:
        yield _gone("split", name)


def _no_event(kind: str, subject: str) -> VerifyFinding:
    return VerifyFinding(kind, subject, tr("it appears in no event"))


def _other(kind: str, subject: str, column: str, value: object, computed: object) -> VerifyFinding:
    detail = tr(
        "{column} is {value}, but its events give {computed}",
        column=column,
        value=value,
        computed=computed,
    )
    return VerifyFinding(kind, subject, detail)


def _gone(kind: str, subject: str) -> VerifyFinding:
    return VerifyFinding(kind, subject, tr("it appears in events but no longer exists"))


def _compared(
    session: Session,
    kind: str,
    stored: Iterable[Sequence[Any]],
    told: RowEvents,
    called: Callable[[int, int | None], str],
    columns: Callable[[Any, rows.ReplayedEvent], Iterable[tuple[str, object, object]]],
) -> Iterator[VerifyFinding]:
    """Each stored row beside the event that tells of it: ``columns`` gives name, stored and told
    value of what must be equal. What is on one side only is named."""
    for some in stored:
        numbers = {row.id: told.seen(row.id) for row in some}
        events = rows.events(session, [number for number in numbers.values() if number])
        for row in some:
            event = events.get(numbers[row.id] or 0)
            if event is None:
                yield _no_event(kind, called(row.id, row.item_id))
                continue
            for name, value, known in columns(row, event):
                if value != known:
                    yield _other(kind, called(row.id, row.item_id), name, value, known)
    for number, told_by in told.unseen():
        event = rows.events(session, [told_by])[told_by]
        yield _gone(kind, called(number, event.item_id))


def _decisions(session: Session, recorded: _Recorded) -> Iterator[VerifyFinding]:
    def called(number: int, item: int | None) -> str:
        return tr("decision {number} on #{item}", number=number, item=item)

    def columns(row: Any, event: rows.ReplayedEvent) -> Iterator[tuple[str, object, object]]:
        head = int(event.data.get("head", event.id))
        yield "item", row.item_id, event.item_id
        yield "person", row.person, event.actor
        yield "withdrawn", row.withdrawn_event, recorded.undone.get(head)
        for name in ("verdict", "reason", "note"):
            if name in event.data:
                yield name, getattr(row, name), event.data[name]

    stored = rows.decisions(session)
    return _compared(session, "decision", stored, recorded.decisions, called, columns)


def _ratings(session: Session, recorded: _Recorded) -> Iterator[VerifyFinding]:
    def called(number: int, item: int | None) -> str:
        return tr("rating {number} of #{item}", number=number, item=item)

    def columns(row: Any, event: rows.ReplayedEvent) -> Iterator[tuple[str, object, object]]:
        yield "item", row.item_id, event.item_id
        yield "person", row.person, event.actor
        yield row.criterion, row.value, event.data.get("values", {}).get(row.criterion)
        gone = recorded.undone.get(event.id, recorded.replacing.get(row.id))
        yield "withdrawn", row.withdrawn_event, gone

    stored = rows.ratings(session)
    return _compared(session, "rating", stored, recorded.ratings, called, columns)


def _texts(session: Session, recorded: _Recorded) -> Iterator[VerifyFinding]:
    names = {number: name for name, number in recorded.authors.items()}
    for item_id, number, digest, author in rows.texts(session):
        entry = recorded.texts.seen(_text_unit(item_id, number))
        if entry is None:
            continue  # an item that no event tells of is named elsewhere
        content, written_by = entry[0], names[entry[1]]
        if content and content != packed(digest):
            detail = tr("revision {number} differs from what was submitted", number=number)
            yield VerifyFinding("content", f"#{item_id}", detail)
        if written_by and written_by != author:
            yield _other("content", f"#{item_id}", "author", author or "–", written_by)
    for unit, _ in recorded.texts.unseen():
        yield _gone("content", f"#{unit.partition('/')[0]}")


def _text_unit(item_id: int, number: int) -> str:
    """The name of a revision: that of its item for the first, which most have alone."""
    return str(item_id) if number == 1 else f"{item_id}/{number}"


def _people(session: Session, recorded: _Recorded) -> Iterator[VerifyFinding]:
    unmatched = dict(recorded.people)
    for row in people.everybody(session):
        known = unmatched.pop(row.name, None)
        if known is None:
            yield _no_event("person", row.name)
            continue
        for name, stored in (("role", row.role), ("active", row.active)):
            if name in known and known[name] != stored:
                yield _other("person", row.name, name, stored, known[name])
    for name in unmatched:
        yield _gone("person", name)


def _tasks(session: Session, recorded: _Recorded) -> Iterator[VerifyFinding]:
    unmatched = dict(recorded.tasks)
    tasks = benchmarks.tasks(session)
    names = [row.name for row in tasks]
    for row in tasks:
        home = benchmarks.benchmark(session, row.benchmark_id).name
        known = unmatched.pop((home, row.name), None)
        if known is None:
            yield _no_event("task", row.name)
            continue
        texts = described(row.profile)
        for name in DESCRIBED:
            if name in known and known[name] != texts[name]:
                yield _other("task", row.name, name, texts[name], known[name])
        # an older event does not name the benchmark: with namesakes nobody knows whose it is
        earlier = recorded.protocols.get(("", row.name), [])
        if "protocol" in known and (names.count(row.name) == 1 or not earlier):
            changes = [*earlier, *recorded.protocols.get((home, row.name), [])]
            yield from _protocol(row, known["protocol"], changes)
    for _, name in unmatched:
        yield _gone("task", name)


def _lots(session: Session, recorded: _Recorded) -> Iterator[VerifyFinding]:
    unmatched = dict(recorded.lots)
    for task in benchmarks.tasks(session):
        for row in lots.of_task(session, task.id):
            subject = tr("lot {number} of {task}", number=row.id, task=task.name)
            known = unmatched.pop(row.id, None)
            if known is None:
                yield _no_event("lot", subject)
                continue
            stored = {
                "seed": row.seed, "sample": lots.drawn(session, row.id), "state": row.state
            }  # fmt: skip
            for name, value in known.items():
                if stored[name] != value:
                    yield _other("lot", subject, name, stored[name], value)
    for number in unmatched:
        yield _gone("lot", str(number))


def _protocol(
    row: benchmarks.TaskRow, first: Mapping[str, Any], changes: list[dict[str, Any]]
) -> Iterator[VerifyFinding]:
    if row.protocol_version != 1 + len(changes):
        yield _other("task", row.name, "protocol", row.protocol_version, 1 + len(changes))
        return
    known = dict(first)
    for change in changes:
        known.update(change)
    for name, value in known.items():
        if row.protocol.get(name, value) != value:
            yield _other("task", row.name, name, row.protocol[name], value)
