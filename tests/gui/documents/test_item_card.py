"""How items of each family are written on the page, and two texts against each other."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QTextCursor, QTextDocument, QTextTable

from core.families import FAMILIES
from core.families.base import Defect, ItemContent
from core.families.rewrite_payload import UPDATED
from core.i18n import set_language
from gui import theme
from gui.documents.diff import parts, write_side
from gui.documents.item_card import CardText, card_document
from gui.documents.writer import INDENT, MEASURE, Writer

SAMPLES = [(known, name) for known in FAMILIES for name in known.formats]


def drawn(content: ItemContent, *, key: bool = False) -> str:
    document = card_document(CardText(7, content, key=key), theme.LIGHT)
    assert isinstance(document, QTextDocument)
    return document.toPlainText()


@pytest.mark.parametrize(("known", "name"), SAMPLES, ids=[f"{k.name}-{n}" for k, n in SAMPLES])
def test_a_sample_of_every_format_is_written_with_its_text(known, name, qapp):
    content = known.sample(name)
    said = " ".join(drawn(content, key=True).split())
    for field in ("text", "input", "output", "original"):
        value = " ".join(str(content.payload.get(field, "")).split())
        assert "▢" in value or "[" in value or value[:20] in said


@pytest.mark.parametrize("known", FAMILIES, ids=[known.name for known in FAMILIES])
def test_items_with_every_defect_can_be_looked_at(known, qapp):
    for content in known.planted().values():
        assert drawn(content, key=True)


@pytest.mark.parametrize("known", FAMILIES, ids=[known.name for known in FAMILIES])
@pytest.mark.parametrize(
    "payload",
    [{}, {"text": None}, {"text": 3, "labels": "x"}, {"instruction": [], "output": "x"}],
)
def test_a_payload_of_another_shape_is_shown_as_it_is(known, payload, qapp):
    assert "#7" in drawn(ItemContent(known.name, known.formats[0], payload))


@pytest.mark.parametrize(("name", "field", "marks"),
                         [("answer", "answers", "123"), ("choice", "options", "ABC")])  # fmt: skip
def test_options_read_from_the_right_are_whole_behind_their_letter(name, field, marks, qapp):
    known = next(known for known in FAMILIES if known.name == name)
    texts = ["بيتسبرغ ستيلرز", "هزم البرونكوس فريق بيتسبرغ ستيلرز " * 6, "42"]
    sample = known.sample(known.formats[0])
    payload = {**sample.payload, "question": "من الذي خسر أمام البرونكوس؟", field: texts}
    content = ItemContent(name, known.formats[0], payload)
    document = card_document(CardText(7, content), theme.LIGHT, width=400)
    for mark, text in zip(marks, texts, strict=True):
        block = document.find(text[:9]).block()
        assert block.text().startswith(f"{mark}\t")
        line, left = block.layout().lineAt(0), block.layout().position().x()
        start, behind = (left + line.cursorToX(place)[0] for place in (0, 2))
        assert behind < start <= 400


def test_a_defect_is_named_in_the_language_of_the_window(qapp):
    set_language("zh")
    content = FAMILIES[0].sample(FAMILIES[0].formats[0])
    card = CardText(7, content, key=True, defects=(Defect("repeated_options", "A, B"),))
    assert "选项重复  A, B" in card_document(card, theme.LIGHT).toPlainText()


def pair(**more) -> ItemContent:
    known = next(known for known in FAMILIES if known.name == "rewrite")
    payload = {
        **known.sample(UPDATED).payload,
        "task": "mrpc",
        "second": "Cheers met the night ferry at Eastby.",
        "original_second": "Cheers met the lighthouse at Westmoor.",
        "semantic_second": "The lighthouse met with cheers at Westmoor.",
        **more,
    }
    return ItemContent("rewrite", UPDATED, payload)


def test_sentence_pairs_show_both_texts_of_both_pairs(qapp):
    said = drawn(pair())
    for text in (
        "Cheers met the night ferry",
        "Cheers met the lighthouse",
        "night ferry came back",
    ):
        assert text in said


def test_the_semantic_rewrite_is_shown_only_on_request(qapp):
    assert "The lighthouse met with cheers" not in drawn(pair())
    assert "The lighthouse met with cheers" in drawn(pair(), key=True)


def test_both_texts_can_be_read_off_their_differences():
    before, after = "春天来了，河水涨了。", "夏天来了，the river 涨了。"
    pieces = list(parts(before, after))
    assert "".join(text for text, kind in pieces if kind != "new") == before
    assert "".join(text for text, kind in pieces if kind != "gone") == after
    assert ("天来了，", "same") not in pieces
    assert any(text == "春" and kind == "gone" for text, kind in pieces)


def test_very_long_texts_are_not_compared_word_by_word():
    long = "a b " * 20_000
    assert [kind for _, kind in parts(long, long + "c")] == ["gone", "new"]


def test_a_side_holds_its_own_text_only(qapp):
    for side, wanted in (("before", "one two"), ("after", "one three")):
        writer = Writer(theme.LIGHT)
        write_side(writer, "one two", "one three", side)
        assert writer.finish().toPlainText() == wanted


def test_chinese_punctuation_is_full_width_in_chinese_text_and_narrow_in_english(qapp):
    theme.apply(qapp, "light")
    size = 20
    wide = QFontMetricsF(theme.font(size, chinese=True)).horizontalAdvance("，”")
    narrow = QFontMetricsF(theme.font(size, chinese=False)).horizontalAdvance("，”")
    assert wide == pytest.approx(2 * size, abs=2)
    assert narrow < wide


@pytest.mark.parametrize("code", ["zh", "en"])
def test_a_heading_has_the_punctuation_of_the_window_and_not_of_its_item(qapp, code: str):
    set_language(code)
    theme.apply(qapp, "light")
    widths = []
    for chinese in (True, False):
        writer = Writer(theme.LIGHT, chinese=chinese)
        document = writer.title("选项（甲，乙）", before=0).finish()
        document.setTextWidth(400)
        widths.append(document.begin().layout().lineAt(0).naturalTextWidth())
    set_language("en")
    assert widths[0] == pytest.approx(widths[1])
    assert (widths[0] == pytest.approx(7 * theme.SMALL_PX, abs=2)) == (code == "zh")


def test_the_key_of_a_question_is_shown_only_when_it_is_asked_for(qapp):
    known = next(known for known in FAMILIES if known.name == "choice")
    content = known.sample("choice")
    hidden, shown = drawn(content), drawn(content, key=True)
    assert all(option in hidden for option in content.payload["options"])
    assert content.payload["rationale"] not in hidden
    assert content.payload["rationale"] in shown
    assert shown != hidden


CODE = """class Gate:
    def open(self):
        pass

    def close(self):
        if self.isopen:
            self.isopen = False
"""


def test_code_keeps_its_lines_and_their_indentation(qapp):
    payload = {"instruction": "Complete the class.", "input": CODE, "output": "done"}
    assert CODE.rstrip() in drawn(ItemContent("instruction", "triplet", payload))


def test_every_line_of_an_option_stands_behind_its_letter(qapp):
    options = ["Two kinds:\n   - one of them\n   - another\n\nSo it is one.", "None."]
    known = next(known for known in FAMILIES if known.name == "choice")
    payload = {**known.sample("choice").payload, "options": options}
    document = card_document(CardText(7, ItemContent("choice", "choice", payload)), theme.LIGHT)
    text = document.toPlainText()
    assert "   - one of them\n   - another\n\nSo it is one.\nB\tNone." in text
    block = document.findBlock(text.index("- another"))
    assert block.text().startswith("A\t")
    left = [block.layout().lineAt(n).naturalTextRect().left() for n in range(1, 5)]
    assert min(left) >= INDENT


def test_a_table_in_a_passage_is_drawn_as_one(qapp):
    known = next(known for known in FAMILIES if known.name == "answer")
    rows = "| Year | Place |\n|:---|---|\n| 2004 | Athens |\n| 2008 | |"
    payload = {**known.sample("answer").payload, "passage": f"Medals:\n{rows}\n\nOf one man."}
    document = card_document(CardText(7, ItemContent("answer", "answer", payload)), theme.LIGHT)
    (table,) = (f for f in document.rootFrame().childFrames() if isinstance(f, QTextTable))
    assert (table.rows(), table.columns()) == (3, 2)
    cells = [
        table.cellAt(row, column).firstCursorPosition().block().text()
        for row in range(3)
        for column in range(2)
    ]
    assert cells == ["Year", "Place", "2004", "Athens", "2008", ""]
    text = document.toPlainText()
    assert "|" not in text
    assert text.index("Medals:") < text.index("Athens") < text.index("Of one man.")


def test_a_column_of_a_table_stands_to_the_side_that_its_rule_says(qapp):
    _document, table = _tables_of(
        "| Year | Sales | Rank | Note |\n|---|---:|:-:|:--|\n| 1 | 2 | 3 | 4 |"
    )
    right, middle = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter
    for row in (0, 1):
        sides = [
            table.cellAt(row, column).firstCursorPosition().blockFormat().alignment()
            for column in range(4)
        ]
        assert sides[1] == right
        assert sides[2] == middle
        assert not (sides[0] | sides[3]) & (right | middle)


def _tables_of(passage: str) -> tuple[QTextDocument, QTextTable]:
    known = next(known for known in FAMILIES if known.name == "answer")
    payload = {**known.sample("answer").payload, "passage": passage}
    document = card_document(CardText(7, ItemContent("answer", "answer", payload)), theme.LIGHT)
    (table,) = (f for f in document.rootFrame().childFrames() if isinstance(f, QTextTable))
    return document, table


def _broken_words(table: QTextTable) -> list[str]:
    """The beginnings of cells up to where a line ends within a word."""
    broken = []
    for row in range(table.rows()):
        for column in range(table.columns()):
            block = table.cellAt(row, column).firstCursorPosition().block()
            lines = [block.layout().lineAt(n) for n in range(block.layout().lineCount())]
            ends = [line.textStart() + line.textLength() for line in lines[:-1]]
            broken += [block.text()[:end] for end in ends if block.text()[end - 1].isalnum()]
    return broken


@pytest.mark.parametrize("columns", [3, 5, 7])
def test_no_word_is_broken_in_a_cell_where_the_page_has_room_for_all(columns, qapp):
    head = ["Rank", "Opponent", "Competition", "Place", "TV", "Result", "Attendance"][:columns]
    cells = ["September 3", "Tennessee–Chattanooga (away)", "European Championships of juniors",
             "Legion Field, Birmingham", "ABC", "W 42–13", "82,109"][:columns]  # fmt: skip
    rows = [head, ["---"] * columns, cells, *([cells[0], "Arkansas", *cells[2:]],) * 3]
    document, table = _tables_of("\n".join(f"| {' | '.join(row)} |" for row in rows))
    assert _broken_words(table) == []
    assert document.size().width() <= MEASURE


@pytest.mark.parametrize("short", ["1956–1962", "10-12-2004", "3.14159/2.71828", "ab\u00a0cd efgh"])
def test_what_qt_does_not_end_a_line_in_has_its_room_in_a_table(short, qapp):
    long = "35 mm and 828, daylight (ASA 25/early) and Type A for tungsten (ASA 40 to 64/late)"
    rows = "\n".join(f"| Kodachrome Professional film | {long} | {short} |" for _ in range(3))
    _document, table = _tables_of(f"| Film | Type | Date |\n|---|---|---|\n{rows}")
    assert _broken_words(table) == []


def test_fenced_code_is_set_in_letters_of_one_width_and_keeps_its_signs(qapp):
    code = "```python\ndef f(cost):\n\n    return f'${cost}$'\n```"
    payload = {"instruction": f"What does it give?\n\n{code}\n\nSay why it costs $x^2$.",
               "input": "", "output": "done"}  # fmt: skip
    content = ItemContent("instruction", "triplet", payload)
    document = card_document(CardText(7, content), theme.LIGHT)
    text = document.toPlainText()
    assert code in text
    block = document.findBlock(text.index("return"))
    faces = {sign: _face(document, text.index(sign)) for sign in ("def", "return f'")}
    assert block.text().startswith("```python")
    assert faces == dict.fromkeys(faces, theme.MONOSPACE[0])
    assert _face(document, text.index("What")) != theme.MONOSPACE[0]
    assert "Say why" not in block.text()


def _face(document, place):
    cursor = QTextCursor(document)
    cursor.setPosition(place + 1)
    families = cursor.charFormat().fontFamilies()
    return families[0] if families else ""


@pytest.mark.parametrize(
    ("question", "options", "leftward"),
    [
        ("ما النموذج الذي استعمله الباحثون؟", ["GPT-4", "نموذج صغير", "42"], True),
        ("Which word is Arabic for “book”?", ["قلم", "book", "42"], False),
        ("Which word is Arabic for “book”?", ["قلم", "كتاب", "42"], True),
        ("ما اسم النموذج؟", ["GPT-4", "BERT", "42"], False),
    ],
)
def test_options_stand_on_one_side_of_the_page(question, options, leftward, qapp):
    known = next(known for known in FAMILIES if known.name == "choice")
    sample = known.sample(known.formats[0])
    payload = {**sample.payload, "question": question, "options": options}
    content = ItemContent("choice", known.formats[0], payload)
    document = card_document(CardText(7, content), theme.LIGHT, width=400)
    blocks = [document.begin()]
    while blocks[-1].next().isValid():
        blocks.append(blocks[-1].next())
    listed = [block for block in blocks if block.text()[1:2] == "\t"]
    sides = [block.blockFormat().layoutDirection() for block in listed]
    side = Qt.LayoutDirection.RightToLeft if leftward else Qt.LayoutDirection.LeftToRight
    assert sides == [side] * len(options)
