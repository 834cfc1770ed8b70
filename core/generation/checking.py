"""``benchseal check``: the defects in a file of items, ours or anybody's."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from core.bounded_json import bounded_lines, parse_json
from core.errors import InputError, unreadable
from core.families import FAMILIES
from core.families.base import Defect, Family, ItemContent, texts_in
from core.families.scp_checks import squash, squash_source
from core.files import open_regular, read_regular
from core.generation.published_form import format_of, is_collection, rows_of, to_item
from core.generation.text_defects import defects_of_items, joined_word_defects
from core.i18n import tr
from core.sources.articles.article import Article
from core.sources.text_files import refuse_costly_json, refuse_empty

FileFormat = Literal["auto", "jsonl", "arxivroll"]
EXAMPLES = 3
UNREADABLE = "unreadable"
_SHORTEST_PIECE = 20  # characters; shorter ones stand in any article
_LONGEST_PIECES = 3
_LONE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class DefectPlace:
    """Where a defect was seen: ``line 12`` or ``s[3]``, and what was found there.

    ``field`` is the place within the item, such as ``parts[2]``; empty for the whole item.
    """

    place: str
    detail: str
    field: str = ""


@dataclass(frozen=True)
class FormatCount:
    """A defect within the items of one format; ``rate`` is 0–1."""

    count: int
    rate: float


@dataclass(frozen=True)
class DefectCount:
    """A defect over a file: items that have it, their share of all items, and all its places.

    An item that has it several times counts once and has several places.
    """

    name: str
    count: int
    rate: float
    places: tuple[DefectPlace, ...]
    by_format: Mapping[str, FormatCount] = field(default_factory=dict)

    @property
    def examples(self) -> tuple[DefectPlace, ...]:
        """The first places, one of each item."""
        first = {entry.place: entry for entry in reversed(self.places)}
        return tuple(first[place] for place in dict.fromkeys(p.place for p in self.places))[
            :EXAMPLES
        ]


@dataclass(frozen=True)
class CheckReport:
    """The result of a check; ``formats`` counts the items of each format."""

    items: int
    formats: Mapping[str, int]
    defects: tuple[DefectCount, ...]
    with_source: int

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.defects

    def as_json(self) -> dict[str, Any]:
        """One JSON object, with ``clean``."""
        return {**asdict(self), "defects": [asdict(d) for d in self.defects], "clean": self.clean}


def check_file(
    path: Path, format: FileFormat = "auto", articles: Iterable[Article] | None = None
) -> CheckReport:
    """Check every item of a file; with articles, orders are also judged by the source.

    A line that is not an item counts as ``unreadable``. Raises InputError for a file that cannot be
    read or holds no item at all.
    """
    places, items, unreadable = read_file(path, format)
    return _report(items, places, unreadable, ArticleLibrary(articles or ()))


def read_file(
    path: Path, format: FileFormat = "auto"
) -> tuple[list[str], list[ItemContent], list[DefectPlace]]:
    """The places of the items of a file, the items, and the places that hold none, with reasons.

    Raises InputError for a file that cannot be read or holds no item at all.
    """
    places: list[str] = []
    items: list[ItemContent] = []
    unreadable: list[DefectPlace] = []
    for place, entry in read_items(path, format):
        if isinstance(entry, ItemContent):
            places.append(place)
            items.append(entry)
        else:
            unreadable.append(DefectPlace(place, entry))
    if not items:
        raise InputError.tr(
            "“{path}” contains no items that can be checked. Use a JSON lines file written by "
            "Benchseal, or items in the ArxivRoll format. The rows of another file are "
            "checked by: benchseal import FILE --dry-run",
            path=path,
        )
    return places, items, unreadable


def halves(
    path: Path, report: CheckReport, format: FileFormat = "auto"
) -> tuple[list[str], list[str]]:
    """Lines of JSON: the rows of a checked file without a defect, as they stood, and the others.

    A row with defects says which ones under ``defects``; what is not an object at all stands under
    ``line``. Together they hold every row of the file once.
    """
    by_place: dict[str, list[dict[str, str]]] = {}
    for defect in report.defects:
        for entry in defect.places:
            row = {"name": defect.name, "detail": entry.detail}
            row |= {"field": entry.field} if entry.field else {}
            by_place.setdefault(entry.place, []).append(row)
    clean: list[str] = []
    rejects: list[str] = []
    for place, raw in read_rows(path, format):
        defects = by_place.get(place)
        if defects is None:
            clean.append(raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))
            continue
        row = _parsed_row(raw) if isinstance(raw, str) else raw
        row = row if isinstance(row, dict) else {"line": row}
        rejects.append(json.dumps({**row, "defects": defects}, ensure_ascii=False))
    return clean, rejects


def _parsed_row(line: str) -> Any:
    try:
        return parse_json(line, as_written=True)
    except ValueError:
        return line


def read_items(path: Path, format: FileFormat = "auto") -> Iterator[tuple[str, ItemContent | str]]:
    """Each place of a file with its item, or with the reason why there is none."""
    for place, raw in read_rows(path, format):
        yield place, _parsed(raw, format) if isinstance(raw, str) else _item(raw, format)


def read_rows(path: Path, format: FileFormat = "auto") -> Iterator[tuple[str, Any]]:
    """Each place of a file with what stands there: a line of text, or a value of a collection.

    A line that is not UTF-8 keeps its bytes as surrogates.
    """
    try:
        with open_regular(path) as handle:
            head = handle.read(65536)
    except OSError as error:
        raise unreadable(path, error) from error
    refuse_empty(path, head)
    if b"\0" in head:
        raise InputError.tr("“{path}” is not a text file.", path=path)
    document = None if format == "jsonl" else _whole(path)
    if document is not None:
        numbered = rows_of(document) if isinstance(document, Mapping) else _numbered(document)
        for place, row in numbered:
            yield place, [row] if isinstance(row, str) else row
        return
    with open_regular(path) as handle:
        for number, line in enumerate(bounded_lines(handle), 1):
            if line.strip():
                text = line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
                yield tr("line {number}", number=number), text.rstrip("\r\n")


def _whole(path: Path) -> Mapping[str, Any] | list[Any] | None:
    """The file as one JSON collection or list, or None where it is JSON lines."""
    with open_regular(path) as handle:
        lines = bounded_lines(handle)
        first = next((line.strip() for line in lines if line.strip()), b"")
        rest = any(line.strip() for line in lines)
    if rest and first not in (b"{", b"[") and _is_row(first):
        return None
    try:
        text = read_regular(path).decode("utf-8-sig")
        refuse_costly_json(path, text)
        value = parse_json(text, as_written=True)
    except ValueError:
        return None
    if isinstance(value, list):
        return value
    return value if is_collection(value) else None


def _is_row(line: bytes) -> bool:
    try:
        return isinstance(parse_json(line.decode("utf-8-sig")), dict)
    except ValueError:
        return False


def _numbered(rows: list[Any]) -> Iterator[tuple[str, Any]]:
    for number, row in enumerate(rows, 1):
        yield tr("item {number}", number=number), row


def _parsed(line: str, format: FileFormat) -> ItemContent | str:
    if _LONE.search(line):
        return tr("This line is not UTF-8 text.")
    try:
        row = parse_json(line, as_written=True)
    except ValueError:
        return tr("This line is not JSON.")
    return _item(row, format)


def _item(row: Any, format: FileFormat) -> ItemContent | str:
    if not isinstance(row, dict):
        return tr("This is not a JSON object.")
    if format != "arxivroll" and "payload" in row and "family" in row:
        return _own_item(row)
    published = format_of(row) if format != "jsonl" else None
    if published is not None:
        return to_item(row, published)
    return tr("This is not an item: it has none of the expected fields.")


def _own_item(row: dict[str, Any]) -> ItemContent | str:
    name, payload, provenance = row["family"], row["payload"], row.get("provenance") or {}
    if _family(name) is None:
        return tr("There is no item family “{name}”.", name=str(name)[:60])
    if not isinstance(payload, dict) or not isinstance(provenance, dict):
        return tr("This is not an item: it has none of the expected fields.")
    return ItemContent(
        family=name,
        format=str(row.get("format") or ""),
        payload=payload,
        provenance=provenance,
        domain=str(row.get("domain") or ""),
    )


def _family(name: Any) -> Family | None:
    return next((family for family in FAMILIES if family.name == name), None)


class ArticleLibrary:
    """Articles in which the source of an item is looked for, by its provenance or by its text."""

    def __init__(self, articles: Iterable[Article]) -> None:
        self._articles: list[Article] = list(articles)
        self._by_digest = {article.text_digest: article for article in self._articles}
        self._squashed: dict[int, str] = {}
        self._recent = 0

    def source_of(self, item: ItemContent) -> str | None:
        """Text of the article which the item was made from, or None.

        Without provenance it is the one that holds most of the item's pieces, and of the longest
        ones any at all: short pieces may stand in any article.
        """
        if not self._articles:
            return None
        known = self._by_digest.get(item.provenance.get("text_digest", ""))
        if known is not None:
            return known.text
        texts = {squash(text) for text in texts_in(item.payload)}
        pieces = sorted((p for p in texts if len(p) >= _SHORTEST_PIECE), key=lambda p: (-len(p), p))
        best, most = None, 0
        for index in dict.fromkeys((self._recent, *range(len(self._articles)))):
            held = self._pieces_held(index, pieces, most)
            if held > most:
                best, most = index, held
            if most == len(pieces):
                break
        if best is None:
            return None
        self._recent = best
        source: Article = self._articles[best]
        return source.text

    def _pieces_held(self, index: int, pieces: Sequence[str], most: int) -> int:
        """How many pieces (the longest first) an article holds; counted no further once it cannot
        be more than ``most``."""
        held = 0
        for place, piece in enumerate(pieces):
            if held + len(pieces) - place <= most or (place == _LONGEST_PIECES and not held):
                return 0
            held += piece in self._squash(index)
        return held

    def _squash(self, index: int) -> str:
        if index not in self._squashed:
            self._squashed[index] = squash_source(self._articles[index].text)
        return self._squashed[index]


def _report(
    items: Sequence[ItemContent],
    places: Sequence[str],
    unreadable: Sequence[DefectPlace],
    library: ArticleLibrary,
) -> CheckReport:
    by_item: list[list[Defect]] = [[] for _ in items]
    sources = [library.source_of(item) for item in items]
    with_source = sum(source is not None for source in sources)
    known = [place for place, item in enumerate(items) if _family(item.family)]
    checked = [items[place] for place in known]
    found = defects_of_items(checked, [sources[place] for place in known], every=True)
    for place, own in zip(known, found, strict=True):
        by_item[place] = own
    for index, defect in joined_word_defects(items).items():
        if all(known.name != defect.name for known in by_item[index]):
            by_item[index].append(defect)
    for family in FAMILIES:
        indices = [index for index, item in enumerate(items) if item.family == family.name]
        for index, defects in family.check_set([items[index] for index in indices]).items():
            by_item[indices[index]].extend(defects)
    total = len(items) + len(unreadable)
    counts = _counts(items, places, by_item, total)
    if unreadable:
        share = len(unreadable) / total
        counts.append(DefectCount(UNREADABLE, len(unreadable), share, tuple(unreadable)))
    return CheckReport(
        items=len(items),
        formats=dict(sorted(Counter(item.format or item.family for item in items).items())),
        defects=tuple(counts),
        with_source=with_source,
    )


def _counts(
    items: Sequence[ItemContent],
    places: Sequence[str],
    by_item: Sequence[Sequence[Defect]],
    total: int,
) -> list[DefectCount]:
    formats = Counter(item.format or item.family for item in items)
    by_name: dict[str, dict[int, list[Defect]]] = {}
    for index, defects in enumerate(by_item):
        for defect in defects:
            by_name.setdefault(defect.name, {}).setdefault(index, []).append(defect)
    counts = []
    for name, hits in by_name.items():
        within = Counter(items[index].format or items[index].family for index in hits)
        where = tuple(
            DefectPlace(places[index], defect.detail, defect.field)
            for index in sorted(hits)
            for defect in hits[index]
        )
        shares = {f: FormatCount(n, n / formats[f]) for f, n in sorted(within.items())}
        counts.append(DefectCount(name, len(hits), len(hits) / total, where, shares))
    return sorted(counts, key=lambda count: (-count.count, count.name))
