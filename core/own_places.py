"""Which folders and paid accounts of this person a run may use.

A run may come from anybody, so naming a model in a folder, a folder of news or a project that is
billed is not enough: it is used where the person who works on the run has named it as well, by
starting a run with it. What was named stands in ``places.json`` of the person's own configuration;
``BENCHSEAL_PLACES`` holds further places, separated by semicolons, for jobs on clusters.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from platformdirs import user_config_path

from core.errors import InputError
from core.files import write_json

PLACES_VARIABLE = "BENCHSEAL_PLACES"
_MOST_BYTES = 2**20
_MOST_PLACES = 1000


def model_place(name: str) -> str:
    """What a model or an adapter names on this machine; empty for the name of one elsewhere."""
    if not name or not (name.startswith(("/", "./", "../", "~")) or Path(name).exists()):
        return ""
    return f"model:{_whole(name)}"


def news_place(source: str) -> str:
    """The folder or the billed project that ``gdelt-files:DIR`` or ``gdelt-bigquery[:PROJECT]``
    names; empty for a source that is neither."""
    kind, _, rest = source.strip().partition(":")
    if kind == "gdelt-files" and rest:
        return f"{kind}:{_whole(rest)}"
    return f"{kind}:{rest.strip()}" if kind == "gdelt-bigquery" else ""


def allow_place(place: str) -> None:
    """Remember a place that this person has just named; nothing for an empty one. To be called
    where a person gave it, never where a run, a workspace or a server did."""
    if not place or _is_allowed(place):
        return
    path = _file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_json(path, [*_in_file(), place][-_MOST_PLACES:], durable=True)


def require_place(place: str) -> None:
    """InputError for a place that this person has not named; nothing for an empty one."""
    if place and not _is_allowed(place):
        raise InputError.tr(
            "This run names “{place}”, which you have not used before, so it is not used. If "
            "you trust the run, set {variable}={place} and start it again.",
            place=place[:300],
            variable=PLACES_VARIABLE,
        )


def places_for_jobs(models: Iterable[str], news: Iterable[str] = ()) -> dict[str, str]:
    """The variable that tells a job on another machine which of these models and adapters are in
    allowed folders, and which of these sources of news are allowed; each as it is written, for a
    link may lead elsewhere there."""
    known = [f"model:{name}" for name in models if _is_allowed(model_place(name))]
    known += [source.strip() for source in news if _is_allowed(news_place(source))]
    return {PLACES_VARIABLE: ";".join(known)} if known else {}


def _is_allowed(place: str) -> bool:
    return place in _in_file() or place in _in_variable()


def _in_variable() -> set[str]:
    places = set()
    for text in filter(None, map(str.strip, os.environ.get(PLACES_VARIABLE, "").split(";"))):
        kind, _, rest = text.partition(":")
        places.add(text if kind == "gdelt-bigquery" else f"{kind}:{_whole(rest)}")
    return places


def _whole(path: str) -> str:
    """Where a path leads: a link is another place once it leads elsewhere."""
    return os.path.realpath(Path(path).expanduser())


def _file() -> Path:
    return user_config_path("benchseal") / "places.json"


def _in_file() -> list[str]:
    path = _file()
    if not path.exists():
        return []
    if path.is_file() and path.stat().st_size <= _MOST_BYTES:
        try:
            known = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            known = None
        if isinstance(known, list) and all(isinstance(place, str) for place in known):
            return known
    raise InputError.tr(
        "The list of allowed places in “{path}” is damaged. Correct or remove it.", path=path
    )
