"""Locked exports: nothing of the items in their folders, and nothing after real harnesses ran."""

import json
import os
import subprocess

import pytest

from core.errors import InputError, StateError
from core.release.locked_export import KEY_VARIABLE, head_of, opened_rows
from core.workflow.evaluation import import_results
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.splits import exports, lifecycle, openings
from core.workflow.verify.checks import verify
from db import ledger
from db.vocabulary import EventKind
from tests.sealed.conftest import LEAD, SEARCH, SPLIT
from tests.sealed.private_items import COUNT, ITEMS
from tests.servers.model_server import LoopbackModel, asked_text
from tests.side_environments import python_of

FORMATS = ("lm-eval", "inspect")


def export(place, form, **more):
    return exports.export(place.ws, SPLIT, form, place.root / form, person=LEAD, **more)


def told(place):
    with place.ws.reading() as session:
        return [event.data for event in ledger.of_subject(session, EventKind.SPLIT, SPLIT)
                if "exported" in event.data]  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_a_locked_folder_holds_ciphertext_and_its_key_is_in_no_file(sealed, form):
    sealed.seal()
    report = export(sealed, form, locked=True)
    assert sealed.found() == []
    key = report.key
    assert len(bytes.fromhex(key)) == 32
    folder = sealed.root / form
    assert not [path for path in folder.rglob("*")
                if path.is_file() and key in path.read_text("utf-8")]  # fmt: skip
    (data,) = folder.glob("data/*.locked")
    rows = list(opened_rows(data, bytes.fromhex(key)))
    assert len(rows) == COUNT
    assert ITEMS[0].payload["input"] in json.dumps(rows, ensure_ascii=False)
    (event,) = told(sealed)
    assert event["locked"] == head_of(data)["export"]
    assert "plain" not in event
    for path in folder.rglob("*"):
        if path.suffix in (".md", ".txt", ".locked") or path.name == "run.py":
            assert "Canary" in path.read_text(encoding="utf-8"), path
    assert verify(sealed.ws).sound


def test_each_export_has_a_key_of_its_own(sealed):
    sealed.seal()
    first = export(sealed, "lm-eval", locked=True).key
    again = export(sealed, "lm-eval", locked=True).key
    assert len({first, again, export(sealed, "inspect", locked=True).key}) == 3


def test_what_cannot_be_locked_says_so(sealed):
    with pytest.raises(StateError, match="not open"):
        export(sealed, "lm-eval", locked=True)
    sealed.seal()
    with pytest.raises(InputError, match="can be locked"):
        export(sealed, "jsonl", locked=True)
    assert not (sealed.root / "jsonl").exists()
    assert not (sealed.root / "lm-eval").exists()


def test_a_split_that_is_used_once_is_exported_in_no_way(sealed):
    sealed.seal(openings.ONCE)
    for more in ({"locked": True}, {"plain": "because"}):
        with pytest.raises(StateError, match="not exported"):
            export(sealed, "lm-eval", **more)


def test_a_plain_export_of_a_sealed_split_needs_a_reason_that_the_ledger_keeps(sealed):
    export(sealed, "jsonl")
    sealed.seal()
    for reason in ("", "  "):
        with pytest.raises(InputError, match="--plain"):
            export(sealed, "lm-eval", plain=reason)
    assert not (sealed.root / "lm-eval").exists()
    export(sealed, "lm-eval", plain=" our auditor reads it ")
    assert told(sealed)[-1]["plain"] == "our auditor reads it"
    assert sealed.found()
    lifecycle.expire(sealed.ws, SPLIT, LEAD, "", sealed.unlocking)
    export(sealed, "inspect")


def answer(body):
    """The reference of a third of the items, and the question again otherwise."""
    said = asked_text(body)
    number = int(said.split("item-")[1].split(":")[0])
    return ITEMS[number].payload["output"] if number % 3 == 0 else said


def run(place, form, *arguments, key="", typed=""):
    """The runner of a locked export, started by the harness's own Python, with files of every kind
    in the place."""
    cache = place.root / "cache"
    environment = {
        **os.environ, "XDG_CACHE_HOME": str(cache), "HF_HOME": str(cache / "hf"),
        "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OPENAI_API_KEY": "none",
        **({KEY_VARIABLE: key} if key else {}),
    }  # fmt: skip
    return subprocess.run(
        [str(python_of(form)), *arguments], env=environment, capture_output=True, text=True,
        cwd=place.root, input=typed, check=False,
    )  # fmt: skip


def started(place, form, url):
    folder = place.root / form
    command = {
        "lm-eval": ["--model", "local-completions", "--model_args",
                    f"model=m,base_url={url}/completions,tokenizer_backend=none,"
                    "tokenized_requests=False,num_concurrent=4"],
        "inspect": ["--model", "openai-api/local/m", "--model_base_url", url],
    }[form]  # fmt: skip
    return [str(folder / "run.py"), *command, "--out", str(place.root / "out")]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_the_real_harness_runs_it_leaves_nothing_and_is_taken_in(sealed, form, monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    sealed.seal()
    key = export(sealed, form, locked=True).key
    with LoopbackModel(answer=answer) as model:
        command = started(sealed, form, model.url)
        done = run(sealed, form, *command, key=key)
        assert done.returncode == 0, done.stderr[-3000:]
        asked = {asked_text(seen.body) for seen in model.seen}
    assert len(asked) == COUNT
    assert all(any(item.payload["input"] in text for text in asked) for item in ITEMS)
    assert [*sealed.found(), *SEARCH.folders(sealed.root / "cache")] == []
    printed = sealed.root / "printed"
    printed.write_text(done.stdout + done.stderr, encoding="utf-8")
    assert SEARCH.file(printed) == []
    results = next((sealed.root / "out").glob("results_*.json"))
    assert "Canary" in results.read_text(encoding="utf-8")
    imported = import_results.take_in(sealed.ws, sealed.root / "out", SPLIT, model="m",
                                      person=LEAD)  # fmt: skip
    assert (imported.answers, imported.unmatched, imported.damaged) == (COUNT, 0, 0)
    assert report_taken_in(sealed.ws, imported.run).total.n == COUNT
    assert imported.differing == ()
    assert sealed.found() == []


@pytest.mark.slow
def test_the_key_may_be_typed_and_lm_evals_own_program_is_refused(sealed):
    sealed.seal()
    key = export(sealed, "lm-eval", locked=True).key
    with LoopbackModel(answer=answer) as model:
        command = started(sealed, "lm-eval", model.url)
        assert run(sealed, "lm-eval", *command).returncode != 0
        wrong = run(sealed, "lm-eval", *command, typed="00" * 32 + "\n")
        assert wrong.returncode != 0
        assert "the key is another one" in wrong.stderr
        own = ["-m", "lm_eval", "run", "--model", "local-completions", *command[3:5],
               "--include_path", str(sealed.root / "lm-eval"), "--tasks", SPLIT]  # fmt: skip
        refused = run(sealed, "lm-eval", *own, key=key)
        assert refused.returncode != 0
        assert "run.py" in refused.stderr
        assert not model.seen
        done = run(sealed, "lm-eval", *command, typed=key + "\n")
        assert done.returncode == 0, done.stderr[-3000:]
    assert sealed.found() == []
