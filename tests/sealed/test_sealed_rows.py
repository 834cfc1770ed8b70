"""The items of a sealed split in the database: no page, log, index or backup has a word of them,
and whoever has a key reads them."""

import json
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from core.errors import InputError, StateError
from core.families.base import ItemContent
from core.sealing.archive import Locks, Unlocking
from core.sealing.custodians import CustodyRule, read_share
from core.workflow import people, unlocked_keys
from core.workflow.analysis import blind_looks, organisations, second_look
from core.workflow.analysis.exposures import exposures
from core.workflow.backups import backup_files, copies
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.evaluation.item_results import MissedItem
from core.workflow.items import search, search_index
from core.workflow.items.search import Filters
from core.workflow.items.search_index import SearchCoverage
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.new_items import new_item
from core.workflow.sealing import locked_archives, plain_remains
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import exports, freeze, item_keys, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import items, ledger
from db.copies import compacting
from db.schema.sealed_values import FIELD, HIDDEN
from tests.sealed.conftest import LEAD, SEARCH, SPLIT, SealedPlace
from tests.sealed.private_items import COUNT, ITEMS
from tests.sealed.team_place import LEAD as BOSS
from tests.sealed.team_place import TeamPlace
from tests.splits import freeze_split, varied

_TITLE = {"article": "On winters without ice in the north of the country"}
PASSAGES = [
    ItemContent("answer", "", {"question": f"Which {n}?", "passage": text, "answers": ["the mill"]},
                provenance)
    for n, (text, provenance) in enumerate([
        ("The mill stood by the river.", {}),
        ("The mill stood by the river.", {}),
        ("The river came later.", {}),
        ("The river came later.", {"columns": {"doc_id": "d1"}}),
        ("It froze over.", {"columns": {"doc_id": "d1"}}),
        ("A winter without ice.", _TITLE),
        ("The ice.", _TITLE),
        ("Ice.", {"article": "2401.1"}),
    ])
]  # fmt: skip
"""Eight items from five sources."""


def _close(place: SealedPlace) -> None:
    """Another process, which has nothing in its memory."""
    place.ws.close()
    place.ws = Workspace.open(place.root / "workspace")


def test_the_words_are_there_before_sealing_and_nowhere_after(sealed: SealedPlace) -> None:
    assert {one.path.partition("!")[0].rpartition("/")[2] for one in sealed.found()} >= {
        "workspace.db", "items.jsonl",
    }  # fmt: skip
    sealed.seal()
    assert sealed.found() == []
    sealed.ws.close()
    assert sealed.found() == []


def test_a_search_counts_no_sealed_item_among_those_that_it_finds_or_will_find(
    sealed: SealedPlace,
) -> None:
    others = [varied(number) for number in range(6)]
    with sealed.ws.writing() as session:
        task = ensure_task_in(session, ensure_benchmark_in(session, "b"), "others", "scp")
        items.add(session, [new_item(one, task, None) for one in others])
    search_index.index_waiting(sealed.ws)
    sealed.seal()
    assert search_index.coverage(sealed.ws) == SearchCoverage(0, len(others))
    page = search.page(sealed.ws, Filters(words="第"), viewer=LEAD)
    assert page.coverage is not None
    assert page.coverage.sentence == "search covers 0 of 6"
    assert search_index.index_waiting(sealed.ws).is_whole
    assert search.page(sealed.ws, Filters(words="第"), viewer=LEAD).total == len(others)


def test_what_shares_a_source_shares_it_when_it_is_sealed(place: TeamPlace, tmp_path: Path) -> None:
    for lead, ws in ((BOSS, place.ws), (LEAD, Workspace.create(tmp_path / "alone"))):
        people.ensure_person(ws, lead, "lead")
        freeze_split(ws, {"passages": PASSAGES}, "passages")
        before = _partition(ws)
        assert len(set(before)) == 5
        order = SealOrder(tmp_path / f"{lead}.sealed", Locks(passphrase="open it, please"))
        locked_archives.seal(ws, "passages", lead, order)
        assert item_keys.state_of(ws, "passages") == item_keys.KeyState(sealed=True, here=False)
        assert _partition(ws) == before


def _partition(ws: Workspace) -> list[int]:
    """Of each item the place of the first one from the same source."""
    found = JudgementBook(ws).read(["items", "sources"]).sources["source"].tolist()
    return [found.index(name) for name in found[-len(PASSAGES) :]]


def test_a_backup_made_after_sealing_has_no_word_and_an_older_one_is_named(
    sealed: SealedPlace,
) -> None:
    older = backup_files.make(sealed.ws, LEAD).path
    sealed.seal()
    assert sealed.locked.remains[0].path == str(older)
    newer = backup_files.make(sealed.ws, LEAD).path
    # what is bound after the backup has nothing to do with the sealing
    organisations.assign(sealed.ws, LEAD, "Example Lab", hosts=("api.example.org",))
    assert SEARCH.file(older)
    assert not SEARCH.file(newer)
    assert plain_remains.remove_backups(sealed.ws, SPLIT, LEAD) == (str(older),)
    assert not older.exists()
    assert newer.exists()
    assert plain_remains.remains(sealed.ws, SPLIT) == ()


def _renamed(path: Path, year: str) -> Path:
    """A backup as if it was made in another year, by a clock that was wrong."""
    head, _, moment = path.name.rpartition("-")
    return path.rename(path.with_name(f"{head}-{year}{moment[4:]}"))


def test_a_backup_is_of_before_the_sealing_whatever_the_clock_says(sealed: SealedPlace) -> None:
    older = _renamed(backup_files.make(sealed.ws, LEAD).path, "2099")
    sealed.seal()
    newer = _renamed(backup_files.make(sealed.ws, LEAD).path, "2001")
    assert SEARCH.file(older)
    assert not SEARCH.file(newer)
    assert [Path(one.path) for one in plain_remains.remains(sealed.ws, SPLIT)] == [older]
    assert plain_remains.remove_backups(sealed.ws, SPLIT, LEAD) == (str(older),)
    assert newer.exists()


def test_a_copy_made_while_the_items_are_unlocked_holds_ciphertext(sealed: SealedPlace) -> None:
    sealed.seal()
    copies.copy(sealed.ws, sealed.root / "copy")
    assert sealed.found() == []
    with closing(Workspace.open(sealed.root / "copy")) as copied:
        assert verify(copied).findings == ()
        assert freeze.members_of(copied, SPLIT)[0].content.payload["input"]
    assert sealed.found() == []


def test_who_reads_meanwhile_keeps_the_log_and_it_is_named_until_they_are_done(
    sealed: SealedPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compacting, "PATIENCE", 50)
    database = sealed.root / "workspace" / "workspace.db"
    with closing(sqlite3.connect(database, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM item").fetchone()
        sealed.seal()
        assert [one.kind for one in sealed.locked.remains] == [plain_remains.DATABASE]
        assert sealed.found()
    assert plain_remains.clean(sealed.ws, SPLIT) == ()
    assert sealed.found() == []


def test_without_the_key_nothing_of_an_item_is_read_and_everything_else_works(
    sealed: SealedPlace,
) -> None:
    sealed.seal()
    item_keys.lock(sealed.ws, SPLIT)
    _close(sealed)
    ws = sealed.ws
    assert item_keys.state_of(ws, SPLIT) == item_keys.KeyState(sealed=True, here=False)
    with pytest.raises(StateError, match="sealed"):
        list(freeze.members_of(ws, SPLIT)[0].content.payload.items())
    with pytest.raises(StateError):
        exports.export(ws, SPLIT, "jsonl", sealed.root / "out", person=LEAD, plain="why not")
    assert not (sealed.root / "out").exists()
    checked = verify(ws)
    assert checked.findings == ()
    assert checked.splits == 1
    assert freeze.check(ws, SPLIT) == []
    assert lifecycle.split_life(ws, SPLIT).size == len(ITEMS)
    assert sealed.found() == []


def test_a_changed_ciphertext_is_found_without_the_key(sealed: SealedPlace) -> None:
    sealed.seal()
    item_keys.lock(sealed.ws, SPLIT)
    sealed.ws.close()
    with closing(sqlite3.connect(sealed.root / "workspace" / "workspace.db")) as database:
        database.execute("DROP TRIGGER revision_no_update")
        (first,) = database.execute("SELECT payload FROM revision WHERE id = 1").fetchone()
        (second,) = database.execute("SELECT payload FROM revision WHERE id = 2").fetchone()
        assert FIELD in first
        database.execute("UPDATE revision SET payload = ? WHERE id = 1", (second,))
        database.commit()
    sealed.ws = Workspace.open(sealed.root / "workspace")
    found = [one for one in verify(sealed.ws).findings if "revision" in one.subject]
    assert found, verify(sealed.ws).findings


def test_an_event_that_was_spelled_with_blanks_tells_of_the_sealing_too(
    sealed: SealedPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As earlier versions spelled those that hold a broken number: that the clock was behind."""
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "sorted_json", partial(json.dumps, sort_keys=True))
        sealed.lock_up(Locks(passphrase="correct horse battery staple"))
    assert sealed.locked.encrypted
    assert item_keys.state_of(sealed.ws, SPLIT).sealed
    assert verify(sealed.ws).findings == ()


def test_who_has_the_key_reads_the_items_as_they_were(sealed: SealedPlace) -> None:
    before = [item.content for item in freeze.members_of(sealed.ws, SPLIT)]
    sealed.seal()
    _close(sealed)
    assert [item.content for item in freeze.members_of(sealed.ws, SPLIT)] == before
    assert verify(sealed.ws).findings == ()
    assert freeze.check(sealed.ws, SPLIT) == []


def test_opening_needs_a_key_that_fits(sealed: SealedPlace) -> None:
    import pyrage

    ws = sealed.ws
    sealed.lock_up(Locks((str(pyrage.x25519.Identity.generate().to_public()),)))
    with pytest.raises(StateError, match="encrypted"):
        lifecycle.open_split(ws, SPLIT, LEAD, "July")
    other = Unlocking((str(pyrage.x25519.Identity.generate()),))
    with pytest.raises(InputError):
        lifecycle.open_split(ws, SPLIT, LEAD, "July", "", other)
    assert lifecycle.split_life(ws, SPLIT).state == "sealed"
    assert list(unlocked_keys.folder().glob("*")) == []


@pytest.mark.parametrize("by", ["passphrase", "custodians"])
def test_a_passphrase_and_custodians_open_the_items(sealed: SealedPlace, by: str) -> None:
    words = "correct horse battery staple"
    custody = CustodyRule(2, 3) if by == "custodians" else None
    shares = sealed.root / "shares"
    locks = Locks(passphrase="" if custody else words, custody=custody)
    sealed.lock_up(locks, shares if custody else None)
    unlocking = Unlocking(passphrase=words)
    if custody:
        read = [read_share(path) for path in sorted(shares.glob("*.json"))]
        with pytest.raises(InputError):
            lifecycle.open_split(sealed.ws, SPLIT, LEAD, "July", "", Unlocking(shares=(read[0],)))
        unlocking = Unlocking(shares=tuple(read[1:]))
    lifecycle.open_split(sealed.ws, SPLIT, LEAD, "July", "", unlocking)
    assert freeze.members_of(sealed.ws, SPLIT)[0].content.payload["input"]


def test_another_computer_unlocks_an_opened_split(sealed: SealedPlace) -> None:
    sealed.seal()
    assert item_keys.lock(sealed.ws, SPLIT)
    assert not item_keys.lock(sealed.ws, SPLIT)
    item_keys.unlock(sealed.ws, SPLIT, LEAD, sealed.unlocking)
    assert item_keys.state_of(sealed.ws, SPLIT).here
    assert verify(sealed.ws).findings == ()


def test_who_had_the_key_of_the_items_is_among_the_exposures(sealed: SealedPlace) -> None:
    people.ensure_person(sealed.ws, "Chen", "lead")
    sealed.seal()
    item_keys.lock(sealed.ws, SPLIT)
    item_keys.unlock(sealed.ws, SPLIT, "Chen", sealed.unlocking)
    sealed.ws.person = LEAD
    found = exposures(sealed.ws, SPLIT)
    keys = [
        (one.who, one.items) for one in found if one.way == "had the key of the encrypted items"
    ]
    assert keys == [(LEAD, COUNT), ("Chen", COUNT)]
    assert exposures(sealed.ws, SPLIT, model="m") == ()


def test_an_archive_is_an_exposure_to_whoever_can_open_it(sealed: SealedPlace) -> None:
    sealed.ws.person = LEAD
    assert [one for one in exposures(sealed.ws, SPLIT) if one.kind == "file"] == []
    sealed.seal()
    (found,) = [one for one in exposures(sealed.ws, SPLIT) if one.kind == "file"]
    assert (found.who, found.where, found.items, found.certain) == (
        LEAD, "1 recipient", COUNT, False,
    )  # fmt: skip


def test_when_it_expires_the_items_are_plain_again(sealed: SealedPlace) -> None:
    plain = sealed.ws.releases / SPLIT / "items.jsonl"
    before = plain.read_bytes()
    sealed.seal()
    item_keys.lock(sealed.ws, SPLIT)
    with pytest.raises(StateError):
        lifecycle.expire(sealed.ws, SPLIT, LEAD)
    lifecycle.expire(sealed.ws, SPLIT, LEAD, "", sealed.unlocking)
    assert plain.read_bytes() == before
    assert not item_keys.state_of(sealed.ws, SPLIT).sealed
    assert list(unlocked_keys.folder().glob("*")) == []
    assert verify(sealed.ws).findings == ()
    words = str(ITEMS[3].payload["input"]).split(": ")[1][:30]
    found = search.numbers(sealed.ws, search.Filters(words=words), viewer=LEAD)
    assert len(found) == 1


def test_kept_plain_stays_plain(sealed: SealedPlace) -> None:
    import pyrage

    locks = Locks((str(pyrage.x25519.Identity.generate().to_public()),))
    order = SealOrder(sealed.root / "s.sealed", locks, keep_plain=True)
    assert not locked_archives.seal(sealed.ws, SPLIT, LEAD, order).encrypted
    lifecycle.open_split(sealed.ws, SPLIT, LEAD, "July")
    assert freeze.members_of(sealed.ws, SPLIT)[0].content.payload["input"]


def test_a_second_look_at_a_sealed_item_leaves_no_answer_in_the_clear(sealed: SealedPlace) -> None:
    """A right one is the key, word for word."""
    people.ensure_person(sealed.ws, "rui", "researcher")
    sealed.seal()
    member = freeze.members_of(sealed.ws, SPLIT)[0]
    number, key = int(member.uid), str(member.content.payload["output"])
    missed = MissedItem(number, key, key, ("m", "n"))
    second_look.run_for_numbers(sealed.ws, "second_look", [number], LEAD, f"not “{key}”?", [missed])
    (request,) = second_look.requests(sealed.ws, viewer=LEAD)
    assert (request.note, request.answer) == (f"not “{key}”?", key)
    found = blind_looks.look(sealed.ws, number, "rui", text=key)
    assert (found.given, found.agrees, found.answer) == (key, "key", key)
    assert sealed.found() == []
    item_keys.lock(sealed.ws, SPLIT)
    with sealed.ws.reading() as session:
        told = [event.data for event in ledger.of_item(session, number)]
    assert [data["note"] for data in told if "models" in data] == [HIDDEN]
