"""TF-IDF vectors of the passages of one article, sparse, with smoothed idf and unit length.

``idf(t) = ln((1 + n) / (1 + df(t))) + 1`` and L2 norm, the defaults of scikit-learn's vectoriser
(and so of the published generator), computed here because a dictionary is several times faster.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

_TOKEN = re.compile(r"\w\w+")
_CJK_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


def tokens(text: str) -> list[str]:
    """Lower-case words of two characters or more; Chinese text as pairs of characters."""
    lowered = text.lower()
    if lowered.isascii() or not _CJK_RUN.search(lowered):
        return _TOKEN.findall(lowered)
    words: list[str] = _TOKEN.findall(_CJK_RUN.sub(" ", lowered))
    for run in _CJK_RUN.findall(lowered):
        words += (one + other for one, other in pairwise(run))
    return words


class Neighbours:
    """Cosine similarities between the passages of one article."""

    def __init__(self, passages: Sequence[str]) -> None:
        from scipy.sparse import csr_matrix

        vocabulary: dict[str, int] = {}
        columns: list[int] = []
        values: list[int] = []
        starts = [0]
        for passage in passages:
            counts = Counter(tokens(passage))
            columns += [vocabulary.setdefault(token, len(vocabulary)) for token in counts]
            values += counts.values()
            starts.append(len(columns))
        count = len(passages)
        column = np.asarray(columns, dtype=np.int32)
        documents = np.bincount(column, minlength=len(vocabulary))
        idf = np.log((1 + count) / (1 + documents)) + 1
        weights = np.asarray(values, dtype=np.float64) * idf[column]
        rows = np.repeat(np.arange(count), np.diff(starts))
        norms = np.sqrt(np.bincount(rows, weights**2, minlength=count))
        weights /= np.where(norms > 0, norms, 1.0)[rows]
        shape = (count, max(1, len(vocabulary)))
        self._matrix: Any = csr_matrix((weights, column, np.asarray(starts)), shape=shape)

    def similarities(self, indices: Sequence[int]) -> np.ndarray:
        """Cosines (0–1) of the passages ``indices`` with all passages: (len(indices), n)."""
        product = self._matrix[list(indices)] @ self._matrix.T
        # rounded, so that a last bit that differs between machines cannot change an order
        result: np.ndarray = np.round(product.toarray(), 9)
        return result
