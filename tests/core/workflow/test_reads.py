"""A read never writes: it adds nobody, takes no lock, and asks the database as often for many items
as for few."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from core.cli import main
from core.errors import NotFoundError
from core.workflow import people, queues, tasks
from core.workflow.audit import lead_view, lots
from core.workflow.check import adjudicate, rate, review, screen
from core.workflow.dashboards import alarms
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.items import bulk, history, search, state_counts, undo
from core.workflow.items.bulk import BulkAction
from core.workflow.items.search import Filters
from core.workflow.production import author_view, duplicates, import_items, task_view, write
from core.workflow.production.import_items import ImportOrder
from core.workflow.production.task_view import TaskEdit
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import engine
from db import people as person_rows
from tests.db.statements import sent_statements
from tests.full_workspace import AUDITED, RATED, SPLIT, FullWorkspace, fill, stored_rows
from tests.workspaces import BENCHMARK, TASK

Read = Callable[[Workspace, FullWorkspace, str], object]

NOBODY = "Boss Lady"  # works nowhere
EDIT = TaskEdit("new guideline", "", (), {"target": "9"})
# Each: who reads, and what. Every one of them looks that person up.
OF_A_PERSON: dict[str, tuple[str, Read]] = {
    "disputes": ("zoe", lambda ws, at, who: adjudicate.disputed(ws, who)),
    "disputed card": ("zoe", lambda ws, at, who: adjudicate.disputed_card(ws, who, at.disputed[0])),
    "queue": ("boss", lambda ws, at, who: queues.queue(ws, who)),
    "review queue": ("li", lambda ws, at, who: review.queue(ws, who, BENCHMARK)),
    "review card": ("li", lambda ws, at, who: review.review_card(ws, who, at.waiting[0])),
    "audit card": ("ray", lambda ws, at, who: lots.next_card(ws, AUDITED, who)),
    "rating card": ("zoe", lambda ws, at, who: rate.rating_card(ws, who, at.rated[0])),
    "history": ("boss", lambda ws, at, who: history.item_history(ws, at.waiting[0], who)),
    "items": ("boss", lambda ws, at, who: search.page(ws, Filters(), viewer=who)),
    "rows": ("boss", lambda ws, at, who: search.rows(ws, Filters(), 0, 9, viewer=who)),
    "count": ("boss", lambda ws, at, who: search.count(ws, Filters(), viewer=who)),
    "choices": ("boss", lambda ws, at, who: search.choices(ws, viewer=who)),
    "items of": ("boss", lambda ws, at, who: search.numbers(ws, Filters(person=who), viewer="")),
    "undo preview": ("li", lambda ws, at, who: undo.preview(ws, who)),
    "drafts": ("ann", lambda ws, at, who: write.my_drafts(ws, who)),
    "returned": ("ann", lambda ws, at, who: write.returned_to(ws, who)),
    "returned item": ("ann", lambda ws, at, who: write.returned(ws, who, at.returned[0])),
    "count returned": ("ann", lambda ws, at, who: write.count_returned(ws, who, BENCHMARK)),
    "author view": ("ann", lambda ws, at, who: author_view.author_view(ws, who, TASK)),
    "writable": ("ann", lambda ws, at, who: author_view.writable(ws, who, BENCHMARK)),
    "task view": ("boss", lambda ws, at, who: task_view.task_view(ws, TASK, BENCHMARK, who)),
    "tried edit": (
        "boss", lambda ws, at, who: task_view.edit(ws, TASK, BENCHMARK, who, EDIT, dry_run=True)
    ),
    "tried change": (
        "boss", lambda ws, at, who: tasks.change(ws, TASK, who, labels=["x"], dry_run=True)
    ),
    "tried protocol": (
        "boss",
        lambda ws, at, who: tasks.set_protocol(
            ws, TASK, {"overlap": "3"}, person=who, dry_run=True
        ),
    ),
}  # fmt: skip
OF_NOBODY: dict[str, Read] = {
    "people": lambda ws, at, who: people.people(ws),
    "benchmarks": lambda ws, at, who: people.benchmarks(ws),
    "tasks": lambda ws, at, who: tasks.tasks(ws),
    "task": lambda ws, at, who: tasks.show(ws, TASK),
    "task then": lambda ws, at, who: tasks.described_at(ws, TASK, datetime.now(UTC)),
    "protocols": lambda ws, at, who: tasks.versions(ws, TASK),
    "counts": lambda ws, at, who: state_counts.counts(ws),
    "as of": lambda ws, at, who: history.as_of(ws, date(2026, 1, 1), viewer=""),
    "filters": lambda ws, at, who: search.filters_saved(ws),
    "ringing": lambda ws, at, who: alarms.ringing_now(ws, JudgementBook(ws), BENCHMARK),
    "bulk preview": lambda ws, at, who: bulk.preview(ws, Filters(), BulkAction("reject", "no"), ""),
    "sample": lambda ws, at, who: rate.sample(ws, RATED),
    "audit": lambda ws, at, who: lots.status(ws, AUDITED),
    "audits": lambda ws, at, who: lead_view.audit_tasks(ws, BENCHMARK),
    "screening plan": lambda ws, at, who: screen.plan(ws, BENCHMARK),
    "duplicates": lambda ws, at, who: duplicates.find(ws, TASK),
    "import preview": lambda ws, at, who: import_items.preview(
        ws, ImportOrder(_import_file(ws), TASK, BENCHMARK)
    ),
    "tried import": lambda ws, at, who: import_items.import_file(
        ws, ImportOrder(_import_file(ws), "new", "new", person=NOBODY, dry_run=True)
    ),
    "freezable": lambda ws, at, who: freeze.freezable(ws, BENCHMARK),
    "splits": lambda ws, at, who: freeze.all_splits(ws),
    "split": lambda ws, at, who: lifecycle.split_life(ws, SPLIT),
    "split check": lambda ws, at, who: freeze.check(ws, SPLIT),
    "verify": lambda ws, at, who: verify(ws),
}


def _import_file(ws: Workspace) -> Path:
    path = ws.place.folder.parent / "in.jsonl"
    line = '{"input": "文章：一", "output": "二", "instruction": "三", "language": "zh"}\n'
    path.write_text(line, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, FullWorkspace]]:
    """A full workspace that all tests here read."""
    ws = Workspace.create(tmp_path_factory.mktemp("full") / "workspace")
    at = fill(ws, 5)
    # one that rings, for where none is set a reader has nothing to write
    alarms.set_alarm(ws, "boss", alarms.Alarm("percent", 0.99, items=2))
    yield ws, at
    ws.close()


@pytest.fixture
def a_writer_at_work(
    full: tuple[Workspace, FullWorkspace], monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Another program holds the write lock, and whoever wants it waits a moment only."""
    other = Workspace.open(full[0].place.folder)
    monkeypatch.setattr(engine, "BUSY_TIMEOUT", 20)
    with other.writing() as session:
        person_rows.everybody(session)  # the lock is taken with the first statement
        yield
    other.close()


@pytest.mark.parametrize("name", [*OF_A_PERSON, *OF_NOBODY])
@pytest.mark.usefixtures("a_writer_at_work")
def test_a_read_changes_nothing_and_waits_for_no_writer(
    full: tuple[Workspace, FullWorkspace], name: str
):
    ws, at = full
    who, read = OF_A_PERSON.get(name) or ("", OF_NOBODY[name])
    before = stored_rows(ws)
    read(ws, at, who)
    assert stored_rows(ws) == before


@pytest.mark.parametrize("name", OF_A_PERSON)
def test_a_read_under_a_mistyped_name_is_refused_and_adds_nobody(
    full: tuple[Workspace, FullWorkspace], name: str
):
    ws, at = full
    before = stored_rows(ws)
    with pytest.raises(NotFoundError, match=f"There is no person “{NOBODY}” in this workspace"):
        OF_A_PERSON[name][1](ws, at, NOBODY)
    assert stored_rows(ws) == before


COMMANDS = (
    "queue --user li", "adjudicate --user zoe", "items", "history 1", "task list",
    "task show titles", "task protocol titles", "task change titles", "people", "gate", "runs",
    "agreement --benchmark bench", "verify", "duplicates titles", "audit status audited",
    "split status s", "alarm list", "dashboard progress --benchmark bench",
    "dashboard people --benchmark bench", "second-look", "dashboard agreement --benchmark bench",
    "dashboard gate --benchmark bench", "dashboard audit --benchmark bench", "items --user li",
    "split status", "sample rated",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("a_writer_at_work")
def test_a_reading_command_changes_nothing(full: tuple[Workspace, FullWorkspace], command: str):
    ws, _ = full
    before = stored_rows(ws)
    assert main(["--workspace", str(ws.place.folder), *command.split(), "--json"]) == 0
    assert stored_rows(ws) == before


def test_similar_names_are_offered(full: tuple[Workspace, FullWorkspace]):
    with pytest.raises(NotFoundError, match=r"no person “Bos” .*\. Did you mean boss\?"):
        queues.queue(full[0], "Bos")


def statements(read: Callable[[], object]) -> int:
    """How many statements a read sends to the database."""
    with sent_statements() as sent:
        read()
    return len(sent)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, FullWorkspace]]:
    """Ten times as much at every stage."""
    ws = Workspace.create(tmp_path_factory.mktemp("many") / "workspace")
    yield ws, fill(ws, 50)
    ws.close()


LISTS = (
    "disputes", "queue", "review queue", "audit card", "items", "drafts", "returned",
    "author view", "task view", "tried edit", "counts", "sample", "audit", "audits",
    "bulk preview", "freezable", "splits", "tasks",
)  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_many_takes_as_many_statements_as_one_of_few(
    full: tuple[Workspace, FullWorkspace], many: tuple[Workspace, FullWorkspace], name: str
):
    who, read = OF_A_PERSON.get(name) or ("", OF_NOBODY[name])
    few = statements(lambda: read(*full, who))
    assert 0 < few < 40
    assert statements(lambda: read(*many, who)) == few
