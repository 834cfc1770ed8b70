"""After sealing on a team's server and runs on the split, no file of it has a word of an item."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from core.evaluation.params import EvaluateParams
from core.workflow.evaluation import start
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.runs import runs
from core.workflow.splits import freeze, lifecycle
from tests.finished_runs import take_in_answers
from tests.postgres import OwnServer, own_server
from tests.sealed.byte_search import ByteFinding
from tests.sealed.conftest import SEARCH
from tests.sealed.private_items import COUNT, ITEMS
from tests.sealed.team_place import LEAD, SPLIT, TeamPlace
from tests.servers.model_server import LoopbackModel, asked_text

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


def administered(team: TeamPlace, *statements: str) -> None:
    with psycopg.connect(team.server.url(team.database), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def left_behind(team: TeamPlace) -> None:
    """End the segments of the log in which the texts of before stand, and have them removed."""
    for _ in range(3):
        administered(team, "SELECT pg_switch_wal()", "CHECKPOINT")


def in_statistics(team: TeamPlace, root: Path) -> list[ByteFinding]:
    """What is found in the values that the planner keeps of columns; files hold them packed."""
    rows = team.rows("SELECT tablename, attname, most_common_vals::text, histogram_bounds::text "
                     "FROM pg_stats WHERE schemaname = 'public'")  # fmt: skip
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
    uids = [member.uid for member in freeze.members_of(place.ws, SPLIT)]
    said = dict(zip(uids, (item.payload["input"] for item in ITEMS), strict=True))
    take_in_answers(place.ws, tmp_path, said, SPLIT, model="before")
    administered(place, "ANALYZE", "CHECKPOINT")
    assert SEARCH.folders(server.data), "the texts are in its files"
    assert in_statistics(place, tmp_path), "and in what it knows of its columns"
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
    assert in_statistics(place, tmp_path) == []
    left_behind(place)
    assert names(SEARCH.folders(server.data), server.data) == []
    assert names(SEARCH.folders(tmp_path, home), tmp_path) == []
