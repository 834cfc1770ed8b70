"""Steps, outcomes and reasons of a journey in the words that people read."""

from collections.abc import Callable, Mapping

from core.text import tr

_STEPS: Mapping[str, Callable[[], str]] = {
    "entities": lambda: tr("Entities"),
    "knowledge": lambda: tr("Knowledge"),
    "summary": lambda: tr("Summary"),
    "triples": lambda: tr("Triples"),
    "semantic": lambda: tr("Semantic rewrite"),
    "updated": lambda: tr("Updated text"),
    "facts": lambda: tr("Facts against the knowledge"),
    "label": lambda: tr("Label against the text"),
}
_OUTCOMES: Mapping[str, Callable[[], str]] = {
    "accepted": lambda: tr("Accepted"),
    "screened_out": lambda: tr("Screened out"),
    "left_out": lambda: tr("Left out"),
    "failed": lambda: tr("Failed"),
    "unfinished": lambda: tr("Not finished"),
}
_REASONS: Mapping[str, Callable[[], str]] = {
    "no_entities": lambda: tr("The text names nothing to search for."),
    "nothing_found": lambda: tr("Nothing was found about its entities in the window."),
    "nothing_relevant": lambda: tr("What was found has nothing to do with the text."),
    "invalid_reply": lambda: tr("The model's reply was not in the form asked for."),
    "truncated": lambda: tr("The model's reply was cut off."),
    "refused": lambda: tr("The model refused."),
    "empty_reply": lambda: tr("The model's reply was empty."),
    "no_reply": lambda: tr("The server gave no reply."),
    "triples": lambda: tr("No usable triples came in any round."),
    "semantic": lambda: tr("The semantic rewrite failed its checks in every round."),
    "checks": lambda: tr("The updated text failed its checks in the last round."),
    "facts": lambda: tr("The critic found facts that the knowledge does not bear out."),
    "label": lambda: tr("The critic found that the label does not fit."),
}


def step_words(step: str) -> str:
    """A step's title."""
    return _STEPS[step]()


def outcome_words(outcome: str) -> str:
    """An outcome's title."""
    return _OUTCOMES[outcome]()


def reason_words(reason: str) -> str:
    """Why a journey ended before acceptance; empty for an accepted item."""
    return _REASONS[reason]() if reason else ""
