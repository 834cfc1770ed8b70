"""Work items that a worker reads from their file when their turn comes."""

import json
from pathlib import Path

import pytest

from core.errors import InputError, StateError
from core.evaluation.params import EvaluateParams
from core.files import digest, digest_of_rows
from core.jobs.folder import RunFolder
from core.jobs.stored_rows import ids_of

ROWS = [{"id": str(number), "prompt": f"题目{number}" * number} for number in range(20)]


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    params = EvaluateParams(engine="baseline:random", split="s")
    return RunFolder.create(tmp_path, "evaluate", params, iter(ROWS))


def test_a_shard_has_its_own_rows_without_those_that_are_finished(folder: RunFolder):
    folder.write_shard("shard-001.jsonl", [{"id": "4"}, {"id": "5"}])
    share, pending = folder.pending_work(1, 3)
    assert share == 7
    assert list(pending) == [ROWS[n] for n in (1, 7, 10, 13, 16, 19)]
    assert (len(pending), pending[0], pending[-1]) == (6, ROWS[1], ROWS[19])
    assert list(pending[1:3]) == [ROWS[7], ROWS[10]]
    assert list(pending) == list(pending)
    with pytest.raises(IndexError):
        pending[6]


def test_finished_records_are_read_in_the_order_of_the_work(folder: RunFolder):
    folder.write_shard("shard-000.jsonl", [{"id": "9", "text": "a"}, {"id": "2", "text": "b"}])
    folder.write_shard("shard-001.jsonl", [{"id": "2", "text": "late"}, {"id": "x", "text": "?"}])
    found = folder.finished()
    assert list(found.records) == [{"id": "2", "text": "b"}, {"id": "9", "text": "a"}]
    assert (found.missing, found.foreign) == (18, ("x",))
    by_item = dict(zip(folder.each_work_id(), found.by_item(), strict=True))
    assert {id_ for id_, record in by_item.items() if record} == {"2", "9"}
    assert by_item["9"] == {"id": "9", "text": "a"}
    assert found.records[-1] == {"id": "9", "text": "a"}


def test_an_item_that_stands_twice_has_its_record_twice(tmp_path: Path):
    params = EvaluateParams(engine="baseline:random", split="s")
    folder = RunFolder.create(tmp_path, "evaluate", params, [ROWS[1], ROWS[2], ROWS[1]])
    folder.write_shard("shard-000.jsonl", [{"id": "1"}, {"id": "2"}])
    assert folder.ordered_records() == [{"id": "1"}, {"id": "2"}, {"id": "1"}]


def test_records_of_more_shards_than_files_may_be_open(folder: RunFolder):
    names = [f"shard-{number:03d}.jsonl" for number in range(150)]
    for number, name in enumerate(names):
        folder.write_shard(name, [{"id": str(number % 20), "text": name}])
    assert [record["text"] for record in folder.finished().records] == names[:20]
    for number, name in enumerate(names):
        folder.write_shard(name, [{"id": ROWS[19 - number % 20]["id"], "text": name}])
    assert [record["text"] for record in folder.ordered_records()] == names[19::-1]


def test_a_row_that_is_damaged_is_said_when_it_is_read(folder: RunFolder):
    path = folder.path / "work.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[3] = '{"id": "3", "prompt": '
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _, pending = folder.pending_work(0, 1)
    with pytest.raises(InputError, match="damaged"):
        list(pending)


def test_no_run_is_left_where_its_rows_break_off(tmp_path: Path):
    def rows():
        yield ROWS[0]
        raise InputError("no more")

    params = EvaluateParams(engine="baseline:random", split="s")
    with pytest.raises(InputError, match="no more"):
        RunFolder.create(tmp_path, "evaluate", params, rows())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rows", [[], ROWS[:1], ROWS])
def test_the_digest_of_rows_is_that_of_their_list(rows: list[dict]):
    assert digest_of_rows(iter(rows)) == digest(json.loads(json.dumps(rows)))


def test_the_ids_of_locked_rows_are_told_without_a_key(tmp_path: Path):
    params = EvaluateParams(engine="baseline:random", split="s")
    path = RunFolder.create(tmp_path, "evaluate", params, iter(ROWS), key=bytes(32)).path
    _, pending = RunFolder(path).pending_work(0, 2)
    assert list(ids_of(pending)) == [row["id"] for row in ROWS[::2]]
    assert list(ids_of(ROWS)) == [row["id"] for row in ROWS]
    with pytest.raises(StateError):
        list(pending)
