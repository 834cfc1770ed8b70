"""Which texts stand in others: the share of a text's words within n-grams that the others have too.

Tokens are words in lower case without punctuation, and single Chinese, Japanese and Korean
characters. A token is covered where it lies in an n-gram that is found, with n = 13 as in Brown and
others (2020), Language Models are Few-Shot Learners, appendix C. N-grams are compared by 64-bit
hashes.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from tempfile import TemporaryFile
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

WINDOW = 13
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_BASE = np.uint64(0x9E3779B97F4A7C15)
_BETWEEN = "\0"
_BATCH = 200_000  # tokens that are looked at at once
_BLOCK = 1 << 20  # n-grams that are read at once
_MOST_FOUND = 1 << 22  # n-grams of the others that are looked up at once
_SIEVE_BITS = 26  # of the largest table that tells at once which n-grams no text has


def tokens_of(text: str) -> list[str]:
    """The tokens of a text in lower case."""
    return _TOKEN.findall(text.lower())


def token_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """The tokens of texts, those of several at once, after each text a token that no text has."""
    batch: list[str] = []
    for text in texts:
        batch += tokens_of(text)
        batch.append(_BETWEEN)
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def token_grams(codes: Hashes, window: int) -> Hashes:
    """A hash of every n-gram of tokens in order; of one with a token of the code 0, 0."""
    count = len(codes) - window + 1
    if count < 1:
        return np.empty(0, dtype=np.uint64)
    with np.errstate(over="ignore"):
        mixed = codes * _BASE
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        hashes = np.zeros(count, dtype=np.uint64)
        for place in range(window):
            hashes = hashes * _BASE + mixed[place : place + count]
            hashes ^= hashes >> np.uint64(31)
    foreign = np.concatenate(([0], np.cumsum(codes == 0)))
    return np.where(foreign[window:] > foreign[:-window], np.uint64(0), hashes)


def covered_tokens(found: NDArray[np.bool_], window: int) -> NDArray[np.bool_]:
    """Which tokens of a text lie in an n-gram that was found; ``found`` has one for each n-gram."""
    marks = np.zeros(len(found) + window, dtype=np.int64)
    marks[: len(found)] += found
    marks[window:] -= found
    covered: NDArray[np.bool_] = np.cumsum(marks)[: len(found) + window - 1] > 0
    return covered


class CoveredTexts:
    """Texts whose n-grams lie on the disk, to be looked for in others: a byte for each n-gram and
    up to 64 MiB are held while that is done. To be closed."""

    def __init__(self, texts: Iterable[str], window: int = WINDOW) -> None:
        self._window = window
        self._starts = array("Q", [0])
        self._file: BinaryIO = TemporaryFile()  # noqa: SIM115 (closed by close)
        try:
            for text in texts:
                own = token_grams(_codes(tokens_of(text)), window)
                self._file.write(own.tobytes())
                self._starts.append(self._starts[-1] + len(own))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give back what it keeps on the disk."""
        self._file.close()

    def within(self, others: Iterable[str], least: float) -> list[tuple[int, float]]:
        """(place, covered share in 0…1) of the texts of which at least the share ``least`` is
        covered by ``others``, which are read once, in the order of the texts."""
        found = np.zeros(self._starts[-1], dtype=bool)
        with TemporaryFile() as shared:
            self._keep_shared(others, shared)
            shared.seek(0)
            while data := shared.read(8 * _MOST_FOUND):
                wanted = np.unique(np.frombuffer(data, dtype=np.uint64))
                for start, block in self._blocks():
                    place = np.searchsorted(wanted, block)
                    place[place == len(wanted)] = 0
                    found[start : start + len(block)] |= wanted[place] == block
        starts = np.array(self._starts, dtype=np.int64)
        touched = np.unique(np.searchsorted(starts, np.flatnonzero(found), side="right") - 1)
        shares = (
            (place, float(covered_tokens(found[starts[place] : starts[place + 1]],
                                         self._window).mean()))
            for place in touched.tolist()
        )  # fmt: skip
        return [(place, share) for place, share in shares if share >= least]

    def _keep_shared(self, others: Iterable[str], file: BinaryIO) -> None:
        """Write the n-grams of ``others`` that the texts may have too."""
        shift = np.uint64(64 - min(_SIEVE_BITS, max(16, (8 * self._starts[-1]).bit_length())))
        sieve = np.zeros(1 << (64 - int(shift)), dtype=bool)
        for _, block in self._blocks():
            sieve[block >> shift] = True
        for batch in token_batches(others):
            grams = token_grams(_codes(batch), self._window)
            shared = np.unique(grams[sieve[grams >> shift]])
            file.write(shared[shared != 0].tobytes())

    def _blocks(self) -> Iterator[tuple[int, Hashes]]:
        """Where some n-grams begin among all of them, and they."""
        self._file.seek(0)
        place = 0
        while data := self._file.read(8 * _BLOCK):
            block = np.frombuffer(data, dtype=np.uint64)
            yield place, block
            place += len(block)


def _codes(tokens: Sequence[str]) -> Hashes:
    """A number for each token, the same for equal ones within this process; 0 for none of a
    text."""
    codes = np.fromiter(map(hash, tokens), np.int64, len(tokens)).view(np.uint64)
    codes[[place for place, token in enumerate(tokens) if token == _BETWEEN]] = 0
    return codes
