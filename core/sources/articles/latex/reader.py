"""A LaTeX article as a draft: assemble, expand, number, render, and have it confirmed."""

import re
from dataclasses import replace

from core.i18n import tr
from core.sources.articles.article import Block, ParsedSource
from core.sources.articles.latex.bibliography import cited_names, names_in_bib
from core.sources.articles.latex.macros import Macro, expand, take_acronyms, take_definitions
from core.sources.articles.latex.marked_changes import new_version
from core.sources.articles.latex.numbers import numbered_labels
from core.sources.articles.latex.project import Project, assemble, main_name
from core.sources.articles.latex.render import Context, Renderer
from core.sources.articles.pandoc.process import syntax_tree
from core.sources.articles.pandoc.tree import TreeReader
from core.sources.articles.prose.confirmation import confirmed
from core.sources.articles.trees import MemoryTree, SourceTree
from core.sources.limits import DEFAULT_LIMITS, Limits, UnreadableSource

_SECTION = re.compile(r"(?=\\section(?![a-zA-Z]))")
_STASHED = re.compile(r"\\bs(verbatim|code)\{(\d+)\}")
_SETUP_TITLE = re.compile(
    r"\\[a-zA-Z]*(?:setup|[Ii]nfo)\s*\{(?:[^{}]|\{[^{}]*\})*?(?<![\w-])title\s*=\s*\{"
)
"""The title where a class takes it among its settings: ``\\thusetup{title = {River}}``."""
_BROKEN_CHINESE = re.compile(r"(?<=[\u3400-\u9fff])\s*\\\\\s*(?=[\u3400-\u9fff])")
_ESCAPED = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "{}$&#_%"
}
_MOST_SECTIONS = 40


def read_latex(
    tree: SourceTree, name: str = "", limits: Limits = DEFAULT_LIMITS, *, twice: bool = False
) -> ParsedSource:
    """The article whose main file is ``name``, or the one that ``main_name`` finds.

    Citations and references are marked (``citations``). ``twice`` has pandoc read it as well, so
    that every block is sure or not. Raises ``UnreadableSource`` without a main file, or when the
    parts or macros have no end.
    """
    project = assemble(tree, name or main_name(tree), limits)
    draft = _draft(project)
    return _confirmed(draft, project) if twice else draft


def read_latex_text(
    text: str, limits: Limits = DEFAULT_LIMITS, *, twice: bool = False
) -> ParsedSource:
    """An article that is one LaTeX text, such as a value in a JSON file."""
    return read_latex(MemoryTree({"main.tex": text.encode()}), "main.tex", limits, twice=twice)


def _draft(project: Project) -> ParsedSource:
    macros: dict[str, Macro] = {}
    preamble = take_definitions(project.preamble, macros)
    # an author's own marks, such as \\del, show what they strike only now
    body = new_version(expand(take_definitions(project.body, macros), macros), preamble)
    cites = dict(names_in_bib(project.bib_files)) | cited_names(body + project.bibliography)
    context = Context(
        text=body,
        labels=_labels(project, body),
        cites=cites,
        stash=project.stash.parts,
        acronyms=_acronyms(project, macros),
    )
    blocks = Renderer(context).run(0, len(body))
    return ParsedSource(
        title=context.title or _preamble_title(preamble, macros, project),
        blocks=tuple(blocks),
        notes=tuple(project.notes),
    )


def _labels(project: Project, body: str) -> dict[str, tuple[str, str]]:
    """What references print; nobody knows which number a chapter has that is read by itself."""
    labels = numbered_labels(body)
    if project.preamble.strip() or "\\chapter" not in body:
        return labels
    return {label: (word, "") for label, (word, _) in labels.items()}


def _acronyms(project: Project, macros: dict[str, Macro]) -> dict[str, tuple[str, str]]:
    acronyms = take_acronyms(project.preamble + project.body)
    return {
        key: (expand(short, macros), expand(long, macros))
        for key, (short, long) in acronyms.items()
    }


def _preamble_title(preamble: str, macros: dict[str, Macro], project: Project) -> str:
    start = max(preamble.rfind("\\title{"), preamble.rfind("\\title["))
    if start >= 0:
        title = preamble[start : start + 5000]
    elif setup := _SETUP_TITLE.search(preamble):
        settings = preamble[setup.end() : setup.end() + 5000]
        title = "\\title{" + _BROKEN_CHINESE.sub("", settings)
    else:
        return ""
    text = expand(title, macros)
    context = Context(text=text, labels={}, cites={}, stash=project.stash.parts)
    Renderer(context).run(0, len(text))
    return context.title


# --- the second reader ----------------------------------------------------------------------


def _confirmed(draft: ParsedSource, project: Project) -> ParsedSource:
    """The draft with every block compared to what pandoc reads, if there is any text."""
    if not any(block.text.strip() for block in draft.blocks):
        return draft
    acronyms = take_acronyms(project.preamble + project.body)
    witness = _witness(project, acronyms)
    if not witness:
        note = tr("Only one of the two readers could read it, so stricter checks were applied.")
        return replace(draft, notes=(*draft.notes, note), strict=True)
    sure = confirmed(draft.blocks, witness)
    blocks = (replace(b, sure=s) for b, s in zip(draft.blocks, sure, strict=True))
    return replace(draft, blocks=tuple(blocks))


def _witness(project: Project, acronyms: dict[str, tuple[str, str]]) -> list[Block]:
    """What pandoc reads: the whole document, or those of its sections that it can read."""
    sections = _SECTION.split(project.body)[:_MOST_SECTIONS]
    for bodies in ([project.body], sections if len(sections) > 1 else []):
        blocks: list[Block] = []
        for body in bodies:
            source = f"{project.preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
            plain = _STASHED.sub(lambda match: _unstashed(match, project), source)
            try:
                tree = syntax_tree(plain.encode("utf-8", "replace"), "latex")
            except UnreadableSource:
                continue  # what pandoc cannot read has one reader only; the caller says so
            blocks += TreeReader(acronyms).read(tree["blocks"])
        if blocks:
            return blocks
    return []


def _unstashed(match: re.Match[str], project: Project) -> str:
    part = project.stash.parts[int(match[2])] if int(match[2]) < len(project.stash.parts) else ""
    if match[1] == "code":
        return f"\\begin{{verbatim}}\n{part}\n\\end{{verbatim}}"
    return "".join(_ESCAPED.get(sign, sign) for sign in part)
