"""Put a run that comes as JSON on the input into Trackio, at a server or in a folder.

A program of its own: it runs in whichever Python has Trackio, and knows nothing of a workspace. A
server of one's own also needs ``TRACKIO_WRITE_TOKEN``.
"""

import json
import os
import sys
from pathlib import Path


def send(run: dict, where: str) -> str:
    """Write it down; returns where."""
    at_server = "://" in where
    if not at_server:
        Path(where).mkdir(parents=True, exist_ok=True)
        # read when Trackio is imported
        os.environ["TRACKIO_DIR"] = where
    import trackio

    there = trackio.init(
        project=run["project"], name=run["id"], resume="allow", embed=False,
        server_url=where if at_server else None,
        config=run["settings"] | run["marks"] | {"state": run["state"]},
        auto_log_cpu=False, auto_log_gpu=False,
    )  # fmt: skip
    there.log(run["figures"], step=run["step"])
    there.finish()
    return where


if __name__ == "__main__":
    # what it says to people goes elsewhere than the answer
    out, sys.stdout = sys.stdout, sys.stderr
    print(send(json.load(sys.stdin), sys.argv[1]), file=out)
