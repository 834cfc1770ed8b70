"""One real run on a GPU machine: ``python -m tests.vllm.gpu_smoke OUT [--items N]``.

Needs torch and transformers, uses vLLM where it can be imported, and no network. It makes the tiny
Llama and a random one of about a billion parameters, runs our engines over a split of our own
samples by the ordinary worker, and prints one JSON document with the figures.
"""

import argparse
import json
import time
import traceback
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.evaluation.engines import engine
from core.evaluation.run import EvaluateParams
from core.evaluation.scoring import keys_of, score
from core.jobs.folder import RunFolder
from core.jobs.gpus import visible_gpus
from core.jobs.worker import run_worker
from core.own_places import allow_place, model_place
from core.workflow.runs.kinds import run_kind
from tests.questions import work_rows
from tests.splits import make_split
from tests.vllm.tiny_llama import make_model, make_tokenizer


def make_larger_model(folder: Path) -> Path:
    """A random Llama of about 1.1 billion parameters in bfloat16, made on the GPU where one is."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=2048,
        intermediate_size=8192,
        num_hidden_layers=18,
        num_attention_heads=16,
        num_key_value_heads=8,
        max_position_embeddings=2048,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
        tie_word_embeddings=False,
    )
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
            model = LlamaForCausalLM(config)
    finally:
        torch.set_default_dtype(torch.float32)
    model.to("cpu").save_pretrained(folder, safe_serialization=True)
    return folder


def one_run(place: Path, name: str, model: Path, items: int, **more: Any) -> dict[str, Any]:
    """The figures of one run, or what went wrong with it."""
    given = EvaluateParams(**{"split": "s", "engine": name, "model": str(model),
                              "mode": "completion", **more})  # fmt: skip
    allow_place(model_place(str(model)))
    split = make_split(items)
    folder = RunFolder.create(place, "evaluate", given, work_rows(split))
    started = time.perf_counter()
    try:
        run_worker(folder.path, 0, 1, run_kind)
    except Exception as error:
        return {"engine": name, "error": str(error), "trace": traceback.format_exc()[-2000:]}
    seconds = time.perf_counter() - started
    result = folder.result() or {}
    report = score(keys_of(split), folder.records().values(), split="s")
    return {
        "engine": name, "model": model.name, "items": items, "seconds": round(seconds, 2),
        "answers": {key: row["text"] for key, row in list(folder.records().items())[:50]},
        "gpus_needed": engine(name).gpus(given), "outcomes": result.get("outcomes"),
        "tokens": result.get("completion_tokens"), "prompt_tokens": result.get("prompt_tokens"),
        "latency_s": result.get("latency_s"), "versions": result.get("versions"),
        "accuracy": report.total.accuracy, "unparsed": report.unparsed, **more,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--items", type=int, default=200)
    given = parser.parse_args()
    import torch

    place: Path = given.out / "runs"
    tiny = make_model(given.out / "tiny")
    larger = make_larger_model(given.out / "billion")
    engines = ["transformers", *(["vllm", "vllm-server"] if find_spec("vllm") else [])]
    runs = []
    for name in engines:
        args: dict[str, Any] = {"dtype": "bfloat16"}
        exact: dict[str, Any] = {"dtype": "float32"}
        if name != "transformers":
            args |= {"max_model_len": 2048, "gpu_memory_utilization": 0.5}
            exact |= {"max_model_len": 1024, "gpu_memory_utilization": 0.3}
        runs.append(one_run(place, name, tiny, given.items, engine_args=exact))
        runs.append(one_run(place, name, larger, given.items, engine_args=args))
        if name != "vllm-server":
            runs.append(
                one_run(place, name, larger, given.items, engine_args=args,
                        answer_by="loglikelihood")
            )  # fmt: skip
    answers = [run.pop("answers", {}) for run in runs]
    first = answers[0]
    document = {
        "cuda": torch.cuda.is_available(),
        "gpus": list(visible_gpus()),
        "peak_gpu_memory_mb": torch.cuda.max_memory_allocated() / 2**20
        if torch.cuda.is_available()
        else None,
        "runs": runs,
        "tiny_answers_equal_between_engines": [
            sum(other.get(key) == text for key, text in first.items()) / max(1, len(first))
            for run, other in zip(runs, answers, strict=True)
            if run.get("model") == "tiny"
        ],
    }
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (given.out / "figures.json").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
