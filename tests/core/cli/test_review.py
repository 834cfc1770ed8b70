"""The commands of the three stages: one JSON document, exit codes, one line on refusal."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.cli import main
from core.errors import RightsError
from core.workflow.check import review
from core.workflow.workspace import Workspace
from tests.workspaces import BENCHMARK, accept_all, make_task, screened, screened_all, write_items


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """A command on a workspace: (exit code, JSON document or text, standard error)."""
    monkeypatch.setenv("BENCHSEAL_LANG", "en")

    def call(*arguments: str, plain: bool = False):
        more = [] if plain else ["--json"]
        try:
            code = main(["--workspace", str(tmp_path / "w"), *arguments, *more])
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return code, out if plain or not out else json.loads(out), err

    return call


FIELDS = ("instruction=写标题", "output=标题")


def add(run, *settings: str) -> None:
    code, shown, _ = run(
        "task", "add", "t", "--benchmark", "b", "--set", "gate=off", "audit_sample=1", *settings
    )
    assert (code, shown["name"], shown["protocol"]["gate"]) == (0, "t", "off")


def hand_in(run, place: int) -> int:
    code, made, _ = run("submit", "t", "--user", "ann", "--set", f"input=正文{place}", *FIELDS)
    assert (code, made["state"]) == (0, "draft")
    return made["item"]


def test_a_task_goes_from_empty_to_approved(run):
    add(run, "overlap=2")
    number = hand_in(run, 1)
    code, _, refusal = run("queue", "--user", "li", "--stage", "2")
    assert (code, "benchseal people" in refusal) == (1, True)
    for name in ("li", "zoe"):
        run("people", name)
    code, waiting, _ = run("queue", "--user", "li", "--stage", "2")
    assert (code, waiting["count"], waiting["items"][0]["item"]) == (0, 1, number)
    run("decide", str(number), "--reviewer", "li", "--accept")
    code, decided, _ = run("decide", f"#{number}", "--reviewer", "wu", "--reject", "ambiguous")
    assert decided["disputed"] is True
    assert run("adjudicate", "--user", "zoe")[1]["items"] == [{"item": number, "task": "t"}]
    shown = run("adjudicate", str(number), "--user", "zoe")[1]
    assert sorted(o["verdict"] for o in shown["opinions"]) == ["accept", "reject"]
    assert run("adjudicate", str(number), "--user", "zoe", "--accept")[1]["state"] == "accepted"
    run("people", "ruth", "--role", "researcher")
    code, started, _ = run("audit", "start", "t", "--user", "ruth", "--seed", "7")
    assert (code, started["lot"]["seed"], started["lot"]["drawn"][0]["item"]) == (0, 7, number)
    done = run("audit", "decide", str(number), "--user", "ruth", "--accept")[1]
    assert done["lot_state"] == "passed"
    assert run("audit", "status", "t")[1]["states"]["approved"] == 1
    assert run("task", "list")[1]["tasks"][0]["kept"] == 1
    code, found, _ = run("verify")
    assert (code, found["sound"], found["items"]) == (0, True, 1)


def test_a_rejection_takes_a_reason_of_its_task_and_names_them(run):
    add(run)
    first, second = hand_in(run, 1), hand_in(run, 2)
    run("people", "li")
    code, _, refusal = run("decide", str(first), "--reviewer", "li", "--reject", "any")
    assert code == 2
    assert "“any” is not a reason" in refusal
    assert "ambiguous, not_solvable, formula, language, other" in refusal
    assert run("queue", "--user", "li", "--stage", "2")[1]["count"] == 2, "nothing was written"
    told = run("decide", str(first), "--reviewer", "li", "--reject", "Not solvable")
    assert (told[0], told[1]["verdict"]) == (0, "reject")
    run("task", "change", "t", "--reasons", "too easy", "off topic")
    assert run("decide", str(second), "--reviewer", "li", "--reject", "formula")[0] == 2
    done = run("decide", str(second), "--reviewer", "li", "--reject", "Other: 太短")
    assert done[0] == 0
    history = json.dumps(run("history", str(second))[1], ensure_ascii=False)
    assert '"other"' in history
    assert "太短" in history


def test_whoever_reviews_by_commands_reads_the_item_with_its_letters_and_key(run, tmp_path: Path):
    table = tmp_path / "q.csv"
    table.write_text("question,A,B,answer,passage\nWhich river?,Seine,Elbe,B,A city.\n")
    run("import", str(table), "--task", "rivers", "--user", "ann")
    text = run("show", "1", "--user", "ann", plain=True)[1]
    assert text.startswith("#1 · rivers · ")
    for part in ("Which river?", "A. Seine", "B. Elbe", "Correct options\n  B", "  A city."):
        assert part in text
    shown = run("show", "1", "--user", "ann")[1]
    assert (shown["item"], shown["content"]["payload"]["options"]) == (1, ["Seine", "Elbe"])
    assert run("show", "2")[0] == 1


def test_an_annotator_reads_what_waits_for_them_and_holds_it_from_then_on(run, tmp_path: Path):
    table = tmp_path / "q.csv"
    table.write_text("question,A,B,answer\nWhich river?,Seine,Elbe,B\nWhich hill?,Brocken,Etna,A\n")
    run("import", str(table), "--task", "rivers", "--user", "ann")
    for name in ("li", "wu"):
        run("people", name, "--role", "annotator")
    assert "You hold this item now" in run("show", "1", "--user", "li", plain=True)[1]
    assert run("show", "1", "--user", "li")[1]["state"] == "in_review"
    held = {e["item"]: e["held"] for e in run("queue", "--user", "li")[1]["items"]}
    assert held == {1: True, 2: False}
    code, _, said = run("show", "1", "--user", "wu")
    assert (code, said) == (1, "Item #1 already has all its reviewers.\n")
    assert run("decide", "1", "--reviewer", "li", "--accept")[0] == 0
    assert run("show", "1", "--user", "li")[1]["state"] == "accepted"


def test_a_long_queue_says_how_much_more_waits(run, tmp_path: Path):
    add(run)
    rows = [{"instruction": "写标题", "input": f"正文{n}", "output": f"标题{n}"} for n in range(53)]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert run("import", str(path), "--task", "t", "--user", "ann")[0] == 0
    run("people", "li")
    shown = run("queue", "--user", "li", plain=True)[1].splitlines()
    assert (len(shown), shown[-1]) == (52, "… and 3 more")


def test_a_failed_audit_comes_back_and_is_undone(run):
    add(run)
    number = hand_in(run, 1)
    run("decide", str(number), "--reviewer", "li", "--accept")
    run("people", "ruth", "--role", "researcher")
    run("audit", "start", "t", "--user", "ruth", "--seed", "1")
    code, _, said = run("audit", "decide", str(number), "--user", "ruth", "--reject", "meh")
    assert code == 2
    assert "ambiguous, not_solvable" in said
    reason = "other: wrong key"
    done = run("audit", "decide", str(number), "--user", "ruth", "--reject", reason)[1]
    assert (done["lot_state"], done["round"]) == ("returned", 2)
    assert run("audit", "status", "t", plain=True)[1].startswith("t, round 1: lot of 1")
    code, undone, _ = run("undo", "--event", str(done["event"]), "--user", "ruth")
    assert (code, undone["state"]) == (0, "accepted")
    code, _, said = run("undo", "--user", "li")
    assert code == 1
    assert said.count("\n") == 1


def test_a_task_says_what_measures_its_answers_and_where_that_is_changed(run):
    add(run)
    line = "Metric of answers in free text: {} (task change TASK --metric)"
    said = run("task", "show", "t", plain=True)[1]
    assert line.format("the metric of the catalogue or of each item") in said
    code, _, refusal = run("task", "protocol", "t", "--set", "metric=judge")
    assert (code, "benchseal task change TASK --metric" in refusal) == (1, True)
    assert run("task", "change", "t", "--metric", "judge")[0] == 0
    assert line.format("rating by a judge model") in run("task", "show", "t", plain=True)[1]


def test_history_tells_an_items_life_in_order(run):
    add(run)
    number = hand_in(run, 1)
    run("decide", str(number), "--reviewer", "li", "--return", "太短")
    run("revise", str(number), "--user", "ann", "--note", "长了", "--set", "output=长一点的标题")
    run("decide", str(number), "--reviewer", "li", "--accept")
    life = run("history", str(number))[1]
    kinds = [event["kind"] for event in life["events"]]
    assert kinds == ["submitted", "decided", "revised", "decided"]
    assert [r["number"] for r in life["revisions"]] == [1, 2]
    today = datetime.now(UTC).date().isoformat()
    assert run("items", "--as-of", today)[1]["states"]["accepted"] == 1
    assert run("items", "--as-of", "2020-01-01")[1]["count"] == 0


def test_the_past_is_asked_by_what_the_ledger_tells_of_it_and_by_nothing_else(run):
    """Filters were left out without a word, and every item was counted."""
    add(run)
    number = hand_in(run, 1)
    today = datetime.now(UTC).date().isoformat()

    def found(*given: str) -> list[int]:
        return [item["id"] for item in run("items", "--as-of", today, *given)[1]["items"]]

    state = run("show", str(number))[1]["state"]
    assert state != "accepted"
    assert found("--task", "t", "--benchmark", "b", "--state", state) == [number]
    assert found("--state", "accepted") == found("--disputed") == []
    for option in (("--search", "nothing"), ("--family", "scp"), ("--label", "x"),
                   ("--person", "ann"), ("--since", "2030-01-01"), ("--until", "2030-01-01"),
                   ("--score-from", "0"), ("--score-to", "3"), ("--stage", "2"),
                   ("--second-look",), ("--out", "x.jsonl"), ("--missed-alike", "s")):  # fmt: skip
        code, _, said = run("items", "--as-of", today, *option)
        assert (code, option[0] in said, said.count("\n")) == (2, True, 1), said
    code, _, said = run("items", "--as-of", today, "--state", "no-such")
    assert (code, "no-such" in said) == (2, True)
    assert run("items", "--model", "m")[0] == 2


def test_a_protocol_is_shown_and_edited(run):
    add(run)
    run("people", "boss", "--role", "lead")
    code, edited, said = run("task", "protocol", "t", "--set", "overlap=3", "--user", "boss")
    assert (code, edited["version"], edited["protocol"]["overlap"]) == (0, 2, 3)
    assert "version 2" in said
    assert [v["person"] for v in run("task", "protocol", "t")[1]["versions"]] == ["", "boss"]


def test_whoever_changes_many_protocols_reads_a_line_for_each(run):
    add(run)
    code, out, told = run("task", "protocol", "t", "--set", "overlap=3", plain=True)
    assert (code, out) == (0, "")
    assert "version 2" in told


def test_ratings_are_checked_and_kept(run):
    add(run, "rubric=coreeval")
    number = hand_in(run, 1)
    code, rated, _ = run("rate", str(number), "--user", "li", "fluency=3", "accuracy=1")
    assert (code, rated["values"]) == (0, {"fluency": 3.0, "accuracy": 1.0})
    assert run("rate", str(number), "--user", "wu", "fluency=9")[0] == 1
    assert run("rate", str(number), "--user", "wu", "fluency")[0] == 2
    assert run("rate", str(number), "--user", "wu", "fluency=high")[0] == 2


def test_a_task_is_rated_by_a_rubric_of_its_own(run, tmp_path):
    add(run)
    run("people", "boss", "--role", "lead")
    number = hand_in(run, 1)
    written = tmp_path / "rubric.txt"
    written.write_text("Clarity: Is it clear?\n1 no\n2 yes\n", encoding="utf-8")
    command = ("task", "change", "t", "--user", "boss", "--rubric")
    code, changed, _ = run(*command, str(written))
    assert (code, changed["changed"]["rubric"][0]["name"]) == (0, "Clarity")
    assert "Clarity: Is it clear?\n1 no\n2 yes" in run("task", "show", "t", plain=True)[1]
    assert run("task", "change", "t")[1]["versions"][-1]["rubric"].startswith("Clarity: ")
    code, rated, _ = run("rate", str(number), "--user", "li", "Clarity=2")
    assert (code, rated["values"]) == (0, {"Clarity": 2.0})
    code, _, said = run(*command, "Clarity\n1 no")
    assert (code, said.count("\n"), "Line 1 of the rubric" in said) == (1, 1, True)
    assert run(*command, "")[0] == 0
    assert run("rate", str(number), "--user", "wu", "fluency=3")[0] == 0


def test_a_protocol_and_its_versions_are_shown_in_the_language_in_use(run, monkeypatch):
    add(run)
    run("people", "boss", "--role", "lead")
    run("task", "change", "t", "--guideline", "短句", "--user", "boss")
    monkeypatch.setenv("BENCHSEAL_LANG", "zh")
    shown = run("task", "show", "t", plain=True)[1]
    assert "每个条目的审核员数" in shown
    assert "reviewers" not in shown
    assert re.search("^更改 +标注指南$", run("task", "change", "t", plain=True)[1], re.MULTILINE)


def test_what_was_done_is_told_in_words_of_the_language_and_not_as_it_is_stored(run, monkeypatch):
    add(run, "overlap=2")
    hand_in(run, 1)
    for name, role in (("boss", "lead"), ("li", "annotator"), ("wu", "annotator")):
        run("people", name, "--role", role)
    monkeypatch.setenv("BENCHSEAL_LANG", "zh")
    _, shares, warned = run("assign", "t", "--to", "li", "--user", "boss", plain=True)
    assert "li" in shares
    assert "需要 2 位审核员，而分配到该任务的在岗人员只有 1 位" in warned
    assert run("assign", "t", "--to", "wu", "--user", "boss", plain=True)[2] == ""
    told = run("decide", "1", "--user", "li", "--accept", plain=True)[1]
    assert told == "#1：通过，现为审核中。\n"
    run("decide", "1", "--user", "wu", "--accept")
    assert "（已审核），现为审核中。" in run("undo", "--user", "wu", plain=True)[1]
    run("decide", "1", "--user", "wu", "--accept")
    run("freeze", "july", "--user", "boss", "--reason", "try")
    head = run("split", "status", "july", plain=True)[1].partition("\n")[0]
    assert head.endswith("：已冻结，已启封 0 次、评测 0 次。")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("task", "show", "nothing"), 1),
        (("task", "protocol", "t", "--set", "overlap=none"), 1),
        (("task", "protocol", "t", "--set", "overlap"), 2),
        (("audit", "start", "t", "--user", "ruth"), 1),
        (("audit", "decide", "5", "--user", "ruth", "--accept"), 1),
        (("adjudicate", "5", "--user", "zoe", "--accept"), 1),
        (("adjudicate", "--user", "zoe", "--accept"), 2),
        (("history", "77"), 1),
        (("undo",), 1),
        (("people", "--role", "lead"), 2),
        (("revise", "9", "--user", "ann"), 1),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(run, arguments, code):
    add(run)
    ended, out, said = run(*arguments)
    assert (ended, out) == (code, "")
    assert said.count("\n") == 1


def test_roles_are_given_on_the_command_line(run):
    add(run)
    given = run("people", "li", "--role", "researcher")[1]["people"]
    assert given[0] == {
        "id": 2, "name": "li", "role": "researcher", "active": True, "account": "", "paused": None,
    }  # fmt: skip
    assert "li" in run("people", plain=True)[1]


def test_a_lead_changes_what_a_task_asks_for(run, tmp_path):
    add(run)
    run("people", "王老师", "--role", "lead")
    guideline = tmp_path / "说明.txt"
    guideline.write_bytes("标题不超过二十个字。".encode("gb18030"))
    change = ("task", "change", "t", "--guideline", str(guideline), "--labels", "正面，负面")
    assert run(*change, "--user", "li")[0] == 1
    code, done, _ = run(*change, "--user", "王老师")
    assert (code, done["version"], done["changed"]["labels"]) == (0, 2, ["正面", "负面"])
    assert run("task", "show", "t")[1]["profile"]["guideline"] == "标题不超过二十个字。"
    assert run("task", "show", "t", "--as-of", "2020-01-01")[1]["asked"]["guideline"] == ""
    code, text, _ = run("task", "change", "t", "--restore", "1", "--user", "王老师", plain=True)
    assert (code, "--restore 2" in text) == (0, True)
    assert [v["version"] for v in run("task", "change", "t")[1]["versions"]] == [1, 2, 3]
    assert run("task", "change", "t", "--target", "5", "--user", "li")[0] == 1


@pytest.mark.parametrize(
    "command",
    [
        ("decide", "9" * 25, "--reviewer", "li", "--accept"),
        ("history", "9" * 25),
        ("rate", "9" * 25, "--user", "li", "fluency=1"),
        ("reveal", "9" * 25, "--user", "zoe"),
        ("adjudicate", "9" * 25, "--user", "zoe", "--accept"),
        ("undo", "--event", "9" * 25),
        ("undo", "--event", "1"),
    ],
)
def test_a_number_that_nothing_has_is_refused_in_one_line(run, command):
    add(run)
    code, _, said = run(*command)
    assert (code, said.count("\n")) == (1, 1)
    assert "“”" not in said


def test_arguments_that_are_no_numbers_or_dates_are_named(run):
    add(run)
    for wrong in (("history", "abc"), ("items", "--as-of", "soon"), ("items", "--limit", "-1")):
        code, _, said = run(*wrong)
        assert (code, wrong[-1] in said, "invalid" in said) == (2, True, False)


def test_an_items_life_can_be_asked_up_to_a_past_moment(run):
    add(run)
    number = hand_in(run, 1)
    run("decide", str(number), "--reviewer", "li", "--return", "shorter")
    before = datetime.now(UTC).isoformat()
    run("revise", str(number), "--user", "ann", "--set", "output=短")
    then = run("history", str(number), "--as-of", before, "--user", "li")[1]
    assert (then["state"], len(then["revisions"])) == ("returned", 1)
    assert [event["kind"] for event in then["events"]] == ["submitted", "decided"]
    assert len(run("history", str(number))[1]["revisions"]) == 2
    assert run("history", str(number), "--as-of", "2020-01-01")[0] == 1


def reject_gold(ws: Workspace, known: list[int], waiting: list[int]) -> None:
    """Go through the queue of a reviewer who misses every gold item."""
    while card := review.next_card(ws, "li", "b"):
        assert card.number in (*known, *waiting)
        verdict = "reject" if card.number in known else "accept"
        review.decide(ws, "li", card.number, verdict, reason="other")


def test_gold_items_are_marked_and_a_pause_is_lifted(run, tmp_path: Path):
    add(run, "gold_rate=0.5", "gold_limit=0.6")
    known = [hand_in(run, place) for place in range(8)]
    ws = Workspace.open(tmp_path / "w")
    for number in known:
        review.decide(ws, "earlier", number, "accept")
    run("people", "ruth", "--role", "lead")
    for number in known:
        code, marked, _ = run("gold", "mark", str(number), "--accept", "--user", "ruth")
        assert (code, marked) == (0, {"item": number, "gold": "accept"})
    code, ended, _ = run("gold", "unmark", str(known[-1]), "--user", "ruth")
    assert (code, ended) == (0, {"item": known[-1], "gold": None})
    waiting = [hand_in(run, place) for place in range(100, 120)]
    with pytest.raises(RightsError, match="paused"):
        reject_gold(ws, known[:-1], waiting)
    assert run("gold", "lift", "li", "--user", "li")[0] == 1
    assert run("gold", "lift", "li", "--user", "ruth")[0] == 0
    assert review.next_card(ws, "li", "b") is not None
    ws.close()
    assert run("verify")[1]["sound"] is True


def test_only_leads_and_researchers_mark_gold_items(run):
    add(run)
    number = hand_in(run, 1)
    run("decide", str(number), "--reviewer", "li", "--accept")
    code, _, said = run("gold", "mark", str(number), "--accept", "--user", "li")
    assert (code, "li" in said, "Traceback" in said) == (1, True, False)
    run("people", "ruth", "--role", "lead")
    assert run("gold", "mark", str(number), "--user", "ruth")[0] == 2


def test_who_left_works_here_no_longer_until_a_lead_lets_them(run):
    add(run)
    number = hand_in(run, 1)
    run("people", "ruth", "--role", "lead")
    run("people", "li")
    assert run("people", "li", "--active", "no", "--user", "li")[0] == 1
    code, found, _ = run("people", "li", "--active", "no", "--user", "ruth")
    assert (code, [one["active"] for one in found["people"] if one["name"] == "li"]) == (0, [False])
    assert run("decide", str(number), "--reviewer", "li", "--accept")[0] == 1
    assert run("people", "li", "--active", "yes", "--user", "ruth")[0] == 0
    assert run("decide", str(number), "--reviewer", "li", "--accept")[0] == 0
    assert run("people", "--active", "no")[0] == 2
    assert run("verify")[1]["sound"] is True


@pytest.mark.parametrize(
    ("code", "count", "sentence"),
    [
        ("en", 1, "1 item written to {path}."),
        ("en", 2, "2 items written to {path}."),
        ("zh", 1, "已将 1 个条目写入 {path}。"),
        ("zh", 2, "已将 2 个条目写入 {path}。"),
    ],
)
def test_one_item_and_two_are_counted_in_their_own_form(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, count: int, sentence: str
):
    add(run)
    for place in range(count):
        hand_in(run, place)
    monkeypatch.setenv("BENCHSEAL_LANG", code)
    assert run("people", "boss", "--role", "lead")[0] == 0
    path = tmp_path / "items.jsonl"
    _, _, said = run("items", "--out", str(path), "--user", "boss", plain=True)
    assert said.strip() == sentence.format(path=path)


def test_an_import_of_many_files_says_what_they_share_once(run, tmp_path):
    files = []
    for number in range(3):
        file = tmp_path / f"task-{number}.tsv"
        rows = [f"Name the mood.\tRain {number}{n}\tbad" for n in range(4)]
        file.write_text("instruction\ttext\tlabel\n" + "\n".join(rows) + "\n", "utf-8")
        files.append(str(file))
    run("init", "--user", "ruth")
    code, told, _ = run("import", *files, "--benchmark", "b", "--user", "ruth", plain=True)
    assert code == 0
    assert told.count("rows imported, 0 already") == 3
    read = "family instruction: instruction ← instruction, input ← text, output ← label"
    assert told.count(read) == 1
    assert told.count("The gate is off") == 1
    assert "In total: 12 of 12 rows imported into 3 tasks, 0 already existed" in told


def test_a_field_that_is_given_more_than_once_is_a_list(run):
    run("task", "add", "q", "--benchmark", "b", "--family", "choice", "--set", "gate=off")
    fields = ["question=Which city is the capital of Peru?", "key=B"]
    code, _, refusal = run("submit", "q", "--user", "ann", "--set", *fields, "options=Lima")
    assert (code, "Field “options”: it must be a list." in refusal) == (1, True)
    options = [f"options={city}" for city in ("Quito", "Lima", "Bogotá")]
    code, made, _ = run("submit", "q", "--user", "ann", "--set", *fields, *options)
    assert (code, made["defects"]) == (0, [])
    twice = [*options, "options=Lima"]
    code, told, _ = run("submit", "q", "--user", "ann", "--set", *fields, *twice, plain=True)
    assert (code, "with 1 defect.\n  Two options are the same." in told) == (0, True)


def test_who_starts_an_audit_is_told_beforehand_who_may_audit(run):
    add(run, "overlap=1")
    first, second = hand_in(run, 1), hand_in(run, 2)
    for name in ("ruth", "zoe"):
        run("people", name, "--role", "researcher")
    run("decide", str(first), "--reviewer", "ruth", "--accept")
    run("decide", str(second), "--reviewer", "zoe", "--accept")
    code, told, before = run("audit", "start", "t", "--user", "ruth", plain=True)
    assert (code, "lot of 2" in told) == (0, True)
    assert before.splitlines()[0] == "2 accepted items are waiting for an audit."
    assert "You wrote or reviewed 1 of them" in before
    assert "zoe" in before.splitlines()[-1]
    assert "ruth" not in before


def test_a_queue_can_be_that_of_one_task_or_benchmark_at_every_stage(run):
    add(run, "overlap=1")
    run("task", "add", "u", "--benchmark", "c", "--set", "gate=off", "overlap=1", "audit_sample=1")
    for name, role in (("li", "annotator"), ("ruth", "researcher"), ("zoe", "lead")):
        run("people", name, "--role", role)
    numbers = {}
    for task in ("t", "u"):
        kept = []
        for place in range(3):
            made = run("submit", task, "--user", "ann", "--set", f"input={task}{place}", *FIELDS)[1]
            kept.append(made["item"])
        run("decide", str(kept[0]), "--reviewer", "li", "--accept")
        run("decide", str(kept[1]), "--reviewer", "li", "--return", "shorter")
        run("audit", "start", task, "--user", "ruth")
        numbers[task] = kept
    everything = run("queue", "--user", "zoe")[1]["counts"]
    assert (everything["review"], everything["audit"]) == (2, 2)
    assert run("queue", "--user", "ann")[1]["counts"]["write"] == 2
    checked, returned, waiting = numbers["u"]
    for asked in (("--task", "u"), ("--benchmark", "c"), ("--task", "c/u")):
        told = run("queue", "--user", "zoe", *asked)[1]
        assert {entry["item"] for entry in told["items"]} == {checked, waiting}, asked
        assert (told["counts"]["review"], told["counts"]["audit"]) == (1, 1)
        told = run("queue", "--user", "ann", "--stage", "1", *asked)[1]
        assert [entry["item"] for entry in told["items"]] == [returned], asked
    assert "no task" in run("queue", "--user", "zoe", "--task", "none")[2]


def test_an_empty_queue_says_why_it_is_empty(run):
    add(run, "overlap=2")
    number = hand_in(run, 1)
    for name in ("li", "zoe"):
        run("people", name)
    run("decide", str(number), "--reviewer", "li", "--accept")
    code, told, _ = run("queue", "--user", "li", plain=True)
    assert code == 0
    assert told.splitlines() == [
        "Nothing to do.",
        "1 item that you decided on waits for another reviewer.",
    ]
    run("people", "zoe", "--pause", "away")
    assert run("queue", "--user", "zoe")[1]["why"] == ["zoe is paused: away. Contact a lead."]


def test_a_package_goes_out_and_comes_back(run, tmp_path):
    add(run, "overlap=1")
    numbers = [hand_in(run, place) for place in range(3)]
    run("people", "li", "--role", "annotator")
    out, away, back = (str(tmp_path / name) for name in ("p.age", "away", "back.age"))
    key = run("package", "key")[1]["key"]
    assert key.startswith("age1")
    make = ("package", "make", out, "--to", "li", "--recipient", key, "--items", "2")
    code, made, _ = run(*make)
    assert (code, made["items"], made["person"]) == (0, numbers[:2], "li")
    code, opened, _ = run("package", "open", out, "--folder", away)
    assert (code, opened["items"], opened["person"]) == (0, 2, "li")
    assert run("decide", "1", "--accept", "--workspace", away)[0] == 0
    assert run("package", "return", back, "--workspace", away)[1]["decisions"] == 1
    code, came, _ = run("package", "merge", back)
    assert (code, [kept["number"] for kept in came["taken"]]) == (0, numbers[:1])
    assert run("history", str(numbers[0]), "--user", "li")[1]["state"] == "accepted"
    code, came, _ = run("package", "merge", back)
    assert (len(came["known"]), came["taken"], came["refused"]) == (1, [], [])
    code, _, refusal = run("package", "merge", out)
    assert (code, "not a work package that comes back" in refusal) == (1, True)
    (listed,) = run("package", "list")[1]["packages"]
    assert (listed["person"], listed["items"], listed["decided"], listed["held"]) == ("li", 2, 1, 1)
    assert run("package", "call-off", listed["package"])[1]["items"] == 1
    assert run("package", "list")[1]["packages"][0]["held"] == 0
    code, _, refusal = run("package", "call-off", listed["package"])
    assert (code, "Nothing of this work package" in refusal) == (1, True)


def test_the_gate_says_what_is_unknown_where_no_screened_out_item_was_reviewed(run, tmp_path):
    ws = Workspace.create(tmp_path / "w")
    make_task(ws)
    (number,) = write_items(ws, 1)
    screened(ws, number, 7.5)
    accept_all(ws, [number], "li")
    ws.close()
    code, said, _ = run("gate", "--benchmark", BENCHMARK, plain=True)
    assert code == 0
    assert said.startswith("Its false-reject rate is unknown: no screened-out items")
    assert "Nothing to count" not in said


def test_the_area_of_the_gate_is_one_number_wherever_it_is_told(run, tmp_path):
    ws = Workspace.create(tmp_path / "w")
    make_task(ws)
    numbers = write_items(ws, 6)
    # rounded down to half points 7 of 9 pairs would be in order, for three of them are ties
    screened_all(ws, dict(zip(numbers, (6.4, 7.1, 6.2, 6.3, 6.1, 5.9), strict=True)))
    accept_all(ws, numbers[:3], "li")
    for number in numbers[3:]:
        review.decide(ws, "li", number, "reject", reason="other")
    ws.close()
    area = run("gate", "--benchmark", BENCHMARK)[1]["auc"]
    assert area == pytest.approx(8 / 9)
    shown = run("dashboard", "gate", "--benchmark", BENCHMARK)[1]
    assert shown["auc"] == area
    (figures,) = (table for table in shown["tables"] if table["id"] == "gate")
    assert [row[1] for row in figures["rows"] if row[0] == "area under the curve"] == [area]
    (curve,) = (figure for figure in shown["figures"] if figure["id"] == "roc")
    assert curve["title"].endswith(f"area {area:.2f})")
    assert f" {area:.2f} [" in shown["sentence"]
