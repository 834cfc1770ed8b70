"""Shares of people's items have intervals over the articles that the items are from."""

import pytest
from statsmodels.stats.proportion import proportion_confint

from core.proportion import Proportion
from core.workflow.check import review
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.dashboards.people import people_numbers
from core.workflow.workspace import Workspace
from tests.workspaces import import_from_sources, make_task, write_items


def accepted(ws: Workspace, tmp_path, articles: int) -> Proportion:
    """Li decides on 12 items and accepts those of every other article; the share accepted."""
    make_task(ws, gate="off")
    import_from_sources(ws, tmp_path, (n % articles for n in range(12)))
    for number in range(1, 13):
        good = (number - 1) % articles % 2 == 0
        review.decide(ws, "li", number, "accept" if good else "reject", reason="other")
    view = JudgementBook(ws).read(("decisions", "details", "written", "sources"))
    (li,) = [one for one in people_numbers(view, named=True).people if one.name == "li"]
    return li.accepts


def test_items_of_two_articles_that_end_alike_are_worth_two(ws, tmp_path):
    share = accepted(ws, tmp_path, 2)
    assert share.value == 0.5
    assert share.low < 0.05
    assert share.high > 0.95
    assert share.caution == "few sources: 2"


def test_items_that_share_nothing_have_wilson_s_interval(ws, tmp_path):
    share = accepted(ws, tmp_path, 12)
    assert (share.low, share.high) == pytest.approx(proportion_confint(6, 12, method="wilson"))
    assert share.caution == "few items: 12"


def test_of_the_items_only_those_that_somebody_wrote_are_read(ws, tmp_path):
    make_task(ws, gate="off")
    import_from_sources(ws, tmp_path, range(12))
    written = write_items(ws, 3, author="bo", start=50)
    view = JudgementBook(ws).read(("decisions", "details", "written", "sources"))
    assert view.items["id"].tolist() == written
    assert [one.name for one in people_numbers(view, named=True).people] == ["bo"]
    review.decide(ws, "li", 1, "accept", reason="other")
    view = JudgementBook(ws).read(("decisions", "details", "written", "sources"))
    assert view.items["id"].tolist() == [1, *written]
    assert [one.name for one in people_numbers(view, named=True).people] == ["li", "bo"]
