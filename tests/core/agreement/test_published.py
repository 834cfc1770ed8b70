"""Every value of the shared EXPECTED.md, through the function that reads a file."""

import numpy as np
import pytest

from core.agreement.compute import coefficients_for
from core.agreement.published import canonical_reliability_data, two_abstractors
from core.agreement.reports import agreement_of_file

ALPHA = "krippendorff_alpha_"
CASES = [
    ("irr_diagnoses.csv", {"fleiss_kappa": "0.430245"}),
    ("fleiss_wikipedia_10x14.csv", {"fleiss_kappa": "0.209931"}),
    (
        "irrCAC_cac.raw4raters.csv",
        {
            ALPHA + "nominal": "0.7434",
            ALPHA + "ordinal": "0.8154",
            ALPHA + "interval": "0.8491",
            ALPHA + "ratio": "0.7974",
            "gwet_ac1": "0.77544",
            "fleiss_kappa": "0.76117",
            "conger_kappa": "0.76282",
            "randolph_kappa": "0.77273",
            "percent": "0.81818",
        },
    ),
    (
        "krippendorff_wikipedia_3x15.csv",
        {ALPHA + "nominal": "0.6914", ALPHA + "interval": "0.8108"},
    ),
    (
        "nltk_artstein_poesio_example.txt",
        {
            "cohen_kappa": "0.8013",
            "scott_pi": "0.7995",
            "randolph_kappa": "0.82",
            ALPHA + "nominal": "0.8005",
            "percent": "0.88",
        },
    ),
    (
        "irrCAC_distrib.6raters.csv",
        {"fleiss_kappa": "0.41393", ALPHA + "nominal": "0.4204384", "gwet_ac1": "0.4448007"},
    ),
    ("irr_anxiety.csv", {"fleiss_kappa": "-0.0411"}),
    ("irr_video.csv", {"fleiss_kappa": "0.0357"}),
    (
        "irrCAC_cont3x3abstractors.csv",
        {
            "cohen_kappa": "0.7964094",
            "scott_pi": "0.7962397",
            "gwet_ac1": "0.8493305",
            "randolph_kappa": "0.835",
            ALPHA + "nominal": "0.7972585",
        },
    ),
]


def digits_of(printed: str) -> int:
    return len(printed.partition(".")[2])


@pytest.mark.shared
@pytest.mark.parametrize(("file", "expected"), CASES, ids=[file for file, _ in CASES])
def test_the_file_gives_the_printed_values(shared_data, file, expected):
    found = agreement_of_file(shared_data / "agreement" / file, coefficients=list(expected))
    for result in found:
        printed = expected[result.name]
        assert f"{result.value:.{digits_of(printed)}f}" == printed


@pytest.mark.shared
def test_fleiss_kappa_of_1971_has_its_published_z(shared_data):
    path = shared_data / "agreement" / "irr_diagnoses.csv"
    found = agreement_of_file(path, coefficients=["fleiss_kappa"])[0]
    assert round(found.details["z"], 1) == 17.7
    assert (found.items, found.raters, found.coverage) == (30, 6, 1.0)


@pytest.mark.shared
def test_counts_with_unequal_totals_are_computed_once_the_layout_is_said(shared_data):
    path = shared_data / "agreement" / "irrCAC_cac.dist.g1g2.csv"
    found = agreement_of_file(path, "counts", ["percent", "gwet_ac1"])
    assert [result.undefined for result in found] == [None, None]
    assert found[0].items == 14
    assert found[0].pairable == 13


@pytest.mark.parametrize(
    ("counts", "fleiss", "randolph"),
    [("7,1\n3,5\n", "0.161905", "0.214286"), ("6,1,0\n0,7,0\n", "0.708333", "0.785714")],
)
def test_small_count_tables_give_the_printed_values(tmp_path, counts, fleiss, randolph):
    path = tmp_path / "counts.csv"
    path.write_text(counts)
    found = agreement_of_file(path, "counts", ["fleiss_kappa", "randolph_kappa"])
    assert [f"{result.value:.6f}" for result in found] == [fleiss, randolph]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("percent", 0.12561),
        ("gwet_ac1", 0.14295),
        ("fleiss_kappa", 0.15302),
        ("randolph_kappa", 0.14472),
        ("gwet_ac2", 0.10396),
    ],
)
def test_the_analytic_intervals_are_those_of_gwet(name, error):
    found = coefficients_for(canonical_reliability_data(), [name], "analytic")[0]
    quantile = 2.2009851600916384  # Student's t with 11 degrees of freedom
    assert found.low == pytest.approx(found.value - quantile * error, abs=2e-5)
    assert found.high == 1.0
    assert found.interval == "analytic"


def test_the_analytic_interval_of_cohens_kappa_is_that_of_fleiss_cohen_and_everitt():
    from statsmodels.stats.inter_rater import cohens_kappa

    found = coefficients_for(two_abstractors(), ["cohen_kappa"], "analytic")[0]
    theirs = cohens_kappa(np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]]))
    assert found.low == pytest.approx(theirs.kappa_low)
    assert found.high == pytest.approx(theirs.kappa_upp)


def test_the_analytic_intervals_of_pi_and_alpha_are_those_of_irrcac():
    """0.05905473 for both in the documentation of irrCAC (scott2.table, krippen2.table), which
    divides by n where the errors of raw ratings divide by n − 1; its alpha leaves out 1 / (2 n)."""
    quantile = 1.9842169515086827  # Student's t with 99 degrees of freedom
    for name, error in (
        ("scott_pi", 0.05905473 * np.sqrt(100 / 99)),
        ("krippendorff_alpha_nominal", 0.05905473),
    ):
        found = coefficients_for(two_abstractors(), [name], "analytic")[0]
        assert found.low == pytest.approx(found.value - quantile * error, abs=2e-6)
        assert found.high == pytest.approx(found.value + quantile * error, abs=2e-6)
