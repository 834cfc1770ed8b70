"""Parts of the comparison: the sentence, the kinds of items with their counts."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from core.evaluation.compare import Comparison
from core.i18n import tr, trn
from core.workflow.evaluation.compare_runs import KINDS, Kind, RunComparison
from gui import i18n
from gui.widgets.text import column, row


def kind_words(kind: Kind) -> str:
    """A kind of items in words."""
    return {
        "a_only": tr("A right, B wrong"),
        "b_only": tr("B right, A wrong"),
        "alike": tr("both wrong alike"),
        "apart": tr("both wrong, differently"),
        "both_right": tr("both right"),
        "unanswered": tr("without an answer"),
        "all_alike": tr("strong models wrong alike"),
        "every": tr("every item"),
    }[kind]


class KindBar(QWidget):
    """One button for each kind with its count; one is pressed."""

    chosen = Signal(object)
    """The ``Kind`` that was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind: Kind = "a_only"
        self._told = False
        self._buttons: dict[Kind, QPushButton] = {}
        self._group = QButtonGroup(self)
        layout = column(self, spacing=6)
        for kinds in (KINDS[:4], KINDS[4:]):
            line = row(spacing=6)
            for kind in kinds:
                line.addWidget(self._button(kind))
            line.addStretch(1)
            layout.addLayout(line)
        self._buttons[self.kind].setChecked(True)
        self._group.buttonClicked.connect(self._on_clicked)

    def _button(self, kind: Kind) -> QPushButton:
        button = QPushButton()
        button.setProperty("look", "kind")
        button.setObjectName(kind)
        button.setCheckable(True)
        self._group.addButton(button)
        self._buttons[kind] = button
        return button

    def show_counts(self, matchup: RunComparison) -> None:
        """Say how many items are of each kind; a kind that would repeat another is hidden."""
        for kind, button in self._buttons.items():
            button.setText(
                tr("{kind} {count}", kind=kind_words(kind),
                   count=i18n.number(matchup.count(kind)))
            )  # fmt: skip
        self._buttons["all_alike"].setVisible(matchup.runs > 2)

    def choose(self, kind: Kind) -> None:
        """Press the button of a kind."""
        self._told = True
        self.kind = kind
        self._buttons[kind].setChecked(True)
        self.chosen.emit(kind)

    def prefer(self, matchup: RunComparison) -> None:
        """Without a word of the person, the first kind that has items."""
        if not self._told and not matchup.count(self.kind):
            self.kind = next((kind for kind in KINDS if matchup.count(kind)), "every")
            self._buttons[self.kind].setChecked(True)

    def next(self) -> None:
        """Press the button after the pressed one."""
        shown = [kind for kind, button in self._buttons.items() if not button.isHidden()]
        self.choose(shown[(shown.index(self.kind) + 1) % len(shown)])

    def _on_clicked(self, button: QPushButton) -> None:
        self.choose(next(kind for kind, known in self._buttons.items() if known is button))


def verdict(result: Comparison) -> str:
    """The comparison in one sentence: who is ahead, by how much, how sure."""
    if result.difference is None:
        return result.undefined or tr("There is nothing to compare.")
    points = 100 * result.difference
    told = {
        "a": result.a,
        "b": result.b,
        "points": f"{abs(points):.1f}",
        "items": trn("1 item", "{n} items", result.n),
        "span": _span(result),
    }
    if abs(points) < 0.05:
        return tr("{a} and {b} are level on {items}{span}.", **told)
    if points > 0:
        return tr("{a} is {points} points ahead of {b} on {items}{span}.", **told)
    return tr("{a} is {points} points behind {b} on {items}{span}.", **told)


def _span(result: Comparison) -> str:
    low, high = result.interval.low, result.interval.high
    return "" if low is None or high is None else f" [{signed(100 * low)}, {signed(100 * high)}]"


def chances(result: Comparison, pairs: int) -> str:
    """The p-values in words, and what was left out."""
    p = p_words(result.p_mcnemar)
    parts = [
        trn("McNemar over 1 item p {p}", "McNemar over {n} items p {p}", result.clusters, p=p)
        if result.clusters
        else tr("McNemar p {p}", p=p),
        tr("bootstrap p {p}", p=p_words(result.p_bootstrap)),
    ]
    if result.p_holm is not None:
        parts.append(
            trn(
                "after Holm over 1 pair p {p}",
                "after Holm over {n} pairs p {p}",
                pairs,
                p=p_words(result.p_holm),
            )
        )
    if result.left_out:
        parts.append(
            trn(
                "1 item without both answers is left out",
                "{n} items without both answers are left out",
                result.left_out,
            )
        )
    return " · ".join(parts)


def signed(points: float) -> str:
    """Points with their sign, a real minus among them."""
    return f"{points:+.1f}".replace("-", "−")


def p_words(p: float | None) -> str:
    """``< 0.001``, ``= 0.042``, or a dash where it is undefined."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
