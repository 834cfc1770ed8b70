"""Few-shot: worked examples before the question, drawn by a seed from what is public.

An example shows its answer to whoever runs the model, so none may come from the split in hand: its
items are taken out of the pool, by content and by what they ask.
"""

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.bounded_json import parse_json
from core.errors import BenchsealError, InputError
from core.evaluation.types import Question
from core.families import family
from core.families.base import ItemContent
from core.files import read_regular, text_key


@dataclass(frozen=True)
class ExamplePool:
    """A pool of examples by family, format and label space, and once more by what they are told to
    do; ``count`` of them go before each question. ``left_out`` are those that the evaluated split
    holds as well."""

    count: int
    seed: int
    pools: Mapping[tuple[str, ...], tuple[ItemContent, ...]]
    left_out: int = 0
    alike: Mapping[tuple[str, ...], tuple[ItemContent, ...]] = field(default_factory=dict)

    def for_item(self, uid: str, content: ItemContent) -> list[ItemContent]:
        """The examples of one item: the same for every shard and whatever is asked beside it.

        They have the item's own instruction where enough of the pool do. Raises InputError where
        the pool has too few for it.
        """
        pool = self.alike.get(_kind_and_instruction(content), ())
        if len(pool) < self.count:
            pool = self.pools.get(_kind(content), ())
        if len(pool) < self.count:
            raise InputError.trn(
                "There is only 1 example for {family} items of the format “{format}”, not {count}.",
                "There are only {n} examples for {family} items of the format "
                "“{format}”, not {count}.",
                len(pool),
                family=content.family,
                format=content.format,
                count=self.count,
            )
        spelled = hashlib.sha256(f"shots\n{self.seed}\n{uid}".encode()).digest()
        return random.Random(spelled).sample(pool, self.count)

    def before(
        self, question: Question, uid: str, content: ItemContent,
        ask: Callable[[ItemContent], str],
    ) -> Question:  # fmt: skip
        """The question with its examples before it; ``ask`` words an example as the question is."""
        if not self.count:
            return question
        worked = [
            f"{ask(example)} {family(example.family).key(example)}"
            for example in self.for_item(uid, content)
        ]
        return replace(question, prompt="\n\n".join([*worked, question.prompt]))


NO_EXAMPLES = ExamplePool(0, 0, {})


def examples(
    pool: Iterable[ItemContent], split: Iterable[ItemContent], *, count: int, seed: int
) -> ExamplePool:
    """Examples out of a pool, without those that the split holds too, and each only once."""
    private = {text_key(_question_text(content)) for content in split}
    pools: dict[tuple[str, ...], dict[str, ItemContent]] = {}
    alike: dict[tuple[str, ...], dict[str, ItemContent]] = {}
    left_out = 0
    for content in pool:
        spelled = _question_text(content)
        if text_key(spelled) in private:
            left_out += 1
            continue
        pools.setdefault(_kind(content), {}).setdefault(spelled, content)
        alike.setdefault(_kind_and_instruction(content), {}).setdefault(spelled, content)
    return ExamplePool(count, seed, _tuples(pools), left_out, _tuples(alike))


def _tuples(
    pools: Mapping[tuple[str, ...], Mapping[str, ItemContent]],
) -> dict[tuple[str, ...], tuple[ItemContent, ...]]:
    return {kind: tuple(pool.values()) for kind, pool in pools.items()}


def read_examples(path: Path) -> list[ItemContent]:
    """Examples from JSON lines: items as this program writes them, or ``Input``, ``Output`` and
    ``Instruction`` as CIF-Bench publishes. InputError names the first line that is neither."""
    try:
        lines = read_regular(path).decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.tr("Could not read “{path}”.", path=path) from error
    examples: list[ItemContent] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            content = _example(parse_json(line))
            family(content.family).key(content)
            family(content.family).prompt(content)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError,
                BenchsealError) as error:  # fmt: skip
            raise InputError.tr(
                "Line {line} of “{path}” is not an example.", line=number, path=path
            ) from error
        examples.append(content)
    return examples


def _example(row: Mapping[str, object]) -> ItemContent:
    if "Output" in row:
        payload = {
            "instruction": str(row["Instruction"]),
            "input": str(row.get("Input") or ""),
            "output": str(row["Output"]),
        }
        return ItemContent("instruction", "triplet", payload)
    return ItemContent.from_json(row)


def _kind(content: ItemContent) -> tuple[str, ...]:
    labels: Sequence[object] = content.payload.get("labels") or ()
    return (content.family, content.format, *map(str, labels))


def _kind_and_instruction(content: ItemContent) -> tuple[str, ...]:
    """The kind of an item and what it is told to do, where it says so itself."""
    return (*_kind(content), "".join(str(content.payload.get("instruction") or "").split()))


def _question_text(content: ItemContent) -> str:
    """What an item asks, whatever its wording, key and spaces: another wording of a private
    question would give its answer away all the same."""
    payload = content.payload
    question = payload.get("input") or payload.get("instruction")
    text = str(question) if question else family(content.family).plain_text(content)
    return "".join(text.split()).casefold()
