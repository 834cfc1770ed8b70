"""The columns of every frame: one table, which the help pages print and the tests hold to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from core.i18n import tr

DType = Literal[
    "string", "category", "boolean", "Int64", "Float64", "datetime64[us, UTC]", "object"
]


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """One column: its name, the field that it is read from, its dtype, and what it holds.

    The empty text is a missing value, unless ``blank`` says that it is a value like others.
    """

    name: str
    field: str
    dtype: DType
    meaning: str
    blank: bool = False


def _item() -> FrameColumn:
    return FrameColumn("item", "item_id", "Int64", tr("item number"))


def _revision() -> FrameColumn:
    return FrameColumn("revision", "revision", "Int64", tr("revision that it is about, from 1"))


def _home() -> tuple[FrameColumn, ...]:
    return (
        FrameColumn("benchmark", "benchmark", "category", tr("name of the benchmark")),
        FrameColumn("task", "task", "category", tr("name of the task")),
    )


def _person(meaning: str) -> FrameColumn:
    return FrameColumn("person", "person", "category", meaning)


def _moment(name: str, meaning: str, field: str = "at") -> FrameColumn:
    return FrameColumn(name, field, "datetime64[us, UTC]", meaning)


def _items() -> tuple[FrameColumn, ...]:
    return (
        FrameColumn("item", "id", "Int64", tr("item number")),
        *_home(),
        FrameColumn("family", "family", "category", tr("family of the task")),
        FrameColumn("format", "format", "category", tr("format within the family")),
        FrameColumn("domain", "domain", "category", tr("domain, such as cs")),
        FrameColumn("label", "label", "category", tr("label, where the task has labels")),
        FrameColumn("state", "state", "category", tr("state, as in the list of items")),
        FrameColumn("revision", "revision", "Int64", tr("current revision, from 1")),
        FrameColumn("round", "round", "Int64", tr("audit round of the item, from 1")),
        FrameColumn("disputed", "disputed", "boolean", tr("whether its reviewers disagree")),
        FrameColumn("barred", "barred", "string", tr("why it can never be accepted")),
        FrameColumn("hidden", "hidden", "boolean", tr("whether you must decide on it first")),
        FrameColumn("author", "author", "category", tr("author")),
        FrameColumn("gold", "gold", "category", tr("known verdict of a gold item")),
        FrameColumn("run", "run_id", "string", tr("run that made it")),
        FrameColumn("hash", "content_hash", "string", tr("SHA-256 of its content")),
        _moment("created_at", tr("when it came into the workspace")),
        _moment("changed_at", tr("when it changed last"), "changed_at"),
        FrameColumn("payload", "payload", "object", tr("content, a dict with its family's fields")),
        FrameColumn("provenance", "provenance", "object", tr("where it comes from, a dict")),
    )


def _decisions() -> tuple[FrameColumn, ...]:
    kinds = tr("review, adjudication, audit, gold or bulk")
    return (
        FrameColumn("decision", "id", "Int64", tr("number of the decision")),
        _item(),
        _revision(),
        *_home(),
        FrameColumn("stage", "stage", "Int64", tr("2 check, 3 audit")),
        FrameColumn("kind", "kind", "category", kinds),
        _person(tr("who decided")),
        FrameColumn("verdict", "verdict", "category", tr("accept, reject or return")),
        FrameColumn("reason", "reason", "category", tr("reason of a rejection")),
        FrameColumn("note", "note", "string", tr("note to the author")),
        FrameColumn("seconds", "seconds", "Float64", tr("active time in seconds, 0 if unmeasured")),
        FrameColumn("lot", "lot_id", "Int64", tr("lot of an audit decision")),
        _moment("decided_at", tr("when it was decided")),
    )


def _ratings() -> tuple[FrameColumn, ...]:
    return (
        FrameColumn("rating", "id", "Int64", tr("number of the rating")),
        _item(),
        _revision(),
        *_home(),
        _person(tr("who rated")),
        FrameColumn("criterion", "criterion", "category", tr("criterion of the rubric")),
        FrameColumn("value", "value", "Float64", tr("value on the criterion's scale")),
        FrameColumn("seconds", "seconds", "Float64", tr("active time in seconds, 0 if unmeasured")),
        _moment("rated_at", tr("when it was rated")),
    )


def _screenings() -> tuple[FrameColumn, ...]:
    return (
        FrameColumn("screening", "id", "Int64", tr("number of the screening")),
        _item(),
        _revision(),
        *_home(),
        FrameColumn("run", "run_id", "string", tr("run of the gate")),
        FrameColumn("model", "model", "category", tr("model that scored")),
        FrameColumn("prompt_version", "prompt_version", "category", tr("version of the prompt")),
        FrameColumn("outcome", "outcome", "category", tr("passed, screened_out or what failed")),
        FrameColumn("score", "score", "Float64", tr("score from 0 to 10")),
        FrameColumn("threshold", "threshold", "Float64", tr("lowest score that passes")),
        FrameColumn("audited", "audited", "boolean", tr("whether people check it anyway")),
        FrameColumn("tokens", "tokens", "Int64", tr("tokens used")),
        FrameColumn("rationale", "rationale", "string", tr("the model's reasons")),
        _moment("screened_at", tr("when it was scored")),
    )


def _runs() -> tuple[FrameColumn, ...]:
    return (
        FrameColumn("run", "id", "string", tr("id of the run")),
        FrameColumn("kind", "kind", "category", tr("generate, prescreen, evaluate, …")),
        FrameColumn("benchmark", "benchmark", "category", tr("name of the benchmark")),
        FrameColumn("split", "split", "category", tr("name of the split")),
        FrameColumn("title", "title", "string", tr("title of the run")),
        FrameColumn("model", "model", "category", tr("model, or the engine that needs none")),
        FrameColumn("launcher", "launcher", "category", tr("where it ran")),
        FrameColumn("shards", "shards", "Int64", tr("workers that shared it")),
        _moment("started_at", tr("when it was started")),
        _moment("taken_in_at", tr("when its results were taken in"), "taken_in_at"),
        FrameColumn("params", "params", "object", tr("its parameters, a dict")),
        FrameColumn("summary", "summary", "object", tr("what was taken in, a dict")),
    )


def _answers() -> tuple[FrameColumn, ...]:
    return (
        FrameColumn("run", "run", "category", tr("id of the run")),
        _item(),
        *_home(),
        FrameColumn(
            "variant", "variant", "category", tr("wording it was asked in; empty: its own"), True
        ),
        FrameColumn("outcome", "outcome", "category", tr("ok, or what was wrong with the answer")),
        FrameColumn("text", "text", "string", tr("the whole answer")),
        FrameColumn("extracted", "extracted", "string", tr("what was read out of it")),
        FrameColumn("score", "score", "Float64", tr("score from 0 to 1")),
    )


FRAMES: Mapping[str, Callable[[], tuple[FrameColumn, ...]]] = {
    "items": _items,
    "decisions": _decisions,
    "ratings": _ratings,
    "screenings": _screenings,
    "runs": _runs,
    "answers": _answers,
}
"""The columns of each frame, in the language in use."""
