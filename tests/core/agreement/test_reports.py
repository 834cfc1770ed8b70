"""Printed results, the words beside them, and the named reports."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from core.agreement.compute import coefficients_for, value_of
from core.agreement.interpretation import landis_koch
from core.agreement.ratings import (
    table_of_columns,
    table_of_counts,
    table_of_matrix,
    table_of_rows,
)
from core.agreement.reports import COREEVAL_CRITERIA, CriterionRating, cif_human, coreeval_human
from core.agreement.serialise import (
    attributed_notes,
    results_data,
    results_table,
    results_to_json,
)
from core.cli.options import table_text
from core.errors import InputError
from core.i18n import set_language
from core.report_table import ReportTable, csv_text


def prevalent():
    """90 items both call ‘good’, ten on which they differ or agree on ‘bad’."""
    first = ["good"] * 95 + ["bad"] * 5
    second = ["good"] * 90 + ["bad"] * 5 + ["good"] * 4 + ["bad"]
    return table_of_columns([first, second], ["a", "b"])


def test_the_kappa_paradox_is_pointed_out_with_ac1():
    found = {result.name: result for result in coefficients_for(prevalent(), interval="none")}
    kappa = found["cohen_kappa"]
    assert kappa.value < 0.3
    assert found["gwet_ac1"].value > 0.85
    note = next(note for note in kappa.notes if "paradox" in note)
    assert f"{found['gwet_ac1'].value:.3f}" in note
    assert "91%" in note
    assert not any("paradox" in note for note in found["gwet_ac1"].notes)


def test_the_paradox_is_only_of_coefficients_that_sink_with_prevalence():
    table = table_of_columns([[1, 2], [1, 1]], ["a", "b"])
    found = coefficients_for(table, interval="none")
    warned = {one.name for one in found if any("paradox" in note for note in one.notes)}
    assert warned == {
        "cohen_kappa", "conger_kappa", "fleiss_kappa", "scott_pi", "krippendorff_alpha_nominal",
    }  # fmt: skip


def test_a_note_of_the_paradox_calls_no_value_low_that_the_words_call_high():
    first = ["good"] * 85 + ["bad"] * 15
    second = ["good"] * 82 + ["bad"] * 13 + ["good"] * 5
    table = table_of_columns([first, second], ["a", "b"])
    (kappa,) = coefficients_for(table, ["cohen_kappa"])
    note = next(note for note in kappa.notes if "paradox" in note)
    assert kappa.value > 0.6
    assert "is low" not in note


def test_the_words_are_of_both_ends_of_the_interval():
    (kappa,) = coefficients_for(prevalent(), ["cohen_kappa"])
    assert kappa.word == f"{landis_koch(kappa.low)} to {landis_koch(kappa.high)}"
    assert landis_koch(kappa.low) != landis_koch(kappa.high)
    (bare,) = coefficients_for(prevalent(), ["cohen_kappa"], "none")
    assert bare.word == landis_koch(bare.value)
    same = table_of_columns([[1, 2] * 200, [1, 2] * 198 + [2, 1] * 2], ["a", "b"])
    assert [one.word for one in coefficients_for(same, ["cohen_kappa"])] == ["almost perfect"]


def test_categories_that_nobody_used_are_named_where_they_change_a_value():
    """Nobody returned an item: Gwet's coefficients and Randolph's kappa count that verdict."""
    rows = np.array([[0, 0], [0, 1], [1, 1], [0, 0]] * 5, np.int8)
    declared = coefficients_for(table_of_matrix(rows, ["accept", "reject", "return"]))
    noted = {one.name for one in declared if any("(return)" in note for note in one.notes)}
    assert noted == {"gwet_ac1", "gwet_ac2", "randolph_kappa"}
    used = {one.name: one for one in coefficients_for(table_of_matrix(rows, ["accept", "reject"]))}
    changed = {one.name for one in declared if one.value != pytest.approx(used[one.name].value)}
    assert changed == noted
    assert not any("nobody used" in note for one in used.values() for note in one.notes)


def test_balanced_categories_bring_no_paradox_note():
    table = table_of_columns([[1, 2] * 20, [1, 2, 2, 1] * 10], ["a", "b"])
    assert not any("paradox" in n for r in coefficients_for(table) for n in r.notes)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.41, "moderate"),
        (0.61, "substantial"),
        (0.8, "substantial"),
        (0.81, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)
def test_the_words_are_those_of_landis_and_koch(value, word):
    assert landis_koch(value) == word


def test_more_than_two_raters_get_the_pairs_behind_cohens_kappa():
    table = table_of_columns([[1, 2, 1, 2], [1, 2, 2, 2], [1, 1, 1, 1]], ["a", "b", "c"])
    found = coefficients_for(table, ["cohen_kappa"], "none")[0]
    assert [row[:3] for row in found.behind.rows] == [("a", "b", 4), ("a", "c", 4), ("b", "c", 4)]
    assert found.value == pytest.approx(np.mean([row[3] for row in found.behind.rows]))
    assert any("3 pairs" in note for note in found.notes)


def test_two_raters_get_their_contingency_table_behind_cohens_kappa():
    found = coefficients_for(prevalent(), ["cohen_kappa"], "none")[0]
    assert found.behind.rows == (("bad", 1, 4), ("good", 5, 90))


def test_json_holds_the_promised_keys_and_no_nan():
    table = table_of_columns([[1, 1, 1], [1, 1, 1]], ["a", "b"])
    rows = json.loads(json.dumps(results_to_json(coefficients_for(table)), allow_nan=False))
    promised = {"name", "value", "low", "high", "items", "raters", "undefined"}
    assert all(promised <= row.keys() for row in rows)
    kappa = next(row for row in rows if row["name"] == "fleiss_kappa")
    assert kappa["value"] is None
    assert "one category" in kappa["undefined"]


def test_csv_holds_full_precision_and_the_reason_where_there_is_no_number():
    table = prevalent()
    found = [("", one) for one in coefficients_for(table)]
    rows = list(csv.DictReader(io.StringIO(results_data(found).to_csv())))
    by_name = {row["name"]: row for row in rows}
    assert float(by_name["cohen_kappa"]["value"]) == round(value_of(table, "cohen_kappa"), 12)
    assert by_name["spearman"]["value"] == ""
    assert "order" in by_name["spearman"]["undefined"]


def test_latex_is_a_booktabs_table_with_the_reasons_below():
    found = coefficients_for(prevalent(), ["cohen_kappa", "spearman"], resamples=200, seed=3)
    latex = results_table([("", one) for one in found]).to_latex()
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 1
    assert "undefined" in latex
    assert r"95\%, BCa bootstrap over items as if independent, 200 resamples, seed 3" in latex
    assert "Kappa paradox" in latex
    assert "&" in latex


def test_latex_holds_for_any_name_a_model_may_have():
    names = (
        "[a] b",
        "*",
        "δ1 & σ(δ1)",
        "50%_#1",
        "x\r\n\ny\0\x1b\u2028z",
        "\\end{table}",
        "≥ √2 → ∞",
    )
    rows = tuple((name, name, 0.5) for name in names)
    latex = ReportTable(names[4], ("[head", "b", "c"), rows, (names[5],), 2).to_latex()
    lines = latex.splitlines()
    assert len(lines) == 12 + len(rows)
    # an opening bracket or a star after a line break would be its option
    assert not [line for line in lines if line.startswith(("[", "*"))]
    assert all(line.count(" & ") == 2 for line in lines if line.endswith(r"\\"))
    assert r"$\delta$1 \& $\sigma$($\delta$1)" in latex
    assert r"\caption{x y z}" in latex
    assert latex.count(r"\end{table}") == 1
    assert latex.isascii()


def test_in_latex_bounds_are_an_interval_and_what_says_nothing_is_left_out():
    columns = ("Run", "All", "Low", "High", "Seen before", "Remark")
    rows = (("a", 50.0, 40.0, -1.0, None, "few items: 3"), ("b", 1.0, None, None, None, ""))
    lines = (
        ReportTable("t", columns, rows, ("a is rough (few items: 3).",), 1).to_latex().split("\n")
    )
    assert r"Run & All & Interval \\" in lines
    assert r"a & 50.0 & [40.0, $-$1.0] \\" in lines
    assert r"b & 1.0 & -- \\" in lines
    assert r"\begin{tabular}{lrr}" in lines
    kept = ReportTable("t", columns, rows, ("a is rough.",), 1).to_latex()
    assert r"Run & All & Interval & Remark \\" in kept


def test_people_read_one_interval_and_programs_two_numbers():
    rows = (("a", 50.0, 40.0, -1.0), ("b", 1.0, None, None))
    table = ReportTable("t", ("Run", "All", "Low", "High"), rows, (), 1)
    assert "| Run | All | Interval |" in table.to_markdown()
    assert "\\[40.0, −1.0\\]" in table.to_markdown()
    assert "[40.0, −1.0]" in table.to_html()
    assert "[40.0, −1.0]" in table_text(table)
    assert "High" not in table.to_html() + table_text(table)
    assert table.to_csv().splitlines() == ["Run,All,Low,High", "a,50.0,40.0,-1.0", "b,1.0,,"]


def test_a_bound_alone_stays_a_number():
    table = ReportTable("t", ("Run", "Low", "High"), (("a", 4.0, None),), (), 1)
    assert table.printed() == table


def test_latex_says_when_its_letters_need_another_latex():
    assert "XeLaTeX" in ReportTable("t", ("模型",), (("x",),)).to_latex().splitlines()[0]
    assert ReportTable("é", ("a",), (("“ñ”",),)).to_latex().startswith(r"\begin{table}")


def test_a_note_names_what_it_is_about_unless_that_is_everything():
    names = ["cohen_kappa", "fleiss_kappa", "gwet_ac1"]
    found = coefficients_for(prevalent(), names, "none")
    first, *others = attributed_notes([("", one) for one in found])
    assert first.startswith("Cohen's kappa · Fleiss' kappa: Kappa paradox")
    assert not others
    assert attributed_notes([("", found[0])]) == list(found[0].notes)
    by_group = attributed_notes([("", found[2]), ("task a", found[0]), ("task a", found[2])])
    assert by_group[0].startswith("task a · Cohen's kappa: ")


def test_special_characters_survive_every_form_of_a_table():
    table = ReportTable("50% & more", ("a_b", "<c>"), (("=1+1", 0.5), ("人", None)))
    assert r"50\% \& more" in table.to_latex()
    assert r"a\_b" in table.to_latex()
    assert "&lt;c&gt;" in table.to_html()
    assert table.to_csv() == "a_b,<c>\n'=1+1,0.5\n人,\n"


def test_numbers_below_zero_have_a_minus_and_zero_has_none():
    table = ReportTable("t", ("word", "number"), (("a-b", -0.25), ("c", -0.0001), ("d", -3)))
    assert r"a-b & $-$0.250 \\" in table.to_latex()
    assert r"c & 0.000 \\" in table.to_latex()
    assert r"d & $-$3 \\" in table.to_latex()
    assert table.to_csv() == "word,number\na-b,-0.25\nc,-0.0001\nd,-3\n"


def test_an_undefined_coefficient_says_so_in_chinese_too():
    set_language("zh")
    found = coefficients_for(table_of_columns([[1, 1], [1, 1]], ["a", "b"]), ["fleiss_kappa"])[0]
    assert "类别" in found.undefined
    assert found.title == "Fleiss kappa"


def coreeval_ratings(group: str, seed: int) -> list[CriterionRating]:
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(50):
        for criterion in COREEVAL_CRITERIA:
            true = rng.integers(1, 4) if criterion in ("Fluency", "Coherence") else 1
            for rater in range(5):
                value = true if rng.random() < 0.9 else 1
                rows.append(
                    CriterionRating(f"{group}{item}", f"r{rater}", criterion, int(value), group)
                )
    return rows


def test_coreevals_table_has_means_and_a_kappa_for_each_criterion():
    ratings = coreeval_ratings("RTE", 1) + coreeval_ratings("MRPC", 2)
    table = coreeval_human(ratings).table
    assert [row[0] for row in table.rows] == ["RTE", "MRPC"]
    rte = dict(zip(table.columns, table.rows[0], strict=True))
    fluency = [r.value for r in ratings if r.group == "RTE" and r.criterion == "Fluency"]
    assert (rte["Items"], rte["Raters"]) == (50, 5)
    assert rte["Fluency"] == pytest.approx(np.mean(fluency))
    counts = [
        [
            sum(
                r.value == value
                for r in ratings
                if r.item == f"RTE{item}" and r.criterion == "Fluency"
            )
            for value in (1, 2, 3)
        ]
        for item in range(50)
    ]
    assert rte["κ Fluency"] == pytest.approx(value_of(table_of_counts(counts), "fleiss_kappa"))
    assert rte["κ mean"] == pytest.approx((rte["κ Fluency"] + rte["κ Coherence"]) / 2)


def test_a_kappa_has_the_interval_of_the_agreement_command():
    ratings = coreeval_ratings("RTE", 1)
    report = coreeval_human(ratings)
    row = dict(zip(report.table.columns, report.table.rows[0], strict=True))
    fluent = [(r.item, r.rater, r.value) for r in ratings if r.criterion == "Fluency"]
    (alone,) = coefficients_for(table_of_rows(fluent), ["fleiss_kappa"])
    assert row["κ Fluency, 95%"] == f"[{alone.low:.3f}, {alone.high:.3f}]"
    assert row["κ Accuracy, 95%"] is None
    low, high = (float(word) for word in row["κ mean, 95%"].strip("[]").split(","))
    assert low < row["κ mean"] < high
    assert any("over items as if independent" in note for note in report.table.notes)


def test_kappas_of_items_that_share_articles_resample_articles_and_say_where_they_are_few():
    ratings = coreeval_ratings("RTE", 1) + coreeval_ratings("MRPC", 2)
    few = [replace(r, source=f"{r.group} {int(r.item.lstrip('RTEMPC')) // 10}") for r in ratings]
    report = coreeval_human(few)
    row = dict(zip(report.table.columns, report.table.rows[0], strict=True))
    assert all(result.sources == 5 for result in report.results if result.low is not None)
    assert row["κ Fluency, 95%"].endswith("(rough)")
    assert row["κ mean, 95%"].endswith("(rough)")
    assert any("over what items share (5 sources" in note for note in report.table.notes)
    (why,) = [note for note in report.table.notes if "share sources that count as 5" in note]
    assert why.startswith("RTE · Fluency · RTE · Coherence · MRPC · Fluency · MRPC · Coherence: ")
    form = cif_human(few).table
    rows = {line[0]: dict(zip(form.columns, line, strict=True)) for line in form.rows}
    assert rows["Likert"]["Cohen's kappa, 95%"].endswith("(rough)")


def test_the_interval_of_a_mean_draws_sources_for_all_tables_at_once():
    """Kappas of one and the same table are as sure together as alone; of other items, surer."""
    same = [replace(r, criterion=name) for r in coreeval_ratings("RTE", 1)
            if r.criterion == "Fluency" for name in ("Fluency", "Coherence")]  # fmt: skip
    row = coreeval_human(same).table
    cells = dict(zip(row.columns, row.rows[0], strict=True))
    alone, mean = (_width(cells[f"κ {name}, 95%"]) for name in ("Fluency", "mean"))
    assert mean == pytest.approx(alone, rel=0.15)
    other = [replace(r, item=f"x{r.item}") if r.criterion == "Coherence" else r
             for r in coreeval_ratings("RTE", 1)]  # fmt: skip
    row = coreeval_human(other).table
    cells = dict(zip(row.columns, row.rows[0], strict=True))
    apart = [_width(cells[f"κ {name}, 95%"]) for name in ("Fluency", "Coherence")]
    assert _width(cells["κ mean, 95%"]) == pytest.approx(np.hypot(*apart) / 2, rel=0.15)


def _width(interval: str) -> float:
    low, high = (float(word) for word in interval.strip("[]").split(","))
    return high - low


def test_a_criterion_everybody_rated_alike_has_its_mean_and_the_reason_for_no_kappa():
    table = coreeval_human(coreeval_ratings("RTE", 1)).table
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row["Accuracy"] == 1.0
    assert row["κ Accuracy"] is None
    assert any("Accuracy" in note and "one category" in note for note in table.notes)
    assert "κ Accuracy" not in table.to_latex()  # a column without a value


def test_cif_benchs_verification_averages_over_tasks_and_correlates_with_the_judge():
    rng = np.random.default_rng(5)
    ratings, judge, tasks = [], {}, {}
    for task in range(6):
        criterion = "correct" if task < 3 else "quality"
        columns = [[], []]
        for item in range(20):
            name = f"t{task}-{item}"
            true = int(rng.integers(0, 2) if task < 3 else rng.integers(1, 6))
            judge[name] = true + float(rng.normal()) * 0.1
            for rater in range(2):
                value = true if rng.random() < 0.8 else 1
                columns[rater].append(value)
                ratings.append(CriterionRating(name, f"r{rater}", criterion, value, f"task {task}"))
        tasks[task] = table_of_columns(columns, ["a", "b"])
    table = cif_human(ratings, judge).table
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert [rows[form]["Tasks"] for form in ("Binary", "Likert", "All")] == [3, 3, 6]
    for form, chosen in (("Binary", range(3)), ("Likert", range(3, 6)), ("All", range(6))):
        kappas = [value_of(tasks[task], "cohen_kappa") for task in chosen]
        agreed = [value_of(tasks[task], "percent") for task in chosen]
        assert rows[form]["Cohen's kappa"] == pytest.approx(np.mean(kappas))
        assert rows[form]["Pairwise agreement"] == pytest.approx(np.mean(agreed))
    assert rows["All"]["Items with judge"] == 120
    assert rows["Likert"]["Spearman with judge"] > 0.7
    means: dict[str, list[int]] = {}
    for rating in ratings:
        if rating.criterion == "quality":
            means.setdefault(rating.item, []).append(rating.value)
    theirs = kendalltau([np.mean(v) for v in means.values()], [judge[name] for name in means])
    assert rows["Likert"]["Kendall with judge"] == pytest.approx(theirs.statistic)


def test_cif_benchs_report_without_a_judge_leaves_that_cell_empty():
    ratings = [CriterionRating(f"i{i}", r, "ok", i % 2) for i in range(6) for r in ("a", "b")]
    table = cif_human(ratings).table
    assert table.rows[0][-5:] == (0, None, None, None, None)
    assert any("no correlation with a judge" in note for note in table.notes)


def test_the_csv_of_a_report_says_in_each_row_why_a_number_is_missing():
    alike = [CriterionRating(f"i{i}", r, "ok", 1, "task a") for i in range(6) for r in ("a", "b")]
    binary, likert, every = csv.DictReader(io.StringIO(cif_human(alike).table.to_csv()))
    assert "κ is undefined in 1 of 1. Only one category" in binary["Undefined"]
    assert "no criterion with this scale" in likert["Undefined"]
    assert "judge's score" in every["Undefined"]
    fluent, mixed = csv.DictReader(
        io.StringIO(coreeval_human(coreeval_ratings("RTE", 1) + _mixed("NLI")).table.to_csv())
    )
    assert "Accuracy" in fluent["Undefined"]
    assert mixed["Undefined"] == ""


def test_a_criterion_that_nobody_rated_is_noted_once_however_many_data_sets_there_are():
    ratings = [r for g in "abcd" for r in _mixed(g) if r.criterion != "Fluency"]
    ratings = [r for r in ratings if r.criterion != "Accuracy" or r.group in "cd"]
    table = coreeval_human(ratings).table
    assert len(table.notes) == 4
    assert "“Fluency” is undefined in all groups" in table.notes[1]
    assert "“Accuracy” is undefined in “a”, “b”." in table.notes[2]
    assert all("“Fluency”" in reason for reason in table.undefined)


def _mixed(group: str) -> list[CriterionRating]:
    return [
        CriterionRating(f"{group}{item}", rater, criterion, item % 3, group)
        for item in range(9)
        for rater in ("a", "b")
        for criterion in COREEVAL_CRITERIA
    ]


def test_tasks_are_counted_once_however_many_criteria_they_have():
    ratings = [
        CriterionRating(f"{task}{item}", rater, criterion, item % 2, task)
        for task in ("x", "y")
        for item in range(4)
        for rater in ("a", "b")
        for criterion in ("ok", "fair", "clear")
    ]
    table = cif_human(ratings).table
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["Tasks"], row["Tasks × criteria"], row["With kappa"]) == (2, 6, 6)


def test_a_report_without_ratings_says_what_to_do():
    for report in (coreeval_human, cif_human):
        with pytest.raises(InputError, match="no ratings"):
            report([])


def test_csv_can_be_read_again_whatever_its_words_hold():
    words = ["a\rb", "c\r\nd", "e\0f", "\0=1", "\rg"]
    written = csv_text([(word, "end") for word in words])
    read = list(csv.reader(io.StringIO(written, newline="")))
    assert read == [[word, "end"] for word in ("a\nb", "c\nd", "ef", "'=1", "'\ng")]
