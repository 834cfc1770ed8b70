"""Letters to referees, templates of journals and licences are no articles; papers are."""

from pathlib import Path

import pytest

from core.sources.articles.plain_text import read_plain_text
from core.sources.articles.prose.no_article import why_no_article
from core.sources.articles.read_paths import read_paths

PAPER = [
    f"Gauge {n} on the northern bank was read by hand, and the authors of earlier work did so too."
    for n in range(30)
]


@pytest.mark.parametrize(
    ("name", "title", "texts"),
    [
        (
            "reviews",
            "",
            ["REVIEW 1", "Overall evaluation: 1 (weak accept)", "Given a matrix, find a graph.",
             "The authors should drop some of the details.", "Minor comments: page 3, line 4."],
        ),
        (
            "ref-response",
            "Editor",
            ["It may be worthwhile adding panels. The authors should say so.",
             "R: We have added two figures with the motions.",
             "R: This has been corrected in the text."],
        ),
        (
            "cover_letter",
            "",
            ["We were offered to write a perspective paper without any other constraints.",
             "We hope that you will find our manuscript suitable for publication."],
        ),
        ("covlett", "", ["We appreciate your consideration of it for your journal."]),
        ("rebuttal", "", ["To address this comment, we have made changes to the scope."]),
        (
            "ref_report",
            "",
            ["We thank the referee for a useful report and have updated the manuscript.",
             "An impressive sampler.", "It is short for Johannes Kepler."],
        ),
        (
            "reviewer_response_(2)",
            "",
            ["Dear Reviewer,", "We apologise and have addressed the issues you raised.",
             "The issue in the third paragraph was a problem with the proof of the lemma."],
        ),
        (
            "presubmission_inquiry_nature",
            "",
            ["Dear Dr. Nature,", "We write to ask whether ten tips would interest your readers.",
             "All authors of the manuscript meet the authorship standards.", "Sincerely,"],
        ),
        (
            "River_counts_IJF",
            "",
            ["Report on ‘Counting the nests of an old mill’",
             "The paper proposes to count the nests of a mill twice.", "This is a neat idea."],
        ),
        (
            "rapport-2",
            "Report on Ann Reed’s PhD thesis:",
            ["Old mills are of wood.", "This thesis is about their gauges, which it reads twice."],
        ),
        (
            "rapport-3",
            "Review of Ann Reed's doctoral dissertation",
            ["Old mills are of wood.", "In her thesis, Ann Reed is about to read their gauges."],
        ),
        ("r1", "Referee report on the doctoral thesis of Ann Reed", ["Old mills are of wood."]),
        ("r2", "Evaluation of the PhD thesis “The gauges of mills”", ["Old mills are of wood."]),
        ("r3", "Rapport sur la thèse de doctorat d’Anne Rivet", ["La roue est en bois."]),
        ("r4", "Gutachten über die Dissertation von Anna Bach", ["Das Rad ist aus Holz."]),
        (
            "reading",
            "The gauges of old mills",
            ["This thesis has been a pleasure to read. It is about the gauges of old mills.",
             "Ann Reed should be awarded a PhD on the basis of the thesis that she submitted."],
        ),
        (
            "PhD_of_Ann_Reed_-_report_of_Bo_Hill",
            "",
            ["The thesis is on the gauges of old mills.",
             "The candidate has shown that she reads them. I look forward to the public defence."],
        ),
        (
            "notes",
            "",
            ["Dear Ann,", "The gauges are read by hand, as you know.", "Kind regards,", "Bo"],
        ),
    ],
)  # fmt: skip
def test_letters_and_reports_are_told(name: str, title: str, texts: list[str]) -> None:
    assert why_no_article(name, title, texts) == "letter"


@pytest.mark.parametrize(
    "title",
    [
        "Report on the gauges of old mills",
        "Review of methods for a thesis in geology",
        "Evaluation of thesis supervision in three universities",
        "A review of doctoral dissertations on mills",
    ],
)
def test_a_report_on_something_else_is_none_on_a_thesis(title: str) -> None:
    texts = ["Old mills are of wood.", "The prize was awarded to the oldest of the mills."]
    assert why_no_article("main", title, texts) == ""


@pytest.mark.parametrize(
    ("name", "title", "texts"),
    [
        (
            "sample62",
            "An Example Article using AASTeX v6.2",
            ["LaTeX was written in 1985 by Leslie Lamport.", "Section 3 says how tables are set.",
             "The class file aastex.cls is needed.", "Author charges are computed in quanta.",
             "BibTeX makes the list of references."],
        ),
        (
            "paper",
            "Formatting Instructions",
            ["The margins must be one inch.", "Use the style file of this year.",
             "The camera-ready version has ten pages.", "The font size must not be changed."],
        ),
        (
            "main",
            "",
            ["学位论文应当用规范汉字进行撰写。", "论文须用中文封面，格式要求同上。",
             "摘要应具有独立性，力求精确简明。", "如某个表需要转页接排，可以使用宏包。",
             "结论应包括论文的核心观点。", "推荐使用三线表，表题置于表的上方。"],
        ),
        (
            "arbeit",
            "",
            ["Der Text bekommt die Formatvorlage des Absatzes.", "Der Zeilenabstand ist fest.",
             "Das Inhaltsverzeichnis steht hinter dem Deckblatt.", "Die Kopfzeile bleibt leer."],
        ),
        ("edit", "TrackChanges Testing Document", ["It was a very bad thing to have done."]),
        ("main", "", ["Lorem ipsum dolor sit amet.", "Lorem ipsum dolor again.", "Lorem ipsum."]),
    ],
)  # fmt: skip
def test_templates_are_told(name: str, title: str, texts: list[str]) -> None:
    assert why_no_article(name, title, texts) == "template"


def test_what_lies_in_a_folder_of_meetings_is_notes(tmp_path: Path) -> None:
    prose = "The river rose in the night. It fell again in the morning, and the keeper slept.\n\n"
    for folder in ("Meetings", "chapters"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}_17.tex").write_text(prose * 9)
    report = read_paths([tmp_path])
    assert [article.path.rpartition("/")[2] for article in report.articles] == ["chapters_17.tex"]
    assert [reason for _, reason in report.skipped] == ["It contains notes, not an article."]


def test_licences_are_told() -> None:
    texts = [
        "By using one of our public licenses, a licensor grants the public permission.",
        "The licensed material is provided as is, without warranty of any kind.",
        "Permission is hereby granted to anybody.",
    ]
    assert why_no_article("CC-BY-4.0", "Attribution 4.0", texts) == "licence"


@pytest.mark.parametrize(
    ("name", "title", "extra"),
    [
        ("q-bio__deep-review", "A review", ["The authors should say what they present."]),
        ("main", "Peer review in numbers", ["Reviewer 2 is a figure of speech among authors."]),
        ("sample", "A sample of rivers", ["The list of gauges was set with LaTeX."]),
        ("template", "Template matching for gauges", []),
        ("license", "Licences of software in hydrology", ["It has a public license."]),
        ("main", "水文测站", ["本论文的摘要已经发表。", "测站的模板由两人分别核对。"]),
        ("main", "Software", ["The class file is read first.", "Its BibTeX entry is cited."]),
    ],
)
def test_papers_stay(name: str, title: str, extra: list[str]) -> None:
    assert why_no_article(name, title, [*PAPER, *extra]) == ""


def test_what_is_no_article_is_named_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "reviews.txt").write_text(
        "REVIEW 1\n\nOverall evaluation: weak accept.\n\nThe authors should drop the details, and "
        "they could add a proof of it.\n\nMinor comments: on page 3 the word is wrong."
    )
    (tmp_path / "CC-BY-4.0.txt").write_text(
        "Permission is hereby granted to use it.\n\nThe software is provided as is, "
        "without warranty of any kind.\n\nThe licensor keeps the name."
    )
    report = read_paths([tmp_path])
    assert not report.articles
    assert {reason for _, reason in report.skipped} == {
        "It is a letter to or from reviewers, not an article.",
        "It is a licence, not an article.",
    }


@pytest.mark.parametrize("name", ["GOVERNANCE.md", "maintainers.md", "ROADMAP.md", "NEWS.md"])
def test_pages_of_a_project_are_no_articles(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("\n\n".join(PAPER))
    report = read_paths([tmp_path])
    assert [reason for _, reason in report.skipped] == ["It is documentation, not an article."]


@pytest.mark.parametrize("plan", ["conf.py", "index.rst"])
def test_pages_that_sphinx_makes_a_manual_of_are_no_articles(tmp_path: Path, plan: str) -> None:
    source = tmp_path / "doc" / "source"
    (source / "topics").mkdir(parents=True)
    (source / plan).write_text("Gauges\n======\n\n.. toctree::\n\n   topics/rivers\n")
    (source / "topics" / "rivers.rst").write_text("\n\n".join(PAPER))
    assert not read_paths([tmp_path]).articles
    (source / plan).unlink()
    assert len(read_paths([tmp_path]).articles) == 1


@pytest.mark.parametrize("name", ["history.md", "security.md", "support.qmd"])
def test_chapters_may_be_called_like_their_subject(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("\n\n".join(PAPER))
    assert len(read_paths([tmp_path]).articles) == 1


def test_what_is_quoted_with_arrows_in_a_plain_text_is_no_running_text() -> None:
    draft = read_plain_text(
        "The gauges were read\nby hand.\n\n> - The title is odd for\n> me. Forgive me for\n>   "
        "being dense.\nIt rained for a week,\nand then it stopped.\n"
    )
    assert [(block.kind, block.text) for block in draft.blocks] == [
        ("text", "The gauges were read\nby hand."),
        ("quote", "- The title is odd for me. Forgive me for being dense."),
        ("text", "It rained for a week,\nand then it stopped."),
    ]


FORM = [
    "In this study you will read ten short stories about a river and then answer questions.",
    "Please indicate how far you agree with each statement.",
    "The river is a danger to my home.",
    "Strongly disagree / somewhat disagree / neither / somewhat agree / strongly agree",
    "1. How often do you look at the gauge?",
    "Never", "Sometimes", "Always",
    "2. What is your age? ____",
    "☐ Yes ☐ No",
    "On a scale from 1 to 7, how likely is it that the river rises?",
    "Thank you for taking part in our study of the river.",
]  # fmt: skip
CHINESE_FORM = [
    "请您根据实际情况填写。", "您的性别：（ ）", "1. 您是否住在河边？（ ）", "非常同意",
    "比较同意", "非常不同意",
    "请选择最符合的一项。", "2. 您的年龄：____", "感谢您的参与！",
]  # fmt: skip


MATERIAL = [
    "In this task you will decide how many of your points you give to another participant.",
    "You are Person A. You can give up to 50 points to Person B.", "Next",
    "2 tokens", "Task 3 of 8",
    "If you are Person B, do you want to send points back?", "Please click Next to continue.",
    "You will see the screen of another participant once the round is over.", "Correct!",
    "Please note that your answers are kept.", "Submit", "You may choose one bucket for each task.",
    "The rule is to put the balls in Bucket B.", "What happens if Person A sends 50 points?",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "texts"),
    [("materials", FORM), ("study1", FORM), ("附录", CHINESE_FORM), ("games", MATERIAL),
     ("COI_form", ["Title of Article ____", "Please complete the table.", "I declare it.",
                   "☐ None"])],
)  # fmt: skip
def test_a_questionnaire_is_no_article(name: str, texts: list[str]) -> None:
    assert why_no_article(name, "", texts) == "questionnaire"


def test_an_article_that_quotes_its_questionnaire_stays() -> None:
    prose = ["The river was asked about in three waves, and each of them took a week. " * 8] * 6
    assert why_no_article("paper", "A survey of rivers", [*prose, *FORM[1:9]]) == ""
    assert why_no_article("main", "Rivers", [*prose * 3, *FORM]) == ""


STATEMENTS = [
    f"I saw the river rise on the {n}th of the days that I was there." for n in range(4, 20)
]


def test_an_article_with_a_long_questionnaire_behind_it_stays() -> None:
    prose = ["The mills of the river stood still for a year. " * 10] * 30
    asked = ["How often do you go to the mill?", "Never", "Sometimes", "Always"] * 30
    assert why_no_article("63543879003", "Mills", [*prose, *asked]) == ""
    assert why_no_article("63543879003", "Mills", [*prose[:8], *asked]) == "questionnaire"


def test_a_form_that_several_reviewers_filled_in_is_a_letter() -> None:
    lines = [
        "--== Reviewer 1 ==--",
        "Q2. Rate the importance of this paper",
        "==> 4: Very important",
        "Q6. Overall evaluation of paper",
        "--== Reviewer 2 ==--",
        "This is an interesting take on the mills of the river.",
    ]
    assert why_no_article("talks", "", lines) == "letter"
    assert why_no_article("talks", "", lines[-1:]) == ""


def test_a_questionnaire_of_statements_alone_is_none():
    assert why_no_article("questionnaire", "", STATEMENTS) == "questionnaire"
    assert why_no_article("english-items", "", STATEMENTS) == "questionnaire"
    assert why_no_article("rivers", "", STATEMENTS) == ""
    prose = " ".join(STATEMENTS)
    assert why_no_article("survey", "", [prose, *STATEMENTS[:3], prose]) == ""


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("4DGeo Manual", "documentation"), ("The gauge user's guide", "documentation"),
        ("Reference handbook", "documentation"), ("Quick start guide", "documentation"),
        ("Why keepers prefer readings of the river that are manual", ""),
        ("A field guide to the mills of the northern bank", ""), ("Manual readings", ""),
    ],
)  # fmt: skip
def test_a_manual_says_so_in_its_title(title: str, reason: str) -> None:
    assert why_no_article("application", title, PAPER) == reason


def test_a_hyphen_of_a_title_parts_no_words() -> None:
    assert why_no_article("thesis", "A Large-Scale Count of Birds", STATEMENTS) == ""
    assert why_no_article("thesis", "A Scale of Trust", STATEMENTS) == "questionnaire"


@pytest.mark.parametrize(
    "title",
    ["Attention as a Bilinear Form", "Quadratic forms of the bank", "On the materials of mills",
     "The normal form of a river", "Pattern formation and form"],
)  # fmt: skip
def test_a_paper_whose_subject_is_called_like_a_form_is_none(title: str) -> None:
    assert why_no_article("paper", title, STATEMENTS) == ""
    assert why_no_article("consent-form", "", STATEMENTS) == "questionnaire"
    assert why_no_article("thesis", "Consent form", STATEMENTS) == "questionnaire"


def test_a_report_that_recommends_in_its_title_is_a_letter() -> None:
    texts = ["The third issue is the list of the mills. I find that this is not yet good."]
    title = "Overall recommendation: not suitable for publication"
    assert why_no_article("2013-report-1", title, texts) == "letter"
    assert why_no_article("2013-report-1", "A Report of Mills", texts) == ""


def test_answers_to_referees_are_told_by_their_folder() -> None:
    texts = [
        "We agree that the gauges can be seen as a form of an inverse problem.",
        "We will add a paragraph on this in the final manuscript, as you ask.",
    ]
    assert why_no_article("2_jM", "", texts, "rebuttal") == "letter"
    assert why_no_article("2_jM", "", texts, "reviewer_comments") == "letter"
    assert why_no_article("2_jM", "", texts, "reviews") == ""
    assert why_no_article("2_jM", "", texts[:1], "rebuttal") == ""


@pytest.mark.parametrize("title", ["Cover Letter", "Response to the reviewers", "投稿信"])
def test_a_letter_says_so_in_its_title(title: str) -> None:
    text = "We kindly request your consideration of the paper for publishing in Water Levels."
    assert why_no_article("cover", title, [text]) == "letter"
    assert not why_no_article("cover", "A letter from the river", [text])


def test_the_reviews_of_a_panel_are_no_article() -> None:
    texts = [
        "Panel Summary", "The panel is of one mind about the gauges.", "Strengths",
        "The PIs propose to read each gauge by hand.", "Weaknesses", "None is found.",
    ]  # fmt: skip
    assert why_no_article("reviews2", "Panel Summary", texts) == "letter"
    swot = ["Introduction", "Strengths", "The gauges are old.", "Weaknesses", "They are few."]
    assert not why_no_article("gauges", "Gauges of the river", swot)


@pytest.mark.parametrize(
    "lines",
    [
        [
            "检测报告",
            "检测时间：2018/4/23",
            "论文字数：23283",
            "抄袭率：16%",
            "车辆在十字路口的行为。",
        ],
        ["原文句子", "相似片段1", "相似率: 91%", "相似来源", "对比库", "显著性检验用于判断差异。"],
        ["Turnitin Originality Report", "Similarity Index 12%", "Internet Sources", "Gauges rose."],
    ],
)
def test_the_report_of_a_check_for_plagiarism_is_no_article(lines: list[str]) -> None:
    assert why_no_article("报告", "", lines) == "similarity"


def test_an_article_about_plagiarism_is_one() -> None:
    texts = [
        "本文研究论文查重系统，比较了两种算法给出的重复率与人工判断的差别。",
        "We ask whether a plagiarism checker such as Turnitin finds what teachers find.",
    ]
    assert why_no_article("查重研究", "论文相似度检测方法研究", texts) == ""


TALK = ["— Le moulin tourne, dit le meunier.", "“It is of wood,” said the miller.",
        "« Il est vieux », répondit-elle en riant."]  # fmt: skip
TOLD = "The miller went to the river and looked at the wheel, which had not turned for a week."


@pytest.mark.parametrize("said", TALK)
def test_a_text_in_which_people_talk_is_a_story(said: str) -> None:
    texts = [TOLD, TOLD, said] * 30
    assert why_no_article("mills", "The mill", texts) == "story"


@pytest.mark.parametrize(
    "texts",
    [[TOLD, *TALK] * 5, [*[TOLD] * 12, TALK[0]] * 30, ["— 12 sacks", "– 3.5", TOLD] * 30],
)
def test_some_talk_and_lists_with_dashes_are_no_story(texts: list[str]) -> None:
    assert why_no_article("mills", "The mill", texts) != "story"
