"""Comparing answers in pairs with a judge that prefers what stands first, and with a sound one."""

import json
import re

import pytest

from core.cli import main
from core.errors import InputError, StateError
from core.evaluation.params import EvaluateParams, PairwiseParams
from core.workflow.analysis import leaderboard, report_site
from core.workflow.evaluation import pairwise_judging
from core.workflow.people import ensure_person
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.core.workflow.evaluation.test_judging import poem
from tests.finished_runs import finished_run
from tests.servers.model_server import LoopbackModel, asked_text
from tests.servers.queued_jobs import JOB, PROFILE, queue_only
from tests.splits import freeze_split

GOODNESS = {"good": 3, "fair": 2, "poor": 1}
_ANSWERS = re.compile(r"<(first|second)_answer>\n(\w+) (\d+)", re.S)


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    return sqlite_ws


@pytest.fixture
def evaluated(ws: Workspace) -> dict[str, str]:
    """Three models on 24 poems; the fair one beats the good one on every third, the poor one the
    fair one on every fourth."""
    ensure_person(ws, "Li", "lead")
    freeze_split(ws, {"t": [poem(number) for number in range(24)]})
    names = {}
    for model in GOODNESS:
        rows = [{"id": m.uid, "text": f"{model} {n}"}
                for n, m in enumerate(freeze.members_of(ws, "s"))]  # fmt: skip
        params = EvaluateParams(engine="openai", model=model, split="s")
        names[model] = finished_run(ws, "evaluate", params, rows)
    return names


def _better(body: dict) -> str:
    shown = {place: (model, int(n)) for place, model, n in _ANSWERS.findall(asked_text(body))}
    number = shown["first"][1]
    worth = dict(GOODNESS)
    worth["fair"] += 2 * (number % 3 == 0)
    worth["poor"] += 3 * (number % 4 == 0)
    first, second = (worth[shown[place][0]] for place in ("first", "second"))
    return "first" if first > second else "second" if second > first else "tie"


def sound(body: dict) -> str:
    return json.dumps({"reasons": "-", "better": _better(body)})


def biased(body: dict) -> str:
    """Prefers the first answer wherever its question has an even number."""
    number = int(_ANSWERS.findall(asked_text(body))[0][2])
    better = "first" if number % 2 == 0 else _better(body)
    return json.dumps({"reasons": "-", "better": better})


def compared(ws: Workspace, names: dict[str, str], server: LoopbackModel, judge: str) -> str:
    params = PairwiseParams(model=judge, base_url=server.url)
    run = pairwise_judging.start(ws, list(names.values()), params, "Li").spec().id
    assert runs.wait(ws, run).error is None
    pairwise_judging.take_in(ws, run)
    return run


def test_a_sound_judge_ranks_and_contradicts_itself_never(ws, evaluated):
    with LoopbackModel(answer=sound) as server:
        run = compared(ws, evaluated, server, "sound")
        assert len(server.seen) == 24 * 3 * 2
    document = pairwise_judging.standings(ws, [runs.find(ws, run)])
    assert [one["model"] for one in document["strengths"]["models"]] == ["good", "fair", "poor"]
    (judge,) = document["judges"]
    assert (judge["pairs"], judge["unjudged"]) == (72, 0)
    assert judge["consistent"]["share"] == 1.0
    assert judge["first_shown"]["share"] == 0.5
    (said,) = [one for one in pairwise_judging.notes(document) if "keeps its verdict" in one]
    assert "(few items with the rarer outcome: 0)" in said  # never rough in silence
    assert not list(verify(ws).findings)


def test_a_judge_that_prefers_a_place_is_told_and_its_contradictions_are_ties(
    ws, evaluated, tmp_path
):
    with LoopbackModel(answer=biased) as server:
        compared(ws, evaluated, server, "biased")
    with LoopbackModel(answer=sound) as server:
        compared(ws, evaluated, server, "sound")
    rows = pairwise_judging.finished(ws, "s")
    people = tmp_path / "people.csv"
    lines = ["item,a,b,better,rater"]
    for n, member in enumerate(freeze.members_of(ws, "s")):
        lines.append(f"{member.uid},poor,good,{'poor' if n % 4 == 0 else 'good'},Wu")
    people.write_text("\n".join(lines), encoding="utf-8")
    document = pairwise_judging.standings(ws, rows, people)
    by_judge = {judge["judge"]: judge for judge in document["judges"]}
    assert by_judge["biased"]["consistent"]["share"] == 0.5
    assert by_judge["biased"]["first_shown"]["low"] > 0.5
    alpha = document["agreement"]
    assert 0 < alpha["judges"]["value"] < 1
    assert alpha["with_people"]["value"] is not None
    assert len(document["strengths"]["models"]) == 3
    board = leaderboard.read(ws, leaderboard.LeaderboardRequest("s"))
    (elo,) = [figure for figure in board.dashboard.figures if figure.id == "elo"]
    assert elo.places.names[0] == "good"
    site = report_site.site(ws, tmp_path / "site")
    assert any("data/pairs-" in name for name in site.files)


def test_the_command_compares_and_prints(ws, evaluated, capsys):
    place = ["--workspace", str(ws.place.folder), "judge"]
    with LoopbackModel(answer=sound) as server:
        command = [*place, "pairs", *evaluated.values(), "--judge", f"j@{server.url}", "--wait",
                   "--most", "12", "--user", "Li"]  # fmt: skip
        assert main(command) == 0
    assert "good" in capsys.readouterr().out
    assert main([*place, "elo", "s", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["judges"][0]["pairs"] == 36
    assert document["strengths"]["clusters"] == 12
    assert main([*place, "elo", "--user", "Li"]) == 2


def test_runs_that_do_not_go_together_are_refused(ws, evaluated):
    params = PairwiseParams(model="j", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(InputError, match="two runs"):
        pairwise_judging.start(ws, [evaluated["good"]], params, "Li")
    with pytest.raises(StateError, match="compared in pairs"):
        pairwise_judging.standings(ws, pairwise_judging.finished(ws, "s"))


def test_the_same_text_is_a_tie_and_no_text_loses_without_a_question(ws):
    ensure_person(ws, "Li", "lead")
    freeze_split(ws, {"t": [poem(number) for number in range(2)]})
    first, second = (m.uid for m in freeze.members_of(ws, "s"))
    texts = {"a": {first: "same", second: "said"}, "b": {first: "same", second: ""}}
    names = {
        model: finished_run(
            ws, "evaluate", EvaluateParams(engine="openai", model=model, split="s"),
            [{"id": id_, "text": text} for id_, text in by_id.items()],
        )
        for model, by_id in texts.items()
    }  # fmt: skip
    with LoopbackModel(answer=sound) as server:
        run = compared(ws, names, server, "j")
        assert not server.seen
    (a, b) = pairwise_judging.standings(ws, [runs.find(ws, run)])["strengths"]["models"]
    assert (a["model"], a["share"], b["share"]) == ("a", 0.75, 0.25)


def test_comparing_is_queued_on_a_cluster_that_shares_the_folder_and_on_no_other(
    ws, evaluated, monkeypatch, tmp_path
):
    before = len(runs.runs(ws))
    params = PairwiseParams(model="j", base_url="http://127.0.0.1:9/v1")
    far = "[slurm.far]\nhost = 'login'\nfolder = '/scratch'\n"
    (ws.place.folder / "launchers.toml").write_text(far, encoding="utf-8")
    names = list(evaluated.values())
    with pytest.raises(InputError, match="login"):
        pairwise_judging.start(ws, names, params, "Li", launcher="slurm:far")
    assert len(runs.runs(ws)) == before
    queue_only(ws.place.folder, tmp_path / "bin", monkeypatch)
    folder = pairwise_judging.start(ws, names, params, "Li", launcher=PROFILE, shards=2)
    info = runs.info(ws, folder.spec().id)
    assert (info.state, info.launcher, info.job, info.shards) == ("queued", PROFILE, JOB, 2)


def _place_only(body: dict) -> str:
    return json.dumps({"reasons": "-", "better": "first"})


def test_what_no_judge_was_asked_about_says_nothing_of_the_judge(ws, capsys):
    """Twelve pairs of the same text and six without one: a judge that goes by the place alone
    contradicts itself in each of the six that it saw."""
    ensure_person(ws, "Li", "lead")
    freeze_split(ws, {"t": [poem(number) for number in range(24)]})
    uids = [m.uid for m in freeze.members_of(ws, "s")]
    texts = {
        "a": {uid: f"good {n}" for n, uid in enumerate(uids)},
        "b": {uid: f"good {n}" if n < 12 else "" if n < 18 else f"fair {n}"
              for n, uid in enumerate(uids)},
    }  # fmt: skip
    names = {
        model: finished_run(
            ws, "evaluate", EvaluateParams(engine="openai", model=model, split="s"),
            [{"id": id_, "text": text} for id_, text in by_id.items()],
        )
        for model, by_id in texts.items()
    }  # fmt: skip
    found = []
    with LoopbackModel(answer=_place_only) as server:
        for judge in ("place", "place too"):
            found.append(runs.find(ws, compared(ws, names, server, judge)))
        assert len(server.seen) == 2 * 6 * 2
    document = pairwise_judging.standings(ws, found)
    judge = document["judges"][0]
    assert (judge["pairs"], judge["settled"]) == (24, 18)
    assert (judge["consistent"]["share"], judge["consistent"]["n"]) == (0.0, 6)
    assert (judge["first_shown"]["share"], judge["first_shown"]["n"]) == (1.0, 12)
    # six wins and eighteen ties: what is settled counts for the models
    assert document["strengths"]["models"][0]["share"] == (6 + 18 / 2) / 24
    # of what both were asked they said tie alone; that both are spared the rest is no agreement
    assert document["agreement"]["judges"]["value"] is None
    capsys.readouterr()
    assert main(["--workspace", str(ws.place.folder), "judge", "elo", "s"]) == 0
    assert "18 pairs needed no judge" in capsys.readouterr().out


def test_a_question_that_the_first_run_failed_is_compared_among_the_others(ws):
    ensure_person(ws, "Li", "lead")
    freeze_split(ws, {"t": [poem(number) for number in range(4)]})
    uids = [m.uid for m in freeze.members_of(ws, "s")]
    names = {}
    for model in GOODNESS:
        rows = [
            {"id": uid, "text": f"{model} {n}", "outcome": "failed"}
            if model == "good" and n == 0
            else {"id": uid, "text": f"{model} {n}"}
            for n, uid in enumerate(uids)
        ]
        params = EvaluateParams(engine="openai", model=model, split="s")
        names[model] = finished_run(ws, "evaluate", params, rows)
    with LoopbackModel(answer=sound) as server:
        run = compared(ws, names, server, "j")
    (judge,) = pairwise_judging.standings(ws, [runs.find(ws, run)])["judges"]
    assert judge["pairs"] == 3 * 3 + 1
