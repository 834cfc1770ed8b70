"""Knowledge from a local folder of GDELT 2.0 event, mention and GKG files, asked with DuckDB."""

import html
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from core.errors import InputError, NotFoundError
from core.files import digest
from core.i18n import joined_clauses, tr, trn
from core.llm.replies import clean
from core.sources.news.events import NewsFact, RefusedQuery, Window, headline_of
from core.sources.news.gdelt_archive import problem_words
from core.sources.news.gdelt_columns import sentence_of
from core.sources.news.gdelt_index import NORMAL, IndexedFile, files_in, open_index

if TYPE_CHECKING:
    import duckdb

_SHOWN_NAMES = 15
_SHOWN_QUOTATIONS = 2
_SHOWN_PROBLEMS = 5
_CANDIDATES, _ROWS_OF_ONE = 5000, 50  # rows that compete; rows that one address may well have

# Only the newest rows compete: sorting hundreds of thousands for a dozen addresses takes a second.
# One row for each address: of the rows that tell of it, the one with a title, then the GKG's.
_SEARCH = """
WITH matched AS (
    SELECT *, contains(hay, $phrase) AS together FROM facts
    WHERE contains(hay, $first) AND ($exact OR list_bool_and(
        list_transform($words, lambda word: contains(hay, word))))
      AND (NOT $exact OR contains(hay, $phrase))
), dated AS (
    SELECT m.file, m.kind, m.row, m.seen, m.happened, m.url, m.tone, m.articles, m.actor1,
        m.actor2, m.code, m.place, m.names, m.quotations, m.title, m.together, 0 AS later
    FROM matched m WHERE m.seen >= $start AND m.seen < $end
    UNION ALL
    SELECT n.file, 'mention', m.row, n.seen, m.happened, n.url, n.tone, m.articles, m.actor1,
        m.actor2, m.code, m.place, '', '', '', m.together, 1
    FROM matched m JOIN mentions n ON m.kind = 'event' AND n.event = m.row
    WHERE n.seen >= $start AND n.seen < $end
), newest AS (
    SELECT * FROM dated ORDER BY together DESC, seen DESC, articles DESC, url, row, file
    LIMIT $candidates
), best AS (
    SELECT * FROM newest QUALIFY row_number() OVER (
        PARTITION BY url
        ORDER BY together DESC, title <> '' DESC, kind = 'gkg' DESC, later, articles DESC, row, file
    ) = 1
)
SELECT best.* EXCLUDE (file), files.name AS file_name FROM best
JOIN files ON files.id = best.file
ORDER BY together DESC, seen DESC, articles DESC, url LIMIT $limit
"""


class GdeltFiles:
    """The folder as a ``KnowledgeSource``. Builds or extends its index when it is opened."""

    def __init__(self, folder: Path, *, cache: Path | None = None) -> None:
        self._folder = Path(folder)
        if not self._folder.is_dir():
            raise NotFoundError.tr("There is no folder “{path}”.", path=folder)
        root = cache or user_cache_path("benchseal") / "gdelt"
        self._connection: duckdb.DuckDBPyConnection = open_index(self._folder, root)
        self.files: tuple[IndexedFile, ...] = tuple(files_in(self._connection))
        if not any(file.rows for file in self.files):
            self.close()
            message = tr(
                "“{path}” contains no GDELT 2.0 event, mention or GKG rows. Put the "
                "downloaded files there, zipped or not.",
                path=folder,
            )
            more = self.left_out()
            raise InputError(
                tr("{sentence} {more}", sentence=message, more=more) if more else message
            )

    @property
    def identity(self) -> str:
        """Path of the folder, and what its files held when it was opened."""
        state = [(file.name, file.rows, file.malformed) for file in self.files]
        return f"gdelt-files:{self._folder.resolve()}:{digest(state)[:16]}"

    @property
    def malformed(self) -> int:
        """Lines that were left out because they are not what the format says."""
        return sum(file.malformed for file in self.files)

    def left_out(self) -> str:
        """What of the folder could not be used, in one sentence; empty where all of it was."""
        parts = [
            tr("{file}: {problem}", file=file.name, problem=problem_words(file.problem))
            for file in self.files
            if file.problem
        ]
        shown = parts[:_SHOWN_PROBLEMS]
        if len(parts) > len(shown):
            shown.append(tr("and {count} more", count=len(parts) - len(shown)))
        if self.malformed:
            shown.append(trn("1 malformed line", "{n} malformed lines", self.malformed))
        return tr("Left out: {parts}.", parts=joined_clauses(shown)) if shown else ""

    def search(
        self, query: str, window: Window, limit: int, *, exact: bool = False
    ) -> list[NewsFact]:
        """Rows whose actors, places, names, title or address have the query's words.

        Words are whole ones, whatever their case and accents; Chinese, Japanese and Korean text
        is found anywhere. Rows with the words side by side come first, then the newest.
        """
        phrase = self._normal(query)
        words = phrase.split()
        if not words:
            raise RefusedQuery.tr("“{query}” contains no words to search for.", query=query)
        padded = [word if _is_wide(word) else f" {word} " for word in words]
        rows = (
            self._connection.cursor()
            .execute(
                _SEARCH,
                {
                    "phrase": " ".join(words) if _is_wide(phrase) else f" {' '.join(words)} ",
                    "first": max(padded, key=len),
                    "words": padded,
                    "exact": exact,
                    "start": window.start.replace(tzinfo=None),
                    "end": window.end.replace(tzinfo=None),
                    "limit": max(0, limit),
                    "candidates": _CANDIDATES + _ROWS_OF_ONE * max(0, limit),
                },
            )
            .fetchall()
        )
        return [_fact(row) for row in rows]

    def close(self) -> None:
        """Close the index."""
        self._connection.close()

    def _normal(self, text: str) -> str:
        row = (
            self._connection.cursor()
            .execute(f"SELECT {NORMAL.format('$text')}", {"text": text.replace(";", " ")})
            .fetchone()
        )
        return str(row[0]).strip() if row else ""


def _is_wide(text: str) -> bool:
    """Whether a text is written without spaces between words."""
    return any("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" for c in text)


def _fact(row: tuple[Any, ...]) -> NewsFact:
    (kind, id, seen, happened, url, tone, articles, actor1, actor2, code, place, names, quotations,
     title, _, _, file_name) = row  # fmt: skip
    moment: datetime = seen
    headline = html.unescape(title).strip() or headline_of(url)
    sentence = "" if kind == "gkg" else sentence_of(actor1, actor2, code, place)
    known = _names(names)
    detail = [sentence] if headline and sentence else []
    detail += [f"Names: {', '.join(known)}"] if known else []
    detail += _quotations(quotations)
    return NewsFact(
        title=clean(headline or sentence or ", ".join(known[:5]) or url),
        url=clean(url),
        seen=moment.replace(tzinfo=UTC),
        tone=None if tone is None else round(tone, 2),
        detail=clean("; ".join(detail)),
        kind=kind,
        source="gdelt-files",
        row=f"{os.path.basename(file_name)} {id}",  # noqa: PTH119  a name, not a path of ours
        happened=_day(happened),
        articles=articles,
    )


def _day(digits: str) -> str:
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}" if len(digits) == 8 else digits


def _names(names: str) -> list[str]:
    """``Name,offset;Name,offset`` as the first names, each once."""
    unique = dict.fromkeys(entry.rpartition(",")[0].strip() for entry in names.split(";"))
    return [name for name in unique if name][:_SHOWN_NAMES]


def _quotations(quotations: str) -> list[str]:
    """``offset|length|verb|quotation#…`` as the quotations."""
    parts = [entry.split("|", 3) for entry in quotations.split("#")]
    spoken = [part[3].strip() for part in parts if len(part) == 4 and part[3].strip()]
    return [f"Quoted: “{quotation[:400]}”" for quotation in spoken[:_SHOWN_QUOTATIONS]]
