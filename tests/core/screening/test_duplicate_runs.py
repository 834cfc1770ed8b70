"""Near-duplicates by runs that shards share: the pairs are those of one process."""

import random
from pathlib import Path

import pytest

from core.errors import InputError
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.screening.compared_text import ASKED
from core.screening.duplicate_runs import (
    CHUNK,
    COMPARE_PAIRS,
    SIGN_TEXTS,
    DuplicateParams,
    StoredTexts,
    chunks,
    pairs_of,
)
from core.screening.near_duplicates import near_pairs

KINDS = {kind.name: kind for kind in (SIGN_TEXTS, COMPARE_PAIRS)}


def texts_of(count: int) -> list[str]:
    """Texts of which a fifth are like another, some have no letter and some ask of a passage."""
    draw = random.Random(7)
    words = [f"{draw.choice('bcdfgklmnprst')}{draw.choice('aeiou')}{n}词" for n in range(300)]
    texts: list[str] = []
    for place in range(count):
        if place % 5 == 4:
            parts = draw.choice(texts).split(" ")
            parts[draw.randrange(len(parts))] = draw.choice(words)
            texts.append(" ".join(parts))
        elif place % 97 == 0:
            texts.append("")
        elif place % 7 == 0:
            passage = " ".join(draw.choices(words, k=30))
            texts.append(f"{passage}\n{ASKED}{' '.join(draw.choices(words, k=5))}")
        else:
            texts.append(" ".join(draw.choices(words, k=30)))
    return [*texts, *["the same text, many times over"] * 120]


def by_runs(root: Path, texts: list[str], shards: int, params: DuplicateParams) -> RunFolder:
    named = [(f"n{place}", text) for place, text in enumerate(texts)]
    signing = RunFolder.create(root, SIGN_TEXTS.name, params, chunks(named))
    comparing = RunFolder.create(root, COMPARE_PAIRS.name, params, (), after=signing.path.name)
    for folder in (signing, comparing):
        for shard in range(shards):
            run_worker(folder.path, shard, shards, KINDS.__getitem__)
    return comparing


@pytest.mark.parametrize(("public", "shards"), [(0, 1), (0, 3), (400, 3)])
def test_the_pairs_are_those_of_one_process(tmp_path: Path, public: int, shards: int):
    texts = texts_of(3 * CHUNK + 40)
    own, before = texts[public:], texts[:public] or None
    expected = [
        (left, right + public, likeness)
        for left, right, likeness in near_pairs(own, against=before)
    ]
    assert len(expected) > 50
    comparing = by_runs(tmp_path, texts, shards, DuplicateParams(public=public))
    assert pairs_of(comparing.finished().records) == sorted(expected)
    assert comparing.result() == {"pairs": len(expected), "resumed": 0}
    signing = RunFolder(tmp_path / comparing.spec().after)
    assert signing.result() == {"texts": len(texts), "resumed": 0}
    stored = StoredTexts(signing)
    for place in (0, CHUNK - 1, CHUNK, len(texts) - 1):
        assert (stored.id(place), stored.text(place)) == (f"n{place}", texts[place])


def test_texts_without_letters_have_no_pairs(tmp_path: Path):
    comparing = by_runs(tmp_path, ["", "", " "], 1, DuplicateParams())
    assert pairs_of(comparing.finished().records) == []


def test_a_damaged_record_is_named(tmp_path: Path):
    params = DuplicateParams()
    signing = RunFolder.create(
        tmp_path, SIGN_TEXTS.name, params, chunks([("a", "one two three"), ("b", "one two three")])
    )
    run_worker(signing.path, 0, 1, KINDS.__getitem__)
    (row,) = signing.shard_rows("shard-000.jsonl")
    signing.write_shard("shard-000.jsonl", [{**row, "short": row["short"][:-8]}])
    comparing = RunFolder.create(tmp_path, COMPARE_PAIRS.name, params, (), after=signing.path.name)
    with pytest.raises(InputError, match="damaged"):
        run_worker(comparing.path, 0, 1, KINDS.__getitem__)


def test_a_lost_record_moves_no_text_to_another_place(tmp_path: Path):
    params = DuplicateParams()
    texts = [(f"n{n}", text) for n, text in enumerate(texts_of(2 * CHUNK))]
    signing = RunFolder.create(tmp_path, SIGN_TEXTS.name, params, chunks(texts))
    run_worker(signing.path, 0, 1, KINDS.__getitem__)
    rows = list(signing.shard_rows("shard-000.jsonl"))
    signing.write_shard("shard-000.jsonl", rows[1:])
    comparing = RunFolder.create(tmp_path, COMPARE_PAIRS.name, params, (), after=signing.path.name)
    with pytest.raises(InputError, match="damaged"):
        run_worker(comparing.path, 0, 1, KINDS.__getitem__)


@pytest.mark.parametrize("pair", [[-1, 0, 1.0], [3, 2, 1.0], [4, 4, 1.0]])
def test_what_is_no_pair_of_places_is_refused(pair: list[float]):
    with pytest.raises(ValueError, match="pair of places"):
        pairs_of([{"id": "0", "pairs": [[0, 1, 0.9], pair]}])
