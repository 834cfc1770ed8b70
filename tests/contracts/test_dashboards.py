"""What every dashboard promises, asked of the whole registry."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import NotFoundError
from core.i18n import language, set_language
from core.workflow.dashboards import DASHBOARDS, draw
from core.workflow.dashboards.figures import Chart, Dashboard, dashboard_csv, dashboard_json
from core.workflow.workspace import Workspace
from tests.dashboards import request_for
from tests.workload import fill

EVERY = pytest.mark.parametrize("name", DASHBOARDS)


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    place = tmp_path_factory.mktemp("dashboards") / "w"
    opened = fill(place, 160, tasks=4, decided=0.8, screened=True, lots=True)
    yield opened
    opened.close()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Workspace]:
    opened = fill(tmp_path / "empty", 0, tasks=1)
    yield opened
    opened.close()


def drawn(name: str, ws: Workspace) -> Dashboard:
    return draw(name, request_for(ws))


def test_an_unknown_dashboard_is_named_in_the_error(ws: Workspace) -> None:
    with pytest.raises(NotFoundError, match="weather"):
        drawn("weather", ws)


@EVERY
def test_a_dashboard_says_a_sentence_and_its_figures_have_ids_and_titles(
    name: str, ws: Workspace
) -> None:
    found = drawn(name, ws)
    assert found.panel == name
    assert found.sentence
    ids = [figure.id for figure in found.figures]
    assert ids
    assert len(set(ids)) == len(ids)
    assert all(figure.title for figure in found.figures)


@EVERY
def test_every_bar_leads_to_the_items_that_it_counts(name: str, ws: Workspace) -> None:
    for figure in drawn(name, ws).figures:
        for series, mark in figure.marks if isinstance(figure, Chart) else ():
            if series.form == "bars":
                assert mark.pick is not None, (figure.id, series.name)
            if series.form == "bars" and figure.values.title == "items":
                length = (mark.value or 0) - (mark.low or 0)
                assert len(set(mark.pick())) == length, (figure.id, series.name)


@EVERY
def test_an_empty_workspace_has_a_dashboard_with_a_sentence(name: str, empty: Workspace) -> None:
    assert drawn(name, empty).sentence


@EVERY
def test_both_languages_say_the_same_figures(name: str, ws: Workspace) -> None:
    spoken = language()
    said = {}
    try:
        for code in ("en", "zh"):
            set_language(code)
            said[code] = drawn(name, ws)
    finally:
        set_language(spoken)
    assert said["en"].sentence != said["zh"].sentence
    assert [f.id for f in said["en"].figures] == [f.id for f in said["zh"].figures]


@EVERY
def test_the_numbers_can_be_kept(name: str, ws: Workspace) -> None:
    found = drawn(name, ws)
    assert set(dashboard_json(found)) >= {"panel", "sentence", "figures"}
    assert dashboard_csv(found).startswith("figure,")
