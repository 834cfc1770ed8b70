"""Help for what is in front: one page per panel, in our own words, in both languages."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QTextBrowser, QWidget

from core.text import language, tr
from gui import theme
from gui.widgets.words import column
from resources import resource


def help_page(panel: str, code: str) -> str:
    """The Markdown of a panel's page; English where a language has none, the overview for none."""
    for name in (f"{panel}.{code}.md", f"{panel}.en.md", f"overview.{code}.md"):
        path = resource("help", name)
        if panel and path.is_file():
            return path.read_text(encoding="utf-8")
    return resource("help", "overview.en.md").read_text(encoding="utf-8")


class HelpDialog(QDialog):
    """One page of help."""

    def __init__(self, panel: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Help"))
        self.resize(680, 620)
        page = QTextBrowser()
        page.setFrameShape(QFrame.Shape.NoFrame)
        page.setFont(theme.font(theme.ITEM_PX))
        page.document().setDefaultFont(theme.font(theme.ITEM_PX))
        page.document().setDocumentMargin(24)
        page.setMarkdown(help_page(panel, language()))
        layout = column(self)
        layout.addWidget(page)
        self.page = page
