"""The registry of coefficients. To add one: a file beside this one and an entry in the tuple."""

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
