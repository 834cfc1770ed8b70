"""A task on its lead's view: its texts, protocol, wordings and versions, and edits told first."""

import pytest

from core.errors import InputError, RightsError
from core.families.catalogue import cif_bench
from core.sealing.archive import Locks
from core.workflow import people, tasks
from core.workflow.check import review
from core.workflow.production import author_view, task_view, write
from core.workflow.production.task_view import TaskEdit
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import freeze, lifecycle

TEXT = "请用一句话概括下面的新闻。"


@pytest.fixture
def here(ws):
    people.ensure_person(ws, "boss", "lead")
    people.ensure_person(ws, "ann", "annotator")
    tasks.add(ws, "t", "instruction", benchmark="b", profile={"labels": ["好", "坏"]})
    return ws


def edit(ws, *, dry_run=False, person="boss", **more):
    fields = {"guideline": "简短。", "instruction": "", "labels": ("好", "坏"), "settings": {}}
    return task_view.edit(ws, "t", "b", person, TaskEdit(**{**fields, **more}), dry_run=dry_run)


def test_an_edit_is_told_before_it_is_made(here):
    told = edit(here, dry_run=True, settings={"overlap": "3"})
    assert told.task.changed == {"guideline": "简短。"}
    assert told.protocol.changed == {"overlap": 3}
    view = task_view.task_view(here, "t", "b", "ann")
    assert (len(view.versions), len(view.protocols), view.may_edit) == (1, 1, False)
    edit(here, settings={"overlap": "3"})
    view = task_view.task_view(here, "t", "b", "boss")
    assert (len(view.versions), len(view.protocols), view.may_edit) == (2, 2, True)
    assert view.versions[-1].guideline == "简短。"
    assert view.info.protocol.overlap == 3
    assert not edit(here, settings={"overlap": "3"}).differs


def test_an_edit_of_texts_and_protocol_is_one_transaction(here, monkeypatch):
    begun = []
    writing = here.writing
    monkeypatch.setattr(here, "writing", lambda: begun.append(1) or writing())
    edit(here, settings={"overlap": "3"})
    assert len(begun) == 1


def test_an_edit_with_a_wrong_part_changes_nothing(here):
    with pytest.raises(InputError):
        edit(here, settings={"overlap": "many"})
    with pytest.raises(RightsError):
        edit(here, person="ann")
    assert len(task_view.task_view(here, "t", "b", "boss").versions) == 1


def test_wordings_are_items_that_may_be_public(here):
    done = task_view.add_variant(here, "t", "b", "ann", TEXT, public=True)
    write.submit(
        here, "ann", "t", {"instruction": TEXT, "input": "一", "output": "好"}, benchmark="b"
    )
    (variant,) = task_view.task_view(here, "t", "b", "boss").variants
    assert (variant.number, variant.text, variant.public) == (done.number, TEXT, True)
    assert task_view.names(here, "b") == ("t",)


def test_a_task_of_the_catalogue_keeps_its_facts(here):
    known = cif_bench().task(45)
    info = tasks.add(here, known.name, "instruction", benchmark="b", profile=known.profile)
    assert info.profile["catalogue_id"] == 45
    assert info.profile["metric"] == known.metric


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_wording_that_lies_in_a_sealed_split_is_shown_to_nobody(here, tmp_path, encrypted):
    tasks.add(here, "w", "instruction", benchmark="b", protocol={"gate": "off", "overlap": "1"})
    number = task_view.add_variant(here, "w", "b", "ann", TEXT, public=False).number
    review.decide(here, "boss", number, "accept")
    freeze.freeze(here, "s", "b", "boss")
    assert [one.text for one in task_view.task_view(here, "w", "b", "boss").variants] == [TEXT]
    assert TEXT in [one.text for one in author_view.author_view(here, "ann", "w", "b").wordings]
    if encrypted:
        order = SealOrder(tmp_path / "s.sealed", Locks(passphrase="correct horse battery"))
        locked_archives.seal(here, "s", "boss", order)
    else:
        lifecycle.seal(here, "s", "boss")
    assert [one.text for one in task_view.task_view(here, "w", "b", "boss").variants] == [""]
    assert author_view.author_view(here, "ann", "w", "b").wordings == ()
