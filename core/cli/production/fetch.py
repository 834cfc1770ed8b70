"""``fetch``: articles from arXiv, politely and resumably."""

import argparse
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, add_group, day, positive
from core.cli.console import Console
from core.errors import UsageError
from core.i18n import listed, tr, trn


def _add_fetch(commands: Any) -> None:
    sources = add_group(commands, "fetch", tr("download articles"), tr("SOURCE"))
    arxiv = add_command(
        sources, "arxiv", tr("download articles of a category and a period from arXiv"), _arxiv
    )
    arxiv.add_argument("--category", required=True, metavar="C", help=tr("such as cs.CL or hep-th"))
    arxiv.add_argument("--from", dest="since", type=day, required=True,
                       metavar="DATE", help=tr("first day of submission, UTC"))  # fmt: skip
    arxiv.add_argument("--to", dest="until", type=day, required=True,
                       metavar="DATE", help=tr("last day of submission, UTC"))  # fmt: skip
    arxiv.add_argument(
        "--cutoff", type=day, metavar="DATE",
        help=tr("training cutoff of the newest model to be tested; only later articles are taken"),
    )  # fmt: skip
    arxiv.add_argument("--limit", type=positive, metavar="N", help=tr("maximum number of articles"))
    arxiv.add_argument("--out", type=Path, default=Path("arxiv"), metavar="FOLDER",
                       help=tr("folder to download into; a second run continues"))  # fmt: skip
    arxiv.add_argument("--server", default="", metavar="URL", help=tr("a mirror of arXiv"))


def _arxiv(arguments: argparse.Namespace, console: Console) -> None:
    from core.sources.articles.arxiv_api import BASE_URL, FetchQuery, fetch

    since = _after_cutoff(arguments, console)
    query = FetchQuery(arguments.category, since, arguments.until, arguments.limit)

    def tell(done: int, found: int, name: str) -> None:
        console.say(tr("{done} of {found}: {name}", done=done, found=found, name=name))

    def tell_of_wait(reason: str, seconds: float) -> None:
        console.say(tr("{reason}; asked again in {seconds} s.", reason=reason,
                       seconds=round(seconds)))  # fmt: skip

    console.say(tr("arXiv asks for one request every 3 seconds, so this takes a while."))
    server = arguments.server or BASE_URL
    report = fetch(query, arguments.out, base_url=server, on_progress=tell, on_wait=tell_of_wait)
    for name, reason in report.failed:
        console.say(tr("{name} could not be downloaded: {reason}.", name=name, reason=reason))
    if report.unlicensed:
        console.say(
            trn(
                "The licence of 1 article is unknown: {names}.",
                "The licences of {n} articles are unknown: {names}.",
                len(report.unlicensed),
                names=listed(report.unlicensed[:5]),
            )
        )
    console.emit(
        {
            "folder": str(report.folder),
            "found": report.found,
            "fetched": list(report.fetched),
            "already": list(report.already),
            "failed": [list(entry) for entry in report.failed],
            "unlicensed": list(report.unlicensed),
        },
        trn(
            "1 article found; {fetched} downloaded now, {already} already there, {failed} failed. "
            "Folder: {folder}",
            "{n} articles found; {fetched} downloaded now, {already} already there, {failed} "
            "failed. Folder: {folder}",
            report.found,
            fetched=len(report.fetched),
            already=len(report.already),
            failed=len(report.failed),
            folder=report.folder,
        ),
    )


def _after_cutoff(arguments: argparse.Namespace, console: Console) -> date:
    """The first day to ask for; articles that a model may know are left out, and it is said."""
    since: date = arguments.since
    cutoff: date | None = arguments.cutoff
    if cutoff is None:
        console.say(
            tr(
                "Without --cutoff nothing ensures that the models to be tested have not seen these "
                "articles."
            )
        )
        return since
    if cutoff >= arguments.until:
        raise UsageError.tr(
            "All articles up to {until} may be known to a model trained until {cutoff}. "
            "Choose a later period.",
            until=arguments.until,
            cutoff=cutoff,
        )
    if cutoff >= since:
        since = cutoff + timedelta(days=1)
        console.say(
            tr("Articles up to the cutoff are left out; the period starts at {since}.", since=since)
        )
    return since


COMMANDS = (_add_fetch,)
