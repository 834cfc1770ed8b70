"""LaTeX: the prose stays, readable; everything that is no prose is told apart or gone."""

import pytest

from core.sources.articles.article import ParsedSource
from core.sources.articles.latex import main_name, read_latex, read_latex_text
from core.sources.articles.prose.citations import loss_mark, spelled_out
from core.sources.articles.trees import MemoryTree
from core.sources.limits import Limits, UnreadableSource


def read(body: str, preamble: str = "") -> ParsedSource:
    return read_latex_text(
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )


def prose(body: str, preamble: str = "") -> str:
    draft = read(body, preamble)
    return "\n".join(spelled_out(b.text)[0] for b in draft.blocks if b.kind == "text")


def is_sure(body: str, preamble: str = "") -> bool:
    return all(spelled_out(b.text)[1] for b in read(body, preamble).blocks if b.kind == "text")


def test_comments_labels_footnotes_and_figures_leave_no_trace() -> None:
    text = prose(
        "Kept % not this\n words\\label{sec:a} and\\footnote{A \\emph{nested} note.} more.\n"
        "\\begin{figure}\\includegraphics[width=3cm]{x.png}stray\\end{figure}\n"
        "\\begin{comment}secret\\end{comment}\\iffalse hidden \\fi\nA share of 5\\% stays."
    )
    assert text.split("\n") == ["Kept words and more.", "A share of 5% stays."]


def test_captions_tables_lists_code_quotes_and_formulas_have_kinds_of_their_own() -> None:
    draft = read(
        "\\begin{figure}\\caption[short]{What it shows.}\\end{figure}"
        "\\begin{table}\\begin{tabular}{ll}a & b \\\\ \\hline c & d\\end{tabular}\\end{table}"
        "\\begin{itemize}\\item One.\\item[Two] More.\\end{itemize}"
        "\\begin{verbatim}\nx = 1 % kept\n\\end{verbatim}"
        "\\begin{quote}Said.\\end{quote}"
        "\\begin{align*}x &= y \\label{e}\\end{align*}\\[ z \\] $$ w $$"
    )
    assert [(b.kind, b.text.strip()) for b in draft.blocks] == [
        ("caption", "What it shows."),
        ("table", "a | b\nc | d"),
        ("list", "One."),
        ("list", "Two: More."),
        ("code", "x = 1 % kept"),
        ("quote", "Said."),
        ("formula", "x &= y"),
        ("formula", "z"),
        ("formula", "w"),
    ]


def test_a_line_of_chinese_that_goes_on_in_the_next_one_leaves_no_space() -> None:
    body = "可以将现有的方法分为两类：近些\n年来兴起的方法，\n以及传统的 CNN\n方法。\n\n第二段。"
    text = "可以将现有的方法分为两类：近些年来兴起的方法，以及传统的 CNN 方法。\n第二段。"
    assert prose(body) == text
    assert is_sure(body)


def test_headings_have_levels_and_the_title_is_no_paragraph() -> None:
    draft = read(
        "\\title[Short]{A \\emph{Long} Title}\\maketitle\\begin{abstract}Abs.\\end{abstract}"
        "\\section*{One}\\subsection[s]{Two $x$}Text."
    )
    assert draft.title == "A Long Title"
    assert [(b.text, b.level) for b in draft.blocks if b.kind == "heading"] == [
        ("Abstract", 1),
        ("One", 1),
        ("Two x", 2),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("$x$ is", "x is"),
        ("about $\\approx 99.99\\%$ of", "about ≈ 99.99% of"),
        ("$10^{-3}$ and $N^2$", "10⁻³ and N²"),
        ("$t\\geq 0$", "t ≥ 0"),
        ("$\\frac{a}{b}$ stays", "$\\frac{a}{b}$ stays"),
        ("\\(x_i\\) stays", "$x_i$ stays"),
        ("for all \\(i\\)s and $k$s ends, $s$ so", "for all i's and k's ends, s so"),
        ("costs \\$5 and \\$6", "costs $5 and $6"),
        ("a $ alone", "a alone"),
        ("a $\\mathsf{AG} reset$ state", "a AG reset state"),
        ("$\\mathrm{softmax}\\mathbf{x}$, $\\mathrm{d}x$, $a\\mathrm{b}$", "softmax x, dx, ab"),
        (
            "about ${\\sim}2$–4, ${>}90\\%$, $p{=}3$, $\\mathord{\\sim}10^{5}$",
            "about ~2–4, >90%, p = 3, ~10⁵",
        ),
        ("a $\\mathbf{=}$ and $x_{,}$ stay", "a $\\mathbf{=}$ and $x_{,}$ stay"),
        ("a rate of $ 0,\\!5 $ and $\\!x$", "a rate of 0,5 and x"),
        ("paths in $\\mathcal{P}$ and $P$", "paths in $\\mathcal{P}$ and P"),
        ("within 100$\\,$AU of it", "within 100 AU of it"),
        ("$T{\\left(n\\right)}$, $O{(n)}$ and $\\log{(2n)}$", "T(n), O(n) and log(2n)"),
        (
            "$\\sqrt{(n)}$, $\\hat{x}(n)$ and $\\{a, b\\}$",
            "$\\sqrt{(n)}$, $\\hat{x}(n)$ and $\\{a, b\\}$",
        ),
    ],
)
def test_inline_maths_is_plain_where_nothing_is_lost(source: str, expected: str) -> None:
    assert prose(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('K\\"onigstuhl', "Königstuhl"),
        ("\\'{e}t\\'e na\\\"{\\i}ve \\v{C}ert\\'{\\i}k", "été naïve Čertík"),
        ("``quoted'' --- or -- not", "“quoted” — or – not"),
        ("one~two\\,three\\ four", "one two three four"),
        ("\\LaTeX{} and \\ss\\ here", "LaTeX and ß here"),
        ("\\href{http://a.b/%20c}{shown} and \\url{http://x.y/%7Ez}", "shown and http://x.y/%7Ez"),
        ("\\verb|a_b%c| and \\texttt{d}", "a_b%c and d"),
        ("\\textcolor{red}{kept} \\unknown{too}[not]", "kept too[not]"),
        ("10\\textsuperscript{60} m\\textsubscript{AI} 3\\textsuperscript{rd}", "10⁶⁰ m_AI 3rd"),
        ("\\enquote{said}", "“said”"),
        ("\\vspace{2cm}Start\\hspace*{1em} end", "Start end"),
    ],
)
def test_commands_read_as_they_print(source: str, expected: str) -> None:
    assert prose(source) == expected


def test_what_the_reader_does_not_know_makes_its_paragraph_unsure() -> None:
    assert is_sure("\\textcolor{red}{Known} \\emph{words}.")
    assert not is_sure("Unknown \\mysymbol here.")
    assert loss_mark() in read("\\unknown{too}").blocks[0].text


def test_citations_leave_sentences_whole_and_give_no_order_away() -> None:
    bibliography = (
        "\\begin{thebibliography}{9}\\bibitem[Goodman \\& Weare(2010)]{g} G."
        "\\bibitem[{Sm{\\'\\i}th} et~al.(2015)]{s} S.\\end{thebibliography}"
    )
    text = prose(
        "It works~\\cite{g,s}, see \\cite{g}. It runs \\citep[e.g.,][p.~3]{s}. "
        "Work by \\citet{g} and \\citet[Ch.~2]{s} (see \\citealt{g}).\n\n"
        "\\cite{g}, \\cite{s} showed." + bibliography
    )
    assert text.split("\n") == [
        "It works, see Goodman and Weare (2010). It runs. "
        "Work by Goodman and Weare (2010) and Smíth et al. (2015, Ch. 2).",
        "Goodman and Weare (2010), Smíth et al. (2015) showed.",
    ]


def test_a_citation_that_a_sentence_needs_and_nobody_can_name_makes_it_unsure() -> None:
    assert is_sure("It works~\\cite{a}.")
    assert not is_sure("The formulation follows \\cite{a}, it was adapted.")
    assert not is_sure("\\citet{a} found it.")
    assert not is_sure("As in \\mycite{a}.")


@pytest.mark.parametrize("work", ["l'article", "el libro", "der Aufsatz", "cette thèse"])
def test_in_other_languages_too_a_citation_tells_which_work_is_meant(work: str) -> None:
    bibliography = "\\begin{thebibliography}{9}\\bibitem[Weare(2010)]{g} G.\\end{thebibliography}"
    text = prose(f"C'est {work} \\citep{{g}} que tous ont lu." + bibliography)
    assert text == f"C'est {work} (Weare, 2010) que tous ont lu."
    assert not is_sure(f"C'est {work} \\citep{{gone}} que tous ont lu.")


def test_bibtex_files_name_who_is_cited() -> None:
    bib = (
        b'@article{one,author={G{\\"o}del, Kurt},year=1931}\n'
        b"@book{two, author = {Alan Turing and John von Neumann},\n date = {1950-01}}\n"
        b'@misc{many,author="A. One and B. Two and {The Team}",year="2001"}\n@misc{none,title={x}}'
    )
    body = b"By \\citet{one}, \\citet{two} and \\citet{many}.\\bibliography{refs}"
    tree = MemoryTree(
        {"main.tex": b"\\begin{document}" + body + b"\\end{document}", "refs.bib": bib}
    )
    assert spelled_out(read_latex(tree).blocks[0].text) == (
        "By Gödel (1931), Turing and von Neumann (1950) and One et al. (2001).",
        True,
    )


def test_references_print_the_numbers_that_latex_would_print() -> None:
    text = prose(
        "\\section{A}\\label{s:a}\\section{B}\\subsection{C}\\label{s:c}"
        "\\begin{equation}x\\label{e:1}\\end{equation}"
        "\\begin{figure}\\caption{F}\\label{f:1}\\end{figure}"
        "Section~\\ref{s:c}, \\cref{f:1}, Eq.~\\eqref{e:1}, \\autoref{s:a}, \\ref{gone}."
    )
    assert text.endswith("Section 2.1, Figure 1, Eq. (1), Section 1, [ref].")
    assert not is_sure("See \\ref{gone}.")


def test_the_authors_macros_are_expanded() -> None:
    preamble = (
        "\\newcommand{\\name}{Kepler}\\newcommand{\\pair}[2][first]{#1 and #2}"
        "\\def\\be{\\begin{equation}}\\def\\ee{\\end{equation}}"
        "\\newcommand\\code[1]{{\\ttfamily #1}}\\newcommand{\\sp}{spaced\\xspace}"
        "\\DeclareMathOperator{\\rank}{rank}\\let\\old=\\section"
    )
    draft = read(
        "\\name{} and \\name\\ with \\pair{b}, \\pair[a]{b}, \\code{f}, \\sp here. \\be E \\ee",
        preamble,
    )
    assert [(b.kind, " ".join(b.text.split())) for b in draft.blocks] == [
        ("text", "Kepler and Kepler with first and b, a and b, f, spaced here."),
        ("formula", "E"),
    ]


@pytest.mark.timeout(120)
def test_macros_without_end_are_refused() -> None:
    with pytest.raises(UnreadableSource, match="macros expand endlessly"):
        read("\\aaa", "\\def\\aaa{\\bbb\\bbb\\bbb}\\def\\bbb{\\aaa\\aaa\\aaa and some words}")


@pytest.mark.timeout(120)  # in quadratic time it would take hours
@pytest.mark.parametrize(
    "unclosed",
    ["\\emph{", "$", "\\[ ", "\\begin{equation}", "\\begin{itemize}\\item ", "{\\bf ", "\\cite{",
     "\\begin{verbatim}", "\\verb|", "\\newcommand{\\x}[1]{",
     "\\caption{\\emph{", "\\item[", "\\cite{a} ", "\\pageref{a} ", "\\foo["],
)  # fmt: skip
def test_what_is_never_closed_loses_no_text_before_it(unclosed: str) -> None:
    draft = read("Before it all.\n\n" + unclosed * 20_000)
    assert draft.blocks[0].text == "Before it all."


def test_inputs_are_followed_in_place_and_within_the_tree_only() -> None:
    tree = MemoryTree(
        {
            "main.tex": b"\\documentclass{article}\\begin{document}One. \\input{parts/two} "
            b"\\include{parts/three.tex}\\input{../../etc/passwd} \\input{/etc/passwd}"
            b"\\end{document}",
            "parts/two.tex": b"Two. \\input{parts/deep}",
            "parts/deep.tex": b"Deep.",
            "parts/three.tex": b"\n\nThree.",
            "etc/passwd": b"root",
        }
    )
    draft = read_latex(tree)
    assert [b.text for b in draft.blocks] == ["One. Two. Deep.", "Three."]
    assert draft.notes == (
        "The part ../../etc/passwd lies outside the source's folder and was left out.",
    )


def test_files_that_input_themselves_are_read_once_and_noted() -> None:
    tree = MemoryTree(
        {
            "main.tex": b"\\documentclass{article}\\begin{document}A \\input{b}\\end{document}",
            "b.tex": b"B \\input{main} \\input{b} end",
        }
    )
    draft = read_latex(tree)
    assert [b.text for b in draft.blocks] == ["A B end"]
    assert len(draft.notes) == 2
    assert "main includes itself" in draft.notes[0]


def test_parts_that_multiply_are_refused() -> None:
    members = {f"p{n}.tex": (f"\\input{{p{n + 1}}}" * 10).encode() for n in range(12)}
    members["p12.tex"] = b"word " * 200
    members["main.tex"] = b"\\documentclass{article}\\begin{document}\\input{p0}\\end{document}"
    with pytest.raises(UnreadableSource, match="more text than one article"):
        read_latex(MemoryTree(members), limits=Limits(text_bytes=10**6, members=10**9))


def test_the_main_file_is_the_one_with_the_class_that_nobody_inputs() -> None:
    members = {
        "a_supplement.tex": b"\\documentclass{article}\\begin{document}S\\end{document}",
        "ms.tex": b"\\documentclass{article}\\begin{document}M\\input{sec}\\end{document}",
        "sec.tex": b"A much longer section. " * 50,
    }
    assert main_name(MemoryTree(members)) == "ms.tex"
    readme = b"sources:\n - usage: toplevel\n   filename: a_supplement.tex\n"
    assert main_name(MemoryTree({**members, "00README.yaml": readme})) == "a_supplement.tex"


def test_a_tree_without_latex_is_refused() -> None:
    with pytest.raises(UnreadableSource, match="contains no LaTeX file"):
        main_name(MemoryTree({"x.png": b""}))


def test_a_chinese_article_is_read() -> None:
    draft = read("\\section{引言}\n分散投资的\n道理很简单。\\footnote{注}", "\\usepackage{ctex}")
    assert [b.text.replace(" ", "") for b in draft.blocks] == ["引言", "分散投资的道理很简单。"]
