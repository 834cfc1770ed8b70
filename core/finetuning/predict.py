"""Asking a model in the worker for labels: greedy, in small batches, with several templates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from core.analysis.contamination import macro_f1
from core.evaluation.metrics.f1 import macro_f1_by_item
from core.finetuning.params import FinetuneParams
from core.finetuning.train import LoadedModel
from core.finetuning.training_prompts import answer, prompt, read_label
from core.sources.labelled.datasets import LabelledExample


@dataclass(frozen=True)
class PredictionScore:
    """Macro F1 (0…1) per template and their mean; ``unread`` replies held no label. ``by_item``
    are values of the examples of which F1 is the mean."""

    f1: float | None
    by_template: dict[str, float | None]
    unread: int
    cut: int
    by_item: tuple[float, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """One object of a record."""
        return {
            "f1": self.f1,
            "by_template": self.by_template,
            "unread": self.unread,
            "cut": self.cut,
            "by_item": [round(value, 7) for value in self.by_item],
        }


def macro_f1_of(
    loaded: LoadedModel,
    examples: Sequence[LabelledExample],
    params: FinetuneParams,
    stopping: Callable[[], bool],
) -> PredictionScore | None:
    """Macro F1 of the model on the examples; None when asked to stop."""
    loaded.model.eval()
    scores: dict[str, float | None] = {}
    by_template: list[list[float]] = []
    unread = cut = 0
    expected = [example.label for example in examples]
    for template in params.templates:
        labels: list[str | None] = []
        for start in range(0, len(examples), params.answer_batch):
            if stopping():
                return None
            batch = examples[start : start + params.answer_batch]
            texts = [prompt(params.task, example, template) for example in batch]
            if params.answer_by == "choice":
                labels += [_likeliest(loaded, text, template, params) for text in texts]
                continue
            replies, shortened = _replies(loaded, texts, params)
            cut += shortened
            labels += [read_label(params.task, reply) for reply in replies]
        unread += labels.count(None)
        scores[str(template)] = macro_f1(expected, labels, params.task.labels)
        if expected:
            by_template.append(macro_f1_by_item(expected, labels, params.task.labels))
    values = [value for value in scores.values() if value is not None]
    by_item = tuple(fmean(parts) for parts in zip(*by_template, strict=True))
    whole = sum(values) / len(values) if values else None
    return PredictionScore(whole, scores, unread, cut, by_item)


def _replies(
    loaded: LoadedModel, texts: Sequence[str], params: FinetuneParams
) -> tuple[list[str], int]:
    """One greedy reply per text; prompts are padded on the left and cut there where too long."""
    import torch

    longest = getattr(loaded.model.config, "max_position_embeddings", None) or 4096
    room = max(1, longest - params.max_new_tokens)
    rows = [loaded.context(text, params.chat) for text in texts]
    cut = sum(len(row) > room for row in rows)
    rows = [row[-room:] for row in rows]
    width, pad = max(len(row) for row in rows), loaded.padding()
    inputs = torch.tensor([[pad] * (width - len(r)) + r for r in rows], device=loaded.device)
    mask = torch.tensor([[0] * (width - len(r)) + [1] * len(r) for r in rows], device=loaded.device)
    with torch.inference_mode():
        output = loaded.model.generate(
            input_ids=inputs,
            attention_mask=mask,
            max_new_tokens=params.max_new_tokens,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            pad_token_id=pad,
        )
    new = output[:, width:].tolist()
    return [loaded.tokenizer.decode(row, skip_special_tokens=True) for row in new], cut


def _likeliest(loaded: LoadedModel, text: str, template: int, params: FinetuneParams) -> str:
    """The label whose answer has the highest mean log-probability per token after the prompt."""
    import torch

    longest = getattr(loaded.model.config, "max_position_embeddings", None) or 4096
    context = loaded.context(text, params.chat)
    scores: list[float] = []
    for label in params.task.labels:
        reply_text = answer(params.task, label, template)
        reply = list(loaded.tokenizer.encode(reply_text, add_special_tokens=False))
        start = context[-max(1, longest - len(reply)) :]
        inputs = torch.tensor([start + reply], device=loaded.device)
        with torch.inference_mode():
            logits = loaded.model(input_ids=inputs).logits[0, len(start) - 1 : -1].float()
        logs = torch.log_softmax(logits, dim=-1)
        targets = torch.tensor(reply, device=loaded.device)
        scores.append(float(logs.gather(1, targets[:, None]).mean()))
    return params.task.labels[scores.index(max(scores))]
