"""A language model as judge: of creative texts, and of answers no pattern can read.

The judge is any OpenAI-compatible model. Its good replies are kept on disk, so that a report
made again asks nothing; invalid, truncated, refused and failed ones are outcomes of their own.
``core.evaluation.judge_agreement`` says how far it can be trusted.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.errors import InputError
from core.files import file_digest
from core.i18n import listed
from core.llm.batch import work_all
from core.llm.cache import ReplyCache
from core.llm.replies import InvalidReply, json_schema, parse_json_reply
from core.llm.session import ServerSession
from core.llm.types import ChatRequest, Message, ModelServer, Reply
from core.report_table import JsonFields
from core.sources.chinese_text import is_chinese
from resources import resource

Outcome = Literal["ok", "invalid", "truncated", "refused", "empty", "failed"]

CREATIVE, CORRECTNESS = "creative", "correctness"
PAIRWISE: Final = "pairwise"
CHINESE = "zh"
"""The language of questions in Chinese, which have role prompts of their own."""
CREATIVE_CRITERIA = ("creativity", "fluency", "instruction_following", "confidence")
LOWEST_RATING, HIGHEST_RATING = 1, 5

_PLACE = re.compile(r"\{\{(instruction|input|reference|answer|first|second)\}\}")

_TOLD = "{{criteria}}"

Rating = Annotated[int, Field(ge=LOWEST_RATING, le=HIGHEST_RATING)]


class CreativeReply(BaseModel):
    """Ratings of one creative text, 1 to 5 each (CIF-Bench §3.3 names the four)."""

    model_config = ConfigDict(frozen=True)

    reasons: Annotated[str, Field(max_length=2000)]
    creativity: Rating
    fluency: Rating
    instruction_following: Rating
    confidence: Rating


class CorrectnessReply(BaseModel):
    """Verdicts on the reference and on the answer (CIF-Bench figure 3)."""

    model_config = ConfigDict(frozen=True)

    reasons: Annotated[str, Field(max_length=2000)]
    reference_correct: bool
    answer_correct: bool


class PairwiseReply(BaseModel):
    """Which of two answers is better, as they were shown."""

    model_config = ConfigDict(frozen=True)

    reasons: Annotated[str, Field(max_length=2000)]
    better: Literal["first", "second", "tie"]


PREFERENCES: Mapping[str, float] = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""What a preference counts for the answer that was shown first."""

_FORMS: Mapping[str, type[CreativeReply] | type[CorrectnessReply] | type[PairwiseReply]] = {
    CREATIVE: CreativeReply,
    CORRECTNESS: CorrectnessReply,
    PAIRWISE: PairwiseReply,
}


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One answer to judge, with what it answers, and what its task tells a judge."""

    id: str
    instruction: str
    input: str
    reference: str
    answer: str
    criteria: str = ""


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """A prompt file. ``version`` is its own name for itself, ``sha256`` what it really says."""

    version: str
    sha256: str
    system: str
    item: str


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """What the judge made of one answer. ``values`` is empty unless ``outcome`` is ``ok``.

    Creative: the four ratings. Correctness: ``answer_correct`` and ``reference_correct`` as 0 or
    1. ``cached`` marks a verdict that was not paid for again.
    """

    id: str
    outcome: Outcome
    values: Mapping[str, float] = field(default_factory=dict)
    reasons: str = ""
    error: str = ""
    cached: bool = False
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judges, by which prompt, and how often an unreadable reply is asked for again."""

    kind: Literal["creative", "correctness", "pairwise"]
    server: ModelServer
    cache: ReplyCache | None = None
    concurrency: int = 8
    max_tokens: int = 512
    temperature: float = 0.0
    seed: int = 0
    asks: int = 2

    @property
    def name(self) -> str:
        """Model and prompt version, as reports name the judge."""
        return f"{self.server.model}, {judge_prompt(self.kind).version}"


@cache
def judge_prompt(kind: str, language: str = "") -> JudgePrompt:
    """The prompt of a kind of judging, in the language where there is one in it; InputError where
    there is none at all."""
    path = resource("prompts", f"judge_{kind}.{language}.md")
    if not language or not path.is_file():
        path = resource("prompts", f"judge_{kind}.md")
    if kind not in _FORMS or not path.is_file():
        raise InputError.tr(
            "There is no judge of the kind “{kind}”. Available: {known}.",
            kind=kind,
            known=listed(_FORMS),
        )
    head, _, rest = path.read_text(encoding="utf-8").partition("# system\n")
    system, _, item = rest.partition("# item\n")
    version = head.partition("version:")[2].strip()
    return JudgePrompt(version, file_digest(path), system.strip(), item.strip())


@cache
def task_prompt(language: str = "") -> str:
    """What stands around the words that a task tells a judge, before the answer to judge."""
    name = f"judge_task.{language}.md" if language else "judge_task.md"
    return resource("prompts", name).read_text(encoding="utf-8").partition("# task\n")[2].strip()


def prompt_digests(kind: str) -> dict[str, str]:
    """SHA-256 of the prompts that a kind of judging may use, by ``kind`` and ``kind.zh``."""
    own, other = judge_prompt(kind), judge_prompt(kind, CHINESE)
    return {kind: own.sha256} | ({f"{kind}.{CHINESE}": other.sha256} if other != own else {})


def judge_request(judge: Judge, task: JudgeTask) -> ChatRequest:
    """The request that asks for a verdict on one answer."""
    texts = {"instruction": task.instruction, "input": task.input, "reference": task.reference,
             "answer": task.answer, "criteria": task.criteria}  # fmt: skip
    return request_of(judge, task.id, texts)


def request_of(judge: Judge, id_: str, values: Mapping[str, str]) -> ChatRequest:
    """The request that a judge's prompt makes of these texts, by the names of its places."""
    asked = values.get("instruction", "") + values.get("input", "")
    prompt = judge_prompt(judge.kind, CHINESE if is_chinese(asked) else "")
    # one pass: text of an answer that looks like a placeholder stays as it is
    user = _PLACE.sub(lambda place: values[place.group(1)], prompt.item)
    if told := values.get("criteria", "").strip():
        user = f"{task_prompt(CHINESE if is_chinese(asked) else '').replace(_TOLD, told)}\n\n{user}"
    return ChatRequest(
        id=id_,
        messages=(Message("system", prompt.system), Message("user", user)),
        max_tokens=judge.max_tokens,
        temperature=judge.temperature,
        seed=judge.seed,
        schema=json_schema(_FORMS[judge.kind]),
        schema_name=f"judge_{judge.kind}",
    )


def verdicts(
    judge: Judge,
    tasks: Iterable[JudgeTask],
    *,
    stopping: Callable[[], bool] | None = None,
) -> Iterator[JudgeVerdict]:
    """A verdict for every task, in the order in which they are ready.

    An answer without text is not sent: it is ``empty``. Raises OutsideError where the judge's
    server answers nothing.
    """

    async def do(session: ServerSession, task: JudgeTask) -> JudgeVerdict:
        return await _judged(judge, session, task)

    results = work_all(
        judge.server,
        tasks,
        do,
        concurrency=judge.concurrency,
        stopping=stopping or (lambda: False),
    )
    for _, verdict in results:
        yield verdict


async def _judged(judge: Judge, session: ServerSession, task: JudgeTask) -> JudgeVerdict:
    if not task.answer.strip():
        return JudgeVerdict(task.id, "empty")
    return await asked_verdict(judge, session, judge_request(judge, task))


async def asked_verdict(judge: Judge, session: ServerSession, request: ChatRequest) -> JudgeVerdict:
    """The verdict that a request of the judge brings: kept, or asked for until one is valid."""
    version = judge_prompt(judge.kind).sha256
    verdict = JudgeVerdict(request.id, "invalid")
    tokens = 0
    for attempt in range(max(1, judge.asks)):
        # the same question at another seed, or a deterministic judge repeats its mistake
        attempted = replace(request, seed=judge.seed + attempt)
        key = judge.cache.key(judge.server, attempted, version) if judge.cache else ""
        cached = judge.cache.get(key) if judge.cache else None
        reply = cached or await session.ask(attempted)
        tokens += 0 if cached else reply.tokens
        verdict = read_verdict(judge.kind, request.id, reply)
        if judge.cache and not cached:
            judge.cache.put(key, reply)
        if verdict.outcome != "invalid":
            return replace(verdict, cached=cached is not None, tokens=tokens)
    return replace(verdict, tokens=tokens)


def read_verdict(kind: str, id_: str, reply: Reply) -> JudgeVerdict:
    """The verdict in a reply; anything but the one asked-for JSON object is ``invalid``."""
    if reply.outcome != "ok":
        return JudgeVerdict(id_, reply.outcome, error=reply.error or reply.refusal)
    try:
        form = parse_json_reply(reply.text, _FORMS[kind])
    except InvalidReply as error:
        return JudgeVerdict(id_, "invalid", error=str(error))
    if isinstance(form, PairwiseReply):
        return JudgeVerdict(id_, "ok", {"better": PREFERENCES[form.better]}, form.reasons)
    values = {name: float(value) for name, value in form.model_dump().items() if name != "reasons"}
    return JudgeVerdict(id_, "ok", values, form.reasons)


@dataclass(frozen=True)
class JudgeReport(JsonFields):
    """A judge's mean values in 0…1, and how many answers it did not judge."""

    judge: str
    kind: str
    asked: int
    outcomes: Mapping[str, int]
    means: Mapping[str, float | None]
    disputed_references: tuple[str, ...]
    cached: int
    tokens: int


def judge_report(judge: Judge, results: Iterable[JudgeVerdict]) -> JudgeReport:
    """Sum up verdicts. Ratings of 1–5 become 0…1 by (r − 1)/4; empty answers count zero.

    Items that the judge did not judge (invalid, truncated, refused, failed) are left out of the
    means and counted. ``disputed_references`` are items whose kept answer the judge calls wrong.
    """
    verdicts_ = list(results)
    criteria = CREATIVE_CRITERIA if judge.kind == CREATIVE else ("answer_correct",)
    return JudgeReport(
        judge=judge.name,
        kind=judge.kind,
        asked=len(verdicts_),
        outcomes=dict(sorted(Counter(verdict.outcome for verdict in verdicts_).items())),
        means={name: _mean(unit_scores(judge.kind, verdicts_, name)) for name in criteria},
        disputed_references=tuple(
            verdict.id for verdict in verdicts_ if verdict.values.get("reference_correct") == 0
        ),
        cached=sum(verdict.cached for verdict in verdicts_),
        tokens=sum(verdict.tokens for verdict in verdicts_),
    )


def unit_scores(kind: str, results: Iterable[JudgeVerdict], criterion: str) -> dict[str, float]:
    """Score in 0…1 by item id, for the items that have one."""
    scores: dict[str, float] = {}
    for verdict in results:
        if verdict.outcome == "empty":
            scores[verdict.id] = 0.0
        elif verdict.outcome == "ok" and kind == CREATIVE:
            spread = HIGHEST_RATING - LOWEST_RATING
            scores[verdict.id] = (verdict.values[criterion] - LOWEST_RATING) / spread
        elif verdict.outcome == "ok":
            scores[verdict.id] = verdict.values[criterion]
    return scores


def _mean(scores: Mapping[str, float]) -> float | None:
    return sum(scores.values()) / len(scores) if scores else None
