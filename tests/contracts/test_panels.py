"""Every panel opens on an empty and on a full workspace, in both languages, and shows something."""

from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from core.i18n import language, set_language
from gui.dialogs.help import help_page
from gui.panels import PANELS
from gui.panels.base import Panel, PanelSpec
from resources import resource
from tests.gui.scene import LEAD, Scene, bench_of, copy_of, make_empty, make_full

NAMES = [spec.id for spec in PANELS]


@pytest.fixture
def scene(qtbot):
    made = Scene(qtbot)
    yield made
    made.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    return make_full(tmp_path_factory.mktemp("panels") / "full")


def inks(image: QImage) -> set[int]:
    """The different colours on every third pixel of every third row."""
    found = set()
    for y in range(0, image.height(), 3):
        for x in range(0, image.width(), 3):
            found.add(image.pixel(x, y))
    return found


def picture(panel: Panel) -> QImage:
    return panel.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_a_panel_says_something_on_an_empty_workspace(name, code, scene, tmp_path):
    window = scene.open(make_empty(tmp_path / "empty"), LEAD, language=code)
    bench = bench_of(window)
    panel = scene.at(window, name)
    assert language() == code
    assert len(inks(picture(panel))) > 8
    assert not bench.notice.isVisible(), bench.notice.text


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("theme_name", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_a_panel_shows_a_full_workspace(name, theme_name, code, scene, template, tmp_path):
    place = copy_of(template, tmp_path / "full")
    window = scene.open(place, LEAD, theme_name=theme_name, language=code)
    panel = scene.at(window, name)
    assert len(inks(picture(panel))) > 30
    assert window.isActiveWindow(), "something came up as a window of its own"
    assert not bench_of(window).notice.isVisible(), bench_of(window).notice.text


@pytest.mark.parametrize("spec", PANELS, ids=NAMES)
def test_a_panel_has_a_title_a_group_and_help_in_both_languages(spec: PanelSpec):
    assert spec.group()
    spoken = language()
    try:
        for code in ("en", "zh"):
            set_language(code)
            assert resource("help", f"{spec.id}.{code}.md").is_file()
            heading, _, page = help_page(spec.id, code).partition("\n")
            assert heading == f"# {spec.title()}"
            assert len(page) > 80
    finally:
        set_language(spoken)


def test_the_ids_of_panels_differ():
    assert len(set(NAMES)) == len(NAMES)


def test_no_panel_is_imported_before_it_is_shown(tmp_path: Path):
    import subprocess
    import sys

    code = (
        "import sys, gui.panels; "
        "print([m for m in sys.modules if m.startswith('gui.panels.') and m != 'gui.panels.base'])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
