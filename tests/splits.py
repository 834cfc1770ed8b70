"""Splits of sound SCP items that all differ, for tests of releases and evaluations."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.families import family
from core.families.base import ItemContent
from core.release.manifest import SplitItem, number_items
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.new_items import new_item
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import items
from db.vocabulary import ItemState

FORMATS = ("sequencing", "cloze", "prediction")
DOMAINS = ("cs", "math", "q-bio")


def varied(number: int) -> ItemContent:
    """The family's sample with a Chinese sentence of its own, and a key that changes."""
    item = family("scp").sample(FORMATS[number % 3])
    payload = dict(item.payload)
    mark = f" 这是第{number}项（item-{number}）。"
    if "context" in payload:
        payload["context"] += mark
    elif "text" in payload:
        payload["text"] += mark
    else:
        payload["parts"] = [part + mark for part in payload["parts"]]
    options = next(n for n in ("orders", "assignments", "options") if n in payload)
    turned = list(payload[options])
    turn = number % 4
    payload[options] = turned[turn:] + turned[:turn]
    payload["key"] = (payload["key"] - turn) % 4
    return replace(
        item,
        payload=payload,
        domain=DOMAINS[number % 2],
        provenance={"article": f"article-{number % 5}", "title": "“引号” & \u2028 line"},
    )


def make_split(count: int) -> tuple[SplitItem, ...]:
    """``count`` items: three formats in turn, two domains, five articles."""
    return number_items((f"item-{n}", 1 + n % 2, varied(n)) for n in range(count))


def leaking_items(count: int, *, near: bool = True) -> list[ItemContent]:
    """Prediction items of random words from 40 articles; where they are ``near`` the right option
    repeats its context, so that whoever compares words needs no understanding."""
    draw = random.Random(7)
    words = [f"word{n}" for n in range(400)]
    made = []
    for n in range(count):
        context = draw.choices(words, k=40)
        options = [" ".join(draw.choices(words, k=20)) + "." for _ in range(4)]
        key = draw.randrange(4)
        if near:
            options[key] = " ".join(draw.sample(context, 20)) + "."
        payload = {"context": " ".join(context) + ".", "options": options, "key": key}
        made.append(ItemContent("scp", "prediction", payload, {"article": f"a{n % 40}"}, "cs"))
    return made


def freeze_split(
    ws: Workspace,
    contents: Mapping[str, Sequence[ItemContent]],
    name: str = "s",
    benchmark: str = "b",
) -> None:
    """A frozen split of accepted items, by task."""
    with ws.writing() as session:
        home = ensure_benchmark_in(session, benchmark)
        ids: list[int] = []
        for title, members in contents.items():
            task = ensure_task_in(session, home, title, members[0].family)
            ids += items.add(session, [new_item(c, task, None) for c in members])
        items.change(session, ids, state=ItemState.ACCEPTED)
    freeze.freeze(ws, name, benchmark)
