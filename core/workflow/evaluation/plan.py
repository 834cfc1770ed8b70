"""A plan of an evaluation, checked before anything starts.

How many prompts it is, whether the engine works here, what memory, time, tokens and money it will
take, where the keys stay, and what a person should know about the split. A plan changes nothing.

What freezes and evaluates is imported where it is used, so that the window shows its form at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from core.errors import BenchsealError, InputError, OutsideError, StateError
from core.evaluation.engines import engine
from core.evaluation.gpu_memory import GIB, UTILISATION, MemoryEstimate, estimate, tokens_a_step
from core.evaluation.model_files import require_model_files
from core.evaluation.params import EvaluateParams
from core.evaluation.types import Engine
from core.i18n import labelled, tr, trn
from core.jobs.gpus import Gpu, gpus_here
from core.jobs.launchers import launcher_named
from core.llm.keys import key_once_allowed
from core.llm.replies import estimate_tokens
from core.llm.types import ModelServer
from core.release.question_ids import uid_of
from core.workflow.workspace import Workspace
from db.vocabulary import SplitState

if TYPE_CHECKING:
    from core.workflow.splits.freeze import SplitInfo

Severity = Literal["good", "note", "warn", "stop"]
_ANSWER_TOKENS = 50  # an item's own limit where nothing else is said


@dataclass(frozen=True, slots=True)
class Prices:
    """What a server takes for a million tokens, as its operator says; in any one currency."""

    prompt: float
    completion: float


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What a person wants to be evaluated. Without ``models``, the one in ``params``."""

    split: str
    params: EvaluateParams
    models: tuple[str, ...] = ()
    launcher: str = "local"
    shards: int = 1
    gpus: int | None = None
    prices: Prices | None = None

    @property
    def per_model(self) -> tuple[EvaluateParams, ...]:
        """The parameters of each run: one for every model."""
        names = self.models or (self.params.model,)
        return tuple(
            self.params.model_copy(update={"model": name, "split": self.split}) for name in names
        )

    @property
    def what(self) -> tuple[Any, ...]:
        """What a trial depends on: the same here means that an earlier trial still holds."""
        return (self.split, self.per_model[0].model_dump_json(exclude={"judge"}))


@dataclass(frozen=True, slots=True)
class PlanCheck:
    """One thing that was checked. ``stop`` means that the evaluation would be refused; ``command``
    is what to do about it on the command line."""

    severity: Severity
    text: str
    command: str = ""

    @property
    def on_command_line(self) -> str:
        """The text, and what to do about it there."""
        return f"{self.text} {self.command}" if self.command else self.text


@dataclass(frozen=True, slots=True)
class Workload:
    """What one model is asked: ``prompts`` = ``items`` × their wordings. ``tokens`` counts the
    prompts' characters by a rule of thumb; ``completion`` is the most that answers may take.
    ``compared`` short answers are asked with the answers of other items beside their own;
    ``longest`` is the longest prompt, in tokens; ``without_options``: items that offer none."""

    items: int
    wordings: int
    prompts: int
    tokens: int
    completion: int
    compared: int = 0
    longest: int = 0
    without_options: int = 0


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """A real run of a few items, whose answers were thrown away.

    ``startup_s`` is what does not grow with the items (loading); ``each_s`` is the time of one
    more prompt. ``error`` says why there is nothing to learn from it.
    """

    name: str
    what: tuple[Any, ...]
    prompts: int
    failed: int
    startup_s: float
    each_s: float
    prompt_tokens: float
    completion_tokens: float
    error: str = ""
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """A request, checked. ``seconds`` and exact tokens are known after a trial only; ``measured``
    says that the tokens come from one. ``cost`` is in the currency of the prices."""

    request: EvaluationRequest
    load: Workload
    models: int
    findings: tuple[PlanCheck, ...]
    seconds: float | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    measured: bool = False
    cost: float | None = None
    trial: DryRunResult | None = None

    @property
    def prompts(self) -> int:
        """All prompts of all models."""
        return self.load.prompts * self.models

    @property
    def may_start(self) -> bool:
        """Whether nothing stands in the way."""
        return not any(check.severity == "stop" for check in self.findings)

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
        return {
            "split": self.request.split,
            "engine": self.request.params.engine,
            "models": [params.model for params in self.request.per_model],
            "launcher": self.request.launcher,
            "shards": self.request.shards,
            "items": self.load.items,
            "wordings": self.load.wordings,
            "prompts": self.prompts,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "tokens_measured": self.measured,
            "seconds": self.seconds,
            "cost": self.cost,
            "may_start": self.may_start,
            "findings": [
                {"tone": check.severity, "text": check.on_command_line} for check in self.findings
            ],
        }


class Planner:
    """Makes plans for one workspace; remembers the workload of splits, which never change."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._loads: dict[tuple[Any, ...], Workload] = {}

    def plan(self, request: EvaluationRequest, trial: DryRunResult | None = None) -> EvaluationPlan:
        """Check a request. A trial counts where it was one of this very request.

        Raises NotFoundError for an unknown split or engine, StateError for variants of a split
        that has none.
        """
        from core.workflow.splits import freeze

        info = freeze.info(self._ws, request.split)
        runner = engine(request.params.engine)
        load = self._load(request)
        valid = trial if trial and trial.what == request.what and not trial.cancelled else None
        findings = [
            *_about_engine(self._ws, request, runner),
            *_about_memory(request, runner, load),
            *_about_keys(self._ws, request, runner),
            *_about_candidates(load),
            *_about_options(runner, load),
            *_about_judge(request, load),
            *_about_split(self._ws, info),
            *_about_openings(self._ws, info, request),
            *_about_trial(request, valid),
        ]
        return _with_figures(
            EvaluationPlan(request, load, len(request.per_model), tuple(findings)), valid
        )

    def _load(self, request: EvaluationRequest) -> Workload:
        params = request.params
        key = (request.split, params.instruction, params.variants, params.templates, params.orders,
               params.shots,
               params.shots_from, params.seed, params.answer_by)  # fmt: skip
        if key not in self._loads:
            self._loads[key] = _workload(questions_of(self._ws, request))
        load = self._loads[key]
        limit = request.params.max_tokens
        if limit is None:
            return load
        return replace(load, completion=load.prompts * limit)


def questions_of(ws: Workspace, request: EvaluationRequest) -> Iterator[dict[str, Any]]:
    """The questions that the run of one model would hold; the lines of its ``work.jsonl``."""
    from core.workflow.splits.prompt_variants import PromptVariants, work_of

    params = request.params
    prompt_variants = PromptVariants.of(
        params.variants,
        params.templates,
        params.shots,
        params.shots_from,
        params.orders,
    )
    return work_of(
        ws,
        request.split,
        prompt_variants,
        instruction=params.instruction,
        seed=params.seed,
        answer_by=params.answer_by,
    )


def _workload(rows: Iterable[Mapping[str, Any]]) -> Workload:
    """``rows`` are the questions, those of an item together."""
    items = most = prompts = tokens = completion = compared = longest = without_options = 0
    for _, own in groupby(rows, key=lambda row: uid_of(str(row["id"]))):
        ways = 0
        unchosen = False
        for row in own:
            ways += 1
            compared += row["family"] == "answer" and bool(row.get("choices"))
            unchosen = unchosen or not row.get("choices")
            of_prompt = estimate_tokens(str(row["prompt"]))
            tokens, longest = tokens + of_prompt, max(longest, of_prompt)
            completion += int(row.get("max_tokens", _ANSWER_TOKENS))
        items, prompts, most = items + 1, prompts + ways, max(most, ways)
        without_options += unchosen
    return Workload(items, most, prompts, tokens, completion, compared, longest, without_options)


def _with_figures(plan: EvaluationPlan, trial: DryRunResult | None) -> EvaluationPlan:
    """The plan with time, tokens and cost, as far as they can be known."""
    learnt = trial is not None and not trial.error
    per_prompt, per_answer = (
        (trial.prompt_tokens, trial.completion_tokens) if trial and learnt else (0.0, 0.0)
    )
    measured = per_prompt + per_answer > 0
    prompt = round(per_prompt * plan.prompts) if measured else plan.load.tokens * plan.models
    answer = round(per_answer * plan.prompts) if measured else plan.load.completion * plan.models
    if not engine(plan.request.params.engine).needs_model:
        prompt = answer = 0
    prices = plan.request.prices
    cost = (prompt * prices.prompt + answer * prices.completion) / 1e6 if prices else None
    seconds = (
        plan.models * (trial.startup_s + trial.each_s * plan.load.prompts)
        if trial and learnt
        else None
    )
    return EvaluationPlan(
        plan.request, plan.load, plan.models, plan.findings, seconds, prompt, answer, measured,
        cost, trial,
    )  # fmt: skip


# -- what is checked ----------------------------------------------------------------------------


def _about_engine(ws: Workspace, request: EvaluationRequest, runner: Engine) -> list[PlanCheck]:
    """Whether the engine and the launcher would take the run."""
    checks: list[PlanCheck] = []
    elsewhere = request.launcher != "local"
    refused = False
    for params in request.per_model:
        try:
            runner.require(params)
            if not elsewhere:
                require_model_files(runner, params)
        except OutsideError as error:
            sentence = (
                tr("On this machine: {reason} This matters on the cluster, not here.",
                   reason=error) if elsewhere else str(error)
            )  # fmt: skip
            checks.append(PlanCheck("note" if elsewhere else "stop", sentence))
            refused = True
            break
        except BenchsealError as error:
            checks.append(PlanCheck("stop", str(error), error.command))
            refused = True
            break
    needed = runner.gpus(request.params) if request.gpus is None else request.gpus
    try:
        launcher_named(request.launcher, ws.place.folder, needed).require()
    except BenchsealError as error:
        checks.append(PlanCheck("stop", str(error), error.command))
        refused = True
    if not refused and runner.needs_server:
        # nothing was sent: whether it can be used is not known
        checks.append(PlanCheck("note", tr("The server has not been asked yet: a test or a trial "
                                           "run shows whether it answers.")))  # fmt: skip
    elif not refused:
        checks.append(PlanCheck("good", tr("Engine “{engine}” is available.", engine=runner.name)))
    return checks


def _about_memory(request: EvaluationRequest, runner: Engine, load: Workload) -> list[PlanCheck]:
    """Whether the models fit the GPUs, for engines that load them here."""
    if not runner.needs_model or runner.needs_server:
        return []
    gpus = gpus_here() if request.launcher == "local" else ()
    checks: list[PlanCheck] = []
    if request.launcher == "local" and not gpus and not runner.gpus(request.params):
        checks.append(PlanCheck("note", tr("This machine has no visible GPU.")))
    for params in request.per_model:
        if params.model.strip():
            sequence = load.longest + load.completion // max(1, load.prompts)
            checks.append(_memory_of(params, gpus, None if runner.reserves_memory else sequence))
    return checks


def _memory_of(params: EvaluateParams, gpus: Sequence[Gpu], sequence: int | None) -> PlanCheck:
    """``sequence``: the tokens of the longest one, for an engine that reserves no memory."""
    args = params.engine_args
    try:
        needs = estimate(
            params.model,
            revision=params.revision,
            dtype=str(args.get("dtype", args.get("torch_dtype", "auto"))),
            sequence=sequence,
            max_model_len=_whole(args.get("max_model_len")),
            tensor_parallel=_whole(args.get("tensor_parallel_size")) or 1,
            kv_cache_dtype=str(args.get("kv_cache_dtype", "auto")),
            quantization=str(args.get("quantization", "") or ""),
            batched_tokens=_whole(args.get("max_num_batched_tokens"))
            or tokens_a_step(gpus, serves=params.engine == "vllm-server"),
        )
        share = float(args.get("gpu_memory_utilization", UTILISATION)) if sequence is None else 1.0
    except (TypeError, ValueError):
        return PlanCheck("stop", tr("A numeric parameter does not contain a number."))
    if needs.problems:
        return PlanCheck("stop", labelled(params.model, needs.problems[0]))
    if needs.total is None:
        why = needs.unknown or tr("not stated in its files")
        return PlanCheck("note", tr("The memory needed by {model} is unknown: {why}",
                                  model=params.model, why=why))  # fmt: skip
    if not gpus:
        return PlanCheck("note", tr("{model} needs at least {size} GiB on each GPU.",
                                  model=params.model, size=_gib(needs.total)))  # fmt: skip
    return _against(params.model, needs, gpus[0], share, reserves=sequence is None)


def _against(
    model: str, needs: MemoryEstimate, gpu: Gpu, share: float, *, reserves: bool
) -> PlanCheck:
    total = needs.total or 0
    values = {"model": model, "size": _gib(total), "gpu": gpu.name, "there": _gib(gpu.total)}
    if not needs.fits(gpu.total, share):
        return PlanCheck("stop", tr(
            "{model} needs at least {size} GiB on each GPU, but {gpu} has {there} GiB. Use more "
            "GPUs or a smaller max_model_len.", **values) if reserves else tr(
            "{model} needs at least {size} GiB, but {gpu} has {there} GiB. Use a smaller model "
            "or a shorter dtype.", **values))  # fmt: skip
    if total > gpu.free:
        return PlanCheck("warn", tr(
            "{model} needs at least {size} GiB, but only {free} GiB of {gpu} are free now; while "
            "others use it, the run waits or fails.", free=_gib(gpu.free), **values))  # fmt: skip
    return PlanCheck("good", tr("{model} needs at least {size} GiB on each GPU; {gpu} has "
                                "{there} GiB.", **values))  # fmt: skip


def _about_keys(ws: Workspace, request: EvaluationRequest, runner: Engine) -> list[PlanCheck]:
    """Where the answers to the items stay, where the prompts go, whether a server's key is set."""
    home = tr("The answer keys stay in this workspace; run folders contain only questions.")
    kind, _, profile = request.launcher.partition(":")
    if runner.needs_server and request.params.base_url.strip():
        return [PlanCheck("good", home), *_about_server(request.params)]
    if kind == "slurm" and profile:
        from core.jobs.launchers.slurm_profiles import slurm_profile

        try:
            host = slurm_profile(ws.place.folder, profile).host
        except BenchsealError:
            return [PlanCheck("good", home)]  # said already where the launcher was checked
        if host:
            sentence = tr("The questions are copied to {host}.", host=host)
            return [PlanCheck("good", home), PlanCheck("note", sentence)]
    return [PlanCheck("good", home)]


def _about_options(runner: Engine, load: Workload) -> list[PlanCheck]:
    """Items that leave an engine which chooses among options without an answer."""
    if not runner.needs_options or not load.without_options:
        return []
    said = trn(
        "{n} of {all} items offers no options; this engine chooses among options and gives no "
        "answer to it.",
        "{n} of {all} items offer no options; this engine chooses among options and gives no "
        "answer to them.",
        load.without_options,
        all=f"{load.items:,}",
    )
    return [PlanCheck("warn", said)]


def _about_candidates(load: Workload) -> list[PlanCheck]:
    """That answers are in the run folder, where some are: those of ten items, whose is not said."""
    if not load.compared:
        return []
    sentence = trn(
        "1 short answer is compared with those of other items: the run folder holds them together, "
        "without saying which is whose.",
        "{n} short answers are compared with each other: the run folder holds those of ten items "
        "together, without saying which is whose.",
        load.compared,
    )
    return [PlanCheck("note", sentence)]


def _about_server(params: EvaluateParams) -> list[PlanCheck]:
    try:
        server = ModelServer(params.base_url, params.model or "-")
        key = key_once_allowed(server, params.key_env)
    except InputError as error:
        return [PlanCheck("stop", str(error), error.command)]
    if server.on_loopback:
        return [PlanCheck("good", tr("The questions are sent to a server on this machine."))]
    sent = PlanCheck("note", tr("The questions are sent to {server}.", server=server.base_url))
    if key:
        return [sent, PlanCheck("good", tr("A key for the server is set."))]
    sentence = tr(
        "No key is set for the server. A paid server needs one: the settings say where it is.",
    )
    command = tr("For example: benchseal keys add {url} --env NAME", url=server.base_url)
    return [sent, PlanCheck("warn", sentence, command)]


def _about_judge(request: EvaluationRequest, load: Workload) -> list[PlanCheck]:
    """How often a judge is asked, and where it is."""
    judge = request.params.judge
    if judge is None:
        return []
    try:
        server = judge.server()
    except InputError as error:
        return [PlanCheck("stop", str(error), error.command)]
    answers = trn("1 answer", "{n} answers", load.prompts * len(request.per_model))
    if server.on_loopback:
        sentence = tr("{judge} then judges up to {answers} on this machine.",
                      judge=judge.model, answers=answers)  # fmt: skip
        return [PlanCheck("note", sentence)]
    sentence = tr("{judge} then judges up to {answers}; answers and references are sent to "
                  "{server}. "
        "These tokens are not counted here.",
                  judge=judge.model, answers=answers, server=server.base_url)  # fmt: skip
    return [PlanCheck("warn", sentence)]


def _about_openings(
    ws: Workspace, info: "SplitInfo", request: EvaluationRequest
) -> list[PlanCheck]:
    """The models that the split's policy allows no further evaluation of, and a launcher that
    cannot hand over the key of a locked run."""
    from core.workflow.runs import locked_runs
    from core.workflow.splits import openings

    checks: list[PlanCheck] = []
    try:
        locked_runs.refuse_elsewhere(ws, info.name, request.launcher)
    except StateError as error:
        checks.append(PlanCheck("stop", str(error), error.command))
    for params in request.per_model:
        try:
            openings.refuse_early(ws, info.name, params.model or params.engine)
        except StateError as error:
            checks.append(PlanCheck("stop", str(error), error.command))
    return checks


def _about_split(ws: Workspace, info: "SplitInfo") -> list[PlanCheck]:
    """What a person should know about the split before its scores are told to others."""
    from core.workflow.splits import freeze, lifecycle

    checks: list[PlanCheck] = []
    try:
        freeze.refuse_sealed(info)
    except StateError as error:
        checks.append(PlanCheck("stop", str(error), error.command))
    if info.unaudited:
        checks.append(
            PlanCheck(
                "warn",
                trn(
                    "{count} of 1 item was not audited.",
                    "{count} of {n} items were not audited.",
                    info.size,
                    count=info.unaudited,
                ),
            )
        )
    if info.state == SplitState.EXPIRED:
        sentence = tr("The split has expired; its items count as public, and models may know them.")
        checks.append(PlanCheck("warn", sentence))
    elif openings := lifecycle.split_life(ws, info.name).openings:
        sentence = trn(
            "The split was sealed and has been opened once; models may have seen it since.",
            "The split was sealed and has been opened {n} times; models may have seen it since.",
            openings,
        )
        checks.append(PlanCheck("warn", sentence))
    return checks or [PlanCheck("good", tr("Every item of the split was audited."))]


def _about_trial(request: EvaluationRequest, trial: DryRunResult | None) -> list[PlanCheck]:
    if request.launcher != "local":
        return [PlanCheck("note", tr("The time needed is only known on the cluster."))]
    if trial is None:
        return []
    if trial.error:
        return [PlanCheck("warn", tr("Trial run {name} failed: {reason}", name=trial.name,
                                   reason=trial.error))]  # fmt: skip
    if trial.failed:
        return [
            PlanCheck(
                "warn",
                trn(
                    "{failed} of 1 item got no answer in trial run {name}.",
                    "{failed} of {n} items got no answer in trial run {name}.",
                    trial.prompts,
                    failed=trial.failed,
                    name=trial.name,
                ),
            )
        ]
    sentence = trn(
        "The only item of trial run {name} was answered; the answer was discarded.",
        "All {n} items of trial run {name} were answered; the answers were discarded.",
        trial.prompts,
        name=trial.name,
    )
    return [PlanCheck("good", sentence)]


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)


def _gib(size: int) -> str:
    return f"{size / GIB:.1f}"


# -- starting -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StartedRuns:
    """The runs that were started, and why the next one was not, if one was refused."""

    runs: tuple[str, ...]
    refusal: str = ""


def start_runs(ws: Workspace, request: EvaluationRequest, person: str = "") -> StartedRuns:
    """Start one run for every model; ``person`` does it. Raises where not even the first could be
    started."""
    from core.workflow.evaluation.start import start

    begun: list[str] = []
    for params in request.per_model:
        try:
            folder = start(
                ws, request.split, params, shards=request.shards, launcher=request.launcher,
                gpus=request.gpus, person=person,
            )  # fmt: skip
        except BenchsealError as error:
            if not begun:
                raise
            return StartedRuns(tuple(begun), str(error))
        begun.append(folder.spec().id)
    return StartedRuns(tuple(begun))
