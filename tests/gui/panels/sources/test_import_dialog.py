"""Importing from the window: a file is looked at, mapped, and every row accounted for."""

from PySide6.QtWidgets import QComboBox

from gui.panels.sources.import_dialog import ImportDialog
from gui.window.main_window import MainWindow
from tests.gui.scene import BENCHMARK, LEAD, Scene
from tests.gui.stages_workspace import (
    TITLES,
    states,
)


def sheet_of(scene: Scene, window: MainWindow) -> ImportDialog:
    panel = scene.at(window, "sources")
    panel.open_import()
    sheet = window.findChild(ImportDialog)
    assert sheet is not None
    scene.until(lambda: not window.tasks.busy)
    return sheet


def test_a_file_is_looked_at_mapped_and_imported_with_every_row_accounted_for(
    scene, fresh, tmp_path
):
    path = tmp_path / "题目.csv"
    lines = ["问题,答案,说明", "第一题,甲,请回答。", "第二题,,请回答。", "第一题,甲,请回答。"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.benchmark.setText(BENCHMARK)
    sheet.task.setCurrentText(TITLES)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    for field, source in (("instruction", "说明"), ("input", "问题"), ("output", "答案")):
        boxes = (box for box in sheet.findChildren(QComboBox) if box.accessibleName() == field)
        next(boxes).setCurrentText(source)
    assert sheet.import_button.isEnabled()
    sheet.check()
    scene.until(lambda: not window.tasks.busy)
    assert "3 rows: 1 can be imported, 1 already there, 1 cannot be imported" in sheet.says.text()
    assert states(fresh, TITLES) == {}
    sheet.start()
    scene.until(lambda: not window.tasks.busy)
    assert "3 rows: 1 imported" in sheet.says.text()
    assert states(fresh, TITLES) == {"draft": 1}
    assert sheet.model.rowCount() == 2
    sheet.close()


def test_a_file_that_is_no_table_is_refused_in_words(scene, fresh, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\x00\x01\xff")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert "x.jsonl" in sheet.says.text()
    assert not sheet.import_button.isEnabled()
    sheet.close()


def test_a_sheet_of_a_workbook_is_chosen_by_its_name(scene, fresh, tmp_path):
    import pandas as pd

    path = tmp_path / "题目.xlsx"
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        for name in ("甲", "乙"):
            rows = pd.DataFrame({"input": [f"题 {name}"], "output": ["答"]})
            rows.to_excel(book, sheet_name=name, index=False)
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert "several sheets: 甲, 乙" in sheet.says.text()
    sheet.sheet.setText("乙")
    sheet.sheet.editingFinished.emit()
    scene.until(lambda: not window.tasks.busy)
    assert sheet.model.rowCount() == 1
    assert sheet.order().sheet == "乙"
    sheet.close()
