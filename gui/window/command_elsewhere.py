"""A command of a panel that is not in front: the panel comes, and then what was chosen is done."""

from PySide6.QtCore import QObject

from core.i18n import sentences, tr
from gui.actions import PLACES, command
from gui.context import WindowContext
from gui.panels.base import Panel


class CommandElsewhere(QObject):
    """Waits until the panel that came to the front shows everything, then does the command there.

    What judges or changes the item in front is not done: nobody has seen that item yet. A notice
    says its key instead, and one says so where the command is not possible there.
    """

    def __init__(self, context: WindowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._wanted = ""
        self._panel: Panel | None = None
        context.tasks.delivered.connect(self._look)

    def choose(self, command_id: str, panel: Panel) -> None:
        """Do a command in its panel, which has just come to the front."""
        spec = command(command_id)
        if not spec.is_safe_unseen:
            self._say_key(command_id)
            return
        self._wanted, self._panel = command_id, panel
        self._look()

    def _say_key(self, command_id: str) -> None:
        spec, key = command(command_id), self._context.actions.key_text(command_id)
        said = (
            tr("{command}: look at what is in front, then press {key}.",
               command=spec.title(), key=key)
            if key
            else tr("{command}: look at what is in front, then choose it again.",
                    command=spec.title())
        )  # fmt: skip
        self._context.say(said)

    def _look(self) -> None:
        panel = self._panel
        if panel is None:
            return
        if not panel.isVisible():
            self._panel = None  # somebody went elsewhere meanwhile
            return
        if not panel.ready():
            return
        self._panel = None
        actions = self._context.actions
        actions.update()
        action = actions.action(self._wanted)
        if action.isEnabled():
            action.trigger()
            return
        spec = command(self._wanted)
        said = tr("“{command}” is not possible in {place} now.",
                  command=spec.title().rstrip("…"), place=PLACES[spec.place]())  # fmt: skip
        self._context.say(sentences((said, panel.why_not(self._wanted))))
