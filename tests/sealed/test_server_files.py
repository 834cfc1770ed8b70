"""After sealing on a team's server and runs on the split, no file of it has a word of an item."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pyrage
import pytest

from core.evaluation.params import EvaluateParams
from core.sealing.archive import Locks
from core.workflow.evaluation import start
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.runs import runs
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import freeze, lifecycle
from core.workflow.workspace import Workspace
from db.server.row_sealing import STORED_IN
from tests.finished_runs import take_in_answers
from tests.postgres import OwnServer, own_server
from tests.sealed.byte_search import ByteFinding
from tests.sealed.conftest import SEARCH
from tests.sealed.private_items import COUNT, ITEMS
from tests.sealed.team_place import LEAD, SPLIT, TeamPlace
from tests.servers.model_server import LoopbackModel, asked_text
from tests.splits import freeze_split
from tests.tampering import without_logins

# old segments go at once, so that what is found was written since
_SETTINGS = {"wal_recycle": "off", "min_wal_size": "32MB", "max_wal_size": "32MB"}


@pytest.fixture
def team(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[TeamPlace, OwnServer]]:
    """A team's place on a server of its own, with temporary files of every process in it."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with own_server(_SETTINGS) as server:
        monkeypatch.setattr("tempfile.tempdir", None)
        made = TeamPlace(server, server.create(), tmp_path)
        yield made, server
        made.ws.close()
        made.admin.close()


def administered(location: str, *statements: str) -> None:
    with psycopg.connect(location, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def left_behind(location: str) -> None:
    """End the segments of the log in which the texts of before stand, and have them removed."""
    for _ in range(3):
        administered(location, "SELECT pg_switch_wal()", "CHECKPOINT")


def in_statistics(location: str, root: Path) -> list[ByteFinding]:
    """What is found in the values that the planner keeps of columns; files hold them packed."""
    query = ("SELECT tablename, attname, most_common_vals::text, histogram_bounds::text "
             "FROM pg_stats WHERE schemaname = 'public'")  # fmt: skip
    with psycopg.connect(location) as connection:
        rows = connection.execute(query).fetchall()
    file = root / "statistics.txt"
    file.write_text("\n".join(map(str, rows)), encoding="utf-8")
    found = SEARCH.file(file)
    file.unlink()
    return found


def names(found: list[ByteFinding], root: Path) -> list[str]:
    return [one.path.removeprefix(str(root)) for one in found]


def test_what_a_server_wrote_before_the_sealing_is_found_and_nothing_after(
    team: tuple[TeamPlace, OwnServer], tmp_path: Path, home: Path
):
    place, server = team
    location = server.url(place.database)
    uids = [member.uid for member in freeze.members_of(place.ws, SPLIT)]
    said = dict(zip(uids, (item.payload["input"] for item in ITEMS), strict=True))
    take_in_answers(place.ws, tmp_path, said, SPLIT, model="before")
    administered(location, "ANALYZE", "CHECKPOINT")
    assert SEARCH.folders(server.data), "the texts are in its files"
    assert in_statistics(location, tmp_path), "and in what it knows of its columns"
    (tmp_path / "samples_s.jsonl").unlink()  # whose answers were imported
    shutil.rmtree(place.ws.runs)  # plain remains, which a sealing names
    place.seal()
    lifecycle.open_split(place.ws, SPLIT, LEAD, "the evaluation of July", "m", place.unlocking)
    with LoopbackModel(answer=asked_text) as model:
        for params in (
            EvaluateParams(split=SPLIT, engine="openai", model="m", base_url=model.url,
                           mode="chat"),
            EvaluateParams(split=SPLIT, engine="baseline:random"),
        ):  # fmt: skip
            run = start.start(place.ws, SPLIT, params).spec().id
            assert runs.wait(place.ws, run, 300).state == "finished"
            assert report_taken_in(place.ws, run).total.n
            assert len(runs.folder_of(place.ws, run).records()) == COUNT
    assert in_statistics(location, tmp_path) == []
    left_behind(location)
    assert names(SEARCH.folders(server.data), server.data) == []
    assert names(SEARCH.folders(tmp_path, home), tmp_path) == []


# an earlier program only wrote the tables again, which a test does itself
_EARLIER = ("CREATE OR REPLACE FUNCTION benchseal.compact_sealed() RETURNS void LANGUAGE sql "
            "SECURITY DEFINER AS 'SELECT'")  # fmt: skip
_WRITTEN = (
    "INSERT INTO draft (person_id, task_id, item_id, payload, at) SELECT 1, i.task_id, i.id, "
    "r.payload, now() FROM item i JOIN revision r ON r.item_id = i.id",
    "INSERT INTO note_draft (person_id, item_id, place, text, at) SELECT 1, i.id, 'review', "
    "r.payload ->> 'input', now() FROM item i JOIN revision r ON r.item_id = i.id",
)


def test_a_server_that_was_sealed_by_an_earlier_program_loses_its_statistics_at_the_next_init(
    team: tuple[TeamPlace, OwnServer], tmp_path: Path
):
    place, server = team
    location = server.url(place.database)
    administered(location, *_WRITTEN, "ANALYZE", _EARLIER)
    place.seal()
    administered(location, "DELETE FROM draft", "DELETE FROM note_draft",
                 f"VACUUM (FULL) {', '.join(STORED_IN)}")  # fmt: skip
    assert in_statistics(location, tmp_path), "an earlier program left them"
    Workspace.secured(location).close()
    assert in_statistics(location, tmp_path) == []
    left_behind(location)
    assert names(SEARCH.folders(server.data), server.data) == []


def test_a_server_without_logins_keeps_no_statistics_of_what_was_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    with own_server(_SETTINGS) as server:
        location = server.url(server.create())
        ws = without_logins(location)
        freeze_split(ws, {"诗": ITEMS}, SPLIT)
        administered(location, *_WRITTEN, "ANALYZE", "DELETE FROM draft", "DELETE FROM note_draft")
        assert in_statistics(location, tmp_path)
        identity = pyrage.x25519.Identity.generate()
        locks = Locks((str(identity.to_public()),))
        sealed = locked_archives.seal(ws, SPLIT, "", SealOrder(tmp_path / "s.sealed", locks))
        assert sealed.encrypted
        assert in_statistics(location, tmp_path) == []
        left_behind(location)
        assert names(SEARCH.folders(server.data), server.data) == []
        ws.close()
