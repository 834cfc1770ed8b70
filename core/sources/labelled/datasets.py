"""Labelled data sets: the tasks of CoreEval (Table 1) and any classification data a user brings.

``read_labelled`` in ``core.sources.labelled.dataset_files`` reads them; here is what they are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from core.errors import InputError
from core.i18n import listed

Pairing = Literal["none", "equivalence", "entailment", "other"]


class LabelledTask(BaseModel):
    """One classification task. ``labels`` is its label space in the spelling that is kept.

    ``aliases`` maps what files write (``1``, ``non_irony``) to a label. ``pairing`` says how the
    two texts of a pair belong together; ``none`` for single texts. ``question`` is what decides
    the label, in words for a model; ``{target}`` in it stands for the item's target.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    labels: tuple[str, ...] = Field(min_length=2)
    aliases: Mapping[str, str] = {}
    pairing: Pairing = "none"
    question: str = "Which of the labels fits the text?"
    parts: tuple[str, str] = ("first text", "second text")
    targeted: bool = False

    @property
    def is_pair(self) -> bool:
        """Whether an item has two texts."""
        return self.pairing != "none"

    def label_of(self, written: str) -> str | None:
        """The label that a file's spelling stands for; None for one outside the label space."""
        plain = written.strip()
        for label in self.labels:
            if plain.casefold() == label.casefold():
                return label
        known = {name.casefold(): label for name, label in self.aliases.items()}
        return known.get(plain.casefold())


class LabelledExample(BaseModel):
    """One labelled text or text pair. ``row`` is its line in the file, from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    label: str
    second: str = ""
    target: str = ""
    source: str = ""
    row: int = 0


def counted(left_out: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """How many rows each reason has."""
    return {reason: len(lines) for reason, lines in left_out.items()}


class LabelledSet(BaseModel):
    """What one reading gave. ``left_out`` has the lines of the rows that were not used, by reason.

    Reasons: ``empty_text``, ``no_label``, ``unknown_label``, ``unreadable``,
    ``not_text``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: LabelledTask
    examples: tuple[LabelledExample, ...]
    left_out: Mapping[str, tuple[int, ...]] = {}

    @property
    def skipped(self) -> dict[str, int]:
        """How many rows were left out, by reason."""
        return counted(self.left_out)

    @property
    def label_counts(self) -> dict[str, int]:
        """How many examples each label has, in the order of the label space."""
        counts = Counter(example.label for example in self.examples)
        return {label: counts[label] for label in self.task.labels}


_RELATION_QUESTIONS = {
    "equivalence": "Do the two sentences mean the same?",
    "entailment": "Does it follow from the premise that the hypothesis is true?",
    "other": "Which of the labels fits the pair of texts?",
}

EMOTION = LabelledTask(
    name="emotion",
    labels=("joy", "optimism", "sadness", "anger"),
    aliases={"0": "anger", "1": "joy", "2": "optimism", "3": "sadness"},
    question="Which emotion does the text mainly express?",
)
IRONY = LabelledTask(
    name="irony",
    labels=("irony", "not irony"),
    aliases={"0": "not irony", "1": "irony", "non_irony": "not irony", "none_irony": "not irony"},
    question="Is the text meant ironically?",
)
STANCE = LabelledTask(
    name="stance",
    labels=("favor", "against", "neutral"),
    aliases={"0": "neutral", "1": "against", "2": "favor", "none": "neutral", "favour": "favor"},
    question="What stance does the text take towards “{target}”?",
    targeted=True,
)
MRPC = LabelledTask(
    name="mrpc",
    labels=("equivalent", "not equivalent"),
    aliases={
        "0": "not equivalent",
        "1": "equivalent",
        "not_equivalent": "not equivalent",
        "semantically equivalent": "equivalent",
        "not semantically equivalent": "not equivalent",
    },
    pairing="equivalence",
    question=_RELATION_QUESTIONS["equivalence"],
    parts=("sentence 1", "sentence 2"),
)
RTE = LabelledTask(
    name="rte",
    labels=("entailment", "not entailment"),
    aliases={"0": "entailment", "1": "not entailment", "not_entailment": "not entailment"},
    pairing="entailment",
    question=_RELATION_QUESTIONS["entailment"],
    parts=("premise", "hypothesis"),
)

TASKS: tuple[LabelledTask, ...] = (EMOTION, IRONY, STANCE, MRPC, RTE)


def labelled_task(name: str) -> LabelledTask:
    """The task of that name among ``TASKS``; InputError for another name."""
    for task in TASKS:
        if task.name == name.strip().lower():
            return task
    raise InputError.tr(
        "There is no built-in task “{name}”. Use one of {known}, or give labels of your own.",
        name=name,
        known=listed(task.name for task in TASKS),
    )


def own_task(
    name: str,
    labels: tuple[str, ...],
    *,
    pairing: Pairing = "none",
    aliases: Mapping[str, str] | None = None,
    question: str = "",
    targeted: bool = False,
) -> LabelledTask:
    """A task that a user describes; InputError where its labels cannot be told apart."""
    plain = tuple(label.strip() for label in labels)
    if len(plain) < 2 or not all(plain) or len({label.casefold() for label in plain}) < len(plain):
        raise InputError.tr(
            "Task “{name}” needs two or more different labels, none of them empty.",
            name=name,
        )
    unknown = sorted(set((aliases or {}).values()) - set(plain))
    if unknown:
        raise InputError.tr(
            "A spelling is mapped to “{label}”, which is not a label of the task.",
            label=unknown[0],
        )
    usual = _RELATION_QUESTIONS.get(pairing, LabelledTask.model_fields["question"].default)
    return LabelledTask(
        name=name.strip() or "own",
        labels=plain,
        aliases=aliases or {},
        pairing=pairing,
        question=question or usual,
        parts=("premise", "hypothesis")
        if pairing == "entailment"
        else LabelledTask.model_fields["parts"].default,
        targeted=targeted,
    )
