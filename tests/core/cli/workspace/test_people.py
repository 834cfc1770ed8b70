"""A team's server from the command line: making it, adding people, and who somebody is there."""

import io
import json
from collections.abc import Iterator

import psycopg
import pytest

from core.cli import main
from core.workflow import people
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db.engine import upgrade
from tests.postgres import PostgresServer

PASSWORD = "correct horse battery"


@pytest.fixture
def database(pg_server: PostgresServer, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Iterator[str]:
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n" * 9))
    name = pg_server.create()
    yield name
    pg_server.drop(name)


@pytest.fixture
def run(pg_server: PostgresServer, database: str, monkeypatch, capsys):
    """Run a command as a login; returns exit code and what was said."""

    def run(login: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setenv("BENCHSEAL_WORKSPACE", pg_server.url(database, login))
        code = main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_lead_makes_logins_with_passwords_that_no_log_has(run, pg_server, database):
    code, said, wrong = run("postgres", "init", "--lead", "Ruth", "--login", "ruth1")
    assert (code, wrong) == (0, "")
    assert "Ruth is a lead with the login ruth1" in said
    assert run("ruth1", "people", "add", "吴一", "--role", "annotator")[0] == 0
    document = json.loads(run("ruth1", "people", "list", "--json")[1])
    assert [(one["name"], one["account"]) for one in document["people"]] == [
        ("Ruth", "ruth1"), ("吴一", "吴一"),
    ]  # fmt: skip
    with psycopg.connect(pg_server.base) as connection:
        query = "SELECT rolpassword FROM pg_authid WHERE rolname IN ('ruth1', '吴一')"
        kept = [row[0] for row in connection.execute(query)]
    assert len(kept) == 2
    assert all(word.startswith("SCRAM-SHA-256$") for word in kept)


def test_the_login_says_who_somebody_is_and_user_must_agree(run):
    run("postgres", "init", "--lead", "Ruth", "--login", "ruth2")
    run("ruth2", "people", "add", "li2", "--role", "annotator")
    code, _, wrong = run("li2", "people", "add", "zoe2")
    assert code == 1
    assert "li2 has the role annotator" in wrong
    code, _, wrong = run("li2", "people", "add", "zoe2", "--user", "Ruth")
    assert code == 1
    assert "You are logged in to the server as “li2”" in wrong
    code, said, _ = run("li2", "workspace")
    assert code == 0
    assert "login on the server decides who acts" in said
    code, _, wrong = run("postgres", "people", "add", "zoe2")
    assert code == 1
    assert "belongs to nobody in the workspace" in wrong


def test_who_is_disabled_cannot_log_in_until_enabled(run, pg_server, database):
    run("postgres", "init", "--lead", "Ruth", "--login", "ruth3")
    run("ruth3", "people", "add", "li3", "--role", "annotator")
    assert run("ruth3", "people", "disable", "li3")[0] == 0
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        psycopg.connect(pg_server.url(database, "li3"))
    assert run("ruth3", "people", "enable", "li3")[0] == 0
    psycopg.connect(pg_server.url(database, "li3")).close()
    code, said, _ = run("ruth3", "people", "reset", "li3")
    assert code == 0
    assert "new password" in said


def test_a_role_that_changes_changes_the_rights_at_once(run, pg_server, database):
    run("postgres", "init", "--lead", "Ruth", "--login", "ruth4")
    run("ruth4", "people", "add", "li4", "--role", "annotator")
    with psycopg.connect(pg_server.url(database, "li4")) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM lot")
        connection.rollback()
        assert run("ruth4", "people", "li4", "--role", "researcher")[0] == 0
        connection.execute("SELECT * FROM lot")
        connection.rollback()
        assert run("ruth4", "people", "li4", "--role", "annotator")[0] == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM lot")


def test_an_invitation_holds_the_login_and_no_password(run):
    run("postgres", "init", "--lead", "Ruth", "--login", "ruth5")
    run("ruth5", "people", "add", "li5", "--role", "annotator")
    code, said, _ = run("ruth5", "people", "li5", "--invite")
    assert code == 0
    assert "postgresql://li5@" in said
    assert PASSWORD not in said
    assert "ruth5" not in said


def test_a_short_password_is_refused(run, monkeypatch):
    run("postgres", "init", "--lead", "Ruth", "--login", "ruth6")
    run("ruth6", "people", "add", "li6", "--role", "annotator")
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    code, _, wrong = run("ruth6", "people", "reset", "li6")
    assert code == 1
    assert "at least 10 characters" in wrong


def test_a_workspace_from_before_opens_and_is_given_logins_by_its_administrator(
    run, pg_server, database
):
    upgrade(pg_server.url(database))  # tables alone, as an older Benchseal made them
    ws = Workspace.open(pg_server.url(database))
    people.make_first_lead(ws, "Old")
    people.ensure_person(ws, "li7", "annotator", "Old")
    assert not ws.has_logins
    assert "not authenticated" in people.sharing_sentence(False, ws)
    ws.close()
    code, _, wrong = run("postgres", "init")
    assert code == 1
    assert "init --lead NAME" in wrong
    code, said, wrong = run("postgres", "init", "--lead", "Old", "--login", "old7")
    assert (code, wrong) == (0, "")
    assert "Old is a lead with the login old7" in said
    assert run("old7", "people", "add", "li7", "--account", "li7")[0] == 0
    lead = Workspace.open(pg_server.url(database, "old7"))
    assert {row.name: row.account for row in people.people(lead)} == {"Old": "old7", "li7": "li7"}
    assert verify(lead).findings == ()
    assert people.names_sentence(lead).startswith("Since ")
    lead.close()


def test_a_policy_that_was_taken_away_is_found(run, pg_server, database):
    run("postgres", "init", "--lead", "Ruth", "--login", "ruth8")
    lead = Workspace.open(pg_server.url(database, "ruth8"))
    assert verify(lead).findings == ()
    with psycopg.connect(pg_server.url(database)) as connection:
        connection.execute("DROP POLICY select_0 ON decision")
        connection.execute(f'GRANT UPDATE ON decision TO "benchseal_{database}_annotator"')
    found = [str(finding) for finding in verify(lead).findings]
    lead.close()
    assert any("decision.select_0" in one for one in found)
    assert len(found) >= 2
