"""A button that asks a model server one short question, and what came of it."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from core.i18n import tr
from gui.context import WindowContext
from gui.widgets.elements import label, row, set_ink

if TYPE_CHECKING:
    from core.llm.probe import ProbedServer


def _probe(base_url: str, model: str, variable: str) -> "ProbedServer":
    from core.llm.probe import probe

    return probe(base_url, model, variable)


class ServerTest(QWidget):
    """``✓`` is shown after a request succeeded and not before; any change takes it back."""

    def __init__(
        self, context: WindowContext, server: QLineEdit, model: Callable[[], str],
        key: Callable[[], str] = str,
    ) -> None:  # fmt: skip
        """``model`` and ``key`` say which model is asked and which variable holds the key."""
        super().__init__()
        self._context = context
        self._server, self._model, self._key = server, model, key
        self._asked = ("", "", "")
        self.button = QPushButton(tr("Test the server"))
        self.button.setAutoDefault(False)
        self.button.setToolTip(tr("Sends one short question to the server and shows its answer."))
        self.button.clicked.connect(self.run)
        self.says = label("", ink="muted", wrap=True, selectable=True)
        line = row(self)
        line.addWidget(self.button)
        line.addWidget(self.says, 1)
        self.forget()

    def forget(self, _text: str = "") -> None:
        """Something was changed: what was found before is not true of it."""
        server, model, _key = now = self._now()
        if now != self._asked or not server:
            self._asked = ("", "", "")
            lacks_model = bool(server) and not model
            self._say(tr("Name a model to test the server.") if lacks_model else "", "muted")
        self.button.setEnabled(bool(server and model))

    def _now(self) -> tuple[str, str, str]:
        return self._server.text().strip(), self._model().strip(), self._key().strip()

    def run(self) -> None:
        """Ask the server that the fields name."""
        self._asked = self._now()
        self.button.setEnabled(False)
        self._say(tr("Asking the server…"), "muted")
        work = partial(_probe, *self._asked)
        done, failed = partial(self._on_answer, self._asked), partial(self._on_failed, self._asked)
        self._context.ask(self, work, done, failed, topic="server test", lane="background")

    def _on_answer(self, asked: tuple[str, str, str], found: "ProbedServer") -> None:
        self.button.setEnabled(True)
        if asked == self._asked:
            words = tr("✓ {model} answered in {seconds} s.", model=found.model,
                       seconds=f"{found.seconds:.1f}")  # fmt: skip
            self._say(words, "accept")

    def _on_failed(self, asked: tuple[str, str, str], sentence: str) -> None:
        self.button.setEnabled(True)
        if asked == self._asked:
            self._say(sentence, "reject")

    def _say(self, words: str, ink: str) -> None:
        self.says.setText(words)
        set_ink(self.says, ink)
