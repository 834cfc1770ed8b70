"""The language of the program by what the environment says, and what a model's own words become."""

import re
import time
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.cli.commands import date_or_time
from core.i18n import (
    field_problem,
    language_from_environment,
    listed,
    printed,
    printed_bounds,
    printed_day,
    printed_time,
    sentences,
    set_language,
    tr,
)
from core.report_table import Bounds, Moment, ReportTable
from tests.paths import ROOT

_SIGNED = re.compile(r"\{[^{}\n]*:(?:\+|z|\+z)[,]?\.\d+f\}|replace\(\"-\", \"−\"\)")
_WHERE = {"core/i18n.py", "core/report_table.py", "core/analysis/svg.py"}

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


@pytest.mark.parametrize(
    ("value", "words"),
    [(-0.123, "−0.12"), (-0.001, "0.00"), (0.0, "0.00"), (0.126, "0.13"), (-1234.5, "−1234.50")],
)
def test_a_number_has_a_minus_sign_and_no_negative_zero(value: float, words: str) -> None:
    assert printed(value, 2) == words


def test_signs_and_thousands_where_they_are_asked_for() -> None:
    assert printed(3.04, 1, plus=True) == "+3.0"
    assert printed(-3.04, 1, plus=True) == "−3.0"
    assert printed(-0.04, 1, plus=True) == "+0.0"
    assert printed(-12345.6, 0, thousands=True) == "−12,346"
    assert printed_bounds(-0.3, 0.25, 1) == "[−0.3, 0.2]"


def test_a_table_reads_alike_everywhere_and_programs_get_numbers() -> None:
    rows = (
        ("a-b", -0.5, Bounds.of(-0.75, 0.25), -3, "[-0.80, 0.10]"),
        ("c", 0.5, Bounds.of(0.25, 0.75), 4, None),
    )
    table = ReportTable("t", ("Model", "Value", "Interval", "Places", "95%"), rows, digits=2)
    latex = table.to_latex()
    for text in (table.to_markdown(), table.to_html()):
        assert "−0.50" in text
        assert "[−0.75, 0.25]" in text.replace("\\", "")
        assert "[−0.80, 0.10]" in text.replace("\\", "")
        assert "−3" in text
    assert "a-b & $-$0.50 & [$-$0.75, 0.25] & $-$3" in latex
    assert "a-b,-0.5," in table.to_csv()
    assert '"[-0.80, 0.10]"' in table.to_csv()
    pasted = [table.pasted_text(cell) for cell in rows[0]]
    assert pasted == ["a-b", "-0.50", "[-0.75, 0.25]", "-3", "[-0.80, 0.10]"]


def test_no_other_place_prints_signs_of_its_own() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for folder in ("core", "gui")
        for path in (ROOT / folder).rglob("*.py")
        if str(path.relative_to(ROOT)) not in _WHERE
        for match in _SIGNED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_time_is_printed_by_the_clock_of_the_reader_and_kept_in_utc(monkeypatch):
    at = "2026-11-28T18:30:05.123456+00:00"
    table = ReportTable("t", ("when",), ((Moment(at),),))
    try:
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("TZ", "CST-8")
            time.tzset()
            assert printed_time(at) == "2026-11-29 02:30:05+08:00"
            assert printed_time("2026-11-28T18:30:05") == printed_time(at)
            assert printed_day(at) == "2026-11-29"
            assert date_or_time("2026-11-29T02:30") == datetime(2026, 11, 28, 18, 30, tzinfo=UTC)
            assert date_or_time("2026-11-29") < datetime(2026, 11, 29, 16, tzinfo=UTC)
            assert table.text_of(table.rows[0][0]) == printed_time(at)
            assert table.to_csv().splitlines()[1] == at
    finally:
        time.tzset()
    assert printed_time("") == "–"
    assert printed_time("some day") == "some day"  # as a stranger's archive may say
