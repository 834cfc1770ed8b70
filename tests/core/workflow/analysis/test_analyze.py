"""Analyses of a real workspace: runs are read, every number names its runs, reports are written."""

import csv
import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any
from xml.etree import ElementTree

import pytest

from core.analysis.benchmark_pairs import shipped_pairs
from core.cli import main
from core.errors import BenchsealError, InputError, NotFoundError, StateError
from core.evaluation.run import EvaluateParams
from core.families import family
from core.families.base import ItemContent
from core.families.rewrite_payload import FORMATS as SETS
from core.finetuning.params import FinetuneParams
from core.sources.labelled.datasets import EMOTION
from core.workflow import people, tasks
from core.workflow.analysis import analyze, cif_scores, coreeval_scores, report_site, simulations
from core.workflow.check import review
from core.workflow.evaluation import public_score_files, score_run, start
from core.workflow.production.take_in_items import take_in_items, task_name
from core.workflow.runs import runs, take_in
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import items as item_rows
from db import runs as run_rows
from tests.finished_runs import finished_simulation
from tests.splits import varied
from tests.workspaces import new_workspace


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path)
    yield made
    made.close()


def frozen(ws: Workspace, name: str, contents: Sequence[ItemContent]) -> str:
    """A split of these items, accepted in review."""
    with ws.writing() as session:
        run_rows.add(session, f"made-{name}", "generate")
    for task in {task_name(one): one for one in contents}.values():
        tasks.add(
            ws,
            task_name(task),
            task.family,
            benchmark=name,
            format=task.format,
            domain=task.domain,
            protocol={"gate": "off", "overlap": "1"},
        )
    take_in_items(ws, f"made-{name}", name, contents)
    with ws.reading() as session:
        found = [row.id for row in item_rows.in_state(session, ("in_review", "draft"))]
    for number in found:
        review.decide(ws, "王芳", number, "accept")
    freeze.freeze(ws, name, name)
    return name


def asked(ws: Workspace, split: str, engine: str = "baseline:random", **more: Any) -> str:
    """The id of a finished evaluation."""
    params = EvaluateParams(split=split, engine=engine, **more)
    run = start.start(ws, split, params).spec().id
    assert runs.wait(ws, run, 60).state == "finished"
    return run


def labelled(base: int, form: str, label: str) -> ItemContent:
    """A rewrite of one of the three sets, in words of its own."""
    item = family("rewrite").sample(form)
    payload = {**item.payload, "base": str(base), "task": "emotion", "label": label}
    payload |= {"labels": EMOTION.labels, "text": f"{form} text {base} of the week 心情"}
    return replace(item, payload=payload)


@pytest.fixture
def scp(ws: Workspace) -> str:
    return frozen(ws, "p-1", [varied(n) for n in range(24)])


def test_rugged_scores_of_runs_have_intervals_and_name_their_runs(
    ws: Workspace, scp: str, tmp_path: Path
) -> None:
    run = asked(ws, scp)
    path = tmp_path / "public.csv"
    path.write_text(
        "model,domain,accuracy,n\nbaseline:random,cs,0.9,200\nbaseline:random,Math,0.8,200\n"
        "somebody else,cs,0.5,100\n",
        encoding="utf-8",
    )
    found = analyze.rugged(ws, [run], [str(path)], shipped_pairs())
    (row,) = found.models
    assert row.model == "baseline:random"
    assert set(row.pairs) == {"cs", "math"}
    assert row.scores["rs1"].low < row.scores["rs1"].value < row.scores["rs1"].high
    assert row.runs == (run, "public.csv")
    assert any("somebody else" in note for note in found.notes)
    report = score_run.report(ws, run)
    cells = [part.accuracy for part in report.by["format_domain"].values()]
    assert row.private_mean == pytest.approx(sum(cells) / len(cells), abs=0.01)


def expire(ws: Workspace, split: str) -> None:
    people.ensure_person(ws, "lead", "lead")
    lifecycle.expire(ws, split, "lead")


def test_the_rows_of_a_run_know_which_items_share_an_article(ws: Workspace, scp: str) -> None:
    report = score_run.report(ws, asked(ws, scp))
    rows = analyze.rows_of(report, "private")
    for row in rows:
        assert row.sources is not None
        assert row.digest == ""
        assert sum(count for _, count in row.sources.values()) == row.n
        right = sum(total for total, _ in row.sources.values())
        assert right / (row.n or 1) == pytest.approx(row.accuracy)
    named = {name for row in rows for name in row.sources or {}}
    assert named == {score.cluster for score in report.scores}


def test_an_expired_split_joins_the_public_side_named_or_not(
    ws: Workspace, scp: str, tmp_path: Path
) -> None:
    later = frozen(ws, "p-2", [varied(n) for n in range(40, 64)])
    old, new = asked(ws, scp), asked(ws, later)
    before = analyze.rugged(ws, [new], [], shipped_pairs()).models[0]
    assert before.scores["rs1"].value is None
    expire(ws, scp)
    named = analyze.rugged(ws, [old, new], [], shipped_pairs())
    unnamed = analyze.rugged(ws, [new], [], shipped_pairs())
    for found in (named, unnamed):
        (row,) = found.models
        assert row.scores["rs1"].value is not None
        assert set(row.runs) == {old, new}
        assert row.private_mean == before.private_mean
        assert any("p-1" in note and "expired" in note for note in found.notes)
    assert named.models[0].scores["rs1"] == unnamed.models[0].scores["rs1"]
    (alone,) = analyze.rugged(ws, [new], [], shipped_pairs(), expired=False).models
    assert alone.scores["rs1"].value is None
    made = report_site.site(ws, tmp_path / "site")
    known = json.loads((made.page.parent / "data" / "runs.json").read_text(encoding="utf-8"))
    assert set(known["rugged"]) == {old, new}
    assert {"data/accuracy-rs1.svg", "data/accuracy-rs2.svg"} < set(made.files)
    expire(ws, later)
    report_site.site(ws, tmp_path / "site")
    known = json.loads((made.page.parent / "data" / "runs.json").read_text(encoding="utf-8"))
    assert set(known["rugged"]) == {old, new}


def test_a_table_of_rugged_scores_is_the_same_after_its_split_was_published(
    ws: Workspace, scp: str, tmp_path: Path
) -> None:
    run = asked(ws, scp)
    path = tmp_path / "public.csv"
    path.write_text(
        "model,domain,accuracy,n\nbaseline:random,cs,0.9,200\nbaseline:longest,cs,0.5,200\n",
        encoding="utf-8",
    )
    before = analyze.rugged(ws, [run], [str(path)], shipped_pairs())
    expire(ws, scp)
    after = analyze.rugged(ws, [run], [str(path)], shipped_pairs())
    assert after.models == before.models
    assert any(scp in note and "started before that" in note for note in after.notes)
    with pytest.raises(InputError, match="compared with itself"):
        analyze.rugged(ws, [run], [run], shipped_pairs())
    late = asked(ws, scp, "baseline:longest")
    (first, second) = analyze.rugged(ws, [run, late], [str(path)], shipped_pairs()).models
    assert (first.model, second.model) == ("baseline:random", "baseline:longest")
    assert first.private_mean == before.models[0].private_mean
    assert second.private_mean is None  # whoever was asked later may have seen the items
    (alone,) = analyze.rugged(ws, [late], [str(path)], shipped_pairs()).models
    assert alone.private_mean is None


def test_a_public_source_that_is_neither_run_nor_file_is_named(ws: Workspace, scp: str) -> None:
    with pytest.raises(NotFoundError, match="no-such-thing"):
        analyze.rugged(ws, [asked(ws, scp)], ["no-such-thing"], shipped_pairs())


def test_items_are_analysed_over_the_newest_run_of_every_model(ws: Workspace, scp: str) -> None:
    with pytest.raises(StateError, match="evaluate it first"):
        analyze.items_of(ws, scp)
    for engine in ("baseline:random", "baseline:random", "baseline:longest"):
        asked(ws, scp, engine)
    found = analyze.items_of(ws, scp)
    assert len(found.items) == 24
    assert len(found.runs) == 2
    assert all(item.models == 2 and len(item.unpicked) >= 2 for item in found.items)


def test_cif_scores_are_found_by_the_tasks_of_the_items(
    ws: Workspace, benchseal: "Call", tmp_path: Path
) -> None:
    sample = family("instruction").sample("triplet")
    contents = [
        replace(sample, domain="cif-45", payload={
            **sample.payload, "input": f"第{n}句话", "output": ("积极", "消极")[n % 2],
            "label": ("积极", "消极")[n % 2], "labels": ("积极", "消极")})
        for n in range(8)
    ]  # fmt: skip
    run = asked(ws, frozen(ws, "cif", contents))
    scores = cif_scores.cif_scores(ws, [run], [])
    assert {(one.task, one.half, one.run) for one in scores} == {(45, "private", run)}
    assert sum(one.score for one in scores) == score_run.report(ws, run).total.correct
    assert cif_scores.cif_scores(ws, [], [run])[0].half == "public"
    rated = tmp_path / "ratings.csv"
    lines = [f"{one.item},{int(one.score)},{1 + 4 * int(one.score)}" for one in scores]
    rated.write_text("\n".join(["item,faithful,preference", *lines]), encoding="utf-8")
    (row,) = benchseal("analyze", "cif", run, "--human", rated)["human"]
    assert (row["model"], row["n"], row["unmatched"]) == ("baseline:random", 8, 0)
    assert row["spearman"] == pytest.approx(1.0)


def test_runs_without_such_items_are_refused(ws: Workspace, scp: str) -> None:
    run = asked(ws, scp)
    with pytest.raises(InputError, match="CIF-Bench"):
        cif_scores.cif_scores(ws, [run], [])
    with pytest.raises(InputError, match="rewrite"):
        coreeval_scores.coreeval(ws, [run])


@pytest.fixture
def rewrites(ws: Workspace) -> str:
    contents = [labelled(n, form, EMOTION.labels[n % 4]) for form in SETS for n in range(8)]
    return frozen(ws, "rewritten", contents)


def test_zero_shot_f1_is_by_set_and_task(ws: Workspace, rewrites: str) -> None:
    run = asked(ws, rewrites, answer_by="choice")
    (found,) = coreeval_scores.coreeval(ws, [run]).zero_shot
    assert set(found.f1) == {"orig", "semt", "ours"}
    assert set(found.f1["ours"]) == {"emotion"}
    assert 0 <= found.average("orig") <= 1
    assert found.run == run


def test_the_average_of_zero_shot_f1_has_an_interval_over_the_items_of_its_tasks(
    ws: Workspace, benchseal: "Call"
) -> None:
    contents = [labelled(n, "original", EMOTION.labels[n % 4]) for n in range(48)]
    for content in contents[24:]:
        content.payload["task"] = "mood"
    run = asked(ws, frozen(ws, "two", contents), answer_by="choice")
    (found,) = coreeval_scores.coreeval(ws, [run]).zero_shot
    bounds = found.intervals["orig"]
    assert set(bounds) == {"emotion", "mood", "AVG"}
    width = {name: high - low for name, (low, high) in bounds.items()}
    assert bounds["AVG"][0] <= found.average("orig") <= bounds["AVG"][1]
    assert width["AVG"] < min(width["emotion"], width["mood"])
    (document,) = benchseal("analyze", "coreeval", run)["zero_shot"]
    assert document["f1_intervals"]["orig"]["AVG"] == list(bounds["AVG"])


def test_the_sets_of_a_split_are_linked_and_their_simulation_is_analysed(
    ws: Workspace, rewrites: str, tmp_path: Path
) -> None:
    sets = simulations.read_sets(ws, EMOTION, ["orig", "ours"], simulations.SimulationData())
    assert [e.id for e in sets["orig"].test] == [e.id for e in sets["ours"].test]
    assert len(sets["orig"].test) == 8
    with pytest.raises(InputError, match="semi"):
        simulations.read_sets(ws, EMOTION, ["semi"], simulations.SimulationData(split=rewrites))
    params = FinetuneParams(base_model=str(tmp_path), task=EMOTION)
    name = simulated(ws, params, sets)
    found = coreeval_scores.coreeval(ws, [name]).simulated
    assert {(one.mode, one.run) for one in found} == {("zero", name), ("test", name)}


def test_a_simulation_is_bound_when_it_is_taken_in_and_gives_no_figures_once_it_was_changed(
    ws: Workspace, rewrites: str, tmp_path: Path
) -> None:
    sets = simulations.read_sets(ws, EMOTION, ["orig"], simulations.SimulationData())
    name = simulated(ws, FinetuneParams(base_model=str(tmp_path), task=EMOTION), sets)
    assert take_in.take_in(ws, name) == take_in.take_in(ws, name) == {"cells": 3}
    assert verify(ws).sound
    assert coreeval_scores.coreeval(ws, [name]).simulated
    shard = next((ws.runs / name).glob("shard-*.jsonl"))
    shard.write_text(shard.read_text().replace("0.5", "0.6"))
    assert [finding.subject for finding in verify(ws).findings] == [f"runs/{name}/{shard.name}"]
    with pytest.raises(StateError, match="changed after they were taken in"):
        coreeval_scores.coreeval(ws, [name])


def test_what_was_asked_for_is_looked_at_before_what_is_installed(
    ws: Workspace, rewrites: str, tmp_path: Path
) -> None:
    sets = simulations.read_sets(ws, EMOTION, ["orig"], simulations.SimulationData())
    model = tmp_path / "模型"
    params = FinetuneParams(base_model=str(model), task=EMOTION)

    def complaint(modes: Sequence[str] = ("test",), proportions: Sequence[int] = (100,)) -> str:
        with pytest.raises(BenchsealError) as caught:
            simulations.start(ws, params, sets, modes, proportions)
        return str(caught.value)

    assert "no mode “tset”" in complaint(["tset"])
    assert "not 101" in complaint(proportions=[20, 101])
    assert "is not a folder with a base model" in complaint()
    model.mkdir()
    assert "a Transformers model: config.json, tokenizer.json" in complaint()
    (model / "config.json").write_text("{}", encoding="utf-8")
    assert "a Transformers model: tokenizer.json" in complaint()
    (model / "tokenizer.model").write_text("x", encoding="utf-8")
    if not analyse_has_torch():
        assert "make gpu" in complaint()
        assert not [info for info in runs.runs(ws) if info.kind == "finetune"]


def analyse_has_torch() -> bool:
    from core.evaluation.engines.hardware import is_installed

    return is_installed("torch")


def simulated(ws: Workspace, params: FinetuneParams, sets: Any) -> str:
    """A finished simulation, its numbers made up for the test of what reads them."""
    cells = (("zero", 0, 0.3), ("test", 20, 0.5), ("test", 100, 0.9))
    return finished_simulation(ws, params, dict.fromkeys(sets, cells), sets)


@pytest.fixture
def site(ws: Workspace, scp: str, rewrites: str, tmp_path: Path) -> Path:
    for engine in ("baseline:random", "baseline:longest"):
        asked(ws, scp, engine)
        asked(ws, rewrites, engine)
    sets = simulations.read_sets(ws, EMOTION, ["orig", "ours"], simulations.SimulationData())
    simulated(ws, FinetuneParams(base_model=str(tmp_path), task=EMOTION), sets)
    report_site.site(ws, tmp_path / "网站", public=())
    return tmp_path / "网站"


def test_a_site_has_every_table_as_csv_and_latex_and_names_its_runs(
    ws: Workspace, site: Path
) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    known = json.loads((site / "data" / "runs.json").read_text(encoding="utf-8"))
    assert {"rugged", "periods", "deltas", "spreads"} < set(known)
    for name, names in known.items():
        assert f'id="{name}"' in page
        assert all(run in page for run in names)
        with (site / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
            assert len(list(csv.reader(handle))) > 1
        assert "\\toprule" in (site / "data" / f"{name}.tex").read_text(encoding="utf-8")
    assert all(known[name] for name in known if not name.startswith("lengths"))
    for word in ("http://", "https://", "@import", "src="):
        assert word not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_site_has_the_papers_own_tables_and_a_row_for_every_run(site: Path) -> None:
    def rows(name: str) -> list[dict[str, str]]:
        with (site / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
            return list(csv.DictReader(handle))

    (name,) = (path.stem for path in (site / "data").glob("zero-shot-*.csv"))
    assert {(row["Model"], row["Set"]) for row in rows(name)} == {
        (model, one) for model in ("baseline:random", "baseline:longest")
        for one in ("orig", "semt", "ours")
    }  # fmt: skip
    known = json.loads((site / "data" / "runs.json").read_text(encoding="utf-8"))
    listed = [row["Run"] for row in rows("runs")]
    assert set(listed) == {run for names in known.values() for run in names}
    page = (site / "index.html").read_text(encoding="utf-8")
    for run in listed:
        assert f'<tr id="run-{run}">' in page
        assert f'<a href="#run-{run}">' in page
    assert {row["Run"] for row in rows("deltas")} < set(listed)


def test_a_damaged_run_does_not_keep_the_others_from_the_site(
    ws: Workspace, scp: str, tmp_path: Path
) -> None:
    good, bad = asked(ws, scp), asked(ws, scp, "baseline:longest")
    later = frozen(ws, "p-2", [varied(n) for n in range(40, 64)])
    new = asked(ws, later, "baseline:longest")
    (runs.folder_of(ws, bad).path / "shard-000.jsonl").write_bytes(b"{torn\n{}\n")
    report_site.site(ws, tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert f"“{bad}” is excluded" in page
    assert str(ws.place.folder) not in page
    assert f'id="run-{good}"' in page
    assert f'id="run-{bad}"' not in page
    expire(ws, scp)
    found = analyze.rugged(ws, [new], [], shipped_pairs())
    assert found.models[0].scores["rs1"].value is None
    assert any(bad in note for note in found.notes)


def test_a_figure_without_a_point_is_left_out(ws: Workspace, rewrites: str, tmp_path: Path) -> None:
    asked(ws, rewrites)
    made = report_site.site(ws, tmp_path / "site")
    assert "data/rugged.csv" in made.files
    assert not [name for name in made.files if name.startswith("data/accuracy-")]


def test_a_site_of_cif_bench_has_its_categories(ws: Workspace, tmp_path: Path) -> None:
    sample = family("instruction").sample("triplet")
    contents = [
        replace(sample, domain=f"cif-{task}", payload={**sample.payload, "input": f"第{task}句话"})
        for task in (41, 44, 45)
    ]
    asked(ws, frozen(ws, "cif", contents), model="<b>模型</b>")
    report_site.site(ws, tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    with (tmp_path / "site/data/categories-00-cif.csv").open(encoding="utf-8") as handle:
        (row,) = csv.DictReader(handle)
    assert row["Model"] == "<b>模型</b>"
    assert row["Overall"]
    assert row["Sentiment"]
    assert "&lt;b&gt;模型&lt;/b&gt;" in page
    assert "<b>" not in page


def test_every_figure_is_xml_with_a_title_and_a_text_alternative(site: Path) -> None:
    figures = list((site / "data").glob("*.svg"))
    assert {"periods.svg", "delta1.svg", "delta2.svg"} <= {path.name for path in figures}
    for path in figures:
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        texts = [child.text for child in root if child.tag.endswith(("title", "desc"))]
        assert len(texts) == 2
        assert all(texts)
        assert root.get("role") == "img"


def test_a_site_is_written_over_an_earlier_one_and_over_nobody_elses_page(
    ws: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "网站"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    report_site.site(ws, folder)
    report_site.site(ws, folder)
    assert (folder / "notes.txt").read_text(encoding="utf-8") == "mine"
    (folder / "index.html").write_text("<h1>somebody's page</h1>", encoding="utf-8")
    with pytest.raises(InputError, match="another folder"):
        report_site.site(ws, folder)
    assert "somebody" in (folder / "index.html").read_text(encoding="utf-8")


def test_public_scores_that_the_workspace_keeps_are_compared_with(
    ws: Workspace, scp: str, benchseal: "Call", tmp_path: Path
) -> None:
    run = asked(ws, scp)
    path = tmp_path / "open.csv"
    path.write_text("model,domain,accuracy\nbaseline:random,cs,0.9\n", encoding="utf-16")
    kept = public_score_files.add(ws, path)
    (row,) = benchseal("analyze", "rs", "--private", run)["models"]
    assert row["rs1"] is not None
    assert kept.name in row["runs"]
    made = report_site.site(ws, tmp_path / "site")
    assert "data/accuracy-rs1.svg" in made.files
    for name, text in (("none.csv", "model,set,domain,accuracy\na,private,cs,0.5\n"),
                       ("other.txt", "x"), ("no.json", "{}")):  # fmt: skip
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(InputError):
            public_score_files.add(ws, tmp_path / name)
    assert len(public_score_files.stored_files(ws)) == 1


def test_a_correlation_without_any_evaluation_says_what_to_do(benchseal: "Call") -> None:
    assert "Evaluate a model first" in benchseal("analyze", "correlate", code=1)


def test_a_site_of_an_empty_workspace_says_so(ws: Workspace, tmp_path: Path) -> None:
    made = report_site.site(ws, tmp_path / "site")
    assert "Nothing to report yet." in made.page.read_text(encoding="utf-8")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="Could not write the report to"):
        report_site.site(ws, tmp_path / "file")


SORTING = """
<script>
const buttons = document.querySelectorAll("#rugged th button");
buttons[5].click();
const numbers = () => [...document.querySelectorAll("#rugged tbody tr")]
  .map(row => Number(row.cells[5].dataset.value));
const up = numbers();
buttons[5].click();
const down = numbers();
document.title = JSON.stringify({up, down, sort: buttons[5].parentElement.ariaSort});
</script>
"""


@pytest.mark.slow
def test_the_page_opens_from_disk_and_sorts_without_network(site: Path) -> None:
    browser = which("chromium") or which("chromium-browser") or which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed here to open the page with")
    page = (site / "index.html").read_text(encoding="utf-8")
    tried = site / "tried.html"
    tried.write_text(page.replace("</body>", SORTING + "</body>"), encoding="utf-8")
    shown = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu",
         "--host-resolver-rules=MAP * ~NOTFOUND",
         f"--user-data-dir={site / 'profile'}", "--dump-dom", tried.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip
    found = json.loads(shown.partition("<title>")[2].partition("</title>")[0])
    assert found["up"] == sorted(found["up"])
    assert found["down"] == sorted(found["up"], reverse=True)
    assert found["sort"] == "descending"
    assert len(found["up"]) == 2


Call = Callable[..., Any]


@pytest.fixture
def benchseal(ws: Workspace, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command; its JSON document, or what it complained where ``code`` is not 0."""

    def call(*words: object, code: int = 0) -> Any:
        found = main(["--workspace", str(ws.place.folder), *map(str, words), "--json"])
        out, err = capsys.readouterr()
        assert found == code, err
        return json.loads(out) if code == 0 else err

    return call


def test_every_analysis_is_a_command_with_json(
    ws: Workspace, scp: str, rewrites: str, benchseal: Call, tmp_path: Path
) -> None:
    one, two = asked(ws, scp), asked(ws, scp, "baseline:longest")
    rewritten = asked(ws, rewrites)
    rs = benchseal("analyze", "rs", "--private", one, two, "--resamples", 50)
    assert [row["rs1"] for row in rs["models"]] == [None, None]
    assert all(row["rs1_reason"] and row["rs2"] is not None for row in rs["models"])
    assert len(benchseal("analyze", "items", scp)["items"]) == 24
    assert benchseal("analyze", "lengths", scp)["domains"]["cloze"]
    assert benchseal("analyze", "correlate", one, two)["correlations"][0]["reason"]
    assert benchseal("analyze", "coreeval", rewritten)["zero_shot"][0]["f1"]["orig"]["AVG"] >= 0
    assert "CIF-Bench" in benchseal("analyze", "cif", one, code=1)
    assert benchseal("report", "site", "--out", tmp_path / "out")["files"][0] == "index.html"
    assert "--out" in benchseal("report", "site", code=2)
    assert "all finished" in benchseal("report", "site", one, "--out", tmp_path / "o", code=2)
    assert "--private" in benchseal("analyze", "rs", code=2)


def test_a_table_needs_no_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHSEAL_WORKSPACE", str(tmp_path / "none"))
    path = tmp_path / "t.csv"
    path.write_text(
        "model,set,domain,accuracy,n\nA,private,CS,0.4,99\nA,private,Math,0.6,99\n"
        "A,public,CS,0.8,99\nA,public,Math,0.6,99\n",
        encoding="utf-8",
    )
    assert main(["analyze", "rs", "--table", str(path), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["models"]
    assert row["rs1"] == pytest.approx(1 / 3)
    assert row["rs1_low"] < row["rs1"] < row["rs1_high"]
    assert row["rs1_relative"] is None
    assert "two or more models" in row["rs1_relative_reason"]
    assert row["rs2"] == pytest.approx(0.141421, abs=1e-6)
    assert row["rs2_normalised"] == pytest.approx(0.282843, abs=1e-6)
    for style in ("--csv", "--latex"):
        assert main(["analyze", "rs", "--table", str(path), style]) == 0
        assert "RS II" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["--param", "rank"], ["--param", "colour=red"], ["--param", "rank=-1"],
        ["--proportions", "a"], ["--test", "x"],
    ],
)  # fmt: skip
def test_a_simulation_with_a_wrong_argument_is_a_usage_error(
    benchseal: Call, words: list[str]
) -> None:
    complaint = benchseal("simulate", "--task", "emotion", "--base-model", "none", *words, code=2)
    assert complaint.count("\n") == 1
