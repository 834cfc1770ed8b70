"""Whether the name of a model that is loaded here can be one: a folder without a model is told of
before anything starts, not after a minute of loading packages."""

from pathlib import Path

from core.errors import InputError, NotFoundError
from core.evaluation.types import Engine, EngineParams

_MODEL_FILES = ("config.json", "params.json")
_WEIGHTS = ".gguf"
_ADAPTER_FILE = "adapter_config.json"
_PATHS = ("/", "./", "../", "~")


def require_model_files(runner: Engine, params: EngineParams) -> None:
    """Refuse a path that holds no model, or an adapter that holds no adapter.

    Only for engines that load the model on this machine. A name such as ``org/name`` is the
    engine's to find. Raises NotFoundError where there is nothing, InputError where it is not a
    model.
    """
    if not runner.needs_model or runner.needs_server:
        return
    if _is_path(params.model):
        _require_model(Path(params.model).expanduser())
    if params.adapter and _is_path(params.adapter):
        _require(Path(params.adapter).expanduser(), (_ADAPTER_FILE,))


def without_folder(model: str) -> str:
    """The folder's name alone for a local model, so that no path leaves this machine."""
    return Path(model).name if model.startswith(_PATHS) else model


def _is_path(name: str) -> bool:
    """Whether a name can only be meant as a path on this machine."""
    return name.startswith(_PATHS) or Path(name).is_dir()


def _require_model(path: Path) -> None:
    if path.is_file() and path.suffix == _WEIGHTS:
        return
    if path.is_dir() and any(path.glob(f"*{_WEIGHTS}")):
        return
    _require(path, _MODEL_FILES)


def _require(path: Path, names: tuple[str, ...]) -> None:
    if not path.exists():
        raise NotFoundError.tr("There is no folder “{path}”.", path=path)
    if not any((path / name).is_file() for name in names):
        raise InputError.tr(
            "“{path}” does not contain a model that can be loaded: {file} is missing.",
            path=path,
            file=names[0],
        )
