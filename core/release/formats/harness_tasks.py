"""What the exports for harnesses have in common: their tasks, and how a harness reads a reply.

The harness reads and measures with a copy of ``core.families.reading``, so that its scores are
ours. White space before an answer never ends it: a line's end is not a stop for the harness, the
reply is cut behind that white space instead.
"""

import inspect
import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core import unicode_forms
from core.families import family, reading
from core.families.base import ItemContent, Prompt
from core.release.formats.base import ItemTask, task_of
from core.release.frozen_items import ItemKind, by_group, kinds_of
from core.release.manifest import SplitItem

LIKENESS = "similarity"
# CIF-Bench's types of metric (§3.3) that are not right or wrong, and what measures them here: chrF
# stands in for BLEURT, whose weights are not ours to ship, and every report says so.
MEASURED_BY: Mapping[str, str] = {LIKENESS: "chrf", "f1": "multilabel_f1"}
_STANDS_IN: Mapping[str, str] = {**MEASURED_BY, "judge": "chrf"}  # no harness has our judge


@dataclass(frozen=True, slots=True)
class HarnessTask:
    """One task of an export. ``name`` is free of what file names and lists of tasks cannot hold,
    ``title`` what the task is called in the workspace; ``metric`` is one of ``MEASURES``,
    ``intended`` what the workspace measures it by; ``labels`` is the label space, if any."""

    name: str
    title: str
    metric: str
    intended: str
    labels: tuple[str, ...]
    stops: tuple[str, ...]
    max_tokens: int
    members: Sequence[SplitItem]

    def asked(self) -> Iterator[tuple[SplitItem, Prompt]]:
        """Each item with its prompt, made when it is asked for."""
        return ((item, family(item.content.family).prompt(item.content)) for item in self.members)


def harness_tasks(items: Sequence[SplitItem], tasks: Mapping[str, ItemTask]) -> list[HarnessTask]:
    """The tasks of the items in the order of their names, those of unknown ones by format and
    domain. Names differ in more than capitals, which some file systems do not tell apart."""
    titles, telling = _titles(items, tasks)
    read: dict[str, _Readings] = {}
    for place in telling:
        title, item = titles[place], items[place]
        prompt = family(item.content.family).reading(item.content)
        if title not in read:
            read[title] = _Readings(item, prompt)
        read[title].add(item, prompt)
    groups = by_group(items, titles)
    used: set[str] = set()
    return [_task(title, groups[title], read[title], tasks, used) for title in sorted(groups)]


def _titles(
    items: Sequence[SplitItem], tasks: Mapping[str, ItemTask]
) -> tuple[list[str], "array[int]"]:
    """The title of the task of each item, and the places of the items whose texts tell how the
    replies to their tasks are read: of those that are read alike, the first of each format."""
    titles: list[str] = []
    telling = array("Q")
    seen: set[tuple[str, str, str]] = set()
    for place, kind in enumerate(kinds_of(items)):
        title = _title(kind, tasks)
        titles.append(title)
        alike = (title, kind.family, kind.format)
        if alike not in seen:
            telling.append(place)
            if family(kind.family).reads_alike:
                seen.add(alike)
    return titles, telling


def _title(kind: ItemKind, tasks: Mapping[str, ItemTask]) -> str:
    if name := task_of(kind, tasks).name:
        return name
    return f"{kind.format or kind.family}_{kind.domain or 'other'}"


class _Readings:
    """What the replies to the items of a task are read by, the items seen one by one."""

    def __init__(self, first: SplitItem, prompt: Prompt) -> None:
        self.first, self.prompt = first, prompt
        self.labels: dict[str, None] = {}
        self.stops = set(prompt.stop)
        """Those that every item has."""
        self.has_choices, self.most = True, 0

    def add(self, item: SplitItem, prompt: Prompt) -> None:
        """Count an item in, with how a reply to it is read."""
        self.labels.update(dict.fromkeys(map(str, item.content.payload.get("labels") or ())))
        self.stops.intersection_update(prompt.stop)
        self.has_choices = self.has_choices and bool(prompt.choices)
        self.most = max(self.most, prompt.max_tokens)


def _task(
    title: str,
    items: Sequence[SplitItem],
    read: _Readings,
    tasks: Mapping[str, ItemTask],
    used: set[str],
) -> HarnessTask:
    intended = task_of(read.first, tasks).metric
    return HarnessTask(
        name=free_name(slug(title), used),
        title=title,
        metric=_metric(read.first.content, read.prompt, intended),
        intended=intended,
        labels=tuple(read.labels) if read.has_choices else (),
        stops=tuple(stop for stop in read.prompt.stop if stop in read.stops and stop.strip()),
        max_tokens=read.most,
        members=items,
    )


def _metric(content: ItemContent, prompt: Prompt, intended: str) -> str:
    own = family(content.family).metric(content)
    if own or prompt.choices:
        return own or "accuracy"
    return _STANDS_IN.get(intended, "accuracy")


def references_of(content: ItemContent) -> list[str]:
    """The key of an item and the answers that are as good."""
    kind = family(content.family)
    return [kind.key(content), *kind.others(content)]


def read_with(item: SplitItem, prompt: Prompt, task: HarnessTask) -> dict[str, Any]:
    """All that the copied reader needs to read and measure a reply to an item."""
    way = _way(item.content, prompt, task)
    return {**_read_alike(*way), "references": references_of(item.content)}


def read_text(item: SplitItem, prompt: Prompt, task: HarnessTask, references: Sequence[str]) -> str:
    """``read_with`` as JSON, of an item with these references."""
    head = _read_head(*_way(item.content, prompt, task))
    return f'{head}, "references": {_spelled_texts(tuple(references))}}}'


# made once: ``json.dumps`` makes an encoder for every call that names an option
_spelled = json.JSONEncoder(ensure_ascii=False).encode


@lru_cache(maxsize=1024)  # letters and labels, which many items share
def _spelled_texts(texts: tuple[str, ...]) -> str:
    return _spelled(texts)


@lru_cache(maxsize=1024)
def _read_head(*way: Any) -> str:
    """How a reply is read, which most items of a task share, as JSON without its end."""
    return _spelled(_read_alike(*way))[:-1]


def _way(content: ItemContent, prompt: Prompt, task: HarnessTask) -> tuple[Any, ...]:
    metric = _metric(content, prompt, task.intended)
    return content.family, prompt.pattern, prompt.choices, prompt.stop, metric, task.labels


def _read_alike(
    family: str,
    pattern: str,
    choices: Sequence[str],
    stops: Sequence[str],
    metric: str,
    labels: Sequence[str],
) -> dict[str, Any]:
    return {
        "family": family,
        "pattern": pattern,
        "choices": list(choices),
        "stops": list(stops),
        "metric": metric,
        "labels": list(labels),
    }


def reader_source() -> str:
    """The text of the reader and of what it imports, with the function ``scored`` behind it."""
    taken = "from core.unicode_forms import normal_form\n"
    reader = inspect.getsource(reading).replace(taken, "")
    return f"{inspect.getsource(unicode_forms)}\n\n{reader}\n\n{_SCORED}"


_SCORED = '''\
def scored(reply, told):
    """(score in 0..1, the answer that was read or None) of a reply, by what a row tells."""
    text = cut_reply(reply or "", told["stops"])
    answer = answer_in(told["family"], text, told["pattern"], told["choices"])
    return measure(told["metric"], answer, told["references"]), answer
'''


def slug(text: str) -> str:
    """A name that is safe in a file name, in YAML and in a comma-separated list of tasks."""
    return re.sub(r"[^\w.\-]+", "_", text).strip("._") or "split"


def free_name(stem: str, used: set[str]) -> str:
    """The name, numbered where it is used; from then on it is."""
    name, number = stem, 1
    while name.casefold() in used:
        number += 1
        name = f"{stem}_{number}"
    used.add(name.casefold())
    return name
