"""Running a pack without its workspace: what leaves is a signed score, and no word of an item.

Items, prompts and answers are in the memory of this process alone; no run folder is made, engines
keep no logs, no core is dumped, and what a server says of an error is not repeated. The record is
one of ``score_record``, signed with the evaluator's own key: ``verify-score`` checks it, and the
root in it says of which locked split it speaks.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import InputError, OutsideError, StateError, unwritable
from core.evaluation.engines import engine
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import Report, keys_of, score
from core.evaluation.types import EngineContext, Question, question_of
from core.files import file_digest, write_atomic
from core.i18n import listed
from core.own_process import own_version
from core.release.manifest import SplitItem
from core.sealing import archive, container, score_record
from core.sealing.archive import ArchiveCheck, Unlocking
from core.sealing.commitments import salt_secret
from core.sealing.signing import Signer, signer_at
from core.web_hosts import is_loopback, web_host
from core.workflow.sealing import packs
from core.workflow.sealing.score_records import (
    Evaluator,
    evaluation_document,
    interval_of,
    result_of,
)

THIRD_PARTY = Evaluator(relationship="third_party")


@dataclass(frozen=True, slots=True)
class NeutralOrder:
    """How a pack is run: the model and where it is, into which file the score goes, and the key id
    and root that the evaluator was told."""

    out: Path
    model: str = ""
    base_url: str = ""
    concurrency: int = 16
    expected_key: str = ""
    expected_root: str = ""
    evaluator: Evaluator = THIRD_PARTY


@dataclass(frozen=True, slots=True)
class NeutralScore:
    """A score that was signed: no item, no answer."""

    path: str
    split: str
    model: str
    score: float
    items: int
    root: str
    results_root: str
    key_id: str


def evaluators_key() -> Signer:
    """The signing key of who evaluates here; made where there is none."""
    from platformdirs import user_data_path

    return signer_at(user_data_path("benchseal") / "keys" / "evaluator.pem")


def evaluate(path: Path, unlocking: Unlocking, order: NeutralOrder) -> NeutralScore:
    """Run a pack against a model and write its signed score.

    Raises InputError for a file that is not a sound pack, keys that do not open it, or a model that
    it does not allow; OutsideError where a question got no answer, for whoever answers could choose
    what is scored; StateError where there is no score; what engines raise.
    """
    if order.out.exists():
        raise InputError.tr("“{path}” is there already; name a new file.", path=order.out)
    checked, items = _read(path, unlocking, order)
    terms = _terms(checked)
    params = _params(checked.manifest, terms, order)
    questions = [question_of(item.uid, item.content, params.instruction) for item in items]
    answers, versions = _asked(questions, params, offline=terms.offline)
    name = str(checked.manifest["split"])
    report = score(
        keys_of(items), answers, split=name, engine=params.engine, model=params.model,
        origin={"versions": versions},
    )  # fmt: skip
    accuracy = _score_of(report, answers)
    signer = evaluators_key()
    secret = salt_secret(signer.secret(), f"results of {order.out.name} {datetime.now(UTC)}")
    results = score_record.results_part([result_of(entry) for entry in report.scores], secret)
    body = _body(checked, report, params, order.evaluator, file_digest(path))
    text = score_record.signed({**body, "results": results}, signer)
    try:
        write_atomic(order.out, text, durable=True, for_others=True)
    except OSError as error:
        raise unwritable(order.out, error) from error
    return NeutralScore(
        str(order.out), name, params.model, accuracy, len(items),
        str(checked.manifest["root"]), results["root"], signer.key_id,
    )  # fmt: skip


def _score_of(report: Report, answers: Sequence[Mapping[str, Any]]) -> float:
    if report.missing:
        reasons = Counter(str(one.get("error", "")) for one in answers
                          if one.get("outcome") == "failed")  # fmt: skip
        raise OutsideError.trn(
            "The only item of “{name}” got no answer ({reason}), so there is no score to "
            "sign. Check the model and its server, then run the pack again.",
            "{missing} of {n} items of “{name}” got no answer ({reason}). A score of the "
            "others is not signed. Check the model and its server, then run the pack again.",
            report.items,
            missing=report.missing,
            name=report.split,
            reason=max(reasons, key=reasons.__getitem__, default=""),
        )
    if report.total.accuracy is None:
        raise StateError.tr("No item of “{name}” can be scored by rule.", name=report.split)
    return report.total.accuracy


class _Terms(BaseModel):
    """What a pack says; a stranger may have signed anything in its place."""

    model_config = ConfigDict(strict=True, frozen=True)

    version: Literal[1]
    settings: dict[str, Any]
    models: list[str]
    offline: bool


def _terms(checked: ArchiveCheck) -> _Terms:
    try:
        return _Terms.model_validate(checked.manifest.get(packs.FIELD))
    except ValidationError as error:
        raise InputError.tr("This archive is not a pack for an evaluator.") from error


def _read(
    path: Path, unlocking: Unlocking, order: NeutralOrder
) -> tuple[ArchiveCheck, list[SplitItem]]:
    """What a pack says, and its items; nothing is decrypted of one that is not sound."""
    rows: list[dict[str, Any]] = []
    with container.opened(path, archive.ITEMS) as handle:
        checked = archive.check(handle, order.expected_key.lower(), order.expected_root.lower())
        if checked.sound:
            _terms(checked)
            checked = archive.read_items(handle, unlocking, rows.append)
    if not checked.sound:
        first = checked.differences[0]
        raise InputError.tr(
            "The pack is not as it was signed: {subject}: {detail}", subject=first.subject,
            detail=first.detail
        )  # fmt: skip
    try:
        return checked, [SplitItem.from_json(row) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError.tr("This archive is not a pack for an evaluator.") from error


def _params(manifest: Mapping[str, Any], terms: _Terms, order: NeutralOrder) -> EvaluateParams:
    if terms.models and order.model not in terms.models:
        raise InputError.tr("The pack is for the models {models}.", models=listed(terms.models))
    if terms.offline and order.base_url and not is_loopback(web_host(order.base_url)):
        raise InputError.tr(
            "The pack allows no servers on other computers; use one at http://127.0.0.1."
        )
    settings = {name: terms.settings[name] for name in packs.SETTINGS & set(terms.settings)}
    try:
        return EvaluateParams(
            **settings, split=str(manifest["split"]), split_digest=str(manifest["split_digest"]),
            model=order.model, base_url=order.base_url, concurrency=order.concurrency,
        )  # fmt: skip
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        raise InputError.tr(
            "The pack asks models in a way that is not possible here: its “{field}” is wrong.",
            field=field
        ) from error  # fmt: skip
    except KeyError as error:
        raise InputError.tr("This archive is not a pack for an evaluator.") from error


def _asked(
    questions: list[Question], params: EvaluateParams, *, offline: bool
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """(a record of each answer, the versions of what answered); the order of the questions is that
    of the split."""
    if offline:
        os.environ["HF_HUB_OFFLINE"] = "1"
    runner = engine(params.engine)
    runner.require(params)
    with tempfile.TemporaryDirectory(prefix="benchseal-") as folder:
        context = EngineContext(params=params, folder=Path(folder), locked=True, quoted=False)
        answers = [answer.as_json() for answer in runner.answer(questions, context)]
        return answers, runner.versions(params)


def _body(
    checked: ArchiveCheck,
    report: Report,
    params: EvaluateParams,
    evaluator: Evaluator,
    digest: str,
) -> dict[str, Any]:
    manifest, now = checked.manifest, datetime.now(UTC)
    benchmark = str(manifest.get("benchmark", ""))
    return {
        "evaluation": evaluation_document(now.timestamp(), report, params, benchmark, evaluator),
        "score": {"mean": report.total.accuracy, "n": report.total.n,
                  "stderr": report.total.stderr, "interval": interval_of(report)},
        "split": {
            "name": report.split, "benchmark": benchmark, "items": manifest["items"],
            "digest": manifest["split_digest"], "roots": [manifest["root"]],
        },
        "plan": {
            "before_answers": True, "pack": digest, "signer": checked.key_id,
            "params": dict(manifest[packs.FIELD]["settings"]),
        },
        "at": now.isoformat(timespec="seconds"),
        "versions": {"benchseal": own_version() or "unknown",
                     **{str(k): str(v) for k, v in report.origin.get("versions", {}).items()}},
    }  # fmt: skip
