"""Locked archives of splits: who may write them, what the ledger tells, and what they tell."""

import json
from dataclasses import replace

import pyrage
import pytest
from sqlalchemy import text

from core.errors import InputError, RightsError, StateError
from core.sealing.archive import Locks, Unlocking
from core.sealing.custodians import CustodyRule, read_share
from core.workflow import people
from core.workflow.items import search
from core.workflow.sealing import locked_archives, neutral_evaluation
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.sealing.neutral_evaluation import NeutralOrder
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from db.tables import METADATA
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items

PASSPHRASE = "correct horse battery staple"


@pytest.fixture
def frozen(ws):
    """A workspace with a frozen split ``s1`` of three items, a lead and a specialist."""
    make_task(ws)
    people.ensure_person(ws, "王", "lead")
    people.ensure_person(ws, "li", "specialist")
    accept_all(ws, write_items(ws, 3), "li")
    freeze.freeze(ws, "s1", BENCHMARK, "王")
    return ws


@pytest.fixture
def identity():
    return pyrage.x25519.Identity.generate()


@pytest.fixture
def order(tmp_path, identity):
    locks = Locks((str(identity.to_public()),))
    return SealOrder(tmp_path / "s1.sealed", locks, None, "2026-07/2026-12", "2026-07-01")


def test_sealing_writes_one_file_and_the_ledger_tells_of_it(frozen, order, identity, tmp_path):
    plain = (frozen.releases / "s1" / "items.jsonl").read_bytes()
    locked = locked_archives.seal(frozen, "s1", "王", order)
    life = lifecycle.split_life(frozen, "s1")
    assert life.state == "sealed"
    (note,) = life.archives
    assert (note.person, note.sha256, note.root) == ("王", locked.sha256, locked.root)
    assert (note.recipients, note.passphrase, note.custodians) == (1, False, "")
    assert locked_archives.known_archives(frozen) == {locked.sha256: "s1"}
    out = tmp_path / "items.jsonl"
    checked = locked_archives.unseal(order.out, Unlocking((str(identity),)), out)
    assert checked.sound
    assert out.read_bytes() == plain
    assert out.stat().st_mode & 0o777 == 0o600
    assert verify(frozen).sound


def test_the_manifest_says_how_the_split_was_made_and_names_no_item(frozen, order):
    hashes = [item.content.content_hash for item in freeze.members_of(frozen, "s1")]
    locked_archives.seal(frozen, "s1", "王", order)
    manifest = locked_archives.verify(order.out).manifest
    assert (manifest["split"], manifest["items"], manifest["period"], manifest["model_cutoff"]) == (
        "s1", 3, "2026-07/2026-12", "2026-07-01",
    )  # fmt: skip
    assert manifest["split_digest"] == freeze.info(frozen, "s1").manifest_hash
    assert manifest["tasks"]["titles"]["protocol"]["overlap"] == 1
    assert {one["name"] for one in manifest["agreement"]} >= {"fleiss_kappa", "percent"}
    assert "Canary" in manifest["canary"]
    text = json.dumps(manifest, ensure_ascii=False)
    assert "远足" not in text
    for digest in hashes:
        assert digest not in text


def test_an_archive_can_be_written_again_and_is_the_same_in_the_clear(
    frozen, order, identity, tmp_path
):
    first = locked_archives.seal(frozen, "s1", "王", order)
    unlocking = Unlocking((str(identity),))
    with pytest.raises(StateError, match="encrypted"):
        locked_archives.seal(frozen, "s1", "王", replace(order, out=tmp_path / "no.sealed"))
    again = replace(order, out=tmp_path / "again.sealed", unlocking=unlocking)
    second = locked_archives.seal(frozen, "s1", "王", again)
    assert (first.root, first.key_id) == (second.root, second.key_id)
    assert locked_archives.verify(order.out).manifest == locked_archives.verify(again.out).manifest
    assert lifecycle.split_life(frozen, "s1").state == "sealed"
    lifecycle.open_split(frozen, "s1", "王", "evaluation", "", unlocking)
    locked_archives.seal(frozen, "s1", "王", replace(order, out=tmp_path / "third.sealed"))
    assert lifecycle.split_life(frozen, "s1").state == "opened"
    assert len(lifecycle.split_life(frozen, "s1").archives) == 3


def _outputs(ws):
    return [str(item.content.payload["output"]) for item in freeze.members_of(ws, "s1")]


def _stored(ws):
    """Everything in the tables as it is stored, but the ledger, and what the search knows."""
    names = [table.name for table in METADATA.sorted_tables if table.name != "event"]
    names += ["search_text"] if ws.is_server else []
    with ws.reading() as session:
        return "\n".join(
            str(row) for name in names for row in session.execute(text(f"SELECT * FROM {name}"))
        )


def test_the_rows_are_ciphertext_until_the_end_and_then_found_again(frozen, order, identity):
    texts = _outputs(frozen)
    assert all(one in _stored(frozen) for one in texts)
    assert locked_archives.seal(frozen, "s1", "王", order).encrypted
    stored = _stored(frozen)
    assert not any(one in stored or ascii(one)[1:-1] in stored for one in texts)
    assert search.numbers(frozen, search.Filters(words=texts[0][:12]), viewer="王") == []
    assert verify(frozen).sound
    unlocking = Unlocking((str(identity),))
    lifecycle.open_split(frozen, "s1", "王", "July", "", unlocking)
    assert not any(one in _stored(frozen) for one in texts)
    assert _outputs(frozen) == texts
    lifecycle.expire(frozen, "s1", "王")
    assert all(one in _stored(frozen) for one in texts)
    assert search.numbers(frozen, search.Filters(words=texts[0][:12]), viewer="王")
    assert verify(frozen).sound


def test_custodians_get_their_shares_and_open_it_together(frozen, tmp_path):
    order = SealOrder(tmp_path / "c.sealed", Locks(custody=CustodyRule(2, 3)), tmp_path / "shares")
    locked = locked_archives.seal(frozen, "s1", "王", order)
    shares = [read_share(path) for path in map(type(tmp_path), locked.shares)]
    assert all((path.stat().st_mode & 0o777) == 0o600 for path in (tmp_path / "shares").iterdir())
    assert locked_archives.unseal(order.out, Unlocking(shares=tuple(shares[:2]))).sound
    with pytest.raises(InputError, match="opens with the shares of 2"):
        locked_archives.unseal(order.out, Unlocking(shares=tuple(shares[:1])))


def test_who_may_not_seal_writes_nothing(frozen, order):
    with pytest.raises(RightsError):
        locked_archives.seal(frozen, "s1", "li", order)
    assert not order.out.exists()
    assert not (frozen.place.folder / "keys").exists()
    assert lifecycle.split_life(frozen, "s1").state == "frozen"


def test_what_cannot_be_written_leaves_nothing_and_seals_nothing(frozen, order, tmp_path):
    order.out.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="there already"):
        locked_archives.seal(frozen, "s1", "王", order)
    assert order.out.read_text(encoding="utf-8") == "mine"
    for wrong in (
        replace(order, out=tmp_path / "no" / "s1.sealed"),
        replace(order, out=tmp_path / "x", locks=Locks()),
        replace(order, out=tmp_path / "x", cutoff="soon"),
        replace(order, out=tmp_path / "x", shares=tmp_path / "shares"),
        replace(order, out=tmp_path / "x", locks=Locks(custody=CustodyRule(2, 3))),
    ):
        with pytest.raises(InputError):
            locked_archives.seal(frozen, "s1", "王", wrong)
    assert not (tmp_path / "x").exists()
    assert not list(tmp_path.glob(".*tmp"))
    assert lifecycle.split_life(frozen, "s1").state == "frozen"


def test_a_changed_split_is_not_sealed(frozen, order):
    path = frozen.releases / "s1" / "items.jsonl"
    content = path.read_bytes()
    path.write_bytes(content.replace("远足".encode(), "远行".encode()))
    with pytest.raises(StateError, match="changed since it was frozen"):
        locked_archives.seal(frozen, "s1", "王", order)
    path.write_bytes(content)
    assert not order.out.exists()
    assert not list(order.out.parent.glob(".*tmp"))
    locked_archives.seal(frozen, "s1", "王", order)


def test_an_expired_split_needs_no_lock(frozen, order):
    lifecycle.expire(frozen, "s1", "王")
    with pytest.raises(StateError, match="public"):
        locked_archives.seal(frozen, "s1", "王", order)


@pytest.mark.parametrize("content", [b"", b"hello\n", bytes(3000), b"PK\x03\x04" + bytes(900)])
def test_a_file_that_is_no_archive_is_called_so_in_one_sentence(content, tmp_path):
    path = tmp_path / "other"
    path.write_bytes(content)
    for read in (
        lambda: locked_archives.verify(path),
        lambda: locked_archives.unseal(path, Unlocking()),
        lambda: neutral_evaluation.evaluate(path, Unlocking(), NeutralOrder(tmp_path / "o")),
    ):
        with pytest.raises(InputError, match="is not a locked archive of a split"):
            read()


def test_a_changed_archive_is_not_opened(frozen, order, identity, tmp_path):
    locked_archives.seal(frozen, "s1", "王", order)
    content = bytearray(order.out.read_bytes())
    content[700] ^= 1
    order.out.write_bytes(content)
    out = tmp_path / "items.jsonl"
    checked = locked_archives.unseal(order.out, Unlocking((str(identity),)), out)
    assert [one.subject for one in checked.differences] == ["items.age"]
    assert not out.exists()
    assert not list(tmp_path.glob(".*tmp"))
