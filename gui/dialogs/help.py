"""Help for what is in front: one page per panel, in our own words, in both languages."""

from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from core.i18n import language, tr
from gui import theme
from gui.documents.markdown import LOOK, as_html
from gui.widgets.elements import column
from gui.widgets.sheet import Sheet
from resources import resource

_PICTURE_PX = 590
"""Width of a picture on a page, in pixels."""


def help_page(panel: str, code: str) -> str:
    """The Markdown of a panel's page; English where a language has none, the overview for none."""
    for name in (f"{panel}.{code}.md", f"{panel}.en.md", f"overview.{code}.md"):
        path = resource("help", name)
        if panel and path.is_file():
            return path.read_text(encoding="utf-8")
    return resource("help", "overview.en.md").read_text(encoding="utf-8")


class HelpDialog(Sheet):
    """One page of help; a link in it leads to another page."""

    def __init__(self, panel: str, parent: QWidget) -> None:
        super().__init__(parent, tr("Help"), (680, 620))
        page = QTextBrowser()
        page.setFrameShape(QFrame.Shape.NoFrame)
        page.setFont(theme.font(theme.ITEM_PX))
        page.document().setDefaultFont(theme.font(theme.ITEM_PX))
        page.document().setDocumentMargin(24)
        page.document().setDefaultStyleSheet(LOOK)
        page.setOpenLinks(False)
        page.setSearchPaths([str(resource("help"))])
        page.anchorClicked.connect(lambda link: self.show_page(link.toString()))
        layout = column(self)
        layout.addWidget(page)
        self.page = page
        self.focus_first(page)
        self.show_page(panel)

    def show_page(self, name: str) -> None:
        """Show the page of a panel, or another one of that name."""
        made = as_html(help_page(name, language()))
        self.page.setHtml(made.replace("<img ", f'<img width="{_PICTURE_PX}" '))
