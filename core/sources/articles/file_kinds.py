"""Which kind of source a file is, by its content first and its name second."""

import re
from pathlib import Path
from typing import Literal

from core.files import open_regular
from core.sources.articles.arxiv_html import looks_like_html
from core.sources.articles.latex.project import TEX, looks_like_latex
from core.sources.articles.metadata import looks_like_metadata
from core.sources.articles.pandoc.documents import READERS, document_reader
from core.sources.articles.prose.no_article import NO_ARTICLE, is_thanks_file
from core.sources.encodings import decode, refuse_binary
from core.sources.limits import Limits, UnreadableSource
from core.sources.signatures import (
    HEAD,
    is_gzip,
    is_pdf,
    is_tar,
    is_zip,
    refuse_encrypted,
    refuse_unreadable,
)

SourceKind = Literal[
    "archive", "latex", "html", "document", "markdown", "json", "text", "pdf", "metadata"
]
"""``document`` is what pandoc reads: Word, EPUB, OpenDocument and others."""

PREFERENCE: tuple[SourceKind, ...] = (
    "html", "archive", "latex", "document", "markdown", "json", "text", "pdf",
)  # fmt: skip
"""Of files with the same stem, the one that keeps more of the article's structure comes first."""

_DOCUMENTATION = re.compile(
    r"^(?:(?:.*[._-])?readme|sources|licen[cs]e|copying|changelog|changes|authors|contribut(?:ing|ors)"
    r"|notice|citation|todo|install|usage|user[ _-]?(?:manual|guide)|(?:code[ _-]?of[ _-]?)?conduct"
    r"|(?-i:AGENTS|CLAUDE|GEMINI|SKILL)|copilot[ _-]instructions"
    r"|governance|maintainers|roadmap|release[ _-]?notes?|(?-i:SECURITY|SUPPORT|NEWS|HISTORY|FAQ))"
    r"(?:[._-]\w+)?(?:\.\w+)?$",
    re.IGNORECASE,
)
_NOTES = re.compile(
    r"(?:^|[._ -])(?:(?:side|foot|my|field|meeting|reading)?notes?|notizen|notas"
    r"|appunti|apuntes|brouillon|memos?|scratch|minutes|ideas?|journal|diary|笔记"
    r"|(?:research|lab|work|dev|progress|project)[._ -]?log(?:book)?)"
    r"\.(?:txt|md|markdown|org|[qr]md)$|^log(?:[._ -]\d{1,4}){2,3}\.(?:txt|md|markdown|org)$"
    r"|^comments?(?:[._ -]\w+){0,3}\.(?:txt|md|markdown|org)$"
    r"|(?:^|[._ -])(?:(?:talk|speech|video|slide)[._ -]?(?:script|notes?)|transcripts?"
    r"|speaker[._ -]?notes)\.(?:txt|md|markdown|org|tex|docx|pdf)$|^script\.(?:txt|md|docx)$"
    r"|(?:^|[._ -])(?:(?:my|reading|meeting|research|thesis|paper)[._ -]?)?(?:notes|logs?|logbook"
    r"|brouillon|scratch|to-?dos?|diary|meetings?|(?:meeting[._ -]?)?minutes"
    r"|(?:writing|work|thesis)[._ -]?plan)(?:[._ -]?\d[\d._-]*)?\.(?:tex|docx|odt|pdf)$"
    r"|(?:^|[._ -])(?:speech|oral[._ -]?defen[cs]e)\.(?:txt|md|markdown|docx|odt|pdf)$"
    r"|(?:^|[._ -])prompts?(?:[._ -]?v?\d+)?\.(?:txt|md|markdown)$"
    r"|(?:^|[\d._ -])(?:Themenbeschreibung|Bearbeitungsstand|Zwischenbericht|Statusbericht"
    r"|Zeitplan)\.(?:tex|md|docx|odt|pdf|txt)$"
    r"|(?:逐字稿|讲稿|演讲稿|发言稿|答辩(?:稿|词|记录|提纲|问题|准备)?|任务书|会议(?:记录|纪要)|生成记录|修改记录|工作(?:日志|计划)"
    r"|写作(?:计划|大纲)|大纲|提示词)\d{0,3}\.(?:txt|md|markdown|docx|odt|pdf)$",
    re.IGNORECASE,
)
_FOLDER_OF_NOTES = re.compile(
    r"(?:(?:reading|meeting|paper|literature|lab|lecture|class|course)[._ -]?)?notes|(?:\w*)笔记"
    r"|(?:research|lab|work|dev|progress|project)[._ -]?(?:logs?|logbooks?|diar(?:y|ies))"
    r"|openspec|\.?(?:specify|kiro|cursor|claude|agents?|codex|windsurf)|memory[._ -]?bank"
    r"|prompts?"
    r"|(?:internal|peer|paper|self|ai|llm)?[._ -]?reviews"
    r"|internal(?:[._ -]?(?:drafts?|docs?|notes?))?"
    r"|(?:lit(?:erature)?|related[._ -]?work)[._ -]?(?:reviews?|search|survey|notes?)"
    r"|hand-?offs?|audits?|planning|brainstorm(?:ing|s)?|scratch(?:pad)?|backlog|decisions?",
    re.IGNORECASE,
)
_FOLDER_OF_MEETINGS = re.compile(
    r"(?:(?:weekly|team|supervisor|group)[._ -]?)?meetings?|(?:meeting[._ -]?)?minutes"
    r"|besprechungen|protokolle|sitzungen|reuniones|actas|réunions|riunioni|周报|会议记录",
    re.IGNORECASE,
)
"""A folder of what those who write a thesis tell each other about it, in any format."""
_ANALYSES = re.compile(r"analys[ei]s", re.IGNORECASE)
"""A folder of what was computed, whose plain texts say how; a paper may lie in it."""
_NOTES_ENDINGS = (".md", ".markdown", ".org", ".txt")
_IN_CAPITALS = re.compile(
    r"(?!(?:PAPER|ARTICLE|MANUSCRIPT|THESIS|DISSERTATION|ABSTRACT|INTRODUCTION|BACKGROUND|METHODS?"
    r"|RESULTS|DISCUSSION|CONCLUSIONS?|DRAFT|ESSAY|CHAPTER|APPENDIX)[._-])"
    r"[A-Z]{5,}(?:[_-][A-Z0-9]+)*\.(?:md|markdown|rst|txt)"
)
"""Beside a README such a name is that of another notice of the repository: ``DATASET.md``."""
_NOTES_IN_CAPITALS = re.compile(
    r"(?:[A-Z0-9]+[_-])*(?:(?:[A-Z0-9]+[_-])(?:AUDITS?|DECISIONS?|PLANS?|LOGS?|STATUS|SPECS?|NOTES?"
    r"|CHECKS?|CHECKLIST|INVENTORY|HANDOFF|CONTEXT|PROGRESS|INSIGHTS|REQUIREMENTS|BACKLOG|TODOS?"
    r"|OUTLINE|INCIDENT|REBUTTAL|ROADMAP)|PAPER[_-]REVIEW)(?:[_-][A-Z0-9]+)*"
    r"\.(?:md|markdown|rst|txt)"
)
"""What those who work on a project write down for each other: ``FINAL_AUDIT.md``."""
_READMES = (
    "README.md",
    "README.rst",
    "README.txt",
    "README",
    "Readme.md",
    "readme.md",
    "README.org",
)
_DOCS = re.compile(r"docs?|documentation", re.IGNORECASE)
_NO_PAGE = re.compile(
    r"\d.*|(?:paper|article|manuscript|thesis|dissertation|chap|index|main|draft|essay).*",
    re.IGNORECASE,
)
_BACKUP = re.compile(r"#.*#|.*~|.*\.(?:bak|bck|backup|orig|old|sav)[-_.]?\d{0,3}", re.IGNORECASE)
"""What an editor or a person keeps of an earlier state of the file beside it."""
_OF_A_PROGRAM = re.compile(
    r"^(?:(?:gnu)?makefile|dockerfile|namespace|description|00index|cran-submission|manifest(?:\.in)?"
    r"|requirements(?:[._-]\w+)?\.txt|environment\.txt|codemeta\.json|cmakelists\.txt"
    r"|.*\.(?:rd|rproj)|.*(?:multiqc|fastqc).*\.html?"
    r"|els(?:doc|test)(?:-\w+)?\.(?:pdf|tex))$",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"(?:unit|functional|integration)?[._-]?tests?|test[._-]?(?:data|files?|suite|cases?|inputs?"
    r"|corpora|resources)|testing|fixtures?",
    re.IGNORECASE,
)
_GUIDES = re.compile(
    r"(?:user[ _-]?|developer[ _-]?)?guides?|tutorials?|how[ _-]?tos?|cook-?books?|examples?"
    r"|demos?",
    re.IGNORECASE,
)
"""Folders in which a program tells how it is used."""
_PROGRAMS = (
    "pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml", "package.json", "go.mod", "pom.xml",
    "build.gradle", "CMakeLists.txt", "configure", "configure.ac", "Gemfile", "composer.json",
    "mix.exs", "build.sbt", "stack.yaml", "DESCRIPTION", "Project.toml",
)  # fmt: skip
"""What lies beside the source of a program or a package."""
_COMPANIONS = (
    ".bib", ".bst", ".cls", ".sty", ".bbl", ".blg", ".aux", ".log", ".out", ".toc", ".lof", ".lot",
    ".clo", ".def", ".cfg", ".ist", ".fd", ".tikz", ".pgf", ".synctex",
)  # fmt: skip
_MARKDOWN = (".md", ".markdown", ".mkd", ".qmd", ".rmd")
_ASCIIDOC = (".adoc", ".asciidoc")
_PLANS = (
    ("mkdocs.yml", "docs"), ("mkdocs.yaml", "docs"), ("make.jl", "src"), ("book.toml", "src"),
    ("docusaurus.config.js", "docs"), ("docusaurus.config.ts", "docs"), ("conf.py", ""),
)  # fmt: skip
"""The plans of tools that document programs, and where beside each its pages lie."""
_PAPER = re.compile(r"paper|article|manuscript", re.IGNORECASE)
"""A paper about a program, which may lie among its pages."""
_TEXT = ("", ".txt", ".text")
_OF_CODE = frozenset({
    ".py", ".lua", ".xsl", ".xslt", ".rng", ".sch", ".ltxml", ".js", ".ts", ".java", ".c", ".cc",
    ".cpp", ".h", ".hpp", ".cs", ".go", ".rs", ".rb", ".php", ".pl", ".pm", ".sh", ".bash", ".css",
    ".scss", ".sql", ".el", ".lisp", ".hs", ".scala", ".vue",
})  # fmt: skip
"""Programs, which may hold pieces of LaTeX or of a page."""
_LINE = 2**20
_MANUAL_DEPTH = 3
"""So many folders above a page are looked at for the plan of a manual."""


def kind_of(
    path: Path, limits: Limits, root: Path | None = None, *, any_text: bool = False
) -> SourceKind:
    """The kind of one file, from its name and at most its first megabyte.

    ``root`` is the folder that was chosen: what a program below it keeps as data of its tests is
    not an article, but may be where that data is what was chosen. With ``any_text`` documentation,
    notes and such data are sources, too. Raises ``UnreadableSource`` with the reason when it is not
    a source of an article, and ``OSError`` when it cannot be opened.
    """
    if _BACKUP.fullmatch(path.name):
        raise UnreadableSource.tr("It is a backup copy of another file, not an article.")
    if not any_text and (no_article := no_article_by_name(path, root)):
        raise UnreadableSource.tr(NO_ARTICLE[no_article])
    suffix = path.suffix.lower()
    size = path.stat().st_size
    with open_regular(path) as handle:
        head = handle.read(HEAD)
        if suffix in (".json", ".jsonl", ".ndjson") and _is_metadata(head + handle.readline(_LINE)):
            return "metadata"
        if size > HEAD:
            handle.seek(max(HEAD, size - HEAD))
        tail = handle.read(HEAD)
    if size > limits.file_bytes:
        raise UnreadableSource.tr(
            "It has {megabytes} MB; the limit is {limit} MB.",
            megabytes=size // 2**20,
            limit=limits.file_bytes // 2**20,
        )
    refuse_encrypted(head, tail)
    if path.name.lower().removesuffix(".gz").endswith(_COMPANIONS):
        raise UnreadableSource.tr("It is an auxiliary file of a LaTeX source, not an article.")
    if is_pdf(head):
        return "pdf"
    if is_zip(head):
        return "document" if suffix in READERS else "archive"
    if is_gzip(head) or is_tar(head):
        return "archive"
    refuse_unreadable(head, tail)
    if path.name.lower().endswith((".tar.gz", ".tgz", ".tar", ".gz")):
        raise UnreadableSource.tr(
            "Its name is that of an archive, but it is not one. Download it again."
        )
    refuse_binary(head)
    if size > limits.text_bytes and suffix not in (".json", ".jsonl", ".ndjson"):
        raise UnreadableSource.tr(
            "It contains more than {megabytes} MB of text, too much for one article.",
            megabytes=limits.text_bytes // 2**20,
        )
    return _kind_of_text(suffix, decode(head))


def no_article_by_name(path: Path, root: Path | None) -> str:
    """The kind of text, a key of ``NO_ARTICLE``, that the name or the place of a file tells."""
    name = path.name
    if _NOTES.search(name) or _NOTES_IN_CAPITALS.fullmatch(name):
        return "notes"
    in_a_manual = (
        _is_a_vignette(path)
        or (root is not None and _is_in_guides(path, root))
        or _is_in_a_manual(path)
        or _is_in_a_site(path)
    )
    if in_a_manual or _DOCUMENTATION.match(name) or _is_a_notice(path, root):
        return "documentation"
    if is_thanks_file(name):
        return "thanks"
    if _OF_A_PROGRAM.match(name) or path.parent.name == "testfiles":
        return "program"
    if root is None:
        return ""
    if _is_test_data(path, root):
        return "program"
    return "notes" if _is_in_notes(path, root) else ""


def _is_a_vignette(path: Path) -> bool:
    """Whether a file lies where a package of R has its longer pages, or where they are built."""
    folders = [path.parent, *path.parent.parents][:_MANUAL_DEPTH]
    return any(
        folder.name in ("vignette", "vignettes")
        or (folder.name == "doc" and folder.parent.name == "inst")
        for folder in folders
    )


def _is_in_guides(path: Path, root: Path) -> bool:
    """Whether a folder of guides to a program lies between a file and the one that was chosen."""
    return any(
        _GUIDES.fullmatch(folder.name) and _is_in_a_program(folder, root)
        for folder in _folders_inside(path, root)
    )


def _is_a_notice(path: Path, root: Path | None) -> bool:
    if _IN_CAPITALS.fullmatch(path.name) is None:
        return False
    above = [folder for folder in path.parent.parents if root and folder.is_relative_to(root)]
    return any(map(_has_readme, [path.parent, *above][:_MANUAL_DEPTH]))


def _has_readme(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _READMES)


def is_among_docs(path: Path, root: Path) -> bool:
    """Whether a page lies where a project below ``root`` has its documentation."""
    if path.suffix.lower() not in _MARKDOWN + _ASCIIDOC or _NO_PAGE.fullmatch(path.stem):
        return False
    return any(
        _DOCS.fullmatch(folder.name) and _has_readme(folder.parent)
        for folder in _folders_inside(path, root)
    )


def _is_test_data(path: Path, root: Path) -> bool:
    """Whether a folder of a program's tests lies between a file and the folder that was chosen."""
    return any(
        _TESTS.fullmatch(folder.name) and _is_in_a_program(folder, root)
        for folder in _folders_inside(path, root)
    )


def _is_in_notes(path: Path, root: Path) -> bool:
    """Whether a folder of notes lies between a plain text and the folder that was chosen, or one of
    meetings between any file and it."""
    folders = _folders_inside(path, root)
    if any(_FOLDER_OF_MEETINGS.fullmatch(folder.name) for folder in folders):
        return True
    if path.suffix.lower() not in _NOTES_ENDINGS:
        return False
    if not _NO_PAGE.fullmatch(path.stem) and any(_ANALYSES.fullmatch(f.name) for f in folders):
        return True
    return any(_FOLDER_OF_NOTES.fullmatch(folder.name) for folder in folders)


def _folders_inside(path: Path, root: Path) -> list[Path]:
    """The folders between a file and the one that was chosen, without it."""
    if not path.is_relative_to(root):
        return []
    return [root / part for part in path.relative_to(root).parents][:-1]


def _is_in_a_program(folder: Path, root: Path) -> bool:
    above = (parent for parent in folder.parents if parent.is_relative_to(root))
    return any((parent / name).is_file() for parent in above for name in _PROGRAMS)


def _is_in_a_manual(path: Path) -> bool:
    """Whether a page of reStructuredText is among those that Sphinx makes a program's pages of."""
    if path.suffix.lower() not in (".rst", ".rest"):
        return False
    folders = [path.parent, *path.parent.parents][:_MANUAL_DEPTH]
    return any((folder / "conf.py").is_file() or _is_index(folder) for folder in folders)


def _is_index(folder: Path) -> bool:
    return _begins_with(folder / "index.rst", b".. toctree::")


def _is_in_a_site(path: Path) -> bool:
    """Whether a page is among those that a tool makes the site of a program of."""
    if path.suffix.lower() in _ASCIIDOC:
        return path.parent.name == "pages" and "modules" in path.parts  # where Antora looks
    if path.suffix.lower() not in _MARKDOWN or _PAPER.fullmatch(path.stem):
        return False
    if path.stem == "index":
        plans = ("_pkgdown.yml", "pkgdown/_pkgdown.yml")
        if any((path.parent / plan).is_file() for plan in plans):
            return True
    folders = [path.parent, *path.parent.parents][:_MANUAL_DEPTH]
    return any(
        _begins_with(folder / "_quarto.yml", b"\nquartodoc:") or _is_planned(path, folder)
        for folder in folders
    )


def _is_planned(path: Path, folder: Path) -> bool:
    """Whether a plan in the folder makes a page of the file."""
    return any(
        path.is_relative_to(folder / pages) and (folder / plan).is_file() for plan, pages in _PLANS
    )


def _begins_with(path: Path, words: bytes) -> bool:
    """Whether words stand in the beginning of a file."""
    try:
        with open_regular(path) as handle:
            return words in handle.read(HEAD)
    except OSError:
        return False  # without one, or not ours to read


def _is_metadata(start: bytes) -> bool:
    line = start.split(b"\n", 1)[0]
    return looks_like_metadata(line.decode("utf-8", "replace"))


def _kind_of_text(suffix: str, start: str) -> SourceKind:
    if suffix in TEX:
        return "latex"
    if suffix in _OF_CODE:
        raise UnreadableSource.tr("Files ending in {ending} are not supported.", ending=suffix)
    if start.startswith("#LyX"):
        raise UnreadableSource.tr("It is a LyX document. Export it as LaTeX.")
    if document_reader(suffix and f"x{suffix}", start):
        return "document"
    if suffix in (".json", ".jsonl", ".ndjson"):
        return "json"
    if looks_like_html(start):
        return "html"
    if suffix in (".html", ".htm", ".xhtml"):
        if "<" in start:
            return "html"
        raise UnreadableSource.tr("Its name is that of an HTML file, but it contains no element.")
    if suffix in _MARKDOWN:
        return "markdown"
    if looks_like_latex(start):
        return "latex"
    if suffix in _TEXT or not suffix[1:].isalpha():
        return "text"
    raise UnreadableSource.tr("Files ending in {ending} are not supported.", ending=suffix)


def kind_of_content(text: str) -> SourceKind:
    """The kind of a text that has no name, such as the content of a packed single file."""
    if looks_like_html(text):
        return "html"
    return "latex" if looks_like_latex(text) else "text"
