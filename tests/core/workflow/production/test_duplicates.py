"""Near-duplicates by meaning: where a server of embeddings is configured, and only there."""

import json

import pyrage
import pytest

from core.cli import main
from core.errors import InputError, OutsideError
from core.llm.types import ModelServer
from core.sealing.archive import Locks
from core.workflow import people
from core.workflow.analysis import organisations
from core.workflow.analysis.exposures import exposures
from core.workflow.check import review
from core.workflow.production import duplicates, write
from core.workflow.production.duplicates import DuplicateWatch
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import freeze, lifecycle
from core.workflow.workspace import Workspace
from tests.postgres import PostgresServer
from tests.servers.model_server import LoopbackModel, Policy
from tests.workspaces import BENCHMARK, TASK, make_task, payload

LONG = "春天里全班同学去郊外远足，路上遇到了大雨，大家躲进一座旧庙，听老人讲了一个下午的故事"


@pytest.fixture
def model():
    with LoopbackModel(Policy(dimensions=512)) as opened:
        yield opened


@pytest.fixture
def asking():
    """A server of embeddings, and the texts that it was sent."""
    sent: list[str] = []

    def vector(text: str) -> list[float]:
        sent.append(text)
        return [float(len(text)), 1.0, float(ord(text[0]) % 7)]

    with LoopbackModel(vectors=vector) as opened:
        yield opened, sent


@pytest.fixture
def alike(ws):
    """Three items, of which the first two differ in a few letters."""
    make_task(ws, overlap=1)
    for text in (LONG, LONG + "。", "海边的灯塔每晚都亮着"):
        write.submit(ws, "ann", TASK, payload("x", input=text, output=text[:6]))
    return ws


def test_pairs_by_meaning_stand_beside_those_by_letters(alike, model):
    server = ModelServer(model.url, "embedder")
    plain = duplicates.find(alike, TASK, threshold=1.0)
    assert (plain.meant, plain.model) == ((), "")
    found = duplicates.find(alike, TASK, threshold=1.0, server=server, meaning_threshold=0.9)
    pairs = {(pair.left, pair.right) for pair in (*found.within, *found.meant)}
    assert pairs == {("1", "2")}
    assert found.model == "embedder"
    again = duplicates.find(alike, TASK, threshold=0.5, server=server, meaning_threshold=0.9)
    assert (len(again.within), again.meant) == (1, ())
    with pytest.raises(InputError):
        duplicates.find(alike, TASK, server=server, meaning_threshold=2)
    away = ModelServer("http://127.0.0.1:9", "e", retries=0)
    with pytest.raises(OutsideError):
        duplicates.find(alike, TASK, server=away)


def test_a_writer_is_warned_by_meaning_where_a_server_is_configured(alike, model, monkeypatch):
    different = LONG.replace("老人", "老者") + "\n" + LONG[:6]
    assert DuplicateWatch(alike, TASK).similar_to(different, threshold=1.0) == []
    monkeypatch.setenv("BENCHSEAL_EMBEDDINGS_URL", model.url)
    monkeypatch.setenv("BENCHSEAL_EMBEDDINGS_MODEL", "embedder")
    watch = DuplicateWatch(alike, TASK)
    found = watch.similar_to(different, threshold=1.0)
    assert 1 in {item.number for item in found}
    assert all(item.by_meaning for item in found)
    assert 1 not in {item.number for item in watch.similar_to(different, threshold=1.0, but=1)}


def test_a_server_that_is_away_never_stops_a_writer(alike):
    watch = DuplicateWatch(alike, TASK, server=ModelServer("http://127.0.0.1:9", "e"))
    assert {item.number for item in watch.similar_to(LONG, threshold=0.5)} == {1, 2}
    assert "127.0.0.1" in watch.trouble


def test_the_command_compares_by_meaning(alike, location, model, capsys):
    command = ["--workspace", location, "duplicates", TASK, "--threshold", "1", "--json"]
    assert (
        main([*command, "--base-url", model.url, "--model", "e", "--meaning-threshold", "0.9"]) == 0
    )
    shown = json.loads(capsys.readouterr().out)
    assert (shown["model"], len(shown["within"]) + len(shown["meant"])) == ("e", 1)


@pytest.fixture
def frozen(alike: Workspace) -> Workspace:
    """Two of the items are private ones of a frozen split."""
    people.ensure_person(alike, "boss", "lead")
    for number in (1, 3):
        review.decide(alike, "li", number, "accept")
    freeze.freeze(alike, "s", BENCHMARK, "boss")
    alike.person = "boss"
    return alike


def test_private_items_that_are_sent_to_be_compared_are_an_exposure(frozen, asking):
    model, sent = asking
    assert [one for one in exposures(frozen, "s") if one.kind == "model"] == []
    server = ModelServer(model.url, "embedder")
    duplicates.find(frozen, TASK, threshold=1.0, server=server)
    assert LONG in "".join(sent)
    found = [one for one in exposures(frozen, "s") if one.kind == "model"]
    assert [(one.who, one.where, one.way, one.items) for one in found] == [
        ("embedder", "127.0.0.1", "compared by meaning", 2)
    ]
    assert [one.who for one in exposures(frozen, host="127.0.0.1")] == ["embedder"]


def test_sealed_items_are_sent_to_no_server_and_private_ones_not_while_somebody_writes(
    frozen, asking
):
    model, sent = asking
    server = ModelServer(model.url, "embedder")
    watch = DuplicateWatch(frozen, TASK, server=server)
    watch.similar_to("海边有一座灯塔", threshold=1.0)
    assert sent
    assert not any("海边的灯塔每晚" in text for text in sent)
    lifecycle.seal(frozen, "s", "boss")
    duplicates.find(frozen, TASK, threshold=1.0, server=server)
    assert not any("海边的灯塔每晚" in text for text in sent)
    assert [one for one in exposures(frozen, "s") if one.kind == "model"] == []


def test_a_writer_is_warned_though_the_key_of_sealed_items_is_not_here(frozen, asking, tmp_path):
    model, sent = asking
    watch = DuplicateWatch(frozen, TASK, server=ModelServer(model.url, "embedder"))
    identity = pyrage.x25519.Identity.generate()
    locks = Locks((str(identity.to_public()),))
    locked_archives.seal(frozen, "s", "boss", SealOrder(tmp_path / "s.sealed", locks))
    assert {item.number for item in watch.similar_to(LONG, threshold=0.9)} == {2}
    late = DuplicateWatch(frozen, TASK, server=ModelServer(model.url, "embedder"))
    assert {item.number for item in late.similar_to(LONG, threshold=0.9)} == {2}
    assert not [text for text in sent if "海边的灯塔" in text]


def test_an_item_that_is_frozen_while_somebody_writes_is_not_sent(alike, asking):
    model, sent = asking
    people.ensure_person(alike, "boss", "lead")
    watch = DuplicateWatch(alike, TASK, server=ModelServer(model.url, "embedder"))
    review.decide(alike, "li", 3, "accept")
    freeze.freeze(alike, "s", BENCHMARK, "boss")
    watch.similar_to("海边", threshold=0.9)
    assert sent
    assert not [text for text in sent if "海边的灯塔" in text]


def test_an_annotators_own_private_items_go_to_no_server(
    pg_server: PostgresServer, asking, tmp_path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    model, sent = asking
    database = pg_server.create()
    admin = Workspace.create(pg_server.url(database), "boss", "boss")
    boss = Workspace.open(pg_server.url(database, "boss"))
    for name, role in (("ann", "annotator"), ("li", "specialist"), ("ruth", "researcher")):
        people.ensure_person(boss, name, role)
    make_task(boss, overlap=1)
    ann = Workspace.open(pg_server.url(database, "ann"))
    for text in (LONG, "海边的灯塔每晚都亮着"):
        write.submit(ann, "ann", TASK, payload("x", input=text, output=text[:6]))
    li = Workspace.open(pg_server.url(database, "li"))
    review.claim_item(li, "li", 1)
    review.decide(li, "li", 1, "accept")
    freeze.freeze(boss, "s", BENCHMARK, "boss")
    server = ModelServer(model.url, "embedder")
    DuplicateWatch(ann, TASK, server=server).similar_to("山", threshold=0.9)
    duplicates.find(ann, TASK, server=server)
    assert sent
    assert LONG not in "".join(sent)
    ruth = Workspace.open(pg_server.url(database, "ruth"))
    seen = [_participants(one) for one in (boss, ruth)]
    lifecycle.seal(boss, "s", "boss")
    assert seen == [_participants(one) for one in (boss, ruth)] == [{"ann", "li"}] * 2
    assert {one.who for one in exposures(ruth, "s") if one.kind == "person"} > {"ann", "li"}
    for ws in (ann, li, ruth, boss, admin):
        ws.close()
    pg_server.drop(database)


def _participants(ws: Workspace) -> frozenset[str]:
    with ws.reading() as session:
        return organisations.participants(session, 1).names
