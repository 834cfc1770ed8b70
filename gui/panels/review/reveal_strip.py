"""The strip under the page: what was hidden about the item just left."""

from PySide6.QtWidgets import QFrame, QWidget

from core.i18n import tr
from core.workflow.check.qualification import answer_sentences
from core.workflow.check.review import CommittedDecision
from gui import labels, theme
from gui.widgets.elements import OneLine, label, row, set_ink, tip

_LOW, _HIGH = 32, 72


class RevealStrip(QFrame):
    """What the model and the others said about the item just left; shown after committing only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "strip")
        self._mine = label("", size=theme.SMALL_PX, bold=True)
        self._said = OneLine()
        self._said.setFont(theme.font(theme.SMALL_PX))
        self._said.setProperty("ink", "muted")
        self.setFixedHeight(_LOW)
        layout = row(self, spacing=12)
        layout.setContentsMargins(24, 0, 24, 0)
        layout.addWidget(self._mine)
        layout.addWidget(self._said, 1)

    def show_decided(self, decided: CommittedDecision) -> None:
        """Replace what is said about the item before."""
        self._mine.setText(
            tr(
                "#{number} {verdict}",
                number=decided.number,
                verdict=labels.word(labels.VERDICTS, decided.verdict),
            )
        )
        answer = decided.answer
        ink = labels.ink_of(decided.verdict)
        set_ink(self._mine, ink if answer is None else "accept" if answer.right else "reject")
        set_ink(self._said, "muted" if answer is None else "text")
        self._said.setWordWrap(answer is not None)
        text = (" · " if answer is None else "\n").join(reveal_sentences(decided))
        self._said.setText(text)
        self._said.setToolTip(tip(text))

    def make_room(self) -> None:
        """Words of an answer in a qualification round are to be read, so they get lines of their
        own from the first item of a round on: nothing moves when they come, or when it ends."""
        self.setFixedHeight(_HIGH)

    def clear(self) -> None:
        """Say nothing."""
        self._mine.setText("")
        self._said.setText("")
        self._said.setToolTip("")

    @property
    def text(self) -> str:
        """All that is said."""
        return f"{self._mine.text()} {self._said.text()}".strip()


def reveal_sentences(decided: CommittedDecision) -> list[str]:
    """What the model and the others said, one sentence each."""
    if decided.answer is not None:
        return list(answer_sentences(decided.answer))
    reveal = decided.reveal
    parts: list[str] = []
    if reveal.score is not None:
        threshold = reveal.threshold if reveal.threshold is not None else 6
        parts.append(
            tr("model score {score:g} of 10 (passes at {threshold:g})", score=reveal.score,
               threshold=threshold)
        )  # fmt: skip
        if reveal.rationale:
            parts.append(tr("“{rationale}”", rationale=" ".join(reveal.rationale.split())))
    for other in reveal.others:
        verdict = labels.word(labels.VERDICTS, other.verdict)
        why = labels.word(labels.REASONS, other.reason) if other.reason else other.note
        parts.append(
            tr("another reviewer: {verdict} ({why})", verdict=verdict, why=why)
            if why
            else tr("another reviewer: {verdict}", verdict=verdict)
        )
    if decided.disputed:
        parts.append(tr("you disagree; somebody else will adjudicate"))
    return parts or [tr("no other decisions yet")]
