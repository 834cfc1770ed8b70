"""The settings page, made from ``core.settings.Settings``, and the model servers with keys."""

from functools import partial
from typing import Any, Literal, get_args, get_origin

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QTabWidget,
    QWidget,
)

from core.errors import BenchsealError
from core.i18n import tr
from core.llm import keys
from core.llm.keys import AllowedServer, ServerKey
from core.settings import Settings, checked
from gui import theme
from gui.context import WindowContext
from gui.widgets.elements import caption, column, label, row, scrolled, set_ink
from gui.widgets.server_test import ServerTest
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox, DecimalBox, NumberBox
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_CHOICE_PX = 250
_LANGUAGES = {"en": "English", "zh": "中文"}  # each in its own language
Field = QComboBox | QCheckBox | QSpinBox | QDoubleSpinBox | QLineEdit


class SettingsDialog(Sheet):
    """``saved`` is emitted with the values that differ from those it was opened with."""

    saved = Signal(object)

    def __init__(self, context: WindowContext, now: Settings, parent: QWidget) -> None:
        super().__init__(parent, tr("Settings"), (680, 560))
        self._now = now
        self.fields: dict[str, Field] = {}
        self.says = label("", ink="reject", wrap=True)
        self.cancel, self.save = QPushButton(tr("Cancel")), QPushButton(tr("Save"))
        self.servers = ServerPage(context)
        self._build()
        self.focus_first(self.fields["language"])
        self.enter_presses(self.save)

    def _build(self) -> None:
        layout, last = self.with_body(margin=20, spacing=10)
        tabs = QTabWidget()
        tabs.setMinimumHeight(240)
        tabs.addTab(scrolled(self._own_page()), tr("Window and text"))
        tabs.addTab(scrolled(self.servers), tr("Model servers"))
        self.tabs = tabs
        layout.addWidget(tabs, 1)
        self.save.setProperty("look", "filled")
        last.addWidget(self.says, 1)
        for button in (self.cancel, self.save):
            last.addWidget(button)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self.run)

    def _own_page(self) -> QWidget:
        page = QWidget()
        page.setProperty("look", "page")
        form = QFormLayout(page)
        form.setContentsMargins(12, 12, 12, 12)
        form.setHorizontalSpacing(16)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for name, info in Settings.model_fields.items():
            field = _field(name, info.annotation, info.metadata, getattr(self._now, name))
            words, more = str(info.title), str(info.description)
            title, hint = tr(words), tr(more)
            field.setAccessibleName(title)
            field.setAccessibleDescription(hint)
            form.addRow(title, _with_hint(field, hint))
            self.fields[name] = field
        return page

    def values(self) -> dict[str, Any]:
        """What the fields say."""
        return {name: _value(field) for name, field in self.fields.items()}

    def unsaved(self) -> bool:
        """Whether a field differs from what counts now, or a server is typed and not allowed."""
        now = {name: getattr(self._now, name) for name in self.fields}
        return self.values() != now or self.servers.pending()

    def run(self) -> None:
        """Hand the changes on; what is wrong is said here, and a server that is typed and not
        allowed is asked for first."""
        if not self.servers.pending():
            self._save()
            return
        self.tabs.setCurrentIndex(1)
        self.ask_first(self._save)

    def _save(self) -> None:
        try:
            values = checked(self._now, self.values())
        except BenchsealError as error:
            self.says.setText(str(error))
            return
        changes = {n: value for n, value in values.items() if value != getattr(self._now, n)}
        self.drop()
        if changes:
            self.saved.emit(changes)


def _with_hint(field: Field, hint: str) -> QHBoxLayout:
    """A field with what it means: beside it, or in it where a text needs the width. A choice that
    names what leaving it empty means needs no words about that."""
    line = row()
    if isinstance(field, QLineEdit):
        field.setPlaceholderText(hint)
        field.setToolTip(hint)
        line.addWidget(field, 1)
        return line
    line.addWidget(field)
    empty = isinstance(field, QComboBox) and field.findData("") >= 0
    line.addWidget(caption("" if empty else hint), 1)
    if isinstance(field, QComboBox):
        field.setMinimumWidth(_CHOICE_PX)
    return line


def _field(name: str, kind: Any, limits: list[Any], now: Any) -> Field:
    """The widget that a type of the model asks for."""
    if get_origin(kind) is Literal:
        box = ChoiceBox()
        words = {"": tr("that of the system"), "light": tr("light"), "dark": tr("dark")}
        for value in get_args(kind):
            box.addItem(_LANGUAGES.get(value) or words.get(value, value), value)
        box.setCurrentIndex(box.findData(now))
        return box
    if name == "font":
        box = ChoiceBox()
        box.addItem(tr("the usual fonts"), "")
        families = QFontDatabase.families()
        for family in dict.fromkeys([*families, *([now] if now else [])]):
            box.addItem(family, family)
        box.setCurrentIndex(max(0, box.findData(now)))
        return box
    if kind is bool:
        check = QCheckBox()
        check.setChecked(now)
        return check
    if kind in (int, float):
        spin: QSpinBox | QDoubleSpinBox = NumberBox() if kind is int else DecimalBox()
        low = next(limit.ge for limit in limits if hasattr(limit, "ge"))
        high = next(limit.le for limit in limits if hasattr(limit, "le"))
        spin.setRange(low, high)
        if isinstance(spin, QDoubleSpinBox):
            spin.setSingleStep(0.1)
            spin.setDecimals(1)
        spin.setValue(now)
        spin.setMinimumWidth(96)
        spin.lineEdit().setTextMargins(6, 0, 6, 0)
        return spin
    return QLineEdit(now)


def _value(field: Field) -> Any:
    if isinstance(field, QComboBox):
        return field.currentData()
    if isinstance(field, QCheckBox):
        return field.isChecked()
    if isinstance(field, QLineEdit):
        return field.text().strip()
    return round(field.value(), 1) if isinstance(field, QDoubleSpinBox) else field.value()


class ServerPage(QWidget):
    """The allowed servers; each key goes to the keyring of the system and nowhere else."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__()
        self._context = context
        self._known: tuple[ServerKey, ...] = ()
        self._allowed = ""
        self.model = TableModel((), self)
        self.table = ReadingTable(self.model)
        self.table.setAccessibleName(tr("Allowed servers"))
        self.table.setMinimumHeight(84)
        # it takes what is left: what is below it comes first
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.url, self.key, self.asked = QLineEdit(), QLineEdit(), QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.add, self.remove = QPushButton(tr("Allow the server")), QPushButton(tr("Remove"))
        self.test = ServerTest(context, self.url, self.asked.text)
        self.says = label("", wrap=True)
        self._build()
        self.read()

    def _build(self) -> None:
        self.setProperty("look", "page")
        layout = column(self, margin=12, spacing=8)
        layout.addWidget(caption(tr("Only these servers are asked. Nobody else sees this list.")))
        layout.addWidget(self.table, 1)
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for words, field, hint in (
            (tr("Address"), self.url, "http://127.0.0.1:8000/v1"),
            (tr("Key"), self.key, tr("empty for none; it is kept in the system keyring")),
            (tr("Model for the test"), self.asked, ""),
        ):
            field.setAccessibleName(words)
            field.setPlaceholderText(hint)
            field.textChanged.connect(self._on_typed)
            form.addRow(words, field)
        layout.addLayout(form)
        line = row()
        for button in (self.add, self.remove):
            line.addWidget(button)
        line.addStretch(1)
        layout.addLayout(line)
        layout.addWidget(self.test)
        layout.addWidget(self.says)
        self.add.clicked.connect(self._on_add)
        self.remove.clicked.connect(self._on_remove)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self._on_typed()

    def pending(self) -> bool:
        """Whether an address or a key is typed that was not allowed."""
        url = self.url.text().strip()
        return bool(self.key.text()) or url not in ("", self._allowed)

    def read(self) -> None:
        """Read the list again."""
        self._context.ask(self, _known_servers, self._show, self._fail, topic="servers")

    def _show(self, known: tuple[ServerKey, ...]) -> None:
        self._known = known
        columns = (
            Column(tr("Server name"), 140),
            Column(tr("Address"), 200),
            Column(tr("Key"), 160),
            Column(tr("State"), 80),
        )
        rows = [
            (one.server.name, one.server.origin, keys.shown_place(one.server),
             "–" if one.server.key == "none" else tr("set") if one.has_key else tr("not set"))
            for one in known
        ]  # fmt: skip
        self.model.show_rows(columns, rows)
        self.table.fit_columns()
        self.remove.setEnabled(False)

    def _on_row(self, current: Any, _before: Any) -> None:
        self.remove.setEnabled(0 <= current.row() < len(self._known))

    def _on_typed(self, _text: str = "") -> None:
        self.add.setEnabled(bool(self.url.text().strip()))
        self.test.forget()

    def _on_add(self) -> None:
        url = self.url.text().strip()
        work = partial(keys.allow_with_key, url, self.key.text())
        done = partial(self._on_added, url)
        self._context.ask(self, work, done, self._fail, topic="allow")

    def _on_added(self, url: str, server: AllowedServer) -> None:
        self._allowed = url
        self.key.clear()
        set_ink(self.says, "accept")
        self.says.setText(
            tr("{origin} is allowed: {key}.", origin=server.origin, key=keys.shown_place(server))
        )
        self.read()

    def _on_remove(self) -> None:
        place = self.table.currentIndex().row()
        if 0 <= place < len(self._known):
            work = partial(keys.forget_server, self._known[place].server.name)
            self._context.ask(self, work, self._on_removed, self._fail, topic="allow")

    def _on_removed(self, server: AllowedServer) -> None:
        set_ink(self.says, "muted")
        self.says.setText(tr("{origin} is no longer allowed.", origin=server.origin))
        self.read()

    def _fail(self, sentence: str) -> None:
        set_ink(self.says, "reject")
        self.says.setText(sentence)


def _known_servers() -> tuple[ServerKey, ...]:
    return tuple(keys.server_keys())


def settings_now(context: WindowContext) -> Settings:
    """What counts in this window now."""
    type_ = theme.reading()
    kept = {name: getattr(context.preferences, name) for name in Settings.model_fields}
    reading = {"text_size": type_.size, "line_height": type_.line_height, "density": type_.density}
    return Settings.model_validate({**kept, **reading, "guideline": context.guideline})
