"""What the command line says where it is used wrongly, in the language in use."""

import argparse
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from core.i18n import tr, tr_noop

_CHINESE_HEADING = re.compile(r"(?m)(?<=[\u4e00-\u9fff]):$")
SENTENCES = (
    tr_noop("usage: "),
    tr_noop("positional arguments"),
    tr_noop("options"),
    tr_noop("show this help message and exit"),
    tr_noop("argument %(argument_name)s: %(message)s"),
    tr_noop("the following arguments are required: %s"),
    tr_noop("one of the arguments %s is required"),
    tr_noop("not allowed with argument %s"),
    tr_noop("unrecognized arguments: %s"),
    tr_noop("expected one argument"),
    tr_noop("expected at most one argument"),
    tr_noop("expected at least one argument"),
    tr_noop("expected %s argument"),
    tr_noop("expected %s arguments"),
    tr_noop("invalid choice: %(value)r (choose from %(choices)s)"),
    tr_noop("invalid %(type)s value: %(value)r"),
    tr_noop("ambiguous option: %(option)s could match %(matches)s"),
    tr_noop("ignored explicit argument %r"),
)
"""The sentences of argparse that a command can say, as Python 3.11 to 3.14 spell them."""

IN_THE_WINDOW: Mapping[str, str] = MappingProxyType({
    "adjudication": "adjudicate",
    "audit_dashboard": "dashboard audit",
    "compare": "report RUN RUN --compare",
    "help": "--help",
    "leaderboard": "report RUN RUN",
    "my_work": "my-work",
    "progress": "dashboard progress",
    "review": "queue",
    "scores": "report RUN",
    "settings": "config",
    "sources": "generate scp PATH",
    "splits": "split status NAME",
    "team": "people",
    "write": "submit TASK",
})  # fmt: skip
"""Names of panels that people type as commands, and the command that does the same."""


def translate_argparse() -> None:
    """Have argparse say its sentences in the language in use: it asks gettext for a catalogue of
    Python's own, and there is none."""
    vars(argparse).update(_=tr, ngettext=_form)


def _form(singular: str, plural: str, count: int) -> str:
    sentence = singular if count == 1 else plural
    return tr(sentence)


def with_full_colons(text: str) -> str:
    """A help text whose Chinese headings end in a colon of full width."""
    return _CHINESE_HEADING.sub("：", text)


def no_command(word: str, program: str, commands: Mapping[str, Iterable[str]]) -> str:
    """An error for an unknown command, with similar ones.

    ``commands`` are those of ``program``, each with the names of its own commands.
    """
    meant = [IN_THE_WINDOW[word]] if word in IN_THE_WINDOW else []
    meant += [f"{name} {word}" for name, parts in commands.items() if word in parts]
    meant = meant or get_close_matches(word, list(commands))
    if not meant:
        return tr("There is no command “{word}”. {program} --help lists them.",
                  word=word, program=program)  # fmt: skip
    return tr("There is no command “{word}”. Is one of these meant? {commands}", word=word,
              commands=" · ".join(f"{program} {name}" for name in meant))  # fmt: skip
