"""A pack for a neutral evaluator: what runs it has no workspace, and gives away a signed score."""

import json
import random
from pathlib import Path

import pyrage
import pytest

from core.cli import main
from core.errors import InputError, OutsideError, StateError
from core.evaluation.params import EvaluateParams
from core.files import canonical_bytes
from core.llm.keys import allowed_servers
from core.sealing import archive
from core.sealing.archive import Locks, Unlocking
from core.sealing.commitments import CommittedRow
from core.sealing.signing import signer_at
from core.workflow.evaluation import score_run, start
from core.workflow.runs import runs
from core.workflow.sealing import locked_archives, neutral_evaluation, packs, score_records
from core.workflow.sealing.neutral_evaluation import NeutralOrder
from core.workflow.sealing.packs import PackOrder
from core.workflow.splits import lifecycle, openings
from tests.sealed.conftest import LEAD, SPLIT, SealedPlace
from tests.sealed.private_items import COUNT, ITEMS
from tests.servers.model_server import LoopbackModel, asked_text

IDENTITY = pyrage.x25519.Identity.generate()
KEY = Unlocking((str(IDENTITY),))
LOCKS = Locks((str(IDENTITY.to_public()),))
CHAT = EvaluateParams(split=SPLIT, engine="openai", mode="chat")


def knowing(body):
    """Answers every second item rightly, and repeats the question of the others."""
    said = asked_text(body)
    number = int(said.split("item-")[1].split(":")[0])
    return ITEMS[number].payload["output"] if number % 2 else said


def packed(place: SealedPlace, **more: object) -> Path:
    out = place.root / "s.pack"
    order = PackOrder(out, LOCKS, **{"params": CHAT, "models": ("m",), **more})  # type: ignore[arg-type]  # fields by name
    packs.write(place.ws, SPLIT, LEAD, order)
    return out


def order_for(place: SealedPlace, url: str, **more: str) -> NeutralOrder:
    return NeutralOrder(place.root / "score.json", "m", url, **more)  # type: ignore[arg-type]  # fields by name


def test_the_score_is_that_of_the_workspace_and_no_word_of_an_item_leaves(sealed) -> None:
    sealed.seal()
    pack = packed(sealed)
    with LoopbackModel(answer=knowing) as model:
        params = CHAT.model_copy(update={"model": "m", "base_url": model.url})
        run = start.start(sealed.ws, SPLIT, params).spec().id
        assert runs.wait(sealed.ws, run, 120).state == "finished"
        own = score_run.report(sealed.ws, run).total
        written = neutral_evaluation.evaluate(pack, KEY, order_for(sealed, model.url))
        assert len(model.seen) == 2 * COUNT
    assert (written.score, written.items) == (own.accuracy, COUNT)
    assert sealed.found() == []
    root = locked_archives.verify(pack).manifest["root"]
    checked = score_records.verify(sealed.root / "score.json", written.key_id, root)
    assert checked.sound
    body = checked.body
    assert (body["score"]["mean"], body["results"]["shown"]) == (own.accuracy, [])
    assert body["results"]["withheld"] == COUNT
    assert body["evaluation"]["model_info"]["id"] == "m"
    assert lifecycle.split_life(sealed.ws, SPLIT).readings[0].purpose == "pack"


def refused(body):
    """An error that quotes the question, as many servers' do."""
    return {"status": 422, "body": {"detail": [{"msg": asked_text(body), "input": body}]}}


def choosing(body):
    """Answers what it knows, and lets all other requests fail."""
    said = knowing(body)
    return refused(body) if said == asked_text(body) else said


@pytest.mark.parametrize(
    ("answer", "failed"), [(refused, COUNT), (choosing, COUNT // 2)], ids=["all", "some"]
)
def test_who_answers_does_not_choose_what_is_scored(
    sealed, capfd, monkeypatch, answer, failed
) -> None:
    sealed.seal()
    pack, key, score = packed(sealed), sealed.root / "key", sealed.root / "score.json"
    key.write_text(f"{IDENTITY}\n", encoding="utf-8")
    monkeypatch.chdir(sealed.root / "temporary")
    with LoopbackModel(answer=answer) as model:
        words = ["evaluate-pack", str(pack), "--out", str(score), "--model", "m", "--identity",
                 str(key), "--base-url", model.url]  # fmt: skip
        assert main(words) == 3
    said = capfd.readouterr()
    assert f"{failed} of {COUNT} items" in said.err
    assert "HTTP 422" in said.err
    (sealed.root / "said.txt").write_text(said.out + said.err, encoding="utf-8")
    assert sealed.found() == []
    assert not score.exists()


def test_a_server_that_refuses_everything_is_told_of_without_its_words(sealed, capfd) -> None:
    """From so many refusals in a row on the engine itself breaks off."""
    sealed.seal()
    pack = packed(sealed)
    down = {"status": 401, "body": {"error": {"message": ITEMS[0].payload["input"]}}}
    with LoopbackModel(answer=lambda _: down) as model, pytest.raises(OutsideError) as caught:
        neutral_evaluation.evaluate(pack, KEY, order_for(sealed, model.url))
    (sealed.root / "said.txt").write_text(str(caught.value), encoding="utf-8")
    assert sealed.found() == []


def test_who_has_another_key_or_another_root_in_mind_gets_no_score(sealed) -> None:
    sealed.seal()
    pack = packed(sealed)
    with LoopbackModel(answer=knowing) as model:
        for unlocking, more in (
            (Unlocking((str(pyrage.x25519.Identity.generate()),)), {}),
            (Unlocking(), {}),
            (KEY, {"expected_root": "0" * 64}),
            (KEY, {"expected_key": "0" * 64}),
        ):
            with pytest.raises(InputError):
                neutral_evaluation.evaluate(pack, unlocking, order_for(sealed, model.url, **more))
        assert not model.seen
    assert not (sealed.root / "score.json").exists()


def test_only_the_models_and_servers_that_it_names_are_asked(sealed) -> None:
    sealed.seal()
    pack = packed(sealed)
    other = NeutralOrder(sealed.root / "score.json", "other", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="models m"):
        neutral_evaluation.evaluate(pack, KEY, other)
    far = NeutralOrder(sealed.root / "score.json", "m", "https://models.example.org/v1")
    with pytest.raises(InputError, match="other computers"):
        neutral_evaluation.evaluate(pack, KEY, far)
    plain = sealed.root / "s.sealed"
    with pytest.raises(InputError, match="not a pack"):
        neutral_evaluation.evaluate(plain, sealed.unlocking, other)


def test_a_server_that_the_pack_forbids_is_not_remembered_as_allowed(sealed, capfd) -> None:
    sealed.seal()
    key, score = sealed.root / "key", sealed.root / "score.json"
    key.write_text(f"{IDENTITY}\n", encoding="utf-8")
    words = ["evaluate-pack", str(packed(sealed)), "--out", str(score), "--model", "m",
             "--identity", str(key), "--base-url", "http://192.0.2.1/v1"]  # fmt: skip
    assert main(words) == 1
    said = "".join(capfd.readouterr())
    assert "other computers" in said
    assert "Remembered" not in said
    assert allowed_servers() == ()


def test_no_changed_pack_is_run(sealed) -> None:
    sealed.seal()
    pack = packed(sealed)
    content, draw = pack.read_bytes(), random.Random(8)
    for _ in range(100):
        changed = bytearray(content)
        changed[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        pack.write_bytes(changed)
        with pytest.raises(InputError):
            neutral_evaluation.evaluate(pack, KEY, order_for(sealed, "http://127.0.0.1:9"))


TERMS = {"version": 1, "settings": {"engine": "baseline:random"}, "models": [], "offline": True}
ROW = {"position": 0, "uid": "1", "revision": 1, **ITEMS[0].as_json()}


@pytest.mark.parametrize(
    ("odd", "row"),
    [
        (None, ROW),
        ({**TERMS, "version": 2}, ROW),
        ({**TERMS, "settings": [[]]}, ROW),
        ({**TERMS, "settings": {}}, ROW),
        ({**TERMS, "settings": {"engine": "openai", "temperature": -5}}, ROW),
        ({**TERMS, "settings": {"engine": "vllm", "engine_args": {"trust_remote_code": 1}}}, ROW),
        ({**TERMS, "models": True}, ROW),
        ({**TERMS, "offline": "no"}, ROW),
        (TERMS, {"uid": "1"}),
        (TERMS, []),
    ],
    ids=str,
)
def test_a_strangers_pack_of_odd_terms_is_refused_in_a_sentence(tmp_path, odd, row) -> None:
    path = tmp_path / "odd.pack"
    facts = {"split": "s", "split_digest": "0" * 64, packs.FIELD: odd}
    signer = signer_at(tmp_path / "stranger.pem")
    with path.open("w+b") as out:
        archive.write(
            out, [CommittedRow.of("1", canonical_bytes(row))], facts, LOCKS, signer, bytes(32)
        )
    with pytest.raises(InputError):
        neutral_evaluation.evaluate(path, KEY, NeutralOrder(tmp_path / "score.json", "m"))
    assert not (tmp_path / "score.json").exists()


def test_what_is_sealed_or_under_a_policy_is_not_packed(sealed) -> None:
    sealed.lock_up(LOCKS)
    with pytest.raises(StateError):
        packed(sealed)
    lifecycle.open_split(sealed.ws, SPLIT, LEAD, "July", "m", KEY)
    with pytest.raises(InputError, match="once"):
        packed(sealed, params=CHAT.model_copy(update={"orders": 2}))
    assert packed(sealed).exists()
    with pytest.raises(InputError, match="there already"):
        packed(sealed)


def test_a_split_for_one_evaluation_each_is_packed_by_nobody(sealed) -> None:
    sealed.seal(openings.ONCE)
    with pytest.raises(StateError, match="until it expires"):
        packed(sealed)
    assert not (sealed.root / "s.pack").exists()


def test_the_commands_pack_run_and_check(sealed, capsys, monkeypatch) -> None:
    sealed.seal()
    sealed.ws.close()
    key, pack, score = (str(sealed.root / name) for name in ("key", "p.pack", "e.json"))
    Path(key).write_text(f"{IDENTITY}\n", encoding="utf-8")
    place = ["--workspace", str(sealed.root / "workspace")]
    words = ["pack", SPLIT, "--out", pack, "--engine", "openai", "--mode", "chat", "--model", "m",
             "--recipient", LOCKS.recipients[0], "--user", LEAD, "--json"]  # fmt: skip
    assert main([*place, *words]) == 0
    root = json.loads(capsys.readouterr().out)["root"]
    assert main([*place, "split", "status", SPLIT]) == 0
    assert "Their key is on this computer" in capsys.readouterr().out
    assert main([*place, "split", "lock", SPLIT]) == 0
    assert main([*place, "split", "status", SPLIT]) == 0
    assert "Their key is not on this computer" in capsys.readouterr().out
    monkeypatch.chdir(sealed.root / "temporary")  # no workspace there
    with LoopbackModel(answer=knowing) as model:
        words = ["evaluate-pack", pack, "--out", score, "--model", "m", "--base-url", model.url,
                 "--identity", key, "--root", root]  # fmt: skip
        assert main(words) == 0
    capsys.readouterr()
    assert main(["verify-score", score, "--root", root]) == 0
    assert "m: 0.5" in capsys.readouterr().out
