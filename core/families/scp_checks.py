"""Defect checks of the SCP family: every flaw of the published generator, in anybody's items.

Item checks look at one item (and its source, where it is at hand); set checks look for answers
that only the whole set gives away. Set checks need ``MINIMUM_SET`` items of a format and a
significance below ``SIGNIFICANCE``, so that small honest sets stay clean.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations

from core.families.base import Defect, ItemContent
from core.families.scp_payload import (
    HOLE,
    LETTERS,
    OPTION_COUNT,
    AnyPayload,
    ClozePayload,
    PredictionPayload,
    SequencingPayload,
    arrange,
    is_permutation,
)
from core.i18n import listed, tr, trn
from core.unicode_forms import comparable_text, without_signs

NEAR_IDENTICAL = 92.0
COMPARED = 10_000
LENGTH_RATIO = 2.0
MARKUP_SHARE = 0.4
MINIMUM_SET = 8
MINIMUM_LENGTH_SET = 20
SIGNIFICANCE = 0.001
COUNT_OF_LONGEST = 0.45

_MATHS = re.compile(
    r"\$\$.{0,4000}?\$\$|\$(?!\s)[^$]{0,2000}(?<!\s)\$(?!\d)|\\\(.{0,2000}?\\\)|\\\[.{0,4000}?\\\]"
    r"|\\[A-Za-z]+\*?(?:\[[^\]]{0,200}\])?(?:\{[^{}]*\})*|<[^<>]{1,200}>|&[a-z]+;",
    re.DOTALL,
)
_SUSPECTS = "$\\<&"  # one of which every match of it has
_WORD = re.compile(r"[^\W\d_]{2,}|[\u3400-\u9fff]")
_SPACES_FOR_SIGNS = bytes(
    code if code > 127 or chr(code).isalpha() else ord(" ") for code in range(256)
)


def squash_source(text: str) -> str:
    """Letters and digits only, in one case: the form in which texts are compared and found.

    A text without any letter or digit stays as it is, without its outer white space.
    """
    return comparable_text(text) or text.strip()


@lru_cache(maxsize=64)
def squash(text: str) -> str:
    """``squash_source`` for short texts: the checks of one item look at the same ones again."""
    return squash_source(text)


@lru_cache(maxsize=4)
def _squashed_source(text: str) -> str:
    return squash_source(text)


def near_identical(one: str, other: str) -> bool:
    """Whether two squashed texts are equal or differ in less than 8% of their characters.

    Of longer texts the first ``COMPARED`` characters are compared.
    """
    if one == other:
        return True
    head = COMPARED  # a hostile file may hold options of megabytes
    return _ratio()(one[:head], other[:head], score_cutoff=NEAR_IDENTICAL) > 0


@cache
def _ratio() -> Callable[..., float]:
    from rapidfuzz import fuzz

    return fuzz.ratio


def markup_share(text: str) -> float:
    """Share (0–1) of the visible characters that are not words: maths, markup, symbols, digits."""
    prose = HOLE.sub(" ", text) if "<|" in text else text
    visible = sum(map(len, prose.split()))
    if not visible:
        return 0.0
    bare = _MATHS.sub(" ", prose) if any(sign in prose for sign in _SUSPECTS) else prose
    words = without_signs(bare, _SPACES_FOR_SIGNS).split()
    letters, alone = "".join(words), [*map(len, words)].count(1)
    if letters.isascii() or (letters.isalpha() and not alone):
        count = len(letters) - alone
    else:
        # a word of letters alone is counted without looking for them
        count = sum(
            [len(word) if len(word) > 1 and word.isalpha() else sum(map(len, _WORD.findall(word)))
             for word in words]
        )  # fmt: skip
    return 1.0 - count / visible


def check_payload(
    payload: AnyPayload, spans: Sequence[Sequence[int]], source: str | None
) -> Iterator[Defect]:
    """Everything that one payload shows by itself, by the spans of its pieces, or by its source."""
    yield from check_structure(payload)
    yield from _markup(payload)
    yield from _against_source(payload, spans, source)


def check_structure(payload: AnyPayload) -> Iterator[Defect]:
    """What options, orders and texts show among themselves."""
    yield from _options(payload)
    yield from _orders(payload)
    yield from _near(payload)
    yield from _context(payload)
    yield from _length(payload)


def _options(payload: AnyPayload) -> Iterator[Defect]:
    options = [_canonical(payload, option) for option in payload.offered]
    if len(options) != OPTION_COUNT:
        yield Defect(
            "wrong_option_count",
            trn(
                "There is 1 option instead of {wanted}.",
                "There are {n} options instead of {wanted}.",
                len(options),
                wanted=OPTION_COUNT,
            ),
        )
    if any(not text.strip() for text in (*payload.offered, *payload.lettered)):
        yield Defect("empty_option", tr("An option, or a text it refers to, is empty."))
    if not 0 <= payload.key < len(options):
        yield Defect("key_not_an_option", tr("The key does not match any option."))
    repeated = [option for option, count in Counter(options).items() if count > 1 and option]
    if repeated:
        yield Defect(
            "repeated_options",
            tr("{count} of the options are identical.", count=_most(options, repeated)),
        )
    if 0 <= payload.key < len(options):
        repeats = options.count(options[payload.key]) - 1
        if repeats:
            yield Defect(
                "option_equals_key",
                trn(
                    "1 other option is identical to the key.",
                    "{n} other options are identical to the key.",
                    repeats,
                ),
            )


def _canonical(payload: AnyPayload, option: str) -> str:
    return squash(option) if isinstance(payload, PredictionPayload) else option.strip()


def _most(options: Sequence[str], repeated: Sequence[str]) -> int:
    return max(options.count(option) for option in repeated)


def _orders(payload: AnyPayload) -> Iterator[Defect]:
    if isinstance(payload, PredictionPayload):
        return
    count = len(payload.lettered)
    if isinstance(payload, ClozePayload):
        holes = len(HOLE.findall(payload.text))
        lengths = {len(assignment.strip()) for assignment in payload.assignments} | {count}
        if lengths != {holes}:
            yield Defect(
                "mask_count_mismatch",
                tr(
                    "{holes}, {count} and the options fill {filled} gaps.",
                    holes=trn("1 sentence is masked", "{n} sentences are masked", holes),
                    count=trn("1 candidate is given", "{n} candidates are given", count),
                    filled=listed(
                        str(n) for n in sorted({len(a.strip()) for a in payload.assignments})
                    ),
                ),
            )
    wrong = [o for o in payload.offered if not is_permutation(o.strip(), count)]
    if wrong:
        yield Defect(
            "order_not_permutation",
            tr(
                "The option “{option}” does not use each of the {count} letters once.",
                option=wrong[0][:40],
                count=count,
            ),
        )


def _near(payload: AnyPayload) -> Iterator[Defect]:
    texts = [squash(piece) for piece in payload.lettered]
    exact = isinstance(payload, PredictionPayload)  # equal texts are repeated options there
    for (i, one), (j, other) in combinations(enumerate(texts), 2):
        if one and other and near_identical(one, other) and not (exact and one == other):
            yield Defect(
                "near_identical_options",
                tr(
                    "{one} and {other} are nearly identical.",
                    one=LETTERS[i % len(LETTERS)],
                    other=LETTERS[j % len(LETTERS)],
                ),
            )
            return


def _context(payload: AnyPayload) -> Iterator[Defect]:
    context = squash(HOLE.sub(" ", payload.given))
    if not context:
        return
    for letter, piece in zip(LETTERS, payload.lettered, strict=False):
        text = squash(piece)
        if len(text) >= 8 and (text in context or near_identical(text, context)):
            yield Defect(
                "context_among_options",
                tr("{letter} already appears in the given text.", letter=letter),
            )
            return


def _length(payload: AnyPayload) -> Iterator[Defect]:
    options = payload.offered
    if not 0 <= payload.key < len(options) or len(options) < 2:
        return
    lengths = [len(option.strip()) for option in options]
    key = lengths.pop(payload.key)
    if key > LENGTH_RATIO * max(lengths) or key * LENGTH_RATIO < min(lengths):
        yield Defect(
            "length_gives_answer",
            trn(
                "The correct option has 1 character, the others {low} to {high}.",
                "The correct option has {n} characters, the others {low} to {high}.",
                key,
                low=min(lengths),
                high=max(lengths),
            ),
        )


def _markup(payload: AnyPayload) -> Iterator[Defect]:
    share = markup_share(" ".join((payload.given, *payload.lettered)))
    if share > MARKUP_SHARE:
        yield Defect(
            "mostly_markup",
            tr("{percent}% of the text is mathematics or markup.", percent=round(100 * share)),
        )


def _against_source(
    payload: AnyPayload, spans: Sequence[Sequence[int]], source: str | None
) -> Iterator[Defect]:
    options = payload.offered
    if not 0 <= payload.key < len(options):
        return
    if isinstance(payload, PredictionPayload):
        wrong = bool(source) and _another_follows(payload, _squashed_source(source or ""))
    else:
        wrong = _order_contradicts(payload, options[payload.key], spans, source)
    if wrong:
        yield Defect("key_contradicts_source", tr("The key does not agree with the source."))


def _order_contradicts(
    payload: SequencingPayload | ClozePayload,
    order: str,
    spans: Sequence[Sequence[int]],
    source: str | None,
) -> bool:
    pieces = payload.lettered
    if not is_permutation(order.strip(), len(pieces)):
        return False
    if source:
        in_order = in_source(
            [squash(piece) for piece in arrange(pieces, order)], _squashed_source(source)
        )
        if in_order is not None:
            return not in_order
    if len(spans) != len(pieces):
        return False
    starts = [spans[LETTERS.index(letter)][0] for letter in order.strip()]
    return starts != sorted(starts)


def in_source(pieces: Sequence[str], source: str) -> bool | None:
    """Whether the squashed pieces stand in the squashed source in this order.

    None when the source does not hold all of them, so that nothing can be said.
    """
    if not all(piece and piece in source for piece in pieces):
        return None
    first = source.find(pieces[0])
    while first >= 0:
        position = first
        for piece in pieces:
            position = source.find(piece, position)
            if position < 0:
                return False
            position += len(piece)
        # the same words may stand elsewhere too: a true chain is about as long as its pieces
        if position - first <= 4 * sum(map(len, pieces)) + 2000:
            return True
        first = source.find(pieces[0], first + 1)
    return False


def _another_follows(payload: PredictionPayload, source: str) -> bool:
    context = squash(payload.context)
    start = source.find(context) if context else -1
    if start < 0:
        return False
    end = start + len(context)
    follows = [bool(o) and source.startswith(o, end) for o in map(squash, payload.options)]
    return any(follows) and not follows[payload.key]


def position_bias(keys: Mapping[int, int]) -> Mapping[int, Defect]:
    """Items whose key is at an over-used position, where a chi-square test says so.

    ``keys`` maps an item's index to the index of its right option.
    """
    counts = [0] * OPTION_COUNT
    for key in keys.values():
        counts[key] += 1
    expected = len(keys) / OPTION_COUNT
    if len(keys) < MINIMUM_SET:
        return {}
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    if chi_square_tail_3(statistic) >= SIGNIFICANCE:
        return {}
    defect = Defect(
        "position_bias",
        tr(
            "The correct option is at positions 1 to 4 in {counts} items.",
            counts=listed(counts),
        ),
    )
    return {index: defect for index, key in keys.items() if counts[key] > expected}


def chi_square_tail_3(statistic: float) -> float:
    """P(χ² ≥ statistic) with three degrees of freedom, in closed form."""
    return math.erfc(math.sqrt(statistic / 2)) + math.sqrt(2 * statistic / math.pi) * math.exp(
        -statistic / 2
    )


def edge_of_key(payload: PredictionPayload) -> int:
    """1 where the key alone is the longest option, -1 where it alone is the shortest, else 0."""
    lengths = [len(option) for option in payload.options]
    key = lengths.pop(payload.key)
    return (key > max(lengths)) - (key < min(lengths))


def length_bias(edges: Mapping[int, int]) -> Mapping[int, Defect]:
    """Items whose key is the longest (or shortest) option, where that is far too often so.

    ``edges`` has ``edge_of_key`` by the index of an item. One-sided exact binomial test against a
    quarter; ties count for neither.
    """
    defects: dict[int, Defect] = {}
    if len(edges) < MINIMUM_LENGTH_SET:
        return defects
    for extreme in (1, -1):
        hits = [index for index, edge in edges.items() if edge == extreme]
        share = len(hits) / len(edges)
        if share > COUNT_OF_LONGEST and binomial_tail(len(hits), len(edges)) < SIGNIFICANCE:
            defect = Defect("length_bias", _length_detail(extreme == 1, len(hits), len(edges)))
            defects.update(dict.fromkeys(hits, defect))
    return defects


def _length_detail(longest: bool, count: int, total: int) -> str:
    if longest:
        return trn(
            "The correct option is the longest in {count} of 1 item.",
            "The correct option is the longest in {count} of {n} items.",
            total,
            count=count,
        )
    return trn(
        "The correct option is the shortest in {count} of 1 item.",
        "The correct option is the shortest in {count} of {n} items.",
        total,
        count=count,
    )


def binomial_tail(hits: int, trials: int, chance: float = 1 / OPTION_COUNT) -> float:
    """P(X ≥ hits) for X ~ Binomial(trials, chance)."""
    log_choose = math.lgamma(trials + 1)
    return sum(
        math.exp(
            log_choose
            - math.lgamma(k + 1)
            - math.lgamma(trials - k + 1)
            + k * math.log(chance)
            + (trials - k) * math.log1p(-chance)
        )
        for k in range(hits, trials + 1)
    )


def duplicates(items: Sequence[ItemContent]) -> Mapping[int, Defect]:
    """Items whose payload already stood earlier in the set."""
    seen: dict[bytes, int] = {}
    defects: dict[int, Defect] = {}
    for index, item in enumerate(items):
        first = seen.setdefault(bytes.fromhex(item.content_hash)[:16], index)
        if first != index:
            defects[index] = Defect(
                "duplicate_item", tr("It is identical to item {number}.", number=first + 1)
            )
    return defects
