"""Payloads of the SCP family: what is shown, what is offered, and which option is right.

The models are lenient about soundness on purpose: anybody's items, also broken ones, can be held
and shown, and ``core.families.scp_checks`` says what is wrong with them. ``key`` is the index of
the right option; ``-1`` where the label of a foreign item names none.
"""

import re
from collections.abc import Sequence

from core.families.payload import Payload

SEQUENCING = "sequencing"
CLOZE = "cloze"
PREDICTION = "prediction"
FORMATS = (SEQUENCING, CLOZE, PREDICTION)

LETTERS = "ABCDEFGH"
OPTION_COUNT = 4
SELECTIONS = tuple(f"Selection {number}" for number in range(1, OPTION_COUNT + 1))
HOLE = re.compile(r"<\|Mask (\d+)\|>")


def mask_mark(number: int) -> str:
    """The mark that stands for masked sentence ``number`` (from 1) in a cloze text."""
    return f"<|Mask {number}|>"


class SequencingPayload(Payload):
    """A shuffled fragment. ``parts`` are in the order shown and carry the letters A, B, C, …

    ``orders`` are the options. An order such as ``CADB`` lists the letters in reading order: the
    text begins with the part shown as C. ``key`` is the index of the order which restores the
    source (ArxivRoll §2.2, figure 2).
    """

    parts: tuple[str, ...]
    orders: tuple[str, ...]
    key: int

    @property
    def offered(self) -> tuple[str, ...]:
        """The options as they are offered: the orders."""
        return self.orders

    @property
    def lettered(self) -> tuple[str, ...]:
        """The lettered texts in the order shown: the parts."""
        return self.parts

    @property
    def given(self) -> str:
        """No text is given beside the parts."""
        return ""


class ClozePayload(Payload):
    """A fragment with masked sentences. ``text`` marks its holes ``<|Mask 1|>``, ``<|Mask 2|>``, …

    ``candidates`` are the masked sentences in the order shown (letters A, B, C, …). An assignment
    such as ``CADB`` puts candidate C into hole 1, A into hole 2, and so on.
    """

    text: str
    candidates: tuple[str, ...]
    assignments: tuple[str, ...]
    key: int

    @property
    def offered(self) -> tuple[str, ...]:
        """The options as they are offered: the assignments."""
        return self.assignments

    @property
    def lettered(self) -> tuple[str, ...]:
        """The lettered texts in the order shown: the candidates."""
        return self.candidates

    @property
    def given(self) -> str:
        """The text that is given beside the candidates."""
        return self.text


class PredictionPayload(Payload):
    """A fragment and four texts (letters A–D) of which one, ``options[key]``, comes next."""

    context: str
    options: tuple[str, ...]
    key: int

    @property
    def offered(self) -> tuple[str, ...]:
        """The options as they are offered: the texts."""
        return self.options

    @property
    def lettered(self) -> tuple[str, ...]:
        """The lettered texts in the order shown: the options."""
        return self.options

    @property
    def given(self) -> str:
        """The text that is given beside the options."""
        return self.context


AnyPayload = SequencingPayload | ClozePayload | PredictionPayload


def arrange(pieces: Sequence[str], order: str) -> tuple[str, ...]:
    """The pieces in the order that the letters say; letters without a piece are left out."""
    positions = (LETTERS.find(letter) for letter in order)
    return tuple(pieces[index] for index in positions if 0 <= index < len(pieces))


def is_permutation(order: str, count: int) -> bool:
    """Whether the letters name every one of ``count`` pieces exactly once."""
    return sorted(order) == sorted(LETTERS[:count])
