"""Question banks of learning platforms and flashcards: their keys are right, nothing gives one
away, and what is neither a choice nor a short answer says so."""

from pathlib import Path

import pytest

from core.errors import InputError
from core.families.intake import (
    AcceptedRow,
    ImportTarget,
    beginning,
    preview_of,
    read,
    recognised,
    refuse_lost_options,
)
from core.sources.imports import ImportRow, RefusedRow, import_format

GIFT = r"""// question: 0  name: Switch category
$CATEGORY: $course$/top/Water

::Q1:: Who reads the gauge? {=The miller#Right! ~nobody#Wrong ~the mayor }

::Q2::[html]<p>Which are <b>dry</b>?</p>{
	~%50%sand
	~%50%dust
	~%-100%rain
}

::Q3:: The gauge stands by the bridge.{T}

::Q4:: Two plus two equals { =four =4 }

::Q5:: When was it built? {#1822:5}

// a remark
::Q6:: Match them. {
  =mill -> wheel
  =weir -> gate
}

::Q7:: The lid costs {~a lot =nothing} to replace.

Write about the river. {}

::Q8:: What is 2 \= 1 \{set\}\: escaped? {=yes\~no ~never}
"""
MOODLE = """<?xml version="1.0" encoding="UTF-8"?>
<quiz>
 <question type="category"><category><text>$course$/top/Water</text></category></question>
 <question type="multichoice"><name><text>q</text></name>
  <questiontext format="html"><text><![CDATA[<p>What is <b>water</b>?</p>]]></text></questiontext>
  <generalfeedback format="html"><text><![CDATA[<p>Two and one.</p>]]></text></generalfeedback>
  <single>true</single>
  <answer fraction="0"><text>CO2</text><feedback><text>No</text></feedback></answer>
  <answer fraction="100" format="html"><text><![CDATA[<p>H2O</p>]]></text></answer></question>
 <question type="multichoice"><name><text>g</text></name>
  <questiontext><text>Which are gases?</text></questiontext>
  <answer fraction="50"><text>Helium</text></answer>
  <answer fraction="-100"><text>Iron</text></answer>
  <answer fraction="50"><text>Neon</text></answer></question>
 <question type="shortanswer"><name><text>s</text></name>
  <questiontext><text>Symbol of iron?</text></questiontext>
  <answer fraction="100"><text>Fe</text></answer></question>
 <question type="essay"><name><text>e</text></name>
  <questiontext><text>Describe rust.</text></questiontext></question>
</quiz>
"""
AIKEN = """Where does the gauge stand?
A. In town
B. By the bridge
C. At the mill
ANSWER: B

Who reads it?
A) Nobody
B) The miller
ANSWER: A
"""
QTI = """<?xml version="1.0" encoding="UTF-8"?>
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p2" identifier="i1" title="Water">
 <responseDeclaration identifier="RESPONSE" cardinality="multiple" baseType="identifier">
  <correctResponse>{right}</correctResponse></responseDeclaration>
 <itemBody dir="ltr"><p>Think of the gauge.</p>
  <choiceInteraction responseIdentifier="RESPONSE" maxChoices="0"><prompt>What is dry?</prompt>
   <simpleChoice identifier="S">Sand
    <feedbackInline identifier="S">Yes!</feedbackInline></simpleChoice>
   <simpleChoice identifier="R">Rain</simpleChoice>
   <simpleChoice identifier="D">Dust</simpleChoice>
  </choiceInteraction>
  <feedbackBlock identifier="S"><p>That is right.</p></feedbackBlock></itemBody>
</assessmentItem>
"""
ANKI = (
    "#separator:tab\n#html:true\n#guid column:1\n#deck column:2\n#tags column:5\n"
    "a1\tGeo\tCapital of <b>Peru</b>?\tLima\tgeo\n"
    "a2\tGeo\tLongest river?\tThe Nile<br>(6,650 km)\tgeo water\n"
)


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def taken(path: Path, family: str = ""):
    first = beginning(path)
    target = ImportTarget(family or recognised(first))
    mapping = preview_of(first, target).mapping
    refuse_lost_options(first, mapping, target)
    rows = list(read(path, target, mapping))
    items = [row.content.payload for row in rows if isinstance(row, AcceptedRow)]
    return target.family, items, [row.line for row in rows if isinstance(row, RefusedRow)]


def test_gift_gives_its_questions_with_their_keys(tmp_path):
    path = written(tmp_path, "quiz.gift", GIFT)
    family, items, refused = taken(path)
    assert family == "choice"
    assert [(item["question"], item["options"], item["key"]) for item in items] == [
        ("Who reads the gauge?", ["The miller", "nobody", "the mayor"], "A"),
        ("Which are dry?", ["sand", "dust", "rain"], "AB"),
        ("The gauge stands by the bridge.", ["True", "False"], "A"),
        ("The lid costs _____ to replace.", ["a lot", "nothing"], "B"),
        ("What is 2 = 1 {set}: escaped?", ["yes~no", "never"], "A"),
    ]
    assert len(refused) == 4
    family, items, refused = taken(path, "answer")
    assert [(item["question"], item["answers"]) for item in items] == [
        ("Two plus two equals", ["four", "4"]),
        ("When was it built?", ["1822"]),
    ]
    assert len(refused) == 7


def test_what_is_said_to_answers_stays_beside_the_question(tmp_path):
    path = written(tmp_path, "quiz.gift", GIFT)
    first = next(import_format(path).rows(path))
    assert isinstance(first, ImportRow)
    assert first.values["feedback"] == ["Right!", "Wrong", ""]
    assert first.values["category"] == "$course$/top/Water"


def test_moodle_gives_its_questions_with_their_keys(tmp_path):
    path = written(tmp_path, "quiz.xml", MOODLE)
    family, items, refused = taken(path)
    assert family == "choice"
    assert [(i["question"], i["options"], i["key"], i["rationale"]) for i in items] == [
        ("What is water?", ["CO2", "H2O"], "B", "Two and one."),
        ("Which are gases?", ["Helium", "Iron", "Neon"], "AC", ""),
    ]
    assert refused == [3, 4]
    assert [item["answers"] for item in taken(path, "answer")[1]] == [["Fe"]]


def test_aiken_gives_its_questions_with_their_keys(tmp_path):
    family, items, refused = taken(written(tmp_path, "quiz.txt", AIKEN))
    assert (family, refused) == ("choice", [])
    assert [(item["options"], item["key"]) for item in items] == [
        (["In town", "By the bridge", "At the mill"], "B"),
        (["Nobody", "The miller"], "A"),
    ]


@pytest.mark.parametrize(
    ("right", "key"),
    [("<value>S</value><value>D</value>", "AC"), ("<value>R</value>", "B")],
)
@pytest.mark.parametrize("version", [2, 3])
def test_an_item_of_qti_has_its_key_and_no_feedback(tmp_path, right, key, version):
    text = QTI.replace("{right}", right)
    if version == 3:
        for old, new in (("assessmentItem", "qti-assessment-item"), ("itemBody", "qti-item-body"),
                         ("responseDeclaration", "qti-response-declaration"),
                         ("correctResponse", "qti-correct-response"), ("value>", "qti-value>"),
                         ("choiceInteraction", "qti-choice-interaction"),
                         ("<prompt>", "<qti-prompt>"), ("</prompt>", "</qti-prompt>"),
                         ("simpleChoice", "qti-simple-choice"),
                         ("responseIdentifier", "response-identifier"),
                         ("feedbackInline", "qti-feedback-inline"),
                         ("feedbackBlock", "qti-feedback-block")):  # fmt: skip
            text = text.replace(old, new)
    _, [item], refused = taken(written(tmp_path, "item.xml", text))
    assert refused == []
    assert item["question"] == "Think of the gauge.\nWhat is dry?"
    assert (item["options"], item["key"]) == (["Sand", "Rain", "Dust"], key)


def test_what_stands_behind_feedback_stays_in_its_place(tmp_path):
    told = "<feedbackInline identifier='R'>no</feedbackInline>"
    text = QTI.replace("{right}", "<value>S</value>").replace(
        "<prompt>What is dry?", f"<prompt>What{told} is <b>very</b> dry?"
    )
    _, [item], _ = taken(written(tmp_path, "item.xml", text))
    assert item["question"] == "Think of the gauge.\nWhat is very dry?"


def test_gift_as_its_rules_allow_it(tmp_path):
    """An arrow in an option, an answer without a sign, formats of parts, ranges of numbers."""
    text = (
        "How is coffee made?{~go out -> order it =get powder -> add water}\n\n"
        "How is the word for 1 written? {One}\n\n"
        "[html]<p>Who?</p>{~[moodle]Nobody =[html]<b>Ada</b> ####<p>She <i>was</i>.</p>}\n\n"
        "Any from 1 to 5?{#1..5}\n\n"
        "Match.{=a -> 1 =b -> 2}\n"
    )
    path = written(tmp_path, "quiz.gift", text)
    rows = [row for row in import_format(path).rows(path) if isinstance(row, ImportRow)]
    assert [row.values.get("options") or row.values["answers"] for row in rows] == [
        ["go out -> order it", "get powder -> add water"], ["One"], ["Nobody", "Ada"],
    ]  # fmt: skip
    assert rows[2].values["explanation"] == "She was."
    refused = [row for row in import_format(path).rows(path) if not isinstance(row, ImportRow)]
    assert [row.line for row in refused] == [7, 9]


def test_what_gives_some_points_beside_a_whole_answer_is_not_right(tmp_path):
    text = "From?{~Rome ~%25%Bethlehem ~%50%Galilee =Nazareth}\n\nBoth?{~%50%a ~%50%b ~%-100%c}\n"
    path = written(tmp_path, "quiz.gift", text)
    rows = [row for row in import_format(path).rows(path) if isinstance(row, ImportRow)]
    assert [row.values["key"] for row in rows] == ["D", "AB"]
    assert "%50%Galilee" in rows[0].values["graded"]


def test_an_older_qti_says_what_to_do(tmp_path):
    text = "<questestinterop><item ident='1'/><item ident='2'/></questestinterop>"
    path = written(tmp_path, "canvas.xml", text)
    with pytest.raises(InputError, match="Moodle XML, GIFT"):
        list(import_format(path).rows(path))


def test_flashcards_are_questions_with_answers(tmp_path):
    path = written(tmp_path, "deck.txt", ANKI)
    family, items, refused = taken(path)
    assert (family, refused) == ("answer", [])
    assert [(item["question"], item["answers"]) for item in items] == [
        ("Capital of Peru?", ["Lima"]),
        ("Longest river?", ["The Nile\n(6,650 km)"]),
    ]
    row = next(import_format(path).rows(path))
    assert isinstance(row, ImportRow)
    assert (row.values["guid"], row.values["deck"], row.values["tags"]) == ("a1", "Geo", "geo")


def test_a_gap_of_a_flashcard_is_asked_for(tmp_path):
    text = "#separator:tab\n#html:false\nThe {{c1::Nile::river}} is in Africa.\tSo it is.\n"
    _, [item], _ = taken(written(tmp_path, "deck.txt", text))
    assert (item["question"], item["answers"]) == ("The _____ is in Africa.", ["Nile"])
    path = written(tmp_path, "tagged.txt", "#separator:tab\n#deck column:3\n{{c1::Nile}}?\tS\tS\n")
    row = next(import_format(path).rows(path))
    assert isinstance(row, ImportRow)
    assert (row.values["deck"], row.values["back"]) == ("S", "S")


def test_a_share_that_is_no_number_gives_no_points(tmp_path):
    text = MOODLE.replace('fraction="-100"', 'fraction="minus"')
    assert [item["key"] for item in taken(written(tmp_path, "quiz.xml", text))[1]] == ["B", "AC"]
    text = "Which?{~%1.2.3%rain =sand}\n\n::Q::Why?{=so ~not}\n"
    assert [i["key"] for i in taken(written(tmp_path, "quiz.gift", text))[1]] == ["B", "A"]


def test_a_mark_that_is_never_closed_refuses_its_card_alone(tmp_path):
    cards = '#separator:tab\nCapital of Peru?\tLima\n"What' + " is it?" * 30_000
    rows = list(import_format(path := written(tmp_path, "deck.txt", cards)).rows(path))
    assert [type(row) for row in rows] == [ImportRow, RefusedRow]
    assert "never closed" in rows[1].reason


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", "\n" * 200_000), ("a.gift", "::Q::" + "{" * 200_000),
     ("a.gift", "Q {" + "~%" * 100_000), ("a.yml", "nlu:\n" + "\n" * 200_000),
     ("b.yml", 'nlu:\n- intent: a\n  examples: "- ' + "[" * 200_000 + '"\n'),
     ("a.txt", "#separator:tab\n" + "{{c1::" * 20_000 + "\tx\n")],
)  # fmt: skip
def test_what_never_ends_is_read_through_once(tmp_path, name, text):
    path = written(tmp_path, name, text)
    try:
        rows = list(import_format(path).rows(path))
    except InputError:
        rows = []
    assert len(rows) < 3
