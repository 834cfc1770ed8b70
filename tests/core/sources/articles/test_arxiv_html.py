"""HTML as LaTeXML makes it, and ordinary pages."""

from datetime import date

import pytest

from core.sources.articles.arxiv_html import looks_like_html, read_html
from core.sources.articles.prose.citations import spelled_out
from core.sources.articles.prose.sifting import sift
from core.sources.limits import UnreadableSource

PAGE = """<!DOCTYPE html><html><head><title>[2607.01234] Shown</title></head><body>
<nav class="ltx_page_navbar">menu</nav>
<div id="watermark-tr">arXiv:2607.01234v1 [q-bio.PE] 03 Jul 2026</div>
<article class="ltx_document"><h1 class="ltx_title ltx_title_document">The
 Title<span class="ltx_note">note</span></h1>
<div class="ltx_authors">Nobody</div>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract.</h6>
<p class="ltx_p">In short.</p></div>
<section class="ltx_section"><h2 class="ltx_title ltx_title_section">
<span class="ltx_tag">1 </span>Start</h2>
<div class="ltx_para"><p class="ltx_p">It grows as
<math alttext="N^{2}" display="inline"><mi>N</mi><mn>2</mn></math><span class="ltx_note
ltx_role_footnote">foot</span> here <cite class="ltx_cite">[3, 4]</cite>, as in
<cite class="ltx_cite">[5]</cite> and <cite class="ltx_cite">Who (2020)</cite>.</p>
<table class="ltx_equation ltx_eqn_table"><tr><td><math alttext="\\displaystyle a=b"
display="block"></math></td><td><span class="ltx_tag">(1)</span></td></tr></table>
<p class="ltx_p">After.</p></div>
<figure><img src="x"/><figcaption class="ltx_caption"><span class="ltx_tag">Figure 1: </span>Seen.
</figcaption></figure>
<table class="ltx_tabular"><tr class="ltx_tr"><td>a</td><td>b</td></tr></table>
<ul class="ltx_itemize"><li class="ltx_item"><span class="ltx_tag">•</span>
<div class="ltx_para"><p class="ltx_p">First.</p></div></li></ul>
<pre>code  here</pre>
</section><section class="ltx_bibliography"><h2>References</h2><p>Old.</p></section>
</article></body></html>"""


def test_a_latexml_page_gives_its_blocks_and_what_the_stamp_says() -> None:
    draft = read_html(PAGE)
    assert draft.title == "The Title"
    assert (draft.article_id, draft.version) == ("2607.01234", "v1")
    assert draft.categories == ("q-bio.PE",)
    assert draft.submitted == date(2026, 7, 3)
    assert [(b.kind, " ".join(spelled_out(b.text)[0].split())) for b in draft.blocks] == [
        ("heading", "Abstract"),
        ("text", "In short."),
        ("heading", "Start"),
        ("text", "It grows as N² here, as in [ref] and Who (2020)."),
        ("formula", "\\displaystyle a=b"),
        ("text", "After."),
        ("caption", "Seen."),
        ("table", "a | b"),
        ("list", "First."),
        ("code", "code here"),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The value of λ<sub>AI</sub> is 10<sup>60</sup>.", "The value of λ_AI is 10⁶⁰."),
        ("It holds CO<sub>2</sub> and R&amp;D,&nbsp;too.", "It holds CO₂ and R&D, too."),
        ("It grows <cite class='ltx_cite'>[<a>14</a>]</cite> by day.", "It grows by day."),
        ("As <cite class='ltx_cite'>Hogg (<a>2010</a>)</cite> said.", "As Hogg (2010) said."),
        ("It grows <span class='citation'>(Hogg <a>2010</a>)</span>.", "It grows."),
        (
            "As <span class='citation' data-cites='h'>Hogg (2010)</span> said.",
            "As Hogg (2010) said.",
        ),
        ("It grows <cite class='ltx_cite'>(Hogg, <a>2010</a>)</cite>.", "It grows."),
        ("It grows <d-cite key='hogg'></d-cite>.", "It grows."),
        (
            "It grows <cite class='ltx_cite'>hogg2010fit; rix_bovy</cite>, as all does "
            "(see <cite class='ltx_cite'>rix:2013</cite>).",
            "It grows, as all does.",
        ),
        (
            "It grows <cite class='ltx_cite ltx_citemacro_citep'>(<span class='ltx_ref "
            "ltx_missing_citation ltx_ref_self'>hoggfit</span>)</cite> by day.",
            "It grows by day.",
        ),
        ("As <cite class='ltx_cite'>Hogg</cite> said.", "As Hogg said."),
        ("All <math alttext='i'><mi>i</mi></math>s grow.", "All i's grow."),
        ("As <math alttext='i'><mi>i</mi></math> says.", "As i says."),
        ("It grows<sup class='reference'><a href='#n1'>[1]</a></sup> by day.", "It grows by day."),
        (
            "We adapt <span class='ltx_text ltx_font_smallcaps'>bert</span> to "
            "<span class='smallcaps'>Squad</span> <b>and <span class='smallcaps'>qa</span>s</b>.",
            "We adapt BERT to Squad and QAs.",
        ),
        ("It grows<d-footnote>A note.</d-footnote> by day.", "It grows by day."),
    ],
)
def test_what_a_page_shows_is_not_flattened(source: str, expected: str) -> None:
    draft = read_html(
        "<html><head><title></title></head><body><article class='ltx_document'>"
        "<h1 class='ltx_title ltx_title_document'></h1><section>"
        f"<p class='ltx_p'>{source}</p></section></article></body></html>"
    )
    assert draft.title == ""
    assert [(b.kind, b.text) for b in sift(draft.blocks).blocks] == [("text", expected)]


@pytest.mark.parametrize(
    "source",
    [
        "See <dt-cite key='lessard'></dt-cite> for a counterexample.",
        "As <d-cite key='sutskever'></d-cite> has observed, it matters more.",
    ],
)
def test_a_citation_without_words_that_a_sentence_needs_makes_it_doubtful(source: str) -> None:
    draft = read_html(f"<html><body><h1>T</h1><p>{source}</p></body></html>")
    assert [block.kind for block in sift(draft.blocks).blocks] == ["doubtful"]


def test_a_later_version_says_nothing_about_the_first_submission() -> None:
    assert read_html(PAGE.replace("01234v1", "01234v2")).submitted is None


def test_an_ordinary_page_is_read_by_its_tags() -> None:
    draft = read_html(
        "<html><body><script>x()</script><h1>T</h1><h2>S</h2><p>One <b>two</b>.</p>"
        "<blockquote>Q</blockquote><div>loose <br>text</div></body></html>"
    )
    assert draft.title == "T"
    assert [(b.kind, " ".join(b.text.split())) for b in draft.blocks] == [
        ("heading", "S"),
        ("text", "One two."),
        ("quote", "Q"),
        ("text", "loose text"),
    ]


def test_deep_nesting_and_unclosed_tags_are_survived() -> None:
    draft = read_html("<html><body><p>Before.</p>" + "<div>" * 5_000 + "deep" + "<p>" * 50)
    assert draft.blocks[0].text == "Before."


@pytest.mark.parametrize("text", ["", "   ", "<!-- -->"])
def test_nothing_is_refused(text: str) -> None:
    with pytest.raises(UnreadableSource, match="Could not parse the HTML"):
        read_html(text)


def test_entities_reach_no_file(tmp_path: object) -> None:
    text = (
        '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        "<html><body><p>A &x; b</p></body></html>"
    )
    assert "root:" not in " ".join(block.text for block in read_html(text).blocks)


def test_html_is_recognised_by_its_start() -> None:
    assert looks_like_html("\ufeff <!doctype html><p>")
    assert looks_like_html('<?xml version="1.0"?><html>')
    assert not looks_like_html("a < b and <p>")


def test_a_link_that_shows_the_key_of_a_reference_is_a_citation() -> None:
    page = (
        "<html><body><p>They use other languages "
        "<a href='#org-mode-community'>org-mode-community</a>, "
        "as well as Emacs <a href='#cite_Dominik201408'>Dominik201408</a>. See "
        "<a href='#methods'>the methods</a> for it.</p></body></html>"
    )
    (block,) = sift(read_html(page).blocks).blocks
    assert " ".join(block.text.split()) == (
        "They use other languages, as well as Emacs. See the methods for it."
    )


def test_a_citation_of_pandoc_that_lost_its_year_is_missed() -> None:
    def kind(citation: str) -> str:
        page = (
            "<html><body><h1>T</h1><p>The gauges were read as in the theory of "
            f'<span class="citation">{citation}</span> and by hand in each of the years.</p>'
            "</body></html>"
        )
        return sift(read_html(page).blocks).blocks[-1].kind

    assert kind("Meyer (1952)") == kind("Meyer (in press)") == "text"
    assert kind("MEYER A.H.") == "doubtful"


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ('<img src="a.svg" alt="ξξξ" class="mathpalette"> (motivated by it)', None),
        ('<img src="a.gif" alt="$\\alpha$">', "A value of α is large."),
        (
            '<math alttext="\\alpha"></math><img class="mwe-fallback" alt="a">',
            "A value of α is large.",
        ),
    ],
)
def test_a_formula_that_is_an_image_is_read_or_missed(image: str, expected: str | None) -> None:
    page = f"<html><body><p>A value of {image} is large.</p></body></html>"
    (block,) = sift(read_html(page).blocks).blocks
    assert (block.kind, block.text) == ("text", expected) if expected else block.kind == "doubtful"


def test_a_picture_before_a_paragraph_takes_no_word_from_it() -> None:
    page = "<html><body><p><img src='a.png'>The value of the gauge is large.</p></body></html>"
    (block,) = sift(read_html(page).blocks).blocks
    assert block.kind == "text"
