"""The form of an evaluation: split, engine, models, launcher, shards, wordings, prices."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from core.evaluation.parse_params import params_of
from core.i18n import tr
from core.workflow.evaluation.plan import EvaluationRequest, Prices
from gui import theme
from gui.context import WindowContext
from gui.labels import engine_words
from gui.widgets.elements import column, label, rule
from gui.widgets.form import Choice
from gui.widgets.server_test import ServerTest
from gui.widgets.steady_fields import NumberBox

if TYPE_CHECKING:
    from core.workflow.splits.freeze import SplitInfo

_WIDEST = 460  # pixels of a field
_LETTERS = 7  # of a choice that are seen in the narrowest window


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """An engine as the form offers it; ``reason`` says what to install where it is not usable."""

    name: str
    title: str
    usable: bool
    reason: str
    answers_by: tuple[str, ...]
    needs_model: bool
    needs_server: bool


@dataclass(frozen=True, slots=True)
class FormChoices:
    """What can be chosen from now."""

    splits: "tuple[SplitInfo, ...]"
    engines: tuple[EngineChoice, ...]
    launchers: tuple[str, ...]
    gpus: int


def answer_modes() -> dict[str, str]:
    """How answers are got, in words."""
    return {
        "generation": tr("generation"),
        "choice": tr("choice of an option"),
        "loglikelihood": tr("log-likelihood of the options"),
    }


class LaunchForm(QWidget):
    """The fields, each with its words; ``edited`` after every change by a person."""

    edited = Signal()

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "page")
        self._engines: dict[str, EngineChoice] = {}
        self._filling = False
        self._layout = QFormLayout()
        self._layout.setHorizontalSpacing(16)
        self._layout.setVerticalSpacing(8)
        self.split = Choice()
        self.engine = Choice()
        self.reason = label("", ink="return", wrap=True)
        self.models = _few_lines()
        self.server = QLineEdit()
        self.server.setPlaceholderText("http://127.0.0.1:8000/v1")
        self.server_test = ServerTest(context, self.server, self._first_model)
        self.answer_mode = Choice()
        self.launcher = Choice()
        self.shards = _spin(1, 1024)
        self.gpus = _spin(-1, 64)
        self.gpus.setSpecialValueText(tr("determined by the engine"))
        self.variants = _choice(
            ("", tr("each item's own instruction variant")),
            ("public", tr("the public instruction of each task")),
            ("all", tr("all instruction variants of each task")),
        )
        self.templates = _choice(("", tr("none")), ("all", tr("all templates of each item")))
        self.orders = _spin(1, 26)
        self.orders.setSpecialValueText(tr("as in each item"))
        self.shots = _spin(0, 64)
        self.shots_from = QLineEdit()
        self.shots_from.setPlaceholderText(tr("a file or a split; empty for expired splits"))
        self.judge = QLineEdit()
        self.judge.setPlaceholderText(tr("empty for none"))
        self.judge_server = QLineEdit()
        self.judge_server.setPlaceholderText(tr("empty for the server above"))
        self.more = _few_lines()
        self.more.setPlaceholderText("max_tokens=50")
        self.price_in, self.price_out = _price(), _price()
        self._models_note = _note(tr("One per line; each is a separate run."))
        self._price_note = _note(tr("Per million tokens, as published by the server's operator."))
        self._build()

    def _build(self) -> None:
        layout = column(self, spacing=8)
        layout.setContentsMargins(24, 20, 16, 20)
        self._rows(
            (tr("Split"), self.split),
            (tr("Engine"), self.engine),
            ("", self.reason),
            (tr("Server"), self.server),
            (tr("Model names"), self.models),
            ("", self._models_note),
            ("", self.server_test),
            (tr("Answer mode"), self.answer_mode),
            (tr("Instruction variants"), self.variants),
            (tr("Templates"), self.templates),
            (tr("Orders of the options"), self.orders),
            (tr("Few-shot examples"), self.shots),
            (tr("Few-shot examples from"), self.shots_from),
            (tr("Judge"), self.judge),
            (tr("Judge server"), self.judge_server),
            ("", rule()),
            (tr("Where"), self.launcher),
            (tr("Shards"), self.shards),
            (tr("GPUs per shard"), self.gpus),
            (tr("Parameters"), self.more),
            (
                "",
                _note(tr("name=value, one per line; unknown parameters are passed to the engine.")),
            ),
            (tr("Input price"), self.price_in),
            (tr("Output price"), self.price_out),
            ("", self._price_note),
        )
        layout.addLayout(self._layout)
        layout.addStretch(1)
        boxes = (
            self.split,
            self.engine,
            self.answer_mode,
            self.launcher,
            self.variants,
            self.templates,
        )
        for box in boxes:
            # as wide as its place, whatever it offers: names of splits have any length
            box.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(_LETTERS)
            box.currentIndexChanged.connect(self._on_edited)
        fields = (self.models, self.more, self.server, self.price_in, self.price_out, self.judge,
                  self.judge_server, self.shots_from)  # fmt: skip
        for field in fields:
            field.textChanged.connect(self._on_edited)
        self.judge.textChanged.connect(self._on_judge)
        self.shots.valueChanged.connect(self._on_shots)
        for spin in (self.shards, self.gpus, self.shots, self.orders):
            spin.valueChanged.connect(self._on_edited)
        self.engine.currentIndexChanged.connect(self._on_engine)

    def _rows(self, *rows: tuple[str, QWidget]) -> None:
        for words, widget in rows:
            widget.setMaximumWidth(_WIDEST)
            if words:
                widget.setAccessibleName(words)
            self._layout.addRow(words, widget)

    # -- filling ----------------------------------------------------------------------------

    def offer(self, choices: FormChoices) -> None:
        """Show what there is; what was chosen before stays chosen."""
        self._filling = True
        self._engines = {choice.name: choice for choice in choices.engines}
        _fill(self.split, [(choice.name, choice.name) for choice in choices.splits])
        _fill(
            self.engine,
            [
                (
                    engine_words(choice.name, choice.title)
                    if choice.usable
                    else tr("{title} – not available here", title=choice.title),
                    choice.name,
                )
                for choice in choices.engines
            ],
        )
        _fill(self.launcher, [(launcher_words(name), name) for name in choices.launchers])
        self._filling = False
        self._on_engine()

    def choose_split(self, name: str) -> None:
        """Bring a split to the field; one that is not offered is left alone."""
        if (place := self.split.findData(name)) >= 0:
            self.split.setCurrentIndex(place)

    def _on_engine(self) -> None:
        chosen = self._engines.get(str(self.engine.currentData()))
        if chosen is None:
            return
        filling, self._filling = self._filling, True
        titles = answer_modes()
        _fill(self.answer_mode, [(titles.get(mode, mode), mode) for mode in chosen.answers_by])
        self._filling = filling
        self.reason.setText(chosen.reason)
        show = self._layout.setRowVisible
        show(self.reason, not chosen.usable)
        show(self.server, chosen.needs_server)
        show(self.server_test, chosen.needs_server)
        show(self.models, chosen.needs_model)
        show(self._models_note, chosen.needs_model)
        show(self.gpus, chosen.needs_model and not chosen.needs_server)
        for field in (self.price_in, self.price_out, self._price_note):
            show(field, chosen.needs_server)
        self._on_judge()
        self._on_shots()

    def _on_shots(self) -> None:
        self._layout.setRowVisible(self.shots_from, self.shots.value() > 0)

    def _on_judge(self) -> None:
        self._layout.setRowVisible(self.judge_server, bool(self.judge.text().strip()))

    def _first_model(self) -> str:
        return next(iter(_lines(self.models)), "")

    def _on_edited(self) -> None:
        self.server_test.forget()
        if not self._filling:
            self.edited.emit()

    # -- reading ----------------------------------------------------------------------------

    def request(self) -> EvaluationRequest:
        """What the form says. Raises InputError for a parameter that does not fit."""
        name = str(self.engine.currentData() or "")
        chosen = self._engines.get(name)
        fields: dict[str, Any] = {
            "split": str(self.split.currentData() or ""),
            "engine": name,
            "answer_by": str(self.answer_mode.currentData() or "generation"),
        }
        if chosen and chosen.needs_server:
            fields["base_url"] = self.server.text().strip()
        fields |= {
            "variants": str(self.variants.currentData() or ""),
            "templates": str(self.templates.currentData() or ""),
            "orders": self.orders.value(),
            "shots": self.shots.value(),
            "shots_from": self.shots_from.text().strip() if self.shots.value() else "",
            "judge": self._judge(),
        }
        models = _lines(self.models) if chosen and chosen.needs_model else ()
        fields["model"] = models[0] if models else ""
        return EvaluationRequest(
            split=fields["split"],
            params=params_of(fields, _lines(self.more)),
            models=models,
            launcher=str(self.launcher.currentData() or "local"),
            shards=self.shards.value(),
            gpus=None if self.gpus.value() < 0 else self.gpus.value(),
            prices=self._prices() if chosen and chosen.needs_server else None,
        )

    def _judge(self) -> dict[str, Any] | None:
        model = self.judge.text().strip()
        address = self.judge_server.text().strip() or self.server.text().strip()
        return {"model": model, "base_url": address} if model else None

    def _prices(self) -> Prices | None:
        texts = (self.price_in.text().strip(), self.price_out.text().strip())
        if not any(texts):
            return None
        asked, answered = (_amount(text) for text in texts)
        return Prices(asked, answered)


def launcher_words(name: str) -> str:
    """A launcher in words."""
    kind, _, profile = name.partition(":")
    if kind == "slurm":
        return tr("Slurm, profile {profile}", profile=profile)
    if kind == "ray":
        return tr("Ray, profile {profile}", profile=profile)
    return tr("this machine") if name == "local" else name


def _lines(field: QPlainTextEdit) -> tuple[str, ...]:
    texts = (line.strip() for line in field.toPlainText().splitlines())
    return tuple(dict.fromkeys(text for text in texts if text))


def _amount(text: str) -> float:
    try:
        return max(0.0, float(text.replace(",", ".")))
    except ValueError:
        return 0.0


def _few_lines() -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setTabChangesFocus(True)
    field.setFixedHeight(3 * field.fontMetrics().lineSpacing() + 8)
    return field


def _note(words: str) -> QLabel:
    # wrapped: a note must not make the form wider than its place
    return label(words, ink="muted", size=theme.SMALL_PX, wrap=True)


def _spin(least: int, most: int) -> QSpinBox:
    box = NumberBox()
    box.setRange(least, most)
    box.lineEdit().setTextMargins(6, 0, 6, 0)
    return box


def _choice(*entries: tuple[str, str]) -> Choice:
    box = Choice()
    for value, title in entries:
        box.addItem(title, value)
    return box


def _price() -> QLineEdit:
    field = QLineEdit()
    check = QDoubleValidator(0.0, 1e6, 6, field)
    check.setLocale(QLocale.c())
    field.setValidator(check)
    field.setPlaceholderText(tr("unknown"))
    return field


def _fill(box: QComboBox, entries: list[tuple[str, str]]) -> None:
    """Offer these entries; the chosen one stays chosen where it is still among them."""
    wanted = box.currentData()
    if [(box.itemText(i), box.itemData(i)) for i in range(box.count())] == entries:
        return
    box.clear()
    for title, value in entries:
        box.addItem(title, value)
    box.setCurrentIndex(max(0, box.findData(wanted)))
