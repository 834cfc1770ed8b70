"""``seal``, ``unseal`` and ``verify --archive``: secrets by the input alone, every change named."""

import io
import json
import sys

import pyrage
import pytest

from core.cli import main
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, varied

PASSPHRASE = "correct horse battery"


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """A command on a workspace with a frozen split ``s``: (exit code, document, standard error)."""
    monkeypatch.setenv("BENCHSEAL_LANG", "en")
    ws = Workspace.create(tmp_path / "w", lead="王")
    freeze_split(ws, {"scp": [varied(n) for n in range(6)]}, "s")
    ws.close()

    def call(*arguments, typed: str = ""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        words = [str(word) for word in arguments]
        code = main(["--workspace", str(tmp_path / "w"), *words, "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else None, err

    return call


def test_a_split_is_sealed_for_three_kinds_of_openers(run, tmp_path):
    identity = pyrage.x25519.Identity.generate()
    key, recipients = tmp_path / "key.txt", tmp_path / "recipients.txt"
    key.write_text(f"# mine\n{identity}\n", encoding="utf-8")
    recipients.write_text(f"# of the lab\n{identity.to_public()}\n", encoding="utf-8")
    out, shares = tmp_path / "s.sealed", tmp_path / "shares"
    code, locked, _ = run("seal", "s", "--out", out, "--recipients", recipients, "--passphrase",
                          "--custodians", "2/3", "--shares", shares, "--user", "王",
                          typed=f"{PASSPHRASE}\n")  # fmt: skip
    assert (code, locked["items"], len(locked["shares"])) == (0, 6, 3)
    code, life, _ = run("split", "status", "s")
    assert (life["state"], life["archives"][0]["root"]) == ("sealed", locked["root"])
    files = sorted(shares.iterdir())
    for words, typed in (
        (("--identity", key), ""),
        (("--passphrase",), f"{PASSPHRASE}\n"),
        (("--share", files[0], "--share", files[2]), ""),
    ):
        assert run("unseal", out, *words, typed=typed)[:2] == (
            0, {"archive": str(out), "sound": True, "items": 6, "out": "", "differences": []},
        )  # fmt: skip
    assert (
        run("verify", "--archive", out, "--key", locked["key_id"], "--root", locked["root"])[0] == 0
    )
    receipt = next((tmp_path / "w" / "receipts").iterdir())
    assert run("verify", "--archive", out, "--receipt", receipt)[0] == 0
    for path in (tmp_path / "w").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert PASSPHRASE.encode() not in content, path
            assert str(identity).encode() not in content, path
            assert json.loads(files[0].read_text("utf-8"))["value"].encode() not in content


def test_a_plan_of_several_splits_refuses_what_their_evaluation_refuses(run, tmp_path):
    identity = pyrage.x25519.Identity.generate()
    key = tmp_path / "key.txt"
    key.write_text(f"{identity}\n", encoding="utf-8")
    sealing = ("seal", "s", "--out", tmp_path / "a", "--recipient", identity.to_public())
    opening = ("split", "open", "s", "--reason", "July", "--user", "王", "--identity", key)
    assert [run(*words)[0] for words in (sealing, opening)] == [0, 0]
    engine = ("--engine", "baseline:random")
    code, _, said = run("evaluate", "s", "other", *engine, "--dry-run")
    assert (code, "Evaluate it alone" in said) == (1, True)


def test_the_items_in_the_workspace_are_opened_unlocked_locked_and_ended_with_a_key(run, tmp_path):
    identity = pyrage.x25519.Identity.generate()
    key = tmp_path / "key.txt"
    key.write_text(f"{identity}\n", encoding="utf-8")
    assert run("backup", "--user", "王")[0] == 0
    code, locked, _ = run("seal", "s", "--out", tmp_path / "a", "--recipient", identity.to_public())
    assert (code, locked["encrypted"]) == (0, True)
    assert [one["kind"] for one in locked["remains"]] == ["backup"]
    code, _, err = run("split", "open", "s", "--reason", "July", "--user", "王")
    assert (code, "encrypted in the workspace" in err) == (1, True)
    opening = ("split", "open", "s", "--reason", "July", "--user", "王", "--identity", key)
    code, life, _ = run(*opening)
    assert (code, life["state"], life["encrypted"], life["key_here"]) == (0, "opened", True, True)
    export = ("export", "s", "--format", "jsonl", "--plain", "a test")
    assert run(*export, "--out", tmp_path / "one")[0] == 0
    code, said, _ = run("split", "lock", "s", "--remove-backups", "--user", "王")
    assert (code, said["was_here"], said["here"], len(said["removed"])) == (0, True, False, 1)
    assert said["remains"] == []
    assert run(*export, "--out", tmp_path / "two")[0] == 1
    assert not (tmp_path / "two").exists()
    assert run("verify")[0] == 0
    code, said, _ = run("split", "unlock", "s", "--identity", key, "--user", "王")
    assert (code, said["here"]) == (0, True)
    run("split", "lock", "s")
    assert run("split", "expire", "s", "--user", "王")[0] == 1
    code, life, _ = run("split", "expire", "s", "--identity", key, "--user", "王")
    assert (code, life["state"], life["encrypted"]) == (0, "expired", False)
    assert run(*export, "--out", tmp_path / "three")[0] == 0
    assert run("verify")[0] == 0


def test_what_does_not_fit_is_named_and_ends_with_one(run, tmp_path):
    out = tmp_path / "s.sealed"
    identity = pyrage.x25519.Identity.generate()
    run("seal", "s", "--out", out, "--recipient", identity.to_public())
    code, document, _ = run("verify", "--archive", out, "--key", "0" * 64)
    assert (code, document["differences"][0]["subject"]) == (1, "signer.pem")
    code, document, _ = run("verify", "--archive", out, "--root", "0" * 64)
    assert (code, document["differences"][0]["subject"]) == (1, "manifest.json")
    content = bytearray(out.read_bytes())
    content[-2000] ^= 1
    out.write_bytes(content)
    assert run("verify", "--archive", out)[0] == 1
    key = tmp_path / "key.txt"
    key.write_text(f"{identity}\n", encoding="utf-8")
    code, document, _ = run("unseal", out, "--identity", key, "--out", tmp_path / "items.jsonl")
    assert (code, document["sound"]) == (1, False)
    assert not (tmp_path / "items.jsonl").exists()


def test_usage_that_locks_or_opens_nothing_is_refused_in_words(run, tmp_path):
    out = tmp_path / "s.sealed"
    for words, typed, sentence in (
        ((), "", "custodians. For example: --recipient age1"),
        (("--passphrase",), "\n", "No passphrase"),
        (("--passphrase",), "short\n", "too short"),
        (("--custodians", "3"), "", "write 2/3"),
        (("--custodians", "2/3"), "", "go together"),
        (("--recipient", "you"), "", "not a recipient"),
        (("--recipients", tmp_path / "none"), "", "Could not read"),
    ):
        code, _, err = run("seal", "s", "--out", out, *words, typed=typed)
        assert (code, sentence in err) == (1, True), err
    assert not out.exists()
    code, _, err = run("unseal", out, "--passphrase", typed="x\n")
    assert (code, "Could not read" in err) == (1, True)


def test_the_scripts_for_others_are_written(run, tmp_path):
    code, document, _ = run("verify", "--scripts", tmp_path / "scripts")
    assert code == 0
    assert str(tmp_path / "scripts" / "check_root.py") in document["files"]


def test_a_policy_is_kept_from_the_command_line(run):
    code, receipt, _ = run("split", "seal", "s", "--once", "--user", "王")
    assert (code, receipt["state"]) == (0, "sealed")
    code, _, err = run("split", "open", "s", "--reason", "July", "--user", "王")
    assert (code, "--model M" in err) == (1, True)
    opening = (
        "split",
        "open",
        "s",
        "--reason",
        "July",
        "--model",
        "baseline:random",
        "--user",
        "王",
    )
    code, life, _ = run(*opening)
    assert (code, life["policy"], life["opened_for"][0]["model"]) == (0, "once", "baseline:random")
    code, _, err = run(*opening)
    assert (code, "second lead" in err) == (1, True)
    code, _, err = run("evaluate", "s", "--engine", "baseline:longest", "--user", "王")
    assert (code, "none is open for" in err) == (1, True), err


def test_who_seals_a_split_is_told_where_its_receipt_lies(run, tmp_path, capsys):
    assert main(["--workspace", str(tmp_path / "w"), "split", "seal", "s"]) == 0
    head, _, receipt = capsys.readouterr().out.partition("\n")
    (kept,) = (tmp_path / "w" / "receipts").iterdir()
    assert head.endswith(f"{kept}:")
    assert json.loads(receipt) == json.loads(kept.read_text(encoding="utf-8"))
