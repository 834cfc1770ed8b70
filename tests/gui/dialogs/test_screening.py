"""Screening drafts from the window."""

from core.cli.demo.fake_model import stand_in_server
from core.workflow.check import screen
from core.workflow.items import history
from gui.dialogs.screening import ScreeningDialog
from tests.gui.scene import BENCHMARK, SECOND, Scene, bench_of


def test_drafts_are_screened_from_the_window_and_go_to_review(scene: Scene, small_place):
    window = scene.open(small_place)
    bench = bench_of(window)
    ws = bench.context.workspace
    with stand_in_server() as address:
        bench.open_screening()
        sheet = bench.findChild(ScreeningDialog)
        scene.until(lambda: "drafts" in sheet.says.text())
        assert not sheet.run_button.isEnabled()
        sheet.server.setText(address)
        sheet.model.setText("stand-in")
        assert sheet.run_button.isEnabled()
        sheet.run_button.click()
        scene.until(lambda: bench.front == "runs")
        scene.until(lambda: history.counts(ws, BENCHMARK)["draft"] == 0)
        scene.until(lambda: history.counts(ws, BENCHMARK)["screening"] == 0)
    again = screen.plan(ws, BENCHMARK)
    assert (again.base_url, again.model) == (address, "stand-in")


def test_a_server_that_is_none_is_said_and_the_drafts_stay(scene: Scene, small_place):
    window = scene.open(small_place)
    bench = bench_of(window)
    bench.open_screening()
    sheet = bench.findChild(ScreeningDialog)
    scene.until(lambda: "drafts" in sheet.says.text())
    sheet.server.setText("no address")
    sheet.model.setText("m")
    sheet.run_button.click()
    scene.until(lambda: bool(sheet.trouble.text()))
    assert history.counts(bench.context.workspace, BENCHMARK)["screening"] == 0


def test_only_leads_and_researchers_start_screenings(scene: Scene, small_place):
    bench = bench_of(scene.open(small_place, SECOND))
    assert "screen" not in bench.actions_.bound()
    assert "task" in bench.actions_.bound()
