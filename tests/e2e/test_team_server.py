"""The whole workflow on a server, from articles to scores, by people who each have a login and no
right beyond their role: on the command line, in a notebook and in the window."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.cli.demo.fake_model import MODEL, stand_in_server
from core.frames import open_workspace
from core.workflow.check import review
from core.workflow.workspace import Workspace
from gui.screenshots.panels import save_pictures
from resources import resource
from tests.servers.model_server import LoopbackModel

TEAM = {"ann": "annotator", "bob": "annotator", "sue": "specialist", "sam": "specialist",
        "ruth": "researcher", "ray": "researcher"}  # fmt: skip
MARKS = ("fluency=3", "coherence=3", "factuality=1", "accuracy=1")

Call = Callable[..., Any]


def made(act: Call) -> None:
    """An administrator makes the workspace, and its lead everybody else."""
    act("postgres", "init", "--lead", "boss", "--login", "boss")
    for name, role in TEAM.items():
        act("boss", "people", "add", name, "--role", role, "--no-password")


def collected(act: Call, folder: Path) -> list[int]:
    """Items come from articles, a file and a person; a model screens some. The tones' numbers."""
    act("ruth", "generate", "scp", resource("demo"), "--benchmark", "b", "--per-article", 2)
    two = ("--set", "overlap=2", "audit_sample=2", "rating_sample=2", "raters=2")
    act("boss", "task", "add", "tones", "--family", "instruction", "--benchmark", "b", "--format",
        "triplet", "--language", "zh", *two)  # fmt: skip
    act("boss", "task", "add", "rw", "--family", "rewrite", "--benchmark", "b", "--set",
        "gate=required")  # fmt: skip
    lines = resource("demo_stages", "tones.jsonl").read_text(encoding="utf-8").splitlines()
    for place in (0, 1, 20):
        (folder / f"{place}.json").write_text(lines[place], encoding="utf-8")
    for place in (0, 1):
        act("ann", "submit", "tones", "--file", folder / f"{place}.json", "--benchmark", "b")
    (folder / "tones.jsonl").write_text("\n".join(lines[3:9]) + "\n", encoding="utf-8")
    act("ruth", "import", folder / "tones.jsonl", "--task", "tones", "--benchmark", "b",
        "--family", "instruction", "--item-format", "triplet")  # fmt: skip
    act("boss", "import", resource("demo_stages", "rewrites.jsonl"), "--task", "rw",
        "--benchmark", "b", "--family", "rewrite")  # fmt: skip
    with stand_in_server() as address:
        screening = ("--benchmark", "b", "--base-url", address, "--model", MODEL, "--task", "rw")
        act("ruth", "screen", *screening)
    return [row["id"] for row in act("ruth", "items", "--task", "tones")["items"]]


def judged(act: Call, team: Callable[[str], str], tones: list[int], folder: Path) -> None:
    """Two review each tone; one disagreement is settled, one item comes back and is revised."""
    bob = Workspace.open(team("bob"))
    review.claim_item(bob, "bob", tones[0])
    bob.close()
    act("bob", "unsure", tones[0], "--note", "hm")
    thread = act("bob", "question", "ask", tones[0], "Which tone?")["thread"]
    act("ruth", "question", "answer", thread, "The second.", code=1)  # before her own verdict
    act("ruth", "reveal", tones[0])
    act("ruth", "question", "answer", thread, "The second.")
    for place, number in enumerate(tones):
        act("bob", "decide", number, "--accept")
        other = (("--reject", "ambiguous"), ("--return", "again"))
        act("sue", "decide", number, *(other[place] if place < 2 else ("--accept",)))
    act("sam", "adjudicate", tones[0], "--accept")
    act("ann", "revise", tones[1], "--file", folder / "20.json", "--note", "better")
    act("ruth", "gold", "mark", tones[2], "--accept")
    act("ruth", "gold", "unmark", tones[2])
    for entry in act("ruth", "sample", "tones", "--seed", 3, "--user", "ruth")["items"]:
        for who in ("sam", "bob"):
            act(who, "rate", entry["item"], *MARKS)
    lot = act("ruth", "audit", "start", "tones", "--seed", 1)["lot"]
    for entry in lot["drawn"]:
        act("ruth", "audit", "decide", entry["item"], "--accept")
    assert act("ruth", "audit", "status", "tones")["lot"]["state"] == "passed"


def released(act: Call, folder: Path) -> None:
    """What both accepted is frozen, exported, evaluated, judged, sealed, opened and expired."""
    scp = act("ruth", "items", "--family", "scp", "--limit", 9)["items"]
    for row in scp:
        act("bob", "decide", row["id"], "--accept")
        act("sue", "decide", row["id"], "--accept")
    assert act("ruth", "freeze", "s", "--benchmark", "b", "--reason", "a test")["items"] >= 9
    for who, form in (("ruth", "jsonl"), ("boss", "lm-eval")):
        act(who, "export", "s", "--format", form, "--out", folder / form)
    act("ruth", "split", "datasheet", "s", "--out", folder / "datasheet")
    runs = [act(who, "evaluate", "s", "--engine", f"baseline:{name}", "--wait")["run"]
            for who, name in (("ruth", "random"), ("ray", "tfidf"))]  # fmt: skip
    act("boss", "report", *runs, "--compare")
    with LoopbackModel() as model:
        engine = ("--engine", "openai", "--base-url", model.url, "--model", "test-model")
        asked = act("ruth", "evaluate", "s", *engine, "--wait")["run"]
        act("ruth", "judge", asked, "--judge", f"test-model@{model.url}", "--wait")
    act("ruth", "suspect-keys", "s")
    act("ruth", "exposures", "s")
    act("boss", "erratum", scp[0]["id"], "--reason", "wrong key")
    act("ruth", "split", "seal", "s")
    act("ruth", "export", "s", "--format", "jsonl", "--out", folder / "no", code=1)
    act("ruth", "split", "open", "s", "--reason", "evaluation", code=1)
    act("boss", "split", "open", "s", "--reason", "evaluation")
    act("ruth", "evaluate", "s", "--engine", "baseline:random", "--wait")
    assert act("sue", "split", "status")["splits"] == []
    act("boss", "split", "expire", "s", "--reason", "old")
    assert [one["name"] for one in act("sue", "split", "status")["splits"]] == ["s"]


def test_the_whole_workflow_needs_no_right_beyond_a_role(act, team, tmp_path):
    made(act)
    tones = collected(act, tmp_path)
    judged(act, team, tones, tmp_path)
    released(act, tmp_path)
    act("boss", "alarm", "set", "--benchmark", "b", "--coefficient", "cohen_kappa", "--below", "1",
        "--items", 2)  # fmt: skip
    for who in ("sue", "ruth", "boss"):
        act(who, "gate", "--benchmark", "b")
        act(who, "agreement", "--benchmark", "b")
        for name in ("progress", "agreement", "gate"):
            act(who, "dashboard", name, "--benchmark", "b")
        assert act(who, "alarm", "check", "--benchmark", "b")
    for who, seen in {"ann": 2, "sue": 50, "ruth": 50, "boss": 50}.items():
        with open_workspace(team(who), user=who) as frames:
            items = frames.items()
            assert len(items) >= seen
            assert len(frames.decisions()) > 0
            private = items[items.state == "frozen"]
            assert private.payload.notna().all()  # an expired split is public
    assert act("boss", "verify")["findings"] == []


def test_who_may_not_is_told_so_in_one_sentence(act):
    made(act)
    act("ruth", "generate", "scp", resource("demo"), "--benchmark", "b", "--per-article", 1)
    for who, words in (
        ("ann", ("dashboard", "audit", "--benchmark", "b")),
        ("sue", ("freeze", "t", "--benchmark", "b", "--reason", "a test")),
        ("sue", ("export", "s", "--format", "jsonl", "--out", "x")),
        ("ruth", ("verify",)),
        ("ann", ("verify",)),
        ("bob", ("people", "add", "eve", "--role", "lead", "--no-password")),
    ):
        complaint = act(who, *words, code=1)
        assert complaint.count("\n") == 1, (who, words)
        assert "role" in complaint, (who, words)
        assert "postgresql://" not in complaint, (who, words)


def test_who_cannot_read_frozen_items_is_not_asked_them(act, tmp_path):
    made(act)
    act("ruth", "generate", "scp", resource("demo"), "--benchmark", "b", "--per-article", 1)
    for row in act("ruth", "items", "--benchmark", "b", "--limit", 3)["items"]:
        act("bob", "decide", row["id"], "--accept")
        act("sue", "decide", row["id"], "--accept")
    act("ruth", "freeze", "s", "--benchmark", "b", "--reason", "a test")
    people = ("evaluate", "s", "--engine", "people", "--people")
    assert "ann cannot take part" in act("ruth", *people, "ann", code=1)
    run = act("ruth", *people, "ray")["run"]
    assert act("ann", "answer")["runs"] == []
    asked = act("ray", "answer", run)
    act("ray", "answer", run, "--question", asked["question"]["id"], "--unknown")
    act("ruth", "answer", run, "--close")


def test_every_panel_opens_under_ones_own_login(act, team, tmp_path):
    made(act)
    act("ruth", "generate", "scp", resource("demo"), "--benchmark", "b", "--per-article", 1)
    for row in act("ruth", "items", "--benchmark", "b", "--limit", 3)["items"]:
        act("bob", "decide", row["id"], "--accept")
        act("sam", "decide", row["id"], "--accept")
    act("ruth", "freeze", "s", "--benchmark", "b", "--reason", "a test")
    act("ruth", "evaluate", "s", "--engine", "baseline:random", "--wait")
    for who, least in {"ann": 5, "sue": 8, "ruth": 15, "boss": 18}.items():
        assert len(save_pictures(team(who), tmp_path / who, "")) >= least
