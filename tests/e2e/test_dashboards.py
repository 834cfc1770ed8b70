"""Dashboards, alarms and named reports from the command line."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.workflow import people
from core.workflow.check import review
from tests.workload import fill

Call = Callable[..., Any]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    ws = fill(tmp_path / "工作区", 40, tasks=2, decided=0.9, criteria=("accuracy",), screened=True)
    people.ensure_person(ws, "Lead", "lead")
    ws.close()
    return tmp_path / "工作区"


@pytest.fixture
def benchseal(place: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*words: object, code: int = 0, plain: bool = False) -> Any:
        form = () if plain else ("--json",)
        found = main(["--workspace", str(place), *map(str, words), *form])
        out, err = capsys.readouterr()
        assert found == code, err
        if code:
            return err
        return out if plain else json.loads(out)

    return call


def test_the_dashboard_and_the_agreement_command_say_the_same(benchseal: Call) -> None:
    dashboard = benchseal("dashboard", "agreement")
    plain = benchseal("agreement")
    names = {one["name"]: one for one in dashboard["coefficients"]}
    assert names == {one["name"]: one for one in plain["coefficients"]}
    figures = {figure["id"]: figure for figure in dashboard["figures"]}
    assert set(figures) == {"coefficients", "weeks", "raters", "tasks", "confusion"}


@pytest.mark.parametrize("panel", ["progress", "gate", "people", "audit"])
def test_every_dashboard_has_a_sentence_and_its_numbers(benchseal: Call, panel: str) -> None:
    dashboard = benchseal("dashboard", panel)
    assert dashboard["panel"] == panel
    assert dashboard["sentence"]
    assert dashboard["missing"] or dashboard["figures"]
    assert dashboard["sentence"] in benchseal("dashboard", panel, plain=True)


def test_pictures_are_made_by_the_installed_command_without_a_display(
    place: Path, tmp_path: Path
) -> None:
    paths = {form: tmp_path / f"agreement.{form}" for form in ("png", "svg", "csv")}
    words = [word for form, path in paths.items() for word in (f"--{form}", str(path))]
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment.pop("QT_QPA_PLATFORM", None)
    done = subprocess.run(
        [sys.executable, "-m", "core.cli", "--workspace", str(place), "dashboard", "agreement",
         "--theme", "dark", *words],
        capture_output=True, text=True, env={**environment, "BENCHSEAL_LANG": "zh"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert paths["png"].read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in paths["svg"].read_text(encoding="utf-8")[:400]
    rows = list(csv.DictReader(paths["csv"].read_text(encoding="utf-8").splitlines()))
    assert {row["figure"] for row in rows} >= {"coefficients", "raters", "confusion"}
    assert "一致" in done.stdout


def test_wrong_requests_end_in_one_sentence(benchseal: Call, tmp_path: Path) -> None:
    for words in (
        ("dashboard", "weather"),
        ("dashboard", "progress", "--png", tmp_path / "x.jpg"),
        ("dashboard", "progress", "--csv", tmp_path / "no" / "x.csv"),
        ("dashboard", "people", "--named", "--user", "reviewer a"),
        ("dashboard", "agreement", "--coefficient", "mood"),
        ("agreement", "--seed", -1),
        ("agreement", "--layout", "raters"),
        ("report", "coreeval-human", "--task", "nowhere"),
        ("alarm", "set", "--user", "Lead"),
        ("alarm", "remove", "--user", "Lead"),
        ("alarm", "remove", 9, "--user", "Lead"),
    ):
        complaint = benchseal(*words, code=1)
        assert complaint.count("\n") == 1, words
        assert "Traceback" not in complaint


def test_undefined_is_a_reason_in_the_command_and_in_csv(tmp_path: Path, benchseal: Call) -> None:
    ws = fill(tmp_path / "one", 3)
    review.decide(ws, "reviewer a", 1, "accept", seconds=1)
    ws.close()
    words = ("--workspace", tmp_path / "one", "dashboard", "agreement")
    dashboard = benchseal(*words, "--csv", tmp_path / "b.csv")
    marks = dashboard["figures"][0]["marks"]
    assert all(mark["value"] is None and mark["note"] for mark in marks)
    assert marks[0]["note"] in (tmp_path / "b.csv").read_text(encoding="utf-8")
    assert all(one["undefined"] for one in dashboard["coefficients"])


def test_alarms_are_set_listed_and_removed(benchseal: Call) -> None:
    made = benchseal("alarm", "set", "--below", 0.99, "--items", 5, "--user", "Lead")
    listed = benchseal("alarm", "list")
    assert [one["number"] for one in listed["alarms"]] == [made["number"]]
    assert {one["task"] for one in listed["ringing"]} == {"task-000", "task-001"}
    assert benchseal("dashboard", "agreement")["alarms"] == [
        one["sentence"] for one in listed["ringing"]
    ]
    benchseal("alarm", "remove", made["number"], "--user", "Lead")
    assert benchseal("alarm", "list") == {"alarms": [], "ringing": []}


def test_named_reports_come_as_json_csv_latex_and_a_page(benchseal: Call, tmp_path: Path) -> None:
    document = benchseal("report", "coreeval-human", "--html", tmp_path / "r.html")
    assert [row[0] for row in document["rows"]] == ["task-000", "task-001"]
    assert "<table>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    lines = benchseal("report", "coreeval-human", "--csv", plain=True).splitlines()
    assert len(lines) == 3
    assert "\\toprule" in benchseal("report", "cif-human", "--latex", plain=True)
    one = benchseal("report", "cif-human", "--task", "task-001")
    assert one["rows"][0][1:3] == [1, 2]


@pytest.mark.parametrize(
    "choice",
    [("--by", "task"), ("--task", "t"), ("--benchmark", "b"), ("--criterion", "accuracy"),
     ("--as-of", "2026-08-10"), ("--gold", "without"), ("--adjudicated", "after")],
)  # fmt: skip
def test_what_a_file_cannot_answer_is_refused(
    benchseal: Call, tmp_path: Path, choice: tuple[str, str]
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("a,b\n1,1\n2,1\n", encoding="utf-8")
    assert choice[0] in benchseal("agreement", "--file", path, *choice, code=1)


def test_a_criterion_of_no_rubric_and_a_date_that_is_none_are_said(
    benchseal: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    said = benchseal("agreement", "--criterion", "mood", code=1)
    assert "mood" in said
    assert "accuracy" in said
    assert "nowhere" in benchseal("dashboard", "people", "--benchmark", "nowhere", code=1)
    with pytest.raises(SystemExit):
        benchseal("agreement", "--as-of", "soon")
    assert "2026-08-31" in capsys.readouterr().err


def test_a_cut_without_groups_says_so(benchseal: Call) -> None:
    assert benchseal("agreement", "--by", "category")["groups"] == []
    assert "category" in benchseal("agreement", "--by", "category", plain=True).splitlines()[-1]


SAID = {
    "one rater": (("a", 36, "accept"), ("a", 37, "reject")),
    "disjoint": (("a", 36, "accept"), ("b", 37, "reject")),
    "one item": (("a", 36, "accept"), ("b", 36, "reject")),
    "constant": (
        ("a", 36, "accept"),
        ("b", 36, "accept"),
        ("a", 37, "accept"),
        ("b", 37, "accept"),
    ),
}


@pytest.mark.parametrize("state", SAID)
def test_undefined_says_why_in_the_command_the_csv_and_the_dashboard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], state: str
) -> None:
    ws = fill(tmp_path / "w", 40, tasks=1)
    for person, number, verdict in SAID[state]:
        why = "language" if verdict == "reject" else ""
        review.decide(ws, person, number, verdict, reason=why, seconds=1)
    ws.close()

    def call(*words: str) -> str:
        assert main(["--workspace", str(tmp_path / "w"), *words]) == 0
        return capsys.readouterr().out

    found = json.loads(call("agreement", "--coefficient", "fleiss_kappa", "--json"))
    reason = found["coefficients"][0]["undefined"]
    assert found["coefficients"][0]["value"] is None
    assert reason
    assert reason in call("agreement", "--coefficient", "fleiss_kappa")
    line = next(
        csv.DictReader(call("agreement", "--coefficient", "fleiss_kappa", "--csv").split("\n"))
    )
    assert (line["value"], line["undefined"]) == ("", reason)
    assert reason in call("agreement", "--coefficient", "fleiss_kappa", "--latex")
    path = tmp_path / "dashboard.csv"
    dashboard = json.loads(call("dashboard", "agreement", "--csv", str(path), "--json"))
    assert reason in dashboard["sentence"]
    marks = {
        row["place"]: (row["value"], row["note"])
        for row in csv.DictReader(path.read_text(encoding="utf-8").split("\n"))
        if row["figure"] == "coefficients"
    }
    assert marks["Fleiss' kappa"] == ("", reason)
