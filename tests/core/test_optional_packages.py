"""Where a package is lacking, its job says what to install, and nothing else fails."""

import sys
from pathlib import Path

import pytest

from core.errors import OutsideError
from core.optional_packages import EXTRAS
from core.report_table import ReportTable
from core.sources.articles.pandoc.process import pandoc_command
from core.sources.foreign_tables import read_foreign_table
from core.sources.limits import UnreadableSource
from core.sources.news.gdelt_files import GdeltFiles
from core.table_writer import write_table

TABLE = ReportTable(title="t", columns=("a",), rows=(("x",),))


@pytest.mark.parametrize("frozen", [False, True])
def test_tables_of_arrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, frozen: bool) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    remedy = EXTRAS if frozen else "the package pyarrow"
    with pytest.raises(OutsideError, match=rf"Parquet needs pyarrow.*{remedy}"):
        write_table(tmp_path / "t.parquet", TABLE)
    (tmp_path / "t.feather").write_bytes(b"ARROW1")
    with pytest.raises(OutsideError, match=rf"Feather needs pyarrow.*{remedy}"):
        list(read_foreign_table(tmp_path / "t.feather", kind="feather"))
    write_table(tmp_path / "t.csv", TABLE)
    write_table(tmp_path / "t.xlsx", TABLE)


@pytest.mark.parametrize("package", ["duckdb", "pyarrow"])
def test_gdelt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(OutsideError, match=f"GDELT needs {package}"):
        GdeltFiles(tmp_path, cache=tmp_path / "cache")


def test_pandoc(monkeypatch: pytest.MonkeyPatch) -> None:
    import pypandoc

    def absent() -> str:
        raise OSError("no pandoc was found")

    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(pypandoc, "get_pandoc_path", absent)
    pandoc_command.cache_clear()
    with pytest.raises(UnreadableSource, match=f"needs pandoc.*{EXTRAS}"):
        pandoc_command()
