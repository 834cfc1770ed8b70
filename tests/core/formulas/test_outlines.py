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
    ("tex", "crowded"),
    [
        (r"a\bmod b", r"a\mathrm{mod}b"),
        (r"\gcd a", r"\mathrm{gcd}a"),
        (r"\det\mathbf{A}", r"\mathrm{det}\mathbf{A}"),
        (r"\sup f", r"\mathrm{sup}f"),
        (r"\operatorname{lcm} a", r"\mathrm{lcm}a"),
        (r"\operatorname{lcm}\alpha", r"\mathrm{lcm}\alpha"),
        (r"\sin x", r"\mathrm{sin}x"),
    ],
)
def test_a_named_function_stands_apart_from_what_it_is_of(tex: str, crowded: str):
    """“a₃mod7” was read instead of a formula."""
    apart = outline(tex, display=False)["width"] - outline(crowded, display=False)["width"]
    assert 10 < apart < 120


@pytest.mark.parametrize("tex", [r"\gcd(a,b)", r"\det\left(A\right)", r"\operatorname{tr}(A)"])
def test_before_a_bracket_it_does_not(tex: str):
    plain = tex.replace(r"\operatorname{tr}", r"\mathrm{tr}").replace(r"\gcd", r"\mathrm{gcd}")
    plain = plain.replace(r"\det", r"\mathrm{det}")
    assert outline(tex, display=False)["width"] == outline(plain, display=False)["width"]


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
