"""The registry of engines. To add one: a file beside this one and an entry in the tuple.

The modules import no heavy package before an engine is used.
"""

from core.errors import NotFoundError
from core.evaluation.engines.baseline import LongestOption, RandomChoice, TfidfOverlap
from core.evaluation.engines.openai_server import OpenAIServer
from core.evaluation.engines.transformers_local import TransformersLocal
from core.evaluation.engines.vllm_offline import VllmOffline
from core.evaluation.engines.vllm_server import VllmServer
from core.evaluation.types import Engine
from core.i18n import listed, tr

ENGINES: tuple[Engine, ...] = (
    RandomChoice(),
    LongestOption(),
    TfidfOverlap(),
    OpenAIServer(),
    VllmOffline(),
    VllmServer(),
    TransformersLocal(),
)


def engine(name: str) -> Engine:
    """The engine of that name; raises NotFoundError for an unknown one."""
    for candidate in ENGINES:
        if candidate.name == name:
            return candidate
    raise NotFoundError(
        tr(
            "There is no engine “{name}”. Available: {known}.",
            name=name,
            known=listed(candidate.name for candidate in ENGINES),
        )
    )
