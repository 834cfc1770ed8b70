"""The one rule for rights: its table, its sentences, and that nothing else knows a role."""

import ast
import importlib.util
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from core.accounts import login
from core.errors import BenchsealError, NotFoundError, RightsError
from core.i18n import set_language
from core.workflow import people, rights
from core.workflow.rights import ROLES, RULES, Action, is_allowed, roles_for, writing_as
from core.workflow.workspace import Workspace
from db import engine
from db import people as person_rows
from db.vocabulary import Role

ROOT = Path(__file__).resolve().parents[3]
# The lowest role for each action: whoever stands above it may as well.
LOWEST = {
    "annotator": "WRITE REVIEW RATE SEE_PROGRESS READ_TABLES UNDO ASK",
    "specialist": "ADJUDICATE SEE_ITEMS SEE_QUALITY KEEP_FILTERS",
    "researcher": "MAKE_ITEMS DRAW_RATING_SAMPLE SET_GOLD SEE_GOLD REVEAL AUDIT SEE_PEOPLE "
    "SEARCH_BY_PERSON CHANGE_MANY SECOND_LOOK FREEZE SEAL_SPLIT EVALUATE RATE_ANSWERS "
    "RUN KEEP_PUBLIC_SCORES ANSWER",
    "lead": "WRITE_FOR_OTHERS LIFT_PAUSE OPEN_SPLIT EXPIRE_SPLIT ADD_TASK EDIT_TASK EDIT_PROTOCOL "
    "CHANGE_PEOPLE ASSIGN SET_ALARM VERIFY BACK_UP DECLARE_ERRATA",
}
LADDER = ("annotator", "specialist", "researcher", "lead")
TABLE = [
    (role, Action[name], LADDER.index(role) >= LADDER.index(lowest))
    for lowest, names in LOWEST.items()
    for name in names.split()
    for role in LADDER
]
# Where a person's role is set or shown, and a field of Label Studio's files that is called alike.
MAY_NAME_ROLES = {
    "core/workflow/rights.py", "core/workflow/workspace.py", "core/workflow/labels.py",
    "core/cli/workspace/start.py",
    "db/vocabulary.py", "db/server/groups.py", "db/server/guards.py", "db/server/policies.py",
    "core/sources/imports/annotated_rows.py",
    "core/workflow/production/annotators.py",
}  # fmt: skip


def test_the_table_has_every_action_once():
    assert sorted(action for role, action, _ in TABLE if role == "lead") == sorted(Action)
    assert set(RULES) == set(Action)
    assert LADDER == ROLES == tuple(Role)


@pytest.mark.parametrize(("role", "action", "allowed"), TABLE)
def test_each_role_may_do_what_the_table_says(
    ws_of_four: Workspace, role: str, action: Action, allowed: bool
):
    assert is_allowed(role, action) is allowed
    with ws_of_four.reading() as session:
        if allowed:
            assert rights.require(session, role, action).name == role
        else:
            with pytest.raises(RightsError) as refusal:
                rights.require(session, role, action)
            assert RULES[action].phrase() in str(refusal.value)
            assert ", ".join(roles_for(action)) in str(refusal.value)


@pytest.fixture(scope="module")
def ws_of_four(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace of four people, each called like their role."""
    ws = Workspace.create(tmp_path_factory.mktemp("four") / "workspace")
    for role in LADDER:
        people.ensure_person(ws, role, role)
    return ws


def test_a_role_that_is_none_may_nothing():
    assert not any(is_allowed("visitor", action) for action in Action)


def test_who_left_may_nothing(ws: Workspace):
    people.ensure_person(ws, "boss", "lead")
    people.set_active(ws, "boss", False)
    for action in Action:
        with (
            pytest.raises(RightsError, match="boss no longer works in this workspace"),
            writing_as(ws, "boss", action),
        ):
            pytest.fail(f"the transaction of {action} began")


@pytest.mark.parametrize("action", Action)
def test_somebody_new_gets_the_role_of_the_rule_which_is_never_more_than_a_specialist(
    sqlite_ws: Workspace, action: Action
):
    newcomer = RULES[action].newcomer
    if newcomer is None:
        with (
            pytest.raises(NotFoundError, match="no person “li”"),
            writing_as(sqlite_ws, "li", action),
        ):
            pytest.fail("the transaction began")
        assert [person.name for person in people.people(sqlite_ws)] == [login()]
        return
    with writing_as(sqlite_ws, " li ", action) as (_, person):
        assert (person.name, person.role) == ("li", newcomer)
    assert newcomer in ("annotator", "specialist")


def test_a_role_stays_while_its_holder_writes(ws: Workspace, monkeypatch: pytest.MonkeyPatch):
    """On either database: another program's change of the role waits, here for a moment only."""
    ray = people.ensure_person(ws, "ray", "researcher")
    monkeypatch.setattr(engine, "BUSY_TIMEOUT", 20)

    def demote() -> None:
        with ws.writing() as session:
            if ws.is_server:
                session.execute(text("SET LOCAL lock_timeout = '20ms'"))
            person_rows.set_role(session, ray.id, "annotator")

    with writing_as(ws, "ray", Action.AUDIT), pytest.raises(BenchsealError):
        demote()
    assert {person.name: person.role for person in people.people(ws)}["ray"] == "researcher"


def test_two_leads_who_demote_each_other_at_once_leave_one(ws: Workspace):
    """They wait for each other in one order; the second is refused, and no ring of locks forms."""
    for name in ("a", "b"):
        people.ensure_person(ws, name, "lead")
    barrier = threading.Barrier(2)
    refused: list[str] = []

    def demote(actor: str, other: str) -> None:
        barrier.wait()
        try:
            people.set_role(ws, other, "annotator", actor)
        except RightsError:
            refused.append(actor)

    threads = [threading.Thread(target=demote, args=pair) for pair in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(refused) == 1
    assert refused[0] not in [one.name for one in people.people(ws) if one.role == "lead"]


def named_roles(path: Path) -> list[str]:
    """The places of a module that name a role: ``Role`` itself, or its word as a whole text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for node in ast.walk(tree)
        if (isinstance(node, ast.Constant) and node.value in tuple(Role))
        or (isinstance(node, ast.Name) and node.id == "Role")
        or (isinstance(node, ast.alias) and node.name == "Role")
    ]


def test_roles_are_named_in_one_place():
    modules = [path for part in ("core", "db", "gui") for path in (ROOT / part).rglob("*.py")]
    places = [
        place
        for path in modules
        if str(path.relative_to(ROOT)) not in MAY_NAME_ROLES
        for place in named_roles(path)
    ]
    assert places == []
    assert all(named_roles(ROOT / name) for name in MAY_NAME_ROLES)


def test_the_help_has_the_table_as_it_is():
    spec = importlib.util.spec_from_file_location("roles", ROOT / "packaging" / "roles_page.py")
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    assert pages.main("check") == 0, "run packaging/roles_page.py update"


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("en", "added by its first draft, as an annotator, or by its first review, rating or "
               "adjudication, as a specialist."),
        ("zh", "新姓名在第一次保存草稿时作为标注员、在第一次审核、评分或仲裁时作为专家被添加。"),
    ],
)  # fmt: skip
def test_the_help_says_what_adds_a_new_name_and_as_what(code: str, sentence: str):
    added = {action: rule.newcomer for action, rule in RULES.items() if rule.newcomer}
    drafts = {Action.WRITE: Role.ANNOTATOR}
    assert added == drafts | dict.fromkeys(
        (Action.REVIEW, Action.RATE, Action.ADJUDICATE), Role.SPECIALIST
    )
    page = ROOT / "resources" / "help" / f"roles.{code}.md"
    assert sentence in page.read_text(encoding="utf-8")


def test_a_refusal_names_roles_in_the_language_of_its_sentence(ws_of_four: Workspace):
    set_language("zh")
    with (
        ws_of_four.reading() as session,
        pytest.raises(RightsError) as refusal,
    ):
        rights.require(session, "annotator", Action.FREEZE)
    assert "研究员、负责人" in str(refusal.value) or "研究员, 负责人" in str(refusal.value)
    assert "lead" not in str(refusal.value)
