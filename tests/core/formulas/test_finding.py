"""Formulas are found where they stand; sums of money are none."""

import pytest

from core.formulas.finding import Formula, pieces


def formulas(text: str) -> list[str]:
    return [piece.tex for piece in pieces(text) if isinstance(piece, Formula)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"Let $x_i$ be \(y\), and \[z\] or $$w$$.", ["x_i", "y", "z", "w"]),
        ("取$n$个样本", ["n"]),
        ("($N$), $a, b$ and $f(x)$", ["N", "a, b", "f(x)"]),
        ("$m v$ and $p' q' r$", ["m v", "p' q' r"]),
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
        "$5 a$ and $a bill$",
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
