"""What a plan of acceptance sampling means: a sentence, a small curve, other plans beside it."""

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.audit.sampling import PlanMeaning, SamplingPlan, defects_of, pass_chance
from core.i18n import listed, tr, trn
from core.workflow.audit.lead_view import PlanOdds
from gui import theme
from gui.theme import Tokens

_HEIGHT = 176
_MANY = 100
"""Items of a lot from which on its defects are said in percent: 1% of fewer is not an item."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 20, 8, 38


def percent(share: float) -> str:
    """A share in whole percent; one digit more below ten percent where it matters."""
    value = 100 * share
    if 0 < value < 1 or (value < 10 and abs(value - round(value)) > 0.05):
        return f"{value:.1f}%"
    return f"{value:.0f}%"


def _not_below(share: float) -> float:
    """A share rounded up to what ``percent`` shows of it: a bound that holds as it is read."""
    steps = 100 if share >= 0.1 else 1000
    return math.ceil(share * steps - 1e-9) / steps


def plan_words(plan: SamplingPlan, lot: int | None = None) -> str:
    """``20 drawn, no failures allowed``; of a smaller ``lot`` all."""
    drawn = plan.sample if lot is None else min(plan.sample, lot)
    if plan.allowed == 0:
        return tr("{count} drawn, no failures allowed", count=drawn)
    return trn(
        "{count} drawn, 1 failure allowed",
        "{count} drawn, {n} failures allowed",
        plan.allowed,
        count=drawn,
    )


def odds_words(meaning: PlanMeaning) -> str:
    """The plan and its odds in two sentences."""
    if meaning.lot is not None and meaning.plan.sample >= meaning.lot:
        return trn(
            "{plan}: the lot has only 1 item, so it is audited.",
            "{plan}: the lot has only {n} items, so all of them are audited.",
            meaning.lot,
            plan=plan_words(meaning.plan, meaning.lot),
        )
    if meaning.lot is not None and meaning.lot < _MANY:
        return tr(
            "{plan}: a lot of {size} passes {chances}. Passing shows at most {bound} defects at "
            "{confidence} confidence.",
            plan=plan_words(meaning.plan),
            size=meaning.lot,
            chances=_chances_words(meaning, meaning.lot),
            bound=percent(_not_below(meaning.proves_at_most)),
            confidence=percent(meaning.confidence),
        )
    chances = dict(meaning.pass_chances)
    return tr(
        "{plan}: a lot with 10% defects passes {ten} of the time, with 5% {five}, with 1% "
        "{one}. Passing shows at most {bound} defects at {confidence} confidence.",
        plan=plan_words(meaning.plan),
        ten=percent(chances[0.10]),
        five=percent(chances[0.05]),
        one=percent(chances[0.01]),
        bound=percent(_not_below(meaning.proves_at_most)),
        confidence=percent(meaning.confidence),
    )


def _chances_words(meaning: PlanMeaning, lot: int) -> str:
    """The chances of a small lot by how many of its items are defective, the most first."""
    counts = sorted({defects_of(share, lot) for share, _ in meaning.pass_chances}, reverse=True)
    chances = [percent(pass_chance(meaning.plan, count / lot, lot)) for count in counts]
    first = trn(
        "{chance} of the time with 1 defective item",
        "{chance} of the time with {n} defective items",
        counts[0],
        chance=chances[0],
    )
    rest = zip(chances[1:], counts[1:], strict=True)
    return listed([first, *(tr("{chance} with {count}", chance=c, count=n) for c, n in rest)])


class OddsCurve(QWidget):
    """Chance to pass by the share of defects; the points of the sentence are marked."""

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._odds: PlanOdds | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)

    def show_odds(self, odds: PlanOdds | None) -> None:
        """Draw another plan; None draws nothing."""
        self._odds = odds
        self.setAccessibleDescription(odds_words(odds.own) if odds else "")
        self.update()

    def sizeHint(self) -> QSize:
        """A small figure."""
        return QSize(260, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Axes with their titles, the curve, the marked points."""
        if self._odds is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(11))
        area = QRectF(_LEFT, _TOP, self.width() - _LEFT - _RIGHT, self.height() - _TOP - _BOTTOM)
        highest = self._odds.curve[-1][0]
        self._axes(painter, area, highest)
        place = [
            QPointF(area.left() + share / highest * area.width(),
                    area.bottom() - chance * area.height())
            for share, chance in self._odds.curve
        ]  # fmt: skip
        painter.setPen(QPen(QColor(self._colours.accent), 2))
        painter.drawPolyline(QPolygonF(place))
        painter.setBrush(QColor(self._colours.surface))
        for share, chance in self._odds.own.pass_chances:
            x = area.left() + share / highest * area.width()
            painter.drawEllipse(QPointF(x, area.bottom() - chance * area.height()), 4, 4)

    def _axes(self, painter: QPainter, area: QRectF, highest: float) -> None:
        painter.setPen(QPen(QColor(self._colours.line), 1))
        painter.drawRect(area)
        painter.drawLine(
            QPointF(area.left(), area.center().y()), QPointF(area.right(), area.center().y())
        )
        painter.setPen(QColor(self._colours.muted))
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for chance in (0.0, 0.5, 1.0):
            y = area.bottom() - chance * area.height()
            painter.drawText(QRectF(0, y - 8, _LEFT - 6, 16), right, percent(chance))
        middle = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        for share in (0.0, 0.1, 0.2, 0.3):
            x = area.left() + share / highest * area.width()
            painter.drawText(QRectF(x - 20, area.bottom() + 3, 40, 16), middle, percent(share))
        foot = QRectF(0, area.bottom() + 18, self.width(), 18)
        says = tr("defects in the lot → probability of passing")
        elided = painter.fontMetrics().elidedText(
            says, Qt.TextElideMode.ElideRight, int(foot.width())
        )
        painter.drawText(foot, middle, elided)
