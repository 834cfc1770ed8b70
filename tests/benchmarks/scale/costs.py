"""What work of any size costs, from what was measured: the figures of the page ``scale`` of the
help, which a contract test compares with it.

Processor times are of two virtual processors of a cloud machine. Items are those of
``tests.workload``: about 800 characters, English and Chinese. ``python -m
tests.benchmarks.scale.costs`` prints the tables of the page.
"""

from collections.abc import Iterator
from dataclasses import dataclass

SIZES = (45_000, 1_000_000, 10_000_000)  # items of a benchmark
TEAMS = (10, 100, 500)  # people
MATRICES = ((3, 4), (20, 50), (200, 50))  # models, splits
SPLIT_ITEMS = 2_000

DECIDING_S = 30.0  # seconds that somebody reads before deciding; an assumption
OVERLAP = 3  # decisions an item
WORKING_DAY_H = 6.0  # hours of deciding in a day; an assumption

CLIENT_MS, SERVER_MS = 2.6, 2.4  # CPU of a decision and the next item, claimed and shown
STATEMENTS = 2  # of them
IDLE_SHARE = 0.0025  # of a processor: a window at a million items that nobody uses

LISTING_MS = 0.9  # CPU to list one run
CELL_STATEMENTS = 30  # of SQL, to enter one model on one split
QUESTION_BYTES = 2_063  # in ``work.jsonl``, once for all models
ANSWER_BYTES = 77  # in ``shard-000.jsonl``, of one letter
CELL_MS, ASKING_US = 5.0, 70.0  # CPU of a cell, and of each of its prompts, beside the engine
REPORT_US = 25.0  # CPU of an answer in a report


@dataclass(frozen=True)
class Step:
    """A command: CPU microseconds an item, and megabytes at its peak at ``measured`` items."""

    name: str
    us: float
    mb: int
    measured: int

    def seconds(self, items: int) -> float:
        """CPU seconds for so many items."""
        return self.us * items / 1e6


STEPS = (
    Step("import to reviewable", 160, 359, 1_000_000),
    Step("import to searchable", 310, 359, 1_000_000),
    Step("freeze --check", 598, 254, 100_000),
    Step("freeze", 90, 231, 1_000_000),
    Step("export jsonl", 51, 110, 100_000),
    Step("export lm-eval", 89, 110, 100_000),
    Step("export parquet", 86, 267, 100_000),
    Step("seal", 127, 177, 1_000_000),
    Step("verify --archive", 7.2, 137, 1_000_000),
    Step("unseal", 24, 137, 1_000_000),
    Step("expire", 96, 257, 300_000),
    Step("duplicates signatures", 95, 70, 300_000),
    Step("duplicates near_pairs", 79, 266, 300_000),
)

MEASURED = (
    ("import to reviewable", 100_000, 14.9),
    ("import to searchable", 100_000, 28.7),
    ("freeze --check", 100_000, 54.3),
    ("freeze", 100_000, 9.3),
    ("export jsonl", 100_000, 4.6),
    ("export lm-eval", 100_000, 8.5),
    ("export parquet", 100_000, 8.0),
    ("import to searchable", 1_000_000, 398.3),
    ("freeze", 1_000_000, 71.2),
    ("seal", 1_000_000, 126.6),
    ("verify --archive", 1_000_000, 7.2),
    ("unseal", 1_000_000, 23.6),
    ("duplicates signatures", 100_000, 9.8),
    ("duplicates near_pairs", 100_000, 7.0),
)
"""What whole commands took at a hundredth and a tenth of ten million: items, CPU seconds."""


@dataclass(frozen=True)
class Room:
    """Bytes an item that something takes on the disk."""

    name: str
    each: int

    def of(self, items: int) -> float:
        """Bytes for so many items."""
        return float(self.each * items)


DATABASE, INDEX = Room("database without index", 2_270), Room("search index", 3_240)
ROOMS = (DATABASE, INDEX, Room("items.jsonl", 1_135), Room("peak while sealing", 12_500))


@dataclass(frozen=True)
class Team:
    """People who decide, each item ``OVERLAP`` times."""

    people: int

    @property
    def each_second(self) -> float:
        """Decisions a second while all of them work."""
        return self.people / DECIDING_S

    @property
    def server_share(self) -> float:
        """Of one processor of the server."""
        return self.each_second * SERVER_MS / 1e3

    def days(self, items: int) -> float:
        """Working days until so many items have their decisions."""
        return items * OVERLAP / self.each_second / 3600 / WORKING_DAY_H


@dataclass(frozen=True)
class Matrix:
    """Models on splits of so many items each."""

    models: int
    splits: int
    items: int = SPLIT_ITEMS

    @property
    def cells(self) -> int:
        """Runs: one of each model on each split."""
        return self.models * self.splits

    @property
    def prompts(self) -> int:
        """Questions to models, each answered once."""
        return self.cells * self.items

    @property
    def question_bytes(self) -> float:
        """Of the questions, which the models of a split share."""
        return QUESTION_BYTES * self.splits * self.items

    @property
    def answer_bytes(self) -> float:
        """Of all answers of one letter."""
        return ANSWER_BYTES * self.prompts

    @property
    def asking_s(self) -> float:
        """CPU seconds beside the engines."""
        return CELL_MS * self.cells / 1e3 + ASKING_US * self.prompts / 1e6

    @property
    def report_s(self) -> float:
        """CPU seconds to read and score every answer once."""
        return REPORT_US * self.prompts / 1e6

    @property
    def listing_s(self) -> float:
        """CPU seconds to list all runs once."""
        return LISTING_MS * self.cells / 1e3


def time(seconds: float) -> str:
    """Seconds, minutes, hours in two digits, as the page writes them."""
    for size, unit in ((3600.0, "h"), (60.0, "min"), (1.0, "s")):
        if seconds >= 2 * size or unit == "s":
            return f"{digits(seconds / size)} {unit}"
    raise AssertionError


def room(size: float) -> str:
    """Bytes in two digits, by units of a thousand."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{digits(size / unit)} {name}"
    return f"{size:.0f} B"


def digits(value: float) -> str:
    """Two digits that count; all of those before the point."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def tables() -> Iterator[list[tuple[str, ...]]]:
    """The rows of each table of the page, in its order, without its words: a row begins behind the
    name that it has in its language."""
    yield [(f"{step.us:g}", *(time(step.seconds(size)) for size in SIZES), f"{step.mb}",
            f"{step.measured:,}") for step in STEPS]  # fmt: skip
    yield [(f"{each.each:,} B", *(room(each.of(size)) for size in SIZES)) for each in ROOMS]
    yield [(digits(team.each_second), f"{digits(100 * team.server_share)}%",
            *(digits(team.days(size)) for size in SIZES)) for team in map(Team, TEAMS)]  # fmt: skip
    yield [
        (f"{job.cells:,}", f"{job.prompts:,}", room(job.question_bytes), room(job.answer_bytes),
         time(job.asking_s), time(job.report_s), time(job.listing_s))
        for job in (Matrix(*of) for of in MATRICES)
    ]  # fmt: skip
    steps = {step.name: step for step in STEPS}
    yield [(f"{items:,}", time(steps[name].seconds(items)), time(seconds))
           for name, items, seconds in MEASURED]  # fmt: skip


def main() -> None:
    """Print the tables."""
    for table in tables():
        for row in table:
            print("|", " | ".join(row), "|")
        print()


if __name__ == "__main__":
    main()
