"""Encrypted with age: its library and its program open it, for those named alone, whole or not."""

import io
import random
import shutil
import subprocess

import pyrage
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.sealing import age_payload
from core.sealing.age_payload import CHUNK_BYTES

SIZES = (0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 3 * CHUNK_BYTES + 9)


def encrypted(content: bytes, recipients, pieces=7):
    out = io.BytesIO()
    step = len(content) // pieces + 1
    parts = (content[at : at + step] for at in range(0, len(content), step))
    age_payload.encrypt(parts, out, recipients)
    return out.getvalue()


@pytest.fixture
def identity():
    return pyrage.x25519.Identity.generate()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pieces", [1, 7])
def test_its_library_reads_it_whatever_its_size_and_pieces(size, pieces, identity):
    content = random.Random(size).randbytes(size)
    whole = encrypted(content, [identity.to_public()], pieces)
    assert pyrage.decrypt(whole, [identity]) == content
    bare = pyrage.encrypt(content, [identity.to_public()])
    # age adds a part that says nothing to its header, of another length each time
    assert len(whole) - whole.index(b"\n---") == len(bare) - bare.index(b"\n---")


def test_each_recipient_opens_it_and_nobody_else(identity):
    other, stranger = (pyrage.x25519.Identity.generate() for _ in range(2))
    own = Ed25519PrivateKey.generate()
    public = own.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    private = own.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )
    ssh = pyrage.ssh.Recipient.from_str(public.decode())
    whole = encrypted(b"words", [identity.to_public(), ssh, other.to_public()])
    for one in (identity, other, pyrage.ssh.Identity.from_buffer(private)):
        assert pyrage.decrypt(whole, [one]) == b"words"
    with pytest.raises(pyrage.DecryptError):
        pyrage.decrypt(whole, [stranger])
    parts = [line.split()[1] for line in whole.splitlines() if line.startswith(b"-> ")]
    assert (parts.count(b"X25519"), parts.count(b"ssh-ed25519")) == (2, 1)


def test_no_two_files_are_alike_and_no_changed_byte_is_read(identity):
    whole = encrypted(b"words" * 30_000, [identity.to_public()])
    again = encrypted(b"words" * 30_000, [identity.to_public()])
    assert whole[-1000:] != again[-1000:]
    r = random.Random(7)
    places = {*range(0, whole.index(b"\n---") + 60, 3), *r.sample(range(len(whole)), 60)}
    for place in places | {len(whole) - 1}:
        changed = bytearray(whole)
        changed[place] ^= r.randrange(1, 256)
        with pytest.raises(pyrage.DecryptError):
            pyrage.decrypt(bytes(changed), [identity])
    for cut in (1, 16, 17, len(whole) % CHUNK_BYTES, CHUNK_BYTES + 16, CHUNK_BYTES + 17):
        with pytest.raises(pyrage.DecryptError):
            pyrage.decrypt(whole[:-cut], [identity])


def test_what_fails_while_the_bytes_come_is_what_is_raised(identity):
    def pieces():
        yield b"words"
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        age_payload.encrypt(pieces(), io.BytesIO(), [identity.to_public()])


@pytest.mark.parametrize("size", SIZES)
def test_debians_age_reads_it(size, tmp_path, identity):
    if shutil.which("age") is None:
        pytest.skip("Debian's age is not installed here")
    key, file = tmp_path / "key.txt", tmp_path / "a.age"
    key.write_text(f"{identity}\n", encoding="utf-8")
    content = random.Random(size).randbytes(size)
    file.write_bytes(encrypted(content, [identity.to_public()]))
    done = subprocess.run(["age", "-d", "-i", key, file], capture_output=True)
    assert (done.returncode, done.stdout) == (0, content), done.stderr
