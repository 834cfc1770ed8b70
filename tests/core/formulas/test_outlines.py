"""Outlines stand on the base line; what would be drawn wrongly has none."""

import pytest

from core.formulas.outlines import outline


def test_an_outline_stands_on_the_base_line_in_units_of_the_type():
    drawn = outline("x", display=False)
    assert 40 < drawn["ascent"] < 60
    assert 0 <= drawn["descent"] < 5
    assert 40 < drawn["width"] < 80
    fraction = outline(r"\frac{a}{b}", display=False)
    assert fraction["descent"] > 20
    assert fraction["ascent"] > drawn["ascent"]
    larger = outline(r"\sum_{i=1}^n x", display=True)
    assert larger["ascent"] > outline(r"\sum_{i=1}^n x", display=False)["ascent"]


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{cases} 1 & x>0 \\ 0 & \text{otherwise}\end{cases}",
        r"\begin{align}a&=b\label{e}\\c&=d\end{align}",
        r"\mathbb{E}_{x\sim\mathcal{D}}\left[\log p_\theta(x)\right]",
        r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
    ],
)
def test_what_papers_write_has_an_outline(tex: str):
    assert outline(tex, display=True)["shapes"]


@pytest.mark.parametrize(
    "tex",
    [
        r"\foo{x}",
        r"\text{中文}",
        r"\begin{array}{c|c}a&b\end{array}",
        r"\begin{array}{c}a\\ \hline b\end{array}",
        "{" * 9 + "x" + "}" * 9,
    ],
)
def test_what_would_be_drawn_wrongly_has_none(tex: str):
    with pytest.raises(ValueError, match=r"."):
        outline(tex, display=False)
