"""A folder with drafts of one paper gives one article, and letters to referees none."""

from pathlib import Path

import pytest

from core.sources.articles.article import Article, Block, compose
from core.sources.articles.drafts import drafts, same_findings, without_repeats
from core.sources.articles.read_paths import read_paths

SENTENCES = [
    f"Gauge {n} on the northern bank was read by hand for {n + 2} weeks in every dry season."
    for n in range(40)
]


MORE = [f"In print {n} the editor of the gauges had added a line of his own." for n in range(9)]
SETUP = " ".join(
    f"The table of year {n} is read from its file before anything is computed." for n in range(9)
)


def paper(path: Path, sentences: list[str], title: str = "Gauges") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    body = "\n\n".join(" ".join(sentences[i : i + 4]) for i in range(0, len(sentences), 4))
    path.write_text(
        f"\\documentclass{{article}}\\title{{{title}}}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )


def test_the_longest_draft_stays_and_the_others_are_named(tmp_path: Path) -> None:
    paper(tmp_path / "final" / "ms.tex", SENTENCES)
    paper(tmp_path / "submission1" / "ms.tex", [*SENTENCES[:30], "An old end of this paper."])
    report = read_paths([tmp_path])
    assert [a.path for a in report.articles] == [str(tmp_path / "final" / "ms.tex")]
    assert ("submission1" in report.skipped[0][0], report.skipped[0][1]) == (
        True,
        f"It is a draft of {tmp_path / 'final' / 'ms.tex'}.",
    )


def test_a_print_of_a_paper_is_the_draft_even_where_it_has_more_text() -> None:
    def read(name: str, sentences: list[str]) -> Article:
        texts = [" ".join(sentences[i : i + 4]) for i in range(0, len(sentences), 4)]
        blocks = [Block(text) for text in texts]
        return compose(blocks, path=name, article_id=name, title="", version="v1")

    struck = [f"The keeper had said that in year {n} no gauge was lost at all." for n in range(24)]
    marked = read("ms_trackchanges.pdf", [*SENTENCES, *struck])
    source = read("ms.tex", SENTENCES)
    assert drafts([marked, source]) == {0: 1}
    summary = read("summary.md", SENTENCES[:12])
    assert drafts([marked, summary]) == {1: 0}
    other = read("thesis.pdf", [*SENTENCES[:12], *struck])
    assert drafts([other, source]) == {}


def test_the_text_of_a_print_gives_way_to_the_source_of_the_paper(tmp_path: Path) -> None:
    paper(tmp_path / "ms.tex", SENTENCES)
    lines = [*SENTENCES, *MORE]
    texts = (" ".join(lines[i : i + 4]) for i in range(0, len(lines), 4))
    (tmp_path / "words.txt").write_text("\n".join(texts))
    report = read_paths([tmp_path])
    assert [a.path for a in report.articles] == [str(tmp_path / "ms.tex")]


def test_a_revision_that_kept_less_than_half_of_the_sentences_is_a_draft(tmp_path: Path) -> None:
    new = [
        f"The year of {n} saw a gauge that no keeper had ever read before him." for n in range(30)
    ]
    paper(tmp_path / "round1.tex", SENTENCES)
    paper(tmp_path / "round2.tex", [*SENTENCES[:19], *new])
    assert len(read_paths([tmp_path]).articles) == 1


def test_papers_with_one_long_title_are_drafts_though_most_was_rewritten(tmp_path: Path) -> None:
    new = [
        f"The year of {n} saw a gauge that no keeper had ever read before him." for n in range(60)
    ]
    title = "What the gauges of the northern bank tell of floods"
    paper(tmp_path / "round1.tex", SENTENCES, title)
    paper(tmp_path / "round2.tex", [*SENTENCES[:11], *new], title.replace("the n", "n"))
    assert len(read_paths([tmp_path]).articles) == 1
    paper(tmp_path / "round2.tex", [*SENTENCES[:11], *new], "Gauges")
    paper(tmp_path / "round1.tex", SENTENCES, "Gauges")
    assert len(read_paths([tmp_path]).articles) == 2


def test_two_papers_that_share_a_paragraph_both_stay(tmp_path: Path) -> None:
    paper(tmp_path / "one.tex", SENTENCES[:20])
    paper(tmp_path / "two.tex", SENTENCES[16:36])
    assert len(read_paths([tmp_path]).articles) == 2


def test_an_answer_to_referees_is_no_article(tmp_path: Path) -> None:
    paper(
        tmp_path / "answer.tex",
        ["Reviewer 1 asks why.", "We thank the reviewer for it.", *SENTENCES[:6]],
        "Response to the reviewers",
    )
    report = read_paths([tmp_path])
    assert not report.articles
    assert report.skipped[0][1] == "It is a letter to or from reviewers, not an article."


def test_a_chinese_draft_with_a_changed_word_in_every_clause_is_a_draft(tmp_path: Path) -> None:
    said = "北岸的第{n}号水位计在每个旱季都由看守人用手读数{m}周，随后把结果写进同一本册子。"
    sentences = [said.format(n=n, m=n + 2) for n in range(20)]
    changed = [text.replace("随后", "然后").replace("同一本", "一本") for text in sentences[:16]]
    paper(tmp_path / "paper.tex", sentences)
    paper(tmp_path / "test" / "test.tex", changed)
    report = read_paths([tmp_path])
    assert [a.path for a in report.articles] == [str(tmp_path / "paper.tex")]
    others = [f"南边的磨坊第{n}年被大水冲走，村里的人{n}天没有面包吃。" for n in range(20)]
    paper(tmp_path / "test" / "test.tex", others)
    assert len(read_paths([tmp_path]).articles) == 2


def test_a_paper_with_its_changes_marked_reads_like_its_new_version(tmp_path: Path) -> None:
    struck = "\\DIFdelbegin \\DIFdel{The old keeper had not seen it. }\\DIFdelend "
    added = "\\DIFaddbegin \\DIFadd{A new keeper saw it. }\\DIFaddend "
    marked = [f"{struck}{added}{text}" for text in SENTENCES]
    paper(tmp_path / "diff.tex", marked)
    (article,) = read_paths([tmp_path]).articles
    assert "old keeper" not in article.text
    assert f"A new keeper saw it. {SENTENCES[0]}" in article.text
    paper(tmp_path / "paper.tex", [f"A new keeper saw it. {text}" for text in SENTENCES])
    assert len(read_paths([tmp_path]).articles) == 1


def test_definitions_of_the_marks_do_not_bring_the_struck_words_back(tmp_path: Path) -> None:
    paper(tmp_path / "diff.tex", [f"\\DIFdel{{Struck words.}} {text}" for text in SENTENCES])
    path = tmp_path / "diff.tex"
    marks = (
        "\\providecommand{\\DIFadd}[1]{{\\protect\\color{blue}\\uwave{#1}}}"
        "\\providecommand{\\DIFdel}[1]{{\\protect\\color{red}{\\scriptsize #1}}}"
    )
    path.write_text(path.read_text().replace("\\begin{document}", marks + "\\begin{document}"))
    (article,) = read_paths([tmp_path]).articles
    assert "Struck" not in article.text
    assert SENTENCES[0] in article.text


@pytest.mark.parametrize(
    "preamble",
    [
        "\\usepackage{color,soul}",
        "\\usepackage{ulem}\\newcommand{\\st}[1]{\\textcolor{red}{\\sout{#1}}}",
        "\\usepackage{soul}\\newcommand\\old[1]{{\\color{red}\\st{#1}}}",
    ],
)
def test_words_that_an_author_strikes_are_gone(tmp_path: Path, preamble: str) -> None:
    name = "old" if "\\old" in preamble else "st"
    paper(tmp_path / "paper.tex", [f"\\{name}{{Struck words.}} {text}" for text in SENTENCES])
    path = tmp_path / "paper.tex"
    path.write_text(path.read_text().replace("\\title", f"{preamble}\\title"))
    (article,) = read_paths([tmp_path]).articles
    assert "Struck" not in article.text
    assert SENTENCES[0] in article.text


def test_a_command_that_is_called_like_a_mark_strikes_nothing(tmp_path: Path) -> None:
    paper(tmp_path / "paper.tex", [f"{text[:-1]} \\st{{that year}}." for text in SENTENCES])
    path = tmp_path / "paper.tex"
    path.write_text(path.read_text().replace("\\title", "\\newcommand\\st[1]{in #1}\\title"))
    (article,) = read_paths([tmp_path]).articles
    assert "dry season in that year." in article.text


def test_a_paper_whose_numbers_are_computed_gives_way_to_what_was_knitted(tmp_path: Path) -> None:
    pairs = [" ".join(SENTENCES[i : i + 4]) for i in range(0, len(SENTENCES), 4)]
    computed = "\n\n".join(f"{text} It had `r n` of them." for text in pairs)
    (tmp_path / "analysis.Rmd").write_text(f"---\ntitle: Gauges\n---\n\n{computed}\n\n{SETUP}\n")
    knitted = "\n\n".join(f"{text} It had 7 of them." for text in pairs)
    source = f"\\documentclass{{article}}\\begin{{document}}\n{knitted}\n\\end{{document}}\n"
    (tmp_path / "submission.tex").write_text(source)
    (article,) = read_paths([tmp_path]).articles
    assert article.path.endswith("submission.tex")


def test_marks_of_a_package_count_where_it_is_loaded(tmp_path: Path) -> None:
    said = "\\replaced[id=a]{A new keeper}{The old one} saw it\\deleted{ never}\\added{ again}."
    paper(tmp_path / "marked.tex", [f"{said} {text}" for text in SENTENCES])
    path = tmp_path / "marked.tex"
    path.write_text(path.read_text().replace("\\title", "\\usepackage[final]{changes}\\title"))
    (article,) = read_paths([tmp_path]).articles
    assert article.text.startswith(f"A new keeper saw it again. {SENTENCES[0]}")
    path.write_text(
        path.read_text().replace("\\usepackage[final]{changes}", "\\newcommand{\\added}[1]{#1}")
    )
    assert " again." in read_paths([tmp_path]).articles[0].text


def test_a_translation_gives_items_and_is_said_to_have_the_numbers_of_the_other(
    tmp_path: Path,
) -> None:
    english = [
        f"Gauge {n} rose by {n}.{n + 3} metres and fell again in {1990 + n}." for n in range(20)
    ]
    chinese = [
        f"第{n}号水尺上升了{n}.{n + 3}米，并在{1990 + n}年再次下降到原来的位置。" for n in range(18)
    ]
    others = [
        f"Nest {n} grew by {n}.{n + 5} metres and fell again in {1990 + n}." for n in range(20)
    ]
    for name, sentences in (("en", english), ("zh", chinese), ("nests", others)):
        (tmp_path / f"{name}.md").write_text("\n\n".join(sentences))
    report = read_paths([tmp_path])
    assert len(report.articles) == 3
    assert [Path(path).name for path, _ in report.notes] == ["zh.md"]
    assert f"the numbers of {tmp_path / 'en.md'}" in report.notes[0][1]


def test_a_long_thesis_that_has_most_numbers_by_chance_is_no_version_of_a_paper() -> None:
    def read(name: str, numbers: list[str]) -> Article:
        blocks = [Block(f"The gauge was read at {number} by hand.") for number in numbers]
        return compose(blocks, path=name, article_id=name, title="", version="v1")

    thesis = read("thesis.pdf", [str(n) for n in range(100, 1000) if n % 6])
    paper = read("paper.md", [str(n) for n in range(103, 1000, 29) if n % 6] + ["112.75"])
    assert same_findings([thesis, paper]) == {}
    measured = [f"{n}.{n % 90 + 10}" for n in range(103, 1000, 29)]
    whole = read("whole.pdf", [str(n) for n in range(100, 1000) if n % 6] + measured)
    assert same_findings([whole, read("part.md", measured)]) == {1: 0}


def test_a_paragraph_that_two_articles_have_gives_items_in_the_longer_one() -> None:
    def read(name: str, texts: list[str]) -> Article:
        return compose(map(Block, texts), path=name, article_id=name, title="", version="v1")

    abstract = " ".join(SENTENCES[:3])
    paper_of_it = read("ms.tex", [abstract, " ".join(SENTENCES[3:20])])
    alone = read("abstract.txt", [abstract, "A short line.", " ".join(SENTENCES[30:33])])
    told = without_repeats([alone, paper_of_it])
    assert [p.kind for p in told[0].paragraphs] == ["doubtful", "text", "text"]
    assert told[1] == paper_of_it
    assert told[0].text == alone.text


def test_a_paragraph_with_some_words_changed_gives_items_in_the_longer_article_only() -> None:
    def read(name: str, *texts: str) -> Article:
        return compose(map(Block, texts), path=name, article_id=name, title="", version="v1")

    shared = " ".join(SENTENCES[:4])
    changed = shared.replace("by hand", "by the keeper", 1).replace("Gauge 3", "The gauge")
    long = read("thesis.tex", shared, " ".join(SENTENCES[8:16]))
    short = read("paper.tex", changed, " ".join(SENTENCES[20:24]))
    kinds = [[p.kind for p in article.paragraphs] for article in without_repeats([short, long])]
    assert kinds == [["doubtful", "text"], ["text", "text"]]


def test_a_passage_that_stands_in_two_articles_in_other_words_gives_items_in_one() -> None:
    def read(name: str, *texts: str) -> Article:
        return compose(map(Block, texts), path=name, article_id=name, title="", version="v1")

    def words(stem: str, count: int) -> list[str]:
        return [f"{stem}{number}" for number in range(count)]

    passage = words("word", 120)
    reworded = [f"new{n}" if n % 9 == 4 else word for n, word in enumerate(passage)]
    embedded = [*words("before", 80), *passage[30:90], *words("behind", 80)]
    thesis = read("thesis.tex", " ".join(passage), " ".join(words("long", 400)))
    for repeated in (reworded, embedded):
        paper_of_it = read("paper.tex", " ".join(repeated), " ".join(words("own", 60)))
        told = without_repeats([paper_of_it, thesis])
        assert [p.kind for p in told[0].paragraphs] == ["doubtful", "text"]
        assert told[1] == thesis


def test_two_versions_by_name_are_drafts_though_most_was_rewritten() -> None:
    def read(name: str, sentences: list[str]) -> Article:
        texts = [" ".join(sentences[i : i + 4]) for i in range(0, len(sentences), 4)]
        return compose(map(Block, texts), path=name, article_id=name, title="", version="v1")

    old = [f"In week {n} gauge {n + 3} was read by the keeper of mill {n}." for n in range(120)]
    new = [f"What keeper {n} saw of the mills is told here in words of his." for n in range(100)]
    first = read("p/ms_v1.tex", old)
    assert drafts([first, read("p/ms-v2-revised.tex", [*old[:20], *new])]) == {1: 0}
    assert drafts([first, read("p/other.tex", [*old[:20], *new])]) == {}
    assert drafts([first, read("q/ms_v2.tex", [*old[:20], *new])]) == {}


def version(number: int, sentences: int = 120, changed: int = 30) -> list[str]:
    """The sentences of one of many versions; from one to the next ``changed`` are rewritten."""
    states = [max(0, (number * changed - n - 1) // sentences + 1) for n in range(sentences)]
    names = [f"{n}x{state}" for n, state in enumerate(states)]
    return [f"Gauge {n} stood at {n} when keeper {n} of mill {n} read it {n} times." for n in names]


@pytest.mark.parametrize(
    "places",
    [
        [f"v{n}.tex" for n in range(1, 13)],
        ["old/v1.tex", "old/v2.tex", "arxiv/main.tex", "final/paper.tex", "revision_2/ms.tex"],
        ["river.tex", "river_diff.tex", "archive/river_2nd.tex", "Submission/river-v3.tex"],
    ],
)
def test_many_versions_of_a_manuscript_are_one_article_though_the_first_shares_little_with_the_last(
    tmp_path: Path, places: list[str]
) -> None:
    for number, place in enumerate(places):
        paper(tmp_path / place, version(number))
    report = read_paths([tmp_path])
    (article,) = report.articles
    assert [why for _, why in report.skipped] == [f"It is a draft of {article.path}."] * (
        len(places) - 1
    )


def test_a_revision_in_a_folder_of_old_ones_of_which_most_was_rewritten_is_a_draft() -> None:
    def read(name: str, sentences: list[str]) -> Article:
        texts = [" ".join(sentences[i : i + 4]) for i in range(0, len(sentences), 4)]
        return compose([Block(t) for t in texts], path=name, article_id=name, title="", version="v")

    first, later = version(0), version(1, changed=90)
    assert len(drafts([read("old/main.tex", first), read("final/paper.tex", later)])) == 1
    assert drafts([read("mills/main.tex", first), read("towns/paper.tex", later)]) == {}
