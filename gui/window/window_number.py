"""Which of several windows on one workspace this is, so that their titles differ."""

import fcntl
import hashlib
from io import IOBase

from platformdirs import user_state_path

from core.files import make_durable_folder

_MOST = 50


class WindowNumber:
    """The lowest number that no other window of this person on the workspace has."""

    def __init__(self, location: str) -> None:
        self.number = 1
        self._handle: IOBase | None = None
        folder = user_state_path("benchseal") / "windows"
        name = hashlib.sha256(location.encode("utf-8", "surrogatepass")).hexdigest()[:16]
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

    def release(self) -> None:
        """Give the number back."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None
