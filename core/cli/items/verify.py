"""``verify`` and ``anchor``: the workspace, a receipt, an export, a locked archive."""

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, json_object, open_workspace
from core.cli.console import Console
from core.errors import UsageError, unwritable
from core.i18n import labelled, listed, printed_day, printed_time, tr, trn
from core.workflow.labels import FINDINGS, word


def _add_verify(commands: Any) -> None:
    parser = add_command(
        commands, "verify", tr("verify the ledger and recompute every item from it"), _verify
    )
    parser.add_argument("--anchors", type=Path, metavar="PATH", action="append", default=[],
                        help=tr("file or folder with anchors of others"))  # fmt: skip
    parser.add_argument("--receipt", type=Path, metavar="FILE", help=tr("receipt of a split"))
    parser.add_argument(
        "--export",
        type=Path,
        metavar="DIR",
        help=tr("check an export instead, without a workspace; best with --receipt"),
    )
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="FILE",
        help=tr("check a locked archive instead, without opening it; best with --key or --receipt"),
    )
    parser.add_argument("--errata", type=Path, metavar="FILE",
                        help=tr("with --archive: a signed file of its errata"))  # fmt: skip
    parser.add_argument("--scripts", type=Path, metavar="DIR",
                        help=tr("write the scripts that check archives without Benchseal into "
                                "this folder instead"))  # fmt: skip
    parser.add_argument("--key", default="", metavar="ID",
                        help=tr("id of the key that should have signed the archive"))  # fmt: skip
    parser.add_argument("--root", default="", metavar="HASH",
                        help=tr("root that the archive should have"))  # fmt: skip


def _verify(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.verify.checks import verify

    if arguments.scripts is not None:
        _write_scripts(arguments.scripts, console)
        return 0
    receipt = None if arguments.receipt is None else json_object(arguments.receipt)
    if arguments.archive is not None:
        return _verify_archive(arguments, console, receipt)
    if arguments.key or arguments.root or arguments.errata is not None:
        raise UsageError.tr("--key, --root and --errata belong to --archive.")
    if arguments.export is not None:
        return _verify_export(arguments, console, receipt)
    ws = open_workspace(arguments, console)
    verification = verify(ws, receipt, arguments.anchors)
    document = {**asdict(verification), "sound": verification.sound}
    head = trn(
        "Checked {events}, {items}, {revisions} and {splits}: 1 problem.",
        "Checked {events}, {items}, {revisions} and {splits}: {n} problems.",
        len(verification.findings),
        events=trn("1 event", "{n} events", verification.events),
        items=trn("1 item", "{n} items", verification.items),
        revisions=trn("1 revision", "{n} revisions", verification.revisions),
        splits=trn("1 split", "{n} splits", verification.splits),
    )
    lines = [
        tr("{kind}  {subject}: {detail}", kind=word(FINDINGS, entry.kind), subject=entry.subject,
           detail=entry.detail)
        for entry in verification.findings
    ]  # fmt: skip
    if verification.bound_from > 1:
        lines.append(
            tr(
                "Event {number} recorded the state that an upgrade found. Earlier changes to rows "
                "cannot be shown, later ones can.",
                number=verification.bound_from,
            )
        )
    lines += [tr("note: {text}", text=text) for text in verification.notes]
    console.emit(document, "\n".join([head, *lines]))
    return 0 if verification.sound else 1


def _verify_export(
    arguments: argparse.Namespace, console: Console, receipt: dict[str, Any] | None
) -> int:
    """Check an export by itself and, where one is given, against a receipt."""
    from core.release.export_check import check_export

    checked = check_export(arguments.export, receipt)
    head = trn(
        "Checked {files} of {folder}: 1 problem.",
        "Checked {files} of {folder}: {n} problems.",
        len(checked.differences),
        files=trn("1 file", "{n} files", checked.files),
        folder=arguments.export,
    )
    lines = [labelled(entry.subject, entry.detail) for entry in checked.differences]
    lines += [tr("note: {text}", text=text) for text in checked.notes]
    document = {**asdict(checked), "sound": not checked.differences}
    console.emit(document, "\n".join([head, *lines]))
    return 1 if checked.differences else 0


def _verify_archive(
    arguments: argparse.Namespace, console: Console, receipt: dict[str, Any] | None
) -> int:
    """Check a locked archive by itself and against what is remembered of it."""
    from core.workflow.sealing import locked_archives

    checked = locked_archives.verify(arguments.archive, arguments.key, arguments.root)
    problems = [(entry.subject, entry.detail) for entry in checked.differences]
    digest = checked.manifest.get("split_digest")
    if checked.sound and receipt is not None and receipt.get("manifest_hash") != digest:
        problems.append(("manifest.json", tr("the receipt is for another split")))
    found: list[dict[str, Any]] = []
    if checked.sound and arguments.errata is not None:
        told = locked_archives.verify_errata(arguments.archive, arguments.errata, checked)
        problems += [(entry.subject, entry.detail) for entry in told.differences]
        found = [asdict(one) for one in told.errata]
    document = {"archive": str(arguments.archive), "sound": not problems,
                "key_id": checked.key_id, "manifest": dict(checked.manifest), "errata": found,
                "differences": [{"subject": s, "detail": d} for s, d in problems]}  # fmt: skip
    head = trn(
        "Checked the archive {path}: 1 problem.",
        "Checked the archive {path}: {n} problems.",
        len(problems),
        path=arguments.archive,
    )
    lines = [head, *(labelled(subject, detail) for subject, detail in problems)]
    if not problems:
        lines += _archive_lines(checked.manifest, checked.seal, checked.key_id)
        lines += [tr("erratum: item {place} of {at}: {reason}", place=one["place"] + 1,
                     at=printed_day(one["at"]), reason=one["reason"]) for one in found]  # fmt: skip
        if not (arguments.key or arguments.root or receipt):
            lines.append(tr("Compare the key or the root with what you were told: whoever has a "
                            "key of their own can sign another archive."))  # fmt: skip
    console.emit(document, "\n".join(lines))
    return 1 if problems else 0


def _archive_lines(manifest: Mapping[str, Any], seal: Mapping[str, Any], key_id: str) -> list[str]:
    custodians = seal.get("custodians") or {}
    recipients = len(seal.get("recipients", ()))
    when = printed_time(str(manifest.get("frozen_at", "")))
    lines = [
        tr("{name} of “{benchmark}”, {items}, frozen {when}.", name=manifest.get("split", ""),
           benchmark=manifest.get("benchmark", ""), when=when,
           items=trn("1 item", "{n} items", int(manifest.get("items", 0)))),
        tr("root {hash}", hash=manifest.get("root", "")),
        tr("signed by the key {key}", key=key_id),
        trn("encrypted to 1 recipient", "encrypted to {n} recipients", recipients),
    ]  # fmt: skip
    if custodians:
        lines.append(tr("custodians who can open it: {needed} of {shares}", **{
            key: custodians.get(key, "") for key in ("needed", "shares")}))  # fmt: skip
    return lines


def _write_scripts(folder: Path, console: Console) -> None:
    from core.files import write_atomic
    from resources import resource

    scripts = sorted(resource("standalone").glob("*.py"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for script in scripts:
            write_atomic(folder / script.name, script.read_text("utf-8"), for_others=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    paths = [str(folder / script.name) for script in scripts]
    console.emit({"files": paths}, tr("Written: {paths}.", paths=listed(paths)))


def _add_anchor(commands: Any) -> None:
    text = tr("anchor the ledger: keep a signed receipt of its newest event")
    parser = add_command(commands, "anchor", text, _anchor)
    parser.add_argument("--to", type=Path, metavar="PATH",
                        help=tr("also to this folder, git repository or file"))  # fmt: skip
    parser.add_argument("--user", metavar="U", default="", help=tr("who does it"))


def _anchor(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.anchors import anchors

    ws = open_workspace(arguments, console)
    anchor, path = anchors.make(ws, to=arguments.to)
    place = anchors.also_to(arguments.to)
    places = listed([str(path), *([str(place)] if place else [])])
    text = tr("Anchored event {number} in {path}.", number=anchor.event, path=places)
    document = {"event": anchor.event, "hash": anchor.hash, "file": str(path),
                "also": str(place) if place else None}  # fmt: skip
    console.emit(document, text)


COMMANDS = (_add_verify, _add_anchor)
