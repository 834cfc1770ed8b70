"""Near-duplicates among any number of texts, as two run kinds that shards share.

``signatures`` has chunks of texts as its work, and a record holds what ``near_duplicates`` compares
first of each text: 228 bytes at the usual threshold. ``near_pairs`` comes after it; its work are
the bands, and a record holds the pairs of a band, each compared exactly. What both find together is
what ``near_duplicates.near_pairs`` finds.
"""

from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from core.jobs.earlier_run import earlier_of
from core.jobs.folder import RunFolder
from core.jobs.run_kind import RunContext
from core.jobs.stored_rows import StoredRows, place_in
from core.screening.near_duplicates import (
    BINS,
    DEFAULT_THRESHOLD,
    ComparedText,
    Signatures,
    band_count,
    candidates,
    signatures,
)

CHUNK = 256  # texts of one work item
_WORK = "work.jsonl"
_CHUNKS = 64  # that are held while pairs are compared
_TEXTS = 4096


class DuplicateParams(BaseModel):
    """Parameters of both kinds: the first ``public`` texts are compared with the others only, and
    all are where there are none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    threshold: Annotated[float, Field(gt=0, le=1)] = DEFAULT_THRESHOLD
    public: Annotated[int, Field(ge=0)] = 0


def chunks(texts: Iterable[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """The work of a run of signatures, from (id, text) in their order."""
    given = iter(texts)
    number = 0
    while part := list(islice(given, CHUNK)):
        yield {"id": str(number), "ids": [id for id, _ in part], "texts": [t for _, t in part]}
        number += 1


class StoredTexts:
    """The texts of a run of signatures by their place, read when they are asked for."""

    def __init__(self, folder: RunFolder) -> None:
        offsets, offset = array("q"), 0
        for line in folder.files.lines(_WORK):
            offsets.append(place_in(0, offset))
            offset += len(line)
        self._rows = StoredRows(folder.files, (_WORK,), offsets, folder.files.row)
        self._chunk = lru_cache(_CHUNKS)(self._rows.__getitem__)

    def text(self, place: int) -> str:
        """The text at a place."""
        return str(self._chunk(place // CHUNK)["texts"][place % CHUNK])

    def id(self, place: int) -> str:
        """The id of the text at a place."""
        return str(self._chunk(place // CHUNK)["ids"][place % CHUNK])


class SignTexts:
    """The run kind ``signatures``; see the module."""

    name = "signatures"
    params_model = DuplicateParams

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """One record per chunk."""
        for row in pending:
            if context.stopping():
                return
            texts = row["texts"]
            found = signatures(texts, len(texts), context.params.threshold, lambda: False)
            yield {"id": row["id"], "texts": len(texts), **_encoded(found)}

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """How many texts were signed."""
        del run
        return {"texts": sum(int(record["texts"]) for record in records)}


class ComparePairs:
    """The run kind ``near_pairs``; see the module."""

    name = "near_pairs"
    params_model = DuplicateParams

    def work_after(self, earlier: RunFolder, params: DuplicateParams) -> Iterator[dict[str, Any]]:
        """The bands."""
        del earlier
        for band in range(band_count(params.threshold)):
            yield {"id": str(band)}

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """One record per band, with its pairs as (place, place, similarity)."""
        params: DuplicateParams = context.params
        earlier = earlier_of(context.run)
        bands = [int(row["id"]) for row in pending]
        signed = _read(earlier, bands)
        texts = StoredTexts(earlier)

        @lru_cache(_TEXTS)
        def compared(place: int) -> ComparedText:
            return ComparedText.of(texts.text(place))

        known: dict[tuple[int, int], float] = {}
        for row, keys in zip(pending, signed.keys, strict=True):
            one = Signatures(signed.places, signed.short, keys[np.newaxis])
            pairs = []
            for left, right in _near(one, params, context.stopping).tolist():
                if context.stopping():
                    return
                if (left, right) not in known:
                    known[left, right] = compared(left).likeness(compared(right))
                if known[left, right] >= params.threshold:
                    pairs.append((left, right, known[left, right]))
            if context.stopping():
                return
            yield {"id": row["id"], "pairs": pairs}

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """How many different pairs there are."""
        del run
        return {"pairs": len(pairs_of(records))}


SIGN_TEXTS = SignTexts()
COMPARE_PAIRS = ComparePairs()


def pairs_of(records: Iterable[dict[str, Any]]) -> list[tuple[int, int, float]]:
    """The pairs in the records of all bands, each once, in the order of their places; ValueError,
    KeyError or TypeError for what is none."""
    pairs = sorted(
        {(int(one), int(two), float(how)) for r in records for one, two, how in r["pairs"]}
    )
    if any(not 0 <= one < two for one, two, _ in pairs):
        raise ValueError("not a pair of places")
    return pairs


def _near(
    signed: Signatures, params: DuplicateParams, stopping: Callable[[], bool]
) -> NDArray[np.int64]:
    """The places of pairs to be compared, shape (pairs, 2)."""
    public = int(np.searchsorted(signed.places, params.public)) if params.public else 0
    if len(signed.places) == 0 or (params.public and not public):
        return np.zeros((0, 2), dtype=np.int64)
    return signed.places[candidates(signed, params.threshold, public, stopping)]


def _encoded(found: Signatures | None) -> dict[str, Any]:
    if found is None:
        return {"places": "", "short": "", "keys": ""}
    parts = {"places": found.places.astype("<u2"), "short": found.short,
             "keys": found.keys.T.astype("<u4")}  # fmt: skip
    return {name: b64encode(part.tobytes()).decode("ascii") for name, part in parts.items()}


def _decoded(text: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(b64decode(text, validate=True), dtype=kind)


def _read(folder: RunFolder, bands: Sequence[int]) -> Signatures:
    """What a run of signatures found, with the keys of some bands: 136 bytes a text, and 4 for
    each band. InputError where a record is damaged or missing: places are counted by them."""
    finished = folder.finished()
    if finished.missing:
        raise folder.files.damaged("shard-*.jsonl")
    most = len(finished.records) * CHUNK
    places = np.empty(most, dtype=np.int64)
    short = np.empty((most, BINS), dtype=np.uint8)
    keys = np.empty((len(bands), most), dtype=np.uint32)
    used = 0
    for number, record in enumerate(finished.records):
        try:
            own = _decoded(record["places"], "<u2")
            end = used + len(own)
            places[used:end] = own + np.int64(number * CHUNK)
            short[used:end] = _decoded(record["short"], "u1").reshape(len(own), BINS)
            if len(own):
                every = _decoded(record["keys"], "<u4").reshape(len(own), -1)
                keys[:, used:end] = every[:, bands].T
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise folder.files.damaged("shard-*.jsonl") from error
        used = end
    return Signatures(places[:used], short[:used], keys[:, :used])
