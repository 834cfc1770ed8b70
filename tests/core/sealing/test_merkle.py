"""The Merkle tree: the root that the ledger's own tree has, and proofs that fit one place only."""

from core.sealing.merkle import EMPTY, MerkleRoot, is_in, proof_of, root_of
from db.evidence.merkle import merkle_root


def test_the_root_is_that_of_rfc_6962():
    texts = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657",
             "606162636465666768696a6b6c6d6e6f")  # fmt: skip
    entries = [bytes.fromhex(text) for text in texts]
    # the vector of Certificate Transparency's own tests
    assert root_of(entries) == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
    assert root_of([]) == EMPTY == merkle_root([])
    for count in range(1, 20):
        entries = [bytes([n]) for n in range(count)]
        assert root_of(entries) == merkle_root(entries)


def test_many_entries_together_give_the_root_of_each_alone():
    entries = [b"%d" % n for n in range(1500)]
    for sizes in ((1500,), (255, 1245), (256, 256, 988), (1, 511, 3, 700, 285), (0, 7, 1493)):
        tree, start = MerkleRoot(), 0
        for size in sizes:
            tree.extend(entries[start : start + size])
            start += size
            assert (tree.size, tree.root()) == (start, root_of(entries[:start]))


def test_a_proof_fits_its_entry_at_its_place_and_nothing_else():
    for count in range(1, 18):
        entries = [bytes([n]) for n in range(count)]
        root = root_of(entries)
        for place in range(count):
            proof = proof_of(entries, place)
            assert is_in(root, entries[place], place, count, proof)
            for other in range(-1, count + 1):
                if other != place:
                    assert not is_in(root, entries[place], other, count, proof)
            assert not is_in(root, b"other", place, count, proof)
            assert not is_in(root, entries[place], place, count, (*proof, "00" * 32))
            assert not proof or not is_in(root, entries[place], place, count, proof[:-1])
