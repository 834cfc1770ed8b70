"""The items of a split against the files of a corpus."""

from collections.abc import Sequence
from pathlib import Path

from core.analysis.corpus_overlap import Overlap, corpus_overlap
from core.families import family
from core.families.shared_source import source_of
from core.i18n import tr, trn
from core.release.frozen_items import askable
from core.report_table import ReportTable, printed_p
from core.screening.covered_texts import WINDOW
from core.sources.corpus_pieces import pieces_of_files
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace

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
    texts, sources = _texts(ws, split)
    others, other_sources = _texts(ws, control) if control else (None, None)
    return corpus_overlap(
        texts,
        pieces_of_files(paths),
        control=others,
        window=window,
        seed=seed,
        sources=sources,
        control_sources=other_sources,
    )


def _texts(ws: Workspace, split: str) -> tuple[dict[str, str], dict[str, str]]:
    """The question and the source of each item by uid; no source where it names none."""
    texts, sources = {}, {}
    for item in askable(freeze.members_of(ws, split)):
        texts[item.uid] = family(item.content.family).plain_text(item.content)
        sources[item.uid] = source_of(item.content)
    return texts, sources


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
            p="–" if found.p is None else printed_p(found.p),
        ),
        *(_counted(found) if found.control and found.by_source else ()),
        *((found.caution,) if found.caution else ()),
        tr(
            "A model could have learned what is in a corpus; this does not show whether it was "
            "trained on it. Paraphrases, translations and other corpora are not checked."
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


def _counted(found: Overlap) -> tuple[str, ...]:
    """That p counts sources, where some hold several items."""
    if found.units == (len(found.items), len(found.control)):
        return ()
    return (
        trn("Items of one source count as one in p: 1 source against {controls} of the control.",
            "Items of one source count as one in p: {n} sources against {controls} of the control.",
            found.units[0], controls=found.units[1]),
    )  # fmt: skip


def _percent(shares: Sequence[float]) -> str:
    return f"{100 * sum(shares) / len(shares):.2f}" if shares else "–"
