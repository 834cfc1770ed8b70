"""The run kind ``prescreen``: one verdict of the gate for every item of a run folder.

Work items are ``{"id", "item": ItemContent.as_json()}``; in a run that comes after a generation
they are what that one made, each content once. A record is final for its run: starting the run
again asks only for what has no record. ``forget_failed`` takes the records of failed items out, so
that they are asked again. A budget that is used up ends the run early with the rest
still pending; give it more tokens and start it again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BenchsealError
from core.families.base import ItemContent, task_name
from core.i18n import trn
from core.jobs.folder import RunFolder
from core.jobs.run_kind import RunContext
from core.llm.batch import work_all
from core.llm.replies import InvalidReply
from core.llm.session import ServerSession
from core.llm.types import ModelServer, Reply
from core.screening.gate_prompt import (
    DEFAULT_THRESHOLD,
    HIGHEST,
    LOWEST,
    asked_again,
    gate_prompt,
    gate_request,
    read_verdict,
)
from core.screening.outcomes import OUTCOMES, Outcome

_KEPT_REPLY = 2000  # characters of an unreadable reply that its record keeps


class PrescreenParams(BaseModel):
    """Parameters of a screening run. ``asks`` counts the first ask and those after replies that
    could not be read; ``budget_tokens`` is for the whole run, earlier starts included."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str
    model: str
    # named by older runs, and by people who say so: nothing that is kept names a variable
    key_env: str = Field(default="", exclude=True)
    threshold: Annotated[float, Field(ge=LOWEST, le=HIGHEST)] = DEFAULT_THRESHOLD
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 8
    asks: Annotated[int, Field(ge=1, le=3)] = 2
    max_tokens: Annotated[int, Field(ge=16)] = 1024
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    seed: int | None = None
    budget_tokens: Annotated[int, Field(ge=1)] | None = None
    timeout_s: Annotated[float, Field(gt=0)] = 120.0
    retries: Annotated[int, Field(ge=0, le=20)] = 8
    # after a generation: tasks without a gate, whose items are not screened
    ungated: tuple[str, ...] = ()

    def server(self) -> ModelServer:
        """The server that is asked; InputError for an unusable address."""
        return ModelServer.named_by(self)


class ScreeningRecord(BaseModel):
    """What of a record comes into a workspace. ``tokens`` and ``score`` are what a reply said."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    outcome: Outcome
    score: Annotated[float, Field(ge=LOWEST, le=HIGHEST)] | None = None
    reasons: str = ""
    model: str = ""
    prompt_version: str = ""
    tokens: Annotated[int, Field(ge=0, lt=2**31)] = 0
    server_waits_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    asks: Annotated[int, Field(ge=0)] = 0

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "ScreeningRecord":
        """The record of a run folder; one that makes no sense counts as failed."""
        try:
            known = cls.model_validate(record)
        except ValidationError:
            return cls(outcome="failed")
        scored = known.outcome in ("passed", "screened_out")
        return known if scored == (known.score is not None) else cls(outcome="failed")


@dataclass
class _Spent:
    """What the asks for one item took together."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_s: float = 0.0
    server_waits_s: float = 0.0
    attempts: int = 0
    asks: int = 0

    def add(self, reply: Reply) -> None:
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        self.latency_s += reply.latency_s
        self.server_waits_s += reply.server_waits_s
        self.attempts += reply.attempts
        self.asks += 1


class Prescreen:
    """The run kind; see the module."""

    name = "prescreen"
    params_model = PrescreenParams

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """One record per item, as its verdict arrives."""
        params: PrescreenParams = context.params
        counts = Counter[str]()
        sessions: list[ServerSession] = []

        async def do(session: ServerSession, work: dict[str, Any]) -> dict[str, Any]:
            return await screen_one(session, work, params)

        results = work_all(
            params.server(),
            pending,
            do,
            concurrency=params.concurrency,
            budget_tokens=_share_of_budget(context),
            stopping=context.stopping,
            watch=sessions.append,
        )
        for _, record in results:
            counts[record["outcome"]] += 1
            usage = sessions[0].usage
            context.note(
                **counts,
                asked=counts.total(),
                tokens=usage.tokens,
                retries=usage.retries,
                server_waits_s=round(usage.server_waits_s, 2),
                left_out=sorted(usage.adaptations),
            )
            yield record
        not_asked = len(pending) - counts.total()
        context.note(not_asked=not_asked, budget_reached=bool(not_asked and not context.stopping()))
        if not_asked and not context.stopping():
            context.log(
                trn(
                    "The budget of {budget} is used up; 1 item was not sent.",
                    "The budget of {budget} is used up; {n} items were not sent.",
                    not_asked,
                    budget=trn("1 token", "{n} tokens", params.budget_tokens or 0),
                )
            )

    def work_after(self, earlier: RunFolder, params: PrescreenParams) -> Iterator[dict[str, Any]]:
        """What a generation made, each content once, without tasks that have no gate."""
        seen: set[str] = set()
        for record in earlier.finished().records:
            for row in record["items"]:
                content = ItemContent.from_json(row)
                id_ = work_id_after(content)
                if id_ not in seen and task_name(content) not in params.ungated:
                    seen.add(id_)
                    yield {"id": id_, "item": content.as_json()}

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Counts of the whole run; see ``summary``."""
        return summary(records, run.spec().total)


PRESCREEN = Prescreen()


def work_id_after(content: ItemContent) -> str:
    """Name of a generated item within a screening that comes after the generation."""
    return f"{task_name(content)}@{content.content_hash}"


async def screen_one(
    session: ServerSession, work: Mapping[str, Any], params: PrescreenParams
) -> dict[str, Any]:
    """The record of one item: the verdict, or why there is none, and what it took."""
    spent = _Spent()
    try:
        item = ItemContent.from_json(work["item"])
        prompt = gate_prompt(item.family)
        request = gate_request(
            work["id"],
            item,
            max_tokens=params.max_tokens,
            temperature=params.temperature,
            seed=params.seed,
        )
    except (BenchsealError, KeyError, TypeError) as error:
        return _record(work, "failed", spent, params, error=str(error))
    said = {"prompt_version": prompt.version, "prompt_sha256": prompt.sha256}
    while True:
        reply = await session.ask(request)
        spent.add(reply)
        said["model"] = reply.model
        kept = reply.text[:_KEPT_REPLY]
        if reply.outcome in ("failed", "refused"):
            why = reply.error or reply.refusal
            return _record(work, reply.outcome, spent, params, error=why, **said)
        try:
            verdict = read_verdict(reply.text)
        except InvalidReply as error:
            if reply.outcome == "truncated":
                return _record(work, "truncated", spent, params, reply=kept, **said)
            if spent.asks >= params.asks:
                return _record(
                    work,
                    "invalid",
                    spent,
                    params,
                    error=str(error),
                    reply=kept,
                    **said,
                )
            request = asked_again(request, reply, str(error))
        else:
            outcome: Outcome = "passed" if verdict.score >= params.threshold else "screened_out"
            return _record(work, outcome, spent, params, **verdict.model_dump(), **said)


def summary(records: Sequence[Mapping[str, Any]], total: int) -> dict[str, Any]:
    """Counts over the records of a run that has ``total`` items, finished or not.

    ``asked`` is the sum of all outcomes, and ``asked + not_asked = total``.
    """
    counts = Counter(record["outcome"] for record in records)
    return {
        "asked": len(records),
        **{outcome: counts[outcome] for outcome in OUTCOMES},
        "not_asked": total - len(records),
        "tokens": sum(record["tokens"] for record in records),
        "server_waits_s": round(sum(record["server_waits_s"] for record in records), 2),
        "asked_again": sum(record["asks"] > 1 for record in records),
        "models": sorted({record["model"] for record in records if record["model"]}),
        "prompt_versions": sorted(
            {record["prompt_version"] for record in records if record["prompt_version"]}
        ),
    }


def forget_failed(folder: RunFolder) -> int:
    """Take the failed records out of a run's shard files, so that a new start asks them again.

    Returns how many. ConflictError while a worker is busy with the run.
    """
    forgotten = 0
    for name in folder.shard_names():
        lock = folder.claim(name.removesuffix(".jsonl"))
        try:
            records = list(folder.shard_rows(name))
            remaining = [record for record in records if record.get("outcome") != "failed"]
            if len(remaining) < len(records):
                folder.write_shard(name, remaining)
                forgotten += len(records) - len(remaining)
        finally:
            lock.close()
    if forgotten:
        folder.files.remove("result.json")
    return forgotten


def _share_of_budget(context: RunContext) -> int | None:
    """This shard's share of the tokens that the run has left."""
    params: PrescreenParams = context.params
    if params.budget_tokens is None:
        return None
    records = RunFolder(context.folder).records().values()
    used = sum(int(record["tokens"]) for record in records)
    return max(0, params.budget_tokens - used) // context.shards


def _record(
    work: Mapping[str, Any],
    outcome: Outcome,
    spent: _Spent,
    params: PrescreenParams,
    **details: Any,
) -> dict[str, Any]:
    """The line of one item; ``found`` fills what its outcome knows beyond the counts."""
    record = {
        "id": work["id"],
        "outcome": outcome,
        "score": None,
        "reasons": "",
        "threshold": params.threshold,
        "error": "",
        "reply": "",
        "model": params.model,
        "prompt_version": "",
        "prompt_sha256": "",
        "tokens": spent.prompt_tokens + spent.completion_tokens,
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "latency_s": round(spent.latency_s, 4),
        "server_waits_s": round(spent.server_waits_s, 3),
        "attempts": spent.attempts,
        "asks": spent.asks,
    }
    return record | details
