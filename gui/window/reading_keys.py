"""Reading by keys, whatever panel is in front: scrolling, the size of the text, the guideline."""

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QTextBrowser, QTextEdit, QWidget

from core.i18n import tr
from gui import theme
from gui.context import WindowContext
from gui.panels.base import Panel
from gui.widgets.find_bar import find_in
from gui.widgets.page import ItemPage


class ReadingKeys(QObject):
    """Binds the commands of reading to the panel in front, which names its page and its item."""

    preferences_changed = Signal(object)
    """Fields of the preferences with their new values."""

    def __init__(self, context: WindowContext, stack: QStackedWidget, bench: QWidget) -> None:
        super().__init__(bench)
        self._context, self._stack, self._bench = context, stack, bench
        bind = context.actions.bind
        bind("guideline", bench, self.toggle_guideline)
        bind("question", bench, self.open_question, self._has_item)
        bind("find-text", bench, self.find_text)
        bind("page-down", bench, partial(self._scroll, 1), self._reads)
        bind("page-up", bench, partial(self._scroll, -1), self._reads)
        bind("page-top", bench, partial(self._scroll_to, False), self._reads)
        bind("page-end", bench, partial(self._scroll_to, True), self._reads)
        bind("text-larger", bench, partial(self._resize_text, 1))
        bind("text-smaller", bench, partial(self._resize_text, -1))
        bind("text-usual", bench, partial(self._resize_text, 0))
        bind("line-height", bench, self._next_line_height)
        bind("density", bench, self._next_density)
        bind("formulas", bench, self._toggle_formulas)
        bind("settings", bench, self.open_settings)

    def _panel(self) -> Panel | None:
        panel = self._stack.currentWidget()
        return panel if isinstance(panel, Panel) else None

    def _guideline(self) -> QTextBrowser | None:
        """The guideline, while it has the focus."""
        focus = self._bench.window().focusWidget()
        if isinstance(focus, QTextBrowser) and focus.objectName() == "guideline":
            return focus
        return None

    def _page(self) -> QTextEdit | None:
        """What the keys scroll: the guideline while it has the focus, else the item in front."""
        panel = self._panel()
        return self._guideline() or (panel.reading() if panel is not None else None)

    def _reads(self) -> bool:
        panel = self._panel()
        return panel is not None and panel.reading() is not None

    def find_text(self) -> None:
        """Look for words in the item in front, or in the guideline while it has the focus."""
        panel = self._panel()
        page = self._guideline() or (panel.searched() if panel is not None else None)
        if page is None:
            self._context.say(tr("There is no item to search here."))
        else:
            find_in(page)

    def _scroll(self, pages: int) -> None:
        page = self._page()
        if isinstance(page, ItemPage):
            page.scroll_by(pages)
        elif page is not None:
            bar = page.verticalScrollBar()
            bar.setValue(bar.value() + pages * bar.pageStep())

    def _scroll_to(self, end: bool) -> None:
        if (page := self._page()) is not None:
            bar = page.verticalScrollBar()
            bar.setValue(bar.maximum() if end else bar.minimum())

    def _resize_text(self, step: int) -> None:
        """One size larger (1) or smaller (-1), or the usual one (0)."""
        now = theme.reading().size
        if step > 0:
            size = next((size for size in theme.SIZES if size > now), now)
        elif step < 0:
            size = next((size for size in reversed(theme.SIZES) if size < now), now)
        else:
            size = theme.ITEM_PX
        self._set(text_size=size)

    def _next_line_height(self) -> None:
        height = _following(theme.LINE_HEIGHTS, theme.reading().line_height)
        self._set(line_height=height)
        self._context.say(tr("Line height {value:g}", value=height))

    def _next_density(self) -> None:
        density = _following(theme.DENSITIES, theme.reading().density)
        self._set(density=density)
        self._context.say(tr("Space between paragraphs × {value:g}", value=density))

    def _toggle_formulas(self) -> None:
        drawn = not theme.reading().formulas
        self._set(formulas=drawn)
        self._context.say(tr("Formulas are drawn") if drawn else tr("Formulas are shown as TeX"))

    def _set(self, **changes: Any) -> None:
        names = {"text_size": "size"}
        type_ = replace(theme.reading(), **{names.get(k, k): v for k, v in changes.items()})
        if type_ != theme.reading():
            theme.read_in(type_)
            context = self._context
            context.preferences = context.preferences.model_copy(update=changes)
            self.preferences_changed.emit(changes)
            self._context.reading_changed.emit()

    def open_settings(self) -> None:
        """What this person sets for themselves, and the model servers."""
        from gui.dialogs.settings import SettingsDialog, settings_now

        dialog = SettingsDialog(self._context, settings_now(self._context), self._bench)
        dialog.saved.connect(self._on_settings)
        dialog.open()

    def _on_settings(self, changes: dict[str, Any]) -> None:
        context = self._context
        context.preferences = context.preferences.model_copy(update=changes)
        theme.read_in(context.preferences.reading)
        if "guideline" in changes:
            context.guideline = bool(changes["guideline"])
            context.guideline_toggled.emit()
        context.reading_changed.emit()
        self.preferences_changed.emit(changes)

    def toggle_guideline(self) -> None:
        """Show or hide the guideline of the task in front beside the item."""
        self._context.guideline = not self._context.guideline
        self.preferences_changed.emit({"guideline": self._context.guideline})
        self._context.guideline_toggled.emit()

    def _has_item(self) -> bool:
        panel = self._panel()
        return panel is not None and panel.item() > 0

    def open_question(self) -> None:
        """Ask about the item in front, or answer."""
        from gui.dialogs.question import QuestionDialog

        panel = self._panel()
        if panel is not None and panel.item():
            QuestionDialog(self._context, panel.item(), self._bench).open()


def _following(values: tuple[float, ...], now: float) -> float:
    """The value after ``now``; the first after the last."""
    return next((value for value in values if value > now + 1e-6), values[0])
