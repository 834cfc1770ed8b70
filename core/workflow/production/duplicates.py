"""Near-duplicates of a task: among its own items and against what was published, and live ones.

Published are the items of tasks of the same name in other benchmarks, and those of a file.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from core.errors import InputError, OutsideError
from core.families.intake import AcceptedRow, ImportTarget, preview, read
from core.llm.types import ModelServer
from core.screening.compared_text import own_text
from core.screening.near_duplicates import (
    DEFAULT_MEANING_THRESHOLD,
    DEFAULT_THRESHOLD,
    DuplicateIndex,
    DuplicateMatch,
    DuplicatePair,
    MeaningIndex,
    duplicate_groups,
    duplicates_by_meaning,
    near_duplicates,
)
from core.web_hosts import web_host
from core.workflow.lookup import task_in
from core.workflow.splits import readings
from core.workflow.workspace import Workspace
from db import items, ledger, splits
from db.queries import duplicates as rows
from db.queries.duplicates import TextRow
from db.vocabulary import ItemState

GONE = frozenset({ItemState.REJECTED, ItemState.SCREENED_OUT})
_STALE = 20  # more matches are asked for, because earlier revisions stay in the index


@dataclass(frozen=True, slots=True)
class DuplicateReport:
    """Pairs of items that are alike, the most similar first.

    ``within`` are pairs of the task's own items by number; in ``published`` the left side is an
    item's number elsewhere or ``FILE:LINE``. ``groups`` are connected items of the task. ``meant``
    and ``meant_published`` are the pairs by meaning, where a server was asked, that are not alike
    by their letters; ``model`` is its model. ``left_out`` items of frozen splits were not compared,
    since runs were to compare them.
    """

    task: str
    threshold: float
    compared: int
    against: int
    within: tuple[DuplicatePair, ...]
    published: tuple[DuplicatePair, ...]
    groups: tuple[tuple[str, ...], ...]
    meant: tuple[DuplicatePair, ...] = ()
    meant_published: tuple[DuplicatePair, ...] = ()
    model: str = ""
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class SimilarItem:
    """An item that is like the text asked for. ``similarity`` from 0 to 1; no ``text`` of one in
    a sealed split."""

    number: int
    similarity: float
    text: str
    state: str
    published: bool = False
    by_meaning: bool = False


def embedding_server() -> ModelServer | None:
    """The server for likeness of meaning that ``BENCHSEAL_EMBEDDINGS_URL`` and
    ``BENCHSEAL_EMBEDDINGS_MODEL`` name; None where they name none."""
    url = os.environ.get("BENCHSEAL_EMBEDDINGS_URL", "").strip()
    model = os.environ.get("BENCHSEAL_EMBEDDINGS_MODEL", "").strip()
    return ModelServer(url, model) if url and model else None


def find(
    ws: Workspace,
    task: str,
    benchmark: str = "",
    *,
    threshold: float = DEFAULT_THRESHOLD,
    public: Path | None = None,
    server: ModelServer | None = None,
    meaning_threshold: float = DEFAULT_MEANING_THRESHOLD,
) -> DuplicateReport:
    """All near-duplicates of a task. Rejected and screened-out items are left out.

    With a ``server`` of embeddings the texts are compared by meaning too, without those of items
    that are sealed; the ledger tells which private ones are sent. Raises InputError for a threshold
    outside 0 to 1 or a file that cannot be read, OutsideError when the server fails, RightsError
    where private items would be sent and nobody says who asks.
    """
    refuse_threshold(threshold)
    refuse_threshold(meaning_threshold)
    with ws.reading() as session:
        task_row = task_in(session, task, benchmark)
        texts = _texts(rows.contents_of(session, [task_row.id]))
        others = rows.namesakes(session, task_row.id, task_row.name)
        published = _texts(rows.contents_of(session, others)) if others else []
    if public is not None:
        published += file_texts(public, ImportTarget(task_row.family, task_row.format))
    within = near_duplicates(texts, threshold=threshold)
    across = near_duplicates(texts, against=published, threshold=threshold) if published else []
    by_meaning: list[DuplicatePair] = []
    by_meaning_across: list[DuplicatePair] = []
    if server is not None:
        sent, sent_beside = _to_send(ws, server, texts, published)
        by_meaning = duplicates_by_meaning(server, sent, threshold=meaning_threshold)
        if sent_beside:
            by_meaning_across = duplicates_by_meaning(
                server, sent, against=sent_beside, threshold=meaning_threshold
            )
    return DuplicateReport(
        task=task_row.name,
        threshold=threshold,
        compared=len(texts),
        against=len(published),
        within=tuple(within),
        published=tuple(across),
        groups=tuple(tuple(group) for group in duplicate_groups(within)),
        meant=_besides(by_meaning, within),
        meant_published=_besides(by_meaning_across, across),
        model=server.model if server is not None else "",
    )


_Texts = list[tuple[str, str]]


def _to_send(
    ws: Workspace, server: ModelServer, texts: _Texts, published: _Texts
) -> tuple[_Texts, _Texts]:
    """Those of the texts that may be sent, after the ledger has told of the private ones."""
    with ws.reading() as session:
        sealed = readings.sealed_items(session)
        split = readings.split_of_items(session)
        numbers = sorted(int(id) for id, _ in (*texts, *published) if id.isdecimal())
        found = items.get_many(session, numbers)
        frozen = {row.id for row in found if row.state == ItemState.FROZEN}
    kept = sealed | (frozen - split.keys())  # of a split that who asks may not see
    sent, beside = (
        [one for one in part if not one[0].isdecimal() or int(one[0]) not in kept]
        for part in (texts, published)
    )
    told = frozen.intersection(int(id) for id, _ in (*sent, *beside) if id.isdecimal())
    purpose = readings.receiver_of(server.model, web_host(server.base_url))
    readings.record_before_sending(ws, readings.Act.EMBEDDING, purpose, sorted(told))
    return sent, beside


def _besides(
    pairs: Iterable[DuplicatePair], known: Iterable[DuplicatePair]
) -> tuple[DuplicatePair, ...]:
    known_pairs = {(pair.left, pair.right) for pair in known}
    return tuple(pair for pair in pairs if (pair.left, pair.right) not in known_pairs)


def _texts(texts: Iterable[TextRow]) -> list[tuple[str, str]]:
    return [(str(row.id), own_text(row)) for row in texts if row.state not in GONE]


def refuse_threshold(threshold: float) -> None:
    """InputError for what is no similarity that texts can have."""
    if not 0 < threshold <= 1:
        raise InputError.tr("A similarity threshold must be above 0 and at most 1.")


def file_texts(path: Path, target: ImportTarget) -> list[tuple[str, str]]:
    """(file and line, text) of the items in a published file."""
    shown = preview(path, target)
    return [
        (f"{path.name}:{row.line}", own_text(row.content))
        for row in read(path, target, shown.mapping)
        if isinstance(row, AcceptedRow)
    ]


class DuplicateWatch:
    """Live warnings while somebody writes for one task: the first call reads the task's texts,
    later ones only what changed. Used from one thread at a time.

    Where a server of embeddings is configured, what means the same is found too, but among items
    of a private split, whose texts are not sent; when it fails, ``trouble`` says why and it is not
    asked again.
    """

    def __init__(
        self, ws: Workspace, task: str, benchmark: str = "", server: ModelServer | None = None
    ) -> None:
        self.trouble = ""
        embeddings = server or embedding_server()
        # Whoever writes does not wait for a server that is away.
        self._server = embeddings and replace(
            embeddings, timeout_s=10.0, retries=1, longest_wait_s=5.0
        )
        self._meanings = MeaningIndex()
        self._ws = ws
        with ws.reading() as session:
            self._task = task_in(session, task, benchmark)
            self._others = rows.namesakes(session, self._task.id, self._task.name)
            self._public = readings.public_items(session) if embeddings else set[int]()
        self._index = DuplicateIndex()
        self._known: dict[int, tuple[int, str, str, bool]] = {}
        self._seen: datetime | None = None
        self._event = 0

    def similar_to(
        self, text: str, *, threshold: float = DEFAULT_THRESHOLD, limit: int = 5, but: int = 0
    ) -> list[SimilarItem]:
        """Items at least ``threshold`` like a text, the most similar first.

        The text is what ``own_text`` gives: for instructions input and output.
        ``but`` is the number of the item that is being written, where it has one.
        """
        self._refresh()
        alike = self._index.query(text, threshold=threshold, limit=limit + _STALE)
        similar = [item for match in alike if (item := self._similar(match, but, False))]
        numbers = {item.number for item in similar}
        for match in self._meant(text, limit + _STALE):
            item = self._similar(match, but, True)
            if item is not None and item.number not in numbers:
                similar.append(item)
        return self._without_sealed(similar[:limit])

    def _without_sealed(self, similar: list[SimilarItem]) -> list[SimilarItem]:
        frozen = [item.number for item in similar if item.state == ItemState.FROZEN]
        if not frozen:
            return similar
        with self._ws.reading() as session:
            sealed = splits.sealed_among(session, frozen)
        return [replace(item, text="") if item.number in sealed else item for item in similar]

    def _similar(self, match: DuplicateMatch, but: int, by_meaning: bool) -> SimilarItem | None:
        number, _, revision = match.id.partition(".")
        current, state, words, public = self._known[int(number)]
        if int(revision) != current or state in GONE or int(number) == but:
            return None
        return SimilarItem(int(number), match.similarity, words, state, public, by_meaning)

    def _meant(self, text: str, limit: int) -> list[DuplicateMatch]:
        if self._server is None or not text.strip():
            return []
        texts = {
            f"{number}.{row[0]}": row[2]
            for number, row in self._known.items()
            if row[1] != ItemState.FROZEN or number in self._public
        }
        try:
            self._meanings.add(self._server, texts)
            return self._meanings.query(self._server, text, limit=limit)
        except OutsideError as error:
            self.trouble, self._server = str(error), None
            return []

    def _refresh(self) -> None:
        with self._ws.reading() as session:
            tip = ledger.tip(session)
            changed = rows.item_marks(
                session, [self._task.id, *self._others], self._seen, self._event
            )
            new = [m.id for m in changed if self._revision(m.id) != m.revision]
            texts = [(row, own_text(row)) for row in rows.contents(session, new)]
            elsewhere = (
                {mark.id for mark in rows.item_marks(session, self._others)} if texts else set()
            )
        self._event = tip
        for row, text in texts:
            self._known[row.id] = (row.revision, row.state, text, row.id in elsewhere)
        for mark in changed:
            self._seen = max(self._seen or mark.changed_at, mark.changed_at)
            if known := self._known.get(mark.id):  # but those whose text who writes cannot read
                self._known[mark.id] = (known[0], mark.state, *known[2:])
        fresh = [(f"{row.id}.{row.revision}", text) for row, text in texts]
        if len(self._index):
            for id, text in fresh:
                self._index.add(id, text)
        else:
            self._index = DuplicateIndex(fresh)

    def _revision(self, number: int) -> int:
        return self._known[number][0] if number in self._known else 0
