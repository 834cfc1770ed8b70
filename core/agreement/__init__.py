"""Agreement between raters: coefficients, intervals, and the items behind them.

The coefficients are imported when one is asked for: reports without any print ``report_table``'s
tables as well, and numpy would take a twentieth of their two seconds.
"""

from typing import TYPE_CHECKING

from core.errors import NotFoundError
from core.i18n import listed, tr

if TYPE_CHECKING:
    from core.agreement.statistic import Coefficient


def coefficient(name: str) -> "Coefficient":
    """The coefficient of that name; raises NotFoundError for an unknown one."""
    from core.agreement.coefficients import COEFFICIENTS

    for candidate in COEFFICIENTS:
        if candidate.name == name:
            return candidate
    raise NotFoundError(
        tr(
            "There is no coefficient “{name}”. Available: {known}.",
            name=name,
            known=listed(c.name for c in COEFFICIENTS),
        )
    )
