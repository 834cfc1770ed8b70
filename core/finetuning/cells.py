"""The cells of a grid of simulations, and the examples that each of them trains on."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.analysis.contamination import MODES, Mode
from core.errors import InputError
from core.i18n import tr_noop
from core.known_names import refuse_unknown
from core.sources.labelled.datasets import LabelledExample


@dataclass(frozen=True, slots=True)
class TrainingCell:
    """One training (or none, for mode ``zero``) on one set; ``proportion`` in percent."""

    dataset: str
    mode: Mode
    proportion: int

    @property
    def id(self) -> str:
        """Name in ``work.jsonl``."""
        return f"{self.dataset}/{self.mode}/{self.proportion}"

    def as_json(self) -> dict[str, Any]:
        """A line of ``work.jsonl``."""
        return {
            "id": self.id,
            "dataset": self.dataset,
            "mode": self.mode,
            "proportion": self.proportion,
        }


def plan(
    sets: Sequence[str], modes: Sequence[str], proportions: Sequence[int]
) -> list[TrainingCell]:
    """The untrained model on every set, then every set × mode × proportion; no cell twice.

    Raises InputError for an empty grid, an unknown mode or a proportion outside 1…100.
    """
    known: list[Mode] = [mode for mode in MODES if mode in modes]
    for mode in modes:
        refuse_unknown(mode, MODES, tr_noop("There is no mode “{name}”. Available: {known}."))
    if wrong := [p for p in proportions if not 1 <= p <= 100]:
        raise InputError.tr(
            "A proportion must be from 1 to 100 percent, not {value}.", value=wrong[0]
        )
    if not sets or not known or not proportions:
        raise InputError.tr("A simulation needs at least one set, one mode and one proportion.")
    cells = [TrainingCell(name, "zero", 0) for name in sets]
    cells += [TrainingCell(n, mode, p) for n in sets for mode in known for p in sorted(proportions)]
    return list(dict.fromkeys(cells))


def share(
    examples: Sequence[LabelledExample], proportion: int, seed: int, part: str
) -> list[LabelledExample]:
    """That percentage of the examples, at least one, in their order.

    Drawn by position, so that linked sets (original, semantic, updated) give the same examples,
    and nested: 40 percent hold the 20 percent.
    """
    order = list(range(len(examples)))
    random.Random(f"{seed}/{part}").shuffle(order)
    count = max(1, -(-len(examples) * proportion // 100)) if examples else 0
    return [examples[place] for place in sorted(order[:count])]


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """One thing to train on; ``bare`` is the text alone, without prompt and label."""

    example: LabelledExample
    bare: bool = False


def training_examples(
    cell: TrainingCell,
    test: Sequence[LabelledExample],
    train: Sequence[LabelledExample],
    *,
    seed: int,
    text_only: bool,
) -> list[TrainingExample]:
    """What a cell trains on (§4.3, §4.4).

    ``test``: that share of the test set. ``train``: that share of the training set.
    ``train+test``: the same share of the training set and the whole test set. With ``text_only``
    the test set is seen as bare text; the training set keeps its labels.
    """
    examples: list[TrainingExample] = []
    if cell.mode in ("train", "train+test"):
        if not train:
            raise InputError.tr(
                "The set “{name}” has no training examples; provide them.", name=cell.dataset
            )
        examples += _as_lessons(share(train, cell.proportion, seed, "train"), False)
    if cell.mode == "test":
        examples += _as_lessons(share(test, cell.proportion, seed, "test"), text_only)
    elif cell.mode == "train+test":
        examples += _as_lessons(test, text_only)
    return examples


def _as_lessons(examples: Iterable[LabelledExample], bare: bool) -> list[TrainingExample]:
    return [TrainingExample(example, bare) for example in examples]
