"""The settings page: made from the model, saved at once, and the servers with their test."""

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton

from core.i18n import language
from core.llm import keys
from core.settings import Settings
from gui import theme
from gui.dialogs.settings import SettingsDialog
from tests.gui.scene import Scene, bench_of, make_empty, press, type_text
from tests.servers.model_server import LoopbackModel


@pytest.fixture
def window(scene: Scene, tmp_path):
    return scene.open(make_empty(tmp_path / "empty"))


def opened(window) -> SettingsDialog:
    bench_of(window).actions_.action("settings").trigger()
    (dialog,) = window.findChildren(SettingsDialog)
    return dialog


def test_every_setting_has_its_field_with_what_counts_now(window):
    dialog = opened(window)
    assert list(dialog.fields) == list(Settings.model_fields)
    assert not dialog.unsaved()
    assert dialog.focusWidget() is dialog.fields["language"]


def test_texts_have_the_width_of_the_page(window):
    # an address had as much room as its explanation left it
    dialog = opened(window)
    page = dialog.tabs.widget(0)
    texts = [field for field in dialog.fields.values() if isinstance(field, QLineEdit)]
    assert len(texts) > 3
    for field in texts:
        shown = field.fontMetrics().horizontalAdvance(field.placeholderText())
        assert shown < field.width() > page.width() / 2, field.accessibleName()


def test_size_and_guideline_count_at_once(scene: Scene, window):
    dialog = opened(window)
    dialog.fields["text_size"].setValue(24)
    dialog.fields["guideline"].setChecked(True)
    assert dialog.unsaved()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    scene.until(lambda: not window.findChildren(SettingsDialog))
    assert theme.reading().size == 24
    assert bench_of(window).context.guideline
    again = opened(window)
    assert again.fields["text_size"].value() == 24


def test_another_language_and_theme_restyle_the_window(scene: Scene, window):
    before = bench_of(window)
    dialog = opened(window)
    for name, value in (("language", "zh"), ("theme", "dark")):
        dialog.fields[name].setCurrentIndex(dialog.fields[name].findData(value))
    dialog.save.click()
    scene.until(lambda: window.workbench is not None and window.workbench is not before)
    assert language() == "zh"
    assert bench_of(window).context.colours == theme.DARK


def test_the_button_that_tests_a_server_is_in_sight_without_scrolling(scene: Scene, window):
    dialog = opened(window)
    dialog.tabs.setCurrentIndex(1)
    scene.until(lambda: not window.tasks.busy)
    button = dialog.servers.test.button
    scene.until(lambda: button.visibleRegion().boundingRect() == button.rect())


def test_a_server_is_tested_allowed_and_removed(scene: Scene, window):
    with LoopbackModel(answer=lambda _body: "OK") as server:
        page = opened(window).servers
        page.url.setText(server.url)
        page.asked.setText("m")
        page.test.button.click()
        scene.until(lambda: "✓" in page.test.says.text())
        page.add.click()
        scene.until(lambda: page.model.rowCount() == 1)
        assert [entry.key for entry in keys.allowed_servers()] == ["none"]
        page.table.selectRow(0)
        page.remove.click()
        scene.until(lambda: page.model.rowCount() == 0)


def test_a_server_that_is_typed_and_not_allowed_is_not_dropped_unasked(scene: Scene, window):
    dialog = opened(window)
    dialog.tabs.setCurrentIndex(1)
    dialog.servers.url.setFocus()
    type_text(dialog, "http://models.example:8000/v1")
    press(dialog, Qt.Key.Key_Escape)
    assert focused_words(dialog) == "Keep editing"
    press(dialog, Qt.Key.Key_Escape)
    dialog.save.click()
    assert focused_words(dialog) == "Keep editing"
    press(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    dialog.servers.add.click()
    scene.until(lambda: dialog.servers.model.rowCount() == 1)
    assert not dialog.unsaved()
    dialog.save.click()
    scene.until(lambda: not window.findChildren(SettingsDialog))


def focused_words(dialog: SettingsDialog) -> str:
    """The words of the button that has the focus."""
    button = dialog.focusWidget()
    return button.text() if isinstance(button, QPushButton) else ""


@pytest.fixture
def no_keyring():
    """A machine without a keyring."""
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())
    yield
    keyring.set_keyring(before)


def allow_with_key(scene: Scene, window) -> str:
    """Type a server and a key, and allow it; returns what the page says then."""
    page = opened(window).servers
    page.url.setText("https://models.example.org/v1")
    page.key.setText("s3cret-key")
    page.add.click()
    scene.until(lambda: bool(page.says.text()))
    return page.says.text()


class OneRing(KeyringBackend):
    """A keyring that holds what it is given, in memory."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.held[service, username] = password


@pytest.fixture
def ring():
    """A machine with a keyring."""
    before, made = keyring.get_keyring(), OneRing()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def test_a_server_that_cannot_be_tested_yet_says_what_is_missing(scene: Scene, window):
    page = opened(window).servers
    assert not page.test.says.text()
    QTest.keyClicks(page.url, "http://127.0.0.1:9/v1")
    assert not page.test.button.isEnabled()
    assert page.test.says.text() == "Name a model to test the server."
    QTest.keyClicks(page.asked, "m")
    assert page.test.button.isEnabled()
    assert not page.test.says.text()


def test_a_key_goes_to_the_keyring_and_is_shown_nowhere(scene: Scene, window, ring):
    said = allow_with_key(scene, window)
    assert "is allowed: keyring" in said
    assert "s3cret" not in said
    assert list(ring.held.values()) == ["s3cret-key"]
    assert "s3cret-key" not in keys.servers_file().read_text(encoding="utf-8")


@pytest.mark.usefixtures("no_keyring")
def test_without_a_keyring_a_key_is_refused_in_words_and_no_server_is_allowed(scene: Scene, window):
    assert "no system keyring" in allow_with_key(scene, window)
    assert keys.allowed_servers() == ()
