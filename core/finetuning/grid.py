"""Planning a grid: one run folder for all cells, with what earlier runs already found."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BenchsealError, InputError, NotFoundError
from core.finetuning.cells import TrainingCell, plan
from core.finetuning.params import FinetuneParams
from core.finetuning.run import FINETUNE, DatasetInput, write_sets
from core.i18n import listed
from core.jobs.folder import RunFolder, write_rows

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,40}")
_SAMPLE = 2**20
# by any of these, transformers knows a tokenizer
_TOKENIZERS = (
    "tokenizer.json", "tokenizer.model", "tokenizer_config.json", "spiece.model",
    "vocab.json", "vocab.txt",
)  # fmt: skip
# What may differ between two runs without changing a cell's numbers.
_FREE = {"answer_batch"}


@dataclass(frozen=True)
class PlannedGrid:
    """A grid that is ready to start. ``known`` cells have their numbers from earlier runs;
    ``resumed`` says that the folder itself is an earlier one."""

    folder: RunFolder
    cells: tuple[TrainingCell, ...]
    known: int
    resumed: bool


def prepare(
    root: Path,
    params: FinetuneParams,
    sets: Mapping[str, DatasetInput],
    modes: Sequence[str],
    proportions: Sequence[int],
    *,
    origin: dict[str, Any] | None = None,
    usable: Callable[[str], bool] = lambda _: True,
) -> PlannedGrid:
    """The folder of this grid below ``root``: an earlier one of the same cells, or a new one.

    Cells that any earlier run below ``root`` finished with the same model, data and parameters
    are taken from it, where ``usable`` says so of the earlier run. Raises InputError for sets that
    cannot be used.
    """
    cells = checked(params, sets, modes, proportions)
    params = params.model_copy(
        update={
            "model_digest": model_digest(Path(params.base_model)),
            "digests": {name: data.digest() for name, data in sets.items()},
        }
    )
    known: dict[str, dict[str, Any]] = {}
    for earlier in filter(lambda folder: usable(folder.path.name), _earlier(root, params)):
        same_cells = [row["id"] for row in earlier.work()] == [cell.id for cell in cells]
        if same_cells and FinetuneParams.model_validate(earlier.spec().params) == params:
            return PlannedGrid(earlier, tuple(cells), len(earlier.records()), True)
        for name, record in earlier.records().items():
            if _reusable(record, earlier, params):
                known.setdefault(name, record | {"taken_from": earlier.spec().id})
    folder = RunFolder.create(
        root, FINETUNE.name, params, (cell.as_json() for cell in cells), origin=origin
    )
    write_sets(folder.path, sets)
    reusable = [known[cell.id] for cell in cells if cell.id in known]
    if reusable:
        write_rows(folder.files, "shard-000.jsonl", reusable)
    return PlannedGrid(folder, tuple(cells), len(reusable), False)


def checked(
    params: FinetuneParams,
    sets: Mapping[str, DatasetInput],
    modes: Sequence[str],
    proportions: Sequence[int],
) -> list[TrainingCell]:
    """The cells of a grid that can be run; needs no packages, and writes nothing.

    Raises InputError for modes, proportions or sets that cannot be used, NotFoundError where the
    base model is not a folder.
    """
    cells = plan(list(sets), modes, proportions)
    if not Path(params.base_model).is_dir():
        raise NotFoundError.tr(
            "“{path}” is not a folder with a base model.", path=params.base_model
        )
    _check_sets(params, sets, modes)
    return cells


def check_model(folder: Path) -> None:
    """InputError for a folder that lacks what every model of transformers has."""
    lacking = [] if (folder / "config.json").is_file() else ["config.json"]
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        lacking.append("tokenizer.json")
    if lacking:
        raise InputError.tr(
            "“{path}” does not contain a Transformers model: {names} not found.",
            path=folder,
            names=listed(lacking),
        )


def _check_sets(
    params: FinetuneParams, sets: Mapping[str, DatasetInput], modes: Sequence[str]
) -> None:
    for name, data in sets.items():
        if not _NAME.fullmatch(name):
            raise InputError.tr(
                "“{name}” is not a valid set name: use letters, digits, dots and dashes.",
                name=name,
            )
        if not data.test:
            raise InputError.tr("The set “{name}” has no examples.", name=name)
        if not data.train and {"train", "train+test"} & set(modes):
            raise InputError.tr(
                "The set “{name}” has no training examples; provide them.", name=name
            )
        odd = [e.label for e in (*data.test, *data.train) if e.label not in params.task.labels]
        if odd:
            raise InputError.tr(
                "The set “{name}” has the label “{label}”, which task “{task}” does not have.",
                name=name,
                label=odd[0],
                task=params.task.name,
            )


def _earlier(root: Path, params: FinetuneParams) -> Iterator[RunFolder]:
    """Folders of earlier simulations of the same model, task and settings, newest first."""
    if not Path(root).is_dir():
        return
    comparable = _comparable(params)
    for path in sorted(Path(root).iterdir(), reverse=True):
        folder = RunFolder(path)
        try:
            if not folder.has_spec():
                continue
            spec = folder.spec()
            if spec.kind == FINETUNE.name:
                other = FinetuneParams.model_validate(spec.params)
                if _comparable(other) == comparable:
                    yield folder
        except (BenchsealError, ValueError):
            continue


def _comparable(params: FinetuneParams) -> dict[str, Any]:
    return params.model_dump(mode="json", exclude={"digests", "base_model", *_FREE})


def _reusable(record: Mapping[str, Any], folder: RunFolder, params: FinetuneParams) -> bool:
    """Whether the record's own set, and every set it was asked about, is the same now."""
    theirs = FinetuneParams.model_validate(folder.spec().params).digests
    names = {str(record["dataset"]), *record["scores"]}
    datasets = set(params.digests) if params.evaluate_on == "all" else {str(record["dataset"])}
    if not datasets <= set(record["scores"]):
        return False
    return all(theirs.get(name) == params.digests.get(name) for name in names)


def model_digest(folder: Path) -> str:
    """A fingerprint of a model's files: names, sizes, and the first and last megabyte of each."""
    hasher = hashlib.sha256()
    for path in sorted(folder.glob("*")):
        if path.is_file() and path.suffix in (".json", ".safetensors", ".bin", ".model", ".txt"):
            size = path.stat().st_size
            hasher.update(f"{path.name}\n{size}\n".encode())
            with path.open("rb") as handle:
                hasher.update(handle.read(_SAMPLE))
                handle.seek(max(0, size - _SAMPLE))
                hasher.update(handle.read(_SAMPLE))
    return hasher.hexdigest()
