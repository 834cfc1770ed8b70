"""The task catalogue of CIF-Bench as facts: 150 tasks, 20 categories, sources, metric types.

Names, sources and category sizes are published (appendix A). Which task belongs to which category
and which metric was never published: those are ours, and each task's ``ours`` says so.
"""

import json
import re
from functools import cache, lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from core.errors import NotFoundError
from resources import resource

MetricType = Literal["accuracy", "f1", "judge", "similarity"]


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Category(_Fact):
    """A category; ``tasks`` is its published number of tasks (appendix A.2)."""

    id: str
    name: str
    tasks: int


class CatalogueTask(_Fact):
    """One task. ``metric`` is one of the four types of §3.3, ``languages`` are codes.

    ``file`` is the name of its public file; ``ours`` names the fields that were not published.
    """

    id: int
    name: str
    file: str
    source: str
    categories: tuple[str, ...]
    metric: MetricType
    languages: tuple[str, ...]
    ours: tuple[str, ...]

    @property
    def profile(self) -> dict[str, Any]:
        """What a task of a workspace keeps of these facts."""
        return {
            "catalogue": "cif_bench",
            "catalogue_id": self.id,
            "categories": list(self.categories),
            "metric": self.metric,
            "languages": list(self.languages),
            "ours": list(self.ours),
        }


class Catalogue(_Fact):
    """The whole catalogue; ``ours`` says that parts of it are derived, not published."""

    source: str
    ours: bool
    metrics: tuple[MetricType, ...]
    categories: tuple[Category, ...]
    tasks: tuple[CatalogueTask, ...]

    def task(self, number: int) -> CatalogueTask:
        """The task with that id; NotFoundError where there is none (84 and 95 never were)."""
        for task in self.tasks:
            if task.id == number:
                return task
        raise NotFoundError.tr("CIF-Bench has no task {number}.", number=number)

    def in_category(self, category: str) -> tuple[CatalogueTask, ...]:
        """The tasks of a category, by id."""
        return tuple(task for task in self.tasks if category in task.categories)

    def match(self, text: str) -> CatalogueTask | None:
        """The task that a file name or a task name means: ``45_Sentiment…``, ``cif-45``."""
        numbered = re.match(r"(?:cif[ _-]*)?(\d{1,3})(?:[ _.-]|$)", text.strip(), re.IGNORECASE)
        for task in self.tasks:
            if numbered and int(numbered[1]) == task.id:
                rest = _spelled(text[numbered.end() :])
                published = _spelled(task.file.partition("_")[2])  # not always spelled as the name
                spellings = {_spelled(task.name), published.removesuffix("public")}
                if not rest or rest.removesuffix("public") in spellings:
                    return task
                if task.file.rsplit(".", 1)[0].casefold() in text.casefold():
                    return task
        named = self.called(text)
        return named[0] if len(named) == 1 else None

    def called(self, name: str) -> tuple[CatalogueTask, ...]:
        """The tasks of a name, in any spelling; of one name there are two."""
        spelled = _spelled(name)
        return tuple(task for task in self.tasks if _spelled(task.name) == spelled)


@lru_cache(maxsize=4096)  # every task of a benchmark is compared with every one of the catalogue
def _spelled(text: str) -> str:
    return "".join(c for c in text.casefold().removesuffix(".jsonl") if c.isalnum())


@cache
def cif_bench() -> Catalogue:
    """The catalogue that ships with the program."""
    path = resource("catalogue", "cif_bench.json")
    return Catalogue.model_validate(json.loads(path.read_text(encoding="utf-8")))
