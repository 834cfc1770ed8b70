"""The locked archive: opened with its keys alone, also by others' tools; no changed byte passes."""

import hashlib
import hmac
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pyrage
import pytest

from core.errors import InputError
from core.files import canonical_bytes
from core.sealing import archive, container
from core.sealing.archive import Locks, Unlocking
from core.sealing.commitments import CommittedRow
from core.sealing.custodians import CustodyRule, combined, divide_key, passphrase_of, read_share
from core.sealing.signing import signer_at
from resources import resource
from tests.core.sealing.standalone_scripts import standalone
from tests.paths import ROOT

PASSPHRASE = "correct horse battery staple"
SECRET = bytes(range(32))
ROWS = [
    CommittedRow.of(
        str(n), canonical_bytes({"uid": str(n), "text": f"问题 {n} “x” \u2028 secret words of {n}"})
    )
    for n in range(30)
]
MUTATIONS = 500


@pytest.fixture
def identity():
    return pyrage.x25519.Identity.generate()


@pytest.fixture
def signer(tmp_path):
    return signer_at(tmp_path / "keys" / "me.pem")


def written(path: Path, signer, locks: Locks, rows=ROWS):
    with path.open("w+b") as out:
        return archive.write(out, rows, {"split": "s", "period": "p"}, locks, signer, SECRET)


def recipient(identity) -> Locks:
    return Locks((str(identity.to_public()),))


def items_of(path: Path, unlocking: Unlocking):
    items = []
    with path.open("rb") as handle:
        checked = archive.read_items(handle, unlocking, items.append)
    return checked, items


def test_every_key_opens_it_and_gives_the_items_in_order(tmp_path, signer, identity):
    path = tmp_path / "a.sealed"
    locks = Locks((str(identity.to_public()),), PASSPHRASE, CustodyRule(2, 3))
    sealed = written(path, signer, locks)
    for unlocking in (
        Unlocking((str(identity),)),
        Unlocking(passphrase=PASSPHRASE),
        Unlocking(shares=sealed.shares[1:]),
        Unlocking(shares=sealed.shares[:2]),
    ):
        checked, items = items_of(path, unlocking)
        assert checked.sound
        assert [canonical_bytes(item) for item in items] == [row.content for row in ROWS]


def test_nothing_opens_it_without_a_key(tmp_path, signer, identity):
    path = tmp_path / "a.sealed"
    sealed = written(path, signer, Locks((), PASSPHRASE, CustodyRule(2, 3)))
    stranger = str(pyrage.x25519.Identity.generate())
    for unlocking in (
        Unlocking(),
        Unlocking((stranger,)),
        Unlocking(passphrase="another passphrase"),
        Unlocking(shares=sealed.shares[:1]),
        Unlocking(shares=(sealed.shares[0], sealed.shares[0])),
    ):
        with pytest.raises(InputError):
            items_of(path, unlocking)
    content = path.read_bytes()
    assert b"secret words" not in content
    assert "问题".encode() not in content
    assert rb"\u95ee" not in content
    assert signer.secret() not in content
    assert stranger.encode() not in content


def test_what_is_in_the_clear_is_the_same_for_the_same_split_and_key(tmp_path, signer, identity):
    clear = []
    for name in ("a", "b"):
        written(tmp_path / name, signer, recipient(identity))
        with (tmp_path / name).open("rb") as handle:
            members, _ = archive.container.members(handle)
            clear.append([
                archive.container.content_of(handle, members[one], 2**20)
                for one in (archive.HASHES, archive.MANIFEST, archive.SIGNER)
            ])  # fmt: skip
    assert clear[0] == clear[1]
    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()  # age draws a file key


def test_no_changed_byte_is_accepted_and_each_is_named(tmp_path, signer, identity):
    path = tmp_path / "a.sealed"
    written(path, signer, Locks((str(identity.to_public()),), PASSPHRASE))
    content = path.read_bytes()
    draw = random.Random(24)
    ways = ("flip", "cut", "insert", "swap")
    for place in range(MUTATIONS):
        way = ways[place % len(ways)]
        changed, at = bytearray(content), draw.randrange(len(content))
        if way == "flip":
            changed[at] ^= 1 << draw.randrange(8)
        elif way == "cut":
            del changed[at : at + draw.randrange(1, 600)]
        elif way == "insert":
            changed[at:at] = draw.randbytes(draw.randrange(1, 600))
        else:
            other = draw.randrange(len(content) - 40)
            changed[at : at + 40], changed[other : other + 40] = (
                content[other : other + 40], content[at : at + 40],
            )  # fmt: skip
        if bytes(changed) == content:
            continue
        checked = archive.check(io.BytesIO(bytes(changed)))
        assert not checked.sound, (way, at)
        assert all(one.subject and one.detail for one in checked.differences)


def test_every_byte_of_manifest_seal_and_signature_counts(tmp_path, signer, identity):
    path = tmp_path / "a.sealed"
    written(path, signer, recipient(identity), ROWS[:2])
    content = path.read_bytes()
    with path.open("rb") as handle:
        members, _ = archive.container.members(handle)
    for name in (archive.MANIFEST, archive.SEAL, archive.SIGNATURE, archive.SIGNER):
        for at in range(members[name].offset, members[name].offset + members[name].size):
            changed = bytearray(content)
            changed[at] ^= 1
            assert not archive.check(io.BytesIO(bytes(changed))).sound, (name, at)


def test_items_that_another_sealed_are_told_by_key_and_root(tmp_path, signer, identity):
    path, other = tmp_path / "a.sealed", tmp_path / "b.sealed"
    sealed = written(path, signer, recipient(identity))
    forger = signer_at(tmp_path / "keys" / "forger.pem")
    written(other, forger, recipient(identity), ROWS[1:])
    with other.open("rb") as handle:
        assert archive.check(handle).sound
        assert [d.subject for d in archive.check(handle, sealed.key_id).differences] == [
            archive.SIGNER
        ]
        assert [d.subject for d in archive.check(handle, "", sealed.root).differences] == [
            archive.MANIFEST
        ]


def test_an_item_that_its_hash_does_not_stand_for_is_named(tmp_path, signer, identity):
    path = tmp_path / "a.sealed"
    other = ROWS[3]._replace(content=ROWS[0].content)
    written(path, signer, recipient(identity), (*ROWS[:3], other, *ROWS[4:]))
    checked, items = items_of(path, Unlocking((str(identity),)))
    assert [(one.kind, one.subject) for one in checked.differences] == [("item_altered", "4")]
    assert len(items) == 3


def test_fewer_custodians_than_needed_never_open_it():
    draw = random.Random(3)
    opened = 0
    for _ in range(50):
        rule = CustodyRule(needed := draw.randrange(2, 4), draw.randrange(needed, 5))
        passphrase, shares = divide_key("s", "0" * 64, rule)
        known = {"needed": needed, "digests": [share.digest for share in shares]}
        assert passphrase_of(draw.sample(shares, needed), known) == passphrase
        for _ in range(200):
            few = draw.sample(shares, needed - 1)
            opened += combined(few) == passphrase
        with pytest.raises(InputError, match="opens with"):
            passphrase_of(few, known)
    assert opened == 0


def test_a_changed_share_is_named(tmp_path, signer):
    path = tmp_path / "a.sealed"
    sealed = written(path, signer, Locks(custody=CustodyRule(2, 2)))
    wrong = sealed.shares[0].model_copy(update={"value": f"{1:0132x}"})
    with pytest.raises(InputError, match="Share 1"):
        items_of(path, Unlocking(shares=(wrong, sealed.shares[1])))
    (tmp_path / "no.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="not the share"):
        read_share(tmp_path / "no.json")


@pytest.mark.parametrize("locks", [
    Locks(), Locks(("age1no",)), Locks(passphrase="short"), Locks(("AGE-SECRET-KEY-1QQQ",)),
])  # fmt: skip
def test_locks_that_lock_nothing_are_refused(locks, signer, tmp_path):
    with pytest.raises(InputError) as raised:
        written(tmp_path / "a", signer, locks)
    assert "SECRET-KEY" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "2", "1/3", "4/3", "a/b", "2/100", "2/3/4"])
def test_a_rule_of_custodians_is_two_or_more_of_as_many(text):
    with pytest.raises(InputError):
        CustodyRule.parse(text)


def test_the_signing_key_is_its_owners_alone(tmp_path):
    path = tmp_path / "keys" / "me.pem"
    first = signer_at(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert signer_at(path).key_id == first.key_id
    assert [one.name for one in path.parent.iterdir()] == ["me.pem"]
    path.chmod(0o640)
    with pytest.raises(InputError, match="Others can read"):
        signer_at(path)


def test_openssl_verifies_the_signature_and_a_script_the_root(tmp_path, signer, identity):
    path = tmp_path / "a.sealed"
    written(path, signer, recipient(identity))
    subprocess.run(["tar", "xf", path], cwd=tmp_path, check=True)
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "signer.pem", "-rawin",
               "-in", "seal.json", "-sigfile", "seal.sig"]  # fmt: skip
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
    (tmp_path / "seal.json").write_bytes((tmp_path / "seal.json").read_bytes() + b" ")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode != 0
    script = [sys.executable, "-I", "-S", resource("standalone/check_root.py"), path]
    done = subprocess.run(script, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "all is right")


def test_a_computer_that_is_too_slow_for_a_passphrase_is_not_told_that_it_is_wrong():
    locked = pyrage.passphrase.encrypt(b"key", "a passphrase of words")
    slower = re.sub(rb"(-> scrypt \S+ )\d+", rb"\g<1>30", locked)  # which takes an hour
    for content, told in ((slower, "too busy or too slow"), (locked, "does not open")):
        with pytest.raises(InputError, match=told):
            archive.identities_of(
                Unlocking(passphrase="another passphrase"), archive.LockedKeys("", content)
            )


def test_the_script_names_what_was_cut_off_added_or_doubled(tmp_path, signer, identity):
    path, other = tmp_path / "a.sealed", tmp_path / "b.sealed"
    written(path, signer, recipient(identity))
    content = path.read_bytes()
    script = [sys.executable, "-I", "-S", resource("standalone/check_root.py"), other]

    def says(changed: bytes) -> str:
        other.write_bytes(changed)
        done = subprocess.run(script, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (1, "")
        return done.stdout

    def with_member(name: str, text: bytes) -> bytes:
        shutil.copyfile(path, other)
        with tarfile.open(other, "a:") as tar:
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
        return other.read_bytes()

    for length in (0, 100, 700, len(content) // 2):
        assert "it cannot be read" in says(content[:length])
    for changed in (content[:-1], content[:-1024], content[:-1600], content + b"\0"):
        assert "something is missing or added at the end of the archive" in says(changed)
    assert "read-me.txt is not signed" in says(with_member("read-me.txt", b"see there"))
    assert "hashes.txt stands there twice" in says(with_member("hashes.txt", b"0" * 64))


@pytest.fixture(scope="module")
def script():
    """The stand-alone script, as a module."""
    return standalone("check_root")


def parts_of(path: Path) -> dict[str, bytes]:
    """The files in an archive."""
    with path.open("rb") as handle:
        return {name: container.content_of(handle, member, 2**25)
                for name, member in container.members(handle)[0].items()}  # fmt: skip


def put_together(path: Path, parts: dict[str, bytes], signer, seal=canonical_bytes) -> Path:
    """An archive of these files, which whoever has a signing key signs again; ``seal`` writes what
    is signed."""
    told = json.loads(parts[archive.SEAL])
    told["files"] = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        for name, content in parts.items()
        if name not in (archive.SEAL, archive.SIGNATURE, archive.SIGNER)
    }
    sealed = seal(told) + b"\n"
    parts = {**parts, archive.SEAL: sealed, archive.SIGNATURE: signer.sign(sealed),
             archive.SIGNER: signer.public_pem}  # fmt: skip
    with path.open("w+b") as out:
        for name, content in parts.items():
            container.add_member(out, name, [content])
        container.end(out)
    return path


def names_found(path: Path, script) -> tuple[list[str], list[str]]:
    """(what differs for the program, what for the script)."""
    with path.open("rb") as handle:
        found = [one.subject for one in archive.check(handle).differences]
    return found, script.problems_of(path)


def test_a_document_of_two_readings_is_named_whoever_signed_it(tmp_path, signer, identity, script):
    path, other = tmp_path / "a.sealed", tmp_path / "b.sealed"
    written(path, signer, recipient(identity))
    parts = parts_of(path)
    assert names_found(put_together(other, parts, signer), script) == ([], [])
    manifest = parts[archive.MANIFEST]
    for changed in (
        manifest.replace(b'{"', b'{"root":"' + b"f" * 64 + b'","', 1),
        b" " + manifest,
        manifest.replace(b'"split":"s"', b'"split":"\\u0073"'),
    ):
        assert changed != manifest
        put_together(other, {**parts, archive.MANIFEST: changed}, signer)
        found, told = names_found(other, script)
        assert found == [archive.MANIFEST]
        assert told == ["manifest.json is not written as Benchseal writes it"]

    def twice(told: dict) -> bytes:
        return canonical_bytes(told).replace(b'{"', b'{"recipients":["age1me"],"', 1)

    found, told = names_found(put_together(other, parts, signer, twice), script)
    assert found == [archive.SEAL]
    assert told == ["seal.json is not written as Benchseal writes it"]


@pytest.mark.parametrize(
    "odd",
    [
        {"signer": "0" * 64},
        {"recipients": None},
        {"recipients": [1]},
        {"custodians": [[]]},
        {"custodians": {"needed": "2", "shares": 3, "digests": []}},
        {"custodians": {"needed": 2, "shares": 3}},
        {"files": []},
    ],
    ids=str,
)
def test_a_seal_that_says_something_else_than_seals_say_is_named(tmp_path, signer, identity, odd):
    path, other = tmp_path / "a.sealed", tmp_path / "b.sealed"
    written(path, signer, recipient(identity))
    put_together(other, parts_of(path), signer, lambda told: canonical_bytes({**told, **odd}))
    with other.open("rb") as handle:
        assert [one.subject for one in archive.check(handle).differences] == [archive.SEAL]


def test_items_that_break_off_are_named_and_no_other_trouble(tmp_path, signer, identity):
    path, other = tmp_path / "a.sealed", tmp_path / "b.sealed"
    written(path, signer, recipient(identity))
    parts = parts_of(path)
    cipher = parts[archive.ITEMS]
    for changed in (cipher[:-20], cipher[:-1], cipher * 2, cipher[:-1] + b"x"):
        put_together(other, {**parts, archive.ITEMS: changed}, signer)
        checked, items = items_of(other, Unlocking((str(identity),)))
        assert not items
        assert [(one.kind, one.subject) for one in checked.differences] == [("item_missing", "1")]


def test_the_script_names_what_stands_beside_the_files(tmp_path, signer, identity, script):
    path, other = tmp_path / "a.sealed", tmp_path / "b.sealed"
    written(path, signer, recipient(identity))
    content = path.read_bytes()
    with tarfile.open(path) as tar:
        members = tar.getmembers()
    for member in members:
        member.mtime = 1
        head = member.tobuf(tarfile.GNU_FORMAT)
        other.write_bytes(content[: member.offset] + head + content[member.offset + 512 :])
        expected = f"{member.name} has something in its header or behind it"
        assert script.problems_of(other) == [expected]
        behind = member.offset_data + member.size
        if member.size % 512:
            other.write_bytes(content[:behind] + b"x" + content[behind + 1 :])
            assert script.problems_of(other) == [expected]
    parts = parts_of(path)
    swapped = {archive.HASHES: b"", **parts}
    put_together(other, swapped, signer)
    assert "the files do not stand in their order" in script.problems_of(other)


def test_the_script_takes_no_line_that_holds_more_than_an_item(tmp_path, signer, identity, script):
    path, items = tmp_path / "a.sealed", tmp_path / "items.jsonl"
    written(path, signer, recipient(identity))
    plain = pyrage.decrypt(parts_of(path)[archive.ITEMS], [identity])
    items.write_bytes(plain)
    assert script.problems_of(path, items) == []
    for changed in (
        plain.replace(b'{"item":', b'{"item":{"text":"another","uid":"0"},"item":', 1),
        plain.replace(b'"text":', b'"text":"another","text":', 1),
        plain.replace(b'{"item":', b'{"note":"the answer is C","item":', 1),
        plain.replace(b'"salt":"', b'"salt":"  ', 1),
    ):
        assert changed != plain
        items.write_bytes(changed)
        with pytest.raises(ValueError, match=r"twice|something else"):
            script.problems_of(path, items)


def test_debians_age_opens_the_items(tmp_path, signer, identity):
    if shutil.which("age") is None:
        pytest.skip("Debian's age is not installed here")
    path = tmp_path / "a.sealed"
    written(path, signer, recipient(identity))
    subprocess.run(["tar", "xf", path, "items.age"], cwd=tmp_path, check=True)
    key = tmp_path / "key.txt"
    key.write_text(f"{identity}\n", encoding="utf-8")
    done = subprocess.run(["age", "-d", "-i", key, "items.age"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    items = tmp_path / "items.jsonl"
    items.write_bytes(done.stdout)
    script = [sys.executable, "-I", "-S", resource("standalone/check_root.py"), path, items]
    assert subprocess.run(script, capture_output=True).returncode == 0
    lines = done.stdout.splitlines(keepends=True)
    items.write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    swapped = subprocess.run(script, capture_output=True, text=True)
    assert swapped.returncode == 1
    assert "item 1 is not" in swapped.stdout


def test_memory_does_not_grow_with_the_items(tmp_path):
    code = (
        "import sys, resource; from pathlib import Path; from core.sealing import archive;"
        "from core.sealing.signing import signer_at; from core.files import canonical_bytes;"
        "import pyrage; n=int(sys.argv[1]); k=pyrage.x25519.Identity.generate();"
        "of=archive.CommittedRow.of;"
        "rows=(of(str(i), canonical_bytes({'uid': i, 'text': 'x' * 2000})) for i in range(n));"
        "out=open(sys.argv[2], 'w+b');"
        "archive.write(out, rows, {'split': 's'}, archive.Locks((str(k.to_public()),)),"
        " signer_at(Path(sys.argv[2]).with_name('k.pem')), b'x' * 32);"
        "out.flush(); r=open(sys.argv[2], 'rb');"
        "assert archive.read_items(r, archive.Unlocking((str(k),)), len).sound;"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    peak = []
    for count in (500, 30_000):  # 1 MB and 60 MB of items
        command = [sys.executable, "-c", code, str(count), str(tmp_path / str(count))]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        peak.append(int(done.stdout))
    assert peak[1] - peak[0] < 20, peak


def test_the_same_items_and_secret_give_the_same_bytes_in_every_version(tmp_path, identity, signer):
    rows = [
        CommittedRow.of(
            str(n),
            canonical_bytes(
                {"uid": str(n), "text": f"问题 {n} “x” \u2028 é\u2029\x85 secret of {n}"}
            ),
        )
        for n in range(300)
    ]
    path = tmp_path / "s.sealed"
    written(path, signer, recipient(identity), rows)
    with path.open("rb") as handle:
        members, _ = container.members(handle)
        encrypted = container.content_of(handle, members[archive.ITEMS], 2**24)
    items = pyrage.decrypt(encrypted, [identity])
    assert hashlib.sha256(items).hexdigest() == (
        "8a4d391a46572bad75776a519dee9153937965d2115e59c3600ae810433e9a1b"
    )
    assert members[archive.HASHES].sha256 == (
        "010722720f103c36b44f8ff962e5c23d316dc811f5f04754ae8065b0940e8178"
    )
    first = json.loads(items.partition(b"\n")[0])
    assert first["salt"] == hmac.digest(SECRET, b"0", "sha256").hex()
