"""A bad reply or a damaged run folder stops no later screening, and what it holds can be freed."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.screening.run import PrescreenParams
from core.workflow.check import screen, stuck_items
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from db import items
from db.vocabulary import ItemState
from tests.hostile.conftest import Attack
from tests.servers.model_server import LoopbackModel
from tests.workspaces import BENCHMARK, make_task, write_items

Begin = Callable[[str], Attack]
HUGE = 10**30


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.create(tmp_path / "ws")
    make_task(opened, gate="required")
    write_items(opened, 3)
    yield opened
    opened.close()


def screened(ws: Workspace, url: str) -> str:
    run = screen.start(ws, BENCHMARK, PrescreenParams(base_url=url, model="m")).spec().id
    assert runs.wait(ws, run, 60).state == "finished"
    return run


def held(ws: Workspace) -> int:
    with ws.reading() as session:
        return len(items.in_state(session, (ItemState.SCREENING,)))


def test_impossible_numbers_of_a_reply_hold_no_item(ws: Workspace, attack: Begin) -> None:
    row = attack("a reply with 1e30 tokens, taken in")
    content = json.dumps({"score": 9, "reasons": "r"})
    said = {"body": {"choices": [{"message": {"content": content}}],
                     "usage": {"prompt_tokens": HUGE, "completion_tokens": HUGE}}}  # fmt: skip
    with LoopbackModel(answer=lambda _: said) as model:
        screen.take_in(ws, screened(ws, model.url))
    row.tried(f"{held(ws)} items are held" if held(ws) else "")


@pytest.mark.parametrize("wrong", [
    {"tokens": HUGE}, {"tokens": -1}, {"score": 1e30}, {"score": "9"}, {"outcome": "great"},
    {"outcome": ["passed"]}, {"model": 7}, {"reasons": {}}, {"tokens": "many"}, {"score": None},
])  # fmt: skip
def test_a_run_folder_with_odd_records_frees_its_items(
    ws: Workspace, attack: Begin, wrong: dict[str, object]
) -> None:
    row = attack("odd records of a screening")
    with LoopbackModel() as model:
        run = screened(ws, model.url)
        folder = runs.folder_of(ws, run)
        shard = folder.path / "shard-000.jsonl"
        rows = [json.loads(line) for line in shard.read_text().splitlines()]
        shard.write_text("".join(json.dumps({**one, **wrong}) + "\n" for one in rows))
        if wrong.get("tokens") == HUGE:  # not a number of any run: the file counts as damaged
            assert not stuck_items.find_stuck(ws).is_sound
            stuck_items.free_stuck(ws)
        else:
            screen.take_in(ws, run)
        row.tried(f"{held(ws)} items are held" if held(ws) else "")
        write_items(ws, 1, start=50)
        row.tried("" if screened(ws, model.url) != run else "no later screening")


@pytest.mark.parametrize("spoil", ["gone", "no spec", "no work", "damaged work", "damaged shard"])
def test_the_doctor_frees_what_a_damaged_run_holds(
    ws: Workspace, attack: Begin, spoil: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row = attack("items held by a screening whose folder is damaged")
    with LoopbackModel() as model:
        run = screened(ws, model.url)
    path = runs.folder_of(ws, run).path
    if spoil == "gone":
        shutil.rmtree(path)
    elif spoil.startswith("no "):
        (path / {"no spec": "spec.json", "no work": "work.jsonl"}[spoil]).unlink()
    else:
        name = "work.jsonl" if spoil == "damaged work" else "shard-000.jsonl"
        (path / name).write_bytes(b"\xff\xfe{\n")
    where = ("--workspace", str(ws.place.folder))
    assert held(ws) == 3
    assert main(["doctor", *where]) == 1
    assert held(ws) == 3, "only looking frees nothing"
    assert main(["doctor", "--mend", *where]) == 0
    row.tried(f"{held(ws)} items are held" if held(ws) else "")
    assert main(["doctor", *where]) == 0
    assert "Nothing is stuck." in capsys.readouterr().out
