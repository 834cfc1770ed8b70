"""Two words without the space between them are found by the text's own words."""

import pytest

from core.sources.articles.article import Block
from core.sources.articles.prose.joined_words import joined_words
from core.sources.articles.prose.sifting import sift

TEXT = (
    "The astropy package is read first. The astropy package reads units. "
    "The time step of the Kepler light curve is short, and the data base of the Kepler stars "
    "holds every day of the light curve. A package of the time step is small. "
    "The K2 missions and the TESS mission: two missions of K2, a mission of TESS."
)


@pytest.mark.parametrize(
    ("damaged", "word", "halves"),
    [
        ("The astropypackage is used.", "astropypackage", ("astropy", "package")),
        ("The value ofthe package is small.", "", ("of", "the")),
        ("The stars of Keplerand the package.", "", ()),
        ("The K2missions are over.", "k2missions", ("k2", "missions")),
        ("The TESSmission is on.", "tessmission", ("tess", "mission")),
        ("This packageis new.", "packageis", ("package", "is")),
    ],
)
def test_a_join_is_found(damaged: str, word: str, halves: tuple[str, str]) -> None:
    assert joined_words([TEXT, damaged]) == ({word: halves} if word else {})


@pytest.mark.parametrize(
    "clean",
    [
        "The database holds it.",
        "The timestep is small.",
        "Everyday use of the lightcurve is rare.",
        "The packages read a stepwise curve.",
        "A point like a disk, a point like it, a point like her: pointlike.",
        "To detect or to miss, detect or miss, detect or not: a detector.",
        "La propiedad es una. Otra propiedad es dos: las propiedades del mar.",
        "Er misst mit Hilfe von Pegeln, mit Hilfe von Uhren und mithilfe von Karten.",
        "The by product and the by product are read; the byproduct is product of it.",
    ],
)
def test_words_that_may_be_written_together_are_none(clean: str) -> None:
    assert joined_words([TEXT, clean]) == {}


def test_a_join_that_stands_twice_is_found_when_the_two_stand_alone_much_more_often() -> None:
    apart = " ".join(f"The astropy package is read {n} times." for n in range(9))
    text = f"{apart} The astropypackage is old. The astropypackage is new."
    assert joined_words([text]) == {"astropypackage": ("astropy", "package")}


def test_what_stands_often_is_a_word_of_its_own() -> None:
    assert joined_words([TEXT, "The astropypackage is.", "Our astropypackage was."]) == {}


def test_a_paragraph_with_a_join_gives_no_items() -> None:
    blocks = [Block(TEXT), Block("The astropypackage is used for all of this.")]
    assert [block.kind for block in sift(blocks).blocks] == ["text", "doubtful"]
