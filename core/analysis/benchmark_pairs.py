"""Public–private pairs by domain: which public benchmarks measure what a private domain measures.

The catalogue is a JSON file that anyone may replace: ``domains`` maps a private domain to its
public benchmarks, ``unmatched`` lists public ones that have no private partner.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from core.bounded_json import parse_json
from core.errors import InputError
from core.files import read_regular
from core.sources.articles.domains import domain_named
from resources import resource


class PairCatalogue(BaseModel):
    """``domains`` maps a private domain to names of public benchmarks.

    A public benchmark may stand under several domains (mathematics beside statistics).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = ""
    domains: Mapping[str, tuple[str, ...]]
    unmatched: tuple[str, ...] = ()

    def domains_of(self, benchmark: str, private: Iterable[str]) -> tuple[str, ...]:
        """The private domains among ``private`` that a public benchmark is paired with.

        Its own name counts first (an expired private split has its domains' names), then the
        catalogue, then other spellings of a domain (``q-fin`` and ``Q-Fin``).
        """
        known = {comparable_name(domain): domain for domain in private}
        name = comparable_name(benchmark)
        if name in known:
            return (known[name],)
        if name in {comparable_name(other) for other in self.unmatched}:
            return ()
        listed = [
            domain
            for domain, benchmarks in self.domains.items()
            if name in {comparable_name(other) for other in benchmarks}
        ]
        if listed:
            return tuple(
                match for domain in listed if (match := _same_domain(domain, known)) is not None
            )
        match = _same_domain(benchmark, known)
        return () if match is None else (match,)


def comparable_name(name: str) -> str:
    """A name without case, spaces and punctuation, by which benchmarks are compared.

    Plus and hash stay: C, C++ and C# are three.
    """
    return re.sub(r"(?:[^\w+#]|_)+", "_", name.strip().casefold()).strip("_")


def _same_domain(name: str, known: Mapping[str, str]) -> str | None:
    """The only private domain that is the same domain of ArxivRoll as ``name``."""
    if comparable_name(name) in known:
        return known[comparable_name(name)]
    canonical = domain_named(name)
    alike = [domain for domain in known.values() if canonical and domain_named(domain) == canonical]
    return alike[0] if len(alike) == 1 else None


@cache
def shipped_pairs() -> PairCatalogue:
    """The catalogue that comes with the program."""
    path = resource("catalogue", "public_private_pairs.json")
    return PairCatalogue.model_validate(json.loads(path.read_text(encoding="utf-8")))


def read_pairs(path: Path | None) -> PairCatalogue:
    """A catalogue of one's own, or the shipped one for None; InputError where it is none."""
    if path is None:
        return shipped_pairs()
    try:
        document: Any = parse_json(read_regular(path).decode("utf-8-sig"))
        return PairCatalogue.model_validate(document)
    except OSError as error:
        raise InputError.tr("Could not read “{path}”.", path=path) from error
    except (ValueError, ValidationError) as error:
        raise InputError.tr(
            "“{path}” is not a catalogue of pairs. It needs a JSON object whose "
            "“domains” maps each private domain to a list of public benchmarks.",
            path=path,
        ) from error
