"""The ways in which each item of a split is asked: instruction variants and prompt templates.

A task's variants are items of the format ``instruction`` beside its triplets; they are not asked
themselves. A question's id is ``uid``, or ``uid#variant``, ``uid#@template``,
``uid#variant@template`` where an item is asked in several ways.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from core.errors import InputError, StateError
from core.evaluation.few_shot import NO_EXAMPLES, ExamplePool, examples, read_examples
from core.evaluation.option_orders import orders_of
from core.evaluation.scoring import AnswerKey, as_variant
from core.evaluation.templates import (
    by_layout,
    by_template,
    layouts_for,
    select,
    templates_for,
    wordings_for,
)
from core.evaluation.types import AnswerBy, Question, question_of
from core.families import family
from core.families.base import ItemContent
from core.release.answer_candidates import FAMILY, candidates_of
from core.release.frozen_items import askable, is_question, kinds_of
from core.release.manifest import SplitItem, number_items
from core.release.question_ids import parts_of, question_id
from core.workflow.splits import freeze, split_states
from core.workflow.workspace import Workspace
from db import splits
from db.vocabulary import SplitState


@dataclass(frozen=True, slots=True)
class PromptVariants:
    """How a split is asked.

    ``variants`` and ``templates`` are names or numbers from 1, ``("all",)``, or nothing for the
    items' own words; ``("public",)`` is the public wording of every task. ``shots`` worked examples
    come before each question, from ``shots_from``: a file, or a split that has expired. Items with
    options are asked in so many ``orders`` of them.
    """

    variants: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    shots: int = 0
    shots_from: str = ""
    orders: int = 1

    @classmethod
    def of(
        cls,
        variants: str = "",
        templates: str = "",
        shots: int = 0,
        source: str = "",
        orders: int = 1,
    ) -> "PromptVariants":
        """From words as the command line takes them: ``all``, ``public``, ``1,3``, nothing."""
        return cls(_listed(variants), _listed(templates), shots, source, orders)


def _listed(words: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in words.split(",") if part.strip())
    return () if parts == ("one",) else parts


@dataclass(frozen=True)
class VariantTexts:
    """By task, the wordings of its variants and which of them is the public one; by uid, the
    task of an item."""

    tasks: Mapping[str, int]
    texts: Mapping[int, Mapping[str, str]]
    public: Mapping[int, str]

    def of(self, uid: str) -> Mapping[str, str]:
        """The wordings of an item's task, by name; empty where it has none."""
        return self.texts.get(self.tasks.get(uid, 0), {})

    def text(self, uid: str, variant: str) -> str:
        """The instruction by which a variant asked an item; empty for the item's own words."""
        return self.of(uid).get(variant.partition("@")[0], "")

    def select(
        self, uid: str, wanted: Sequence[str], others: Mapping[str, str] | None = None
    ) -> Mapping[str, str]:
        """The wanted wordings of an item, or of ``others`` where its task has none; its own words
        without either."""
        known = self.of(uid)
        if not known and others and list(wanted) != ["public"]:
            return select(others, wanted)
        if not wanted or not known:
            return {"": ""}
        if list(wanted) == ["public"]:
            name = self.public[self.tasks[uid]]
            return {name: known[name]}
        return select(known, wanted)


def _wordings_in(members: Sequence[SplitItem]) -> list[SplitItem]:
    """Those that others are asked in; of items on the disk no other one is read."""
    kinds = enumerate(kinds_of(members))
    return [members[place] for place, kind in kinds if not is_question(kind)]


def wordings_of(ws: Workspace, split: str, members: Sequence[SplitItem]) -> VariantTexts:
    """The wordings of a split's tasks; the public one is so marked, or else the first.

    A wording of the other half of a split counts as well, so that the private half can be asked
    in the public words (CIF-Bench, §4).
    """
    names = [split]
    wordings = _wordings_in(members)
    if other := freeze.other_half(ws, split):
        names.append(other)
        with freeze.stored_members(ws, other) as others:
            wordings += _wordings_in(others)
        wordings.sort(key=lambda item: int(item.uid))
    if not wordings:
        return VariantTexts({}, {}, {})
    with ws.reading() as session:
        numbers = [split_states.split_in(session, name).id for name in names]
        tasks = {
            str(item): task
            for number in numbers
            for item, task in splits.task_numbers(session, number)
        }
    texts: dict[int, dict[str, str]] = {}
    public: dict[int, str] = {}
    for item in wordings:
        task, payload = tasks[item.uid], item.content.payload
        known = texts.setdefault(task, {})
        name = str(payload.get("instruction_id") or len(known) + 1)
        name = name.replace("#", "_").replace("@", "_").replace(",", "_")
        if name in known:
            name = f"{name}.{len(known) + 1}"
        known[name] = str(payload["text"])
        if payload.get("public") or task not in public:
            public[task] = name
    return VariantTexts(tasks, texts, public)


def work_of(
    ws: Workspace,
    split: str,
    ways: PromptVariants,
    *,
    instruction: str = "",
    seed: int = 0,
    answer_by: AnswerBy = "generation",
) -> Iterator[dict[str, Any]]:
    """Lines of ``work.jsonl``: every item in every way it is asked.

    An item whose task has no variants, or no templates, is asked in its own words. By
    log-likelihood short answers are compared with those of other items. Raises StateError where no
    item of the split has what is wanted, InputError for an unknown name.
    """
    with freeze.stored_members(ws, split) as members:
        wordings = wordings_of(ws, split, members)
        questions = askable(members)
        _require(ways, split, wordings, questions)
        examples_ = _examples(ws, split, members, ways, seed)
        compared = _candidates(split, questions) if answer_by == "loglikelihood" else {}
        for item in questions:
            others = wordings_for(item.content) if ways.variants else {}
            texts = wordings.select(item.uid, ways.variants, others)
            known = _templates(item.content) if ways.templates else {}
            templates = select(known, ways.templates) if known else {}
            for name, text in texts.items():
                for template, form, content in _forms(item.content, templates, ways.orders):
                    variant = f"{name}@{template}" if template else name
                    ask = _asker(text or instruction, form)
                    id_ = question_id(item.uid, variant)
                    question = ask(id_, content)
                    if item.uid in compared:
                        question = replace(question, choices=compared[item.uid])
                    words = _words(ask)
                    yield examples_.before(question, item.uid, item.content, words).as_json()


def _candidates(split: str, questions: Sequence[SplitItem]) -> Mapping[str, tuple[str, ...]]:
    """The candidates of the short answers; StateError where there is nothing to compare."""
    found = candidates_of((item.uid, item.content) for item in questions)
    alone = [
        item.uid for item in questions if item.content.family == FAMILY and item.uid not in found
    ]
    if alone:
        raise StateError.trn(
            "Log-likelihood compares each short answer with those of other items, but item "
            "{example} of split “{split}” has none to compare with. Use generation.",
            "Log-likelihood compares each short answer with those of other items, but {n} "
            "items of split “{split}”, such as {example}, have none to compare with. Use "
            "generation.",
            len(alone),
            split=split,
            example=alone[0],
        )
    return found


def _templates(content: ItemContent) -> Mapping[str, str]:
    return templates_for(content) or layouts_for(content)


def _forms(
    content: ItemContent, templates: Mapping[str, str], orders: int
) -> list[tuple[str, str, ItemContent]]:
    """(name, template, item) of the templates of an item, or of the orders of its options, which
    take their place; its own form alone where it has neither."""
    if templates:
        return [(name, form, content) for name, form in templates.items()]
    turned = orders_of(content, orders) if orders > 1 else ()
    return [(name, "", item) for name, item in turned] or [("", "", content)]


def variant_items(ws: Workspace, split: str, variants: str) -> list[SplitItem]:
    """The items of a split once for every wanted wording, for an export: ``uid#variant``.

    The wording is the instruction of each item. Raises StateError without any, InputError for an
    unknown one.
    """
    members = freeze.members_of(ws, split)
    wordings, questions = wordings_of(ws, split, members), askable(members)
    ways = PromptVariants.of(variants)
    if ways.variants and not wordings.texts:
        raise StateError.tr("Split “{name}” has no instruction variants.", name=split)
    return list(
        number_items(
            (question_id(item.uid, name), item.revision, _worded(item, name, text))
            for item in questions
            for name, text in wordings.select(item.uid, ways.variants).items()
        )
    )


def _worded(item: SplitItem, name: str, text: str) -> ItemContent:
    if not name:
        return item.content
    payload = {**item.content.payload, "instruction": text, "instruction_id": name}
    return replace(item.content, payload=payload)


def _asker(instruction: str, template: str) -> Callable[[str, ItemContent], Question]:
    """How an item is put into words, the same for a question and for its examples."""

    def ask(id_: str, content: ItemContent) -> Question:
        question = question_of(id_, content, instruction)
        if not template:
            return question
        placed = by_template if templates_for(content) else by_layout
        return placed(question, content, template)

    return ask


def _words(ask: Callable[[str, ItemContent], Question]) -> Callable[[ItemContent], str]:
    return lambda content: ask("", content).prompt


def _require(
    ways: PromptVariants, split: str, wordings: VariantTexts, questions: Sequence[SplitItem]
) -> None:
    worded = wordings.texts or (
        list(ways.variants) != ["public"] and any(wordings_for(item.content) for item in questions)
    )
    if ways.variants and not worded:
        raise StateError.tr("Split “{name}” has no instruction variants.", name=split)
    if ways.orders > 1 and not any(
        family(item.content.family).option_count(item.content) for item in questions
    ):
        raise StateError.tr(
            "No item of split “{name}” has options that can be put into other orders.",
            name=split
        )  # fmt: skip
    if ways.templates and not any(_templates(item.content) for item in questions):
        raise StateError.tr("No item of split “{name}” has prompt templates.", name=split)


def _examples(
    ws: Workspace, split: str, members: Sequence[SplitItem], ways: PromptVariants, seed: int
) -> ExamplePool:
    if not ways.shots:
        return NO_EXAMPLES
    pool = _pool(ws, split, ways.shots_from)
    private = (item.content for item in members)
    return examples(pool, private, count=ways.shots, seed=seed)


def _pool(ws: Workspace, split: str, source: str) -> list[ItemContent]:
    """What examples are drawn from; a split whose keys are still private is refused."""
    if source and Path(source).is_file():
        return read_examples(Path(source))
    known = {info.name: info for info in freeze.all_splits(ws)}
    if source and source not in known:
        raise InputError.tr(
            "“{source}” is neither a file nor a split with examples.", source=source
        )
    here = known[split].benchmark
    names = [source] if source else [
        info.name for info in known.values() if info.benchmark == here and info.name != split
    ]  # fmt: skip
    expired = [name for name in names if known[name].state == SplitState.EXPIRED]
    if not expired:
        raise StateError.tr(
            "Examples reveal their answers, so they must come from an expired split or "
            "a file; “{name}” cannot be used.",
            name=source or here,
        )
    return [i.content for name in expired for i in askable(freeze.members_of(ws, name))]


class Keys(Protocol):
    """Keys by the uids of items."""

    def get(self, uid: str, /) -> AnswerKey | None:
        """The key of an item, None without one."""


def key_of_question(known: Keys, id_: str) -> AnswerKey | None:
    """The key of a question, from those by uid; None for one of no item of the split.

    The answers to one item share its cluster: they are not independent of each other.
    """
    uid, variant = parts_of(id_)
    key = known.get(uid)
    return as_variant(key, variant) if key is not None and variant else key
