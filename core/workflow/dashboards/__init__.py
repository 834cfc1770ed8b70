"""What the dashboards draw: one module per panel, from frozen data to sentence, figures, tables.

To add a board: a module beside this one with ``board(asked) -> Board`` and an entry in ``BOARDS``.
Nothing here knows how anything is painted; the window, the command line and the exports all take
the same values.
"""

from core.workflow.dashboards.registry import BOARDS, DashboardRequest, draw

__all__ = ["BOARDS", "DashboardRequest", "draw"]
