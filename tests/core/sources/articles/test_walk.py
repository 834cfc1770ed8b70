"""The files under the paths that somebody gives."""

from pathlib import Path

import pytest

from core.errors import InputError
from core.sources.articles.walk import walk
from core.sources.limits import Limits


def test_an_address_on_the_web_is_not_called_a_missing_file() -> None:
    with pytest.raises(InputError, match=r"“https://arxiv\.org/abs/2401\.00001” is an address"):
        walk([Path("https://arxiv.org/abs/2401.00001")], Limits())
