"""``sign-score`` and ``verify-score``: a score for others, checked without the workspace."""

import json

import pytest

from core.cli import main
from core.workflow.workspace import Workspace
from tests.used_split import LEAD, use_split


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """A command: (exit code, JSON document or text, standard error)."""
    monkeypatch.setenv("BENCHSEAL_LANG", "en")

    def call(*arguments, plain: bool = False):
        more = [] if plain else ["--json"]
        code = main([*map(str, arguments), *more])
        out, err = capsys.readouterr()
        return code, out if plain or not out else json.loads(out), err

    return call


def test_a_score_is_signed_and_checked(run, tmp_path):
    ws = Workspace.create(tmp_path / "w", lead=LEAD)
    (tmp_path / "outside").mkdir()
    name = use_split(ws, tmp_path / "outside")
    ws.close()
    out = tmp_path / "score.json"
    words = ("--workspace", tmp_path / "w", "sign-score", name, "--out", out, "--user", LEAD,
             "--organization", "Lab", "--relationship", "third_party", "--show", "#1")  # fmt: skip
    code, signed, _ = run(*words)
    assert (code, signed["items"], signed["shown"]) == (0, 6, 1)
    code, text, _ = run("verify-score", out, "--key", signed["key_id"], plain=True)
    assert code == 0
    assert "6 results, 1 shown" in text
    assert "had been sent 0 of 6 items" in text
    code, document, _ = run("verify-score", out, "--key", "0" * 64)
    assert (code, document["differences"][0]["subject"]) == (1, "signer")
    out.write_bytes(out.read_bytes().replace(b'"Lab"', b'"Lob"'))
    code, document, _ = run("verify-score", out)
    assert (code, document["differences"][0]["subject"]) == (1, "signature")
    code, _, err = run(*words)
    assert (code, "there already" in err) == (1, True)
