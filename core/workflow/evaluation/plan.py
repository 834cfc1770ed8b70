"""A plan of an evaluation, checked before anything starts.

How many prompts it is, whether the engine works here, what memory, time, tokens and money it will
take, where the keys stay, and what a person should know about the split. A plan changes nothing.

What freezes and evaluates is imported where it is used, so that the window shows its form at once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from core.errors import BenchsealError, InputError, OutsideError, StateError
from core.evaluation.engines import engine
from core.evaluation.gpu_memory import GIB, UTILISATION, MemoryEstimate, estimate
from core.evaluation.model_files import require_model_files
from core.evaluation.params import EvaluateParams
from core.evaluation.types import Engine
from core.i18n import tr, trn
from core.jobs.gpus import Gpu, gpus_here
from core.jobs.launchers import launcher_named
from core.llm.keys import find_key
from core.llm.replies import estimate_tokens
from core.llm.types import ModelServer
from core.workflow.workspace import Workspace
from db.vocabulary import SplitState

if TYPE_CHECKING:
    from core.workflow.splits.freeze import SplitInfo

Tone = Literal["good", "note", "warn", "stop"]
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
    """One thing that was checked. ``stop`` means that the evaluation would be refused."""

    tone: Tone
    text: str


@dataclass(frozen=True, slots=True)
class Workload:
    """What one model is asked: ``prompts`` = ``items`` × their wordings. ``tokens`` counts the
    prompts' characters by a rule of thumb; ``completion`` is the most that answers may take."""

    items: int
    wordings: int
    prompts: int
    tokens: int
    completion: int


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
    """A wish, checked. ``seconds`` and exact tokens are known after a trial only; ``measured``
    says that the tokens come from one. ``cost`` is in the currency of the prices."""

    wish: EvaluationRequest
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
        return not any(found.tone == "stop" for found in self.findings)

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
        return {
            "split": self.wish.split,
            "engine": self.wish.params.engine,
            "models": [one.model for one in self.wish.per_model],
            "launcher": self.wish.launcher,
            "shards": self.wish.shards,
            "items": self.load.items,
            "wordings": self.load.wordings,
            "prompts": self.prompts,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "tokens_measured": self.measured,
            "seconds": self.seconds,
            "cost": self.cost,
            "may_start": self.may_start,
            "findings": [{"tone": one.tone, "text": one.text} for one in self.findings],
        }


class Planner:
    """Makes plans for one workspace; remembers the workload of splits, which never change."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._loads: dict[tuple[Any, ...], Workload] = {}

    def plan(self, wish: EvaluationRequest, trial: DryRunResult | None = None) -> EvaluationPlan:
        """Check a wish. A trial counts where it was one of this very wish.

        Raises NotFoundError for an unknown split or engine, StateError for variants of a split
        that has none.
        """
        from core.workflow.splits import freeze

        info = freeze.info(self._ws, wish.split)
        chosen = engine(wish.params.engine)
        load = self._load(wish)
        valid = trial if trial and trial.what == wish.what and not trial.cancelled else None
        findings = [
            *_about_engine(self._ws, wish, chosen),
            *_about_memory(wish, chosen),
            *_about_keys(self._ws, wish, chosen),
            *_about_judge(wish, load),
            *_about_split(self._ws, info),
            *_about_trial(wish, valid),
        ]
        return _with_figures(
            EvaluationPlan(wish, load, len(wish.per_model), tuple(findings)), valid
        )

    def _load(self, wish: EvaluationRequest) -> Workload:
        said = wish.params
        key = (wish.split, said.instruction, said.variants, said.templates, said.shots,
               said.shots_from, said.seed)  # fmt: skip
        if key not in self._loads:
            self._loads[key] = _workload(questions_of(self._ws, wish))
        found = self._loads[key]
        limit = wish.params.max_tokens
        if limit is None:
            return found
        return Workload(found.items, found.wordings, found.prompts, found.tokens,
                        found.prompts * limit)  # fmt: skip


def questions_of(ws: Workspace, wish: EvaluationRequest) -> Iterator[dict[str, Any]]:
    """The questions that the run of one model would hold; the lines of its ``work.jsonl``."""
    from core.workflow.splits.prompt_variants import PromptVariants, work_of

    said = wish.params
    ways = PromptVariants.of(said.variants, said.templates, said.shots, said.shots_from)
    return work_of(ws, wish.split, ways, instruction=said.instruction, seed=said.seed)


def _workload(rows: Iterable[Mapping[str, Any]]) -> Workload:
    wordings: Counter[str] = Counter()
    tokens = completion = 0
    for row in rows:
        wordings[str(row["id"]).partition("#")[0]] += 1
        tokens += estimate_tokens(str(row["prompt"]))
        completion += int(row.get("max_tokens", _ANSWER_TOKENS))
    most = max(wordings.values(), default=0)
    return Workload(len(wordings), most, wordings.total(), tokens, completion)


def _with_figures(plan: EvaluationPlan, trial: DryRunResult | None) -> EvaluationPlan:
    """The plan with time, tokens and cost, as far as they can be known."""
    learnt = trial is not None and not trial.error
    per_prompt, per_answer = (
        (trial.prompt_tokens, trial.completion_tokens) if trial and learnt else (0.0, 0.0)
    )
    measured = per_prompt + per_answer > 0
    prompt = round(per_prompt * plan.prompts) if measured else plan.load.tokens * plan.models
    answer = round(per_answer * plan.prompts) if measured else plan.load.completion * plan.models
    if not engine(plan.wish.params.engine).needs_model:
        prompt = answer = 0
    prices = plan.wish.prices
    cost = (prompt * prices.prompt + answer * prices.completion) / 1e6 if prices else None
    seconds = (
        plan.models * (trial.startup_s + trial.each_s * plan.load.prompts)
        if trial and learnt
        else None
    )
    return EvaluationPlan(
        plan.wish, plan.load, plan.models, plan.findings, seconds, prompt, answer, measured, cost,
        trial,
    )  # fmt: skip


# -- what is checked ----------------------------------------------------------------------------


def _about_engine(ws: Workspace, wish: EvaluationRequest, chosen: Engine) -> list[PlanCheck]:
    """Whether the engine and the launcher would take the run."""
    found: list[PlanCheck] = []
    elsewhere = wish.launcher != "local"
    refused = False
    for params in wish.per_model:
        try:
            chosen.require(params)
            if not elsewhere:
                require_model_files(chosen, params)
        except OutsideError as error:
            said = (
                tr("On this machine: {reason} The cluster needs it, not this machine.",
                   reason=error) if elsewhere else str(error)
            )  # fmt: skip
            found.append(PlanCheck("note" if elsewhere else "stop", said))
            refused = True
            break
        except BenchsealError as error:
            found.append(PlanCheck("stop", str(error)))
            refused = True
            break
    needed = chosen.gpus(wish.params) if wish.gpus is None else wish.gpus
    try:
        launcher_named(wish.launcher, ws.place.folder, needed).require()
    except BenchsealError as error:
        found.append(PlanCheck("stop", str(error)))
        refused = True
    if not refused:
        found.append(
            PlanCheck("good", tr("The engine “{engine}” can be used.", engine=chosen.name))
        )
    return found


def _about_memory(wish: EvaluationRequest, chosen: Engine) -> list[PlanCheck]:
    """Whether the models fit the GPUs, for engines that load them here."""
    if not chosen.needs_model or chosen.needs_server:
        return []
    gpus = gpus_here() if wish.launcher == "local" else ()
    found: list[PlanCheck] = []
    if wish.launcher == "local" and not gpus and not chosen.gpus(wish.params):
        found.append(PlanCheck("note", tr("This machine shows no GPU.")))
    for params in wish.per_model:
        if params.model.strip():
            found.append(_memory_of(params, gpus))
    return found


def _memory_of(params: EvaluateParams, gpus: Sequence[Gpu]) -> PlanCheck:
    args = params.engine_args
    try:
        needs = estimate(
            params.model,
            revision=params.revision,
            dtype=str(args.get("dtype", "auto")),
            max_model_len=_whole(args.get("max_model_len")),
            tensor_parallel=_whole(args.get("tensor_parallel_size")) or 1,
            kv_cache_dtype=str(args.get("kv_cache_dtype", "auto")),
            quantization=str(args.get("quantization", "") or ""),
        )
        share = float(args.get("gpu_memory_utilization", UTILISATION))
    except (TypeError, ValueError):
        return PlanCheck("stop", tr("A parameter that should be a number is none."))
    if needs.problems:
        return PlanCheck("stop", f"{params.model}: {needs.problems[0]}")
    if needs.total is None:
        why = needs.unknown or tr("its files do not say")
        return PlanCheck("note", tr("How much memory {model} takes is not known: {why}",
                                  model=params.model, why=why))  # fmt: skip
    if not gpus:
        return PlanCheck("note", tr("{model} takes at least {size} GiB on each GPU.",
                                  model=params.model, size=_gib(needs.total)))  # fmt: skip
    return _against(params.model, needs, gpus[0], share)


def _against(model: str, needs: MemoryEstimate, gpu: Gpu, share: float) -> PlanCheck:
    total = needs.total or 0
    told = {"model": model, "size": _gib(total), "gpu": gpu.name, "there": _gib(gpu.total)}
    if not needs.fits(gpu.total, share):
        return PlanCheck("stop", tr("{model} takes at least {size} GiB on each GPU; {gpu} has "
                                  "{there} GiB. Spread it over more GPUs, or take a shorter "
                                  "max_model_len.", **told))  # fmt: skip
    if total > gpu.free:
        return PlanCheck("warn", tr("{model} takes at least {size} GiB, and {gpu} has only {free} "
                                  "GiB free now; the run waits or fails while others use it.",
                                  free=_gib(gpu.free), **told))  # fmt: skip
    return PlanCheck("good", tr("{model} takes at least {size} GiB on each GPU; {gpu} has {there} "
                              "GiB.", **told))  # fmt: skip


def _about_keys(ws: Workspace, wish: EvaluationRequest, chosen: Engine) -> list[PlanCheck]:
    """Where the answers to the items stay, where the prompts go, whether a server's key is set."""
    home = tr("The keys stay in this workspace; a run's folder holds questions only.")
    kind, _, profile = wish.launcher.partition(":")
    if chosen.needs_server and wish.params.base_url.strip():
        return [PlanCheck("good", home), *_about_server(wish.params)]
    if kind == "slurm" and profile:
        from core.jobs.launchers.profiles import slurm_profile

        try:
            host = slurm_profile(ws.place.folder, profile).host
        except BenchsealError:
            return [PlanCheck("good", home)]  # said already where the launcher was checked
        if host:
            said = tr("The questions are copied to {host}.", host=host)
            return [PlanCheck("good", home), PlanCheck("note", said)]
    return [PlanCheck("good", home)]


def _about_server(params: EvaluateParams) -> list[PlanCheck]:
    try:
        server = ModelServer(params.base_url, params.model or "-", key_env=params.key_env)
        key = find_key(server)
    except InputError as error:
        return [PlanCheck("stop", str(error))]
    if server.on_loopback:
        return [PlanCheck("good", tr("The questions go to a server on this machine."))]
    sent = PlanCheck("note", tr("The questions go to {server}.", server=server.base_url))
    if key:
        return [sent, PlanCheck("good", tr("A key for the server is set."))]
    said = tr("No key is set for the server. A paid one needs BENCHSEAL_API_KEY, or one in the "
              "system's keyring.")  # fmt: skip
    return [sent, PlanCheck("warn", said)]


def _about_judge(wish: EvaluationRequest, load: Workload) -> list[PlanCheck]:
    """How often a judge is asked, and where it is."""
    judge = wish.params.judge
    if judge is None:
        return []
    try:
        server = judge.server()
    except InputError as error:
        return [PlanCheck("stop", str(error))]
    answers = trn("1 answer", "{n} answers", load.prompts * len(wish.per_model))
    if server.on_loopback:
        sentence = tr("{judge} judges up to {answers} afterwards, on this machine.",
                      judge=judge.model, answers=answers)  # fmt: skip
        return [PlanCheck("note", sentence)]
    sentence = tr("{judge} judges up to {answers} afterwards: answers and references are sent to "
                  "{server}. Its tokens are not counted here.",
                  judge=judge.model, answers=answers, server=server.base_url)  # fmt: skip
    return [PlanCheck("warn", sentence)]


def _about_split(ws: Workspace, info: "SplitInfo") -> list[PlanCheck]:
    """What a person should know about the split before its scores are told to others."""
    from core.workflow.splits import freeze, lifecycle

    found: list[PlanCheck] = []
    try:
        freeze.refuse_sealed(info)
    except StateError as error:
        found.append(PlanCheck("stop", str(error)))
    if info.unaudited:
        found.append(
            PlanCheck(
                "warn",
                trn(
                    "No audit has seen {count} of 1 item.",
                    "No audit has seen {count} of {n} items.",
                    info.size,
                    count=info.unaudited,
                ),
            )
        )
    if info.state == SplitState.EXPIRED:
        said = tr("The split has expired: its items count as public, and models may know them.")
        found.append(PlanCheck("warn", said))
    elif openings := lifecycle.life(ws, info.name).openings:
        said = trn(
            "The split was sealed and has been opened once: models may have seen it since.",
            "The split was sealed and has been opened {n} times: models may have seen it since.",
            openings,
        )
        found.append(PlanCheck("warn", said))
    return found or [PlanCheck("good", tr("Every item of the split was audited."))]


def _about_trial(wish: EvaluationRequest, trial: DryRunResult | None) -> list[PlanCheck]:
    if wish.launcher != "local":
        return [PlanCheck("note", tr("How long it takes is known on the cluster only."))]
    if trial is None:
        return []
    if trial.error:
        return [PlanCheck("warn", tr("The trial {name} failed: {reason}", name=trial.name,
                                   reason=trial.error))]  # fmt: skip
    if trial.failed:
        return [
            PlanCheck(
                "warn",
                trn(
                    "{failed} of 1 item had no answer in the trial {name}.",
                    "{failed} of {n} items had no answer in the trial {name}.",
                    trial.prompts,
                    failed=trial.failed,
                    name=trial.name,
                ),
            )
        ]
    said = trn(
        "The only item of the trial {name} was answered; its answer was thrown away.",
        "All {n} items of the trial {name} were answered; its answers were thrown away.",
        trial.prompts,
        name=trial.name,
    )
    return [PlanCheck("good", said)]


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)


def _gib(size: int) -> str:
    return f"{size / GIB:.1f}"


# -- starting -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StartedRuns:
    """The runs that were started, and why the next one was not, if one was refused."""

    runs: tuple[str, ...]
    trouble: str = ""


def start(ws: Workspace, wish: EvaluationRequest) -> StartedRuns:
    """Start one run for every model. Raises where not even the first could be started."""
    from core.workflow.evaluation import start as evaluate

    begun: list[str] = []
    for params in wish.per_model:
        try:
            folder = evaluate.start(
                ws,
                wish.split,
                params,
                shards=wish.shards,
                launcher=wish.launcher,
                gpus=wish.gpus,
            )
        except BenchsealError as error:
            if not begun:
                raise
            return StartedRuns(tuple(begun), str(error))
        begun.append(folder.spec().id)
    return StartedRuns(tuple(begun))
