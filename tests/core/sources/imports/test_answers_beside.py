"""Answers in a second file beside the questions, a line each, as PIQA has them."""

import json
import zipfile
from pathlib import Path

import pytest

from core.errors import InputError
from core.families.intake import AcceptedRow, ImportTarget, beginning, preview_of, read, recognised
from core.sources.imports import RefusedRow

GOALS = [{"goal": f"Keep gauge {n} dry", "sol1": "Under a lid", "sol2": "In the rain"}
         for n in range(6)]  # fmt: skip
LABELS = "0\n1\n1\n0\n1\n0\n"


def imported(path: Path):
    first = beginning(path)
    target = ImportTarget(recognised(first))
    return list(read(path, target, preview_of(first, target).mapping))


def keys(path: Path) -> list[str]:
    rows = [row for row in imported(path) if isinstance(row, AcceptedRow)]
    return [row.content.payload["key"] for row in rows]


def written(folder: Path, name: str, rows=GOALS) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder / name


@pytest.mark.parametrize(
    ("questions", "answers"),
    [("valid.jsonl", "valid-labels.lst"), ("dev.jsonl", "dev_labels.txt"),
     ("train.data.jsonl", "train.gold.txt"), ("Test_questions.jsonl", "test_answers.txt")],
)  # fmt: skip
def test_each_row_gets_its_line_of_the_file_beside_it(tmp_path, questions, answers):
    (tmp_path / answers).write_text(LABELS)
    assert keys(written(tmp_path, questions)) == list("ABBABA")


@pytest.mark.parametrize("packed", [False, True])
def test_in_a_folder_or_an_archive_each_split_has_its_own_answers(tmp_path, packed):
    folder = tmp_path / "piqa"
    for split, labels in (("train", LABELS), ("valid", LABELS[::-1].strip())):
        written(
            folder, f"{split}.jsonl", [{**row, "goal": f"{row['goal']}, {split}"} for row in GOALS]
        )
        (folder / f"{split}-labels.lst").write_text(labels)
    if packed:
        with zipfile.ZipFile(tmp_path / "piqa.zip", "w") as archive:
            for path in folder.iterdir():
                archive.write(path, f"piqa/{path.name}")
    place = tmp_path / "piqa.zip" if packed else folder
    assert keys(place) == list("ABBABA" + "ABABBA")
    assert len(imported(place)) == 2 * len(GOALS)


def test_a_row_that_cannot_be_read_leaves_the_others_their_answers(tmp_path):
    path = written(tmp_path, "valid.jsonl")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{broken", *lines[2:]]))
    (tmp_path / "valid-labels.lst").write_text(LABELS)
    assert keys(path) == list("ABABA")
    assert [row.line for row in imported(path) if isinstance(row, RefusedRow)] == [2]


def test_another_number_of_answers_is_refused_and_nothing_is_read(tmp_path):
    path = written(tmp_path, "valid.jsonl")
    (tmp_path / "valid-labels.lst").write_text(LABELS + "1\n")
    with pytest.raises(InputError, match=r"has 6 rows but .valid-labels.lst. has 7 lines"):
        imported(path)


def test_questions_with_answers_of_their_own_keep_them(tmp_path):
    path = written(
        tmp_path, "valid.jsonl", [{**row, "label": n % 2} for n, row in enumerate(GOALS)]
    )
    (tmp_path / "valid_labels.txt").write_text("no\nyes\n")  # the names of its labels
    assert keys(path) == list("ABABAB")


def test_whoever_gives_the_file_of_answers_is_told_which_to_import(tmp_path):
    written(tmp_path, "valid.jsonl")
    (tmp_path / "valid-labels.lst").write_text(LABELS)
    with pytest.raises(InputError, match=r"Import that file"):
        beginning(tmp_path / "valid-labels.lst")
