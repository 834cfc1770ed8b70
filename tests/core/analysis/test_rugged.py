"""Rugged scores: pairs, unmatched sets, ranks, undefined cases, intervals, and their table."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from core.analysis.accuracies import AccuracyRow, read_accuracies
from core.analysis.benchmark_pairs import comparable_name, read_pairs, shipped_pairs
from core.analysis.public_scores import read_public, under_our_names
from core.analysis.ranking_tables import rugged_table
from core.analysis.rugged import argsort_ranks, true_ranks
from core.analysis.rugged_notes import rugged_notes
from core.analysis.rugged_table import RuggedOptions, RuggedScores, rs_table
from core.errors import InputError


def row(model: str, side: str, domain: str, accuracy: float, n: int | None = None) -> AccuracyRow:
    return AccuracyRow(model, side, domain, accuracy, n)


def scored(rows: list[AccuracyRow], **options: object) -> dict[str, RuggedScores]:
    return {found.model: found for found in rs_table(rows, RuggedOptions(**options))}


def test_rs1_is_the_mean_over_pairs_plus_the_unmatched_means() -> None:
    found = scored(
        [
            row("m", "private", "CS", 0.4), row("m", "public", "CS", 0.8),
            row("m", "private", "Math", 0.5), row("m", "public", "Math", 0.5),
            row("m", "private", "own", 0.2), row("m", "private", "other", 0.4),
            row("m", "public", "law", 0.5), row("m", "public", "history", 0.7),
        ]
    )["m"]  # fmt: skip
    paired = (2 * (0.8 - 0.4) / 1.2 + 0) / 2
    unmatched = 2 * (0.6 - 0.3) / 0.9
    assert found.scores["rs1"].value == pytest.approx(paired + unmatched)
    assert found.scores["rs2"].value == pytest.approx(np.std([0.4, 0.5, 0.2, 0.4], ddof=1))
    mean = np.mean([0.4, 0.5, 0.2, 0.4])
    assert found.scores["rs2_normalised"].value == pytest.approx(found.scores["rs2"].value / mean)


def test_several_rows_of_a_domain_count_as_their_mean() -> None:
    rows = [row("m", "private", "CS", p) for p in (0.2, 0.3, 0.7)]
    rows += [row("m", "private", "Math", 0.6), row("m", "public", "cs", 0.4)]
    found = scored(rows)["m"]
    assert found.pairs == {"CS": (pytest.approx(0.4), pytest.approx(0.4))}
    assert found.scores["rs1"].value == pytest.approx(0.0)


def test_the_table_says_over_how_many_items_each_side_is() -> None:
    rows = [row("m", "private", d, 0.4, n) for d, n in (("CS", 40), ("Math", 20))]
    rows += [row("m", "public", "CS", 0.5, 500), row("o", "private", "CS", 0.5)]
    found = rs_table(rows)
    assert (found[0].as_json()["private_items"], found[0].as_json()["public_items"]) == (60, 500)
    table = rugged_table(found)
    at = [table.columns.index(head) for head in ("Private items", "Public items")]
    # of the other model nobody said how many, and on the public side it has nothing
    assert [[line[place] for place in at] for line in table.rows] == [[60, 500], [None, 0]]


def test_an_unmatched_set_on_one_side_alone_adds_nothing() -> None:
    rows = [row("m", "private", "CS", 0.5), row("m", "public", "CS", 0.5)]
    alone = scored([*rows, row("m", "public", "mmlu_pro_law", 0.9)])["m"]
    assert alone.scores["rs1"].value == 0
    coded = scored([*rows, row("m", "public", "mmlu_pro_law", 0.9)], rs1="as_coded")["m"]
    assert coded.scores["rs1"].value == pytest.approx(2.0)


def test_the_catalogue_pairs_subjects_with_domains_and_mathematics_with_two() -> None:
    private = ("CS", "Math", "Stat")
    pairs = shipped_pairs()
    assert pairs.domains_of("mmlu_machine_learning", private) == ("CS",)
    assert set(pairs.domains_of("MMLU Pro math", private)) == {"Math", "Stat"}
    assert pairs.domains_of("mmlu_pro_law", private) == ()
    assert pairs.domains_of("q-bio", ("Bio", "CS")) == ("Bio",)
    assert len(pairs.domains) == 8


def test_names_of_languages_are_told_apart_and_spellings_are_not() -> None:
    assert len({comparable_name(name) for name in ("C", "C++", "C#")}) == 3
    assert (
        comparable_name(" MMLU-Pro  (math) ") == comparable_name("mmlu_pro_math") == "mmlu_pro_math"
    )
    assert comparable_name("a _ b") == "a_b"


def test_a_catalogue_of_ones_own_replaces_the_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps({"domains": {"法律": ["law exam"]}}), encoding="utf-8")
    rows = [row("m", "private", "法律", 0.2), row("m", "public", "Law-Exam", 0.6)]
    found = scored(rows, pairs=read_pairs(path))["m"]
    assert found.scores["rs1"].value == pytest.approx(2 * 0.4 / 0.8)
    path.write_text('{"domains": ["CS"]}', encoding="utf-8")
    with pytest.raises(InputError, match="domains"):
        read_pairs(path)


def test_a_model_that_ranks_higher_in_public_has_a_positive_relative_score() -> None:
    accuracies = {"a": (0.9, 0.1), "b": (0.5, 0.5), "c": (0.2, 0.8)}
    rows = [row(m, "public", "CS", pub) for m, (pub, _) in accuracies.items()]
    rows += [row(m, "private", "CS", priv) for m, (_, priv) in accuracies.items()]
    found = scored(rows)
    assert found["a"].scores["rs1_relative"].value == pytest.approx(2 * (3 - 1) / 4)
    assert found["b"].scores["rs1_relative"].value == pytest.approx(0)
    assert found["c"].scores["rs1_relative"].value == pytest.approx(-1)


def test_true_ranks_share_ties_and_differ_from_argsort() -> None:
    scores = np.array([[0.3], [0.9], [0.3], [0.1]])
    assert true_ranks(scores)[:, 0].tolist() == [2.5, 4, 2.5, 1]
    with_gap = np.array([[0.3], [np.nan], [0.3], [0.1]])
    assert true_ranks(with_gap)[[0, 2, 3], 0].tolist() == [2.5, 2.5, 1]
    assert np.isnan(true_ranks(with_gap)[1, 0])
    assert argsort_ranks(scores)[:, 0].tolist() == [4, 1, 3, 2]


@pytest.mark.parametrize(
    ("rows", "name", "word"),
    [
        ([row("m", "private", "CS", 0.5)], "rs1", "no public"),
        ([row("m", "public", "CS", 0.5)], "rs1", "no private"),
        ([row("m", "private", "CS", 0.5)], "rs2", "two or more domains"),
        ([row("m", "private", "CS", 0.0), row("m", "public", "CS", 0.0)], "rs1", "both zero"),
        ([row("m", "private", "CS", 0.0), row("m", "private", "Q", 0.0)], "rs2_normalised", "zero"),
        ([row("m", "private", "CS", 0.1), row("m", "public", "CS", 0.2)], "rs1_relative", "rank"),
    ],
)
def test_what_is_undefined_says_why(rows: list[AccuracyRow], name: str, word: str) -> None:
    score = scored(rows)["m"].scores[name]
    assert score.value is None
    assert word in (score.reason or "")
    assert scored(rows)["m"].as_json()[f"{name}_reason"] == score.reason


def test_intervals_come_from_the_numbers_of_items_and_narrow_with_them() -> None:
    def width(n: int) -> float:
        rows = [row("m", "private", d, p, n) for d, p in (("CS", 0.3), ("Math", 0.5))]
        rows += [row("m", "public", d, p, n) for d, p in (("CS", 0.6), ("Math", 0.7))]
        score = scored(rows)["m"].scores["rs1"]
        assert score.low < score.value < score.high
        return score.high - score.low

    assert width(2000) < width(50) / 4


def test_an_interval_covers_the_true_score_nineteen_times_in_twenty() -> None:
    rng = np.random.default_rng(5)
    true = {"CS": (0.6, 0.4), "Math": (0.7, 0.6), "Bio": (0.5, 0.5)}
    score = np.mean([2 * (a - b) / (a + b) for a, b in true.values()])
    hits, n, rounds = 0, 300, 150
    for turn in range(rounds):
        rows = []
        for domain, (public, private) in true.items():
            rows.append(row("m", "public", domain, rng.binomial(n, public) / n, n))
            rows.append(row("m", "private", domain, rng.binomial(n, private) / n, n))
        found = scored(rows, resamples=400, seed=turn)["m"].scores["rs1"]
        hits += found.low <= score <= found.high
    assert 0.89 < hits / rounds <= 1


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.15])
@pytest.mark.parametrize("n", [30, 300])
def test_the_interval_of_rs2_holds_the_true_spread_and_the_score(n: int, spread: float) -> None:
    """A plain percentile interval holds the true spread in none to two thirds of these."""
    rng = np.random.default_rng(6)
    true = np.clip(0.4 + spread * np.linspace(-1.5, 1.5, 8), 0, 1)
    hits, rounds = 0, 60
    for turn in range(rounds):
        drawn = rng.binomial(n, true) / n
        rows = [row("m", "private", f"d{k}", float(p), n) for k, p in enumerate(drawn)]
        found = scored(rows, resamples=400, seed=turn)["m"].scores
        score = found["rs2"]
        assert score.low <= score.value <= score.high
        hits += score.low <= true.std(ddof=1) <= score.high
        normal = found["rs2_normalised"]
        assert normal.low <= normal.value <= normal.high
    assert hits / rounds > 0.9


def by_article(
    rng: np.random.Generator, level: float, articles: int, each: int, formats: int
) -> list[dict[str, tuple[float, int]]]:
    """Of every format the scores of articles that lean one way in all of them."""
    rates = rng.beta(4 * level, 4 * (1 - level), articles)
    return [
        {f"a{n}": (float(rng.binomial(each, rate)), each) for n, rate in enumerate(rates)}
        for _ in range(formats)
    ]


def clustered_rows(
    rng: np.random.Generator, true: dict[str, float], articles: int, *, known: bool = True
) -> list[AccuracyRow]:
    rows = []
    for domain, level in true.items():
        for cells in by_article(rng, level, articles, 5, 3):
            named = {f"{domain} {name}": cell for name, cell in cells.items()}
            right, n = (sum(part) for part in zip(*named.values(), strict=True))
            sources = named if known else None
            rows.append(AccuracyRow("m", "private", domain, right / n, int(n), sources=sources))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("articles", [6, 20])
def test_intervals_allow_for_items_that_share_an_article(articles: int) -> None:
    rng = np.random.default_rng(articles)
    true = {f"d{n}": 0.35 + 0.04 * n for n in range(8)}
    public = {domain: level + 0.1 for domain, level in true.items()}
    score = np.mean([2 * (public[d] - true[d]) / (public[d] + true[d]) for d in true])
    spread = float(np.std(list(true.values()), ddof=1))
    hits = {("rs1", True): 0, ("rs1", False): 0, ("rs2", True): 0}
    corrected, published = [], []
    for seed in range(200):
        state = rng.bit_generator.state
        for known in (True, False):
            rng.bit_generator.state = state
            rows = clustered_rows(rng, true, articles, known=known)
            rows += [row("m", "public", d, p, 100_000) for d, p in public.items()]
            found = scored(rows, resamples=400, seed=seed)["m"].scores
            hits["rs1", known] += found["rs1"].low <= score <= found["rs1"].high
            if known:
                hits["rs2", known] += found["rs2"].low <= spread <= found["rs2"].high
                corrected.append(found["rs2_corrected"].value ** 2)
                published.append(found["rs2"].value ** 2)
    assert hits["rs1", False] / 200 < 0.88
    assert 0.91 <= hits["rs1", True] / 200 <= 0.985
    assert hits["rs2", True] / 200 >= 0.9
    assert np.mean(published) > spread**2 * 1.15
    assert np.mean(corrected) == pytest.approx(spread**2, rel=0.1)


def test_intervals_of_few_articles_are_said_to_be_rough() -> None:
    rng = np.random.default_rng(3)
    said = "one of the accuracies is over items of only 4 sources"
    for articles, words in ((4, said), (12, "")):
        (found,) = rs_table(clustered_rows(rng, {"CS": 0.4, "Math": 0.5}, articles))
        assert found.scores["rs2"].caution == words
        assert found.as_json()["rs2_caution"] == words
        assert any(words in note for note in rugged_table([found]).notes if words) == bool(words)


def test_an_interval_of_ranks_that_change_is_said_to_be_rough() -> None:
    """Two models two points apart: a bootstrap held their ranks in 40 of 100 samples."""
    said = "models change ranks from draw to draw"
    for apart, words in ((0.02, said), (0.4, "")):
        accuracies = {"a": 0.5 - apart / 2, "b": 0.5 + apart / 2}
        rows = [
            row(model, side, "CS", accuracy, 100)
            for model, accuracy in accuracies.items()
            for side in ("public", "private")
        ]
        found = rs_table(rows, RuggedOptions(resamples=300))
        assert [one.scores["rs1_relative"].caution for one in found] == [words, words]
        assert found[0].scores["rs1"].caution == ""
        assert any(said in note for note in rugged_table(found).notes) == bool(words)


def test_without_a_true_spread_the_noise_is_taken_out() -> None:
    rng = np.random.default_rng(9)
    found = [
        scored([row("m", "private", f"d{k}", rng.binomial(200, 0.4) / 200, 200) for k in range(8)],
               resamples=300, seed=seed)["m"]
        for seed in range(60)
    ]  # fmt: skip
    published = np.mean([100 * one.scores["rs2"].value for one in found])
    corrected = np.mean([100 * one.scores["rs2_corrected"].value for one in found])
    assert published > 3
    assert corrected < published / 2
    assert "rs2_corrected_low" in found[0].as_json()
    plain = [row("m", "private", d, p) for d, p in (("CS", 0.4), ("Math", 0.5))]
    assert "number of items" in (scored(plain)["m"].scores["rs2_corrected"].reason or "")


def test_a_spread_that_may_be_luck_is_called_so() -> None:
    rows = [row("m", "private", f"d{k}", 0.4 + k / 50, 20) for k in range(4)]
    rows += [row("sure", "private", f"d{k}", 0.4 + k / 10, 5000) for k in range(4)]
    few, many = scored(rows).values()
    assert few.scores["rs2"].low == 0
    assert many.scores["rs2"].low > 0
    table = rugged_table([few, many])
    assert len(set(table.columns)) == len(table.columns)
    (note,) = (note for note in table.notes if "due to chance" in note)
    assert note.startswith("m:")


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("articles", [0, 6])
def test_items_that_all_go_alike_leave_an_interval(share: float, articles: int) -> None:
    """None of 24 right is a rate of up to 0.12."""
    rows = [row("m", "public", domain, 0.5, 2000) for domain in ("CS", "Math")]
    each = {str(n): (4 * share, 4) for n in range(articles)}
    for domain in ("CS", "Math"):
        named = {f"{domain} {article}": counts for article, counts in each.items()}
        rows.append(AccuracyRow("m", "private", domain, share, 24, "", "", named))
    scores = scored(rows)["m"].scores
    first, second = scores["rs1"], scores["rs2"]
    assert first.low <= first.value <= first.high
    assert first.high - first.low > 0.06 if share else first.low < 1.6
    assert (second.value, second.low) == (0, 0)
    assert 0.02 < second.high < 0.2
    assert scores["rs2_corrected"].value == 0
    assert first.caution == (
        "one of the accuracies is over items of only 6 sources"
        if articles
        else "few items with the rarer outcome: 0"
    )


@pytest.mark.parametrize(("right", "said"), [(4, "few items with the rarer outcome: 4"), (5, "")])
def test_a_cell_with_few_right_or_few_wrong_is_called_rough(right: int, said: str) -> None:
    public = [row("m", "public", domain, 0.5, 2000) for domain in ("CS", "Math")]
    for share in (right / 200, 1 - right / 200):
        rows = [
            *public,
            row("m", "private", "CS", share, 200),
            row("m", "private", "Math", 0.5, 200),
        ]
        scores = scored(rows)["m"].scores
        assert scores["rs1"].caution == scores["rs2"].caution == said


@pytest.mark.parametrize("articles", [0, 30])
def test_intervals_hold_where_nearly_all_items_are_wrong(articles: int) -> None:
    """Four domains of 60 items of which 2 in 100 are right: often none of them in a domain."""
    rng = np.random.default_rng(8)
    public, true = 0.3, 0.02
    truth, hits, samples = 2 * (public - true) / (public + true), 0, 200
    for seed in range(samples):
        rows = [row("m", "public", f"d{d}", public, 100_000) for d in range(4)]
        for d in range(4):
            if articles:
                rates = rng.beta(10 * true, 10 * (1 - true), articles)
                right = rng.binomial(2, rates)
                named = {f"{d} {n}": (float(r), 2) for n, r in enumerate(right.tolist())}
                count = float(right.sum())
            else:
                named, count = {}, float(rng.binomial(60, true))
            rows.append(AccuracyRow("m", "private", f"d{d}", count / 60, 60, "", "", named))
        found = scored(rows, resamples=400, seed=seed)["m"].scores["rs1"]
        hits += found.low <= truth <= found.high
    assert 0.93 - 3 * np.sqrt(0.05 * 0.95 / samples) <= hits / samples


def test_without_numbers_of_items_there_is_a_score_but_no_interval() -> None:
    rows = [row("m", "private", "CS", 0.4), row("m", "private", "Math", 0.5)]
    score = scored(rows)["m"].scores["rs2"]
    assert score.value is not None
    assert score.low is None
    assert "number of items" in (score.interval_reason or "")


def test_a_table_is_read_in_any_usual_encoding(tmp_path: Path) -> None:
    text = "Model,Set,Domain,Accuracy,n\r\n千问,Private,数学,0.25,40\r\n千问,public,数学,1,\r\n"
    for encoding in ("utf-8-sig", "utf-16", "gb18030"):
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes(text.encode(encoding))
        first, second = read_accuracies(path).rows
        assert (first.model, first.domain, first.accuracy, first.n) == ("千问", "数学", 0.25, 40)
        assert (second.set, second.n) == ("public", None)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "is empty"),
        ("a,b\n1,2\n", "no column"),
        ("model,set,domain\na,private,CS\n", "accuracy"),
        ("model,set,domain,accuracy\n", "has no rows"),
        ("model,set,domain,accuracy\na,private,CS,25\n", "line 2"),
        ("model,set,domain,accuracy\na,private,CS,nan\n", "no accuracies"),
        ("model,set,domain,accuracy\na,private,CS,45.2\n", "Divide percentages by 100"),
        ("model,set,domain,accuracy\na,private,CS,45.2%\n", "Divide percentages by 100"),
        ("model,set,domain,accuracy\na,private,CS,450\n", r"0 to 1, not “450”\.$"),
        ("model,set,domain,accuracy,Accuracy\na,private,CS,0.4,0.9\n", "more than once"),
        ("model,set,domain,accuracy\na,secret,CS,0.5\n", "secret"),
        ("model,set,domain,accuracy\n,private,CS,0.5\n", "empty"),
        ("model,set,domain,accuracy\na,private,CS\n", "3 cells for 4 columns"),
        ("\x00\x01\x02\x03\x04", "binary file"),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_line(
    tmp_path: Path, text: str, word: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=word):
        read_accuracies(path)


@pytest.mark.parametrize(
    "text",
    [
        "model;set;domain;accuracy\nA;private;CS;0,4\nA;public;CS;0,8\n",
        "model\tset\tdomain\taccuracy\nA\tprivate\tCS\t0.4\nA\tpublic\tCS\t0.8\n",
        "model,set,domain,accuracy\rA,private,CS,0.4\rA,public,CS,0.8\r",
        "\n\nnote,Model , SET,domain,accuracy,more\n"
        'x,A, Private ,"CS",0.4,1\n,,,,,\n,A,PUBLIC,cs,0.8,\n',
    ],
)
def test_a_table_may_be_laid_out_as_spreadsheets_do(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    table = read_accuracies(path)
    assert [(r.model, r.set, r.accuracy) for r in table.rows] == [
        ("A", "private", 0.4), ("A", "public", 0.8),
    ]  # fmt: skip
    assert not table.notes


def test_a_cell_without_an_accuracy_is_missing_and_its_model_still_has_a_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "model,set,domain,accuracy\nA,private,CS,0.4\nA,private,Math,NaN\nA,public,CS,0.8\n"
        "B,private,CS,\nB,public,CS,n/a\n",
        encoding="utf-8",
    )
    table = read_accuracies(path)
    assert any("3 rows" in note and "3, 5, 6" in note for note in table.notes)
    found = {r.model: r for r in rs_table(table.rows, RuggedOptions(), table.models)}
    assert found["A"].scores["rs1"].value == pytest.approx(2 / 3)
    assert found["B"].scores["rs1"].value is None
    assert found["B"].scores["rs1"].reason
    assert found["B"].scores["rs2"].reason


def test_a_number_of_items_that_is_none_is_said_and_leaves_out_the_interval(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "model,set,domain,accuracy,n,stderr\nA,private,CS,0.4,1e30,\nA,private,Math,0.5,-4,\n"
        "A,public,CS,0.5,many,\nA,public,Math,0.5,–,1e-200\nA,public,Math,0.5,,0.05\n",
        encoding="utf-8",
    )
    table = read_accuracies(path)
    assert [row.n for row in table.rows] == [None, None, None, None, 101]
    (note,) = table.notes
    assert "3 rows" in note
    assert "lines 2, 3, 4" in note
    (found,) = rs_table(table.rows)
    assert found.scores["rs1"].value is not None
    assert "number of items" in found.scores["rs1"].interval_reason


def test_what_is_not_alike_among_models_is_said() -> None:
    rows = [row("A", side, d, 0.5) for side in ("private", "public") for d in ("CS", "Math")]
    assert rugged_notes(rows) == []
    notes = rugged_notes([*rows, row("B", "private", "CS", 0.4), row("A", "public", "cs", 0.6)])
    assert any("1 domain or benchmark" in note and "mean" in note for note in notes)
    assert any(
        "private domains (only 1 of 2 are common" in note and "Compare B" in note for note in notes
    )


def by_hand(table: dict[tuple[str, str], float]) -> tuple[float, float, float]:
    """RS_I, RS_II and its normalised form of one model, written out from equations 1 and 2."""

    def ratio(public: float, private: float) -> float:
        return 2 * (public - private) / (public + private)

    private = {d: v for (s, d), v in table.items() if s == "private"}
    public = {d: v for (s, d), v in table.items() if s == "public"}
    pairs = [ratio(public[d], private[d]) for d in private if d in public]
    rs1 = sum(pairs) / len(pairs)
    alone = [v for d, v in private.items() if d not in public]
    outside = [v for d, v in public.items() if d not in private]
    if alone and outside:
        rs1 += ratio(sum(outside) / len(outside), sum(alone) / len(alone))
    mean = sum(private.values()) / len(private)
    rs2 = (sum((v - mean) ** 2 for v in private.values()) / (len(private) - 1)) ** 0.5
    return rs1, rs2, rs2 / mean


@pytest.mark.parametrize("seed", range(6))
def test_invented_tables_agree_with_the_equations_written_out(seed: int) -> None:
    draw = np.random.default_rng(seed)
    private = ("CS", "Math", "Phy", "own one", "own two")
    public = ("CS", "Math", "Phy", "law", "history")
    tables = {
        f"模型-{m}": {
            (side, domain): float(draw.uniform(0.05, 0.95))
            for side, domains in (("private", private), ("public", public))
            for domain in domains
            if draw.random() < 0.9 or domain == "CS"
        }
        for m in range(7)
    }
    rows = [row(m, *cell, value) for m, table in tables.items() for cell, value in table.items()]
    ranked = {m: {} for m in tables}
    for cell in dict.fromkeys(cell for table in tables.values() for cell in table):
        having = sorted((m for m in tables if cell in tables[m]), key=lambda m: tables[m][cell])
        for place, model in enumerate(having):
            ranked[model][cell] = place + 1.0
    for model, found in scored(rows, resamples=0).items():
        rs1, rs2, normalised = by_hand(tables[model])
        assert found.scores["rs1"].value == pytest.approx(rs1)
        assert found.scores["rs2"].value == pytest.approx(rs2)
        assert found.scores["rs2_normalised"].value == pytest.approx(normalised)
        assert found.scores["rs1_relative"].value == pytest.approx(by_hand(ranked[model])[0])


def test_public_scores_keep_the_digest_of_their_file(tmp_path: Path) -> None:
    path = tmp_path / "public.csv"
    path.write_text("model,domain,accuracy,n\nm,CS,0.6,100\n", encoding="utf-8")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    public = read_public(path)
    assert [one.digest for one in public] == [digest]
    (found,) = rs_table([*public, row("m", "private", "CS", 0.5, 100)], RuggedOptions(resamples=50))
    assert found.as_json()["digests"] == {"public.csv": digest}
    assert f"public.csv: SHA-256 {digest}" in rugged_table([found]).notes


def test_public_scores_come_from_lm_eval_under_our_names(tmp_path: Path) -> None:
    results = {
        "results": {
            "mmlu_astronomy": {"acc,none": 0.5, "acc_stderr,none": 0.04, "alias": "astronomy"},
            "gsm8k": {"exact_match,strict-match": 0.3},
            "wikitext": {"word_perplexity,none": 12.0},
        },
        "n-samples": {"mmlu_astronomy": {"original": 152, "effective": 152}},
        "model_name": "models/Qwen2.5_7B-Instruct",
    }
    (tmp_path / "results_2026.json").write_text(json.dumps(results), encoding="utf-8")
    rows = under_our_names(read_public(tmp_path), ["qwen/Qwen2.5-7B-Instruct"])
    assert next((r.model, r.domain, r.accuracy, r.n) for r in rows) == (
        "qwen/Qwen2.5-7B-Instruct", "mmlu_astronomy", 0.5, 152,
    )  # fmt: skip
    assert {r.domain for r in rows} == {"mmlu_astronomy", "gsm8k"}
    (tmp_path / "results_2026.json").write_text("{]", encoding="utf-8")
    with pytest.raises(InputError, match="lm_eval"):
        read_public(tmp_path)


def test_a_file_that_names_its_separator_is_read_and_its_lines_keep_their_numbers(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(
        "sep=;\r\nmodel;set;domain;accuracy\r\n通义;private;cs;0,4\r\n通义;private;math;4\r\n",
        encoding="utf-8-sig",
    )
    with pytest.raises(InputError, match="line 4"):
        read_accuracies(path)
    path.write_text(path.read_text(encoding="utf-8-sig").replace(";4", ";0,6"), encoding="utf-16")
    assert [row.accuracy for row in read_accuracies(path).rows] == [0.4, 0.6]


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_an_empty_file_and_a_folder_are_called_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is empty"):
        read_accuracies(path)
    with pytest.raises(InputError, match="is a folder"):
        read_accuracies(tmp_path)
