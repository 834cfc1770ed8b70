"""The baselines: real, tiny, and readable by hand."""

from collections import Counter
from pathlib import Path

from core.evaluation.engines import engine
from core.evaluation.engines.overlap import overlap_scores
from core.evaluation.types import EngineContext, EngineParams, Question
from tests.questions import work_rows
from tests.splits import make_split

LETTERS = ("A", "B", "C", "D")


def choose(name: str, asked: list[Question], seed: int = 0) -> dict[str, str]:
    context = EngineContext(EngineParams(engine=name, seed=seed), Path())
    return {answer.id: answer.text for answer in engine(name).answer(asked, context)}


def question(id: str, prompt: str = "?", texts: tuple[str, ...] = LETTERS) -> Question:
    return Question(id, "scp", "prediction", "cs", prompt, LETTERS[: len(texts)], texts)


def test_random_choice_is_even_and_repeats_with_its_seed():
    asked = [question(f"q{n}") for n in range(4000)]
    drawn = choose("baseline:random", asked)
    assert drawn == choose("baseline:random", asked)
    assert drawn != choose("baseline:random", asked, seed=1)
    assert all(900 < n < 1100 for n in Counter(drawn.values()).values())


def test_the_longest_option_is_chosen_and_the_first_of_equals():
    asked = [
        question("a", texts=("aa", "bbbb", "cc", "d")),
        question("b", texts=("equal", "equal", "e", "e")),
        question("c", texts=("中", "中文字符更长", "english", "e   \n   e")),
    ]
    assert choose("baseline:longest", asked) == {"a": "B", "b": "A", "c": "C"}


def test_overlap_finds_the_option_with_the_words_of_the_passage():
    texts = (
        "The stock market closed lower on Friday.",
        "Galaxies rotate faster than their visible matter explains.",
        "Bread needs flour and yeast.",
        "The committee met on Monday.",
    )
    prompt = "Passage:\nDark matter in galaxies was proposed because galaxies rotate fast.\n\n" + (
        "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=True))
    )
    assert choose("baseline:tfidf", [question("q", prompt, texts)]) == {"q": "B"}


def test_overlap_works_on_chinese_which_has_no_spaces():
    texts = (
        "股票市场周五下跌。",
        "面包需要面粉和酵母。",
        "星系的自转比可见物质所能解释的更快。",
        "委员会开会。",
    )
    prompt = "Passage:\n暗物质的提出是因为星系的自转太快。\n\n"
    assert choose("baseline:tfidf", [question("q", prompt, texts)]) == {"q": "C"}


def ordering(pieces: dict[str, str], orders: tuple[str, ...], passage: str = "") -> list[float]:
    lettered = "\n".join(f"{letter}. {piece}" for letter, piece in pieces.items())
    choices = tuple(f"Selection {n}" for n in range(1, len(orders) + 1))
    offered = "\n".join(f"{c}: {order}" for c, order in zip(choices, orders, strict=True))
    texts = [" ".join(pieces[letter] for letter in order) for order in orders]
    prompt = f"{passage}\n\nParts:\n{lettered}\n\nSelections:\n{offered}\n\nAnswer:"
    return overlap_scores(prompt, choices, texts)


def test_an_order_is_liked_for_neighbours_that_share_words():
    pieces = {
        "A": "Penguins swim in cold oceans.\nOceans hold salt.",
        "B": "Salt is mined from mountains.",
        "C": "Mountains attract climbers.",
    }
    scores = ordering(pieces, ("ACB", "ABC", "BAC", "CAB"))
    assert scores.index(max(scores)) == 1


def test_a_sentence_is_put_where_its_words_stand():
    passage = (
        "Passage:\nWhales are mammals. <|Mask 1|> Their calves drink milk.\n"
        + "Nothing here. " * 60
        + "\nEngines burn fuel. <|Mask 2|> Fuel is oil."
    )
    pieces = {"A": "An engine turns fuel into motion.", "B": "Whales feed their calves milk."}
    scores = ordering(pieces, ("AB", "BA"), passage)
    assert scores.index(max(scores)) == 1


def test_real_scp_prompts_are_read_as_what_they_are():
    asked = [Question.from_json(row) for row in work_rows(make_split(24))]
    for one in asked:
        scores = overlap_scores(one.prompt, one.choices, one.choice_texts)
        assert len(scores) == 4
        assert len(set(scores)) > 1, one.format


def test_an_option_without_words_is_no_error():
    assert overlap_scores("", ("A", "B"), ("", "…")) == [0.0, 0.0]
