"""A LaTeX article as a draft: assemble, expand, number, render, and have it confirmed."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from core.i18n import tr
from core.sources.articles.article import Block, ParsedSource
from core.sources.articles.latex.bibliography import cited_names, names_in_bib
from core.sources.articles.latex.commands import ARGUMENTS, TITLES
from core.sources.articles.latex.macros import (
    Macro,
    environment_arguments,
    expand,
    take_acronyms,
    take_definitions,
)
from core.sources.articles.latex.marked_changes import new_version
from core.sources.articles.latex.numbers import numbered_labels
from core.sources.articles.latex.project import Project, assemble, main_name
from core.sources.articles.latex.render import Context, Renderer
from core.sources.articles.pandoc.process import RefusedAt, syntax_tree
from core.sources.articles.pandoc.tree import TreeReader
from core.sources.articles.prose.confirmation import confirmed
from core.sources.articles.prose.maths import with_plurals
from core.sources.articles.trees import MemoryTree, SourceTree
from core.sources.limits import DEFAULT_LIMITS, Limits, UnreadableSource

_SECTION = re.compile(r"(?=\\section(?![a-zA-Z]))")
_SLIDES = re.compile(
    r"\\documentclass\s*(?:\[[^\]]*\])?\s*\{(?:beamer|\w*poster|a0poster|powerdot|prosper|seminar"
    r"|\w*cv|resume|curve)\}"
)
_STASHED = re.compile(r"\\bs(verbatim|code)\{(\d+)\}")
_ABSTRACT = re.compile(r"\\abstract\s*(?=\{)")
"""An abstract that is an argument, of which pandoc knows nothing."""
_SETUP_TITLE = re.compile(
    r"\\[a-zA-Z]*(?:setup|[Ii]nfo)\s*\{(?:[^{}]|\{[^{}]*\})*?(?<![\w-])title\s*=\s*\{"
)
"""The title where a class takes it among its settings: ``\\thusetup{title = {River}}``."""
_OTHER_TITLE = re.compile(rf"\\(?:{'|'.join(sorted(TITLES))})\s*[\[{{]")
_BROKEN_CHINESE = re.compile(r"(?<=[\u3400-\u9fff])\s*\\\\\s*(?=[\u3400-\u9fff])")
_ESCAPED = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "{}$&#_%"
}
_MOST_SECTIONS = 40
_MOST_FAULTS = 12
"""So many paragraphs of a document are left out before it is one that pandoc cannot read."""
_INTERNAL = re.compile(r"\\@[A-Za-z]|\\[A-Za-z]+@")
"""A name that only packages and classes can use."""
_OPEN, _CLOSED = re.compile(r"(?<!\\)\{"), re.compile(r"(?<!\\)\}")
_MOST_TRIES = _MOST_SECTIONS + _MOST_FAULTS
_EDGES = ("\\begin{document}", "\\end{document}")


def read_latex(
    tree: SourceTree, name: str = "", limits: Limits = DEFAULT_LIMITS, *, twice: bool = False
) -> ParsedSource:
    """The article whose main file is ``name``, or the one that ``main_name`` finds.

    Citations and references are marked (``citations``). ``twice`` has pandoc read it as well, so
    that every block is sure or not. Raises ``UnreadableSource`` without a main file, or when the
    parts or macros have no end, or for slides and the like.
    """
    project = assemble(tree, name or main_name(tree), limits)
    if _SLIDES.search(project.preamble):
        raise UnreadableSource.tr("It is a poster, slides or a curriculum vitae, not an article.")
    project = replace(project, body=with_plurals(project.body))
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
        arguments=environment_arguments(project.preamble) | dict(ARGUMENTS),
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
    if start < 0 and (named := _OTHER_TITLE.search(preamble)):
        start = named.start()
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
    """What pandoc reads: the document, or those of its sections, without what it cannot read."""
    sections = _SECTION.split(project.body)[:_MOST_SECTIONS]
    own, styles = project.preamble[: project.styles_at], project.preamble[project.styles_at :]
    preamble = own + _without_internals(styles)
    tries = iter(range(_MOST_TRIES))
    for bodies in ([project.body], sections if len(sections) > 1 else []):
        blocks: list[Block] = []
        for body in bodies:
            text = _ABSTRACT.sub("\n\n", body)
            source = f"{preamble}\n\\begin{{document}}\n{text}\n\\end{{document}}\n"
            plain = _STASHED.sub(lambda match: _unstashed(match, project), source)
            blocks += TreeReader(acronyms).read_tree(_tree_without_faults(plain, tries))
        if blocks:
            return blocks
    return []


def _without_internals(styles: str) -> str:
    """The style files without what defines or calls the internal commands of packages and classes.

    An author cannot write them in the text, and some of them keep pandoc busy for ever.
    """
    kept: list[str] = []
    whole: list[str] = []  # lines up to one after which as many braces are closed as opened
    depth = 0
    for line in styles.split("\n"):
        whole.append(line)
        depth += len(_OPEN.findall(line)) - len(_CLOSED.findall(line))
        if depth <= 0:
            internal = any(map(_INTERNAL.search, whole))
            kept += [""] * len(whole) if internal else whole
            whole, depth = [], 0
    return "\n".join([*kept, *whole])


def _tree_without_faults(source: str, tries: Iterator[int]) -> dict[str, Any]:
    """Pandoc's tree of a document without the paragraphs at which it gives up; else empty.

    ``tries`` counts how often it may still be asked for the article. What is left out has one
    reader only, and so gives no items.
    """
    lines = source.split("\n")
    for _ in islice(tries, _MOST_FAULTS):
        try:
            return syntax_tree("\n".join(lines).encode("utf-8", "replace"), "latex")
        except RefusedAt as fault:
            if not _without_paragraph(lines, fault.line - 1):
                break
        except UnreadableSource:
            break
    return {}


def _without_paragraph(lines: list[str], place: int) -> bool:
    """Empty the lines of the paragraph at a place, and say whether there was one in the body."""
    start = end = place
    if not 0 <= place < len(lines) or not lines[place].strip():
        return False
    while start > 0 and lines[start - 1].strip():
        start -= 1
    while end + 1 < len(lines) and lines[end + 1].strip():
        end += 1
    if any(line.startswith(_EDGES) for line in lines[start : end + 1]):
        start = end = place
    if lines[place].startswith(_EDGES):
        return False
    lines[start : end + 1] = [""] * (end + 1 - start)
    return True


def _unstashed(match: re.Match[str], project: Project) -> str:
    part = project.stash.parts[int(match[2])] if int(match[2]) < len(project.stash.parts) else ""
    if match[1] == "code":
        return f"\\begin{{verbatim}}\n{part}\n\\end{{verbatim}}"
    return "".join(_ESCAPED.get(sign, sign) for sign in part)
