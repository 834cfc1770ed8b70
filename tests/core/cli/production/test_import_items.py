"""Imports from the command line, where it names no benchmark."""

import json
from pathlib import Path

import pytest

from core.cli import main
from core.workflow import people, tasks
from core.workflow.workspace import Workspace

ROWS = "instruction,input,output\nSolve it.,What goes up alone?,Your age\n"


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Two benchmarks, ``plain`` with the task riddles and ``other`` without it."""
    monkeypatch.chdir(tmp_path)
    Path("riddles.csv").write_text(ROWS, encoding="utf-8")
    made = Workspace.create(tmp_path / "w", lead="ada")
    people.ensure_person(made, "ann", "annotator")
    tasks.add(made, "riddles", "instruction", benchmark="plain", format="triplet")
    tasks.add(made, "notes", "instruction", benchmark="other", format="triplet")
    monkeypatch.setenv("BENCHSEAL_WORKSPACE", str(tmp_path / "w"))
    return made


def test_rows_go_to_the_benchmark_that_has_the_task(ws: Workspace) -> None:
    for words in (["--task", "riddles", "--wrote", "--user", "ann"], []):
        assert main(["import", "riddles.csv", *words]) == 0
    assert {info.name for info in people.benchmarks(ws)} == {"plain", "other"}
    assert [(info.name, sum(info.states.values())) for info in tasks.tasks(ws, "plain")] == [
        ("riddles", 1)
    ]
    ws.close()


def test_only_columns_that_no_field_takes_are_said_to_be_kept_beside(
    ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"question": f"Is {n} even?", "answer": f"It ends so. #### {n}", "page": n}
        for n in range(3)
    ]
    (tmp_path / "sums.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["import", "sums.jsonl", "--benchmark", "plain"]) == 0
    said = capsys.readouterr().out
    assert "kept beside the items: page (3)\n" in said
    assert "answers ← answer" in said
    ws.close()


def test_what_is_so_of_one_of_several_tasks_names_it(
    ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "A bird of the woods that sings at night and is seldom seen by day"
    for name, answer in (("names", "Owl"), ("tales", told)):
        rows = [{"instruction": "Say it.", "input": f"No. {n}", "output": f"{answer} {n}"}
                for n in range(4)]  # fmt: skip
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["import", "names.jsonl", "tales.jsonl", "--benchmark", "plain"]) == 0
    said = capsys.readouterr().out
    assert "\ntales: " in said
    assert "chrF" in said.partition("\ntales: ")[2]
    ws.close()


def test_rows_refused_for_one_reason_are_told_together(
    ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"question": f"Is {n} even?", "answer": "" if n % 2 else f"so {n}"} for n in range(24)]
    Path("sums.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["import", "sums.jsonl", "--benchmark", "plain"]) == 0
    said = capsys.readouterr().out
    assert "12 rows, lines 2, 4, 6, 8, 10, 12, 14, 16 …: It has no answer." in said
    ws.close()


def test_a_new_task_makes_a_benchmark_of_its_own(ws: Workspace) -> None:
    assert main(["import", "riddles.csv", "--task", "jokes"]) == 0
    assert len(people.benchmarks(ws)) == 3
    ws.close()


def test_where_two_benchmarks_have_the_task_one_is_named(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks.add(ws, "riddles", "instruction", benchmark="other", format="triplet")
    assert main(["import", "riddles.csv", "--task", "riddles"]) == 1
    assert "other, plain" in capsys.readouterr().err
    assert main(["import", "riddles.csv", "--task", "riddles", "--benchmark", "other"]) == 0
    assert len(people.benchmarks(ws)) == 2
    ws.close()


@pytest.fixture
def animals(ws: Workspace) -> Path:
    path = Path("tiere.csv")
    path.write_text("Rätsel;Auflösung\nHow many legs has a spider?;8\n", encoding="utf-8")
    return path


def test_columns_of_unknown_names_are_explained_by_the_kinds_of_items(
    animals: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(animals), "--task", "counting"]) == 1
    said = capsys.readouterr().err
    assert "Rätsel, Auflösung" in said
    for fields in ("question", "answers", "options", "key", "instruction", "output"):
        assert f"--map {fields}" in said


@pytest.mark.parametrize(
    ("fields", "wrong", "right"),
    [(("question", "answer"), "answer", "answers"), (("question", "option"), "option", "options")],
)
def test_a_field_that_is_nearly_right_is_told_of_the_family_that_has_it(
    animals: Path, fields: tuple[str, ...], wrong: str, right: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    mapped = [word for name in fields for word in ("--map", f"{name}=Rätsel")]
    assert main(["import", str(animals), "--task", "counting", *mapped]) == 1
    said = capsys.readouterr().err
    assert f"“{wrong}”" in said
    assert right in said.partition("“")[2].replace(f"“{wrong}”", "")
    assert "instruction" not in said


def test_mapped_columns_of_unknown_names_make_their_family(
    animals: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mapped = ["--map", "question=Rätsel", "--map", "answers=Auflösung"]
    assert main(["import", str(animals), "--task", "counting", *mapped]) == 0
    assert "family answer" in capsys.readouterr().out


def test_a_defect_of_a_row_is_said_before_and_after(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("capitals.csv").write_text(
        "question,A,B,C,answer\nCapital of Peru?,Lima,Quito,Lima,A\nCapital of Chile?,Lima,"
        "Santiago,Quito,B\n",
        encoding="utf-8",
    )
    words = ["import", "capitals.csv", "--task", "capitals"]
    assert main([*words, "--dry-run"]) == 0
    assert "line 2: Two options are the same." in capsys.readouterr().out
    assert main(words) == 0
    assert "defects found: repeated options (1)" in capsys.readouterr().out
    ws.close()
