"""The run ``generate``: the same items whatever the order, the shards and the interruptions."""

from pathlib import Path

import pytest

from core.errors import InputError
from core.generation.run import GENERATE, distinct, items_of, prepare, reason_text
from core.generation.spec import ScpSpec
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker

from .conftest import article, prose

ARTICLES = [article(prose(20, first=n * 200), f"000{n}.0000{n}") for n in range(4)]
SPEC = ScpSpec(seed=5, per_article=6)


def finished(root: Path, articles, shards: int = 1, spec: ScpSpec = SPEC) -> RunFolder:
    folder = prepare(root, articles, spec)
    for shard in range(shards):
        run_worker(folder.path, shard, shards, lambda name: GENERATE)
    return folder


def test_the_result_counts_items_per_format_and_what_was_filtered(tmp_path):
    folder = prepare(tmp_path, ARTICLES, SPEC, skipped=[("broken.tex", "It is empty.")])
    run_worker(folder.path, 0, 1, lambda name: GENERATE)
    result = folder.result()
    assert result["items"] == {"sequencing": 24, "cloze": 22, "prediction": 24}
    assert result["total"] == 70
    assert result["filtered"]["told_by_words"] > 0
    assert result["articles"]["read"] == 4
    assert result["articles"]["skipped"] == [{"path": "broken.tex", "reason": "It is empty."}]
    assert result["filtered"]["heading"] == 4
    assert len(result["digest"]) == 64
    assert len(list(items_of(folder.ordered_records()))) == 70


def test_order_of_the_articles_and_number_of_shards_change_nothing(tmp_path):
    one = finished(tmp_path, ARTICLES)
    other = finished(tmp_path, ARTICLES[::-1], shards=3)
    assert one.ordered_records() == other.ordered_records()
    assert one.result() == other.result()


def test_another_seed_changes_the_digest(tmp_path):
    one = finished(tmp_path, ARTICLES)
    other = finished(tmp_path, ARTICLES, spec=SPEC.model_copy(update={"seed": 6}))
    assert one.result()["digest"] != other.result()["digest"]


def test_a_run_that_was_cut_off_goes_on_to_the_same_result(tmp_path):
    whole = finished(tmp_path, ARTICLES)
    folder = prepare(tmp_path, ARTICLES, SPEC)
    lines = (whole.path / "shard-000.jsonl").read_bytes().splitlines(keepends=True)
    (folder.path / "shard-000.jsonl").write_bytes(lines[0] + lines[1][:50])
    run_worker(folder.path, 0, 1, lambda name: GENERATE)
    assert folder.ordered_records() == whole.ordered_records()
    result = folder.result()
    assert result is not None
    assert result.pop("resumed") == 1
    assert result | {"resumed": 0} == whole.result()


def test_two_readings_of_one_article_count_once(tmp_path):
    source = ARTICLES[0]
    plain = article(prose(30), source.id)
    object.__setattr__(plain, "path", "0000.txt")
    kept, left = distinct([plain, source])
    assert kept == [source]
    assert left[0][0] == "0000.txt"
    assert distinct([source, plain]) == (kept, left)


def test_no_article_at_all_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no readable article"):
        prepare(tmp_path, [], SPEC)


def test_a_folder_that_lost_its_articles_says_so(tmp_path):
    folder = prepare(tmp_path, ARTICLES, SPEC)
    (folder.path / "articles.jsonl").unlink()
    with pytest.raises(InputError, match="articles are missing from the run folder"):
        run_worker(folder.path, 0, 1, lambda name: GENERATE)


def test_every_reason_has_its_words(tmp_path):
    result = finished(tmp_path, ARTICLES).result()
    assert all(reason_text(reason) != reason for reason in result["filtered"])
    assert reason_text("something new") == "something new"
