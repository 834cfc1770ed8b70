"""The registry of trackers of experiments, which runs are sent to.

To add one: a script in ``resources/trackers`` and an entry in the tuple.
"""

from core.evaluation.trackers.base import TrackedRun, Tracker, place_of, require, send

__all__ = ["TRACKERS", "TrackedRun", "Tracker", "place_of", "require", "send"]

TRACKERS: tuple[Tracker, ...] = (
    Tracker("mlflow", "MLflow", "mlflow", "to_mlflow.py", ("MLFLOW_",)),
    Tracker("wandb", "Weights & Biases", "wandb", "to_wandb.py", ("WANDB_",)),
    Tracker("trackio", "Trackio", "trackio", "to_trackio.py", ("TRACKIO_",)),
)
"""Every tracker; each name stands once."""
