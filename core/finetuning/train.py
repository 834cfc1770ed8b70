"""LoRA training of one cell with torch, transformers and peft, resumable after every epoch.

An epoch is a pure function of the state before it: order and dropout are seeded by its number, so
that a training which was killed and resumed ends with the same weights.
"""

import hashlib
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import OutsideError
from core.evaluation.engines.hardware import not_installed
from core.finetuning.cells import TrainingCell, TrainingExample
from core.finetuning.params import FinetuneParams
from core.finetuning.training_prompts import answer, plain, prompt

IGNORED = -100  # the label of tokens that carry no loss
_STATE = "state.pt"


def require_packages() -> None:
    """OutsideError with what to install where torch, transformers or peft is missing."""
    if missing := not_installed("torch", "transformers", "peft"):
        raise OutsideError(missing)


@dataclass
class LoadedModel:
    """A model with its tokenizer and the device it is on."""

    model: Any
    tokenizer: Any
    device: str

    def context(self, text: str, chat: bool) -> list[int]:
        """Tokens of a prompt, with the special tokens that begin a text."""
        if chat:
            turns = [{"role": "user", "content": text}]
            text = self.tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True
            )
        tokens = list(self.tokenizer.encode(text, add_special_tokens=not chat))
        if tokens and tokens[-1] == self.tokenizer.eos_token_id:
            tokens.pop()
        return tokens

    def padding(self) -> int:
        """Token to pad with."""
        pad = self.tokenizer.pad_token_id
        return int(pad if pad is not None else self.tokenizer.eos_token_id or 0)


def load(params: FinetuneParams, shard: int) -> LoadedModel:
    """The base model on this shard's GPU, or on the CPU; OutsideError where it cannot be had."""
    import torch
    import transformers

    if params.training.threads:
        torch.set_num_threads(params.training.threads)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            params.base_model, trust_remote_code=False
        )
        model = transformers.AutoModelForCausalLM.from_pretrained(
            params.base_model,
            trust_remote_code=False,
            dtype=getattr(torch, params.training.dtype),
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise OutsideError.tr(
            "Transformers could not load “{model}”: {reason}.",
            model=params.base_model,
            reason=" ".join(str(error).split())[:300],
        ) from error
    device = "cpu"
    if torch.cuda.is_available():
        device = f"cuda:{shard % torch.cuda.device_count()}"
    return LoadedModel(model.to(device), tokenizer, device)


@dataclass(frozen=True)
class TrainingResult:
    """What became of a training: mean loss per epoch, and how many prompts had to be cut."""

    losses: tuple[float, ...]
    cut: int
    resumed_from: int


def train(
    loaded: LoadedModel,
    cell: TrainingCell,
    lessons: Sequence[TrainingExample],
    params: FinetuneParams,
    checkpoint: Path,
    stopping: Callable[[], bool],
) -> TrainingResult | None:
    """Train in place (``loaded.model`` becomes the adapted one); None when asked to stop.

    ``checkpoint`` holds the newest finished epoch and is continued from where it exists.
    """
    import torch

    settings = params.training
    loaded.model = _with_lora(loaded.model, cell, params)
    rows, cut = encode(loaded, lessons, params)
    trainable = [weight for weight in loaded.model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=settings.learning_rate, weight_decay=0.0)
    steps = -(-len(rows) // settings.batch_size)
    losses = _restore(loaded, optimizer, checkpoint)
    begun = len(losses)
    loaded.model.train()
    for epoch in range(begun, settings.epochs):
        torch.manual_seed(_seed(params.seed, cell, epoch))
        order = list(range(len(rows)))
        random.Random(_seed(params.seed, cell, epoch)).shuffle(order)
        total = 0.0
        for step in range(steps):
            if stopping():
                return None
            if settings.schedule == "linear":
                left = 1 - (epoch * steps + step) / (settings.epochs * steps)
                for group in optimizer.param_groups:
                    group["lr"] = settings.learning_rate * left
            batch = order[step * settings.batch_size : (step + 1) * settings.batch_size]
            total += _step(loaded, optimizer, [rows[place] for place in batch])
        losses.append(total / steps)
        if (epoch + 1) % settings.checkpoint_every == 0 and epoch + 1 < settings.epochs:
            _save(loaded, optimizer, losses, checkpoint)
    return TrainingResult(tuple(losses), cut, begun)


def _with_lora(model: Any, cell: TrainingCell, params: FinetuneParams) -> Any:
    import peft
    import torch

    settings = params.training
    torch.manual_seed(_seed(params.seed, cell, -1))
    config = peft.LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=list(settings.target_modules) or "all-linear",
        modules_to_save=list(settings.modules_to_save) or None,
        task_type="CAUSAL_LM",
    )
    try:
        return peft.get_peft_model(model, config)
    except ValueError as error:
        raise OutsideError.tr(
            "peft could not adapt “{model}”: {reason}.", model=params.base_model, reason=error
        ) from error


def _seed(seed: int, cell: TrainingCell, epoch: int) -> int:
    spelled = hashlib.sha256(f"{seed}\n{cell.id}\n{epoch}".encode()).digest()
    return int.from_bytes(spelled[:4], "big")


def encode(
    loaded: LoadedModel, lessons: Sequence[TrainingExample], params: FinetuneParams
) -> tuple[list[tuple[list[int], list[int]]], int]:
    """(tokens, labels) of every lesson in every template, and how many had to be cut.

    A prompt that is too long loses its beginning, never its answer.
    """
    rows: list[tuple[list[int], list[int]]] = []
    cut = 0
    limit = params.training.max_length
    end = [loaded.tokenizer.eos_token_id] if loaded.tokenizer.eos_token_id is not None else []
    for lesson in lessons:
        if lesson.bare:
            tokens = loaded.context(plain(lesson.example), False) + end
            cut += len(tokens) > limit
            rows.append((tokens[:limit], tokens[:limit]))
            continue
        for template in params.templates:
            context = loaded.context(prompt(params.task, lesson.example, template), params.chat)
            target = answer(params.task, lesson.example.label, template)
            reply = list(loaded.tokenizer.encode(target, add_special_tokens=False)) + end
            room = max(1, limit - len(reply))
            cut += len(context) > room
            context = context[-room:]
            hidden = context if params.training.loss_on == "all" else [IGNORED] * len(context)
            rows.append((context + reply, hidden + reply))
    return rows, cut


def _step(
    loaded: LoadedModel, optimizer: Any, rows: Sequence[tuple[list[int], list[int]]]
) -> float:
    import torch

    width = max(len(tokens) for tokens, _ in rows)
    pad = loaded.padding()
    inputs = torch.tensor([t + [pad] * (width - len(t)) for t, _ in rows], device=loaded.device)
    labels = torch.tensor(
        [targets + [IGNORED] * (width - len(targets)) for _, targets in rows], device=loaded.device
    )
    mask = torch.tensor(
        [[1] * len(t) + [0] * (width - len(t)) for t, _ in rows], device=loaded.device
    )
    loss = loaded.model(input_ids=inputs, attention_mask=mask, labels=labels).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(
        [weight for group in optimizer.param_groups for weight in group["params"]], 1.0
    )
    optimizer.step()
    optimizer.zero_grad()
    return float(loss.detach())


def _trainable(model: Any) -> dict[str, Any]:
    return {name: weight for name, weight in model.named_parameters() if weight.requires_grad}


def _save(loaded: LoadedModel, optimizer: Any, losses: Sequence[float], checkpoint: Path) -> None:
    """Replace the checkpoint in one step; a kill leaves the old or the new one."""
    import torch

    fresh = checkpoint.with_name(checkpoint.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    state = {
        "weights": {name: weight.detach() for name, weight in _trainable(loaded.model).items()},
        "optimizer": optimizer.state_dict(),
        "losses": list(losses),
    }
    torch.save(state, fresh / _STATE)
    old = checkpoint.with_name(checkpoint.name + ".old")
    if checkpoint.exists():
        shutil.rmtree(old, ignore_errors=True)
        checkpoint.rename(old)
    fresh.rename(checkpoint)
    shutil.rmtree(old, ignore_errors=True)


def _restore(loaded: LoadedModel, optimizer: Any, checkpoint: Path) -> list[float]:
    """Losses of the epochs that are done; the newest whole checkpoint is loaded."""
    import torch

    for place in (checkpoint, checkpoint.with_name(checkpoint.name + ".old")):
        if (place / _STATE).is_file():
            # weights_only: a checkpoint is data, nothing in it may run
            state = torch.load(place / _STATE, map_location=loaded.device, weights_only=True)
            with torch.no_grad():
                for name, weight in _trainable(loaded.model).items():
                    weight.copy_(state["weights"][name])
            optimizer.load_state_dict(state["optimizer"])
            return [float(loss) for loss in state["losses"]]
    return []
