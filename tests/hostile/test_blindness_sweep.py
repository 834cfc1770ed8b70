"""Before their own decision nobody learns what others said of an item, by any command.

Every command of the registry is run with each of its options, as each role: a new command is swept
by being listed, and a new option fails here until it is said what to try it with. Nothing hidden
may be printed, and a workspace that differs only in what is hidden must look the same.
"""

import argparse
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.cli import main
from core.cli.parser import build_parser
from core.frames import open_workspace
from core.workflow.workspace import Workspace
from tests.full_workspace import SPLIT
from tests.hostile.attackers.blind_workspace import (
    COUNTED,
    GONE,
    MARKS,
    NOTES,
    PEERS,
    RATED,
    SCORES,
    TASK,
    TWINS,
    UNKNOWN,
    VIEWERS,
    WRITERS,
    Blind,
    plant,
)
from tests.hostile.conftest import Attack
from tests.paths import ROOT
from tests.workspaces import BENCHMARK

NAMES = (*WRITERS, *PEERS)
EVERYBODY = ("", *VIEWERS, GONE, UNKNOWN)

# Commands that read nothing about items that people judge, or write; what the latter refuse is
# swept below.
NOT_LISTS = frozenset(
    {
        "init", "gui", "demo", "task add", "task change", "generate scp", "rewrite",
        "knowledge search", "import", "submit", "revise", "check", "screen", "decide", "rate",
        "gold mark", "gold unmark", "gold lift", "audit start", "audit decide", "undo", "reveal",
        "freeze", "export", "split seal", "split open", "split expire", "split datasheet",
        "split errata", "split publish", "split push", "split pull", "split unlock", "split lock",
        "pack", "evaluate-pack",
        "evaluate", "judge", "track",
        "import-results", "run", "simulate", "fetch arxiv", "analyze public", "analyze stability",
        "analyze correlate", "analyze rs", "keys add", "keys remove", "question ask",
        "question answer", "backup", "restore", "copy", "anchor", "outbox", "organisation",
        "package key", "package make", "package open", "package return", "package merge",
        "package list", "package call-off",
    }
)  # fmt: skip
# Switches that write, or change who may act: everybody after them would see something else.
WRITING_SWITCHES = frozenset(
    {"shared", "personal", "withdraw", "second_look", "remove", "resume", "unknown", "close"}
)
# Figures over many items: hidden facts count in them, so that they may differ between twins; what
# they say in words is swept all the same.
FIGURES = frozenset({"agreement", "dashboard", "gate", "report"})
# People as such, and figures of people: their names tell nothing about an item.
WITH_NAMES = frozenset({"people", "assign", "agreement", "dashboard"})

Values = Callable[[Blind, Path], Sequence[str]]
# What each argument is tried with, by its name.
TRIED: Mapping[str, Values] = {
    "item": lambda at, out: [str(number) for number in at.hidden],
    "corpus": lambda at, out: [str(ROOT / "resources" / "demo")],
    "control": lambda at, out: [SPLIT],
    "link": lambda at, out: [SPLIT],
    "window": lambda at, out: ["8"],
    "items": lambda at, out: [""],
    "task": lambda at, out: [TASK, RATED],
    "benchmark": lambda at, out: [BENCHMARK],
    "name": lambda at, out: ["", SPLIT],
    "words": lambda at, out: ["", "list"],
    "role": lambda at, out: [],
    "active": lambda at, out: [],
    "panel": lambda at, out: ["progress", "agreement", "gate", "people", "audit"],
    "deed": lambda at, out: ["list"],
    "number": lambda at, out: [],
    "run": lambda at, out: ["blind run", "coreeval-human", "cif-human"],
    "runs": lambda at, out: ["blind run"],
    "split": lambda at, out: [SPLIT],
    "state": lambda at, out: ["draft", "in_review", "accepted", "rejected"],
    "limit": lambda at, out: ["3"],
    "as_of": lambda at, out: [at.between.isoformat(), "2099-01-01"],
    "missed_alike": lambda at, out: [SPLIT],
    "search": lambda at, out: ["远足", *MARKS],
    "family": lambda at, out: ["instruction"],
    "label": lambda at, out: ["x"],
    "stage": lambda at, out: ["1", "2", "3"],
    "person": lambda at, out: [*NAMES, "ann"],
    "since": lambda at, out: ["2020-01-01", at.between.isoformat()],
    "until": lambda at, out: ["2099-01-01"],
    "score_from": lambda at, out: ["7", "8", "9.9"],
    "score_to": lambda at, out: ["7", "8", "9.9"],
    "out": lambda at, out: [str(out / "written.jsonl")],
    "save": lambda at, out: [str(out / f"t{end}") for end in (".csv", ".md", ".tex", ".parquet")],
    "csv": lambda at, out: [str(out / "written.csv")],
    "html": lambda at, out: [str(out / "written.html")],
    "export": lambda at, out: [str(out)],
    "parquet": lambda at, out: [str(out / "written.parquet")],
    "by": lambda at, out: ["task", "pair", "week", "reviewer", "round", "criterion"],
    "criterion": lambda at, out: ["fluency"],
    "source_column": lambda at, out: ["article"],
    "coefficient": lambda at, out: ["fleiss_kappa"],
    "adjudicated": lambda at, out: ["after"],
    "gold": lambda at, out: ["without"],
    "interval": lambda at, out: ["none"],
    "threshold": lambda at, out: ["0.1"],
    "organisation": lambda at, out: ["Example Lab"],
    "launcher": lambda at, out: ["local"],
    "shards": lambda at, out: ["2"],
    "user": lambda at, out: [],  # each role in turn
    # nothing that a person may not know depends on these
    **{
        name: (lambda at, out: [])
        for name in (
            "resamples", "seed", "file", "sheet", "layout", "png", "svg", "theme", "below",
            "public", "base_url", "model", "meaning_threshold", "note", "watch", "more",
            "reject", "settings", "receipt", "formats", "compare", "metric",
            "pilot", "difference", "alpha", "power", "models", "top", "discordance", "icc",
            "per_article", "accuracy", "correlation", "reason",
            "bleurt", "embeddings", "people", "sources", "table", "human", "account",
            "tasks", "to", "most", "due", "pause", "invite", "setting", "value",
            "within", "question", "choice", "choose", "text", "host", "canary", "rows", "anchors",
            "archive", "errata", "scripts", "key", "root", "identity", "recipient", "recipients",
            "share", "shares", "custodians", "period", "cutoff", "show", "organization",
            "relationship", "rater_columns",
        )
    },
}  # fmt: skip


def leaves(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its parser."""
    groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not groups:
        yield name, parser
    for group in groups:
        for word, below in group.choices.items():
            yield from leaves(below, f"{name} {word}".strip())


PARSER = build_parser()
COMMANDS = dict(leaves(PARSER))
LISTS = sorted(set(COMMANDS) - NOT_LISTS)


def tries(
    name: str, at: Blind, out: Path, user: str, *, options: bool = True
) -> Iterator[list[str]]:
    """The command with what it needs, and with each of its ``options`` besides."""
    actions = [a for a in COMMANDS[name]._actions if a.dest not in ("help", "json", "workspace")]
    needed: list[list[str]] = [name.split()]
    if user:
        needed[0] += ["--user", user]
    for action in actions:
        if action.dest != "user" and (action.required or not action.option_strings):
            values = TRIED[action.dest](at, out)
            flag = action.option_strings[-1:]
            ways = [[*flag, value] if value else [] for value in values] or [[]]
            needed = [[*words, *way] for words in needed for way in ways]
    for words in needed:
        yield words
        for action in actions if options else ():
            if (
                action.option_strings
                and not action.required
                and action.dest not in ("user", "accept", *WRITING_SWITCHES)
            ):
                flag = action.option_strings[-1]
                switch = action.nargs == 0
                values = [""] if switch else TRIED[action.dest](at, out)
                for value in values:
                    yield [*words, flag] if switch else [*words, flag, value]


@dataclass(frozen=True)
class Twin:
    """One of the two workspaces."""

    folder: Path
    at: Blind


@pytest.fixture(autouse=True)
def one_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser made once: making it is more than half of the time of a short command."""
    monkeypatch.setattr("core.cli.build_parser", lambda *_: PARSER)


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Twin, Twin]:
    """Two workspaces that differ only in what is hidden."""
    made = []
    for facts in TWINS:
        folder = tmp_path_factory.mktemp("blind") / "workspace"
        ws = Workspace.create(folder)
        made.append(Twin(folder, plant(ws, facts)))
        ws.close()
    first, second = made
    assert first.at.hidden == second.at.hidden
    return first, second


def said(twin: Twin, words: Sequence[str], out: Path) -> str:
    """All that a command prints and writes, without times, names of runs, places and what is free
    on the disk."""
    for old in out.iterdir():
        old.unlink()
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told), suppress(SystemExit):
        code = main(["--workspace", str(twin.folder), *words])
        told.write(f"\n= {code}")
    for path in sorted(out.iterdir()):
        told.write(f"\n{path.name}\n{_written(path)}")
    text = told.getvalue().replace(str(twin.folder), "W")
    text = re.sub(r"[\d.]+ GB are free", "GB", text)
    text = re.sub(r"\d{8}-\d{6}-[a-z_]+-[0-9a-f]{6}", "RUN", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+)?(\+00:00)?", "T", text)
    return re.sub(r"(?<![.\w])(?:[0-9a-f]{12}|(?=\d*[a-f])[0-9a-f]{12,64})\b", "H", text)


def _written(path: Path) -> str:
    if path.suffix == ".parquet":
        return str(pd.read_parquet(path).to_csv())
    return path.read_text(encoding="utf-8")


def leaks(name: str, words: Sequence[str], told: str, gold: int) -> Iterator[str]:
    """What of the hidden facts is in the output; what was asked for by name may be repeated."""
    forbidden = NOTES + SCORES if name in WITH_NAMES else MARKS
    if name in FIGURES:
        forbidden = tuple(mark for mark in forbidden if mark not in COUNTED)
    for mark in forbidden:
        if mark in told and mark not in words and UNKNOWN not in words:
            yield f"{' '.join(words)}: {mark}"
    for entry in _objects(told):
        if gold in (entry.get("id"), entry.get("item"), entry.get("number")) and (
            entry.get("state", "draft") not in ("draft", "in_review")
            or entry.get("gold") is not None
        ):
            yield f"{' '.join(words)}: the gold item is {entry.get('state')}"


def _objects(told: str) -> Iterator[dict[str, Any]]:
    """Every object of a printed JSON document."""
    start = told.find("{")
    if start < 0:
        return
    with suppress(ValueError):
        waiting: list[Any] = [json.JSONDecoder().raw_decode(told[start:])[0]]
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict):
                yield one
                waiting += one.values()
            elif isinstance(one, list):
                waiting += one


def sweep(
    row: Attack, name: str, twins: tuple[Twin, Twin], out: Path, *, options: bool = True
) -> None:
    """Run a command in all its ways as everybody, on both workspaces."""
    reads_as_somebody = any(a.dest == "user" for a in COMMANDS[name]._actions)
    users = EVERYBODY if reads_as_somebody and name != "sample" else ("",)
    at = twins[0].at
    for user in users:
        pairs = zip(
            *(tries(name, twin.at, out, user, options=options) for twin in twins), strict=True
        )
        for place, ways in enumerate(pairs):
            for form in ([], ["--json"]) if place == 0 else (["--json"],):
                words = [*ways[0], *form]
                first = said(twins[0], words, out)
                found = list(leaks(name, words, first, at.gold))
                # figures may differ between the twins: the second need not be asked
                if name not in FIGURES and said(twins[1], [*ways[1], *form], out) != first:
                    found.append(f"{' '.join(words)}: the hidden facts change what is printed")
                row.tried("; ".join(found))


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
def test_no_command_tells_what_is_hidden(attack, twins, tmp_path, name):
    sweep(attack(f"blindness of {name}"), name, twins, tmp_path)


@pytest.mark.parametrize("name", LISTS)
def test_no_command_without_options_tells_what_is_hidden(attack, twins, tmp_path, name):
    sweep(attack(f"blindness of {name}, as it is"), name, twins, tmp_path, options=False)


def test_every_command_is_swept_or_said_not_to_list():
    assert set(COMMANDS) >= NOT_LISTS, "a command that is no more"
    options = {a.dest for name in LISTS for a in COMMANDS[name]._actions}
    switches = {a.dest for name in LISTS for a in COMMANDS[name]._actions if a.nargs == 0}
    assert not options - set(TRIED) - switches - {"workspace"}, "an option that nobody tried"


@pytest.mark.parametrize("user", VIEWERS)
def test_no_frame_tells_what_is_hidden(attack, twins, user):
    row = attack("blindness of frames")
    with open_workspace(twins[0].folder, user=user) as ws:
        for read in (ws.items, ws.decisions, ws.ratings, ws.screenings):
            frame = read()
            about = frame[frame["item"].isin(twins[0].at.hidden)]
            told = about.to_csv()
            found = [f"{read.__name__} as {user}: {mark}" for mark in MARKS if mark in told]
            row.tried("; ".join(found))
        gold = ws.items().set_index("item").loc[twins[0].at.gold]
        row.tried("" if pd.isna(gold["gold"]) else f"gold mark as {user}")
        row.tried("" if gold["state"] == "in_review" else f"state of gold: {user}")


@pytest.mark.parametrize("user", ["", "Zora", "Rhea", "Lena"])
def test_the_work_list_does_not_say_what_was_said_of_open_items(attack, twins, tmp_path, user):
    row = attack("blindness of the work list")
    words = [
        "dashboard",
        "agreement",
        "--benchmark",
        BENCHMARK,
        "--json",
        *(["--user", user] if user else []),
    ]
    told = said(twins[0], words, tmp_path)
    document = json.loads(told[: told.rindex("}") + 1])
    (listed,) = [one for one in document["tables"] if one["id"] == "work_list"]
    entries = {entry[0]: entry[-1] for entry in listed["rows"]}
    (disputed,) = twins[0].at.rest.disputed
    if user:
        row.tried("" if entries[f"#{disputed}"] == "hidden until it is decided" else str(entries))
    else:
        row.tried(str(entries) if f"#{disputed}" in entries else "")


# What nobody of the viewers may do: each is refused, in words that tell nothing.
REFUSED = (
    "undo --event {event}", "adjudicate {judged}", "audit decide {judged} --pass",
    "gold mark {judged} --accept", "revise {judged} --set output=x",
    "second-look {judged} --note x",
)  # fmt: skip


@pytest.mark.parametrize("user", VIEWERS)
def test_a_refusal_tells_nothing(attack, twins, tmp_path, user):
    row = attack("blindness of refusals")
    for act in REFUSED:
        names = {"judged": twins[0].at.judged, "event": twins[0].at.event}
        words = [*act.format(**names).split(), "--user", user]
        first, second = (said(twin, words, tmp_path) for twin in twins)
        found = list(leaks("", words, first, 0))
        if first != second:
            found.append(f"{act} as {user}: {first} / {second}")
        if first.endswith("= 0"):
            found.append(f"{act} as {user}: allowed")
        row.tried("; ".join(found))
