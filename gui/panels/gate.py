"""Gate: the language model's score against what people decided, and what it costs."""

from PySide6.QtWidgets import QToolButton

from gui.panels.board import BoardPanel


class GatePanel(BoardPanel):
    """Sentence, scores, ROC, calibration, thresholds, and the figures of the gate."""

    board_id = "gate"

    def build_head(self) -> None:
        """The way to a screening, for those who may start one."""
        if "screen" in self.desk.actions.bound():
            button = QToolButton()
            button.setDefaultAction(self.desk.actions.action("screen"))
            self.page.add_choice(button)
