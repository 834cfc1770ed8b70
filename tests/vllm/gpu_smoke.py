"""One real run on a GPU machine: ``python -m tests.vllm.gpu_smoke OUT [--items N] [--parts …]``.

Needs torch and transformers, uses vLLM where it can be imported, and no network. It makes the tiny
Llama and random ones of about one and eight billion parameters, runs our engines over a split of
our own samples by the ordinary worker, and prints one JSON document with the figures: the memory
that was taken beside the one that the plan of an evaluation foretells, whether vLLM starts with no
more than that, the log-likelihoods on the GPU beside those on the CPU, and the greedy answers of
every engine beside each other's.
"""

import argparse
import gc
import json
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from core.evaluation.engines import engine
from core.evaluation.gpu_memory import MemoryEstimate, estimate, tokens_a_step
from core.evaluation.run import EvaluateParams
from core.evaluation.scoring import keys_of, score
from core.jobs.folder import RunFolder
from core.jobs.gpus import gpus_here, visible_gpus
from core.jobs.worker import run_worker
from core.own_places import allow_place, model_place
from core.release.manifest import SplitItem
from core.workflow.runs.kinds import run_kind
from tests.questions import work_rows
from tests.splits import make_split
from tests.vllm.tiny_llama import make_model, make_tokenizer

BILLION = {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 18,
           "num_attention_heads": 16, "num_key_value_heads": 8}  # fmt: skip
EIGHT_BILLION = {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
                 "num_attention_heads": 32, "num_key_value_heads": 8,
                 "vocab_size": 128256, "max_position_embeddings": 8192}  # fmt: skip
CHARACTERS_A_TOKEN = 3  # of our tiny tokenizer
LOOK_EVERY = 0.02  # seconds between two looks at the memory of the GPU
PARTS = ("likelihood", "same", "tight", "runs")
EAGER = {"max_model_len": 1024, "gpu_memory_utilization": 0.3, "enforce_eager": True}


def make_larger_model(
    folder: Path, shape: Mapping[str, int] = BILLION, dtype: str = "bfloat16"
) -> Path:
    """A random Llama, by default of about 1.1 billion parameters, made on the GPU where one is."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    usual = {"vocab_size": len(tokenizer), "max_position_embeddings": 2048}
    config = LlamaConfig(
        bos_token_id=1, eos_token_id=2, pad_token_id=0, tie_word_embeddings=False,
        **{**usual, **shape},
    )  # fmt: skip
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
            model = LlamaForCausalLM(config)
    finally:
        torch.set_default_dtype(torch.float32)
    model.to("cpu").save_pretrained(folder, safe_serialization=True)
    return folder


class MemoryWatch:
    """The most memory of the first GPU that was taken while it was watched, beyond what was taken
    before: all of it as the driver counts, and what PyTorch allocated and reserved, in bytes."""

    def __enter__(self) -> Self:
        import torch

        self._cuda = torch.cuda
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        self._before = self._taken()
        self._most = self._before
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look)
        self._looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._looking.join()
        self.figures = {
            "taken_before": self._before,
            "taken": self._most,
            "allocated": self._cuda.max_memory_allocated(),
            "reserved": self._cuda.max_memory_reserved(),
        }

    def _taken(self) -> int:
        return sum(gpu.total - gpu.free for gpu in gpus_here()[:1])

    def _look(self) -> None:
        while not self._over.wait(LOOK_EVERY):
            self._most = max(self._most, self._taken())


def long_rows(split: Sequence[SplitItem], characters: int) -> list[dict[str, Any]]:
    """The questions of a split with about so many characters more in front of each."""
    filling = "the model reads text " * (characters // 21)
    return [row | {"prompt": filling + row["prompt"]} for row in work_rows(split)]


def foretold_for(
    model: Path, name: str, args: Mapping[str, Any], longest: int = 0
) -> MemoryEstimate:
    """What the plan of an evaluation foretells for an engine of these arguments."""
    return estimate(
        model,
        dtype=str(args.get("dtype", "auto")),
        max_model_len=args.get("max_model_len"),
        sequence=None if engine(name).reserves_memory else longest,
        batched_tokens=tokens_a_step(gpus_here(), serves=name == "vllm-server"),
    )


def one_run(
    place: Path, name: str, model: Path, items: int, *, characters: int = 0, **more: Any
) -> dict[str, Any]:
    """The figures of one run, or what went wrong with it."""
    import torch

    given = EvaluateParams(**{"split": "s", "engine": name, "model": str(model),
                              "mode": "completion", **more})  # fmt: skip
    allow_place(model_place(str(model)))
    split = make_split(items)
    rows = long_rows(split, characters) if characters else work_rows(split)
    folder = RunFolder.create(place, "evaluate", given, rows)
    watch = MemoryWatch() if torch.cuda.is_available() else None
    started = time.perf_counter()
    try:
        with watch or nullcontext():
            run_worker(folder.path, 0, 1, run_kind)
    except Exception as error:
        trace = traceback.format_exc()[-2000:]
        return {"engine": name, "model": model.name, "error": str(error), "trace": trace,
                "scores": {}, "texts": {}}  # fmt: skip
    seconds = time.perf_counter() - started
    result = folder.result() or {}
    report = score(keys_of(split), folder.records().values(), split="s")
    args = given.engine_args
    longest = max(len(row["prompt"]) for row in rows) // CHARACTERS_A_TOKEN
    foretold = foretold_for(model, name, args, longest)
    return {
        "engine": name, "model": model.name, "items": items, "seconds": round(seconds, 2),
        "scores": {key: row.get("scores", ()) for key, row in folder.records().items()},
        "texts": {key: row.get("text", "") for key, row in folder.records().items()},
        "gpus_needed": engine(name).gpus(given), "outcomes": result.get("outcomes"),
        "tokens": result.get("completion_tokens"), "prompt_tokens": result.get("prompt_tokens"),
        "latency_s": result.get("latency_s"), "versions": result.get("versions"),
        "accuracy": report.total.accuracy, "unparsed": report.unparsed,
        "memory": watch.figures if watch else None,
        "foretold": {"weights": foretold.weights, "kv_cache": foretold.kv_cache,
                     "overhead": foretold.overhead, "total": foretold.total,
                     "unknown": foretold.unknown},
        **more,
    }  # fmt: skip


def likelihood_difference(place: Path, model: Path, items: int) -> float | None:
    """The largest difference between the log-likelihoods on the GPU and on the CPU, of all options
    of so many items, in float32; None where a run failed."""
    exact = {"dtype": "float32"}
    on_gpu, on_cpu = (
        one_run(place, "transformers", model, items, answer_by="loglikelihood", engine_args=args)
        for args in (exact, exact | {"device_map": "cpu"})
    )
    if "error" in on_gpu or "error" in on_cpu:
        return None
    return max(
        abs(one - other)
        for uid, scores in on_gpu["scores"].items()
        for one, other in zip(scores, on_cpu["scores"][uid], strict=True)
    )


def engines_here() -> list[str]:
    return ["transformers", *(["vllm", "vllm-server"] if find_spec("vllm") else [])]


def same_answers(
    place: Path, model: Path, items: int, dtype: str = "float32"
) -> Iterator[dict[str, Any]]:
    """What every engine answers greedily and how it weighs the options, beside transformers."""
    exact = {"dtype": dtype}
    for way in ("generation", "loglikelihood"):
        first = dict[str, Any]()
        for name in engines_here():
            if (way, name) == ("loglikelihood", "vllm-server"):
                continue
            args = exact if name == "transformers" else EAGER | exact
            figures = one_run(place, name, model, items, answer_by=way, engine_args=args)
            first = first or figures
            told = {"way": way, "engine": name, "model": model.name, "dtype": dtype}
            if "error" in figures or "error" in first:
                yield told | {"error": figures.get("error"), "trace": figures.get("trace")}
                continue
            yield told | {
                "items": items, "seconds": figures["seconds"], "outcomes": figures["outcomes"],
                "tokens": figures["tokens"], "versions": figures["versions"],
                "other_answers": sum(
                    text != first["texts"][uid] for uid, text in figures["texts"].items()
                ),
                "largest_difference": max(
                    (abs(one - other) for uid, scores in figures["scores"].items()
                     for one, other in zip(scores, first["scores"][uid], strict=True)),
                    default=None,
                ),
            }  # fmt: skip


def tight_run(place: Path, model: Path, **more: Any) -> dict[str, Any]:
    """A run of vLLM that may take of the GPU what is foretold and no more."""
    args: dict[str, Any] = {"max_model_len": 2048, **more}
    total, gpu = foretold_for(model, "vllm", args).total, gpus_here()[0].total
    assert total is not None
    args["gpu_memory_utilization"] = round(total / gpu, 4)
    return one_run(place, "vllm", model, 12, engine_args=args)


def runs_of(place: Path, models: Sequence[Path], items: int) -> Iterator[dict[str, Any]]:
    """Every engine that is here over every model: answers written and options chosen, short and
    long prompts."""
    for name in engines_here():
        for model in models:
            given: dict[str, Any] = {"engine_args": {}}
            if name != "transformers":
                given = {"engine_args": {"max_model_len": 2048, "gpu_memory_utilization": 0.5}}
            yield one_run(place, name, model, items, **given)
            if name != "vllm-server":
                yield one_run(place, name, model, items, answer_by="loglikelihood", **given)
            yield one_run(place, name, model, 3, characters=4000, **given)


def models_in(place: Path) -> list[Path]:
    """The tiny model, and the larger ones where a GPU is to hold them."""
    import torch

    models = [make_model(place / "tiny"), make_larger_model(place / "billion")]
    if torch.cuda.is_available():
        models += [
            make_larger_model(place / "billion-float32", dtype="float32"),
            make_larger_model(place / "eight-billion", EIGHT_BILLION),
        ]
    return models


def figures_of(
    place: Path, models: Sequence[Path], items: int, parts: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """Every figure with the name of its part, in the order in which they are had."""
    tiny, billion, *larger = models
    if "likelihood" in parts:
        yield "likelihood", likelihood_difference(place, tiny, items)
    if "same" in parts:
        yield from (("same", found) for found in same_answers(place, tiny, items))
        yield from (("same", found) for found in same_answers(place, billion, items, "bfloat16"))
    if "tight" in parts and larger and find_spec("vllm"):
        for model in (billion, larger[-1]):
            yield "tight", tight_run(place, model)
    if "runs" in parts:
        yield from (("runs", found) for found in runs_of(place, models, items))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--items", type=int, default=60)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    import torch

    models = models_in(given.out)
    document: dict[str, Any] = {"cuda": torch.cuda.is_available(), "gpus": list(visible_gpus())}
    for part, figures in figures_of(given.out / "runs", models, given.items, given.parts):
        if isinstance(figures, dict):
            figures = {key: figures[key] for key in figures.keys() - {"scores", "texts"}}
        document.setdefault(part, []).append(figures)
        text = json.dumps(document, indent=1, ensure_ascii=False)
        # what is known so far, should a later run end the process
        (given.out / "figures.json").write_text(text, encoding="utf-8")
    print(json.dumps(document, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
