"""Agreement between raters: coefficients, intervals, and the items behind them.

The coefficients are imported when one is asked for: reports without any print ``report_table``'s
tables as well, and numpy would take a twentieth of their two seconds.
"""

from typing import TYPE_CHECKING

from core.i18n import tr_noop
from core.known_names import part_named

if TYPE_CHECKING:
    from core.agreement.statistic import Coefficient


def coefficient(name: str) -> "Coefficient":
    """The coefficient of that name; raises NotFoundError for an unknown one."""
    from core.agreement.coefficients import COEFFICIENTS

    return part_named(
        COEFFICIENTS, name, tr_noop("There is no coefficient “{name}”. Available: {known}.")
    )
