"""``check``: the defects in a file of items, and the shortcuts to their answers."""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command
from core.cli.console import Console, columns
from core.errors import UsageError
from core.i18n import listed, tr, trn

if TYPE_CHECKING:
    from core.analysis.artifacts.artifact_audit import ArtifactAudit, KindAudit, SolverResult
    from core.generation.checking import CheckReport

_EASY_SHOWN = 10


def _add_check(commands: Any) -> None:
    parser = add_command(commands, "check", tr("check a file of items for defects"), _check)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help=tr("files of items"))
    parser.add_argument("--format", choices=("auto", "arxivroll", "jsonl"), default="auto",
                        help=tr("arxivroll: files written by the ArxivRoll generator"))  # fmt: skip
    parser.add_argument("--articles", metavar="DIR", type=Path, help=tr("articles of the items"))
    parser.add_argument("--out", metavar="FILE", type=Path,
                        help=tr("write the items without defects to this file"))  # fmt: skip
    parser.add_argument("--rejects", metavar="FILE", type=Path,
                        help=tr("write the other items to this file, with defects"))  # fmt: skip
    parser.add_argument("--artifacts", action="store_true",
                        help=tr("try solvers that do not read the question"))  # fmt: skip


def _check(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.artifacts:
        if arguments.out or arguments.rejects or arguments.articles:
            raise UsageError.tr(
                "--artifacts cannot be combined with --out, --rejects or --articles."
            )
        return _audit(arguments, console)
    from core.generation.checking import check_file
    from core.sources.articles.read_paths import read_paths

    _require_new_names(arguments)
    articles = read_paths([arguments.articles]).articles if arguments.articles else None
    reports = [check_file(path, arguments.format, articles) for path in arguments.files]
    document = reports[0].as_json() if len(reports) == 1 else _together(arguments.files, reports)
    texts = [
        _check_text(path, report) for path, report in zip(arguments.files, reports, strict=True)
    ]
    if arguments.out or arguments.rejects:
        texts.append(_write_halves(arguments, reports))
    console.emit(document, "\n\n".join(texts))
    return 0 if document["clean"] else 1


def _require_new_names(arguments: argparse.Namespace) -> None:
    names = [path.resolve() for path in (arguments.out, arguments.rejects) if path]
    if len(set(names)) < len(names) or {path.resolve() for path in arguments.files} & set(names):
        raise UsageError.tr("--out and --rejects need file names of their own.")


def _write_halves(arguments: argparse.Namespace, reports: "Sequence[CheckReport]") -> str:
    from core.files import write_atomic
    from core.generation.checking import halves

    clean: list[str] = []
    rejects: list[str] = []
    for path, report in zip(arguments.files, reports, strict=True):
        some_clean, some_rejects = halves(path, report, arguments.format)
        clean += some_clean
        rejects += some_rejects
    said = []
    for path, lines in ((arguments.out, clean), (arguments.rejects, rejects)):
        if path:
            write_atomic(path, "".join(f"{line}\n" for line in lines), for_others=True)
            said.append(
                trn(
                    "1 item written to {path}", "{n} items written to {path}", len(lines), path=path
                )
            )
    return "\n".join(said)


def _together(paths: Sequence[Path], reports: "Sequence[CheckReport]") -> dict[str, Any]:
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update({defect.name: defect.count for defect in report.defects})
    items = sum(report.items for report in reports)
    return {
        "items": items,
        "defects": [{"name": n, "count": c, "rate": c / items} for n, c in counts.most_common()],
        "clean": all(report.clean for report in reports),
        "files": [
            {"file": str(path), **report.as_json()}
            for path, report in zip(paths, reports, strict=True)
        ],
    }


def _check_text(path: Path, report: "CheckReport") -> str:
    if report.clean:
        return trn(
            "{path}: 1 item, no defects.", "{path}: {n} items, no defects.", report.items, path=path
        )
    rows = [
        (
            d.name,
            d.count,
            f"{100 * d.rate:.1f} %",
            ", ".join(f"{name} {100 * part.rate:.1f} %" for name, part in d.by_format.items()),
            ", ".join(e.place for e in d.examples),
        )
        for d in report.defects
    ]
    header = (tr("defect"), tr("count"), tr("rate"), tr("by format"), tr("examples"))
    return (
        trn("{path}: 1 item", "{path}: {n} items", report.items, path=path)
        + "\n"
        + columns(rows, header)
    )


def _audit(arguments: argparse.Namespace, console: Console) -> int:
    from core.analysis.artifacts.artifact_audit import audit_items
    from core.families.base import ItemContent
    from core.generation.checking import read_file

    places: list[str] = []
    items: list[ItemContent] = []
    for path in arguments.files:
        found, contents, _ = read_file(path, arguments.format)
        places += found if len(arguments.files) == 1 else [f"{path}: {place}" for place in found]
        items += contents
    audit = audit_items(items, places)
    console.emit(audit.as_json(), _audit_text(audit))
    return 0 if audit.clean else 1


def _audit_text(audit: "ArtifactAudit") -> str:
    from core.analysis.artifacts.artifact_audit import LEAST_ITEMS
    from core.analysis.artifacts.solvers import solver_names
    from core.workflow.labels import format_label

    names = solver_names()
    parts = []
    header = (tr("solver"), tr("accuracy"), tr("95% interval*"), tr("chance"), "")
    for kind in audit.kinds:
        rows = [_solver_row(solver, names[solver.solver]) for solver in kind.solvers]
        title = tr(
            "{kind}: {items} from {sources}",
            kind=format_label(kind.kind),
            items=trn("1 item", "{n} items", kind.items),
            sources=trn("1 source", "{n} sources", kind.sources),
        )
        parts.append(f"{title}\n{columns(rows, header)}")
        parts += _audit_sentences(kind)
    if audit.kinds:
        parts.append(
            trn(
                "* of the 1 solver; with --json also the interval of each by itself",
                "* for all {n} solvers together; with --json also the interval of each by itself",
                sum(len(kind.solvers) for kind in audit.kinds),
            )
        )
    if audit.easy_items:
        shown = listed(f"{e.place} ({e.right}/{e.solvers})" for e in audit.easy_items[:_EASY_SHOWN])
        parts.append(
            trn(
                "Most solvers get 1 item right: {shown}",
                "Most solvers get {n} items right, such as: {shown}",
                len(audit.easy_items),
                shown=shown,
            )
        )
    for kind_name, count in audit.too_few.items():
        parts.append(
            trn(
                "{kind}: 1 item is too few for an audit; it takes {least}.",
                "{kind}: {n} items are too few for an audit; it takes {least}.",
                count,
                kind=format_label(kind_name),
                least=LEAST_ITEMS,
            )
        )
    if audit.several_right:
        parts.append(
            trn(
                "1 item asks for all options that are right; it is left out.",
                "{n} items ask for all options that are right; they are left out.",
                audit.several_right,
            )
        )
    if audit.without_options:
        parts.append(
            trn(
                "1 item offers no texts to choose from.",
                "{n} items offer no texts to choose from.",
                audit.without_options,
            )
        )
    return "\n\n".join(parts)


def _solver_row(solver: "SolverResult", name: str) -> tuple[str, ...]:
    from core.analysis.artifacts.solvers import beside_chance

    beside = beside_chance(above=solver.above_chance, below=solver.below_chance)
    return (
        name,
        f"{100 * solver.accuracy:.1f} %",
        "–"
        if solver.all_low is None or solver.all_high is None
        else f"[{100 * solver.all_low:.1f}, {100 * solver.all_high:.1f}]",
        f"{100 * solver.chance:.1f} %",
        listed(filter(None, (beside, solver.caution))),
    )


def _audit_sentences(kind: "KindAudit") -> list[str]:
    """What the table of one kind comes to."""
    from core.analysis.artifacts.solvers import below_chance_sentence, found_from_sentence

    above, said = kind.above_chance, []
    if above:
        said.append(
            trn(
                "1 of {all} solvers finds the right options more often than chance, though none "
                "reads the question for its meaning: a model may do so as well. Begin with the "
                "items that most solvers get right, or make the wrong options more like the right "
                "one.",
                "{n} of {all} solvers find the right options more often than chance, though none "
                "reads the question for its meaning: a model may do so as well. Begin with the "
                "items that most solvers get right, or make the wrong options more like the right "
                "one.",
                above,
                all=len(kind.solvers),
            )
        )
    else:
        said.append(tr("No solver finds the right options more often than chance."))
    if kind.below_chance:
        said.append(below_chance_sentence(kind.below_chance))
    if kind.above_alone:
        said.append(
            trn(
                "By itself, the interval of 1 solver would lie above chance; that may be luck. Of "
                "{all} such intervals about {expected} do for a sound file.",
                "By themselves, the intervals of {n} solvers would lie above chance; that may be "
                "luck. Of {all} such intervals about {expected} do for a sound file.",
                kind.above_alone,
                all=len(kind.solvers),
                expected=f"{0.025 * len(kind.solvers):.1f}",
            )
        )
    if kind.found_from is not None:
        said.append(found_from_sentence(kind.found_from))
    if kind.same_options:
        said.append(
            trn(
                "1 item offers the same options as another; the most frequent set of options is "
                "offered {most} times.",
                "{n} items offer the same options as another; the most frequent set of options is "
                "offered {most} times.",
                kind.same_options,
                most=kind.most_alike,
            )
        )
    return said


COMMANDS = (_add_check,)
