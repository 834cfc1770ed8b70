"""Releases through a real S3 server: pushed here, killed and resumed, pulled and checked there."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.workflow.analysis.exposures import exposures
from core.workflow.splits import exports
from core.workflow.workspace import Workspace
from tests.servers.object_storage import BUCKET, S3Server, files_of, s3_server
from tests.splits import freeze_split, varied

pytestmark = pytest.mark.slow
LEAD = "王"
_FIND = f"import s3fs, json; print(json.dumps(s3fs.S3FileSystem().find({BUCKET!r}, detail=True), \
default=str))"


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("home")) as server:
        yield server


def test_an_export_goes_through_a_bucket_killed_resumed_and_changed(
    s3: S3Server, tmp_path: Path
) -> None:
    folder, place = tmp_path / "out", f"s3://{BUCKET}/releases/s"
    with closing(Workspace.create(tmp_path / "ws", LEAD)) as ws:
        freeze_split(ws, {"scp": [varied(number) for number in range(4000)]})
        exports.export(ws, "s", "lm-eval", folder, person=LEAD)
    total = {name: len(content) for name, content in files_of(folder).items()}
    assert max(total.values()) > 8 * 2**20  # one of several parts

    def there() -> dict[str, int]:
        listed = json.loads(s3.python(_FIND))
        return {name.partition("/s/")[2]: one["size"] for name, one in listed.items()}

    asked = ("--workspace", str(tmp_path / "ws"), "split", "push", str(folder), place)
    s3.killed_after(2, *asked, "--user", LEAD)
    kept = there()
    assert len(kept) == 2
    said = s3.benchseal("split", "pull", place, "--out", str(tmp_path / "no"), code=1)
    assert "There is no" in said
    sent = json.loads(s3.benchseal(*asked, "--user", LEAD, "--json"))
    assert sent["files"] == len(total) - 1 - len(kept)
    assert there() == total
    s3.benchseal("split", "pull", place, "--out", str(tmp_path / "there"))
    assert files_of(tmp_path / "there") == files_of(folder)
    s3.python(f"import s3fs; s3fs.S3FileSystem().pipe_file('{BUCKET}/releases/s/README.md', b'~')")
    said = s3.benchseal("split", "pull", place, "--out", str(tmp_path / "again"), code=1)
    assert f"{place}/README.md” was changed or cut" in said
    assert not (tmp_path / "again").exists()
    s3.benchseal(*asked, "--user", LEAD)
    s3.benchseal("split", "pull", place, "--out", str(tmp_path / "again"))
    with closing(Workspace.open(tmp_path / "ws")) as ws:
        ws.person = LEAD
        told = exposures(ws, "s", host="127.0.0.1")
    assert {(one.who, one.where, one.items) for one in told} == {(LEAD, "127.0.0.1", 4000)}
