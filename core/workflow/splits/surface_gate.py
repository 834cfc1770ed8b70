"""The surface gate of a split: how far solvers get with its items that never read the question.

Stands beside every score of the split. A frozen split never changes, so the audit is made once and
kept in the cache of the workspace by the digest of its manifest and the language of its remarks; it
holds figures and no item.
"""

import json
import threading
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.analysis.artifacts.solvers import solver_names
from core.files import make_private_folder, write_json
from core.i18n import language, listed, tr, trn, with_note
from core.release.frozen_items import FrozenItems
from core.report_table import Cell, ReportTable
from core.workflow.labels import format_label
from core.workflow.splits import freeze, split_states
from core.workflow.splits.compared_items import SplitContents
from core.workflow.workspace import Workspace
from db import splits

_VERSION = 4
_MOST = 1000  # questions of one kind: their intervals are ± 3 points at most
_AUDITING = threading.Lock()


@dataclass(frozen=True, slots=True)
class SurfaceSolver:
    """One shallow solver on the questions of one kind of a split, of which there are ``items``.

    ``accuracy``, ``low``, ``high`` (95%, over sources) and ``chance`` are in 0…1; ``all_low`` and
    ``all_high`` are of intervals that hold for all solvers of the split together.
    """

    kind: str
    items: int
    solver: str
    accuracy: float
    low: float | None
    high: float | None
    chance: float
    caution: str
    all_low: float | None
    all_high: float | None

    @property
    def above_chance(self) -> bool:
        """Whether the interval for all solvers together lies above chance, which of a sound split
        any does in at most one case of forty."""
        return self.all_low is not None and self.all_low > self.chance

    @property
    def gain(self) -> float:
        """How far above chance the solver gets, as a share of what there is above it."""
        return (self.accuracy - self.chance) / max(1e-9, 1 - self.chance)


@dataclass(frozen=True, slots=True)
class SurfaceGate:
    """What the shallow solvers reach on a split; ``too_few`` counts, by kind, items that are too
    few for an audit, ``without_options`` those that offer no texts to choose from."""

    split: str
    solvers: tuple[SurfaceSolver, ...]
    too_few: dict[str, int]
    without_options: int

    @property
    def above(self) -> tuple[SurfaceSolver, ...]:
        """The solvers above chance, the strongest first."""
        found = [solver for solver in self.solvers if solver.above_chance]
        return tuple(sorted(found, key=lambda solver: -solver.gain))

    @property
    def strongest(self) -> tuple[SurfaceSolver, ...]:
        """Of each kind the solver that gets furthest above chance."""
        kinds = dict.fromkeys(solver.kind for solver in self.solvers)
        return tuple(
            max((s for s in self.solvers if s.kind == kind), key=lambda solver: solver.gain)
            for kind in kinds
        )

    def as_json(self) -> dict[str, Any]:
        """One object; shares in 0…1."""
        return {
            "clean": not self.above,
            "solvers": [_row(solver) | {"above_chance": solver.above_chance}
                        for solver in self.solvers],
            "too_few": dict(self.too_few),
            "without_options": self.without_options,
            "warning": warning(self),
            "sentences": list(strongest_lines(self)),
        }  # fmt: skip


def surface_gate(ws: Workspace, split: str) -> SurfaceGate:
    """The gate of a split; some seconds the first time. NotFoundError for an unknown split."""
    digest = freeze.info(ws, split).manifest_hash
    path = ws.place.folder / "cache" / "surface" / f"{digest[:32]}-{_VERSION}-{language()}.json"
    with _AUDITING:  # two threads that need the same audit do not make it twice
        document = _kept(path) or _audited(ws, split, path)
    return SurfaceGate(
        split,
        tuple(SurfaceSolver(**row) for row in document["solvers"]),
        document["too_few"],
        document["without_options"],
    )


def _kept(path: Path) -> dict[str, Any] | None:
    """The kept audit; None where there is none that can be read."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for row in document["solvers"]:
            SurfaceSolver(**row)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return document if {"too_few", "without_options"} <= document.keys() else None


def _audited(ws: Workspace, split: str, path: Path) -> dict[str, Any]:
    from core.analysis.artifacts.artifact_audit import audit_items

    with ws.reading() as session:
        stored = splits.stored_contents(session, split_states.split_in(session, split).id)
        with closing(FrozenItems(stored, split)) as members:
            names = [entry.uid for entry in members.entries()]
            audit = audit_items(SplitContents(members), names, _MOST)
    solvers = [
        SurfaceSolver(kind.kind, kind.items, s.solver, s.accuracy, s.low, s.high, s.chance,
                      s.caution, s.all_low, s.all_high)
        for kind in audit.kinds for s in kind.solvers
    ]  # fmt: skip
    document = {
        "solvers": [_row(solver) for solver in solvers],
        "too_few": dict(audit.too_few),
        "without_options": audit.without_options,
    }
    if not ws.is_read_only:
        with suppress(OSError):  # it is made again where it cannot be kept
            make_private_folder(path.parent)
            write_json(path, document)
    return document


def _row(solver: SurfaceSolver) -> dict[str, Any]:
    return {name: getattr(solver, name) for name in SurfaceSolver.__slots__}


def warning(gate: SurfaceGate) -> str:
    """The sentence that a report of the split begins with; empty where no solver beats chance."""
    if not gate.above:
        return ""
    best = gate.above[0]
    said = trn(
        "“{split}” can be answered in part without its questions: 1 of {solvers} shallow solvers "
        "lies above chance, “{solver}” ({kind}) with {accuracy}% [{low}, {high}] where chance is "
        "{chance}%; the 95% interval holds for all solvers together.",
        "“{split}” can be answered in part without its questions: {n} of {solvers} shallow "
        "solvers lie above chance, the strongest, “{solver}” ({kind}), with {accuracy}% "
        "[{low}, {high}] where chance is {chance}%; the 95% interval holds for all solvers "
        "together.",
        len(gate.above),
        split=gate.split,
        solvers=len(gate.solvers),
        solver=solver_names().get(best.solver, best.solver),
        kind=format_label(best.kind),
        accuracy=_percent(best.accuracy),
        low=_percent(best.all_low),
        high=_percent(best.all_high),
        chance=_percent(best.chance),
    )
    return with_note(said, best.caution)


def short_warning(gate: SurfaceGate) -> str:
    """The warning as a heading has room for it; empty where no solver beats chance."""
    if not gate.above:
        return ""
    best = gate.above[0]
    return tr(
        "A shallow solver reaches {accuracy}% where chance is {chance}%.",
        accuracy=_percent(best.accuracy),
        chance=_percent(best.chance),
    )


def notes(gate: SurfaceGate) -> tuple[str, ...]:
    """What the audit could not look at."""
    said = [
        trn(
            "{kind}: 1 item is too few for an audit of shallow solvers.",
            "{kind}: {n} items are too few for an audit of shallow solvers.",
            count,
            kind=format_label(kind),
        )
        for kind, count in gate.too_few.items()
    ]
    if gate.without_options:
        said.append(
            trn("1 item offers no texts to choose from: shallow solvers were not tried on it.",
                "{n} items offer no texts to choose from: shallow solvers were not tried on them.",
                gate.without_options)
        )  # fmt: skip
    return tuple(said)


def strongest_lines(gate: SurfaceGate) -> tuple[str, ...]:
    """Of each kind of question a line with its strongest shallow solver, and the notes."""
    names, tried = solver_names(), Counter(solver.kind for solver in gate.solvers)
    lines = [
        with_note(
            trn(
                "{kind}: the only shallow solver ({solver}) has {accuracy}% [{low}, {high}]; "
                "chance is {chance}%.",
                "{kind}: the strongest of {n} shallow solvers ({solver}) has {accuracy}% [{low}, "
                "{high}], a 95% interval for all solvers together; chance is {chance}%.",
                tried[one.kind],
                kind=format_label(one.kind),
                solver=names.get(one.solver, one.solver),
                accuracy=_percent(one.accuracy),
                low=_percent(one.all_low),
                high=_percent(one.all_high),
                chance=_percent(one.chance),
            ),
            one.caution,
        )
        for one in gate.strongest
    ]
    return (*lines, *notes(gate))


def surface_table(gate: SurfaceGate) -> ReportTable:
    """A row for each kind of question and shallow solver, in percent, the strongest first."""
    names = solver_names()
    ranked = sorted(gate.solvers, key=lambda solver: (solver.kind, -solver.gain))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            format_label(one.kind),
            names.get(one.solver, one.solver),
            100 * one.accuracy,
            None if one.all_low is None else 100 * one.all_low,
            None if one.all_high is None else 100 * one.all_high,
            100 * one.chance,
            one.items,
            listed(filter(None, (tr("above chance") if one.above_chance else "", one.caution))),
        )
        for one in ranked
    )
    heads = (tr("Format"), tr("Solver"), tr("Accuracy"), tr("Low"), tr("High"), tr("Chance"),
             tr("Items"), tr("Remark"))  # fmt: skip
    title = tr("{split}: shallow solvers, percent", split=gate.split)
    said = [line for line in (warning(gate),) if line]
    legend = tr(
        "A shallow solver answers by one cue, without reading the question. Where one is right "
        "more often than chance, the items give their answers away. The 95% intervals hold for all "
        "solvers together: Wilson's, with cluster-robust errors over sources and Bonferroni's "
        "level."
    )
    return ReportTable(title, heads, rows, (*said, *notes(gate), legend), 1)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
