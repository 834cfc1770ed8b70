"""People rate judged answers on a sheet; the ratings are in the ledger and stand by the judge."""

import csv
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.cli.analysis.score_tables import report_text
from core.errors import InputError, NotFoundError, RightsError, StateError
from core.evaluation.report_parts.methods_text import methods_paragraph
from core.families.base import ItemContent
from core.jobs.folder import RunFolder
from core.workflow import people
from core.workflow.evaluation import answer_ratings, import_results, judging, score_run
from core.workflow.runs import runs, take_in
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import ledger
from db.vocabulary import EventKind
from tests.finished_runs import judge_by_hand, take_in_answers
from tests.splits import freeze_split

COUNT = 12
TEXTS = ('=1+1,"引号"\n换行', "a;b\tc|d", "#标签", "item", "－", "x" * 9000)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A workspace with an evaluation of free texts, two of them empty, that a judge has judged
    1 … 5 in turn; and the evaluation's run."""
    folder = tmp_path_factory.mktemp("judged")
    with closing(Workspace.create(folder / "w")) as ws:
        people.ensure_person(ws, "李", "lead")
        payloads = [{"instruction": "写一句", "input": f"题{n}", "output": f"春{n}"}
                    for n in range(COUNT)]  # fmt: skip
        freeze_split(ws, {"诗": [ItemContent("instruction", "triplet", p) for p in payloads]})
        uids = [member.uid for member in freeze.members_of(ws, "s")]
        said = dict(zip(uids, ["", " ", *TEXTS, "一", "二", "三", "四"], strict=True))
        made = take_in_answers(ws, folder, said, model="秘密模型")
        judge_by_hand(ws, made)
    return folder / "w", made


@pytest.fixture
def ws(template: tuple[Path, str], place: Path) -> Iterator[Workspace]:
    """A copy of it."""
    shutil.copytree(template[0], place)
    with closing(Workspace.open(place)) as opened:
        yield opened


@pytest.fixture
def run(template: tuple[Path, str]) -> str:
    """The evaluation."""
    return template[1]


def test_the_report_names_every_judge_with_its_score(ws: Workspace, run: str) -> None:
    older = runs.judgings_of(ws, run)[0].id
    take_in.take_in(ws, older)
    alone = score_run.report(ws, run)
    assert alone.origin["judge"]["others"] == []
    stamp = score_run.report_stamp(ws, run)
    judge_by_hand(ws, run, shift=2, model="newer")
    assert score_run.report_stamp(ws, run) != stamp
    both = score_run.report(ws, run)
    assert both.total.accuracy != alone.total.accuracy
    assert both.origin["judge"]["others"] == [{"model": "j", "score": alone.total.accuracy}]
    said = f"j {100 * alone.total.accuracy:.1f}%."
    assert said in methods_paragraph(both)
    assert said in report_text(both)
    # a judging that was changed takes no score away that is not its own
    stamp = score_run.report_stamp(ws, run)
    with (ws.runs / older / "shard-000.jsonl").open("a", encoding="utf-8") as shard:
        shard.write("\n")
    assert score_run.report_stamp(ws, run) != stamp
    changed = score_run.report(ws, run)
    assert changed.total == both.total
    assert older in methods_paragraph(changed)


def test_a_damaged_judging_of_another_judge_is_named(ws: Workspace, run: str) -> None:
    older = runs.judgings_of(ws, run)[0].id
    judge_by_hand(ws, run, shift=2, model="newer")
    (ws.runs / older / "shard-000.jsonl").write_text('{"id": "1"}\n', encoding="utf-8")
    found = score_run.report(ws, run)
    assert found.total.accuracy is not None
    assert older in found.origin["judge"]["others_problem"]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as handle:
        return list(csv.DictReader(handle))


def fill(path: Path, value, rater: str = "王", only: str = "creativity") -> Path:
    """Fill in the sheet as a spreadsheet would; ``value`` is asked with the row's number."""
    rows = [row for row in read(path) if row["criterion"] == only]
    for n, row in enumerate(rows):
        row |= {"rater": rater, "value": str(value(n))}
    with path.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def agreement(ws: Workspace, run: str) -> dict:
    (one,) = score_run.report(ws, run).origin["judge"]["judges"]
    return one["agreement"]


def test_the_sheet_is_a_seeded_sample_that_names_neither_model_nor_verdict(
    ws: Workspace, run: str, tmp_path: Path
):
    first = answer_ratings.draw_sheet(ws, run, tmp_path / "一.csv", "李", count=5, seed=3)
    answer_ratings.draw_sheet(ws, run, tmp_path / "二.csv", "李", count=5, seed=3)
    assert (first.answers, first.of, first.rows) == (5, COUNT - 2, 20)
    rows = read(tmp_path / "一.csv")
    assert rows == read(tmp_path / "二.csv")
    assert len({row["item"] for row in rows}) == 5
    assert {row["value"] + row["rater"] for row in rows} == {""}
    assert {row["scale"] for row in rows} == {"1–5"}
    assert "秘密模型" not in (tmp_path / "一.csv").read_text(encoding="utf-8")
    with pytest.raises(StateError, match="filled in"):
        answer_ratings.draw_sheet(ws, run, tmp_path / "一.csv", "李")
    assert read(tmp_path / "一.csv") == rows
    whole = answer_ratings.draw_sheet(ws, run, tmp_path / "全.csv", "李", count=999)
    assert (whole.answers, whole.rows) == (COUNT - 2, 4 * (COUNT - 2))


def test_filled_in_ratings_stand_beside_the_judge_and_a_second_time_change_nothing(
    ws: Workspace, run: str, tmp_path: Path
):
    sheet = tmp_path / "表.csv"
    answer_ratings.draw_sheet(ws, run, sheet, "李", count=999)
    assert agreement(ws, run) == {}
    before = score_run.report_stamp(ws, run)
    judge = {row["item"]: 1 + n % 5 for n, row in enumerate(order(ws, run))}
    rows = [row["item"] for row in read(sheet) if row["criterion"] == "creativity"]
    kept = answer_ratings.take_in_ratings(ws, run, fill(sheet, lambda n: judge[rows[n]]), "李")
    assert (kept.new, kept.changed, kept.unknown, kept.raters) == (COUNT - 2, 0, 0, ("王",))
    assert score_run.report_stamp(ws, run) != before, "a report in the cache is read again"
    found = agreement(ws, run)["creativity"]
    assert found["answers"] == COUNT - 2
    assert found["coefficients"]["spearman"]["value"] == pytest.approx(1.0)
    with ws.reading() as session:
        events = len(ledger.of_subject(session, EventKind.RUN, run))
    again = answer_ratings.take_in_ratings(ws, run, sheet, "李")
    assert (again.new, again.changed) == (0, 0)
    with ws.reading() as session:
        told = ledger.of_subject(session, EventKind.RUN, run)
    assert len(told) == events
    assert told[-1].actor == "李"
    # a rater who changes their mind, and another judge of the same answers
    changed = answer_ratings.take_in_ratings(ws, run, fill(sheet, lambda n: 1 + (n == 0)), "李")
    assert changed.changed > 0
    judge_by_hand(ws, run, shift=1)
    assert agreement(ws, run)["creativity"]["answers"] == COUNT - 2
    assert not verify(ws).findings


def order(ws: Workspace, run: str) -> list[dict[str, str]]:
    return [{"item": id_} for id_ in RunFolder(ws.runs / run).work_ids()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("item,criterion,rater,value\n{uid},creativity,王,7\n", "from 1 to 5"),
        (
            "item,criterion,rater,value\n{uid},creativity,王,2.5\n",
            r"as 2\.5; it must be a whole number",
        ),
        ("item,criterion,rater,value\n{uid},charm,王,2\n", "charm"),
        ("item,criterion,rater,value\n{uid},creativity,王,好\n", "好"),
        ("item,criterion,rater,value\n{uid},creativity,王,\n", "no ratings yet"),
        ("item,criterion,rater,value\n999,creativity,王,2\n", "The only rating"),
        ("a,b\n1,2\n", "item and value"),
    ],
)
def test_a_sheet_that_is_filled_in_wrongly_is_refused_whole(
    ws: Workspace, run: str, tmp_path: Path, text: str, words: str
):
    sheet = tmp_path / "表.csv"
    uid = freeze.members_of(ws, "s")[5].uid
    sheet.write_text(text.replace("{uid}", uid), encoding="gb18030")
    with pytest.raises(InputError, match=words):
        answer_ratings.take_in_ratings(ws, run, sheet, "李")
    assert answer_ratings.people_of(ws, run) is None


def test_who_may_not_and_what_is_not_there(
    ws: Workspace, run: str, template: tuple[Path, str], tmp_path: Path
):
    people.ensure_person(ws, "ann", "annotator")
    with pytest.raises(RightsError):
        answer_ratings.draw_sheet(ws, run, tmp_path / "x.csv", "ann")
    with pytest.raises(RightsError):
        answer_ratings.take_in_ratings(ws, run, tmp_path / "x.csv", "ann")
    with pytest.raises(NotFoundError):
        answer_ratings.take_in_ratings(ws, run, tmp_path / "x.csv", "李")
    other = import_results.take_in(ws, template[0].with_name("samples_s.jsonl"), "s", model="n").run
    with pytest.raises(StateError, match="No judge"):
        answer_ratings.draw_sheet(ws, other, tmp_path / "x.csv", "李")
    assert not (tmp_path / "x.csv").exists()
    with pytest.raises(StateError, match="nowhere"):
        answer_ratings.draw_sheet(ws, run, tmp_path / "nowhere" / "x.csv", "李")


def test_ratings_that_an_earlier_version_kept_in_a_file_still_count(ws: Workspace, run: str):
    folder = next(path.parent for path in ws.runs.glob("*judge*/spec.json"))
    uids = RunFolder(ws.runs / run).work_ids()[2:]
    rows = "".join(f"{uid},creativity,王,{1 + n % 5}\n" for n, uid in enumerate(uids))
    (folder / "people.csv").write_text("item,criterion,rater,value\n" + rows, encoding="utf-8")
    assert agreement(ws, run)["creativity"]["answers"] == COUNT - 2


@pytest.mark.parametrize("text", ["item,value\n{uid},\n", "a,b\n1,2\n", ""])
def test_an_earlier_file_that_holds_no_ratings_harms_no_report(ws: Workspace, run: str, text: str):
    folder = next(path.parent for path in ws.runs.glob("*judge*/spec.json"))
    uid = RunFolder(ws.runs / run).work_ids()[2]
    (folder / "people.csv").write_text(text.replace("{uid}", uid), encoding="utf-8")
    assert agreement(ws, run) == {}


def test_what_is_off_in_an_earlier_file_is_passed_over(ws: Workspace, run: str):
    folder = next(path.parent for path in ws.runs.glob("*judge*/spec.json"))
    uid = RunFolder(ws.runs / run).work_ids()[2]
    rows = [f"{uid},{said}" for said in ("charm,王,2", "creativity,王,9", "creativity,李,好",
                                         "creativity,赵,4")]  # fmt: skip
    text = "\n".join(["item,criterion,rater,value", *rows]) + "\n"
    (folder / "people.csv").write_text(text, encoding="utf-8")
    assert answer_ratings.people_of(ws, run).rows == ((uid, "creativity", "赵", 4.0),)
    assert agreement(ws, run)["creativity"]["answers"] == 1


def test_ratings_are_of_an_evaluation_and_of_somebody(ws: Workspace, run: str, tmp_path: Path):
    judging = next(path.parent.name for path in ws.runs.glob("*judge*/spec.json"))
    for use in (answer_ratings.draw_sheet, answer_ratings.take_in_ratings):
        with pytest.raises(StateError, match="is not an evaluation; its kind is Judging"):
            use(ws, judging, tmp_path / "x.csv", "李")
    sheet = tmp_path / "表.csv"
    answer_ratings.draw_sheet(ws, run, sheet, "李")
    fill(sheet, lambda n: 3, rater="")
    assert answer_ratings.people_of(ws, run) is None
    assert answer_ratings.take_in_ratings(ws, run, sheet, "李").raters == ("李",)


def test_by_commands(
    ws: Workspace, run: str, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    def call(*more: str) -> int:
        capsys.readouterr()
        return main(["--workspace", str(place), *more])

    sheet = tmp_path / "表.csv"
    assert call("judge", "sample", run) == 2
    assert call("judge", "ratings", run) == 2
    assert call("judge", "sample", run, "--out", str(sheet), "--user", "nobody") == 1
    assert not sheet.exists(), "nobody has that name"
    assert call("report", run, "--people", str(sheet)) == 1
    assert call("judge", "sample", run, "--n", "4", "--out", str(sheet), "--user", "李") == 0
    assert f"judge ratings {run}" in capsys.readouterr().out
    assert call("judge", "ratings", run, str(fill(sheet, lambda n: 1 + n)), "--user", "李") == 0
    assert "4 new ratings and 0 changed ratings of 4 answers by 王" in capsys.readouterr().out
    assert call("report", run) == 0
    assert "Agreement with people on 4 answers, creativity" in capsys.readouterr().out
    assert call("judge", "sample", "no", "--out", str(sheet), "--user", "李") == 1
    assert call("judge", run, run, "--judge", "m@http://x") == 2
    assert call("judge", run) == 2


def test_the_judges_mean_is_corrected_by_what_people_rated(ws: Workspace, run: str, tmp_path: Path):
    path = tmp_path / "sheet.csv"
    answer_ratings.draw_sheet(ws, run, path, "李", count=10)
    answer_ratings.take_in_ratings(ws, run, fill(path, lambda n: 1 + n % 3), "李")
    (judge,) = score_run.report(ws, run).origin["judge"]["judges"]
    (mean,) = judge["corrected"]["creativity"]
    assert (mean["method"], mean["rated"]) == ("prediction_powered", 10)
    assert mean["low"] <= mean["value"] <= mean["high"]
    assert "few rated answers: 10" in mean["caution"]


def test_several_judges_are_compared_with_each_other_and_with_people(
    ws: Workspace, run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(StateError, match="Two or more judges"):
        judging.agreement_of_judges(ws, run)
    judge_by_hand(ws, run, shift=1, model="k")
    judge_by_hand(ws, run, model="k2")
    found = judging.agreement_of_judges(ws, run)
    assert set(found["judges"]) == {"j", "k", "k2"}
    creativity = found["criteria"]["creativity"]
    assert creativity["with_people"] is None
    path = tmp_path / "sheet.csv"
    answer_ratings.draw_sheet(ws, run, path, "李", count=10)
    answer_ratings.take_in_ratings(ws, run, fill(path, lambda n: 1 + n % 5), "李")
    again = judging.agreement_of_judges(ws, run)["criteria"]["creativity"]
    assert again["judges"] == creativity["judges"]
    assert again["with_people"]["value"] != creativity["judges"]["value"]
    assert main(["--workspace", str(ws.place.folder), "judge", "agree", run]) == 0
    assert "alpha with people" in capsys.readouterr().out
