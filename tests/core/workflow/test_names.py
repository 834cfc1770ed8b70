"""Names that look alike are refused when they are new, and named where they are old."""

from pathlib import Path

import pytest

from core.errors import InputError, RightsError
from core.workflow import people, tasks
from core.workflow.check import review
from core.workflow.names import task_named_after
from core.workflow.production import write
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.tampering import meddle
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, payload, write_items

CYRILLIC, FULL_WIDTH, ZERO_WIDTH = "аnn", "ａnn", "an\u200bn"


@pytest.mark.parametrize(
    ("file", "task"),
    [("riddles.csv", "riddles"), ("xquad.ar.json", "xquad.ar"), ("gaokao.v2.jsonl.gz", "gaokao.v2"),
     ("moods_public.JSONL", "moods"), ("_public.json", "_public.json"), ("a.b", "a.b"),
     (".csv", ".csv")],
)  # fmt: skip
def test_a_task_is_named_after_its_file_without_what_says_how_it_is_written(file: str, task: str):
    assert task_named_after(Path("somewhere") / file) == task


@pytest.mark.parametrize("name", [CYRILLIC, FULL_WIDTH, "ANN", "a\u200dnn"])
def test_nobody_is_added_who_looks_like_somebody(ws: Workspace, name: str):
    people.ensure_person(ws, "ann", "annotator")
    with pytest.raises(InputError, match="looks like “ann”"):
        people.ensure_person(ws, name)
    assert len([person for person in people.people(ws) if "nn" in person.name.casefold()]) == 1


@pytest.mark.parametrize("name", [ZERO_WIDTH, "\u202eann", "a\ufe0fb", "x\u2066"])
def test_a_name_has_nothing_unseen(ws: Workspace, name: str):
    with pytest.raises(InputError, match="control characters"):
        people.ensure_person(ws, name)


@pytest.mark.parametrize("name", [CYRILLIC, FULL_WIDTH, ZERO_WIDTH, "Ann"])
def test_an_author_reviews_no_own_item_under_a_name_that_looks_alike(ws: Workspace, name: str):
    make_task(ws)
    (number,) = write_items(ws, 1)
    with pytest.raises(InputError):
        review.decide(ws, name, number, "accept")
    with pytest.raises(RightsError, match="someone else must review it"):
        review.decide(ws, "ann", number, "accept")
    assert review.decide(ws, "li", number, "accept").state == "accepted"


def test_tasks_benchmarks_and_splits_that_look_alike_are_refused(ws: Workspace):
    make_task(ws)
    for task, benchmark in (("Titles", BENCHMARK), ("tіtles", BENCHMARK), (TASK, "Bench")):
        with pytest.raises(InputError, match="looks like"):
            tasks.add(ws, task, "instruction", benchmark=benchmark, format="triplet")
    tasks.add(ws, TASK, "instruction", benchmark="another", format="triplet")
    accept_all(ws, write_items_of(ws, BENCHMARK), "li")
    freeze.freeze(ws, "july", BENCHMARK)
    accept_all(ws, write_items_of(ws, BENCHMARK, start=5), "li")
    with pytest.raises(InputError, match="looks like “july”"):
        freeze.freeze(ws, "JULY", BENCHMARK)


def write_items_of(ws: Workspace, benchmark: str, start: int = 0) -> list[int]:
    done = write.submit(ws, "ann", TASK, payload(f"第{start}次"), benchmark=benchmark)
    return [done.number]


def test_names_from_before_stay_and_verify_names_them(sqlite_ws: Workspace):
    people.ensure_person(sqlite_ws, "ann")
    people.ensure_person(sqlite_ws, "bob")
    meddle(sqlite_ws, f"UPDATE person SET name = '{CYRILLIC}' WHERE name = 'bob'")
    kinds = {(entry.kind, entry.subject) for entry in verify(sqlite_ws).findings}
    assert ("name", CYRILLIC) in kinds


def test_two_tasks_of_one_name_are_told_apart(ws: Workspace):
    make_task(ws)
    tasks.add(ws, TASK, "instruction", benchmark="other", format="triplet")
    choices = f"{BENCHMARK}/{TASK}"
    with pytest.raises(InputError, match=choices):
        tasks.set_protocol(ws, TASK, {"overlap": "3"})
    with pytest.raises(InputError, match="other/"):
        write.submit(ws, "ann", TASK, payload("一"))
    tasks.set_protocol(ws, f"other/{TASK}", {"overlap": "3"})
    tasks.set_protocol(ws, TASK, {"overlap": "5"}, benchmark=BENCHMARK)
    found = {task.benchmark: task.protocol.overlap for task in tasks.tasks(ws)}
    assert found == {BENCHMARK: 5, "other": 3}
    assert verify(ws).sound


def test_a_protocol_changed_past_the_program_is_found_though_two_tasks_have_one_name(
    sqlite_ws: Workspace,
):
    make_task(sqlite_ws)
    tasks.add(sqlite_ws, TASK, "instruction", benchmark="other", format="triplet")
    tasks.set_protocol(sqlite_ws, f"other/{TASK}", {"overlap": "3"})
    meddle(
        sqlite_ws,
        "UPDATE protocol SET settings = json_set(settings, '$.overlap', 9) WHERE version = 2",
    )
    assert "task" in {entry.kind for entry in verify(sqlite_ws).findings}
