"""Every act that a role may not do, handed to the real window by somebody of that role: refused in
words, nothing written; and every place that the role does not have, which does not open."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.workflow.rights import Action, is_allowed
from core.workflow.workspace import Workspace
from gui.panels import PANELS
from gui.window.workbench import Workbench
from tests.full_workspace import PEOPLE, FullWorkspace, fill
from tests.gui.scene import Scene, bench_of
from tests.hostile.conftest import Attack
from tests.hostile.test_rights_table import OF_ROLE, REFUSALS, USE_CASES, content, forbidden_to


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    made = Scene(qtbot)
    yield made
    made.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, FullWorkspace]:
    """A workspace with something at every stage."""
    folder = tmp_path_factory.mktemp("rights") / "workspace"
    ws = Workspace.create(folder, "maker")
    full = fill(ws)
    ws.close()
    return folder, full


def tried(scene: Scene, bench: Workbench, act: Callable[[], object]) -> str:
    """What the window says when a panel hands this act in; empty where it was done."""
    said: list[str] = []
    bench.context.write(bench, act, lambda _: said.append(""), said.append)
    scene.until(lambda: bool(said))
    return said[0]


@pytest.mark.slow
@pytest.mark.parametrize("role", OF_ROLE)
def test_the_real_window_refuses_what_a_role_may_not(
    scene: Scene, place: tuple[Path, FullWorkspace], role: str, attack: Callable[[str], Attack]
) -> None:
    folder, full = place
    name = OF_ROLE[role]
    assert PEOPLE[name] == role
    acts = attack("an act without the right, in the window itself")
    places = attack("a place of the window without the right")
    window = scene.open(folder, name)
    bench = bench_of(window)
    # the place in front claims an item for whoever may judge it
    first = bench.panel(bench.front)
    scene.until(lambda: first.ready() and not window.tasks.busy)
    before = content(folder)
    for title, (action, act) in USE_CASES.items():
        if name in forbidden_to(action):
            said = tried(scene, bench, partial(act, bench.context.workspace, full, name))
            acts.tried("" if any(part in said for part in REFUSALS) else f"{title}: {said}")
    assert content(folder) == before
    # a place where one judges claims an item for whoever may: nothing is compared after this
    for spec in PANELS:
        allowed = is_allowed(role, spec.action)
        bench.show_panel(spec.id)
        places.tried("" if (bench.front == spec.id) == allowed else f"{spec.id} as {role}")
    for action in Action:
        acts.tried(
            "" if bench.context.may(action) == is_allowed(role, action) else f"{action} as {role}"
        )
