"""Questions with options to choose from: one right, or several."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from pydantic import ValidationError
from typing_extensions import override

from core.errors import InputError
from core.families.base import Defect, FormField, ItemContent, Prompt
from core.families.choice_columns import choice_rows, suggested_columns
from core.families.instruction_checks import picture_defects, spelling
from core.families.payload import Payload
from core.families.question_family import QuestionFamily, asked_text, with_passage
from core.files import text_key
from core.i18n import tr
from core.sources.chinese_text import is_chinese
from core.unicode_forms import comparable_text

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ONE, SEVERAL = "one", "several"
_MOST_LISTED = 5  # options of which every combination is a choice: 31 of them
_ENUMERATED = re.compile(r"^\s*[(（\[]?([A-Z])[)）\].．、:：]\s*\S")
# an option that means others by their place or as a whole
_OF_OTHERS = re.compile(
    r"\b(?:above|below|both|neither|either|all of|none of|[A-Z] (?:and|or) [A-Z])\b"
    r"|以上|以下|上述|都是|都对|皆",
    re.IGNORECASE,
)


class ChoicePayload(Payload):
    """A question and its options, which carry the letters A, B, C, … in their order.

    ``key`` are the letters of the right options in the order of the alphabet. ``right`` is ``one``,
    or ``several`` where the asked are told that more than one may be right. ``passage`` is the text
    that the question is about, ``rationale`` why the key is right, ``language`` a code.
    """

    question: str
    options: tuple[str, ...]
    key: str
    passage: str = ""
    right: str = ONE
    rationale: str = ""
    language: str = ""


_SAMPLE: Mapping[str, Any] = {
    "question": "What was the reason for moving two of the gauges?",
    "options": [
        "They were read only once a month.",
        "Trees kept the rain away from them.",
        "Their radios had run out of power.",
        "The river had risen over the bank.",
    ],
    "key": "B",
    "passage": "The first month of readings showed that two of the gauges stood in the shadow of "
    "trees. Both were moved into the open.",
    "right": ONE,
    "rationale": "The passage names the trees as what was found.",
    "language": "en",
}

_MODELS: Mapping[str, type[Payload]] = {"": ChoicePayload, "choice": ChoicePayload}


class ChoiceFamily(QuestionFamily):
    """Multiple choice: a question, a passage where it needs one, and 2 to 26 options.

    A model answers with the letter of the right option, or with the letters of all right ones.
    """

    models = _MODELS
    sample_fields = _SAMPLE
    name = "choice"
    title = "Multiple choice"
    formats = ("choice",)
    defect_names = (
        "invalid_payload",
        "empty_field",
        "wrong_option_count",
        "empty_option",
        "repeated_options",
        "option_lettered",
        "key_not_an_option",
        "several_right",
        "key_in_question",
        "needs_picture",
        "markup_left",
        "garbled_text",
        "duplicate_item",
        "answers_differ",
    )

    @override
    def defects(
        self, payload: ChoicePayload, item: ItemContent, source: str | None
    ) -> Iterator[Defect]:
        """What is wrong with one item; there is no source to compare it with."""
        yield from _defects(payload)
        yield from picture_defects(item)

    @override
    def option_count(self, item: ItemContent) -> int:
        """As many as there are, where one is right and none speaks of the others' places."""
        payload: ChoicePayload = self.payload(item)
        fixed = payload.right != ONE or len(payload.key) != 1
        if fixed or any(_OF_OTHERS.search(option) for option in payload.options):
            return 0
        return len(payload.options)

    @override
    def turned(self, item: ItemContent, places: int) -> ItemContent:
        """The options from ``places`` on come first, and the key goes with them."""
        payload: ChoicePayload = self.payload(item)
        options = payload.options
        turn = places % len(options)
        key = LETTERS[(LETTERS.index(payload.key) - turn) % len(options)]
        moved = {"options": [*options[turn:], *options[:turn]], "key": key}
        return replace(item, payload={**item.payload, **moved}) if turn else item

    @override
    def check_set(self, items: Sequence[ItemContent]) -> Mapping[int, Sequence[Defect]]:
        """Items that occur twice, and equal questions with different keys."""
        defects: dict[int, list[Defect]] = defaultdict(list)
        first: dict[bytes, tuple[int, bytes]] = {}
        for index, item in enumerate(items):
            try:
                payload: ChoicePayload = self.payload(item)
            except ValidationError:
                continue
            options = sorted(comparable_text(option) for option in payload.options)
            asked = text_key(
                comparable_text(payload.passage), comparable_text(payload.question), *options
            )
            right = text_key(*_right_texts(payload))
            place, earlier = first.setdefault(asked, (index, right))
            if place != index:
                defects[index].append(_repeated(place + 1, same=earlier == right))
        return defects

    @override
    def planted(self) -> Mapping[str, ItemContent]:
        """An item with each defect that ``check`` finds."""
        options = list(_SAMPLE["options"])
        return {
            "invalid_payload": self.varied(options=7),
            "empty_field": self.varied(question=" "),
            "wrong_option_count": self.varied(options=options[:1], key="A"),
            "empty_option": self.varied(options=[*options[:3], " "]),
            "repeated_options": self.varied(options=[*options[:3], options[0]]),
            "option_lettered": self.varied(
                options=[f"({letter}) {o}" for letter, o in zip(LETTERS, options, strict=False)]
            ),
            "key_not_an_option": self.varied(key="E"),
            "several_right": self.varied(key="AB"),
            "key_in_question": self.varied(question=f"{_SAMPLE['question']} Answer: B"),
            "needs_picture": self.varied(question="What is the height shown in the figure?"),
            "markup_left": self.varied(question="When is it read?<br/>"),
            "garbled_text": self.varied(passage="The gauge 锟斤拷 stands by the bridge."),
        }

    @override
    def planted_sets(self) -> Mapping[str, Sequence[ItemContent]]:
        """A set with each defect that ``check_set`` finds."""
        return {
            "duplicate_item": [self.varied(), self.varied(rationale="")],
            "answers_differ": [self.varied(), self.varied(key="C")],
        }

    @override
    def form(self, format: str) -> Sequence[FormField]:
        """Fields in the order in which they are written."""
        return (
            FormField("question", tr("Question"), "long_text"),
            FormField("options", tr("Options (A, B, C, …)"), "list",
                      help=tr("One option per line, without its letter.")),
            FormField("key", tr("Correct options"),
                      help=tr("The letter of the correct option; several in a row: ACD.")),
            FormField("passage", tr("Passage"), "long_text", required=False),
            FormField("right", tr("One or several correct"), options=(ONE, SEVERAL),
                      required=False),
            FormField("rationale", tr("Rationale"), "long_text", required=False),
            FormField("language", tr("Language"), required=False),
        )  # fmt: skip

    @override
    def prompt(self, item: ItemContent, instruction: str = "") -> Prompt:
        """Passage, question and lettered options, in English or Chinese words around them."""
        payload: ChoicePayload = self.payload(item)
        several = payload.right == SEVERAL
        lettered = "\n".join(
            f"{letter}. {option}" for letter, option in zip(LETTERS, payload.options, strict=False)
        )
        told = instruction or _INSTRUCTIONS[is_chinese(payload.question), several]
        reading = _reading(len(payload.options), several)
        return replace(
            reading,
            text=asked_text(told, payload.passage, payload.question, lettered),
            choice_texts=tuple(
                "\n".join(payload.options[LETTERS.index(letter)] for letter in choice)
                for choice in reading.choices
            ),
        )

    @override
    def reading(self, item: ItemContent) -> Prompt:
        """The letters; where several may be right, every combination of up to five."""
        payload: ChoicePayload = self.payload(item)
        return _reading(len(payload.options), payload.right == SEVERAL)

    @override
    def key(self, item: ItemContent) -> str:
        """The letters of the right options; InputError where one of them names no option."""
        payload: ChoicePayload = self.payload(item)
        if not payload.key or not set(payload.key) <= set(LETTERS[: len(payload.options)]):
            raise InputError.tr("The key of this item does not match any of its options.")
        return "".join(sorted(set(payload.key)))

    @override
    def from_columns(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any] | str]:
        """Options in one list, and keys as letters, however the file has them."""
        return choice_rows([with_passage(row) for row in rows])

    @override
    def suggest(self, columns: Mapping[str, Any]) -> Mapping[str, str]:
        """Question, options and key of the usual data sets."""
        return suggested_columns(columns)

    @override
    def plain_text(self, item: ItemContent) -> str:
        """Passage, question and options, one below the other."""
        fields = item.payload
        parts = [fields.get("passage"), fields.get("question"), *fields.get("options", ())]
        return "\n".join(str(part) for part in parts if part)


@lru_cache(maxsize=64)
def _reading(count: int, several: bool) -> Prompt:
    letters = LETTERS[: max(2, min(count, len(LETTERS)))]
    span = f"[A-{letters[-1]}]"
    if not several:
        return Prompt("", choices=tuple(letters), pattern=rf"\b({span})\b", max_tokens=64)
    sets = [
        "".join(members)
        for size in range(1, len(letters) + 1)
        for members in combinations(letters, size)
    ]
    listed = tuple(sets) if len(letters) <= _MOST_LISTED else ()
    return Prompt("", choices=listed, pattern=rf"\b({span}+)\b", max_tokens=64)


def _right_texts(payload: ChoicePayload) -> tuple[str, ...]:
    return tuple(
        sorted(
            comparable_text(o)
            for n, o in zip(LETTERS, payload.options, strict=False)
            if n in payload.key
        )
    )


def _repeated(number: int, *, same: bool) -> Defect:
    if same:
        return Defect("duplicate_item", tr("It is identical to item {number}.", number=number))
    detail = tr("Item {number} has the same question with a different key.", number=number)
    return Defect("answers_differ", detail)


def _defects(payload: ChoicePayload) -> Iterator[Defect]:
    if not payload.question.strip():
        yield Defect("empty_field", tr("The field “{field}” is empty.", field="question"))
    count = len(payload.options)
    if not 2 <= count <= len(LETTERS):
        detail = tr("An item needs 2 to 26 options, not {count}.", count=count)
        yield Defect("wrong_option_count", detail)
    if not all(option.strip() for option in payload.options):
        yield Defect("empty_option", tr("An option is empty."))
    filled = [" ".join(option.split()) for option in payload.options if option.strip()]
    if len(set(filled)) < len(filled):
        yield Defect("repeated_options", tr("Two options are the same."))
    enumerated = [found[1] for o in payload.options if (found := _ENUMERATED.match(o))]
    if count > 1 and sorted(enumerated) == list(LETTERS[:count]):
        detail = tr("The options already begin with letters.")
        yield Defect("option_lettered", detail)
    yield from _key_defects(payload)
    for name in ("question", "passage", "rationale"):
        yield from spelling(name, getattr(payload, name))
    for letter, option in zip(LETTERS, payload.options, strict=False):
        yield from spelling(letter, option)


def _key_defects(payload: ChoicePayload) -> Iterator[Defect]:
    if not payload.key or not set(payload.key) <= set(LETTERS[: len(payload.options)]):
        detail = tr("The key of this item does not match any of its options.")
        yield Defect("key_not_an_option", detail)
    if len(set(payload.key)) > 1 and payload.right != SEVERAL:
        detail = tr("Several options are correct, but the question asks for one.")
        yield Defect("several_right", detail)
    told = re.compile(
        rf"(?:answer|答案)\s*(?:is|是|为)?\s*[:：]?\s*[(（]?{payload.key}\b", re.IGNORECASE
    )
    if payload.key.isalpha() and told.search(payload.question):
        yield Defect("key_in_question", tr("The question gives its key away."))


_INSTRUCTIONS: Mapping[tuple[bool, bool], str] = {
    (False, False): "Choose the one correct option. Reply with its letter and nothing else.",
    (False, True): "One or more of the options are correct. Reply with the letters of all correct "
    "options, such as AC, and nothing else.",
    (True, False): "从选项中选出唯一正确的一项，只回答该选项的字母。",
    (True, True): "以下选项中有一项或多项正确，请只回答所有正确选项的字母，例如 AC。",
}
