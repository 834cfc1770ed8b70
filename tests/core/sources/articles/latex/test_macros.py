"""An author's own macros, expanded."""

import pytest

from core.sources.articles.latex.macros import Macro, expand, take_definitions

DEFINED = (
    r"\newcommand{\figureref}[1]{\ref{fig:#1}}\newcommand{\Figure}[1]{Figure~\figureref{#1}}"
    r"\newcommand{\elsewhere}{in mills}\newcommand{\there}{\elsewhere{} of old}"
    r"\newcommand{\equal}{a \iff b}\newcommand{\told}{\ifdraft old \else new \fi}"
)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (r"\Figure{transit} shows it.", r"Figure~\ref{fig:transit} shows it."),
        (r"They stand \there.", "They stand in mills{} of old."),
        (r"So $\equal$.", r"So $a \iff b$."),
        (r"It is \told.", r"It is \told."),
    ],
)
def test_bodies_that_only_begin_like_conditions_are_expanded(call: str, expected: str) -> None:
    macros: dict[str, Macro] = {}
    assert take_definitions(DEFINED, macros) == ""
    assert expand(call, macros) == expected
