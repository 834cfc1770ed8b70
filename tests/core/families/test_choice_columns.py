"""Where foreign files have their options and keys, and which words their columns are called by."""

import json

import pytest

from core.families import choice_columns
from core.families.intake import AcceptedRow, ImportTarget, beginning, preview_of, read, recognised

OPTIONS = ["A lid", "A radio", "A river"]


def taken(folder, rows):
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    first = beginning(path)
    target = ImportTarget(recognised(first))
    found = list(read(path, target, preview_of(first, target).mapping))
    assert all(isinstance(row, AcceptedRow) for row in found)
    return target.family, [row.content.payload for row in found]


@pytest.mark.parametrize(
    "name", ["correct_answer_id", "answer_id", "correct_index", "goldLabelIdx", "answer_choice"]
)
def test_options_that_are_called_answers_are_options_where_something_names_one(tmp_path, name):
    # QuAIL's were all taken for right answers
    rows = [{"id": f"f{n}", "question": f"What keeps water out of {n}?", "answers": OPTIONS,
             name: str(n % 3)} for n in range(6)]  # fmt: skip
    family, found = taken(tmp_path, rows)
    assert family == "choice"
    assert [item["key"] for item in found] == list("ABCABC")


@pytest.mark.parametrize("name", ["option", "answer_options", "possible_answers", "choice_list"])
@pytest.mark.parametrize("lettered", [True, False])
def test_lists_under_other_names_are_options(tmp_path, name, lettered):
    # CMB's were lost, and its letters taken for answers
    options = dict(zip("ABC", OPTIONS, strict=True)) | {"D": ""} if lettered else OPTIONS
    rows = [{"question": f"What keeps water out of {n}?", name: options, "answer": "ABC"[n % 3]}
            for n in range(6)]  # fmt: skip
    family, found = taken(tmp_path, rows)
    assert family == "choice"
    assert [(item["options"], item["key"]) for item in found] == [(OPTIONS, k) for k in "ABCABC"]


def test_a_text_with_commas_under_such_a_name_lists_no_options(tmp_path):
    rows = [{"question": f"Who won race {n}?", "candidate": "Ann, Bo, and Cy", "answer": "Ann"}
            for n in range(4)]  # fmt: skip
    assert taken(tmp_path, rows)[0] == "answer"


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Frage", "Antwort"), ("Frage", "Richtige Antwort"), ("Pregunta", "Respuesta correcta"),
     ("Question", "Réponse"), ("Domanda", "Risposta"), ("質問", "答え"), ("Вопрос", "Ответ"),
     ("Question - max 120 characters", "Correct answer(s) - choose at least one")],
)  # fmt: skip
def test_columns_of_other_languages_are_known(tmp_path, question, answer):
    rows = [{question: f"What keeps water out of gauge {n}?", "A": "lid", "B": "radio", "C": "map",
             answer: "ABC"[n % 3]} for n in range(6)]  # fmt: skip
    family, found = taken(tmp_path, rows)
    assert family == "choice"
    assert [item["key"] for item in found] == list("ABCABC")


@pytest.mark.parametrize(("question", "answer"), [("Frage", "Antwort"), ("Pregunta", "Respuesta")])
def test_questions_with_answers_of_other_languages_are_known(tmp_path, question, answer):
    rows = [{question: f"Was hält Pegel {n} trocken?", answer: f"Deckel {n}"} for n in range(4)]
    family, found = taken(tmp_path, rows)
    assert family == "answer"
    assert [item["answers"] for item in found] == [[f"Deckel {n}"] for n in range(4)]


def test_wrong_options_of_an_earlier_wording_are_none_of_the_question():
    row = {"Pre-Revision Question": "Old?", "Pre-Revision Correct Answer": "a"}
    row |= {f"Pre-Revision Incorrect Answer {n}": f"old {n}" for n in (1, 2, 3)}
    row |= {"Question": "New?", "Correct Answer": "a"}
    row |= {f"Incorrect Answer {n}": f"new {n}" for n in (1, 2, 3)}
    wrong = "+".join(f"Incorrect Answer {n}" for n in (1, 2, 3))
    assert choice_columns.suggested_columns(row) == {
        "options": f"Correct Answer+{wrong}", "key": "Correct Answer", "question": "Question",
    }  # fmt: skip


def test_counted_notes_beside_a_right_option_and_wrong_ones_are_no_options():
    wrong = {f"Incorrect Answer {n}": f"wrong {n}" for n in (1, 2, 3)}
    notes = {f"Feedback_EV_{n}": f"A note {n}." for n in (1, 2)}
    row = {"Question": "Why?", "Correct Answer": "a"} | wrong | notes
    found = choice_columns.suggested_columns(row)
    assert found["options"] == "+".join(["Correct Answer", *wrong])
    assert found["key"] == "Correct Answer"


@pytest.mark.parametrize(
    "options",
    [("Opt one", "Opt two", "Opt three"), ("A)", "B)", "C)"), ("ansA", "ansB", "ansC"),
     ("1st choice", "2nd choice", "3rd choice"), ("First", "Second", "Third"),
     ("Option A text", "Option B text", "Option C text"), ("选项一", "选项二", "选项三"),
     ("Antwort eins", "Antwort zwei", "Antwort drei"), ("选项甲", "选项乙", "选项丙"),
     ("Text of (i)", "Text of (ii)", "Text of (iii)")],
)  # fmt: skip
@pytest.mark.parametrize("key", ["Right answer", "The right one"])
def test_options_that_are_counted_in_any_words_are_options(tmp_path, options, key):
    # a newcomer's own table asked for an instruction and an output
    rows = [{"Nr": str(n + 20), "The question is": f"What keeps water out of gauge {n}?",
             **dict(zip(options, OPTIONS, strict=True)), key: "ABC"[n % 3], "Remark": "easy one"}
            for n in range(6)]  # fmt: skip
    family, found = taken(tmp_path, rows)
    assert family == "choice"
    assert [(item["options"], item["key"]) for item in found] == [(OPTIONS, k) for k in "ABCABC"]
    assert found[2]["question"] == "What keeps water out of gauge 2?"


@pytest.mark.parametrize(
    ("stem", "asking", "key"),
    [
        ("Вариант", "Слово для перевода", "Номер правильного ответа (от 1 до 4)"),
        ("Option", "Term", "Number of the correct answer"),
        ("Antwort", "Begriff", "Nummer der richtigen Antwort"),
        ("选项", "词语", "正确选项的序号"),
    ],
)
def test_a_key_that_is_told_in_a_longer_name_leaves_only_the_question_to_be_asked_for(
    tmp_path, stem, asking, key
):
    path = tmp_path / "words.jsonl"
    rows = [{asking: f"word {n}", **{f"{stem} {k + 1}": text for k, text in enumerate(OPTIONS)},
             key: str(n % 3 + 1)} for n in range(6)]  # fmt: skip
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    first = beginning(path)
    target = ImportTarget(recognised(first))
    assert target.family == "choice"
    mapping = dict(preview_of(first, target).mapping)
    assert mapping["key"] == key
    assert mapping["options"] == "+".join(f"{stem} {k + 1}" for k in range(3))
    found = list(read(path, target, mapping | {"question": asking}))
    assert [row.content.payload["key"] for row in found] == list("ABCABC")


def test_of_a_question_in_two_languages_the_one_that_has_its_options_is_taken(tmp_path):
    rows = [{"question_id": n, "question_fa": f"کدام یک {n}؟ الف) قهرمان ب) بچه ها",
             "question_en": f"Which one of {n}? A) A Hero B) The Children C) Taste of Cherry",
             "gold_answer": "ABC"[n % 3]} for n in range(6)]  # fmt: skip
    family, found = taken(tmp_path, rows)
    assert family == "choice"
    assert [item["key"] for item in found] == list("ABCABC")
    assert found[0]["question"] == "Which one of 0?"
    assert found[0]["options"] == ["A Hero", "The Children", "Taste of Cherry"]


def test_a_text_that_asks_beside_an_answer_is_a_question(tmp_path):
    # a bank of a safety contest: it asked what is to be done with the text
    rows = [{"id": n, "content": f"第{n}类场所的防火巡查多久一次？", "answer": f"每{n + 1}日"}
            for n in range(6)]  # fmt: skip
    family, found = taken(tmp_path, rows)
    assert family == "answer"
    assert found[1]["question"] == "第1类场所的防火巡查多久一次？"
    path = tmp_path / "reviews.jsonl"
    reviews = [{"content": f"The film number {n} was dull.", "label": "negative"} for n in range(6)]
    path.write_text("\n".join(map(json.dumps, reviews)), "utf-8")
    assert recognised(beginning(path)) == "instruction"


def test_counted_columns_of_which_nothing_names_one_are_no_options(tmp_path):
    rows = [{"question": f"Who found moon {n}?", "Author one": "Ann", "Author two": "Bo",
             "answer": f"Cy {n}"} for n in range(4)]  # fmt: skip
    assert taken(tmp_path, rows)[0] == "answer"


@pytest.mark.parametrize("empty", ["", " ", None])
def test_a_question_without_a_key_is_said_to_have_none(empty):
    row = {"question": "What?", "options": ["a lid", "a map"]}
    (said,) = [r for r in choice_columns.choice_rows([{**row, "key": "A"}, {**row, "key": empty}])
               if isinstance(r, str)]  # fmt: skip
    assert said == "It has no key: nothing says which option is right."


def test_of_a_pair_of_sentences_the_good_one_is_asked_for(tmp_path):
    rows = [{"sentence_good": f"Who hugs Ann {n}?", "sentence_bad": f"Who Ann hugs {n}?",
             "pairID": str(n)} for n in range(8)]  # fmt: skip
    path = tmp_path / "adjunct_island.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first = beginning(path)
    target = ImportTarget(recognised(first))
    taken = list(read(path, target, preview_of(first, target).mapping))
    payloads = [row.content.payload for row in taken if isinstance(row, AcceptedRow)]
    right = [payload["options"]["AB".index(payload["key"])] for payload in payloads]
    assert right == [row["sentence_good"] for row in rows]
    assert {payload["key"] for payload in payloads} == {"A", "B"}


@pytest.mark.parametrize("text", ["2in of 5or 6", "[2in 3", r"[0,1)\cup\{3\}", "[1, 2]if x"])
def test_what_is_no_literal_is_no_trouble_of_a_program(text):
    assert choice_columns.listed_texts(text) == []
