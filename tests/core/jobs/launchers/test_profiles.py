"""The file of a workspace that names the clusters."""

from pathlib import Path

import pytest

from core.errors import InputError
from core.jobs.launchers import launcher_named, launcher_names

TWO = '[slurm.big]\n[ray.lab]\naddress = "http://127.0.0.1:8265"\n'


def write(folder: Path, text: str) -> Path:
    (folder / "launchers.toml").write_text(text, encoding="utf-8")
    return folder


def test_each_kind_of_launcher_has_its_own_tables(tmp_path: Path):
    assert launcher_names(write(tmp_path, TWO)) == ("local", "slurm:big", "ray:lab")


@pytest.mark.parametrize("text", ["[local]\ngpus = 1", f"{TWO}[slrum.old]\n", "partition = 'x'"])
def test_a_table_that_belongs_to_no_launcher_is_named(tmp_path: Path, text: str):
    write(tmp_path, text)
    for ask in (launcher_names, lambda folder: launcher_named("slurm:big", folder)):
        with pytest.raises(InputError, match=r"(local|slrum|partition).*\[slurm\.NAME\], \[ray"):
            ask(tmp_path)
    assert launcher_named("local", tmp_path).name == "local"
