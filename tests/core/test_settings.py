"""What a person sets: one model, on the command line and in the window's own file."""

import json

import pytest

from core.cli import main
from core.errors import InputError
from core.settings import Settings, change, settings, settings_path
from gui import preferences
from gui.theme import ITEM_PX, LINE_HEIGHT


def test_without_a_file_the_usual_counts():
    assert settings() == Settings()
    assert (Settings().text_size, Settings().line_height) == (ITEM_PX, LINE_HEIGHT)


def test_what_is_set_is_what_the_window_begins_with_and_the_rest_stays():
    kept = preferences.Preferences(recent=("/here",), theme="dark")
    preferences.save(kept)
    change({"text_size": "21", "guideline": "true"})
    after = preferences.load()
    assert (after.text_size, after.guideline, after.theme, after.recent) == (
        21, True, "dark", ("/here",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [("text_size", "7"), ("text_size", "large"), ("theme", "red"), ("language", "xx"),
     ("density", "-1")],
)  # fmt: skip
def test_a_wrong_value_is_named_and_changes_nothing(name, value):
    change({"theme": "dark"})
    with pytest.raises(InputError, match=name):
        change({name: value})
    assert settings() == Settings(theme="dark")


def test_an_unknown_setting_names_those_there_are():
    with pytest.raises(InputError, match="text_size"):
        change({"size": "3"})


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"text_size": "huge"}'])
def test_a_damaged_file_means_the_usual_and_can_be_written_again(damage):
    change({"theme": "dark"})
    settings_path().write_text(damage, encoding="utf-8")
    assert settings() == Settings()
    assert main(["config", "text_size", "19"]) == 0
    assert settings().text_size == 19


def test_config_lists_shows_and_sets(capsys):
    assert main(["config"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in Settings.model_fields)
    assert main(["config", "line_height", "1.8"]) == 0
    capsys.readouterr()
    assert main(["config", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["line_height"] == 1.8
    assert main(["config", "nothing", "1"]) == 1


def test_every_setting_has_a_title_and_an_explanation():
    for info in Settings.model_fields.values():
        assert info.title
        assert info.description
