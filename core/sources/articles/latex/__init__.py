"""LaTeX sources: a project's files become one text, its macros are expanded, its prose is kept."""

from core.sources.articles.latex.project import looks_like_latex, main_name
from core.sources.articles.latex.reader import read_latex, read_latex_text

__all__ = ["looks_like_latex", "main_name", "read_latex", "read_latex_text"]
