"""What is checked before items are frozen: copies, leaks, damage, balance, what no audit saw."""

import json
import random
import re
from dataclasses import replace

import pytest

from core.analysis.artifacts.artifact_audit import ArtifactAudit, KindAudit, SolverResult
from core.cli import main
from core.errors import InputError, StateError
from core.families.base import ItemContent
from core.i18n import set_language
from core.workflow import people, tasks
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.new_items import new_item
from core.workflow.splits import freeze, freeze_checks
from core.workflow.splits.freeze_checks import FreezeCheck
from core.workflow.splits.selection import FreezeOrder
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db.vocabulary import EventKind, ItemState
from tests.splits import leaking_items
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items

LEAD = "王"


def question(number: int, text: str, label: str = "", domain: str = "") -> ItemContent:
    payload = {"question": text, "answers": [f"answer {number}"]}
    return ItemContent("answer", "answer", payload, {"labels": [label]} if label else {}, domain)


def passage(number: int) -> str:
    """A sentence that no other number gives."""
    stems = ("river", "engine", "court", "orchard", "signal", "harbour", "ledger", "glacier")
    verbs = ("measures", "repeats", "forgets", "divides", "carries", "answers", "lowers", "hides")
    parts = [
        f"{stems[(number * k) % 8]} {number * 7 + k} {verbs[(number + k) % 8]} "
        f"the {stems[(number + 3 * k) % 8]} of {number * 13 + k * k}"
        for k in range(1, 9)
    ]
    return "Which " + ", and ".join(parts) + "?"


def make_public_half(ws: Workspace) -> None:
    """Half of the items of the task may be released."""
    tasks.add(ws, "quiz", "answer", benchmark="b", format="answer",
              protocol={"gate": "off", "private_share": "0.5"})  # fmt: skip


def add(ws: Workspace, contents, state=ItemState.APPROVED, task="quiz", benchmark="b"):
    with ws.writing() as session:
        home = ensure_benchmark_in(session, benchmark)
        row = ensure_task_in(session, home, task, "answer")
        numbers = items.add(session, [new_item(content, row, None) for content in contents])
        items.change(session, numbers, state=state)
    return numbers


@pytest.fixture
def lead(sqlite_ws):
    people.ensure_person(sqlite_ws, LEAD, "lead")
    return sqlite_ws


def found(checked) -> dict[str, tuple[int, ...]]:
    return {finding.check.value: finding.items for finding in checked.findings}


def test_sound_items_are_frozen_without_any_reason(lead):
    add(lead, [question(n, passage(n)) for n in range(1, 9)])
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD)
    assert checked.findings == ()
    assert checked.sound == (FreezeCheck.DUPLICATES, FreezeCheck.DEFECTS, FreezeCheck.UNAUDITED)
    (split,) = freeze_checks.freeze_checked(lead, checked, LEAD, {})
    assert split.size == 8


def test_every_planted_fault_is_found_and_needs_a_reason_that_the_ledger_keeps(lead):
    old = add(lead, [question(n, passage(n)) for n in range(20, 24)])
    freeze.freeze(lead, "earlier", "b", LEAD)
    assert len(old) == 4
    sound = add(lead, [question(n, passage(n)) for n in range(1, 9)])
    (copy,) = add(lead, [question(50, passage(21).replace("Which", "What"))])
    (twin,) = add(lead, [question(51, passage(3) + " Say why.")])
    (broken,) = add(lead, [question(52, passage(52) + " The ﬁ rst ¶ ï¿½ of â€œthese")])
    (unseen,) = add(lead, [question(53, passage(53))], ItemState.ACCEPTED)
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD)
    assert found(checked) == {
        "earlier": (copy,), "duplicates": (twin,), "defects": (broken,), "unaudited": (unseen,),
    }  # fmt: skip
    assert not checked.blocked
    with pytest.raises(InputError, match="earlier split"):
        freeze_checks.freeze_checked(lead, checked, LEAD, {})
    reasons = {check: f"because of {check}" for check in FreezeCheck}
    freeze_checks.freeze_checked(lead, checked, LEAD, reasons)
    with lead.reading() as session:
        event = ledger.of_subject(session, EventKind.SPLIT, "s")[0]
    kept = {row["check"]: (row["reason"], row["items"]) for row in event.data["checks"]}
    assert kept == {name: (f"because of {name}", 1) for name in found(checked)}
    assert len(sound) == 8


def test_an_item_that_is_public_already_blocks_until_it_is_left_out(lead):
    make_public_half(lead)
    add(lead, [question(n, passage(n)) for n in range(20, 24)])
    freeze.freeze_order(lead, FreezeOrder("p", "b", "q", seed=1), LEAD)
    released = freeze.members_of(lead, "q")[0].content
    (again,) = add(lead, [released], task="again")
    add(lead, [question(n, passage(n)) for n in range(1, 5)])
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD)
    assert [(f.check, f.items, f.blocks) for f in checked.findings] == [
        (FreezeCheck.EARLIER, (again,), True)
    ]
    with pytest.raises(StateError, match=f"{again}"):
        freeze_checks.freeze_checked(lead, checked, LEAD, dict.fromkeys(FreezeCheck, "so"))
    left = freeze_checks.check_without(lead, FreezeOrder("s", "b"), ["earlier"], LEAD)
    assert left.findings == ()
    freeze_checks.freeze_checked(lead, left, LEAD, {})
    assert freeze.record_of(lead, "s")["left_out"] == [again]


def test_what_is_like_a_public_item_is_named_beside_what_is_the_same_as_one(lead):
    make_public_half(lead)
    contents = {n: question(n, passage(n)) for n in range(20, 24)}
    add(lead, list(contents.values()))
    freeze.freeze_order(lead, FreezeOrder("p", "b", "q", seed=1), LEAD)
    released = [item.content for item in freeze.members_of(lead, "q")][:2]
    like = next(n for n, content in contents.items() if content == released[1])
    (again,) = add(lead, [released[0]], task="again")
    (near,) = add(lead, [question(50, passage(like).replace("Which", "What"))])
    (finding,) = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD).findings
    assert (finding.items, finding.blocks) == ((again,), True)
    assert finding.sentence == (
        "1 item is the same as one that is public. 1 more item repeats text of an earlier split."
    )
    assert any(f"#{near} is like" in line for line in finding.examples)


def test_private_items_that_repeat_public_ones_are_found_across_the_line(lead):
    make_public_half(lead)
    contents = [question(n, passage(n)) for n in range(1, 20)]
    numbers = add(lead, [*contents, *(question(60 + n, passage(n)) for n in (1, 2, 3, 4, 5, 6))])
    assert len(numbers) == 25
    checked = freeze_checks.check(lead, FreezeOrder("p", "b", public="q", seed=4), LEAD)
    crossing = next(f for f in checked.findings if f.check == FreezeCheck.ACROSS)
    assert not crossing.blocks
    assert crossing.items
    assert all(number > 19 or number < 7 for number in crossing.items)


def test_items_in_public_files_are_found_in_english_and_chinese(lead, tmp_path):
    chinese = "请问在一九七三年的那场洪水之后，河边的磨坊由谁重新修建，又为什么没有立即使用？"
    first, second, _ = add(
        lead, [question(1, passage(1)), question(2, chinese), question(3, passage(3))]
    )
    folder = tmp_path / "web"
    folder.mkdir()
    (folder / "page.txt").write_text("Before. " + passage(1)[:260] + " After.", encoding="utf-8")
    (folder / "rows.jsonl").write_text(json.dumps({"q": chinese}) + "\n", encoding="utf-8")
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD, [folder])
    assert found(checked) == {"leaks": (first, second)}
    assert FreezeCheck.LEAKS in checked.looked


ENGLISH = [a + b for a in ("bar", "cel", "dom", "fur", "gan", "hil", "jor", "kep", "lum", "mon",
                           "nar", "pel", "qui", "ros", "sin", "tam") for b in
           ("an", "et", "ic", "ol", "ur", "ath", "ine", "ost", "ump", "ead")]  # fmt: skip
CHINESE = [chr(0x4E00 + 7 * n) for n in range(1500)]


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_planted_copies_of_60_to_100_percent_are_found_and_others_are_not(lead, tmp_path, language):
    """Of 900 items 150 repeat items of an earlier split, 150 stand in a public file, and 600 share
    no more than their first words with others: recall at least 95%, false alarms at most 1%."""
    draw = random.Random(language)
    between, words = (" ", ENGLISH) if language == "english" else ("", CHINESE)

    def text() -> list[str]:
        return [*words[:15], *draw.choices(words, k=draw.randrange(45, 120))]

    def copied(of: list[str]) -> list[str]:
        kept = round(draw.uniform(0.6, 1.0) * len(of))
        first = draw.randrange(len(of) - kept + 1)
        new = draw.choices(words, k=len(of) - kept)
        return [*new[:first], *of[first : first + kept], *new[first:]]

    def asked(number: int, of: list[str]) -> ItemContent:
        return question(number, between.join(of))

    earlier = [text() for _ in range(150)]
    add(lead, [asked(n, one) for n, one in enumerate(earlier)])
    freeze.freeze(lead, "earlier", "b", LEAD)
    public = [text() for _ in range(150)]
    sound = [text() for _ in range(600)]
    numbers = add(
        lead,
        [asked(1000 + n, one) for n, one in enumerate(map(copied, earlier))]
        + [asked(2000 + n, one) for n, one in enumerate(public)]
        + [asked(3000 + n, one) for n, one in enumerate(sound)],
    )
    page = tmp_path / "page.txt"
    page.write_text("\n\n".join(between.join(copied(one)) for one in public), encoding="utf-8")
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD, [page])
    seen = found(checked)
    for name, planted in (("earlier", numbers[:150]), ("leaks", numbers[150:300])):
        hits = set(planted) & set(seen[name])
        false = set(seen[name]) - set(planted)
        assert len(hits) >= 0.95 * 150
        assert len(false) <= 0.01 * 750
    assert not set(seen.get("duplicates", ())) & set(numbers[300:])


def test_a_draw_gives_every_stratum_its_share_and_shows_it(lead):
    add(lead, [question(n, passage(n), domain="law" if n % 4 else "art") for n in range(1, 41)])
    order = FreezeOrder("s", "b", sizes={"quiz": 20}, seed=9)
    checked = freeze_checks.check(lead, order, LEAD)
    table = [(row.domain, row.ready, row.taken) for row in checked.balance]
    assert table == [("art", 10, (5,)), ("law", 30, (15,))]
    freeze_checks.freeze_checked(lead, checked, LEAD, {})
    record = freeze.record_of(lead, "s")
    assert record["size_seed"] == 9
    assert record["strata"] == ["label", "domain", "format"]
    assert [row["taken"] for row in record["balance"]] == [[5], [15]]


def test_what_changed_since_the_checks_is_not_frozen(lead):
    add(lead, [question(n, passage(n)) for n in range(1, 5)])
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD)
    add(lead, [question(9, passage(9))])
    with pytest.raises(StateError, match="changed since they were checked"):
        freeze_checks.freeze_checked(lead, checked, LEAD, {})
    assert freeze.all_splits(lead) == ()


def test_the_only_item_of_a_task_shows_its_domain_and_format(lead):
    add(lead, [question(1, passage(1), domain="law")])
    (row,) = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD).balance
    assert (row.domain, row.format, row.ready, row.taken) == ("law", "answer", 1, (1,))


def test_unbalanced_labels_are_found(lead):
    with lead.writing() as session:
        home = ensure_benchmark_in(session, "b")
        task = ensure_task_in(session, home, "quiz", "answer")
        benchmarks.set_profile(session, task.id, {"labels": ["yes", "no"]})
    numbers = add(lead, [question(n, passage(n)) for n in range(1, 31)])
    with lead.writing() as session:
        items.change(session, numbers[:28], label="yes")
        items.change(session, numbers[28:], label="no")
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD)
    assert [f.check for f in checked.findings] == [FreezeCheck.LABELS]
    assert "yes 28, no 2" in checked.findings[0].examples[0]


def test_the_command_checks_refuses_and_freezes_with_reasons(lead, place, capsys):
    add(lead, [question(n, passage(n)) for n in range(1, 9)])
    (unseen,) = add(lead, [question(53, passage(53))], ItemState.ACCEPTED)
    words = ["--workspace", str(place), "freeze", "s", "--benchmark", "b", "--user", LEAD]
    assert main([*words, "--check", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert [(f["check"], f["items"]) for f in said["findings"]] == [("unaudited", [unseen])]
    assert main([*words, "--check"]) == 1
    told = capsys.readouterr().out
    assert "✓ No near-duplicates" in told
    assert "public files" not in told  # none were named, so nothing is said of them
    assert "earlier splits" not in told
    assert main(words) == 1
    refused = capsys.readouterr().err
    assert f"unaudited: 1 item was not audited. (#{unseen}) Leave the items out" in refused
    assert refused.rstrip().endswith("Or have them audited first: benchseal audit start TASK.")
    assert "--reason" in refused
    assert freeze.all_splits(lead) == ()
    assert main([*words, "--accept", "unaudited"]) == 2
    assert main([*words, "--without", "luck"]) == 2
    assert main([*words, "--accept", "unaudited=a pilot"]) == 0
    checks = freeze.record_of(lead, "s")["checks"]
    assert [(row["check"], row["reason"]) for row in checks] == [("unaudited", "a pilot")]


def test_leaving_out_what_a_check_finds_needs_no_reason(lead, place):
    add(lead, [question(n, passage(n)) for n in range(1, 9)])
    add(lead, [question(53, passage(53))], ItemState.ACCEPTED)
    words = ["--workspace", str(place), "freeze", "s", "--benchmark", "b", "--user", LEAD]
    assert main([*words, "--without", "unaudited"]) == 0
    assert freeze.info(lead, "s").size == 8
    assert freeze.info(lead, "s").unaudited == 0


def test_freezing_unchecked_keeps_the_reason(lead, place):
    add(lead, [question(1, passage(1))], ItemState.ACCEPTED)
    words = ["--workspace", str(place), "freeze", "s", "--benchmark", "b", "--user", LEAD]
    assert main([*words, "--unchecked", "45,000 items, checked elsewhere"]) == 0
    assert freeze.record_of(lead, "s")["unchecked"] == "45,000 items, checked elsewhere"


def test_reviewed_items_are_frozen_with_a_reason_and_everything_verifies(ws, location):
    people.ensure_person(ws, LEAD, "lead")
    make_task(ws)
    accept_all(ws, write_items(ws, 4), "li")
    words = ["--workspace", location, "freeze", "s", "--benchmark", BENCHMARK, "--user", LEAD]
    assert main(words) == 1
    assert main([*words, "--reason", "a pilot"]) == 0
    assert verify(ws).sound


def test_solvers_that_are_lucky_one_by_one_are_no_finding_and_a_shortcut_is(lead, monkeypatch):
    """Cues resemble each other: two are lucky together more often than two that do not."""
    add(lead, [question(n, passage(n)) for n in range(1, 9)])
    figures = {"accuracy": 0.34, "low": 0.26, "high": 0.44, "chance": 0.25, "caution": ""}
    lucky = [SolverResult(name, **figures, all_low=0.22) for name in ("longest", "context_overlap")]
    plain = [SolverResult(f"solver {n}", 0.25, 0.2, 0.3, 0.25, "", 0.15) for n in range(11)]
    kind = KindAudit("prediction", 200, 40, (*lucky, *plain))
    audit = ArtifactAudit((kind,), (), 0, {})
    monkeypatch.setattr(freeze_checks, "audit_items", lambda *_: audit)
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD)
    assert checked.findings == ()
    assert FreezeCheck.ARTIFACTS in checked.sound
    far = replace(lucky[0], accuracy=0.6, low=0.5, all_low=0.45)
    audit = replace(audit, kinds=(replace(kind, solvers=(far, *lucky[1:], *plain)),))
    (finding,) = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD).findings
    assert finding.sentence.startswith("1 of 13 shallow solvers")


def test_in_chinese_examples_name_solvers_and_defects_in_chinese(lead):
    broken = [replace(content, payload=content.payload | {"options": ["same"] * 4})
              for content in leaking_items(3)]  # fmt: skip
    add(lead, [*leaking_items(60), *broken])
    set_language("zh")
    checked = freeze_checks.check(lead, FreezeOrder("s", "b"), LEAD)
    said = {finding.check: finding.examples for finding in checked.findings}
    for check in (FreezeCheck.ARTIFACTS, FreezeCheck.DEFECTS):
        assert said[check]
        assert [text for text in said[check] if re.search("[a-z]{2,}", text)] == []
