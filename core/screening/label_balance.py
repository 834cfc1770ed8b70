"""Label balance: how a task's items are spread over its label space."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.i18n import tr


@dataclass(frozen=True, slots=True)
class LabelShare:
    """One label of the space: how many items have it, and their share of the labelled ones."""

    label: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class LabelBalance:
    """``labels`` are in the order of the space. ``unknown`` are labels outside it, with counts,
    the commonest first. ``entropy`` is Shannon's over the known labels divided by its maximum, the
    logarithm of the size of the space: 1 is even, 0 all one label; None where it is undefined,
    and then ``undefined`` says why."""

    labels: tuple[LabelShare, ...]
    unknown: tuple[tuple[str, int], ...]
    unlabelled: int
    entropy: float | None
    undefined: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Labels of the space that no item has."""
        return tuple(share.label for share in self.labels if not share.count)


def label_balance(items: Mapping[str, int], space: Sequence[str]) -> LabelBalance:
    """The balance of the items' labels against a label space; ``items`` is how many have each
    label, a blank one for those without.

    Labels are compared without surrounding blanks, and otherwise exactly. With an empty space the
    labels found make up the space, the commonest first.
    """
    counts: Counter[str] = Counter()
    for label, count in items.items():
        counts[label.strip()] += count
    unlabelled = counts.pop("", 0)
    wanted = list(dict.fromkeys(label.strip() for label in space if label.strip()))
    known = wanted or [label for label, _ in counts.most_common()]
    total = sum(counts[label] for label in known)
    shares = tuple(
        LabelShare(label, counts[label], counts[label] / total if total else 0.0) for label in known
    )
    unknown = tuple((label, n) for label, n in counts.most_common() if label not in set(known))
    entropy, undefined = _entropy(shares, total)
    return LabelBalance(shares, unknown, unlabelled, entropy, undefined)


def _entropy(shares: Sequence[LabelShare], total: int) -> tuple[float | None, str]:
    if not total:
        return None, tr("No items have a label from the label space yet.")
    if len(shares) < 2:
        return None, tr("The label space has only one label.")
    bits = -sum(s.share * math.log(s.share) for s in shares if s.count)
    return abs(bits) / math.log(len(shares)), ""
