"""Domains of arXiv categories, by their names and in file names."""

import pytest

from core.sources.articles.domains import (
    ARCHIVES,
    DOMAINS,
    domain_named,
    domain_of_category,
    domain_of_stem,
)


@pytest.mark.parametrize(
    ("category", "domain"),
    [
        ("cs.CL", "CS"), ("q-fin.PM", "Q-Fin"), ("math.CO", "Math"), ("math-ph", "Phy"),
        ("hep-th", "Phy"), ("astro-ph.GA", "Phy"), ("cond-mat.soft", "Phy"), ("nlin.CD", "Phy"),
        ("stat.ML", "Stat"), ("q-bio.PE", "Bio"), ("econ.EM", "Econ"), ("eess.SP", "EESS"),
        ("cmp-lg", "CS"), ("nonsense", ""), ("", ""),
    ],
)  # fmt: skip
def test_categories_have_one_of_the_eight_domains(category: str, domain: str) -> None:
    assert domain_of_category(category) == domain


def test_every_archive_leads_to_a_domain_and_every_domain_has_an_archive() -> None:
    assert set(ARCHIVES.values()) == set(DOMAINS)


def test_domains_are_known_by_their_names_and_in_file_names() -> None:
    assert [domain_named(name) for name in ("cs", "Q-FIN", "q_bio", "Phy", "econ")] == [
        "CS", "Q-Fin", "Bio", "Phy", "Econ",
    ]  # fmt: skip
    assert domain_of_stem("q-bio__deep") == "Bio"
    assert domain_of_stem("cs_deep") == ""
