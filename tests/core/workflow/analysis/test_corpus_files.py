"""A split against a corpus on the disk, and rows of log-probabilities, by the commands."""

import json

import pytest

from core.cli import main
from core.errors import InputError
from core.families import family
from core.workflow.analysis.corpus_files import overlap_with_files
from core.workflow.people import ensure_person
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, varied


@pytest.fixture
def ws(tmp_path):
    made = Workspace.create(tmp_path / "w")
    ensure_person(made, "Li", "lead")
    freeze_split(made, {"t": [varied(number) for number in range(9)]})
    yield made
    made.close()


def text_of(ws, place: int) -> str:
    content = freeze.members_of(ws, "s")[place].content
    return family(content.family).plain_text(content)


def test_a_copy_in_any_file_is_found_whatever_its_lines_and_its_form(ws, tmp_path):
    corpus = tmp_path / "corpus"
    (corpus / "deep").mkdir(parents=True)
    (corpus / "deep" / "a.txt").write_text("x " * 50 + text_of(ws, 2).replace(" ", "\n"))
    (corpus / "b.jsonl").write_text(
        json.dumps({"doc": {"body": [text_of(ws, 4)]}}) + "\nnot json\n", encoding="utf-8"
    )
    found = overlap_with_files(ws, "s", [corpus])
    shares = [item.covered for item in found.items]
    assert shares[2] == shares[4] == 1.0
    assert found.corpus_tokens > 100
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no files"):
        overlap_with_files(ws, "s", [tmp_path / "empty"])


def test_the_commands_print_what_was_found_and_what_it_cannot_show(ws, tmp_path, capsys):
    path = tmp_path / "c.txt"
    path.write_text(text_of(ws, 1), encoding="utf-8")
    folder = ["--workspace", str(ws.place.folder), "analyze"]
    assert main([*folder, "overlap", "s", "--corpus", str(path)]) == 0
    out = capsys.readouterr().out
    assert "this does not show" in out
    assert main([*folder, "overlap", "s", "--corpus", str(path), "--control", "s", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["p"] > 0.4
    assert main([*folder, "overlap", "s", "--corpus", str(tmp_path / "gone.txt")]) == 1
    rows = [{"own": -10.0 + n, "shuffled": [-14.0 + n / 2, -15.0]} for n in range(6)]
    logs = tmp_path / "rows.jsonl"
    logs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["analyze", "exposure", str(logs), "--json"]) == 0
    (test,) = json.loads(capsys.readouterr().out)["tests"]
    assert (test["test"], test["n"]) == ("order", 6)
    logs.write_text("{", encoding="utf-8")
    assert main(["analyze", "exposure", str(logs)]) == 1
    assert "is not JSON" in capsys.readouterr().err
