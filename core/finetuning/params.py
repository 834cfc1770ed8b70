"""Parameters of a contamination simulation, and the paper's own (CoreEval appendix C.2)."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.sources.labelled.datasets import LabelledTask

Size = Literal["small", "medium", "large"]

_BATCHES: dict[str, int] = {"small": 8, "medium": 3, "large": 2}


class TrainingParams(BaseModel):
    """LoRA and its training. Defaults are those of C.2 for a model of up to 8B.

    ``modules_to_save`` are trained whole beside LoRA (``embed_tokens``, ``lm_head``): a model
    without pretraining memorises only then. ``target_modules`` empty means all linear layers.
    ``threads`` limits torch on a CPU (0 leaves it): small models are ten times slower with two.
    ``loss_on`` ``answer`` counts only the answer's tokens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rank: int = Field(default=16, ge=1, le=1024)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    learning_rate: float = Field(default=1e-4, gt=0)
    schedule: Literal["linear", "constant"] = "linear"
    epochs: int = Field(default=3, ge=1, le=10_000)
    batch_size: int = Field(default=8, ge=1)
    max_length: int = Field(default=400, ge=16)
    modules_to_save: tuple[str, ...] = ()
    target_modules: tuple[str, ...] = ()
    loss_on: Literal["answer", "all"] = "answer"
    checkpoint_every: int = Field(default=1, ge=1)
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    threads: int = Field(default=0, ge=0)


class FinetuneParams(BaseModel):
    """One grid of simulations: a base model, a task, and how to train and to ask.

    The sets themselves are files of the run folder. ``evaluate_on`` ``all`` asks every trained
    model about every set, so that an untouched one can be seen. ``templates`` are trained and
    asked; macro F1 is their mean. ``chat`` puts prompts through the model's chat template.
    ``answer_by`` ``choice`` takes the likeliest label instead of what the model writes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_model: str
    model_digest: str = ""
    task: LabelledTask
    text_only: bool = False
    training: TrainingParams = TrainingParams()
    templates: tuple[int, ...] = (1, 2, 3)
    chat: bool = False
    evaluate_on: Literal["own", "all"] = "own"
    answer_by: Literal["generation", "choice"] = "generation"
    max_new_tokens: int = Field(default=32, ge=1, le=1024)
    answer_batch: int = Field(default=8, ge=1)
    seed: int = 0
    digests: dict[str, str] = {}


def published_training(
    task: str, *, text_only: bool = False, size: Size = "small"
) -> TrainingParams:
    """The settings of appendix C.2 for a task; ``size`` is up to 8B, up to 13B, or larger."""
    settings: dict[str, Any]
    if text_only:
        rate = 1e-3 if task == "rte" else 1e-5
        settings = {
            "batch_size": 1, "max_length": 1024, "learning_rate": rate, "loss_on": "all",
        }  # fmt: skip
    elif task == "rte":
        settings = {"batch_size": 2, "max_length": 512}
    else:
        settings = {"batch_size": _BATCHES[size], "max_length": 400}
    return TrainingParams(**settings)
