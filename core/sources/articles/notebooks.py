"""Notebooks of Jupyter whose text is LaTeX or a page: pandoc reads neither of them."""

from collections.abc import Iterator
from typing import Any

from core.bounded_json import parse_json
from core.sources.articles.arxiv_html import looks_like_html
from core.sources.articles.latex.project import looks_like_latex


def marked_up_text(source: bytes) -> str:
    """The text of a notebook whose cells are the pieces of a LaTeX article or of a page.

    Empty for other notebooks, which are Markdown, and for what is not a notebook.
    """
    try:
        notebook = parse_json(source.decode("utf-8", "replace"))
    except ValueError:
        return ""
    cells = list(_cells(notebook))
    raw = "\n\n".join(text for kind, text in cells if kind == "raw")
    marked = "\n\n".join(text for kind, text in cells if kind == "markdown")
    if len(raw) > len(marked) and looks_like_latex(raw):
        return raw
    return marked if looks_like_html(marked) else ""


def _cells(notebook: Any) -> Iterator[tuple[str, str]]:
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict):
            source = cell.get("source", "")
            parts = source if isinstance(source, list) else [source]
            yield str(cell.get("cell_type", "")), "".join(map(str, parts))
