"""The language of the program by what the environment says."""

import pytest

from core.i18n import language_from_environment, listed, sentences, set_language

VARIABLES = ("BENCHSEAL_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LANGUAGE": "zh", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LANGUAGE": "de:zh_TW:en", "LC_ALL": "en_US.UTF-8"}, "zh"),
        ({"LANGUAGE": "de:fr", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANGUAGE": "", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"BENCHSEAL_LANG": "en", "LANGUAGE": "zh", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"BENCHSEAL_LANG": "xx", "LANGUAGE": "zh"}, "en"),
    ],
)
def test_the_first_that_we_have_is_taken(environment, language, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert language_from_environment() == language


@pytest.mark.parametrize(("language", "written"), [("en", "One. Two."), ("zh", "One.Two.")])
def test_sentences_stand_in_a_row_as_in_the_language(language, written):
    set_language(language)
    try:
        assert sentences(["One.", "", "Two."]) == written
    finally:
        set_language("en")


@pytest.mark.parametrize(("language", "written"), [("en", "in, out"), ("zh", "in、out")])
def test_a_list_of_words_is_written_as_the_language_does(language, written):
    set_language(language)
    try:
        assert listed(["in", "out"]) == written
    finally:
        set_language("en")
