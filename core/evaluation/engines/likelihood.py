"""Choosing among options by their log-likelihood, and reading what an offline engine wrote."""

from collections.abc import Sequence
from typing import Any

from core.evaluation.types import Answer, Outcome, Question
from core.llm.replies import split_reasoning


def encode_pair(tokenizer: Any, context: str, continuation: str) -> tuple[list[int], int]:
    """(tokens of both together, number of tokens of the context).

    White space at the end of the context goes to the continuation, as in lm-evaluation-harness,
    because tokenizers join a space to the word behind it.
    """
    spaces = len(context) - len(context.rstrip())
    if spaces:
        context, continuation = context[:-spaces], context[-spaces:] + continuation
    whole = list(tokenizer.encode(context + continuation))
    before = len(tokenizer.encode(context))
    # a tokenizer that merges across the border leaves at least the last token to be scored
    return whole, min(before, len(whole) - 1)


def most_likely(question: Question, scores: Sequence[float], seconds: float) -> Answer:
    """The option with the highest log-likelihood; the first of equal ones."""
    best = question.choices[max(range(len(scores)), key=lambda n: scores[n])]
    return Answer(
        question.id,
        text=best,
        choice=best,
        latency_s=seconds,
        scores=tuple(round(score, 6) for score in scores),
    )


def written(
    question: Question,
    text: str,
    finish_reason: str,
    *,
    prompt_tokens: int,
    completion_tokens: int,
    seconds: float,
    choosing: bool,
) -> Answer:
    """An answer that a model wrote, without its thinking, with its outcome."""
    answer, thinking = split_reasoning(text)
    outcome: Outcome = "ok" if answer.strip() else "empty"
    if thinking and not answer.strip():
        outcome = "thinking_truncated"  # by the limit, or by a stop string inside the thinking
    elif finish_reason == "length":
        outcome = "truncated"
    return Answer(
        question.id,
        text=answer,
        outcome=outcome,
        choice=answer if choosing and answer in question.choices else None,
        finish_reason=finish_reason,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        latency_s=seconds,
        thinking=thinking,
    )


def cut_at(text: str, stops: Sequence[str]) -> tuple[str, bool]:
    """(text before the first stop string, whether there was one)."""
    places = [place for stop in stops if stop and (place := text.find(stop)) >= 0]
    return (text[: min(places)], True) if places else (text, False)
