"""Measuring: agreement of people on what they decided and rated, whole and in every cut."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from core.errors import InputError, NotFoundError
from core.text import tr
from core.workflow.judgements import JudgementBook, Judgements, standing
from core.workflow.rubrics import criterion_scale
from core.workflow.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from core.agreement.base import CoefficientResult
    from core.agreement.ratings import RatingTable
    from core.agreement.reports import HumanRating

    Ints = npt.NDArray[np.int64]

DECISION = "decision"
_REVISIONS = 1000  # more revisions than any item will have
VERDICTS = ("accept", "reject", "return")
DEFAULT_COEFFICIENTS = (
    "percent",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha_nominal",
    "gwet_ac1",
)
Cut = Literal[
    "task", "category", "family", "format", "domain", "criterion",
    "stage", "pair", "week", "reviewer", "round",
]  # fmt: skip
CUTS: tuple[Cut, ...] = (
    "task", "category", "family", "format", "domain", "criterion",
    "stage", "pair", "week", "reviewer", "round",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scope:
    """Which judgements are measured.

    ``criterion`` is ``decision`` (the verdicts) or a criterion of a rubric. ``adjudicated``:
    ``before`` keeps what each reviewer said, ``after`` puts the adjudicator's verdict in the place
    of theirs. ``gold``: items with known answers are counted ``with`` or left out ``without``.
    """

    benchmark: str = ""
    task: str = ""
    criterion: str = DECISION
    stage: int | None = 2
    as_of: datetime | None = None
    adjudicated: Literal["before", "after"] = "before"
    gold: Literal["with", "without"] = "with"


@dataclass(frozen=True, slots=True)
class Estimate:
    """Which coefficients are computed, with which interval; ``items``: keep the items' names."""

    names: tuple[str, ...] = DEFAULT_COEFFICIENTS
    interval: str = "bootstrap"
    resamples: int = 1000
    seed: int = 0
    items: bool = True


@dataclass(frozen=True)
class Agreement:
    """Coefficients over one group of judgements, with the table and the items behind them."""

    group: str
    coefficients: "tuple[CoefficientResult, ...]"
    table: "RatingTable"


def judgements(ws: Workspace, scope: Scope, book: JudgementBook | None = None) -> "pd.DataFrame":
    """The judgements in a scope: one row per item revision, person and criterion, by unit.

    Columns: unit (item × 1000 + revision), item_id, revision, task_id, task, family, format,
    domain, stage, round, person_id, person, criterion, value, at; words are categories. Raises
    NotFoundError for an unknown benchmark or task.
    """
    book = book or JudgementBook(ws)
    view = book.read(("decisions", "ratings"))
    if scope.criterion in (DECISION, "*"):
        frame: pd.DataFrame = book.kept(
            view, scope, lambda: _selected(view, scope, _benchmark_id(ws, scope))
        )
        return frame
    every = judgements(ws, replace(scope, criterion="*"), book)
    found: pd.DataFrame = book.kept(
        view, scope, lambda: every[every["criterion"] == scope.criterion]
    )
    return found


def _benchmark_id(ws: Workspace, scope: Scope) -> int | None:
    from core.workflow.administer import benchmark_in

    if not scope.benchmark:
        return None
    with ws.reading() as session:
        return benchmark_in(session, scope.benchmark).id


def _selected(view: Judgements, scope: Scope, benchmark_id: int | None) -> "pd.DataFrame":
    import numpy as np
    import pandas as pd

    said = _decisions(view, scope) if scope.criterion == DECISION else _ratings(view, scope)
    items, tasks = view.items, view.tasks
    place = np.searchsorted(items["id"].to_numpy(), said["item_id"].to_numpy())
    task_id = items["task_id"].to_numpy()[place]
    wanted = np.ones(len(said), bool)
    if benchmark_id is not None:
        wanted &= items["benchmark_id"].to_numpy()[place] == benchmark_id
    if scope.task:
        named = tasks.loc[tasks["name"] == scope.task, "id"]
        if named.empty:
            raise NotFoundError(tr("There is no task “{task}”.", task=scope.task))
        wanted &= np.isin(task_id, named.to_numpy())
    if scope.gold == "without" and view.gold:
        wanted &= ~_is_gold(said, view)
    unit = said["item_id"].to_numpy() * _REVISIONS + said["revision"].to_numpy()
    rows = np.flatnonzero(wanted)
    rows = rows[np.argsort(unit[rows], kind="stable")]
    place = place[rows]
    names = tasks.set_index("id")["name"]
    made: dict[str, Any] = {"unit": unit[rows]}
    for name in ("item_id", "revision", "stage", "person_id", "criterion", "value", "at"):
        made[name] = said[name].array[rows]
    for name in ("task_id", "round", "family", "format", "domain"):
        made[name] = items[name].array[place]
    made["task"] = _named(made["task_id"], {int(k): str(v) for k, v in names.items()})  # type: ignore[call-overload]  # Hashable
    made["person"] = _named(made["person_id"], view.people)
    return pd.DataFrame(made)


def _is_gold(said: "pd.DataFrame", view: Judgements) -> Any:
    import numpy as np

    keys = zip(said["item_id"], said["revision"], said["person_id"], strict=True)
    return np.array([key in view.gold for key in keys], bool)


def _named(numbers: Any, names: Mapping[int, str]) -> Any:
    """Ids as a categorical of names; equal names of different ids are one category."""
    import numpy as np
    import pandas as pd

    known = np.array(sorted(names), np.int64)
    codes = np.searchsorted(known, np.asarray(numbers))
    labels = [names[int(number)] for number in known]
    order = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    place = np.array([order[label] for label in labels], np.int64)
    return pd.Categorical.from_codes(
        place[codes] if len(place) else codes, pd.Index(list(order), dtype=object)
    )


def unit_name(unit: int) -> str:
    """What an item revision is called: ``12`` for the first revision, ``12r2`` for the second."""
    item, revision = divmod(unit, _REVISIONS)
    return str(item) if revision <= 1 else f"{item}r{revision}"


def _decisions(view: Judgements, scope: Scope) -> "pd.DataFrame":
    import numpy as np
    import pandas as pd

    frame = standing(view.decisions, scope.as_of)
    reviews = frame[frame["kind"] != "adjudication"]
    if scope.stage is not None:
        reviews = reviews[reviews["stage"] == scope.stage]
    reviews = reviews.rename(columns={"verdict": "value"})
    criterion = pd.Categorical.from_codes(
        np.zeros(len(reviews), np.int8), pd.Index([DECISION], dtype=object)
    )
    reviews = reviews.assign(criterion=criterion)
    if scope.adjudicated == "after":
        settled = frame[frame["kind"] == "adjudication"]
        verdict = settled.set_index(["item_id", "revision"])["verdict"]
        keys = list(zip(reviews["item_id"], reviews["revision"], strict=True))
        final = verdict[~verdict.index.duplicated(keep="last")].reindex(keys).to_numpy()
        values: list[Any] = [
            own if pd.isna(new) else new for own, new in zip(reviews["value"], final, strict=True)
        ]
        reviews = reviews.assign(value=pd.Categorical(values))
    return reviews


def _ratings(view: Judgements, scope: Scope) -> "pd.DataFrame":
    frame = standing(view.ratings, scope.as_of).assign(stage=2)
    return frame if scope.criterion == "*" else frame[frame["criterion"] == scope.criterion]


def agreement(
    ws: Workspace,
    scope: Scope,
    estimate: Estimate = Estimate(),
    book: JudgementBook | None = None,
) -> Agreement:
    """Coefficients over all judgements in a scope."""
    frame = judgements(ws, scope, book)
    return _measured("", frame, scope.criterion, estimate)


def agreement_by(
    ws: Workspace,
    scope: Scope,
    cut: Cut,
    estimate: Estimate = Estimate(),
    book: JudgementBook | None = None,
) -> tuple[Agreement, ...]:
    """Coefficients in every group of a cut, in the order of the groups' names.

    ``pair`` restricts to two people at a time, ``reviewer`` to the items that this person judged,
    ``week`` to the ISO week in which an item got its last judgement.
    """
    if cut not in CUTS:
        raise InputError(
            tr("There is no cut by “{cut}”. Known: {known}.", cut=cut, known=", ".join(CUTS))
        )
    if cut == "criterion":
        scope = replace(scope, criterion="*")
    if cut == "stage":
        scope = replace(scope, stage=None)
    frame = judgements(ws, scope, book)
    found = []
    if cut == "category":
        frame = _with_categories(frame, (book or JudgementBook(ws)).read(()))
    for name, part in _groups(frame, cut):
        criterion = name if cut == "criterion" else scope.criterion
        found.append(_measured(name, part, criterion, estimate))
    if cut == "criterion":
        verdicts = judgements(ws, replace(scope, criterion=DECISION), book)
        if len(verdicts):
            found.insert(0, _measured(DECISION, verdicts, DECISION, estimate))
    return tuple(found)


def _groups(frame: "pd.DataFrame", cut: Cut) -> "Iterator[tuple[str, pd.DataFrame]]":
    if cut == "pair":
        for first, second in combinations(sorted(map(str, frame["person"].unique())), 2):
            yield f"{first} · {second}", frame[frame["person"].isin((first, second))]
        return
    if cut == "reviewer":
        for person in sorted(map(str, frame["person"].unique())):
            seen = frame.loc[frame["person"] == person, "unit"]
            yield person, frame[frame["unit"].isin(seen)]
        return
    if cut == "week":
        frame = frame.assign(week=_weeks(frame))
    if cut == "category":
        frame = frame.explode("category").dropna(subset=["category"])
    for name, part in sorted(frame.groupby(cut, observed=True), key=_group_name):
        yield str(name), part


def _group_name(group: tuple[Any, Any]) -> Any:
    """The name of a group of a cut; numbers stay numbers, so that round 10 comes after 9."""
    return group[0]


def _with_categories(frame: "pd.DataFrame", view: Judgements) -> "pd.DataFrame":
    """With a column ``category``: the list of each row's task."""
    lists = {
        int(number): list(profile.get("categories") or [])
        for number, profile in zip(view.tasks["id"], view.tasks["profile"], strict=True)
    }
    return frame.assign(category=frame["task_id"].map(lists))


def _weeks(frame: "pd.DataFrame") -> Any:
    """The ISO week, such as ``2026-W32``, in which each row's unit got its last judgement."""
    import numpy as np
    import pandas as pd

    if frame.empty:
        return pd.Categorical([])
    days = frame["at"].dt.tz_localize(None).to_numpy().astype("datetime64[D]")
    unit, first = _sorted_codes(frame["unit"].to_numpy())
    last = np.maximum.reduceat(days, np.searchsorted(unit, np.arange(len(first))))
    distinct, codes = np.unique(last, return_inverse=True)
    names = ["{}-W{:02}".format(*day.isocalendar()[:2]) for day in distinct.tolist()]
    order = sorted(set(names))
    place = np.array([order.index(name) for name in names])
    return pd.Categorical.from_codes(place[codes][unit], pd.Index(order, dtype=object))


def table_of(
    frame: "pd.DataFrame", criterion: str = DECISION, *, items: bool = True
) -> "RatingTable":
    """The rating table of some judgements: item revisions × people, with or without names."""
    import numpy as np

    from core.agreement.ratings import table_of_matrix

    categories: tuple[object, ...] = VERDICTS
    if criterion != DECISION:
        used = tuple(sorted(frame["value"].unique().tolist()))
        categories = criterion_scale(criterion) or used
        categories += tuple(value for value in used if value not in categories)
    units, first = _sorted_codes(frame["unit"].to_numpy())
    people, names = _used_people(frame["person"])
    matrix = np.full((len(first), len(names)), -1, np.int8)
    matrix[units, people] = _value_codes(frame["value"], categories)
    table = table_of_matrix(matrix, categories, tuple(names))
    item_ids = tuple(unit_name(unit) for unit in first.tolist()) if items else None
    return replace(table, item_ids=item_ids, ordered=criterion != DECISION)


def _value_codes(values: "pd.Series[Any]", categories: tuple[object, ...]) -> "Ints":
    """The place of each value among the categories."""
    import numpy as np
    import pandas as pd

    place = {value: code for code, value in enumerate(categories)}
    if isinstance(values.dtype, pd.CategoricalDtype):
        known = np.array([place.get(value, -1) for value in values.cat.categories], np.int64)
        return known[values.cat.codes.to_numpy()] if len(known) else np.empty(0, np.int64)
    numbers = np.array([float(str(value)) for value in categories])
    order = np.argsort(numbers, kind="stable")
    return np.asarray(order[np.searchsorted(numbers[order], values.to_numpy(float))])


def _used_people(person: "pd.Series[Any]") -> "tuple[Ints, list[str]]":
    """(code of each row's person, names by code in alphabetical order), only those who occur."""
    import numpy as np

    codes = person.cat.codes.to_numpy()
    names = [str(name) for name in person.cat.categories]
    used = np.flatnonzero(np.bincount(codes, minlength=len(names)) > 0) if len(codes) else codes
    order = sorted(used.tolist(), key=lambda code: names[code])
    place = np.zeros(max(1, len(names)), np.int64)
    place[order] = np.arange(len(order))
    return place[codes], [names[code] for code in order]


def _sorted_codes(units: "Ints") -> "tuple[Ints, Ints]":
    """(position of each row's unit, the distinct units), for units in ascending order."""
    import numpy as np

    if not len(units):
        return units, units
    fresh = np.concatenate([[True], units[1:] != units[:-1]])
    return np.cumsum(fresh) - 1, units[fresh]


def _measured(name: str, frame: "pd.DataFrame", criterion: str, estimate: Estimate) -> Agreement:
    from core.agreement.compute import coefficients_for

    table = table_of(frame, criterion, items=estimate.items)
    results = coefficients_for(
        table,
        estimate.names,
        interval=estimate.interval,
        resamples=estimate.resamples,
        seed=estimate.seed,
    )
    return Agreement(name, tuple(results), table)


def human_ratings(ws: Workspace, scope: Scope) -> "Sequence[HumanRating]":
    """Ratings and verdicts in a scope as rows for the named reports, grouped by task."""
    from core.agreement.reports import HumanRating

    rated = judgements(ws, replace(scope, criterion="*"))
    decided = judgements(ws, replace(scope, criterion=DECISION))
    columns = ("unit", "person", "criterion", "value", "task")
    return [
        HumanRating(unit_name(unit), str(person), str(criterion), value, str(task))
        for frame in (rated, decided)
        for unit, person, criterion, value, task in zip(
            *(frame[name].tolist() for name in columns), strict=True
        )
    ]
