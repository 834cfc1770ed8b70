"""A screening that is started while the generation goes on whose items it is about."""

import shlex
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.errors import ConflictError, InputError, StateError
from core.generation.spec import ScpSpec
from core.jobs.folder import RunFolder
from core.screening.run import PrescreenParams
from core.sources.articles.read_paths import read_paths
from core.workflow.check import screen, screen_after, stuck_items
from core.workflow.items import state_counts
from core.workflow.people import benchmark_in
from core.workflow.production import take_in_items
from core.workflow.runs import runs, take_in
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db.vocabulary import EventKind, ItemState
from resources import resource
from tests.servers.model_server import LoopbackModel
from tests.servers.queued_jobs import JOB, PROFILE, queue_only

ARTICLE = resource("demo", "stat__averages.txt")
BENCHMARK = "b"


def generation(ws: Workspace, launcher: str = "local") -> RunFolder:
    spec = ScpSpec(per_article=3)
    return take_in_items.start_generation(
        ws, read_paths([ARTICLE]), BENCHMARK, spec, launcher=launcher
    )


def params(url: str = "http://127.0.0.1:9/v1", **more) -> PrescreenParams:
    return PrescreenParams(base_url=url, model="test-model", **more)


def states(ws: Workspace) -> dict[str, str]:
    with ws.reading() as session:
        rows = items.in_state(session, list(ItemState))
    return {row.content_hash: row.state for row in rows}


def test_it_waits_for_the_generation_and_finds_what_two_commands_find(tmp_path: Path):
    found = []
    for name in ("at once", "one by one"):
        with closing(Workspace.create(tmp_path / name)) as ws, LoopbackModel() as server:
            made = generation(ws)
            asked = params(server.url)
            if name == "at once":
                folder = screen_after.start(ws, made.spec().id, asked, shards=2)
            else:
                runs.wait(ws, made.spec().id, 120)
                take_in.take_in(ws, made.spec().id)
                folder = screen.start(ws, BENCHMARK, asked, shards=2)
            run = folder.spec().id
            assert runs.wait(ws, run, 120).state == "finished"
            told = take_in.take_in(ws, run)
            assert take_in.take_in(ws, run) == told
            counts = Counter(states(ws).values())
            assert counts[ItemState.DRAFT] == 0
            assert told["asked"] == sum(counts.values()) == len(server.seen) > 2
            assert runs.find(ws, made.spec().id).taken_in_at is not None
            assert verify(ws).findings == ()
            with ws.reading() as session:
                begun = len(ledger.of_kind(session, EventKind.SCREENING_STARTED))
            found.append((told["passed"], told["screened_out"], states(ws).keys(), begun))
    assert found[0] == found[1]


def test_it_is_an_array_that_slurm_holds_back_until_the_generation_has_ended(
    sqlite_ws: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    ws = sqlite_ws
    queue_only(ws.place.folder, tmp_path / "bin", monkeypatch)
    made = generation(ws, PROFILE)
    folder = screen_after.start(ws, made.spec().id, params(), launcher=PROFILE, shards=3)
    script = (folder.path / "job.sh").read_text()
    assert f"#SBATCH --dependency=afterany:{JOB}\n" in script
    assert "#SBATCH --array=0-2\n" in script
    assert "dependency" not in (made.path / "job.sh").read_text()
    info = runs.info(ws, folder.spec().id)
    assert (info.state, info.total, info.title) == (
        "queued", 0, "SCP from 1 article, screened by test-model"
    )  # fmt: skip
    assert screen_after.start(ws, made.spec().id, params(), launcher=PROFILE).path == folder.path
    with pytest.raises(ConflictError, match=info.id):
        screen_after.start(ws, made.spec().id, params(threshold=3.0), launcher=PROFILE)
    with pytest.raises(StateError, match="waiting for screening"):
        screen.start(ws, BENCHMARK, params())
    assert stuck_items.find_stuck(ws).is_sound


@pytest.mark.parametrize(
    ("launcher", "profiles"),
    [
        ("local", ""),
        ("ray:lab", '[ray.lab]\naddress = "http://127.0.0.1:9"\n'),
        ("slurm:far", '[slurm.far]\nhost = "login"\nfolder = "/scratch"\n'),
    ],
)
def test_who_cannot_wait_says_so_before_a_run_is_made(
    sqlite_ws: Workspace,
    launcher: str,
    profiles: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    ws = sqlite_ws
    queue_only(ws.place.folder, tmp_path / "bin", monkeypatch)
    made = generation(ws, PROFILE)
    with (ws.place.folder / "launchers.toml").open("a") as file:
        file.write(profiles)
    for kind in ("slurm.SlurmLauncher", "ray.RayLauncher"):
        monkeypatch.setattr(f"core.jobs.launchers.{kind}.require", lambda _: None)
    with pytest.raises(InputError, match=r"wait|come after"):
        screen_after.start(ws, made.spec().id, params(), launcher=launcher)
    assert len(runs.runs(ws)) == 1


def test_only_a_generation_that_goes_on_or_is_still_to_be_taken_in_is_screened(
    sqlite_ws: Workspace,
):
    ws = sqlite_ws
    made = generation(ws)
    run = made.spec().id
    runs.wait(ws, run, 120)
    result = made.result()
    assert result is not None
    made.files.remove("result.json")
    with pytest.raises(StateError, match="ended unfinished"):
        screen_after.start(ws, run, params())
    made.write_result(result)
    take_in.take_in(ws, run)
    with pytest.raises(StateError, match="already"):
        screen_after.start(ws, run, params())
    with LoopbackModel() as server:
        screened = screen.start(ws, BENCHMARK, params(server.url)).spec().id
        runs.wait(ws, screened, 60)
    with pytest.raises(StateError, match="not a generation"):
        screen_after.start(ws, screened, params())


def test_what_somebody_has_gone_on_with_meanwhile_stays_as_it_is(sqlite_ws: Workspace):
    ws = sqlite_ws
    made = generation(ws)
    run = made.spec().id
    runs.wait(ws, run, 120)
    with LoopbackModel() as server:
        folder = screen_after.start(ws, run, params(server.url))
        assert runs.wait(ws, folder.spec().id, 120).state == "finished"
    take_in.take_in(ws, run)
    (stuck,) = stuck_items.find_stuck(ws).screenings
    assert (stuck.run, stuck.items) == (folder.spec().id, ())
    with ws.reading() as session:
        home = benchmark_in(session, BENCHMARK)
        first = items.in_state(session, (ItemState.DRAFT,), benchmark_id=home.id)[0]
    with ws.writing() as session:
        items.change(session, [first.id], state=ItemState.REJECTED)
    take_in.take_in(ws, folder.spec().id)
    counted = state_counts.counts(ws)
    assert (counted["rejected"], counted["draft"]) == (1, 0)
    with ws.reading() as session:
        told = [event.kind for event in ledger.of_item(session, first.id)]
    assert EventKind.SCREENED not in told


def test_a_draft_that_is_rewritten_while_the_verdicts_come_in_is_not_held(
    sqlite_ws: Workspace, monkeypatch: pytest.MonkeyPatch
):
    ws = sqlite_ws
    made = generation(ws)
    with LoopbackModel() as server:
        folder = screen_after.start(ws, made.spec().id, params(server.url))
        assert runs.wait(ws, folder.spec().id, 120).state == "finished"
    read = screen.drafts_by_work_id
    numbers: list[int] = []

    def rewritten(*given):
        found = read(*given)
        numbers.append(min(item.id for item in found.values()))
        with ws.writing() as session:
            items.change(session, numbers, revision=2)
        return found

    monkeypatch.setattr(screen, "drafts_by_work_id", rewritten)
    take_in.take_in(ws, folder.spec().id)
    counted = state_counts.counts(ws)
    assert (counted["draft"], counted.get("screening", 0)) == (1, 0)


def test_drafts_that_such_a_run_is_about_are_not_screened_by_another(
    sqlite_ws: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    ws = sqlite_ws
    made = generation(ws)
    run = made.spec().id
    runs.wait(ws, run, 120)
    queue_only(ws.place.folder, tmp_path / "bin", monkeypatch)
    folder = screen_after.start(ws, run, params(), launcher=PROFILE)  # the generation is finished
    assert "dependency" not in (folder.path / "job.sh").read_text()
    take_in.take_in(ws, run)
    assert screen.plan(ws, BENCHMARK).drafts == 0
    with pytest.raises(StateError, match=folder.spec().id) as refused:
        screen.start(ws, BENCHMARK, params())
    folder.files.remove("launch.json")
    told = shlex.split(str(refused.value).partition("benchseal ")[2])
    assert main(["--workspace", str(ws.place.folder), *told]) == 0
    assert screen.plan(ws, BENCHMARK).drafts > 2


def test_a_screening_whose_spec_is_damaged_keeps_nobody_from_screening(sqlite_ws: Workspace):
    ws = sqlite_ws
    made = generation(ws)
    runs.wait(ws, made.spec().id, 120)
    with LoopbackModel() as server:
        folder = screen_after.start(ws, made.spec().id, params(server.url))
        assert runs.wait(ws, folder.spec().id, 120).state == "finished"
        folder.files.write("spec.json", "{")
        take_in.take_in(ws, made.spec().id)
        other = screen.start(ws, BENCHMARK, params(server.url))
        assert other.path != folder.path
        assert runs.wait(ws, other.spec().id, 120).state == "finished"
    take_in.take_in(ws, other.spec().id)
    assert state_counts.counts(ws)["draft"] == 0


def test_tasks_without_a_gate_are_not_asked_about(sqlite_ws: Workspace):
    ws = sqlite_ws
    first = generation(ws)
    runs.wait(ws, first.spec().id, 120)
    take_in.take_in(ws, first.spec().id)
    with ws.writing() as session:
        for task in benchmarks.tasks(session):
            off = {**task.protocol, "gate": "off"}
            benchmarks.add_protocol(session, task.id, off)
    second = generation(ws)
    with LoopbackModel() as server:
        folder = screen_after.start(ws, second.spec().id, params(server.url))
        assert runs.wait(ws, folder.spec().id, 120).state == "finished"
        assert server.seen == []
    assert take_in.take_in(ws, folder.spec().id)["asked"] == 0


def test_a_spec_that_was_changed_before_the_verdicts_came_is_found(sqlite_ws: Workspace):
    ws = sqlite_ws
    made = generation(ws)
    with LoopbackModel() as server:
        folder = screen_after.start(ws, made.spec().id, params(server.url))
        assert runs.wait(ws, folder.spec().id, 120).state == "finished"
    spec = folder.spec()
    folder.write_spec(spec.model_copy(update={"params": {**spec.params, "threshold": 0.0}}))
    with pytest.raises(InputError, match=r"spec\.json"):
        take_in.take_in(ws, folder.spec().id)


@pytest.mark.parametrize("another", [False, True], ids=["of none", "of another"])
def test_a_spec_that_names_another_generation_is_found(sqlite_ws: Workspace, another: bool):
    ws = sqlite_ws
    made = generation(ws)
    with LoopbackModel() as server:
        folder = screen_after.start(ws, made.spec().id, params(server.url))
        assert runs.wait(ws, folder.spec().id, 120).state == "finished"
    other = ""
    if another:
        other = generation(ws).spec().id
        runs.wait(ws, other, 120)
    folder.write_spec(folder.spec().model_copy(update={"after": other}))
    with pytest.raises(InputError, match=r"spec\.json"):
        take_in.take_in(ws, folder.spec().id)
    assert runs.find(ws, folder.spec().id).taken_in_at is None
