"""Near-duplicates of a task found by runs, which may work on a cluster.

The texts are written to a run folder as they are read, so that no more than a chunk of them is
held. Those of private frozen splits are not: a split that is asked once stays out of such folders.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import InputError, NotFoundError, OutsideError, StateError
from core.families.intake import ImportTarget
from core.i18n import tr, trn
from core.jobs.folder import RunFolder
from core.jobs.launchers import Launcher, launcher_named
from core.screening.compared_text import own_text
from core.screening.duplicate_runs import DuplicateParams, StoredTexts, chunks, pairs_of
from core.screening.near_duplicates import DEFAULT_THRESHOLD, DuplicatePair, duplicate_groups
from core.workflow.lookup import task_in
from core.workflow.production.duplicates import (
    GONE,
    DuplicateReport,
    file_texts,
    refuse_threshold,
)
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import runs
from core.workflow.splits import readings
from core.workflow.workspace import Workspace
from db import runs as run_rows
from db.benchmarks import TaskRow
from db.engine import Session
from db.queries import duplicates as rows
from db.queries.duplicates import TextRow
from db.vocabulary import ItemState

_Texts = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Order:
    """What is compared: ``public`` texts of others and of the file, then ``own`` of the task.
    ``digest`` is that of all of them; ``left_out`` items are not among them, as those of frozen
    splits but ``released``."""

    task: TaskRow
    others: tuple[int, ...]
    file: tuple[tuple[str, str], ...]
    released: frozenset[int]
    public: int = 0
    own: int = 0
    left_out: int = 0
    digest: str = ""


def find(
    ws: Workspace,
    task: str,
    benchmark: str = "",
    *,
    threshold: float = DEFAULT_THRESHOLD,
    public: Path | None = None,
    launcher: str = "local",
    shards: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> DuplicateReport:
    """As ``duplicates.find`` without a server, found by ``shards`` workers of a launcher.

    Asked again about the same texts, it goes on with what its runs have. Raises what
    ``duplicates.find`` and ``Launcher.require`` raise, OutsideError where a run failed and
    StateError where one ended unfinished.
    """
    refuse_threshold(threshold)
    refuse_early(ws, "", Action.MAKE_ITEMS)
    starter = launcher_named(launcher, ws.place.folder)
    starter.require()
    starter.refuse_after(None)
    with ws.reading() as session:
        order = _order(session, task_in(session, task, benchmark), public)
    within = _pairs(ws, order, threshold, (starter, shards, say), against=False)
    across = _pairs(ws, order, threshold, (starter, shards, say), against=True)
    return DuplicateReport(
        task=order.task.name,
        threshold=threshold,
        compared=order.own,
        against=order.public,
        within=tuple(within),
        published=tuple(across),
        groups=tuple(tuple(group) for group in duplicate_groups(within)),
        left_out=order.left_out,
    )


_How = tuple[Launcher, int, Callable[[str], None]]


def _pairs(
    ws: Workspace, order: _Order, threshold: float, how: _How, *, against: bool
) -> list[DuplicatePair]:
    """The pairs within the task, or ``against`` the public texts, the most similar first."""
    public = order.public if against else 0
    if order.own < 2 - against or (against and not public):
        return []
    params = DuplicateParams(threshold=threshold, public=public)
    signing = _run(ws, "signatures", order, params, how)
    runs.complete_records(signing)
    comparing = _run(ws, "near_pairs", order, params, how, after=signing.spec().id)
    found = runs.complete_records(comparing)
    texts = StoredTexts(signing)
    try:
        pairs = [
            DuplicatePair(texts.id(left), texts.id(right), likeness)
            for left, right, likeness in pairs_of(found)
        ]
    except (LookupError, TypeError, ValueError) as error:
        raise comparing.files.damaged("shard-*.jsonl") from error
    return sorted(pairs, key=lambda pair: -pair.similarity)


def _run(
    ws: Workspace, kind: str, order: _Order, params: DuplicateParams, how: _How, *, after: str = ""
) -> RunFolder:
    """The finished run of a kind: the one that is there, or a new one, waited for."""
    starter, shards, say = how
    folder = _known(ws, kind, order, params, after)
    if folder is None:
        folder = _new(ws, kind, order, params, how, after)
    run_id = folder.spec().id
    if folder.result() is None and not folder.is_running():
        total = folder.spec().total
        starter.start(folder, min(shards, total) if total else shards)
        runs.launched(ws, run_id, starter, shards)
        say(tr("Comparing texts (run {run}).", run=run_id))
    info = runs.wait(ws, run_id)
    if folder.result() is None:
        if info.error:
            raise OutsideError(info.error)
        raise StateError.tr(
            "Run {run} is not finished; repeat the command to continue.", run=run_id
        )
    return folder


def _known(
    ws: Workspace, kind: str, order: _Order, params: DuplicateParams, after: str
) -> RunFolder | None:
    with ws.reading() as session:
        known = [row for row in run_rows.all_runs(session) if row.kind == kind]
    for row in known:
        folder = runs.folder_of(ws, row.id)
        try:
            spec = folder.spec() if row.params == params.model_dump(mode="json") else None
        except (InputError, NotFoundError):
            continue  # another is made in its place
        if spec and (spec.after, spec.origin.get("texts")) == (after, order.digest):
            return folder
    return None


def _new(
    ws: Workspace, kind: str, order: _Order, params: DuplicateParams, how: _How, after: str
) -> RunFolder:
    origin = {"task": order.task.name, "texts": order.digest}
    with ws.reading() as session:
        texts = () if after else chunks(_texts(session, order, public=bool(params.public)))
        folder = RunFolder.create(ws.runs, kind, params, texts, origin=origin, after=after)
    count = params.public + order.own
    title = trn("{task}: 1 text", "{task}: {n} texts", count, task=order.task.name)
    with writing_as(ws, "", Action.MAKE_ITEMS) as (session, actor):
        runs.enter(
            session,
            folder,
            title,
            benchmark_id=order.task.benchmark_id,
            launcher=how[0].name,
            shards=how[1],
            actor=actor.name,
        )
    return folder


def _order(session: Session, task: TaskRow, public: Path | None) -> _Order:
    file = file_texts(public, ImportTarget(task.family, task.format)) if public else ()
    others = tuple(rows.namesakes(session, task.id, task.name))
    order = _Order(task, others, tuple(file), frozenset(readings.public_items(session)))
    digest = hashlib.sha256()
    counts = [0, 0]
    for own, texts in enumerate((_public(session, order), _own(session, order))):
        for id, text in texts:
            digest.update(f"{own} {id} {len(text)} {text}".encode("utf-8", "surrogatepass"))
            counts[own] += 1
    every = rows.contents_of(session, [task.id, *others])
    return replace(
        order,
        public=counts[0],
        own=counts[1],
        left_out=sum(_is_private(row, order) for row in every),
        digest=digest.hexdigest(),
    )


def _texts(session: Session, order: _Order, *, public: bool) -> _Texts:
    if public:
        yield from _public(session, order)
    yield from _own(session, order)


def _public(session: Session, order: _Order) -> _Texts:
    if order.others:
        yield from _written(session, order, order.others)
    yield from order.file


def _own(session: Session, order: _Order) -> _Texts:
    return _written(session, order, (order.task.id,))


def _written(session: Session, order: _Order, tasks: tuple[int, ...]) -> _Texts:
    for row in rows.contents_of(session, list(tasks)):
        if row.state not in GONE and not _is_private(row, order):
            yield str(row.id), own_text(row)


def _is_private(row: TextRow, order: _Order) -> bool:
    return row.state == ItemState.FROZEN and row.id not in order.released
