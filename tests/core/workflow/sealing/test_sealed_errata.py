"""Errata beside a locked archive: written by who sealed it, checked without an item."""

import json
from pathlib import Path

import pyrage
import pytest

from core.cli import main
from core.errors import RightsError, StateError
from core.sealing.archive import Locks, Unlocking
from core.workflow import people
from core.workflow.evaluation import errata
from core.workflow.sealing import locked_archives, sealed_errata
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import freeze, item_keys
from core.workflow.verify.checks import verify
from tests.splits import freeze_split, varied

LEAD = "boss"
IDENTITY = pyrage.x25519.Identity.generate()
KEY = Unlocking((str(IDENTITY),))


@pytest.fixture
def sealed(ws, tmp_path):
    people.ensure_person(ws, LEAD, "lead")
    people.ensure_person(ws, "li", "specialist")
    freeze_split(ws, {"scp": [varied(n) for n in range(5)]})
    locks = Locks((str(IDENTITY.to_public()),))
    locked_archives.seal(ws, "s", LEAD, SealOrder(tmp_path / "s.sealed", locks))
    return ws


def found(ws, tmp_path):
    path, file = tmp_path / "s.sealed", tmp_path / "errata.json"
    checked = locked_archives.verify(path)
    return locked_archives.verify_errata(path, file, checked)


def test_the_errata_of_an_archive_are_its_own_items_and_name_none(sealed, tmp_path):
    members = freeze.members_of(sealed, "s")
    wrong = [int(members[3].uid), int(members[1].uid)]
    errata.declare(sealed, wrong, LEAD, "two keys fit")
    with pytest.raises(StateError, match="encrypted"):
        sealed_errata.write_errata(sealed, "s", tmp_path / "errata.json", LEAD)
    written = sealed_errata.write_errata(sealed, "s", tmp_path / "errata.json", LEAD, KEY)
    assert written.errata == 2
    checked = found(sealed, tmp_path)
    assert checked.differences == ()
    assert [(one.place, one.reason) for one in checked.errata] == [
        (1, "two keys fit"), (3, "two keys fit"),
    ]  # fmt: skip
    text = (tmp_path / "errata.json").read_text(encoding="utf-8")
    with item_keys.using_key(item_keys.key_from(sealed, "s", KEY)):
        for member in freeze.members_of(sealed, "s"):
            assert member.content.content_hash not in text
    assert verify(sealed).sound
    errata.withdraw(sealed, wrong[:1], LEAD, "it was right")
    written = sealed_errata.write_errata(sealed, "s", tmp_path / "errata.json", LEAD, KEY)
    assert written.errata == 1


def test_who_may_not_seal_signs_no_errata_and_without_an_archive_there_are_none(sealed, tmp_path):
    with pytest.raises(RightsError):
        sealed_errata.write_errata(sealed, "s", tmp_path / "e.json", "li")
    freeze_split(sealed, {"scp": [varied(n) for n in range(6, 8)]}, "t", "other")
    with pytest.raises(StateError, match="No locked archive"):
        sealed_errata.write_errata(sealed, "t", tmp_path / "e.json", LEAD)
    assert not (tmp_path / "e.json").exists()


def test_the_commands_write_and_check_them(sqlite_ws, tmp_path, capsys):
    ws = sqlite_ws
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(3)]})
    locks = Locks((str(IDENTITY.to_public()),))
    locked_archives.seal(ws, "s", LEAD, SealOrder(tmp_path / "s.sealed", locks))
    key = tmp_path / "key.txt"
    key.write_text(f"{IDENTITY}\n", encoding="utf-8")
    first = freeze.members_of(ws, "s")[0]
    errata.declare(ws, [int(first.uid)], LEAD, "the key is wrong")
    file, archive = str(tmp_path / "errata.json"), str(tmp_path / "s.sealed")
    place = ["--workspace", str(ws.place.folder)]
    assert main([*place, "split", "errata", "s", "--out", file]) == 1
    assert "encrypted in the workspace" in capsys.readouterr().err
    assert main([*place, "split", "errata", "s", "--out", file, "--identity", str(key)]) == 0
    assert "Wrote 1 erratum" in capsys.readouterr().out
    assert main(["verify", "--archive", archive, "--errata", file]) == 0
    assert "the key is wrong" in capsys.readouterr().out
    changed = json.loads(Path(file).read_text(encoding="utf-8"))
    changed["body"]["errata"] = []
    Path(file).write_text(json.dumps(changed), encoding="utf-8")
    assert main(["verify", "--archive", archive, "--errata", file]) == 1
    assert main(["verify", "--errata", file]) == 2
