"""What others do is seen when it happens, without asking for it; else by asking."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from PySide6.QtTest import QSignalSpy

from core.workflow import people
from core.workflow.check import review
from core.workflow.workspace import Workspace
from gui.window.main_window import MainWindow
from tests.gui.scene import Scene, bench_of
from tests.postgres import PostgresServer
from tests.workspaces import BENCHMARK, make_task, write_items


@pytest.fixture
def sit_down(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Workspace]]:
    """Open a server's workspace with ten items as somebody."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = pg_server.create()
    Workspace.create(pg_server.url(database), "boss", "boss").close()
    with ExitStack() as stack:

        def opened(who: str) -> Workspace:
            ws = Workspace.open(pg_server.url(database, who))
            stack.callback(ws.close)
            return ws

        boss = opened("boss")
        for name in ("ann", "bob", "cy"):
            people.ensure_person(boss, name, "annotator")
        make_task(boss, overlap=2)
        write_items(opened("ann"), 10)
        yield opened
    pg_server.drop(database)


def at_work(scene: Scene, ws: Workspace, person: str) -> MainWindow:
    window = scene.open(ws.place.database, person)  # type: ignore[arg-type]  # an address will do
    scene.review(window)
    scene.until(lambda: not window.tasks.busy)
    return window


def decide(ws: Workspace, who: str) -> int:
    card = review.next_card(ws, who, BENCHMARK)
    assert card is not None
    return review.decide(ws, who, card.number, "accept").number


def test_a_decision_of_somebody_else_is_told_by_the_server(scene, sit_down):
    window = at_work(scene, sit_down("bob"), "bob")
    context = bench_of(window).context
    scene.until(lambda: context.live.listens)
    told, news = QSignalSpy(context.live.moved), QSignalSpy(context.changed)
    before = news.count()
    decide(sit_down("cy"), "cy")
    scene.until(lambda: told.count() > 0)
    scene.until(lambda: news.count() > before)
    scene.until(lambda: not window.tasks.busy)


def test_where_notices_do_not_arrive_the_window_asks_as_before(scene, sit_down, pg_server):
    window = at_work(scene, sit_down("bob"), "bob")
    context, cy = bench_of(window).context, sit_down("cy")
    scene.until(lambda: context.live.listens)
    server = pg_server.url(context.workspace.place.database.rpartition("/")[2].partition("?")[0])
    _silence(server)
    for _ in range(3):  # a lost notice may be on its way; two changes without one are no chance
        decide(cy, "cy")
        context.live.due.emit()
        scene.until(lambda: not window.tasks.busy)
    assert not context.live.listens


def _silence(address: str) -> None:
    """What a pooler between the window and the server does: notices do not come through."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TRIGGER tell ON event")


def test_a_workspace_in_a_file_tells_nothing_and_is_asked(scene, small_place):
    window = scene.open(small_place)
    scene.review(window)
    scene.until(lambda: not window.tasks.busy)
    assert not bench_of(window).context.live.listens
