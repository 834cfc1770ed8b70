"""Every command line that a page writes down is run: here, by the cookbook, or where it is said."""

import io
import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyrage
import pytest

from core.cli import main
from core.families import family
from core.families.base import ItemContent
from core.workflow import people, tasks
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.e2e.test_cookbook import OTHERS, answer, blocks
from tests.e2e.written_lines import LINES, Reading, read, readings
from tests.finished_runs import take_in_answers
from tests.full_workspace import fill
from tests.paths import ROOT
from tests.postgres import PostgresServer
from tests.servers.model_server import LoopbackModel
from tests.splits import freeze_split, varied
from tests.workspaces import make_task, write_items

pytestmark = pytest.mark.usefixtures("only_named_keys")

# Lines in the order in which they are run, each with a word of what it says. RUN1 is the first run
# that there is in a workspace, RUN the newest one; other words in capitals are filled in as well.
Scene = tuple[tuple[str, str] | tuple[str, str, int], ...]
TEAM: Scene = (
    ("config theme dark", "dark"),
    ("doctor --mend", "environment"),
    ("people fay --role annotator --account fay --user boss", "fay   annotator   fay"),
    ("people add gil", "gil"),
    ("people add hal --role annotator", "hal   annotator"),
    ("people kim --role lead", "kim   lead"),
    ("people li --role specialist --pause 'On leave'", "paused: On leave"),
    ("people li --resume", "li    specialist"),
    ("assign titles --to li wu --most 50 --due 2030-12-01 --user boss", "2030-12-01"),
    ("init --lead ada --workspace other", "Its lead is ada"),
    ("workspace --shared --user ada --workspace other", "shared"),
    ("history ACCEPTED --as-of 2030-01-01", "submitted"),
    ("task add riddles --benchmark bench --family instruction --language fr --set gate=off",
     "riddles"),
    ("task show riddles --as-of 2030-01-01", "version 1"),
    ("task change riddles --guideline notes.md --labels short,long --metric judge "
     "--judge judge.txt --user boss", "version 2: guideline"),
    ("task change riddles --rubric rubric.txt", "version 3: rubric"),
    ("task change riddles --metric similarity", "version 4: metric"),
    ("task protocol titles --set private_share=0.5", "titles"),
    ("submit riddles --user ann --set 'instruction=Solve it.' 'input=What has a neck and no head?' "
     "'output=A bottle'", "Submitted #"),
    ("import riddles.csv --task riddles --wrote --user ann", "1 of 1 row imported"),
    ("revise RETURNED --user ann --set 'output=A longer title'", "revision 2"),
    ("adjudicate DISPUTED --user zoe --accept", "now accepted"),
    ("audit decide DRAWN --user ray --pass", "passed"),
    ("rate RATED fluency=3 --user li", "rated"),
    ("sample rated --user ray", "raters"),
    ("undo --user li", "Undone"),
    ("reveal WAITING --user ray", "score"),
    ("reveal --all --user ray", "hidden about"),
    ("gold unmark GOLD", "no longer gold"),
    ("gold mark GOLD --accept --why 'It names the trip.' --user boss", "now gold"),
    ("gold lift li", "li can continue"),
    ("alarm set --below 0.6 --user boss", "Alarm 1 set"),
    ("agreement --by task --benchmark bench", "Percent agreement"),
    ("agreement --file ratings.csv", "Cohen's kappa"),
    ("plan-size --items 400 --per-article 5", "400 items from 80 sources"),
    ("generate scp articles --benchmark papers --per-article 2 --seed 7", "items in “papers”"),
    ("check --artifacts ITEMS", "too few for an audit"),
    ("check ITEMS --articles articles --out clean.jsonl --rejects bad.jsonl", "no defects"),
    ("check published.json --format arxivroll", "1 item, no defects"),
    ("screen --benchmark bench --task gated --base-url SERVER --model MODEL", "passed"),
    ("screen --benchmark papers --base-url SERVER --model MODEL --budget-tokens 2000",
     "is not finished", 1),
    ("run resume RUN --budget-tokens 1000000 --shards 2", "running"),
    ("runs --watch", "finished"),
    ("generate scp articles --benchmark later --per-article 2 --launcher local --jobs 2 --no-wait",
     "-generate-"),
    ("screen --after RUN --base-url SERVER --model MODEL --launcher local --shards 2", "passed"),
    ("duplicates titles --launcher local --shards 2", "with each other"),
    ("screen --benchmark unsound --base-url SERVER --model silent", "without a usable reply"),
    ("screen --benchmark unsound --base-url SERVER --model MODEL --retry-failed", "passed"),
    ("package key --user wu", "age1"),
    ("package make wu.pack --to wu --recipient AGE --items 50 --days 30 --benchmark bench "
     "--user boss", "for wu"),
    ("package list --user boss", "wu"),
    ("package open wu.pack --folder wu", "Work on it"),
    ("package return wu.back --workspace wu", "0 decisions"),
    ("package merge wu.back --user boss", "Nothing was decided"),
    ("package call-off PACKAGE --user boss", "went back"),
    ("freeze part --benchmark bench --task titles=1 --check", "would be frozen", 1),
    ("freeze first --benchmark bench --public-as first-public --reason 'A part.'", "Froze"),
)  # fmt: skip
LAB: Scene = (
    ("report RUN1 --by domain", "cs"),
    ("report RUN1 RUN2 --csv", "Standard error"),
    ("plan-size s --difference 0.05 --pilot s", "sources"),
    ("plan-size --difference 0.05 --pilot s --items 40 --per-article 2", "40 items"),
    ("items --missed-alike s", "answered"),
    ("analyze bank s --items --save bank.csv", "discrimination"),
    ("analyze correlate", "spearman"),
    ("analyze public public.csv --user ada", "public.csv"),
    ("analyze rs --private RUN1 RUN2", "RS II"),
    ("analyze exposure rows.jsonl", "min-k"),
    ("import-results samples_s.jsonl --split s --model m9", "m9"),
    ("evaluate s --engine openai --base-url SERVER --model MODEL --variants all --wait",
     "answered"),
    ("evaluate s --engine openai --base-url SERVER --model MODEL --templates all --wait",
     "answered"),
    ("evaluate s --engine openai --base-url SERVER --model MODEL --orders 4 --wait", "answered"),
    ("analyze robustness RUN", "test-model"),
    ("evaluate s --engine openai --base-url SERVER --model MODEL --adaptive --within 1.5 --most 20 "
     "--wait", "most informative"),
    ("evaluate s --engine people --people bob,cleo", "24 questions wait"),
    ("answer --user bob", "12"),
    ("answer RUN --user bob", "0 of 12 answered"),
    ("evaluate s s2 --engine openai --base-url SERVER --model MODEL --model other --wait",
     "4 of 4 cells finished"),
    ("matrix", "4 of 4 cells finished"),
    ("matrix RUN", "4 of 4 cells finished"),
    ("run stop RUN", "finished"),
    ("evaluate f --engine openai --base-url SERVER --model other --judge second@SERVER --wait",
     "4 of 4 answered"),
    ("evaluate f --engine openai --base-url SERVER --model MODEL --wait", "4 of 4 answered"),
    ("judge RUN --judge test-model@SERVER --wait", "4 of 4 answered"),
    ("judge RUN --judge second@SERVER --wait", "4 of 4 answered"),
    ("judge agree RUN", "alpha of the judges"),
    ("judge pairs RUN RUN_BEFORE --judge test-model@SERVER --wait", "compared in pairs"),
    ("judge elo f", "Elo"),
    ("judge sample RUN --out sheet.csv --user ada", "Wrote 4 of 4 answers"),
    ("judge ratings RUN filled.csv --user ada", ""),
    ("report RUN --people filled.csv --user ada", ""),
    ("evaluate s --engine baseline:longest --wait", "answered"),
    ("sign-score RUN --out score.json", "score.json"),
    ("verify-score score.json --key KEY", "0 problems"),
    ("run remove RUN --reason 'A try' --user ada", "was removed"),
    ("erratum 1 --reason 'Two are right' --user ada", "Errata: #1"),
    ("second-look 2 --note 'Look again' --user ada", "#2"),
    ("second-look --blind --user ada", "Item #2"),
    ("second-look 2 --blind --choice 'Selection 1' --user ada", "Key: "),
    ("suspect-keys s --second-look --user ada", ""),
    ("split seal s2 --once", "is sealed"),
    ("split open s2 --reason 'Evaluation' --model test-model", "opened once"),
    ("split seal u", "is sealed"),
    ("split open u --reason 'Run elsewhere'", "opened once"),
    ("export u --format lm-eval --locked --out locked-lm", "Wrote 12 items"),
    ("export u --format inspect --locked --out locked-inspect", "Key, in no file"),
    ("pack u --out u.pack --engine openai --model test-model --recipient AGE", "Packed 12 items"),
    ("evaluate-pack u.pack --model test-model --base-url SERVER --identity id.txt "
     "--out pack-score.json", "Signed the score"),
    ("verify-score pack-score.json --root ROOT", "0 problems"),
    ("seal v --out v.sealed --recipient AGE", "Locked 12 items"),
    ("unseal v.sealed --identity id.txt", "as they were sealed"),
    ("split open v --reason 'Evaluation' --identity id.txt", "opened once"),
    ("split lock v", "no longer on this computer"),
    ("split unlock v --identity id.txt", "can be read"),
    ("erratum ERRONEOUS --reason 'Wrong' --user ada", "Errata"),
    ("split errata v --out errata.json", "Wrote 1 erratum"),
    ("verify --archive v.sealed --errata errata.json", "0 problems"),
    ("split expire v --identity id.txt", "expired"),
    ("split publish v --out public --license cc-by-4.0", "public data set"),
    ("seal w --out w.sealed --passphrase", "Locked 12 items"),
    ("unseal w.sealed --passphrase", "as they were sealed"),
    ("split open w --reason 'Evaluation' --passphrase", "opened once"),
    ("seal x --out x.sealed --once --keep-plain --recipient AGE", "Locked 12 items"),
    ("export s --format jsonl --out plain --plain 'On the cluster'", "Wrote 12 items"),
    ("split receipt s --out receipt.json", "receipt"),
    ("verify --export plain --receipt receipt.json", "0 problems"),
    ("verify --scripts scripts", "check_root.py"),
)  # fmt: skip
SERVER: Scene = (
    ("init --lead Ruth --login ruth --workspace ADMIN", "Ruth"),
    ("people add wu --role annotator --workspace RUTH", "wu"),
    ("people reset wu --workspace RUTH", "wu"),
    ("people wu --role annotator --account wu --user Ruth --workspace RUTH", "wu"),
    ("backup --workspace ADMIN", "Backed up to"),
    ("restore BACKUP --workspace EMPTY", "Restored"),
)
# A line that is not run here: why, and the test that runs it, with words of it.
ELSEWHERE: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "…": ("--help of every command", "tests/contracts/test_commands.py", ("--help",)),
    "gui": ("opens the window", "tests/gui/jobs/test_first_run.py", ("gui",)),
    "demo": ("takes a minute", "tests/e2e/test_first_light.py", ("demo",)),
    "demo --headless": ("takes a minute", "tests/e2e/test_first_light.py", ("demo", "--headless")),
    "fetch arxiv --category --from --to": (
        "needs the network", "tests/core/sources/articles/test_arxiv_api.py",
        ("fetch", "arxiv", "--category", "--from", "--to"),
    ),
    "knowledge search": (
        "needs news and a scripted model", "tests/e2e/test_rewriting.py", ("knowledge", "search"),
    ),
    "organisation … --host --model --person": (
        "needs models and hosts", "tests/core/workflow/analysis/test_organisations.py",
        ("organisation", "--person", "--host", "--model"),
    ),
    "run … --shard": (
        "what every launcher starts", "tests/contracts/test_launchers.py", ()
    ),
    **{
        line: ("needs a storage", "tests/core/workflow/sealing/test_release_storage.py", words)
        for line, words in (
            ("split push … …", ("split", "push")),
            ("split pull … --out", ("split", "pull", "--out")),
        )
    },
    **{
        line: ("needs a storage", "tests/core/workflow/runs/test_run_storage.py", words)
        for line, words in (
            ("evaluate … --prepare", ("evaluate", "--prepare")),
            ("evaluate … --engine --model --prepare", ("--engine", "--model", "--prepare")),
            ("run …", ("run",)),
            ("run … … …", ("run", "push")),
            ("run … … … --out", ("run", "pull", "--out")),
        )
    },
    "import … --give-up": (
        "needs an import that ended early",
        "tests/core/workflow/production/test_hidden_items.py", ("import", "--give-up"),
    ),
    "freeze … --give-up": (
        "needs a freeze that ended early",
        "tests/core/workflow/splits/test_freeze_steps.py", ("freeze", "--give-up"),
    ),
    "run resume … --failed": (
        "needs answers that failed", "tests/core/workflow/evaluation/test_interrupted_runs.py",
        ("run", "resume", "--failed"),
    ),
    "report coreeval-human": (
        "needs ratings of rewritten items", "tests/e2e/test_dashboards.py",
        ("report", "coreeval-human"),
    ),
    "report cif-human": (
        "needs ratings of judged answers", "tests/e2e/test_dashboards.py", ("report", "cif-human")
    ),
    "report … --metric": (
        "needs answers in words", "tests/core/workflow/evaluation/test_task_metrics.py",
        ("report", "--metric", "chrf"),
    ),
    "report … --by --by category": (
        "needs tasks of CIF-Bench", "tests/core/workflow/evaluation/test_task_metrics.py",
        ("report", "--by"),
    ),
    "analyze bank … --link": (
        "needs two periods", "tests/core/workflow/analysis/test_item_banks.py",
        ("analyze", "bank", "--link"),
    ),
    "analyze calibration …": (
        "needs likelihoods", "tests/core/workflow/evaluation/test_score_run.py",
        ("analyze", "calibration"),
    ),
    "analyze cif --human": (
        "needs items of CIF-Bench", "tests/core/workflow/analysis/test_analyze.py",
        ("analyze", "cif", "--human"),
    ),
    "analyze exposure … --canary --control --model": (
        "needs torch; what it calls is tested", "tests/finetuning/test_exposure.py", ()
    ),
    **{
        f"track … --at --into --into {name}": (
            "needs a package of its own", "tests/core/cli/evaluation/test_track.py",
            ("track", "--into", "--at", name),
        )
        for name in ("mlflow", "trackio", "wandb")
    },
    "simulate": ("needs torch", "tests/finetuning/test_simulation.py", ("simulate",)),
}  # fmt: skip


def all_run() -> list[Reading]:
    """What is run here and by the cookbook."""
    cookbook = [line for block in blocks("en", "sh") for line in block.splitlines()]
    lines = [line.removeprefix("benchseal ") for line in cookbook if line.startswith("benchseal ")]
    mine = [line for scene in (TEAM, LAB, SERVER) for line, *_ in scene]
    return [read(line) for line in (*lines, *OTHERS, *mine)]


def not_run() -> dict[str, str]:
    """The readings of written lines that nothing runs, each with the line."""
    run = all_run()
    return {
        str(reading): line
        for line in LINES
        for reading in readings(line)
        if not any(reading.is_in(given) for given in run)
    }


def test_every_written_line_is_run_or_it_is_said_where() -> None:
    left = {name: line for name, line in not_run().items() if name not in ELSEWHERE}
    assert left == {}
    assert set(ELSEWHERE) <= set(not_run()), "these are run here"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_test_that_is_named_runs_the_line(name: str) -> None:
    _, place, words = ELSEWHERE[name]
    text = (ROOT / place).read_text(encoding="utf-8")
    assert [word for word in words if f'"{word}"' not in text] == []


@pytest.mark.parametrize(
    ("written", "run", "is_it"),
    [
        ("seal NAME --out FILE [--once]", "seal s --out f", False),
        ("seal NAME --out FILE", "seal s --out f --once", True),
        ("export NAME --format lm-eval|inspect --out DIR", "export s --format inspect --out d",
         False),
        ("unseal FILE --identity KEY|--passphrase", "unseal f --identity k", False),
        ("judge elo NAME", "judge agree run", False),
        ("verify", "verify --receipt r", True),
    ],
)  # fmt: skip
def test_what_is_run_must_be_what_is_written(written: str, run: str, is_it: bool) -> None:
    assert all(reading.is_in(read(run)) for reading in readings(written)) is is_it


class Walk:
    """Runs the lines of a scene, filling in what stands for something."""

    def __init__(self, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.patch = patch
        self.words: dict[str, str] = {}
        self.runs: list[str] = []

    def lines(self, scene: Scene, workspace: Path | None) -> None:
        """Each line ends with 0, or with the code behind it, and says what it should."""
        wrong: list[str] = []
        for line, expected, *ends in scene:
            if workspace:
                self._learn_runs(workspace)
            # a passphrase or a password is the first line of the input
            self.patch.setattr("sys.stdin", io.StringIO("a long passphrase\n"))
            given = re.sub(r"\b[A-Z][A-Z_]+\d*\b", lambda word: self._word(word[0]), line)
            code = main(shlex.split(given))
            said = "".join(self.capsys.readouterr())
            if [code] != (ends or [0]) or expected not in said:
                wrong.append(f"{line} ({code}): {said}")
            self._learn(line, said)
        assert wrong == [], "\n".join(wrong)

    def _word(self, word: str) -> str:
        if number := re.fullmatch(r"RUN(\d+)", word):
            return self.runs[int(number[1]) - 1]
        if word == "ITEMS":
            return str(next(Path("team", "runs").glob("*/items.jsonl")))
        return self.words.get(word, word)

    def _learn_runs(self, workspace: Path) -> None:
        ws = Workspace.open(workspace)
        new = [run for run in reversed(runs.runs(ws)) if run.id not in self.runs]
        ws.close()
        whole = [run.id for run in new if run.kind == "matrix"]
        made = whole or [run.id for run in new if run.kind not in ("judge", "pairwise")]
        if made:
            self.words["RUN_BEFORE"] = self.words.get("RUN", "")
            self.words["RUN"] = made[-1]
        self.runs += [run.id for run in new]

    def _learn(self, line: str, said: str) -> None:
        """What later lines are given: keys that were printed, a sheet that somebody filled in."""
        if line.startswith("backup"):
            self.words["BACKUP"] = next(
                word for word in said.split() if word.startswith("/")
            ).rstrip(",.:")
        if line.startswith("package list"):
            self.words["PACKAGE"] = said.splitlines()[-1].split()[0]
        if line.startswith("package key"):
            self.words["AGE"] = said.strip()
        for name, before in (("ROOT", "root"), ("KEY", "key")):
            if found := re.search(rf"\b{before} ([0-9a-f]{{64}})", said):
                self.words[name] = found[1]
        if line.startswith("judge sample"):
            table = pd.read_csv("sheet.csv")
            table.assign(rater="ann", value=1).to_csv("filled.csv", index=False)


def silent_or_answer(body: dict[str, object]) -> str:
    """A model that is asked as ``silent`` says nothing of use."""
    return "I would rather not." if body.get("model") == "silent" else answer(body)


@pytest.fixture
def walk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Walk]:
    """In an empty folder, with a model server."""
    monkeypatch.chdir(tmp_path)
    made = Walk(capsys, monkeypatch)
    with LoopbackModel(answer=silent_or_answer) as server:
        made.words |= {"SERVER": server.url, "MODEL": "test-model"}
        yield made


@pytest.mark.slow
def test_the_lines_about_a_team_and_its_items(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = Workspace.create(Path("team"))
    filled = fill(ws)
    make_task(ws, "gated", gate="required")
    write_items(ws, 2, task="gated")
    tasks.add(ws, "doubted", "instruction", benchmark="unsound", format="triplet",
              protocol={"gate": "required"})  # fmt: skip
    write_items(ws, 2, task="doubted")
    ws.close()
    for name in ("waiting", "disputed", "returned", "accepted", "gold", "drawn", "rated"):
        walk.words[name.upper()] = str(getattr(filled, name)[0])
    shutil.copytree(ROOT / "resources" / "demo", "articles")
    _write("notes.md", "Accept what is right.")
    _write("judge.txt", "Question: {question}\nAnswer: {answer}\nScore it from 1 to 10.")
    _write("rubric.txt", "Clarity: Is it clear?\n1 no\n2 yes")
    _write("riddles.csv", "instruction,input,output\nSolve it.,What goes up alone?,Your age")
    _write("ratings.csv", "item,ann,bob\n1,a,a\n2,a,b\n3,b,b\n4,a,a")
    shown = "**A**: Rain fell. **B**: Then it froze. **C**: Snow came."
    _write("published.json", json.dumps({"s": [{"shuffled_text": shown, "A": "ABC", "B": "CAB",
           "C": "BCA", "D": "CBA", "label": "Selection 1"}], "c": [], "p": []}))  # fmt: skip
    monkeypatch.setenv("BENCHSEAL_WORKSPACE", "team")
    walk.lines(TEAM, Path("team"))


@pytest.mark.slow
def test_the_lines_about_splits_and_models(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = pyrage.x25519.Identity.generate()
    _write("id.txt", str(identity))
    walk.words["AGE"] = str(identity.to_public())
    ws = Workspace.create(Path("lab"), lead="ada")
    for name in ("bob", "cleo"):
        people.ensure_person(ws, name, "annotator")
    freeze_split(ws, {"scp": [varied(number) for number in range(12)]}, "s", "b")
    for place, name in enumerate(("s2", "u", "v", "w", "x"), 1):
        more = [varied(12 * place + number) for number in range(12)]
        freeze_split(ws, {"scp": more}, name, "b")
    freeze_split(ws, {"notes": [free(number) for number in range(4)]}, "f", "b")
    ids = [member.uid for member in freeze.members_of(ws, "s")]
    walk.words["ERRONEOUS"] = freeze.members_of(ws, "v")[0].uid
    for model in ("m0", "m1", "m2", "m3", "m4"):
        Path(model).mkdir()
        replies = {uid: f"Selection {1 + (int(uid) + int(model[1])) % 4}" for uid in ids}
        take_in_answers(ws, Path(model), replies, "s", model)
    ws.close()
    shutil.copy(Path("m4", "samples_s.jsonl"), "samples_s.jsonl")
    _write("public.csv", "model,domain,accuracy\nm0,cs,0.5\nm1,cs,0.6\nm0,math,0.4\nm1,math,0.5")
    rows = [
        {"group": group, "logprobs": [-1.0 - place / 10] * 40, "source": f"a{place}"}
        for group in ("item", "control")
        for place in range(8)
    ]
    _write("rows.jsonl", "\n".join(map(json.dumps, rows)))
    monkeypatch.setenv("BENCHSEAL_WORKSPACE", "lab")
    walk.lines(LAB, Path("lab"))


def test_the_lines_about_a_workspace_on_a_server(
    walk: Walk, pg_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    films, empty = pg_server.create(), pg_server.create()
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(Path("folder").resolve()))
    walk.words |= {
        "ADMIN": pg_server.url(films, "postgres"),
        "RUTH": pg_server.url(films, "ruth"),
        "EMPTY": pg_server.url(empty, "postgres"),
    }
    walk.lines(SERVER, None)
    pg_server.drop(films)
    pg_server.drop(empty)


def free(number: int) -> ItemContent:
    """An item that is answered in words."""
    sample = family("instruction").sample("triplet")
    return replace(sample, payload={**sample.payload, "input": f"Text {number} about rain."})


def _write(name: str, text: str) -> None:
    Path(name).write_text(text + "\n", encoding="utf-8")
