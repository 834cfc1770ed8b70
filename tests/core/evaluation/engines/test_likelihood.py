"""Reading what an offline engine wrote, and splitting text from thinking."""

from core.evaluation.engines.likelihood import cut_at, encode_pair, most_likely, written
from core.evaluation.types import Question

QUESTION = Question("q", "scp", "prediction", "cs", "?", ("A", "B"), ("a", "b"))


class Letters:
    """A tokenizer of one token per character."""

    def encode(self, text: str) -> list[int]:
        return [ord(character) for character in text]


def write(text: str, finish: str = "stop", choosing: bool = False):
    return written(
        QUESTION, text, finish, prompt_tokens=1, completion_tokens=2, seconds=0.1,
        choosing=choosing,
    )  # fmt: skip


def test_trailing_space_of_the_context_is_scored_with_the_choice():
    whole, before = encode_pair(Letters(), "Answer: ", "B")
    assert "".join(map(chr, whole)) == "Answer: B"
    assert before == len("Answer:")


def test_a_tokenizer_that_swallows_the_choice_still_leaves_a_token_to_score():
    class Greedy(Letters):
        def encode(self, text: str) -> list[int]:
            return [1, 2]

    assert encode_pair(Greedy(), "a", "b") == ([1, 2], 1)


def test_the_likeliest_choice_wins_and_the_first_of_equals():
    assert most_likely(QUESTION, [-2.0, -1.0], 0.0).choice == "B"
    assert most_likely(QUESTION, [-1.0, -1.0], 0.0).choice == "A"
    assert most_likely(QUESTION, [-2.0, -1.0], 0.0).scores == (-2.0, -1.0)


def test_thinking_is_split_off_and_its_truncation_is_told_apart():
    assert (write("<think>hm</think> B").text, write("<think>hm</think> B").thinking) == ("B", "hm")
    assert write("<think>hm", "length").outcome == "thinking_truncated"
    assert write("B and th", "length").outcome == "truncated"
    assert write(" \n").outcome == "empty"


def test_a_held_choice_is_recorded_only_when_it_is_one():
    assert write("B", choosing=True).choice == "B"
    assert write("Q", choosing=True).choice is None
    assert write("B").choice is None


def test_text_is_cut_at_the_first_stop():
    assert cut_at("A, or B.", (".", ",")) == ("A", True)
    assert cut_at("A", (".", "")) == ("A", False)
