"""``track``: the scores of runs in a tracker of experiments."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_person
from core.cli.console import Console
from core.cli.options import RegisteredNames, add_user
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.workflow.evaluation.track import TrackedScore


def _add_track(commands: Any) -> None:
    text = tr("put scores of runs into MLflow, Weights & Biases or Trackio, without an item")
    parser = add_command(commands, "track", text, _track)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=tr("run"))
    known = RegisteredNames("core.evaluation.trackers", "TRACKERS")
    parser.add_argument("--into", required=True, metavar="T", choices=known, help=tr("tracker"))
    parser.add_argument("--at", required=True, metavar="PLACE",
                        help=tr("its server's address, or a folder of this machine"))  # fmt: skip
    parser.add_argument("--python", default="", metavar="FILE",
                        help=tr("a Python that has the tracker's package"))  # fmt: skip
    parser.add_argument("--follow", action="store_true",
                        help=tr("keep writing, every 30 seconds, until the runs "
                                "have ended"))  # fmt: skip
    add_user(parser, tr("who does it; recorded in the ledger"))


def _track(arguments: argparse.Namespace, console: Console) -> None:
    from core.evaluation.trackers import TRACKERS
    from core.workflow.evaluation import track

    ws = open_workspace(arguments, console)
    (tracker,) = (one for one in TRACKERS if one.name == arguments.into)
    person = the_person(ws)
    announced = [
        track.announce(ws, run, tracker, arguments.at, person, arguments.python)
        for run in arguments.runs
    ]
    sent = []
    for one in announced:
        score = track.track(ws, one)
        while arguments.follow and score.going_on:
            console.say(_line(score, tracker.title))
            track.wait(ws, one)
            score = track.track(ws, one)
        sent.append(score)
    lines = [_line(score, tracker.title) for score in sent]
    console.emit({"tracked": [asdict(score) for score in sent]}, "\n".join(lines))


def _line(sent: "TrackedScore", title: str) -> str:
    score = "–" if sent.score is None else f"{sent.score:.4f}"
    return trn(
        "{run} is in {tracker}: {score}, {answered} of 1 item answered ({at})",
        "{run} is in {tracker}: {score}, {answered} of {n} items answered ({at})",
        sent.items, run=sent.run, tracker=title, score=score, answered=sent.answered, at=sent.at,
    )  # fmt: skip


COMMANDS = (_add_track,)
