"""A plan of an evaluation: what it counts, what it finds, what a trial teaches."""

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError, NotFoundError, StateError
from core.evaluation.judge_run import JudgeParams
from core.evaluation.parse_params import params_of
from core.evaluation.run import EvaluateParams
from core.families.base import ItemContent
from core.jobs import gpus
from core.workflow import people
from core.workflow.evaluation.dry_run import try_out
from core.workflow.evaluation.plan import (
    EvaluationPlan,
    EvaluationRequest,
    Planner,
    Prices,
    start_runs,
)
from core.workflow.runs import runs
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from tests.servers.model_server import LoopbackModel, Policy
from tests.splits import freeze_split, varied


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a split of sixty items."""
    folder = tmp_path_factory.mktemp("split") / "工作区"
    with closing(Workspace.create(folder)) as made:
        freeze_split(made, {"scp": [varied(number) for number in range(60)]})
    return folder


@pytest.fixture
def ws(template: Path, tmp_path: Path) -> Iterator[Workspace]:
    """A copy of it."""
    shutil.copytree(template, tmp_path / "工作区")
    with closing(Workspace.open(tmp_path / "工作区")) as opened:
        yield opened


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(Policy(latency_s=0.02), answer=lambda _body: "A") as running:
        yield running


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


def baseline(**more) -> EvaluationRequest:
    return EvaluationRequest("s", EvaluateParams(split="s", engine="baseline:random"), **more)


def served(server: LoopbackModel, **more) -> EvaluationRequest:
    params = EvaluateParams(
        split="s", engine="openai", model="m", base_url=server.url, mode="completion",
        concurrency=4, retries=0,
    )  # fmt: skip
    return EvaluationRequest("s", params, **more)


def texts(plan: EvaluationPlan, severity: str) -> str:
    return " ".join(one.text for one in plan.findings if one.severity == severity)


def test_prompts_are_items_times_wordings_times_models(ws: Workspace):
    def triplet(number: int) -> ItemContent:
        words = {"instruction": "写", "input": f"第{number}句", "output": f"答{number}"}
        return ItemContent("instruction", "triplet", words, domain="zh")

    wordings = [
        ItemContent("instruction", "instruction", {"text": f"说{n}", "instruction_id": str(n)})
        for n in range(3)
    ]
    freeze_split(ws, {"t": [*map(triplet, range(4)), *wordings]}, "v")
    params = EvaluateParams(split="v", engine="baseline:random")
    varied_ = params.model_copy(update={"variants": "all"})
    plan = Planner(ws).plan(EvaluationRequest("v", varied_, models=("m1", "m2")))
    assert (plan.load.items, plan.load.wordings, plan.models, plan.prompts) == (4, 3, 2, 24)
    plain = Planner(ws).plan(EvaluationRequest("v", params))
    assert plain.prompts == 4


def test_a_baseline_may_start_and_costs_nothing(ws: Workspace):
    plan = Planner(ws).plan(baseline(prices=Prices(5, 5)))
    assert plan.may_start
    assert (plan.prompts, plan.prompt_tokens, plan.cost) == (60, 0, 0.0)
    assert "keys stay" in texts(plan, "good")
    assert "60 of 60 items were not audited." in texts(plan, "warn")


def test_a_baseline_is_told_how_many_items_offer_it_nothing_to_choose_from(ws: Workspace):
    words = {"instruction": "Name the capital.", "input": "Norway", "output": "Oslo"}
    free = ItemContent("instruction", "triplet", words)
    freeze_split(ws, {"scp": [varied(61)], "free": [free]}, "mixed")

    def plan(split: str, engine: str) -> EvaluationPlan:
        return Planner(ws).plan(
            EvaluationRequest(split, EvaluateParams(split=split, engine=engine))
        )

    said = "1 of 2 items offers no options"
    assert said in texts(plan("mixed", "baseline:random"), "warn")
    assert "no options" not in texts(plan("s", "baseline:random"), "warn")
    assert "no options" not in texts(plan("mixed", "openai"), "warn")


def test_an_engine_that_is_not_installed_stops_the_plan_and_says_what_to_install(
    ws: Workspace, monkeypatch
):
    monkeypatch.setattr("core.evaluation.engines.hardware.is_installed", lambda _name: False)
    plan = Planner(ws).plan(
        EvaluationRequest("s", EvaluateParams(split="s", engine="vllm", model="m"))
    )
    assert not plan.may_start
    assert "make gpu" in texts(plan, "stop")


def test_a_missing_model_and_a_missing_server_are_findings(ws: Workspace):
    plan = Planner(ws).plan(EvaluationRequest("s", EvaluateParams(split="s", engine="openai")))
    assert not plan.may_start
    assert "needs a model" in texts(plan, "stop")


def test_no_gpu_here_is_a_finding_and_not_an_error(ws: Workspace, no_gpu, tmp_path):
    request = EvaluationRequest(
        "s", EvaluateParams(split="s", engine="transformers", model=str(tmp_path))
    )
    assert "This machine has no visible GPU." in texts(Planner(ws).plan(request), "note")


def model_folder(place: Path, **more: int) -> Path:
    place.mkdir()
    config = {
        "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
        "max_position_embeddings": 8192, "dtype": "bfloat16", **more,
    }  # fmt: skip
    (place / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return place


@pytest.mark.parametrize(
    ("total", "free", "severity"), [(8, 8, "stop"), (80, 4, "warn"), (80, 79, "good")]
)
def test_a_models_memory_is_held_against_the_gpu(ws, tmp_path, monkeypatch, total, free, severity):
    gib = 1024**3
    here = (gpus.Gpu("Card", total * gib, free * gib),)
    monkeypatch.setattr("core.workflow.evaluation.plan.gpus_here", lambda: here)
    folder = model_folder(tmp_path / "eight")
    plan = Planner(ws).plan(
        EvaluationRequest("s", EvaluateParams(split="s", engine="vllm", model=str(folder)))
    )
    assert f"{total}.0 GiB" in texts(plan, severity) or (
        f"only {free}.0 GiB of Card are free now" in texts(plan, severity)
    )


@pytest.mark.parametrize(("engine", "severity"), [("vllm", "stop"), ("transformers", "good")])
def test_what_an_engine_does_not_reserve_is_not_asked_for(
    ws, tmp_path, monkeypatch, engine, severity
):
    """A cache of 131,072 tokens is 16 GiB; one of our prompts has a few hundred."""
    here = (gpus.Gpu("Card", 24 * 1024**3, 24 * 1024**3),)
    monkeypatch.setattr("core.workflow.evaluation.plan.gpus_here", lambda: here)
    folder = model_folder(tmp_path / "long", max_position_embeddings=131_072)
    given = EvaluateParams(split="s", engine=engine, model=str(folder))
    assert "24.0 GiB" in texts(Planner(ws).plan(EvaluationRequest("s", given)), severity)


@pytest.mark.parametrize(
    ("more", "severity"), [({}, "stop"), ({"max_num_batched_tokens": 2048}, "good")]
)
def test_the_activations_of_a_step_are_part_of_what_vllm_needs(
    ws, tmp_path, monkeypatch, more, severity
):
    """vLLM refused this share of an H200: a step of 16,384 tokens takes 1.8 GiB of it."""
    here = (gpus.Gpu("NVIDIA H200", 140 * 1024**3, 140 * 1024**3),)
    monkeypatch.setattr("core.workflow.evaluation.plan.gpus_here", lambda: here)
    args = {"gpu_memory_utilization": 0.12, "max_model_len": 2048} | more
    given = EvaluateParams(split="s", engine="vllm", model=str(model_folder(tmp_path / "eight")),
                           engine_args=args)  # fmt: skip
    assert "140.0 GiB" in texts(Planner(ws).plan(EvaluationRequest("s", given)), severity)


@pytest.mark.parametrize(
    ("engine", "helps"), [("vllm", "max_model_len"), ("transformers", "dtype")]
)
def test_what_does_not_fit_is_told_what_helps_this_engine(ws, tmp_path, monkeypatch, engine, helps):
    here = (gpus.Gpu("Card", 8 * 1024**3, 8 * 1024**3),)
    monkeypatch.setattr("core.workflow.evaluation.plan.gpus_here", lambda: here)
    given = EvaluateParams(split="s", engine=engine, model=str(model_folder(tmp_path / "eight")))
    said = texts(Planner(ws).plan(EvaluationRequest("s", given)), "stop")
    assert [word for word in ("max_model_len", "dtype") if word in said] == [helps]


def test_where_the_questions_go_is_said_and_whether_a_key_is_set(ws: Workspace, monkeypatch):
    monkeypatch.setattr("keyring.get_password", lambda _service, _user: None)
    params = EvaluateParams(split="s", engine="openai", model="m", base_url="https://a.example/v1")
    plan = Planner(ws).plan(EvaluationRequest("s", params))
    assert "https://a.example/v1" in texts(plan, "note")
    assert "No key is set" in texts(plan, "warn")
    monkeypatch.setenv("BENCHSEAL_API_KEY", "sk-hidden-in-the-plan")
    plan = Planner(ws).plan(EvaluationRequest("s", params))
    assert "A key for the server is set" in texts(plan, "good")
    assert "hidden-in-the-plan" not in json.dumps(plan.as_json())


def test_tokens_are_a_rule_of_thumb_until_a_trial_measured_them(ws: Workspace, model):
    planner, request = Planner(ws), served(model, prices=Prices(2.0, 8.0))
    before = planner.plan(request)
    assert not before.measured
    assert before.prompt_tokens > 1000
    assert before.seconds is None
    assert before.cost == pytest.approx(
        (before.prompt_tokens * 2 + before.completion_tokens * 8) / 1e6
    )
    trial = try_out(ws, request)
    assert (trial.error, trial.prompts, trial.failed) == ("", 20, 0)
    after = planner.plan(request, trial)
    assert after.measured
    assert after.completion_tokens < before.completion_tokens
    assert after.seconds is not None
    assert after.seconds > 0
    assert trial.name in texts(after, "good")


def test_a_trial_leaves_no_run_no_answer_and_no_folder_behind(ws: Workspace, model):
    try_out(ws, served(model))
    assert runs.runs(ws) == ()
    assert list((ws.place.folder / "trials").iterdir()) == []
    assert len(model.seen) == 20


def test_the_time_of_the_whole_grows_with_what_a_prompt_took(ws: Workspace, model):
    model.policy.latency_s = 0.1
    trial = try_out(ws, served(model))
    assert 0.02 < trial.each_s < 0.1
    assert trial.startup_s > 0


def test_a_trial_of_another_wish_does_not_count(ws: Workspace):
    trial = try_out(ws, baseline())
    assert trial.error == ""
    other = EvaluationRequest("s", EvaluateParams(split="s", engine="baseline:longest"))
    assert Planner(ws).plan(other, trial).seconds is None
    assert Planner(ws).plan(baseline(), trial).seconds is not None


def test_a_trial_can_be_cancelled(ws: Workspace, model):
    model.policy.latency_s = 5.0
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    trial = try_out(ws, served(model), stopping=stop.is_set)
    assert trial.cancelled
    assert Planner(ws).plan(served(model), trial).seconds is None
    assert list((ws.place.folder / "trials").iterdir()) == []


def test_a_server_that_is_not_there_makes_the_trial_fail_in_words(ws: Workspace):
    params = EvaluateParams(
        split="s", engine="openai", model="m", base_url="http://127.0.0.1:9/v1", retries=0
    )
    request = EvaluationRequest("s", params)
    trial = try_out(ws, request)
    assert "127.0.0.1:9" in trial.error
    plan = Planner(ws).plan(request, trial)
    assert plan.seconds is None
    assert trial.name in texts(plan, "warn")


def test_a_trial_is_for_this_machine_only(ws: Workspace):
    with pytest.raises(StateError, match="this machine"):
        try_out(ws, baseline(launcher="slurm:big"))


def test_a_sealed_split_is_neither_planned_nor_tried_and_an_opened_one_says_how_often(
    ws: Workspace,
):
    people.ensure_person(ws, "Li", "lead")
    lifecycle.seal(ws, "s", "Li")
    plan = Planner(ws).plan(baseline())
    assert not plan.may_start
    assert "sealed" in texts(plan, "stop")
    with pytest.raises(StateError, match="sealed"):
        try_out(ws, baseline())
    lifecycle.open_split(ws, "s", "Li", "final scores")
    plan = Planner(ws).plan(baseline())
    assert plan.may_start
    assert "opened once" in texts(plan, "warn")
    lifecycle.expire(ws, "s", "Li")
    assert "public" in texts(Planner(ws).plan(baseline()), "warn")


def test_a_judge_elsewhere_is_told_to_be_sent_the_references(ws: Workspace, model):
    def judged(url: str) -> EvaluationPlan:
        judge = JudgeParams(model="j", base_url=url)
        params = baseline().params.model_copy(update={"judge": judge})
        return Planner(ws).plan(EvaluationRequest("s", params))

    assert "j then judges up to 60 answers on this machine" in texts(judged(model.url), "note")
    assert "references are sent to https://j.example" in texts(judged("https://j.example"), "warn")


def test_an_unknown_split_is_named(ws: Workspace):
    with pytest.raises(NotFoundError, match="nowhere"):
        Planner(ws).plan(
            EvaluationRequest("nowhere", EvaluateParams(split="nowhere", engine="baseline:random"))
        )


def test_an_unknown_profile_stops_the_plan(ws: Workspace):
    plan = Planner(ws).plan(baseline(launcher="slurm:nowhere"))
    assert not plan.may_start
    assert "nowhere" in texts(plan, "stop")


def test_one_run_is_started_for_every_model_and_the_first_refusal_is_told(ws: Workspace, model):
    started = start_runs(ws, served(model, models=("m1", "m2")))
    assert len(started.runs) == 2
    for run in started.runs:
        assert runs.wait(ws, run, 60).state == "finished"
    half = start_runs(ws, served(model, models=("m1", " ")))
    assert len(half.runs) == 1
    assert "needs a model" in half.refusal
    runs.wait(ws, half.runs[0], 60)


def test_parameters_are_read_as_json_or_as_text_and_unknown_ones_go_to_the_engine():
    given = {"split": "s", "engine": "vllm"}
    params = params_of(given, ["max-tokens=12", "dtype=bfloat16", "enforce_eager=true"])
    assert params.max_tokens == 12
    assert params.engine_args == {"dtype": "bfloat16", "enforce_eager": True}
    for wrong in ("dtype", "=3", "max_tokens=none"):
        with pytest.raises(InputError):
            params_of(given, [wrong])


def test_the_command_prints_the_plan_and_starts_nothing(ws: Workspace, model, capsys):
    people.ensure_person(ws, "王", "lead")

    def said(*more: str) -> str:
        place = str(ws.place.folder)
        code = main(["evaluate", "s", "--dry-run", "--workspace", place, *more])
        assert code == 0
        return capsys.readouterr().out

    text = said("--engine", "baseline:random")
    assert text.startswith("60 prompts, one for each item.")
    assert "! 60 of 60 items were not audited." in text
    assert "Time: unknown before a trial run." in text
    asked = ("--engine", "openai", "--base-url", model.url, "--mode", "completion")
    models = ("--model", "m1", "--model", "m2", "--trial", "--price", "2.5,10")
    document = json.loads(said(*asked, *models, "--json"))
    assert document["prompts"] == 120
    assert document["tokens_measured"]
    assert document["seconds"] > 0
    assert document["cost"] == pytest.approx(
        (2.5 * document["prompt_tokens"] + 10 * document["completion_tokens"]) / 1e6
    )
    assert runs.runs(ws) == ()


def test_a_price_that_is_none_is_refused(ws: Workspace, capsys):
    place = str(ws.place.folder)
    for wrong in ("3", "a,b", "-1,2"):
        given = ["--engine", "baseline:random", "--dry-run", f"--price={wrong}"]
        assert main(["evaluate", "s", "--workspace", place, *given]) == 2
        assert "2.5,10" in capsys.readouterr().err
