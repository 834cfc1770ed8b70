"""The run kind ``judge``: a verdict of a language model on every answer of an evaluation.

Its folder holds references, so it stays at home: it is worked on where scoring is done, never where
a model is evaluated. Good replies are kept in a cache beside the runs, so that a killed or repeated
judging pays for none of them twice.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.evaluation.judges import (
    CREATIVE,
    CREATIVE_CRITERIA,
    JudgeReport,
    JudgeTask,
    JudgeVerdict,
    judge_prompt,
    judge_report,
    prompt_digests,
    unit_scores,
    verdicts,
)
from core.evaluation.params import JudgeKind, JudgeParams
from core.evaluation.types import Answer
from core.families.base import ItemContent
from core.i18n import trn
from core.jobs.folder import RunFolder
from core.jobs.run_kind import RunContext

KINDS: tuple[JudgeKind, ...] = ("correctness", "creative")

# What the creative criteria of an answer are averaged from: the judge's confidence is about itself.
SCORED_CRITERIA = tuple(name for name in CREATIVE_CRITERIA if name != "confidence")


class JudgedQuestion(NamedTuple):
    """An item that a judge is told of, the wording it was asked by (empty for its own), how it is
    judged, and what its task tells a judge."""

    content: ItemContent
    wording: str
    kind: JudgeKind
    criteria: str = ""


def judge_rows(
    answers: Iterable[Answer],
    question_of: Callable[[str], JudgedQuestion | None],
) -> Iterator[dict[str, Any]]:
    """The lines of a judging's ``work.jsonl``, made as they are asked for.

    ``question_of`` gives what an answer's id asked, None for what is not judged; that is left out,
    and so are answers that could not be had. A refusal has nothing to judge and counts as no
    answer.
    """
    for answer in answers:
        question = None if answer.outcome == "failed" else question_of(answer.id)
        if question is not None:
            content, wording, kind, told = question
            text = answer.choice or ("" if answer.outcome == "refused" else answer.text)
            yield {"id": answer.id, "kind": kind, **question_parts(content, wording),
                   "answer": text, **({"criteria": told} if told else {})}  # fmt: skip


def question_parts(content: ItemContent, wording: str) -> dict[str, str]:
    """Instruction, input and reference of an item, whatever its family."""
    from core.families import family

    payload, kind = content.payload, family(content.family)
    reference = kind.key(content)
    if content.family != "instruction" or "input" not in payload:
        prompt = kind.prompt(content, wording)
        return {"instruction": prompt.text, "input": "", "reference": reference}
    others = [str(alternative) for alternative in payload.get("alternatives") or ()]
    return {
        "instruction": wording or str(payload["instruction"]),
        "input": str(payload["input"]),
        "reference": "\n".join([reference, *others]),
    }


class Judging:
    """Asks the judge for every pending answer; one verdict, one line."""

    name = "judge"
    params_model = JudgeParams

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Verdicts as they arrive. Raises OutsideError where the server answers nothing."""
        params: JudgeParams = context.params
        params = params.model_copy(update={"cache": cache_beside(context.folder, params.cache)})
        counts: Counter[str] = Counter()
        tokens = cached = 0
        for kind in KINDS:
            tasks = [
                JudgeTask(row["id"], row["instruction"], row["input"], row["reference"],
                          row["answer"], row.get("criteria", ""))
                for row in pending
                if row["kind"] == kind
            ]  # fmt: skip
            if not tasks or context.stopping():
                continue
            context.log(
                trn("judge {model}, prompt {version}: 1 answer",
                    "judge {model}, prompt {version}: {n} answers",
                    len(tasks), model=params.model, version=judge_prompt(kind).version)
            )  # fmt: skip
            for verdict in verdicts(params.judge(kind), tasks, stopping=context.stopping):
                counts[verdict.outcome] += 1
                tokens, cached = tokens + verdict.tokens, cached + verdict.cached
                context.note(outcomes=dict(counts), tokens=tokens, cached=cached)
                yield verdict_row(verdict, kind)

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """What each kind of judge made of the answers; see ``JudgeReport``."""
        params = JudgeParams.model_validate(run.spec().params)
        by_kind = verdicts_of(records)
        return {
            "items": len(records),
            "of": params.of,
            "model": params.model,
            "judges": [report.as_json() for report in reports_of(params, by_kind)],
            "prompts": {
                name: digest for kind in by_kind for name, digest in prompt_digests(kind).items()
            },
        }


JUDGE = Judging()


def kept_replies(place: Path) -> Path:
    """Where a workspace's folder keeps the good replies of judges."""
    return place / "cache" / "judge"


def cache_beside(folder: Path, named: str) -> str:
    """The cache of the workspace in whose runs the folder lies, where that is the one it names and
    this person's own; else none: a run that comes from elsewhere says nowhere to write."""
    place = folder.resolve().parent.parent
    expected = kept_replies(place)
    ours = place.stat().st_uid == os.geteuid() and expected.resolve() == expected
    return named if named and ours and Path(named).resolve() == expected else ""


def verdict_row(verdict: JudgeVerdict, kind: str) -> dict[str, Any]:
    """A line of a judging's shard file."""
    return {
        "id": verdict.id,
        "kind": kind,
        "outcome": verdict.outcome,
        "values": dict(verdict.values),
        "reasons": verdict.reasons,
        "error": verdict.error,
        "cached": verdict.cached,
        "tokens": verdict.tokens,
    }


def verdicts_of(records: Iterable[Mapping[str, Any]]) -> dict[JudgeKind, list[JudgeVerdict]]:
    """The verdicts in a judging's records, by kind; kinds without any are left out."""
    by_kind: dict[JudgeKind, list[JudgeVerdict]] = {}
    for row in records:
        verdict = JudgeVerdict(
            row["id"], row["outcome"], row["values"], row["reasons"], row["error"], row["cached"],
            row["tokens"],
        )  # fmt: skip
        by_kind.setdefault(row["kind"], []).append(verdict)
    return {kind: by_kind[kind] for kind in KINDS if kind in by_kind}


def reports_of(
    params: JudgeParams, by_kind: Mapping[JudgeKind, Sequence[JudgeVerdict]]
) -> list[JudgeReport]:
    """A report per kind of judging."""
    return [judge_report(params.judge(kind), of_kind) for kind, of_kind in by_kind.items()]


def judged_scores(
    by_kind: Mapping[JudgeKind, Sequence[JudgeVerdict]],
) -> dict[str, float | None]:
    """Score in 0…1 by answer id; None for what was put before the judge and not judged.

    Correctness: the verdict on the answer. Creative: the mean of creativity, fluency and following
    the instruction, each (r − 1)/4. No answer is 0.
    """
    scores: dict[str, float | None] = {}
    for kind, of_kind in by_kind.items():
        criteria = SCORED_CRITERIA if kind == CREATIVE else ("answer_correct",)
        by_criterion = [unit_scores(kind, of_kind, name) for name in criteria]
        for verdict in of_kind:
            values = [part[verdict.id] for part in by_criterion if verdict.id in part]
            scores[verdict.id] = sum(values) / len(values) if values else None
    return scores
