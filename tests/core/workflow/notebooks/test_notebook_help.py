"""The help's page on notebooks: its tables are the documented columns, and its examples run."""

import json
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import text

from core.cli import main
from core.frames.schema import FRAMES
from core.i18n import set_language
from core.proportion import proportion
from core.workflow import people, rights
from core.workflow.check import blinding, review
from core.workflow.production.new_items import new_item
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import items, reviews, runs, screenings
from resources import resource
from tests.finished_runs import take_in_answers
from tests.splits import varied

LEAD = "demo lead"
AUTHORS = ("ann", "bo", "cy")
BENCHMARK = "bench"
HEADS = {"en": ("column", "dtype", "content"), "zh": ("列", "dtype", "内容")}
START = datetime(2026, 8, 3, 8, 0, tzinfo=UTC)


def page(code: str) -> str:
    return resource("help", f"notebooks.{code}.md").read_text(encoding="utf-8")


def examples(code: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page(code), re.DOTALL)


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("name", FRAMES)
def test_the_page_has_the_columns_of_every_frame(name, code):
    set_language(code)
    _, _, rest = page(code).partition(f"**`{name}(")
    table = "|" + rest.partition("|")[2].partition("\n\n")[0].rstrip()
    head = HEADS[code]
    rows = [(f"`{one.name}`", one.dtype, one.meaning) for one in FRAMES[name]()]
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    assert table == "\n".join([lines[0], "|---|---|---|", *lines[1:]])


def test_both_languages_have_the_same_six_pieces_of_code():
    assert examples("en") == examples("zh")
    assert len(examples("en")) == 6


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Path:
    """Three weeks of work: screened, reviewed by two, disputed now and then, evaluated twice."""
    place = tmp_path_factory.mktemp("notebooks") / "demo"
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    numbers = _items(ws)
    _screen(ws, numbers)
    with pytest.MonkeyPatch.context() as patch:
        for number in numbers[:-3]:
            moment = START + timedelta(hours=8 * number)
            patch.setattr(reviews, "now", lambda moment=moment: moment)
            _review(ws, number)
    blinding.reveal_all(ws, LEAD)
    freeze.freeze(ws, "private", BENCHMARK, LEAD)
    members = freeze.members_of(ws, "private")
    for model in range(2):
        replies = {one.uid: "ABCD"[(n * n + model) % 4] for n, one in enumerate(members)}
        take_in_answers(ws, place, replies, "private", f"model {model}")
    ws.close()
    return place


def _items(ws: Workspace) -> list[int]:
    with ws.writing() as session:
        home = people.ensure_benchmark_in(session, BENCHMARK)
        authors = [rights.ensure_person_in(session, name, "annotator").id for name in AUTHORS]
        tasks = [people.ensure_task_in(session, home, name, "scp") for name in ("a", "b", "c")]
        made = []
        for number in range(60):
            content = varied(number)
            task, author = tasks[number % 3], authors[number % 4 % 3]
            item = new_item(content, task, None, author)
            made.append(item._replace(open_slots=2))
        return items.add(session, made)


def _screen(ws: Workspace, numbers: list[int]) -> None:
    row = {"revision": 1, "run_id": "gate", "threshold": 6.0, "model": "m", "prompt_version": "1"}
    with ws.writing() as session:
        runs.add(session, "gate", "prescreen")
        scores = {number: 1 + number * 7 % 18 / 2 for number in numbers}
        rows = [
            {**row, "item_id": number, "score": score,
             "outcome": "passed" if score >= 6 else "screened_out"}
            for number, score in scores.items()
        ]  # fmt: skip
        screenings.add(session, rows)


def _review(ws: Workspace, number: int) -> None:
    """Two verdicts; every eleventh item is disputed."""
    draw = random.Random(number).random()
    first = "accept" if draw < 0.7 else "reject"
    second = {"accept": "reject", "reject": "accept"}[first] if number % 11 == 0 else first
    review.decide(ws, "li", number, first, reason="language")
    review.decide(ws, "wu", number, second, reason="language")


@pytest.fixture
def run(demo, monkeypatch):
    """Run an example of the page after its first piece of code; what it named."""
    monkeypatch.chdir(demo.parent)
    opened: list[Any] = []

    def run(number: int) -> dict[str, Any]:
        first, *others = examples("en")
        names: dict[str, Any] = {}
        exec(first, names)
        opened.append(names["ws"])
        exec(others[number - 1], names)
        return names

    yield run
    for ws in opened:
        ws.close()


def sql(place: Path, query: str) -> pd.DataFrame:
    ws = Workspace.open(place)
    with ws.reading() as session:
        found = session.execute(text(query))
        frame = pd.DataFrame(found.all(), columns=list(found.keys()))
    ws.close()
    return frame


def test_acceptance_rate_per_author_and_week(run, demo):
    rates = run(1)["rates"]
    assert list(rates.index) == sorted(AUTHORS)
    assert len(rates.columns) >= 3
    plain = sql(
        demo,
        "SELECT p.name, d.verdict = 'accept' AS accepted, d.at FROM decision d "
        "JOIN item i ON i.id = d.item_id JOIN person p ON p.id = i.author_id "
        "WHERE d.kind = 'review'",
    )
    for week in rates.columns:
        days = pd.to_datetime(plain["at"], format="ISO8601").dt.strftime("%G-W%V") == week
        mine = plain[days & (plain["name"] == "ann")]
        assert rates.loc["ann", week] == pytest.approx(mine["accepted"].mean())


def test_kappa_is_that_of_the_command(run, demo, capsys):
    kappa = run(2)["kappa"]
    command = ["--workspace", str(demo), "agreement", "--json", "--coefficient", "fleiss_kappa"]
    assert main([*command, "--interval", "none"]) == 0
    (known,) = json.loads(capsys.readouterr().out)["coefficients"]
    assert known["value"] is not None
    assert kappa == pytest.approx(known["value"], abs=1e-12)


def test_the_gate_against_people(run, demo):
    names = run(3)
    gate = names["gate"]
    reviews = sql(demo, "SELECT item_id, verdict FROM decision WHERE kind = 'review'")
    assert gate["size"].sum() == len(reviews)
    scores = sql(demo, "SELECT item_id, score FROM screening WHERE score > 6 AND score <= 8")
    high = reviews[reviews["item_id"].isin(scores["item_id"])]
    row = gate.loc[next(band for band in gate.index if band.right == 8)]
    assert row["size"] == len(high)
    assert row["mean"] == pytest.approx((high["verdict"] == "accept").mean())


def test_accepted_items_with_wilsons_interval(run):
    tasks = run(4)["tasks"]
    assert len(tasks) == 3
    for _, row in tasks.iterrows():
        known = proportion(int(row["sum"]), int(row["size"]))
        assert (row["share"], row["low"], row["high"]) == pytest.approx(
            (known.value, known.low, known.high)
        )


def test_two_runs_item_by_item(run, demo):
    names = run(5)
    members = sql(demo, "SELECT count(*) AS number FROM split_item")["number"][0]
    assert len(names["both"]) == members == names["wins"].to_numpy().sum()
    right = sql(demo, "SELECT run_id, sum(score) AS right FROM answer GROUP BY run_id")
    by_run = dict(zip(right["run_id"], right["right"], strict=True))
    assert names["wins"].loc[True].sum() == by_run[names["first"]["run"].iloc[0]]
    assert np.isclose(names["wins"][True].sum(), by_run[names["second"]["run"].iloc[0]])
