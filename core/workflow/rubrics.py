"""Rubrics: what people rate by, with scales and guidelines; shipped (``resources/rubrics``), or a
task's own, which people write as text:

    Clarity: Is it clear at once what is asked?
    1 Only after reading it twice.
    2 At once.

Criteria are separated by empty lines. The first line is the title and, after a colon, what is
asked; each further one a value, a digit, and what it means.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.errors import InputError
from core.i18n import listed, tr, tr_noop
from core.known_names import part_named
from resources import resource

MOST_CRITERIA = 12
_LONGEST_TITLE, _LONGEST_TEXT = 60, 1000
_RESERVED = ("decision", "*")  # what dashboards call the verdicts, and all criteria at once
_HEAD = re.compile(r"(?P<title>[^:：]*)[:：]?(?P<question>.*)", re.DOTALL)
_VALUE = re.compile(r"(?P<digit>\d+)(?:[.:：、)]|\s)\s*(?P<text>.*)|(?P<alone>\d+)")


class ScaleValue(BaseModel):
    """One value of a scale and what it means."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    text: str


class Criterion(BaseModel):
    """One thing that is rated."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    title: str
    question: str
    scale: str
    values: tuple[ScaleValue, ...]

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values that may be given, ascending."""
        return tuple(sorted(entry.value for entry in self.values))


class Rubric(BaseModel):
    """A named set of criteria."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    title: str
    source: str = ""
    criteria: tuple[Criterion, ...]


@cache
def rubrics() -> tuple[Rubric, ...]:
    """All rubrics that ship."""
    paths = sorted(resource("rubrics").glob("*.json"))
    return tuple(Rubric.model_validate(json.loads(p.read_text(encoding="utf-8"))) for p in paths)


def rubric(name: str) -> Rubric:
    """The rubric of that name; NotFoundError names those there are."""
    return part_named(rubrics(), name, tr_noop("There is no rubric “{name}”. Available: {known}."))


def own_criteria(profile: Mapping[str, Any]) -> tuple[Criterion, ...]:
    """The criteria that a task has of its own; none where it is rated by a shipped rubric."""
    return tuple(Criterion.model_validate(entry) for entry in profile.get("rubric") or ())


def rubric_of(profile: Mapping[str, Any], named: str) -> Rubric:
    """What the items of a task are rated by: its own criteria, else the shipped rubric that its
    protocol names. NotFoundError where there is none of that name."""
    if own := own_criteria(profile):
        return Rubric(name="own", title="", criteria=own)
    return rubric(named or "coreeval")


def criterion_scale(
    name: str, profiles: Sequence[Mapping[str, Any]] = ()
) -> tuple[float, ...] | None:
    """The values of a criterion in whichever rubric has it, those of tasks' own in ``profiles``
    together, ascending; None for one of no rubric."""
    for shipped in rubrics():
        for criterion in shipped.criteria:
            if criterion.name == name:
                return criterion.numbers
    own = [c for profile in profiles for c in own_criteria(profile) if c.name == name]
    return tuple(sorted({number for c in own for number in c.numbers})) or None


def rubric_text(criteria: Sequence[Criterion]) -> str:
    """Criteria as people write them; ``parse_rubric`` reads them back."""
    blocks = []
    for criterion in criteria:
        head = criterion.title + (f": {criterion.question}" if criterion.question else "")
        values = [f"{entry.value:g} {entry.text}".rstrip() for entry in criterion.values]
        blocks.append("\n".join([head, *values]))
    return "\n\n".join(blocks)


def parse_rubric(text: str, before: Sequence[Criterion] = ()) -> tuple[Criterion, ...]:
    """The criteria that somebody wrote; an empty text has none.

    A criterion that is called like one of ``before`` or of a shipped rubric is that one, so that
    their ratings belong together. Raises InputError with the line of what cannot be read.
    """
    known = _known_names(before)
    criteria: list[Criterion] = []
    for number, block in _blocks(text):
        criterion = _criterion(number, block, known)
        if any(criterion.name == other.name for other in criteria):
            raise _wrong(number, tr("“{title}” is used twice", title=criterion.title))
        criteria.append(criterion)
    if len(criteria) > MOST_CRITERIA:
        raise InputError.tr("A rubric has at most {count} criteria.", count=MOST_CRITERIA)
    return tuple(criteria)


def _known_names(before: Sequence[Criterion]) -> dict[str, str]:
    """Names of criteria by their titles, those of shipped rubrics in the language in use too."""
    shipped = [c for rubric_ in rubrics() for c in rubric_.criteria]
    names = {c.title.casefold(): c.name for c in before}
    for criterion in shipped:
        for title in (criterion.name, criterion.title, tr(criterion.title)):
            names[title.casefold()] = criterion.name
    return names


def _blocks(text: str) -> list[tuple[int, list[str]]]:
    """(number of the first line, lines) of what stands between empty lines."""
    blocks: list[tuple[int, list[str]]] = []
    open_ = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            open_ = False
        elif open_:
            blocks[-1][1].append(line.strip())
        else:
            blocks.append((number, [line.strip()]))
            open_ = True
    return blocks


def _criterion(number: int, lines: Sequence[str], known: Mapping[str, str]) -> Criterion:
    """One criterion whose first line has that number."""
    head = _HEAD.fullmatch(lines[0])
    assert head is not None  # it matches every line
    title, question = head["title"].strip(), head["question"].strip()
    if not title or len(title) > _LONGEST_TITLE or not title.isprintable() or "=" in title:
        why = tr(
            "a title has at most {count} characters, is not empty and contains no equals sign",
            count=_LONGEST_TITLE,
        )
        raise _wrong(number, why)
    values: list[ScaleValue] = []
    for place, line in enumerate(lines[1:], number + 1):
        match = _VALUE.fullmatch(line)
        if match is None and not values:
            question = f"{question} {line}".strip()
            continue
        values.append(_value(place, match, values))
    if len(values) < 2:
        raise _wrong(number, tr("“{title}” needs at least two values, one per line", title=title))
    if len(question) > _LONGEST_TEXT:
        raise _wrong(number, tr("a text has at most {count} characters", count=_LONGEST_TEXT))
    name = known.get(title.casefold(), title)
    if name.casefold() in _RESERVED:
        raise _wrong(number, tr("“{title}” is reserved; choose another title",
                                title=title))  # fmt: skip
    ascending = tuple(sorted(values, key=lambda entry: entry.value))
    criterion = Criterion(
        name=name, title=title, question=question,
        scale="binary" if len(values) == 2 else "ordinal", values=ascending,
    )  # fmt: skip
    scale = criterion_scale(name)
    if scale is not None and scale != criterion.numbers:
        raise _wrong(
            number,
            tr("“{title}” has the values {scale} in every task; keep them or choose another title",
               title=title, scale=listed(f"{value:g}" for value in scale)),
        )  # fmt: skip
    return criterion


def _value(number: int, match: "re.Match[str] | None", before: Sequence[ScaleValue]) -> ScaleValue:
    digits = "" if match is None else match["digit"] or match["alone"]
    if match is None or len(digits) != 1:
        raise _wrong(number, tr("a value begins with a digit from 0 to 9"))
    text = (match["text"] or "").strip()
    if len(text) > _LONGEST_TEXT or "\x00" in text:
        raise _wrong(number, tr("a text has at most {count} characters", count=_LONGEST_TEXT))
    if any(entry.value == int(digits) for entry in before):
        raise _wrong(number, tr("the value {value} is used twice", value=digits))
    return ScaleValue(value=int(digits), text=text)


def _wrong(number: int, why: str) -> InputError:
    return InputError.tr("Line {number} of the rubric: {why}.", number=number, why=why)
