"""``sign-score`` and ``verify-score``: a score as a signed record for others."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_person
from core.cli.console import Console
from core.cli.options import add_evaluator, add_user
from core.i18n import labelled, tr, trn

if TYPE_CHECKING:
    from core.sealing.score_record import RecordCheck


def _add_sign(commands: Any) -> None:
    text = tr("write the score of a finished run as a signed record, without an item")
    parser = add_command(commands, "sign-score", text, _sign)
    parser.add_argument("run", metavar="RUN", help=tr("run"))
    parser.add_argument("--out", required=True, type=Path, metavar="FILE",
                        help=tr("the record; a new file"))  # fmt: skip
    parser.add_argument("--show", action="append", default=[], metavar="ITEM|all",
                        help=tr("show outcome and score of this item, with a proof; the others "
                                "stay withheld; can be repeated"))  # fmt: skip
    add_evaluator(parser, "other")
    add_user(parser, tr("who signs it; recorded in the ledger"))


def _sign(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.sealing import score_records

    ws = open_workspace(arguments, console)
    evaluator = score_records.Evaluator(arguments.organization, arguments.relationship)
    signed = score_records.sign(
        ws, arguments.run, arguments.out, the_person(ws),
        shown=[item.removeprefix("#") for item in arguments.show], evaluator=evaluator,
    )  # fmt: skip
    lines = [
        tr("Signed the score {score} of {model} on {split} in {path}.", score=f"{signed.score:.4f}",
           model=signed.model, split=signed.split, path=signed.path),
        trn("1 result, {shown} shown", "{n} results, {shown} shown", signed.items,
            shown=signed.shown),
        tr("root of the results {hash}", hash=signed.results_root),
        tr("signed by the key {key}", key=signed.key_id),
    ]  # fmt: skip
    console.emit(asdict(signed), "\n".join(lines))


def _add_verify(commands: Any) -> None:
    text = tr("check the signed record of a score, without a workspace")
    parser = add_command(commands, "verify-score", text, _verify)
    parser.add_argument("file", metavar="FILE", type=Path, help=tr("the record"))
    parser.add_argument("--key", default="", metavar="ID",
                        help=tr("id of the key that should have signed it"))  # fmt: skip
    parser.add_argument("--root", default="", metavar="HASH",
                        help=tr("root of the split's locked archive"))  # fmt: skip


def _verify(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.sealing import score_records

    checked = score_records.verify(arguments.file, arguments.key, arguments.root)
    problems = [(one.subject, one.detail) for one in checked.differences]
    document = {"record": str(arguments.file), "sound": checked.sound, "key_id": checked.key_id,
                "body": dict(checked.body),
                "differences": [{"subject": s, "detail": d} for s, d in problems]}  # fmt: skip
    head = trn(
        "Checked the record {path}: 1 problem.",
        "Checked the record {path}: {n} problems.",
        len(problems),
        path=arguments.file,
    )
    lines = [head]
    lines += [labelled(subject, detail) for subject, detail in problems]
    if checked.sound:
        lines += _told(checked)
        if not (arguments.key or arguments.root):
            lines.append(tr("Compare the key or the root with what you were told: whoever has a "
                            "key of their own can sign another record."))  # fmt: skip
    console.emit(document, "\n".join(lines))
    return 0 if checked.sound else 1


def _told(checked: "RecordCheck") -> list[str]:
    body = checked.body
    score, split, results = body["score"], body["split"], body["results"]
    seen = body.get("seen_before")
    return [
        tr("{model}: {score} on {split}, manifest {hash}",
           model=body["evaluation"]["model_info"]["id"], score=f"{score['mean']:.4f}",
           split=split["name"], hash=split["digest"][:12]),
        trn("1 result, {shown} shown", "{n} results, {shown} shown", results["size"],
            shown=len(results["shown"])),
        *([_partly(score["n"], results["size"])] if score["n"] < results["size"] else []),
        *([seen["sentence"]] if seen else []),
        tr("signed by the key {key}", key=checked.key_id),
    ]  # fmt: skip


def _partly(scored: int, results: int) -> str:
    return trn("Only {scored} of 1 result has a score; the others are in no mean.",
               "Only {scored} of {n} results have a score; the others are in no mean.",
               results, scored=scored)  # fmt: skip


COMMANDS = (_add_sign, _add_verify)
