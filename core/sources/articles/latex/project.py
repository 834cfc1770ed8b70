"""From the files of a LaTeX project to one text: the main file, and what it inputs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from core.i18n import tr
from core.sources.articles.latex.marked_changes import new_version
from core.sources.articles.latex.scan import Stash, strip_comments
from core.sources.articles.prose.citations import MARKS
from core.sources.articles.prose.no_article import is_thanks_file
from core.sources.articles.trees import SourceTree, inside
from core.sources.limits import Limits, UnreadableSource

TEX = (".tex", ".ltx", ".latex")
_INPUT = re.compile(
    r"\\(?:input|include|subfile|subfileinclude)(?![a-zA-Z])\s*"
    r"(?:\{(?P<braced>[^{}\n]*)\}|(?P<bare>[^\s{}\\%$&]+))"
    r"|\\(?:sub)?(?:import|includefrom|inputfrom)\*?\s*\{(?P<folder>[^{}\n]*)\}\s*"
    r"\{(?P<file>[^{}\n]*)\}"
)
_CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)\b", re.MULTILINE)
_SUBFILE = re.compile(r"^[^%\n]*\\documentclass(?:\[[^\]]*\])?\{(?:subfiles|standalone)\}", re.M)
_HEADING_ENVIRONMENT = re.compile(
    r"\\(?P<edge>begin|end)\s*\{(?P<name>(?:sub)*section|(?:sub)?paragraph|chapter)(?P<star>\*?)\}"
)
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")
_MARKUP = re.compile(r"\\(?:begin|section|title|documentclass|documentstyle|input|label|cite)\b")
_OWN_INPUT = re.compile(
    r"\\(?:(?:re|provide)?newcommand\*?\s*\{?\s*\\(?P<new>[a-zA-Z]+)\s*\}?\s*\[1\]"
    r"|def\s*\\(?P<def>[a-zA-Z]+)\s*#1)\s*"
    r"\{(?P<body>[^{}]{0,200}\\(?:input|include)\s*\{[^{}]*#1[^{}]*\}(?:[^{}]|\{[^{}]*\}){0,400})\}"
)
_PATH_OF_ARGUMENT = re.compile(r"\\(?:input|include)\s*\{([^{}]*#1[^{}]*)\}")
_BIBLIOGRAPHY = re.compile(
    r"\\(?:bibliography|addbibresource)(?:\[[^\]]*\])?\s*\{(?P<names>[^{}]*)\}"
)
_HYPHEN = re.compile(r"(?<=[^\W\d_])\"[=~](?=\w)")
_INVISIBLE = re.compile(r"(?<=[^\W\d_])\"(?:[-|]|\"-?)(?=[^\W\d_])")
_SHORTHANDS = re.compile(r"\\(?:useshorthands|languageshorthands)\b|\b(?:n?german|dutch)\b")
_USUAL = ("main", "ms", "paper", "article", "manuscript", "arxiv")


@dataclass
class Project:
    """One article's text without comments. ``preamble`` may be empty, ``body`` is not.

    ``bibliography`` is the ``.bbl`` file's text, ``bib_files`` that of the BibTeX files; from
    ``styles_at`` on the preamble is that of the style files beside the article.
    """

    preamble: str
    styles_at: int
    body: str
    bibliography: str
    bib_files: str
    stash: Stash
    notes: list[str] = field(default_factory=list)


def looks_like_latex(text: str) -> bool:
    """Has it LaTeX's structure? Used for files whose name does not say what they are."""
    return bool(_CLASS.search(text) or _BEGIN.search(text) or len(_MARKUP.findall(text)) >= 3)


def is_root(text: str) -> bool:
    """Can this file be an article on its own: a document class or a document body?"""
    return bool((_CLASS.search(text) or _BEGIN.search(text)) and not _SUBFILE.search(text))


def inputs_of(text: str) -> tuple[str, ...]:
    """The names of files that a text inputs, as they are written there."""
    return tuple(map(_written, _INPUT.finditer(strip_comments(text, Stash()))))


def _written(match: re.Match[str]) -> str:
    return match["braced"] or match["bare"] or f"{match['folder'] or ''}/{match['file'] or ''}"


def candidates(base: str, written: str, above: int = 0) -> tuple[str, ...]:
    """Names, relative to the tree, that an input of the file ``base`` may mean, likeliest first.

    ``above`` is how many folders above the tree may be read (``SourceTree.above``). A document
    that is compiled from a folder above its own names its parts from there, so that the first
    folders of such a name are those of the tree.
    """
    written = written.strip().strip('"')
    # LaTeX looks from the root; \import and \subfile also from the including file's folder
    paths = {inside("", written.lstrip("/"), above): None, inside(base, written, above): None}
    _, *from_above = PurePosixPath(written).parts or ("",)
    while from_above and ".." not in from_above and not written.startswith(("/", "..")):
        paths.setdefault(inside("", "/".join(from_above)), None)
        del from_above[0]
    names = [name for name in paths if name]
    return tuple(n + ending for n in names for ending in ("", *TEX) if n)


def main_name(tree: SourceTree) -> str:
    """Name of the project's main file.

    ``00README`` decides where it names one; else a document class, not being included elsewhere,
    a usual name, and size, in this order. Raises ``UnreadableSource`` without any LaTeX file.
    """
    texts = {name: tree.read(name) or "" for name in tree.names() if name.lower().endswith(TEX)}
    for name in tree.names():
        if name.lower().rsplit("/", 1)[-1].startswith("00readme"):
            for word in re.findall(r"[\w./-]+\.tex", tree.read(name) or ""):
                if word in texts:
                    return str(word)
    if not texts:
        raise UnreadableSource.tr("It contains no LaTeX file.")
    included = {
        next((part for part in candidates(name, written) if part in texts), "")
        for name, text in texts.items()
        for written in inputs_of(text)
    }

    def rank(name: str) -> tuple[bool, bool, bool, int, int, str]:
        stem = name.rsplit("/", 1)[-1].rpartition(".")[0].lower()
        return (
            not is_root(texts[name]),
            name in included,
            stem not in _USUAL,
            name.count("/"),
            -len(texts[name]),
            name,
        )

    return min(texts, key=rank)


def assemble(tree: SourceTree, name: str, limits: Limits) -> Project:
    """The main file with everything it inputs, in place.

    Files outside the tree, missing ones and those that input themselves are left out and noted.
    """
    assembly = _Assembly(tree, limits)
    text = assembly.expanded(name, ())
    if not _CLASS.search(text) and (header := _compiled_before(tree, name)):
        text = f"{assembly.expanded(header, ())}\n{text}"
    begin = _BEGIN.search(text)
    if not begin and _CLASS.search(text):
        raise UnreadableSource.tr("It contains only a LaTeX preamble.")
    preamble, body = (text[: begin.start()], text[begin.end() :]) if begin else ("", text)
    end = _END.search(body)
    bibliography = tree.read(name.rpartition(".")[0] + ".bbl") or ""
    styles_at = len(preamble)
    preamble += assembly.styles(preamble)
    body = new_version(body[: end.start()] if end else body, preamble)
    return Project(
        preamble=preamble,
        styles_at=styles_at,
        body=_without_shorthands(body, preamble),
        bibliography=strip_comments(bibliography, Stash()),
        bib_files="\n".join(_bib_files(tree, text)),
        stash=assembly.stash,
        notes=assembly.notes,
    )


def _compiled_before(tree: SourceTree, name: str) -> str:
    """The one file beside the main file that has a class and no body: a preamble made a format of,
    which the main file is compiled with and does not input."""
    folder = name.rpartition("/")[0]
    beside = (n for n in tree.names() if n.lower().endswith(TEX) and n.rpartition("/")[0] == folder)
    headers = [n for n in beside if _is_preamble(tree.read(n) or "")]
    return headers[0] if len(headers) == 1 else ""


def _is_preamble(text: str) -> bool:
    return bool(_CLASS.search(text)) and not _BEGIN.search(text)


def _without_shorthands(body: str, preamble: str) -> str:
    """The text without babel's shorthands: breakable hyphens, places to hyphenate, quotes."""
    body, hyphens = _HYPHEN.subn("-", body)
    if hyphens or _SHORTHANDS.search(preamble):
        body = _INVISIBLE.sub("", body)
        body = body.replace('"`', "“").replace("\"'", "”")
    return body


def _bib_files(tree: SourceTree, text: str) -> Iterator[str]:
    for match in _BIBLIOGRAPHY.finditer(text):
        for name in match["names"].split(","):
            stem = name.strip().removesuffix(".bib")
            inner = inside("", stem + ".bib", tree.above) if stem else None
            if inner and (source := tree.read(inner)):
                yield source


class _Assembly:
    def __init__(self, tree: SourceTree, limits: Limits) -> None:
        self.tree = tree
        self.limits = limits
        self.stash = Stash()
        self.notes: list[str] = []
        self.size = 0
        self.inputs = 0
        self.own_inputs: dict[str, list[str]] = {}

    def expanded(self, name: str, above: tuple[str, ...]) -> str:
        """The text of one file with its inputs, recursively."""
        source = self.tree.read(name) or ""
        self.size += len(source)
        if self.size > self.limits.text_bytes:
            raise UnreadableSource.tr(
                "Its parts include each other, giving more text than one article can have."
            )
        source = source.replace("\r\n", "\n").replace("\r", "\n").translate(MARKS)
        text = strip_comments(source, self.stash)
        if above and _CLASS.search(text) and (begin := _BEGIN.search(text)):
            end = _END.search(text, begin.end())
            text = text[begin.end() : end.start() if end else len(text)]
        text = _HEADING_ENVIRONMENT.sub(
            lambda m: f"\\{m['name']}{m['star']}" if m["edge"] == "begin" else "\n\n", text
        )
        text = self._with_parts(name, self._with_own_inputs(name, text), above)
        # a command for input may be defined in a part, and called behind it
        written_out = text if above else self._with_own_inputs(name, text)
        return text if written_out == text else self._with_parts(name, written_out, above)

    def _with_parts(self, name: str, text: str, above: tuple[str, ...]) -> str:
        begin = _BEGIN.search(text)
        body_from = begin.start() if begin else 0
        return _INPUT.sub(
            lambda match: self._part(name, match, above, match.start() >= body_from), text
        )

    def _with_own_inputs(self, name: str, text: str) -> str:
        """The text with the author's own commands for ``\\input`` written out."""
        for match in _OWN_INPUT.finditer(text):
            paths = _PATH_OF_ARGUMENT.findall(match["body"])
            self.own_inputs[match["new"] or match["def"]] = paths
        if not self.own_inputs:
            return text
        names = "|".join(map(re.escape, self.own_inputs))
        call = re.compile(rf"\\({names})\s*\{{([^{{}}\n]*)\}}")
        text = _OWN_INPUT.sub("", text)
        return call.sub(lambda m: self._own_input(name, self.own_inputs[m[1]], m[2]), text)

    def _own_input(self, name: str, paths: Sequence[str], argument: str) -> str:
        """``\\input`` of the path that there is; of several that a command may mean, the first."""
        written = [path.replace("#1", argument) for path in paths]
        there = (
            path
            for path in written
            if any(self.tree.read(n) is not None for n in candidates(name, path, self.tree.above))
        )
        return f"\\input{{{next(there, written[-1])}}}"

    def _part(self, name: str, match: re.Match[str], above: tuple[str, ...], noted: bool) -> str:
        self.inputs += 1
        part = next(
            (
                n
                for n in candidates(name, _written(match), self.tree.above)
                if self.tree.read(n) is not None
            ),
            None,
        )
        if part is not None and not part.lower().endswith((*TEX, ".txt", ".sty", ".def", ".bbl")):
            return ""
        if (
            part is None
            or part in (*above, name)
            or len(above) >= self.limits.depth
            or self.inputs > self.limits.members
        ):
            if noted:
                self.notes.append(_left_out(name, match, part, self.tree.above))
            return ""
        if is_thanks_file(part.rpartition("/")[2]):
            return ""
        return self.expanded(part, (*above, name))

    def styles(self, preamble: str) -> str:
        """Style files of the article's own, which may hold its macros."""
        texts = []
        for match in re.finditer(r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}", preamble):
            for package in match[1].split(","):
                if source := self.tree.read(f"{package.strip()}.sty"):
                    texts.append(strip_comments(source, self.stash))
        return "\n".join(texts)


def _left_out(base: str, match: re.Match[str], part: str | None, above: int) -> str:
    name = match["braced"] or match["bare"] or match["file"] or ""
    if part is None and not candidates(base, _written(match), above):
        return tr("The part {name} lies outside the source's folder and was left out.", name=name)
    if part is None:
        return tr("The part {name} is missing and was left out.", name=name)
    return tr("The part {name} includes itself; the repetition was left out.", name=name)
