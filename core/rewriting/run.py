"""The run kind ``rewrite``: CoreEval over thousands of items, resumable after a kill.

Work items are ``{"id", "example": LabelledExample}`` (``params.work_of``). Records are those of
``record.Draft``. Beside the shard files the folder holds ``calls-NNN.jsonl`` (every finished call)
and ``knowledge/`` (answers of the DOC API). A budget that is used up ends the run early with the
rest still pending; with a larger one it goes on where it stopped.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from core.i18n import trn
from core.jobs.folder import RunFolder
from core.jobs.run_kind import RunContext
from core.llm.batch import work_all
from core.llm.session import ServerSession
from core.own_places import news_place, require_place
from core.rewriting.call_log import CallLog, usage_of
from core.rewriting.funnel import Funnel
from core.rewriting.knowledge import KnowledgeLookup, open_source, sleep_unless
from core.rewriting.params import RewriteParams
from core.rewriting.pipeline import Pipeline
from core.rewriting.prompts import prompt_versions
from core.rewriting.step_calls import StepCaller
from core.sources.news.events import KnowledgeSource
from core.sources.news.gdelt_bigquery import GIB

_NOTE_EVERY_S = 0.5


class Rewrite:
    """The run kind; see the module."""

    name = "rewrite"
    params_model = RewriteParams

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """One record per item, as its journey ends."""
        params: RewriteParams = context.params
        done = 0
        with CallLog(context.folder, context.shard) as log:
            caller = StepCaller(params, log, _share_of_budget(context, log))
            source = _source(context)
            with KnowledgeLookup(source, params.window(), log, params.facts_per_entity) as lookup:
                notes = _LiveFunnel(context, log)
                for record in _records(context, pending, caller, lookup):
                    done += 1
                    notes.add(record)
                    yield record
                notes.write()
            _tell_end(context, caller, len(pending) - done)

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The funnel, tokens and cost by step, and what was asked with which prompts."""
        params = RewriteParams.model_validate(run.spec().params)
        usage = usage_of(run.path)
        steps = usage.as_json(params.price_prompt, params.price_completion)
        return {
            "funnel": Funnel(records).as_json(),
            "steps": steps,
            "tokens": usage.tokens,
            "cost": round(sum(figures["cost"] for figures in steps.values()), 6),
            "models": {"writer": params.model, "critic": params.critic_model or params.model},
            "knowledge": params.knowledge,
            "window": [params.since.isoformat(), params.until.isoformat()],
            "prompt_versions": prompt_versions(),
        }


REWRITE = Rewrite()


def _records(
    context: RunContext,
    pending: Sequence[dict[str, Any]],
    caller: StepCaller,
    lookup: KnowledgeLookup,
) -> Iterator[dict[str, Any]]:
    params: RewriteParams = context.params
    pipeline = Pipeline(params, caller, lookup)

    async def do(session: ServerSession, work: dict[str, Any]) -> dict[str, Any]:
        return await pipeline.rewrite(session, work)

    results = work_all(
        params.server(),
        takewhile(lambda _: not caller.spent, pending),
        do,
        concurrency=params.concurrency,
        budget_tokens=caller.budget,
        stopping=context.stopping,
    )
    for _, record in results:
        yield record


def _source(context: RunContext) -> KnowledgeSource:
    """The run's source; the API's answers stay in the run folder, a folder's index does not."""
    params: RewriteParams = context.params
    require_place(news_place(params.knowledge))
    asks_api = params.knowledge.startswith("gdelt-doc")
    folder = RunFolder(context.folder).files.subfolder("knowledge") if asks_api else None
    return open_source(
        params.knowledge,
        cache=folder,
        announce=context.log,
        cap_bytes=int(params.bigquery_cap_gib * GIB),
        sleep=sleep_unless(context.stopping),
    )


def _share_of_budget(context: RunContext, log: CallLog) -> int | None:
    """This shard's share of the run's remaining budget."""
    budget: int | None = context.params.budget_tokens
    return None if budget is None else max(0, budget - log.usage.tokens) // context.shards


class _LiveFunnel:
    """The live funnel in ``progress.json``: of the whole run so far, as this shard knows it."""

    def __init__(self, context: RunContext, log: CallLog) -> None:
        self._context = context
        self._log = log
        self._funnel = Funnel(RunFolder(context.folder).records().values())
        self._written = 0.0

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record; the notes are made up a few times a second only."""
        self._funnel.add(record)
        if time.monotonic() - self._written > _NOTE_EVERY_S:
            self.write()

    def write(self) -> None:
        """Make up the notes."""
        params: RewriteParams = self._context.params
        self._written = time.monotonic()
        self._context.note(
            funnel=self._funnel.as_json(),
            steps=self._log.usage.as_json(params.price_prompt, params.price_completion),
            tokens=self._log.usage.tokens,
        )


def _tell_end(context: RunContext, caller: StepCaller, left: int) -> None:
    reached = bool(left and not context.stopping())
    context.note(not_done=left, budget_reached=reached)
    if reached and caller.budget is not None:
        context.log(
            trn(
                "The budget of {budget} is used up; 1 item was not finished.",
                "The budget of {budget} is used up; {n} items were not finished.",
                left,
                budget=trn("1 token", "{n} tokens", context.params.budget_tokens),
            )
        )
