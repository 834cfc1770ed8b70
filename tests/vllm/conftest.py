"""Engines that need an environment of their own: ``make test-vllm`` makes it and runs these.

Anywhere else there is no vLLM to import, and nothing here is collected.
"""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("vllm") else ["test_*.py"]


@pytest.fixture(autouse=True, scope="session")
def no_settings_of_a_person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folders that the tests allow are not remembered for the person who tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield
