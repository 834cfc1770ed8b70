"""The plain items of a sealed split: away while it is sealed or opened, back once it expired."""

from contextlib import closing

import pytest

from core.errors import StateError
from core.workflow import people
from core.workflow.splits import exports, freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, varied

LEAD = "boss"


@pytest.fixture
def frozen(ws: Workspace) -> Workspace:
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(5)]})
    return ws


def plain(ws: Workspace):
    return ws.releases / "s" / "items.jsonl"


def test_they_are_gone_from_sealing_until_expiry_and_then_the_same(frozen: Workspace):
    before = plain(frozen).read_bytes()
    lifecycle.seal(frozen, "s", LEAD)
    assert [path.name for path in (frozen.releases / "s").iterdir()] == ["manifest.json"]
    assert verify(frozen).sound
    lifecycle.open_split(frozen, "s", LEAD, "july")
    assert not plain(frozen).exists()
    assert freeze.check(frozen, "s") == []
    lifecycle.expire(frozen, "s", LEAD)
    assert plain(frozen).read_bytes() == before
    assert verify(frozen).sound


def test_a_split_that_is_missing_them_without_having_been_sealed_is_changed(frozen: Workspace):
    plain(frozen).unlink()
    assert [one.kind for one in freeze.check(frozen, "s")] == ["file_missing"]
    with pytest.raises(StateError, match="changed"):
        lifecycle.seal(frozen, "s", LEAD)
    with frozen.reading() as session:
        assert freeze.info_in(frozen, session, "s").state == "frozen"
    lifecycle.expire(frozen, "s", LEAD)
    assert not verify(frozen).sound
    with freeze_again(frozen) as text:
        plain(frozen).write_bytes(text)


def freeze_again(ws: Workspace):
    from contextlib import contextmanager

    from core.release.frozen_items import FrozenItems
    from db import splits

    @contextmanager
    def made():
        with ws.reading() as session:
            number = splits.named(session, "s").id
            with closing(FrozenItems(splits.contents(session, number), "s")) as items:
                items.lines.seek(0)
                yield items.lines.read()

    return made()


def test_a_sealing_that_was_interrupted_is_said_and_completed_by_opening(frozen: Workspace):
    before = plain(frozen).read_bytes()
    lifecycle.seal(frozen, "s", LEAD)
    plain(frozen).write_bytes(before)
    found = verify(frozen)
    assert found.sound
    assert any("plain text" in note for note in found.notes)
    plain(frozen).write_bytes(before[:-9])
    assert not verify(frozen).sound
    lifecycle.open_split(frozen, "s", LEAD, "july")
    assert not plain(frozen).exists()
    assert verify(frozen).sound


def test_a_changed_manifest_of_a_sealed_split_is_found(frozen: Workspace):
    lifecycle.seal(frozen, "s", LEAD)
    path = frozen.releases / "s" / "manifest.json"
    content = path.read_bytes()
    path.write_bytes(content.replace(b"scp", b"scq", 1))
    assert freeze.check(frozen, "s")
    lifecycle.open_split(frozen, "s", LEAD, "july")
    with pytest.raises(StateError, match="changed"):
        exports.export(frozen, "s", "jsonl", frozen.place.folder / "out", person=LEAD, plain="x")
    path.write_bytes(content)
