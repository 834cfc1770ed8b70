"""Was a model trained on the items? Tests on its log-probabilities, each with its null.

Rows are made by ``core.analysis.model_traces`` or by any other program that gives
log-probabilities: this module only computes. The min-k scores compare items with control texts that
the model cannot have seen; the order test and the canary tests need none.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import InputError
from core.i18n import printed, tr
from core.proportion import above_zero

MIN_K = 0.2
FEWEST = 5
FEWEST_CANARIES = 19
"""Of fewer other canaries no p is as small as 0.05."""
_DIGITS = "0123456789abcdef"


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
        raise InputError.tr("A text without tokens has no log-probabilities.")
    count = max(1, int(len(logprobs) * share))
    return float(np.mean(np.sort(np.asarray(logprobs, dtype=float))[:count]))


def min_k_plus(
    logprobs: Sequence[float], means: Sequence[float], deviations: Sequence[float]
) -> float:
    """As ``min_k`` of (log p − μ)/σ, with mean and deviation of the log-probability over the
    vocabulary at each token.

    Zhang and others (2024), Min-K%++, arXiv:2404.02936, equation 3.
    """
    if not len(logprobs) == len(means) == len(deviations):
        raise InputError.tr("Log-probabilities, means and deviations must be equally many.")
    values = (np.asarray(logprobs) - np.asarray(means)) / np.maximum(np.asarray(deviations), 1e-9)
    return min_k(values.tolist())


def compare_scores(
    test: str, items: Sequence[float], control: Sequence[float], *, by_source: bool = False
) -> Exposure:
    """Are the items' scores higher than those of control texts? Mann and Whitney's one-sided test;
    the statistic is the area under the ROC curve, 0.5 where nothing was seen.

    It takes scores as independent, which those of items of one article are not (where nothing was
    seen p is below 0.05 in 10 to 23 of 100 simulations); ``by_source`` says that each is the mean
    of a source's. Raises InputError for fewer than five of either.
    """
    from scipy.stats import mannwhitneyu

    if len(items) < FEWEST or len(control) < FEWEST:
        raise InputError.tr(
            "The test needs {least} or more items and as many control texts; those of one "
            "source count as one.",
            least=FEWEST,
        )
    found = mannwhitneyu(items, control, alternative="greater")
    return Exposure(
        test,
        float(found.statistic) / (len(items) * len(control)),
        above_zero(float(found.pvalue)),
        len(items),
        len(control),
        tr(
            "It compares items with control texts: where these differ in style, subject or date, "
            "it finds that difference too. A high p does not show that nothing was seen: what was "
            "learned inside a longer text hardly shows when it is read alone."
        )
        + " "
        + (
            tr("Texts of one source count as one, by their mean.")
            if by_source
            else tr("Texts count as independent: where several share an article, p is too small; "
                    "name the source of each row.")
        ),
    )  # fmt: skip


def order_test(own: Sequence[float], shuffled: Sequence[Sequence[float]]) -> Exposure:
    """Is the file's own order of the items likelier to the model than random orders?

    ``own`` is the log-probability of each shard of the file in its own order, ``shuffled`` those of
    the same shard in random orders. The statistic is Student's t of own less the mean of shuffled,
    over shards: Oren and others (2023), Proving Test Set Contamination in Black Box Language
    Models, arXiv:2310.17623, §3.2. Exact in size where the published order is one of chance, so it
    needs no control texts. Raises InputError for fewer than five shards, one without orders, or
    gains that are all alike.
    """
    from scipy.special import stdtr

    if len(own) < FEWEST or len(own) != len(shuffled) or not all(shuffled):
        raise InputError.tr("The order test needs {least} or more shards, each with random orders.",
                            least=FEWEST)  # fmt: skip
    gains = np.array(
        [value - float(np.mean(others)) for value, others in zip(own, shuffled, strict=True)]
    )
    spread = float(np.std(gains, ddof=1))
    if not spread > 1e-12 * float(np.abs(gains).mean()):
        raise InputError.tr(
            "All shards prefer their own order by the same {gain}, so there is nothing to test.",
            gain=printed(float(gains[0]), 3)
        )  # fmt: skip
    statistic = float(gains.mean()) / (spread / math.sqrt(len(gains)))
    return Exposure(
        "order",
        statistic,
        above_zero(float(stdtr(len(gains) - 1, -statistic))),
        len(gains),
        min(map(len, shuffled)),
        tr(
            "It sees only a model that learned the items in the order of the published file; items "
            "learned in another order, one by one or in paraphrase do not show."
        )
        + " "
        + tr(
            "The published order must be random: in a file that is sorted by article, every model "
            "prefers it, unless whole articles are shuffled, as they are if the lines name their "
            "source."
        ),
    )  # fmt: skip


def canary_rank(own: float, others: Sequence[float]) -> Exposure:
    """Is the file's canary likelier to the model than other random ones of the same form?

    ``own`` and ``others`` are log-probabilities. The canary was drawn at random as the others were,
    so that its rank among them is uniform where the model never saw it, and p is exact. The
    statistic is Carlini and others' exposure (2019), The Secret Sharer, USENIX Security 28, §4.2:
    log2 of how many there are less log2 of the rank. Raises InputError for fewer than 19 others.
    """
    if len(others) < FEWEST_CANARIES:
        raise InputError.tr(
            "A canary is compared with {least} or more others.", least=FEWEST_CANARIES
        )
    rank = 1 + sum(other >= own for other in others)
    count = len(others) + 1
    return Exposure("canary", math.log2(count / rank), rank / count, 1, len(others), _no_canary())


def canary_completion(canary: str, completions: Sequence[str]) -> Exposure:
    """How many digits of the canary does the model write from its beginning?

    ``canary`` is what follows the part that was shown, hexadecimal digits with dashes, and
    ``completions`` what the model wrote. The statistic is the most digits that one of them has
    right from the first on; a text that knows nothing has m of them by chance with probability
    16^−m, and p is the sum over the completions. Raises InputError without digits or a completion.
    """
    secret = _digits(canary)
    if not secret or not completions:
        raise InputError.tr("A canary needs hexadecimal digits and a completion.")
    best = max(_agreeing(secret, _digits(text)) for text in completions)
    p = min(1.0, len(completions) * 16.0**-best)
    return Exposure("completion", float(best), p, 1, len(completions), _no_canary())


def _digits(text: str) -> str:
    return "".join(sign for sign in text.strip().lower() if sign in _DIGITS)


def _agreeing(secret: str, written: str) -> int:
    pairs = enumerate(zip(secret, written, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(secret), len(written)))


def _no_canary() -> str:
    return tr(
        "It sees only training on files with the canary: copies without it, text that was "
        "cleaned of it, and models that are kept from reciting do not show."
    )


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def exposures(rows: Sequence[Mapping[str, Any]]) -> list[Exposure]:
    """The tests that rows of a JSON-lines file allow.

    A text is ``{"group": "item" or "control", "logprobs": […]}``, for min-k++ with ``means`` and
    ``deviations``; where texts name a ``source``, those of one count as one, by their mean. A shard
    is ``{"own": x, "shuffled": […]}``; a canary
    ``{"own": x, "canaries": […]}`` or ``{"canary": text, "completions": […]}``. Raises InputError
    where no test can be made of them, or a row is of no such form.
    """
    scores: dict[str, dict[str, dict[str, list[float]]]] = {}
    named = False
    shards: list[tuple[float, list[float]]] = []
    canaries: list[Exposure] = []
    for number, row in enumerate(rows, 1):
        try:
            if "canaries" in row:
                others = [_finite(value) for value in row["canaries"]]
                canaries.append(canary_rank(_finite(row["own"]), others))
                continue
            if "completions" in row:
                written = [str(text) for text in row["completions"]]
                canaries.append(canary_completion(str(row["canary"]), written))
                continue
            if "shuffled" in row:
                shards.append((_finite(row["own"]), [_finite(value) for value in row["shuffled"]]))
                continue
            group = row["group"]
            if group not in ("item", "control"):
                raise KeyError(group)
            logprobs = [_finite(value) for value in row["logprobs"]]
            values = {"min-k%": min_k(logprobs)}
            if "means" in row:
                values["min-k%++"] = min_k_plus(logprobs, row["means"], row["deviations"])
            source = str(row.get("source") or "")
            named |= bool(source)
            for test, value in values.items():
                groups = scores.setdefault(test, {}).setdefault(group, {})
                groups.setdefault(source or f"\0{number}", []).append(value)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError.tr(
                "Row {number} has neither group (item or control) and logprobs nor own and "
                "shuffled, own and canaries, or canary and completions.", number=number
            ) from error  # fmt: skip
    found = [
        compare_scores(
            test, *([float(np.mean(values)) for values in groups.get(group, {}).values()]
                    for group in ("item", "control")), by_source=named,
        )
        for test, groups in scores.items()
    ]  # fmt: skip
    if shards:
        found.append(order_test([own for own, _ in shards], [others for _, others in shards]))
    found += canaries
    if not found:
        raise InputError.tr("The file has no rows.")
    return found
