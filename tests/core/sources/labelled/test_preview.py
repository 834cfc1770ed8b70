"""Looking at labelled data before a run: what is there, what would be used, what is wrong."""

from pathlib import Path

from core.sources.labelled.dataset_files import Columns
from core.sources.labelled.datasets import EMOTION, STANCE, own_task
from core.sources.labelled.preview import preview_labelled

MOOD = own_task("mood", ("good", "bad"))


def test_a_file_shows_its_columns_its_first_rows_and_what_is_usable(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text(
        "id,text,label\n" + "".join(f"{n},t {n},good\n" for n in range(80)) + "x,,bad\n"
    )
    seen = preview_labelled(path, MOOD)
    assert seen.columns == ("id", "text", "label")
    assert (len(seen.rows), seen.rows[0]) == (50, ("0", "t 0", "good"))
    assert (len(seen.examples), seen.label_counts) == (80, {"good": 80, "bad": 0})
    assert seen.skipped == {"empty_text": 1}
    assert (seen.guessed.text, seen.problem) == ("text", "")


def test_columns_that_nobody_can_guess_are_shown_with_what_is_missing(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text("Q1,Q2\n今天很好,good\n", encoding="utf-8")
    seen = preview_labelled(path, MOOD)
    assert seen.columns == ("Q1", "Q2")
    assert seen.rows == (("今天很好", "good"),)
    assert "no column for “text”" in seen.problem
    mapped = preview_labelled(path, MOOD, columns=Columns(text="Q1", label="Q2"))
    assert [e.text for e in mapped.examples] == ["今天很好"]


def test_a_folder_names_its_splits_and_shows_examples(tmp_path: Path):
    for split, labels in (("test", "2\n1\n"), ("train", "0\n0\n")):
        folder = tmp_path / "climate"
        folder.mkdir(exist_ok=True)
        (folder / f"{split}_text.txt").write_text("one\ntwo\n")
        (folder / f"{split}_labels.txt").write_text(labels)
    seen = preview_labelled(tmp_path, STANCE, split="train")
    assert seen.splits == ("test", "train")
    assert seen.columns == ("text", "label", "target")
    assert seen.rows[0] == ("one", "neutral", "climate change is a real concern")


def test_what_is_no_data_is_said_and_not_raised(tmp_path: Path):
    (tmp_path / "a.csv").write_bytes(bytes(range(256)) * 40)
    assert "binary" in preview_labelled(tmp_path / "a.csv", EMOTION).problem
    assert "no file or folder" in preview_labelled(tmp_path / "b.csv", EMOTION).problem
    (tmp_path / "empty").mkdir()
    assert "is not a TweetEval folder" in preview_labelled(tmp_path / "empty", EMOTION).problem
