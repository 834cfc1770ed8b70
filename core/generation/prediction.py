"""Prediction items: which text comes next (ArxivRoll §2.2, figure 2).

Were the four options always the true text and its three nearest by TF-IDF, the true text would be
the middle of the four for somebody who reads only the options; and a true text shares more words
with the context than any other. So all options are cut alike, from any sentence of the article that
has a context before it, no text is offered twice, and the distractors, near to the context or to
the true text, are chosen so that over the items no cue ranks the true text first, or last, more
often than chance has it (``shortcuts.balance``); a true text that no distractors balance gives no
item. Of the four texts all begin like one that goes on
from another (*However*, *This*), or none does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.families.base import ItemContent
from core.families.scp_payload import OPTION_COUNT, PREDICTION, PredictionPayload
from core.generation.build import FormatResult, Span, defect_of, item, positions, rng_for
from core.generation.fragments import ArticleText, Sentence, markup_heavy
from core.generation.repeats import AskedPassages
from core.generation.shortcuts.balance import CueBalance, Floats, Ranks, ranks_of
from core.generation.shortcuts.cues import ends_of, goes_on, overlap, summed_cues
from core.generation.spec import ScpSpec
from core.generation.text_defects import ordinal_cues, text_defects
from core.generation.tfidf import Neighbours

OPTION_SHARE = 0.5  # an option has half as many words as a context at least
NEAR_DUPLICATE = 0.8  # cosine from which two passages say the same
LENGTH_FACTOR = 1.6  # options of one item differ in length by less than this
POOL = 24  # texts nearest to the context, and to the true text, and any, of which three are drawn
DRAWS = 160  # sets of three that are compared for one true text
AT_ONCE = {"context": 0.35, "next": 0.35}
LEAD = {"context_overlap": 0.4, "context": 0.7, "next": 0.6}  # items the first rank comes ahead
BESIDE = 3  # characters between texts that stand beside each other, and one more
STEP = 0.3  # by which that grows when no text is left that keeps to it
BATCH = 8  # true texts that are compared for one item
WORST = (0.8, 1.1)  # how far ahead of the rarest a rank may come for any cue: at first, at last


@dataclass(frozen=True)
class _Window:
    """A text that can be an option: its span, and the span of the context right before it."""

    span: Span
    context: Span


def prediction_items(text: ArticleText, spec: ScpSpec) -> FormatResult:
    """Up to ``per_article`` prediction items, no two of which share an option."""
    result = FormatResult(reason="too_few_neighbours")
    windows = _windows(text, spec, result)
    if len(windows) < OPTION_COUNT:
        result.reason = "too_few_passages"
        return result
    maker = _Maker(text, spec, windows)
    made = maker.items(result)
    for content in made:
        result.items.append(content)
        if len(result.items) >= spec.per_article:
            break
    return result


def _windows(text: ArticleText, spec: ScpSpec, result: FormatResult) -> list[_Window]:
    """Every text of whole sentences with as much text directly before it, in order."""
    windows: list[_Window] = []
    for run in text.runs:
        sentences = [s for paragraph in run for s in text.sentences(paragraph)]
        for index in range(1, len(sentences)):
            before = _reach(sentences[:index][::-1], spec.min_words)
            behind = _reach(sentences[index:], spec.min_words * OPTION_SHARE)
            if not before or not behind:
                continue
            window = _Window(
                [sentences[index].start, sentences[index + behind - 1].end],
                [sentences[index - before].start, sentences[index - 1].end],
            )
            if markup_heavy(text.slice(*window.span)):
                result.filtered["markup_heavy"] += 1
            else:
                windows.append(window)
    return windows


def _reach(sentences: Sequence[Sentence], words: float) -> int:
    """How many of the sentences it takes to have so many words; 0 where they do not suffice."""
    total = 0.0
    for count, sentence in enumerate(sentences, 1):
        total += sentence.size
        if total >= words:
            return count
    return 0


_CUES = (
    "context_overlap", "context_tfidf", "context_tfidf_sharp", "next_sentence",
    "next_sentence_sharp", "context_together", "length", "common_words", "most_typical",
)  # fmt: skip


@dataclass(frozen=True)
class _Pool:
    """Texts that may stand beside a true one; row and column 0 of the arrays are the true text.

    ``scores`` are those of ``_CUES`` but the last (cues, texts), ``likeness`` holds cosines, and
    ``apart`` says which two may be offered together.
    """

    indices: npt.NDArray[np.int64]
    scores: Floats
    likeness: Floats
    apart: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _OptionSet:
    """A true text with three distractors; ``cost`` is (sum, largest) excess of its ranks."""

    cost: tuple[float, float]
    truth: int
    others: tuple[int, ...]
    ranks: Ranks


class _Maker:
    """Puts options together; what is used once is not offered again."""

    def __init__(self, text: ArticleText, spec: ScpSpec, windows: Sequence[_Window]) -> None:
        self.text = text
        self.spec = spec
        self.windows = windows
        self.rng = rng_for(text, spec, PREDICTION)
        self.texts = [text.slice(*window.span) for window in windows]
        self.spans = np.asarray([window.span for window in windows])
        self.lengths = np.asarray([len(passage) for passage in self.texts])
        self.contexts = [text.slice(*window.context) for window in windows]
        self.going_on = np.asarray([goes_on(passage) for passage in self.texts])
        self.near = Neighbours([*self.texts, *self.contexts])
        self.balance = CueBalance(self.rng, _CUES, OPTION_COUNT, LEAD, AT_ONCE)
        self.offered = np.zeros(len(windows), dtype=bool)
        self.covered = np.zeros(len(windows), dtype=bool)  # by the true text of another item
        self.pools: dict[int, _Pool] = {}
        self.asked = AskedPassages()

    def items(self, result: FormatResult) -> Iterator[ItemContent]:
        """Items as long as there are true texts with balanced distractors."""
        deck = positions(rng_for(self.text, self.spec, f"{PREDICTION}-positions"))
        position = next(deck)
        waiting = list(range(len(self.windows)))
        self.rng.shuffle(waiting)
        allowed, tries = WORST[0], len(waiting)
        while waiting and allowed <= WORST[1]:
            waiting = [i for i in waiting if not self.offered[i] and not self.covered[i]]
            batch, waiting = waiting[:BATCH], waiting[BATCH:]
            tries -= len(batch)
            sets = [found for truth in batch if (found := self._best_set(truth))]
            result.filtered["too_few_neighbours"] += len(batch) - len(sets)
            best = min(sets, key=lambda found: found.cost, default=None)
            if best is not None and best.cost[1] <= allowed:
                sets.remove(best)
                outcome = self._item(best.truth, best.others, position)
                if isinstance(outcome, str):
                    result.filtered[outcome] += 1
                else:
                    self._count(best)
                    position = next(deck)
                    yield outcome
                allowed, tries = WORST[0], len(waiting)
            waiting += [found.truth for found in sets]
            if tries <= 0:
                allowed, tries = allowed + STEP, len(waiting)
                self.pools.clear()  # much of them has been offered since

    def _count(self, made: _OptionSet) -> None:
        self.balance.add(made.ranks)
        self.asked.add(self.texts[made.truth])
        self.offered[[made.truth, *made.others]] = True
        self.covered |= self._meets(self.windows[made.truth].span, 0)

    def _meets(self, span: Span, gap: int) -> npt.NDArray[np.bool_]:
        """Which texts overlap a span, or stand within so many characters of it."""
        met: npt.NDArray[np.bool_] = self.spans[:, 0] < span[1] + gap
        return met & (span[0] < self.spans[:, 1] + gap)

    def _pool(self, truth: int) -> _Pool | None:
        """What may stand beside a true text: some near to its context, some to itself, and any."""
        if truth not in self.pools:
            count = len(self.windows)
            rows = self.near.similarities([truth, count + truth])[:, :count]
            size = self.lengths[truth]
            fits = (self.lengths < LENGTH_FACTOR * size) & (size < LENGTH_FACTOR * self.lengths)
            fits &= (rows[0] < NEAR_DUPLICATE) & ~self.offered
            fits &= self.going_on == self.going_on[truth]
            own = self.windows[truth]
            fits &= ~self._meets([own.context[0], own.span[1]], BESIDE)
            chosen: list[int] = []
            for row in rows[::-1]:
                nearest = np.argsort(-np.where(fits, row, -1.0), kind="stable")[: 2 * POOL]
                chosen += [int(i) for i in nearest if fits[i] and i not in chosen][:POOL]
            rest = [int(i) for i in np.flatnonzero(fits) if i not in chosen]
            chosen += self.rng.sample(rest, min(POOL, len(rest)))
            indices = np.asarray([truth, *chosen])
            lengths = self.lengths[indices]
            apart = ~np.asarray(
                [self._meets(self.windows[i].span, BESIDE)[indices] for i in indices]
            )
            apart &= lengths[:, None] < LENGTH_FACTOR * lengths[None]
            apart &= apart.T
            likeness = self.near.similarities(indices.tolist())[:, indices]
            self.pools[truth] = _Pool(
                indices, self._scores(truth, indices.tolist()), likeness, apart
            )
        pool = self.pools[truth]
        return pool if len(pool.indices) >= OPTION_COUNT else None

    def _best_set(self, truth: int) -> _OptionSet | None:
        """The three distractors that balance the cues best."""
        pool = self._pool(truth)
        if pool is None:
            return None
        drawn = np.asarray(self._draws(pool), dtype=np.int64)
        if not len(drawn):
            return None
        shown = np.pad(drawn, ((0, 0), (1, 0)))
        typical = pool.likeness[shown[:, :, None], shown[:, None, :]].sum(axis=2).round(9)
        ranks = ranks_of(np.concatenate([pool.scores[:, shown], typical[None]]))
        total, worst = self.balance.excess(ranks)
        best = int(np.lexsort((worst, total))[0])
        others = tuple(int(i) for i in pool.indices[drawn[best]])
        return _OptionSet((float(total[best]), float(worst[best])), truth, others, ranks.of(best))

    def _draws(self, pool: _Pool) -> list[list[int]]:
        """Threes of a pool, with as many above the true text as below it in all."""
        scores = pool.scores[_CUES.index("context_together")]
        free = [n for n in range(1, len(scores)) if not self.offered[pool.indices[n]]]
        above = [n for n in free if scores[n] > scores[0]]
        below = [n for n in free if scores[n] <= scores[0]]
        draws: list[list[int]] = []
        for number in range(DRAWS):
            rank = number % OPTION_COUNT
            if len(above) < rank or len(below) < OPTION_COUNT - 1 - rank:
                continue
            a, b, c = self.rng.sample(above, rank) + self.rng.sample(below, OPTION_COUNT - 1 - rank)
            if pool.apart[a, b] and pool.apart[a, c] and pool.apart[b, c]:
                draws.append([a, b, c])
        return draws

    def _scores(self, truth: int, indices: Sequence[int]) -> Floats:
        """Scores (cues, texts) of the true text and of those in its pool."""
        context = self.contexts[truth]
        weights, sharp = self.text.weights, self.text.sharp_weights
        last = ends_of(context)[1]
        texts = [self.texts[i] for i in indices]
        shared = [overlap(passage, context) for passage in texts]
        near = [weights.cosine(passage, context) for passage in texts]
        joint = [weights.cosine(ends_of(passage)[0], last) for passage in texts]
        cues = {
            "context_overlap": shared,
            "context_tfidf": near,
            "context_tfidf_sharp": [sharp.cosine(passage, context) for passage in texts],
            "next_sentence_sharp": [sharp.cosine(ends_of(p)[0], last) for p in texts],
            "next_sentence": joint,
            "context_together": summed_cues(shared, near, joint),
            "length": [float(len(passage)) for passage in texts],
            "common_words": [weights.commonness(passage) for passage in texts],
        }
        return np.asarray([cues[name] for name in _CUES[:-1]])

    def _item(self, truth: int, others: Sequence[int], position: int) -> ItemContent | str:
        shown = [*others]
        self.rng.shuffle(shown)
        shown.insert(position, truth)
        window = self.windows[truth]
        if ordinal_cues([self.contexts[truth], self.texts[truth]]):
            return "ordinal_cues"
        if self.asked.has_like(self.texts[truth]):
            return "said_before"
        spans = [self.windows[index].span for index in shown]
        payload = PredictionPayload(
            context=self.contexts[truth],
            options=tuple(self.texts[index] for index in shown),
            key=position,
        )
        if defect := defect_of(payload):
            return defect
        content = item(
            self.text,
            self.spec,
            PREDICTION,
            payload,
            span=[window.context[0], window.span[1]],
            context_span=[*window.context],
            piece_spans=[[*span] for span in spans],
        )
        return "damaged" if text_defects(content) else content
