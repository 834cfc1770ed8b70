#!/usr/bin/env python3
"""Check the signed record of a score without Benchseal: Python and `cryptography` are enough.

    python3 check_score.py RECORD [KEY_ID [ROOT]]

KEY_ID is the id of the key that should have signed it, as you were told it, ROOT the root of the
split's archive, as its manifest.json has it ("" leaves one out). No item is needed. Ends with 1
and says what is wrong, or with 0.
"""

import hashlib
import json
import math
import sys

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

PEM, RAW = serialization.Encoding.PEM, serialization.Encoding.Raw


def canonical(value: object) -> bytes:
    """The one spelling of a JSON value that is signed and hashed."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def sha256(*parts: bytes) -> bytes:
    """The digest of some bytes."""
    return hashlib.sha256(b"".join(parts)).digest()


def id_of(key: Ed25519PublicKey) -> str:
    """What people compare of a public key."""
    return sha256(key.public_bytes(RAW, serialization.PublicFormat.Raw)).hex()


def exact(text: str) -> bytes:
    """The bytes of lower-case hexadecimal digits; ValueError for another spelling."""
    if bytes.fromhex(text).hex() != text:
        raise ValueError(text)
    return bytes.fromhex(text)


def belongs(root: str, entry: bytes, place: int, size: int, proof: list[str]) -> bool:
    """Whether an entry stands at this place of the tree (RFC 6962, section 2.1.1)."""
    digest, last, left = sha256(b"\x00", entry), size - 1, list(proof)
    if not 0 <= place < size:
        return False
    while last:
        if place % 2 or place < last:
            if not left:
                return False
            beside = exact(left.pop(0))
            digest = sha256(b"\x01", *((beside, digest) if place % 2 else (digest, beside)))
        place, last = place // 2, last // 2
    return not left and digest.hex() == root


def document_fits(body: dict) -> bool:
    """Whether the document of Every Eval Ever says what the rest of the record says."""
    document, model = body["evaluation"], body.get("plan", {}).get("params", {}).get("model")
    named = document["model_info"]["id"]
    return (not model or named == model) and all(
        one["score_details"]["score"] == body["score"]["mean"]
        and one["evaluation_name"] == body["split"]["name"]
        for one in document.get("evaluation_results", ())
    )


def problem_of(content: bytes, key_id: str = "", root: str = "") -> str:
    """What is wrong with a record, empty where nothing is."""
    document = json.loads(content)
    fields = {"body", "signer", "signature"}  # no signature is over another one
    if canonical(document) + b"\n" != content or set(document) != fields:
        return "the file is not written as a record is"
    body, pem = document["body"], document["signer"].encode()
    key = serialization.load_pem_public_key(pem)
    if not isinstance(key, Ed25519PublicKey):
        return "the signer's key is of another kind"
    if key.public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo) != pem:
        return "the signer's key is written in another way"
    if key_id and id_of(key) != key_id.lower():
        return "another key signed it"
    key.verify(exact(document["signature"]), canonical(body))
    roots = body["split"]["roots"]
    if root and (not isinstance(roots, list) or root.lower() not in roots):
        return "it is of another split"
    return wrong_score(body) or wrong_results(body)


def wrong_score(body: dict) -> str:
    """What is wrong with the score that a record says."""
    mean, n = body["score"]["mean"], body["score"]["n"]
    if type(mean) not in (int, float) or not math.isfinite(mean):
        return "its score is not a number"
    if type(n) is not int or not 0 < n <= body["results"]["size"]:
        return "its score is not over as many results as there are"
    return "" if document_fits(body) else "its document says another model, split or score"


def wrong_results(body: dict) -> str:
    """What is wrong with the single results."""
    results, scores, mean = body["results"], [], body["score"]["mean"]
    for entry in results["shown"]:
        salt, place = exact(entry["salt"]), entry["place"]
        hashed = sha256(salt, canonical(entry["result"]))
        if (
            len(salt) != 32
            or type(place) is not int
            or not belongs(results["root"], hashed, place, results["size"], entry["proof"])
        ):
            return f"result {place} does not belong to the root"
        scores.append(entry["result"]["score"])
    places = {entry["place"] for entry in results["shown"]}
    if not len(places) == len(scores) == results["size"] - results["withheld"]:
        return "shown and withheld results are not all of them"
    known = [score for score in scores if score is not None]
    fits = known and abs(math.fsum(known) / len(known) - mean) <= 1e-9
    return "" if fits or results["withheld"] else "the results do not give the score"


def main() -> int:
    """Check the file that was named."""
    with open(sys.argv[1], "rb") as handle:
        content = handle.read()
    try:
        problem = problem_of(content, *sys.argv[2:4])
    except InvalidSignature:
        problem = "the signature does not fit what the record says"
    except (ValueError, KeyError, TypeError, AttributeError, UnsupportedAlgorithm) as error:
        problem = f"this is not the record of a score ({type(error).__name__})"
    if problem:
        print(problem)
        return 1
    document = json.loads(content)
    body, key = document["body"], serialization.load_pem_public_key(document["signer"].encode())
    print("score", body["score"]["mean"], "of", body["evaluation"]["model_info"]["id"])
    split, results = body["split"], body["results"]
    print("split", split["name"], "digest", split["digest"], "roots", *split["roots"])
    print("results", results["size"], "scored", body["score"]["n"], "withheld", results["withheld"])
    print("signed by the key", id_of(key))
    print("all is right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
