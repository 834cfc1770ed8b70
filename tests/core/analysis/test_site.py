"""The folder of a report: what an earlier one wrote goes, what others put there stays."""

import json
import re
from pathlib import Path

import pytest

from core.analysis import site_files
from core.analysis.site import RUNS, ReportSection, write_site
from core.analysis.svg import line_figure, radar_figure, scatter_figure
from core.errors import InputError
from core.report_table import ReportTable


def section(name: str, value: float = 1.0) -> ReportSection:
    table = ReportTable(name, ("Model", "All"), (("m", value),))
    figure = line_figure(f"lines-{name}", name, {"m": [(0, value), (1, 2.0)]}, ("x", "y"))
    return ReportSection(name, table, (figure,), ("run-1",))


def lying(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_report_takes_away_what_the_one_before_wrote_and_it_has_not(tmp_path: Path) -> None:
    write_site(tmp_path, "first", [section("old"), section("kept")])
    made = write_site(tmp_path, "second", [section("kept", 3.0)])
    assert lying(tmp_path) == {*made.files, site_files.LIST}
    assert "data/old.csv" not in made.files
    assert "3" in (tmp_path / "data" / "kept.csv").read_text(encoding="utf-8")


def test_what_others_put_into_the_folder_stays(tmp_path: Path) -> None:
    write_site(tmp_path, "first", [section("old")])
    data = tmp_path / "data"
    (data / "mine.csv").write_text("mine", encoding="utf-8")
    (data / "old.csv").write_text("edited by hand", encoding="utf-8")
    (data / "old.tex").unlink()
    (tmp_path / "elsewhere").write_text("x", encoding="utf-8")
    (data / "lines-old.svg").unlink()
    (data / "lines-old.svg").symlink_to(tmp_path / "elsewhere")
    write_site(tmp_path, "second", [section("new")])
    assert (data / "mine.csv").read_text(encoding="utf-8") == "mine"
    assert (data / "old.csv").read_text(encoding="utf-8") == "edited by hand"
    assert (data / "lines-old.svg").is_symlink()
    assert (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "said",
    [
        '{"../outside.csv": ["2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"]}',
        '{"data/../../outside.csv": ["x"]}',
        '{"data/a.csv": 3}',
        "[1, 2]",
        "no json",
    ],
)
def test_a_list_that_no_report_wrote_is_not_followed(tmp_path: Path, said: str) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text("x", encoding="utf-8")
    folder = tmp_path / "site"
    (folder / "data").mkdir(parents=True)
    (folder / site_files.LIST).write_text(said, encoding="utf-8")
    write_site(folder, "title", [section("new")])
    assert outside.exists()


def test_a_report_that_was_killed_half_way_is_cleaned_up_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_site(tmp_path, "first", [section("old")])
    before = (tmp_path / "index.html").read_text(encoding="utf-8")

    def killed(path: Path, text: str, **_: bool) -> None:
        if path.name == "half.tex":
            raise KeyboardInterrupt
        path.write_text(text, encoding="utf-8")

    with monkeypatch.context() as patched:
        patched.setattr(site_files, "write_atomic", killed)
        with pytest.raises(KeyboardInterrupt):
            write_site(tmp_path, "second", [section("half")])
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == before
    assert {"data/old.csv", "data/half.csv"} <= set(
        json.loads((tmp_path / site_files.LIST).read_text(encoding="utf-8"))
    )
    made = write_site(tmp_path, "third", [section("new")])
    assert lying(tmp_path) == {*made.files, site_files.LIST}


def marks_of(svg: str) -> dict[str, str]:
    """The look of every mark by the name it says under the pointer."""
    found = re.findall(r'<g fill="(#\w+)"><title>([^<]*)</title><(\w+)', svg)
    return {name: f"{colour} {shape}" for colour, name, shape in found}


def test_a_file_of_somebody_else_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine\.csv.*another folder"):
        write_site(tmp_path, "title", [section("mine")])
    assert lying(tmp_path) == {"data/mine.csv"}
    write_site(tmp_path, "title", [section("ours")])
    (tmp_path / "index.html").unlink()
    write_site(tmp_path, "title", [section("ours")])


def test_the_name_of_a_run_leads_to_its_row(tmp_path: Path) -> None:
    table = ReportTable("t", ("Model", "Run"), (("<b>", "run-1, scores & all.csv"),))
    runs = ReportTable("Runs", ("Run", "Title"), (("run-1", "split · model"), ("run-2", "")))
    made = write_site(
        tmp_path,
        "t",
        [ReportSection("a", table, (), ("run-1",)), ReportSection(RUNS, runs, (), ("run-1",))],
    )
    page = made.page.read_text(encoding="utf-8")
    assert page.count('<a href="#run-run-1">run-1</a>') == 2
    assert page.count('<tr id="run-run-1">') == 1
    assert "</a>, scores &amp; all.csv</td>" in page
    assert "<td>&lt;b&gt;</td>" in page
    assert "#run-run-2" not in page


def test_a_long_table_is_cut_on_the_page_and_whole_beside_it(tmp_path: Path) -> None:
    rows = tuple((f"item {n}", n) for n in range(2500))
    made = write_site(
        tmp_path, "t", [ReportSection("items", ReportTable("t", ("Item", "n"), rows))]
    )
    page = made.page.read_text(encoding="utf-8")
    assert page.count("<tr>") == 1 + 2000
    assert "first 2000 of 2500 rows" in page
    text = (tmp_path / "data" / "items.csv").read_text(encoding="utf-8")
    assert len(text.splitlines()) == 1 + 2500


def test_a_model_looks_alike_in_every_figure_and_has_its_name_and_interval() -> None:
    names = [f"模型-{n}" for n in range(30)]
    places = {name: (float(n), n / 10) for n, name in enumerate(names)}
    spans = {name: (y - 1, y + 1) for name, (_, y) in places.items()}
    whole = scatter_figure("a", "a", places, ("x", "y"), spans, names)
    part = {name: places[name] for name in names[3:]}
    fewer = scatter_figure("b", "b", part, ("x", "y"), {}, names)
    lines = {name: [(0.0, 1.0), (1.0, 2.0)] for name in part}
    for figure in (
        line_figure("c", "c", lines, ("x", "y"), order=names),
        radar_figure(
            "d", "d", {n: {"cs": 1.0, "math": 2.0, "bio": 3.0} for n in part}, order=names
        ),
    ):
        assert marks_of(figure.svg) == {n: marks_of(whole.svg)[n] for n in part}
    assert set(marks_of(whole.svg)) == set(names)
    assert marks_of(fewer.svg) == {n: marks_of(whole.svg)[n] for n in part}
    assert whole.svg.count("stroke-opacity") == 30
    # the legend has everybody, and the figure is as high as that needs
    assert all(f">{name}</text>" in whole.svg for name in names)
    height = int(re.search(r'viewBox="0 0 640 (\d+)"', whole.svg)[1])
    assert height > max(float(y) for y in re.findall(r'<text x="494" y="(\d+)"', whole.svg))


def test_a_radar_has_no_corner_where_a_model_has_no_value_and_says_its_scale() -> None:
    full = {"cs": 10.0, "math": 20.0, "数学": 30.0, "bio": 40.0}
    figure = radar_figure("r", "r", {"a": full, "b": {**full, "bio": None}})
    corners = [
        len(found.split()) for found in re.findall(r'points="([^"]*)" fill="#\w+" ', figure.svg)
    ]
    assert corners == [4, 3]
    assert all(f">{value}</text>" in figure.svg for value in (25, 50, 75, 100))
    assert "bio" not in figure.alternative.split("; ")[1]
