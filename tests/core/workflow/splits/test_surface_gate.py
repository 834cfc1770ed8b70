"""The surface gate: shallow solvers beside every score, said first where one beats chance."""

import json
import re
from dataclasses import replace

import pytest

from core.cli import main
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import keys_of
from core.i18n import set_language
from core.workflow.analysis import leaderboard, report_site
from core.workflow.people import ensure_person
from core.workflow.splits import freeze, surface_gate
from core.workflow.workspace import Workspace
from tests.finished_runs import finished_run
from tests.splits import freeze_split, leaking_items


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    """Cached by file: one database will do."""
    return sqlite_ws


def _evaluated(ws: Workspace, *, near: bool) -> str:
    ensure_person(ws, "Li", "lead")
    freeze_split(ws, {"t": leaking_items(120, near=near)})
    keys = keys_of(freeze.members_of(ws, "s"))
    rows = [{"id": key.id, "text": key.answer} for key in keys]
    params = EvaluateParams(engine="openai", model="m", split="s")
    return finished_run(ws, "evaluate", params, rows)


@pytest.fixture
def leaking(ws: Workspace) -> str:
    """A run on a split whose right options repeat their contexts."""
    return _evaluated(ws, near=True)


def test_a_split_that_the_context_gives_away_says_so_first(ws, leaking, capsys):
    gate = surface_gate.surface_gate(ws, "s")
    best = gate.above[0]
    assert best.kind == "prediction"
    assert best.accuracy > 0.9 > 0.25 == best.chance
    capsys.readouterr()
    assert main(["--workspace", str(ws.place.folder), "report", leaking]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert "shallow solvers" in printed[0]
    assert "chance is 25.0%" in printed[0]
    assert f"[{100 * best.all_low:.1f}, {100 * best.all_high:.1f}]" in printed[0]
    solvers = len(gate.solvers)
    (said,) = [line for line in printed[1:] if "the strongest of" in line]
    assert f"the strongest of {solvers} shallow solvers" in said
    assert f"[{100 * best.all_low:.1f}, " in said
    assert best.all_low < best.low
    board = leaderboard.read(ws, leaderboard.LeaderboardRequest("s"))
    assert board.dashboard.sentence.startswith("A shallow solver reaches")
    assert any("shallow solvers" in note for note in board.table().notes)


def test_a_sound_split_has_the_figures_and_no_warning(ws, capsys):
    run = _evaluated(ws, near=False)
    gate = surface_gate.surface_gate(ws, "s")
    assert surface_gate.warning(gate) == ""
    assert all(s.all_low is not None and s.all_low <= s.chance for s in gate.solvers)
    table = surface_gate.surface_table(gate)
    shown = sorted((row[3], row[4]) for row in table.rows)  # the intervals that decide
    assert shown == sorted((100 * s.all_low, 100 * s.all_high) for s in gate.solvers)
    capsys.readouterr()
    main(["--workspace", str(ws.place.folder), "report", run, "--json"])
    surface = json.loads(capsys.readouterr().out)["surface"]
    assert surface["clean"]
    assert len(surface["solvers"]) == len(gate.solvers) > 5
    assert {"accuracy", "low", "high", "chance"} <= surface["solvers"][0].keys()


def test_what_makes_a_solvers_interval_rough_stands_beside_it(ws, leaking):
    gate = surface_gate.surface_gate(ws, "s")
    rough = replace(gate, solvers=tuple(replace(s, caution="few items: 9") for s in gate.solvers))
    assert surface_gate.warning(rough).endswith("(few items: 9)")
    assert all(line.endswith("(few items: 9)") for line in surface_gate.strongest_lines(rough))


def test_in_chinese_no_kind_no_solver_and_no_remark_is_english(ws, leaking):
    # the same split was audited in English before
    one = surface_gate.surface_gate(ws, "s").strongest[0]
    set_language("zh")
    gate = surface_gate.surface_gate(ws, "s")
    assert (gate.strongest[0].kind, gate.strongest[0].accuracy) == (one.kind, one.accuracy)
    few = replace(gate, too_few={"cloze": 3, "sequencing": 1})
    lines = [surface_gate.warning(gate), *surface_gate.strongest_lines(few)]
    lines += [str(cell) for row in surface_gate.surface_table(gate).rows for cell in row]
    lines += [solver.caution for solver in gate.solvers]
    assert [text for text in lines if re.search("[a-z]{2,}", text)] == []


def test_the_html_report_has_the_table_and_the_warning(ws, leaking, tmp_path):
    site = report_site.site(ws, tmp_path / "site")
    page = site.page.read_text(encoding="utf-8")
    assert page.index("can be answered in part without its questions") < page.index("<nav>")
    assert any(name.startswith("data/surface-") for name in site.files)
    # the scores come first, and each table says what its columns are
    assert page.index('<section id="domain-') < page.index('<section id="surface-')
    assert "is the standard error" in page
    assert "A shallow solver answers by one cue" in page


def test_the_audit_is_kept_by_the_digest_and_names_no_item(ws, leaking):
    surface_gate.surface_gate(ws, "s")
    (kept,) = (ws.place.folder / "cache" / "surface").iterdir()
    text = kept.read_text(encoding="utf-8")
    assert "word1" not in text
    document = json.loads(text)
    document["solvers"][0]["accuracy"] = 0.125
    kept.write_text(json.dumps(document), encoding="utf-8")
    assert surface_gate.surface_gate(ws, "s").solvers[0].accuracy == 0.125
    kept.write_text("{", encoding="utf-8")
    assert surface_gate.surface_gate(ws, "s").above


def test_few_items_are_said_to_be_too_few(ws):
    freeze_split(ws, {"t": leaking_items(12)})
    gate = surface_gate.surface_gate(ws, "s")
    assert gate.solvers == ()
    assert surface_gate.warning(gate) == ""
    assert "12 items are too few" in surface_gate.notes(gate)[0]
