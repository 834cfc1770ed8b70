"""Titles of runs in the reader's language, whichever language a run was started in.

A title is stored as the sentence that was said when the run was started. It is one of the sentences
below, so that its values can be read out of it and the sentence be said again.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from string import Formatter
from types import MappingProxyType

from core.i18n import LANGUAGES, catalogue, tr, trn

_Sentence = tuple[str, str]

_SENTENCES: Mapping[_Sentence, Callable[..., str]] = MappingProxyType(
    {
        ("SCP from 1 article", "SCP from {n} articles"): lambda count, **values: trn(
            "SCP from 1 article", "SCP from {n} articles", count, **values
        ),
        ("{task}: 1 item · {model}", "{task}: {n} items · {model}"): lambda count, **values: trn(
            "{task}: 1 item · {model}", "{task}: {n} items · {model}", count, **values
        ),
        ("{task}: 1 text", "{task}: {n} texts"): lambda count, **values: trn(
            "{task}: 1 text", "{task}: {n} texts", count, **values
        ),
        ("1 item · {model}", "{n} items · {model}"): lambda count, **values: trn(
            "1 item · {model}", "{n} items · {model}", count, **values
        ),
        ("1 model × {splits}", "{n} models × {splits}"): lambda count, **values: trn(
            "1 model × {splits}", "{n} models × {splits}", count, **values
        ),
        ("1 split", "{n} splits"): lambda count, **values: trn(
            "1 split", "{n} splits", count, **values
        ),
        ("{run}, screened by {model}", ""): lambda _, **values: tr(
            "{run}, screened by {model}", **values
        ),
        ("{judge} judges {run}", ""): lambda _, **values: tr("{judge} judges {run}", **values),
        ("{judge} compares {models}", ""): lambda _, **values: tr(
            "{judge} compares {models}", **values
        ),
    }
)
"""Every sentence that names a run, with its plural where it counts, and how it is said; the order
is that of trying."""
_INNER = ("splits", "run")
"""Values that are sentences themselves."""


def title_now(stored: str) -> str:
    """The stored title in the language in use; as it is where it is none of these sentences."""
    for pattern, sentence in _patterns():
        found = pattern.fullmatch(stored)
        if found is None:
            continue
        values = found.groupdict()
        values |= {name: title_now(values[name]) for name in _INNER if name in values}
        count = int(values.pop("n", "1").replace(",", ""))
        return _SENTENCES[sentence](count, **values)
    return stored


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], _Sentence], ...]:
    """Each form of each sentence in each language."""
    found = []
    for sentence in _SENTENCES:
        for code in LANGUAGES:
            for form in _forms(code, *sentence):
                found.append((re.compile(_expression(form), re.DOTALL), sentence))
    return tuple(found)


def _forms(code: str, singular: str, plural: str) -> tuple[str, ...]:
    known = catalogue(code)
    if not plural:
        return (known.gettext(singular),)
    return tuple(dict.fromkeys(known.ngettext(singular, plural, count) for count in (1, 2)))


def _expression(form: str) -> str:
    """The expression that finds the values in a sentence."""
    parts = [(re.escape(text), name) for text, name, _, _ in Formatter().parse(form)]
    values = {None: "", "n": r"(?P<n>[\d,]+)"}
    return "".join(text + values.get(name, f"(?P<{name}>.+?)") for text, name in parts)
