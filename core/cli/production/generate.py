"""``generate``: items from articles."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, add_group, day, open_workspace, per_article, positive
from core.cli.console import Console, columns
from core.cli.options import add_launcher, add_no_wait, add_seed
from core.errors import UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    pass


def _add_generate(commands: Any) -> None:
    families = add_group(commands, "generate", tr("generate items from articles"), tr("FAMILY"))
    scp = add_command(
        families, "scp", tr("generate sequencing, cloze and prediction items"), _generate_scp
    )
    scp.add_argument("paths", metavar="PATH", nargs="+", type=Path, help=tr("files or folders"))
    scp.add_argument("--benchmark", metavar="B", help=tr("name of the benchmark"))
    scp.add_argument("--domain", metavar="D", help=tr("domain of articles that do not state one"))
    scp.add_argument("--formats", default="s,c,p", metavar="s,c,p", help=tr("formats to generate"))
    scp.add_argument("--per-article", type=per_article, default=20, metavar="N",
                     help=tr("items of each format"))  # fmt: skip
    add_seed(scp)
    scp.add_argument(
        "--jobs", type=positive, default=1, metavar="N", help=tr("number of processes")
    )
    add_launcher(scp)
    add_no_wait(scp)
    scp.add_argument("--metadata", type=Path, metavar="FILE", help=tr("arXiv metadata, JSON lines"))
    scp.add_argument("--since", type=day, metavar="DATE",
                     help=tr("only articles of this date or later"))  # fmt: skip
    scp.add_argument("--until", type=day, metavar="DATE",
                     help=tr("only articles of this date or earlier"))  # fmt: skip
    scp.add_argument(
        "--any-text",
        action="store_true",
        help=tr("also texts that are not articles: documentation, letters, course material"),
    )
    scp.add_argument(
        "--as-published",
        action="store_true",
        help=tr("reproduce the published code, defects included; for study only"),
    )


def _formats(text: str) -> tuple[str, ...]:
    from core.generation.spec import FORMAT_LETTERS

    letters = [part.strip() for part in text.split(",") if part.strip()]
    named = {**FORMAT_LETTERS, **{name: name for name in FORMAT_LETTERS.values()}}
    unknown = [letter for letter in letters if letter not in named]
    if unknown or not letters:
        raise UsageError.tr("--formats takes s, c and p, separated by commas.")
    return tuple(dict.fromkeys(named[letter] for letter in letters))


def _generate_scp(arguments: argparse.Namespace, console: Console) -> None:
    from core.generation.spec import ScpSpec
    from core.sources.articles.read_paths import read_paths
    from core.workflow.people import default_benchmark
    from core.workflow.production import take_in_items
    from core.workflow.runs import runs, take_in

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
        any_text=arguments.any_text,
    )
    for path, reason in report.skipped:
        console.say(tr("skipped {path}: {reason}", path=path, reason=reason))
    for path, sentence in report.notes:
        console.say(tr("{path}: {sentence}", path=path, sentence=sentence))
    option = "" if arguments.json else "--any-text"
    if report.no_articles and report.articles:
        console.say(take_in_items.any_text_hint(report.no_articles, option))
    take_in_items.require_articles(report, option)
    ws = open_workspace(arguments, console, make=True)
    benchmark = arguments.benchmark or default_benchmark()
    folder = take_in_items.start_generation(
        ws, report, benchmark, spec, jobs=arguments.jobs, launcher=arguments.launcher
    )
    run_id = folder.spec().id
    console.say(
        trn(
            "Generating from 1 article (run {run}).",
            "Generating from {n} articles (run {run}).",
            len(report.articles),
            run=run_id,
        )
    )
    if arguments.no_wait:
        console.emit({"run": run_id, "benchmark": benchmark}, run_id)
        return
    runs.wait(ws, run_id)
    result = take_in.take_in(ws, run_id)
    console.emit(result, _made_text(result))


def _made_text(result: dict[str, Any]) -> str:
    from core.generation.run import reason_text

    lines = [
        trn(
            "1 item in “{benchmark}”, {known} of which already existed.",
            "{n} items in “{benchmark}”, {known} of which already existed.",
            result["added"] + result["known"],
            benchmark=result["benchmark"],
            known=result["known"],
        ),
        columns([(name, count) for name, count in sorted(result["items"].items())]),
    ]
    if hidden := result.get("hidden"):
        lines.append(
            trn("1 of them stays hidden until an import is finished that brought the same content.",
                "{n} of them stay hidden until an import is finished that brought the same "
                "contents.", hidden)
        )  # fmt: skip
    if result["filtered"]:
        lines.append(tr("Fragments left out:"))
        lines.append(
            columns([(reason_text(reason), n) for reason, n in result["filtered"].items()])
        )
    if result["short"]:
        lines.append(tr("Fewer items than requested:"))
        rows = [
            (s["article"], s["format"], s["made"], s["asked"], reason_text(s["reason"]))
            for s in result["short"]
        ]
        header = (tr("article"), tr("format"), tr("generated"), tr("requested"), tr("reason"))
        lines.append(columns(rows, header))
    lines.append(tr("digest {digest}", digest=result["digest"]))
    lines.append(tr("written to {path}", path=result["file"]))
    return "\n".join(lines)


COMMANDS = (_add_generate,)
