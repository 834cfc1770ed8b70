"""A window in Chinese is in Chinese: what is left in Latin letters are names."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QTableView,
    QTabWidget,
    QWidget,
)

from gui.charts.figure_card import FigureBody
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from tests.gui.picture_walk import seen
from tests.gui.scene import LEAD, Scene, bench_of
from tests.gui.test_picture_walk import DIALOGS, opened

_NAMES = re.compile(
    r"BIG-bench|https?://\S+|/\S+|\S+\.(?:md|tex|html|txt|csv|jsonl|xlsx)\b|#\d+|[A-Z]{2,}[a-z]?\b|\b[A-Z]\b|"
    r"\b(?:Benchseal|Fleiss|Cohen|Krippendorff|Gwet|kappa|alpha|AC1|ISO|lm-eval|Inspect|Excel|"
    r"JSON|CIF-Bench|CoreEval|ArxivRoll|LaTeX|Markdown|arXiv|OpenAI|Slurm|vLLM|Transformers|"
    r"GDELT|Ctrl|Shift|Alt|Esc|Enter|Return|Tab|Tokens?|token|max_tokens|English|Okabe|"
    r"BENCHSEAL_\w+|OPENAI_\w+|NAME|git|GPU|RS|root|TF-IDF|AI|Bench|Home|End|PgUp|PgDown|Page|Up|Down|Left|Right|Space|Argilla|Arrow|Feather|"
    r"Parquet|Hugging\sFace\sHub|Croissant|OpenAI\sEvals|Evals|Prodigy|TweetEval|Every\sEval\sEver|Label|Studio|doccano|WebAnno|INCEpTION|Aiken|Anki|CLINC\d+|lm_eval|Rasa|Snips|Moodle|brat|CoNLL|SQuAD|ShareGPT|LogiQA|Self-Instruct|Super|NaturalInstructions|RACE|F\d+|tfidf|baseline|random)\b"
)
_LATIN = re.compile(r"[A-Za-z]{3,}")
_SENTENCE = re.compile(r"(?:[A-Za-z]{3,} ){2,}[A-Za-z]{2,}")
_CATALOGUE = 100  # entries of the box with the tasks of CIF-Bench, which are names
_CHINESE = re.compile("[\u4e00-\u9fff]")
# what people named: tasks, splits, benchmarks, people, workspaces
_OURS = re.compile(
    r"\b(?:scp|sequencing|cloze|prediction|arxiv-2026b|july|full|stages|emotion-updated|Li|Chen|"
    r"scp-\w+-[\w-]+|CS|Econ|Math|Phy|Physics|Bio|Fin|Stat|emotion|joy|stance|irony|mrpc|rte|[\w-]+__\w+|manifest|jsonl)\b"
)


def english(root: QWidget) -> Iterator[str]:
    """Words in Latin letters, and no Chinese beside them, that are no name."""
    for text in texts(root):
        bare = _OURS.sub(" ", _NAMES.sub(" ", text))
        alone = _LATIN.search(bare) and not _CHINESE.search(text)
        if alone or _SENTENCE.search(bare):
            yield " ".join(text.split())[:100]


def texts(root: QWidget) -> Iterator[str]:
    """Every word of the window's own that is shown: not what was written by people."""
    for widget in seen(root):
        yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        else:
            yield from _inside(widget)


def _inside(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QComboBox) and widget.count() < _CATALOGUE:
        fonts = set(QFontDatabase.families())  # names, as their makers gave them
        entries = (widget.itemText(index) for index in range(widget.count()))
        yield from (entry for entry in entries if entry not in fonts)
    elif isinstance(widget, QTabWidget):
        yield from (widget.tabText(index) for index in range(widget.count()))
    elif isinstance(widget, QTableView) and (model := widget.model()) is not None:
        for column in range(model.columnCount()):
            yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
    elif isinstance(widget, FigureBody):
        yield from (spot.text for spot in widget.spots)
    elif isinstance(widget, QDialog):
        yield widget.windowTitle()


def chinese(scene: Scene, place) -> MainWindow:
    kept = Preferences(language="zh", size=(1440, 900))
    return scene.open(place, LEAD, kept=kept, language="zh")


@pytest.mark.parametrize("which", ["full_place", "place", "empty_place"])
def test_no_panel_says_anything_in_english(which, scene: Scene, request):
    window = chinese(scene, request.getfixturevalue(which))
    found = []
    for name in bench_of(window).places:
        scene.at(window, name)
        found += [f"{name}: {text}" for text in english(window)]
    assert "\n".join(sorted(set(found))) == ""


def test_no_dialog_says_anything_in_english(scene: Scene, place):
    window = chinese(scene, place)
    found = []
    for name in DIALOGS:
        if name == "confirm":  # its words are the test's own
            continue
        dialog = opened(scene, window, name)
        found += [f"{name}: {text}" for text in english(dialog)]
        dialog.close()
        scene.until(lambda: not window.tasks.busy)
    assert "\n".join(sorted(set(found))) == ""


def test_file_dialogs_speak_chinese(scene: Scene, full_place):
    window = chinese(scene, full_place)
    panel = scene.at(window, "items")
    panel.open_export()
    scene.until(lambda: window.findChild(QDialog) is not None)
    dialog = window.findChild(QDialog)
    found = [text for text in english(dialog) if not re.search(r"^\*|\.\w+$|^\w+$", text)]
    assert found == []
    dialog.close()
