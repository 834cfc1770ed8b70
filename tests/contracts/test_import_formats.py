"""What every import format promises, asked of the whole registry."""

from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError
from core.sources.imports import IMPORT_FORMATS, ImportFormat, ImportRow, RefusedRow, import_format

EVERY = pytest.mark.parametrize("form", IMPORT_FORMATS, ids=lambda form: form.name)


@EVERY
def test_a_format_has_a_name_of_its_own_and_a_title(form: ImportFormat) -> None:
    assert [other.name for other in IMPORT_FORMATS].count(form.name) == 1
    assert form.title


def test_an_unknown_format_is_named_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="punched-cards"):
        import_format(tmp_path / "a.csv", "punched-cards")


@EVERY
def test_a_file_that_is_not_there_is_named(form: ImportFormat, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        import_format(tmp_path / "nowhere", form.name)


@EVERY
def test_noise_is_not_taken_for_the_format(form: ImportFormat, tmp_path: Path) -> None:
    path = tmp_path / "noise.bin"
    path.write_bytes(bytes(range(256)) * 8)
    assert not form.sniff(path, path.read_bytes())


def reason_of(row: ImportRow | RefusedRow) -> str:
    return row.reason if isinstance(row, RefusedRow) else ""


@EVERY
def test_noise_gives_no_row_when_the_format_is_forced(form: ImportFormat, tmp_path: Path) -> None:
    path = tmp_path / "noise.bin"
    path.write_bytes(bytes(range(256)) * 8)
    try:
        taken = [row for row in import_format(path, form.name).rows(path) if not reason_of(row)]
    except InputError:
        taken = []
    assert taken == []


@EVERY
def test_the_command_line_offers_the_format(form: ImportFormat) -> None:
    from core.cli.parser import build_parser

    asked = build_parser().parse_args(["import", "a.txt", "--format", form.name])
    assert asked.format == form.name
