"""Identifiers of articles in the names of files."""

import pytest

from core.sources.articles.identifiers import identifier_in_name, stem_of, told_apart


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2607.01234v2.tar.gz", ("2607.01234", "v2")),
        ("0704.0001.gz", ("0704.0001", "")),
        ("arXiv-2607.01234v11", ("2607.01234", "v11")),
        ("cs__2607.01234", ("2607.01234", "")),
        ("hep-th_9901001v3.tar.gz", ("hep-th/9901001", "v3")),
        ("hep-th9901001.tex", ("hep-th/9901001", "")),
        ("math.GT_0309136", ("math.GT/0309136", "")),
        ("paper-2026.tex", ("", "")),
        ("1234567.tex", ("", "")),
        ("2699.01234.pdf", ("", "")),
        ("my-9901001.tex", ("", "")),
        ("v1.2.3", ("", "")),
    ],
)
def test_identifiers_are_found_in_names(name: str, expected: tuple[str, str]) -> None:
    assert identifier_in_name(stem_of(name)) == expected


def test_stems_lose_the_endings_of_known_kinds_only() -> None:
    assert stem_of("a/b/x.tex.gz") == "x"
    assert stem_of("physics__emcee.TXT") == "physics__emcee"
    assert stem_of("2607.01234") == "2607.01234"
    assert stem_of(".tex") == ".tex"


def test_articles_of_one_name_are_told_apart_by_their_titles() -> None:
    nests = "Nests: a count of all birds at the mills of the northern bank in two wet years"
    articles = [
        ("manuscript", nests, "one"),
        ("rain", "Rain", "one"),
        ("manuscript", "河边的水位与雨量", "two"),
        ("manuscript", "", "three"),
        ("manuscript", nests, "four"),
        ("manuscript", "", "three"),
        ("rain-2", "", "one"),
        ("rain", "Rain", "two"),
    ]
    assert told_apart(articles) == [
        "manuscript/nests-a-count-of-all-birds-at-the-mills",
        "rain/rain",
        "manuscript/河边的水位与雨量",
        "manuscript",
        "four/manuscript",
        "three/manuscript",
        "rain-2",
        "rain",
    ]
    assert told_apart([("text", "", ""), ("text", "", ""), ("text", "", "")]) == [
        "text",
        "text-2",
        "text-3",
    ]
