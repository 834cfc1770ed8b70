"""Put a run that comes as JSON on the input into MLflow, at a server or in a folder.

A program of its own: it runs in whichever Python has MLflow, and knows nothing of a workspace. With
``MlflowClient`` no name of a user, of a file or of a repository is added, as the fluent interface
does. What is put there once more goes on with the same run of MLflow, found by its tag.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

# a server that is not there is known after some seconds, not minutes; read when MLflow is imported
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")

from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag

STATES = {"finished": "FINISHED", "failed": "FAILED"}
GOING_ON = ("prepared", "queued", "running", "preempted")
TAG = "benchseal.run"


def place_of(where: str) -> tuple[str, str | None]:
    """The address of the tracking store, and where an experiment of a folder keeps its files."""
    if "://" in where:
        return where, None
    folder = Path(where)
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder}/mlflow.db", (folder / "artifacts").as_uri()


def named(name: str) -> str:
    """A name as MLflow takes it for metrics and parameters."""
    return re.sub(r"[^\w.\- /:]", "_", name)[:250]


def send(run: dict, where: str) -> str:
    """Write it down; returns the number that the run has in MLflow."""
    address, files = place_of(where)
    client = MlflowClient(tracking_uri=address)
    experiment = client.get_experiment_by_name(run["project"])
    experiment_id = (
        experiment.experiment_id
        if experiment
        else client.create_experiment(run["project"], artifact_location=files)
    )
    found = client.search_runs([experiment_id], f"tags.`{TAG}` = '{run['id']}'", max_results=1)
    if found:
        run_id = found[0].info.run_id
    else:
        run_id = client.create_run(experiment_id, run_name=run["id"]).info.run_id
    now = int(time.time() * 1000)
    figures = [
        Metric(named(name), value, now, run["step"]) for name, value in run["figures"].items()
    ]
    known = found[0].data.params if found else {}
    settings = [
        Param(named(name), str(value)[:6000])
        for name, value in run["settings"].items()
        if named(name) not in known
    ]
    tags = [RunTag(f"benchseal.{name}", str(value)) for name, value in run["marks"].items()]
    client.log_batch(run_id, figures, settings, [RunTag(TAG, run["id"]), *tags])
    if run["state"] in GOING_ON:
        client.update_run(run_id, "RUNNING")
    else:
        client.set_terminated(run_id, STATES.get(run["state"], "KILLED"))
    return run_id


if __name__ == "__main__":
    print(send(json.load(sys.stdin), sys.argv[1]))
