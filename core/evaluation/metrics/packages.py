"""What metrics that stand on a package or on a folder of a model have in common."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from core.errors import InputError, OutsideError
from core.evaluation.metrics.base import MetricSetting, Prediction
from core.files import file_digest


def reference_columns(predictions: Sequence[Prediction]) -> list[list[str]]:
    """References as sacrebleu takes them: the first of every item, then the second, …; an item
    with fewer repeats its last."""
    width = max(len(p.references) for p in predictions)
    return [
        [p.references[min(n, len(p.references) - 1)] for p in predictions] for n in range(width)
    ]


def package_stamp(
    package: str, setting: MetricSetting, config: str, *, missing: str, wrong: str
) -> str:
    """A package with the model it was given: the folder's name and the beginning of its
    configuration's SHA-256. Raises InputError with ``missing`` where no folder was given, with
    ``wrong`` where it lacks the file ``config``."""
    if not setting.checkpoint:
        raise InputError(missing)
    folder = Path(setting.checkpoint).expanduser()
    if not (folder / config).is_file():
        raise InputError(wrong)
    return f"{package} {folder.resolve().name} ({file_digest(folder / config)[:12]})"


@contextmanager
def loading(metric: str, folder: str) -> Iterator[None]:
    """OutsideError for whatever a package makes of a damaged folder."""
    try:
        yield
    except Exception as error:
        raise OutsideError.tr(
            "{metric} could not load “{path}”: {reason}.", metric=metric, path=folder,
            reason=str(error).strip()[:300]
        ) from error  # fmt: skip
