"""File systems of their own, whose power can be cut and which can be filled.

An ext4 image is mounted through a loop device. Cutting its power is the kernel's own shutdown of
the file system without a flush, as the tests of ext4 do it: from that moment nothing reaches the
image, neither dirty pages nor the journal's open transaction, and every call fails. Mounting the
image again replays its journal, as a machine does when the power is back. What a disk loses from
a cache of its own that ignores flushes is not played.
"""

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_SHUTDOWN = 0x8004587D  # FS_IOC_SHUTDOWN
_WITHOUT_FLUSH = struct.pack("I", 2)


def _call(*command: object) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{command[0]}: {done.stderr.strip() or done.returncode}")


class Disk:
    """A mounted ext4 image; ``path`` is its folder."""

    def __init__(self, folder: Path, megabytes: int, options: str = "") -> None:
        self.path = folder / "disk"
        self.image = folder / "disk.ext4"
        self._options = ",".join(filter(None, ("loop", "noatime", options)))
        self._ballast = self.path / "ballast"
        self.path.mkdir(parents=True)
        with self.image.open("wb") as handle:
            handle.truncate(megabytes << 20)
        _call(
            "mkfs.ext4", "-q", "-m", 0, "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image
        )
        self.mount()

    def mount(self, options: str = "") -> None:
        """Power is there (again): the journal is replayed."""
        _call(
            "mount", "-o", ",".join(filter(None, (self._options, options))), self.image, self.path
        )

    def unmount(self) -> None:
        """Take it away in an orderly manner, or after a cut. Nobody may use it any more."""
        _call("umount", self.path)

    def sync(self) -> None:
        """Everything that was written until now is on the disk."""
        _call("sync", "-f", self.path)

    def cut(self) -> None:
        """Cut the power. Whoever works on it gets an error; end them, unmount, mount."""
        handle = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(handle, _SHUTDOWN, _WITHOUT_FLUSH)
        finally:
            os.close(handle)

    @contextmanager
    def copied(self, folder: Path) -> Iterator[Path]:
        """A copy of the image, mounted for a while, in which the journal is replayed."""
        folder.mkdir()
        image = shutil.copy(self.image, folder.with_suffix(".ext4"))
        _call("mount", "-o", "loop", image, folder)
        try:
            yield folder
        finally:
            _call("umount", folder)
            image.unlink()

    def fill(self, left: int = 0) -> None:
        """Leave that many bytes, rounded to blocks."""
        self.sync()
        status = os.statvfs(self.path)
        with self._ballast.open("wb") as handle:
            size = status.f_bavail * status.f_frsize - left
            while size > 0:
                with contextlib.suppress(OSError):
                    os.posix_fallocate(handle.fileno(), 0, size)
                    break
                size -= status.f_frsize  # the file needs blocks of its own

    def free(self) -> None:
        """Space again."""
        self._ballast.unlink()


@contextmanager
def mounted(folder: Path, megabytes: int, options: str = "") -> Iterator[Disk]:
    """A disk for a while; skips the test, and says why, where none can be mounted."""
    if os.geteuid() != 0:
        pytest.skip("mounting an ext4 image needs root")
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("mkfs.ext4 is absent: install e2fsprogs")
    try:
        disk = Disk(folder, megabytes, options)
    except OSError as error:
        pytest.skip(f"no ext4 image can be mounted here: {error}")
    try:
        yield disk
    finally:
        disk.unmount()
