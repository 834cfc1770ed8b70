"""The items of a split against the files of a corpus."""

import codecs
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.analysis.corpus_overlap import WINDOW, Overlap, corpus_overlap
from core.bounded_json import bounded_lines, parse_json
from core.errors import InputError
from core.families import family
from core.files import MOST_FILE, open_regular
from core.i18n import tr, trn
from core.release.manifest import askable
from core.report_table import ReportTable
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace

_PIECE = 8_000_000  # bytes of a text that are read at once
_CARRIED = 4000  # characters of a piece that the next one begins with
_SHOWN = 20


def overlap_with_files(
    ws: Workspace,
    split: str,
    paths: Sequence[Path],
    *,
    control: str = "",
    window: int = WINDOW,
    seed: int = 0,
) -> Overlap:
    """N-gram overlap of a split's questions with files and folders, beside a ``control`` split.

    Text is read as UTF-8; of ``.json`` and ``.jsonl`` files every text in them. Raises InputError
    where there is no file or one cannot be read.
    """
    files = sorted({file for path in paths for file in _files(path)})
    if not files:
        raise InputError(tr("There are no files in {paths}.", paths=", ".join(map(str, paths))))
    pieces = (piece for file in files for piece in _pieces(file))
    return corpus_overlap(
        _texts(ws, split),
        pieces,
        control=_texts(ws, control) if control else None,
        window=window,
        seed=seed,
    )


def _texts(ws: Workspace, split: str) -> dict[str, str]:
    return {
        item.uid: family(item.content.family).plain_text(item.content)
        for item in askable(freeze.members_of(ws, split))
    }


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (file for file in path.rglob("*") if file.is_file() and not file.is_symlink())
    else:
        yield path


def _pieces(path: Path) -> Iterator[str]:
    try:
        with open_regular(path) as file:
            if path.suffix in (".json", ".jsonl"):
                lines = bounded_lines(file) if path.suffix == ".jsonl" else [file.read(MOST_FILE)]
                for line in lines:
                    yield from _strings(_parsed(line))
                if file.tell() >= os.fstat(file.fileno()).st_size:
                    return
            decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
            before = ""
            while data := file.read(_PIECE):
                text = before + decoder.decode(data)
                yield text
                before = text[-_CARRIED:]
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            tr("Could not read “{path}”: {reason}.", path=path, reason=reason)
        ) from error


def _parsed(line: bytes) -> Any:
    try:
        return parse_json(line)
    except ValueError:
        return line.decode("utf-8", errors="replace")  # as text: nothing of a corpus is passed over


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def overlap_table(found: Overlap, split: str) -> ReportTable:
    """The items with the largest overlap, and in notes what it means."""
    rows = sorted(found.items, key=lambda item: (-item.covered, -item.longest, item.id))
    touched = [item for item in rows if item.covered > 0]
    against = (
        tr("the control items {mean}%", mean=_percent(found.control))
        if found.control
        else tr("the same words in random order {mean}%", mean=_percent(found.chance))
    )
    notes = (
        trn(
            "1 of {items} items shares a stretch of {window} words with the corpus.",
            "{n} of {items} items share a stretch of {window} words with the corpus.",
            len(touched),
            items=len(found.items),
            window=found.window,
        ),
        tr(
            "On average {mean}% of an item is covered, of {against}; one-sided p {p}.",
            mean=_percent([item.covered for item in found.items]),
            against=against,
            p="–" if found.p is None else f"{found.p:.3g}",
        ),
        *((found.caution,) if found.caution else ()),
        tr(
            "What is in a corpus could be learned from it; whether a model was trained on it, this "
            "does not show. Paraphrases, translations and other corpora are not seen."
        ),
    )
    return ReportTable(
        tr("Overlap of “{split}” with the corpus", split=split),
        (tr("item"), tr("covered (%)"), tr("longest stretch (words)"), tr("words")),
        tuple((int(item.id), 100 * item.covered, item.longest, item.tokens)
              for item in touched[:_SHOWN]),
        notes,
        1,
    )  # fmt: skip


def _percent(shares: Sequence[float]) -> str:
    return f"{100 * sum(shares) / len(shares):.2f}" if shares else "–"
