"""What people read, in their language: ``tr("Sentence with {name}", name=…)``.

The English sentence is the key. Translations are a gettext catalogue for each language,
``resources/translations/<language>/LC_MESSAGES/benchseal.po``, compiled to the ``.mo`` beside it
(``make messages``). Placeholders are named, so no sentence is ever glued from pieces; a sentence
with a count has its plural forms (``trn``).
"""

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from gettext import GNUTranslations, NullTranslations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from resources import resource

if TYPE_CHECKING:
    from pydantic import ValidationError

LANGUAGES = MappingProxyType({"en": "English", "zh": "简体中文"})

_current = "en"


def set_language(code: str) -> None:
    """Choose the language of all later ``tr`` calls; an unknown code falls back to English."""
    global _current
    _current = code if code in LANGUAGES else "en"


def language() -> str:
    """Code of the language in use, a key of ``LANGUAGES``."""
    return _current


def language_from_environment() -> str:
    """``BENCHSEAL_LANG``, else the first of ``LANGUAGE`` (a list) that we have, else the locale's
    language when we have it, else English."""
    if value := os.environ.get("BENCHSEAL_LANG"):
        return _code_of(value) or "en"
    wished = os.environ.get("LANGUAGE", "").split(":")
    locales = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    wished.append(next(filter(None, locales), ""))
    return next(filter(None, map(_code_of, wished)), "en")


def _code_of(value: str) -> str:
    """The language that we have of a locale's name; empty where we have it not."""
    code = value[:2].lower()
    return code if code in LANGUAGES else ""


@cache
def catalogue(code: str) -> NullTranslations:
    """The translations into a language; none, which leaves English, where none are compiled."""
    compiled = resource("translations", code, "LC_MESSAGES", "benchseal.mo")
    if not compiled.exists():
        return NullTranslations()
    with compiled.open("rb") as messages:
        return GNUTranslations(messages)


def tr(sentence: str, /, **values: Any) -> str:
    """The sentence in the language in use, with its named placeholders filled in."""
    if _current != "en":
        sentence = catalogue(_current).gettext(sentence)
    return sentence.format(**values) if values else sentence


def trn(singular: str, plural: str, n: int, /, **values: Any) -> str:
    """The form of a sentence that fits the count ``n`` in the language in use.

    ``trn("1 item waits", "{n} items wait", count)``: ``{n}`` is the count, with thousands
    separators.
    """
    if _current == "en":
        form = singular if n == 1 else plural
    else:
        form = catalogue(_current).ngettext(singular, plural, n)
    return form.format(n=f"{n:,}", **values)


def with_note(said: str, note: str) -> str:
    """A sentence with a short note behind it, in brackets; the sentence where there is none."""
    return tr("{said} ({note})", said=said, note=note) if note else said


def labelled(label: object, said: object) -> str:
    """A text behind what it is about, with the colon of the language."""
    return tr("{label}: {said}", label=label, said=said)


def listed(parts: Iterable[object]) -> str:
    """Words in a row, as the language lists them: “a, b”, in Chinese “a、b”."""
    return ("、" if language() == "zh" else ", ").join(map(str, parts))


def joined_clauses(parts: Iterable[object]) -> str:
    """Clauses in a row, with the language's semicolon between them."""
    return ("；" if language() == "zh" else "; ").join(map(str, parts))


def sentences(parts: Iterable[object]) -> str:
    """Sentences in a row, those that are empty left out: with a space between them, in Chinese
    with none."""
    return ("" if language() == "zh" else " ").join(str(part) for part in parts if part)


def system_refusal(error: OSError) -> str:
    """What the operating system refused, as a sentence: a full disk, a folder of somebody else."""
    reason = error.strerror or str(error)
    if isinstance(error.filename, str) and error.filename:
        return tr("“{path}”: {reason}.", path=error.filename, reason=reason)
    return tr("The operating system refused: {reason}.", reason=reason)


def tr_noop(sentence: str) -> str:
    """The sentence as it is: it marks one that a table holds and ``tr`` translates when shown."""
    return sentence


def field_problem(error: "ValidationError") -> tuple[str, str]:
    """(field, what is wrong with it) of the first wrong field of a model, in the language in use
    where it is one of the usual things; of what a validator of ours refuses its own sentence. The
    field is empty where the whole is meant."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    kind, context = first["type"], first.get("ctx", {})
    if kind == "value_error":
        return where, str(context["error"])
    bound = next((context[name] for name in ("ge", "gt", "le", "lt") if name in context), "")
    if expected := context.get("expected"):
        bound = listed(re.findall(r"'([^']*)'", expected))
    sentence = _PROBLEMS.get(kind.removesuffix("_parsing").removesuffix("_type"))
    return where, tr(sentence, bound=bound) if sentence else first["msg"]


# by pydantic's names, without the ends that say whether it was a text
_PROBLEMS = MappingProxyType({
    "missing": tr_noop("it is missing"),
    "extra_forbidden": tr_noop("there is no such field here"),
    "string": tr_noop("it must be text"),
    "tuple": tr_noop("it must be a list"),
    "list": tr_noop("it must be a list"),
    "dict": tr_noop("it must be a table of names and values"),
    "model": tr_noop("it must be a table of names and values"),
    "int": tr_noop("it must be a whole number"),
    "int_from_float": tr_noop("it must be a whole number"),
    "float": tr_noop("it must be a number"),
    "finite_number": tr_noop("it must be a number"),
    "bool": tr_noop("it must be true or false"),
    "greater_than": tr_noop("it must be more than {bound}"),
    "greater_than_equal": tr_noop("it must be at least {bound}"),
    "less_than": tr_noop("it must be less than {bound}"),
    "less_than_equal": tr_noop("it must be at most {bound}"),
    "literal_error": tr_noop("it must be one of {bound}"),
    "string_pattern_mismatch": tr_noop("it contains characters that are not allowed there"),
})  # fmt: skip


def printed(value: float, digits: int, *, plus: bool = False, thousands: bool = False) -> str:
    """``value`` with so many digits: a minus sign rather than a hyphen, and no negative zero.

    ``plus`` puts a sign before positive numbers too, ``thousands`` commas between thousands.
    """
    form = f"{'+' if plus else ''}z{',' if thousands else ''}.{digits}f"
    return format(value, form).replace("-", "−")


def printed_time(at: str) -> str:
    """A stored time (ISO 8601) as people read it: by the clock of this machine, with its zone, as
    in ``2026-11-28 06:12:05+01:00``; a dash for none. Files and JSON keep UTC."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:  # somebody else's file
        return at or "–"
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone().isoformat(" ", "seconds")


def printed_day(at: str) -> str:
    """The day of a stored time where this machine is."""
    return printed_time(at)[:10]


def printed_bounds(low: float, high: float, digits: int) -> str:
    """``[−0.12, 0.30]``: both bounds of an interval."""
    return f"[{printed(low, digits)}, {printed(high, digits)}]"


def stored_bounds(low: float, high: float, digits: int) -> str:
    """The same with hyphens, for a cell that files keep as well; printed tables set the minus."""
    return f"[{low:z.{digits}f}, {high:z.{digits}f}]"
