"""People beside scores: either layout, several people, several models, odd files."""

from pathlib import Path

import pytest

from core.analysis.cif import TaskScore
from core.analysis.human_ratings import (
    read_human_ratings,
    verification_table,
    verify_by_people,
)
from core.errors import InputError


def scores(*models: str) -> list[TaskScore]:
    """Eight items by two instructions, the later items scored higher."""
    return [
        TaskScore(model, 1, "private", (item + turn) / 9, f"i{turn}", str(item), "run")
        for model in models
        for item in range(8)
        for turn in (0, 1)
    ]


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "评分.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_that_follow_people_are_found(tmp_path: Path) -> None:
    lines = ["item,rater,faithful,preference"]
    lines += [f"{n},{who},{'是' if n > 3 else '否'},{1 + n // 2}" for n in range(8) for who in "ab"]
    lines.append("99,a,1,5")
    rows = read_human_ratings(written(tmp_path, "\n".join(lines)))
    (one,) = verify_by_people(rows, scores("m"))
    assert (one.model, one.figures.n, one.unmatched) == ("m", 8, 1)
    assert one.figures.faithful == pytest.approx(0.5)
    assert one.figures.preference == pytest.approx(2.5)
    assert one.figures.spearman > 0.8
    assert one.as_json()["unmatched"] == 1


def test_one_criterion_a_line_and_one_instruction_of_an_item(tmp_path: Path) -> None:
    lines = ["item;criterion;value", *(f"{n}#i1;faithfulness;{int(n > 3)}" for n in range(8))]
    lines.append("2#i1;preference;4,5")
    rows = read_human_ratings(written(tmp_path, "\n".join(lines)))
    (one,) = verify_by_people(rows, scores("m"))
    assert (one.figures.n, one.figures.faithful, one.figures.preference) == (8, 0.5, 4.5)


def test_several_models_are_apart_and_together(tmp_path: Path) -> None:
    lines = ["model,item,faithful"]
    lines += [f"a,{n},{int(n > 3)}" for n in range(8)]
    lines += [f"b,{n},{int(n < 4)}" for n in range(8)]
    rows = read_human_ratings(written(tmp_path, "\n".join(lines)))
    found = verify_by_people(rows, scores("a", "b"))
    assert [one.model for one in found] == ["a", "b", ""]
    assert found[0].figures.spearman == pytest.approx(-found[1].figures.spearman)
    assert found[2].figures.n == 16
    assert len(verification_table(found).rows) == 3
    nameless = read_human_ratings(written(tmp_path, "item,faithful\n1,1\n"))
    with pytest.raises(InputError, match="2 models"):
        verify_by_people(nameless, scores("a", "b"))


def test_ratings_that_match_nothing_have_a_reason_and_no_number(tmp_path: Path) -> None:
    rows = read_human_ratings(written(tmp_path, "item,faithful\nx,1\ny,0\n"))
    (one,) = verify_by_people(rows, scores("m"))
    assert one.figures.spearman is None
    assert one.figures.reason
    assert one.unmatched == 2


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("item,colour\n1,red\n", "needs the column"),
        ("faithful\n1\n", "needs the column"),
        ("item,faithful\n1,maybe\n", "line 2"),
        ("item,preference\n1,3\n2,6\n", "line 3"),
        ("item,criterion,value\n1,beauty,1\n", "line 2"),
        ("item,faithful\n,1\n", "line 2"),
        ("item,faithful\n1,\n", "no ratings"),
    ],
)
def test_a_file_that_holds_no_ratings_is_refused(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        read_human_ratings(written(tmp_path, text))
