"""``check``: the defects in a file of items."""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import (
    add_command,
)
from core.cli.console import Console, columns
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.generation.checking import CheckReport


def _add_check(commands: Any) -> None:
    parser = add_command(commands, "check", tr("check a file of items for defects"), _check)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help=tr("files of items"))
    parser.add_argument("--format", choices=("auto", "arxivroll", "jsonl"), default="auto",
                        help=tr("arxivroll: files written by the ArxivRoll generator"))  # fmt: skip
    parser.add_argument("--articles", metavar="DIR", type=Path, help=tr("articles of the items"))


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
    header = (tr("defect"), tr("count"), tr("rate"), tr("by format"), tr("examples"))
    return (
        trn("{path}: 1 item", "{path}: {n} items", report.items, path=path)
        + "\n"
        + columns(rows, header)
    )


COMMANDS = (_add_check,)
