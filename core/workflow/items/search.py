"""Finding items: filters in people's words, search, saved filters, and writing the found ones."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from core.errors import BenchsealError, InputError, NotFoundError, RightsError
from core.families.base import ItemContent
from core.files import NewFile, readable_by_others
from core.json_lines import json_line
from core.screening.compared_text import own_text
from core.workflow.check.visibility import (
    Visibility,
    open_provenance,
    open_to,
    viewer_in,
    visibility_of,
)
from core.workflow.items import search_index
from core.workflow.items.search_index import SearchCoverage
from core.workflow.lookup import task_in
from core.workflow.people import benchmark_in
from core.workflow.rights import (
    Action,
    at_work,
    is_allowed,
    known_person,
    refuse,
    refuse_early,
    writing_as,
)
from core.workflow.workspace import Workspace
from db import benchmarks, items, people, runs, saved_filters
from db.engine import Session
from db.queries import duplicates as duplicate_rows
from db.queries import item_search as item_search
from db.queries.item_search import ItemLine, ItemQuery
from db.vocabulary import ItemState, Stage

__all__ = ["ItemLine"]

STAGE_STATES: Mapping[int, tuple[str, ...]] = {
    Stage.PRODUCTION: (ItemState.DRAFT, ItemState.RETURNED),
    Stage.CHECK: (
        ItemState.SCREENING,
        ItemState.SCREENED_OUT,
        ItemState.IN_REVIEW,
        ItemState.REJECTED,
    ),
    Stage.AUDIT: (ItemState.ACCEPTED, ItemState.APPROVED, ItemState.FROZEN),
}
_CHUNK = 500
_BEGINNING = 160  # characters


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list of items is narrowed to; empty fields do not narrow.

    ``person`` wrote the item or decided on it; ``since`` and ``until`` are ISO dates or moments of
    the last change, ``until`` a day with that day; ``words`` is searched in the texts; ``numbers``
    are certain items. ``second_look``
    says whether they wait for one.
    """

    benchmark: str = ""
    task: str = ""
    states: tuple[str, ...] = ()
    stage: int | None = None
    family: str = ""
    format: str = ""
    domain: str = ""
    label: str = ""
    run: str = ""
    disputed: bool | None = None
    second_look: bool | None = None
    person: str = ""
    score_from: float | None = None
    score_to: float | None = None
    since: str = ""
    until: str = ""
    words: str = ""
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemPageRows:
    """Some rows of a list. ``capped`` says that there are more than ``total``."""

    rows: tuple[ItemLine, ...]
    total: int
    capped: bool
    offset: int
    coverage: SearchCoverage | None = None
    """How far the search reached, where it was not into every text."""


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """What the fields of a filter can be set to."""

    benchmarks: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    overseer: bool = False


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A filter that has a name."""

    name: str
    filters: Filters


def page(
    ws: Workspace,
    filters: Filters,
    offset: int = 0,
    limit: int = 100,
    *,
    exact: bool = False,
    viewer: str,
    texts: bool = False,
) -> ItemPageRows:
    """One page of the items that match, by number; counted to 10,000, or all with ``exact``.
    With ``texts`` each row has the beginning of its text, to be looked at and not to be written.

    ``viewer`` is who looks, empty for nobody in particular. Annotators have no list of items, and
    specialists cannot narrow by another person or by the score: RightsError. Whoever narrows by
    these finds only items about which nothing is hidden from them, so that neither the rows nor
    their number tell what they must not know before they decide. Raises NotFoundError for a
    benchmark, task or person that is not there.
    """
    with ws.reading() as session:
        query, visibility = _asked(session, filters, viewer)
        numbers = item_search.ids(session, query, offset=offset, limit=limit)
        rows = _lines(session, numbers, visibility, texts)
        total, capped = item_search.count(
            session, query, most=None if exact else item_search.COUNTED
        )
    reached = search_index.coverage(ws) if filters.words else None
    if reached is not None and reached.is_whole:
        reached = None
    return ItemPageRows(tuple(rows), total, capped, offset, reached)


def rows(
    ws: Workspace, filters: Filters, offset: int, limit: int, *, viewer: str, texts: bool = False
) -> tuple[ItemLine, ...]:
    """The rows of one page without counting; raises what ``page`` raises."""
    with ws.reading() as session:
        query, visibility = _asked(session, filters, viewer)
        numbers = item_search.ids(session, query, offset=offset, limit=limit)
        return tuple(_lines(session, numbers, visibility, texts))


def _lines(
    session: Session, numbers: list[int], visibility: Visibility, texts: bool = False
) -> list[ItemLine]:
    """The rows as somebody sees them: a gold item looks like one under review."""
    said = _beginnings(session, numbers) if texts else {}
    return [
        replace(line, state=ItemState.IN_REVIEW, disputed=False, text=said.get(line.id, ""))
        if visibility.takes_for_review(line.id, line.revision)
        else replace(line, text=said[line.id]) if line.id in said
        else line
        for line in item_search.lines(session, numbers)
    ]  # fmt: skip


def _beginnings(session: Session, numbers: list[int]) -> dict[int, str]:
    """The beginning of the text of each item, on one line."""
    from core.families.scp_payload import HOLE  # commands start without it

    said = {}
    for row in duplicate_rows.contents(session, numbers):
        try:
            text = own_text(row)
        except (BenchsealError, ValueError):  # a payload of another shape is shown as it is
            text = " ".join(value for value in row.payload.values() if isinstance(value, str))
        text = HOLE.sub(r"▢\1", text[: 3 * _BEGINNING])  # as on the page of the item
        said[row.id] = " ".join(text.split())[:_BEGINNING]
    return said


def count(ws: Workspace, filters: Filters, *, viewer: str) -> int:
    """How many items match, all counted; raises what ``page`` raises."""
    with ws.reading() as session:
        return item_search.count(session, query_of(session, filters, viewer), most=None)[0]


def choices(ws: Workspace, benchmark: str = "", *, viewer: str) -> FilterChoices:
    """What the fields of a filter can be set to, in a benchmark or everywhere.

    ``overseer`` says whether ``viewer`` may narrow by others and by the score; who may not is
    offered their own name only.
    """
    with ws.reading() as session:
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        overseer = not viewer or _oversees(session, viewer)
        everybody = [row.name for row in people.everybody(session)]
        made = ("generate", "rewrite")
        return FilterChoices(
            benchmarks=tuple(row.name for row in benchmarks.benchmarks(session)),
            tasks=tuple(dict.fromkeys(row.name for row in benchmarks.tasks(session, benchmark_id))),
            families=tuple(item_search.values(session, "family", benchmark_id)),
            formats=tuple(item_search.values(session, "format", benchmark_id)),
            domains=tuple(item_search.values(session, "domain", benchmark_id)),
            labels=tuple(item_search.values(session, "label", benchmark_id)),
            people=tuple(everybody) if overseer else (viewer,),
            runs=tuple(row.id for row in runs.all_runs(session) if row.kind in made),
            overseer=overseer,
        )


def _oversees(session: Session, viewer: str) -> bool:
    return is_allowed(at_work(session, viewer).role, Action.SEARCH_BY_PERSON)


def numbers(ws: Workspace, filters: Filters, *, viewer: str) -> list[int]:
    """The numbers of all items that match, ascending, once the search index is complete; raises
    what ``page`` raises."""
    complete_index(ws, filters)
    with ws.reading() as session:
        return item_search.ids(session, query_of(session, filters, viewer), limit=None)


def complete_index(ws: Workspace, filters: Filters) -> None:
    """Let a search find all that it should: nothing is done to half of what matches."""
    if filters.words:
        search_index.index_waiting(ws)


def query_of(session: Session, filters: Filters, viewer: str) -> ItemQuery:
    """The filter with ids in place of names, as somebody may use it; see ``page``."""
    return _asked(session, filters, viewer)[0]


def _asked(session: Session, filters: Filters, viewer: str) -> tuple[ItemQuery, Visibility]:
    """What a person may ask, and what is open to them."""
    person = viewer_in(session, viewer)
    by_score = filters.score_from is not None or filters.score_to is not None
    about_others = by_score or filters.person not in ("", viewer)
    if person is not None:
        refuse(person, Action.SEE_ITEMS)
        if about_others and not is_allowed(person.role, Action.SEARCH_BY_PERSON):
            raise RightsError.tr(
                "Only researchers and leads can filter by other people or by score."
            )
    visibility = visibility_of(session, person)
    query = replace(
        _query(session, filters),
        open_to=open_to(person) if about_others else None,
        in_review=tuple(
            sorted(key[0] for key in visibility.gold if visibility.takes_for_review(*key))
        ),
    )
    return query, visibility


def _query(session: Session, filters: Filters) -> ItemQuery:
    benchmark_id = benchmark_in(session, filters.benchmark).id if filters.benchmark else None
    task_id = task_in(session, filters.task, filters.benchmark).id if filters.task else None
    person_id = known_person(session, filters.person).id if filters.person else None
    return ItemQuery(
        benchmark_id=benchmark_id,
        task_id=task_id,
        states=_states(filters),
        family=filters.family,
        format=filters.format,
        domain=filters.domain,
        label=filters.label,
        run_id=filters.run,
        disputed=filters.disputed,
        second_look=filters.second_look,
        person_id=person_id,
        score_from=filters.score_from,
        score_to=filters.score_to,
        since=_moment(filters.since),
        until=_moment(filters.until, end=True),
        words=filters.words,
        numbers=filters.numbers,
    )


def _states(filters: Filters) -> tuple[str, ...]:
    if filters.stage is None:
        return filters.states
    if filters.stage not in STAGE_STATES:
        raise InputError.tr("There is no stage {stage}; use 1, 2 or 3.", stage=filters.stage)
    of_stage = STAGE_STATES[filters.stage]
    if not filters.states:
        return of_stage
    # no state is in both: a name that no item has, so that nothing is found
    return tuple(state for state in filters.states if state in of_stage) or ("–",)


def _moment(words: str, *, end: bool = False) -> datetime | None:
    """An ISO date or moment; without a zone it is of this machine's clock, as the window shows
    moments. A day as an end counts whole."""
    if not words:
        return None
    try:
        moment = datetime.fromisoformat(words.strip())
    except ValueError as error:
        raise InputError.tr(
            "“{text}” is not a date. Write it as 2026-03-31 or 2026-03-31T14:00.", text=words
        ) from error
    if end and len(words.strip()) <= 10:
        moment += timedelta(days=1)
    return moment if moment.tzinfo else moment.astimezone()


# --- saved filters ---------------------------------------------------------------------------


def save_filter(ws: Workspace, name: str, filters: Filters, person: str = "") -> None:
    """Keep a filter under a name, for everybody; one of the same name is replaced."""
    name = name.strip()
    if not name or len(name) > 80:
        raise InputError.tr("A filter's name must have 1 to 80 characters.")
    settings = {
        field: list(value) if isinstance(value, tuple) else value
        for field, value in asdict(filters).items()
        if value not in ("", None, ())
    }
    with writing_as(ws, person, Action.KEEP_FILTERS) as (session, actor):
        saved_filters.save(session, name, settings, actor.id)


def filters_saved(ws: Workspace) -> tuple[SavedFilter, ...]:
    """All saved filters by name; fields that this program does not know are left out."""
    with ws.reading() as session:
        rows = saved_filters.all_filters(session)
    return tuple(SavedFilter(row.name, _filters(row.settings)) for row in rows)


def _filters(settings: Mapping[str, Any]) -> Filters:
    known = {field.name for field in fields(Filters)}
    values = {name: value for name, value in settings.items() if name in known}
    lists = {name: tuple(values.get(name, ())) for name in ("states", "numbers")}
    return Filters(**{**values, **lists})


def forget_filter(ws: Workspace, name: str, person: str = "") -> None:
    """Remove a saved filter; NotFoundError when there is none of that name."""
    with writing_as(ws, person, Action.KEEP_FILTERS) as (session, _):
        if not saved_filters.forget(session, name):
            raise NotFoundError.tr("There is no saved filter “{name}”.", name=name)


# --- writing items out -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ItemsFile:
    """A file of items that was written: how many there are, and how many items of ``sealed``
    splits were left out. Of ``bare`` items the columns beside them were left out."""

    written: int
    sealed: int
    bare: int = 0


def export_items(ws: Workspace, filters: Filters, path: Path, *, viewer: str) -> ItemsFile:
    """Write the matching items as JSON lines, which ``import`` reads back with equal hashes.

    Items of sealed splits are left out, and of items about which something is hidden from
    ``viewer`` the columns that were imported beside them. The ledger says that ``viewer`` read the
    others, before the file appears; it appears whole or not at all. Raises what ``page`` raises.
    """
    from core.workflow.splits import readings  # lists start without it

    path = Path(path)
    refuse_early(ws, viewer, Action.SEE_ITEMS)
    if path.is_dir():
        raise InputError.tr("“{path}” is a folder; give a file.", path=path)
    if not path.parent.is_dir():
        raise NotFoundError.tr("There is no folder “{path}”.", path=path.parent)
    complete_index(ws, filters)
    bare = 0
    with closing(NewFile(path, readable_by_others())) as file:
        with ws.reading() as session:
            matching = item_search.ids(session, query_of(session, filters, viewer), limit=None)
            sealed = readings.sealed_items(session).intersection(matching)
            numbers = [number for number in matching if number not in sealed]
            visibility = visibility_of(session, viewer_in(session, viewer))
            for content, is_bare in _contents(session, numbers, visibility):
                bare += is_bare
                file.handle.write(json_line(content.as_json()))
        with writing_as(ws, viewer, Action.SEE_ITEMS) as (session, actor):
            readings.record_items(session, actor.name, readings.Act.ITEMS, path.name, numbers)
        file.publish(replace=True)
    return ItemsFile(len(numbers), len(sealed), bare)


def _contents(
    session: Session, numbers: Sequence[int], visibility: Visibility
) -> Iterator[tuple[ItemContent, bool]]:
    """Items as somebody sees them, and whether columns beside them were left out."""
    for start in range(0, len(numbers), _CHUNK):
        rows = items.get_many(session, numbers[start : start + _CHUNK])
        revisions = items.contents(session, [row.id for row in rows])
        for row in rows:
            given = revisions[row.id].provenance
            seen = open_provenance(given, shown=visibility.shows(row.id, row.revision, row.state))
            payload = revisions[row.id].payload
            content = ItemContent(row.family, row.format, payload, seen, row.domain)
            yield content, len(seen) < len(given)
