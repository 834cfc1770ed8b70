"""What a rewriting run is told, and the work it is given."""

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from core.llm.types import ModelServer
from core.sources.labelled.datasets import LabelledExample, LabelledTask
from core.sources.news.events import Window


class RewriteParams(BaseModel):
    """Parameters of a rewriting run.

    ``critic_model`` is another model of the same server for the reflection; empty for the writer
    itself. ``knowledge`` is ``gdelt-files:DIR``, ``gdelt-doc`` (``gdelt-doc:URL``) or
    ``gdelt-bigquery`` (``gdelt-bigquery:PROJECT``). ``since`` should be the release date of the
    newest model that is to be evaluated. ``max_rounds`` limits how often a text is written,
    ``asks`` how often one question is put whose reply cannot be used. With ``keep_unchanged`` items
    without entities or knowledge stay in the sets as they are, marked. ``budget_tokens`` is for the
    whole run, earlier starts included. Prices are per million tokens, in any one currency.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: LabelledTask
    base_url: str
    model: str
    critic_model: str = ""
    # named by older runs, and by people who say so: nothing that is kept names a variable
    key_env: str = Field(default="", exclude=True)
    knowledge: str
    since: date
    until: date
    max_rounds: Annotated[int, Field(ge=1, le=20)] = 3
    asks: Annotated[int, Field(ge=1, le=5)] = 2
    keep_unchanged: bool = False
    facts_per_entity: Annotated[int, Field(ge=1, le=100)] = 10
    facts: Annotated[int, Field(ge=1, le=40)] = 8
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 16
    max_tokens: Annotated[int, Field(ge=64)] = 1536
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    seed: int = 0
    budget_tokens: Annotated[int, Field(ge=1)] | None = None
    bigquery_cap_gib: Annotated[float, Field(gt=0)] = 50.0
    price_prompt: Annotated[float, Field(ge=0)] = 0.0
    price_completion: Annotated[float, Field(ge=0)] = 0.0
    timeout_s: Annotated[float, Field(gt=0)] = 120.0
    retries: Annotated[int, Field(ge=0, le=20)] = 7

    @field_validator("knowledge")
    @classmethod
    def _absolute(cls, spec: str) -> str:
        """A worker may start in another folder than the person who named this one."""
        kind, _, place = spec.strip().partition(":")
        if kind == "gdelt-files" and place:
            return f"{kind}:{Path(place).expanduser().absolute()}"
        return spec.strip()

    def server(self) -> ModelServer:
        """The server that is asked; InputError for an unusable address."""
        return ModelServer.named_by(self)

    def window(self) -> Window:
        """Where knowledge may come from; InputError for one that ends before it begins."""
        return Window(self.since, self.until)


def work_of(examples: Iterable[LabelledExample]) -> Iterator[dict[str, Any]]:
    """The work items of a run: one line of ``work.jsonl`` for each example."""
    for example in examples:
        yield {"id": example.id, "example": example.model_dump()}
