"""Engines that need an environment of their own: ``make test-vllm`` makes it and runs these.

Anywhere else there is no vLLM to import, and nothing here is collected.
"""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("vllm") else ["test_*.py"]

# what tells most comes first, for where the whole takes longer than there is time
_ORDER = ("test_real_engines.py", "test_same_answers.py", "test_real_matrix.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files in the order above, then the others."""
    items.sort(
        key=lambda item: _ORDER.index(item.path.name) if item.path.name in _ORDER else len(_ORDER)
    )


@pytest.fixture(autouse=True, scope="session")
def no_settings_of_a_person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folders that the tests allow are not remembered for the person who tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        # on a loaded machine an engine takes longer to start than the ten minutes it is given
        patch.setenv("VLLM_ENGINE_READY_TIMEOUT_S", "1700")
        yield
