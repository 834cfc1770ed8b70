"""Agreement between raters: coefficients, intervals, and the items behind them.

To add a coefficient: a file beside this one and an entry in the tuple.
"""

from core.agreement.base import Coefficient
from core.agreement.cohen import (
    CohenKappa,
    CohenKappaCost,
    CohenKappaLinear,
    CohenKappaQuadratic,
)
from core.agreement.conger import CongerKappa
from core.agreement.correlation import Kendall, Spearman
from core.agreement.fleiss import FleissKappa
from core.agreement.gwet import GwetAC1, GwetAC2
from core.agreement.krippendorff_alpha import (
    AlphaInterval,
    AlphaNominal,
    AlphaOrdinal,
    AlphaRatio,
)
from core.agreement.percent import PercentAgreement
from core.agreement.randolph import RandolphKappa
from core.agreement.scott import ScottPi
from core.errors import NotFoundError
from core.text import tr

COEFFICIENTS: tuple[Coefficient, ...] = (
    PercentAgreement(),
    CohenKappa(),
    CohenKappaLinear(),
    CohenKappaQuadratic(),
    CohenKappaCost(),
    CongerKappa(),
    FleissKappa(),
    RandolphKappa(),
    ScottPi(),
    AlphaNominal(),
    AlphaOrdinal(),
    AlphaInterval(),
    AlphaRatio(),
    GwetAC1(),
    GwetAC2(),
    Spearman(),
    Kendall(),
)


def coefficient(name: str) -> Coefficient:
    """The coefficient of that name; raises NotFoundError for an unknown one."""
    for candidate in COEFFICIENTS:
        if candidate.name == name:
            return candidate
    raise NotFoundError(
        tr(
            "There is no coefficient “{name}”. Known: {known}.",
            name=name,
            known=", ".join(c.name for c in COEFFICIENTS),
        )
    )
