"""The language of the program by what the environment says, and what a model's own words become."""

import re

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.i18n import (
    field_problem,
    language_from_environment,
    listed,
    sentences,
    set_language,
    tr,
)

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


class Profile(BaseModel):
    """A model with a field of each kind that a file of settings has."""

    model_config = ConfigDict(extra="forbid")

    name: str
    word: str = Field(default="", pattern=r"^\w*$")
    nodes: int = Field(default=1, ge=1)
    share: float = Field(default=0.5, gt=0, le=1, allow_inf_nan=False)
    again: bool = False
    options: tuple[str, ...] = ()
    environment: dict[str, str] = {}

    @model_validator(mode="after")
    def _fits(self) -> "Profile":
        if self.nodes > 99:
            raise ValueError(tr("none"))
        return self


@pytest.mark.parametrize(
    "wrong",
    [{"name": None}, {"more": 1}, {"word": "a b"}, {"nodes": "many"}, {"nodes": 1.5},
     {"nodes": 0}, {"share": 0}, {"share": 2}, {"share": "half"}, {"share": float("nan")},
     {"again": "perhaps"}, {"options": "one"}, {"environment": []}, {"nodes": 100}],
)  # fmt: skip
def test_what_is_wrong_with_a_field_is_said_in_the_language_in_use(wrong: dict[str, object]):
    said = {}
    for code in ("en", "zh"):
        set_language(code)
        with pytest.raises(ValidationError) as caught:
            Profile.model_validate({"name": "a", **wrong})
        field, said[code] = field_problem(caught.value)
        assert field == ("" if wrong == {"nodes": 100} else next(iter(wrong)))
    set_language("en")
    assert said["en"][0].islower()
    assert re.search("[a-z]", said["zh"]) is None
    with pytest.raises(ValidationError) as missing:
        Profile.model_validate({})
    assert field_problem(missing.value) == ("name", "it is missing")
