"""What lies in a split that is sealed, and not opened, reaches nobody: each use case and command
that shows items, or what was answered to them, is asked for it by those who worked on the items
before, and by a lead. What comes out is what it returns or prints, the files that it leaves, and
what a server is sent. Once the split is opened, the same ways show it again.
"""

import contextlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pyrage
import pytest

from core.cli import main
from core.errors import BenchsealError
from core.evaluation.params import EvaluateParams
from core.frames import open_workspace
from core.sealing.archive import Locks, Unlocking
from core.workflow import people, tasks
from core.workflow.analysis import blind_looks, second_look, suspect_items
from core.workflow.check import questions, rate, review
from core.workflow.evaluation import compare_runs, item_results, people_answers
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.items import history, my_work, search, source_passage, undo
from core.workflow.items.search import Filters
from core.workflow.production import write
from core.workflow.production.duplicates import DuplicateWatch
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import freeze, lifecycle
from core.workflow.workspace import Workspace
from gui import theme
from gui.documents.item_history_page import history_document
from tests.finished_runs import take_in_answers
from tests.postgres import PostgresServer
from tests.sealed.conftest import LEAD as SEALER
from tests.sealed.conftest import SEARCH, SealedPlace
from tests.sealed.private_items import ITEMS
from tests.servers.model_server import LoopbackModel

LEAD, ANN, LI, BO = "boss", "ann", "lien", "bodo"
BENCHMARK, TASK, SPLIT = "b", "诗", "s"
NAMES = {"lead": LEAD, "ann": ANN, "li": LI, "bo": BO, "task": TASK}


@dataclass
class EyesPlace:
    """A workspace whose items were written by Ann, reviewed, rated and discussed by Li, answered by
    models, frozen, and are being asked of Bo. ``address`` is that of a person's workspace."""

    address: Callable[[str], str]
    out: Path
    server: LoopbackModel
    numbers: list[int] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    sitting: str = ""
    opened: dict[str, Workspace] = field(default_factory=dict)

    def of(self, who: str) -> Workspace:
        """The workspace as a person has it."""
        if who not in self.opened:
            self.opened[who] = Workspace.open(self.address(who))
        return self.opened[who]

    def work(self, folder: Path) -> None:
        """All that was done with the items until now."""
        lead, li = self.of(LEAD), self.of(LI)
        protocol = {"gate": "off", "overlap": "1", "rating_sample": "3", "rubric": "coreeval"}
        tasks.add(lead, TASK, "instruction", benchmark=BENCHMARK, format="triplet",
                  protocol=protocol, person=LEAD)  # fmt: skip
        ann = self.of(ANN)
        self.numbers = [write.submit(ann, ANN, TASK, dict(one.payload)).number for one in ITEMS]
        for number in self.numbers:
            review.claim_item(li, LI, number)
            if number == self.numbers[0]:
                questions.ask_question(li, LI, number, "Is this right?")
                questions.mark_unsure(li, LI, number, "odd")
            review.decide(li, LI, number, "accept", note="fine")
        rate.draw(lead, TASK, LEAD, seed=1)
        drawn = rate.next_card(li, TASK, LI, BENCHMARK)
        assert drawn is not None
        assert drawn.card is not None
        rate.rate(li, LI, drawn.card.number, {"fluency": 2})
        freeze.freeze(lead, SPLIT, BENCHMARK, LEAD)
        said = [f"“{one.payload['input']}” B. no" for one in ITEMS]
        wrong = ["C. yes"] * len(ITEMS)
        for model, answers in (("m", said), ("n", wrong), ("o", wrong)):
            given = dict(zip(map(str, self.numbers), answers, strict=True))
            self.runs.append(take_in_answers(lead, folder, given, SPLIT, model=model))
        params = EvaluateParams(split=SPLIT, engine="people")
        self.sitting = people_answers.begin(lead, params, [BO], LEAD).spec().id
        second_look.run_for_numbers(lead, "second_look", self.numbers[:2], LEAD, "odd", ())

    def seal(self, *, encrypted: bool) -> Unlocking | None:
        """Seal the split; what unlocks it, None for one that is sealed as it lies."""
        if not encrypted:
            lifecycle.seal(self.of(LEAD), SPLIT, LEAD)
            return None
        identity = pyrage.x25519.Identity.generate()
        order = SealOrder(self.out.parent / "s.sealed", Locks((str(identity.to_public()),)))
        assert locked_archives.seal(self.of(LEAD), SPLIT, LEAD, order).encrypted
        return Unlocking((str(identity),))

    def shows(self, way: Callable[["EyesPlace"], object]) -> bool:
        """Whether words of an item come out of a way."""
        known = len(self.server.seen)
        try:
            said = repr(way(self))
        except BenchsealError as error:
            said = str(error)
        sent = (json.dumps(one.body, ensure_ascii=False) for one in self.server.seen[known:])
        (self.out / "said").write_text("\n".join((said, *sent)), encoding="utf-8")
        found = SEARCH.folders(self.out)
        self.out.rename(self.out.with_name(f"out-{len(list(self.out.parent.iterdir()))}"))
        self.out.mkdir()
        return bool(found)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    made = tmp_path / "outside" / "out"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def place(tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EyesPlace]:
    """The place in a file of SQLite."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "home"))
    ws = Workspace.create(tmp_path / "workspace", LEAD)
    yield from _worked_in(lambda _who: str(ws.place.folder), ws, out, tmp_path)


@pytest.fixture
def team(
    pg_server: PostgresServer, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EyesPlace]:
    """The place on a server, with a login for each person."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = pg_server.create()
    Workspace.create(pg_server.url(database), LEAD, LEAD).close()
    ws = Workspace.open(pg_server.url(database, LEAD))
    yield from _worked_in(partial(pg_server.url, database), ws, out, tmp_path)
    pg_server.drop(database)


def _worked_in(
    address: Callable[[str], str], ws: Workspace, out: Path, folder: Path
) -> Iterator[EyesPlace]:
    for name, role in ((ANN, "annotator"), (LI, "annotator"), (BO, "researcher")):
        people.ensure_person(ws, name, role, LEAD)
    ws.close()
    with LoopbackModel() as server:
        made = EyesPlace(address, out, server)
        try:
            made.work(folder)
            yield made
        finally:
            for one in made.opened.values():
                one.close()


def _typed(p: EyesPlace) -> object:
    watch = DuplicateWatch(p.of(ANN), TASK, BENCHMARK)
    half = str(ITEMS[0].payload["input"]).split()[:12]
    return watch.similar_to(" ".join(half), threshold=0.2)


def _frames(p: EyesPlace, who: str) -> object:
    with open_workspace(p.address(who), user=who) as opened:
        parts = (opened.items(), opened.screenings(), opened.decisions(), opened.ratings())
        return [str(part.to_dict()) for part in parts]


def _answers(p: EyesPlace) -> object:
    with open_workspace(p.address(LEAD), user=LEAD) as opened:
        return str(opened.answers(p.runs[0]).to_dict())


def _matched(p: EyesPlace) -> object:
    a, b, *_ = compare_runs.choices(p.of(LEAD))
    return compare_runs.side_by_side(compare_runs.match(ReportCache(p.of(LEAD)), a, b))


def _compared(p: EyesPlace) -> object:
    chosen = compare_runs.choices(p.of(LEAD))[:2]
    return compare_runs.answers(ReportCache(p.of(LEAD)), chosen)


def _talk(p: EyesPlace, who: str) -> object:
    ws = p.of(who)
    return [questions.threads(ws, who, p.numbers[0]), questions.own_threads(ws, who),
            questions.waiting_threads(ws, who), questions.unsure_items(ws, who)]  # fmt: skip


def _each(of: Callable[[EyesPlace, str, int], object], p: EyesPlace, who: str) -> object:
    """The first items by a way that takes one; its refusal where it refuses."""
    said = []
    for number in p.numbers[:3]:
        try:
            said.append(of(p, who, number))
        except BenchsealError as error:
            said.append(error)
    return said


BY_EVERYBODY: dict[str, Callable[[EyesPlace, str], object]] = {
    "history": partial(_each, lambda p, who, n: history.item_history(p.of(who), n, who)),
    "review card": partial(_each, lambda p, who, n: review.review_card(p.of(who), who, n)),
    "claim": partial(_each, lambda p, who, n: review.claim_item(p.of(who), who, n)),
    "next card": lambda p, who: review.next_card(p.of(who), who, BENCHMARK),
    "rating card": partial(_each, lambda p, who, n: rate.rating_card(p.of(who), who, n)),
    "next rating": lambda p, who: rate.next_card(p.of(who), TASK, who, BENCHMARK),
    "my work": lambda p, who: my_work.my_work(p.of(who), who),
    "talk": _talk,
    "undo": lambda p, who: undo.preview(p.of(who), who),
    "frames": _frames,
}
"""What everybody may ask for."""
BY_SOME: dict[str, Callable[[EyesPlace], object]] = {
    "similar while typing": _typed,
    "question to people": lambda p: people_answers.next_question(p.of(BO), p.sitting, BO),
    "page of items": lambda p: search.page(p.of(LEAD), Filters(), viewer=LEAD),
    "found items": lambda p: search.page(p.of(LEAD), Filters(words="item-3"), viewer=LEAD),
    "items in a file": lambda p: search.export_items(
        p.of(LEAD), Filters(), p.out / "x.jsonl", viewer=LEAD
    ),
    "passage": lambda p: source_passage.passage(p.of(LEAD), p.numbers[0]),
    "blind look": lambda p: blind_looks.next_look(p.of(LEAD), LEAD),
    "blind look told": lambda p: blind_looks.look(p.of(LEAD), p.numbers[0], LEAD, text="x"),
    "second looks": lambda p: second_look.requests(p.of(LEAD), viewer=LEAD),
    "missed alike": lambda p: item_results.missed_alike(p.of(LEAD), SPLIT, viewer=LEAD),
    "suspect keys": lambda p: suspect_items.ranked(p.of(LEAD), SPLIT, viewer=LEAD),
    "item of two runs": lambda p: compare_runs.content_of(p.of(LEAD), p.numbers[0]),
    "answers side by side": _matched,
    "answers of two runs": _compared,
    "frame of answers": _answers,
}
COMMANDS = (
    "show 1 --user {lead}",
    "show 1 --user {ann}",
    "show 1 --user {li}",
    "show 1",
    "history 1 --user {lead}",
    "history 1 --user {li}",
    "history 1 --json --user {li}",
    "items --json --user {lead}",
    "items --search item-3 --json --user {lead}",
    "items --out {out}/items.jsonl --user {lead}",
    "items --missed-alike s --model n --model o --user {lead}",
    "suspect-keys s --user {lead}",
    "suspect-keys s --save {out}/k.csv --user {lead}",
    "queue --user {li}",
    "my-work --user {li}",
    "my-work --user {ann}",
    "question list --user {lead}",
    "unsure --user {lead}",
    "reveal 1 --user {lead}",
    "second-look --user {lead}",
    "second-look 2 --blind --user {lead}",
    "duplicates {task} --json --user {lead}",
    "duplicates {task} --base-url {url} --model e --user {lead}",
    "report {run} --user {lead}",
    "report {run} --json --user {lead}",
    "report {run} --html {out}/r.html --user {lead}",
    "report {run} --parquet {out}/r.parquet --user {lead}",
    "report {run} --by task --user {lead}",
    "report {run} --embeddings f@{url} --user {lead}",
    "report {run} {other} --compare --save {out}/c.csv --user {lead}",
    "report site --out {out}/site --user {lead}",
    "judge {run} --judge j@{url} --wait --user {lead}",
    "judge pairs {run} {other} --judge k@{url} --wait --user {lead}",
    "judge sample {run} --n 3 --out {out}/sheet.csv --user {lead}",
    "sign-score {run} --show all --out {out}/score.json --user {lead}",
    "evaluate s --engine openai --base-url {url} --model a --mode chat --wait --user {lead}",
    "evaluate s --engine openai --base-url {url} --model c --dry-run --trial --user {lead}",
    "evaluate s --engine openai --base-url {url} --model c --mode chat --dry-run --user {lead}",
    "answer {sitting} --user {bo}",
    "export s --format jsonl --out {out}/x --user {lead}",
    "export s --format inspect --locked --out {out}/y --user {lead}",
    "split datasheet s --out {out}/d",
    "split errata s --out {out}/errata.json --user {lead}",
    "erratum 2 --reason wrong --user {lead}",
    "analyze items s --user {lead}",
    "analyze lengths s --user {lead}",
    "sample {task} --user {lead}",
    "dashboard agreement --user {lead}",
    "exposures --user {lead}",
    "verify --user {lead}",
    "doctor",
    "undo --user {li}",
)


def _command(words: str, p: EyesPlace) -> object:
    who = next((name for name in (ANN, LI, BO) if words.endswith(f"{{{_key(name)}}}")), LEAD)
    names = {**NAMES, "run": p.runs[0], "other": p.runs[1], "out": p.out, "url": p.server.url,
             "sitting": p.sitting}  # fmt: skip
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(["--workspace", p.address(who), *words.format(**names).split()])
    return code, said.getvalue()


def _key(name: str) -> str:
    return next(key for key, value in NAMES.items() if value == name)


FUNCTIONS: dict[str, Callable[[EyesPlace], object]] = {
    **{
        f"{name} by {who}": partial(lambda way, who, p: way(p, who), way, who)
        for name, way in BY_EVERYBODY.items()
        for who in (ANN, LI, LEAD)
    },
    **BY_SOME,
}
WAYS: dict[str, Callable[[EyesPlace], object]] = {
    **FUNCTIONS,
    **{words: partial(_command, words) for words in COMMANDS},
}
SHOWN_WHEN_OPEN = 12


def _shown(place: EyesPlace, ways: Sequence[str] = tuple(WAYS)) -> list[str]:
    return [name for name in ways if place.shows(WAYS[name])]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("encrypted", [False, True], ids=["as it lies", "encrypted"])
def test_nothing_of_a_sealed_split_is_shown_until_it_is_opened(
    place: EyesPlace, encrypted: bool
) -> None:
    unlocking = place.seal(encrypted=encrypted)
    assert len(WAYS) >= 80
    assert _shown(place) == []
    lifecycle.open_split(place.of(LEAD), SPLIT, LEAD, "July", "m", unlocking)
    assert len(_shown(place, tuple(FUNCTIONS))) >= SHOWN_WHEN_OPEN


@pytest.mark.timeout(900)
@pytest.mark.parametrize("encrypted", [False, True], ids=["as it lies", "encrypted"])
def test_nothing_of_a_sealed_split_is_shown_on_a_server(team: EyesPlace, encrypted: bool) -> None:
    unlocking = team.seal(encrypted=encrypted)
    assert _shown(team, tuple(FUNCTIONS)) == []
    lifecycle.open_split(team.of(LEAD), SPLIT, LEAD, "July", "m", unlocking)
    assert len(_shown(team, tuple(FUNCTIONS))) >= SHOWN_WHEN_OPEN


@pytest.mark.parametrize("encrypted", [False, True], ids=["as it lies", "encrypted"])
def test_the_history_of_a_sealed_item_says_in_the_window_why_it_has_no_text(
    sealed: SealedPlace, qapp: object, encrypted: bool
) -> None:
    assert "Continue" in _history_page(sealed)
    if encrypted:
        sealed.lock_up(Locks(passphrase="correct horse battery"))
    else:
        lifecycle.seal(sealed.ws, SPLIT, SEALER)
    page = _history_page(sealed)
    assert "Continue" not in page
    assert "sealed" in page


def _history_page(place: SealedPlace) -> str:
    number = int(freeze.members_of(place.ws, SPLIT)[0].uid)
    life = history.item_history(place.ws, number, SEALER)
    return history_document(life, theme.LIGHT).toPlainText()
