"""What is written was computed a second time by statsmodels or krippendorff, or is not written."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.coefficients import COEFFICIENTS
from core.agreement.compute import coefficients_for
from core.agreement.independent_check import REFERENCES, TOLERANCE, checked_results
from core.agreement.ratings import (
    RatingTable,
    declared_scale,
    table_of_columns,
    table_of_counts,
    table_of_matrix,
)
from core.agreement.serialise import check_notes, results_table
from core.agreement.statistic import Statistic
from core.cli import main
from core.errors import CheckError
from tests.conftest import ROOT

STATSMODELS = {
    "cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "cohen_kappa_cost",
    "fleiss_kappa", "randolph_kappa",
}  # fmt: skip
COMPLETE = {"fleiss_kappa", "randolph_kappa"}
"""What statsmodels has for complete tables only."""
KRIPPENDORFF = {
    f"krippendorff_alpha_{level}" for level in ("nominal", "ordinal", "interval", "ratio")
}
NAMES = tuple(coefficient.name for coefficient in COEFFICIENTS)


@pytest.fixture
def ratings() -> RatingTable:
    """Forty items by three raters on the scale 1, 2, 4, complete."""
    return random_table(3, items=40, raters=3, missing=0.0)


@pytest.fixture
def path(tmp_path: Path, ratings: RatingTable) -> Path:
    rows = [",".join(ratings.categories[code] for code in row) for row in ratings.data]
    written = tmp_path / "ratings.csv"
    written.write_text("\n".join(["r1,r2,r3", *rows]) + "\n", encoding="utf-8")
    return written


def random_table(seed: int, *, items: int, raters: int, missing: float) -> RatingTable:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, items)
    shown = rng.random((items, raters)) < 0.6
    codes = np.where(shown, true[:, None], rng.integers(0, 3, (items, raters)))
    codes[rng.random(codes.shape) < missing] = -1
    return table_of_matrix(codes.astype(np.int8), (1, 2, 4))


def one_millionth_off(monkeypatch: pytest.MonkeyPatch, shift: float = 1e-6) -> None:
    def value(statistic: Statistic) -> float:
        return float(statistic.at(statistic.patterns.weights[None, :])[0]) + shift

    monkeypatch.setattr(Statistic, "value", property(value))


def test_every_coefficient_that_the_packages_have_is_checked(ratings: RatingTable) -> None:
    results = checked_results(ratings, coefficients_for(ratings, interval="none"))
    packages = {one.name: one.checked_with.package for one in results if one.checked_with}
    assert packages == dict.fromkeys(STATSMODELS, "statsmodels") | dict.fromkeys(
        KRIPPENDORFF, "krippendorff"
    )
    for one in results:
        if one.checked_with is not None:
            assert one.checked_with.version == version(one.checked_with.package)
            assert one.checked_with.difference <= 1e-12
        else:
            assert "no independent implementation" in str(one.not_checked)


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_an_error_of_a_millionth_in_our_own_value_fails_loudly(
    name: str, ratings: RatingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    (right,) = coefficients_for(ratings, [name], interval="none")
    one_millionth_off(monkeypatch)
    (wrong,) = coefficients_for(ratings, [name], interval="none")
    with pytest.raises(CheckError) as error:
        checked_results(ratings, [wrong])
    assert right.title in str(error.value)
    assert name in str(error.value)
    assert str(wrong.value) in str(error.value)
    assert str(right.value) in str(error.value)
    assert error.value.exit_code == 4


def test_a_difference_below_the_tolerance_is_reported_as_it_is(
    ratings: RatingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_millionth_off(monkeypatch, TOLERANCE / 5)
    results = checked_results(ratings, coefficients_for(ratings, ["fleiss_kappa"], "none"))
    assert results[0].checked_with is not None
    assert results[0].checked_with.difference == pytest.approx(TOLERANCE / 5, rel=0.01)
    (note,) = check_notes([("", result) for result in results])
    assert note == (
        f"Fleiss' kappa: checked with statsmodels {version('statsmodels')}: equal to 1e-9."
    )


@given(
    st.integers(0, 2**32 - 1), st.integers(2, 25), st.integers(2, 5),
    st.sampled_from((0.0, 0.1, 0.5)), st.sampled_from(("declared", "used", "words", "counts")),
)  # fmt: skip
def test_no_table_of_ratings_fails_the_check(
    seed: int, items: int, raters: int, missing: float, kind: str
) -> None:
    table = random_table(seed, items=items, raters=raters, missing=missing)
    if kind in ("used", "words"):
        names = ("1", "2", "4") if kind == "used" else ("a", "b", "c")
        columns = [[names[code] if code >= 0 else "" for code in row] for row in table.data.T]
        table = table_of_columns(columns, table.rater_ids)
    if kind == "counts":
        counts = np.stack([(table.data == code).sum(axis=1) for code in range(3)], axis=1)
        table = table_of_counts(counts)
    for one in checked_results(table, coefficients_for(table, interval="none")):
        if one.value is None:
            assert (one.checked_with, one.not_checked) == (None, None)
        elif one.name in (REFERENCES if missing == 0 else REFERENCES.keys() - COMPLETE):
            assert one.checked_with is not None
        elif one.checked_with is None:
            reason = "not comparable" if one.name in REFERENCES else "no independent"
            assert reason in str(one.not_checked)


def test_with_missing_ratings_what_needs_complete_tables_is_not_comparable() -> None:
    table = random_table(5, items=30, raters=3, missing=0.3)
    results = checked_results(table, coefficients_for(table, interval="none"))
    reasons = {one.name: one.not_checked or "" for one in results}
    for name in ("fleiss_kappa", "randolph_kappa"):
        assert reasons[name].startswith("not comparable: statsmodels needs the same number")
    assert not reasons["cohen_kappa"]
    notes = results_table([("", one) for one in results]).notes
    assert any(
        note.startswith("Fleiss' kappa · Randolph's free-marginal kappa: not comparable")
        for note in notes
    )
    assert any(note.startswith("Krippendorff's alpha, nominal · ") for note in notes)


def test_more_than_a_package_can_hold_is_not_comparable() -> None:
    columns = [[str(place % 3000 + 0.5) for place in range(3100)] for _ in range(2)]
    columns[1][:10] = columns[0][10:20]
    table = table_of_columns(columns, ["a", "b"])
    (one,) = checked_results(
        table, coefficients_for(table, ["krippendorff_alpha_interval"], "none")
    )
    assert "3,100 items with 3,000 categories are too many" in str(one.not_checked)


def test_unused_categories_of_a_declared_scale_count_in_randolph_and_in_weights() -> None:
    columns = [[1, 1, 2, 2, 1, 5], [1, 2, 2, 2, 1, 5]]
    table = table_of_columns(columns, ["a", "b"], scale=declared_scale((1, 2, 3, 4, 5)))
    for one in checked_results(table, coefficients_for(table, interval="none")):
        assert (one.checked_with is not None) == (one.name in REFERENCES)


def test_the_command_says_which_package_checked_what(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["agreement", "--file", str(path), "--interval", "none"]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in document["coefficients"]] == list(NAMES)
    for one in document["coefficients"]:
        if one["name"] in REFERENCES:
            package = REFERENCES[one["name"]][0]
            check = one["checked_with"]
            assert (check["package"], check["version"]) == (package, version(package))
            assert 0 <= check["difference"] <= 1e-12
        else:
            assert one["checked_with"] is None
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert f"checked with statsmodels {version('statsmodels')}: equal to 1e-12." in printed
    assert f"checked with krippendorff {version('krippendorff')}: equal to 1e-12." in printed
    assert "no independent implementation here." in printed
    assert main([*words, "--csv"]) == 0
    header, first, *_ = capsys.readouterr().out.splitlines()
    assert header.endswith(",checked_with,difference")
    assert "no independent implementation" in first


@pytest.mark.parametrize("form", ["--json", "--csv", "--latex", None])
def test_the_command_writes_nothing_that_fails_the_check(
    path: Path, form: str | None, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    one_millionth_off(monkeypatch)
    words = ["agreement", "--file", str(path), "--coefficient", "krippendorff_alpha_ordinal"]
    assert main([*words, "--interval", "none", *([form] if form else [])]) == 4
    printed = capsys.readouterr()
    assert "Krippendorff's alpha, ordinal" in printed.out + printed.err
    assert "0." in printed.out + printed.err
    assert "krippendorff" in printed.out + printed.err
    assert "equal to" not in printed.out


def test_dashboards_import_none_of_the_packages() -> None:
    code = (
        "import sys\n"
        "from importlib import import_module\n"
        "from core.workflow.dashboards import DASHBOARDS\n"
        "for name in (*DASHBOARDS, 'agreement_query'):\n"
        "    import_module(f'core.workflow.dashboards.{name}')\n"
        "import core.agreement.compute, core.agreement.rater_pairs, core.agreement.influence\n"
        "heavy = {'pandas', 'statsmodels', 'krippendorff', 'scipy', 'sklearn'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
