"""Every way in which a private item can reach eyes, a disk or a network, gone for real: where its
text came out, the exposures tell it; the table of ways and what became of them is printed.

A way is a command, a function that the window calls too, or a part of the window. What comes out of
it is what it prints, the files that it leaves outside the workspace, and what servers were sent.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import psycopg
import pyrage
import pytest

from core.cli import main
from core.crash_reports import CrashRecorder
from core.evaluation.params import EvaluateParams
from core.evaluation.trackers.tracked_run import tracked_run
from core.frames import open_workspace
from core.screening.run import PrescreenParams
from core.sources.labelled.datasets import EMOTION, LabelledExample
from core.workflow import people, tasks
from core.workflow.analysis.exposures import SplitExposure, exposures
from core.workflow.backups import backup_files
from core.workflow.check import screen
from core.workflow.evaluation import compare_runs, people_answers, score_run
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.items.search import Filters
from core.workflow.packages.package_file import own_key
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.new_items import new_item
from core.workflow.rights import Action, is_allowed
from core.workflow.runs import runs
from core.workflow.splits import freeze, lifecycle
from core.workflow.workspace import Workspace
from db import items, ledger
from db.server.listening import CHANNEL
from db.vocabulary import ItemState
from gui.panels.compare import tables
from gui.panels.items import table_file
from tests.core.rewriting.scripted_model import ScriptedModel, cast, write_news
from tests.finished_runs import take_in_answers
from tests.sealed.byte_search import ByteSearch
from tests.sealed.conftest import SEARCH
from tests.sealed.private_items import ITEMS, private_item
from tests.sealed.team_place import LEAD as LEAD_OF_TEAM
from tests.sealed.team_place import TeamPlace
from tests.servers.model_server import LoopbackModel
from tests.splits import freeze_split

LEAD, ANN, SPLIT, TASK = "王", "ann", "s", "诗"
RECORDED, NOTHING, LOOK = "recorded", "no text comes out", "shown to who is listed"
VERDICT = json.dumps({"reasons": "No.", "answer_correct": 0, "confidence": 4, "winner": "A",
                      "creativity": 2, "fluency": 3, "instruction_following": 4})  # fmt: skip


@dataclass
class PathPlace:
    """A workspace with a frozen private split, two runs on it, and a place outside."""

    ws: Workspace
    out: Path
    runs: tuple[str, str]
    identity: Path
    model: LoopbackModel
    vectors: LoopbackModel
    corpus: Path

    def words(self, command: str) -> list[str]:
        """The words of a command, with what it names."""
        sittings = people_answers.open_runs(self.ws)
        secret = pyrage.x25519.Identity.from_str(self.identity.read_text().strip())
        names = {
            "run": self.runs[0], "other": self.runs[1], "out": str(self.out), "split": SPLIT,
            "url": self.model.url, "vectors": self.vectors.url, "task": TASK, "lead": LEAD,
            "recipient": str(secret.to_public()), "identity": str(self.identity),
            "item": "1", "ws": str(self.ws.place.folder), "sitting": "".join(sittings[:1]),
            "corpus": str(self.corpus),
        }  # fmt: skip
        return [word.format(**names) for word in command.split()]

    def told(self) -> list[SplitExposure]:
        """Everything that the exposures say now."""
        self.ws.person = LEAD
        return list(exposures(self.ws))

    def sent(self) -> str:
        """What both servers were sent so far."""
        seen = (*self.model.seen, *self.vectors.seen)
        return "\n".join(json.dumps(one.body, ensure_ascii=False) for one in seen)

    def outcome(self, way: Callable[[], str], person: str) -> str:
        """What becomes of a way: whether words of an item come out, and whether that is told."""
        before, known = self.told(), self.sent()
        said = way()
        (self.out / "said.txt").write_text(
            said + "\n" + self.sent()[len(known) :], encoding="utf-8"
        )
        for backup in backup_files.backups(self.ws):
            backup.path.rename(self.out / backup.path.name)
        came_out = SEARCH.folders(self.out)
        self.out.rename(self.out.with_name(f"out-{len(list(self.out.parent.iterdir()))}"))
        self.out.mkdir()
        if not came_out:
            return NOTHING
        if self.told() != before:
            return RECORDED
        return LOOK if self._is_listed(person) else f"in {came_out[0].path}, told to nobody"

    def _is_listed(self, person: str) -> bool:
        role = {row.name: row.role for row in people.people(self.ws)}[person]
        able = any(not one.certain for one in self.told()) and is_allowed(role, Action.SEE_ITEMS)
        return able or any(one.who == person for one in self.told())


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PathPlace]:
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "home"))
    ws = Workspace.create(tmp_path / "workspace", LEAD)
    people.ensure_person(ws, ANN, "annotator")
    freeze_split(ws, {TASK: ITEMS}, SPLIT)
    numbers = [member.uid for member in freeze.members_of(ws, SPLIT)]
    # a model that says the question again before it answers: its words are those of the item
    said_again = [f"“{item.payload['input']}” B. no" for item in ITEMS]
    named = [
        take_in_answers(ws, tmp_path, dict(zip(numbers, said, strict=True)), SPLIT, model=model)
        for model, said in (
            ("m", said_again), ("n", ["C. yes"] * len(ITEMS)), ("o", ["C. yes"] * len(ITEMS)),
        )
    ]  # fmt: skip
    identity = tmp_path / "identity.txt"
    identity.write_text(str(pyrage.x25519.Identity.generate()))
    corpus = tmp_path / "corpus.txt"  # with an item in it, so that there is something to find
    corpus.write_text("".join(map(str, ITEMS[0].payload.values())), encoding="utf-8")
    out = tmp_path / "outside" / "out"
    out.mkdir(parents=True)
    with LoopbackModel(answer=lambda _: VERDICT) as model, LoopbackModel() as vectors:
        yield PathPlace(ws, out, (named[0], named[1]), identity, model, vectors, corpus)
    ws.close()


COMMANDS: tuple[tuple[str, str], ...] = (
    # written to files
    ("export {split} --format jsonl --out {out}/jsonl --user {lead}", RECORDED),
    ("export {split} --format lm-eval --out {out}/lm-eval --user {lead}", RECORDED),
    ("export {split} --format inspect --out {out}/inspect --user {lead}", RECORDED),
    ("export {split} --format opencompass --out {out}/opencompass --user {lead}", RECORDED),
    ("export {split} --format parquet --out {out}/parquet --user {lead}", RECORDED),
    ("export {split} --format excel --out {out}/excel --user {lead}", RECORDED),
    ("export {split} --format label-studio --out {out}/studio --user {lead}", RECORDED),
    ("items --out {out}/items.jsonl --user {lead}", RECORDED),
    ("copy {ws} {out}/copy --user {lead}", RECORDED),
    ("backup --user {lead}", RECORDED),
    (
        "pack {split} --out {out}/pack --engine openai --model m --recipient {recipient} "
        "--user {lead}",
        NOTHING,
    ),
    ("sign-score {run} --show all --out {out}/score.json --user {lead}", NOTHING),
    ("report {run} --html {out}/report.html --user {lead}", NOTHING),
    ("report {run} --parquet {out}/report.parquet --user {lead}", RECORDED),
    ("suspect-keys {split} --save {out}/keys.csv --user {lead}", RECORDED),
    ("report site --out {out}/site --user {lead}", NOTHING),
    ("split datasheet {split} --out {out}/sheet", NOTHING),
    # sent to a server
    (
        "evaluate {split} --engine openai --base-url {url} --model a --mode chat --wait "
        "--user {lead}",
        RECORDED,
    ),
    (
        "evaluate {split} --engine openai --base-url {url} --model b --mode completion --wait "
        "--user {lead}",
        RECORDED,
    ),
    (
        "evaluate {split} --engine openai --base-url {url} --model c --mode chat --dry-run "
        "--trial --user {lead}",
        RECORDED,
    ),
    (
        "evaluate {split} --engine openai --base-url {url} --model e --mode chat "
        "--judge i@{url} --wait --user {lead}",
        RECORDED,
    ),
    (
        "evaluate {split} --engine openai --base-url {url} --model f --mode chat "
        "--answer-by choice --wait --user {lead}",
        RECORDED,
    ),
    ("judge {run} --judge j@{url} --wait --user {lead}", RECORDED),
    ("judge sample {run} --n 3 --out {out}/sheet.csv --user {lead}", RECORDED),
    ("judge pairs {run} {other} --judge k@{url} --wait --user {lead}", RECORDED),
    ("duplicates {task} --base-url {vectors} --model e --user {lead}", RECORDED),
    ("report {run} --embeddings f@{vectors} --user {lead}", RECORDED),
    # run on this machine
    ("evaluate {split} --engine baseline:tfidf --model t --wait --user {lead}", NOTHING),
    # shown to a person
    ("evaluate {split} --engine people --people ann --user {lead}", NOTHING),
    ("answer {sitting} --user ann", LOOK),
    # shown in a terminal
    ("show {item} --user {lead}", LOOK),
    ("show {item} --json --user {lead}", LOOK),
    ("history {item} --user {lead}", LOOK),
    ("items --missed-alike {split} --model n --model o --user {lead}", LOOK),
    ("second-look {item} --note odd --user {lead}", NOTHING),
    ("second-look {item} --blind --user {lead}", LOOK),
    ("analyze overlap {split} --corpus {corpus} --save {out}/overlap.csv --user {lead}", NOTHING),
    ("items --json --user {lead}", NOTHING),
    ("items --search item-3 --json --user {lead}", NOTHING),
    ("report {run} --json --user {lead}", NOTHING),
    ("report {run} --by task --user {lead}", NOTHING),
    ("report {run} {other} --compare --save {out}/compared.csv --user {lead}", NOTHING),
    ("report {run} --save {out}/scores.xlsx --user {lead}", NOTHING),
    ("anchor --to {out}/anchors --user {lead}", NOTHING),
    ("exposures --json --user {lead}", NOTHING),
    ("plan-size {split} --user {lead}", NOTHING),
    ("erratum {item} --reason wrong --user {lead}", NOTHING),
    ("suspect-keys {split} --user {lead}", LOOK),
    ("duplicates {task} --json --user {lead}", NOTHING),
    ("analyze items {split} --user {lead}", NOTHING),
    ("analyze lengths {split} --user {lead}", NOTHING),
    ("analyze bank {split} --items --save {out}/bank.csv --user {lead}", NOTHING),
    ("dashboard gate --csv {out}/gate.csv --user {lead}", NOTHING),
    ("dashboard people --csv {out}/people.csv --user {lead}", NOTHING),
    ("question ask {item} why --user {lead}", NOTHING),
    ("split status", NOTHING),
    ("exposures --user {lead}", NOTHING),
    ("verify --user {lead}", NOTHING),
    ("second-look --user {lead}", NOTHING),
    ("my-work --user {lead}", NOTHING),
    ("queue --user {lead}", NOTHING),
    ("question list --user {lead}", NOTHING),
    ("unsure --user {lead}", NOTHING),
    ("runs --user {lead}", NOTHING),
    ("dashboard progress --user {lead}", NOTHING),
    ("doctor", NOTHING),
    # once the items are encrypted in the workspace
    ("seal {split} --out {out}/s.sealed --recipient {recipient} --user {lead}", NOTHING),
    ("copy {ws} {out}/copy --user {lead}", RECORDED),
    ("backup --user {lead}", NOTHING),
    ("items --out {out}/items.jsonl --user {lead}", NOTHING),
    ("split open {split} --reason July --identity {identity} --user {lead}", NOTHING),
    ("export {split} --format lm-eval --locked --out {out}/lm-eval --user {lead}", NOTHING),
    ("export {split} --format inspect --locked --out {out}/inspect --user {lead}", NOTHING),
    (
        "evaluate {split} --engine openai --base-url {url} --model d --mode chat --wait "
        "--user {lead}",
        RECORDED,
    ),
)


def _frame(place: PathPlace) -> str:
    with open_workspace(place.ws.place.folder, user=LEAD) as opened:
        return str(opened.items()["payload"].tolist())


def _figures(place: PathPlace) -> str:
    with open_workspace(place.ws.place.folder, user=LEAD) as opened:
        frames = (
            opened.items(texts=False), opened.answers(place.runs[0], texts=False),
            opened.screenings(texts=False), opened.decisions(), opened.ratings(), opened.runs(),
        )  # fmt: skip
        return "".join(str(frame.to_dict()) for frame in frames)


def _answers(place: PathPlace) -> str:
    with open_workspace(place.ws.place.folder, user=LEAD) as opened:
        return str(opened.answers(place.runs[0]).to_dict())


def _tracked(place: PathPlace) -> str:
    """What a tracker of experiments is sent."""
    row = runs.find_evaluation(place.ws, place.runs[0])
    report, params = score_run.report(place.ws, row.id), EvaluateParams(**row.params)
    return json.dumps(asdict(tracked_run(row.id, "finished", report, params, "b", {})))


def _crashed(place: PathPlace) -> str:
    """What is kept of an error that nobody catches, while an item is at hand."""
    recorder = CrashRecorder(place.out / "crashes")
    payload = freeze.members_of(place.ws, SPLIT)[0].content.payload
    recorder.begin()
    try:
        logging.getLogger("core.workflow").info("Read %s", payload)
        try:
            int(str(payload["input"]))
        except ValueError as error:
            path = recorder.report(error)
    finally:
        recorder.end()
    assert path is not None
    return path.read_text("utf-8")


def _compared(place: PathPlace) -> str:
    cache = ReportCache(place.ws)
    chosen = compare_runs.choices(place.ws)[:2]
    make = partial(compare_runs.answers, cache, chosen)
    return str(tables.save_table(place.ws, make, place.out / "answers.csv"))


def _listed(place: PathPlace) -> str:
    return str(table_file.write_lines(place.ws, Filters(), place.out / "items.csv", LEAD))


FUNCTIONS: tuple[tuple[str, Callable[[PathPlace], str], str], ...] = (
    ("core.frames: items", _frame, RECORDED),
    ("core.frames: without texts", _figures, NOTHING),
    ("core.frames: answers", _answers, RECORDED),
    ("what a tracker of experiments is sent", _tracked, NOTHING),
    ("a crash report", _crashed, NOTHING),
    ("window: the answers of compared runs, saved", _compared, RECORDED),
    ("window: the list of items, saved", _listed, NOTHING),
)


def _carried_out(
    place: PathPlace, command: str, capfd: pytest.CaptureFixture[str], failed: list[str]
) -> str:
    code = main(["--workspace", str(place.ws.place.folder), *place.words(command)])
    out, err = capfd.readouterr()
    if code:
        failed.append(f"{command}: {err}")
    return out + err


@pytest.mark.timeout(600)
def test_where_the_text_of_an_item_comes_out_the_exposures_tell_it(
    paths: PathPlace, capfd: pytest.CaptureFixture[str]
):
    found: list[tuple[str, str, str]] = []
    failed: list[str] = []
    for name, function, wanted in FUNCTIONS:
        found.append((name, paths.outcome(partial(function, paths), LEAD), wanted))
    for command, wanted in COMMANDS:
        way = partial(_carried_out, paths, command, capfd, failed)
        person = ANN if command.endswith(ANN) else LEAD
        found.append((command.split(" --user")[0], paths.outcome(way, person), wanted))
    with capfd.disabled():
        sys.stdout.write("".join(f"\n{outcome:<24} {name}" for name, outcome, _ in found))
    assert failed == []
    assert [one for one in found if one[1] != one[2]] == []
    assert len(found) >= 40


# --- before the items were in a split ----------------------------------------------------------


def _words_sent(model: LoopbackModel, texts: tuple[str, ...], folder: Path) -> set[str]:
    """Those of the texts of which a server was sent eight characters or words in a row."""
    folder.mkdir()
    said = [json.dumps(one.body, ensure_ascii=False) for one in model.seen]
    (folder / "sent.txt").write_text("\n".join(said), encoding="utf-8")
    return {text for text in texts if ByteSearch((text,)).folders(folder)}


def _frozen(ws: Workspace, numbers: Sequence[int]) -> None:
    with ws.writing() as session:
        items.change(session, list(numbers), state=ItemState.ACCEPTED, open_slots=0)
    freeze.freeze(ws, SPLIT, "b", LEAD)


def _of_model(ws: Workspace, model: str) -> list[tuple[str, int]]:
    return [(one.way, one.items) for one in exposures(ws, SPLIT, model=model)]


def test_the_model_that_screened_the_drafts_is_named_for_each_of_them(tmp_path: Path):
    with closing(Workspace.create(tmp_path / "workspace", LEAD)) as ws, LoopbackModel() as gate:
        gated = {"gate": "required"}
        tasks.add(ws, TASK, ITEMS[0].family, benchmark="b", format="triplet", protocol=gated)
        with ws.writing() as session:
            home = ensure_benchmark_in(session, "b")
            task = ensure_task_in(session, home, TASK, ITEMS[0].family)
            numbers = items.add(session, [new_item(one, task, None) for one in ITEMS])
            items.change(session, numbers, state=ItemState.DRAFT, open_slots=0)
        params = PrescreenParams(base_url=gate.url, model="gate")
        run = screen.start(ws, "b", params).spec().id
        assert runs.wait(ws, run, 60).state == "finished"
        screen.take_in(ws, run)
        _frozen(ws, numbers)
        questions = tuple(str(one.payload["input"]) for one in ITEMS)
        assert len(_words_sent(gate, questions, tmp_path / "sent")) == len(ITEMS)
        assert _of_model(ws, "gate") == [("screened", len(ITEMS))]


def test_the_model_that_rewrote_items_is_named_for_each_that_it_was_sent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    examples = [
        LabelledExample(
            id=f"own-{n}", label="joy",
            text=f"Nobody had expected the {word} to be back so soon and everybody was glad of it "
                 f"number {n}",
        )
        for n, word in enumerate(("violin", "kettle", "anchor", "lantern"))
    ]  # fmt: skip
    parts = cast(examples, 4, branches=("good", "wrong_fact_once"))
    data = tmp_path / "data.csv"
    lines = [f'{one.example.id},"{one.example.text}",{one.example.label}' for one in parts]
    data.write_text("\n".join(("id,text,label", *lines)), encoding="utf-8")
    news = write_news(tmp_path / "news", parts)
    place = tmp_path / "workspace"
    Workspace.create(place, LEAD).close()
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as writer:
        words = (
            f"rewrite --task emotion --benchmark b --data {data} --base-url {writer.url} "
            f"--model writer --critic-model critic --knowledge gdelt-files:{news} "
            f"--from 2026-01-01 --to 2026-06-30 --wait --user {LEAD}"
        )
        assert main(["--workspace", str(place), *words.split()]) == 0, capfd.readouterr().err
        with closing(Workspace.open(place)) as ws:
            with ws.reading() as session:
                numbers = [row.id for row in items.in_state(session, [ItemState.DRAFT])]
            _frozen(ws, numbers)
            texts = tuple(str(m.content.payload["text"]) for m in freeze.members_of(ws, SPLIT))
            sent = _words_sent(writer, texts, tmp_path / "sent")
            assert len(sent) == len(texts) == len(numbers)
            for model in ("writer", "critic"):
                assert _of_model(ws, model) == [("rewritten", len(texts))]


def test_a_work_package_is_ciphertext_and_who_has_it_was_given_its_items(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    place = tmp_path / "workspace"
    with closing(Workspace.create(place, LEAD)) as ws:
        people.ensure_person(ws, ANN, "annotator")
        with ws.writing() as session:
            home = ensure_benchmark_in(session, "b")
            task = ensure_task_in(session, home, TASK, ITEMS[0].family)
            numbers = items.add(session, [new_item(one, task, None) for one in ITEMS])
            items.change(session, numbers, state=ItemState.IN_REVIEW, open_slots=1)
        out, opened = tmp_path / "outside", tmp_path / "opened"
        out.mkdir()
        order = f"package make {out}/ann.package --to {ANN} --recipient {own_key()} --items 5"
        assert main(["--workspace", str(place), *order.split(), "--user", LEAD]) == 0
        (out / "said.txt").write_text(capfd.readouterr().out, encoding="utf-8")
        assert SEARCH.folders(out) == []
        assert main(["package", "open", f"{out}/ann.package", "--folder", str(opened)]) == 0
        assert SEARCH.folders(opened)
        _frozen(ws, numbers)
        ws.person = LEAD
        given = [one for one in exposures(ws, SPLIT, person=ANN) if one.certain]
        assert [(one.way, one.items) for one in given] == [("given to be judged", 5)]


def test_what_a_server_tells_its_listeners_has_no_word_of_an_item(place: TeamPlace):
    with psycopg.connect(place.server.url(place.database, "ann"), autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        freeze_split(place.ws, {"again": [private_item(n) for n in range(100, 104)]}, "t")
        place.seal()
        lifecycle.open_split(place.ws, SPLIT, LEAD_OF_TEAM, "July", "m", place.unlocking)
        lifecycle.expire(place.ws, SPLIT, LEAD_OF_TEAM, "over", place.unlocking)
        told = [one.payload for one in listener.notifies(timeout=0.5)]
        with place.ws.reading() as session:
            tip = ledger.tip(session)
    assert told
    assert int(told[-1]) == tip
    assert all(one.isdecimal() for one in told)
