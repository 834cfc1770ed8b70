"""Which paragraphs give items: running text that shows no damage and is about its subject."""

import pytest

from core.sources.articles.article import Block
from core.sources.articles.prose.citations import citation_mark, loss_mark, reference
from core.sources.articles.prose.sifting import sift


def kinds(*blocks: Block, strict: bool = False) -> list[str]:
    return [block.kind for block in sift(blocks, strict=strict).blocks]


@pytest.mark.parametrize(
    "text",
    [
        "The methods,, are here.",
        "It was seen (, Ch. 3) there.",
        "It was adapted , and more.",
        "The \\gls{x} value is lost.",
        "See [ref] for the details.",
        "The value of fig:map is shown.",
        "As in hogg2010 it was seen.",
        "In the valley, Cai2013 showed that it rains.",
        "It ends here.Then it starts.",
        "The naÃ¯ve way is here.",
        "The zero\u200bwidth way is here.",
        "The the word came twice.",
        "TODO write this paragraph.",
        "Dating a tree with branch lengths.– Relative lengths tell much about a tree.",
        "降雨在排行榜中一直占据前三^，水位也是最高的一年。",
        "//最远或最近的水位都可以，先写在这里备用。",
        "It is the grey lemur,Microcebus murinus, that was seen.",
        "Others do not worry about it (#storing-sharing).",
        "The cycle of life is short (Gil2022?), as others say.",
        "Mizzenmast flogging furl take caulk fathom walk plank sloop shiver timbers gibbet. "
        "Coxswain smartly "
        "scurvy snow red ensign grapple poop deck pieces. Quarterdeck prow hardtack main "
        "sheet warp starboard nest reef jib shrouds. Barque tender brig account pillage.",
        "豫章故郡，洪都新府。星分翼轸，地接衡庐。雄州雾列，俊采星驰。",
        "天尊地卑，乾坤定矣。卑高以陈，贵贱位矣。动静有常，刚柔断矣。方以类聚，物以群分，吉凶生矣。",
        "The Hawai'iForest Bird Survey is a large survey of birds.",
        "The efficiency, which w e take to be one, stays.",
        "The pressure on HIbut not on the rest is kept.",
        "See the details in B The principle is an old one.",
        "It is shown in Figure and there.",
        "An open (bracket never closes.",
        "It has pre-and post-flood readings.",
        "The river is under pressure Therefore, I will find the gauges that last.",
        "It is known since long (citations).",
        "It matters for rivers [hogg, bovy, etc].",
        "A sign such as &nbsp; stays here.",
        "The formula $\\unknowncommand$ is odd.",
        "The matrices $\\*w$ and $\\*v$ are odd.",
    ],
)
def test_damage_makes_a_paragraph_doubtful(text: str) -> None:
    assert kinds(Block(text)) == ["doubtful"]


@pytest.mark.parametrize(
    "text",
    [
        "These methods are powerful and, in theory, they can be used for other rivers too.",
        "The value of 3.5 (see Figure 2) grows, e.g. by 5%, as Hogg et al. (2010) said.",
        "O grupo das emergentes apresentou um número de árvores mais constante entre as classes. "
        "No entanto, "
        "o grupo das pioneiras apresentou o menor valor para o diâmetro da distribuição, "
        "com o mesmo padrão em todas as áreas que foram medidas ao longo de dez anos seguidos.",
        "The sum $a\\,b\\;c\\!d \\| \\{x\\} \\% \\_$ is even.",
        "Intervals such as $[0, 1)$ are half open and $(0, \\infty)$ is open.",
        "The function f(x) of astropy.units costs $5 or more.",
        "这是一个完整的中文段落，没有任何损坏。",
        "水位每天由两人各读一次，数值先记入表格，再由第三人核对，差异超过五厘米时当天重读。",
        "The survey could test this "
        f"{citation_mark('parenthetical', 'Sande (2024)', 'Sande, 2024')}.",
    ],
)
def test_clean_text_stays(text: str) -> None:
    assert kinds(Block(text)) == ["text"]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("The survey could test this", "The survey could test this."),
        ("Several threads may be used", "Several threads may be used (Sande, 2024)."),
        ("It is told in the API Reference", "It is told in the API Reference."),
        ("It converged as it seems to have", "It converged as it seems to have."),
        ("It is as in", "It is as in Sande (2024)."),
        (
            "It does not rest on the powerful result",
            "It does not rest on the powerful result (Sande, 2024).",
        ),
        ("It was first told in the seminal", "It was first told in the seminal Sande (2024)."),
        ("It was told in a very recent", "It was told in a very recent Sande (2024)."),
        ("It stands in the original", "It stands in the original Sande (2024)."),
        ("We learned it from a recent book", "We learned it from a recent book (Sande, 2024)."),
        ("It shows the results", "It shows the results."),
        ("It is shown in paper", "It is shown in paper (Sande, 2024)."),
        ("It was told from thesis", "It was told from thesis (Sande, 2024)."),
        ("It is printed on paper", "It is printed on paper."),
    ],
)
def test_a_citation_at_the_end_of_a_clause_is_no_word_of_it(before: str, expected: str) -> None:
    role = "parenthetical" if before.endswith("this") else "either"
    cited = citation_mark(role, "Sande (2024)", "Sande, 2024")
    assert sift([Block(f"{before} {cited}.")]).blocks[0].text == expected


NUMBER = citation_mark("either")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"For a list of such mills, we refer the reader to [{NUMBER}, {NUMBER}].", "doubtful"),
        (f"It holds, as is shown for instance in: [{NUMBER}] one of the mills is old.", "doubtful"),
        (f"It was counted as described in ({NUMBER}).", "doubtful"),
        (f"The way of [{NUMBER}] was taken to the mill.", "doubtful"),
        (f"The mill was counted by hand [{NUMBER}, {NUMBER}].", "text"),
        (f"The mill was counted by hand ({NUMBER}; {NUMBER}).", "text"),
        (f"The keeper Sande ({NUMBER}) counted the mills by hand.", "text"),
    ],
)  # fmt: skip
def test_brackets_around_numbers_do_not_hide_that_a_sentence_needs_them(
    text: str, kind: str
) -> None:
    assert kinds(Block(text)) == [kind]


def test_quotation_marks_of_two_signs_become_one() -> None:
    (block,) = sift(
        [Block("Their plan had notes called ‘‘assignats’’ that people could use.")]
    ).blocks
    assert block.text == "Their plan had notes called “assignats” that people could use."
    assert block.kind == "text"


def test_unsure_blocks_and_lost_marks_are_doubtful() -> None:
    assert kinds(Block("Two readers differ here.", sure=False)) == ["doubtful"]
    assert kinds(Block("Two readers agree here.", sure=True)) == ["text"]
    assert kinds(Block(f"Something {loss_mark()} was here.")) == ["doubtful"]
    assert kinds(Block(f"See Section {reference('')} for it.")) == ["doubtful"]
    assert kinds(Block(f"See Section {reference('3')} for it.")) == ["text"]
    assert kinds(Block(f"{citation_mark('textual')} found it.")) == ["doubtful"]


@pytest.mark.parametrize(
    "note",
    ["Should put some pictures of these effects.", "Need to describe the mills in more detail.",
     "Must add what the keeper says of it.", "Maybe explain this a little more."],
)  # fmt: skip
def test_what_an_author_still_wants_to_write_or_mend_is_no_text(note: str) -> None:
    assert kinds(Block(f"The mills are old. {note} They stand on the bank.")) == ["doubtful"]
    assert kinds(Block("The list of the mills can be viewed at this link.")) == ["doubtful"]
    assert kinds(Block("The list of the mills is available here.")) == ["doubtful"]
    assert kinds(Block("The mills that are found here are old.")) == ["text"]
    assert kinds(Block("The mills are old. Should they be counted by hand, or not?")) == ["text"]


def test_a_strict_source_gives_plain_whole_sentences_only() -> None:
    plain = "A plain sentence that is long enough to be taken for what it is."
    assert kinds(Block(plain), Block("fragment of a sentence"), strict=True) == ["text", "doubtful"]
    assert kinds(Block(plain[:-1] + " of $\\frac{a}{b}$."), strict=True) == ["doubtful"]


def test_back_matter_ends_at_the_next_heading_of_its_level() -> None:
    assert kinds(
        Block("Results", "heading", 1),
        Block("It is about the subject."),
        Block("Acknowledgements", "heading", 2),
        Block("Many people came along."),
        Block("More", "heading", 3),
        Block("And more people came."),
        Block("Methods", "heading", 2),
        Block("It is about the subject again."),
        Block("References", "heading", 1),
        Block("A. Author, A title, 2010."),
    ) == [
        "heading", "text", "heading", "back_matter", "heading", "back_matter", "heading", "text",
        "heading", "reference",
    ]  # fmt: skip


@pytest.mark.parametrize("label", ["Figure 1. Nests by year", "Fig. S2", "Table 3: Mills", "图2"])
def test_what_follows_the_label_of_a_figure_in_its_line_is_the_caption(label: str) -> None:
    """As in ``\\emph{Figure 1. Nests by year.} Each point is a mill.``"""
    assert kinds(
        Block(label, "heading", 4),
        Block("Each point is a mill in which nests were counted by hand."),
        Block("Results", "heading", 4),
        Block("It is about the subject."),
    ) == ["heading", "caption", "heading", "text"]


def test_a_section_that_is_called_after_a_figure_is_none() -> None:
    assert kinds(Block("Figure 1 revisited", "heading", 1), Block("It is about the subject.")) == [
        "heading",
        "text",
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "Main figures",
        "Supplementary Figures and Tables",
        "Submitting Papers",
        "Submitting Final Camera-Ready Copy",
        "Format of the Paper",
        "Partitioning the Text",
        "Simultaneous Submission",
        "Formatting your paper",
        "Submission of papers to the Meeting on Mills",
        "Maintaining the Integrity of the Specifications",
    ],
)
def test_what_a_template_tells_its_authors_is_back_matter(heading: str) -> None:
    """A manuscript that was begun in the example of a conference still holds its sections."""
    assert kinds(
        Block(heading, "heading", 2),
        Block("Papers that were sent elsewhere as well are not considered."),
        Block("Dimensions", "heading", 3),
        Block("All margins are one inch wide."),
        Block("The format of nests", "heading", 2),
        Block("It is about the subject."),
    ) == ["heading", "back_matter", "heading", "back_matter", "heading", "text"]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("外文资料原文", "back_matter"),
        ("附录A 外文资料的调研阅读报告或书面翻译", "back_matter"),
        ("外文参考文献译文", "back_matter"),
        ("英文文献翻译", "back_matter"),
        ("国外文献综述", "text"),
        ("机器翻译", "text"),
        ("外文翻译模型的训练", "text"),
    ],
)
def test_the_translated_paper_of_a_thesis_is_back_matter(heading: str, kind: str) -> None:
    text = "河流的水位由两名观察者分别记录，随后他们又核对了鸟巢的总数与位置。"
    assert kinds(Block(heading, "heading", 1), Block(text)) == ["heading", kind]


@pytest.mark.parametrize(
    "text",
    [
        "Perniss, Pamela, and Gabriella Vigliocco. 2014. “The Bridge of Iconicity.” Royal Society.",
        "Winter, Bodo, Márton Sóskuthy, and Mark Dingemanse. n.d. “Trilled r.”",
        "Jost, J. T., & Glaser, J. (2003). Political conservatism as motivated cognition. Acta.",
        "[12] van Buuren, S. (2011). Multivariate imputation by chained equations in R. JSS.",
    ],
)
def test_an_entry_of_a_list_of_references_is_no_running_text(text: str) -> None:
    assert kinds(Block(text)) == ["reference"]


def test_sentences_that_name_authors_and_years_are_running_text() -> None:
    text = "In Valley, Hogg and Bovy measured it. In 2014, Rix did so again, and it had grown."
    assert kinds(Block(text)) == ["text"]


@pytest.mark.parametrize("heading", ["Figure Titles and Legends", "Captions of figures"])
def test_legends_of_figures_are_no_running_text(heading: str) -> None:
    assert kinds(Block(heading, "heading"), Block("Points are coloured by hand.")) == [
        "heading",
        "back_matter",
    ]


@pytest.mark.parametrize(
    "before",
    ["Ce programme est motivé par les travaux de", "On consultera l’excellente synthèse d’",
     "Les sensibilités décrites par", "Das entspricht dem Ergebnis von", "Siehe"],
)  # fmt: skip
def test_a_citation_that_a_sentence_of_another_language_needs_is_missed(before: str) -> None:
    text = f"{before} {citation_mark('parenthetical')}. Les nids ont été comptés par le garde."
    assert kinds(Block(text)) == ["doubtful"]


def test_a_long_paragraph_that_comes_again_gives_no_items_again() -> None:
    text = "The gauge on the northern bank was read by hand for a whole week of the year. " * 2
    assert kinds(Block(text), Block("It rose."), Block(text), Block("It rose.")) == [
        "text", "text", "doubtful", "text",
    ]  # fmt: skip


def test_a_line_that_goes_on_in_chinese_leaves_no_space() -> None:
    broken = "操作系统课程是重要的基础课， 其内容包括实验。 实验部分（见后） “更为”重要。"
    whole = "操作系统课程是重要的基础课，其内容包括实验。实验部分（见后）“更为”重要。"
    assert sift([Block(broken)]).blocks[0].text == whole
    assert (
        sift([Block("本研究 在河边， ABC 的数量。")]).blocks[0].text
        == "本研究 在河边， ABC 的数量。"
    )


@pytest.mark.parametrize(
    "heading",
    [
        "Preface",
        "Avant-propos",
        "Author’s Foreword",
        "Prólogo",
        "Remerciements",
        "Danksagung",
        "Agradecimientos",
        "Ringraziamenti",
        "Liste des abréviations",
        "Legal, social, ethical and professional issues",
    ],
)
def test_a_preface_is_about_the_making_of_a_book(heading: str) -> None:
    text = "I am very glad that the rights of the book were sold back to me in that year."
    assert kinds(Block(heading, "heading"), Block(text), Block("Mills", "heading"), Block(text))[
        1::2
    ] == ["back_matter", "text"]


@pytest.mark.parametrize(
    "text",
    [
        "AI assistance was used for searching, for drafting and editing the manuscript text.",
        "The wording of this article was improved with the help of generative AI by the keeper.",
        "A. Keeper forscht zu Nestern am Max-Planck-Institut für Mühlen und an anderen Orten.",
        "Der Verfasser dankt dem Verein der Mühlen für ein Stipendium in beiden Jahren.",
        "Nous remercions les gardiens des moulins pour les comptes de toutes ces années.",
        "Agradecemos a los guardianes de los molinos las cuentas de todos estos años.",
        "Merci à Anne Meunier pour les comptes, et de m’avoir fait l’honneur de les relire.",
        "Mein besonderer Dank gilt den Müllern, die mir ihre Zahlen gegeben haben.",
        "À mes compagnons du moulin, avec qui je n’aurais jamais compté autant de nids.",
        "À la mémoire de mon père, qui m’a montré le moulin. André pour son sens du partage.",
        "A mis padres, que me enseñaron el molino. A todos los que contaron nidos conmigo.",
        "To my parents, who showed me the mill. And to all who counted nests with me there.",
        "Meinen Eltern, die mir die Mühle zeigten, und allen, die mit mir Nester zählten.",
    ],
)
def test_thanks_lives_and_the_use_of_tools_are_no_running_text(text: str) -> None:
    assert sift([Block(text)]).blocks[0].kind == "back_matter"


@pytest.mark.parametrize(
    "text",
    [
        "The language models were asked to edit each sentence of the corpus until it was fluent.",
        "ChatGPT wrote half of the essays, and readers could not tell which half it was.",
        "Humboldt studierte an der Universität Göttingen und reiste danach durch halb Europa.",
        "Le meunier dit merci à son âne, et à la fin de la saison, le moulin s’arrête.",
        "Dank der Mühle ist das Dorf reich geworden, und die Nester wurden gezählt.",
        "À la fin de la saison, le moulin s’arrête, et le meunier compte les nids du barrage.",
        "A mi juicio, el molino es más antiguo que el dique, y el guardián cuenta los nidos.",
        "To my knowledge, no mill of the river is older, and its nests were never counted.",
        "Für meinen Zweck genügt die Mühle, deren Nester jedes Jahr von neuem gezählt werden.",
    ],
)
def test_studies_of_tools_and_of_lives_are_running_text(text: str) -> None:
    assert sift([Block(text)]).blocks[0].kind == "text"


SAMPLES = (
    "Generated Story",
    "Complete Modified Story",
    "Original Story (Generated by a model)",
    "Original Sentence (3rd)",
    "Model $M_1$ Response",
    "Example output 2",
    "System prompt",
)


@pytest.mark.parametrize("label", SAMPLES)
def test_a_text_that_was_given_to_a_model_or_by_one_is_quoted(label: str) -> None:
    told = Block("Somebody found a quiet river in the valley and followed it to the sea.")
    prose = Block("All rivers of the valley were measured with the same gauge, once a day.")
    found = kinds(Block(label, "heading", 4), told, Block("Accuracy", "heading", 4), prose)
    assert found == ["heading", "quote", "heading", "text"]


@pytest.mark.parametrize(
    ("label", "level"),
    [("Model response", 2), ("Prompts", 4), ("Responses of the model", 4), ("Context", 4),
     ("Outputs", 4), ("Model", 4), ("Story generation", 4)],
)  # fmt: skip
def test_what_is_said_about_prompts_and_responses_is_text(label: str, level: int) -> None:
    prose = Block("All rivers of the valley were measured with the same gauge, once a day.")
    assert kinds(Block(label, "heading", level), prose) == ["heading", "text"]


@pytest.mark.parametrize(
    "heading",
    [
        "Références", "Bibliographie", "Références bibliographiques", "Literaturverzeichnis",
        "Literatur", "Referencias bibliográficas", "Bibliografía", "Riferimenti del mulino",
    ],
)  # fmt: skip
def test_the_list_of_what_was_cited_is_told_in_other_languages(heading: str) -> None:
    text = "Keeper Anne. The nests of the mill were counted by hand in each of those years."
    found = kinds(Block(heading, "heading"), Block(text))
    assert found[1] == ("text" if heading.startswith("Riferimenti") else "reference")


def test_a_preface_whose_heading_is_a_mere_line_gives_no_items() -> None:
    said = "When this book was begun, the mills of the river were to be counted by hand."
    subject = "The mills of the river are old, and their wheels are made of wood."
    for name in ("Preface", "PREFACE", "Foreword", "Acknowledgements", "Préface", "Vorwort"):
        for ending in (Block("1.1 Mills", "heading", 2), Block("Introduction"), Block("Chapter 1")):
            found = kinds(Block(name), Block(said), Block(said + " Twice."), ending, Block(subject))
            assert (found[1:3], found[-1]) == (["back_matter", "back_matter"], "text")
    assert kinds(Block("The preface of the book is short."), Block(subject))[1] == "text"
    assert kinds(Block("Preface page xi"), Block(subject))[1] == "text"


@pytest.mark.parametrize(
    "heading",
    ["A Note to the Reader", "1.5 Note to Readers", "How to Use This Book", "To the Reader"],
)
def test_what_is_said_to_the_reader_gives_no_items(heading: str) -> None:
    said = "The book is addressed to researchers and students of the mills of old rivers."
    assert kinds(Block(heading, "heading", 1), Block(said))[1] == "back_matter"
