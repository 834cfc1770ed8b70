"""The splitter on the sentences that break other splitters, and on real articles."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generation.sentences import is_complete, split_sentences

TRICKY = [
    ["We follow Smith et al. (2010) here.", "It works."],
    ["This was shown by Smith et al. The next step is clear."[:30], "The next step is clear."],
    ["See Fig. 3 and Eq. (4).", "Then we go on."],
    ["Figs. 2 and 3 and Sec. II agree.", "Tab. A1 does not."],
    ["J. K. Smith and A. B. Jones agree.", "They left."],
    ["The value is 3.14.", "It rose to 2.5 GHz."],
    ["Some tools, e.g. Perl, i.e. The Swiss knife, are old.", "Others are not."],
    ["He said “Stop.”", "Then he left."],
    ['She asked "Why?"', "Nobody knew."],
    ["It holds [3].", "The next one too.[4]", "We go on. [5, 6]", "This ends."],
    ["With $x. Y$ we get $a=1.$", "Then we stop."],
    [r"For \(n. M\) it holds.", r"So $\alpha$ is large.", r"$\beta$ is not."],
    ["It costs $5.", "Then $10 more are due."],
    ["See http://a.b/c.d and b.c.", "The end."],
    ["(All is well. It is.)", "Next one.", "(See Fig. 2. It is.)"],
    ["They wait … and wait.", "Then … nothing came.", "So it ends..."],
    ["1. Introduction follows.", "We start."],
    ["The answer is no.", "We go on."],
    ["No. 5 is alive.", "Dr. Who met Prof. Bean vs. Mr. Stone."],
    ["They say that the Play! Framework keeps nothing.", "We play!", "Then we rest."],
    ["Is this so?", "Yes!", "Good."],
    ["It is given to Ph.D. students in the U.S. army.", "We agree."],
    ["It lacks its citation .", "For example here."],
    ["Because of Shinn v. Ramirez (2022), it is limited.", "So is Roe v. Wade."],
    ["H6. People who read more write more.", "H7a. They also sleep less."],
    ["We store s = 1 ... S, at N sites, n = 1 ... N.", "They end ... A dog barks."[:12]],
    ["The first is H6.", "RQ2. What do they read?"],
    ["Dazu zählt zB. Kruchtens Sicht bzw. Die Sicht.", "Vgl. Abb. 3 und Kap. Zwei."],
    ["Es gibt Nester, z.B. Der Turm bspw. Nester hat.", "Auch d.h. Das ist ggf. Nicht neu."],
    ["Es gibt z. B. Texte, u. a. Briefe und i. d. R. Listen.", "Das ist m. E. Unsinn."],
    ["Als sie am 11. Juli 2009 kam, war sie neu.", "Am 1. Mai ging sie."],
    ["Im 19. Jahrhundert war das so.", "Der 2. Weltkrieg kam.", "Es waren 12.", "Sie gingen."],
    ["It was seen in 12.", "May we go on?", "They were 11.", "Der is a word."],
    ["The set is small, approx. 5 of 10.", "The rest is not."],
    ["我们提出了方法。", "它很好！", "真的吗？", "“是的。”", "他说。", "结果见图3.2。"],
    ["方法如下（见图1。很好。）。", "然后继续。"],
    ["他想了想……", "然后走了。"],
    ["We use 水. The rest is plain."[:9], "The rest is plain."],
]


@pytest.mark.parametrize("expected", TRICKY, ids=lambda lines: lines[0][:24])
def test_a_tricky_paragraph_is_split_where_a_reader_would(expected: list[str]):
    glue = "" if re.search(r"[\u4e00-\u9fff]", expected[-1]) else " "
    text = glue.join(expected)
    assert [text[start:end] for start, end in split_sentences(text)] == expected


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_blank_text_has_no_sentence(text: str):
    assert split_sentences(text) == []


def test_text_without_a_terminator_is_one_sentence():
    assert split_sentences(" only words ") == [(1, 11)]


def test_a_sentence_is_complete_with_its_terminator_only():
    assert is_complete("It ends.")
    assert is_complete("It ends (so). [3]")
    assert is_complete("结束了。”")
    assert not is_complete("It goes on:")
    assert not is_complete("")


@pytest.mark.parametrize(
    "announced",
    [
        "To select bindings we use a filter which is defined as follows.",
        "The correctness statement makes use of the following notion.",
        "We use simple games derived from signatures of the following kind (see [3]).",
        "Particularly, the following rules about references are enforced at compile time.",
        "The following two conditions must hold for all of the mills that were counted.",
        "Der Wert berechnet sich wie folgt.",
        "Daraus ergibt sich folgende Gleichung.",
        "On obtient alors l'équation suivante.",
        "El valor se calcula con la siguiente fórmula.",
        "O modelo é descrito pela seguinte equação.",
        "各组的结果如下。",
        "其中，损失函数的定义如下所示。",
        "温度可由下式求得。",
    ],
)
def test_a_sentence_that_announces_what_is_lost_below_it_is_not_complete(announced: str):
    assert not is_complete(announced)
    assert is_complete(f"{announced} This is told in full.")


@pytest.mark.parametrize(
    "whole",
    [
        "What follows is a proof.",
        "The following sections describe the mills in more detail than we did.",
        "We have counted the following mills: the old one and the new ones.",
        "Following Smith, we left the gauge as it was, and nobody read it for a long time after.",
        "El siguiente teorema establece algunas condiciones para que lo anterior ocurra siempre.",
        "在以下三个方面的工作中，他都得到了同样的结果。",
    ],
)
def test_a_sentence_with_the_same_words_that_says_its_point_is_complete(whole: str):
    assert is_complete(whole)


@given(st.text(alphabet="aA .!?。！$([)]“”…1,\\\n图", max_size=80))
def test_the_spans_of_any_text_are_in_order_and_leave_out_only_white_space(text: str):
    spans = split_sentences(text)
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


@pytest.mark.shared
def test_no_sentence_of_a_real_article_ends_inside_maths(real_articles):
    maths = re.compile(r"(?<!\\)\$(?![\s$])(?:[^$\\]|\\.){1,300}?(?<![\s\\])\$(?!\d)")
    sentences = 0
    for paragraph in (p for a in real_articles for p in a.paragraphs if p.kind == "text"):
        spans = split_sentences(paragraph.text)
        sentences += len(spans)
        inside = [m.span() for m in maths.finditer(paragraph.text)]
        for _, end in spans:
            assert not any(start < end < stop for start, stop in inside), paragraph.text
    assert sentences > 1500


def test_a_chinese_quotation_is_no_place_for_a_boundary() -> None:
    text = "他说“知其一……不知其二。真的”，大家笑了。她说：“水位高。”然后走了。"
    sentences = [text[start:end] for start, end in split_sentences(text)]
    assert sentences == [
        "他说“知其一……不知其二。真的”，大家笑了。",
        "她说：“水位高。”",
        "然后走了。",
    ]
