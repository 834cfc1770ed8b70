"""What is locked may lie in a storage: it is ciphertext there, and whoever pulls it has no key."""

import base64
import json
from pathlib import Path

import pytest

from core.cli import main
from core.errors import StateError
from core.evaluation.run import EvaluateParams
from core.release.formats.base import DATA_FOLDER
from core.workflow.analysis.exposures import exposures
from core.workflow.evaluation import start
from core.workflow.runs import run_storage, runs
from core.workflow.sealing import locked_archives, release_storage
from core.workflow.splits import exports
from core.workflow.verify.checks import verify
from db import ledger
from db.vocabulary import EventKind
from tests.sealed.conftest import LEAD, SEARCH, SPLIT, SealedPlace
from tests.sealed.private_items import COUNT
from tests.servers.model_server import LoopbackModel, asked_text
from tests.servers.object_storage import have_fsspec

pytestmark = pytest.mark.slow


def test_a_plain_run_is_found_there_and_a_locked_one_is_not(
    sealed: SealedPlace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    have_fsspec(monkeypatch)
    ws, place = sealed.ws, tmp_path / "place"
    plain = start.prepare(ws, SPLIT, EvaluateParams(split=SPLIT, engine="baseline:random"),
                          person=LEAD).spec().id  # fmt: skip
    run_storage.push(ws, plain, f"file://{place}/plain", LEAD)
    assert SEARCH.folders(place)  # what would be found
    sealed.seal()
    with LoopbackModel(answer=asked_text) as model:  # says the question again
        params = EvaluateParams(split=SPLIT, engine="openai", model="m", base_url=model.url,
                                mode="chat")  # fmt: skip
        run = start.start(ws, SPLIT, params, person=LEAD).spec().id
        assert runs.wait(ws, run, 120).state == "finished"
    ws.person = LEAD
    before = exposures(ws, SPLIT)
    run_storage.push(ws, run, f"file://{place}/locked", LEAD)
    assert main(["run", "pull", run, f"file://{place}/locked", "--out", str(tmp_path / "o")]) == 0
    (tmp_path / "said.txt").write_text("".join(capsys.readouterr()), encoding="utf-8")
    assert len(list((tmp_path / "o" / run).glob("*.jsonl"))) == 2
    key = runs.folder_of(ws, run).key()
    spelled = (key, key.hex().encode(), key.hex().upper().encode(), base64.b64encode(key))
    for folder in (place / "locked", tmp_path / "o"):
        assert SEARCH.folders(folder) == []
        written = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
        assert not any(spelling in written for spelling in spelled)
    assert exposures(ws, SPLIT) == before  # no text came out
    with ws.reading() as session:
        told = [event.data for event in ledger.of_subject(session, EventKind.RUN, run)]
    assert {"pushed": f"file://{place}/locked@"} in told
    assert json.loads((tmp_path / "o" / run / "spec.json").read_text())["locked"] is True


def test_a_plain_export_is_found_there_and_what_is_locked_is_not(
    sealed: SealedPlace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    have_fsspec(monkeypatch)
    ws, place, plain = sealed.ws, tmp_path / "place", tmp_path / "plain"
    exports.export(ws, SPLIT, "lm-eval", plain, person=LEAD)
    release_storage.push(ws, plain, f"file://{place}/plain", LEAD)
    assert SEARCH.folders(place)  # what would be found
    sealed.seal()
    with pytest.raises(StateError, match="only a locked export"):
        release_storage.push(ws, plain, f"file://{place}/again", LEAD)
    report = exports.export(ws, SPLIT, "lm-eval", tmp_path / "locked", person=LEAD, locked=True)
    before = exposures(ws, SPLIT)
    ws.person = LEAD
    release_storage.push(ws, tmp_path / "locked", f"file://{place}/locked", LEAD)
    release_storage.push(ws, tmp_path / "s.sealed", f"file://{place}/archives", LEAD)
    ws.person = ""
    assert exposures(ws, SPLIT) == before  # no text came out
    assert main(["split", "pull", f"file://{place}/locked", "--out", str(tmp_path / "l")]) == 0
    assert "The items are locked" in capsys.readouterr().out
    archive = tmp_path / "brought.sealed"
    address = f"file://{place}/archives/s.sealed"
    assert main(["split", "pull", address, "--out", str(archive)]) == 0
    assert archive.read_bytes() == (tmp_path / "s.sealed").read_bytes()
    assert locked_archives.unseal(archive, sealed.unlocking).manifest["items"] == COUNT
    assert list((tmp_path / "l" / DATA_FOLDER).iterdir())
    key = bytes.fromhex(report.key)
    spelled = (key, key.hex().encode(), key.hex().upper().encode(), base64.b64encode(key))
    for folder in (place / "locked", place / "archives", tmp_path / "l"):
        assert SEARCH.folders(folder) == []
        written = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
        assert not any(spelling in written for spelling in spelled)
    with ws.reading() as session:
        told = [event.data for event in ledger.events_about(session, (EventKind.READING,), SPLIT)]
    put = [one["for"] for one in told if one["act"] == "storage" and "locked" in one]
    assert put == [f"file://{place}/{name}@" for name in ("locked", "archives")]
    assert verify(ws).sound


def test_an_archive_that_was_changed_on_the_way_is_not_left_here(
    sealed: SealedPlace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    have_fsspec(monkeypatch)
    sealed.seal()
    place = tmp_path / "place"
    release_storage.push(sealed.ws, tmp_path / "s.sealed", f"file://{place}", LEAD)
    stored = place / "s.sealed"
    stored.write_bytes(stored.read_bytes()[:-4000])
    asked = ["split", "pull", f"file://{stored}", "--out", str(tmp_path / "here")]
    assert main(asked) == 1
    assert "is not a locked archive as it was signed" in capsys.readouterr().err
    assert not (tmp_path / "here").exists()
