"""Attacks, each counted: a test takes ``attack``, says after every try whether it failed, and the
table at the end says how many tries there were and how many got through.

An attack of more than a few seconds is marked ``slow`` and runs with ``make test-hostile`` alone;
the others run with ``make test`` as well.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pytest

TABLE = "hostile"


@dataclass
class Attack:
    """One row of the table. ``known`` counts what the threat model says that nobody can find."""

    name: str
    tries: int = 0
    known: int = 0
    failures: list[str] = field(default_factory=list)
    note: str = ""

    def tried(self, failure: str = "") -> None:
        """One more try; ``failure`` says what got through, empty for one that did not."""
        self.tries += 1
        if failure:
            self.failures.append(failure)

    def tried_known(self) -> None:
        """One more try of something that only a receipt outside can show."""
        self.tries += 1
        self.known += 1


@pytest.fixture
def attack(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Attack]]:
    """Begin a row of the table: ``row = attack("a link as log.txt")``. A row with failures, or
    without a single try, fails the test at its end."""
    rows: list[Attack] = []

    def begin(name: str) -> Attack:
        rows.append(Attack(name))
        return rows[-1]

    yield begin
    for row in rows:
        figures = [row.name, row.tries, len(row.failures), row.known, row.note]
        request.node.user_properties.append((TABLE, figures))
    lines = [f"{row.name}: {failure}" for row in rows for failure in row.failures[:20]]
    assert not lines, f"{len(lines)} got through\n" + "\n".join(lines)
    assert all(row.tries for row in rows), "an attack that was never tried"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table: attack, tries, failures, and what is known to be beyond finding."""
    rows = {}
    # the rows are written when a test ends: its last report has them, which has no category
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        for name, figures in getattr(report, "user_properties", ()):
            if name == TABLE:
                rows[report.nodeid, figures[0]] = figures
    if not rows:
        return
    terminalreporter.section("attacks")
    width = max(len(figures[0]) for figures in rows.values())
    terminalreporter.write_line(f"{'attack':<{width}}  tries  failures  known")
    for name, tries, failures, known, note in _by_name(rows.values()):
        line = f"{name:<{width}}  {tries:>5}  {failures:>8}  {known or '–':>5}  {note}"
        terminalreporter.write_line(line.rstrip())


def _by_name(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """One row for each attack, however many tests tried it: the counts added up."""
    for name, alike in groupby(sorted(rows), key=lambda figures: str(figures[0])):
        counted = list(alike)
        sums = (sum(figures[place] for figures in counted) for place in (1, 2, 3))
        yield name, *sums, "; ".join(dict.fromkeys(filter(None, (row[4] for row in counted))))
