"""Agreement, dashboards and alarms."""

from core.cli.monitor import agreement, dashboards
from core.i18n import tr_noop

TITLE = tr_noop("Monitor agreement and progress")
COMMANDS = (
    *agreement.COMMANDS,
    *dashboards.COMMANDS,
)
