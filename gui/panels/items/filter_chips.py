"""A filter over the items as chips: one for each condition, and the filter without it."""

from dataclasses import fields, replace
from typing import Any

from core.i18n import tr, trn
from core.workflow.items.search import Filters
from gui import labels
from gui.widgets.chips import Chip

_NAMED = ("benchmark", "task", "domain", "label", "run")


def chips_of(chosen: Filters) -> list[Chip]:
    """The chips of a filter; the searched words have a line of their own and no chip."""
    values = {name: getattr(chosen, name) for name in _NAMED}
    texts = {
        "benchmark": tr("benchmark: {value}", value=values["benchmark"]),
        "task": tr("task: {value}", value=values["task"]),
        "domain": tr("domain: {value}", value=values["domain"]),
        "label": tr("label: {value}", value=values["label"]),
        "run": tr("run: {value}", value=values["run"]),
    }
    chips = [Chip(name, texts[name]) for name in _NAMED if values[name]]
    chips += [
        Chip(f"state:{state}", labels.word(labels.ITEM_STATES, state)) for state in chosen.states
    ]
    if chosen.stage is not None:
        chips.append(Chip("stage", labels.word(labels.STAGES, str(chosen.stage))))
    if chosen.family:
        chips.append(Chip("family", labels.word(labels.FAMILIES, chosen.family)))
    if chosen.format:
        chips.append(Chip("format", labels.word(labels.FORMATS, chosen.format)))
    return chips + _who_and_when(chosen)


def _who_and_when(chosen: Filters) -> list[Chip]:
    chips = []
    if chosen.person:
        chips.append(Chip("person", tr("person: {value}", value=chosen.person)))
    if chosen.disputed is not None:
        chips.append(Chip("disputed", tr("disputed") if chosen.disputed else tr("not disputed")))
    if chosen.second_look is not None:
        text = tr("waiting for a second look") if chosen.second_look else tr("no second look")
        chips.append(Chip("second_look", text))
    if chosen.score_from is not None:
        chips.append(Chip("score_from", tr("score from {value}", value=f"{chosen.score_from:g}")))
    if chosen.score_to is not None:
        chips.append(Chip("score_to", tr("score to {value}", value=f"{chosen.score_to:g}")))
    if chosen.since:
        chips.append(Chip("since", tr("changed from {value}", value=chosen.since)))
    if chosen.until:
        chips.append(Chip("until", tr("changed until {value}", value=chosen.until)))
    if chosen.numbers:
        text = trn("1 selected item", "{n} selected items", len(chosen.numbers))
        chips.append(Chip("numbers", text))
    return chips


def without(chosen: Filters, chip: str) -> Filters:
    """The filter when this chip is taken off."""
    if chip.startswith("state:"):
        states = tuple(state for state in chosen.states if state != chip.removeprefix("state:"))
        return replace(chosen, states=states)
    empty: dict[str, Any] = {field.name: field.default for field in fields(Filters)}
    return replace(chosen, **{chip: empty[chip]})
