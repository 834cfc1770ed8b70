"""Formulas that a script or a program drew into a page are read as what they show."""

import pytest

from core.sources.articles.arxiv_html import read_html

KATEX = (
    "<span class='katex'><span class='katex-mathml'><math><semantics><mrow><mi>y</mi></mrow>"
    "<annotation encoding='application/x-tex'>y_{rec}</annotation></semantics></math></span>"
    "<span class='katex-html' aria-hidden='true'><span class='base'>y<span>rec</span></span></span>"
    "</span>"
)
CHTML = (
    "<span class='mjpage'><span class='mjx-chtml'><span class='mjx-math' aria-label='y_{rec}'>"
    "<span class='mjx-mrow' aria-hidden='true'>y<span class='mjx-sub'>rec</span></span></span>"
    "</span></span>"
)
SCRIPT = (
    "<span class='MathJax_Preview'>y</span><span class='MathJax' id='m1'><nobr>yrec</nobr></span>"
    "<script type='math/tex' id='m1-Element'>y_{rec}</script>"
)
SVG = (
    "<span class='MathJax_SVG'><svg><text>yrec</text></svg></span>"
    "<script type='math/tex'>y_{rec}</script>"
)
THREE = (
    "<mjx-container><mjx-math aria-hidden='true'>yrec</mjx-math><mjx-assistive-mml><math><msub>"
    "<mi>y</mi><mrow><mi>r</mi><mi>e</mi><mi>c</mi></mrow></msub></math></mjx-assistive-mml>"
    "</mjx-container>"
)
MATHML = "<math><msub><mi>y</mi><mi>rec</mi></msub></math>"


def shown(source: str) -> list[tuple[str, str]]:
    page = f"<html><body><article><p>{source}</p></article></body></html>"
    return [(block.kind, block.text) for block in read_html(page).blocks]


@pytest.mark.parametrize("drawn", [KATEX, CHTML, SCRIPT, SVG, THREE, MATHML])
def test_a_drawn_formula_is_read_once(drawn: str) -> None:
    assert shown(f"The level {drawn} is better.") == [("text", "The level $y_{rec}$ is better.")]


@pytest.mark.parametrize(
    ("mathml", "expected"),
    [
        ("<msup><mn>10</mn><mn>3</mn></msup>", "10³"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "$x_{i}^{2}$"),
        ("<mfrac><mi>a</mi><mi>b</mi></mfrac>", "$\\frac{a}{b}$"),
        ("<msqrt><mi>n</mi></msqrt><mo>=</mo><mn>2</mn>", "$\\sqrt{n}=2$"),
        ("<mi>n</mi><mo>=</mo><mn>2</mn>", "n = 2"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "$\\overset{¯}{x}$"),
    ],
)
def test_signs_of_mathml_keep_their_places(mathml: str, expected: str) -> None:
    assert shown(f"The level <math>{mathml}</math> is better.") == [
        ("text", f"The level {expected} is better.")
    ]


def test_a_drawn_formula_of_which_only_the_sound_is_known_is_lost() -> None:
    spoken = CHTML.replace("y_{rec}", "y sub rec baseline")
    ((_, text),) = shown(f"The level {spoken} is better.")
    assert "rec" not in text
    assert text != "The level is better."


def test_a_displayed_formula_is_no_part_of_its_paragraph() -> None:
    display = (
        "<div class='MathJax_Display'><span class='MathJax'>a=b</span></div>"
        "<script type='math/tex; mode=display'>a=\\frac{b}{c}</script>"
    )
    assert shown(f"It is so. {display} It rains.") == [
        ("text", "It is so."),
        ("formula", "a=\\frac{b}{c}"),
        ("text", "It rains."),
    ]
