"""Embeddings from an OpenAI-compatible server, in batches."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core.errors import OutsideError
from core.llm.batch import work_all
from core.llm.session import ServerSession
from core.llm.types import ModelServer

if TYPE_CHECKING:
    import numpy as np


def embed_all(
    server: ModelServer,
    texts: Sequence[str],
    *,
    batch: int = 64,
    concurrency: int = 4,
    stopping: Callable[[], bool] | None = None,
) -> "np.ndarray":
    """Embeddings as a float32 array of shape (len(texts), dimensions), rows in input order.

    An empty text is sent as one space, which servers accept. Raises OutsideError where the server
    fails; a stop leaves zero rows for what was not asked.
    """
    import numpy as np

    starts = range(0, len(texts), batch)

    async def do(session: ServerSession, start: int) -> list[list[float]]:
        return await session.embed([t or " " for t in texts[start : start + batch]])

    result = np.zeros((len(texts), 0), dtype=np.float32)
    for start, vectors in work_all(
        server, starts, do, concurrency=concurrency, stopping=stopping or (lambda: False)
    ):
        rows = np.asarray(vectors, dtype=np.float32)
        if not result.shape[1]:
            result = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
        if rows.shape[1] != result.shape[1]:
            raise OutsideError.tr(
                "The server {url} returned embeddings of different lengths, {one} and "
                "{other}, which cannot be compared.", url=server.base_url, one=result.shape[1],
                other=rows.shape[1]
            )  # fmt: skip
        result[start : start + len(rows)] = rows
    return result
