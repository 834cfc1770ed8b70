"""Was a model trained on the items? Tests on its log-probabilities, each with its null.

Rows are made outside, by any program that gives log-probabilities: this module only computes. The
min-k scores compare items with control texts that the model cannot have seen; the order test needs
no control texts.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import InputError
from core.i18n import tr

MIN_K = 0.2
FEWEST = 5


@dataclass(frozen=True, slots=True)
class Exposure:
    """A test: ``statistic`` and one-sided ``p`` that nothing was seen. ``n`` counts the items, or
    shards, ``control`` the texts or orders they are compared with. ``limit`` says in words what the
    test cannot show."""

    test: str
    statistic: float
    p: float
    n: int
    control: int
    limit: str

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}


def min_k(logprobs: Sequence[float], share: float = MIN_K) -> float:
    """Mean of the lowest ``share`` of a text's token log-probabilities, one at least.

    Shi and others (2024), Detecting Pretraining Data from Large Language Models, ICLR, equation 1.
    """
    if not logprobs:
        raise InputError(tr("A text without tokens has no log-probabilities."))
    count = max(1, int(len(logprobs) * share))
    return float(np.mean(np.sort(np.asarray(logprobs, dtype=float))[:count]))


def min_k_plus(
    logprobs: Sequence[float], means: Sequence[float], deviations: Sequence[float],
    share: float = MIN_K,
) -> float:  # fmt: skip
    """As ``min_k`` of (log p − μ)/σ, with mean and deviation of the log-probability over the
    vocabulary at each token.

    Zhang and others (2024), Min-K%++, arXiv:2404.02936, equation 3.
    """
    if not len(logprobs) == len(means) == len(deviations):
        raise InputError(tr("Log-probabilities, means and deviations must be equally many."))
    values = (np.asarray(logprobs) - np.asarray(means)) / np.maximum(np.asarray(deviations), 1e-9)
    return min_k(values.tolist(), share)


def compare_scores(test: str, items: Sequence[float], control: Sequence[float]) -> Exposure:
    """Are the items' scores higher than those of control texts? Mann and Whitney's one-sided test;
    the statistic is the area under the ROC curve, 0.5 where nothing was seen.

    Raises InputError for fewer than five of either.
    """
    from scipy.stats import mannwhitneyu

    if len(items) < FEWEST or len(control) < FEWEST:
        raise InputError(
            tr("The test needs {least} or more items and as many control texts.", least=FEWEST)
        )
    found = mannwhitneyu(items, control, alternative="greater")
    return Exposure(
        test,
        float(found.statistic) / (len(items) * len(control)),
        float(found.pvalue),
        len(items),
        len(control),
        tr(
            "It compares items with control texts: where these differ in style, subject or date, "
            "it finds that difference too. A high p does not show that nothing was seen."
        ),
    )


def order_test(own: Sequence[float], shuffled: Sequence[Sequence[float]]) -> Exposure:
    """Is the file's own order of the items likelier to the model than random orders?

    ``own`` is the log-probability of each shard of the file in its own order, ``shuffled`` those of
    the same shard in random orders. The statistic is Student's t of own less the mean of shuffled,
    over shards: Oren and others (2023), Proving Test Set Contamination in Black Box Language
    Models, arXiv:2310.17623, §3.2. Exact in size where the published order is one of chance, so it
    needs no control texts. Raises InputError for fewer than five shards, or one without orders.
    """
    from scipy.special import stdtr

    if len(own) < FEWEST or len(own) != len(shuffled) or not all(shuffled):
        raise InputError(
            tr("The order test needs {least} or more shards, each with random orders.",
               least=FEWEST)
        )  # fmt: skip
    gains = np.array(
        [value - float(np.mean(others)) for value, others in zip(own, shuffled, strict=True)]
    )
    spread = float(np.std(gains, ddof=1))
    if spread == 0:
        statistic = 0.0 if float(gains.mean()) == 0 else math.copysign(math.inf, gains.mean())
    else:
        statistic = float(gains.mean()) / (spread / math.sqrt(len(gains)))
    return Exposure(
        "order",
        statistic,
        float(stdtr(len(gains) - 1, -statistic)) if math.isfinite(statistic)
        else (0.0 if statistic > 0 else 1.0),
        len(gains),
        min(map(len, shuffled)),
        tr(
            "It sees only a model that learned the items in the order of the published file; items "
            "learned in another order, one by one or in paraphrase do not show."
        ),
    )  # fmt: skip


def exposures(rows: Sequence[Mapping[str, Any]]) -> list[Exposure]:
    """The tests that rows of a JSON-lines file allow.

    A text is ``{"group": "item" or "control", "logprobs": […]}``, for min-k++ with ``means`` and
    ``deviations``; a shard ``{"own": x, "shuffled": […]}``. Raises InputError where no test can be
    made of them, or a row is of neither form.
    """
    scores: dict[str, dict[str, list[float]]] = {}
    shards: list[tuple[float, list[float]]] = []
    for number, row in enumerate(rows, 1):
        try:
            if "shuffled" in row:
                shards.append((float(row["own"]), [float(value) for value in row["shuffled"]]))
                continue
            group = row["group"]
            if group not in ("item", "control"):
                raise KeyError(group)
            logprobs = [float(value) for value in row["logprobs"]]
            scores.setdefault("min-k%", {}).setdefault(group, []).append(min_k(logprobs))
            if "means" in row:
                plus = min_k_plus(logprobs, row["means"], row["deviations"])
                scores.setdefault("min-k%++", {}).setdefault(group, []).append(plus)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                tr("Row {number} has neither group and logprobs nor own and shuffled.",
                   number=number)
            ) from error  # fmt: skip
    found = [
        compare_scores(test, groups.get("item", []), groups.get("control", []))
        for test, groups in scores.items()
    ]
    if shards:
        found.append(order_test([own for own, _ in shards], [others for _, others in shards]))
    if not found:
        raise InputError(tr("The file has no rows."))
    return found
