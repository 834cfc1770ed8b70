"""What an evaluation and a judging are told: read for every report, so they import no engine."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.evaluation.types import EngineParams

if TYPE_CHECKING:
    from core.evaluation.judges import Judge
    from core.llm.keys import NamedServer
    from core.llm.types import ModelServer

JudgeKind = Literal["creative", "correctness"]
IMPORTED = "import:"
"""Before the name of the harness whose answers were imported, where an engine would stand."""


class JudgeParams(BaseModel):
    """Who judges and how. ``kind`` ``auto`` goes by each task's metric; ``of`` names the run whose
    answers are judged; ``cache`` is the folder of kept replies, empty for none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    base_url: str
    # named by older runs, and by people who say so: nothing that is kept names a variable
    key_env: str = Field(default="", exclude=True)
    kind: Literal["auto", "creative", "correctness"] = "auto"
    concurrency: int = Field(default=8, ge=1, le=1024)
    max_tokens: int = Field(default=512, ge=16)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    seed: int = 0
    asks: int = Field(default=2, ge=1, le=5)
    timeout_s: float = Field(default=120.0, gt=0)
    retries: int = Field(default=8, ge=0, le=20)
    of: str = ""
    cache: str = ""

    def server(self) -> "ModelServer":
        """The server that is asked; InputError for an unusable address."""
        from core.llm.types import ModelServer

        return ModelServer.named_by(self)

    def named(self) -> "NamedServer":
        """The server, as whoever gave its address consents to it."""
        from core.llm.keys import NamedServer

        return NamedServer(self.base_url, self.key_env)

    def judge(self, kind: JudgeKind | Literal["pairwise"]) -> "Judge":
        """The judge of one kind."""
        from core.evaluation.judges import Judge
        from core.llm.cache import ReplyCache

        return Judge(
            kind,
            self.server(),
            ReplyCache(Path(self.cache)) if self.cache else None,
            concurrency=self.concurrency,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=self.seed,
            asks=self.asks,
        )

    def same_judge(self, other: "JudgeParams") -> bool:
        """Whether both would give the same verdicts: the same model asked the same way."""
        names = ("model", "kind", "max_tokens", "temperature", "seed", "asks", "of")
        return all(getattr(self, name) == getattr(other, name) for name in names)


class PairwiseParams(JudgeParams):
    """Who compares the answers of which runs in pairs: ``runs`` are evaluations of ``split``, with
    their ``models`` one for one; ``of`` is the first of them."""

    runs: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    split: str = ""


class EvaluateParams(EngineParams):
    """Parameters of an evaluation run. ``split_digest`` is the manifest's, for the report;
    ``variants``, ``templates``, ``shots`` and ``shots_from`` say how the items were put into words,
    ``orders`` in how many orders of its options each was asked.
    ``judge`` is asked at home once the answers are there: no worker sees it."""

    split: str
    split_digest: str = ""
    instruction: str = ""
    variants: str = ""
    templates: str = ""
    orders: int = Field(1, ge=1, le=26)
    shots: int = Field(default=0, ge=0, le=64)
    shots_from: str = ""
    judge: JudgeParams | None = None

    def named_servers(self) -> tuple["NamedServer", ...]:
        """The servers in it, as whoever gave their addresses consents to them."""
        from core.llm.keys import NamedServer

        judges = () if self.judge is None else (self.judge.named(),)
        return (NamedServer(self.base_url, self.key_env), *judges)


class AdaptiveParams(EvaluateParams):
    """An evaluation that asks one item after the other until the score is known ``within`` half a
    95% interval, or ``most`` of the items (both in 0…1) are asked. ``bank`` says whose answers
    calibrated the items: a file's name, or nothing for ``bank_models`` of the split itself.
    ``choice``: the items that tell most, or a part drawn at random by ``seed``."""

    within: float = Field(default=0.015, gt=0, le=1)
    most: float = Field(default=1.0, gt=0, le=1)
    bank: str = ""
    bank_models: int = Field(default=0, ge=0)
    choice: Literal["telling", "random"] = "telling"
