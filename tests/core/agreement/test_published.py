"""Every value of the shared EXPECTED.md, through the function that reads a file."""

import numpy as np
import pytest

from core.agreement.compute import coefficients_for
from core.agreement.published import canonical_reliability_data, two_abstractors
from core.agreement.ratings import table_of_columns
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


COUPLES = ((7, 7, 2, 3), (2, 8, 3, 7), (1, 5, 4, 9), (2, 8, 9, 14))
WINNIPEG = ((38, 5, 0, 1), (33, 11, 3, 0), (10, 14, 5, 6), (3, 7, 3, 10))
NEW_ORLEANS = ((5, 3, 0, 0), (3, 11, 4, 0), (2, 13, 3, 4), (1, 2, 4, 14))
TABLES = {
    "couples": (COUPLES, (0.1293, 0.06860), (0.2374, 0.07832)),
    "Winnipeg": (WINNIPEG, (0.2079, 0.05046), (0.3797, 0.05167)),
    "New Orleans": (NEW_ORLEANS, (0.2965, 0.07850), (0.4773, 0.07303)),
}


@pytest.mark.parametrize("name", TABLES)
def test_kappa_of_published_tables_and_its_errors_are_those_of_vcd(name):
    """91 couples by Hout, Duncan and Sobel (1987) in Agresti (1990); 149 and 69 patients by
    Westlund and Kurland (1953), on whom Landis and Koch (1977) show what kappa is. Values and
    errors as R's vcd prints them (Kappa, plain and with equally spaced weights)."""
    counts, *published = TABLES[name]
    cells = [(i, j) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    table = table_of_columns([list(side) for side in zip(*cells, strict=True)], ["A", "B"])
    found = coefficients_for(table, ["cohen_kappa", "cohen_kappa_linear"], "analytic")
    for one, (value, error) in zip(found, published, strict=True):
        assert one.value == pytest.approx(value, abs=6e-5)
        assert (one.high - one.low) / 2 / 1.959964 == pytest.approx(error, abs=6e-6)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("gwet_ac1", 0.4448007, 0.08418757),
        ("fleiss_kappa", 0.4139265, 0.08119291),
        ("randolph_kappa", 0.4388889, 0.08312142),
    ],
)
def test_the_errors_of_counted_ratings_are_those_of_irrcac(shared_data, name, value, error):
    """Alpha is left out: of counts irrCAC takes the change of the expected agreement once
    (krippen.alpha.dist), of raw ratings twice (krippen.alpha.raw), as the delta method does."""
    path = shared_data / "agreement" / "irrCAC_distrib.6raters.csv"
    (found,) = agreement_of_file(path, coefficients=[name], interval="analytic")
    quantile = 2.1447866879169273  # Student's t with 14 degrees of freedom
    assert found.value == pytest.approx(value, abs=6e-8)
    assert (found.high - found.low) / 2 == pytest.approx(quantile * error, abs=2e-5)
