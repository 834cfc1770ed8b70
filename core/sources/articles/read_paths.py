"""From files and folders to articles: ``read_paths`` reads all it can and names all it cannot."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path, PurePosixPath

from core.errors import InputError
from core.i18n import tr
from core.sources.articles.archives import unpack
from core.sources.articles.article import Article, ParsedSource, compose
from core.sources.articles.arxiv_html import read_html
from core.sources.articles.domains import (
    DOMAINS,
    domain_named,
    domain_of_categories,
    domain_of_stem,
)
from core.sources.articles.file_kinds import PREFERENCE, SourceKind, kind_of, kind_of_content
from core.sources.articles.identifiers import identifier_in_name, stem_of
from core.sources.articles.json_articles import read_json
from core.sources.articles.latex.project import TEX, included_names, is_root
from core.sources.articles.latex.reader import read_latex, read_latex_text
from core.sources.articles.markdown import read_markdown
from core.sources.articles.metadata import Metadata, read_metadata
from core.sources.articles.plain_text import read_plain_text
from core.sources.articles.trees import FolderTree, MemoryTree
from core.sources.articles.walk import Walk, shown, walk
from core.sources.encodings import decode
from core.sources.limits import DEFAULT_LIMITS, Limits, UnreadableSource

MetadataSource = Path | Sequence[Path] | Mapping[str, Metadata] | None

_PROSE = frozenset({"text", "list", "quote"})
_GENERIC = frozenset(
    {"main", "ms", "paper", "article", "manuscript", "index", "root", "template", "arxiv", "draft"}
)
_UNFORESEEN = (ValueError, LookupError, ArithmeticError, RecursionError, AttributeError)


@dataclass(frozen=True)
class ReadReport:
    """What was read and what was not.

    ``skipped`` holds ``(path, reason)`` for every file that gave no article, in the order of the
    walk; ``notes`` holds ``(path, sentence)`` about parts that an article which was read lacks.
    """

    articles: tuple[Article, ...]
    skipped: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class _Source:
    path: Path
    kind: SourceKind

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
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int, int], None] | None = None,
) -> ReadReport:
    """Articles in files and folders, always in the same order.

    Of files with the same stem in one folder the best structured one is read. The domain is what
    the file name announces (``q-bio__name.tex``), else that of the primary category, else
    ``domain``, else empty. ``metadata`` files are joined by arXiv id, as are those found on the
    way. ``since`` and ``until``, both inclusive, bound the day of the first submission; an article
    without a known day is then skipped. Raises ``InputError`` for a path that does not exist, a
    domain that is none of the eight, or a metadata file that cannot be opened.
    """
    fallback = _checked_domain(domain)
    files = walk(paths, limits)
    sources = _sources(files, limits)
    records = [source.path for source in sources if source.kind == "metadata"]
    readable = _without_parts([s for s in sources if s.kind != "metadata"], files, limits)
    twins = _twins(readable)
    drafts: list[tuple[_Source, ParsedSource]] = []
    for index, group in enumerate(twins):
        drafts += _first_readable(group, files, limits)
        if on_progress:
            on_progress(index + 1, len(twins))
    articles = [_article(source, draft, fallback) for source, draft in drafts]
    articles = _joined(articles, metadata, records, fallback)
    unique = _distinct(_in_window(articles, since, until, files), files)
    notes = [(shown(source.path), note) for source, draft in drafts for note in draft.notes]
    order = {shown(path): index for index, path in enumerate(files.files)}
    skipped = sorted(files.skipped, key=lambda entry: order.get(entry[0], -1))
    return ReadReport(tuple(unique), tuple(dict.fromkeys(skipped)), tuple(notes))


def _checked_domain(domain: str | None) -> str:
    if not domain:
        return ""
    name = domain_named(domain)
    if not name:
        raise InputError(
            tr(
                "There is no domain {domain}. Available: {domains}.",
                domain=domain,
                domains=", ".join(DOMAINS),
            )
        )
    return name


def _sources(files: Walk, limits: Limits) -> list[_Source]:
    sources: list[_Source] = []
    for path in files.files:
        try:
            sources.append(_Source(path, kind_of(path, limits)))
        except UnreadableSource as error:
            files.skip(path, str(error))
        except OSError as error:
            files.skip(path, tr("Could not open it: {error}.", error=error.strerror or error))
    return sources


def _twins(sources: list[_Source]) -> list[list[_Source]]:
    """Sources of one folder with the same stem, the best structured one first."""
    groups: dict[tuple[Path, str], list[_Source]] = {}
    for source in sources:
        groups.setdefault((source.path.parent, source.stem.lower()), []).append(source)
    return [sorted(g, key=lambda s: PREFERENCE.index(s.kind)) for g in groups.values()]


def _first_readable(
    group: list[_Source], files: Walk, limits: Limits
) -> list[tuple[_Source, ParsedSource]]:
    """Drafts of the first source that can be read; the others after it are named as the same."""
    drafts: list[ParsedSource] = []
    read: _Source | None = None
    for source in group:
        if read is not None:
            files.skip(source.path, tr("It is the same article as {path}.", path=shown(read.path)))
        else:
            drafts = _drafts(source, files, limits)
            read = source if drafts else None
    return [(read, draft) for draft in drafts] if read is not None else []


def _without_parts(sources: list[_Source], files: Walk, limits: Limits) -> list[_Source]:
    """LaTeX files that another one inputs are no articles of their own."""
    latex = {s.path: s for s in sources if s.kind == "latex" and s.path.suffix.lower() in TEX}
    texts = {path: FolderTree(path.parent, limits).read(path.name) or "" for path in latex}
    part_of: dict[Path, Path] = {}
    for root in sorted(latex, key=lambda path: (not is_root(texts[path]), str(path))):
        if root in part_of or "\\" not in texts[root]:
            continue
        pending = [root]
        seen = {root}
        while pending:
            path = pending.pop()
            base = path.relative_to(root.parent).as_posix()
            for name in included_names(base, texts[path]):
                part = root.parent / PurePosixPath(name)
                if part in latex and part not in seen:
                    seen.add(part)
                    pending.append(part)
                    part_of.setdefault(part, root)
    for part, root in part_of.items():
        files.skip(part, tr("It is a part of {path}.", path=shown(root)))
    return [source for source in sources if source.path not in part_of]


def _drafts(source: _Source, files: Walk, limits: Limits) -> list[ParsedSource]:
    """Drafts with prose of one source; an unreadable one is named, and the rest goes on."""
    try:
        drafts = _READERS[source.kind](source.path, limits)
    except UnreadableSource as error:
        files.skip(source.path, str(error))
        return []
    except OSError as error:
        files.skip(source.path, tr("Could not open it: {error}.", error=error.strerror or error))
        return []
    except _UNFORESEEN as error:
        files.skip(
            source.path,
            tr("Could not interpret it ({error}).", error=f"{type(error).__name__}: {error}"),
        )
        return []
    full = [d for d in drafts if any(b.kind in _PROSE and b.text.strip() for b in d.blocks)]
    if not full:
        files.skip(source.path, tr("It contains no text."))
    return full


def _read_archive(path: Path, limits: Limits) -> list[ParsedSource]:
    unpacked = unpack(path, limits)
    notes = unpacked.notes
    tree = MemoryTree(unpacked.members)
    if "" in unpacked.members:
        drafts = _read_text(decode(unpacked.members[""]), limits)
    elif any(name.lower().endswith(TEX) for name in unpacked.members):
        drafts = [read_latex(tree, limits=limits)]
    else:
        pages = [n for n in tree.names() if n.lower().endswith((".html", ".htm", ".xhtml"))]
        if not pages:
            raise UnreadableSource(tr("The archive contains no LaTeX or HTML file."))
        drafts = [read_html(tree.read(pages[0]) or "")]
    return [replace(draft, notes=(*draft.notes, *notes)) for draft in drafts]


def _read_text(text: str, limits: Limits) -> list[ParsedSource]:
    kind = kind_of_content(text)
    if kind == "latex":
        return [read_latex_text(text, limits)]
    return [read_html(text) if kind == "html" else read_plain_text(text)]


def _read_folder_latex(path: Path, limits: Limits) -> list[ParsedSource]:
    return [read_latex(FolderTree(path.parent, limits), path.name, limits)]


_READERS: Mapping[SourceKind, Callable[[Path, Limits], list[ParsedSource]]] = {
    "archive": _read_archive,
    "latex": _read_folder_latex,
    "html": lambda path, _: [read_html(decode(path.read_bytes()))],
    "markdown": lambda path, _: [read_markdown(decode(path.read_bytes()))],
    "json": lambda path, _: read_json(decode(path.read_bytes())),
    "text": lambda path, _: [read_plain_text(decode(path.read_bytes()))],
}


def _article(source: _Source, draft: ParsedSource, fallback: str) -> Article:
    name_id, name_version = identifier_in_name(source.stem)
    many = source.kind == "json"
    stem = source.stem
    if stem.lower() in _GENERIC and source.path.resolve().parent.name:
        stem = shown(Path(source.path.resolve().parent.name))
    identifier = draft.article_id if many and draft.article_id else name_id
    article = compose(
        draft.blocks,
        path=shown(source.path),
        article_id=identifier or draft.article_id or stem,
        title=draft.title,
        version=(draft.version if many else name_version or draft.version) or "",
    )
    domain = domain_of_stem(source.stem) or domain_of_categories(draft.categories) or fallback
    return replace(article, domain=domain, categories=draft.categories, submitted=draft.submitted)


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
    names: set[str] = set()
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
            unique.append(replace(article, id=_unique(article, names)))
    return unique


def _unique(article: Article, names: set[str]) -> str:
    name = article.id
    if name in names:
        name = f"{Path(article.path).parent.name}/{article.id}".lstrip("/")
    number = 2
    while name in names:
        name, number = f"{article.id}-{number}", number + 1
    names.add(name)
    return name
