"""Audit in figures: the rounds of every task, why items failed, what the plans can find."""

from gui.panels.dashboards.panel import BoardPanel


class AuditBoardPanel(BoardPanel):
    """Sentence, rounds, samples, reasons, operating characteristic, table of lots."""

    board_id = "audit"
