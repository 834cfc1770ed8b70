"""Put a run that comes as JSON on the input into Weights & Biases, at a server or in a folder.

A program of its own: it runs in whichever Python has wandb, and knows nothing of a workspace. In a
folder it works offline, and ``wandb sync`` sends it later. What W&B gathers by itself (the machine,
the user, the repository, the packages, the terminal) is switched off.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

# errors of its own would be reported to its makers; read when it is imported
os.environ["WANDB_ERROR_REPORTING"] = "false"

import wandb


def send(run: dict, where: str) -> str:
    """Write it down; returns the folder or the address of the run."""
    at_server = "://" in where
    with tempfile.TemporaryDirectory() as scratch:
        folder = scratch if at_server else where
        Path(folder).mkdir(parents=True, exist_ok=True)
        settings = wandb.Settings(
            console="off", disable_code=True, disable_git=True, save_code=False, silent=True,
            x_disable_machine_info=True, x_disable_meta=True, x_disable_stats=True,
            x_save_requirements=False, host="", program="", label_disable=True,
            **({"base_url": where} if at_server else {}),
        )  # fmt: skip
        with wandb.init(
            project=run["project"], id=run["id"], name=run["id"], resume="allow", dir=folder,
            mode="online" if at_server else "offline", config=run["settings"] | run["marks"],
            settings=settings,
        ) as there:  # fmt: skip
            there.log(run["figures"], step=run["step"])
            there.summary.update(run["figures"] | {"state": run["state"]})
            return there.url or str(Path(there.dir).parent)


if __name__ == "__main__":
    print(send(json.load(sys.stdin), sys.argv[1]))
