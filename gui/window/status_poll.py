"""What the window asks again and again: counts, runs, and what undo would take back."""

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from core.errors import NotFoundError, RightsError, StateError
from core.i18n import sentences, tr, trn
from core.workflow import people, queues
from core.workflow.changes import ChangeFeed
from core.workflow.check import leases, questions, review
from core.workflow.check.questions import QuestionNews
from core.workflow.evaluation import people_answers
from core.workflow.items import undo as undoing
from core.workflow.items.undo import NextUndo, Undone
from core.workflow.production import write
from core.workflow.runs import take_in
from core.workflow.runs.runs import FinishedRuns, RunInfo
from core.workflow.workspace import Workspace
from gui import i18n, labels

_AGAIN_S = 60
_ACTIVE = ("running", "queued")
UNDONE_AT = MappingProxyType(
    {
        "adjudicated": "adjudicate",
        "audit_decided": "audit",
        "rated": "rate",
        "revised": "write",
        "submitted": "write",
    }
)
"""Where an item whose decision was taken back comes to the front, when that place is in front."""


@dataclass(frozen=True, slots=True)
class StatusPoll:
    """What is asked again and again while the window is open."""

    benchmarks: tuple[str, ...]
    waiting: int
    """Items open to this person in the benchmark in front."""
    returned: int
    """Items of that benchmark that came back to this person."""
    active: tuple[RunInfo, ...]
    ended: tuple[RunInfo, ...]
    undo: NextUndo | None
    questions: QuestionNews
    queues: Mapping[str, int] = field(default_factory=dict)
    """What waits for this person in the benchmark, by panel (adjudicate, rate, audit)."""

    @property
    def run_states(self) -> dict[str, str]:
        """The state of every run; no event of the ledger tells that one ended."""
        return {info.id: info.state for info in (*self.active, *self.ended)}


@dataclass(frozen=True, slots=True)
class _Counted:
    """What the workspace alone says, for somebody in a benchmark."""

    benchmarks: tuple[str, ...]
    waiting: int
    returned: int
    undo: NextUndo | None
    questions: QuestionNews
    queues: Mapping[str, int]


def _moment(ws: Workspace) -> Hashable:
    """Another one after every commit and every minute; None where nobody can tell. Asked for before
    anything is read: what comes meanwhile is read the next time."""
    version = ws.version()
    return None if version is None else (version, time.monotonic() // _AGAIN_S)


class StageCounts:
    """Counts what waits: at the later stages only again when the ledger has moved, and nothing at
    all while nobody has written anything."""

    def __init__(self) -> None:
        self._key: tuple[int, str] = (-1, "")
        self._counts: dict[str, int] = {}
        self._last: tuple[Hashable, _Counted] | None = None
        self._runs = FinishedRuns()

    def runs(self, ws: Workspace) -> tuple[RunInfo, ...]:
        """All runs, newest first; of those that are finished nothing is read again."""
        return self._runs.listed(ws, _moment(ws))

    def unless_unchanged(
        self, ws: Workspace, asked: Hashable, count: Callable[[], _Counted]
    ) -> _Counted:
        """What ``count`` found for what is asked, and still would find; at least once a minute it
        is found again, for deadlines pass and leases run out."""
        key = (_moment(ws), asked)
        last = self._last
        if key[0] is not None and last is not None and last[0] == key:
            return last[1]
        counted = count()
        self._last = (key, counted)
        return counted

    def read(self, ws: Workspace, tip: int, person: str, benchmark: str) -> dict[str, int]:
        """The counts of a benchmark as of the ledger's ``tip``."""
        if (tip, benchmark) != self._key:
            self._counts = queues.stage_counts(ws, person, benchmark)
            self._counts["answer"] = people_answers.count_waiting(ws, person)
            self._key = (tip, benchmark)
        return self._counts


def poll_status(
    ws: Workspace,
    feed: ChangeFeed,
    counts: StageCounts,
    person: str,
    benchmark: str,
    review_shown: bool,
    renew: bool,
) -> StatusPoll:
    """Counts and runs; a benchmark that vanished or is not chosen yet counts nothing.

    What others wrote since the last time is left in ``feed``, also when this answer comes too late.
    ``renew`` prolongs what the person holds, so that nobody else is given it meanwhile.
    """
    if renew:
        leases.renew(ws, person)
    feed.read()
    counted = counts.unless_unchanged(
        ws,
        (person, benchmark, review_shown),
        lambda: _count(ws, feed.tip, counts, person, benchmark, review_shown),
    )
    all_runs = counts.runs(ws)
    active = tuple(info for info in all_runs if info.state in _ACTIVE)
    ended = tuple(info for info in all_runs if info.state not in _ACTIVE)
    return StatusPoll(
        counted.benchmarks, counted.waiting, counted.returned, active, ended, counted.undo,
        counted.questions, counted.queues,
    )  # fmt: skip


def _count(
    ws: Workspace, tip: int, counts: StageCounts, person: str, benchmark: str, review_shown: bool
) -> _Counted:
    names = tuple(info.name for info in people.benchmarks(ws))
    chosen = benchmark if benchmark in names else (names[0] if names else "")
    waiting = -1
    if chosen and not review_shown:
        waiting = review.queue(ws, person, chosen).left
    back = write.count_returned(ws, person, chosen) if chosen else 0
    later = counts.read(ws, tip, person, chosen) if chosen else {}
    asked = questions.question_news(ws, person)
    return _Counted(names, waiting, back, undoing.preview(ws, person), asked, later)


def take_in_run(ws: Workspace, run: RunInfo) -> RunInfo:
    """Bring what a finished run made into the workspace; a second time changes nothing."""
    take_in.take_in(ws, run.id)
    return run


def waiting_words(panel: str, waiting: int) -> str:
    """What the count beside a panel says to a screen reader; empty where nothing waits."""
    if not waiting:
        return ""
    if panel == "write":
        return trn("1 returned item to revise", "{n} returned items to revise", waiting)
    return trn("1 item waiting", "{n} items waiting", waiting)


def question_words(news: QuestionNews) -> str:
    """What somebody is told about questions; empty where there is nothing."""
    says = []
    if count := news.waiting:
        says.append(
            trn("1 question waits for an answer.", "{n} questions wait for an answer.", count)
        )
    if count := news.answered:
        says.append(
            trn(
                "1 of your questions was answered.",
                "{n} of your questions were answered.",
                count,
            )
        )
    return sentences(says)


def question_list(news: QuestionNews, before: QuestionNews) -> tuple[str, str]:
    """Which list of My work has the questions that came since ``before``, and the benchmark of the
    newest of them."""
    if news.waiting > before.waiting:
        return "to_answer", news.waits_in
    return "question", news.answered_in


def undo_or_say(ws: Workspace, person: str) -> Undone | str:
    """Take the newest deed back, or why it stands: nothing is lost then, and all is saved."""
    try:
        return undoing.undo(ws, person)
    except (StateError, NotFoundError, RightsError) as refusal:
        return str(refusal)


def undo_words(undo: NextUndo) -> str:
    """What undo would take back, or would if that was not refused: ``accept #481``."""
    if undo.number:
        return _deed(undo.kind, undo.verdict, undo.number)
    kind = labels.word(labels.UNDOABLE, undo.kind)
    if undo.changes > 1:
        return tr("{kind}: {count}", kind=kind, count=i18n.number(undo.changes))
    return kind


def undone_words(undone: Undone) -> str:
    """What was taken back, ``accept #481`` or how many items changed, and what stands again."""
    if not undone.number:
        what = trn("change of 1 item", "change of {n} items", undone.changed)
    else:
        what = _deed(undone.kind, undone.verdict, undone.number)
    said = tr("Undone: {what}.", what=what)
    if not undone.stands:
        return said
    verdict = labels.word(labels.VERDICTS, undone.stands)
    now = tr("Your decision on #{number} is now: {verdict}.", number=undone.number, verdict=verdict)
    return sentences((said, now))


def _deed(kind: str, verdict: str, number: int) -> str:
    """A verdict on an item; of an audit, where an item passes or fails, that it was one."""
    said = verdict in labels.VERDICT_NAMES and kind != "audit_decided"
    words = (
        labels.word(labels.VERDICT_NAMES, verdict) if said else labels.word(labels.UNDOABLE, kind)
    )
    return tr("{verdict} #{number}", verdict=words, number=number)


def runs_in_words(active: tuple[RunInfo, ...]) -> str:
    """``1 run: screen 132/400, 2 min left``."""
    if not active:
        return tr("no runs")
    first = active[0]
    kind = labels.word(labels.RUN_KINDS, first.kind)
    sentence = trn(
        "1 run: {kind} {done}/{total}",
        "{n} runs: {kind} {done}/{total}",
        len(active),
        kind=kind,
        done=first.done,
        total=first.total,
    )
    left = i18n.span(first.seconds_left)
    return tr("{run}, {left}", run=sentence, left=left) if left else sentence
