"""What a run will ask for, before it starts: calls and tokens, from the prompts themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.replies import estimate_tokens
from core.rewriting import prompts
from core.rewriting.params import RewriteParams
from core.sources.labelled.datasets import LabelledExample

_LOOKED_AT = 50  # examples, spread over all
_REPORT_TOKENS = 45  # a headline with its names
_SUMMARY_TOKENS = 120
_TRIPLES_TOKENS = 90
_REASON_TOKENS = 60
_FORM_TOKENS = 20


@dataclass(frozen=True, slots=True)
class RewriteEstimate:
    """Of ``items`` items. ``calls_least`` if every text is good at once, ``calls_most`` if every
    step is gone through to its last round. ``tokens`` is for the least; ``cost`` in the currency
    of the prices, 0 without them."""

    items: int
    calls_least: int
    calls_most: int
    tokens: int
    cost: float


def calls_of(params: RewriteParams) -> tuple[int, int]:
    """(least, most) calls of a model for one item; questions put again are not counted."""
    turns = 2 if params.task.is_pair else 1
    reflection = 2
    least = 3 + turns + turns + reflection
    most = 2 + params.max_rounds * (1 + turns + turns + reflection)
    return least, most


def estimate(params: RewriteParams, examples: Sequence[LabelledExample]) -> RewriteEstimate:
    """What rewriting these examples asks for, guessed from the length of their prompts."""
    count = len(examples)
    least, most = calls_of(params)
    if not count:
        return RewriteEstimate(0, 0, 0, 0, 0.0)
    looked_at = examples[:: max(1, count // _LOOKED_AT)]
    figures = [_tokens(params, example) for example in looked_at]
    prompt_tokens = sum(prompt for prompt, _ in figures) / len(figures) * count
    answered = sum(reply for _, reply in figures) / len(figures) * count
    cost = (prompt_tokens * params.price_prompt + answered * params.price_completion) / 1e6
    return RewriteEstimate(
        count, least * count, most * count, round(prompt_tokens + answered), round(cost, 6)
    )


def _tokens(params: RewriteParams, example: LabelledExample) -> tuple[int, int]:
    """(prompt, completion) tokens of an item that is good at once."""
    task = params.task
    texts = (example.text, example.second)
    length = estimate_tokens(" ".join(texts))
    known = params.facts * _REPORT_TOKENS
    knowledge = known + _SUMMARY_TOKENS
    made_of = prompts.IntegrationInput(texts, texts, (), (), "")
    prompts_sent = [
        _size(prompts.entities_prompt(task, example)),
        _size(prompts.summary_prompt(task, example, ())) + known,
        _size(prompts.triples_prompt(task, example, "", ())) + knowledge,
        _size(prompts.facts_prompt(task, texts, "")) + knowledge,
        _size(prompts.label_prompt(task, example, texts)),
    ]
    for turn in (1, 2) if task.is_pair else (1,):
        semantic = prompts.semantic_prompt(task, example, (), texts, turn, ())
        updated = prompts.updated_prompt(task, example, made_of, texts[2 - turn], turn, ())
        prompts_sent += [_size(semantic) + _TRIPLES_TOKENS // 2, _size(updated) + knowledge]
    turns = 2 if task.is_pair else 1
    reply_tokens = _SUMMARY_TOKENS + _TRIPLES_TOKENS + (2 + turns) * _REASON_TOKENS
    reply_tokens += 3 * length + len(prompts_sent) * _FORM_TOKENS
    return sum(prompts_sent), reply_tokens


def _size(prompt: prompts.StepPrompt) -> int:
    return estimate_tokens(prompt.text)
