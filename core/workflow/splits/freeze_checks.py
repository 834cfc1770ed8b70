"""What is checked of a selection before it is frozen for good, and frozen with which reasons.

Each check gives at most one finding. A finding that ``blocks`` is mended by leaving its items out;
every other one needs a reason, which the record of the split and the ledger keep.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import Any

from core.analysis.artifacts.artifact_audit import ArtifactAudit, audit_items
from core.analysis.artifacts.solvers import solver_names
from core.errors import InputError, StateError
from core.families import FAMILIES
from core.families.base import Defect
from core.families.instruction_payload import VARIANT
from core.files import text_key
from core.generation.text_defects import defects_of_items
from core.i18n import labelled, listed, sentences, tr, trn
from core.screening.label_balance import LabelBalance, label_balance
from core.screening.near_duplicates import near_pairs, normalised
from core.sources.corpus_pieces import pieces_of_files
from core.workflow.labels import defect_label, format_label
from core.workflow.rights import Action, refuse_early
from core.workflow.splits import freeze
from core.workflow.splits.compared_items import ComparedItems, EarlierItem, EarlierItems
from core.workflow.splits.freeze import SplitInfo
from core.workflow.splits.selection import FreezeOrder, Selection, checked_seed, strata_of
from core.workflow.workspace import Workspace
from db import benchmarks
from db.engine import Session
from db.items import FreezableRows
from db.vocabulary import ItemState

LEAST_COVERED = 0.5
"""Share of an item's words within copied runs of 13 from which on it counts as leaked."""
LEAST_EVEN = 0.75
"""Entropy of labels over its maximum below which they are unbalanced."""
_MOST_AUDITED = 1000  # questions of one kind
_FEWEST_LABELLED = 10
_REWRITE = "rewrite"
_EXAMPLES = 5
_AT_ONCE = 1000  # items whose texts are looked at


class FreezeCheck(StrEnum):
    """What is looked at, in this order."""

    ACROSS = "across"
    EARLIER = "earlier"
    LEAKS = "leaks"
    DUPLICATES = "duplicates"
    DEFECTS = "defects"
    ARTIFACTS = "artifacts"
    LABELS = "labels"
    UNAUDITED = "unaudited"


@dataclass(frozen=True, slots=True)
class FreezeFinding:
    """What one check found: of which ``items`` by number, in a sentence, and some of the cases.

    ``blocks`` where only leaving items out mends it; ``items`` is empty where the finding is about
    the selection as a whole.
    """

    check: FreezeCheck
    sentence: str
    items: tuple[int, ...]
    examples: tuple[str, ...] = ()
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class BalanceRow:
    """A stratum of a task: how many of its items are ready, and how many each part takes."""

    task: str
    label: str
    domain: str
    format: str
    ready: int
    taken: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CheckedSelection:
    """An order with its seed, what the checks found in what it takes, and the balance of the draw.

    ``looked`` are the checks that had something to look at: another part, an earlier split, public
    files, questions with options, labels. ``digest`` is that of the selection: ``freeze_checked``
    takes this one or none.
    """

    order: FreezeOrder
    digest: str
    items: int
    findings: tuple[FreezeFinding, ...]
    balance: tuple[BalanceRow, ...]
    looked: tuple[FreezeCheck, ...]

    @property
    def sound(self) -> tuple[FreezeCheck, ...]:
        """The checks that looked at something and found nothing."""
        found = {finding.check for finding in self.findings}
        return tuple(check for check in self.looked if check not in found)

    @property
    def blocked(self) -> tuple[FreezeFinding, ...]:
        """The findings for which there is no reason."""
        return tuple(finding for finding in self.findings if finding.blocks)

    def as_json(self) -> dict[str, Any]:
        """One object; nothing in it is the text of an item but for the short examples."""
        return {
            "name": self.order.name,
            "public": self.order.public,
            "seed": self.order.seed,
            "items": self.items,
            "clean": not self.findings,
            "looked": list(self.looked),
            "findings": [asdict(finding) for finding in self.findings],
            "balance": [asdict(row) for row in self.balance],
        }


def check(
    ws: Workspace, order: FreezeOrder, person: str = "", public_files: Sequence[Path] = ()
) -> CheckedSelection:
    """Look at what an order would take; writes nothing. Seconds for some thousand items.

    ``public_files`` are files and folders of texts that anybody can read. Errors as of
    ``freeze.freeze_order``; InputError for a file that cannot be read.
    """
    refuse_early(ws, person, Action.FREEZE)
    order = replace(order, seed=checked_seed(order.seed))
    with ws.reading() as session:
        selection = freeze.select(session, order)
        balance = _balance(session, selection)
        labelled = _labelled(session, selection)
        with (
            closing(ComparedItems(session, selection)) as members,
            closing(EarlierItems(session, members.numbers)) as earlier,
        ):
            audit = audit_items(members.contents(), members.numbers, _MOST_AUDITED)
            found = [
                _across(members),
                _copies_of_earlier(members, earlier),
                _leaks(members, public_files),
                _duplicates(members),
                _defects(members),
                _artifacts(audit),
                _labels(labelled),
                _unaudited(selection),
            ]
            has_earlier = len(earlier.texts) > 0
    idle = {
        FreezeCheck.ACROSS: len(selection.parts) < 2,
        FreezeCheck.EARLIER: not has_earlier,
        FreezeCheck.LEAKS: not public_files,
        FreezeCheck.ARTIFACTS: not audit.kinds,
        FreezeCheck.LABELS: not labelled,
    }
    findings = tuple(finding for finding in found if finding is not None)
    count = sum(len(part.rows) for part in selection.parts)
    looked = tuple(kind for kind in FreezeCheck if not idle.get(kind))
    return CheckedSelection(order, selection.digest, count, findings, balance, looked)


def check_without(
    ws: Workspace,
    order: FreezeOrder,
    left_out: Collection[str],
    person: str = "",
    public_files: Sequence[Path] = (),
) -> CheckedSelection:
    """As ``check``, of a selection without the items that some checks find.

    What is drawn in their place is checked again, until these checks find no item.
    """
    while True:
        checked = check(ws, order, person, public_files)
        found = {n for finding in checked.findings if finding.check in left_out
                 for n in finding.items}  # fmt: skip
        if not found:
            return checked
        order = replace(checked.order, without=order.without | found)


def freeze_checked(
    ws: Workspace, checked: CheckedSelection, person: str, reasons: Mapping[str, str]
) -> tuple[SplitInfo, ...]:
    """Freeze what was checked, with a reason by check for each finding that has no block.

    Raises StateError where a finding blocks, or the items have changed since; InputError for a
    finding without a reason.
    """
    if checked.blocked:
        raise StateError.tr(
            "{finding} Leave these items out: {items}", finding=checked.blocked[0].sentence,
            items=numbers_of(checked.blocked[0].items)
        )  # fmt: skip
    for finding in checked.findings:
        if not reasons.get(finding.check, "").strip():
            raise InputError.tr("{finding} Give a reason to freeze anyway, or leave items out.",
                                finding=finding.sentence)  # fmt: skip
    record = {
        "seed_of_draw": checked.order.seed,
        "checks": [
            {"check": finding.check.value, "items": len(finding.items),
             "finding": finding.sentence, "reason": reasons[finding.check].strip()}
            for finding in checked.findings
        ],
        "balance": [asdict(row) for row in checked.balance],
    }  # fmt: skip
    return freeze.freeze_order(ws, checked.order, person, record=record, selected=checked.digest)


def numbers_of(items: Sequence[int], most: int = 20) -> str:
    """``#3, #5, #8 …``: the first item numbers of a finding."""
    shown = listed(f"#{number}" for number in items[:most])
    return f"{shown} …" if len(items) > most else shown


def titles() -> dict[str, str]:
    """Each check as people read it."""
    return {
        FreezeCheck.ACROSS: tr("Private and public part share no text"),
        FreezeCheck.EARLIER: tr("No copies of earlier splits"),
        FreezeCheck.LEAKS: tr("No item appears in public files"),
        FreezeCheck.DUPLICATES: tr("No near-duplicates"),
        FreezeCheck.DEFECTS: tr("No damaged texts"),
        FreezeCheck.ARTIFACTS: tr("Shallow solvers stay at chance"),
        FreezeCheck.LABELS: tr("Labels are balanced"),
        FreezeCheck.UNAUDITED: tr("Every item was audited"),
    }


# --- copies ----------------------------------------------------------------------------------


def _across(members: ComparedItems) -> FreezeFinding | None:
    count = len(members.texts)
    if members.first == count:
        return None
    private, public = (members.texts.between(*e) for e in ((0, members.first),
                                                            (members.first, count)))  # fmt: skip
    others = _Others(
        public, lambda place: EarlierItem(f"#{members.numbers[members.first + place]}", True)
    )
    return _copies(FreezeCheck.ACROSS, members, private, others)


def _copies_of_earlier(members: ComparedItems, earlier: EarlierItems) -> FreezeFinding | None:
    if not earlier.texts:
        return None
    others = _Others(earlier.texts, earlier.at)
    return _copies(FreezeCheck.EARLIER, members, members.texts, others)


@dataclass(frozen=True, slots=True)
class _Others:
    """Texts with which the items are compared, and what each is."""

    texts: Sequence[str]
    at: Callable[[int], EarlierItem]


def _copies(
    kind: FreezeCheck, members: ComparedItems, texts: Sequence[str], others: _Others
) -> FreezeFinding | None:
    """Those of the first items, which have these texts, that are like others; the same text as a
    public one blocks."""
    pairs = _Pairs(near_pairs(texts, against=others.texts))
    open_texts = {
        text_key(normalised(text))
        for place, text in enumerate(others.texts)
        if others.at(place).is_public
    }
    same = [
        members.numbers[place]
        for place, text in enumerate(texts if open_texts else ())
        if text_key(normalised(text)) in open_texts
    ]
    covered = _covered(members, others.texts, len(texts))
    alike = {members.numbers[place] for place in pairs.right}
    numbers = alike | {number for number, _ in covered} | set(same)
    if not numbers:
        return None
    named = (
        (others.at(left).name, members.numbers[right], likeness)
        for left, right, likeness in pairs.most_alike
    )
    uncopied = [row for row in covered if row[0] not in alike]
    examples = _pair_lines(named) + _covered_lines(uncopied[:_EXAMPLES])
    others_alike = len(numbers - set(same))
    said = [_same_sentence(len(same))] if same else []
    if others_alike:
        said.append(_alike_sentence(kind, others_alike, more=bool(same)))
    items = tuple(same or sorted(numbers))
    return FreezeFinding(kind, sentences(said), items, examples[:_EXAMPLES], bool(same))


class _Pairs:
    """Of pairs of texts that are alike the places on the right, and the most alike, in the order of
    their places where they are equally so; the pairs themselves are not held."""

    def __init__(self, pairs: Iterable[tuple[int, int, float]]) -> None:
        self.right: set[int] = set()
        kept: list[tuple[float, int, int]] = []
        for left, right, likeness in pairs:
            self.right.add(right)
            kept.append((-likeness, left, right))
            if len(kept) > 1000:
                kept = nsmallest(_EXAMPLES, kept)
        self.most_alike = [(one, other, -less) for less, one, other in nsmallest(_EXAMPLES, kept)]


def _same_sentence(count: int) -> str:
    return trn("1 item is the same as one that is public.",
               "{n} items are the same as ones that are public.", count)  # fmt: skip


def _alike_sentence(kind: FreezeCheck, count: int, *, more: bool) -> str:
    """What repeats text, beside items that are ``more`` than alike."""
    if kind == FreezeCheck.ACROSS and more:
        return trn("1 more private item repeats text of the public part.",
                   "{n} more private items repeat text of the public part.", count)  # fmt: skip
    if kind == FreezeCheck.ACROSS:
        return trn("1 private item repeats text of the public part.",
                   "{n} private items repeat text of the public part.", count)  # fmt: skip
    if more:
        return trn("1 more item repeats text of an earlier split.",
                   "{n} more items repeat text of earlier splits.", count)  # fmt: skip
    return trn("1 item repeats text of an earlier split.",
               "{n} items repeat text of earlier splits.", count)  # fmt: skip


def _covered(members: ComparedItems, texts: Iterable[str], first: int) -> list[tuple[int, float]]:
    """(number, share of its words in runs of 13 that the texts have) of those of the first items
    that are largely covered, the most covered first."""
    rows = [
        (members.numbers[place], share)
        for place, share in members.covered().within(texts, LEAST_COVERED)
        if place < first
    ]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _covered_lines(rows: Iterable[tuple[int, float]]) -> tuple[str, ...]:
    return tuple(
        tr("#{item}: {share}% of its words", item=number, share=round(100 * share))
        for number, share in rows
    )


def _pair_lines(pairs: Iterable[tuple[str, int, float]]) -> tuple[str, ...]:
    """A line for each (what an item is like, its number, similarity)."""
    return tuple(
        tr("#{item} is like {other} ({share}%)", item=number, other=other,
           share=round(100 * likeness))
        for other, number, likeness in pairs
    )  # fmt: skip


def _leaks(members: ComparedItems, paths: Sequence[Path]) -> FreezeFinding | None:
    if not paths:
        return None
    covered = _covered(members, pieces_of_files(paths), len(members.texts))
    if not covered:
        return None
    sentence = trn("1 item appears in the public files.", "{n} items appear in the public files.",
                   len(covered))  # fmt: skip
    numbers = tuple(sorted(number for number, _ in covered))
    examples = _covered_lines(covered[:_EXAMPLES])
    return FreezeFinding(FreezeCheck.LEAKS, sentence, numbers, examples)


def _duplicates(members: ComparedItems) -> FreezeFinding | None:
    numbers, first = members.numbers, members.first
    has_sets = bool(members.of_family(_REWRITE)[0])
    pairs = _Pairs(
        (left, right, likeness)
        for left, right, likeness in near_pairs(members.texts)
        if (left < first) == (right < first) and not (has_sets and _is_one(members, left, right))
    )
    if not pairs.right:
        return None
    # within a part the later place has the higher number
    later = tuple(sorted(numbers[place] for place in pairs.right))
    sentence = trn("1 item is nearly the same as another of the split.",
                   "{n} items are nearly the same as others of the split.", len(later))  # fmt: skip
    lines = _pair_lines(
        (f"#{numbers[left]}", numbers[right], likeness)
        for left, right, likeness in pairs.most_alike
    )
    return FreezeFinding(FreezeCheck.DUPLICATES, sentence, later, lines)


def _is_one(members: ComparedItems, left: int, right: int) -> bool:
    """Whether two items are one example in two sets, which a rewriting run may leave as it was."""
    one, other = (members.contents()[place] for place in (left, right))
    both = one.family == other.family == _REWRITE and one.format != other.format
    return both and one.payload.get("base") == other.payload.get("base")


# --- texts, shallow solvers, labels, audit ---------------------------------------------------


def _defects(members: ComparedItems) -> FreezeFinding | None:
    kinds: Counter[str] = Counter()
    broken: dict[int, frozenset[str]] = {}
    held: dict[frozenset[str], frozenset[str]] = {}  # what many items have is held once

    def add(place: int, defects: Iterable[Defect]) -> None:
        known = broken.get(place, frozenset[str]())
        names = {defect.name for defect in defects} - {"duplicate_item"} - known
        if names:
            kinds.update(names)
            broken[place] = held.setdefault(known | names, known | names)

    contents = iter(members.contents())
    start = 0
    while some := list(islice(contents, _AT_ONCE)):
        for place, defects in enumerate(defects_of_items(some), start):
            add(place, defects)
        start += len(some)
    for family in FAMILIES:
        places, own = members.of_family(family.name)
        for index, several in family.check_set(own).items():
            add(places[index], several)
    if not broken:
        return None
    sentence = trn("1 item has a defect.", "{n} items have defects.", len(broken))
    examples = tuple(
        labelled(defect_label(name), count) for name, count in kinds.most_common(_EXAMPLES)
    )
    numbers = tuple(sorted(members.numbers[place] for place in broken))
    return FreezeFinding(FreezeCheck.DEFECTS, sentence, numbers, examples)


def _artifacts(audit: ArtifactAudit) -> FreezeFinding | None:
    solvers = [(kind.kind, solver) for kind in audit.kinds for solver in kind.solvers]
    above = [(kind, solver) for kind, solver in solvers if solver.above_chance]
    if not above:
        return None
    sentence = trn(
        "1 of {solvers} shallow solvers beats chance without reading the question.",
        "{n} of {solvers} shallow solvers beat chance without reading the question.",
        len(above),
        solvers=len(solvers),
    )
    names = solver_names()
    lines = tuple(
        labelled(
            listed((format_label(kind), names.get(solver.solver, solver.solver))),
            f"{100 * solver.accuracy:.0f}% > {100 * solver.chance:.0f}%",
        )
        for kind, solver in above[:_EXAMPLES]
    )
    return FreezeFinding(FreezeCheck.ARTIFACTS, sentence, (), lines)


def _labelled(session: Session, selection: Selection) -> list[tuple[str, LabelBalance]]:
    """(part and task, balance) of the tasks with enough labelled items to be judged."""
    found = []
    for part in selection.parts:
        by_task: dict[int, Counter[str]] = {}
        for row in part.rows:
            if row.format != VARIANT:
                by_task.setdefault(row.task_id, Counter())[row.label] += 1
        for task_id, labels in sorted(by_task.items()):
            task = benchmarks.task(session, task_id)
            space = tuple(str(label) for label in task.profile.get("labels", ()))
            balance = label_balance(labels, space)
            if space and balance.entropy is not None and labels.total() >= _FEWEST_LABELLED:
                found.append((listed((part.name, task.name)), balance))
    return found


def _labels(balances: Sequence[tuple[str, LabelBalance]]) -> FreezeFinding | None:
    lines = []
    for name, balance in balances:
        if balance.missing or (balance.entropy is not None and balance.entropy < LEAST_EVEN):
            shares = listed(f"{one.label} {one.count}" for one in balance.labels)
            lines.append(labelled(name, shares))
    if not lines:
        return None
    sentence = trn("The labels of 1 task are unbalanced.", "The labels of {n} tasks are "
                   "unbalanced.", len(lines))  # fmt: skip
    return FreezeFinding(FreezeCheck.LABELS, sentence, (), tuple(lines[:_EXAMPLES]))


def _unaudited(selection: Selection) -> FreezeFinding | None:
    numbers = tuple(
        row.id for part in selection.parts for row in part.rows if row.state == ItemState.ACCEPTED
    )
    if not numbers:
        return None
    sentence = trn("1 item was not audited.", "{n} items were not audited.", len(numbers))
    return FreezeFinding(FreezeCheck.UNAUDITED, sentence, tuple(sorted(numbers)))


def _balance(session: Session, selection: Selection) -> tuple[BalanceRow, ...]:
    """Of each task and stratum what is ready and what is taken, by name."""
    tasks: dict[int, FreezableRows] = {}
    for row in selection.ready:
        if row.format != VARIANT:
            tasks.setdefault(row.task_id, FreezableRows()).append(row)
    strata = {task_id: strata_of(rows) for task_id, rows in tasks.items()}
    names = {task_id: benchmarks.task_name(session, task_id) for task_id in tasks}
    counted = (selection.ready, *(part.rows for part in selection.parts))
    table: dict[tuple[str, ...], list[int]] = {}
    for place, rows in enumerate(counted):
        for row in rows:
            if row.format != VARIANT:
                key = (names[row.task_id], *strata[row.task_id](row))
                table.setdefault(key, [0] * len(counted))[place] += 1
    return tuple(
        BalanceRow(key[0], key[1], key[2], key[3], counts[0], tuple(counts[1:]))
        for key, counts in sorted(table.items())
    )
