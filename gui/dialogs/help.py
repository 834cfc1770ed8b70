"""Help for what is in front: one page per panel, in our own words, in both languages."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QTextBrowser, QWidget

from core.i18n import language, tr
from gui import theme
from gui.widgets.elements import column
from gui.widgets.fitting import fit
from resources import resource


def help_page(panel: str, code: str) -> str:
    """The Markdown of a panel's page; English where a language has none, the overview for none."""
    for name in (f"{panel}.{code}.md", f"{panel}.en.md", f"overview.{code}.md"):
        path = resource("help", name)
        if panel and path.is_file():
            return path.read_text(encoding="utf-8")
    return resource("help", "overview.en.md").read_text(encoding="utf-8")


_LOOK = """
.title { font-size: 22px; font-weight: 600; margin-top: 0; margin-bottom: 12px; }
p, li { line-height: 112%; margin-top: 0; margin-bottom: 10px; }
table { margin-bottom: 12px; }
th, td { padding: 5px 24px 5px 0; }
th { font-weight: 400; text-align: left; }
b { font-weight: 600; }
.part { font-size: 18px; font-weight: 600; }
pre { font-family: monospace; font-size: 12px; margin-bottom: 10px; }
"""


def as_html(markdown: str) -> str:
    """A page of help as HTML that Qt reads, tables included."""
    from markdown_it import MarkdownIt

    made = str(MarkdownIt("commonmark").enable("table").render(markdown))
    made = made.replace('<pre><code class="language-python">', "<pre>")
    made = made.replace("</code></pre>", "</pre>")
    # Qt scales its own headings and sets code in another size: keys are merely bold here
    for tag, plain in (("h1", 'p class="title"'), ("h2", 'p class="part"'), ("code", "b")):
        made = made.replace(f"<{tag}>", f"<{plain}>").replace(f"</{tag}>", f"</{plain.split()[0]}>")
    return made


class HelpDialog(QDialog):
    """One page of help; a link in it leads to another page."""

    def __init__(self, panel: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Help"))
        fit(self, 680, 620)
        page = QTextBrowser()
        page.setFrameShape(QFrame.Shape.NoFrame)
        page.setFont(theme.font(theme.ITEM_PX))
        page.document().setDefaultFont(theme.font(theme.ITEM_PX))
        page.document().setDocumentMargin(24)
        page.document().setDefaultStyleSheet(_LOOK)
        page.setOpenLinks(False)
        page.anchorClicked.connect(lambda link: self.show_page(link.toString()))
        layout = column(self)
        layout.addWidget(page)
        self.page = page
        self.show_page(panel)

    def show_page(self, name: str) -> None:
        """Show the page of a panel, or another one of that name."""
        self.page.setHtml(as_html(help_page(name, language())))
