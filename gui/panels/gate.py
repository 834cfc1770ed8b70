"""Gate: the language model's score against what people decided, and what it costs."""

from gui.panels.board import BoardPanel


class GatePanel(BoardPanel):
    """Sentence, scores, ROC, calibration, thresholds, and the figures of the gate."""

    board_id = "gate"
