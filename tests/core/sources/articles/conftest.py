"""One child reads the articles of a file of tests: its start takes longer than most articles."""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from core.sources.articles import read_paths
from core.sources.bounded import BoundedReader


@pytest.fixture(autouse=True, scope="module")
def _one_child_reads() -> Iterator[None]:
    """What ends a child, and what one may cost, is tried in ``tests/core/sources/test_bounded``."""
    with BoundedReader() as kept, pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_paths, "BoundedReader", lambda: nullcontext(kept))
        yield
