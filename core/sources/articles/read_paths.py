"""From files and folders to articles: ``read_paths`` reads all it can and names all it cannot."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path

from core.errors import InputError
from core.i18n import listed, tr
from core.sources.articles.article import Article
from core.sources.articles.chapters import chapters_of, one_article
from core.sources.articles.domains import (
    DOMAINS,
    domain_named,
    domain_of_categories,
    domain_of_stem,
)
from core.sources.articles.drafts import drafts, same_findings, without_repeats
from core.sources.articles.file_kinds import (
    PREFERENCE,
    SourceKind,
    is_among_docs,
    kind_of,
    no_article_by_name,
)
from core.sources.articles.identifiers import stem_of, told_apart
from core.sources.articles.latex.project import TEX
from core.sources.articles.metadata import Metadata, read_metadata
from core.sources.articles.pandoc.org import ORG
from core.sources.articles.pandoc.typst import TYPST
from core.sources.articles.parts import FileOutline, left_over, parts_of
from core.sources.articles.prose.no_article import is_no_article
from core.sources.articles.walk import Walk, shown, walk
from core.sources.bounded import BoundedReader
from core.sources.limits import DEFAULT_LIMITS, Limits, UnreadableSource

MetadataSource = Path | Sequence[Path] | Mapping[str, Metadata] | None


@dataclass(frozen=True)
class ReadReport:
    """What was read and what was not.

    ``skipped`` holds ``(path, reason)`` for every file that gave no article, in the order of the
    walk; ``notes`` holds ``(path, sentence)`` about parts that an article which was read lacks.
    """

    articles: tuple[Article, ...]
    skipped: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def no_articles(self) -> int:
        """How many files were left out that ``any_text`` reads."""
        return sum(is_no_article(reason) for _, reason in self.skipped)


@dataclass(frozen=True)
class _Source:
    path: Path
    kind: SourceKind
    among_docs: bool = False
    any_text: bool = False
    no_article: str = ""
    parts: int = 0
    """Bytes of the files that it includes."""
    above: int = 0
    """How many folders above its own were chosen with it, where its parts may lie."""

    @property
    def stem(self) -> str:
        return stem_of(shown(self.path))


def read_paths(
    paths: Sequence[Path],
    domain: str | None = None,
    metadata: MetadataSource = None,
    since: date | None = None,
    until: date | None = None,
    *,
    any_text: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int, int], None] | None = None,
) -> ReadReport:
    """Articles in files and folders, always in the same order.

    Of files with the same stem in one folder the best structured one is read. The domain is what
    the file name announces (``q-bio__name.tex``), else that of the primary category, else
    ``domain``, else empty. ``metadata`` files are joined by arXiv id, as are those found on the
    way. ``since`` and ``until``, both inclusive, bound the day of the first submission; an article
    without a known day is then skipped. ``any_text`` reads letters, documentation, material of
    courses and other texts that are no articles as well. Raises ``InputError`` for a path that
    does not exist, a domain that is none of the eight, or a metadata file that cannot be opened.
    """
    fallback = _checked_domain(domain)
    files = walk(paths, limits)
    sources = _sources(files, paths, limits, any_text=any_text)
    records = [source.path for source in sources if source.kind == "metadata"]
    found: list[tuple[Article, tuple[str, ...]]] = []
    with BoundedReader() as reader:
        articles_in = [s for s in sources if s.kind != "metadata"]
        twins = _twins(_without_parts(articles_in, files, reader, limits))
        for index, group in enumerate(twins):
            found += _first_readable(group, files, reader, fallback, limits)
            if on_progress:
                on_progress(index + 1, len(twins))
    read = _with_chapters([article for article, _ in found], files)
    articles = _joined(read, metadata, records, fallback)
    unique = _without_drafts(_distinct(_in_window(articles, since, until, files), files), files)
    unique = without_repeats(unique)
    notes = [(article.path, note) for article, notes in found for note in notes]
    notes += _notes_on_versions(unique)
    order = {shown(path): index for index, path in enumerate(files.files)}
    skipped = sorted(files.skipped, key=lambda entry: order.get(entry[0], -1))
    return ReadReport(tuple(unique), tuple(dict.fromkeys(skipped)), tuple(notes))


def _checked_domain(domain: str | None) -> str:
    if not domain:
        return ""
    name = domain_named(domain)
    if not name:
        raise InputError.tr(
            "There is no domain {domain}. Available: {domains}.",
            domain=domain,
            domains=listed(DOMAINS),
        )
    return name


def _sources(
    files: Walk, chosen: Sequence[Path], limits: Limits, *, any_text: bool
) -> list[_Source]:
    sources: list[_Source] = []
    for path in files.files:
        root = max((r for r in chosen if path.is_relative_to(r)), key=_depth, default=None)
        try:
            among_docs = root is not None and is_among_docs(path, root)
            kind = kind_of(path, limits, root, any_text=any_text)
            no_article = no_article_by_name(path, root) if any_text else ""
            above = len(path.parent.relative_to(root).parts) if root and root.is_dir() else 0
            source = _Source(path, kind, among_docs, any_text, no_article, above=above)
            sources.append(source)
        except UnreadableSource as error:
            files.skip(path, str(error))
        except OSError as error:
            files.skip(path, tr("Could not open it: {error}.", error=error.strerror or error))
    return sources


def _depth(path: Path) -> int:
    return len(path.parts)


def _twins(sources: list[_Source]) -> list[list[_Source]]:
    """Sources of one folder with the same stem, the best structured one first."""
    groups: dict[tuple[Path, str], list[_Source]] = {}
    for source in sources:
        groups.setdefault((source.path.parent, source.stem.lower()), []).append(source)
    return [sorted(g, key=lambda s: PREFERENCE.index(s.kind)) for g in groups.values()]


def _first_readable(
    group: list[_Source], files: Walk, reader: BoundedReader, fallback: str, limits: Limits
) -> list[tuple[Article, tuple[str, ...]]]:
    """Articles of the first source that can be read; the others after it are named as the same."""
    articles: list[tuple[Article, tuple[str, ...]]] = []
    read: _Source | None = None
    for source in group:
        if read is not None:
            files.skip(source.path, tr("It is the same article as {path}.", path=shown(read.path)))
        else:
            articles = _articles(source, files, reader, fallback, limits)
            read = source if articles else None
    return articles


def _without_parts(
    sources: list[_Source], files: Walk, reader: BoundedReader, limits: Limits
) -> list[_Source]:
    """LaTeX, Typst and Org files that another one inputs are no articles of their own."""
    of_parts = {s.path: s for s in sources if _is_latex(s) or s.path.suffix.lower() in (TYPST, ORG)}
    if len(of_parts) < 2:
        return sources
    outlines = {path: _outline(path, reader, limits) for path in of_parts}
    part_of = parts_of(outlines, lambda path: of_parts[path].above)
    for part, root in part_of.items():
        files.skip(part, tr("It is a part of {path}.", path=shown(root)))
    unused = left_over(outlines, part_of)
    for part, root in unused.items():
        files.skip(part, tr("It is neither part of {path} nor a document.", path=shown(root)))
    sizes: Counter[Path] = Counter()
    for part, root in part_of.items():
        sizes[root] += part.stat().st_size
    return [
        replace(s, parts=sizes[s.path])
        for s in sources
        if s.path not in part_of and s.path not in unused
    ]


def _is_latex(source: _Source) -> bool:
    return source.kind == "latex" and source.path.suffix.lower() in TEX


def _outline(path: Path, reader: BoundedReader, limits: Limits) -> FileOutline:
    try:
        # taken to its end: a child that is left in the middle of an answer is ended
        ((root, inputs),) = list(reader.read("outline", path, limits=asdict(limits)))
    except (InputError, OSError):
        # reading it as an article says what is wrong with it
        return FileOutline()
    return FileOutline(bool(root), tuple(str(written) for written in inputs))


def _articles(
    source: _Source, files: Walk, reader: BoundedReader, fallback: str, limits: Limits
) -> list[tuple[Article, tuple[str, ...]]]:
    """Articles of one source and notes about each; an unreadable one is named, the rest goes on."""
    try:
        rows = list(
            reader.read(
                "articles",
                source.path,
                parts=source.parts,
                kind=source.kind,
                fallback=fallback,
                limits=asdict(limits),
                among_docs=source.among_docs,
                any_text=source.any_text,
                above=source.above,
            )
        )
        read = [(Article.from_row(row), tuple(map(str, notes))) for row, notes in rows]
        return [(replace(a, no_article=source.no_article or a.no_article), n) for a, n in read]
    except InputError as error:
        files.skip(source.path, str(error))
    except OSError as error:
        files.skip(source.path, tr("Could not open it: {error}.", error=error.strerror or error))
    return []


def _with_chapters(articles: list[Article], files: Walk) -> list[Article]:
    """The articles, of which chapters of one manuscript are one; the others of it are named."""
    out: list[Article | None] = [*articles]
    for group in chapters_of(articles):
        copies = drafts([articles[index] for index in group])
        for copy, whole in copies.items():
            out[group[copy]] = None
            path = Path(articles[group[copy]].path)
            files.skip(path, tr("It is a draft of {path}.", path=articles[group[whole]].path))
        first, *others = (index for at, index in enumerate(group) if at not in copies)
        out[first] = one_article([articles[index] for index in (first, *others)])
        for index in others:
            out[index] = None
            path = Path(articles[index].path)
            files.skip(path, tr("It is a part of {path}.", path=articles[first].path))
    return [article for article in out if article is not None]


def _joined(
    articles: list[Article], metadata: MetadataSource, paths: Sequence[Path], fallback: str
) -> list[Article]:
    ids = {article.id for article in articles}
    records: dict[str, Metadata] = {}
    files: list[Path] = list(paths)
    if isinstance(metadata, Mapping):
        records.update(metadata)
    elif isinstance(metadata, Path):
        files.append(metadata)
    elif metadata is not None:
        files += metadata
    for file in files:
        records.update(read_metadata(file, ids))
    return [_with_record(article, records.get(article.id), fallback) for article in articles]


def _with_record(article: Article, record: Metadata | None, fallback: str) -> Article:
    if record is None:
        return article
    announced = domain_of_stem(stem_of(article.path))
    categories = record.categories or article.categories
    return replace(
        article,
        title=record.title or article.title,
        categories=categories,
        submitted=record.submitted or article.submitted,
        domain=announced or domain_of_categories(categories) or article.domain or fallback,
        version=record.versions[-1]
        if article.version.startswith("text-") and len(record.versions) == 1
        else article.version,
    )


def _without_drafts(articles: list[Article], files: Walk) -> list[Article]:
    """Articles of which no longer draft is among them; the others are named."""
    found = drafts(articles)
    for index, whole in found.items():
        files.skip(
            Path(articles[index].path), tr("It is a draft of {path}.", path=articles[whole].path)
        )
    return [article for index, article in enumerate(articles) if index not in found]


def _notes_on_versions(articles: list[Article]) -> list[tuple[str, str]]:
    return [
        (
            articles[index].path,
            tr(
                "It has the numbers of {path}, as a translation or another version has. Both give "
                "items, which are not independent.",
                path=articles[other].path,
            ),
        )
        for index, other in sorted(same_findings(articles).items())
    ]


def _in_window(
    articles: Iterable[Article], since: date | None, until: date | None, files: Walk
) -> list[Article]:
    dated: list[Article] = []
    for article in articles:
        path = Path(article.path)
        day = article.submitted
        if since is None and until is None:
            dated.append(article)
        elif day is None:
            files.skip(
                path,
                tr("Its submission date is unknown. Provide arXiv metadata that has it."),
            )
        elif since is not None and day < since:
            files.skip(path, tr("It was submitted on {day}, before {since}.", day=day, since=since))
        elif until is not None and day > until:
            files.skip(path, tr("It was submitted on {day}, after {until}.", day=day, until=until))
        else:
            dated.append(article)
    return dated


def _distinct(articles: list[Article], files: Walk) -> list[Article]:
    """One article for each text and for each arXiv id, the newest version; ids made unique."""
    newest: dict[str, Article] = {}
    for article in articles:
        if article.version.startswith("v"):
            other = newest.setdefault(article.id, article)
            if int(article.version[1:]) > int(other.version[1:]):
                newest[article.id] = article
    unique: list[Article] = []
    by_text: dict[str, Article] = {}
    for article in articles:
        first = by_text.setdefault(article.text_digest, article)
        best = newest.get(article.id, article)
        if first is not article:
            files.skip(Path(article.path), tr("It has the same text as {path}.", path=first.path))
        elif best is not article and article.version.startswith("v"):
            files.skip(
                Path(article.path),
                tr("It is another version of {path}, which has been read.", path=best.path),
            )
        else:
            unique.append(article)
    names = told_apart([(a.id, a.title, Path(a.path).parent.name) for a in unique])
    return [replace(article, id=name) for article, name in zip(unique, names, strict=True)]
