"""What a model's log-probabilities say of texts, orders and a canary: rows for ``exposures``.

Needs torch and transformers, in the environment of ``make gpu``; a small model runs on a CPU. Only
texts are read, in the order of their file, so that it needs no workspace.
"""

import json
import random
import uuid
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from core.analysis.exposure import FEWEST
from core.errors import BenchsealError, InputError, OutsideError
from core.evaluation.engines.hardware import not_installed
from core.families import family
from core.families.base import ItemContent
from core.families.shared_source import SOURCE_FIELDS, named_source, source_field, source_of

SHARDS, ORDERS, CANARIES = 10, 20, 199
FEWEST_PARTS = 2 * FEWEST
"""Of fewer parts there are no five shards of two."""
SHOWN = 8
"""Digits of a canary that the model is shown before it goes on."""


class SourcedText(NamedTuple):
    """A text, and what it shares with others, such as its article; empty where that is not said."""

    text: str
    source: str


def texts_of(lines: Sequence[str]) -> list[SourcedText]:
    """One text a line: as it stands, the question of an item that Benchseal wrote, or the strings
    of another JSON object joined, without those that name its source."""
    return [_text_of(line.strip()) for line in lines if line.strip()]


def _text_of(line: str) -> SourcedText:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        return SourcedText(line, "")
    try:
        content = ItemContent.from_json(row)
        return SourcedText(family(content.family).plain_text(content), source_of(content))
    except (KeyError, TypeError, ValueError, BenchsealError):
        pass  # another program's object
    origin = row.get("provenance")
    told = origin if isinstance(origin, dict) else {**source_field({}, row, ""), **row}
    strings = [
        value for name, value in row.items()
        if isinstance(value, str) and name not in SOURCE_FIELDS
    ]  # fmt: skip
    return SourcedText("\n".join(strings).strip(), named_source(told))


def order_blocks(sources: Sequence[str]) -> list[range]:
    """The places of the parts of a file whose order may be one of chance: texts in a row that name
    one source stay together, others are parts alone."""
    begins = [
        place for place, source in enumerate(sources)
        if not source or not place or source != sources[place - 1]
    ]  # fmt: skip
    return [range(*ends) for ends in pairwise([*begins, len(sources)])]


class ModelTraces:
    """A causal model of a local folder and its tokenizer, in memory."""

    def __init__(self, model: Path) -> None:
        if missing := not_installed("torch", "transformers"):
            raise OutsideError(missing)
        import torch
        import transformers

        self._torch = torch
        try:
            tokenizer: Any = transformers.AutoTokenizer.from_pretrained(str(model))
            loaded: Any = transformers.AutoModelForCausalLM.from_pretrained(str(model))
        except (OSError, ValueError, RuntimeError) as error:
            raise OutsideError.tr("Transformers could not load “{model}”: {reason}.", model=model,
                                  reason=" ".join(str(error).split())[:300]) from error  # fmt: skip
        self._tokenizer = tokenizer
        self._model = loaded.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self._longest = int(getattr(self._model.config, "max_position_embeddings", 0) or 2048)

    def trace(self, text: str) -> tuple[list[float], list[float], list[float]]:
        """Of every token but the first: its log-probability, and mean and standard deviation of the
        log-probability over the vocabulary at its place (Zhang and others 2024, equation 3)."""
        torch = self._torch
        tokens = list(self._tokenizer.encode(text))[: self._longest]
        if len(tokens) < 2:
            return [], [], []
        inputs = torch.tensor([tokens], device=self._model.device)
        with torch.inference_mode():
            logs = torch.log_softmax(self._model(inputs).logits[0, :-1].double(), dim=-1)
        own = logs.gather(1, inputs[0, 1:, None])[:, 0]
        shares = logs.exp()
        mean = (shares * logs).sum(-1)
        deviation = ((shares * (logs - mean[:, None]) ** 2).sum(-1)).sqrt()
        return own.tolist(), mean.tolist(), deviation.tolist()

    def likelihood(self, text: str) -> float:
        """The log-probability of a text behind its first token."""
        return sum(self.trace(text)[0])

    def continued(self, text: str, tokens: int) -> str:
        """What the model writes greedily behind a text."""
        inputs = self._torch.tensor(
            [list(self._tokenizer.encode(text, add_special_tokens=True))],
            device=self._model.device,
        )
        with self._torch.inference_mode():
            output = self._model.generate(
                inputs, attention_mask=self._torch.ones_like(inputs), max_new_tokens=tokens,
                do_sample=False, pad_token_id=self._tokenizer.pad_token_id or 0,
            )  # fmt: skip
        return str(self._tokenizer.decode(output[0, inputs.shape[1] :], skip_special_tokens=True))


def exposure_rows(
    model: ModelTraces,
    items: Sequence[SourcedText],
    control: Sequence[SourcedText] = (),
    canary: str = "",
    *,
    shards: int = SHARDS,
    orders: int = ORDERS,
    seed: int = 0,
) -> Iterator[dict[str, Any]]:
    """Rows for every test that can be made: of each text, of each shard of the items in their own
    and in random orders, and of the canary with random ones in its place.

    Texts in a row that name one source are shuffled as one: to any model the questions of an
    article are likelier side by side. Of few items there are fewer shards, of fewer than ten such
    parts none. Raises InputError for fewer than ten items.
    """
    if len(items) < FEWEST_PARTS:
        raise InputError.tr("The order test needs ten or more items.")
    draw = random.Random(seed)
    for group, texts in (("item", items), ("control", control)) if control else ():
        for text, source in texts:
            own, means, deviations = model.trace(text)
            if own:
                named = {"source": source} if source else {}
                yield {
                    "group": group, "logprobs": own, "means": means, "deviations": deviations,
                    **named,
                }  # fmt: skip
    blocks = ["\n\n".join(items[place].text for place in block)
              for block in order_blocks([item.source for item in items])]  # fmt: skip
    yield from _shard_rows(model, blocks, shards, orders, draw)
    if canary:
        yield from _canary_rows(model, canary, draw)


def _shard_rows(
    model: ModelTraces, blocks: Sequence[str], shards: int, orders: int, draw: random.Random
) -> Iterator[dict[str, Any]]:
    if len(blocks) < FEWEST_PARTS:
        return
    shards = min(shards, len(blocks) // 2)
    for number in range(shards):
        part = list(blocks[len(blocks) * number // shards : len(blocks) * (number + 1) // shards])
        likelihood = model.likelihood("\n\n".join(part))
        others = []
        for _ in range(orders):
            draw.shuffle(part)
            others.append(model.likelihood("\n\n".join(part)))
        yield {"own": likelihood, "shuffled": others}


def _canary_rows(model: ModelTraces, canary: str, draw: random.Random) -> Iterator[dict[str, Any]]:
    before, _, own = canary.rpartition(" ")
    begun = f"{before} {own[:SHOWN]}".strip()
    others = [
        model.likelihood(f"{before} {uuid.UUID(int=draw.getrandbits(128), version=5)}".strip())
        for _ in range(CANARIES)
    ]
    yield {"own": model.likelihood(canary), "canaries": others}
    yield {"canary": own[SHOWN:], "completions": [model.continued(begun, 2 * len(own))]}
