"""The registry of engines. To add one: a file beside this one and an entry in the tuple.

The modules import no heavy package before an engine is used.
"""

from core.evaluation.engines.baseline import LongestOption, RandomChoice, TfidfOverlap
from core.evaluation.engines.openai_server import OpenAIServer
from core.evaluation.engines.transformers_local import TransformersLocal
from core.evaluation.engines.vllm_offline import VllmOffline
from core.evaluation.engines.vllm_server import VllmServer
from core.evaluation.types import Engine
from core.i18n import tr_noop
from core.known_names import part_named

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
    return part_named(ENGINES, name, tr_noop("There is no engine “{name}”. Available: {known}."))
