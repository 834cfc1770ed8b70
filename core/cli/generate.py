"""Commands that make items and look for defects: generate, check, screen."""

import argparse
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import (
    add_command,
    add_group,
    open_workspace,
    per_article,
    positive,
    the_benchmark,
)
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_budget, add_concurrency, add_seed
from core.errors import OutsideError, StateError, UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.generation.checking import CheckReport


def _add_generate(commands: Any) -> None:
    families = add_group(commands, "generate", tr("make items from articles"), tr("FAMILY"))
    scp = add_command(
        families, "scp", tr("make sequencing, cloze and prediction items"), _generate_scp
    )
    scp.add_argument("paths", metavar="PATH", nargs="+", type=Path, help=tr("files or folders"))
    scp.add_argument("--benchmark", metavar="B", help=tr("name of the benchmark"))
    scp.add_argument("--domain", metavar="D", help=tr("domain of articles that do not tell theirs"))
    scp.add_argument("--formats", default="s,c,p", metavar="s,c,p", help=tr("formats to make"))
    scp.add_argument("--per-article", type=per_article, default=20, metavar="N",
                     help=tr("items of each format"))  # fmt: skip
    add_seed(scp)
    scp.add_argument("--jobs", type=positive, default=1, metavar="N", help=tr("processes"))
    scp.add_argument("--metadata", type=Path, metavar="FILE", help=tr("arXiv metadata, JSON lines"))
    scp.add_argument("--since", type=date.fromisoformat, metavar="DATE",
                     help=tr("articles of this date or later"))  # fmt: skip
    scp.add_argument("--until", type=date.fromisoformat, metavar="DATE",
                     help=tr("articles of this date or earlier"))  # fmt: skip
    scp.add_argument(
        "--as-published",
        action="store_true",
        help=tr("make the published code's choices, defects included, for study only"),
    )


def _formats(text: str) -> tuple[str, ...]:
    from core.generation.spec import FORMAT_LETTERS

    letters = [part.strip() for part in text.split(",") if part.strip()]
    named = {**FORMAT_LETTERS, **{name: name for name in FORMAT_LETTERS.values()}}
    unknown = [letter for letter in letters if letter not in named]
    if unknown or not letters:
        raise UsageError(tr("--formats takes s, c and p, separated by commas."))
    return tuple(dict.fromkeys(named[letter] for letter in letters))


def _generate_scp(arguments: argparse.Namespace, console: Console) -> None:
    from core.generation.spec import ScpSpec
    from core.sources.articles.read_paths import read_paths
    from core.workflow.people import default_benchmark
    from core.workflow.production import take_in_items
    from core.workflow.runs import runs

    spec = ScpSpec(
        formats=_formats(arguments.formats),
        per_article=arguments.per_article,
        seed=arguments.seed,
        as_published=arguments.as_published,
    )
    report = read_paths(
        arguments.paths,
        domain=arguments.domain,
        metadata=[arguments.metadata] if arguments.metadata else None,
        since=arguments.since,
        until=arguments.until,
    )
    for path, reason in report.skipped:
        console.say(tr("skipped {path}: {reason}", path=path, reason=reason))
    for path, sentence in report.notes:
        console.say(tr("{path}: {sentence}", path=path, sentence=sentence))
    take_in_items.require_articles(report)
    ws = open_workspace(arguments, console, make=True)
    benchmark = arguments.benchmark or default_benchmark()
    folder = take_in_items.start_generation(ws, report, benchmark, spec, jobs=arguments.jobs)
    run_id = folder.spec().id
    console.say(
        trn(
            "Generating from 1 article (run {run}).",
            "Generating from {n} articles (run {run}).",
            len(report.articles),
            run=run_id,
        )
    )
    runs.wait(ws, run_id)
    made = take_in_items.generated(ws, run_id)
    ws.close()
    console.emit(made, _made_text(made))


def _made_text(made: dict[str, Any]) -> str:
    from core.generation.run import reason_text

    lines = [
        trn(
            "1 item in “{benchmark}”, {known} known already.",
            "{n} items in “{benchmark}”, {known} known already.",
            made["added"] + made["known"],
            benchmark=made["benchmark"],
            known=made["known"],
        ),
        columns([(name, count) for name, count in sorted(made["items"].items())]),
    ]
    if made["filtered"]:
        lines.append(tr("Fragments left out:"))
        lines.append(columns([(reason_text(reason), n) for reason, n in made["filtered"].items()]))
    if made["short"]:
        lines.append(tr("Fewer items than asked:"))
        rows = [
            (s["article"], s["format"], s["made"], s["asked"], reason_text(s["reason"]))
            for s in made["short"]
        ]
        header = (tr("article"), tr("format"), tr("made"), tr("asked"), tr("reason"))
        lines.append(columns(rows, header))
    lines.append(tr("digest {digest}", digest=made["digest"]))
    lines.append(tr("written to {path}", path=made["file"]))
    return "\n".join(lines)


def _add_check(commands: Any) -> None:
    parser = add_command(commands, "check", tr("look for defects in a file of items"), _check)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help=tr("files of items"))
    parser.add_argument("--format", choices=("auto", "arxivroll", "jsonl"), default="auto",
                        help=tr("arxivroll: as its generator writes them"))  # fmt: skip
    parser.add_argument("--articles", metavar="DIR", type=Path, help=tr("the items' articles"))


def _check(arguments: argparse.Namespace, console: Console) -> int:
    from core.generation.checking import check_file
    from core.sources.articles.read_paths import read_paths

    articles = read_paths([arguments.articles]).articles if arguments.articles else None
    reports = [check_file(path, arguments.format, articles) for path in arguments.files]
    document = reports[0].as_json() if len(reports) == 1 else _together(arguments.files, reports)
    texts = [
        _check_text(path, report) for path, report in zip(arguments.files, reports, strict=True)
    ]
    console.emit(document, "\n\n".join(texts))
    return 0 if document["clean"] else 1


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
    header = (tr("defect"), tr("count"), tr("rate"), tr("by format"), tr("first examples"))
    return (
        trn("{path}: 1 item", "{path}: {n} items", report.items, path=path)
        + "\n"
        + columns(rows, header)
    )


def _add_screen(commands: Any) -> None:
    parser = add_command(commands, "screen", tr("let a language model score the drafts"), _screen)
    add_benchmark(parser)
    parser.add_argument("--base-url", required=True, metavar="U", help=tr("the server's address"))
    parser.add_argument("--model", required=True, metavar="M", help=tr("the server's model"))
    parser.add_argument("--threshold", type=float, default=6.0, metavar="T",
                        help=tr("a lower score screens out"))  # fmt: skip
    add_concurrency(parser, 8)
    add_budget(parser)
    parser.add_argument("--task", metavar="T", default="", help=tr("the drafts of one task only"))
    parser.add_argument(
        "--retry-failed",
        action="store_true",
        help=tr("only drafts that gave no usable reply before"),
    )


def _screen(arguments: argparse.Namespace, console: Console) -> None:
    from core.screening.run import PrescreenParams
    from core.workflow.check import screen
    from core.workflow.runs import runs

    if not 0 <= arguments.threshold <= 10:
        raise UsageError(tr("--threshold is a number from 0 to 10."))
    ws = open_workspace(arguments, console)
    params = PrescreenParams(
        base_url=arguments.base_url,
        model=arguments.model,
        threshold=arguments.threshold,
        concurrency=arguments.concurrency,
        budget_tokens=arguments.budget_tokens,
    )
    folder = screen.start(
        ws,
        the_benchmark(ws, arguments.benchmark),
        params,
        arguments.task,
        only_failed=arguments.retry_failed,
    )
    run_id = folder.spec().id
    console.say(
        trn(
            "Screening 1 item (run {run}).",
            "Screening {n} items (run {run}).",
            folder.spec().total,
            run=run_id,
        )
    )
    info = runs.wait(ws, run_id)
    if info.state == "finished":
        screen.take_in(ws, run_id)
    elif info.error:
        if not info.done:
            screen.close(ws, run_id)  # nothing was asked: the drafts are free again
        raise OutsideError(info.error)
    counted = {"run": run_id, **screen.counts(ws, run_id)}
    ws.close()
    console.emit(counted, columns([(k, v) for k, v in counted.items() if isinstance(v, int)]))
    if info.state != "finished":
        raise StateError(tr("The run {run} is not finished; give the command again.", run=run_id))


COMMANDS = (_add_generate, _add_check, _add_screen)
