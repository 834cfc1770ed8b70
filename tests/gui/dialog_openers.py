"""How every dialog of the program is opened, by the name of its class.

``tests/gui/test_dialogs.py`` finds the classes by itself: one that has no opener here fails it.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages

from PySide6.QtWidgets import QDialog, QWidget

import gui
from core.crash_reports import CrashRecorder, reports_folder
from core.i18n import tr
from core.workflow.items import history
from core.workflow.items.search import FilterChoices, Filters
from core.workflow.packages.bring_in import BroughtIn
from core.workflow.splits import freeze
from core.workflow.team import Team
from gui.dialogs.brought_in import BroughtInDialog
from gui.dialogs.confirm import ConfirmDialog
from gui.dialogs.crash_report import CrashReportDialog
from gui.dialogs.hand_out_items import HandOutDialog
from gui.dialogs.item_history import ItemHistoryDialog
from gui.dialogs.outbox import OutboxDialog
from gui.dialogs.protocols import ProtocolsDialog
from gui.dialogs.question import QuestionDialog
from gui.dialogs.rewrite_trace import open_trace
from gui.dialogs.task import TaskDialog
from gui.panels.answer.blind_look_dialog import BlindLookDialog
from gui.panels.dashboards.alarm_dialog import AlarmDialog
from gui.panels.items.filter_dialog import FilterDialog
from gui.panels.items.saved_filters import FilterNameDialog
from gui.panels.leaderboard.adaptive_dialog import AdaptiveDialog
from gui.panels.leaderboard.pairs_dialog import PairsDialog
from gui.panels.splits.freeze_dialog import FreezeDialog
from gui.panels.splits.key_dialog import KeyDialog
from gui.panels.splits.lock_dialog import LockDialog
from gui.panels.splits.open_dialog import OpenDialog
from gui.panels.splits.publish_dialog import PublishDialog
from gui.panels.team.assign_dialog import AssignDialog
from gui.panels.team.invite_dialog import InviteDialog
from gui.panels.team.person_dialog import PersonDialog
from gui.window.main_window import MainWindow
from tests.gui.scene import BENCHMARK, Scene, bench_of
from tests.gui.stages_workspace import MOODS

BASES = {"Sheet", "BusyDialog", "KeySheet", "FileDialog"}
Opener = Callable[[Scene, MainWindow], QWidget | None]


def dialog_classes() -> Iterator[type[QDialog]]:
    """Every class of a dialog in the window's own modules."""
    for module in walk_packages(gui.__path__, "gui."):
        import_module(module.name)
    waiting, seen = [QDialog], set()
    while waiting:
        for kind in waiting.pop().__subclasses__():
            if kind not in seen:
                seen.add(kind)
                waiting.append(kind)
                if kind.__module__.startswith("gui.") and kind.__name__ not in BASES:
                    yield kind


def _command(command_id: str) -> Opener:
    def opened(_scene: Scene, window: MainWindow) -> None:
        bench_of(window).actions_.action(command_id).trigger()

    return opened


def _shown(dialog: QDialog) -> QDialog:
    dialog.open()
    return dialog


def _history(_scene: Scene, window: MainWindow) -> QDialog:
    bench = bench_of(window)
    context = bench.context
    return _shown(ItemHistoryDialog(history.item_history(context.workspace, 1, context.person.name),
                                    context, bench))  # fmt: skip


def _crash_report(_scene: Scene, window: MainWindow) -> QDialog:
    recorder = CrashRecorder(reports_folder())
    recorder.note("command freeze")
    report = recorder.report(RuntimeError())
    recorder.end()
    assert report is not None
    return _shown(CrashReportDialog([report], window))


def _bulk(action: str) -> Opener:
    def opened(scene: Scene, window: MainWindow) -> None:
        panel = scene.at(window, "items")
        panel.table.selectRow(0)
        bench_of(window).actions_.action(action).trigger()

    return opened


def _rewrite(scene: Scene, window: MainWindow) -> None:
    scene.at(window, "sources").open_rewrite()


def _freeze(scene: Scene, window: MainWindow) -> QDialog:
    bench = bench_of(window)
    ready = freeze.freezable(bench.context.workspace, BENCHMARK)
    return _shown(FreezeDialog(bench.context, ready, bench))


def _in_bench(make: Callable[[MainWindow], QDialog]) -> Opener:
    def opened(_scene: Scene, window: MainWindow) -> QDialog:
        return _shown(make(window))

    return opened


OPENERS: Mapping[str, Opener] = {
    "AlarmDialog": _in_bench(
        lambda w: AlarmDialog(bench_of(w).context, (), "fleiss_kappa", bench_of(w))
    ),
    "BlindLookDialog": _in_bench(lambda w: BlindLookDialog(bench_of(w).context, bench_of(w))),
    "BroughtInDialog": _in_bench(
        lambda w: BroughtInDialog(bench_of(w).context, BroughtIn("Wu", (), (), ()), bench_of(w))
    ),
    "BulkDialog": _bulk("many-reject"),
    "CommandPalette": _command("find"),
    "ConfirmDialog": _in_bench(
        lambda w: ConfirmDialog(bench_of(w), "Expire the split", ("It ends.",), "Expire", print)
    ),
    "FilterDialog": _in_bench(
        lambda w: FilterDialog(Filters(), FilterChoices(overseer=True), bench_of(w))
    ),
    "FilterNameDialog": _in_bench(
        lambda w: FilterNameDialog(bench_of(w).context, Filters(), bench_of(w))
    ),
    "FreezeDialog": _freeze,
    "HandOutDialog": _in_bench(
        lambda w: HandOutDialog(bench_of(w).context, Team((), ("scp",)), bench_of(w))
    ),
    "HelpDialog": _command("help"),
    "ImportDialog": _command("import"),
    "ItemHistoryDialog": _history,
    "KeyDialog": _in_bench(
        lambda w: KeyDialog(
            bench_of(w).context,
            tr("Unlock the items"),
            tr("Unlock"),
            lambda _key: None,
            bench_of(w),
        )
    ),
    "LockDialog": _in_bench(lambda w: LockDialog(bench_of(w).context, "s1", bench_of(w))),
    "NewTaskDialog": _command("new-task"),
    "AdaptiveDialog": _in_bench(
        lambda w: AdaptiveDialog(bench_of(w).context, "nothing", bench_of(w))
    ),
    "PairsDialog": _in_bench(lambda w: PairsDialog(bench_of(w).context, "nothing", bench_of(w))),
    "AssignDialog": _in_bench(
        lambda w: AssignDialog(bench_of(w).context, Team((), ("titles",)), bench_of(w))
    ),
    "CrashReportDialog": _crash_report,
    "InviteDialog": _in_bench(
        lambda w: InviteDialog(bench_of(w).context, "Wu", "Come in.", bench_of(w))
    ),
    "OutboxDialog": _in_bench(lambda w: OutboxDialog(bench_of(w).context, bench_of(w))),
    "OpenDialog": _in_bench(lambda w: OpenDialog(bench_of(w).context, "s1", bench_of(w))),
    "PersonDialog": _in_bench(lambda w: PersonDialog(bench_of(w).context, None, (), bench_of(w))),
    "ProtocolsDialog": _in_bench(lambda w: ProtocolsDialog(bench_of(w).context, bench_of(w))),
    "PublishDialog": _in_bench(lambda w: PublishDialog(bench_of(w).context, "s1", bench_of(w))),
    "QuestionDialog": _in_bench(lambda w: QuestionDialog(bench_of(w).context, 1, bench_of(w))),
    "RewriteDialog": _rewrite,
    "RewriteTraceDialog": lambda _scene, w: open_trace(bench_of(w).context, "nobody", bench_of(w)),
    "ScreeningDialog": _command("screen"),
    "SettingsDialog": _command("settings"),
    "ShortcutsDialog": _command("keys"),
    "TaskDialog": _in_bench(lambda w: TaskDialog(bench_of(w).context, MOODS, bench_of(w))),
    "VerifyDialog": _command("verify"),
    "WorkPackagesDialog": _command("packages"),
}
