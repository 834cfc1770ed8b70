"""A comparison in sentences: who is ahead, and how sure that is."""

from core.analysis.suspect_keys import SuspectKey
from core.evaluation.compare import Comparison
from core.i18n import printed, tr, trn


def verdict(result: Comparison) -> str:
    """The comparison in one sentence: who is ahead, by how much, how sure."""
    if result.difference is None:
        return result.undefined or tr("Nothing to compare.")
    points = 100 * result.difference
    values = {
        "a": result.a,
        "b": result.b,
        "points": f"{abs(points):.1f}",
        "items": trn("1 item", "{n} items", result.n),
        "span": _span(result),
    }
    if abs(points) < 0.05:
        return tr("{a} and {b} are tied on {items}{span}.", **values)
    if points > 0:
        return tr("{a} is {points} points ahead of {b} on {items}{span}.", **values)
    return tr("{a} is {points} points behind {b} on {items}{span}.", **values)


def _span(result: Comparison) -> str:
    low, high = result.interval.low, result.interval.high
    if low is None or high is None:
        return ""
    return tr(
        " ({level}% interval {low} to {high})",
        level=f"{100 * result.interval.confidence:.0f}",
        low=signed(100 * low),
        high=signed(100 * high),
    )


def chances(result: Comparison, pairs: int) -> str:
    """The p-values in words, and what was left out."""
    p = p_words(result.p_mcnemar)
    parts = [
        tr("McNemar p {p} over {shared}", p=p, shared=result.shared)
        if result.clusters
        else tr("McNemar p {p}", p=p),
        tr("bootstrap p {p}", p=p_words(result.p_bootstrap)),
    ]
    if result.p_holm is not None:
        parts.append(
            trn(
                "p {p} after Holm correction over 1 pair",
                "p {p} after Holm correction over {n} pairs",
                pairs,
                p=p_words(result.p_holm),
            )
        )
    if result.caution:
        parts.append(result.caution)
    parts += result.p_notes
    if result.left_out:
        parts.append(
            trn(
                "1 item without both answers is excluded",
                "{n} items without both answers are excluded",
                result.left_out,
            )
        )
    return " · ".join(parts)


def signed(points: float) -> str:
    """Points with their sign, a real minus among them."""
    return printed(points, 1, plus=True)


def p_words(p: float | None) -> str:
    """``< 0.001``, ``= 0.042``, or a dash where it is undefined."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def suspicion(suspect: SuspectKey | None) -> str:
    """Why a key is probably wrong, in a sentence; empty where it is not."""
    if suspect is None:
        return ""
    return trn(
        "The key {key} is probably wrong ({share}): 1 of {answered} models gives {answer}.",
        "The key {key} is probably wrong ({share}): {n} of {answered} models give {answer}.",
        len(suspect.agreeing),
        key=suspect.key,
        share=f"{suspect.probability:.0%}",
        answered=suspect.answered,
        answer=suspect.answer,
    )
