"""Reports of runs, and the analyses of the papers."""

from core.cli.analysis import analyze, report, simulate
from core.i18n import tr_noop

TITLE = tr_noop("Report and analyze scores")
COMMANDS = (
    *report.COMMANDS,
    *analyze.COMMANDS,
    *simulate.COMMANDS,
)
