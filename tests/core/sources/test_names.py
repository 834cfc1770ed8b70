"""Identifiers in names, domains of categories, encodings of bytes."""

import pytest

from core.sources.articles.domains import (
    ARCHIVES,
    DOMAINS,
    domain_named,
    domain_of_category,
    domain_of_stem,
)
from core.sources.articles.identifiers import identifier_in_name, stem_of
from core.sources.encodings import decode
from core.sources.limits import UnreadableSource

CHINESE = "分散投资的道理，其实并不复杂。不要把鸡蛋放在一个篮子里。"


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "gbk"])
def test_chinese_is_decoded_from_every_usual_encoding(encoding: str) -> None:
    text = f"{CHINESE}\nwith some English between\n{CHINESE}"
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_western_text_is_not_taken_for_chinese(encoding: str) -> None:
    text = "Königstuhl, naïve, façade, Erdős-free: déjà vu à la carte. Ça va? " * 3
    text = text.replace("ő", "o")
    assert decode(text.encode(encoding)) == text


def test_a_declared_encoding_is_believed() -> None:
    text = "\\usepackage[koi8-r]{inputenc} Привет"
    assert decode(text.encode("koi8-r")) == text


def test_a_single_damaged_byte_does_not_change_the_encoding() -> None:
    data = (CHINESE * 30).encode().replace("鸡".encode(), b"\xff", 1)
    assert decode(data).startswith("分散投资")


def test_stray_nul_bytes_go_and_binary_is_refused() -> None:
    assert decode(b"a text with one\x00 nul byte in it" + b" and more words" * 30).startswith(
        "a text with one nul"
    )
    with pytest.raises(UnreadableSource, match="binary"):
        decode(bytes(range(256)) * 10)
