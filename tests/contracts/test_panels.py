"""Every panel opens on an empty and on a full workspace, in both languages, and shows something."""

from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from core.i18n import language, set_language
from gui.dialogs.help import help_page
from gui.panels import PANELS
from gui.panels.base import Panel, PanelSpec
from gui.window.main_window import MainWindow
from resources import resource
from tests.gui.scene import LEAD, Scene, bench_of, copy_of, make_empty, make_full

NAMES = [spec.id for spec in PANELS]


@pytest.fixture
def scene(qtbot):
    made = Scene(qtbot)
    yield made
    made.close()


@pytest.fixture(scope="module")
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


def shown(scene: Scene, window: MainWindow, few: int) -> list[str]:
    """The panels that show ``few`` colours, pop up as a window or have a notice, brought to the
    front one after the other."""
    bench, odd = bench_of(window), []
    for name in NAMES:
        panel = scene.at(window, name)
        if len(inks(picture(panel))) <= few:
            odd.append(f"{name} is blank")
        if not window.isActiveWindow():
            odd.append(f"{name} came up as a window of its own")
        if bench.notice.isVisible():
            odd.append(f"{name} says: {bench.notice.text}")
    return odd


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_panel_says_something_on_an_empty_workspace(code, scene, tmp_path):
    window = scene.open(make_empty(tmp_path / "empty"), LEAD, language=code)
    assert shown(scene, window, 8) == []
    assert language() == code


@pytest.mark.parametrize(("theme_name", "code"), [("light", "en"), ("dark", "zh")])
def test_every_panel_shows_a_full_workspace(theme_name, code, scene, template, tmp_path):
    place = copy_of(template, tmp_path / "full")
    window = scene.open(place, LEAD, theme_name=theme_name, language=code)
    assert shown(scene, window, 30) == []


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
