"""Rewriting with a real vLLM and a tiny random model: noise, and every item accounted for."""

import json
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from core.evaluation.engines.vllm_server import running_server
from core.evaluation.types import EngineContext, EngineParams
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.own_places import allow_place, news_place
from core.rewriting.params import RewriteParams, work_of
from core.rewriting.results import read_sets
from core.rewriting.trace import read_trace
from core.sources.labelled.datasets import STANCE, LabelledExample
from core.workflow.runs.kinds import run_kind
from tests.core.rewriting.scripted_model import Part, write_news
from tests.vllm.tiny_llama import make_model

ITEMS = 8


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The tiny model with room for the prompts of the steps."""
    path = make_model(tmp_path / "llama")
    config = json.loads((path / "config.json").read_text())
    config["max_position_embeddings"] = 4096
    (path / "config.json").write_text(json.dumps(config))
    return path


def test_a_random_model_rewrites_nothing_and_loses_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("VLLM_CACHE_ROOT", str(tmp_path / "vllm"))
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    # the target makes one entity whatever the model says, so that its summary is asked for too
    examples = [
        LabelledExample(
            id=f"own-{n}",
            text=f"The night ferry must stay, number {n}",
            label="favor",
            target="night ferry",
        )
        for n in range(ITEMS)
    ]
    news = write_news(tmp_path / "news", [Part(0, examples[0], "good", "night ferry")])
    server = EngineParams(
        engine="vllm-server",
        model=str(model),
        engine_args={
            "max_model_len": 4096,
            "enforce_eager": True,
            "dtype": "float32",
            "max_num_seqs": 8,
            "gpu_memory_utilization": 0.1,
        },
    )
    with running_server(EngineContext(server, tmp_path)) as url:
        params = RewriteParams(
            task=STANCE,
            base_url=url,
            model=str(model),
            knowledge=f"gdelt-files:{news}",
            since=date(2026, 1, 1),
            until=date(2026, 6, 30),
            max_tokens=96,
            max_rounds=2,
        )
        allow_place(news_place(params.knowledge))
        folder = RunFolder.create(tmp_path / "runs", "rewrite", params, work_of(examples))
        run_worker(folder.path, 0, 1, run_kind)
    funnel = (folder.result() or {})["funnel"]
    counts = Counter(record["outcome"] for record in folder.records().values())
    assert funnel["items"] == ITEMS == counts.total()
    assert funnel["screened_out"] >= ITEMS - 1
    assert len(read_sets(folder.path).updated) == funnel["accepted"]
    assert all(read_trace(folder.path, example.id).steps for example in examples)
