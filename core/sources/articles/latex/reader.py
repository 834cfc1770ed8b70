"""A LaTeX article as a draft: assemble, expand, number, render."""

from core.sources.articles.article import ParsedSource
from core.sources.articles.latex.citations import cited_names
from core.sources.articles.latex.macros import Macro, expand, take_definitions
from core.sources.articles.latex.numbers import numbered_labels
from core.sources.articles.latex.project import Project, assemble, main_name
from core.sources.articles.latex.render import Context, Renderer
from core.sources.articles.trees import MemoryTree, SourceTree
from core.sources.limits import DEFAULT_LIMITS, Limits


def read_latex(tree: SourceTree, name: str = "", limits: Limits = DEFAULT_LIMITS) -> ParsedSource:
    """The article whose main file is ``name``, or the one that ``main_name`` finds.

    Raises ``UnreadableSource`` without a main file, or when the parts or macros have no end.
    """
    return _draft(assemble(tree, name or main_name(tree), limits))


def read_latex_text(text: str, limits: Limits = DEFAULT_LIMITS) -> ParsedSource:
    """An article that is one LaTeX text, such as a value in a JSON file."""
    return read_latex(MemoryTree({"main.tex": text.encode()}), "main.tex", limits)


def _draft(project: Project) -> ParsedSource:
    macros: dict[str, Macro] = {}
    preamble = take_definitions(project.preamble, macros)
    body = expand(take_definitions(project.body, macros), macros)
    context = Context(
        text=body,
        labels=numbered_labels(body),
        cites=cited_names(body + project.bibliography),
        stash=project.stash.parts,
    )
    blocks = Renderer(context).run(0, len(body))
    return ParsedSource(
        title=context.title or _preamble_title(preamble, macros, project),
        blocks=tuple(blocks),
        notes=tuple(project.notes),
    )


def _preamble_title(preamble: str, macros: dict[str, Macro], project: Project) -> str:
    start = max(preamble.rfind("\\title{"), preamble.rfind("\\title["))
    if start < 0:
        return ""
    text = expand(preamble[start : start + 5000], macros)
    context = Context(text=text, labels={}, cites={}, stash=project.stash.parts)
    Renderer(context).run(0, len(text))
    return context.title
