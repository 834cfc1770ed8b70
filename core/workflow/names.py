"""Which names people, benchmarks, tasks and splits may have: none that is taken for another."""

from collections.abc import Iterable
from pathlib import Path

from core.errors import InputError
from core.i18n import tr

_PACKED = (".7z", ".bz2", ".gz", ".tar", ".tbz", ".tgz", ".txz", ".xz", ".zip", ".zst")
_WRITTEN = (
    ".arrow", ".csv", ".db", ".feather", ".htm", ".html", ".ipc", ".json", ".jsonl", ".jsonlines",
    ".md", ".ndjson", ".ods", ".parquet", ".sqlite", ".tab", ".tsv", ".txt", ".xls", ".xlsm",
    ".xlsx", ".xml", ".yaml", ".yml",
)  # fmt: skip
_ENDINGS = frozenset((*_PACKED, *_WRITTEN))


def check_person_name(name: str) -> str:
    """The name without spaces around it; InputError for one that cannot be a person's."""
    return _checked(
        name, 80, tr("A person's name must have 1 to 80 characters and no control characters.")
    )


def check_benchmark_name(name: str) -> str:
    """The name without spaces around it; InputError for one that cannot be a benchmark's."""
    return _checked(
        name, 120, tr("A benchmark's name must have 1 to 120 characters and no control characters.")
    )


def check_task_name(name: str) -> str:
    """The name without spaces around it; InputError for one that cannot be a task's."""
    return _checked(
        name, 120, tr("A task's name must have 1 to 120 characters and no control characters.")
    )


def task_named_after(path: Path) -> str:
    """The name of the task that a file is for, where nobody names one: its own without the endings
    that say how it is written; those that tell one file from another stay (``xquad.ar.json``)."""
    name = path.name
    while (ending := Path(name).suffix) and ending.lower() in _ENDINGS:
        name = name.removesuffix(ending)
    return name.removesuffix("_public") or path.name


def refuse_alike(name: str, others: Iterable[str]) -> None:
    """InputError for a new name that people would take for one that there is."""
    from core.confusables import look_alike  # commands that name nobody start without its tables

    other = look_alike(name, others)
    if other is not None:
        raise InputError.tr(
            "The name “{name}” looks like “{other}”, which is already used. Choose another name.",
            name=name,
            other=other,
        )


def _checked(name: str, most: int, wrong: str) -> str:
    from core.confusables import is_unseen

    name = name.strip()
    if not 0 < len(name) <= most or any(map(is_unseen, name)):
        raise InputError(wrong)
    return name
