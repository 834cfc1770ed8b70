"""Texts that no items are made of are named, with the languages that are."""

from pathlib import Path

import pytest

from core.sources.articles.prose.no_items import has_sentences, is_without_spaces
from core.sources.articles.read_paths import read_paths

JAPANESE = (
    "本研究では、授業評価アンケートを効率よく実施するためのシステムを開発した。結果は良好であった。"
)
THAI = "แม่น้ำเพิ่มสูงขึ้นในฤดูใบไม้ผลิของปีที่สาม และผู้ดูแลโรงสีได้บันทึกระดับน้ำ"
CHINESE = "第三年的春天，河水涨得很快，因此观测员每天都到桥边，记录水位。他把它叫做「かわ」。"
SPACED = (
    "The river rose in the spring of the third year. Its Japanese name is かわ.",
    "Der Fluss stieg im Frühjahr des dritten Jahres an.",
    "봄에 강물이 불어났고 관측원은 매일 다리 옆에서 수위를 기록했다.",
    CHINESE,
)


@pytest.mark.parametrize("ending", [".tex", ".md", ".txt"])
@pytest.mark.parametrize("text", [JAPANESE, THAI])
def test_an_article_in_a_language_without_spaces_is_named_with_the_languages_that_are_read(
    tmp_path: Path, text: str, ending: str
) -> None:
    begin, end = ("\\begin{document}", "\\end{document}") if ending == ".tex" else ("", "")
    (tmp_path / f"river{ending}").write_text(f"{begin}\n{text} ok.\n\n{text}\n{end}")
    report = read_paths([tmp_path], any_text=True)
    assert report.articles == ()
    ((_, reason),) = report.skipped
    assert "without spaces between words" in reason
    assert "from English, Chinese and other" in reason


@pytest.mark.parametrize("text", SPACED)
def test_other_languages_and_words_that_are_quoted_are_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "river.txt").write_text(f"{text}\n\n{text[::-1]}")
    assert not is_without_spaces([text])
    assert len(read_paths([tmp_path]).articles) == 1


@pytest.mark.parametrize(
    "rows", ["0.12 3.45 6.78\n0.90 1.23 4.56\n", "the\nof\nand\n", "的\n了\n和\n", "/* / 200\n"]
)
def test_rows_of_numbers_and_lists_of_words_are_no_article(tmp_path: Path, rows: str) -> None:
    (tmp_path / "data.txt").write_text(rows * 20)
    report = read_paths([tmp_path])
    ((_, reason),) = report.skipped
    assert reason in ("It contains no sentences.", "It contains no text.")
    assert not has_sentences(rows.splitlines())
    assert has_sentences([*rows.splitlines(), "The river rose in spring."])
