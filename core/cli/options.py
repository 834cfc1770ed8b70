"""Options that several commands have: the same names and the same words everywhere."""

import argparse
from collections.abc import Callable, Collection, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import count, positive, whole_number, workers
from core.cli.console import Console, columns
from core.errors import UsageError
from core.i18n import listed, tr, trn

if TYPE_CHECKING:
    from core.report_table import ReportTable
    from core.workflow.workspace import Workspace


class RegisteredNames(Collection[str]):
    """The names in a registry of parts, as ``choices`` of an option; the registry is imported when
    one is looked for or the help is printed, and by no other command."""

    def __init__(self, module: str, registry: str) -> None:
        self._module, self._registry = module, registry

    def __iter__(self) -> Iterator[str]:
        return (part.name for part in getattr(import_module(self._module), self._registry))

    def __contains__(self, name: object) -> bool:
        return any(name == one for one in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def item_number(text: str) -> int:
    """An item's number, with or without ``#``, for argparse."""
    try:
        return int(text.removeprefix("#"))
    except ValueError as error:
        raise argparse.ArgumentTypeError(tr("“{text}” is not an item number", text=text)) from error


def add_item(parser: Any, nargs: str | None = None) -> None:
    """The item that a command is about, by its number."""
    parser.add_argument(
        "item", metavar="ITEM", type=item_number, nargs=nargs, help=tr("item number")
    )


def add_benchmark(parser: Any) -> None:
    """``--benchmark``; left out, its value is the empty name."""
    parser.add_argument(
        "--benchmark",
        metavar="B",
        default="",
        help=tr("benchmark; needed if the workspace has more than one"),
    )


def add_sheet(parser: Any) -> None:
    """``--sheet`` beside a table; left out, its value is the empty name."""
    parser.add_argument("--sheet", metavar="NAME", default="",
                        help=tr("sheet of a workbook with several"))  # fmt: skip


def add_task(parser: Any, metavar: str = "TASK") -> None:
    """The task that a command is about, and the benchmark it is of."""
    parser.add_argument("task", metavar=metavar, help=tr("name of the task"))
    add_benchmark(parser)


def add_task_choice(parser: Any) -> None:
    """``--task``, which narrows; left out, its value is the empty name."""
    parser.add_argument("--task", metavar="T", default="", help=tr("only this task"))


def add_stage(parser: Any) -> None:
    """``--stage``; left out, its value is None."""
    parser.add_argument("--stage", type=whole_number, choices=(1, 2, 3), help=tr("only this stage"))


def add_user(parser: Any, help: str) -> None:
    """``--user``, whose help says in other words who does what the command does."""
    parser.add_argument("--user", metavar="U", default="", help=help)


def add_seed(
    parser: Any,
    kind: Callable[[str], int] = whole_number,
    *,
    default: int | None = 0,
    help: str = "",
) -> None:
    """``--seed``; with None as its default a seed is drawn where none is given."""
    help_text = help or (tr("default: drawn at random") if default is None else tr("random seed"))
    parser.add_argument("--seed", type=kind, default=default, metavar="K", help=help_text)


def add_verdict(verdict: Any) -> None:
    """The three verdicts of a reviewer, for a group of options that exclude each other."""
    verdict.add_argument("--accept", action="store_true", help=tr("the item is good as it is"))
    verdict.add_argument(
        "--reject",
        metavar="REASON",
        help=tr(
            "reject the item, with a reason of its task: ambiguous, not_solvable, formula, "
            "language … or other with a note: “other: NOTE”"
        ),
    )
    verdict.add_argument(
        "--return",
        metavar="NOTE",
        dest="note",
        help=tr("return the item to its author, with a note on what to change"),
    )


def verdict_of(arguments: argparse.Namespace) -> str:
    """The verdict that was given by one of those options."""
    if arguments.accept:
        return "accept"
    return "reject" if arguments.reject is not None else "return"


def reason_and_note(arguments: argparse.Namespace, ws: "Workspace") -> tuple[str, str]:
    """Reason and note of the verdict that was given; UsageError for a reason that the item's task
    does not offer, by its name or as people read it."""
    from core.workflow.check.reasons import reasons_for
    from core.workflow.labels import REASONS, word

    if arguments.reject is None:
        return "", arguments.note or ""
    offered = reasons_for(ws, arguments.item)
    named = {
        spelled.casefold(): name for name in offered for spelled in (word(REASONS, name), name)
    }
    given = arguments.reject.strip()
    if (reason := named.get(given.casefold())) is not None:
        return reason, ""
    kind, _, note = given.replace("：", ":", 1).partition(":")
    if named.get(kind.strip().casefold()) == "other" and note.strip():
        return "other", note.strip()
    raise UsageError.tr(
        "“{reason}” is not a reason for a rejection in this task. Its reasons are: {known}. For "
        "another one write “other: NOTE”.", reason=given, known=listed(offered)
    )  # fmt: skip


def add_criterion(parser: Any) -> None:
    """``--criterion``: verdicts by default."""
    parser.add_argument(
        "--criterion",
        metavar="C",
        default="decision",
        help=tr("decision, or a criterion of a rubric"),
    )


def add_given(parser: argparse.ArgumentParser) -> Any:
    """How a person answers a question; the group takes no other option beside one of these."""
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--choice", metavar="C", help=tr("one of the choices"))
    given.add_argument("--text", metavar="TEXT", default="", help=tr("your answer in words"))
    given.add_argument("--unknown", action="store_true", help=tr("you do not know"))
    return given


def is_given(arguments: argparse.Namespace) -> bool:
    """Whether a question is answered, by one of the options of ``add_given``."""
    return arguments.choice is not None or bool(arguments.text) or arguments.unknown


def add_judgements(parser: Any) -> None:
    """Which of people's judgements are measured."""
    add_criterion(parser)
    parser.add_argument(
        "--adjudicated",
        choices=("before", "after"),
        default="before",
        help=tr("before or after adjudication"),
    )
    parser.add_argument(
        "--gold", choices=("with", "without"), default="with", help=tr("with or without gold items")
    )


def add_tables(parser: Any) -> None:
    """The forms in which a table is printed."""
    parser.add_argument("--csv", action="store_true", help=tr("print the table as CSV"))
    parser.add_argument("--latex", action="store_true", help=tr("print the table as LaTeX"))
    parser.add_argument("--save", type=Path, metavar="FILE",
                        help=tr("write the table: .csv, .md, .tex, .xlsx or .parquet"))  # fmt: skip


def print_tables(arguments: argparse.Namespace, console: Console, *tables: "ReportTable") -> bool:
    """Save the tables where that is asked for, and print them as CSV or LaTeX where that is;
    whether they were printed."""
    save_tables(arguments, console, *tables)
    if arguments.json:
        return False
    if arguments.csv:
        console.write("\n".join(table.to_csv() for table in tables))
    elif arguments.latex:
        console.write("\n".join(table.to_latex() for table in tables))
    return bool(arguments.csv or arguments.latex)


def save_tables(arguments: argparse.Namespace, console: Console, *tables: "ReportTable") -> None:
    """Write the tables to the file of ``--save``."""
    if arguments.save is not None:
        from core.table_writer import write_table

        write_table(arguments.save, *tables)
        console.say(tr("Wrote {path}.", path=arguments.save))


def table_text(table: "ReportTable") -> str:
    """A table for people: title, aligned columns, notes."""
    return "\n".join([table.title, table_columns(table), *table.notes])


def table_columns(table: "ReportTable", most: int | None = None) -> str:
    """The aligned columns of a table alone, of the first ``most`` rows, and how many follow."""
    shown = table.printed()
    if not shown.rows:
        return tr("Nothing to count yet.")
    rows = [[shown.text_of(cell) for cell in row] for row in shown.rows[:most]]
    lines = [columns(rows, shown.columns)]
    if more := len(shown.rows) - len(rows):
        lines.append(trn("… and 1 more row", "… and {n} more rows", more))
    return "\n".join(lines)


def add_resamples(parser: Any, kind: Callable[[str], int] = positive, default: int = 2000) -> None:
    """``--resamples``, for intervals."""
    parser.add_argument(
        "--resamples",
        type=kind,
        default=default,
        metavar="N",
        help=tr("bootstrap resamples for intervals"),
    )


def add_concurrency(parser: Any, default: int) -> None:
    """``--concurrency``, requests to a server at once."""
    parser.add_argument(
        "--concurrency", type=positive, default=default, metavar="N", help=tr("concurrent requests")
    )


def add_budget(parser: Any) -> None:
    """``--budget-tokens``, at which a run stops."""
    parser.add_argument(
        "--budget-tokens", type=positive, metavar="N", help=tr("stop after this many tokens")
    )


def add_no_wait(parser: Any) -> None:
    """``--no-wait``, to go on without the results of a run."""
    parser.add_argument(
        "--no-wait", action="store_true", help=tr("return once the run is started or queued")
    )


def add_launcher(parser: Any) -> None:
    """``--launcher``, where the workers of a run work."""
    parser.add_argument(
        "--launcher",
        default="local",
        metavar="local|slurm:PROFILE|ray:PROFILE",
        help=tr("where to run"),
    )


def add_shards(parser: Any) -> None:
    """Among how many workers a run is divided, and where they work."""
    parser.add_argument(
        "--shards", type=workers, default=1, metavar="N", help=tr("number of shards")
    )
    add_launcher(parser)


def add_workers(parser: Any) -> None:
    """Among how many workers a run is divided, where they work and with how many GPUs."""
    add_shards(parser)
    parser.add_argument("--gpus", type=count, metavar="N", help=tr("GPUs per shard"))


def add_evaluator(parser: argparse.ArgumentParser, relationship: str) -> None:
    """Who evaluated, as the signed record of a score names them."""
    parser.add_argument("--organization", default="unknown", metavar="NAME",
                        help=tr("who evaluated"))  # fmt: skip
    parser.add_argument(
        "--relationship",
        default=relationship,
        choices=("first_party", "third_party", "collaborative", "other"),
        help=tr("how the evaluator stands to the model's makers"),
    )
