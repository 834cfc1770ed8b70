"""A new task: one of CIF-Bench's catalogue, or by hand."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QPushButton, QWidget

from core.families import FAMILIES
from core.families.catalogue import CatalogueTask, cif_bench
from core.i18n import tr
from core.workflow import tasks
from core.workflow.people import default_benchmark
from core.workflow.tasks import TaskInfo
from gui import labels
from gui.context import WindowContext
from gui.widgets.elements import caption, column, label, row


class NewTaskDialog(QDialog):
    """``added`` is emitted with (benchmark, task)."""

    added = Signal(object)

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("New task"))
        self.setMinimumWidth(540)
        self._context = context
        self.catalogue = QComboBox()
        self.catalogue.setEditable(True)
        self.catalogue.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.catalogue.addItem(tr("enter manually"), None)
        for task in cif_bench().tasks:
            self.catalogue.addItem(tr("{number} {name}", number=task.id, name=task.name), task)
        if completer := self.catalogue.completer():
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.facts = label("", ink="muted", wrap=True)
        self.name = QLineEdit()
        self.name.setMaxLength(120)
        self.benchmark = QLineEdit(context.benchmark or default_benchmark())
        self.family = QComboBox()
        for known in FAMILIES:
            for name in known.formats or ("",):
                title = tr("{family} · {format}", family=labels.word(labels.FAMILIES, known.name),
                          format=labels.word(labels.FORMATS, name))  # fmt: skip
                self.family.addItem(title, (known.name, name))
        self.domain = QLineEdit()
        self.trouble = label("", ink="reject", wrap=True)
        self.trouble.hide()
        self.make = QPushButton(tr("Add task"))
        self.make.setProperty("look", "filled")
        self._build()
        self.catalogue.currentIndexChanged.connect(self._on_catalogue)
        self.name.textChanged.connect(self._allow)
        self.make.clicked.connect(self.run)
        self.choose_format("instruction", "triplet")
        self._allow()

    def _build(self) -> None:
        layout = column(self, margin=16, spacing=6)
        for title, field in (
            (tr("From the CIF-Bench catalogue"), self.catalogue),
            ("", self.facts),
            (tr("Name of the task"), self.name),
            (tr("Benchmark"), self.benchmark),
            (tr("Family and format"), self.family),
            (tr("Domain"), self.domain),
        ):
            if title:
                layout.addWidget(caption(title))
                field.setAccessibleName(title)
            layout.addWidget(field)
        layout.addWidget(self.trouble)
        line = row()
        line.addStretch(1)
        line.addWidget(self.make)
        layout.addLayout(line)

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
        if task is None:
            self.facts.setText("")
            return
        self.name.setText(task.name)
        self.choose_format("instruction", "triplet")
        self.facts.setText(facts_of(task))

    def _allow(self, _text: str = "") -> None:
        self.make.setEnabled(bool(self.name.text().strip()))

    def run(self) -> None:
        """Add it; the sheet says why not."""
        context, task = self._context, self._task()
        family, format = self.family.currentData()
        profile = task.profile if task is not None and family == "instruction" else None
        work = partial(
            tasks.add, context.workspace, self.name.text(), family,
            benchmark=self.benchmark.text().strip() or default_benchmark(), format=format,
            domain=self.domain.text().strip(), profile=profile, person=context.person.name,
        )  # fmt: skip
        context.write(self, work, self._on_added, self._fail)

    def _on_added(self, info: TaskInfo) -> None:
        self.added.emit((info.benchmark, info.name))
        self.accept()

    def _fail(self, sentence: str) -> None:
        self.trouble.setText(sentence)
        self.trouble.show()


def facts_of(task: CatalogueTask) -> str:
    """Source, categories and metric; what the paper did not publish is marked as assumed."""
    names = {category.id: category.name for category in cif_bench().categories}
    category_names = ", ".join(names.get(name, name) for name in task.categories)
    source = tr("source: {source}", source=task.source)
    categories = (
        tr("categories (assumed): {names}", names=category_names)
        if "categories" in task.ours
        else tr("categories: {names}", names=category_names)
    )
    metric = (
        tr("metric (assumed): {metric}", metric=task.metric)
        if "metric" in task.ours
        else tr("metric: {metric}", metric=task.metric)
    )
    return "\n".join((source, categories, metric))
