"""Which of several windows on one workspace this is: their titles differ, and the last one of a
person gives back what they hold."""

import fcntl
import hashlib
from contextlib import suppress
from io import TextIOWrapper

from platformdirs import user_state_path

from core.files import make_durable_folder

_MOST = 50


class WindowNumber:
    """The lowest number that no other window of this account on the workspace has."""

    def __init__(self, location: str) -> None:
        self.number = 1
        self._handle: TextIOWrapper | None = None
        folder = self._folder = user_state_path("benchseal") / "windows"
        place = location.encode("utf-8", "surrogatepass")
        name = self._name = hashlib.sha256(place).hexdigest()[:16]
        try:
            make_durable_folder(folder)
            for number in range(1, _MOST):
                handle = (folder / f"{name}-{number}.lock").open("a")
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    handle.close()
                    continue
                self.number, self._handle = number, handle
                return
        except OSError:
            return  # a folder that cannot be written: the title has no number, nothing else

    @property
    def is_alone(self) -> bool:
        """Whether no other window of this account has a number of the same workspace."""
        mine = self._handle.name if self._handle is not None else ""
        for path in self._folder.glob(f"{self._name}-*.lock"):
            if str(path) == mine:
                continue
            with suppress(OSError), path.open("a") as handle:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return False
        return True

    def release(self) -> None:
        """Give the number back."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None
