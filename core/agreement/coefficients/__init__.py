"""The registry of coefficients. To add one: a file beside this one and an entry in the tuple."""

from core.agreement.coefficients.cohen import (
    CohenKappa,
    CohenKappaCost,
    CohenKappaLinear,
    CohenKappaQuadratic,
)
from core.agreement.coefficients.conger import CongerKappa
from core.agreement.coefficients.fleiss import FleissKappa
from core.agreement.coefficients.gwet import GwetAC1, GwetAC2
from core.agreement.coefficients.krippendorff_alpha import (
    AlphaInterval,
    AlphaNominal,
    AlphaOrdinal,
    AlphaRatio,
)
from core.agreement.coefficients.percent import PercentAgreement
from core.agreement.coefficients.randolph import RandolphKappa
from core.agreement.coefficients.rank_correlation import Kendall, Spearman
from core.agreement.coefficients.scott import ScottPi
from core.agreement.statistic import Coefficient

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
