"""Sequencing, cloze and prediction: items made from one article (ArxivRoll §2.2, figure 2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.families.base import Defect, Family, FormField, ItemContent, Prompt
from core.families.payload import Payload
from core.families.scp_checks import (
    check_payload,
    duplicates,
    edge_of_key,
    length_bias,
    position_bias,
)
from core.families.scp_payload import (
    CLOZE,
    FORMATS,
    LETTERS,
    OPTION_COUNT,
    PREDICTION,
    SELECTIONS,
    SEQUENCING,
    AnyPayload,
    ClozePayload,
    PredictionPayload,
    SequencingPayload,
    arrange,
)
from core.i18n import tr

_OPTIONS = {SEQUENCING: "orders", CLOZE: "assignments", PREDICTION: "options"}

# The extraction of the published evaluation: what a reply is read with, and where it is cut.
_STOP = (".", ",", "\n")
_SELECTION_PATTERN = r"(Selection [0-9])"
_LETTER_PATTERN = r"(\b[ABCD]\b)"

_INSTRUCTIONS: Mapping[str, str] = {
    SEQUENCING: (
        "The parts of one passage are shown below in a wrong order, each behind its letter. "
        "Decide in which order they stood in the source and choose the one selection that lists "
        "them so. Reply with nothing but the selection: Selection 1, Selection 2, Selection 3 or "
        "Selection 4."
    ),
    CLOZE: (
        "Sentences were taken out of the passage below; a numbered mark stands at each gap, and "
        "the sentences follow behind their letters. A selection lists, gap by gap, the sentence "
        "that belongs there. Choose the one right selection. Reply with nothing but the "
        "selection: Selection 1, Selection 2, Selection 3 or Selection 4."
    ),
    PREDICTION: (
        "Below are a passage and four texts behind the letters A, B, C and D. Exactly one of them "
        "comes directly after the passage in its source. Choose it. Reply with nothing but the "
        "letter: A, B, C or D."
    ),
}

_MODELS: Mapping[str, type[Payload]] = {
    SEQUENCING: SequencingPayload,
    CLOZE: ClozePayload,
    PREDICTION: PredictionPayload,
}


class ScpFamily(Family):
    """Sequencing, cloze and prediction items.

    Sequencing: put the shuffled parts of a passage back into order. Cloze: put masked sentences
    back into their gaps. Prediction: find the text that comes next. Four options each, one right.
    """

    name = "scp"
    title = "Sequencing, cloze and prediction"
    formats = FORMATS
    models = _MODELS
    reads_alike = True
    defect_names = (
        "invalid_payload",
        "wrong_option_count",
        "empty_option",
        "key_not_an_option",
        "repeated_options",
        "option_equals_key",
        "near_identical_options",
        "order_not_permutation",
        "mask_count_mismatch",
        "key_contradicts_source",
        "context_among_options",
        "length_gives_answer",
        "mostly_markup",
        "as_published",
        "position_bias",
        "length_bias",
        "duplicate_item",
    )

    def sample(self, format: str) -> ItemContent:
        """A small sound item of our own words."""
        from core.families.scp_samples import sample

        return sample(format)

    def planted(self) -> Mapping[str, ItemContent]:
        """An item for every defect that shows in one item."""
        from core.families.scp_samples import defect_samples

        return defect_samples()

    def planted_sets(self) -> Mapping[str, Sequence[ItemContent]]:
        """A set of items for every defect that only shows over a set."""
        from core.families.scp_samples import planted_sets

        return planted_sets()

    def option_count(self, item: ItemContent) -> int:
        """As many as it offers."""
        return len(self.payload(item).offered)

    def turned(self, item: ItemContent, places: int) -> ItemContent:
        """The options from ``places`` on come first, and the key goes with them."""
        name = _OPTIONS[item.format]
        options = list(item.payload[name])
        turn = places % len(options)
        key = (item.payload["key"] - turn) % len(options)
        payload = {**item.payload, name: options[turn:] + options[:turn], "key": key}
        return replace(item, payload=payload)

    def defects(
        self, payload: AnyPayload, item: ItemContent, source: str | None
    ) -> Iterator[Defect]:
        """What is wrong with one item; its order is that of ``source``, else of its spans there."""
        if item.provenance.get("as_published"):
            detail = tr("Generated like the published generator, for study only.")
            yield Defect("as_published", detail)
        yield from check_payload(payload, _spans(item.provenance), source)

    def check_set(self, items: Sequence[ItemContent]) -> Mapping[int, Sequence[Defect]]:
        """Position bias and length bias per format, and repeated items, by item index."""
        defects: dict[int, list[Defect]] = {}
        keys: dict[str, dict[int, int]] = {format: {} for format in FORMATS}
        edges: dict[int, int] = {}
        for index, item in enumerate(items):
            if payload := self._sound(item):
                keys[item.format][index] = payload.key
                if isinstance(payload, PredictionPayload):
                    edges[index] = edge_of_key(payload)
        for of_format in keys.values():
            _collect(defects, position_bias(of_format))
        _collect(defects, length_bias(edges))
        _collect(defects, duplicates(items))
        return defects

    def _sound(self, item: ItemContent) -> AnyPayload | None:
        try:
            payload: AnyPayload = self.payload(item)
        except (ValidationError, InputError):
            return None
        four = len(payload.offered) == OPTION_COUNT
        return payload if four and 0 <= payload.key < OPTION_COUNT else None

    def form(self, format: str) -> Sequence[FormField]:
        """Fields of a format; the value of ``key`` is the index of the chosen option."""
        self.payload_model(format)
        if format == SEQUENCING:
            return (
                FormField("parts", tr("Segments as shown (A, B, C, D)"), "list"),
                FormField(
                    "orders",
                    tr("Orders offered"),
                    "list",
                    help=tr("The letters in reading order, such as CADB."),
                ),
                FormField("key", tr("Correct option"), "choice", SELECTIONS),
            )
        if format == CLOZE:
            return (
                FormField(
                    "text",
                    tr("Passage with gaps"),
                    "long_text",
                    help=tr("Write <|Mask 1|>, <|Mask 2|> and so on where sentences are missing."),
                ),
                FormField("candidates", tr("Masked sentences as shown (A, B, C, D)"), "list"),
                FormField(
                    "assignments",
                    tr("Assignments offered"),
                    "list",
                    help=tr("The letters in order of the gaps, such as CADB."),
                ),
                FormField("key", tr("Correct option"), "choice", SELECTIONS),
            )
        return (
            FormField("context", tr("Passage"), "long_text"),
            FormField("options", tr("Texts offered (A, B, C, D)"), "list"),
            FormField("key", tr("Text that comes next"), "choice", tuple(LETTERS[:OPTION_COUNT])),
        )

    def prompt(self, item: ItemContent, instruction: str = "") -> Prompt:
        """The question in plain text; replies are cut and read as in the published evaluation.

        ``choice_texts`` are what each choice says: the pieces joined in its order, or its text.
        """
        payload: AnyPayload = self.payload(item)
        options = payload.offered
        lettered = _lettered(payload.lettered)
        head = instruction or _INSTRUCTIONS[item.format]
        if isinstance(payload, PredictionPayload):
            body = f"{head}\n\nPassage:\n{payload.context}\n\nTexts:\n{lettered}\n\nAnswer:"
            return _reading(len(options), True).asking(body, options)
        offered = "\n".join(f"Selection {n}: {option}" for n, option in enumerate(options, 1))
        if isinstance(payload, ClozePayload):
            body = f"Passage:\n{payload.text}\n\nSentences:\n{lettered}"
        else:
            body = f"Parts:\n{lettered}"
        return _reading(len(options), False).asking(
            f"{head}\n\n{body}\n\nSelections:\n{offered}\n\nAnswer:",
            tuple(" ".join(arrange(payload.lettered, o)) for o in options),
        )

    def reading(self, item: ItemContent) -> Prompt:
        """The letters of a prediction, else the numbers of the selections."""
        payload: AnyPayload = self.payload(item)
        return _reading(len(payload.offered), isinstance(payload, PredictionPayload))

    def key(self, item: ItemContent) -> str:
        """``Selection n`` or a letter; raises InputError where the item's key names no option."""
        payload: AnyPayload = self.payload(item)
        if not 0 <= payload.key < len(payload.offered):
            raise InputError.tr("The key of this item does not match any of its options.")
        if isinstance(payload, PredictionPayload):
            return LETTERS[payload.key]
        return f"Selection {payload.key + 1}"

    def plain_text(self, item: ItemContent) -> str:
        """The given text and the lettered texts, one block each."""
        payload: AnyPayload = self.payload(item)
        return "\n\n".join(filter(None, (payload.given, *payload.lettered)))


@lru_cache(maxsize=64)
def _reading(options: int, lettered: bool) -> Prompt:
    if lettered:
        letters = tuple(LETTERS[:options])
        return Prompt("", choices=letters, pattern=_LETTER_PATTERN, stop=_STOP)
    selections = tuple(f"Selection {number}" for number in range(1, options + 1))
    return Prompt("", choices=selections, pattern=_SELECTION_PATTERN, stop=_STOP)


def _lettered(pieces: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {piece}" for letter, piece in zip(LETTERS, pieces, strict=False))


def _spans(provenance: Mapping[str, Any]) -> Sequence[Sequence[int]]:
    """Spans of the lettered pieces as shown; empty where the provenance has none to rely on."""
    spans = provenance.get("piece_spans")
    if not isinstance(spans, Sequence) or isinstance(spans, str):
        return ()
    sound = all(
        isinstance(span, Sequence) and len(span) == 2 and all(isinstance(n, int) for n in span)
        for span in spans
    )
    return spans if sound else ()


def _collect(defects: dict[int, list[Defect]], more: Mapping[int, Defect]) -> None:
    for index, defect in more.items():
        defects.setdefault(index, []).append(defect)
