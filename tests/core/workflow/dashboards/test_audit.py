"""The Audit dashboard against rows of SQL: every number, every mark, on both databases."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy.stats import hypergeom

from core.cli import main
from core.workflow import people
from core.workflow.audit import lots as audit
from core.workflow.dashboards import draw
from core.workflow.dashboards.audit import LotFigures, PlanCurve, audit_sentence, tenth_sentence
from core.workflow.dashboards.figures import Dashboard, Mark, dashboard_json
from core.workflow.items import undo
from core.workflow.labels import label_of
from core.workflow.workspace import Workspace
from db.vocabulary import LotState
from tests.dashboards import audited, chart, frame, request_for, series
from tests.workload import fill


def worked_on(place: Path | str) -> Workspace:
    """Eight tasks in one to three rounds, one failure more in an open lot, one audit undone."""
    ws = fill(place, 600, tasks=8, decided=0.9, lots=True)
    people.ensure_person(ws, "Lead", "lead")
    lot = audit.status(ws, "task-003").lots[-1]
    waiting = [one.number for one in lot.drawn if not one.verdict]
    audit.decide(ws, "Lead", waiting[0], "accept")
    audit.decide(ws, "Lead", waiting[1], "reject", reason="formula")
    undo.undo(ws, "Lead")
    return ws


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """All tests only read it."""
    made = worked_on(tmp_path_factory.mktemp("audited") / "w")
    yield made
    made.close()


def lots(ws: Workspace) -> pd.DataFrame:
    """A row per lot, with what was decided of its drawn items."""
    found = frame(
        ws,
        "select l.id, t.name task, l.round, l.attempt, l.state, l.size, l.sample, l.allowed "
        "from lot l join task t on t.id = l.task_id order by l.id",
    ).set_index("id")
    said = verdicts(ws)
    found["decided"] = said.groupby("lot_id").size().reindex(found.index, fill_value=0)
    bad = said[said["verdict"] == "reject"]
    found["failed"] = bad.groupby("lot_id").size().reindex(found.index, fill_value=0)
    drawn = frame(ws, "select lot_id, count(position) n from lot_item group by lot_id")
    assert drawn.set_index("lot_id")["n"].to_dict() == found["sample"].to_dict()
    return found


def verdicts(ws: Workspace) -> pd.DataFrame:
    return frame(
        ws,
        "select d.item_id, d.lot_id, d.verdict, d.reason from decision d join lot_item i on "
        "i.lot_id = d.lot_id and i.item_id = d.item_id and i.position is not null "
        "where d.kind = 'audit' and d.withdrawn_event is null",
    )


def drawn_and_undecided(ws: Workspace) -> pd.DataFrame:
    """The drawn items of open lots without an audit decision that stands."""
    return frame(
        ws,
        "select i.lot_id, i.item_id from lot_item i join lot l on l.id = i.lot_id "
        "where l.state = 'open' and i.position is not null and not exists (select 1 from decision "
        "d where d.lot_id = i.lot_id and d.item_id = i.item_id and d.kind = 'audit' "
        "and d.withdrawn_event is null)",
    )


def behind(mark: Mark) -> list[int]:
    assert mark.pick is not None
    return sorted(mark.pick())


def members_of(ws: Workspace, found: pd.DataFrame) -> list[int]:
    """The items of some lots, each once."""
    every = frame(ws, "select lot_id, item_id from lot_item")
    return sorted(every.loc[every["lot_id"].isin(found.index), "item_id"].unique())


def bound(sample: int, failed: int, size: int) -> float:
    """The largest share of defects under which so few failures are not unlikely, by trying all."""
    likely = [
        defects
        for defects in range(failed, size - (sample - failed) + 1)
        if hypergeom.cdf(failed, size, defects, sample) >= 0.05
    ]
    return max(likely) / size


def test_the_sentence_of_lots_that_have_all_ended_speaks_of_nothing_that_waits() -> None:
    ended = LotFigures(1, "mood", 1, 1, LotState.RETURNED, 18, 18, 18, 1, 0, None)
    said = audit_sentence((ended,))
    assert said == "0 of 1 finished lot passed; 1 of 18 audited items failed."


def test_the_sentence_adds_up_all_lots(ws: Workspace) -> None:
    found = lots(ws)
    ended, still = found[found["state"] != "open"], found[found["state"] == "open"]
    assert len(still) == 1
    assert draw("audit", request_for(ws)).sentence == (
        f"{(ended['state'] == 'passed').sum()} of {len(ended)} finished lots passed; "
        f"{found['failed'].sum()} of {found['decided'].sum()} audited items failed, and "
        f"{(still['sample'] - still['decided']).sum()} drawn items are waiting."
    )


def test_every_round_stacks_its_lots_by_how_they_ended(ws: Workspace) -> None:
    found = lots(ws)
    rounds = chart(draw("audit", request_for(ws)), "rounds")
    names = [int(name) for name in rounds.places.names]
    assert names == sorted(found["round"].unique())
    drawn = {}
    for one, mark in rounds.marks:
        drawn[names[int(mark.at)], one.name] = (mark.value or 0) - (mark.low or 0)
        state = next(s for s in ("passed", "returned", "open") if label_of(s) == one.name)
        chosen = found[(found["round"] == names[int(mark.at)]) & (found["state"] == state)]
        assert set(behind(mark)) == set(members_of(ws, chosen))
    counts = found.groupby(["round", "state"]).size()
    assert drawn == {(int(r), label_of(str(s))): n for (r, s), n in counts.items()}


def test_the_newest_lots_show_what_became_of_their_samples(ws: Workspace) -> None:
    found = lots(ws).tail(12)
    said = verdicts(ws)
    samples = chart(draw("audit", request_for(ws)), "samples")
    assert samples.places.names == tuple(
        f"{task}, round {number}"
        for task, number in zip(found["task"], found["round"], strict=True)
    )
    open_samples = drawn_and_undecided(ws)
    assert len(open_samples)
    waiting = (found["sample"] - found["decided"]).where(found["state"] == "open", 0)
    expected = {"good": found["decided"] - found["failed"], "bad": found["failed"]}
    for name, column in {**expected, "waiting": waiting}.items():
        marks = series(samples, name).marks
        shown = {int(mark.at): (mark.value or 0) - (mark.low or 0) for mark in marks}
        assert shown == {place: n for place, n in enumerate(column) if n}
        for mark in marks:
            lot = found.index[int(mark.at)]
            wanted = said[(said["lot_id"] == lot) & (said["verdict"] == "accept")]
            if name == "bad":
                wanted = said[(said["lot_id"] == lot) & (said["verdict"] == "reject")]
            if name == "waiting":
                wanted = open_samples[open_samples["lot_id"] == lot]
            assert behind(mark) == sorted(wanted["item_id"])


def test_reasons_are_counted_over_all_lots_the_most_frequent_first(ws: Workspace) -> None:
    bad = verdicts(ws).query("verdict == 'reject'")
    reasons = chart(draw("audit", request_for(ws)), "reasons")
    counts = bad["reason"].map(label_of).value_counts()
    shown = [int(mark.value or 0) for mark in reasons.series[0].marks]
    assert shown == sorted(counts, reverse=True)
    assert dict(zip(reasons.places.names, shown, strict=True)) == counts.to_dict()
    for mark in reasons.series[0].marks:
        name = reasons.places.names[int(mark.at)]
        wanted = bad.loc[bad["reason"].map(label_of) == name, "item_id"]
        assert set(behind(mark)) == set(wanted)


def test_the_curves_are_the_chances_of_the_plans_in_use(ws: Workspace) -> None:
    found = lots(ws)
    curves = chart(draw("audit", request_for(ws)), "curve")
    plans = found.groupby(["sample", "allowed"])
    ranked = sorted(plans, key=lambda one: (-len(one[1]), one[0]))[:4]
    assert len(ranked) == 4
    tenths = []
    for one, ((sample, allowed), part) in zip(curves.series, ranked, strict=True):
        size = int(part["size"].sort_values().iloc[len(part) // 2])
        failures = "1 failure" if allowed == 1 else f"{allowed} failures"
        assert one.name == f"{sample} drawn of {size}, {failures} allowed"
        for mark in one.marks:
            defects = int(mark.at * size + 0.5)
            chance = hypergeom.cdf(allowed, size, defects, sample)
            assert mark.value == pytest.approx(chance)
            assert set(behind(mark)) == set(members_of(ws, part))
        tenths.append(hypergeom.cdf(allowed, size, int(0.1 * size + 0.5), sample))
    assert curves.title == (
        f"A lot with 10% defects passes {min(tenths):.0%} to {max(tenths):.0%} of the time, "
        "depending on its plan"
    )


def test_a_tenth_of_a_lot_of_two_is_said_as_one_item() -> None:
    two, eight = PlanCurve(1, 0, 2, ()), PlanCurve(4, 0, 8, ())
    said = tenth_sentence((two,))
    assert said == "A lot of 2 with 1 defective item passes 50% of the time"
    assert tenth_sentence((two, eight)) == (
        "A lot with about 10% defects, and at least 1, passes 50% of the time"
    )
    large = PlanCurve(20, 0, 200, ())
    assert tenth_sentence((large,)).startswith("A lot with 10% defects passes 11%")


def test_the_table_has_every_lot_and_what_its_sample_proves(ws: Workspace) -> None:
    found = lots(ws)
    part = draw("audit", request_for(ws)).tables[0]
    assert len(part.table.rows) == len(found)
    for row, pick, (number, lot) in zip(
        part.table.rows, part.picks, found[::-1].iterrows(), strict=True
    ):
        assert row[:8] == (
            lot["task"], lot["round"], label_of(lot["state"]), lot["size"], lot["sample"],
            lot["decided"], lot["failed"], lot["allowed"],
        )  # fmt: skip
        proven = None
        if lot["decided"] >= lot["sample"]:
            proven = pytest.approx(bound(lot["sample"], lot["failed"], lot["size"]))
        assert row[8] == proven
        assert pick is not None
        assert sorted(pick()) == members_of(ws, found.loc[[number]])


def test_the_command_prints_the_dashboard(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    where = str(ws.place.folder)
    dashboard = dashboard_json(draw("audit", request_for(ws)))
    assert main(["--workspace", where, "dashboard", "audit", "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document.pop("files") == []
    assert document == json.loads(json.dumps(dashboard))
    for row in lots(ws).itertuples():
        assert main(["--workspace", where, "audit", "status", str(row.task), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["lots"]
        one = next(lot for lot in told if lot["id"] == row.Index)
        assert (one["state"], one["size"], one["sample"]) == (row.state, row.size, row.sample)


def test_the_dashboard_is_the_same_on_sqlite_and_postgresql(
    ws: Workspace, pg_empty_url: str
) -> None:
    other = worked_on(pg_empty_url)
    here, there = (draw("audit", request_for(one)) for one in (ws, other))
    assert dashboard_json(there) == dashboard_json(here)
    assert lots(other).to_dict() == lots(ws).to_dict()
    assert _marks(there) == _marks(here)
    other.close()


def _marks(dashboard: Dashboard) -> list[list[int]]:
    """The items behind every mark and every row."""
    found = [
        sorted(mark.pick())
        for figure in dashboard.figures
        for _, mark in chart(dashboard, figure.id).marks
        if mark.pick is not None
    ]
    rows = [sorted(pick()) for part in dashboard.tables for pick in part.picks if pick is not None]
    return found + rows


def test_a_lot_that_is_returned_by_its_first_failure_says_so(tmp_path: Path) -> None:
    ws = fill(tmp_path / "w", 60, tasks=2, decided=0.9)
    people.ensure_person(ws, "Lead", "lead")
    audited(ws, 1)
    dashboard = draw("audit", request_for(ws))
    lot = dashboard.tables[0].table.rows[0]
    assert (lot[0], lot[1], lot[2], lot[5], lot[8]) == ("task-000", 1, "returned", 1, None)
    assert chart(dashboard, "reasons").places.names == ("formula",)
    assert "0 of 1" in dashboard.sentence
    ws.close()
