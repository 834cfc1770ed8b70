"""Small SCP items of our own words: one sound per format, and one with each defect planted."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.families.base import ItemContent
from core.families.scp_payload import CLOZE, PREDICTION, SEQUENCING, mask_mark

_SENTENCES = (
    "Rain gauges along the valley were read by hand every morning until the spring of last year.",
    "Since then a small radio in each gauge reports the height of the water every ten minutes.",
    "The first month of readings showed that two of the gauges stood in the shadow of trees.",
    "Both were moved into the open, and their totals now agree with the rest of the network.",
)
_NEXT = (
    "What remains is the question of snow, which settles on the rim and melts only days later.",
    "A heated rim was tried on one gauge, but its battery lasted for less than a week of frost.",
    "Neighbouring valleys keep their old instruments and send in their sheets once each month.",
    "Readings from the high pass are missing whenever the repeater on the ridge loses power.",
)
_ORDERS = ("BDAC", "CADB", "DBCA", "ACDB")
_SHOWN = (1, 3, 0, 2)  # the key CADB lists the parts shown as C, A, D, B: sentences 0, 1, 2, 3


def sample(format: str) -> ItemContent:
    """A sound item of ``format``."""
    shown = [_SENTENCES[index] for index in _SHOWN]
    payloads: Mapping[str, dict[str, Any]] = {
        SEQUENCING: {"parts": shown, "orders": list(_ORDERS), "key": 1},
        CLOZE: {
            "text": f"The network is old. {mask_mark(1)} {mask_mark(2)} It helped at once. "
            f"{mask_mark(3)} {mask_mark(4)} The next step is snow.",
            "candidates": shown,
            "assignments": list(_ORDERS),
            "key": 1,
        },
        PREDICTION: {"context": " ".join(_SENTENCES), "options": list(_NEXT), "key": 0},
    }
    return _item(format, payloads[format])


def defect_samples() -> Mapping[str, ItemContent]:
    """For every defect of a single item, the sample with that defect."""
    parts = [_SENTENCES[index] for index in _SHOWN]
    nearly = [parts[0], parts[0].replace("ten", "six"), *parts[2:]]
    maths = [r"$\alpha_{i}^{2} + \beta_{i} = \gamma \cdot \delta$ so" + f" {n}" for n in _NEXT]
    maths = [text[:60] for text in maths]
    positions = [[100, 200], [300, 400], [0, 90], [210, 290]]
    return {
        "invalid_payload": _item(SEQUENCING, {"parts": "no list", "key": "B"}),
        "wrong_option_count": _changed(SEQUENCING, orders=list(_ORDERS[:3])),
        "empty_option": _changed(PREDICTION, options=[*_NEXT[:3], "  "]),
        "key_not_an_option": _changed(PREDICTION, key=-1),
        "repeated_options": _changed(SEQUENCING, orders=["BDAC", "CADB", "DBCA", "DBCA"]),
        "option_equals_key": _changed(CLOZE, assignments=["CADB", "CADB", "DBCA", "ACDB"]),
        "near_identical_options": _changed(CLOZE, candidates=nearly),
        "order_not_permutation": _changed(SEQUENCING, orders=["BDAA", *_ORDERS[1:]]),
        "mask_count_mismatch": _changed(CLOZE, text=f"One gap {mask_mark(1)} for four sentences."),
        "key_contradicts_source": _item(
            SEQUENCING,
            {"parts": parts, "orders": list(_ORDERS), "key": 0},
            {"piece_spans": positions},
        ),
        "context_among_options": _changed(PREDICTION, options=[*_NEXT[:3], " ".join(_SENTENCES)]),
        "length_gives_answer": _changed(PREDICTION, options=[" ".join(_NEXT), *_SENTENCES[:3]]),
        "mostly_markup": _changed(PREDICTION, context=maths[0], options=maths),
        "as_published": _item(SEQUENCING, dict(sample(SEQUENCING).payload), {"as_published": True}),
    }


def planted_sets() -> Mapping[str, Sequence[ItemContent]]:
    """For every defect of a set, twenty-four items which have it."""
    numbered = [[f"Station {n}: {text}" for text in _NEXT] for n in range(24)]
    same_place = [_changed(PREDICTION, options=options, key=2) for options in numbered]
    longest = []
    for n, options in enumerate(numbered):
        key = n % 4
        options[key] += " This has been so for many years."
        longest.append(_changed(PREDICTION, options=options, key=key))
    return {
        "position_bias": same_place,
        "length_bias": longest,
        "duplicate_item": [sample(CLOZE), sample(CLOZE)],
    }


def _changed(format: str, **fields: Any) -> ItemContent:
    return _item(format, {**sample(format).payload, **fields})


def _item(
    format: str, payload: Mapping[str, Any], provenance: Mapping[str, Any] | None = None
) -> ItemContent:
    return ItemContent("scp", format, payload, provenance or {}, domain="cs")
