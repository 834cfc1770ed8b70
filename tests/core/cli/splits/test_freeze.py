"""``export``: locked with a key that is printed alone, and in plain text for a reason."""

import json

import pytest

from core.cli import main
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, varied

LEAD = "王"


@pytest.fixture
def run(tmp_path, capsys):
    """A command on a workspace whose split ``s`` was sealed and opened: (exit code, both
    outputs)."""
    ws = Workspace.create(tmp_path / "w", lead=LEAD)
    freeze_split(ws, {"scp": [varied(n) for n in range(4)]}, "s")
    lifecycle.seal(ws, "s", LEAD)
    lifecycle.open_split(ws, "s", LEAD, "july")
    ws.close()

    def call(*arguments):
        words = [str(word) for word in arguments]
        code = main(["--workspace", str(tmp_path / "w"), "export", "s", "--user", LEAD, *words])
        return code, *capsys.readouterr()

    return call


def test_a_locked_export_prints_its_key_and_writes_it_nowhere(run, tmp_path):
    out = tmp_path / "locked"
    code, said, _ = run("--format", "lm-eval", "--out", out, "--locked", "--json")
    assert code == 0
    document = json.loads(said)
    assert len(bytes.fromhex(document["key"])) == 32
    assert document["items"] == 4
    assert any(name.endswith(".locked") for name in document["files"])
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert document["key"].encode() not in path.read_bytes(), path
    code, said, _ = run("--format", "inspect", "--out", tmp_path / "inspect", "--locked")
    assert code == 0
    assert "Key, in no file: " in said


def test_a_plain_export_of_a_sealed_split_is_refused_without_a_reason(run, tmp_path):
    code, _, complaint = run("--format", "jsonl", "--out", tmp_path / "plain")
    assert code != 0
    assert "--plain REASON" in complaint
    assert not (tmp_path / "plain").exists()
    assert run("--format", "jsonl", "--out", tmp_path / "plain", "--plain", "an audit")[0] == 0
    assert (tmp_path / "plain" / "items.jsonl").is_file()
