"""A locked run in a storage is ciphertext there, and whoever pulls it has no key."""

import base64
import json
from pathlib import Path

import pytest

from core.cli import main
from core.evaluation.run import EvaluateParams
from core.workflow.analysis.exposures import exposures
from core.workflow.evaluation import start
from core.workflow.runs import run_storage, runs
from db import ledger
from db.vocabulary import EventKind
from tests.sealed.conftest import LEAD, SEARCH, SPLIT, SealedPlace
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
