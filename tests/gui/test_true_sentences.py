"""What a panel says of an empty queue is true, and its button leads somewhere."""

import re
import time
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.workflow import tasks
from core.workflow.check import review
from core.workflow.production import write
from core.workflow.workspace import Workspace
from gui import i18n
from gui.dialogs.screening import ScreeningDialog
from gui.labels import EVENT_KINDS
from gui.panels.adjudicate.panel import AdjudicatePanel
from gui.panels.review.panel import ReviewPanel
from tests.gui.scene import BENCHMARK, SECOND, THIRD, Scene, bench_of, press
from tests.gui.stages_workspace import triplet


def words(panel) -> str:
    return "\n".join(label.text() for label in panel.empty.findChildren(QLabel))


def test_adjudicate_says_why_what_is_disputed_is_for_others(scene: Scene, place):
    panel = scene.at(scene.open(place, SECOND), "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    assert "No disputed items" not in words(panel)
    assert "2 items are disputed, but you wrote or reviewed them" in words(panel)


def test_adjudicate_says_nothing_where_nothing_is_disputed(scene: Scene, small_place):
    panel = scene.at(scene.open(small_place), "adjudicate")
    assert "No disputed items" in words(panel)


def test_review_says_what_is_ones_own_and_what_others_have(scene: Scene, place):
    ws = Workspace.open(place)
    decided = 0
    while (card := review.next_card(ws, THIRD, BENCHMARK)) is not None:
        review.decide(ws, THIRD, card.number, "accept")
        decided += 1
    ws.close()
    panel = scene.at(scene.open(place, THIRD), "review")
    assert isinstance(panel, ReviewPanel)
    scene.until(lambda: "your own" in words(panel))
    assert f"You decided on {decided} items." in words(panel)
    # an annotator may neither screen nor see agreement
    assert panel.empty.button.text() == "Show my work"


def test_review_offers_the_screening_that_drafts_wait_for(scene: Scene, fresh):
    ws = Workspace.open(fresh)
    tasks.add(ws, "gated", "instruction", benchmark=BENCHMARK, format="triplet",
              protocol={"gate": "required"})  # fmt: skip
    write.submit(ws, THIRD, "gated", triplet("雨"))
    ws.close()
    window = scene.open(fresh)
    panel = scene.at(window, "review")
    scene.until(lambda: "1 draft waits for screening" in words(panel))
    panel.empty.button.click()
    dialog = window.findChild(ScreeningDialog)
    assert dialog is not None
    press(dialog, Qt.Key.Key_Escape)


def test_the_count_beside_review_follows_every_key(scene: Scene, small_place):
    window = scene.open(small_place)
    panel = scene.review(window)
    badge = window.findChild(QLabel, "badge of review")
    bench_of(window).stop()  # no poll: only what the keys did may change the count
    left = panel.waiting()
    for key in (Qt.Key.Key_A, Qt.Key.Key_S):
        scene.until(panel.ready)
        press(panel, key)
        scene.until(panel.ready)
        left -= 1
        scene.until(lambda left=left: badge.text() == str(left))
    while panel.item():
        before = panel.item()
        press(panel, Qt.Key.Key_A)
        scene.until(lambda before=before: panel.item() != before and panel.ready())
    scene.until(lambda: badge.text() == "")


def test_a_history_calls_a_review_by_another_name_than_an_audit():
    words = {kind: word() for kind, word in EVENT_KINDS.items()}
    assert words["decided"] == "reviewed"
    assert words["audit_decided"] == "audited"
    assert len(set(words.values())) == len(words)


def test_the_list_of_items_shows_the_holes_of_a_cloze_as_its_page_does(scene: Scene, full_place):
    panel = scene.at(scene.open(full_place), "items")
    titles = [spec.title for spec in panel.model.columns]
    column, format_ = titles.index("Text"), titles.index("Format")
    model = panel.model
    clozes = [
        model.index(row, column).data()
        for row in range(model.rowCount())
        if model.index(row, format_).data() == "cloze"
    ]
    assert clozes
    assert any("▢1" in text for text in clozes)  # of some the first hole stands farther on
    assert not any("<|" in text for text in clozes)


def test_a_stored_time_is_read_in_the_time_of_the_reader(monkeypatch):
    try:
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("TZ", "Asia/Shanghai")
            time.tzset()
            assert i18n.stamp("2026-11-28T18:30:00+00:00") == "2026-11-29 02:30"
            assert i18n.stamp("") == ""
    finally:
        time.tzset()


def test_no_part_of_the_program_cuts_a_stored_time_into_shape_by_itself():
    stored = re.compile(r"\b(?:at|made_at|made|started|frozen_at|first|last)(?:\"\])?\[:1[069]\]")
    cut = [
        f"{path}:{number}"
        for part in ("gui", "core")
        for path in Path(part).rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if '.replace("T", " ")' in line or (stored.search(line) and not _KEPT.search(line))
    ]
    assert cut == []


_KEPT = re.compile(r"datePublished|first\.at\[:10\], first\.until")  # days of files, in UTC
