"""A score as a signed record: what was measured, bound to every single result without showing one.

The file is one line of canonical JSON: a ``body``, the signer's public key and an Ed25519 signature
of the canonical body. Each result has a salted hash, and the body has the Merkle root over them:
some results can be shown with their proofs while the others stay withheld.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from core.files import canonical_bytes
from core.i18n import tr
from core.release.manifest import Difference
from core.sealing.commitments import SALT_BYTES, salted_hash, salted_hashes, salts_of
from core.sealing.merkle import is_in, proof_of, root_of
from core.sealing.signed_text import CHANGED, read_signed, signed_text
from core.sealing.signing import Signer
from core.sealing.spelled_bytes import hex_bytes

FORMAT, VERSION = "benchseal-score", 1
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """What a record says, who signed it, and everything that does not fit."""

    body: Mapping[str, Any]
    key_id: str
    differences: tuple[Difference, ...]

    @property
    def sound(self) -> bool:
        """Whether everything fits."""
        return not self.differences


class _Part(BaseModel):
    """What a record has, whoever signed it: what reads records relies on these types."""

    model_config = ConfigDict(strict=True, frozen=True)


class _Split(_Part):
    name: str
    digest: str
    roots: list[str]


class _Score(_Part):
    mean: FiniteFloat
    n: int


class _ModelInfo(_Part):
    id: str


class _Evaluation(_Part):
    model_info: _ModelInfo


class _Result(_Part):
    id: str
    score: FiniteFloat | None


class _Shown(_Part):
    place: int
    result: _Result
    salt: str
    proof: list[str]


class _Results(_Part):
    root: str
    size: int
    withheld: int
    shown: list[_Shown]


class _Seen(_Part):
    sentence: str


class _Body(_Part):
    evaluation: _Evaluation
    score: _Score
    split: _Split
    results: _Results
    seen_before: _Seen | None = None


def results_part(
    results: Sequence[Mapping[str, Any]], secret: bytes, shown: Collection[str] = ()
) -> dict[str, Any]:
    """What a body says of single results: the root over all, and those with these ids in full.

    A result is a JSON object with an ``id`` and a ``score`` (None where it has none); ``secret``
    makes the salts.
    """
    texts = [canonical_bytes(result) for result in results]
    salts = salts_of(secret)(f"{place}:{result['id']}" for place, result in enumerate(results))
    entries = salted_hashes(salts, texts)
    wanted = set(shown)
    return {
        "root": root_of(entries),
        "size": len(entries),
        "shown": [
            {"place": place, "result": dict(result), "salt": salts[place].hex(),
             "proof": list(proof_of(entries, place))}
            for place, result in enumerate(results)
            if result["id"] in wanted
        ],
        "withheld": len(entries) - sum(result["id"] in wanted for result in results),
    }  # fmt: skip


def signed(body: Mapping[str, Any], signer: Signer) -> str:
    """The text of a record's file."""
    return signed_text({**body, "format": FORMAT, "version": VERSION}, signer)


def check(content: bytes, expected_key: str = "", expected_root: str = "") -> RecordCheck:
    """Everything in a record that does not fit; no item is needed.

    ``expected_key`` is the key id of who should have signed it, ``expected_root`` the root of the
    split that was sealed.
    """
    body, own, wrong = read_signed(content, tr("it is not the record of a score"))
    if wrong:
        return RecordCheck({}, own, wrong)
    try:
        _Body.model_validate(body)
    except ValidationError as error:
        part = str(error.errors()[0]["loc"][0])
        return RecordCheck({}, own, (_wrong(part, tr("it is not written as in a record")),))
    problems = []
    if expected_key and own != expected_key:
        problems.append(_wrong("signer", tr("another key signed it")))
    if expected_root and expected_root not in body["split"]["roots"]:
        problems.append(_wrong("split", tr("its root is not the expected one")))
    if not _document_fits(body):
        problems.append(_wrong("evaluation", tr("it names another model, split or score")))
    if not 0 < body["score"]["n"] <= body["results"]["size"]:
        problems.append(_wrong("score", tr("it does not cover as many results as there are")))
    problems += _results_differences(body)
    return RecordCheck(body, own, tuple(problems))


def _document_fits(body: Mapping[str, Any]) -> bool:
    """Whether what leaderboards read of a record is what the rest of it says."""
    try:
        document, model = body["evaluation"], body.get("plan", {}).get("params", {}).get("model")
        return (not model or document["model_info"]["id"] == model) and all(
            one["score_details"]["score"] == body["score"]["mean"]
            and one["evaluation_name"] == body["split"]["name"]
            for one in document.get("evaluation_results", ())
        )
    except (KeyError, TypeError, AttributeError):
        return False


def _results_differences(body: Mapping[str, Any]) -> Iterable[Difference]:
    results = body["results"]
    shown = results["shown"]
    for entry in shown:
        salt, text = hex_bytes(entry["salt"]), canonical_bytes(entry["result"])
        if salt is None or len(salt) != SALT_BYTES or not is_in(
            results["root"], salted_hash(salt, text), entry["place"], results["size"],
            entry["proof"],
        ):  # fmt: skip
            yield _wrong("results", tr("result {place} does not belong to the root",
                                       place=entry["place"]))  # fmt: skip
    places = {entry["place"] for entry in shown}
    if len(places) < len(shown) or len(shown) + results["withheld"] != results["size"]:
        yield _wrong("results", tr("shown and withheld results are not all of them"))
    elif not results["withheld"]:
        yield from _mean_difference(body, [entry["result"]["score"] for entry in shown])


def _mean_difference(body: Mapping[str, Any], scores: list[float | None]) -> Iterable[Difference]:
    """Where every result is shown, they must give the score."""
    known = [score for score in scores if score is not None]
    if not known or abs(math.fsum(known) / len(known) - body["score"]["mean"]) > _TOLERANCE:
        yield _wrong("score", tr("the results do not give the score"))


def _wrong(subject: str, detail: str) -> Difference:
    return Difference(CHANGED, subject, detail)
