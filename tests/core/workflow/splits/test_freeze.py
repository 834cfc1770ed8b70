"""Freezing in two halves: the private one, and one that may be released (CIF-Bench, §3)."""

import json
from contextlib import closing

import pytest

from core.cli import main
from core.errors import InputError, StateError
from core.workflow import people
from core.workflow.items import state_counts
from core.workflow.production import write
from core.workflow.splits import freeze
from core.workflow.splits.prompt_variants import PromptVariants, work_of
from core.workflow.splits.selection import FreezeOrder
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import items
from tests.workspaces import BENCHMARK, accept_all, freeze_command, make_task, write_items


def numbers(ws, split: str) -> list[int]:
    return [int(member.uid) for member in freeze.members_of(ws, split)]


@pytest.fixture
def accepted(ws):
    """Two tasks, one half private with 9 items, one wholly private with 3."""
    make_task(ws, private_share=0.5)
    make_task(ws, "closed", private_share=1.0)
    accept_all(ws, write_items(ws, 9), "li")
    accept_all(ws, write_items(ws, 3, task="closed", start=20), "li")
    return ws


def test_every_item_is_in_one_half_by_the_share_of_its_task(accepted):
    people.ensure_person(accepted, "王", "researcher")
    private, public = freeze.freeze_order(accepted, FreezeOrder("p", BENCHMARK, "q", seed=3), "王")
    assert (private.size, public.size) == (5 + 3, 4)
    both = numbers(accepted, "p") + numbers(accepted, "q")
    assert sorted(both) == list(range(1, 13))
    assert set(numbers(accepted, "q")) <= set(range(1, 10))
    assert state_counts.counts(accepted, BENCHMARK)["frozen"] == 12
    assert verify(accepted).sound


def test_the_draw_can_be_repeated_from_its_recorded_seed(accepted, tmp_path):
    freeze.freeze_order(accepted, FreezeOrder("p", BENCHMARK, "q", seed=11))
    other = Workspace.create(tmp_path / "again")
    make_task(other, private_share=0.5)
    make_task(other, "closed", private_share=1.0)
    accept_all(other, write_items(other, 9), "li")
    accept_all(other, write_items(other, 3, task="closed", start=20), "li")
    freeze.freeze_order(other, FreezeOrder("p", BENCHMARK, "q", seed=11))
    assert numbers(accepted, "q") == numbers(other, "q")
    other.close()


def test_a_benchmark_that_is_wholly_private_has_no_public_half(ws):
    make_task(ws, private_share=1.0)
    accept_all(ws, write_items(ws, 3), "li")
    with pytest.raises(StateError, match="3 items would be private and 0 public"):
        freeze.freeze_order(ws, FreezeOrder("p", BENCHMARK, "q"))
    with pytest.raises(InputError, match="two names"):
        freeze.freeze_order(ws, FreezeOrder("p", BENCHMARK, "p"))
    assert not freeze.all_splits(ws)
    assert state_counts.counts(ws, BENCHMARK)["accepted"] == 3


def test_the_private_half_can_be_asked_in_the_public_words(ws):
    make_task(ws, private_share=0.5)
    accept_all(ws, write_items(ws, 4), "li")
    for index in range(1, 4):
        wording = {
            "text": f"请给文章起第{index}种标题。",
            "instruction_id": str(index),
            "public": index == 2,
        }
        number = write.submit(ws, "ann", "titles", wording, format="instruction").number
        accept_all(ws, [number], "li")
    private, public = freeze.freeze_order(ws, FreezeOrder("p", BENCHMARK, "q"))
    assert (private.size, public.size) == (2 + 2, 2 + 1)
    for split in ("p", "q"):
        prompts = [row["prompt"] for row in work_of(ws, split, PromptVariants.of("public"))]
        assert len(prompts) == 2
        assert all("第2种" in prompt for prompt in prompts)
        assert len(list(work_of(ws, split, PromptVariants.of("all")))) == 6


def test_the_command_freezes_both_halves(accepted, location, capsys):
    words = freeze_command(location)
    assert main([*words, "--seed", "5"]) == 2
    capsys.readouterr()
    assert main([*words, "--public-as", "q", "--seed", "5"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["items"], said["public"]["items"]) == (8, 4)


@pytest.mark.parametrize("location", ["postgresql"], indirect=True)
def test_of_two_who_freeze_at_once_one_is_told(ws, location, monkeypatch):
    make_task(ws)
    accept_all(ws, write_items(ws, 3), "li")
    real = items.get_many

    def after_another(*args, **options):
        monkeypatch.undo()
        with closing(Workspace.open(location)) as other:
            freeze.freeze(other, "first", BENCHMARK, "boss")
        return real(*args, **options)

    monkeypatch.setattr(items, "get_many", after_another)
    with pytest.raises(StateError, match="have changed since they were checked"):
        freeze.freeze(ws, "second", BENCHMARK, "boss")
    assert [split.name for split in freeze.all_splits(ws)] == ["first"]
