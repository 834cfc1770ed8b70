"""Keeps a server and all it starts in one process group, which ends with whoever asked for it.

``python -m core.evaluation.engines.supervise COMMAND…`` leads a session of its own. When its
standard input closes (its parent stopped, crashed or was killed) or the command ends, the whole
group ends: a killed vLLM API server would otherwise leave its engine process holding the GPU.
"""

import os
import select
import signal
import subprocess
import sys
import time

GRACE_S = 15.0
_LOOK_EVERY_S = 0.2


def main(command: list[str]) -> None:
    """Run the command until it ends or standard input closes; never returns."""
    # the group is asked to stop as a whole, and this process must see that through
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, restore_signals=True,
                             preexec_fn=_as_usual)  # fmt: skip
    while child.poll() is None and not _parent_is_gone():
        pass
    if child.poll() is None:
        os.killpg(0, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_S
        while child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
    os.killpg(0, signal.SIGKILL)


def _as_usual() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def _parent_is_gone() -> bool:
    """Whether standard input is closed; waits a moment for it."""
    ready, _, _ = select.select([sys.stdin.fileno()], [], [], _LOOK_EVERY_S)
    return bool(ready) and os.read(sys.stdin.fileno(), 1) == b""


if __name__ == "__main__":
    main(sys.argv[1:])
