"""Formulas are found where they stand, set in a child within limits, and left as TeX otherwise."""

import json
import subprocess

import pytest

from core.formulas.finding import Formula, pieces
from core.formulas.outlines import outline
from core.own_process import module_command, module_environment


def formulas(text: str) -> list[str]:
    return [piece.tex for piece in pieces(text) if isinstance(piece, Formula)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"Let $x_i$ be \(y\), and \[z\] or $$w$$.", ["x_i", "y", "z", "w"]),
        ("取$n$个样本", ["n"]),
        ("($N$), $a, b$ and $f(x)$", ["N", "a, b", "f(x)"]),
        (r"\begin{equation}a\end{equation}", [r"\begin{equation}a\end{equation}"]),
        (r"a price of \$5 and $\$5 < x$", [r"\$5 < x"]),
    ],
)
def test_formulas_are_found_with_every_delimiter(text: str, found: list[str]):
    assert formulas(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "It cost $5 and $10.",
        "US$5 million to US$7 million",
        "$HOME/bin:$PATH",
        "A$20, B$30",
        "from $5, or less than 5$ each",
        "$$a\n\nb$$",
        r"\$x$",
        "a\\\\(b\\\\)",
    ],
)
def test_money_and_paths_are_no_formulas(text: str):
    assert formulas(text) == []


@pytest.mark.parametrize("text", ["", "plain", r"a $x$ b \(y\)", "$a$ $5 $b$", "\\", "$", "$$"])
def test_the_pieces_of_a_text_are_the_text(text: str):
    assert "".join(p if isinstance(p, str) else p.source for p in pieces(text)) == text


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


def answers(*questions: list[object]) -> list[list[object]]:
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run(
        module_command("core.formulas.worker"),
        input=lines.encode(),
        capture_output=True,
        env=module_environment(),
        timeout=120,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_child_answers_everything_and_survives_what_takes_too_long():
    hard = "{" * 8 + r"\sqrt{x}" * 200 + "}" * 8
    told = answers(
        [1, "x", False], [2, hard, False], [3, r"\frac{a", False], [4, "x" * 5000, False],
        [5, "y", True],
    )  # fmt: skip
    assert [number for number, _ in told] == [1, 2, 3, 4, 5]
    assert [drawn is None for _, drawn in told] == [False, True, True, True, False]
