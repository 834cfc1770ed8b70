"""News events: what a piece of knowledge is, and what a source of it offers.

Three sources are interchangeable: ``gdelt_files`` (a folder of downloaded GDELT 2.0 files),
``gdelt_doc`` (the DOC 2.0 API) and ``gdelt_bigquery``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from core.errors import InputError

_FILE_ENDING = re.compile(r"\.(s?html?|php|aspx?|jsp|cfm|ece)$", re.IGNORECASE)
_SLUG_PART = re.compile(r"[-_+\s]+")
_FEWEST_SLUG_WORDS = 4


class RefusedQuery(InputError):
    """A source does not take this query; another query may be fine."""


@dataclass(frozen=True, slots=True)
class Window:
    """Days from ``since`` to ``until``, both included, by the time an article was seen (UTC).

    CoreEval starts it at the release of the newest model that is evaluated (§3.2, footnote 2).
    """

    since: date
    until: date

    def __post_init__(self) -> None:
        if self.since > self.until:
            raise InputError.tr(
                "The period from {since} to {until} ends before it starts.",
                since=self.since,
                until=self.until,
            )

    @property
    def start(self) -> datetime:
        """The first moment inside."""
        return datetime.combine(self.since, time.min, UTC)

    @property
    def end(self) -> datetime:
        """The first moment after; the last one there is, for a window without an end."""
        if self.until == date.max:
            return datetime.max.replace(tzinfo=UTC)
        return datetime.combine(self.until, time.min, UTC) + timedelta(days=1)

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies inside."""
        return self.start <= moment < self.end


@dataclass(frozen=True, slots=True)
class NewsFact:
    """One article or event, and where it was found.

    ``seen`` is when GDELT saw the article, ``happened`` the day it says the event took place.
    ``tone`` runs from −100 to 100, None where the source has none. ``articles`` is how often it
    was reported. ``row`` names the row in the source. ``detail`` holds names and quotations.
    """

    title: str
    url: str
    seen: datetime
    tone: float | None = None
    detail: str = ""
    kind: str = "article"
    source: str = ""
    row: str = ""
    happened: str = ""
    articles: int = 1

    def as_json(self) -> dict[str, Any]:
        """One JSON object; ``from_json`` reads it back."""
        return {
            "title": self.title,
            "url": self.url,
            "seen": self.seen.isoformat(),
            "tone": self.tone,
            "detail": self.detail,
            "kind": self.kind,
            "source": self.source,
            "row": self.row,
            "happened": self.happened,
            "articles": self.articles,
        }

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "NewsFact":
        """Inverse of ``as_json``."""
        return cls(**{**row, "seen": datetime.fromisoformat(row["seen"])})


class KnowledgeSource(Protocol):
    """Where facts are looked up. Safe to call from one thread at a time."""

    @property
    def identity(self) -> str:
        """Name and place of the source, without a key; part of what cached answers hang on."""

    def search(
        self, query: str, window: Window, limit: int, *, exact: bool = False
    ) -> list[NewsFact]:
        """At most ``limit`` facts about a name, the best first, one for each address.

        With ``exact`` the words must stand together. Raises RefusedQuery for a query that the
        source does not take, OutsideError where it cannot be asked at all.
        """

    def close(self) -> None:
        """Give back what the source holds open."""


def first_facts(
    candidates: Iterable[NewsFact | None], window: Window, limit: int
) -> list[NewsFact]:
    """The first ``limit`` facts in the window, one for each address; None stands for no fact."""
    facts: dict[str, NewsFact] = {}
    for fact in candidates:
        if fact and window.holds(fact.seen):
            facts.setdefault(fact.url, fact)
    return list(facts.values())[: max(0, limit)]


def moment_of(digits: str) -> datetime | None:
    """The UTC moment in ``YYYYMMDDHHMMSS`` or ``YYYYMMDDTHHMMSSZ``; None where it is none."""
    plain = digits.strip().replace("T", "").replace("Z", "")
    try:
        return datetime.strptime(plain, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def headline_of(url: str) -> str:
    """The headline that many addresses spell out, or empty; best effort, for rows without title."""
    try:
        path = unquote(urlsplit(url).path, errors="replace")
    except ValueError:
        return ""
    best = ""
    for part in path.split("/"):
        words = [w for w in _SLUG_PART.split(_FILE_ENDING.sub("", part)) if w]
        if words and any(c.isdigit() for c in words[-1]) and any(c.isalpha() for c in words[-1]):
            words.pop()  # an article's number at the end
        words = [word for word in words if not word.isdigit() or len(word) <= 4]
        if sum(word.isalpha() for word in words) >= _FEWEST_SLUG_WORDS and len(words) > len(
            best.split()
        ):
            best = " ".join(words)
    return best[:1].upper() + best[1:]
