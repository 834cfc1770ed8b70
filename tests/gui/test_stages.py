"""The three stages at the contexts of the window, by keys: write, settle, rate, audit."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.i18n import set_language
from core.workflow import people, tasks, team
from core.workflow.audit import lots
from core.workflow.check import rate, review
from core.workflow.items import history
from core.workflow.production import write
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from gui import theme
from gui.dialogs.verify import VerifyDialog
from gui.documents.item_history_page import history_document
from gui.panels.adjudicate.panel import AdjudicatePanel
from gui.panels.audit.panel import AuditPanel
from gui.panels.rate.panel import RatePanel
from gui.panels.write.panel import WritePanel
from tests.gui.scene import (
    BENCHMARK,
    CTRL,
    LEAD,
    SECOND,
    THIRD,
    Scene,
    bench_of,
    press,
    rest,
    type_text,
)
from tests.gui.stages_workspace import (
    FOURTH,
    MOODS,
    REWRITES,
    TITLES,
    add_tasks,
    fill_by_keys,
    mood,
    start_audit,
    states,
    triplet,
    writing,
)
from tests.tampering import meddle

# --- the whole loop ---------------------------------------------------------------------------


def choose_titles(scene: Scene, panel: WritePanel) -> None:
    while panel.left.tasks.currentText() != TITLES:
        press(panel, Qt.Key.Key_T)
        rest(scene, panel)


def test_an_item_is_written_returned_fixed_accepted_and_audited_by_keys_alone(scene, fresh):
    window = scene.open(fresh, THIRD)
    panel = scene.at(window, "write")
    choose_titles(scene, panel)
    fill_by_keys(panel, input="文章：春天来了，河水涨了。", output="很长很长的标题")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert states(fresh, TITLES) == {"draft": 1}

    reviewing = scene.review(scene.open(fresh, SECOND))
    press(reviewing, Qt.Key.Key_E)
    type_text(reviewing, "标题太长。")
    press(reviewing, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: reviewing.queue.shown is None and not reviewing.context.tasks.busy)
    assert states(fresh, TITLES) == {"returned": 1}
    reviewing.window().close()  # else it claims the item as soon as it is handed in again

    again = writing(scene, fresh)
    choose_titles(scene, again)
    assert "标题太长。" in again.page.toPlainText()
    fill_by_keys(again, output="春水")
    press(again, Qt.Key.Key_Return, CTRL)
    rest(scene, again)
    assert states(fresh, TITLES) == {"draft": 1}

    accepting = scene.review(scene.open(fresh, SECOND))
    press(accepting, Qt.Key.Key_A)
    scene.until(lambda: accepting.queue.shown is None and not accepting.context.tasks.busy)
    assert states(fresh, TITLES) == {"accepted": 1}

    auditing = scene.at(scene.open(fresh, FOURTH), "audit")
    press(auditing, Qt.Key.Key_B)
    rest(scene, auditing)
    press(auditing, Qt.Key.Key_A)
    rest(scene, auditing)
    assert states(fresh, TITLES) == {"approved": 1}
    assert "The lot passed" in auditing.page.toPlainText()
    assert FOURTH in auditing.page.toPlainText()
    ws = Workspace.open(fresh)
    assert verify(ws).sound
    ws.close()


# --- settling, rating, auditing ---------------------------------------------------------------


def test_a_dispute_shows_both_reasons_without_names_and_is_settled_by_a_key(scene, place):
    panel = scene.at(scene.open(place, LEAD), "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    said = panel.page.toPlainText()
    assert "“一般”是中性，不是正面。" in said
    assert SECOND not in said
    assert FOURTH not in said
    press(panel, Qt.Key.Key_A)
    rest(scene, panel)
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_1)
    rest(scene, panel)
    assert states(place, MOODS) == {"accepted": 3, "rejected": 1}
    assert "No disputed items." in [part.text() for part in panel.empty.findChildren(QLabel)]


def test_who_reviewed_an_item_is_not_asked_to_settle_it(scene, place):
    panel = scene.at(scene.open(place, SECOND), "adjudicate")
    assert panel.list.count() == 0


def test_a_lead_of_two_who_may_not_settle_is_told_who_could_and_led_to_the_team(scene, tmp_path):
    ws = Workspace.create(tmp_path / "two", LEAD)
    for name, role in ((SECOND, "specialist"), (THIRD, "annotator")):
        people.ensure_person(ws, name, role)
    add_tasks(ws)
    done = write.submit(ws, THIRD, MOODS, mood("菜很好，服务也很好，下次还来。", "正面"))
    review.decide(ws, SECOND, done.number, "accept")
    review.decide(ws, LEAD, done.number, "reject", reason="ambiguous")
    ws.close()
    for person, leads_on in ((SECOND, "Show my work"), (LEAD, "Show the team")):
        window = scene.open(tmp_path / "two", person)
        panel = scene.at(window, "adjudicate")
        said = " ".join(part.text() for part in panel.empty.findChildren(QLabel))
        assert "Nobody in the team may settle 1 of them" in said
        assert (panel.empty.button.isVisible(), panel.empty.button.text()) == (True, leads_on)
    panel.empty.button.setFocus()
    press(panel, Qt.Key.Key_Space)
    assert bench_of(window).front == "team"


def test_a_rewrite_is_rated_by_digits(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert isinstance(panel, RatePanel)
    number = panel.page.in_sight
    for digit in (Qt.Key.Key_3, Qt.Key.Key_2, Qt.Key.Key_1, Qt.Key.Key_1):
        press(panel, digit)
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert panel.page.in_sight != number
    ws = Workspace.open(place)
    life = history.item_history(ws, number, THIRD)
    ws.close()
    given = {rating.criterion: rating.value for rating in life.ratings}
    assert given == {"fluency": 3, "coherence": 2, "factuality": 1, "accuracy": 1}


def test_ratings_that_are_taken_back_bring_their_item_to_the_front(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert isinstance(panel, RatePanel)
    number = panel.page.in_sight
    for digit in (Qt.Key.Key_3, Qt.Key.Key_2, Qt.Key.Key_1, Qt.Key.Key_1):
        press(panel, digit)
    press(panel, Qt.Key.Key_C)
    type_text(panel, "two words are missing")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert f"#{number} rated" in panel.says.text()
    assert panel.page.in_sight != number
    press(panel, Qt.Key.Key_Z, CTRL)
    scene.until(lambda: panel.page.in_sight == number and panel.ready())
    assert panel.says.text() == ""
    given = {"fluency": 3, "coherence": 2, "factuality": 1, "accuracy": 1}
    assert panel.rubric.values == given
    scene.until(lambda: panel.rubric.comment == "two words are missing")
    press(panel, Qt.Key.Key_2)
    assert panel.rubric.values == {**given, "fluency": 2}


def test_who_is_paused_reads_so_where_the_next_item_to_rate_would_be(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert isinstance(panel, RatePanel)
    ws = Workspace.open(place)
    team.change_member(ws, THIRD, team.MemberChange(pause="holiday until Monday"), LEAD)
    for digit in (Qt.Key.Key_3, Qt.Key.Key_2, Qt.Key.Key_1, Qt.Key.Key_1):
        press(panel, digit)
    press(panel, Qt.Key.Key_Return, CTRL)
    scene.until(panel.empty.isVisible)
    rest(scene, panel)
    shown = [part.text() for part in panel.empty.findChildren(QLabel)]
    assert f"{THIRD} is paused: holiday until Monday. Contact a lead." in shown
    team.change_member(ws, THIRD, team.MemberChange(resume=True), LEAD)
    ws.close()
    panel.empty.button.click()
    scene.until(panel.can_rate)


def test_an_items_life_says_criteria_and_outcomes_in_the_language_of_the_window(place, qapp):
    ws = Workspace.open(place)
    number = rate.next_card(ws, REWRITES, SECOND, BENCHMARK).card.number
    given = {"fluency": 1, "coherence": 2, "factuality": 0, "accuracy": 1}
    rate.rate(ws, SECOND, number, given)
    life = history.item_history(ws, number, SECOND)
    ws.close()
    unread = SimpleNamespace(score=None, outcome="invalid", model="m", rationale="", threshold=6)
    life = replace(life, hidden=False, screenings=(unread,))
    set_language("zh")
    try:
        said = history_document(life, theme.LIGHT).toPlainText()
    finally:
        set_language("en")
    for words in ("流畅性 1", "连贯性 2", "事实性 0"):
        assert words in said
    assert "fluency" not in said
    assert "invalid" not in said


def test_a_digit_outside_the_scale_is_refused_with_the_scale(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    press(panel, Qt.Key.Key_0)
    assert "1, 2, 3" in panel.rubric.hint.text()
    assert panel.rubric.values == {}


def test_others_ratings_are_hidden_until_ones_own_are_handed_in(scene, place):
    ws = Workspace.open(place)
    drawn = rate.next_card(ws, REWRITES, SECOND, BENCHMARK).card.number
    rate.rate(ws, SECOND, drawn, {"fluency": 1, "coherence": 1, "factuality": 0, "accuracy": 0})
    ws.close()
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert panel.page.in_sight == drawn
    assert panel.says.text() == ""
    height = panel.page.height()
    for digit in (Qt.Key.Key_3, Qt.Key.Key_3, Qt.Key.Key_1, Qt.Key.Key_1):
        press(panel, digit)
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert "Other raters: Fluency 1" in panel.says.text()
    assert panel.page.height() == height


def test_the_semantic_rewrite_is_shown_on_request(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert "Semantic rewrite" not in panel.page.toPlainText()
    press(panel, Qt.Key.Key_K)
    assert "Semantic rewrite" in panel.page.toPlainText()


def test_after_the_last_dispute_a_button_leads_on_and_the_count_is_gone_at_once(scene, place):
    panel = scene.at(scene.open(place, LEAD), "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    bench = bench_of(panel.window())
    badge = bench.navigation.findChild(QLabel, "badge of adjudicate")
    scene.until(lambda: badge.text() == "2")
    bench.context.live.stop()  # no poll comes by itself any more
    while panel.item():
        press(panel, Qt.Key.Key_A)
        rest(scene, panel)
    scene.until(lambda: not badge.text())
    assert panel.empty.button.text() == "Review 3 items"
    panel.empty.button.click()
    scene.until(lambda: bench.front == "review")


def test_who_reviewed_a_lot_is_told_before_the_audit_starts_who_may_audit_it(scene, fresh):
    ws = Workspace.open(fresh)
    for number in range(3):
        done = write.submit(ws, THIRD, TITLES, triplet(f"第{number + 1}封信"))
        review.decide(ws, FOURTH if number else SECOND, done.number, "accept")
    done = write.submit(ws, FOURTH, TITLES, triplet("第九封信"))
    review.decide(ws, LEAD, done.number, "accept")
    ws.close()
    panel = scene.at(scene.open(fresh, FOURTH), "audit")
    said = panel.page.toPlainText()
    assert "You wrote or reviewed 3 of them" in said
    assert f"Who may audit them: {LEAD}, root." in said
    press(panel, Qt.Key.Key_B)
    rest(scene, panel)
    if panel.item():  # the sample of three may hold the one that others reviewed
        press(panel, Qt.Key.Key_A)
        rest(scene, panel)
    assert "another person must audit it" in panel.page.toPlainText()
    assert f"Who may audit them: {LEAD}" in panel.page.toPlainText()


@pytest.mark.parametrize("started", [True, False])
def test_the_audit_opens_on_a_lot_that_this_person_may_audit(scene, fresh, started):
    """Theirs comes second in the list: of the first they judged everything."""
    ws = Workspace.open(fresh)
    for task, payload, reviewer in (
        (MOODS, mood("很好", "正面"), FOURTH),
        (TITLES, triplet("信"), LEAD),
    ):
        tasks.set_protocol(ws, task, {"overlap": "1"}, person=LEAD, benchmark=BENCHMARK)
        done = write.submit(ws, THIRD, task, payload, benchmark=BENCHMARK)
        review.decide(ws, reviewer, done.number, "accept")
        if started:
            lots.start(ws, task, LEAD, benchmark=BENCHMARK)
    ws.close()
    panel = scene.at(scene.open(fresh, FOURTH), "audit")
    assert isinstance(panel, AuditPanel)
    assert panel.list.count() == 2
    assert panel.list.item(0).text().startswith(MOODS)
    assert panel.task() == TITLES
    if started:
        assert panel.item() == done.number
    press(panel, Qt.Key.Key_Up)
    rest(scene, panel)
    assert panel.task() == MOODS
    panel.spoil()
    rest(scene, panel)
    assert panel.task() == MOODS


def test_a_failed_item_returns_the_lot_with_its_reason(scene, place):
    start_audit(place)
    panel = scene.at(scene.open(place, FOURTH), "audit")
    assert isinstance(panel, AuditPanel)
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_Return, CTRL)
    assert states(place, TITLES)["accepted"] == 6
    type_text(panel, "标题与文章无关。")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    said = panel.page.toPlainText()
    assert "The lot was returned" in said
    assert re.search(r"Started by .* on \d{4}-\d\d-\d\d .*; ended on \d{4}-\d\d-\d\d ", said)
    assert "标题与文章无关。" in said
    assert states(place, TITLES)["returned"] == 7


def test_the_plan_is_said_with_its_odds_and_others_are_looked_at(scene, fresh):
    ws = Workspace.open(fresh)
    tasks.set_protocol(ws, TITLES, {"audit_sample": "20"}, person=LEAD, benchmark=BENCHMARK)
    for number in range(200):
        done = write.submit(ws, THIRD, TITLES, triplet(f"第{number}封信"), benchmark=BENCHMARK)
        review.decide(ws, SECOND, done.number, "accept")
    ws.close()
    window = scene.open(fresh, LEAD)
    window.resize(1280, 720)
    panel = scene.at(window, "audit")
    button = panel.start_button
    assert button.visibleRegion().boundingRect() == button.rect()
    assert panel.plan_box.sentence.text().startswith(
        "20 drawn, no failures allowed: a lot with 10% defects passes 11% of the time"
    )
    press(panel, Qt.Key.Key_P)
    rest(scene, panel)
    assert panel.plan_box.sentence.text().startswith("32 drawn, no failures allowed")
    press(panel, Qt.Key.Key_B)
    rest(scene, panel)
    ws = Workspace.open(fresh)
    assert lots.status(ws, TITLES, BENCHMARK).lots == ()
    ws.close()
    for _ in range(3):
        press(panel, Qt.Key.Key_P)
        rest(scene, panel)
    assert panel.plan_box.sentence.text().startswith("20 drawn, no failures allowed")
    press(panel, Qt.Key.Key_P)
    rest(scene, panel)
    panel.plan_box.choose_button.click()
    rest(scene, panel)
    ws = Workspace.open(fresh)
    assert tasks.show(ws, TITLES, BENCHMARK).protocol.audit_sample == 32
    ws.close()


def test_a_lead_verifies_from_the_window(scene, place):
    window = scene.open(place, LEAD)
    bench = bench_of(window)
    bench.actions_.action("verify").trigger()
    dialog = window.findChild(VerifyDialog)
    scene.until(lambda: not window.tasks.busy)
    assert dialog.title.text() == "✓ No problems found."
    dialog.close()


def test_what_verifying_found_is_named_in_the_language_of_the_window(scene, place):
    ws = Workspace.open(place)
    meddle(ws, "UPDATE item SET state = 'accepted' WHERE id = 1",
           "UPDATE decision SET verdict = 'reject' WHERE id = 1")  # fmt: skip
    ws.close()
    window = scene.open(place, LEAD, language="zh")
    bench_of(window).actions_.action("verify").trigger()
    dialog = window.findChild(VerifyDialog)
    assert dialog is not None
    scene.until(lambda: dialog.model.rowCount() > 0)
    model = dialog.model
    kinds = {model.index(row, 0).data() for row in range(model.rowCount())}
    assert {"条目", "决定"} & kinds
    assert not [kind for kind in kinds if kind.isascii()]
    dialog.close()


def test_only_leads_find_the_command_that_verifies(scene, place):
    window = scene.open(place, THIRD)
    assert "verify" not in bench_of(window).actions_.bound()


def test_an_annotator_has_no_desk_of_the_overseers(scene, place):
    window = scene.open(place, THIRD)
    assert set(bench_of(window).places) >= {"write", "review", "rate"}
    assert not {"adjudicate", "audit"} & set(bench_of(window).places)


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("theme_name", ["light", "dark"])
def test_every_desk_shows_a_workspace_in_full_work(code, theme_name, scene, place):
    window = scene.open(place, LEAD, theme_name=theme_name, language=code)
    for name in ("write", "adjudicate", "rate", "audit"):
        image = scene.at(window, name).grab().toImage()
        inks = {
            image.pixel(x, y)
            for x in range(0, image.width(), 3)
            for y in range(0, image.height(), 3)
        }
        assert len(inks) > 30, name
        assert not bench_of(window).notice.isVisible(), bench_of(window).notice.text
