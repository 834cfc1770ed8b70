"""What every command here prints is on the page of JSON keys."""

import pytest

from tests.e2e.json_keys import only_named_keys

__all__ = ["only_named_keys"]


@pytest.fixture(autouse=True)
def _only_named_keys(only_named_keys: None) -> None:
    """For every test."""
