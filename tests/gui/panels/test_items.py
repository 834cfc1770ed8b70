"""Items: finding, changing many at once, and the life of one, in the window."""

import json
import threading

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest

from core.i18n import set_language
from core.workflow.evaluation import errata
from core.workflow.items import history, search
from core.workflow.items.search import FilterChoices, Filters
from core.workflow.production import import_items
from core.workflow.production.import_items import ImportOrder
from core.workflow.workspace import Workspace
from gui import theme
from gui.dialogs.bulk import BulkDialog
from gui.dialogs.confirm import ConfirmDialog
from gui.dialogs.item_history import ItemHistoryDialog
from gui.panels.items.filter_chips import chips_of, without
from gui.panels.items.filter_dialog import FilterDialog
from gui.panels.items.model import COLUMNS, PAGE, ItemsModel
from gui.panels.items.panel import ItemsPanel
from gui.preferences import Preferences
from gui.window.command_palette import CommandPalette
from tests.gui.scene import BENCHMARK, SECOND, THIRD, Scene, add_items, bench_of, press, rest
from tests.splits import varied


def items_of(scene: Scene, place, person="Li") -> ItemsPanel:
    panel = scene.at(scene.open(place, person), "items")
    assert isinstance(panel, ItemsPanel)
    return panel


def shown(panel: ItemsPanel) -> list[int]:
    rows = [panel.model.line(row) for row in range(panel.model.rowCount())]
    return [row.id for row in rows if row is not None]


def chips(panel: ItemsPanel) -> list[str]:
    return [chip.id for chip in chips_of(panel.shown_filters)]


def test_items_are_narrowed_by_chips_and_the_sum_says_so(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    total = panel.model.rowCount()
    panel.narrow(Filters(benchmark=BENCHMARK, format="cloze"))
    scene.until(lambda: 0 < panel.model.rowCount() < total)
    assert f"of {total} items" in panel.sum.text()
    panel.chips.removed.emit("format")
    scene.until(lambda: panel.model.rowCount() == total)


@pytest.mark.parametrize(
    "chosen",
    [
        Filters(benchmark="b", task="t", states=("draft", "returned"), stage=2, family="scp"),
        Filters(format="cloze", domain="CS", label="好", run="r", disputed=False, person="Li"),
        Filters(score_from=0.0, score_to=6.5, since="2026-01-01", until="2026-02-01"),
        Filters(numbers=(3, 4), second_look=True),
        Filters(second_look=False),
    ],
)
def test_every_condition_has_a_chip_and_goes_with_it(chosen):
    for chip in chips_of(chosen):
        left = without(chosen, chip.id)
        assert left != chosen
        assert chip.id not in [other.id for other in chips_of(left)]
        chosen = left
    assert chosen == Filters()


def test_words_are_searched_while_they_are_typed_chinese_ones_when_they_are_committed(
    scene: Scene, small_place
):
    ws = Workspace.open(small_place)
    wanted = varied(40)
    add_items(
        ws, [wanted.__class__("scp", wanted.format, {**wanted.payload, "context": "旋律在此"})]
    )
    ws.close()
    panel = items_of(scene, small_place)
    total = panel.model.rowCount()
    QTest.keyClick(panel.window(), Qt.Key.Key_Slash)
    assert panel.search.hasFocus()
    event = QInputMethodEvent("xuan lü", [])
    with scene.qtbot.assertNotEmitted(panel.search.textChanged):
        QCoreApplication.sendEvent(panel.search, event)
    event = QInputMethodEvent("", [])
    event.setCommitString("旋律")
    QCoreApplication.sendEvent(panel.search, event)
    scene.until(lambda: panel.model.rowCount() == 1)
    assert panel.shown_filters.words == "旋律"
    panel.search.clear()
    scene.until(lambda: panel.model.rowCount() == total)


def test_a_search_without_a_hit_says_so_and_keeps_the_words(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    QTest.keyClick(panel.window(), Qt.Key.Key_Slash)
    QTest.keyClicks(panel.search, 'no" such')
    scene.until(lambda: panel.model.rowCount() == 0)
    rest(scene, panel)
    assert "No item" in panel.parts.preview_state.text()
    assert panel.search.text() == 'no" such'


def test_the_whole_workspace_is_reached_by_a_key_and_back(scene: Scene, full_place, tmp_path):
    lines = tmp_path / "other.jsonl"
    lines.write_text('{"Input": "一", "Output": "二", "Instruction": "译。"}', encoding="utf-8")
    ws = Workspace.open(full_place)
    import_items.import_file(ws, ImportOrder(lines, task="t", benchmark="other", person="Li"))
    ws.close()
    panel = items_of(scene, full_place)
    here = panel.model.rowCount()
    assert chips(panel) == ["benchmark"]
    QTest.keyClick(panel.window(), Qt.Key.Key_W)
    scene.until(lambda: panel.model.rowCount() > here)
    assert chips(panel) == []
    homes = {panel.model.line(row).benchmark for row in range(panel.model.rowCount())}
    assert homes == {BENCHMARK, "other"}
    QTest.keyClick(panel.window(), Qt.Key.Key_W)
    scene.until(lambda: panel.model.rowCount() == here)


def test_a_filter_is_chosen_on_a_sheet_by_keys(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    panel.table.setFocus()
    QTest.keyClick(panel.window(), Qt.Key.Key_F)
    scene.until(lambda: panel.findChild(FilterDialog) is not None)
    sheet = panel.findChild(FilterDialog)
    sheet.states["rejected"].setChecked(True)
    sheet.fields["stage"].setCurrentIndex(2)
    sheet.fields["score_to"].setText("eleven")
    sheet.apply()
    assert "number from 0 to 10" in sheet.trouble.text()
    sheet.fields["score_to"].setText("")
    QTest.keyClick(sheet, Qt.Key.Key_Return)
    rest(scene, panel)
    assert (panel.shown_filters.states, panel.shown_filters.stage) == (("rejected",), 2)
    assert {panel.model.line(r).state for r in range(panel.model.rowCount())} == {"rejected"}


def test_who_may_not_narrow_by_others_is_not_offered_it(scene: Scene, full_place):
    ws = Workspace.open(full_place)
    search.save_filter(ws, "low scores", Filters(score_to=3.0))
    search.save_filter(ws, "drafts", Filters(states=("draft",)))
    saved = search.filters_saved(ws)
    ws.close()
    panel = items_of(scene, full_place, SECOND)
    panel.open_filters()
    scene.until(lambda: panel.findChild(FilterDialog) is not None)
    sheet = panel.findChild(FilterDialog)
    assert "score_from" not in sheet.fields
    people = sheet.fields["person"]
    assert [people.itemData(i) for i in range(people.count())] == ["", SECOND]
    offered = [action.text() for action in panel.saved.menu_of(saved).actions()]
    assert "drafts" in offered
    assert "low scores" not in offered
    assert "many-reject" not in panel.context.actions.bound()
    assert not panel.parts.many.isVisible()


def test_a_filter_is_saved_found_again_and_forgotten(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    panel.narrow(Filters(BENCHMARK, states=("rejected",)))
    rest(scene, panel)
    panel.saved.open_saving()
    from gui.panels.items.saved_filters import FilterNameDialog

    name = panel.findChild(FilterNameDialog)
    QTest.keyClicks(name.name, "thrown out")
    QTest.keyClick(name.name, Qt.Key.Key_Return)
    rest(scene, panel)
    ws = Workspace.open(full_place)
    (saved,) = search.filters_saved(ws)
    ws.close()
    assert saved.filters.states == ("rejected",)
    menu = panel.saved.menu_of([saved])
    panel.narrow(Filters(BENCHMARK))
    menu.actions()[0].trigger()
    rest(scene, panel)
    assert panel.shown_filters == saved.filters
    forget = next(a.menu() for a in menu.actions() if a.menu() is not None)
    forget.actions()[0].trigger()
    rest(scene, panel)
    ws = Workspace.open(full_place)
    assert search.filters_saved(ws) == ()
    ws.close()


def test_many_items_are_rejected_after_a_preview_and_one_undo_takes_all_back(
    scene: Scene, full_place, qtbot
):
    panel = items_of(scene, full_place)
    panel.narrow(Filters(BENCHMARK, states=("in_review", "rejected")))
    rest(scene, panel)
    before = {n: panel.model.line(r).state for r, n in enumerate(shown(panel))}
    waiting = sum(state == "in_review" for state in before.values())
    panel.table.setFocus()
    QTest.keyClick(panel.window(), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert f"{len(before)} selected" in panel.sum.text()
    QTest.keyClick(panel.window(), Qt.Key.Key_R)
    scene.until(lambda: panel.findChild(BulkDialog) is not None)
    sheet = panel.findChild(BulkDialog)
    scene.until(lambda: f"This changes {waiting} items" in sheet.says.text())
    assert f"{len(before) - waiting} cannot" in sheet.says.text()
    assert "already rejected" in sheet.says.text()
    assert not sheet.run_button.isEnabled()
    QTest.keyClicks(sheet.words, "off topic")
    QTest.keyClick(sheet.words, Qt.Key.Key_Return)
    scene.until(lambda: {panel.model.line(r).state for r in range(len(before))} == {"rejected"})
    rest(scene, panel)
    undo = bench_of(panel.window()).actions_.action("undo")
    scene.until(lambda: str(waiting) in undo.text())
    with qtbot.waitActive(panel.window()):
        panel.window().activateWindow()
    QTest.keyClick(panel.window(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    rest(scene, panel)
    ws = Workspace.open(full_place)
    assert {n: history.state_of(ws, n) for n in before} == before
    ws.close()


def test_a_second_look_is_asked_for_found_by_its_filter_and_ended(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    panel.narrow(Filters(BENCHMARK, states=("frozen",)))
    rest(scene, panel)
    number = shown(panel)[0]
    panel.table.setFocus()
    QTest.keyClick(panel.window(), Qt.Key.Key_L)
    scene.until(lambda: panel.findChild(BulkDialog) is not None)
    sheet = panel.findChild(BulkDialog)
    scene.until(lambda: "1 item; the item itself does not change" in sheet.says.text())
    assert not sheet.run_button.isEnabled()
    QTest.keyClicks(sheet.words, "two keys fit")
    QTest.keyClick(sheet.words, Qt.Key.Key_Return)
    scene.until(lambda: panel.findChild(BulkDialog) is None)
    panel.narrow(Filters(BENCHMARK, second_look=True))
    rest(scene, panel)
    assert shown(panel) == [number]
    assert panel.model.line(0).state == "frozen"
    ws = Workspace.open(full_place)
    assert "two keys fit" in str(history.item_history(ws, number, "").events[-1].data)
    ws.close()
    panel.open_bulk("looked_again")
    scene.until(lambda: panel.findChild(BulkDialog) is not None)
    sheet = panel.findChild(BulkDialog)
    sheet.words.setText("the key is right")
    scene.until(sheet.run_button.isEnabled)
    sheet.run()
    scene.until(lambda: panel.findChild(BulkDialog) is None)
    rest(scene, panel)
    assert shown(panel) == []


def test_an_erratum_is_declared_with_a_reason_and_withdrawn(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    panel.narrow(Filters(BENCHMARK, states=("frozen",)))
    rest(scene, panel)
    number = shown(panel)[0]
    panel.table.setFocus()
    for action, reason, left in (
        ("declare_errata", "the key is B", [number]), ("withdraw_errata", "it was right", []),
    ):  # fmt: skip
        panel.context.actions.action(f"many-{action.replace('_', '-')}").trigger()
        scene.until(lambda: panel.findChild(BulkDialog) is not None)
        sheet = panel.findChild(BulkDialog)
        scene.until(lambda sheet=sheet: "1 item; the item itself" in sheet.says.text())
        assert not sheet.run_button.isEnabled()
        QTest.keyClicks(sheet.words, reason)
        QTest.keyClick(sheet.words, Qt.Key.Key_Return)
        scene.until(lambda: panel.findChild(BulkDialog) is None)
        ws = Workspace.open(full_place)
        standing = errata.errata(ws)
        ws.close()
        assert [erratum.number for erratum in standing] == left
        assert [erratum.reason for erratum in standing] == [reason] * len(left)
        rest(scene, panel)
        assert panel.model.line(0).state == "frozen"


def test_what_is_not_frozen_is_no_erratum(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    panel.narrow(Filters(BENCHMARK, states=("in_review",)))
    rest(scene, panel)
    panel.open_bulk("declare_errata")
    sheet = panel.findChild(BulkDialog)
    scene.until(lambda: "not frozen" in sheet.says.text())
    sheet.words.setText("wrong")
    assert not sheet.run_button.isEnabled()


def test_only_the_chosen_rows_are_changed(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    panel.narrow(Filters(BENCHMARK, states=("in_review",)))
    rest(scene, panel)
    wanted = shown(panel)[1:3]
    QTest.keyClick(panel.window(), Qt.Key.Key_J)
    QTest.keyClick(panel.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    panel.open_bulk("reject")
    sheet = panel.findChild(BulkDialog)
    assert sheet.filters == Filters(numbers=tuple(wanted))
    scene.until(lambda: sheet.says.text() == "This changes 2 items.")
    sheet.all.setChecked(True)
    scene.until(lambda: sheet.says.text() == f"This changes {panel.model.rowCount()} items.")


@pytest.mark.parametrize(
    ("code", "rows", "only", "preview"),
    [
        ("en", 1, "the selected item (#{number})", "This changes 1 item."),
        ("en", 2, "the 2 selected items", "This changes 2 items."),
        ("zh", 1, "选定的 1 个条目（#{number}）", "这将更改 1 个条目。"),
        ("zh", 2, "选定的 2 个条目", "这将更改 2 个条目。"),
    ],
)
def test_one_item_and_two_are_counted_in_their_own_form(
    scene: Scene, full_place, code: str, rows: int, only: str, preview: str
):
    panel = items_of(scene, full_place)
    panel.narrow(Filters(BENCHMARK, states=("in_review",)))
    rest(scene, panel)
    set_language(code)
    panel.table.setFocus()
    QTest.keyClick(panel.window(), Qt.Key.Key_J)
    for _ in range(rows - 1):
        QTest.keyClick(panel.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    panel.open_bulk("reject")
    sheet = panel.findChild(BulkDialog)
    assert sheet.only.text() == only.format(number=shown(panel)[panel.table.currentIndex().row()])
    scene.until(lambda: sheet.says.text() == preview)


def test_the_items_found_are_written_to_a_file(scene: Scene, full_place, tmp_path):
    panel = items_of(scene, full_place)
    panel.narrow(Filters(BENCHMARK, format="cloze"))
    rest(scene, panel)
    out = tmp_path / "题目.jsonl"
    panel.export(panel.shown_filters, str(out))
    rest(scene, panel)
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == panel.model.rowCount()
    assert {json.loads(line)["format"] for line in lines} == {"cloze"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_words_of_a_fixed_list_are_never_cut(scene: Scene, place, language):
    shown = ("number", "text", "task", "format", "state", "changed")
    kept = Preferences(size=(1280, 720), language=language, columns={"items": shown})
    panel = scene.at(scene.open(place, language=language, kept=kept), "items")
    assert isinstance(panel, ItemsPanel)
    table = panel.table
    for name in ("format", "state", "changed"):
        column = COLUMNS.index(name)
        assert table.columnWidth(column) >= table.sizeHintForColumn(column), name


def test_chosen_columns_are_remembered(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    kept = []
    bench_of(panel.window()).preferences_changed.connect(kept.append)
    panel.columns.choose("revision", shown=True)
    panel.columns.choose("domain", shown=False)
    assert "revision" in kept[-1].columns["items"]
    again = scene.open(full_place, kept=kept[-1])
    other = scene.at(again, "items")
    assert other.columns.shown == panel.columns.shown
    assert "domain" not in other.columns.shown


def test_rows_stay_where_they_are_when_the_list_is_read_again(scene: Scene, small_place):
    ws = Workspace.open(small_place)
    add_items(ws, [varied(number) for number in range(20, 320)])
    ws.close()
    panel = items_of(scene, small_place)
    panel.table.selectRow(250)
    panel.table.scrollTo(panel.model.index(250, 0))
    scene.until(lambda: panel.model.line(250) is not None)
    rest(scene, panel)
    place = panel.table.verticalScrollBar().value()
    panel.context.announce(frozenset({"items"}))
    rest(scene, panel)
    assert panel.table.currentIndex().row() == 250
    assert panel.table.verticalScrollBar().value() == place


def test_pages_that_were_only_passed_by_are_not_read(qapp, qtbot):
    model = ItemsModel(theme.LIGHT)
    asked = []
    model.page_wanted.connect(asked.append)
    model.start(10 * PAGE, [])
    model.line(5 * PAGE)
    model.forget_wish(5)
    model.line(5 * PAGE)
    assert asked == [5, 5]


def test_more_than_was_counted_is_said_and_then_counted(scene: Scene, small_place, monkeypatch):
    monkeypatch.setattr("db.queries.item_search.COUNTED", 5)
    panel = items_of(scene, small_place)
    count, counted = search.count, threading.Event()

    def slow_count(*asked, **viewer):
        counted.wait(30)
        return count(*asked, **viewer)

    monkeypatch.setattr(search, "count", slow_count)
    panel.narrow(Filters(BENCHMARK, states=("draft", "in_review"), since="2000-01-01"))
    scene.until(lambda: panel.sum.text() == "more than 5 of 12 items")
    counted.set()
    rest(scene, panel)
    assert panel.sum.text() == "12 items"


def test_an_items_life_shows_differences_decisions_and_ledger(scene: Scene, full_place):
    panel = items_of(scene, full_place)
    panel.open_history()
    dialog = panel.findChild(ItemHistoryDialog)
    text = dialog.page.toPlainText()
    assert "Decisions" in text
    assert "Ledger" in text
    assert "Li" in text


def test_a_lead_sees_what_is_hidden_on_request_and_the_ledger_knows(scene: Scene, small_place):
    panel = items_of(scene, small_place)
    number = shown(panel)[0]
    panel.take(number)
    scene.until(lambda: panel.findChild(ItemHistoryDialog) is not None)
    dialog = panel.findChild(ItemHistoryDialog)
    assert dialog.hidden.isVisible()
    assert "Hidden until" in dialog.page.toPlainText()
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Return):  # reading on and Enter reveal nothing
        assert dialog.focusWidget() is dialog.page
        press(dialog, key)
    assert dialog.findChild(ConfirmDialog) is None
    dialog.reveal.click()
    asked = dialog.findChild(ConfirmDialog)
    assert asked.focusWidget() is asked.cancel
    press(asked, Qt.Key.Key_Return)
    assert not asked.isVisible()
    rest(scene, panel)
    assert dialog.item_history.hidden
    dialog.reveal.click()
    dialog.findChildren(ConfirmDialog)[-1].act.click()
    scene.until(lambda: not dialog.item_history.hidden)
    assert not dialog.hidden.isVisible()
    rest(scene, panel)
    ws = Workspace.open(small_place)
    events = [
        event for event in history.item_history(ws, number, "").events if event.kind == "revealed"
    ]
    ws.close()
    assert [event.actor for event in events] == ["Li"]


def test_a_specialist_is_not_offered_to_look_at_what_is_hidden(scene: Scene, small_place):
    panel = items_of(scene, small_place, SECOND)
    panel.take(shown(panel)[0])
    scene.until(lambda: panel.findChild(ItemHistoryDialog) is not None)
    dialog = panel.findChild(ItemHistoryDialog)
    assert dialog.hidden.isVisible()
    assert not dialog.reveal.isVisible()


def test_another_panel_opens_the_items_that_pass_a_filter_or_certain_ones(scene, full_place):
    window = scene.open(full_place)
    bench_of(window).context.go_to("items", Filters(BENCHMARK, states=("rejected",)))
    panel = scene.at(window, "items")
    states = {panel.model.line(row).state for row in range(panel.model.rowCount())}
    assert states == {"rejected"}
    bench_of(window).context.go_to("items", (2, 5))
    rest(scene, panel)
    assert shown(panel) == [2, 5]


def test_ctrl_k_searches_the_items_for_words(scene: Scene, full_place):
    window = scene.open(full_place)
    scene.review(window)
    bench_of(window).open_find()
    dialog = bench_of(window).findChild(CommandPalette)
    QTest.keyClicks(dialog.field, "encoder zzz")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    panel = scene.at(window, "items")
    assert panel.shown_filters == Filters(words="encoder zzz")
    assert panel.search.text() == "encoder zzz"


def test_who_has_no_items_panel_is_refused_the_life_of_what_was_never_theirs(
    scene: Scene, full_place
):
    window = scene.open(full_place, THIRD)
    bench = bench_of(window)
    said: list[str] = []
    bench.context.noticed.connect(lambda notice: said.append(notice.text))
    bench.open_find()
    dialog = bench.findChild(CommandPalette)
    QTest.keyClicks(dialog.field, "#3")
    scene.until(lambda: dialog.list.count() > 0)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    scene.until(lambda: any("looking at all items is for" in text for text in said))
    assert bench.findChild(ItemHistoryDialog) is None


def test_the_sheet_of_an_overseer_offers_the_score(qtbot):
    sheet = FilterDialog(Filters(score_to=3.0), FilterChoices(overseer=True), None)
    qtbot.addWidget(sheet)
    assert sheet.fields["score_to"].text() == "3"
    sheet.clear()
    found = []
    sheet.chosen.connect(found.append)
    sheet.apply()
    assert found == [Filters()]


def test_the_text_of_an_item_has_room_in_a_small_window(scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.at(window, "items")
    window.resize(1280, 720)
    scene.settle(window)
    model = panel.table.model()
    assert model is not None
    column = next(i for i, spec in enumerate(model.columns) if spec.private)
    words = "A quarter of this sentence"  # what tells one item from the next
    assert panel.table.columnWidth(column) >= panel.table.fontMetrics().horizontalAdvance(words)
    assert panel.table.horizontalHeader().length() <= panel.table.viewport().width()
