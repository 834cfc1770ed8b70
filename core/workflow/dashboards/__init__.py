"""What the dashboards draw: one module each, from frozen data to sentence, figures, tables.

To add one: a module beside this one with ``dashboard(request) -> Dashboard`` and an entry in
``DASHBOARDS``. Nothing here knows how anything is painted; the window, the command line and the
exports all take the same values.
"""

from core.workflow.dashboards.registry import DASHBOARDS, DashboardRequest, draw

__all__ = ["DASHBOARDS", "DashboardRequest", "draw"]
