"""Screening drafts from the window."""

from core.cli.demo.fake_model import stand_in_server
from core.workflow import tasks
from core.workflow.check import screen
from core.workflow.items import state_counts
from core.workflow.production import write
from core.workflow.workspace import Workspace
from gui.dialogs.screening import ScreeningDialog
from tests.gui.scene import BENCHMARK, LEAD, SECOND, Scene, bench_of
from tests.gui.stages_workspace import triplet
from tests.servers.model_server import LoopbackModel


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
        scene.until(lambda: state_counts.counts(ws, BENCHMARK)["draft"] == 0)
        scene.until(lambda: state_counts.counts(ws, BENCHMARK)["screening"] == 0)
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
    assert state_counts.counts(bench.context.workspace, BENCHMARK)["screening"] == 0


def test_only_leads_and_researchers_start_screenings(scene: Scene, small_place):
    bench = bench_of(scene.open(small_place, SECOND))
    assert "screen" not in bench.actions_.bound()
    assert "task" in bench.actions_.bound()


def test_how_many_items_leave_the_review_queue_is_said_before(scene: Scene, fresh):
    ws = Workspace.open(fresh)
    tasks.add(ws, "gated", "instruction", benchmark=BENCHMARK, format="triplet",
              protocol={"gate": "optional"})  # fmt: skip
    # written by who opens the window, whose review therefore claims none of them meanwhile
    for number in range(3):
        write.submit(ws, LEAD, "gated", triplet(f"第{number}封信"))
    tasks.add(ws, "strict", "instruction", benchmark=BENCHMARK, format="triplet",
              protocol={"gate": "required"})  # fmt: skip
    write.submit(ws, LEAD, "strict", triplet("雨天"))
    ws.close()
    bench = bench_of(scene.open(fresh))
    bench.open_screening()
    sheet = bench.findChild(ScreeningDialog)
    scene.until(lambda: "4 drafts" in sheet.says.text())
    assert "3 of them leave the review queue until the screening ends" in sheet.says.text()


def test_a_server_counts_as_usable_only_after_it_answered(scene: Scene, small_place):
    bench = bench_of(scene.open(small_place))
    bench.open_screening()
    sheet = bench.findChild(ScreeningDialog)
    test = sheet.server_test
    assert not test.button.isEnabled()
    with LoopbackModel() as model:
        sheet.server.setText(model.url)
        sheet.model.setText("m")
        assert "✓" not in test.says.text()
        test.button.click()
        scene.until(lambda: test.says.text() not in ("", "Asking the server…"))
        assert "✓" in test.says.text()
        assert "answered in" in test.says.text()
        sheet.model.setText("another")
        assert test.says.text() == ""
        gone = model.url
    sheet.server.setText(gone)
    test.button.click()
    scene.until(lambda: gone in test.says.text())
    assert "✓" not in test.says.text()
