"""Signing in to a team's server by keys: what goes wrong is said, and nothing is lost by it."""

from pathlib import Path

import psycopg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.workflow.anchors import anchors
from core.workflow.workspace import Workspace
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from gui.window.start_page import StartPage
from tests.gui.jobs.steps import Steps
from tests.gui.jobs.test_first_run import at_rest, start_page, started
from tests.gui.scene import CTRL, Scene, bench_of
from tests.servers.older_server import older_server
from tests.servers.strict_server import ELSEWHERE, PASSWORD, StrictServer


@pytest.fixture
def steps(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> tuple[MainWindow, Steps]:
    """The window with the form for a team in front, the focus in the address."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    window = started(scene)
    page = start_page(window)
    page.choose("join")
    page.focus_form()
    return window, Steps(scene, at_rest(window))


def sign_in(steps: Steps, address: str, login: str, password: str) -> None:
    """Fill in the form from the address on, and press Enter."""
    steps.type(address)
    for text in (login, password):
        steps.key(Qt.Key.Key_Tab)
        steps.type(text)
    steps.key(Qt.Key.Key_Return)


def test_each_trouble_is_said_on_the_form_and_the_next_try_works(
    steps, scene: Scene, strict_server: StrictServer, outside_attempts: list[str]
):
    window, keys = steps
    form = start_page(window).forms["join"]
    here = strict_server.address()
    for address, login, password, words in (
        (here, "wu", "something else", "does not accept this login"),
        (strict_server.address(database="no_such"), "wu", PASSWORD, "has no database"),
        ("postgresql://no-such-host.invalid/team", "wu", PASSWORD, "No computer has the name"),
        (strict_server.address(host=ELSEWHERE, trusting=False), "wu", PASSWORD, "be trusted"),
        ("postgresql://127.0.0.1:9/team", "wu", PASSWORD, "does not answer"),
        ("nonsense", "wu", PASSWORD, "is not the address"),
    ):
        form.address.setFocus()
        sign_in(keys, address, login, password)
        assert form.says.isVisible()
        assert words in form.says.text()
        assert password not in form.says.text()
        assert form.button.isEnabled()
    form.address.setFocus()
    sign_in(keys, here, "wu", PASSWORD)
    scene.until(lambda: window.workbench is not None)
    assert bench_of(window).context.person.name == "wu"


def refused(window, words: str) -> None:
    """The form is there, says one sentence, and can be used."""
    page = window.centralWidget()
    assert isinstance(page, StartPage)
    form = page.forms["join"]
    assert form.says.isVisible()
    assert words in form.says.text()
    assert "\n" not in form.says.text().strip()
    assert PASSWORD not in form.says.text()
    assert form.button.isEnabled()


def again(window, keys) -> None:
    """Type the password once more and press Enter."""
    form = start_page(window).forms["join"]
    form.password.setFocus()
    form.password.selectAll()
    keys.type(PASSWORD)
    keys.key(Qt.Key.Key_Return)


def test_an_expired_certificate_is_named_and_the_new_one_lets_in(
    steps, scene: Scene, strict_server: StrictServer
):
    window, keys = steps
    strict_server.certify(days=5)
    try:
        sign_in(keys, strict_server.address(host=ELSEWHERE), "wu", PASSWORD)
        refused(window, "has expired")
    finally:
        strict_server.certify()
    again(window, keys)
    scene.until(lambda: window.workbench is not None)


def test_a_server_that_is_too_old_is_named_and_another_address_lets_in(
    steps, scene: Scene, strict_server: StrictServer
):
    window, keys = steps
    with older_server(strict_server.port, "14.9") as port:
        old = f"postgresql://127.0.0.1:{port}/{strict_server.database}?sslmode=disable"
        sign_in(keys, old, "wu", PASSWORD)
        refused(window, "must be PostgreSQL 15.0 or newer")
    start_page(window).forms["join"].address.setFocus()
    sign_in(keys, strict_server.address(), "wu", PASSWORD)
    scene.until(lambda: window.workbench is not None)


def test_a_schema_that_is_too_new_is_named_and_another_address_lets_in(
    steps, scene: Scene, strict_server: StrictServer, pg_url: str
):
    window, keys = steps
    with psycopg.connect(pg_url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute("ALTER TABLE run RENAME COLUMN kind TO sort")
    sign_in(keys, pg_url, "", "")
    refused(window, "newer version of Benchseal")
    start_page(window).forms["join"].address.setFocus()
    sign_in(keys, strict_server.address(), "wu", PASSWORD)
    scene.until(lambda: window.workbench is not None)


def test_a_wrong_password_is_typed_again_where_the_focus_is(
    steps, scene: Scene, strict_server: StrictServer
):
    window, keys = steps
    sign_in(keys, strict_server.address("wu"), "", "something else")
    form = start_page(window).forms["join"]
    assert form.user.text() == "wu"
    assert window.focusWidget() is form.password
    keys.type(PASSWORD)
    keys.key(Qt.Key.Key_Return)
    scene.until(lambda: window.workbench is not None)


@pytest.mark.parametrize("given", ["text", "file", "link", "bare"])
def test_an_invitation_lets_in_however_it_is_given(
    steps, scene: Scene, strict_server: StrictServer, tmp_path: Path, given: str
):
    window, keys = steps
    link = strict_server.address("wu")
    text = f"wu, you are invited.\n\n1. Ask for the password.\n2. Enter: {link}\n\nThe lead"
    path = tmp_path / "invitation.txt"
    path.write_text(text, encoding="utf-8")
    bare = strict_server.address().removeprefix("postgresql://")
    QApplication.clipboard().setText({"text": text, "link": f" {link} "}.get(given, ""))
    if given in ("text", "link"):
        keys.key(Qt.Key.Key_V, CTRL)
    else:
        keys.type(str(path) if given == "file" else bare)
    if given == "bare":
        keys.key(Qt.Key.Key_Tab)
        keys.type("wu")
    keys.key(Qt.Key.Key_Return)
    form = start_page(window).forms["join"]
    assert form.user.text() == "wu"
    assert form.address.text().removeprefix("postgresql://") == bare
    assert "requires a password" in form.says.text()
    assert "keyring set" not in form.says.text()
    assert window.focusWidget() is form.password
    keys.type(PASSWORD)
    keys.key(Qt.Key.Key_Return)
    scene.until(lambda: window.workbench is not None)
    assert bench_of(window).context.person.name == "wu"
    scene.until(lambda: window.windowTitle().startswith(f"{strict_server.database} · "))


def test_changing_who_works_there_is_signing_in(steps, scene: Scene, strict_server: StrictServer):
    window, keys = steps
    sign_in(keys, strict_server.address(), "wu", PASSWORD)
    scene.until(lambda: window.workbench is not None)
    keys.wait()
    bench_of(window).context.actions.action("person").trigger()
    keys.wait()
    assert isinstance(window.centralWidget(), StartPage)
    form = start_page(window).forms["join"]
    assert strict_server.database in form.address.text()
    assert "wu" not in form.address.text().partition("?")[0].partition("@")[0]
    assert window.focusWidget() is form.user
    keys.type("ruth")
    keys.key(Qt.Key.Key_Tab)
    keys.type(PASSWORD)
    keys.key(Qt.Key.Key_Return)
    scene.until(lambda: window.workbench is not None)
    assert bench_of(window).context.person.name == "ruth"
    assert "ruth" in window.windowTitle()


def test_who_signs_out_takes_an_anchor_of_the_ledger_along(
    scene: Scene, strict_server: StrictServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    window = MainWindow(strict_server.address("wu"), Preferences(language="en"))
    scene.windows.append(window)
    window.open_()
    window.show()
    scene.until(lambda: window.workbench is not None)
    window.close()
    ws = Workspace.open(strict_server.address("wu"))
    (anchor,) = anchors.known_anchors(ws)
    assert (anchor.person, anchor.is_signed()) == ("wu", True)
    ws.close()


@pytest.mark.parametrize("name", ["join", "new", "open"])
def test_what_went_wrong_is_in_sight_in_the_lowest_window(name: str, steps, scene: Scene):
    window, _ = steps
    page = start_page(window)
    page.choose(name)
    page.setFixedHeight(300)  # what a screen of 1280×720 has for it at 200 %
    form = page.forms[name]
    area = form.parentWidget().parentWidget().parentWidget()
    scene.until(lambda: area.height() < form.height() or name != "join")
    for sentence in ("Nothing answers there.", "A reason that goes on for three lines. " * 6):
        area.verticalScrollBar().setValue(0)
        form.complain(sentence)
        scene.until(
            lambda: (
                area.viewport()
                .rect()
                .contains(form.says.mapTo(area.viewport(), form.says.rect().bottomLeft()))
            )
        )
