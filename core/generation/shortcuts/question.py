"""An item as a shallow solver sees it: a context, options, and which of them is right."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.families import FAMILIES
from core.families.base import Family, ItemContent, texts_in
from core.families.scp_payload import HOLE, ClozePayload, SequencingPayload, is_permutation
from core.families.shared_source import source_of

MOST_OPTIONS = 26
_NOT_GIVEN = frozenset({"key", "right", "rationale", "language", "label", "labels", "output"})


@dataclass(frozen=True, slots=True)
class OptionQuestion:
    """Options, one of them right, in a context.

    Where options are orders of lettered pieces, ``orders`` holds their letters, ``pieces`` the
    pieces as shown, and ``segments`` the text before, between and behind the gaps that the pieces
    fill (one more than pieces, blank where nothing stands there). ``kind`` groups questions of one
    make, ``source`` those that share an article, empty where that is unknown.
    """

    kind: str
    context: str
    options: tuple[str, ...]
    key: int
    source: str = ""
    orders: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()

    def units(self, order: str) -> tuple[str, ...]:
        """Segments and pieces in the reading order that an order of letters gives."""
        filled: list[str] = []
        for segment, letter in zip(self.segments, order, strict=False):
            filled += (segment, self.pieces[ord(letter) - ord("A")])
        return tuple(unit for unit in (*filled, self.segments[-1]) if unit.strip())


def question_of(item: ItemContent) -> OptionQuestion | None:
    """The question that an item asks, or None where it offers no texts of which one is right."""
    family = next((family for family in FAMILIES if family.name == item.family), None)
    if family is None:
        return None
    try:
        asked = _scp(item, family) if family.name == "scp" else _with_choices(item, family)
    except (ValidationError, InputError, ValueError, KeyError, TypeError):
        return None
    if asked is None or not 2 <= len(asked.options) <= MOST_OPTIONS:
        return None
    return asked if 0 <= asked.key < len(asked.options) else None


def _scp(item: ItemContent, family: Family) -> OptionQuestion | None:
    payload: Any = family.payload_model(item.format).model_validate(dict(item.payload))
    source = source_of(item)
    options, pieces = payload.offered, payload.lettered
    if not isinstance(payload, SequencingPayload | ClozePayload):
        return OptionQuestion(item.format, payload.context, options, payload.key, source)
    orders = tuple(option.strip() for option in options)
    if not all(is_permutation(order, len(pieces)) for order in orders):
        return None
    segments = [""] * (len(pieces) + 1)
    if isinstance(payload, ClozePayload):
        segments = HOLE.split(payload.text)[::2]  # between them stand the gaps' numbers
        if len(segments) != len(pieces) + 1:
            return None
    asked = OptionQuestion(
        item.format,
        payload.given,
        orders,
        payload.key,
        source,
        orders,
        pieces,
        tuple(segments),
    )
    texts = tuple(" ".join(asked.units(order)) for order in orders)
    return OptionQuestion(
        asked.kind, asked.context, texts, asked.key, source, orders, pieces, asked.segments
    )


def _with_choices(item: ItemContent, family: Family) -> OptionQuestion | None:
    """A question of any other family whose prompt says what each choice reads as."""
    if has_several(item):
        return None  # which of them go together is another question than which one is right
    prompt = family.prompt(item)
    options = prompt.choice_texts
    if not options or len(options) != len(prompt.choices):
        return None
    key = prompt.choices.index(family.key(item))
    told = set(options)
    given = {k: v for k, v in item.payload.items() if k not in _NOT_GIVEN}
    context = "\n".join(text for text in texts_in(given) if text not in told)
    kind = item.format or item.family
    return OptionQuestion(kind, context, tuple(options), key, source_of(item))


def has_several(item: ItemContent) -> bool:
    """Whether an item asks for all options that are right, be it one or more."""
    return item.payload.get("right") == "several"
