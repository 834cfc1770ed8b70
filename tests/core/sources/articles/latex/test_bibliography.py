"""Names and years in the labels that the styles of journals write."""

import pytest

from core.sources.articles.latex.bibliography import cited_names


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (r"\bibitem[Abell \& Corwin(1989)]{k}", ("Abell and Corwin", "1989")),
        (
            r"\bibitem[\protect\citename{Aguas {\em et~al.\ }\relax, }2020]{k}",
            ("Aguas et al.", "2020"),
        ),
        (r"\bibitem[\protect\citename{Kermack and Hay, }1927b]{k}", ("Kermack and Hay", "1927b")),
        (
            r"\bibitem[\protect\citeauthoryear{Abazajian \& Hay, X.}{Abazajian et~al.}{2004}]{k}",
            ("Abazajian et al.", "2004"),
        ),
        (r"\bibitem[\protect\citeauthoryear{Abell}{1989}]{k}", ("Abell", "1989")),
        (r"\bibitem[\protect\astroncite{Abell and Corwin}{1989}]{k}", ("Abell and Corwin", "1989")),
        (
            r"\bibitem[\protect\BCAY{Abell \BBA\ Corwin}{Abell \BBA\ Corwin}{1989}]{k}",
            ("Abell and Corwin", "1989"),
        ),
        (r"\bibitem[{\citenamefont{Abell}(1989)}]{k}", ("Abell", "1989")),
        (r"\harvarditem[Abell]{Abell \harvardand\ Hay}{1989}{k}", None),
        (r"\harvarditem{Abell et al.}{1989}{k}", ("Abell et al.", "1989")),
        (r"\bibitem[\ownlabel{Abell}{1989}]{k}", None),
    ],
)
def test_names_and_year_of_a_label(item: str, expected: tuple[str, str] | None) -> None:
    assert cited_names(f"{item} A. Title.").get("k") == expected
