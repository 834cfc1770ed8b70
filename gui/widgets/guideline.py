"""The guideline of the task in front, beside the item: what is asked, and by which labels."""

import html
import re
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QTextBrowser, QToolButton, QWidget

from core.formulas.finding import Formula, pieces
from core.i18n import tr
from core.workflow.check.review import reasons_of
from core.workflow.production import task_view
from core.workflow.production.task_view import TaskView
from gui import labels, theme
from gui.context import WindowContext
from gui.documents.formulas import put_formulas
from gui.documents.markdown import as_html
from gui.documents.writer import is_chinese
from gui.widgets.elements import caption, column, label, row, rule

_WIDTH, _SLIM = 300, 200
_TIGHT = 800
"""A panel that is narrower than this leaves the item more room than its guideline."""
_MARKER = 1.8
"""Room for the number of an entry, such as “10.”, in sizes of the type."""
_HELD = "\ue000"
"""Stands for a formula while Markdown is read, which would take its signs for its own."""
_ROOM = 1240
"""A panel that is narrower than this gives up its list of items for the guideline."""


def _look() -> str:
    size = max(13, theme.reading().size - 2)
    return f"""
p {{ line-height: 118%; margin-top: 0; margin-bottom: 8px; font-size: {size}px; }}
li {{ line-height: 112%; margin-top: 0; margin-bottom: 2px; font-size: {size}px; }}
li p {{ margin-bottom: 2px; }}
ul, ol {{ margin-top: 0; margin-bottom: 8px; margin-left: {round(_MARKER * size)}px;
  -qt-list-indent: 0; }}
.title {{ font-size: {size + 3}px; font-weight: 600; }}
.part {{ font-size: {size + 1}px; font-weight: 600; margin-top: 10px; margin-bottom: 4px; }}
.head {{ font-size: {theme.SMALL_PX}px; margin-top: 14px; margin-bottom: 4px; }}
td, th {{ padding: 2px 10px 2px 0; font-size: {size}px; }}
pre, code {{ font-family: monospace; font-size: {size - 2}px; }}
blockquote {{ margin-left: 12px; }}
"""


def guideline_html(
    shown: TaskView, muted: str, held: list[Formula], *, with_reasons: bool = True
) -> str:
    """Guideline, instruction, label space and reasons of a task as HTML; tags in them stay text.

    A mark stands for each formula of guideline and instruction; ``held`` takes them in.
    """
    texts = shown.versions[-1]
    parts = []

    def part(title: str, body: str) -> None:
        head = f'<p class="head"><span style="color: {muted}">{html.escape(title)}</span></p>'
        parts.append(head + body)

    if texts.guideline.strip():
        part(tr("Guideline"), as_html(_hold(texts.guideline, held), trusted=False))
    if texts.instruction.strip():
        part(tr("Instruction"), as_html(_hold(texts.instruction, held), trusted=False))
    if texts.labels:
        names = "".join(f"<li>{html.escape(name)}</li>" for name in texts.labels)
        part(tr("Label space"), f"<ul>{names}</ul>")
    reasons = "".join(
        f"<li>{html.escape(labels.word(labels.REASONS, reason))}</li>"
        for reason in reasons_of(shown.info.profile, shown.info.family)
    )
    if not (texts.guideline.strip() or texts.instruction.strip() or texts.labels):
        nothing = tr("This task has no guideline yet.")
        parts.append(f"<p>{html.escape(nothing)}</p>")
    if with_reasons:
        part(tr("Reasons for a rejection"), f"<ol>{reasons}</ol>")
    return "".join(parts)


def _hold(text: str, held: list[Formula]) -> str:
    """The text with a mark in place of every formula, which ``held`` keeps."""
    kept = []
    for piece in pieces(text.replace(_HELD, "")):
        if isinstance(piece, Formula):
            held.append(piece)
        kept.append(_HELD if isinstance(piece, Formula) else piece)
    return "".join(kept)


def _code_again(page: str, held: list[Formula]) -> str:
    """HTML whose code is as it was written; its formulas leave ``held``."""
    waiting = list(held)
    held.clear()
    parts = []
    for part in re.split(r"(<code>.*?</code>|<pre>.*?</pre>)", page, flags=re.DOTALL):
        here = [waiting.pop(0) for _ in range(part.count(_HELD))]
        if part.startswith(("<code>", "<pre>")):
            for formula in here:
                part = part.replace(_HELD, html.escape(formula.source), 1)
        else:
            held += here
        parts.append(part)
    return "".join(parts)


def guideline_page() -> QTextBrowser:
    """An empty page for a guideline, which has the look of what is around it."""
    page = QTextBrowser()
    page.setObjectName("guideline")
    page.setAccessibleName(tr("Guideline"))
    page.setFrameShape(QFrame.Shape.NoFrame)
    page.setProperty("look", "side")
    page.setOpenLinks(False)
    page.setFont(theme.font())
    page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    page.document().setDocumentMargin(0)
    return page


def show_guideline(
    page: QTextBrowser, shown: TaskView, muted: str, *, with_reasons: bool = True
) -> None:
    """Write a task's guideline on a page, in the type of item text."""
    held: list[Formula] = []
    whole = guideline_html(shown, muted, held, with_reasons=with_reasons)
    _put(page, shown.versions[-1].guideline, whole, held)


def show_guideline_alone(page: QTextBrowser, guideline: str) -> None:
    """Write only what people wrote as the guideline of a task on a page."""
    held: list[Formula] = []
    _put(page, guideline, as_html(_hold(guideline, held), trusted=False), held)


def _put(page: QTextBrowser, guideline: str, whole: str, held: list[Formula]) -> None:
    page.document().setDefaultFont(theme.font(chinese=is_chinese(guideline) or None))
    page.document().setDefaultStyleSheet(_look())
    page.setHtml(_code_again(whole, held))
    size = max(13, theme.reading().size - 2)
    put_formulas(page.document(), _HELD, held, size, drawn=theme.reading().formulas)


def guideline_button(context: WindowContext) -> QToolButton:
    """A quiet button that shows or hides the guideline, with its key."""
    button = QToolButton()
    button.setProperty("look", "flat")
    button.setFont(theme.font(theme.SMALL_PX))
    button.setText(tr("[{key}] guideline", key=context.actions.key_text("guideline")))
    button.clicked.connect(context.actions.action("guideline").trigger)
    return button


class GuidelineColumn(QFrame):
    """Stands where the panel's list of items was when there is not room for both."""

    def __init__(
        self,
        context: WindowContext,
        panel: QWidget,
        beside: QWidget | None,
        *,
        reasons: bool = True,
    ) -> None:
        """``beside`` is the panel's own column, which gives way in a narrow window; ``reasons``
        whether those for a rejection are of use there."""
        super().__init__(panel)
        self.setProperty("look", "side")
        self._context = context
        self._panel, self._beside = panel, beside
        self._task = self._shown = ""
        self._reasons = reasons
        self.title = label("", bold=True, wrap=True)
        self.left = caption()
        self.left.hide()
        self.page = guideline_page()
        keys = context.actions.key_text
        self._keys = caption(
            tr("{hide} hides this · {task} opens the task", hide=keys("guideline"),
               task=keys("task"))
        )  # fmt: skip
        self._keys.setWordWrap(True)
        inside = QWidget()
        inside.setProperty("look", "page")
        whole = row(self, spacing=0)
        whole.addWidget(inside, 1)
        if beside is None:  # nothing else parts it from the item
            whole.addWidget(rule("column"))
        inner = column(inside, margin=16, spacing=6)
        inner.addWidget(self.left)
        inner.addWidget(self.title)
        inner.addWidget(rule())
        inner.addWidget(self.page, 1)
        inner.addWidget(self._keys)
        context.guideline_toggled.connect(self._place)
        context.reading_changed.connect(self._read_again)
        context.changed.connect(self._on_changed)
        panel.installEventFilter(self)
        self._place()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """The panel became wider or narrower."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        shown = self._context.guideline
        self.setFixedWidth(_SLIM if self._panel.width() < _TIGHT else _WIDTH)
        self.setVisible(shown)
        if self._beside is not None and self._beside.parentWidget() is not None:
            # before that it would become a window of its own
            self._beside.setVisible(not shown or self._panel.width() >= _ROOM)
            self.left.setVisible(bool(self.left.text()) and self._beside.isHidden())
        if shown:
            self._read()

    def say_left(self, sentence: str) -> None:
        """How much is left, for where the column that says so has given way."""
        self.left.setText(sentence)
        alone = self._beside is not None and self._beside.isHidden()
        self.left.setVisible(bool(sentence) and alone)

    def show_task(self, task: str) -> None:
        """The task of the item in front; nothing is read while the column is closed."""
        if task != self._task:
            self._task = task
            if self._context.guideline:
                self._read()

    def _on_changed(self, change: object) -> None:
        if "benchmarks" in getattr(change, "topics", ()):
            self._shown = ""
            if self._context.guideline and self.isVisible():
                self._read()

    def _read_again(self) -> None:
        self._shown = ""
        if self._context.guideline:
            self._read()

    def _read(self) -> None:
        context, task = self._context, self._task
        if not task or not context.benchmark or self._shown == task:
            return
        self._shown = task
        work = partial(
            task_view.task_view, context.workspace, task, context.benchmark, context.person.name
        )
        context.ask(
            self, work, self.show_view, context.complain, topic="guideline", lane="background"
        )

    def show_view(self, shown: TaskView) -> None:
        """Write down what a task asks for."""
        self.title.setText(shown.info.name)
        muted = self._context.colours.muted
        show_guideline(self.page, shown, muted, with_reasons=self._reasons)
