"""Openings under a policy: for which model a sealed split was opened, and what used it.

A split that was sealed under ``ONCE`` is opened for one model at a time, each opening allows one
evaluation of that model, and a second opening for it needs another lead. It is exported by nobody
and used in no simulation: what leaves the program is used any number of times. The database refuses
the same (``db.evidence.openings``). An expired split is public and free. What is known of other
copies of the workspace counts as well (``other_copies``).
"""

from dataclasses import dataclass
from posixpath import normpath

from core.confusables import skeletons
from core.errors import InputError, StateError
from core.i18n import printed_day, tr
from core.workflow.splits import other_copies, split_states
from core.workflow.splits.other_copies import EVALUATION, TRIAL, ActElsewhere
from core.workflow.workspace import Workspace
from db import ledger, runs
from db.engine import Session
from db.evidence.openings import ASKING
from db.vocabulary import EventKind, SplitState

ONCE = "once"
POLICY, MODEL = "policy", "model"
"""Fields of an event's data: of a sealing, and of an opening."""


@dataclass(frozen=True, slots=True)
class SplitOpening:
    """One opening for a model: who, when (ISO, UTC), why, and the run that used it, if any."""

    event: int
    at: str
    person: str
    model: str
    reason: str
    run: str = ""


def policy_of(session: Session, name: str) -> str:
    """The policy that a split is under: ``ONCE``, or empty for none."""
    events = ledger.of_subject(session, EventKind.SPLIT, name)
    if any(split_states.state_after(event) == SplitState.EXPIRED for event in events):
        return ""
    return next((str(event.data[POLICY]) for event in events if event.data.get(POLICY)), "")


def openings_of(session: Session, name: str) -> tuple[SplitOpening, ...]:
    """The openings that name a model, oldest first, each with the run that used it."""
    split = split_states.split_in(session, name)
    used: dict[str, list[str]] = {}
    for row in reversed(runs.all_runs(session)):
        if row.kind in ASKING and row.split_id == split.id:
            model = str(row.params.get("model") or row.params.get("engine") or "")
            used.setdefault(model, []).append(row.id)
    found = []
    for event in ledger.of_subject(session, EventKind.SPLIT, name):
        if split_states.state_after(event) == SplitState.OPENED and event.data.get(MODEL):
            model = str(event.data[MODEL])
            run = used[model].pop(0) if used.get(model) else ""
            found.append(SplitOpening(event.id, event.at, event.actor, model,
                                      str(event.data.get("reason", "")), run))  # fmt: skip
    return tuple(found)


def refuse_opening(ws: Workspace, session: Session, name: str, model: str, person: str) -> None:
    """Refuse what the policy does not allow: InputError for an opening without a model, StateError
    for a second one by the same lead, also in another copy of the workspace."""
    elsewhere = _elsewhere(ws, session, name)
    if elsewhere is None:
        return
    if not model:
        raise InputError(
            tr("Split “{name}” is opened for one model at a time; name it.", name=name),
            command=tr("For example: --model M"),
        )
    if any(
        _is_alike(one.model, model) and one.person == person for one in openings_of(session, name)
    ):
        raise StateError.tr(
            "{person} has opened split “{name}” for {model} already. A second opening needs a "
            "second lead.",
            person=person,
            name=name,
            model=model,
        )
    for act in elsewhere:
        is_opening = act.act == SplitState.OPENED and act.person == person
        if is_opening and _is_alike(act.model, model):
            raise _older(name, act)


def _elsewhere(ws: Workspace, session: Session, name: str) -> tuple[ActElsewhere, ...] | None:
    """What is known of a split under the policy from other copies; None for one under none.

    StateError for one that was sealed under it in another copy alone, and has not expired.
    """
    if split_states.split_in(session, name).state == SplitState.EXPIRED:
        return None
    elsewhere = other_copies.acts_elsewhere(ws, session, name)
    if policy_of(session, name) == ONCE:
        return elsewhere
    sealed = next((act for act in elsewhere if act.policy == ONCE), None)
    if sealed and not any(act.act == SplitState.EXPIRED for act in elsewhere):
        raise _older(name, sealed)
    return None


def _older(name: str, act: ActElsewhere) -> StateError:
    return StateError.tr(
        "This is an older copy of the workspace, or one that was continued separately: its "
        "ledger does not record what was done with split “{name}” on {day} (“{place}”), and "
        "each opening counts only once. Continue in the newer copy. If that one is lost, "
        "another lead can open the split here.",
        name=name,
        day=printed_day(act.at),
        place=act.place,
    )


def _is_alike(model: str, other: str) -> bool:
    """Whether two names seem to be of one model: in another case or spelling, or the same folder
    written in another way."""
    return not skeletons(normpath(model)).isdisjoint(skeletons(normpath(other)))


def refuse_unopened(ws: Workspace, session: Session, name: str, model: str) -> None:
    """StateError where the policy allows no further evaluation of a model."""
    _refuse_used(ws, session, name, model, EVALUATION)


def refuse_trial(ws: Workspace, session: Session, name: str, model: str) -> None:
    """StateError where the policy allows no trial of a model: each opening that is not used yet
    allows one, for many would ask it every item."""
    elsewhere = _refuse_used(ws, session, name, model, EVALUATION)
    if elsewhere is None:
        return
    trials = [
        event
        for event in ledger.of_subject(session, EventKind.READING, name)
        if event.data.get("act") == TRIAL and event.data.get("for") == model
    ]
    openings = sum(one.model == model for one in openings_of(session, name))
    if len(trials) >= openings:
        raise StateError.tr(
            "Split “{name}” allows each model one trial run for each opening, and {model} has "
            "had it.", name=name, model=model
        )  # fmt: skip
    _refuse_used_elsewhere(name, model, elsewhere, TRIAL, openings - len(trials))


def _refuse_used(
    ws: Workspace, session: Session, name: str, model: str, act: str
) -> tuple[ActElsewhere, ...] | None:
    """StateError where no opening for a model is left; returns what ``_elsewhere`` does."""
    elsewhere = _elsewhere(ws, session, name)
    if elsewhere is None:
        return None
    left = sum(one.model == model and not one.run for one in openings_of(session, name))
    if not left:
        raise StateError(
            tr(
                "Split “{name}” allows each model one evaluation for each opening, and none is "
                "open for {model}. A lead can open it.",
                name=name,
                model=model,
            ),
            command=tr("For example: benchseal split open {name} --model {model} --reason REASON",
                       name=name, model=model),
        )  # fmt: skip
    _refuse_used_elsewhere(name, model, elsewhere, act, left)
    return elsewhere


def _refuse_used_elsewhere(
    name: str, model: str, elsewhere: tuple[ActElsewhere, ...], act: str, left: int
) -> None:
    """StateError where other copies used up the openings that this one has left."""
    more = sum(one.act == SplitState.OPENED and one.model == model for one in elsewhere)
    uses = [one for one in elsewhere if one.act == act and one.model in (model, "")]
    if len(uses) >= left + more:
        raise _older(name, uses[-1])


def refuse_use(ws: Workspace, session: Session, name: str) -> None:
    """StateError for what a split under the policy is never used for."""
    if _elsewhere(ws, session, name) is not None:
        raise StateError.tr(
            "Split “{name}” was sealed so that each model is evaluated once for each opening: "
            "until it expires it is not exported and not used in any other way.",
            name=name,
        )


def refuse_early_opening(ws: Workspace, name: str, model: str, person: str) -> None:
    """As ``refuse_opening``, before a key is looked for."""
    with ws.reading() as session:
        refuse_opening(ws, session, name, model, person)


def refuse_early(ws: Workspace, name: str, model: str) -> None:
    """As ``refuse_unopened``, before something long is prepared."""
    with ws.reading() as session:
        refuse_unopened(ws, session, name, model)


def refuse_early_use(ws: Workspace, name: str) -> None:
    """As ``refuse_use``, before something long is prepared."""
    with ws.reading() as session:
        refuse_use(ws, session, name)
