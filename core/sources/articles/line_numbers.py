"""Numbers that stand beside the lines of a page, as in a manuscript that is under review."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge of a character, in points."""
Sign = tuple[str, Box | None]
"""A character of a page, and where it stands; a space or the end of a line stands nowhere."""

_DIGITS = 4
_FEWEST = 10
"""Numbers that stand one below the other before they are those of lines."""
_STEPS = frozenset({1, 2, 5, 10})
_REGULAR = 0.9
"""The share of steps from one number to the next that are the usual one."""


def of_lines(signs: Sequence[Sign]) -> set[int]:
    """Places of the characters, in the order in which a page draws them, that number its lines,
    and of the spaces behind them.

    Such numbers stand one below the other, each a step more than the one above it, and nothing
    else of the page stands in their column.
    """
    by_edge: defaultdict[tuple[str, int], list[range]] = defaultdict(list)
    for run in _runs(signs):
        first, last = signs[run[0]][1], signs[run[-1]][1]
        if first and last:
            by_edge["left", round(first[0])].append(run)
            by_edge["right", round(last[2])].append(run)
    found: set[int] = set()
    for runs in by_edge.values():
        if len(runs) >= _FEWEST and _count_up(signs, runs) and _stand_alone(signs, runs):
            for run in runs:
                found.update(run)
                behind = run.stop
                while behind < len(signs) and signs[behind][0] == " ":
                    found.add(behind)
                    behind += 1
    return found


def _runs(signs: Sequence[Sign]) -> Iterator[range]:
    """Numbers of few digits, with neither a letter nor a digit beside them."""
    start = None
    for place in range(len(signs) + 1):
        sign = signs[place][0] if place < len(signs) else ""
        if sign.isdecimal() and sign.isascii():
            start = place if start is None else start
            continue
        before = signs[start - 1][0] if start else ""
        alone = not before.isalnum() and not sign.isalnum()
        if start is not None and alone and place - start <= _DIGITS:
            yield range(start, place)
        start = None


def _count_up(signs: Sequence[Sign], runs: Sequence[range]) -> bool:
    def height(run: range) -> float:
        box = signs[run[0]][1]
        return -box[3] if box else 0.0

    numbers = [int("".join(signs[n][0] for n in run)) for run in sorted(runs, key=height)]
    steps = Counter(after - before for before, after in pairwise(numbers))
    step, times = steps.most_common(1)[0]
    return step in _STEPS and times >= _REGULAR * (len(numbers) - 1)


def _stand_alone(signs: Sequence[Sign], runs: Sequence[range]) -> bool:
    """Whether no other character stands above or below the numbers."""
    own = {place for run in runs for place in run}
    boxes = [box for place in own if (box := signs[place][1])]
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    return not any(
        box and box[0] < right and box[2] > left and place not in own
        for place, (_, box) in enumerate(signs)
    )
