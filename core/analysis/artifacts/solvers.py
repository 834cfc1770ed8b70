"""What the shallow solvers are called."""

from collections.abc import Mapping

from core.i18n import tr, trn

LEARNED = frozenset({"position", "options_only", "surface", "language_model"})
"""Solvers that are told the keys of other items before they answer one."""


def solver_names() -> Mapping[str, str]:
    """What each solver does, in words, by its name."""
    return {
        "position": tr("the position that is most often right"),
        "longest": tr("the longest option"),
        "shortest": tr("the shortest option"),
        "context_overlap": tr("most words shared with the context"),
        "context_tfidf": tr("nearest to the context by TF-IDF"),
        "next_sentence": tr("first sentence nearest to the sentence before it"),
        "context_together": tr("the three context cues together"),
        "neighbour_overlap": tr("most words shared by neighbouring pieces"),
        "neighbour_tfidf": tr("neighbouring pieces nearest by TF-IDF"),
        "neighbours_together": tr("the three neighbour cues together"),
        "most_typical": tr("most like the other options"),
        "alphabetical": tr("nearest to the alphabet"),
        "first_word": tr("does not begin with However, This, …"),
        "last_word": tr("ends with a text that begins with However, This, …"),
        "often_offered": tr("the text that most other items offer too"),
        "seldom_offered": tr("the text that fewest other items offer"),
        "options_only": tr("classifier that reads only the options"),
        "surface": tr("classifier of first words and punctuation"),
        "language_model": tr("most predictable words"),
    }


def beside_chance(*, above: bool, below: bool) -> str:
    """Where the accuracy of a solver lies, in words; empty where it may be chance."""
    if above:
        return tr("above chance")
    return tr("below chance") if below else ""


def below_chance_sentence(solvers: int) -> str:
    """What it means that so many solvers are below chance."""
    return trn(
        "What 1 solver prefers is right less often than chance, so avoiding it helps.",
        "What {n} solvers prefer is right less often than chance, so avoiding it helps.",
        solvers,
    )


def found_from_sentence(accuracy: float) -> str:
    """From which true accuracy (0–1) on a solver would have been found (``POWER``)."""
    return tr(
        "With so many items, a solver that is right in {least}% or more is found in at least four "
        "audits of five.",
        least=f"{100 * accuracy:.0f}",
    )
