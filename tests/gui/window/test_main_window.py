"""What the window says when it opens a workspace."""

import sqlite3
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import QSize

from core.workflow.workspace import Workspace
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from tests.gui.scene import LEAD, Scene, bench_of, make_small
from tests.old_workspaces import first_schema


def test_an_older_workspace_is_brought_up_to_date_and_the_notice_names_its_backup(
    scene: Scene, tmp_path: Path
):
    database = tmp_path / "workspace.db"
    first_schema(database)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "INSERT INTO person (id, name, role, active, gold_from, at) "
            "VALUES (1, ?, 'lead', 1, 0, '2026-01-01 00:00:00')",
            (LEAD,),
        )
    window = scene.open(tmp_path)
    bench = bench_of(window)
    scene.until(bench.notice.isVisible)
    (made,) = (tmp_path / "backups").iterdir()
    assert str(made) in bench.notice.text


def test_the_window_says_that_a_newer_program_wrote_the_workspace(scene: Scene, tmp_path: Path):
    place = make_small(tmp_path / "small")
    ws = Workspace.open(place)
    with ws.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    ws.close()
    window = scene.open(place, LEAD)
    scene.until(lambda: "by a newer version of Benchseal" in bench_of(window).notice.text)


def test_the_window_is_no_higher_than_its_screen(qtbot):
    window = MainWindow("", Preferences(size=(1280, 820)), keeping=False)
    qtbot.addWidget(window)
    window.fit(QSize(1920, 1080))
    assert window.size() == QSize(1280, 820)
    window.fit(QSize(1280, 800))
    assert window.width() == 1280
    assert window.height() <= 760
