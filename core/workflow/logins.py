"""Passwords of a team's logins. A workspace on a server that came from an older Benchseal has none
of its own yet: ``Workspace.secured`` gives it them."""

from core.errors import InputError, StateError
from core.workflow.rights import Action, known_person, writing_as
from core.workflow.workspace import Workspace
from db.server import logins

SHORTEST_PASSWORD = 10


def check_password(password: str) -> str:
    """The password; InputError for one that is too short or that no keyboard types."""
    if len(password) < SHORTEST_PASSWORD or not password.isprintable():
        raise InputError.trn(
            "A password has at least 1 character, on one line.",
            "A password has at least {n} characters, on one line.",
            SHORTEST_PASSWORD,
        )
    return password


def set_password(ws: Workspace, name: str, password: str, actor: str = "") -> str:
    """Give a person's login a new password; returns the login. Leads only.

    Raises StateError where there are no logins, or for one that the workspace did not make: who
    administers the server looks after that.
    """
    if not ws.has_logins:
        raise StateError.tr(
            "Only a workspace on a PostgreSQL server that benchseal init made has passwords."
        )
    check_password(password)
    with writing_as(ws, actor, Action.CHANGE_PEOPLE, about=name) as (session, _lead):
        person = known_person(session, name)
        if not person.account:
            raise StateError.tr(
                "{name} has no login yet. Give one: benchseal people add {name}", name=name
            )
        if not logins.set_password(session, person.account, password):
            raise StateError.tr(
                "The login “{login}” existed before this workspace; only the server's "
                "administrator can change its password.",
                login=person.account,
            )
        return person.account


def is_own(ws: Workspace, name: str) -> bool:
    """Whether the workspace made a person's login, and a lead can set its password."""
    if not ws.has_logins:
        return False
    with ws.reading() as session:
        account = known_person(session, name).account
        return bool(account) and logins.is_own(session, str(account))


def set_first_password(ws: Workspace, login: str, password: str) -> None:
    """Give the first lead's login a password, as who administers the server; a login that was
    there before keeps its own."""
    check_password(password)
    with ws.writing() as session:
        logins.set_password(session, login, password)


def is_made_here(ws: Workspace, login: str) -> bool:
    """Whether this workspace made a login."""
    with ws.reading() as session:
        return logins.is_own(session, login)
