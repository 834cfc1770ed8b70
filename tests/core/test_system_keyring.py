"""The system's keyring where it does not keep what it is told."""

import json
import os
import subprocess
from collections.abc import Iterator
from importlib import import_module

import keyring
import pytest
from keyring.backend import KeyringBackend

from core import system_keyring
from core.errors import OutsideError
from core.own_process import module_command


class WithoutItsModule(KeyringBackend):
    """A keyring of which a part is not installed."""

    priority = 0  # type: ignore[assignment]  # keyring declares a property of the class

    def get_password(self, service: str, username: str) -> str | None:
        """There is no such module."""
        import_module("not_installed_anywhere")
        return username

    def set_password(self, service: str, username: str, password: str) -> None:
        """There is no such module."""
        import_module("not_installed_anywhere")


@pytest.fixture
def incomplete() -> Iterator[None]:
    """Such a keyring, for this test alone."""
    before = keyring.get_keyring()
    keyring.set_keyring(WithoutItsModule())
    yield
    keyring.set_keyring(before)


@pytest.mark.usefixtures("incomplete")
def test_a_keyring_that_fails_in_its_own_way_has_nothing_and_keeps_nothing():
    assert system_keyring.kept("somebody") == ""
    with pytest.raises(OutsideError):
        system_keyring.keep("somebody", "secret")


@pytest.mark.parametrize("chosen", ["no.such.Backend", "Backend", "keyring.backends.fail.Missing"])
def test_doctor_names_a_keyring_that_cannot_be_loaded_and_goes_on(chosen: str):
    done = subprocess.run(
        module_command("core.cli", "doctor", "--json"), capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHON_KEYRING_BACKEND": chosen},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    found = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    assert found["keyring"]["finding"] == "stop"
    assert "PYTHON_KEYRING_BACKEND" in found["keyring"]["remedy"]
    assert "Slurm" in found
