"""Agreement measured on a workspace equals a plain computation on its rows."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import text

from core.agreement.compute import coefficients_for
from core.errors import InputError, NotFoundError
from core.families.base import ItemContent
from core.families.shared_source import named_source, source_of
from core.i18n import set_language
from core.workflow import people, tasks
from core.workflow.check import review
from core.workflow.dashboards import agreement_query, judgements
from core.workflow.dashboards.agreement_query import AgreementOptions, Scope
from core.workflow.dashboards.judgements import JudgementBook, Part
from core.workflow.items import undo
from core.workflow.production import write
from core.workflow.workspace import Workspace
from db import ledger
from tests.db.statements import sent_statements
from tests.tampering import disarm
from tests.workload import BENCHMARK, START, fill
from tests.workspaces import accept_all, make_task, payload, write_items

NAMES = ("percent", "fleiss_kappa")
PLAIN = AgreementOptions(names=NAMES, interval="none")
BRIEF = AgreementOptions(names=NAMES, resamples=20)
CRITERIA = ("fluency", "accuracy")


@pytest.fixture
def ws(tmp_path: Path) -> Any:
    made = fill(tmp_path / "w", 90, tasks=3, decided=0.8, criteria=CRITERIA)
    yield made
    made.close()


def test_a_cut_into_many_groups_takes_as_many_statements_as_one_into_few(tmp_path: Path):
    """All groups are measured on one view of the workspace."""
    sent = []
    for tasks_of_it in (2, 12):
        place = tmp_path / str(tasks_of_it)
        with closing(fill(place, 90, tasks=tasks_of_it, decided=0.8, criteria=CRITERIA)) as ws:
            scope = Scope(BENCHMARK, criterion=CRITERIA[0])
            with sent_statements() as statements:
                parts = agreement_query.agreement_by(ws, scope, "task", BRIEF)
            assert len(parts) == tasks_of_it
            sent.append(len(statements))
    assert sent[0] == sent[1]


def rows(ws: Workspace, criterion: str = "decision") -> pd.DataFrame:
    """Every judgement by plain SQL: item, person, value, at, task."""
    decision = (
        "select d.item_id, p.name person, d.verdict value, d.at, t.name task from decision d "
        "join person p on p.id = d.person_id join item i on i.id = d.item_id "
        "join task t on t.id = i.task_id where d.withdrawn_event is null"
    )
    rating = decision.replace("d.verdict", "d.value").replace("decision d", "rating d")
    query = decision if criterion == "decision" else f"{rating} and d.criterion = '{criterion}'"
    with ws.reading() as session:
        found = session.execute(text(query)).all()
    frame = pd.DataFrame(found, columns=["item", "person", "value", "at", "task"])
    return frame.assign(at=pd.to_datetime(frame["at"], utc=True))


def percent(frame: pd.DataFrame) -> float:
    """Agreeing pairs of ratings within an item, averaged over items with two or more."""
    shares = []
    for _, part in frame.groupby("item"):
        pairs = list(combinations(part["value"], 2))
        if pairs:
            shares.append(sum(a == b for a, b in pairs) / len(pairs))
    return sum(shares) / len(shares)


def fleiss(frame: pd.DataFrame) -> float:
    """Fleiss (1971): observed against chance agreement from the shares of the categories."""
    chance = float((frame["value"].value_counts(normalize=True) ** 2).sum())
    return (percent(frame) - chance) / (1 - chance)


def values(found: agreement_query.Agreement) -> tuple[float | None, ...]:
    return tuple(one.value for one in found.coefficients)


@pytest.mark.parametrize("criterion", ["decision", *CRITERIA])
def test_the_whole_equals_a_plain_computation(ws: Workspace, criterion: str) -> None:
    frame = rows(ws, criterion)
    found = agreement_query.agreement(ws, Scope(benchmark=BENCHMARK, criterion=criterion), PLAIN)
    assert values(found) == pytest.approx((percent(frame), fleiss(frame)))
    assert found.coefficients[0].items == frame["item"].nunique() == 72
    assert found.table.rater_ids == tuple(sorted(frame["person"].unique()))


def test_every_cut_equals_a_plain_computation(ws: Workspace) -> None:
    frame = rows(ws)
    last = frame.groupby("item")["at"].transform("max")
    groups: dict[Any, dict[str, pd.DataFrame]] = {
        "task": dict(iter(frame.groupby("task"))),
        "week": dict(iter(frame.groupby(last.dt.strftime("%G-W%V")))),
        "reviewer": {
            name: frame[frame["item"].isin(frame.loc[frame["person"] == name, "item"])]
            for name in frame["person"].unique()
        },
        "pair": {
            f"{a} · {b}": frame[frame["person"].isin((a, b))]
            for a, b in combinations(sorted(frame["person"].unique()), 2)
        },
        "family": {"scp": frame},
        "format": {"prediction": frame},
        "domain": {"CS": frame},
        "stage": {"2": frame},
        "round": {"1": frame},
    }
    book = JudgementBook(ws)
    for cut, parts in groups.items():
        found = agreement_query.agreement_by(ws, Scope(benchmark=BENCHMARK), cut, PLAIN, book)
        assert {part.group for part in found} == set(parts), cut
        for part in found:
            expected = (percent(parts[part.group]), fleiss(parts[part.group]))
            assert values(part) == pytest.approx(expected), (cut, part.group)


def test_a_criterion_is_meant_in_whatever_case(ws: Workspace) -> None:
    written = ("Fluency", "ACCURACY", "accuracy", "Decision", "humour")
    meant = ["fluency", "accuracy", "accuracy", "decision", "humour"]
    assert [agreement_query.criterion_named(ws, name) for name in written] == meant
    set_language("zh")
    try:
        assert agreement_query.criterion_named(ws, "流畅性") == "fluency"
    finally:
        set_language("en")


def test_the_cut_by_criterion_begins_with_the_decision(ws: Workspace) -> None:
    found = agreement_query.agreement_by(ws, Scope(benchmark=BENCHMARK), "criterion", PLAIN)
    assert [part.group for part in found] == ["decision", "accuracy", "fluency"]
    for part in found:
        assert values(part)[1] == pytest.approx(fleiss(rows(ws, part.group)))


def test_a_task_counts_in_each_of_its_categories(ws: Workspace) -> None:
    with ws.writing() as session:
        update = "update task set profile = :profile where name = :name"
        for name, listed in (("task-000", '["a", "b"]'), ("task-001", '["b"]')):
            profile = f'{{"categories": {listed}}}'
            session.execute(text(update), {"profile": profile, "name": name})
    frame = rows(ws)
    found = agreement_query.agreement_by(ws, Scope(benchmark=BENCHMARK), "category", PLAIN)
    expected = {
        "a": percent(frame[frame["task"] == "task-000"]),
        "b": percent(frame[frame["task"].isin(("task-000", "task-001"))]),
    }
    assert {p.group: values(p)[0] for p in found} == pytest.approx(expected)


def test_items_without_a_domain_are_a_group_with_a_name(ws: Workspace) -> None:
    with ws.writing() as session:
        disarm(session)
        session.execute(text("update item set domain = '' where id % 2 = 0"))
    found = agreement_query.agreement_by(ws, Scope(benchmark=BENCHMARK), "domain", PLAIN)
    assert sorted(part.group for part in found) == ["CS", "none"]


def test_a_past_date_shows_what_stood_then(ws: Workspace) -> None:
    moment = START + timedelta(days=10)
    frame = rows(ws)
    found = agreement_query.agreement(ws, Scope(benchmark=BENCHMARK, as_of=moment), PLAIN)
    then = frame[frame["at"] <= moment]
    assert 0 < len(then) < len(frame)
    assert values(found) == pytest.approx((percent(then), fleiss(then)))


def test_what_was_undone_counts_until_it_was_undone(tmp_path: Path) -> None:
    ws = fill(tmp_path / "w", 4)
    numbers = [1, 2]
    for number in numbers:
        for person in ("reviewer a", "reviewer b"):
            review.decide(ws, person, number, "accept", seconds=1)
    before = datetime.now(UTC)
    undo.undo(ws, "reviewer b")
    book = JudgementBook(ws)
    then = agreement_query.judgements(ws, Scope(benchmark=BENCHMARK, as_of=before), book)
    now = agreement_query.judgements(ws, Scope(benchmark=BENCHMARK), book)
    assert (len(then), len(now)) == (4, 3)
    ws.close()


def test_a_book_that_grew_says_what_a_new_one_says(tmp_path: Path) -> None:
    ws = fill(tmp_path / "w", 20, decided=0.5)
    book = JudgementBook(ws)
    book.read()
    for number in (15, 16, 17):
        review.decide(ws, "a newcomer", number, "reject", reason="language", seconds=3)
    undo.undo(ws, "a newcomer")
    grown = agreement_query.judgements(ws, Scope(benchmark=BENCHMARK), book)
    fresh = agreement_query.judgements(ws, Scope(benchmark=BENCHMARK))
    assert grown.plain() == fresh.plain()
    assert len(grown) == 32
    ws.close()


def test_only_judged_items_are_read_until_somebody_wants_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = fill(tmp_path / "w", 20, decided=0.5)
    book = JudgementBook(ws)
    wanted: tuple[Part, ...] = ("decisions", "ratings")
    judged = set(book.read(wanted).decisions["item_id"].tolist())
    assert set(book.read(wanted).items["id"].tolist()) == judged
    assert len(judged) == 10
    review.decide(ws, "a newcomer", 15, "reject", reason="language", seconds=3)
    assert set(book.read(wanted).items["id"].tolist()) == judged | {15}
    every = book.read().items.only(("id", "task_id", "state"))
    assert every["id"].tolist() == list(range(1, 21))
    monkeypatch.setattr(judgements, "FEW_JUDGED", 3)
    more = JudgementBook(ws).read(wanted).items
    assert more.only(("id", "task_id", "state")).plain() == every.plain()
    ws.close()


def test_a_row_that_comes_late_with_a_lower_number_is_read(tmp_path: Path) -> None:
    ws = fill(tmp_path / "w", 20, decided=0.5)
    book = JudgementBook(ws)
    with ws.writing() as session:
        disarm(session)
        session.execute(text("update decision set id = id + 1000 where id > 20"))
    book.read()
    with ws.writing() as session:
        session.execute(text("update decision set id = 500 where id = 20"))
        ledger.append(session, ledger.NewEvent("bulk", ""))
    grown = book.read().decisions["id"].tolist()
    assert 500 in grown
    assert grown == sorted(grown)
    ws.close()


def disputed(ws: Workspace) -> int:
    """An item on which two reviewers differ and that a third settled as accepted."""
    from core.workflow.check import adjudicate

    number = 90
    with ws.writing() as session:
        disarm(session)
        session.execute(text("update protocol set settings = json_set(settings, '$.overlap', 2)"))
        session.execute(text("update item set open_slots = 2 where id = 90"))
    review.decide(ws, "reviewer a", number, "accept", seconds=1)
    review.decide(ws, "reviewer b", number, "reject", reason="language", seconds=1)
    people.ensure_person(ws, "a settler", "specialist")
    adjudicate.settle(ws, "a settler", number, "accept")
    return number


def test_adjudication_puts_its_verdict_in_the_place_of_the_reviewers(ws: Workspace) -> None:
    number = disputed(ws)
    before = agreement_query.judgements(ws, Scope(benchmark=BENCHMARK))
    after = agreement_query.judgements(ws, Scope(benchmark=BENCHMARK, adjudicated="after"))
    said = {
        name: sorted(frame["value"][frame["item_id"] == number].tolist())
        for name, frame in (("before", before), ("after", after))
    }
    assert said == {"before": ["accept", "reject"], "after": ["accept", "accept"]}
    assert len(before) == len(after)


def test_gold_items_can_be_left_out(ws: Workspace) -> None:
    with ws.writing() as session:
        session.execute(
            text(
                "insert into assignment (item_id, revision, stage, person_id, state, reason, gold,"
                " at) select 5, 1, 2, id, 'done', '', 1, '2026-08-03' from person"
            )
        )
    frame = rows(ws)
    found = agreement_query.agreement(ws, Scope(benchmark=BENCHMARK, gold="without"), PLAIN)
    left = frame[frame["item"] != 5]
    assert values(found) == pytest.approx((percent(left), fleiss(left)))
    assert found.coefficients[0].items == 71


def test_undefined_has_a_reason_and_no_number(tmp_path: Path) -> None:
    ws = fill(tmp_path / "w", 3)
    scope = Scope(benchmark=BENCHMARK)
    empty = agreement_query.agreement(ws, scope, PLAIN)
    review.decide(ws, "reviewer a", 1, "accept", seconds=1)
    alone = agreement_query.agreement(ws, scope, PLAIN)
    review.decide(ws, "reviewer b", 2, "accept", seconds=1)
    apart = agreement_query.agreement(ws, scope, PLAIN)
    for found in (empty, alone, apart):
        assert all(one.value is None and one.undefined for one in found.coefficients)
    reasons = [found.coefficients[1].undefined for found in (empty, alone, apart)]
    assert len(set(reasons)) == 3
    ws.close()


def test_unknown_names_are_said(ws: Workspace) -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        agreement_query.agreement(ws, Scope(benchmark=BENCHMARK, task="nowhere"), PLAIN)
    with pytest.raises(NotFoundError, match="nothing"):
        agreement_query.agreement(ws, Scope(benchmark="nothing"), PLAIN)
    wrong: Any = "mood"
    with pytest.raises(InputError, match="mood"):
        agreement_query.agreement_by(ws, Scope(benchmark=BENCHMARK), wrong, PLAIN)


def test_a_group_in_which_nothing_changed_is_not_measured_again(ws: Workspace) -> None:
    book = JudgementBook(ws)
    scope = Scope(benchmark=BENCHMARK)
    before = agreement_query.agreement_by(ws, scope, "task", PLAIN, book)
    review.decide(ws, "a newcomer", 73, "accept", seconds=3)  # the first item that is not decided
    after = agreement_query.agreement_by(ws, scope, "task", PLAIN, book)
    fresh = agreement_query.agreement_by(ws, scope, "task", PLAIN, JudgementBook(ws))
    assert [part.coefficients for part in after] == [part.coefficients for part in fresh]
    same = [old.coefficients is new.coefficients for old, new in zip(before, after, strict=True)]
    assert same == [False, True, True]
    set_language("zh")
    said = agreement_query.agreement_by(ws, scope, "task", PLAIN, book)[1].coefficients
    set_language("en")
    assert said[0].title != after[1].coefficients[0].title
    other = agreement_query.agreement_by(
        ws, scope, "task", AgreementOptions(names=("percent",)), book
    )
    assert other[1].coefficients[0].low is not None


def value_of(part: agreement_query.Agreement, name: str) -> float | None:
    return next(result.value for result in part.coefficients if result.name == name)


def test_tasks_of_one_name_in_two_benchmarks_are_two_groups(tmp_path: Path) -> None:
    with closing(Workspace.create(tmp_path / "two")) as ws:
        protocol = {"gate": "off", "overlap": "2"}
        for benchmark in ("first", "second"):
            tasks.add(
                ws, "titles", "instruction", benchmark=benchmark, format="triplet",
                protocol=protocol,
            )  # fmt: skip
        tasks.add(
            ws, "alone", "instruction", benchmark="first", format="triplet", protocol=protocol
        )
        for name, second in (("first/titles", "accept"), ("second/titles", "reject"),
                             ("alone", "accept")):  # fmt: skip
            for text in ("甲", "乙"):
                number = write.submit(ws, "ann", name, payload(name + text)).number
                review.decide(ws, "li", number, "accept")
                review.decide(ws, "wu", number, second, reason="ambiguous")
        parts = {p.group: p for p in agreement_query.agreement_by(ws, Scope(), "task", PLAIN)}
        values = {name: value_of(part, "percent") for name, part in parts.items()}
        assert values == {"first/titles": 1.0, "second/titles": 0.0, "alone": 1.0}
        (one,) = agreement_query.agreement_by(ws, Scope(benchmark="second"), "task", PLAIN)
        assert (one.group, value_of(one, "percent")) == ("titles", 0.0)


def test_items_of_one_article_are_resampled_together(tmp_path: Path) -> None:
    with closing(fill(tmp_path / "w", 540, tasks=1, decided=1.0)) as ws:
        book = JudgementBook(ws)
        options = AgreementOptions(names=("fleiss_kappa",), resamples=200)
        (found,) = agreement_query.agreement(ws, Scope(), options, book).coefficients
        table = agreement_query.agreement(ws, Scope(), PLAIN, book).table
        with ws.reading() as session:
            query = "select item_id, json_extract(provenance, '$.article') from revision"
            articles = dict(map(tuple, session.execute(text(query)).all()))
        names = [articles[int(item)] for item in table.item_ids or ()]
        (known,) = coefficients_for(table, ["fleiss_kappa"], resamples=200, sources=names)
        assert (found.low, found.high) == (known.low, known.high)
        assert found.sources == len(set(names)) == 500
        # the same items, some of them with another text: the book reads what changed
        (again,) = agreement_query.agreement(ws, Scope(), options, book).coefficients
        assert again == found


def test_revisions_of_an_item_that_names_no_source_share_that_item(ws: Workspace) -> None:
    with ws.writing() as session:
        disarm(session)
        session.execute(text("update revision set provenance = '{}'"))
    frame = agreement_query.judgements(ws, Scope())
    revised = frame.having(unit=np.sort(frame["unit"] + np.arange(len(frame)) % 2))
    names = agreement_query.sources_of(revised, JudgementBook(ws))
    assert len(names) == len(np.unique(revised["unit"]))
    assert len(set(names)) == len(np.unique(frame["item_id"]))


@pytest.mark.parametrize(
    ("provenance", "shared"),
    [
        ({"source": "a.csv"}, True),
        ({"run": "r", "row": 3, "source": "a.csv"}, False),  # as rewriting once wrote its rows
        ({"run": "r", "row": 3, "file": "a.csv"}, False),
        ({"run": "r", "row": 3, "source": "a.csv", "article": "b"}, True),
    ],
)
@pytest.mark.parametrize("server", [False, True])
def test_rows_are_not_alike_for_standing_in_one_file(
    tmp_path: Path, pg_empty_url: str, provenance: dict[str, object], shared: bool, server: bool
) -> None:
    assert bool(named_source(provenance)) is shared
    place = pg_empty_url if server else tmp_path / "w"
    with closing(fill(place, 6, tasks=1, decided=1.0)) as ws:
        with ws.writing() as session:
            disarm(session)
            session.execute(
                text(
                    "update revision set provenance = cast(:said as json)"
                    if server
                    else "update revision set provenance = :said"
                ),
                {"said": json.dumps(provenance)},
            )
        frame = agreement_query.judgements(ws, Scope())
        names = agreement_query.sources_of(frame, JudgementBook(ws))
    assert len(set(names)) == (1 if shared else len(np.unique(frame["item_id"])))


ORIGINS: tuple[tuple[dict[str, object], dict[str, object]], ...] = (
    ({"article": "2401.1"}, {"passage": "The mill."}),
    ({"article": "", "article_id": 12}, {}),
    ({"file": "a.csv", "line": 1, "columns": {"doc_id": 0}}, {"passage": "The mill."}),
    ({"file": "a.csv", "line": 2, "columns": {"doc_id": "7"}}, {}),
    ({"columns": {"article_id": None, "passage_id": "wsj-7"}}, {}),
    ({"file": "a.csv", "columns": {"article": "A story. " * 30}}, {"passage": "\n水表 “gauge”.\t"}),
    ({"file": "a.csv", "columns": {"title": "Mills"}}, {"passage": "水表 “gauge”."}),
    ({"file": "a.csv"}, {"passage": " \r\n"}),
    ({}, {"question": "Which?"}),
)


@pytest.mark.parametrize("server", [False, True])
def test_agreement_and_scores_name_the_same_sources(
    tmp_path: Path, pg_empty_url: str, server: bool
) -> None:
    with closing(fill(pg_empty_url if server else tmp_path / "w", 40, tasks=1, decided=1.0)) as ws:
        frame = agreement_query.judgements(ws, Scope())
        numbers = np.unique(frame["item_id"]).tolist()
        origins = {n: ORIGINS[place % len(ORIGINS)] for place, n in enumerate(numbers)}
        as_json = "cast(:{0} as jsonb)" if server else ":{0}"
        change = text(
            f"update revision set provenance = {as_json.format('origin')}, "
            f"payload = {as_json.format('asked')} where item_id = :item"
        )
        with ws.writing() as session:
            disarm(session)
            for number, (origin, asked) in origins.items():
                session.execute(
                    change,
                    {"origin": json.dumps(origin), "asked": json.dumps(asked), "item": number},
                )
        names = agreement_query.sources_of(frame, JudgementBook(ws))
    units = (np.unique(frame["unit"]) // agreement_query._REVISIONS).tolist()
    expected = [
        source_of(ItemContent("answer", "", asked, origin)) or f"\0{number}"
        for number in units
        for origin, asked in (origins[number],)
    ]
    assert names == expected
    assert len(set(names)) == 6 + sum(name.startswith("\0") for name in names)


def test_revisions_are_compared_each_by_itself_and_counted_as_the_items_they_are_of(
    tmp_path: Path,
) -> None:
    with closing(Workspace.create(tmp_path / "w")) as ws:
        make_task(ws, overlap=2)
        first, other = write_items(ws, 2)
        review.decide(ws, "li", first, "accept")
        review.decide(ws, "wu", first, "return", note="a typo in the title")
        write.revise(ws, "ann", first, payload("改过的"))
        accept_all(ws, (first,), "li", "wu")
        review.decide(ws, "li", other, "accept")
        (found,) = agreement_query.agreement(
            ws, Scope(), AgreementOptions(names=("percent",), interval="none")
        ).coefficients
        assert (found.items, found.compared, found.pairable) == (2, 1, 2)
        assert any("2 revisions of 1 item" in note for note in found.notes)
        document = found.as_json()
        assert (document["items"], document["compared"], document["pairable"]) == (2, 1, 2)


def test_postgresql_names_the_same_sources(tmp_path: Path, pg_empty_url: str) -> None:
    named = []
    for place in (tmp_path / "w", pg_empty_url):
        with closing(fill(place, 40, tasks=1, decided=1.0)) as made:
            frame = agreement_query.judgements(made, Scope())
            named.append(agreement_query.sources_of(frame, JudgementBook(made)))
    assert named[0] == named[1]
    assert all(name.startswith("w") for name in named[0])
