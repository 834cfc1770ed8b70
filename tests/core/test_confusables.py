"""Which names look alike."""

import pytest

from core.confusables import is_unseen, look_alike

ALIKE = [
    ("Eve", "Еvе"),  # Cyrillic capital and small letters
    ("paypal", "pаypаl"),
    ("Ann", "Ａｎｎ"),  # full width
    ("Ann", "aNN"),
    ("Ann", "An\u200bn"),  # zero width space
    ("Ann", "A\u200dnn"),
    ("Ann", "An\ufe0fn"),
    ("Ann", "An\u034fn"),
    ("Ann", "\u202eAnn"),
    ("José", "Jose\u0301"),
    ("Bill", "BiIl"),
    ("modern", "rnodern"),
    ("Ann Lee", "Ann\u00a0Lee"),
    ("Ann Lee", "Ann  Lee"),
    ("titles", "TITLES"),
    ("office", "oﬃce"),
    ("\u03a9", "\u2126"),  # the sign for ohm
    ("task", "tаѕk"),
    ("Straße", "STRASSE"),
]
DIFFERENT = [
    ("Müller", "Muller"), ("Ann", "Anne"), ("李娜", "李那"), ("Zoë", "Zoe"), ("a", "b"),
    ("task 2", "task 3"), ("王伟", "王伟伟"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "other"), ALIKE)
def test_they_look_alike_both_ways(name: str, other: str):
    assert look_alike(name, ["x", other]) == other
    assert look_alike(other, [name]) == name


@pytest.mark.parametrize(("name", "other"), DIFFERENT)
def test_they_do_not(name: str, other: str):
    assert look_alike(name, [other]) is None
    assert look_alike(other, [name]) is None


def test_a_name_is_not_its_own_look_alike():
    assert look_alike("Ann", ["Ann"]) is None


@pytest.mark.parametrize("letter", "\u200b\u202e\u2066\ufeff\u00ad\u2028\x07\ufe0f\u3164")
def test_what_shows_nothing(letter: str):
    assert is_unseen(letter)


@pytest.mark.parametrize("letter", "a李 é\u200c\u0301-_")
def test_what_is_seen_or_needed(letter: str):
    assert not is_unseen(letter)
