"""The workspace as DataFrames: columns and dtypes as documented, and nothing is ever written."""

import sqlite3
from datetime import UTC
from pathlib import Path

import pandas as pd
import pytest

from core.errors import NotFoundError, RightsError, StateError, WorkspaceError
from core.frames import open_workspace
from core.frames.schema import FRAMES
from core.workflow import people
from core.workflow.check import gold, rate, review
from core.workflow.splits import freeze, lifecycle
from core.workflow.workspace import Workspace
from db.tables import now
from tests.finished_runs import take_in_answers
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, screened, write_items

EVALUATED = "split"


def fill(ws: Workspace, folder: Path) -> tuple[int, ...]:
    """Two frozen items with an evaluation, one of them rated and gold; one item half reviewed."""
    make_task(ws, overlap=2, rubric="coreeval", raters=1)
    people.ensure_person(ws, "boss", "lead")
    first, second, third = write_items(ws, 3)
    screened(ws, first, 7.25)
    accept_all(ws, (first, second), "li", "wu")
    rate.rate(ws, "boss", first, {"fluency": 3, "accuracy": 1}, seconds=4.5)
    gold.mark_gold(ws, "boss", second, "accept")
    freeze.freeze(ws, EVALUATED, BENCHMARK, "boss")
    replies = {member.uid: "春天" for member in freeze.members_of(ws, EVALUATED)}
    take_in_answers(ws, folder, replies, EVALUATED)
    review.decide(ws, "li", third, "reject", reason="ambiguous", note="两解", seconds=2.5)
    return first, second, third


def all_frames(place: str, user: str = "boss") -> dict[str, pd.DataFrame]:
    with open_workspace(place, user=user) as frames:
        runs = frames.runs()
        found = {name: getattr(frames, name)() for name in FRAMES if name != "answers"}
        evaluated = runs.loc[runs["kind"] == "evaluate", "run"]
        if len(evaluated):
            found["answers"] = frames.answers(evaluated.iloc[0])
        return found


def documented(name: str) -> list[tuple[str, str]]:
    return [(column.name, column.dtype) for column in FRAMES[name]()]


def shape(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return [(str(name), str(dtype)) for name, dtype in frame.dtypes.items()]


def test_every_frame_has_the_columns_and_dtypes_of_its_table(ws, location, tmp_path):
    fill(ws, tmp_path)
    found = all_frames(location)
    assert set(found) == set(FRAMES)
    for name, frame in found.items():
        assert len(frame), name
        assert shape(frame) == documented(name)
        assert all(
            str(frame[column].cat.categories.dtype) == "string"
            for column in frame.select_dtypes("category")
        )


def test_the_frames_of_an_empty_workspace_have_the_same_columns(ws, location):
    people.ensure_person(ws, "boss", "lead")
    for name, frame in all_frames(location).items():
        assert frame.empty
        assert shape(frame) == documented(name)


def test_the_rows_say_what_was_done(ws, location, tmp_path):
    first, second, third = fill(ws, tmp_path)
    found = all_frames(location)
    items = found["items"].set_index("item")
    assert list(items.index) == [first, second, third]
    assert list(items["state"]) == ["frozen", "frozen", "in_review"]
    assert list(items["gold"].astype("string").fillna("")) == ["", "accept", ""]
    assert list(items["hidden"]) == [False, False, True]
    assert items.loc[first, "author"] == "ann"
    assert items["payload"][first]["output"] == "第0次的春天"
    decisions = found["decisions"]
    assert sorted(zip(decisions["item"], decisions["person"], strict=True)) == [
        (first, "li"), (first, "wu"), (second, "li"), (second, "wu"),
    ]  # fmt: skip
    assert decisions["reason"].isna().all()
    (score,) = found["screenings"]["score"]
    assert score == 7.25
    ratings = found["ratings"]
    assert dict(zip(ratings["criterion"], ratings["value"], strict=True)) == {
        "fluency": 3.0, "accuracy": 1.0,
    }  # fmt: skip
    assert set(ratings["seconds"]) == {4.5}
    answers = found["answers"]
    assert list(answers["item"]) == [first, second]
    assert list(answers["text"]) == ["春天", "春天"]
    assert set(found["runs"]["split"].dropna()) == {EVALUATED}


def test_moments_are_those_of_the_workspace_in_utc(ws, location, tmp_path):
    before = now()
    fill(ws, tmp_path)
    decided = all_frames(location)["decisions"]["decided_at"]
    assert decided.dt.tz == UTC
    assert before <= decided.min().to_pydatetime() <= decided.max().to_pydatetime() <= now()


def test_a_decision_that_was_undone_is_gone(ws, location, tmp_path):
    from core.workflow.items import undo

    *_, third = fill(ws, tmp_path)
    with open_workspace(location, user="li") as frames:
        assert third in set(frames.decisions()["item"])
        undo.undo(ws, "li")
        assert third not in set(frames.decisions()["item"])


def test_items_of_one_benchmark_or_task(ws, location):
    make_task(ws)
    make_task(ws, "other")
    people.ensure_person(ws, "boss", "lead")
    (here,) = write_items(ws, 1)
    (there,) = write_items(ws, 1, task="other", start=1)
    with open_workspace(location, user="boss") as frames:
        assert list(frames.items(task=TASK)["item"]) == [here]
        assert list(frames.items(BENCHMARK, "other")["item"]) == [there]
        assert len(frames.items(BENCHMARK)) == 2
        with pytest.raises(NotFoundError, match="nowhere"):
            frames.items("nowhere")
        with pytest.raises(NotFoundError, match="nothing"):
            frames.items(task="nothing")


def test_items_of_a_sealed_split_have_no_content_until_it_is_opened(ws, location, tmp_path):
    *frozen, third = fill(ws, tmp_path)
    lifecycle.seal(ws, EVALUATED, "boss")
    with open_workspace(location, user="boss") as frames:
        sealed = frames.items().set_index("item")
        for name in ("payload", "provenance", "label"):
            assert sealed.loc[frozen, name].isna().all()
        assert sealed["payload"][third]
        lifecycle.open_split(ws, EVALUATED, "boss", "evaluation")
        assert frames.items()["payload"].notna().all()


def test_answers_of_a_run_that_has_none(ws, location, tmp_path):
    fill(ws, tmp_path)
    with open_workspace(location, user="boss") as frames:
        with pytest.raises(NotFoundError, match="absent"):
            frames.answers("absent")
        with pytest.raises(StateError, match="no answers"):
            frames.answers("r1")


# --- who may open it, and that nothing is written --------------------------------------------


def test_an_unknown_person_is_refused_and_not_added(ws, location):
    people.ensure_person(ws, "boss", "lead")
    with pytest.raises(NotFoundError, match="nobody"):
        open_workspace(location, user="nobody")
    assert "nobody" not in [person.name for person in people.people(ws)]


def test_who_has_left_is_refused_also_while_the_workspace_is_open(ws, location):
    people.ensure_person(ws, "boss", "lead")
    people.ensure_person(ws, "li")
    with open_workspace(location, user="li") as frames:
        assert frames.items().empty
        people.set_active(ws, "li", False, "boss")
        with pytest.raises(RightsError, match="no longer works in this workspace"):
            frames.items()
    with pytest.raises(RightsError, match="no longer works in this workspace"):
        open_workspace(location, user="li")


def test_nothing_can_be_written_through_it(ws, location):
    people.ensure_person(ws, "boss", "lead")
    reading = Workspace.open_read_only(location)
    try:
        with pytest.raises(WorkspaceError):
            people.ensure_person(reading, "li")
        assert "li" not in [person.name for person in people.people(reading)]
    finally:
        reading.close()


def test_reading_leaves_the_file_as_it_is(sqlite_ws, place, tmp_path):
    fill(sqlite_ws, tmp_path)
    sqlite_ws.close()
    before = (place / "workspace.db").read_bytes()
    assert len(all_frames(str(place))["items"]) == 3
    assert (place / "workspace.db").read_bytes() == before


def test_what_others_write_meanwhile_is_read_at_the_next_call(ws, location):
    make_task(ws)
    people.ensure_person(ws, "boss", "lead")
    with open_workspace(location, user="boss") as frames:
        assert frames.items().empty
        write_items(ws, 2)
        assert len(frames.items()) == 2


def test_an_older_workspace_is_not_migrated_and_says_what_to_do(sqlite_ws, place):
    people.ensure_person(sqlite_ws, "boss", "lead")
    sqlite_ws.close()
    database = place / "workspace.db"
    with sqlite3.connect(database) as other:
        other.execute("UPDATE alembic_version SET version_num = '0001'")
    other.close()
    before = database.read_bytes()
    with pytest.raises(WorkspaceError, match="older"):
        open_workspace(place, user="boss")
    assert database.read_bytes() == before


def test_the_workspace_of_the_environment_is_the_default(sqlite_ws, place, monkeypatch):
    people.ensure_person(sqlite_ws, "boss", "lead")
    monkeypatch.setenv("BENCHSEAL_WORKSPACE", str(place))
    with open_workspace(user="boss") as frames:
        assert "工作区" in repr(frames)
    with pytest.raises(NotFoundError):
        open_workspace(place / "nowhere", user="boss")
