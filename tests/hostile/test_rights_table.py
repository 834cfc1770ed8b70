"""Every action by everybody who may not do it, really tried: refused in words, nothing written."""

import hashlib
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from core.accounts import login
from core.cli import main
from core.errors import BenchsealError
from core.workflow import people, rights, tasks, team
from core.workflow.audit import lots
from core.workflow.check import adjudicate, blinding, gold, rate
from core.workflow.dashboards import alarms
from core.workflow.items import bulk, undo
from core.workflow.items.bulk import BulkAction
from core.workflow.items.search import Filters, forget_filter, save_filter
from core.workflow.production import write
from core.workflow.rights import ROLES, Action
from core.workflow.splits import freeze, lifecycle
from core.workflow.workspace import Workspace
from resources import resource
from tests.full_workspace import PEOPLE, RATED, SPLIT, FullWorkspace, fill
from tests.hostile.conftest import Attack
from tests.workspaces import BENCHMARK, TASK

GONE, STRANGER, NOBODY = "gone", "stranger", ""
OF_ROLE = {"annotator": "ann", "specialist": "li", "researcher": "ray", "lead": "boss"}
REFUSALS = ("has the role", "no longer works", "There is no person", "Nobody in this workspace")

# What each command does, and who may: the words of the command line, with {place} for an item.
COMMANDS: tuple[tuple[Action, str], ...] = (
    (Action.CHANGE_PEOPLE, "people Eve --role lead"),
    (Action.CHANGE_PEOPLE, "people Eve"),
    (Action.CHANGE_PEOPLE, "people ann --role lead"),
    (Action.CHANGE_PEOPLE, "people boss --role annotator"),
    (Action.CHANGE_PEOPLE, "people wu --active no"),
    (Action.CHANGE_PEOPLE, "people gone --active yes"),
    (Action.CHANGE_PEOPLE, "people ann --account {login}"),
    (Action.CHANGE_PEOPLE, "workspace --shared"),
    (Action.ADD_TASK, "task add another --benchmark bench --family instruction --format triplet"),
    (Action.ADD_TASK, "import {file} --task new --benchmark bench"),
    (Action.EDIT_TASK, "task change {task} --guideline other"),
    (Action.EDIT_TASK, "task change {task} --target 3"),
    (Action.EDIT_PROTOCOL, "task protocol {task} --set overlap=1"),
    (Action.LIFT_PAUSE, "gold lift li"),
    (Action.ASSIGN, "people li --pause"),
    (Action.ASSIGN, "people li --resume"),
    (Action.ASSIGN, "assign {task} --to li"),
    (Action.CHANGE_PEOPLE, "people li --invite"),
    (Action.CHANGE_PEOPLE, "organisation Lab --person li"),
    (Action.SET_GOLD, "gold mark {accepted} --accept"),
    (Action.SET_GOLD, "gold unmark {gold}"),
    (Action.REVEAL, "reveal {waiting}"),
    (Action.REVEAL, "reveal --all --benchmark bench"),
    (Action.REVEAL, "dashboard people --benchmark bench --named"),
    (Action.AUDIT, "audit start {task}"),
    (Action.AUDIT, "audit decide {drawn} --accept"),
    (Action.FREEZE, "freeze two --benchmark bench"),
    (Action.SEAL_SPLIT, "split seal {split}"),
    (Action.OPEN_SPLIT, "split open {split} --reason why"),
    (Action.EXPIRE_SPLIT, "split expire {split}"),
    (Action.EVALUATE, "evaluate {split} --engine baseline:tfidf --model x"),
    (Action.MAKE_ITEMS, "screen --benchmark bench --base-url http://127.0.0.1:9/v1 --model m"),
    (Action.MAKE_ITEMS, "generate scp {articles} --benchmark bench --per-article 1"),
    (Action.SET_ALARM, "alarm set --below 0.5 --benchmark bench"),
    (Action.ADJUDICATE, "adjudicate {disputed} --accept"),
    (Action.SECOND_LOOK, "second-look {frozen} --note look"),
    (Action.KEEP_PUBLIC_SCORES, "analyze public {scores}"),
    (Action.WRITE, "submit {task} --set instruction=a output=b"),
    (Action.REVIEW, "decide {waiting} --accept"),
    (Action.RATE, "rate {rated} fluency=3"),
    (Action.UNDO, "undo"),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, FullWorkspace]:
    """A workspace with something at every stage, whose maker no account stands for."""
    folder = tmp_path_factory.mktemp("rights") / "workspace"
    ws = Workspace.create(folder, "maker")
    full = fill(ws)
    people.ensure_person(ws, GONE, "lead")
    people.set_active(ws, GONE, False)
    people.set_account(ws, "maker", "")
    ws.close()
    return folder, full


def content(folder: Path) -> str:
    """A digest of every row of every table, and the names of all files beside the database."""
    connection = sqlite3.connect(folder / "workspace.db")
    named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_%'"
    lines = "\n".join(
        repr((name, sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr)))
        for (name,) in connection.execute(named).fetchall()
    )
    connection.close()
    files = sorted(str(path) for path in folder.rglob("*") if "workspace.db-" not in path.name)
    return hashlib.sha256("\n".join([lines, *files]).encode()).hexdigest()


def forbidden_to(action: Action) -> list[str]:
    """Names of those who may not: too low a role, gone, unknown, and no name at all."""
    allowed = rights.roles_for(action)
    names = [OF_ROLE[role] for role in ROLES if role not in allowed]
    stranger = [] if rights.RULES[action].newcomer else [STRANGER]
    return [*names, GONE, *stranger, NOBODY]


def test_the_command_line_refuses_and_writes_nothing(
    place: tuple[Path, FullWorkspace],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    attack: Callable[[str], Attack],
):
    folder, full = place
    row = attack("an act without the right, command line")
    (tmp_path / "new.jsonl").write_text('{"instruction": "a", "output": "b"}\n', encoding="utf-8")
    scores = "model,set,domain,accuracy\nm,sequencing,CS,0.5\n"
    (tmp_path / "scores.csv").write_text(scores, encoding="utf-8")
    words = {
        "login": login(), "file": tmp_path / "new.jsonl", "task": TASK, "split": SPLIT,
        "scores": tmp_path / "scores.csv", "articles": resource("demo"),
        "accepted": full.accepted[0], "gold": full.gold[0], "waiting": full.waiting[0],
        "drawn": full.drawn[0], "disputed": full.disputed[0], "frozen": full.frozen[0],
        "rated": full.rated[0],
    }  # fmt: skip
    before = content(folder)
    for action, command in COMMANDS:
        for name in forbidden_to(action):
            argv = ["--workspace", str(folder), *(w.format(**words) for w in command.split())]
            code = main([*argv, *(["--user", name] if name else [])])
            said = capsys.readouterr()
            what = f"{command} --user {name or 'nobody'}: {code}, {said.err.strip()}"
            one_sentence = said.err.strip() and "\n" not in said.err.strip()
            refused = code == 1 and one_sentence and any(part in said.err for part in REFUSALS)
            written = content(folder) != before
            row.tried("" if refused and not written else what)
    assert row.tries >= 60


# What shows figures: whoever is named must be known here and allowed to look; without a name it is
# what everybody with the files may see.
LOOKS: tuple[tuple[Action, str], ...] = (
    (Action.SEE_QUALITY, "agreement --benchmark bench --interval none"),
    (Action.SEE_QUALITY, "gate --benchmark bench"),
    (Action.SEE_ITEMS, "duplicates {task} --benchmark bench"),
    (Action.SEE_PEOPLE, "audit status {task} --benchmark bench"),
)


def test_a_look_is_refused_to_whom_the_window_would_refuse_it(
    place: tuple[Path, FullWorkspace],
    capsys: pytest.CaptureFixture[str],
    attack: Callable[[str], Attack],
):
    folder, _ = place
    row = attack("a look without the right, command line")
    for action, command in LOOKS:
        words = ["--workspace", str(folder), *command.format(task=TASK).split()]
        for name in (*forbidden_to(action), *OF_ROLE.values()):
            code = main([*words, *(["--user", name] if name else [])])
            said = capsys.readouterr()
            refused = code == 1 and any(part in said.err for part in REFUSALS)
            wanted = bool(name) and name in forbidden_to(action)
            row.tried("" if refused == wanted else f"{command} as {name}: {code}, {said.err}")


USE_CASES: dict[str, tuple[Action, Callable[[Workspace, FullWorkspace, str], object]]] = {
    "add a person": (Action.CHANGE_PEOPLE, lambda ws, at, who: people.ensure_person(
        ws, "Eve", "lead", who)),
    "change a role": (Action.CHANGE_PEOPLE, lambda ws, at, who: people.set_role(
        ws, "ann", "lead", who)),
    "share": (Action.CHANGE_PEOPLE, lambda ws, at, who: people.set_shared(ws, True, who)),
    "change a task": (Action.EDIT_TASK, lambda ws, at, who: tasks.change(
        ws, TASK, who, guideline="x")),
    "change a protocol": (Action.EDIT_PROTOCOL, lambda ws, at, who: tasks.set_protocol(
        ws, TASK, {"overlap": "1"}, person=who)),
    "settle": (Action.ADJUDICATE, lambda ws, at, who: adjudicate.settle(
        ws, who, at.disputed[0], "accept")),
    "audit": (Action.AUDIT, lambda ws, at, who: lots.start(ws, TASK, who)),
    "gold": (Action.SET_GOLD,
             lambda ws, at, who: gold.mark_gold(ws, who, at.accepted[0], "accept")),
    "lift": (Action.LIFT_PAUSE, lambda ws, at, who: gold.lift_pause(ws, who, "li")),
    "pause": (Action.ASSIGN, lambda ws, at, who: team.pause(ws, "li", "", who)),
    "assign": (Action.ASSIGN, lambda ws, at, who: team.assign(ws, [TASK], ["li"], who)),
    "reveal": (Action.REVEAL, lambda ws, at, who: blinding.reveal(ws, who, at.waiting[0])),
    "draw": (Action.DRAW_RATING_SAMPLE, lambda ws, at, who: rate.draw(ws, RATED, who)),
    "many": (Action.CHANGE_MANY, lambda ws, at, who: bulk.run(
        ws, Filters(numbers=(at.waiting[0],)), BulkAction("reject", "no"), who)),
    "freeze": (Action.FREEZE, lambda ws, at, who: freeze.freeze(ws, "two", BENCHMARK, who)),
    "seal": (Action.SEAL_SPLIT, lambda ws, at, who: lifecycle.seal(ws, SPLIT, who)),
    "open": (Action.OPEN_SPLIT, lambda ws, at, who: lifecycle.open_split(ws, SPLIT, who, "why")),
    "expire": (Action.EXPIRE_SPLIT, lambda ws, at, who: lifecycle.expire(ws, SPLIT, who)),
    "alarm": (Action.SET_ALARM, lambda ws, at, who: alarms.remove_alarm(ws, who, 1)),
    "keep a filter": (Action.KEEP_FILTERS, lambda ws, at, who: save_filter(
        ws, "f", Filters(), who)),
    "forget a filter": (Action.KEEP_FILTERS, lambda ws, at, who: forget_filter(ws, "f", who)),
    "write": (Action.WRITE, lambda ws, at, who: write.save_draft(ws, who, TASK, {"output": "x"})),
    "undo": (Action.UNDO, lambda ws, at, who: undo.undo(ws, who)),
}  # fmt: skip


def test_the_window_refuses_the_same_by_the_same_rule(
    place: tuple[Path, FullWorkspace], attack: Callable[[str], Attack]
):
    """What a panel hands to ``context.write``, with the name of the person in the window."""
    folder, full = place
    row = attack("an act without the right, window")
    ws = Workspace.open(folder)
    before = content(folder)
    for title, (action, act) in USE_CASES.items():
        for name in forbidden_to(action):
            ws.person = name
            try:
                partial(act, ws, full, name)()
            except BenchsealError as error:
                row.tried("" if any(part in str(error) for part in REFUSALS) else str(error))
            else:
                row.tried(f"{title} as {name or 'nobody'}")
    ws.close()
    assert content(folder) == before
    assert row.tries >= 60


def test_the_people_of_the_table_have_these_roles():
    assert {role: PEOPLE[name] for role, name in OF_ROLE.items()} == dict(
        zip(ROLES, ROLES, strict=True)
    )
