"""Numbers as people read them."""

import re

import pytest

from core.i18n import printed, printed_bounds
from core.report_table import Bounds, ReportTable
from tests.paths import ROOT

_SIGNED = re.compile(r"\{[^{}\n]*:(?:\+|z|\+z)[,]?\.\d+f\}|replace\(\"-\", \"−\"\)")
_WHERE = {"core/i18n.py", "core/report_table.py", "core/analysis/svg.py"}


@pytest.mark.parametrize(
    ("value", "words"),
    [(-0.123, "−0.12"), (-0.001, "0.00"), (0.0, "0.00"), (0.126, "0.13"), (-1234.5, "−1234.50")],
)
def test_a_number_has_a_minus_sign_and_no_negative_zero(value: float, words: str) -> None:
    assert printed(value, 2) == words


def test_signs_and_thousands_where_they_are_asked_for() -> None:
    assert printed(3.04, 1, plus=True) == "+3.0"
    assert printed(-3.04, 1, plus=True) == "−3.0"
    assert printed(-0.04, 1, plus=True) == "+0.0"
    assert printed(-12345.6, 0, thousands=True) == "−12,346"
    assert printed_bounds(-0.3, 0.25, 1) == "[−0.3, 0.2]"


def test_a_table_reads_alike_everywhere_and_programs_get_numbers() -> None:
    rows = (
        ("a-b", -0.5, Bounds.of(-0.75, 0.25), -3, "[-0.80, 0.10]"),
        ("c", 0.5, Bounds.of(0.25, 0.75), 4, None),
    )
    table = ReportTable("t", ("Model", "Value", "Interval", "Places", "95%"), rows, digits=2)
    latex = table.to_latex()
    for text in (table.to_markdown(), table.to_html()):
        assert "−0.50" in text
        assert "[−0.75, 0.25]" in text.replace("\\", "")
        assert "[−0.80, 0.10]" in text.replace("\\", "")
        assert "−3" in text
    assert "a-b & $-$0.50 & [$-$0.75, 0.25] & $-$3" in latex
    assert "a-b,-0.5," in table.to_csv()
    assert '"[-0.80, 0.10]"' in table.to_csv()
    pasted = [table.pasted_text(cell) for cell in rows[0]]
    assert pasted == ["a-b", "-0.50", "[-0.75, 0.25]", "-3", "[-0.80, 0.10]"]


def test_no_other_place_prints_signs_of_its_own() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for folder in ("core", "gui")
        for path in (ROOT / folder).rglob("*.py")
        if str(path.relative_to(ROOT)) not in _WHERE
        for match in _SIGNED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
