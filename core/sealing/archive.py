"""The locked archive of a split: one file, its manifest in the clear, its items encrypted, signed.

The file is a tar (``core.sealing.container``) of, in this order:

- ``items.age``: the items, one JSON line each with its salt, encrypted with age
  (age-encryption.org/v1) to the recipients and to a key of the archive where it has one;
- ``hashes.txt``: the salted hash of every item in the split's order, a line of hexadecimal digits;
- ``manifest.json``: what may be known of the split, and the Merkle root over the hashes;
- ``key-passphrase.age``, ``key-custodians.age``: the archive's own key, encrypted with a
  passphrase, or with the one that the custodians' shares give;
- ``seal.json``: the SHA-256 of every member above, the recipients, who signed;
- ``seal.sig`` and ``signer.pem``: the Ed25519 signature of ``seal.json``, 64 bytes, and the key.

Manifest, hashes and the plain items are the same bytes for the same split and workspace key. What
age encrypts differs each time, as it must: it draws a new file key.
"""

import io
import os
from binascii import hexlify
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, NoReturn

import pyrage

from core.bounded_json import MOST_LINE, parse_json
from core.errors import InputError
from core.files import canonical_bytes
from core.i18n import tr
from core.redaction import guard_secret
from core.release.manifest import Difference
from core.sealing import container
from core.sealing.commitments import (
    HASH_BYTES,
    SALT_BYTES,
    CommittedRow,
    committed,
    salted_hash,
)
from core.sealing.container import ArchiveMember, MemberWriter
from core.sealing.custodians import CustodyRule, Share, divide_key, passphrase_of
from core.sealing.merkle import MerkleRoot
from core.sealing.signing import SIGNATURE_BYTES, Signer, is_signed, key_id, public_key_of

FORMAT, VERSION = "benchseal-sealed-split", 1
ITEMS, HASHES, MANIFEST = "items.age", "hashes.txt", "manifest.json"
BY_PASSPHRASE, BY_CUSTODIANS = "key-passphrase.age", "key-custodians.age"
SEAL, SIGNATURE, SIGNER = "seal.json", "seal.sig", "signer.pem"
_ORDERS = tuple(
    (ITEMS, HASHES, MANIFEST, *keys, SEAL, SIGNATURE, SIGNER)
    for keys in ((), (BY_PASSPHRASE,), (BY_CUSTODIANS,), (BY_PASSPHRASE, BY_CUSTODIANS))
)
SHORTEST_PASSPHRASE = 12  # characters
_HASH_LINE = 2 * HASH_BYTES + 1  # bytes
_HASHES_AT_ONCE = 4096 * _HASH_LINE
_ENTRIES_AT_ONCE = 4096
_READ_AHEAD = 2**16  # age asks for 8 KiB at a time
_MOST_HEAD = 32 * 2**20
_AGE_KEY = "AGE-SECRET-KEY-"
_TOO_SLOW = "Excessive work"  # age measures the computer again whenever it tries a passphrase


@dataclass(frozen=True, slots=True)
class Locks:
    """Who can open an archive: age recipients (``age1…``, or a line of an SSH public key), whoever
    knows a passphrase, and so many of its custodians."""

    recipients: tuple[str, ...] = ()
    passphrase: str = field(default="", repr=False)
    custody: CustodyRule | None = None


@dataclass(frozen=True, slots=True)
class Unlocking:
    """What somebody opens an archive with: lines of age identities, SSH private keys, a passphrase
    or custodians' shares."""

    identities: tuple[str, ...] = field(default=(), repr=False)
    passphrase: str = field(default="", repr=False)
    shares: tuple[Share, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class LockedKeys:
    """The archive's own key: its public half, empty where it has none, and its secret half locked
    with a passphrase and by custodians, as the members of the archive hold it."""

    public: str = ""
    by_passphrase: bytes = b""
    by_custodians: bytes = b""
    custodians: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SealedArchive:
    """An archive that was written: its Merkle root, how many items, who signed it, the shares of
    its custodians, which are nowhere else, and how its own key is locked."""

    root: str
    items: int
    key_id: str
    shares: tuple[Share, ...] = field(default=(), repr=False)
    keys: LockedKeys = field(default_factory=LockedKeys, repr=False)


@dataclass(frozen=True, slots=True)
class ArchiveCheck:
    """What an archive says in the clear, and everything in it that is not as it was signed."""

    manifest: Mapping[str, Any]
    seal: Mapping[str, Any]
    key_id: str
    differences: tuple[Difference, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


# --- writing ---------------------------------------------------------------------------------


def write(
    out: BinaryIO,
    rows: Iterable[CommittedRow],
    facts: Mapping[str, Any],
    locks: Locks,
    signer: Signer,
    secret: bytes,
) -> SealedArchive:
    """Write an archive of ``rows``, one for each item in order, as they come.

    ``facts`` is what the manifest says besides (``split`` is the split's name); ``secret`` makes
    the salts. ``out`` can seek. Raises InputError for locks that cannot be used.
    """
    recipients, own, public = _recipients(locks)
    tree, items = MerkleRoot(), MemberWriter(out, ITEMS)
    with TemporaryFile() as hashes:
        lines = _Lines(_sealed_lines(rows, secret, hashes, tree))
        try:
            pyrage.encrypt_io(io.BufferedReader(lines, _READ_AHEAD), items, recipients)
        except pyrage.EncryptError as error:
            raise lines.failed or error from None
        members = [items.close()]
        hashes.seek(0)
        pieces = iter(lambda: hashes.read(_HASHES_AT_ONCE), b"")
        members.append(container.add_member(out, HASHES, pieces))
    root = tree.root()
    manifest = {
        **facts, "format": FORMAT, "version": VERSION, "items": tree.size, "root": root,
        "hash": "sha256(salt + canonical JSON of the item)", "tree": "RFC 6962",
    }  # fmt: skip
    members.append(container.add_member(out, MANIFEST, [_document(manifest)]))
    keys, shares = _locked_keys(locks, own, public, str(facts["split"]), root)
    for name, content in ((BY_PASSPHRASE, keys.by_passphrase), (BY_CUSTODIANS, keys.by_custodians)):
        if content:
            members.append(container.add_member(out, name, [content]))
    seal = _document({
        "format": FORMAT, "version": VERSION, "signer": signer.key_id,
        "files": {member.name: {"sha256": member.sha256, "size": member.size}
                  for member in members},
        "recipients": list(locks.recipients), "custodians": dict(keys.custodians),
    })  # fmt: skip
    container.add_member(out, SEAL, [seal])
    container.add_member(out, SIGNATURE, [signer.sign(seal)])
    container.add_member(out, SIGNER, [signer.public_pem])
    container.end(out)
    return SealedArchive(root, tree.size, signer.key_id, shares, keys)


def _locked_keys(
    locks: Locks, own: str, public: str, split: str, root: str
) -> tuple[LockedKeys, tuple[Share, ...]]:
    """How the archive's own key is locked, and the shares of its custodians."""
    shares: tuple[Share, ...] = ()
    by_passphrase = _locked_key(own, locks.passphrase) if locks.passphrase else b""
    if locks.custody is None:
        return LockedKeys(public, by_passphrase), shares
    passphrase, shares = divide_key(split, root, locks.custody)
    custodians = {"needed": locks.custody.needed, "shares": locks.custody.shares,
                  "digests": [share.digest for share in shares]}  # fmt: skip
    return LockedKeys(public, by_passphrase, _locked_key(own, passphrase), custodians), shares


def refuse_unusable(locks: Locks) -> None:
    """InputError for locks with which nothing can be written."""
    _recipients(locks)


def _recipients(locks: Locks) -> tuple[list[Any], str, str]:
    """(whom the items are encrypted to, the archive's own key, secret and public, or nothing)."""
    recipients = [recipient_of(text) for text in locks.recipients]
    if locks.passphrase and len(locks.passphrase) < SHORTEST_PASSPHRASE:
        raise InputError.tr(
            "The passphrase is too short; use several random words (minimum length: {least}).",
            least=SHORTEST_PASSPHRASE
        )  # fmt: skip
    if not locks.passphrase and locks.custody is None:
        if not recipients:
            raise InputError(
                tr("Say who can open the archive: recipients, a passphrase or custodians."),
                command=tr("For example: --recipient age1…"),
            )
        return recipients, "", ""
    identity = pyrage.x25519.Identity.generate()
    guard_secret(str(identity))
    public = identity.to_public()
    return [*recipients, public], str(identity), str(public)


def recipient_of(text: str) -> Any:
    """An age recipient, or one of SSH, as pyrage takes it; InputError for another text."""
    try:
        if text.startswith("ssh-"):
            return pyrage.ssh.Recipient.from_str(text)
        return pyrage.x25519.Recipient.from_str(text)
    except pyrage.RecipientError as error:
        raise InputError.tr(
            "“{text}” is not a recipient: write age1… or a public key of SSH.",
            text=text[:80] if not text.startswith(_AGE_KEY) else "…"
        ) from error  # fmt: skip


def _locked_key(identity: str, passphrase: str) -> bytes:
    return bytes(pyrage.passphrase.encrypt(f"{identity}\n".encode(), passphrase))


def _sealed_lines(
    rows: Iterable[CommittedRow], secret: bytes, hashes: IO[bytes], tree: MerkleRoot
) -> Iterator[bytes]:
    """The lines of the items, some together; tree and hashes have all of them at the end."""
    some = list[bytes]()

    def put() -> None:
        tree.extend(some)
        hashes.write(b"%s\n" % hexlify(b"".join(some), b"\n", HASH_BYTES) if some else b"")
        some.clear()

    for entries, lines in committed(rows, secret):
        some += entries
        if len(some) >= _ENTRIES_AT_ONCE:
            put()
        yield lines
    put()


def _document(value: Any) -> bytes:
    return canonical_bytes(value) + b"\n"


class _Lines(io.RawIOBase):
    """Lines that come some together, as a file to read from."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._some, self._at = memoryview(b""), 0
        self.failed: BaseException | None = None
        """Why there were no next lines."""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill ``target`` as far as what comes together reaches; 0 at the end."""
        try:
            while self._at == len(self._some):
                self._some, self._at = memoryview(next(self._lines)), 0
        except StopIteration:
            return 0
        except BaseException as error:
            self.failed = error
            raise
        content = self._some[self._at : self._at + len(target)]
        target[: len(content)] = content
        self._at += len(content)
        return len(content)


# --- checking --------------------------------------------------------------------------------


def check(handle: BinaryIO, expected_key: str = "", expected_root: str = "") -> ArchiveCheck:
    """Everything in an archive that is not as it was signed; nothing is decrypted.

    ``expected_key`` is the key id of who should have signed it, ``expected_root`` the root that
    somebody remembers: without either, an archive that another key signed again is sound in itself.
    """
    members, problems = container.members(handle)
    if problems:
        return ArchiveCheck({}, {}, "", tuple(problems))
    if tuple(members) not in _ORDERS:
        detail = tr("it does not have the files of a sealed split")
        return ArchiveCheck({}, {}, "", (_changed(tr("the archive"), detail),))
    pem = container.content_of(handle, members[SIGNER], _MOST_HEAD)
    sealed = container.content_of(handle, members[SEAL], _MOST_HEAD)
    signature = container.content_of(handle, members[SIGNATURE], SIGNATURE_BYTES)
    key = public_key_of(pem)
    if key is None:
        detail = tr("it is not the public key of a signer")
        return ArchiveCheck({}, {}, "", (_changed(SIGNER, detail),))
    own = key_id(key)
    if members[SIGNATURE].size != SIGNATURE_BYTES or not is_signed(key, signature, sealed):
        detail = tr("the signature does not match; seal.json, seal.sig or signer.pem was changed")
        return ArchiveCheck({}, {}, own, (_changed(SEAL, detail),))
    seal = _object(sealed)
    if expected_key and own != expected_key:
        problems.append(_changed(SIGNER, tr("another key signed it")))
    problems += _member_differences(members, seal)
    if not problems and not _is_seal_of(seal, own):
        problems.append(_changed(SEAL, tr("it does not say who signed it and who can open it")))
    manifest = _object(container.content_of(handle, members[MANIFEST], _MOST_HEAD))
    if not problems and not manifest:
        problems.append(_changed(MANIFEST, tr("it is not as Benchseal writes it")))
    if not problems:
        problems += _root_differences(handle, members[HASHES], manifest, expected_root)
    return ArchiveCheck(manifest, seal, own, tuple(problems))


def _member_differences(
    members: Mapping[str, ArchiveMember], seal: Mapping[str, Any]
) -> Iterator[Difference]:
    files = seal.get("files")
    signed = files if isinstance(files, dict) else {}
    expected = {name for name in members if name not in (SEAL, SIGNATURE, SIGNER)}
    if set(signed) != expected or seal.get("format") != FORMAT:
        yield _changed(SEAL, tr("it is not the seal of these files"))
        return
    for name in expected:
        entry = {"sha256": members[name].sha256, "size": members[name].size}
        if signed[name] != entry:
            yield _changed(name, tr("the file was changed since it was signed"))


def _is_seal_of(seal: Mapping[str, Any], key: str) -> bool:
    """Whether a seal names the key that signed it, and has recipients and custodians as the archive
    is opened with; what a stranger signed may have anything there."""
    recipients, custodians = seal.get("recipients"), seal.get("custodians")
    if seal.get("signer") != key or not _are_texts(recipients):
        return False
    if custodians == {}:
        return True
    return isinstance(custodians, dict) and (
        isinstance(custodians.get("needed"), int)
        and isinstance(custodians.get("shares"), int)
        and _are_texts(custodians.get("digests"))
    )


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _root_differences(
    handle: BinaryIO, hashes: ArchiveMember, manifest: Mapping[str, Any], expected_root: str
) -> Iterator[Difference]:
    tree = MerkleRoot()
    for entry in _hashes(handle, hashes):
        if entry is None:
            yield _changed(HASHES, tr("line {line} is not a hash", line=tree.size + 1))
            return
        tree.add(entry)
    if tree.root() != manifest.get("root") or tree.size != manifest.get("items"):
        yield _changed(HASHES, tr("the hashes do not give the root in the manifest"))
    if expected_root and expected_root != manifest.get("root"):
        yield _changed(MANIFEST, tr("its root is not the expected one"))


def _hashes(handle: BinaryIO, member: ArchiveMember) -> Iterator[bytes | None]:
    """The hashes in the split's order, None for a line that is none; moves no place in the file."""
    for start in range(0, member.size, _HASHES_AT_ONCE):
        size = min(_HASHES_AT_ONCE, member.size - start)
        block = os.pread(handle.fileno(), size, member.offset + start)
        for at in range(0, len(block), _HASH_LINE):
            line = block[at : at + _HASH_LINE]
            try:
                entry = bytes.fromhex(line[:-1].decode())
            except ValueError:
                entry = b""
            yield entry if line == f"{entry.hex()}\n".encode() and len(entry) == 32 else None


def hash_at(handle: BinaryIO, place: int) -> str:
    """The salted hash of the item at a place in a sound archive; empty where it has none."""
    members, _ = container.members(handle)
    member = members.get(HASHES)
    if member is None or not 0 <= place < member.size // _HASH_LINE:
        return ""
    at = member.offset + place * _HASH_LINE
    return os.pread(handle.fileno(), _HASH_LINE - 1, at).decode("ascii", "replace")


def _object(content: bytes) -> dict[str, Any]:
    """The object that a document says, empty for one in another spelling than ours: with a name
    twice, say, which readers take in different ways."""
    try:
        value = parse_json(content, as_written=True)
        return value if isinstance(value, dict) and _document(value) == content else {}
    except ValueError:
        return {}


def _changed(subject: str, detail: str) -> Difference:
    return Difference("archive_changed", subject, detail)


# --- opening ---------------------------------------------------------------------------------


def read_items(
    handle: BinaryIO, unlocking: Unlocking, take: Callable[[dict[str, Any]], None]
) -> ArchiveCheck:
    """Decrypt the items of an archive and give each, once it is checked, to ``take`` in order.

    The archive is checked first; of one that is not sound nothing is decrypted. An item that does
    not fit its hash, or is missing, is named in the result; ``take`` was given none but right ones.
    Raises InputError where none of the keys opens it.
    """
    checked = check(handle)
    if not checked.sound:
        return checked
    members, _ = container.members(handle)
    identities = _identities(handle, members, checked, unlocking)
    reader = _Checked(_hashes(handle, members[HASHES]), take)
    handle.seek(members[ITEMS].offset)
    try:
        pyrage.decrypt_io(_Part(handle, members[ITEMS]), reader, identities)
        reader.finish()
    except (pyrage.DecryptError, _AlteredError) as error:
        if reader.failed is None:
            raise InputError.tr(
                "None of these keys opens the archive: {reason}.", reason=error
            ) from error
    except OSError as error:
        if error.errno is not None:  # the disk's, not age's
            raise
        reader.break_off()
    if reader.failed is None:
        return checked
    return ArchiveCheck(checked.manifest, checked.seal, checked.key_id, (reader.failed,))


def _identities(
    handle: BinaryIO,
    members: Mapping[str, ArchiveMember],
    checked: ArchiveCheck,
    unlocking: Unlocking,
) -> list[Any]:
    by_passphrase, by_custodians = (
        container.content_of(handle, members[name], _MOST_HEAD) if name in members else b""
        for name in (BY_PASSPHRASE, BY_CUSTODIANS)
    )
    custodians = checked.seal.get("custodians") or {}
    return identities_of(unlocking, LockedKeys("", by_passphrase, by_custodians, custodians))


def identities_of(unlocking: Unlocking, locked: LockedKeys) -> list[Any]:
    """The identities that somebody has, with the archive's own key where it is opened.

    InputError where nothing was given, or the passphrase or the shares do not fit.
    """
    found = [identity_of(text) for text in unlocking.identities]
    if unlocking.passphrase:
        found.append(_own_key(locked.by_passphrase, unlocking.passphrase))
    if unlocking.shares:
        if not locked.by_custodians:
            raise InputError.tr("This archive has no custodians.")
        passphrase = passphrase_of(unlocking.shares, locked.custodians)
        found.append(_own_key(locked.by_custodians, passphrase))
    if not found:
        raise InputError.tr("Give a key: an identity file, the passphrase, or custodians' shares.")
    return found


def identity_of(text: str) -> Any:
    """An age identity, or a private key of SSH, as pyrage takes it; InputError for another text."""
    guard_secret(text)
    try:
        if text.startswith(_AGE_KEY):
            return pyrage.x25519.Identity.from_str(text)
        return pyrage.ssh.Identity.from_buffer(text.encode())
    except pyrage.IdentityError as error:
        raise InputError.tr("This is neither an age identity nor a private key of SSH.") from error


def _own_key(content: bytes, passphrase: str) -> Any:
    if not content:
        raise InputError.tr("This archive does not open with a passphrase.")
    for last in (False, False, False, True):
        try:
            return identity_of(pyrage.passphrase.decrypt(content, passphrase).decode().strip())
        except pyrage.DecryptError as error:
            if _TOO_SLOW not in str(error):
                raise InputError.tr("The passphrase does not open the archive.") from error
            if last:
                raise InputError.tr(
                    "This computer is too busy or too slow to try the passphrase; try again."
                ) from error
    raise AssertionError


class _Part(io.RawIOBase):
    """A member of the archive, as a file to read from."""

    def __init__(self, handle: BinaryIO, member: ArchiveMember) -> None:
        self._handle, self._left = handle, member.size

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` bytes; none at the end."""
        content = self._handle.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(content)
        return content


class _AlteredError(Exception):
    """An item is not the one that was sealed."""


class _Checked:
    """Takes decrypted bytes, compares each item with its hash and hands it on."""

    def __init__(
        self, hashes: Iterator[bytes | None], take: Callable[[dict[str, Any]], None]
    ) -> None:
        self._hashes, self._take = hashes, take
        self._rest = bytearray()
        self._count = 0
        self.failed: Difference | None = None

    def write(self, content: bytes) -> int:
        """Take some bytes; _AlteredError at the first item that is not the one that was sealed."""
        if self.failed is not None:  # age hands on what it has left
            raise _AlteredError(self.failed.detail)
        self._rest += content
        *lines, rest = self._rest.split(b"\n")
        self._rest = bytearray(rest)
        for line in lines:
            self._one(bytes(line))
        if len(self._rest) > MOST_LINE:
            self._fail(tr("its line is too long"))
        return len(content)

    def flush(self) -> None:
        """Nothing: what is complete was handed on."""

    def break_off(self) -> None:
        """Say that nothing that age can read comes behind what was handed on."""
        if self.failed is None:
            detail = tr("The encrypted items break off here, or were changed.")
            self.failed = Difference("item_missing", str(self._count + 1), detail)

    def finish(self) -> None:
        """Say what is missing at the end."""
        if self.failed is None and (self._rest or next(self._hashes, None) is not None):
            self.failed = Difference("item_missing", str(self._count + 1),
                                     tr("The item is missing."))  # fmt: skip

    def _one(self, line: bytes) -> None:
        self._count += 1
        try:
            row = parse_json(line)
            salt = bytes.fromhex(row["salt"])
            entry = salted_hash(salt, canonical_bytes(row["item"]))
        except (ValueError, KeyError, TypeError):
            self._fail(tr("The line cannot be read."))
        if len(salt) != SALT_BYTES or entry != next(self._hashes, None):
            self._fail(tr("The item is not the one that was sealed."))
        self._take(row["item"])

    def _fail(self, detail: str) -> NoReturn:
        self.failed = Difference("item_altered", str(self._count), detail)
        raise _AlteredError(detail)


def identities_in(text: str) -> Sequence[str]:
    """The identities in a file of age or SSH: a line each of age's, or the whole of an SSH key."""
    lines = [line.strip() for line in text.splitlines()]
    found = [line for line in lines if line.startswith(_AGE_KEY)]
    return found or ([text] if "PRIVATE KEY" in text else [])
