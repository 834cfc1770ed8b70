"""Markdown with what pandoc adds."""

import pytest

from core.sources.articles.markdown import read_markdown
from core.sources.articles.prose.citations import spelled_out
from core.sources.articles.prose.sifting import sift


def kinds(text: str) -> list[tuple[str, str]]:
    return [(b.kind, " ".join(b.text.split())) for b in read_markdown(text).blocks]


def test_blocks_have_their_kinds() -> None:
    assert kinds(
        "## Head\n\nText *with* `code`\nand [a link](http://x).\n\n- one\n- two\n\n> said\n\n"
        "| a | b |\n|---|---|\n| c | d |\n\n```\nx = 1\n```\n\n"
        "![What it **shows**.](p.png){#fig:a}\n\n$$ a_1 = b_1 $$ {#eq:x}\n"
    ) == [
        ("heading", "Head"),
        ("text", "Text with code and a link."),
        ("list", "one"),
        ("list", "two"),
        ("quote", "said"),
        ("table", "a | b c | d"),
        ("code", "x = 1"),
        ("caption", "What it **shows**."),
        ("formula", "a_1 = b_1"),
    ]


def test_citations_cross_references_comments_and_notes_go() -> None:
    draft = read_markdown(
        "It works [@doi:10.1/x; @a2020]. As shown in [@b], see Figure @fig:y.[^1] <!-- no -->\n\n"
        "[^1]: A note.\n"
    )
    assert [spelled_out(block.text) for block in draft.blocks] == [
        ("It works. As shown in [ref], see Figure [ref].", False)
    ]


def test_a_space_that_does_not_break_is_a_space_and_attributes_of_references_go() -> None:
    assert kinds(
        'OpenCL\\ (a language) has it, see Fig.\\ 3[1](#fig:a){reference-type="ref"}.'
    ) == [("text", "OpenCL (a language) has it, see Fig. 31.")]
    assert kinds('It is {not an attribute} or {a="b.') == [
        ("text", 'It is {not an attribute} or {a="b.')
    ]


def test_inline_maths_survives_emphasis_and_prices_are_no_maths() -> None:
    assert kinds("Let $x_1 * y_1 * z$ be; it costs $5 or $6 and $N$.") == [
        ("text", "Let $x_1 * y_1 * z$ be; it costs $5 or $6 and N.")
    ]


def test_the_plural_of_a_letter_is_no_other_word() -> None:
    assert kinds("For all $i$s it ends, and \\\\(k\\\\)s so.") == [
        ("text", "For all i’s it ends, and k’s so.")
    ]


def test_no_typography_is_done_in_maths() -> None:
    assert kinds("Let $B_0' B_1'' \\to \\{x_1...x_n\\}$ hold.\n\n$$a_1' -- \"b\"$$\n") == [
        ("text", "Let $B_0' B_1'' \\to \\{x_1...x_n\\}$ hold."),
        ("formula", 'a_1\' -- "b"'),
    ]


def test_maths_between_backslashes_and_brackets_is_maths_too() -> None:
    text = (
        "The share of \\(B_0\\) and \\\\(T\\\\) falls \\(see below\\) as \\(T = 500\\).\n\n"
        "\\[\nE = mc^2\n\\]\n\nA list of \\[three\\] is none."
    )
    assert kinds(text) == [
        ("text", "The share of $B_0$ and T falls (see below) as T = 500."),
        ("formula", "E = mc^2"),
        ("text", "A list of [three] is none."),
    ]


def test_the_title_comes_from_the_front_matter_or_from_the_only_top_heading() -> None:
    assert read_markdown('---\ntitle: "A: B"\n---\n\nText.\n').title == "A: B"
    for front in (
        'title             : "A: B"\nshorttitle        : "C"',
        "title: >-\n  A:\n  B\nauthor: D",
        'title: "A:\n  B"',
        "'title': 'A: B'",
        "title: A: B",
    ):
        assert read_markdown(f"---\n{front}\n---\n\nText.\n").title == "A: B"
    assert read_markdown("---\ntitle:\nauthor: D\n---\n\nText.\n").title == ""
    draft = read_markdown("# Top\n\n## Sub\n\nText.\n")
    assert (draft.title, draft.blocks[0].text) == ("Top", "Sub")
    assert read_markdown("# One\n\nA.\n\n# Two\n\nB.\n").title == ""


def test_code_is_not_cleaned() -> None:
    assert kinds("```\na [@b] $x$ <!-- c -->\n```\n") == [("code", "a [@b] $x$ <!-- c -->")]


def test_unclosed_and_nested_markup_takes_no_long_time() -> None:
    for evil in ("[" * 20_000, "> " * 5_000 + "x", "*a " * 20_000, "`" * 9_999, "<!--" * 9_999):
        read_markdown("Before.\n\n" + evil)


def test_a_page_within_markdown_is_read_as_a_page() -> None:
    page = (
        "---\ntitle: Rain\n---\n<div>\n  <h3>Water</h3>\n    <p>The clause forbids it."
        '<sup><a href="#fn1">1</a></sup> <sup><a href="#fn2">2</a></sup> In 1984 it ended,'
        "<sup>3</sup> as <em>Roe</em> shows.</p>\n    <p>The next one.</p>\n\n"
        "        <p>Indented.</p>\n</div>\n"
    )
    blocks = read_markdown(page).blocks
    assert [(b.kind, " ".join(spelled_out(b.text)[0].split())) for b in blocks] == [
        ("heading", "Water"),
        ("text", "The clause forbids it. In 1984 it ended,³ as Roe shows."),
        ("text", "The next one."),
        ("text", "Indented."),
    ]


def test_raised_numbers_within_a_line_are_raised_or_notes() -> None:
    text = 'It fell.<sup>25</sup> Then CO<sub>2</sub> rose.<sup><a href="#n7">7</a></sup> It did.'
    assert kinds(text) == [("text", "It fell.²⁵ Then CO₂ rose. It did.")]


def test_letters_in_parentheses_are_no_signs_of_trade() -> None:
    text = "The package (R), the language (C) and the mark (tm) stay, as does (p)."
    assert kinds(text) == [("text", text)]


def test_raised_and_lowered_text_of_pandoc_is_put_into_characters() -> None:
    text = "In the 20^th^ century CO~2~ rose to 10^-3^ parts; ~~this~~ and 5 ^ 3 ^ 2 stay."
    assert kinds(text) == [
        ("text", "In the 20th century CO₂ rose to 10⁻³ parts; ~~this~~ and 5 ^ 3 ^ 2 stay.")
    ]


def test_code_that_computes_a_number_leaves_its_place_lost() -> None:
    blocks = read_markdown("The mean is `r round(mean(x), 2)`, as `lm` says.").blocks
    assert spelled_out(blocks[0].text) == ("The mean is , as lm says.", False)


def test_a_raised_number_between_brackets_leaves_no_sign() -> None:
    assert kinds("排名一直占据前三^[1]^，在大学成为最受欢迎的语言\\[2]。")[0][1].startswith(
        "排名一直占据前三，"
    )


def test_a_bare_key_of_pandoc_is_a_citation() -> None:
    draft = read_markdown(
        "It worked for years @elkins-tanton2021. It was so for the river @a2020, @b_2021.\n\n"
        "As was said by @smith2010, it works.\n\nSee @fig-map and write to a@b.org for it.\n"
    )
    assert [spelled_out(block.text) for block in draft.blocks] == [
        ("It worked for years. It was so for the river.", True),
        ("As was said by [ref], it works.", False),
        ("See [ref] and write to a@b.org for it.", False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Figure [@fig:rivers] presents the old mills of the town.",
        "Table [-@tbl-rivers] lists the old mills of the town.",
        "Sections [@sec:one;@sec:two] tell of the old mills of the town.",
        "Figure @fig-rivers presents the old mills of the town.",
        "Table @suptbl-rivers lists the old mills of the town.",
        "@Fig:rivers displays the old mills of the town.",
        "Equation (@eq:one) gives the number of the old mills.",
    ],
)
def test_a_figure_that_has_no_number_here_leaves_its_paragraph_out(text):
    assert [block.kind for block in sift(read_markdown(text).blocks).blocks] == ["doubtful"]


def test_a_figure_between_brackets_goes_with_them():
    text = "The mills ([Table @tbl-mills]) of the town are old [@fig-rivers]."
    block = sift(read_markdown(text).blocks).blocks[0]
    assert (block.kind, block.text) == ("text", "The mills of the town are old.")
