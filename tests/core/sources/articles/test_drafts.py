"""A folder with drafts of one paper gives one article, and letters to referees none."""

from pathlib import Path

from core.sources.articles.read_paths import read_paths

SENTENCES = [
    f"Gauge {n} on the northern bank was read by hand for {n + 2} weeks in every dry season."
    for n in range(40)
]


def paper(path: Path, sentences: list[str], title: str = "Gauges") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    body = "\n\n".join(" ".join(sentences[i : i + 4]) for i in range(0, len(sentences), 4))
    path.write_text(
        f"\\documentclass{{article}}\\title{{{title}}}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )


def test_the_longest_draft_stays_and_the_others_are_named(tmp_path: Path) -> None:
    paper(tmp_path / "final" / "ms.tex", SENTENCES)
    paper(tmp_path / "submission1" / "ms.tex", [*SENTENCES[:30], "An old end of this paper."])
    report = read_paths([tmp_path])
    assert [a.path for a in report.articles] == [str(tmp_path / "final" / "ms.tex")]
    assert ("submission1" in report.skipped[0][0], report.skipped[0][1]) == (
        True,
        f"It is a draft of {tmp_path / 'final' / 'ms.tex'}.",
    )


def test_two_papers_that_share_a_paragraph_both_stay(tmp_path: Path) -> None:
    paper(tmp_path / "one.tex", SENTENCES[:20])
    paper(tmp_path / "two.tex", SENTENCES[16:36])
    assert len(read_paths([tmp_path]).articles) == 2


def test_an_answer_to_referees_is_no_article(tmp_path: Path) -> None:
    paper(
        tmp_path / "answer.tex",
        ["Reviewer 1 asks why.", "We thank the reviewer for it.", *SENTENCES[:6]],
        "Response to the reviewers",
    )
    report = read_paths([tmp_path])
    assert not report.articles
    assert report.skipped[0][1] == "It is a letter to or from reviewers, not an article."
