"""What a wrong command line is told: in the language in use, and with what may be meant."""

import re

import pytest

from core.cli import main
from core.cli.parser import GROUPS, build_parser
from core.cli.usage import IN_THE_WINDOW
from gui.panels import PANELS

WRONG = (
    ["decide"],
    ["decide", "1", "--accept", "--reject", "x"],
    ["decide", "1", "--reject"],
    ["decide", "1"],
    ["report", "x", "--by", "y"],
    ["report", "x", "--colour"],
    ["import", "x", "--map"],
    ["evaluate", "--wait=yes", "x"],
    ["evaluate", "x", "--item", "--i"],
    ["generate", "scp", "a", "--seed", "x"],
    ["sample"],
    [],
    ["compare"],
    ["frobnicate"],
)


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    try:
        code = main(words)
    except SystemExit as ended:
        code = ended.code
    assert code == 2, words
    return capsys.readouterr().err


@pytest.fixture(autouse=True)
def without_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_wrong_usage_is_told_in_one_line_of_the_language_in_use(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BENCHSEAL_LANG", "zh")
    line = said(words, capsys)
    assert line.count("\n") == 1
    assert re.search("[\u4e00-\u9fff]", line)
    prose = re.sub(r"benchseal[ a-z]*|--?[a-z]+|[A-Z/]+|“[^”]*”|'[^']*'", "", line)
    assert not re.findall("[a-z]{3,}", prose)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_help_of_a_command_has_headings_of_the_language(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BENCHSEAL_LANG", code)
    with pytest.raises(SystemExit):
        main(["decide", "--help"])
    text = capsys.readouterr().out
    assert ("positional arguments:" in text) == (code == "en")
    assert ("show this help" in text) == (code == "en")
    assert not re.findall("[\u4e00-\u9fff]:", text)
    with pytest.raises(SystemExit):
        main(["--help"])
    assert not re.findall("[\u4e00-\u9fff]:", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["tsak"], "benchseal task"),
        (["publish"], "benchseal split publish"),
        (["split", "publsh"], "benchseal split publish"),
        (["leaderboard"], "benchseal report RUN RUN"),
    ],
)
def test_a_command_that_is_not_there_is_told_what_may_be_meant(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = said(words, capsys)
    assert meant in line
    assert "plan-size" not in line


def test_every_panel_is_a_command_or_leads_to_one() -> None:
    commands = {name for names in GROUPS.values() for name in names}
    panels = {panel.id for panel in PANELS}
    assert panels <= commands | set(IN_THE_WINDOW)
    assert not commands & set(IN_THE_WINDOW)
    for line in IN_THE_WINDOW.values():
        assert line.startswith("--") or build_parser().parse_args(line.split())


def test_without_a_display_the_first_command_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "benchseal init --lead" in said([], capsys)


@pytest.mark.parametrize(
    "words", [["items", "--search", "-ness"], ["decide", "1", "--reject", "-x"]]
)
def test_whoever_gives_a_text_with_a_hyphen_is_told_how(words, capsys):
    assert f"{words[-2]}=TEXT" in said(words, capsys)
    assert "=TEXT" not in said(words[:-1], capsys)


@pytest.mark.parametrize("words", [
    ["--user", "Li", "gui"], ["--json", "items"], ["--workspace", "w", "--user=Li", "items"],
])  # fmt: skip
def test_an_option_of_a_command_before_it_is_said_to_belong_behind_it(words, capsys):
    line = said(words, capsys)
    assert line.startswith("benchseal: --")
    assert "is written behind the command" in line
    assert line.count("\n") == 1
