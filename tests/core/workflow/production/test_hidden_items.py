"""An import of many rows: nobody waits for it, nobody sees a part of it, a kill loses nothing."""

import json
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text

from core.cli import main
from core.errors import ConflictError, NotFoundError, RightsError
from core.families import family
from core.families.base import ItemContent
from core.workflow import people, short_steps, tasks
from core.workflow.check import review
from core.workflow.items import history, search, search_index, state_counts
from core.workflow.items.search import Filters
from core.workflow.production import hidden_items, import_items, new_items, write
from core.workflow.production.hidden_items import HiddenItems
from core.workflow.production.import_items import ImportOrder
from core.workflow.production.import_report import ImportReport
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db.importing import pending_imports
from db.queries import duplicates, judgements, whole_tables
from db.server import calls
from db.tables import ITEM
from db.vocabulary import EventKind
from tests.core.workflow.sent_twice import sent_twice
from tests.paths import ROOT
from tests.postgres import own_server
from tests.workspaces import BENCHMARK, TASK, make_task, payload, write_items

ROWS = 650  # more than two parts
PART = 50
SAME = payload("同一句")

KILLED = """
import os, signal, sys
from core.workflow.production import import_items
from core.workflow.production.hidden_items import HiddenItems
from core.workflow.workspace import Workspace
from pathlib import Path

original, parts = HiddenItems.write, []

def write(self, *args):
    numbers = original(self, *args)
    parts.append(numbers)
    if len(parts) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return numbers

HiddenItems.write = write
ws = Workspace.open(sys.argv[1])
order = import_items.ImportOrder(Path(sys.argv[2]), "titles", "bench", person="boss")
import_items.import_file(ws, order)
"""


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    def made(numbers: range, name: str = "rows.jsonl") -> Path:
        path = tmp_path / name
        rows = [{"Input": f"第{n}句", "Output": "好", "Instruction": "判断情感。"} for n in numbers]
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return path

    return made


@pytest.fixture
def after_each_part(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[int], None]], None]:
    """What is to be done after each part of an import, given how many there were."""

    def put(done: Callable[[int], None]) -> None:
        parts: list[int] = []
        original = HiddenItems.write

        def write_part(self: HiddenItems, *args: Any) -> list[int | None]:
            numbers = original(self, *args)
            parts.append(len(numbers))
            done(len(parts))
            return numbers

        monkeypatch.setattr(HiddenItems, "write", write_part)

    return put


def imported(ws: Workspace, path: Path, **fields: Any) -> ImportReport:
    order = {"task": TASK, "benchmark": BENCHMARK, "person": "boss", **fields}
    return import_items.import_file(ws, ImportOrder(path, **order))


def killed(location: str, path: Path) -> None:
    """An import in a process of its own, which dies after its second part."""
    command = [sys.executable, "-c", KILLED, location, str(path)]
    assert subprocess.run(command, cwd=ROOT, timeout=120).returncode == -signal.SIGKILL


def drafts(ws: Workspace) -> int:
    return state_counts.counts(ws)["draft"]


def seen(ws: Workspace) -> dict[str, int]:
    """How many items there are for whoever looks, in whatever way."""
    search_index.index_waiting(ws)
    with ws.reading() as session:
        counts = {
            "frame": len(whole_tables.items(session)["id"]),
            "contents": len(whole_tables.contents(session)["id"]),
            "dashboards": sum(len(part[0]) for part in judgements.items(session)),
            "duplicates": len(list(duplicates.contents_of(session, [1]))),
        }
    return counts | {
        "counts": drafts(ws),
        "numbers": len(search.numbers(ws, Filters(), viewer="boss")),
        "found": search.page(ws, Filters(words="判断情感"), viewer="boss").total,
        "task": tasks.show(ws, TASK, BENCHMARK).items,
        "queue": review.queue(ws, "ruth", BENCHMARK).left,
        "past": len(history.as_of(ws, datetime.now(UTC), viewer="boss").items),
    }


def test_nobody_sees_an_item_before_the_import_ends(ws, lines, after_each_part):
    make_task(ws)
    looks: list[dict[str, int]] = []

    def look(_parts: int) -> None:
        looks.append(seen(ws))
        assert review.next_card(ws, "ruth", BENCHMARK) is None
        with ws.reading() as session:
            last = session.execute(select(func.max(ITEM.c.id))).scalar_one()
        with pytest.raises(NotFoundError):
            history.item_history(ws, last, "boss")

    after_each_part(look)
    report = imported(ws, lines(range(ROWS)))
    assert len(looks) > 2
    assert [set(look.values()) for look in looks] == [{0}] * len(looks)
    assert (report.taken, report.known, report.note) == (ROWS, 0, "")
    assert set(seen(ws).values()) == {ROWS}
    assert review.next_card(ws, "ruth", BENCHMARK) is not None


def test_who_reads_only_what_changed_reads_what_an_import_showed(ws, lines, after_each_part):
    make_task(ws)
    read: list[tuple[int, datetime]] = []

    def look(_parts: int) -> None:
        with ws.reading() as session:
            read.append((ledger.tip(session), datetime.now(UTC)))

    after_each_part(look)
    imported(ws, lines(range(ROWS)))
    tip, moment = read[-1]
    with ws.reading() as session:
        assert sum(len(part[0]) for part in judgements.items(session, tip)) == ROWS
        assert len(duplicates.item_marks(session, [1], moment, tip)) == ROWS
        assert duplicates.item_marks(session, [1], datetime.now(UTC), ledger.tip(session)) == []
        assert sum(len(part[0]) for part in judgements.items(session, ledger.tip(session))) == 0
    assert history.as_of(ws, moment, viewer="boss").items == ()


def test_a_killed_import_leaves_nothing_to_see_and_is_taken_up_again(ws, location, lines):
    make_task(ws)
    path = lines(range(ROWS))
    killed(location, path)
    with ws.reading() as session:
        left = {item.id for item in pending_imports.hidden_in(session, 1)}
    assert 200 < len(left) < ROWS
    assert set(seen(ws).values()) == {0}
    assert verify(ws).findings == ()
    report = imported(ws, path)
    assert (report.taken, report.known, report.note) == (ROWS, 0, "")
    assert set(seen(ws).values()) == {ROWS}
    assert left < set(search.numbers(ws, Filters(), viewer="boss"))
    with ws.reading() as session:
        created = Counter(e.item_id for e in ledger.of_kind(session, EventKind.CREATED))
    assert (len(created), set(created.values())) == (ROWS, {1})
    again = imported(ws, path)
    assert (again.taken, again.known) == (0, ROWS)


def test_another_file_takes_up_what_it_has_in_common_and_says_what_stays_hidden(
    ws, location, lines
):
    make_task(ws)
    path = lines(range(ROWS))
    killed(location, path)
    with ws.reading() as session:
        left = len(pending_imports.hidden_in(session, 1))
    report = imported(ws, lines(range(20, 40), "few.jsonl"))
    assert (report.taken, drafts(ws)) == (20, 20)
    assert f"{left - 20} items stay hidden" in report.note
    assert "rows.jsonl" in report.note
    assert verify(ws).findings == ()
    dry = imported(ws, path, dry_run=True)
    assert (dry.taken, dry.known) == (ROWS - 20, 20)
    report = imported(ws, path)
    assert (report.taken, report.known, drafts(ws)) == (ROWS - 20, 20, ROWS)


def test_two_imports_of_one_file_at_once_bring_each_item_once(ws, lines, after_each_part):
    make_task(ws)
    path = lines(range(ROWS))
    second: list[ImportReport] = []

    def look(parts: int) -> None:
        if parts == 1:
            second.append(imported(ws, path))
            assert drafts(ws) == ROWS

    after_each_part(look)
    first = imported(ws, path)
    assert second[0].taken == ROWS
    assert first.total == first.taken + first.known
    assert drafts(ws) == ROWS


def test_a_protocol_that_changes_meanwhile_counts_for_the_items_of_an_import(
    ws, lines, after_each_part
):
    make_task(ws, overlap=2)

    def change(parts: int) -> None:
        if parts == 1:
            tasks.set_protocol(ws, TASK, {"overlap": "5"}, person="boss")

    after_each_part(change)
    imported(ws, lines(range(ROWS)))
    with ws.reading() as session:
        places = session.execute(select(ITEM.c.open_slots).distinct()).scalars().all()
    assert places == [5]


def test_somebody_who_decides_waits_for_parts_and_never_for_the_import(
    ws, lines, after_each_part, monkeypatch
):
    make_task(ws)
    write_items(ws, 60, author="author")
    monkeypatch.setattr(short_steps, "MOST", PART)
    began, ended, done = threading.Event(), threading.Event(), [0]

    def count(parts: int) -> None:
        done[0] = parts
        began.set()

    after_each_part(count)
    reports: list[ImportReport] = []

    def work() -> None:
        try:
            reports.append(imported(ws, lines(range(40 * PART))))
        finally:
            began.set()
            ended.set()

    importing = threading.Thread(target=work)
    importing.start()
    assert began.wait(120)
    waits: list[int] = []
    while not ended.is_set() and len(waits) < 50:
        card = review.next_card(ws, "ruth", BENCHMARK)
        before = done[0]
        review.decide(ws, "ruth", card.number, "accept")
        waits.append(done[0] - before)
    importing.join(120)
    assert [report.taken for report in reports] == [40 * PART]
    assert len(waits) >= 5, "nobody could decide while it ran"
    # the part that is being written, and those that overtake: SQLite has no queue
    assert max(waits) <= 12, waits


def test_what_was_left_with_other_columns_or_authors_is_not_taken_for_ones_own(ws, location, lines):
    make_task(ws)
    path = lines(range(ROWS))
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    mail = [json.dumps({**row, "email": f"{place}@example.org"}) for place, row in enumerate(rows)]
    path.write_text("\n".join(mail), encoding="utf-8")
    killed(location, path)
    with ws.reading() as session:
        left = len(pending_imports.hidden_in(session, 1))
    assert 0 < left < ROWS
    (words,) = hidden_items.unfinished_imports(ws)
    assert f"{left} items stay hidden" in words
    for more in ({"wrote": True}, {"drop": ("email",)}):
        report = imported(ws, path, **more)
        assert "by another author or with other columns" in report.known_rows[0].reason
        assert report.waiting == left
        assert report.existed == report.known - left
        assert f"{left} rows have the contents of hidden items" in report.waiting_text
        assert drafts(ws) == ROWS - left
    # imported as it was, it comes to its end
    assert imported(ws, path).taken == left
    assert drafts(ws) == ROWS
    assert hidden_items.unfinished_imports(ws) == ()


def test_a_lead_gives_up_what_nobody_finishes(ws, location, lines, capsys):
    make_task(ws)
    people.ensure_person(ws, "rhea", "researcher")
    path = lines(range(ROWS))
    killed(location, path)
    with ws.reading() as session:
        left = len(pending_imports.hidden_in(session, 1))
    with pytest.raises(RightsError):
        hidden_items.give_up(ws, "rhea", path.name)
    with pytest.raises(NotFoundError, match=r"other\.jsonl"):
        hidden_items.give_up(ws, "boss", "other.jsonl")
    given_up = ["--workspace", location, "import", str(path), "--give-up", "--user", "boss"]
    assert main([*given_up, "--task", TASK, "--benchmark", BENCHMARK]) == 0
    assert f"{left} items stay hidden" in capsys.readouterr().out
    assert hidden_items.unfinished_imports(ws) == ()
    with pytest.raises(NotFoundError):
        hidden_items.give_up(ws, "boss", path.name)
    assert set(seen(ws).values()) == {0}
    assert verify(ws).findings == ()
    with ws.reading() as session:
        (told,) = ledger.of_kind(session, EventKind.IMPORTED)
    assert (told.actor, told.subject, told.data["items"]) == ("boss", TASK, left)
    # whoever wants it after all has it
    assert imported(ws, path).taken == ROWS
    assert set(seen(ws).values()) == {ROWS}


def test_what_somebody_writes_that_an_import_hides_is_refused_by_the_import(ws, location, lines):
    make_task(ws)
    path = lines(range(ROWS))
    killed(location, path)
    with ws.reading() as session:
        hidden = pending_imports.hidden_in(session, 1)[0].id
        same = items.revision(session, hidden, 1).payload
    with pytest.raises(ConflictError, match=r"rows\.jsonl") as refused:
        write.submit(ws, "ann", TASK, same)
    assert "#" not in str(refused.value)
    number = write.submit(ws, "ann", TASK, payload("另一句")).number
    review.next_card(ws, "ruth", BENCHMARK)
    review.decide(ws, "ruth", number, "return", note="again")
    with pytest.raises(ConflictError, match=r"rows\.jsonl"):
        write.revise(ws, "ann", number, same)


def test_who_writes_waits_for_a_part_of_an_import_and_is_told_of_it(lines, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    with own_server() as server:
        database = server.create()
        Workspace.create(server.url(database), "boss", "boss").close()
        with (
            closing(Workspace.open(server.url(database, "boss"))) as boss,
            closing(Workspace.open(server.url(database, "boss"))) as writer,
        ):
            make_task(boss)
            ends = written_meanwhile(boss, lambda: write.submit(writer, "boss", TASK, SAME))
    assert [type(end) for end in ends] == [ConflictError]


def written_meanwhile(ws: Workspace, writes: Callable[[], Any]) -> list[Exception]:
    """What somebody is told who writes ``SAME`` while another transaction, which has written it,
    is about to end."""
    told: list[Exception] = []

    def work() -> None:
        try:
            writes()
        except Exception as error:
            told.append(error)

    writing = threading.Thread(target=work)
    with ws.writing() as session:
        items.one_writer(session, 1)
        task = benchmarks.task(session, 1)
        model = family(task.family).payload_model(task.format).model_validate(SAME)
        whole = model.model_dump(mode="json")
        content = ItemContent(task.family, task.format, whole, {}, task.domain)
        new = new_items.new_item(content, task, None)
        items.add(session, [new])
        writing.start()
        waits = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        while writing.is_alive() and not session.execute(waits).scalar():
            session.execute(text("SELECT pg_stat_clear_snapshot()"))
    writing.join(60)
    return told


def test_a_task_of_other_labels_ends_an_import_and_the_next_one_takes_it_up(
    ws, lines, after_each_part
):
    make_task(ws)

    def change(parts: int) -> None:
        if parts == 1:
            tasks.change(ws, TASK, "boss", labels=["好", "坏"])

    after_each_part(change)
    with pytest.raises(ConflictError, match="stays hidden"):
        imported(ws, lines(range(ROWS)))
    assert drafts(ws) == 0
    assert imported(ws, lines(range(ROWS))).taken == ROWS


def test_what_somebody_else_left_is_taken_up_on_a_server(
    lines, after_each_part, tmp_path, monkeypatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))

    def end(parts: int) -> None:
        if parts == 2:
            raise KeyboardInterrupt

    after_each_part(end)
    with own_server() as server:
        database = server.create()
        Workspace.create(server.url(database), "boss", "boss").close()
        with closing(Workspace.open(server.url(database, "boss"))) as boss:
            people.ensure_person(boss, "rhea", "researcher")
            make_task(boss)
            with pytest.raises(KeyboardInterrupt):
                imported(boss, lines(range(ROWS)))
            assert drafts(boss) == 0
        with closing(Workspace.open(server.url(database, "rhea"))) as rhea:
            few = lines(range(20, 40), "few.jsonl")
            assert imported(rhea, few, person="rhea").taken == 20
            assert drafts(rhea) == 20


@pytest.mark.parametrize("arrives", [True, False])
def test_what_a_lost_connection_may_have_brought_is_there_once(
    ws, lines, tmp_path, monkeypatch, arrives
):
    """Each part and the end are sent twice: the first time nobody hears whether they arrived."""
    make_task(ws)
    sent: list[int] = []
    writing = sent_twice(HiddenItems.writing, sent, arrives=arrives)
    monkeypatch.setattr(HiddenItems, "writing", writing)
    report = imported(ws, lines(range(ROWS)))
    assert len(sent) > 4
    assert (report.taken, report.known, report.waiting, report.note) == (ROWS, 0, 0, "")
    assert set(seen(ws).values()) == {ROWS}
    with ws.reading() as session:
        (told,) = ledger.of_kind(session, EventKind.IMPORTED)
    assert told.data["items"] == ROWS
    assert verify(ws).findings == ()


def test_an_import_goes_on_when_its_server_is_back(lines, after_each_part, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    with own_server() as server:
        database = server.create()
        Workspace.create(server.url(database), "boss", "boss").close()

        def restart(parts: int) -> None:
            if parts == 2:
                server.stop()
                server.start()

        after_each_part(restart)
        with closing(Workspace.open(server.url(database, "boss"))) as boss:
            make_task(boss)
            assert imported(boss, lines(range(ROWS))).taken == ROWS
            assert drafts(boss) == ROWS
            assert verify(boss).findings == ()


def test_what_a_server_lost_that_died_before_its_disk_had_it_is_brought_again(
    lines, tmp_path, monkeypatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    flushed_when_asked = {"synchronous_commit": "on", "wal_writer_delay": "10s"}
    with own_server(flushed_when_asked) as server:
        database = server.create()
        Workspace.create(server.url(database), "boss", "boss").close()
        wait_for_disk, kept = calls.wait_for_disk, []

        def wait(session: Any) -> None:
            if calls.WAITS_LATER in session.info:
                kept.append(ledger.appended(session))
                if len(kept) == 2:
                    server.kill()
                    server.start()
            wait_for_disk(session)

        with closing(Workspace.open(server.url(database, "boss"))) as boss:
            make_task(boss)
            monkeypatch.setattr(calls, "wait_for_disk", wait)
            assert imported(boss, lines(range(ROWS))).taken == ROWS
            assert kept[2] == kept[1]  # the same part once more, where the first one was lost
            assert drafts(boss) == ROWS
            assert verify(boss).findings == ()
