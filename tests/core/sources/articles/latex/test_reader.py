"""Constructs of real papers, read by both readers: they come out right or give no items."""

from pathlib import Path

import pytest

from core.sources.articles.article import Article
from core.sources.articles.latex import reader
from core.sources.articles.pandoc.process import syntax_tree
from core.sources.articles.read_paths import read_paths
from core.sources.articles.trees import FolderTree
from core.sources.limits import DEFAULT_LIMITS

BIBLIOGRAPHY = (
    "\n\\begin{thebibliography}{9}\\bibitem[Hogg(2010)]{hogg2010} H."
    "\\bibitem[Rix \\& Bovy(2013)]{rix} R.\\end{thebibliography}"
)
FILLER = "The first sentence of the paragraph stands here."


def article(tmp_path: Path, body: str, preamble: str = "", **files: str) -> Article:
    for name, text in files.items():
        (tmp_path / name.replace("__", ".")).write_text(text, encoding="utf-8")
    (tmp_path / "paper.tex").write_text(
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    report = read_paths([tmp_path / "paper.tex"])
    assert report.articles, report.skipped
    return report.articles[0]


def items_text(read: Article) -> str:
    """The text that items may be made of."""
    return "\n".join(p.text for p in read.paragraphs if p.kind == "text")


def test_the_space_below_a_line_is_no_text(tmp_path: Path) -> None:
    title = "\\title{\\\\ [2.0cm] Mills \\\\ [-0.6ex] of the [old] River \\\\ [sic]}"
    read = article(tmp_path, FILLER, title)
    assert read.title == "Mills of the [old] River [sic]"


@pytest.mark.parametrize("command", ["Title", "aistatstitle", "icmltitle[Short]", "titre"])
def test_a_class_may_have_its_own_command_for_the_title(tmp_path: Path, command: str) -> None:
    title = f"\\{command}{{The Mills of the River}}"
    assert article(tmp_path, FILLER, title).title == "The Mills of the River"
    assert article(tmp_path, f"\\twocolumn[{title}]\n\n{FILLER}").title == "The Mills of the River"


@pytest.mark.parametrize("where", ["{env}\n\\maketitle\n", "\\maketitle\n{env}\n", "{command}\n"])
def test_an_abstract_is_read_by_both_readers(tmp_path: Path, where: str) -> None:
    text = "The mills of the river stood still. We say for all of them how long they did."
    env, command = f"\\begin{{abstract}}\n{text}\n\\end{{abstract}}", f"\\abstract{{{text}}}"
    body = where.format(env=env, command=command)
    assert text in items_text(article(tmp_path, f"{body}\\section{{One}}\n{FILLER}"))


def test_a_colon_behind_bold_type_ends_a_heading_in_the_line(tmp_path: Path) -> None:
    body = (
        "The mills stand still.\n\n"
        "\\textbf{Water of mills}: It was low in all of them for a year.\n\n"
        "\\textbf{Grain of mills}. It was high in all of them.\n\n"
        "\\textbf{wheels}: they were old in all of them."
    )
    read = article(tmp_path, body)
    said = [(p.kind, p.text) for p in read.paragraphs]
    assert ("heading", "Water of mills") in said
    assert ("text", "It was low in all of them for a year.") in said
    assert ("text", "It was high in all of them.") in said
    assert ("text", "wheels: they were old in all of them.") in said


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "The formulation follows \\cite{hogg2010}, it was adapted.",
            "The formulation follows (Hogg, 2010), it was adapted.",
        ),
        ("In \\cite{rix} it was adapted.", "In Rix and Bovy (2013) it was adapted."),
        (
            "We adapt \\textsc{bert} to {\\sc nlp} tasks and \\textsc{Squad}; other \\textsc{llm}s "
            "and a \\textsc{two-stage} plan follow.",
            "We adapt BERT to NLP tasks and Squad; other LLMs and a TWO-STAGE plan follow.",
        ),
        (
            "It varied (\\ref{fig:s}), see Figure (\\ref{fig:s}) and P $<< 0.1$.\n"
            "\\begin{figure}\\caption{C}\\label{fig:s}\\end{figure}",
            "It varied (Figure 1), see Figure (1) and P ≪ 0.1.",
        ),
        (
            'The left"=hand side of x"~y trees is ver"-wirklicht in a Auf"|lage and a "`q"\' here.',
            "The left-hand side of x-y trees is verwirklicht in a Auflage and a “q” here.",
        ),
        (
            "It is ‘so' as `a long word of the nineteenth century, which has more than the eighty "
            "signs of one word' says since the $19^{\\text{th}}$ century.",
            "It is ‘so’ as ‘a long word of the nineteenth century, which has more than the eighty "
            "signs of one word’ says since the 19th century.",
        ),
        ("\\cite{rix} adapted it.", "Rix and Bovy (2013) adapted it."),
        ("It was so for all stars \\cite{rix,hogg2010}.", "It was so for all stars."),
        ("It works \\citep[][]{hogg2010} well.", "It works well."),
        ("It works \\citep[e.g.][Ch.~2]{hogg2010}.", "It works."),
        (
            "A mill or the like \\citep[e.g.][]{rix} may be of use.",
            "A mill or the like may be of use.",
        ),
        ("It works (e.g., \\citealt{hogg2010}; \\citealt{rix}).", "It works."),
        ("It works (PCA; \\citealt{hogg2010}).", "It works (PCA)."),
        ("As \\citet[][p.~3]{hogg2010} said.", "As Hogg (2010, p. 3) said."),
        ("\\citeauthor{rix} (\\citeyear{rix}) said.", "Rix and Bovy (2013) said."),
        ("David Hogg \\citeyear{hogg2010} said it.", "David Hogg (2010) said it."),
        ("It is old (see Hogg \\citeyear{hogg2010}).", "It is old (see Hogg 2010)."),
        ("It is of \\citeyear{hogg2010} already.", "It is of 2010 already."),
        (
            "It is so, as \\citeauthor{rix}~\\cite{rix} said.",
            "It is so, as Rix and Bovy (2013) said.",
        ),
        ("It is that of \\citeauthor{rix} \\citep{rix}.", "It is that of Rix and Bovy (2013)."),
        ("句子用字节对编码 \\citep{rix} 进行编码。", "句子用字节对编码进行编码。"),
        ("Words from\\cite{rix} say.", "Words from Rix and Bovy (2013) say."),
        ("Rix et al.~\\cite{rix} did it.", "Rix et al. did it."),
        ("Rix \\textit{et al}~\\citep{rix} did it.", "Rix et al did it."),
        ("Rix and Bovy \\cite{rix} did it.", "Rix and Bovy did it."),
        ("Rix and Bowy \\cite{rix} did it.", "Rix and Bowy did it."),
        ("Rix and Bovy \\citet{rix} did it.", "Rix and Bovy (2013) did it."),
        ("Stars move in a slow way \\cite{rix}.", "Stars move in a slow way."),
        ("There is one \\cite{rix}.", "There is one."),
        ("Stars form the LA \\citep{rix,hogg2010}.", "Stars form the LA."),
        ("It was seen in the US \\citep{rix}.", "It was seen in the US."),
        (
            "It has one top, as described above \\cite{rix,hogg2010}.",
            "It has one top, as described above.",
        ),
        ("It is shown below \\cite{rix}, and it moves.", "It is shown below, and it moves."),
        (
            "The normal equations (NE) \\citet{rix} or others help.",
            "The normal equations (NE) or others help.",
        ),
        (
            "After this, \\cite{rix} reports a value.",
            "After this, Rix and Bovy (2013) reports a value.",
        ),
        (
            "After this, \\citep{rix} reports a value.",
            "After this, Rix and Bovy (2013) reports a value.",
        ),
        (
            "In another effort, \\cite{rix} has made one.",
            "In another effort, Rix and Bovy (2013) has made one.",
        ),
        (
            "It is known from \\citet{rix} \\citet{hogg2010}.",
            "It is known from Rix and Bovy (2013) and Hogg (2010).",
        ),
        (
            "It works (where light is proportional to mass \\cite{rix}).",
            "It works (where light is proportional to mass).",
        ),
        ("It was seen in ref.~\\citet{rix}.", "It was seen in Rix and Bovy (2013)."),
    ],
)
def test_citations(tmp_path: Path, source: str, expected: str) -> None:
    text = items_text(article(tmp_path, f"{FILLER} {source}{BIBLIOGRAPHY}"))
    assert text == f"{FILLER} {expected}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("It was seen last year [14].", "It was seen last year."),
        ("It was seen last year ([16], [17]) and later [2, 3, 9].",
         "It was seen last year and later."),
        ("The values lie in [0, 1] or in the interval [2, 5].",
         "The values lie in [0, 1] or in the interval [2, 5]."),
    ],
)  # fmt: skip
def test_numbers_of_references_give_no_order_away(
    tmp_path: Path, source: str, expected: str
) -> None:
    text = items_text(article(tmp_path, f"{FILLER} {source}"))
    assert text == f"{FILLER} {expected}"


@pytest.mark.parametrize(
    "source",
    [
        "The formulation follows \\cite{unknown}, it was adapted.",
        "In \\cite{unknown} it was adapted.",
        "\\citet{unknown} adapted it.",
        "We made it the World Dataset(\\citep{}).",
        "It was first adapted in the seminal~\\cite{unknown}, albeit in another way.",
        "It was adapted by \\mycite{hogg2010}.",
        "See Section~\\ref{gone} for it.",
        "It is on page~\\pageref{sec:a} of it.",
        "The unknown \\mysymbol{} is lost.",
        "The value is $\\unknownmacro + 1$.",
        "The \\ifdraft old \\else new \\fi text.",
        "See the details in \\ref{sec:a} The principle is old.",
        "It was seen by Rix [ADD CITATION] too.",
        "Figure XX shows how it grows.",
        "The rays merge once they travelled XX kpc from it.",
        "Leaves were found in these images... They differ.",
    ],
)
def test_what_cannot_be_told_gives_no_items(tmp_path: Path, source: str) -> None:
    label = "\\section{Start}\\label{sec:a}"
    read = article(tmp_path, f"{label}{FILLER} {source}{BIBLIOGRAPHY}\n\nA second paragraph stays.")
    assert items_text(read) == "A second paragraph stays."
    assert [p.kind for p in read.paragraphs] == ["heading", "doubtful", "text"]


@pytest.mark.parametrize(
    ("preamble", "source", "expected"),
    [
        (
            "\\usepackage{glossaries}\\newacronym{fft}{FFT}{fast Fourier transform}",
            "We use the \\gls{fft} and \\glspl{fft}, an \\acrlong{fft}.",
            "We use the FFT and FFTs, an fast Fourier transform.",
        ),
        (
            "\\newcommand{\\project}[1]{\\textsl{#1}\\xspace}"
            "\\newcommand{\\astropy}{\\project{astropy}}",
            "The \\astropy package, \\astropy.",
            "The astropy package, astropy.",
        ),
        (
            "\\newcommand{\\old}{Kepler}\\let\\new\\old",
            "Stars of \\new{} shine.",
            "Stars of Kepler shine.",
        ),
        (
            "\\newcommand{\\name}{Kepler}"
            "\\pdfstringdefDisableCommands{\\renewcommand{\\name}{wrong}}",
            "Stars of \\name{} shine.",
            "Stars of Kepler shine.",
        ),
        (
            "\\newcommand{\\rf}{\\mathbf{f}}",
            "Here $\\nabla\\rf = 0$.",
            "Here $\\nabla\\mathbf{f}= 0$.",
        ),
        ("", "There are 10\\textsuperscript{60} and $10^{60}$.", "There are 10⁶⁰ and 10⁶⁰."),
        ("", "Seen with\\footnote{A note.} care.", "Seen with care."),
        ("", "The gas H$_2$ and CO$_{2}$ in cm$^{-3}$.", "The gas H₂ and CO₂ in cm⁻³."),
        (
            "",
            "The 3$^{\\rm rd}$ of 10 M$_\\odot$ and 2 M$_{\\odot}$.",
            "The 3rd of 10 M⊙ and 2 M⊙.",
        ),
        (
            "",
            "With $\\sigma=$ 0.25 it is at most $n^9+2$ or $n^{9+2}$ for $t\\to 0^+$.",
            "With σ = 0.25 it is at most n⁹ + 2 or n⁹⁺² for t → 0⁺.",
        ),
        (
            "",
            "It has a `pose' and the stars' own `way of life'.",
            "It has a ‘pose’ and the stars' own ‘way of life’.",
        ),
    ],
)
def test_macros_and_scripts(tmp_path: Path, preamble: str, source: str, expected: str) -> None:
    read = article(tmp_path, f"{FILLER} {source}", preamble)
    assert items_text(read) == f"{FILLER} {expected}"


def test_a_line_of_a_listing_has_no_number_that_could_be_told(tmp_path: Path) -> None:
    read = article(
        tmp_path,
        f"{FILLER}\n\nThe code is on Line~\\ref{{line:a}}.\n\n"
        "\\begin{lstlisting}[escapechar=|,caption=A,label=l]\nx |$\\label{line:a}$|\n"
        "\\end{lstlisting}",
        "\\usepackage{listings}",
    )
    assert items_text(read) == FILLER


@pytest.mark.parametrize(
    "place",
    [
        "\\begin{myclaim}\\label{a} It is so.\\end{myclaim}",
        "\\begin{enumerate}\\item\\label{a} It is so.\\end{enumerate}",
    ],
)
def test_what_has_an_unknown_number_is_not_called_by_its_section(
    tmp_path: Path, place: str
) -> None:
    read = article(
        tmp_path, f"\\section{{A}}\n{FILLER}\n\n{place}\n\nBy Section~\\ref{{a}} it is so."
    )
    assert "By Section" not in items_text(read)


def test_an_environment_named_like_a_heading_is_one(tmp_path: Path) -> None:
    read = article(tmp_path, f"\\begin{{section}}{{X}}\n{FILLER}\n\\end{{section}}")
    assert [(p.kind, p.text) for p in read.paragraphs] == [("heading", "X"), ("text", FILLER)]


@pytest.mark.parametrize(
    ("declared", "begun"),
    [
        ("\\newtcbtheorem[number within=section]{Def}{Definition}{a}{d}", "{Gauge}{d:gauge}"),
        ("\\newtcbtheorem{Def}{Definition}{colback=red}{d}", "[a]{Gauge}{}"),
        ("\\newenvironment{Def}[1]{\\textbf{#1}}{}", "{Gauge}"),
        ("\\newenvironment{Def}[2][blue]{\\textbf{#2}}{}", "[red]{Gauge}"),
        ("\\newtcolorbox{Def}[2]{title={#1},colback=#2}", "{Gauge}{red}"),
        ("\\NewDocumentEnvironment{Def}{O{blue} m}{\\textbf{#2}}{}", "{Gauge}"),
    ],
)
def test_the_title_of_an_own_environment_is_no_part_of_its_sentence(
    tmp_path: Path, declared: str, begun: str
) -> None:
    body = f"{FILLER}\n\n\\begin{{Def}}{begun}\n{FILLER}\n\\end{{Def}}"
    read = article(tmp_path, body, declared)
    assert [p.text for p in read.paragraphs if p.kind == "text"] == [FILLER, FILLER]


@pytest.mark.parametrize("begun", ["", "[Baker]", "[Baker and Hall, Theorem 2.]"])
def test_both_readers_give_the_words_of_a_theorem(tmp_path: Path, begun: str) -> None:
    body = f"\\section{{Rivers}}\n\\begin{{thm}}{begun} {FILLER}\n\\end{{thm}}"
    read = article(tmp_path, body, "\\newtheorem{thm}{Theorem}[section]")
    assert items_text(read) == FILLER


def test_a_preamble_that_was_compiled_before_is_that_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "head.tex").write_text(
        "\\documentclass{article}\n\\newcommand{\\flow}{\\mathbf{F}}\n\\dump\n"
    )
    body = FILLER.replace("The ", "The map $\\flow$ says that the ", 1)
    (tmp_path / "book.tex").write_text(f"\\begin{{document}}\n{body}\n\\end{{document}}\n")
    read = read_paths([tmp_path]).articles
    assert len(read) == 1
    assert items_text(read[0]).startswith("The map F says that the first")


def test_a_part_may_begin_the_document(tmp_path: Path) -> None:
    (tmp_path / "body.tex").write_text(
        f"\\setcounter{{page}}{{3}}\n\\begin{{document}}\n\\include{{one}}\n{FILLER}\n"
    )
    (tmp_path / "one.tex").write_text(f"\\section{{Rivers}}\n{FILLER}\n\n")
    (tmp_path / "book.tex").write_text("\\documentclass{book}\n\\input body\n\\end{document}\n")
    read = read_paths([tmp_path]).articles
    assert [items_text(one) for one in read] == [f"{FILLER}\n{FILLER}"]


def test_an_own_command_for_input_is_followed(tmp_path: Path) -> None:
    read = article(
        tmp_path,
        "\\myinput{part}",
        "\\newcommand{\\myinput}[1]{\\input{#1.tex}}",
        part__tex=f"{FILLER}\n",
    )
    assert items_text(read) == FILLER


def test_an_own_command_for_input_may_stand_in_a_part_and_choose_a_path(tmp_path: Path) -> None:
    command = "\\newcommand{\\myinput}[1]{\\ifdefined\\inner\\input{../#1}\\else \\input{#1}\\fi}"
    read = article(
        tmp_path,
        f"{FILLER}\n\n\\myinput{{part}}\n\nThe end is here.",
        "\\input{common}",
        common__tex=command,
        part__tex="The part stands here as a sentence.",
    )
    assert items_text(read).split("\n") == [
        FILLER,
        "The part stands here as a sentence.",
        "The end is here.",
    ]


def test_a_run_in_heading_is_not_glued_to_the_text(tmp_path: Path) -> None:
    read = article(tmp_path, f"\\textbf{{Results.}} {FILLER}\n\n{{\\bf Map expansion:}} {FILLER}")
    assert [(p.kind, p.text) for p in read.paragraphs] == [
        ("heading", "Results"),
        ("text", FILLER),
        ("heading", "Map expansion"),
        ("text", FILLER),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "\\begin{IEEEbiography}{John Doe} was born in a town.\\end{IEEEbiography}",
        "\\begin{acknowledgments}Many people helped us.\\end{acknowledgments}",
        "\\begin{ack}\n\nMany people helped us.\n\n\\end{ack}",
        "\\acknowledgments\n\nMany people helped us.",
        "\\section*{Acknowledgements}\n\nMany people helped.\n\n\\subsection{More}\n\nAnd these.",
        "\\section{Author contributions}\n\nA.B. did it all.",
        "\\section*{Data availability}\n\nIt is all on the web.",
        "\\paragraph{Funding} It came from here and there.",
        "This work was supported by the National Science Foundation.",
        "We thank the anonymous referee for a careful reading.",
        "A.B. acknowledges support from NASA grant NNX13AF20G.",
        "Department of Physics, University of Somewhere, Main Street 1.",
        "Jane Doe received her Ph.D. in mathematics from a university.",
        "This article is licensed under a Creative Commons licence.",
        "\\affiliation{Department of Physics}\\address{Main Street 1}\\author{John Doe}",
    ],
)
def test_back_matter_gives_no_items(tmp_path: Path, source: str) -> None:
    read = article(tmp_path, f"\\section{{Start}}\n\n{FILLER}\n\n{source}")
    assert items_text(read) == FILLER


def test_two_readers_must_agree(tmp_path: Path) -> None:
    """Here TeX's own programming prints a word that only one of them finds."""
    odd = "\\def\\pick(#1){#1}"
    read = article(tmp_path, f"{FILLER}\n\nA word \\pick(more) or less.", odd)
    assert items_text(read) == FILLER


def test_a_paper_that_one_reader_fails_on_is_read_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\begin{document}\n\\hspace{0.4cm}\\parencite(wrong).\n\n"
        "A plain sentence that is whole and long enough to be kept in here.\n\n"
        "A formula such as $\\frac{a}{b}$ is more than the one reader is trusted with.\n"
        "{\\end{document}\n"
    )
    report = read_paths([tmp_path])
    assert [note for _, note in report.notes] == [
        "Only one of the two readers could read it, so stricter checks were applied."
    ]
    assert items_text(report.articles[0]) == (
        "A plain sentence that is whole and long enough to be kept in here."
    )


def test_a_chinese_paragraph_may_begin_with_a_latin_letter(tmp_path: Path) -> None:
    from core.generation.fragments import unfit_reason

    read = article(tmp_path, "k 近邻方法是一种简单的方法。它不需要训练，只需要记住所有的样本。")
    assert [unfit_reason(p) for p in read.paragraphs] == [None]


def test_a_thesis_numbers_its_sections_and_figures_by_chapter(tmp_path: Path) -> None:
    body = (
        "\\chapter{One}\\section{A}\\chapter{Two}\\label{two}\\section{A}\\section{B}\\label{b}"
        "\\begin{figure}\\caption{C}\\label{f}\\end{figure}"
        "The bank is told of in Section \\ref{b} of Chapter \\ref{two}, and Figure \\ref{f} has it."
        "\\chapter{Three}\\begin{figure}\\caption{C}\\label{g}\\end{figure}"
        "\n\nThe river of Figure \\ref{g} is told of in Appendix \\ref{z} for the whole week."
        "\\begin{appendices}\\chapter{Last}\\section{A}\\label{z}\\end{appendices}"
    )
    text = items_text(article(tmp_path, body))
    assert "Section 2.2 of Chapter 2, and Figure 2.1 has it." in text
    assert "The river of Figure 3.1 is told of in Appendix A.1 for" in text


def test_a_chapter_that_is_read_by_itself_has_no_numbers(tmp_path: Path) -> None:
    (tmp_path / "chapter.tex").write_text(
        "\\chapter{One}\\section{A}\\label{a}The bank is told of by those who live there.\n\n"
        "The river is told of in Section \\ref{a} and it was seen by those who live there."
    )
    (read,) = read_paths([tmp_path / "chapter.tex"]).articles
    assert items_text(read) == "The bank is told of by those who live there."


def test_thanks_end_with_their_chapter_and_not_at_a_section_of_it(tmp_path: Path) -> None:
    said = "My road to the gauges was long, and many people have walked a part of it with me."
    body = (
        "\\chapter*{Acknowledgments}\n\nIt was I who did it.\n\n\\section*{The road behind}\n\n"
        f"{said}\n\n\\chapter{{Gauges}}\n\n\\section{{Rivers}}\n\n{FILLER}"
    )
    read = article(tmp_path, body)
    assert said not in items_text(read)
    assert FILLER in items_text(read)
    assert [s.level for s in read.sections] == [1, 2, 1, 2]


@pytest.mark.parametrize("name", ["acknowledgments", "Dedication", "remerciements", "致谢"])
def test_a_part_that_holds_the_thanks_is_left_out(tmp_path: Path, name: str) -> None:
    said = "My road to the gauges was long, and many people have walked a part of it with me."
    body = f"\\section{{Before}}\n\n\\input{{parts/{name}}}\n\n{FILLER}"
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / f"{name}.tex").write_text(said)
    read = article(tmp_path, body)
    assert said not in read.text
    assert FILLER in items_text(read)


@pytest.mark.parametrize("name", ["translation", "survey", "comments", "resolution"])
def test_the_translation_at_the_end_of_a_thesis_is_not_its_text(tmp_path: Path, name: str) -> None:
    said = "Somebody else has counted the gauges of a river, and a student has translated it."
    body = (
        f"\\chapter{{Gauges}}\n\n{FILLER}\n\n\\appendix\\begin{{{name}}}"
        f"\\title{{A paper of others}}\\maketitle\\section{{Gauges}}\n\n{said}\n\\end{{{name}}}"
    )
    settings = "\n  title* = {River},\n  title = {河流的\\\\水位}\n"
    read = article(tmp_path, body, f"\\hypersetup{{pdftitle={{PDF}}}}\\thusetup{{{settings}}}")
    assert said not in read.text
    assert FILLER in items_text(read)
    assert read.title == "河流的水位"


def test_a_title_is_not_taken_from_the_setup_of_something_else(tmp_path: Path) -> None:
    preamble = "\\tcbset{a/.style={title={Box}}}\\pgfplotssetup{x}\\newtcolorbox{b}{title={Box}}"
    assert article(tmp_path, FILLER, preamble).title == ""


def test_an_address_in_a_style_of_the_article_is_part_of_its_text(tmp_path: Path) -> None:
    style = "\\newcommand{\\place}{\\url{https://gauges.example/all}}\n"
    read = article(
        tmp_path, f"{FILLER}\n\n\\bsverbatim{{7}}{FILLER}", "\\usepackage{own}", own__sty=style
    )
    assert FILLER in items_text(read)


@pytest.mark.parametrize(
    "part",
    [
        "\\subfigure[North]{\\includegraphics{a}\\label{fig:a}}",
        "\\subfloat[North\\label{fig:a}]{\\includegraphics{a}}",
        "\\subcaptionbox{North\\label{fig:a}}{\\includegraphics{a}}",
        "\\begin{subfigure}{3cm}\\includegraphics{a}\\caption{North}\\label{fig:a}\\end{subfigure}",
    ],
)
def test_a_part_of_a_figure_is_not_called_by_the_number_of_the_whole(
    tmp_path: Path, part: str
) -> None:
    figure = f"\\begin{{figure}}{part}\\caption{{Gauges}}\\label{{fig:all}}\\end{{figure}}"
    said = "The gauges of the north are those of Figure~\\ref{fig:a} and were read by hand."
    whole = "All of the gauges are those of Figure~\\ref{fig:all} and were read by hand."
    read = items_text(article(tmp_path, f"{figure}\n\n{said}\n\n{whole}"))
    assert "north" not in read
    assert "those of Figure 1 and" in read


def test_a_paragraph_that_the_second_reader_cannot_read_takes_no_other_with_it(
    tmp_path: Path,
) -> None:
    broken = "The keeper had it that way.\\end{paracol}"
    parts = [f"{FILLER} Rate {n} is $\\frac{{a}}{{b}}$ of the others." for n in range(4)]
    body = "\n\n".join([*parts[:2], broken, *parts[2:], f"{FILLER}\\end{{none}}"])
    read = items_text(article(tmp_path, f"\\section{{Gauges}}\n\n{body}"))
    assert read.count("of the others") == len(parts)
    assert "that way" not in read


@pytest.mark.parametrize("name", ["beamer", "tikzposter", "a0poster", "moderncv"])
def test_slides_and_posters_are_no_articles(tmp_path: Path, name: str) -> None:
    text = f"\\documentclass[a4paper]{{{name}}}\\begin{{document}}{FILLER}\\end{{document}}"
    (tmp_path / "gauges.tex").write_text(text)
    ((_, reason),) = read_paths([tmp_path]).skipped
    assert reason == "It is a poster, slides or a curriculum vitae, not an article."


def test_the_second_reader_is_not_asked_about_the_internals_of_a_style(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def heard(source: bytes, reader_name: str) -> dict[str, object]:
        asked.append(source.decode())
        return syntax_tree(source, reader_name)

    monkeypatch.setattr(reader, "syntax_tree", heard)
    (tmp_path / "acl.sty").write_text(
        "\\ifacl@review\n\\newcommand{\\@LN}[2]{}\n\\fi\n"
        "\\newcommand\\outauthor{\\begin{tabular}[t]{c}\n\\bf\\@author\n\\end{tabular}}\n"
        "\\newcommand{\\kept}{gauge}\n"
    )
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{acl}\\begin{document}\n"
        f"{FILLER} The \\kept{{}} is read by hand.\n\\end{{document}}\n"
    )
    tree = FolderTree(tmp_path, DEFAULT_LIMITS)
    draft = reader.read_latex(tree, "paper.tex", twice=True)
    assert draft.blocks[0].sure
    assert "@" not in asked[0]
    assert "outauthor" not in asked[0]
    assert "kept" in asked[0]


def test_a_paper_full_of_faults_is_not_read_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def asked(source: bytes, reader_name: str) -> dict[str, object]:
        calls.append(len(source))
        return syntax_tree(source, reader_name)

    monkeypatch.setattr(reader, "syntax_tree", asked)
    faults = "".join(
        f"\\section{{Gauge {n}}}\n\n" + f"{FILLER}\\end{{x}}\n\n" * 9 for n in range(9)
    )
    reader.read_latex_text(f"\\begin{{document}}{faults}\\end{{document}}", twice=True)
    assert 12 < len(calls) <= 52
