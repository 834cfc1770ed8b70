"""The GPUs of this machine: how many there are, and a queue in which jobs wait for them.

A job that needs a GPU is started as this module, which waits until enough GPUs are free, tells the
worker which ones it got (``CUDA_VISIBLE_DEVICES``) and then becomes the worker. There is no
service: a GPU is taken while somebody holds the lock on its file, and the lock ends with the last
process of the job, however it ends.
"""

import argparse
import fcntl
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from core.guarded_folder import GuardedFolder
from core.jobs.launch_record import queued_name
from core.own_process import module_command

LOOK_EVERY = 0.5  # seconds between two looks for a free GPU


def visible_gpus() -> tuple[str, ...]:
    """The GPUs that jobs may use, as ``CUDA_VISIBLE_DEVICES`` names them; empty without any.

    Where that variable is set already, only the GPUs in it.
    """
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if allowed is not None:
        return tuple(name.strip() for name in allowed.split(",") if name.strip() not in ("", "-1"))
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        return tuple(str(index) for index in range(pynvml.nvmlDeviceGetCount()))
    except pynvml.NVMLError:
        return ()
    finally:
        pynvml.nvmlShutdown()


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU that jobs may use; its memory in bytes, all of it and what is free now."""

    name: str
    total: int
    free: int


def gpus_here() -> tuple[Gpu, ...]:
    """The GPUs of ``visible_gpus`` with their memory; empty where there is no NVIDIA driver."""
    names = visible_gpus()
    if not names:
        return ()
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        return tuple(_gpu(pynvml, name) for name in names)
    except pynvml.NVMLError:
        return ()
    finally:
        pynvml.nvmlShutdown()


def _gpu(nvml: Any, name: str) -> Gpu:
    if name.isdigit():
        handle = nvml.nvmlDeviceGetHandleByIndex(int(name))
    else:
        handle = nvml.nvmlDeviceGetHandleByUUID(name)
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    return Gpu(str(nvml.nvmlDeviceGetName(handle)), int(memory.total), int(memory.free))


def queue_folder() -> Path:
    """Where this person's jobs on this machine queue."""
    from platformdirs import user_state_path

    return user_state_path("benchseal") / "gpus" / os.uname().nodename


def waiting_command(
    command: Sequence[str], folder: Path, shard: int, devices: Sequence[str], count: int
) -> list[str]:
    """The command that waits for ``count`` of the devices and then becomes ``command``."""
    return module_command(
        "core.jobs.gpus", "--folder", str(folder), "--shard", str(shard),
        "--count", str(count), "--devices", ",".join(devices), "--queue", str(queue_folder()),
        "--", *command,
    )  # fmt: skip


class _Queue:
    """The tickets and locks in one folder. The oldest living ticket is served first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._ticket = folder / f"{time.time_ns():020d}-{os.getpid()}.ticket"
        self._handle = self._ticket.open("w", encoding="utf-8")
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def is_first(self) -> bool:
        """Whether this is the oldest ticket of a living process; those of dead ones are removed."""
        for other in sorted(self._folder.glob("*.ticket")):
            if other.name >= self._ticket.name:
                return True
            with suppress(OSError), other.open("a", encoding="utf-8") as ticket:
                if not _lock(ticket):
                    return False
                other.unlink(missing_ok=True)
        return True

    def take(self, devices: Sequence[str], count: int) -> dict[str, IO[str]] | None:
        """``count`` locked devices, or None where fewer are free."""
        locks: dict[str, IO[str]] = {}
        for name in devices:
            handle: IO[str] = self._device_file(name).open("a", encoding="utf-8")
            if not _lock(handle):
                handle.close()
                continue
            locks[name] = handle
            if len(locks) == count:
                return locks
        for handle in locks.values():
            handle.close()
        return None

    def _device_file(self, device: str) -> Path:
        plain = "".join(letter if letter.isalnum() else "_" for letter in device)
        return self._folder / f"gpu-{plain}.lock"

    def leave(self) -> None:
        """Let the next one be first."""
        self._ticket.unlink(missing_ok=True)
        self._handle.close()


def _lock(handle: IO[str]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def wait_for_gpus(queue: _Queue, devices: Sequence[str], count: int, folder: Path) -> list[str]:
    """Names of the devices once they are ours; empty when the run was told to stop first.

    The locks are left open for the program that this process becomes.
    """
    files = GuardedFolder(folder)
    while not files.has("stop"):
        if queue.is_first() and (locks := queue.take(devices, count)):
            for handle in locks.values():
                # a duplicate that no Python object closes, and that survives exec
                os.set_inheritable(os.dup(handle.fileno()), True)
            return list(locks)
        time.sleep(LOOK_EVERY)
    return []


def main(arguments: Sequence[str]) -> None:
    """Wait, then become the command; returns when told to stop before."""
    parser = argparse.ArgumentParser(prog="core.jobs.gpus")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--shard", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--devices", required=True)
    parser.add_argument("--queue", type=Path, required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    files, mark = GuardedFolder(options.folder), queued_name(options.shard)
    files.write(mark, f"{os.getpid()}\n")
    queue = _Queue(options.queue)
    try:
        devices = wait_for_gpus(queue, options.devices.split(","), options.count, options.folder)
    finally:
        queue.leave()
        files.remove(mark)
    if devices:
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES=",".join(devices))
        os.execve(options.command[0], options.command, environment)  # noqa: S606 - it is the worker


if __name__ == "__main__":
    main(sys.argv[1:])
