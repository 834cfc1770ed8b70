"""A workspace of a newer program is read, says so once, and is never written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.cli import main
from core.errors import WorkspaceError
from core.workflow import people
from core.workflow.backups import backup_files
from core.workflow.check import review
from core.workflow.items import history
from core.workflow.verify import checks
from core.workflow.workspace import Workspace, add_first_lead
from db import ledger
from db.vocabulary import EventKind
from tests.workspaces import make_task, write_items

SENTENCE = "was written by a newer version of Benchseal and is open read-only"
CHANGES = (
    "CREATE TABLE badge (id INTEGER PRIMARY KEY, text VARCHAR)",
    "ALTER TABLE item ADD COLUMN colour VARCHAR DEFAULT ''",
    "UPDATE alembic_version SET version_num = '9999'",
)


def made_newer(location: str | Path) -> tuple[int, tuple[history.HistoryEvent, ...]]:
    """A workspace with a table, a column and a kind of event that this program does not know: an
    item of it, and its history as it was before."""
    ws = Workspace.open(location)
    with ws.writing() as session:
        add_first_lead(session, "boss")
    ws.person = "boss"
    for name in ("ann", "li", "wu"):
        people.ensure_person(ws, name, "specialist")
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.decide(ws, "li", number, "accept")
    before = history.item_history(ws, number, "li").events
    with ws.writing() as session:
        kind: EventKind = "painted"  # type: ignore[assignment] # of a newer program
        ledger.append(session, ledger.NewEvent(kind, "li", data={"colour": "red"}))
        for change in CHANGES:
            session.connection().exec_driver_sql(change)
    ws.close()
    return number, before


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("pg_url"))
    Workspace.create(tmp_path / "w").close()
    return str(tmp_path / "w")


def test_it_is_read_and_every_write_is_refused_with_the_sentence(location: str) -> None:
    number, before = made_newer(location)
    ws = Workspace.open(location)
    assert (ws.is_newer, ws.is_read_only) == (True, True)
    assert history.item_history(ws, number, "li").events == before
    refused: tuple[Callable[[], object], ...] = (
        lambda: review.decide(ws, "wu", number, "accept"),
        lambda: checks.verify(ws),
        lambda: backup_files.make(ws, "boss"),
    )
    for act in refused:
        with pytest.raises(WorkspaceError, match=SENTENCE):
            act()
    ws.close()


def test_commands_that_show_say_it_and_go_on(
    location: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made_newer(location)
    assert main(["--workspace", location, "items", "--user", "li"]) == 0
    out, err = capsys.readouterr()
    assert "titles" in out
    assert err.count(SENTENCE) == 1
    assert main(["--workspace", location, "people", "eve", "--user", "boss"]) == 1
    assert capsys.readouterr().err.count(SENTENCE) == 1
