"""Importing from the window: a file is looked at, mapped, and every row accounted for."""

import openpyxl
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from core.families.shared_source import source_of
from core.workflow import tasks
from core.workflow.items import history, search
from core.workflow.workspace import Workspace
from gui.panels.sources.import_dialog import ImportDialog
from gui.window.main_window import MainWindow
from tests.gui.scene import BENCHMARK, LEAD, Scene, bench_of
from tests.gui.stages_workspace import (
    MOODS,
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


def field(sheet: ImportDialog, name: str) -> QComboBox:
    return next(box for box in sheet.findChildren(QComboBox) if box.accessibleName() == name)


def opened(scene: Scene, window: MainWindow, path) -> ImportDialog:
    """The import dialog with a file in it, given by keys."""
    sheet = sheet_of(scene, window)
    QTest.keyClicks(sheet.focusWidget(), str(path))
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: not window.tasks.busy)
    return sheet


def test_a_file_is_looked_at_mapped_and_imported_with_every_row_accounted_for(
    scene, fresh, tmp_path
):
    path = tmp_path / "rows.csv"
    lines = ["问题,答案,说明", "第一题,甲,请回答。", "第二题,,请回答。", "第一题,甲,请回答。"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.benchmark.setText(BENCHMARK)
    sheet.task.setCurrentText(TITLES)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert "3 columns are kept" not in sheet.kept.text()
    for name, source in (("Instruction", "说明"), ("Input", "问题"), ("Output", "答案")):
        field(sheet, name).setCurrentText(source)
    sheet.look()
    scene.until(lambda: not window.tasks.busy)
    assert "3 rows: 1 can be imported, 0 already there, 1 cannot be imported" in sheet.says.text()
    assert "1 row repeats an earlier row" in sheet.says.text()
    assert states(fresh, TITLES) == {}
    assert sheet.problems.rowCount() == 2
    sheet.start()
    scene.until(lambda: not window.tasks.busy)
    assert "3 rows: 1 imported" in sheet.says.text()
    assert states(fresh, TITLES) == {"draft": 1}
    sheet.close()


def test_what_is_wrong_is_said_before_the_import_with_rows_and_kept_columns(scene, fresh, tmp_path):
    path = tmp_path / "moods.csv"
    lines = ["instruction,input,output,label,id", "判断情感。,好极了,正面,正面,1",
             "判断情感。,差极了,坏,坏,2", "判断情感。,,负面,负面,3"]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.task.setCurrentText(MOODS)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert sheet.kept.text() == "1 column is kept beside the items: id (3)."
    rows = [
        tuple(sheet.problems.index(row, column).data() for column in range(3))
        for row in range(sheet.problems.rowCount())
    ]
    assert ("1", "3", "“坏” is not in the label space.") in rows
    assert ("1", "4", "“input” is empty.") in rows
    sheet.leave_out.click()
    scene.until(lambda: not window.tasks.busy)
    assert sheet.kept.text() == "1 column is left out: id (3)."
    assert states(fresh, MOODS) == {}
    sheet.close()


def test_a_multiple_choice_file_is_recognised_and_keeps_its_options(scene, fresh, tmp_path):
    path = tmp_path / "mmlu.csv"
    rows = ["question,A,B,C,D,answer", "Two and two?,3,4,5,6,B", "Three and one?,4,5,6,7,A"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = opened(scene, window, path)
    assert "multiple choice" in sheet.family.currentText()
    assert "2 rows: 2 can be imported" in sheet.says.text()
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: not window.tasks.busy)
    assert "2 rows: 2 imported" in sheet.says.text()
    assert states(fresh, "mmlu") == {"draft": 2}
    sheet.close()


def test_options_in_several_columns_are_joined_as_the_window_says(scene, fresh, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("wobei,links,rechts,ja\nIst es so?,so,anders,so\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = opened(scene, window, path)
    place = next(n for n in range(sheet.family.count()) if sheet.family.itemData(n)[0] == "choice")
    sheet.family.setCurrentIndex(place)
    sheet.look()
    scene.until(lambda: not window.tasks.busy)
    assert "type + and the name of the next" in sheet.says.text()
    field(sheet, "Options (A, B, C, …)").setCurrentText("links+rechts")
    assert "type +" not in sheet.says.text()
    sheet.close()


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("rows.csv", "下雨,0\n天晴,1\n刮风,0\n", True),
        ("rows.jsonl", '{"good": "a", "bad": "b"}', False),
    ],
)
def test_a_first_row_is_doubted_only_where_it_names_columns(
    scene, fresh, tmp_path, name, text, named
):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    sheet = opened(scene, scene.open(fresh, LEAD), path)
    assert "Choose the column for: Instruction, Output" in sheet.says.text()
    assert ("first line looks like a row" in sheet.says.text()) is named
    sheet.close()


def test_a_file_that_is_no_table_is_refused_in_words(scene, fresh, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\x00\x01\xff")
    window = scene.open(fresh, LEAD)
    sheet = opened(scene, window, path)
    assert "x.jsonl" in sheet.says.text()
    assert not sheet.import_button.isEnabled()
    assert sheet.focusWidget() is sheet.path
    sheet.close()


def test_a_task_that_nobody_named_is_named_after_the_file_that_is_read(scene, fresh, tmp_path):
    wrong, path = tmp_path / "wrong.csv", tmp_path / "moods.csv"
    wrong.write_bytes(b"")
    path.write_text("instruction,input,output\nName the mood.,A film,dull\n", encoding="utf-8")
    sheet = opened(scene, scene.open(fresh, LEAD), wrong)
    assert "is empty" in sheet.says.text()
    for name, task in (("", "moods"), ("mine", "mine")):
        if name:
            sheet.task.setCurrentText(name)
        sheet.path.setFocus()
        sheet.path.selectAll()
        QTest.keyClicks(sheet.path, str(path))
        QTest.keyClick(sheet.path, Qt.Key.Key_Return)
        scene.until(lambda: "1 can be imported" in sheet.says.text())
        assert sheet.task.currentText() == task
    sheet.close()


def test_a_file_in_which_every_item_asks_the_same_wants_the_column_of_the_input(
    scene, fresh, tmp_path
):
    path = tmp_path / "gauges.csv"
    rows = [f"Say what it is.,Gauge {n} below the old bridge.,river {n}\n" for n in range(3)]
    path.write_text("".join(["instruction,scene,output\n", *rows]), encoding="utf-8")
    sheet = opened(scene, scene.open(fresh, LEAD), path)
    assert "Every item would ask the same" in sheet.says.text()
    focused = sheet.focusWidget()
    assert focused is not None
    assert focused is field(sheet, "Input") or focused.parent() is field(sheet, "Input")
    sheet.close()


def test_a_workbook_offers_its_sheets_and_reads_the_first(scene, fresh, tmp_path):
    import pandas as pd

    path = tmp_path / "题目.xlsx"
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        for name in ("甲", "乙"):
            rows = pd.DataFrame({"input": [f"题 {name}"], "output": ["答"], "instruction": ["问"]})
            rows.to_excel(book, sheet_name=name, index=False)
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert [sheet.sheet.itemText(place) for place in range(sheet.sheet.count())] == ["甲", "乙"]
    assert sheet.order().sheet == "甲"
    assert sheet.sheet.isVisible()
    sheet.sheet.setCurrentText("乙")
    sheet.look()
    scene.until(lambda: not window.tasks.busy)
    assert sheet.model.index(0, 0).data() == "题 乙"
    sheet.start()
    scene.until(lambda: not window.tasks.busy)
    assert "1 row: 1 imported" in sheet.says.text()
    sheet.close()


def test_of_a_workbook_with_a_page_of_words_the_sheet_of_rows_is_read(scene, fresh, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["A long title of what this workbook has been collected for in March"])
    book.active.append(["Ask before use"])
    rows = book.create_sheet("rows")
    rows.append(["Tweet text", "sentiment"])
    for number in range(6):
        rows.append(
            [
                f"The train number {number} was late again, and nobody said why.",
                ("good", "bad")[number % 2],
            ]
        )
    book.save(tmp_path / "tweets.xlsx")
    sheet = opened(scene, scene.open(fresh, LEAD), tmp_path / "tweets.xlsx")
    assert sheet.order().sheet == "rows"
    assert "Choose the column for: Instruction." in sheet.says.text()
    QTest.keyClicks(sheet.focusWidget(), "=Name the mood.")
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: sheet.import_button.isEnabled())
    assert "6 rows: 6 can be imported" in sheet.says.text()
    sheet.sheet.setCurrentIndex(0)
    sheet.sheet.activated.emit(0)
    scene.until(lambda: sheet.order().sheet != "rows" and not scene.windows[-1].tasks.busy)
    box = field(sheet, "Instruction")
    room = box.parentWidget().parentWidget()
    assert box.mapTo(room, box.rect().topRight()).x() < room.width()
    sheet.close()


def test_columns_that_a_field_takes_are_not_among_those_beside_the_items(scene, fresh, tmp_path):
    path = tmp_path / "cities.csv"
    rows = ["question,options,answer,source", *(f"Town {n}?,a;b;c, A,book" for n in range(4))]
    path.write_text("\n".join([*rows, "Town 1?,a;b;c,A,web"]) + "\n", encoding="utf-8")
    sheet = opened(scene, scene.open(fresh, LEAD), path)
    assert sheet.kept.text() == "1 column is kept beside the items: source (4)."
    sheet.leave_out.click()
    scene.until(lambda: "left out" in sheet.kept.text())
    assert "4 can be imported" in sheet.says.text()
    sheet.close()


def test_other_names_of_columns_are_mapped_by_hand_and_another_type_has_its_own_fields(
    scene, fresh, tmp_path
):
    path = tmp_path / "qa.csv"
    path.write_text("q,a\nWho wrote it?,Ann\nWho read it?,Bob\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = opened(scene, window, path)
    assert "Choose the column for: Instruction, Output" in sheet.says.text()
    assert field(sheet, "Instruction").isAncestorOf(sheet.focusWidget()) or (
        sheet.focusWidget() is field(sheet, "Instruction")
    )
    field(sheet, "Instruction").setCurrentText("=Answer in one word.")
    field(sheet, "Input").setCurrentText("q")
    field(sheet, "Output").setCurrentText("a")
    sheet.look()
    scene.until(lambda: not window.tasks.busy)
    assert "2 rows: 2 can be imported" in sheet.says.text()
    place = next(n for n in range(sheet.family.count()) if sheet.family.itemData(n)[0] == "answer")
    sheet.family.setCurrentIndex(place)
    sheet.look()
    scene.until(lambda: not window.tasks.busy)
    assert [box for box in sheet.findChildren(QComboBox) if box.accessibleName() == "Output"] == []
    sheet.close()


def test_what_one_types_into_a_field_of_the_mapping_goes_there(scene, fresh, tmp_path):
    path = tmp_path / "qa.csv"
    path.write_text("q,a\nWho wrote it?,Ann\nWho read it?,Bob\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = opened(scene, window, path)
    for name, text in (("Instruction", "=Answer in one word."), ("Input", "q"), ("Output", "a")):
        for letter in text:  # each goes to what has the focus then
            QTest.keyClicks(sheet.focusWidget(), letter)
        assert field(sheet, name).currentText() == text
        QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Tab)
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: "2 rows: 2 can be imported" in sheet.says.text())
    sheet.close()


def test_an_existing_task_is_preset_and_its_language_kept(scene, tmp_path):
    place = tmp_path / "one"
    ws = Workspace.create(place, LEAD)
    tasks.add(ws, "moods", "instruction", benchmark=BENCHMARK, language="en")
    ws.close()
    window = scene.open(place, LEAD)
    sheet = sheet_of(scene, window)
    assert sheet.task.currentText() == "moods"
    path = tmp_path / "rows.csv"
    path.write_text("instruction,input,output\nName the mood.,A film,dull\n", encoding="utf-8")
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert sheet.language.code == "en"
    assert "defect" not in sheet.says.text()
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: not window.tasks.busy)
    assert sheet.focusWidget() is sheet.review_button
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: bench_of(window).front == "review" and not window.tasks.busy)
    assert bench_of(window).panel("review").queue.current.card.number == 1


def test_questions_with_options_are_recognised_and_keep_what_no_field_takes(scene, fresh, tmp_path):
    path = tmp_path / "agronomy.csv"
    lines = [
        ",Question,A,B,C,D,Answer",
        "0,肉质较好的部位是,胸,腹,大腿,小腿,C",
        "1,卵生的是,鸭,牛,羊,马,A",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.benchmark.setText(BENCHMARK)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert field(sheet, "Options (A, B, C, …)").currentText() == "A+B+C+D"
    assert sheet.kept.text() == "1 column is kept beside the items: column 1 (2)."
    assert "2 rows: 2 can be imported" in sheet.says.text()
    sheet.start()
    scene.until(lambda: not window.tasks.busy)
    assert states(fresh, "agronomy") == {"draft": 2}
    sheet.close()


def test_names_of_merged_cells_are_asked_for_as_on_the_command_line(scene, fresh, tmp_path):
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for cells in (
        ["texts", "", "", "by"],
        ["what", "why", "reply", ""],
        ["Is it?", "So.", "no", 1],
    ):
        page.append(cells)
    page.merge_cells("A1:C1")
    book.save(tmp_path / "title.xlsx")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.open_path(str(tmp_path / "title.xlsx"))
    scene.until(lambda: not window.tasks.busy)
    assert "is empty in column 2, column 3" in sheet.says.text()
    assert "was read as the names" not in sheet.says.text()
    sheet.close()


def test_a_column_without_a_name_is_called_in_the_language_of_the_window(scene, fresh, tmp_path):
    path = tmp_path / "moods.csv"
    path.write_text("题目,,答案\n天气如何?,甲,晴\n风大吗?,乙,大\n", encoding="utf-8")
    window = scene.open(fresh, LEAD, language="zh")
    sheet = sheet_of(scene, window)
    sheet.benchmark.setText(BENCHMARK)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    head = Qt.Orientation.Horizontal
    titles = [sheet.model.headerData(at, head) for at in range(sheet.model.columnCount())]
    assert "第 2 列" in titles
    assert "第 2 列（2）" in sheet.kept.text()
    box = next(box for box in sheet.findChildren(QComboBox) if box.findText("第 2 列") > 0)
    box.setCurrentText("题目+第 2 列")
    assert "题目+column 2" in sheet.order().mapping.values()
    sheet.close()


def of_preset(scene: Scene, place, path) -> ImportDialog:
    """The import dialog as Review opens it, with the task in front, and a file in it."""
    window = scene.open(place, LEAD)
    scene.until(lambda: not window.tasks.busy)
    bench = bench_of(window)
    sheet = ImportDialog(bench.context, bench, MOODS)
    sheet.open()
    scene.until(lambda: not window.tasks.busy)
    QTest.keyClicks(sheet.focusWidget(), str(path))
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: not window.tasks.busy)
    return sheet


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (["question,A,B,C,answer", "What is 1+1?,2,3,4,A", "What is 2+2?,3,4,5,B"], "multiple"),
        (["passage,question,answers", "It rained.,What fell?,rain"], "short answers"),
    ],
)
def test_a_file_that_does_not_suit_the_preset_task_goes_into_a_new_one(
    scene, place, tmp_path, lines, kind
):
    path = tmp_path / "quiz.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sheet = of_preset(scene, place, path)
    assert sheet.task.currentText() == "quiz"
    assert kind in sheet.family.currentText()
    assert f"do not suit the task “{MOODS}”" in sheet.says.text()
    assert "--" not in sheet.says.text()
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: not sheet.window().parent().window().tasks.busy)
    assert states(place, "quiz") == {"draft": len(lines) - 1}
    sheet.close()


def test_a_file_that_suits_the_preset_task_goes_there(scene, place, tmp_path):
    path = tmp_path / "more.csv"
    path.write_text("instruction,input,output\n判断情感。,很好。,正面\n", encoding="utf-8")
    sheet = of_preset(scene, place, path)
    assert sheet.task.currentText() == MOODS
    assert "do not suit" not in sheet.says.text()
    sheet.close()


@pytest.mark.parametrize(
    ("row", "task"),
    [
        ("Name the mood of the review.,The soup was cold and the waiter rude.,negative", "quiz"),
        (
            "Nenne die Stimmung der Kritik.,Die Suppe war kalt und der Kellner grob.,schlecht",
            "quiz",
        ),
        ("判断评论的情感 (sentiment)。,这家店 very good。,正面", MOODS),
    ],
)
def test_a_file_in_another_language_than_the_preset_task_goes_into_a_new_one(
    scene, place, tmp_path, row, task
):
    path = tmp_path / "quiz.csv"
    path.write_text(f"instruction,input,output\n{row}\n", encoding="utf-8")
    sheet = of_preset(scene, place, path)
    assert sheet.task.currentText() == task
    told = f"another language than the items of the task “{MOODS}”" in sheet.says.text()
    assert told is (task == "quiz")
    assert "do not suit" not in sheet.says.text()
    sheet.close()


def test_a_task_that_somebody_chose_stays_whatever_the_file_is(scene, place, tmp_path):
    path = tmp_path / "quiz.csv"
    path.write_text("question,A,B,C,answer\nWhat is 1+1?,2,3,4,A\n", encoding="utf-8")
    window = scene.open(place, LEAD)
    sheet = sheet_of(scene, window)
    sheet.task.setCurrentText(MOODS)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert sheet.task.currentText() == MOODS
    assert "--" not in sheet.says.text()
    sheet.close()


def test_of_a_workbook_the_first_sheet_that_gives_items_is_shown(scene, fresh, tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "说明"
    book.active.append(["本表是情感数据"])
    book.active.append(["请看第二张表"])
    rows = book.create_sheet("评论")
    for row in (["指令", "输入", "输出"], ["判断情感。", "很好。", "正面"]):
        rows.append(row)
    path = tmp_path / "book.xlsx"
    book.save(path)
    sheet = opened(scene, scene.open(fresh, LEAD), path)
    assert sheet.sheet.currentText() == "评论"
    assert "1 row: 1 can be imported" in sheet.says.text()
    sheet.sheet.setCurrentText("说明")
    sheet.sheet.activated.emit(0)
    scene.until(lambda: not sheet.parent().window().tasks.busy)
    assert sheet.sheet.currentText() == "说明"
    sheet.close()


def test_the_column_of_what_rows_share_is_chosen_and_forgotten_with_the_file(
    scene, fresh, tmp_path
):
    names = ("one.csv", "two.csv")
    for name, column in zip(names, ("whence", "other"), strict=True):
        rows = [f"What is number {n}?,a{n},b{n},c{n},d{n},A,text {n % 2}" for n in range(4)]
        head = f"question,a,b,c,d,answer,{column}"
        (tmp_path / name).write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = opened(scene, window, tmp_path / names[0])
    box = field(sheet, "Source that rows share")
    assert box.currentText() == "detect automatically"
    sheet.open_path(str(tmp_path / names[1]))
    scene.until(lambda: not window.tasks.busy)
    sheet.open_path(str(tmp_path / names[0]))
    scene.until(lambda: not window.tasks.busy)
    box = field(sheet, "Source that rows share")
    box.setFocus()
    while box.currentText() != "whence":
        QTest.keyClick(box, Qt.Key.Key_Down)
    scene.until(lambda: not window.tasks.busy)
    sheet.start()
    scene.until(lambda: not window.tasks.busy)
    ws = Workspace.open(fresh)
    numbers = search.numbers(ws, search.Filters(), viewer=LEAD)
    shared = {source_of(history.item_history(ws, n, LEAD).revisions[0].content) for n in numbers}
    ws.close()
    assert shared == {"whence = text 0", "whence = text 1"}


def test_an_old_workbook_is_said_to_be_one(scene, fresh, tmp_path):
    path = tmp_path / "old.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000))
    sheet = opened(scene, scene.open(fresh, LEAD), path)
    assert "Save it as .xlsx or CSV" in sheet.says.text()
    sheet.close()


def test_a_table_without_names_is_told_what_became_of_its_first_row(scene, fresh, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("Who wrote Hamlet?,Shakespeare\nWho wrote Faust?,Goethe\n", encoding="utf-8")
    sheet = opened(scene, scene.open(fresh, LEAD), path)
    assert "The first row was read as the names" in sheet.says.text()
    field(sheet, "Output").setCurrentText("Shakespeare")
    assert "The first row was read as the names" in sheet.says.text()
    sheet.close()


def test_advice_is_not_said_in_the_colour_of_what_is_well(scene, fresh, tmp_path):
    lines = [f'{{"contract": "{"The sluice is kept. " * 40}", "question": "Is {n} due?", '
             f'"answer": "no"}}' for n in range(3)]  # fmt: skip
    path = tmp_path / "contracts.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.benchmark.setText(BENCHMARK)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert "without the long texts in contract" in sheet.says.text()
    assert sheet.says.property("ink") == "return"
    sheet.close()


def test_the_label_space_of_a_file_is_filled_in_and_can_be_left_out(scene, fresh, tmp_path):
    path = tmp_path / "moods.csv"
    lines = [f"It is the text of day {n}.,{'wet' if n % 2 else 'dry'},{n % 3}" for n in range(9)]
    path.write_text("\n".join(["text,label,hour", *lines]), encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = opened(scene, window, path)
    sheet.task.setCurrentText("weather")
    field(sheet, "Instruction").setCurrentText("=How is the day?")
    sheet.look()
    scene.until(lambda: not window.tasks.busy)
    assert field(sheet, "Label space").currentText() == "=dry|wet"
    assert "dry, wet" in sheet.says.text()
    for name in ("Output", "Label"):
        field(sheet, name).setCurrentText("hour")
    sheet.look()
    scene.until(lambda: not window.tasks.busy)
    assert field(sheet, "Label space").currentText() == "=0|1|2"
    field(sheet, "Label space").setCurrentText("")
    sheet.look()
    scene.until(lambda: not window.tasks.busy)
    assert field(sheet, "Label space").currentText() == ""
    assert "label space (labels) was read" not in sheet.says.text()
    sheet.close()


def test_the_sheets_that_an_import_does_not_read_are_named_before_and_after_it(
    scene, fresh, tmp_path
):
    # the second sheet of a workbook was forgotten: nothing said that one of two was imported
    book = openpyxl.Workbook()
    for number, name in enumerate(("情感", "改写")):
        rows = book.create_sheet(name, number)
        rows.append(["指令", "输入", "输出"])
        rows.append([f"判断情感{name}。", "这部片子节奏拖沓。", "负面"])
    book.remove(book["Sheet"])
    path = tmp_path / "items.xlsx"
    book.save(path)
    window = scene.open(fresh, LEAD)
    sheet = opened(scene, window, path)
    assert "1 other sheet is not part of this import: 改写." in sheet.says.text()
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: not window.tasks.busy)
    assert "1 row: 1 imported" in sheet.says.text()
    assert "1 other sheet is not part of this import: 改写." in sheet.says.text()
