"""The record of a score: no changed byte passes, here or in the script that needs no Benchseal."""

import math
import random
import re
import subprocess
import sys

import pytest

from core.files import canonical_bytes
from core.sealing import score_record
from core.sealing.commitments import salted_hash
from core.sealing.merkle import root_of
from core.sealing.signing import signer_at
from resources import resource
from tests.core.sealing.standalone_scripts import standalone

RESULTS = [{"id": str(n), "outcome": "answered", "score": float(n % 3 == 0)} for n in range(41)]
MEAN = sum(entry["score"] for entry in RESULTS) / len(RESULTS)
SECRET = b"s" * 32
BODY = {
    "evaluation": {"model_info": {"id": "模型"}},
    "score": {"mean": MEAN, "n": 41},
    "split": {"name": "s", "digest": "0" * 64, "roots": ["a" * 64]},
}


@pytest.fixture
def signer(tmp_path):
    return signer_at(tmp_path / "keys" / "me.pem")


@pytest.fixture(scope="module")
def script():
    """The stand-alone script, as a module."""
    return standalone("check_score")


def record(signer, shown=(), **changes) -> bytes:
    part = score_record.results_part(RESULTS, SECRET, shown)
    return score_record.signed({**BODY, "results": {**part, **changes}}, signer).encode()


def is_accepted(script, content: bytes, root: str = "") -> bool:
    try:
        return script.problem_of(content, "", root) == ""
    except Exception:
        return False


def test_a_record_is_sound_with_all_some_or_no_results_shown(signer, script):
    for shown in ((), ("7",), ("0", "40", "12"), [entry["id"] for entry in RESULTS]):
        content = record(signer, shown)
        checked = score_record.check(content, signer.key_id, "a" * 64)
        assert checked.sound, checked.differences
        assert len(checked.body["results"]["shown"]) == len(shown)
        assert is_accepted(script, content)


def test_a_withheld_result_is_not_told(signer):
    text = record(signer, ("7",)).decode()
    assert text.count('"outcome"') == 1


def test_500_changes_are_found_here_and_by_the_script(signer, script):
    content = record(signer, ("0", "13", "40"))
    draw = random.Random(5)
    for turn in range(500):
        changed, at = bytearray(content), draw.randrange(len(content))
        if turn % 3 == 0:
            changed[at] ^= 1 << draw.randrange(8)
        elif turn % 3 == 1:
            del changed[at : at + draw.randrange(1, 30)]
        else:
            changed[at:at] = draw.choice([b" ", b"0", b"\n", b",", draw.randbytes(3)])
        checked = score_record.check(bytes(changed))
        assert not checked.sound, (turn, at)
        assert checked.differences[0].detail
        assert not is_accepted(script, bytes(changed)), (turn, at)


def test_another_spelling_of_the_same_record_is_refused(signer, script):
    content = record(signer)
    text = content.decode()
    signature = text.partition('"signature":"')[2][:128]
    for other in (
        text.replace(signature, signature.upper()),
        text.replace("END PUBLIC KEY-----\\n", "END PUBLIC KEY-----\\n\\n"),
        text.replace(",", ", "),
        text.rstrip("\n"),
        text.replace("模型", "\\u6a21\\u578b"),
        text.replace("模型", "\\ud800"),
    ):
        assert other != text
        assert not score_record.check(other.encode()).sound
        assert not is_accepted(script, other.encode())


_ALIKE = str.maketrans({"a": "а", "e": "е", "o": "о", "0": "０", "1": "１", "s": "ѕ"})
_NUMBER = re.compile(r"(?<=[:,\[])-?[0-9][0-9.e+-]*(?=[,}\]])")


def _respelled(text: str, draw: random.Random) -> str:
    """The text of a record with one thing in it written otherwise, as another program might read
    it in the same way, or as a person might not notice."""
    names = [match.start() for match in re.finditer('"[a-z_]+":', text)]
    at = draw.choice(names)
    name = text[at + 1 : text.index('"', at + 1)]
    number = draw.choice(list(_NUMBER.finditer(text)))
    written = number[0]
    forms = [f"{written}0" if "." in written else f"{written}.0", f"{written}e0", f" {written}",
             "9" * 400, "-0", "1e999", "NaN", "null", f"[{written}]", "[[null]]"]  # fmt: skip
    letters = [place for place, letter in enumerate(text) if ord(letter) in _ALIKE]
    alike = draw.choice(letters)
    pieces = text[:-1].split(",")
    first = draw.randrange(len(pieces) - 1)
    pieces[first], pieces[first + 1] = pieces[first + 1], pieces[first]
    return draw.choice([
        text[: number.start()] + draw.choice(forms) + text[number.end() :],
        text[:alike] + text[alike].translate(_ALIKE) + text[alike + 1 :],
        text[:alike] + f"\\u{ord(text[alike]):04x}" + text[alike + 1 :],
        text[:at] + f'"{name}":{draw.choice(["null", "1", "{}"])},' + text[at:],
        text[:at] + '"":{"":[null,{"":null}]},' + text[at:],
        text[:at] + text[at:].replace(f'"{name}"', f'"{name.upper()}"', 1),
        ",".join(pieces) + "\n",
        text + draw.choice(["\n", " ", "{}", text, "\x00", "\u200b"]),
        draw.choice(["\ufeff", " ", "[", "\n"]) + text,
        text[: draw.randrange(len(text))],
    ])  # fmt: skip


def test_500_other_spellings_are_refused_in_a_sentence(signer, script):
    text, draw, tried = record(signer, ("0", "13", "40")).decode(), random.Random(16), 0
    while tried < 500:
        other = _respelled(text, draw)
        if other == text:  # the same twice, put in the other order
            continue
        tried += 1
        content = other.encode()
        checked = score_record.check(content)
        assert len(checked.differences) == 1, other
        assert checked.differences[0].detail
        assert not is_accepted(script, content), other


def test_a_score_is_over_results_that_there_are(signer, script):
    for n, is_right in ((0, False), (-1, False), (42, False), (True, False), (41.0, False),
                        (None, False), (41, True), (12, True)):  # fmt: skip
        body = {**BODY, "score": {"mean": MEAN, "n": n}}
        part = score_record.results_part(RESULTS, SECRET)
        content = score_record.signed({**body, "results": part}, signer).encode()
        found = [one.subject for one in score_record.check(content).differences]
        assert found == ["score"] * (not is_right), n
        assert is_accepted(script, content) is is_right, n


def test_results_that_do_not_belong_or_do_not_add_up_are_named(signer, script):
    part = score_record.results_part(RESULTS, SECRET, ("3",))
    lie = {**part["shown"][0], "result": {**part["shown"][0]["result"], "score": 0.5}}
    everything = score_record.results_part(RESULTS, SECRET, [entry["id"] for entry in RESULTS])
    for results, subject, mean in (
        ({**part, "shown": [lie]}, "results", MEAN),
        ({**part, "withheld": 41}, "results", MEAN),
        ({**part, "shown": [{**part["shown"][0], "place": "3"}]}, "results", MEAN),
        ({}, "results", MEAN),
        (everything, "score", MEAN + 0.01),
    ):
        body = {**BODY, "results": results, "score": {"mean": mean, "n": 41}}
        content = score_record.signed(body, signer).encode()
        assert [one.subject for one in score_record.check(content).differences] == [subject]
        assert not is_accepted(script, content)


def test_whoever_signs_gives_no_score_by_results_that_are_shown_twice_or_by_none(signer, script):
    everything = score_record.results_part(RESULTS, SECRET, [entry["id"] for entry in RESULTS])
    right = next(one for one in everything["shown"] if one["result"]["score"])
    doubled = [*everything["shown"], *[right] * 41]
    unknown = [{**entry, "score": None} for entry in RESULTS]
    without = score_record.results_part(unknown, SECRET, [entry["id"] for entry in RESULTS])
    mean = sum(one["result"]["score"] for one in doubled) / len(doubled)
    for results, told in (
        ({**everything, "shown": doubled}, mean),
        (everything, math.nan),
        (everything, None),
        (everything, "0.5"),
        (without, 0.9),
    ):
        body = {**BODY, "results": results, "score": {"mean": told, "n": 41}}
        content = score_record.signed(body, signer).encode()
        assert not score_record.check(content).sound, told
        assert not is_accepted(script, content), told


def test_another_signer_and_another_split_are_told(signer, tmp_path, script):
    content = record(signer_at(tmp_path / "keys" / "other.pem"))
    assert score_record.check(content).sound
    assert [one.subject for one in score_record.check(content, signer.key_id).differences] == [
        "signer"
    ]
    assert script.problem_of(content, signer.key_id) == "another key signed it"
    assert [one.subject for one in score_record.check(content, "", "b" * 64).differences] == [
        "split"
    ]


def test_the_script_tells_the_record_of_another_split(signer, script):
    content = record(signer)
    assert script.problem_of(content, signer.key_id, "A" * 64) == ""
    assert script.problem_of(content, "", "b" * 64) == "it is of another split"
    assert script.problem_of(content, signer.key_id, "b" * 64) == "it is of another split"


@pytest.mark.parametrize(
    ("part", "odd"),
    [
        *(("split", odd) for odd in (None, [], "x", {"name": "s", "digest": "0", "roots": None})),
        ("split", {"name": "s", "digest": "0", "roots": f"{'b' * 64} {'a' * 64}"}),
        *(
            ("score", odd)
            for odd in ({}, [], {"mean": None}, {"mean": "1"}, {"mean": True}, {"mean": 1})
        ),
        *(("evaluation", odd) for odd in (None, {}, {"model_info": []})),
        *(("results", odd) for odd in (None, [], {"root": "0", "size": 1, "shown": []})),
        ("seen_before", "never"),
    ],
    ids=str,
)
def test_what_a_stranger_signed_in_another_shape_is_named(signer, script, part, odd):
    body = {**BODY, "results": score_record.results_part(RESULTS, SECRET), part: odd}
    content = score_record.signed(body, signer).encode()
    checked = score_record.check(content, "", "a" * 64)
    assert [one.subject for one in checked.differences] == [part]
    # the script has nothing to say of what it does not print
    assert is_accepted(script, content, "a" * 64) is (part == "seen_before")


def test_a_salt_has_one_length(signer, script):
    part = score_record.results_part(RESULTS, SECRET, ("3",))
    for salt in ("", "00" * 31, "00" * 33):
        results = {**part, "shown": [{**part["shown"][0], "salt": salt}], "size": 1,
                   "withheld": 0}  # fmt: skip
        text = canonical_bytes(part["shown"][0]["result"])
        entry = salted_hash(bytes.fromhex(salt), text)
        results |= {"root": root_of([entry])}
        results["shown"][0] |= {"place": 0, "proof": []}
        body = {**BODY, "results": results, "score": {"mean": 1.0, "n": 1}}
        content = score_record.signed(body, signer).encode()
        assert [one.subject for one in score_record.check(content).differences] == ["results"]
        assert not is_accepted(script, content)


def _document(model: str, score: float, split: str) -> dict[str, object]:
    """What a record says in the schema of Every Eval Ever."""
    result = {"evaluation_name": split, "score_details": {"score": score}}
    return {"model_info": {"id": model}, "evaluation_results": [result]}


def test_what_leaderboards_read_of_a_record_is_what_its_results_are_of(signer, script):
    part = score_record.results_part(RESULTS, SECRET)
    plan = {"params": {"model": "m", "engine": "openai"}}
    for model, score, split, subject in (
        ("m", MEAN, "s", ""),
        ("gpt", MEAN, "s", "evaluation"),
        ("m", MEAN + 0.2, "s", "evaluation"),
        ("m", MEAN, "t", "evaluation"),
    ):
        body = {**BODY, "evaluation": _document(model, score, split), "plan": plan}
        content = score_record.signed({**body, "results": part}, signer).encode()
        found = [one.subject for one in score_record.check(content).differences]
        assert found == [subject] * bool(subject)
        assert is_accepted(script, content) is not bool(subject)


def test_the_script_is_short_and_runs_alone(signer, tmp_path):
    path = resource("standalone", "check_score.py")
    assert len(path.read_text("utf-8").splitlines()) < 150
    file = tmp_path / "score.json"
    file.write_bytes(record(signer))
    command = [sys.executable, "-I", path, file, signer.key_id, "a" * 64]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "all is right")
    file.write_bytes(record(signer)[:-2])
    assert subprocess.run(command, capture_output=True, cwd=tmp_path).returncode == 1
