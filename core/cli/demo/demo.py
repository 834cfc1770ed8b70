"""The demonstration: the whole loop on articles of our own, in a workspace of its own.

Everything in it that a person would have done is done by a script and named so: the reviewers are
called "demo reviewer", their notes say that they are demonstration data, and the models are a
stand-in and the baselines.
"""

import argparse
import os
import random
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.console import Console, columns, has_display
from core.cli.demo import scores, stages
from core.cli.demo.fake_model import MODEL, stand_in_server
from core.errors import BenchsealError, OutsideError
from core.i18n import language as language_in_use
from core.i18n import printed, set_language, tr, trn

if TYPE_CHECKING:
    from core.workflow.workspace import Workspace

BENCHMARK = "demo"
SPLIT = "demo-private"
REVIEWERS = ("demo reviewer 1", "demo reviewer 2")
LEAD = "demo lead"
SEED = 7
UNFINISHED = "demo-unfinished"
"""The file that lies in a demonstration's folder until it is whole."""


def run_demo(arguments: argparse.Namespace, console: Console) -> int:
    """Make the demonstration and open its window, or go through it unseen without a display.

    Returns the exit status.
    """
    headless = arguments.headless or not (arguments.no_window or has_display())
    folder = arguments.dir or Path(arguments.workspace or "demo")
    ws, is_new = _workspace(folder.absolute(), headless, console)
    try:
        if is_new:
            _prepare(ws, console, decided=0.85 if headless else 0.6)
            (ws.place.folder / UNFINISHED).unlink(missing_ok=True)
        if not headless:
            if arguments.no_window:
                place = str(ws.place.folder)
                console.emit(
                    {"workspace": place}, tr("The demonstration is in {path}.", path=place)
                )
                return 0
            console.say(tr("Opening {path} in a window.", path=ws.place.folder))
            location = ws.place.database
            ws.close()
            return int(import_module("gui.app").run_window(location))
        document = _finish(ws, console)
    finally:
        ws.close()
    console.emit(document, _summary(document))
    return exit_status(document)


def _workspace(folder: Path, headless: bool, console: Console) -> "tuple[Workspace, bool]":
    """The demonstration's workspace, and whether it is new: one that is whole is opened again, but
    a headless run makes a new one beside earlier ones, and so does what finds one that was
    interrupted."""
    from core.files import make_private_folder
    from core.workflow.workspace import Workspace

    place, number = folder, 1
    while Workspace.exists(place):
        if not (headless or (place / UNFINISHED).exists()):
            return Workspace.open(place), False
        number += 1
        place = folder.with_name(f"{folder.name}-{number}")
    console.say(tr("Creating a demonstration workspace in {path}.", path=place))
    with suppress(OSError):  # which the workspace says in words
        make_private_folder(place)
        (place / UNFINISHED).touch()
    return Workspace.create(place, LEAD), True


def _prepare(ws: "Workspace", console: Console, *, decided: float) -> None:
    """Generate, screen and let scripted reviewers decide on a share of the items."""
    from core.generation.spec import ScpSpec
    from core.screening.run import PrescreenParams
    from core.sources.articles.read_paths import read_paths
    from core.workflow.check import screen
    from core.workflow.production import take_in_items
    from core.workflow.runs import runs, take_in
    from resources import resource

    console.say(tr("Evaluating the baselines on an earlier period that has expired …"))
    scores.earlier_period(ws, LEAD, REVIEWERS, SEED + 1)
    console.say(tr("Generating items from the demonstration articles …"))
    report = read_paths([resource("demo")])
    folder = take_in_items.start_generation(
        ws, report, BENCHMARK, ScpSpec(per_article=4, seed=SEED)
    )
    runs.wait(ws, folder.spec().id)
    result = take_in.take_in(ws, folder.spec().id)
    console.say(trn("There is now 1 draft.", "There are now {n} drafts.", result["added"]))
    console.say(tr("Submitting written items and rewrites …"))
    stages.hand_in(ws, BENCHMARK, LEAD)
    console.say(tr("Screening them with a stand-in for a language model …"))
    with stand_in_server() as address:
        gate = screen.start(ws, BENCHMARK, PrescreenParams(base_url=address, model=MODEL))
        info = runs.wait(ws, gate.spec().id)
    if info.error:
        raise OutsideError(info.error)
    take_in.take_in(ws, gate.spec().id)
    console.say(tr("Two scripted reviewers are deciding (demonstration data) …"))
    _decide(ws, decided)
    stages.decide(ws, BENCHMARK, LEAD, REVIEWERS, SEED)


def _decide(ws: "Workspace", share: float) -> None:
    """Two reviewers with the same seeded taste, who disagree now and then."""
    from core.workflow.check import review
    from core.workflow.items import search

    rng = random.Random(SEED)
    filters = search.Filters(benchmark=BENCHMARK, family="scp", states=("in_review",))
    item_ids = search.numbers(ws, filters, viewer="")
    note = "demonstration data"
    for number in item_ids[: round(share * len(item_ids))]:
        good = rng.random() < 0.88
        for reviewer in REVIEWERS:
            if rng.random() < 0.06:
                good = not good
            verdict, reason = ("accept", "") if good else ("reject", rng.choice(review.REASONS[:4]))
            seconds = rng.uniform(4, 40)
            review.decide(ws, reviewer, number, verdict, reason=reason, note=note, seconds=seconds)


def _finish(ws: "Workspace", console: Console) -> dict[str, Any]:
    """Measure, freeze, export, evaluate the baselines, and take pictures."""
    from core.agreement.serialise import results_to_json
    from core.workflow.dashboards import agreement_query
    from core.workflow.items import state_counts
    from core.workflow.splits import exports, freeze

    agreement = agreement_query.agreement(ws, agreement_query.Scope(benchmark=BENCHMARK))
    console.say(tr("Freezing and exporting the items that both accepted …"))
    split = freeze.freeze(ws, SPLIT, BENCHMARK, LEAD)
    folders = {}
    for form in ("jsonl", "lm-eval"):
        out = ws.place.folder / "exports" / form
        exports.export(ws, SPLIT, form, out, person=LEAD)
        folders[form] = str(out)
    reports = []
    for engine in ("baseline:tfidf", "baseline:random"):
        console.say(tr("Evaluating {engine} …", engine=engine))
        reports.append(_evaluate(ws, engine))
    pictures, pictures_failed = take_pictures(ws, console)
    return {
        "workspace": str(ws.place.folder),
        "states": state_counts.counts(ws, BENCHMARK),
        "agreement": results_to_json(agreement.coefficients),
        "split": {"name": split.name, "items": split.size, "hash": split.manifest_hash},
        "exports": folders,
        "reports": reports,
        "pictures": [str(path) for path in pictures],
        "pictures_failed": pictures_failed,
    }


def _evaluate(ws: "Workspace", engine: str) -> dict[str, Any]:
    from core.workflow.evaluation.score_run import report

    return report(ws, scores.evaluated(ws, SPLIT, engine, SEED)).as_json()


def take_pictures(ws: "Workspace", console: Console) -> tuple[list[Path], str]:
    """Pictures of the panels, and why they failed, else empty. A machine without Qt's system
    libraries has no window that could fail: it says so and goes on."""
    console.say(tr("Taking screenshots of the panels …"))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    out = ws.place.folder / "pictures"
    spoken = language_in_use()
    paths: list[Path] = []
    failed = ""
    try:
        save = import_module("gui.screenshots.panels").save_pictures
        for language in ("en", "zh"):
            paths += save(ws.place.database, out / language, LEAD, language)
    except ImportError as error:
        console.say(tr("No screenshots: {reason}", reason=error))
    except BenchsealError as error:
        failed = str(error)
    finally:
        set_language(spoken)
    if failed:
        console.say(tr("No screenshots: {reason}", reason=failed))
    return paths, failed


def exit_status(document: dict[str, Any]) -> int:
    """1 where the window is there and gave no pictures, else 0."""
    return 1 if document["pictures_failed"] else 0


def _accuracy(report: dict[str, Any]) -> str:
    value, low, high = (f"{100 * report[name]:.1f}" for name in ("accuracy", "low", "high"))
    return tr("{value}% (95% interval {low} to {high})", value=value, low=low, high=high)


def _summary(document: dict[str, Any]) -> str:
    kappa = next(one for one in document["agreement"] if one["name"] == "fleiss_kappa")
    value = kappa["undefined"] or printed(kappa["value"], 3)
    lines = [
        tr(
            "Demonstration in {path} (scripted decisions, baseline models)",
            path=document["workspace"],
        ),
        columns([(state, count) for state, count in document["states"].items() if count]),
        tr("Fleiss' kappa of the two scripted reviewers: {value}", value=value),
        trn(
            "Split “{name}”: 1 item, {hash}",
            "Split “{name}”: {n} items, {hash}",
            document["split"]["items"],
            name=document["split"]["name"],
            hash=document["split"]["hash"][:12],
        ),
        columns(
            [
                (
                    one["model"],
                    one["items"],
                    _accuracy(one),
                )
                for one in document["reports"]
            ]
        ),
    ]
    if document["pictures"]:
        lines.append(
            trn(
                "1 screenshot in {path}",
                "{n} screenshots in {path}",
                len(document["pictures"]),
                path=str(Path(document["pictures"][0]).parent.parent),
            )
        )
    return "\n".join(lines)
