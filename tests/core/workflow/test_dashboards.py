"""What the dashboards say equals a plain computation; empty ones say what is missing."""

import csv
import io
import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from sqlalchemy import text
from statsmodels.stats.proportion import proportion_confint

from core.cli import main
from core.errors import InputError, NotFoundError, RightsError
from core.i18n import set_language
from core.workflow import people
from core.workflow.check import review
from core.workflow.dashboards import DASHBOARDS, DashboardRequest, agreement_query, alarms, draw
from core.workflow.dashboards.agreement_query import Scope
from core.workflow.dashboards.alarms import Alarm, Ringing
from core.workflow.dashboards.figures import (
    Axis,
    Chart,
    ItemSelection,
    Mark,
    Series,
    dashboard_csv,
    dashboard_json,
    figure_csv,
    figure_text,
    stacked,
)
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.dashboards.named_reports import report
from core.workflow.dashboards.people import reveal_names
from core.workflow.items import undo
from core.workflow.workspace import Workspace
from db import ledger
from tests.dashboards import TODAY, audited, chart, frame, grid, request_for, series
from tests.full_workspace import stored_rows
from tests.tampering import disarm
from tests.workload import BENCHMARK, fill


@pytest.fixture
def ws(tmp_path: Path) -> Any:
    """120 items, 96 of them judged by three people; every fifth of those was rejected."""
    made = fill(
        tmp_path / "w", 120, tasks=4, decided=0.8, criteria=("fluency", "accuracy"), screened=True
    )
    people.ensure_person(made, "Lead", "lead")
    with made.writing() as session:
        session.execute(
            text("update item set state = 'rejected' where state = 'accepted' and id % 5 = 0")
        )
        disarm(session)
        session.execute(
            text("update screening set audited = 1 where outcome = 'screened_out' and item_id < 60")
        )
    yield made
    made.close()


@pytest.fixture
def empty(tmp_path: Path) -> Any:
    made = fill(tmp_path / "e", 0, tasks=1)
    yield made
    made.close()


def test_progress_counts_every_item_once_and_adds_up(ws: Workspace) -> None:
    items = frame(ws, "select t.name task, i.state, i.id from item i join task t on t.id=i.task_id")
    dashboard = draw("progress", request_for(ws))
    expected = Counter(zip(items["task"], items["state"], strict=True))
    table = dashboard.tables[0].table
    for row in table.rows:
        done = expected[row[0], "accepted"]
        assert row[1:] == (
            100, done, done, expected[row[0], "in_review"], expected[row[0], "rejected"], 30,
        )  # fmt: skip
    bars = chart(dashboard, "tasks")
    drawn = {
        (bars.places.names[int(mark.at)], one.state): (mark.value or 0) - (mark.low or 0)
        for one in bars.series
        if one.form == "bars"
        for mark in one.marks
    }
    assert drawn == dict(expected)


def test_the_burn_up_ends_at_what_is_done(ws: Workspace) -> None:
    dashboard = draw("progress", request_for(ws))
    last = frame(
        ws,
        "select max(date(d.at)) day from decision d join item i on i.id = d.item_id "
        "where i.state = 'accepted' group by d.item_id",
    )
    per_day = Counter(last["day"])
    line = series(chart(dashboard, "burn_up"), "done")
    total = 0
    for mark in line.marks[:-1]:
        total += per_day[date.fromordinal(int(mark.at)).isoformat()]
        assert mark.value == total
    assert line.marks[-1].value == total == dashboard.facts["done"]


def test_the_forecast_brackets_its_day_and_is_the_pace_of_the_last_two_weeks(
    ws: Workspace,
) -> None:
    from core.workflow.dashboards.progress import progress_numbers

    book = JudgementBook(ws)
    found = progress_numbers(ws, book.read(), 1, date(2026, 8, 22)).forecast
    every = progress_numbers(ws, book.read(), 1).burn_up
    days = {day: total for day, total in every if day <= date(2026, 8, 22)}
    window = [date(2026, 8, 22) - timedelta(days=back) for back in range(14)]
    before = max(total for day, total in days.items() if day < min(window))
    assert found.per_day == pytest.approx((max(days.values()) - before) / 14)
    assert found.low is not None
    assert found.day is not None
    assert found.high is not None
    assert found.low <= found.day <= found.high


def test_a_pace_of_fewer_than_five_days_has_no_range(ws: Workspace) -> None:
    from core.workflow.dashboards.progress import progress_numbers

    view = JudgementBook(ws).read()
    first = progress_numbers(ws, view, 1).burn_up[0][0]
    for days in (0, 2, 3, 4):
        found = progress_numbers(ws, view, 1, first + timedelta(days=days))
        assert found.forecast.day is not None
        assert (found.forecast.low is None) == (days < 4)
        assert ("90%" in found.sentence) == (days == 4)
    dashboard = draw(
        "progress", DashboardRequest(ws, JudgementBook(ws), BENCHMARK, "", today=first.isoformat())
    )
    assert "90%" not in chart(dashboard, "burn_up").title


def test_agreement_shows_what_the_measure_says(ws: Workspace) -> None:
    dashboard = draw("agreement", request_for(ws, detail="both"))
    whole = agreement_query.agreement(ws, Scope(benchmark=BENCHMARK))
    marks = chart(dashboard, "coefficients").series[0].marks
    assert {mark.value for mark in marks} == {one.value for one in whole.coefficients}
    fleiss = next(one for one in whole.coefficients if one.name == "fleiss_kappa")
    assert f"{fleiss.value:.2f} [{fleiss.low:.2f}, {fleiss.high:.2f}]" in dashboard.sentence
    weeks = agreement_query.agreement_by(ws, Scope(benchmark=BENCHMARK), "week")
    shown = chart(dashboard, "weeks").series[0].marks
    assert [mark.value for mark in shown] == [
        next(c.value for c in part.coefficients if c.name == "fleiss_kappa") for part in weeks
    ]
    work = next(part for part in dashboard.tables if part.id == "work_list").table
    assert float(work.text_of(work.rows[0][2])) == pytest.approx(work.rows[0][2], rel=0.06)
    heat = grid(dashboard, "tasks")
    assert heat.columns == ("decision", "Accuracy", "Fluency")
    for row, task in enumerate(heat.rows):
        scope = Scope(benchmark=BENCHMARK, task=task, criterion="fluency")
        one = agreement_query.agreement(ws, scope).coefficients
        assert heat.cells[row][2].value == next(c.value for c in one if c.name == "fleiss_kappa")


def test_the_confusion_counts_pairs_and_names_their_items(ws: Workspace) -> None:
    dashboard = draw("agreement", request_for(ws, detail="confusion"))
    said = frame(ws, "select item_id, verdict from decision")
    pairs: Counter[tuple[str, str]] = Counter()
    behind: dict[tuple[str, str], set[int]] = {}
    for item, part in said.groupby("item_id"):
        for i, a in enumerate(part["verdict"]):
            for j, b in enumerate(part["verdict"]):
                if i != j:
                    pairs[a, b] += 1
                    behind.setdefault((a, b), set()).add(int(str(item)))
    cells = grid(dashboard, "confusion")
    for r, a in enumerate(cells.rows):
        for c, b in enumerate(cells.columns):
            cell = cells.cells[r][c]
            assert cell.value == pairs[a, b]
            assert cell.pick is not None
            assert set(cell.pick()) == behind[a, b]


def test_the_kappa_paradox_names_the_verdict_in_the_language_of_the_reader(ws: Workspace) -> None:
    with ws.writing() as session:
        disarm(session)
        session.execute(text("update decision set verdict = 'accept'"))
        alone = "where (item_id + 3 * person_id) % 11 = 0"
        session.execute(text(f"update decision set verdict = 'reject' {alone}"))
    found: dict[str, str] = {}
    for code in ("en", "zh"):
        set_language(code)
        notes = draw("agreement", request_for(ws)).remarks
        found[code] = next(note for note in notes if "AC1" in note)
    assert "“accept”" in found["en"]
    assert "“通过”" in found["zh"]
    assert "accept" not in found["zh"]


def test_every_mark_leads_to_the_items_that_it_counts(ws: Workspace) -> None:
    book = JudgementBook(ws)
    dashboard = draw("progress", DashboardRequest(ws, book, BENCHMARK, "", today=TODAY))
    one = series(chart(dashboard, "tasks"), "accepted").marks[0]
    assert isinstance(one.pick, ItemSelection)
    assert (one.pick.task, one.pick.states) == ("task-000", ("accepted",))
    numbers = frame(
        ws,
        "select i.id from item i join task t on t.id = i.task_id "
        "where t.name = 'task-000' and i.state = 'accepted'",
    )["id"]
    assert sorted(one.pick()) == sorted(numbers)
    assert len(numbers) == (one.value or 0) - (one.low or 0)


def reviewed(ws: Workspace) -> pd.DataFrame:
    """The decided items with the number of screened ones that each stands for."""
    found = frame(
        ws,
        "select s.item_id, s.score, s.outcome, s.audited, i.state, i.task_id from screening s "
        "join item i on i.id = s.item_id",
    )
    found["audited"] = found["audited"].astype(bool)
    settled = found["state"].isin(("accepted", "rejected"))
    counted = settled & ((found["outcome"] != "screened_out") | found["audited"])
    found["weight"] = 0.0
    for outcome in ("screened_out", "passed"):
        own = found["outcome"] == outcome
        every = set(found[own]["task_id"])
        by_task = set(found[own & counted]["task_id"]) == every
        tasks = found["task_id"] if by_task else found["task_id"] * 0
        for task in tasks.unique():
            here = own & (tasks == task)
            if (here & counted).any():
                share = here.sum() / (here & counted).sum()
                found.loc[here & counted, "weight"] = share
    return found


def test_the_gate_equals_a_plain_computation(ws: Workspace) -> None:
    found = reviewed(ws)
    settled = found[found["state"].isin(("accepted", "rejected"))]
    counted = found[found["weight"] > 0]
    good, bad = (counted[counted["state"] == state] for state in ("accepted", "rejected"))
    dashboard = draw("gate", request_for(ws))
    expected = roc_auc_score(
        counted["state"] == "accepted", counted["score"], sample_weight=counted["weight"]
    )
    assert counted["weight"].max() > 1
    assert dashboard.facts["auc"] == pytest.approx(expected)
    assert dashboard.facts["auc_low"] < expected < dashboard.facts["auc_high"]
    audited = settled[settled["audited"] == 1]
    rate = (audited["state"] == "accepted").mean()
    row = next(r for r in dashboard.tables[0].table.rows if r[0] == "false-reject rate")
    assert row[1] == pytest.approx(rate)
    scores = chart(dashboard, "scores")
    drawn = sum((m.value or 0) - (m.low or 0) for _, m in scores.marks)
    assert drawn == len(found)
    for mark in series(chart(dashboard, "roc"), "score").marks[:-1]:
        threshold = float(mark.label.split()[1])
        assert mark.value == pytest.approx(_weighted(good, threshold))
        assert mark.at == pytest.approx(_weighted(bad, threshold))


def _weighted(part: pd.DataFrame, threshold: float) -> float:
    return float(np.average(part["score"] >= threshold, weights=part["weight"]))


def test_false_rejects_stand_with_their_interval_and_lead_to_the_items(ws: Workspace) -> None:
    found = frame(
        ws,
        "select s.item_id, s.score, i.state from screening s join item i on i.id = s.item_id "
        "where s.audited = 1 and i.state in ('accepted', 'rejected')",
    )
    dashboard = draw("gate", request_for(ws))
    whole, parts = chart(dashboard, "false_rejects").series
    mark = whole.marks[0]
    good = int((found["state"] == "accepted").sum())
    low, high = proportion_confint(good, len(found), method="wilson")
    assert (mark.value, mark.low, mark.high) == pytest.approx((good / len(found), low, high))
    assert mark.pick is not None
    assert sorted(mark.pick()) == sorted(found["item_id"])
    behind = [number for one in parts.marks if one.pick is not None for number in one.pick()]
    assert sorted(behind) == sorted(found["item_id"])


def test_what_another_threshold_would_have_done_is_counted(ws: Workspace) -> None:
    found = reviewed(ws)
    found = found[found["weight"] > 0]
    part = next(one for one in draw("gate", request_for(ws)).tables if one.id == "thresholds")
    assert len(part.table.rows) == len(part.picks) == 21
    for row, pick in zip(part.table.rows, part.picks, strict=True):
        out = found[found["score"] < float(str(row[0]))]
        good = found[found["state"] == "accepted"]
        gone = out[out["state"] == "accepted"]
        total, kept, lost, left = (part["weight"].sum() for part in (found, good, gone, out))
        expected = kept - lost, lost, total - kept - left + lost, left - lost
        assert row[1:5] == pytest.approx(expected, abs=0.51)
        assert pick is not None
        assert sorted(pick()) == sorted(out["item_id"])


def test_command_and_dashboard_give_one_gate_on_unrounded_scores(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores that half points would tie, and scikit-learn beside both."""
    rng = np.random.default_rng(5)
    with ws.writing() as session:
        for number in range(1, 121):
            score = float(rng.uniform(6.5, 7.0))
            values = {"score": score, "item": number}
            disarm(session)
            session.execute(
                text("update screening set score = :score where item_id = :item"), values
            )
    found = reviewed(ws)
    counted = found[found["weight"] > 0]
    expected = roc_auc_score(
        counted["state"] == "accepted", counted["score"], sample_weight=counted["weight"]
    )
    dashboard = draw("gate", request_for(ws))
    assert main(["gate", "--workspace", str(ws.place.folder), "--json"]) == 0
    command = json.loads(capsys.readouterr().out)
    assert dashboard.facts["auc"] == command["auc"] == pytest.approx(expected, abs=1e-12)
    curve = series(chart(dashboard, "roc"), "score").marks
    drawn = [(mark.at, mark.value) for mark in reversed(curve)]
    assert np.trapezoid(*reversed(list(zip(*drawn, strict=True)))) == pytest.approx(expected)
    table = next(part for part in dashboard.tables if part.id == "thresholds").table
    assert [(float(str(row[0])), *row[1:5]) for row in table.rows] == [
        (
            row["threshold"], round(row["passed_accepted"]), round(row["out_accepted"]),
            round(row["passed_rejected"]), round(row["out_rejected"]),
        )
        for row in command["table"]
    ]  # fmt: skip
    rate = next(r for r in dashboard.tables[0].table.rows if r[0] == "false-reject rate")
    assert rate[1] == pytest.approx(command["false_reject"]["value"])
    caution = command["false_reject"]["caution"]
    assert caution.startswith("few items: ")
    assert str(rate[4]).endswith(caution)
    whole = chart(dashboard, "false_rejects").series[0].marks[0]
    assert whole.note == caution
    assert caution in dashboard.sentence
    assert dashboard.tables[0].table.rows[0][1] == command["screened"] == 120


def test_people_are_anonymous_and_their_figures_plain(ws: Workspace) -> None:
    said = frame(
        ws, "select p.name, d.seconds, d.verdict from decision d join person p on p.id=d.person_id"
    )
    dashboard = draw("people", request_for(ws))
    assert "reviewer" not in json.dumps(dashboard_json(dashboard))
    named = draw("people", request_for(ws, named=True))
    for row in named.tables[0].table.rows:
        mine = said[said["name"] == row[0]]
        assert row[1] == len(mine)
        assert row[2] == pytest.approx(len(mine) / (mine["seconds"].sum() / 3600))
        assert row[3] == pytest.approx(mine["seconds"].median())
        assert row[4] == pytest.approx((mine["verdict"] == "accept").mean())


def test_looking_at_names_is_a_lead_s_and_is_written_down(ws: Workspace) -> None:
    reveal_names(ws, "Lead", BENCHMARK)
    with ws.reading() as session:
        event = next(ledger.newest(session, ("revealed",)))
    assert (event.actor, event.subject) == ("Lead", BENCHMARK)
    with pytest.raises(RightsError):
        reveal_names(ws, "reviewer a", BENCHMARK)


@pytest.mark.parametrize("panel", DASHBOARDS)
def test_an_empty_dashboard_says_what_is_missing_and_where_it_comes_from(
    empty: Workspace, panel: str
) -> None:
    dashboard = draw(panel, request_for(empty))
    assert dashboard.missing is not None
    assert dashboard.missing.button
    assert not dashboard.figures
    assert dashboard.missing.title in dashboard_csv(dashboard)
    nowhere = DashboardRequest(empty, JudgementBook(empty), "", "", today=TODAY)
    if panel != "agreement":
        assert draw(panel, nowhere).missing is not None


def test_undefined_coefficients_carry_their_reason_into_the_csv(empty: Workspace) -> None:
    ws = fill(empty.place.folder.parent / "one", 3, tasks=1)
    review.decide(ws, "reviewer a", 1, "accept", seconds=1)
    dashboard = draw("agreement", request_for(ws, detail="both"))
    reason = chart(dashboard, "coefficients").series[0].marks[0].note
    assert reason
    assert all(mark.value is None for mark in chart(dashboard, "coefficients").series[0].marks)
    rows = list(csv.DictReader(io.StringIO(dashboard_csv(dashboard))))
    assert [row["note"] for row in rows if row["figure"] == "coefficients"] == [reason] * 5
    assert reason in dashboard.sentence
    assert reason in figure_text(chart(dashboard, "coefficients"))
    ws.close()


def test_a_choice_that_leaves_nothing_is_a_dashboard_with_the_reason(ws: Workspace) -> None:
    dashboard = draw("agreement", request_for(ws, criterion="coherence", detail="both"))
    assert dashboard.missing is None
    assert "There are no ratings." in dashboard.sentence
    assert {one.id for one in dashboard.figures} == {
        "coefficients", "weeks", "raters", "tasks", "confusion",
    }  # fmt: skip
    assert all(mark.note for mark in chart(dashboard, "coefficients").series[0].marks)
    assert chart(dashboard, "weeks").empty
    assert dashboard_csv(dashboard)


def test_there_is_no_other_dashboard(ws: Workspace) -> None:
    with pytest.raises(NotFoundError, match="weather"):
        draw("weather", request_for(ws))


def alarm_events(ws: Workspace) -> list[dict[str, Any]]:
    with ws.reading() as session:
        return [event.data for event in ledger.newest(session, ("alarm",))][::-1]


def test_an_alarm_rings_once_in_the_ledger_and_ends_once(ws: Workspace) -> None:
    made = alarms.set_alarm(ws, "Lead", Alarm("fleiss_kappa", 0.99, items=10))
    book = JudgementBook(ws)
    first = alarms.check(ws, book, BENCHMARK)
    assert [one.task for one in first] == ["task-000", "task-001", "task-002", "task-003"]
    assert alarms.check(ws, book, BENCHMARK) == first
    assert alarms.check(ws, JudgementBook(ws), BENCHMARK) == first
    rings = [event for event in alarm_events(ws) if event.get("rings")]
    assert len(rings) == 4
    for one in first:
        scope = Scope(benchmark=BENCHMARK, task=one.task)
        found = agreement_query.agreement(ws, scope).coefficients
        assert one.value == next(c.value for c in found if c.name == "fleiss_kappa")
    dashboard = draw("agreement", request_for(ws))
    assert dashboard.alarms == tuple(one.sentence for one in first)
    alarms.remove_alarm(ws, "Lead", made.number)
    assert alarms.check(ws, book, BENCHMARK) == ()
    assert alarms.alarms(ws) == ()


def test_looking_at_what_rings_writes_nothing(ws: Workspace) -> None:
    alarms.set_alarm(ws, "Lead", Alarm("fleiss_kappa", 0.99, items=10))
    before = stored_rows(ws)
    seen = alarms.ringing_now(ws, JudgementBook(ws), BENCHMARK)
    assert len(seen) == 4
    assert draw("agreement", request_for(ws)).alarms == tuple(one.sentence for one in seen)
    assert stored_rows(ws) == before
    assert alarms.check(ws, JudgementBook(ws), BENCHMARK) == seen
    assert len([event for event in alarm_events(ws) if event.get("rings")]) == 4


def test_an_alarm_that_no_longer_rings_is_written_as_ended(ws: Workspace) -> None:
    alarms.set_alarm(ws, "Lead", Alarm("percent", 0.999, items=2, task="task-000"))
    book = JudgementBook(ws)
    assert len(alarms.check(ws, book, BENCHMARK)) == 1
    with ws.writing() as session:
        disarm(session)
        session.execute(text("update decision set verdict = 'accept'"))
        ledger.append(session, ledger.NewEvent("bulk", ""))
    assert alarms.check(ws, JudgementBook(ws), BENCHMARK) == ()
    assert [event.get("rings") for event in alarm_events(ws)] == [None, True, False]


def test_a_benchmark_does_not_end_the_alarms_of_one_whose_name_begins_alike(ws: Workspace) -> None:
    with ws.writing() as session:
        people.ensure_benchmark_in(session, "team")
        disarm(session)
        session.execute(text("update benchmark set name = 'team/two' where name = :b"),
                        {"b": BENCHMARK})  # fmt: skip
    alarms.set_alarm(ws, "Lead", Alarm("fleiss_kappa", 0.99, items=10))
    for _ in range(2):
        book = JudgementBook(ws)
        assert len(alarms.check(ws, book, "team/two")) == 4
        assert alarms.check(ws, book, "team") == ()
    assert [event.get("rings") for event in alarm_events(ws)] == [None, *[True] * 4]


def test_an_alarm_shows_as_many_digits_as_it_takes_to_be_below_the_limit() -> None:
    alarm = Alarm("fleiss_kappa", 0.6, number=1)
    assert "is 0.55 over" in Ringing(alarm, "b", "t", 0.5512, 60).sentence
    assert "is 0.5998 over" in Ringing(alarm, "b", "t", 0.59984, 60).sentence


def test_an_alarm_waits_for_enough_items(ws: Workspace) -> None:
    alarms.set_alarm(ws, "Lead", Alarm("fleiss_kappa", 0.99, items=25))
    assert alarms.check(ws, JudgementBook(ws), BENCHMARK) == ()


def test_only_leads_set_alarms_and_only_sensible_ones(ws: Workspace) -> None:
    with pytest.raises(RightsError):
        alarms.set_alarm(ws, "reviewer a", Alarm("fleiss_kappa", 0.6))
    for wrong in (Alarm("fleiss_kappa", 1.6), Alarm("fleiss_kappa", 0.5, items=1)):
        with pytest.raises(InputError):
            alarms.set_alarm(ws, "Lead", wrong)
    for unknown in (
        Alarm("mood", 0.6),
        Alarm("percent", 0.6, task="nowhere"),
        Alarm("percent", 0.6, criterion="mood"),
    ):
        with pytest.raises(NotFoundError):
            alarms.set_alarm(ws, "Lead", unknown)
    with pytest.raises(NotFoundError):
        alarms.remove_alarm(ws, "Lead", 7)


def test_the_named_reports_are_means_and_kappas_of_the_stored_ratings(ws: Workspace) -> None:
    ratings = frame(
        ws,
        "select t.name task, r.criterion, r.value from rating r "
        "join item i on i.id = r.item_id join task t on t.id = i.task_id",
    )
    means = ratings.groupby(["task", "criterion"])["value"].mean().to_dict()
    table = report(ws, "coreeval-human", Scope(benchmark=BENCHMARK)).table
    for row in table.rows:
        line = dict(zip(table.columns, row, strict=True))
        assert line["Fluency"] == pytest.approx(means[row[0], "fluency"])
        assert line["Coherence"] is None
        scope = Scope(benchmark=BENCHMARK, task=str(row[0]), criterion="accuracy")
        found = agreement_query.agreement(ws, scope).coefficients
        kappa = next(c for c in found if c.name == "fleiss_kappa")
        assert line["κ Accuracy"] == pytest.approx(kappa.value)
        bounds = f"[{kappa.low or 0:.3f}, {kappa.high or 0:.3f}]" + " (rough)" * kappa.rough
        assert line["κ Accuracy, 95%"] == (None if kappa.low is None else bounds)
    set_language("zh")
    assert "流畅性" in report(ws, "coreeval-human", Scope(benchmark=BENCHMARK)).table.columns
    set_language("en")
    cif = report(ws, "cif-human", Scope(benchmark=BENCHMARK)).table
    assert [row[1:3] for row in cif.rows] == [(4, 8), (4, 4), (4, 12)]
    assert cif.rows[0][cif.columns.index("Items with judge")] == 96
    with pytest.raises(NotFoundError):
        report(ws, "weather", Scope(benchmark=BENCHMARK))


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=1, max_size=5))
def test_stacked_bars_stand_on_each_other(counts: list[list[int]]) -> None:
    parts = [(str(n), "", [float(v) for v in row], [None] * 3) for n, row in enumerate(counts)]
    made = stacked(parts)
    for place in range(3):
        marks = [mark for one in made for mark in one.marks if mark.at == place]
        tops = [0.0, *(mark.value or 0.0 for mark in marks)]
        assert [mark.low for mark in marks] == tops[:-1]
        assert tops[-1] == sum(row[place] for row in counts)


def test_a_csv_says_lengths_of_bars_and_reasons() -> None:
    bars = stacked([("a", "", [1.0, 2.0], [None, None]), ("b", "", [3.0, 0.0], [None, None])])
    undefined = Series("c", "points", (Mark(1, None, note="one rater"),))
    made = Chart("x", "X", Axis("", ("p", "q")), Axis("items"), (*bars, undefined))
    rows = list(csv.reader(io.StringIO(figure_csv(made))))[1:]
    assert [row[1:4] + row[6:] for row in rows] == [
        ["a", "p", "1.0", ""], ["a", "q", "2.0", ""], ["b", "p", "3.0", ""],
        ["c", "q", "", "one rater"],
    ]  # fmt: skip


def everything_of(ws: Workspace) -> dict[str, Any]:
    """What dashboards and cuts of the agreement say of a workspace that was worked on."""
    people.ensure_person(ws, "Lead", "lead")
    with ws.writing() as session:
        session.execute(
            text("update item set state = 'rejected' where state = 'accepted' and id % 5 = 0")
        )
        disarm(session)
        session.execute(
            text("update screening set audited = (outcome = 'screened_out' and item_id < 60)")
        )
    for person in ("reviewer a", "reviewer b"):
        review.decide(ws, person, 97, "accept", seconds=2)
    undo.undo(ws, "reviewer b")
    audited(ws, 1)
    book = JudgementBook(ws)
    said = {
        panel: dashboard_json(
            draw(panel, DashboardRequest(ws, book, BENCHMARK, "", detail="both", today=TODAY))
        )
        for panel in DASHBOARDS
    }
    plain = agreement_query.AgreementOptions(interval="none")
    for cut in agreement_query.CUTS:
        found = agreement_query.agreement_by(ws, Scope(benchmark=BENCHMARK), cut, plain, book)
        said[cut] = {one.group: [c.value for c in one.coefficients] for one in found}
    return said


def test_dashboards_and_cuts_are_the_same_on_sqlite_and_postgresql(
    tmp_path: Path, pg_empty_url: str
) -> None:
    made = []
    for place in (tmp_path / "w", pg_empty_url):
        ws = fill(place, 120, tasks=4, decided=0.8, criteria=("fluency", "accuracy"), screened=True)
        made.append(everything_of(ws))
        ws.close()
    for name, said in made[0].items():
        assert made[1][name] == said, name
