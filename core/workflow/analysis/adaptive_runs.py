"""Adaptive evaluation of a model: its bank, what it can come to, the run, and what runs came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from core.analysis.adaptive.adaptive_run import work_row
from core.analysis.adaptive.sampled_score import Choice, drawn_reach
from core.analysis.item_bank import BANK_COLUMNS, FIFTH, ItemBank
from core.analysis.response_model import two_parameter_model
from core.errors import InputError, StateError
from core.evaluation.engines import engine
from core.evaluation.model_files import require_model_files
from core.evaluation.params import AdaptiveParams
from core.evaluation.scoring import keys_of
from core.i18n import listed, tr, trn
from core.jobs.folder import RunFolder
from core.jobs.launchers import local
from core.own_places import allow_place, model_place
from core.report_table import ReportTable
from core.sources.tables import read_table
from core.workflow.analysis.item_banks import answers_of, model_note, shared_note, size_note
from core.workflow.evaluation.start import refuse_changed, remember
from core.workflow.rights import Action, refuse_early
from core.workflow.runs import bound_files, locked_runs, own_results, runs
from core.workflow.splits import freeze
from core.workflow.splits.prompt_variants import PromptVariants, work_of
from core.workflow.workspace import Workspace
from db.runs import RunRow

OWN = "own"
_ABILITIES = (-1.0, 0.0, 1.0)
_TEXT, _MODELS = "content_hash", "models"


@dataclass(frozen=True)
class SplitBank:
    """The bank of a split's items by uid; ``models`` calibrated it (0: not said), ``origin`` is
    the file it came from, or empty."""

    split: str
    bank: ItemBank
    texts: tuple[str, ...]
    models: int
    origin: str = ""

    def closest(self, share: float) -> float:
        """How near asking that share comes at best, on average over usual abilities; 0…1."""
        return fmean(self.bank.closest(ability, share) for ability in _ABILITIES)

    def share_for(self, within: float) -> float:
        """The share that must be asked at least, on average over usual abilities."""
        return fmean(self.bank.share_for(ability, within) for ability in _ABILITIES)

    def drawn_reach(self, share: float) -> float:
        """How near a random share is expected to come, on average over usual abilities; 0…1."""
        return fmean(drawn_reach(self.bank, ability, share) for ability in _ABILITIES)


def bank_of(ws: Workspace, split: str, source: str = OWN, *, without: str = "") -> SplitBank:
    """The bank of a split: of the models evaluated on it but the one named ``without``, or from a
    table that ``bank_table`` wrote, by the items' texts.

    StateError for fewer than five models or two items, InputError for another table.
    """
    if source != OWN:
        return _of_table(ws, split, Path(source))
    found = answers_of(ws, split, without=without)
    bank = ItemBank.of(found.ids, two_parameter_model(found.answers))
    return SplitBank(split, bank, found.texts, len(found.models))


def _of_table(ws: Workspace, split: str, path: Path) -> SplitBank:
    table = read_table(path)
    if table.missing(_TEXT, *BANK_COLUMNS[1:]):
        raise InputError.tr(
            "“{path}” is not an item bank: it needs the columns {columns}.", path=path,
            columns=listed((_TEXT, *BANK_COLUMNS[1:]))
        )  # fmt: skip
    by_text = {cell[_TEXT]: cell for _, cell in table.text_rows()}
    members = [m for m in freeze.members_of(ws, split) if m.content.content_hash in by_text]
    if len(members) < 2:
        raise StateError.tr("“{path}” contains no items of “{split}”.", path=path, split=split)
    texts = tuple(member.content.content_hash for member in members)
    rows = [
        {**by_text[text], BANK_COLUMNS[0]: m.uid} for text, m in zip(texts, members, strict=True)
    ]
    try:
        models = min(int(float(row.get(_MODELS) or 0)) for row in rows)
        bank = ItemBank.of_rows(rows, max(0, models))
    except ValueError as error:
        raise InputError.tr("“{path}” contains a value that is not a number.", path=path) from error
    return SplitBank(split, bank, texts, bank.models, path.name)


def bank_table(found: SplitBank) -> ReportTable:
    """A row for each item: its text's hash, discrimination, difficulty and the error of that, and
    how many models calibrated it."""
    rows = tuple(
        (one["item"], text, *(one[name] for name in BANK_COLUMNS[1:]), found.models)
        for one, text in zip(found.bank.as_rows(), found.texts, strict=True)
    )
    heads = (BANK_COLUMNS[0], _TEXT, *BANK_COLUMNS[1:], _MODELS)
    return ReportTable(
        tr("{split}: item bank", split=found.split), heads, rows, sentences(found), 4
    )


def sentences(
    found: SplitBank, within: float = 0.015, most: float = 1.0, choice: Choice = "telling"
) -> tuple[str, ...]:
    """What adaptive evaluation by this bank can come to, before it begins."""
    size = len(found.bank.ids)
    said = [
        trn("1 model calibrates {items} items.", "{n} models calibrate {items} items.",
            found.models, items=size)
        if not found.origin
        else trn("1 item is calibrated by “{origin}”.", "{n} items are calibrated by “{origin}”.",
                 size, origin=found.origin)
    ]  # fmt: skip
    said += _drawn(found, most) if choice == "random" else _telling(found, within, most)
    said.append(model_note(choice))
    if choice == "telling":
        said += shared_note(found.models)
    return tuple(said)


def _telling(found: SplitBank, within: float, most: float) -> list[str]:
    """How near the most telling items come."""
    size = len(found.bank.ids)
    said = [
        tr("With a fifth of them, no selection comes closer to the score on all than ± {points} "
           "points; ± {within} points needs at least {share}% of them.",
           points=_points(found.closest(FIFTH)), within=_points(within),
           share=f"{100 * found.share_for(within):.0f}")
    ]  # fmt: skip
    if within > 0:
        said.append(size_note(found.bank.size_for(FIFTH, within), within, size))
    if most not in (1.0, FIFTH):
        said.append(
            tr("At most {share}% of them are asked, which comes to ± {points} points at best.",
               share=f"{100 * most:.0f}", points=_points(found.closest(most)))
        )  # fmt: skip
    return said


def _drawn(found: SplitBank, most: float) -> list[str]:
    """How near a random part comes: a fifth, or what may be asked at most."""
    share = FIFTH if most == 1.0 else most
    return [
        tr("{share}% of them, drawn at random, come within ± {points} points of the score on all "
           "where the two-parameter model fits.",
           share=f"{100 * share:.0f}", points=_points(found.drawn_reach(share)))
    ]  # fmt: skip


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def start(ws: Workspace, params: AdaptiveParams, person: str = "") -> RunFolder:
    """Ask a model item after item of ``params.split``, on this machine, where the keys stay.

    Raises RightsError for somebody who may not evaluate, InputError for several ways of asking and
    for what the engine does not take, StateError without a bank or for a sealed split.
    """
    refuse_early(ws, person, Action.EVALUATE)
    if params.variants or params.templates or params.orders > 1 or params.judge is not None:
        raise InputError.tr("An adaptive evaluation asks every item in one way and has no judge.")
    runner = engine(params.engine)
    if runner.needs_model and not runner.needs_server:
        for named in (params.model, params.adapter):
            allow_place(model_place(named))
    runner.require(params)
    require_model_files(runner, params)
    info = freeze.info(ws, params.split)
    freeze.refuse_sealed(info)
    refuse_changed(ws, params.split)
    found = bank_of(ws, params.split, params.bank or OWN, without=params.model or params.engine)
    params = params.model_copy(
        update={
            "split_digest": info.manifest_hash,
            "bank": found.origin,
            "bank_models": found.models,
        }
    )
    folder = locked_runs.create(
        ws, "adaptive", params.model_copy(update={"shots_from": ""}), _work(ws, params, found),
        params.split, model=params.model or params.engine,
        origin={"benchmark": info.benchmark, "split": params.split},
    )  # fmt: skip
    remember(ws, folder, params, info, "local", 1, person=person)
    local.start(folder)
    return folder


def _work(ws: Workspace, params: AdaptiveParams, found: SplitBank) -> list[dict[str, Any]]:
    ways = PromptVariants.of("", "", params.shots, params.shots_from, 1)
    questions = {
        row["id"]: row
        for row in work_of(ws, params.split, ways, instruction=params.instruction,
                           seed=params.seed, answer_by=params.answer_by)
    }  # fmt: skip
    keys = {key.id: key for key in keys_of(freeze.members_of(ws, params.split))}
    return [
        work_row(questions[row["item"]], keys[row["item"]], row)
        for row in found.bank.as_rows()
        if row["item"] in questions
    ]


def take_in(ws: Workspace, name: str) -> dict[str, Any]:
    """Bind the answers of a finished run, which stay in its folder, and keep its score; a second
    time changes nothing. StateError for a run that is not finished."""
    return own_results.take_in(ws, name, "answers")


def finished(ws: Workspace, split: str) -> list[RunRow]:
    """The finished adaptive runs on a split, newest first; of each model the newest."""
    return own_results.finished(ws, "adaptive", split)


def results(ws: Workspace, rows: Sequence[RunRow]) -> list[dict[str, Any]]:
    """What finished runs came to, the best model first. StateError where one was changed."""
    found = []
    for row in rows:
        bound_files.refuse_changed(ws, row.id)
        params = runs.params_of(row, AdaptiveParams)
        result = runs.folder_of(ws, row.id).result() or {}
        score: Mapping[str, Any] = result["adaptive"]
        found.append(
            {
                "run": row.id,
                "model": params.model or params.engine,
                **score,
                "unanswered": sum(result["outcomes"].values()) - score["asked"],
                "bank": params.bank,
                "bank_models": params.bank_models,
                "choice": params.choice,
            }
        )
    return sorted(found, key=lambda one: -one["score"])


def result_table(split: str, found: Sequence[Mapping[str, Any]]) -> ReportTable:
    """A row for each model: how many items were asked, and the score on all with its interval."""
    titles = {"telling": tr("most informative"), "random": tr("at random")}
    rows = tuple(
        (one["model"], titles[one["choice"]], one["asked"],
         100 * one["asked"] / max(1, one["items"]), 100 * one["score"], 100 * one["low"],
         100 * one["high"], one["run"])
        for one in found
    )  # fmt: skip
    heads = (tr("Model"), tr("Items"), tr("Asked"), tr("Asked, %"), tr("Score"), tr("Low"),
             tr("High"), tr("Run"))  # fmt: skip
    said = [tr("Scores on all calibrated items, estimated from those that were asked (95% "
               "intervals).")]  # fmt: skip
    said += [model_note(choice) for choice in dict.fromkeys(one["choice"] for one in found)]
    told = [one["bank_models"] for one in found if one["choice"] == "telling"]
    said += shared_note(min(told)) if told else []
    said += [tr("{run}: the interval is rough ({why}).", run=one["model"], why=one["caution"])
             for one in found if one.get("caution")]  # fmt: skip
    failed = sum(one["unanswered"] for one in found)
    if failed:
        said.append(
            trn("1 question had no answer and is in no score.",
                "{n} questions had no answer and are in no score.", failed)
        )  # fmt: skip
    title = tr("{split}: adaptive evaluation, percent", split=split)
    return ReportTable(title, heads, rows, tuple(said), 1)
