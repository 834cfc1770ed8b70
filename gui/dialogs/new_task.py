"""A new task: one of CIF-Bench's catalogue, or by hand."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPushButton, QWidget

from core.families import FAMILIES
from core.families.catalogue import CatalogueTask, cif_bench
from core.i18n import language, listed, sentences, tr
from core.workflow import tasks
from core.workflow.labels import METRICS, word
from core.workflow.model_servers import gate_sentence, knows_server
from core.workflow.people import own_benchmark
from core.workflow.production.author_view import WRITTEN
from core.workflow.protocols import ProtocolSettings, default_protocol
from core.workflow.tasks import TaskInfo
from gui import labels
from gui.context import WindowContext
from gui.widgets.elements import caption, label
from gui.widgets.languages import LanguageField
from gui.widgets.number_field import number_field
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox


class NewTaskDialog(Sheet):
    """``added`` is emitted with the ``TaskInfo``."""

    added = Signal(object)

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent, tr("New task"), (560, 640))
        self._context = context
        self._server = False
        self.catalogue = ChoiceBox()
        self.catalogue.setEditable(True)
        self.catalogue.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.catalogue.addItem(tr("enter manually"), None)
        for task in cif_bench().tasks:
            self.catalogue.addItem(tr("{number} {name}", number=task.id, name=task.name), task)
        if completer := self.catalogue.completer():
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.facts = label("", ink="muted", wrap=True)
        self.facts.hide()
        self.name = QLineEdit()
        self.name.setMaxLength(120)
        self.benchmark = QLineEdit(context.benchmark or own_benchmark())
        self.family = ChoiceBox()
        for known in FAMILIES:
            for name in known.formats or ("",):
                title = tr("{family} · {format}", family=labels.word(labels.FAMILIES, known.name),
                          format=labels.word(labels.FORMATS, name))  # fmt: skip
                self.family.addItem(title, (known.name, name))
        self.language = LanguageField()
        self.language.propose(language())
        self.target = number_field(1, 1_000_000, 100, tr("Target number of items"))
        self.domain = QLineEdit()
        self.gate = QCheckBox(tr("A language model screens drafts before people review them"))
        self.gate_note = label("", ink="muted", wrap=True)
        self.make = QPushButton(tr("Add task"))
        self.make.setProperty("look", "filled")
        self._build()
        self.catalogue.currentIndexChanged.connect(self._on_catalogue)
        self.name.textChanged.connect(self._allow)
        self.family.currentIndexChanged.connect(self._on_family)
        self.make.clicked.connect(self.run)
        self.choose_format("instruction", "triplet")
        self._show_gate()
        self._allow()
        self.focus_first(self.name)
        self.enter_presses(self.make)
        work = partial(knows_server, context.workspace)
        context.ask(self, work, self._on_server, self._fail, topic="server", lane="background")

    def _build(self) -> None:
        body, foot = self.with_body(spacing=4)
        for title, field in (
            (tr("Name of the task"), self.name),
            (tr("Benchmark"), self.benchmark),
            (tr("Family and format"), self.family),
            (tr("From the CIF-Bench catalogue"), self.catalogue),
            ("", self.facts),
            (tr("Language of the items"), self.language),
            (tr("Target number of items"), self.target),
            (tr("Domain (may be empty)"), self.domain),
        ):
            if title:
                body.addWidget(caption(title))
                field.setAccessibleName(title)
            body.addWidget(field)
        body.addSpacing(8)
        for part in (self.gate, self.gate_note):
            body.addWidget(part)
        body.addStretch(1)
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        foot.addWidget(cancel)
        foot.addStretch(1)
        foot.addWidget(self.make)

    def choose_format(self, family: str, format: str) -> None:
        """Choose a family and its format."""
        for place in range(self.family.count()):
            if tuple(self.family.itemData(place)) == (family, format):
                self.family.setCurrentIndex(place)

    def _task(self) -> CatalogueTask | None:
        task = self.catalogue.itemData(self.catalogue.currentIndex())
        return task if isinstance(task, CatalogueTask) else None

    def _on_catalogue(self, _place: int) -> None:
        task = self._task()
        self.facts.setVisible(task is not None)
        if task is not None:
            self.name.setText(task.name)
            self.choose_format("instruction", "triplet")
            self.facts.setText(facts_of(task))
            self.language.propose(next(iter(task.languages), ""))

    # -- the gate ---------------------------------------------------------------------------

    def _on_server(self, known: bool) -> None:
        self._server = known
        self._show_gate()

    def _on_family(self, _place: int) -> None:
        self.target.setValue(self._usual().target)
        self._show_gate()

    def _usual(self) -> ProtocolSettings:
        return default_protocol(self.family.currentData()[0])

    def _show_gate(self) -> None:
        """What is usual for the family, where there is a model that could do it."""
        usual = self._usual().gate
        self.gate.setVisible(usual != "off")
        self.gate_note.setVisible(usual != "off")
        self.gate.setChecked(usual == "required" and self._server)
        self.gate_note.setText(
            tr("Items that score below the protocol's threshold leave before review.")
            if self._server
            else tr(
                "Off, because no model server is configured: items go straight to review. "
                "You can turn it on now or later and add the server when you start screening."
            )
        )

    def _protocol(self) -> dict[str, str]:
        usual = self._usual()
        values = {"target": str(self.target.value())}
        if self.gate.isChecked():
            values["gate"] = "required"
        elif usual.gate == "required":
            values["gate"] = "off"
        return values

    # -- adding -----------------------------------------------------------------------------

    def unsaved(self) -> bool:
        return bool(self.name.text().strip())

    def _allow(self, _text: str = "") -> None:
        self.make.setEnabled(bool(self.name.text().strip()))

    def run(self) -> None:
        """Add it; the sheet says why not."""
        if not self.make.isEnabled():
            return
        context, task = self._context, self._task()
        family, format = self.family.currentData()
        profile = task.profile if task is not None and family == "instruction" else None
        work = partial(
            tasks.add, context.workspace, self.name.text(), family,
            benchmark=self.benchmark.text().strip() or own_benchmark(), format=format,
            domain=self.domain.text().strip(), profile=profile, person=context.person.name,
            protocol=self._protocol(), language=self.language.code,
        )  # fmt: skip
        context.write(self, work, self._on_added, self._fail)

    def _on_added(self, info: TaskInfo) -> None:
        self.accept()
        self.added.emit(info)

    def _fail(self, sentence: str) -> None:
        self.say_trouble(sentence, self.name)


def show_added(context: WindowContext, added: TaskInfo) -> None:
    """Say that a task was added, and go on where its items are written."""
    context.choose_benchmark(added.benchmark)
    gate = gate_sentence(added.family, added.protocol)
    said = (tr("Added the task {task}.", task=added.name), gate)
    context.say(sentences(said))
    if added.family in WRITTEN:
        context.go_to("write", added.name)


def facts_of(task: CatalogueTask) -> str:
    """Source, categories and metric; what the paper did not publish is marked as assumed."""
    names = {category.id: category.name for category in cif_bench().categories}
    category_names = listed(names.get(name, name) for name in task.categories)
    source = tr("source: {source}", source=task.source)
    categories = (
        tr("categories (assumed): {names}", names=category_names)
        if "categories" in task.ours
        else tr("categories: {names}", names=category_names)
    )
    metric = word(METRICS, task.metric)
    told = (
        tr("metric (assumed): {metric}", metric=metric)
        if "metric" in task.ours
        else tr("metric: {metric}", metric=metric)
    )
    return "\n".join((source, categories, told))
