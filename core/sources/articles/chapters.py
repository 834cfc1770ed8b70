"""Chapters of one manuscript that are files of their own, as in Manubot, Quarto and bookdown books,
and those of a LaTeX or Typst document whose main file is missing.

They are one article: its items say so, a split keeps them together, and words that one chapter
explains are known in the others.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.files import read_regular
from core.sources.articles.article import Article, Block, compose
from core.sources.encodings import decode

_MARKDOWN = frozenset({".md", ".markdown", ".qmd", ".rmd"})
_PAGES = _MARKDOWN | {".ipynb", ".rst"}
_CONTENTS = ("_toc.yml", "myst.yml")
"""The table of contents of a Jupyter book, which lies beside its pages or above them."""
_TITLED = ("_config.yml", "myst.yml")
_PAGE = re.compile(r"^[ \t]*(?:-[ \t]+)?(?:file|root)[ \t]*:[ \t]*[\"']?([^\s\"'#]{1,200})", re.M)
_LEVELS_ABOVE = 4
"""How far above a page its table of contents is looked for."""
_NUMBERED = re.compile(r"\d{1,3}[a-z]?[._-] ?(?=\w)", re.IGNORECASE)
_PLANS = ("metadata.yaml", "_quarto.yml", "_bookdown.yml")
"""What lies beside the chapters: Manubot's, Quarto's and bookdown's description of the whole."""
_LONGEST_PLAN = 200_000
"""Characters of a plan that are looked at."""
_LISTED = re.compile(r"(?<![\w./-])(\w[\w./ -]{0,120}?\.(?:qmd|rmd|md))\b", re.IGNORECASE)
_BOOK = re.compile(r"^[ \t]*(?:chapters|rmd_files)[ \t]*:", re.MULTILINE)
_TITLE = re.compile(r"^[ \t]*title:[ \t]*[\"']?(.{0,300}?)[\"']?[ \t]*$", re.MULTILINE)
_ROOMS = frozenset({"content", "chapters", "docs", "manuscript", "book", "src", "text", "."})
"""Folders that say nothing of the manuscript; it is called like the folder above."""
_PARTS = frozenset({".tex", ".typ"})
_ROOMS_OF_PARTS = _ROOMS | {
    "chapter", "chap", "chaps", "sections", "section", "sec", "parts", "contents", "body", "tex",
    "appendix", "appendices", "frontmatter", "mainmatter", "backmatter", "kapitel", "capitulos",
    "chapitres", "data",
}  # fmt: skip
_PART = re.compile(
    r"(?:\d+[a-z]?[._ -]?)?(?:chap|ch\d|sec|part\d|intro|abstract|background|related|literature"
    r"|method|theor|model|data|experiment|result|evaluation|discussion|conclu|outlook|appendi"
    r"|summary|preliminar|implementation|design|analys|future|kapitel|einleitung|grundlagen|fazit"
    r"|chapitre|capitulo|摘要|绪论|引言|第.{1,3}章|结论|附录)|\d{1,2}[a-z]?[._ -]",
    re.IGNORECASE,
)
"""How the file of a chapter is called."""
_OF_CHAPTERS = re.compile(r"chap|sec|appendi|parts|kapitel|capit")
"""A folder all of whose files are chapters, whatever they are called."""
_PREFACE = re.compile(r"(?:\d+[._-])?(?:preface|foreword|vorwort|avant-?propos)", re.IGNORECASE)
"""The file of a chapter that is about the making of the book."""
_FEWEST_PAGES = 3
_STANDS_ALONE = re.compile(
    r"\\documentclass|\\begin\s*\{document\}|\\documentstyle|#set document\(|#show:\s*\w"
)


def chapters_of(articles: Sequence[Article]) -> list[list[int]]:
    """Indices of the articles that are chapters of one manuscript, in its order, two or more each.

    They are the pages that the table of contents of a Jupyter book lists; Markdown files of one
    folder beside a plan (``_PLANS``) that lists them, or that lists none while their names begin
    with numbers; three HTML pages or more of one folder and one title; or files of LaTeX or Typst
    that are called like chapters and cannot stand alone. What another file inputs is not among
    the articles.
    """
    rooms: dict[Path, list[int]] = {}
    books = _books(articles)
    in_books = {index for group in books for index in group}
    for index, article in enumerate(articles):
        path = Path(article.path)
        if path.suffix.lower() in _MARKDOWN and index not in in_books and path.is_file():
            rooms.setdefault(path.parent, []).append(index)
    groups = books + [_in_order(room, articles, indices) for room, indices in rooms.items()]
    groups += _without_a_main_file(articles)
    groups += _pages_of_one_title(articles)
    return [group for group in groups if len(group) > 1]


def one_article(chapters: Sequence[Article]) -> Article:
    """The chapters as one article, which stands where the first of them was."""
    first = chapters[0]
    contents = _contents(Path(first.path).resolve())
    room = contents.parent if contents else Path(first.path).resolve().parent
    rooms = _ROOMS_OF_PARTS if Path(first.path).suffix.lower() in _PARTS else _ROOMS
    plans = _plans(room, bool(contents))
    shared = first.title if all(chapter.title == first.title for chapter in chapters) else ""
    title = next((found[1] for plan in plans if (found := _TITLE.search(plan))), shared)
    name = room.parent.name if room.name.lower() in rooms else room.name
    blocks = (block for chapter in chapters for block in _blocks(chapter, shared))
    joined = compose(blocks, path=first.path, article_id=name or first.id, title=title)
    no_article = "" if any(not c.no_article for c in chapters) else first.no_article
    days = [chapter.submitted for chapter in chapters if chapter.submitted]
    day = max(days, default=None)
    return replace(joined, domain=first.domain, submitted=day, no_article=no_article)


def _without_a_main_file(articles: Sequence[Article]) -> list[list[int]]:
    rooms: dict[Path, list[int]] = {}
    for index, article in enumerate(articles):
        path = Path(article.path)
        if path.suffix.lower() not in _PARTS:
            continue
        room = path.resolve().parent.name.lower()
        if (_PART.match(path.stem) or _OF_CHAPTERS.match(room)) and _is_a_part(path):
            in_a_room = room in _ROOMS_OF_PARTS
            rooms.setdefault(path.parent.parent if in_a_room else path.parent, []).append(index)
    return list(rooms.values())


def _pages_of_one_title(articles: Sequence[Article]) -> list[list[int]]:
    """Pages of HTML that a book was cut into: each has the title of the whole."""
    pages: dict[tuple[Path, str], list[int]] = {}
    for index, article in enumerate(articles):
        path = Path(article.path)
        if path.suffix.lower() in (".html", ".htm") and article.title and path.is_file():
            pages.setdefault((path.parent, article.title), []).append(index)
    return [group for group in pages.values() if len(group) >= _FEWEST_PAGES]


def _is_a_part(path: Path) -> bool:
    return path.is_file() and not _STANDS_ALONE.search(decode(read_regular(path)))


def _in_order(room: Path, articles: Sequence[Article], indices: Sequence[int]) -> list[int]:
    names = {Path(articles[index].path).name: index for index in indices}
    plans = list(_plans(room))
    for plan in plans:
        if _BOOK.search(plan):
            listed = (found[1].strip().split("/")[-1] for found in _LISTED.finditer(plan))
            return [names[name] for name in dict.fromkeys(listed) if name in names]
    numbered = sorted(name for name in names if _NUMBERED.match(name))
    return [names[name] for name in numbered] if plans else []


def _books(articles: Sequence[Article]) -> list[list[int]]:
    """The pages of each Jupyter book, in the order of its table of contents."""
    pages: dict[Path, dict[Path, int]] = {}
    for index, article in enumerate(articles):
        path = Path(article.path)
        if path.suffix.lower() in _PAGES and path.is_file():
            path = path.resolve()
            if contents := _contents(path):
                pages.setdefault(contents, {})[path.with_suffix("")] = index
    books = []
    for contents, known in pages.items():
        names = (found[1] for found in _PAGE.finditer(_plan(contents)))
        places = dict.fromkeys(
            _without_ending((contents.parent / name).resolve()) for name in names
        )
        books.append([known[place] for place in places if place in known])
    return books


def _without_ending(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() in _PAGES else path


def _contents(page: Path) -> Path | None:
    """The table of contents that lists a page of a Jupyter book, or None."""
    if page.suffix.lower() not in _PAGES:
        return None
    for folder in page.parents[:_LEVELS_ABOVE]:
        for name in _CONTENTS:
            plan = folder / name
            text = _plan(plan)
            own = page.relative_to(folder)
            if any(
                found[1] in (own.as_posix(), own.with_suffix("").as_posix())
                for found in _PAGE.finditer(text)
            ):
                return plan
    return None


def _plan(path: Path) -> str:
    """The text of a plan; empty where there is none."""
    if path.is_file() and path.stat().st_size <= _LONGEST_PLAN:
        return decode(read_regular(path))
    return ""


def _plans(room: Path, of_a_book: bool = False) -> Iterator[str]:
    for name in _TITLED if of_a_book else _PLANS:
        if text := _plan(room / name):
            yield text


def _blocks(chapter: Article, whole: str) -> Iterator[Block]:
    name = _NUMBERED.sub("", Path(chapter.path).stem, count=1).replace("-", " ")
    yield Block((chapter.title if chapter.title != whole else "") or name, "heading", 1)
    is_preface = _PREFACE.fullmatch(Path(chapter.path).stem) is not None
    for paragraph in chapter.paragraphs:
        level = chapter.sections[paragraph.section].level if paragraph.kind == "heading" else 1
        kind = "back_matter" if is_preface and paragraph.kind == "text" else paragraph.kind
        yield Block(paragraph.text, kind, max(level, 1))
