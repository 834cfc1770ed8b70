"""PDF: two columns, hyphens, running heads and page numbers; what is not sure stays out."""

from collections import Counter
from pathlib import Path

import pytest

from core.sources.articles.pdf import has_loose_dash, has_split_word, whole_words
from core.sources.articles.prose.citations import spelled_out
from core.sources.articles.read_paths import read_paths

LEFT = (
    "The gauge on the northern bank was read by hand",
    "for a whole week. The water of the river car-",
    "ried much more sand than anybody had seen in",
    "years before. Nobody knew why the river did so.",
)
RIGHT = (
    "A second gauge was built on the other bank. It",
    "was read by a machine, and the sand that was",
    "carried past it was weighed each evening. The",
    "two gauges agreed within a few parts in ten.",
)


def pdf(path: Path, pages: int = 3) -> None:
    """Pages of two columns with a running head and a page number."""
    from PySide6.QtCore import QMarginsF
    from PySide6.QtGui import QFont, QPageLayout, QPageSize, QPainter, QPdfWriter

    writer = QPdfWriter(str(path))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)
    writer.setResolution(72)
    painter = QPainter(writer)
    painter.setFont(QFont("DejaVu Sans", 9))
    for page in range(pages):
        if page:
            writer.newPage()
        painter.drawText(60, 30, "Journal of Rivers")
        painter.drawText(290, 820, str(page + 1))
        painter.drawText(60, 120, "The weight that was carried past is carried on.")
        for column, lines in ((50, LEFT), (310, RIGHT)):
            for index, line in enumerate(lines):
                painter.drawText(column, 160 + 12 * index, line)
    painter.end()


def ruled(path: Path, first: int = 1) -> None:
    """Pages of two columns of twelve lines, which are numbered in the margins on both sides."""
    from PySide6.QtCore import QMarginsF
    from PySide6.QtGui import QFont, QPageLayout, QPageSize, QPainter, QPdfWriter

    writer = QPdfWriter(str(path))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)
    writer.setResolution(72)
    painter = QPainter(writer)
    number = first
    for page in range(3):
        if page:
            writer.newPage()
        for column, margin, lines in ((60, 12, LEFT), (310, 575, RIGHT)):
            for index, line in enumerate(lines * 3):
                at = 160 + 12 * index
                painter.setFont(QFont("DejaVu Sans", 7))
                painter.drawText(margin, at, f"{number:03}")
                painter.setFont(QFont("DejaVu Sans", 9))
                painter.drawText(column, at, line)
                number += 1
    painter.end()


def test_a_compound_with_a_capital_keeps_its_hyphen_at_the_end_of_a_line(
    tmp_path: Path, qapp: object
) -> None:
    broken = ("The sand was weighed each evening by the River-", "Valley gauge, and the Hindi–",
              "English keeper read what it said before dawn.")  # fmt: skip
    page_of(tmp_path / "compound.pdf", [("", line) for line in (*LEFT, *broken, *RIGHT) * 2])
    report = read_paths([tmp_path / "compound.pdf"])
    whole = " ".join(p.text for p in report.articles[0].paragraphs)
    assert "by the River-Valley gauge, and the Hindi–English keeper" in whole


def test_numbers_of_lines_in_the_margins_are_no_text(tmp_path: Path, qapp: object) -> None:
    ruled(tmp_path / "review.pdf")
    report = read_paths([tmp_path / "review.pdf"])
    assert report.articles, report.skipped
    whole = " ".join(p.text for p in report.articles[0].paragraphs)
    assert " ".join(LEFT).replace("car- ried", "carried") in whole
    assert " ".join(RIGHT) in whole
    assert not any(sign.isdigit() for sign in whole)


@pytest.fixture
def article_text(tmp_path: Path, qapp: object) -> tuple[str, tuple[str, ...]]:
    pdf(tmp_path / "river.pdf")
    report = read_paths([tmp_path / "river.pdf"])
    assert report.articles, report.skipped
    paragraphs = report.articles[0].paragraphs
    return (
        "\n".join(p.text for p in paragraphs if p.kind == "text"),
        tuple(note for _, note in report.notes),
    )


def test_columns_are_read_one_after_the_other_and_hyphens_are_joined(
    article_text: tuple[str, tuple[str, ...]],
) -> None:
    text, notes = article_text
    assert " ".join(LEFT).replace("car- ried", "carried") in text
    assert " ".join(RIGHT) in text
    assert "Journal of Rivers" not in text
    assert notes == ("It was read from a PDF, which is less reliable than its source.",)


def page_of(path: Path, lines: list[tuple[str, str]], notes_behind: tuple[int, ...] = ()) -> None:
    """Evenly spaced lines, each with a part in bold type before its text; behind some of them may
    stand the raised mark of a note."""
    from PySide6.QtCore import QMarginsF
    from PySide6.QtGui import QFont, QFontMetricsF, QPageLayout, QPageSize, QPainter, QPdfWriter

    writer = QPdfWriter(str(path))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)
    writer.setResolution(72)
    painter = QPainter(writer)
    plain, bold = QFont("DejaVu Sans", 9), QFont("DejaVu Sans", 9, QFont.Weight.Bold)
    for index, (strong, text) in enumerate(lines):
        at = 160 + 12 * index
        painter.setFont(bold)
        painter.drawText(60, at, strong)
        painter.setFont(plain)
        width = QFontMetricsF(bold, writer).horizontalAdvance(strong + " ") if strong else 0
        painter.drawText(60 + round(width), at, text)
        if index in notes_behind:
            end = QFontMetricsF(plain, writer).horizontalAdvance(text)
            painter.setFont(QFont("DejaVu Sans", 5))
            painter.drawText(60 + round(end), at - 4, "7")
    painter.end()


def test_headings_in_bold_type_end_a_paragraph_and_are_no_part_of_one(
    tmp_path: Path, qapp: object
) -> None:
    body = [("", line) for line in (*LEFT, *RIGHT)]
    body[1] = ("", "for a whole week. The water of the river carried")
    body[2] = ("", "with it much more sand than anybody had seen in")
    page_of(
        tmp_path / "bold.pdf",
        [
            *body,
            ("Shortcomings of the Gauges", ""),
            *((strong, line.replace("week", "year")) for strong, line in body),
            ("Names of rivers.", "Each river has a name that is its own alone."),
            ("", "That it is so makes sure that nobody is misled here."),
            ("Bibliography", ""),
            ("", "Gauge, Mary. My rivers and yours. The Journal of Sand."),
            ("", "All that is gold is not sand. The Journal of Rivers."),
        ],
    )
    report = read_paths([tmp_path / "bold.pdf"])
    paragraphs = report.articles[0].paragraphs
    text = [p.text for p in paragraphs if p.kind == "text"]
    assert [p.text for p in paragraphs if p.kind == "heading"] == [
        "Shortcomings of the Gauges", "Bibliography",
    ]  # fmt: skip
    assert len(text) == 2
    assert all(t.startswith("The gauge") and t.endswith("in ten.") for t in text)
    assert [p.kind for p in paragraphs if "misled" in p.text] == ["doubtful"]
    assert [p.kind for p in paragraphs if "Mary" in p.text] == ["reference"]


def test_lines_that_hyphens_join_do_not_end_a_paragraph_and_marks_of_notes_are_no_part_of_it(
    tmp_path: Path, qapp: object
) -> None:
    said = [
        "The gauge on the northern bank was read by the mil-",
        "ler for a whole week, and the water was of a differ-",
        "ent colour. The keeper of the weir then came to un-",
        "derstand why so much sand was carried by the river",
        "in the spring, which nobody had seen before in it.",
    ]
    page_of(tmp_path / "broken.pdf", [("", line) for line in said * 3], (4, 9))
    report = read_paths([tmp_path / "broken.pdf"])
    whole = " ".join(said).replace("mil- ler", "miller").replace("differ- ent", "different")
    whole = whole.replace("un- derstand", "understand")
    texts = [p.text for p in report.articles[0].paragraphs if p.kind == "text"]
    assert texts == [" ".join([whole] * 3)]


def test_a_word_that_a_line_broke_is_whole_or_its_paragraph_unsure() -> None:
    words = Counter({"fullsample": 0, "full-sample": 2, "measured": 1})
    said = whole_words("A full\x02sample was mea\x02sured at odd\x02ends.", words)
    assert spelled_out(said) == ("A full-sample was measured at oddends.", False)


def test_a_word_that_kerning_draws_in_two_is_seen_by_the_words_of_the_document() -> None:
    words = Counter({
        "plataforma": 2, "Pla": 1, "taforma": 1, "data": 2, "set": 3, "dataset": 2,
        "in": 2, "to": 3, "into": 2, "may": 2, "be": 3, "maybe": 2,
    })  # fmt: skip
    assert has_split_word("La Pla taforma es nueva.", words)
    assert not has_split_word("The data set may be put in to it.", words)
    assert not has_split_word("Nobody knows this platform.", words)


def test_blanks_beside_dashes_count_only_where_none_has_one_by_itself() -> None:
    lopsided = "The Ross –Macdonald theory of the years 1900– 2009 holds."
    assert has_loose_dash("It is the Ross – Macdonald theory.", lopsided)
    assert has_loose_dash(lopsided, lopsided)
    assert not has_loose_dash("It is the Ross–Macdonald theory.", lopsided)
    aside = "The mill – an old one – stands."
    assert not has_loose_dash(aside, f"{aside}\nA Ross–Macdonald theory.")


def test_a_damaged_pdf_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    report = read_paths([tmp_path])
    assert not report.articles
    assert "Could not open the PDF" in report.skipped[0][1]
