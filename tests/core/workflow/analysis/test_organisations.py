"""Whose people, models and hosts are, and the participants who had access to what they are scored
on."""

import json
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError, NotFoundError, RightsError
from core.evaluation.report_parts.seen_before import SeenBefore, seen_notes
from core.workflow import people
from core.workflow.analysis import organisations
from core.workflow.analysis.exposures import exposures
from core.workflow.analysis.organisations import Organisations
from core.workflow.analysis.sent_items import seen_before
from core.workflow.check import review
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.finished_runs import take_in_answers
from tests.workspaces import BENCHMARK, make_task, write_items

LAB, OTHER = "Example Lab", "Other Lab"


@pytest.fixture
def used(ws: Workspace, tmp_path: Path) -> tuple[Workspace, str, str]:
    """Two items that ann wrote and li accepted, asked of two models; the runs."""
    for name, role in (("ann", "annotator"), ("li", "annotator"), ("boss", "lead")):
        people.ensure_person(ws, name, role)
    make_task(ws, overlap=1)
    for number in write_items(ws, 2):
        review.decide(ws, "li", number, "accept")
    freeze.freeze(ws, "s", BENCHMARK, "boss")
    replies = {member.uid: "A" for member in freeze.members_of(ws, "s")}
    runs = [take_in_answers(ws, tmp_path, replies, "s", model=f"{LAB.split()[0]}/{n}")
            for n in ("one", "two")]  # fmt: skip
    ws.person = "boss"
    return ws, runs[0], runs[1]


def test_a_model_belongs_to_its_maker_unless_a_lead_says_otherwise():
    known = Organisations(hosts={"example.org": LAB}, models={"a/b": OTHER})
    assert known.of_model("a/b") == OTHER
    assert known.of_model("maker/name-1.5:free") == "maker"
    for name in ("m", "/models/m", "./m", "a/b/c", "baseline:x", ""):
        assert known.of_model(name) == ""
    assert known.of_host("api.example.org") == LAB
    assert known.of_host("notexample.org") == ""


def test_the_exposures_of_an_organisation_are_its_peoples_its_models_and_its_hosts(used):
    ws, _, _ = used
    organisations.assign(ws, "boss", LAB, people=["li"], models=["Example/one"])
    assert {one.who for one in exposures(ws, organisation="example lab")} == {"li", "Example/one"}
    assert {one.who for one in exposures(ws, "s", organisation="EXAMPLE")} == {"Example/two"}
    assert exposures(ws, organisation=OTHER) == ()
    organisations.assign(ws, "boss", "", people=["li"])
    assert {one.who for one in exposures(ws, organisation=LAB)} == {"Example/one"}
    assert verify(ws).findings == ()


def test_a_score_is_flagged_where_people_of_the_models_organisation_had_access(used):
    ws, first, second = used
    before = seen_before(ws, (first, second))
    assert before[first].participants == before[second].participants == 0
    organisations.assign(ws, "boss", LAB, people=["li", "boss"], models=["Example/one"])
    after = seen_before(ws, (first, second))
    assert after[first].participants == 1  # the lead has seen none of them
    assert after[second].participants == 0
    assert "Participant with access: 1 person" in after[first].sentence()
    notes = seen_notes([("one", SeenBefore("m", 0, 2, 1)), ("two", SeenBefore("m", 0, 2))])
    assert len(notes) == 1


def test_whoever_started_the_run_and_had_access_is_one_of_them(used):
    ws, first, _ = used
    with ws.reading() as session:
        access = organisations.participants(session, 1)
        (starter,) = organisations.starters(session, [first]).values()
    assert access.names == {"ann", "li"}
    assert access.of_score("m", "", "ann") == {"ann"}
    assert access.of_score("m", "", starter) == set()


def test_only_a_lead_says_whose_somebody_is(used):
    ws, _, _ = used
    ws.person = ""
    with pytest.raises(RightsError):
        organisations.assign(ws, "li", LAB, people=["ann"])
    with pytest.raises(NotFoundError):
        organisations.assign(ws, "boss", LAB, people=["nobody"])
    with pytest.raises(InputError):
        organisations.assign(ws, "boss", LAB)
    assert organisations.read(ws) == Organisations()


def test_the_command_sets_lists_and_asks(used, capsys: pytest.CaptureFixture[str]):
    ws, _, _ = used
    words = ["--workspace", ws.address, "organisation"]
    given = ["--person", "li", "--host", "Example.org", "--model", "tiny"]
    assert main([*words, LAB, *given, "--user", "boss"]) == 0
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert known == {"people": {"li": LAB}, "hosts": {"example.org": LAB},
                     "models": {"tiny": LAB}}  # fmt: skip
    asked = ["--workspace", ws.address, "exposures", "s", "--organisation", LAB, "--user", "boss"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["exposures"]
    assert {(one["who"], one["organisation"]) for one in found} == {("li", LAB)}
