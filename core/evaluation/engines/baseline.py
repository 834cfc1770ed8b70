"""Baselines: answers without a model. They show what an item gives away by itself.

``baseline:random`` draws, ``baseline:longest`` takes the longest option, ``baseline:tfidf`` the
one that overlaps most with what stands around it.
"""

import hashlib
import random
import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence

from typing_extensions import override

from core.evaluation.engines.overlap import overlap_scores
from core.evaluation.types import Answer, Engine, EngineContext, EngineParams, Question
from core.i18n import tr_noop


class Baseline(Engine):
    """A baseline chooses among the options; for free generation it answers with nothing."""

    needs_model = False
    needs_options = True
    answers_by = ("generation", "choice")

    def answer(self, questions: Sequence[Question], context: EngineContext) -> Iterator[Answer]:
        """One answer per question, in order, until asked to stop."""
        for question in questions:
            if context.stopping():
                return
            if not question.choices:
                yield Answer(question.id, outcome="empty")
                continue
            choice = question.choices[self.choose(question, context.params.seed)]
            yield Answer(question.id, text=choice, choice=choice)

    @abstractmethod
    def choose(self, question: Question, seed: int) -> int:
        """Index of the chosen option."""

    @override
    def versions(self, params: EngineParams) -> dict[str, str]:
        """A baseline is defined by its name alone."""
        return {"baseline": "1"}


class RandomChoice(Baseline):
    """Draws uniformly, from a seed of its own for every question."""

    name = "baseline:random"
    title = tr_noop("Random choice")

    def choose(self, question: Question, seed: int) -> int:
        """The draw depends on seed and id alone, so shards and order change nothing."""
        spelled = hashlib.sha256(f"{seed}\n{question.id}".encode()).digest()
        return random.Random(spelled).randrange(len(question.choices))


class LongestOption(Baseline):
    """Takes the option with most characters; the first of equally long ones."""

    name = "baseline:longest"
    title = tr_noop("Longest option")

    @override
    def choose(self, question: Question, seed: int) -> int:
        """Index of the longest option text."""
        lengths = [len(re.sub(r"\s+", "", text)) for text in _texts(question)]
        return lengths.index(max(lengths))


class TfidfOverlap(Baseline):
    """Takes the option whose words overlap most with the text around its place."""

    name = "baseline:tfidf"
    title = tr_noop("TF-IDF overlap")

    @override
    def choose(self, question: Question, seed: int) -> int:
        """Index of the highest overlap; the first of equal ones."""
        scores = overlap_scores(question.prompt, question.choices, _texts(question))
        return scores.index(max(scores))


def _texts(question: Question) -> tuple[str, ...]:
    if len(question.choice_texts) == len(question.choices):
        return question.choice_texts
    return question.choices
