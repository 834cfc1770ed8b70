"""What ``--help`` says: every command and every option tells what it is, in both languages."""

import argparse
from collections.abc import Iterator

import pytest

from core.cli.parser import build_parser
from core.i18n import language, set_language


@pytest.fixture(params=["en", "zh"])
def parser(request: pytest.FixtureRequest) -> Iterator[argparse.ArgumentParser]:
    """The grammar in one language."""
    spoken = language()
    set_language(request.param)
    yield build_parser()
    set_language(spoken)


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from commands(one)


def test_every_command_says_what_it_does(parser: argparse.ArgumentParser) -> None:
    assert [one.prog for one in commands(parser) if not one.description] == []


def test_every_option_says_what_it_is_for(parser: argparse.ArgumentParser) -> None:
    unsaid = [
        (one.prog, action.option_strings or action.dest)
        for one in commands(parser)
        for action in one._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert unsaid == []


def test_the_help_of_every_command_can_be_printed(parser: argparse.ArgumentParser) -> None:
    for one in commands(parser):
        assert one.prog in one.format_help()


def test_what_can_be_imported_and_exported_is_what_there_is() -> None:
    from core.cli.production.import_items import FORMATS
    from core.release.formats import EXPORT_FORMATS
    from core.sources.imports import IMPORT_FORMATS

    assert sorted(FORMATS) == sorted(form.name for form in IMPORT_FORMATS)
    (export,) = (one for one in commands(build_parser()) if one.prog == "benchseal export")
    assert "|".join(form.name for form in EXPORT_FORMATS) in export.format_help()
