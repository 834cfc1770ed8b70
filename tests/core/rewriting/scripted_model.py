"""A model that plays rewriting from a script, and the news that its rewrites draw on.

Every item has a branch: what the model does well or badly about it. All answers depend on nothing
but the question, so that a run that is killed and resumed meets the same model.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.families.rewrite_checks import is_entity
from core.sources.labelled.datasets import LabelledExample, LabelledTask
from core.sources.news.gdelt_columns import GKG
from tests.servers.model_server import asked_text

BRANCHES = (
    "good",
    "wrong_label_once",
    "wrong_fact_once",
    "bad_json_once",
    "bad_json",
    "truncated",
    "refusal",
    "endless_label",
    "endless_facts",
    "nothing_found",
    "no_entities",
    "nothing_relevant",
    "entity_left_once",
    "ungrounded",
    "near_copy",
    "semantic_loses_entity",
)
# branch: (outcome, step, reason) of its items
ENDS: Mapping[str, tuple[str, str, str]] = {
    "good": ("accepted", "label", ""),
    "wrong_label_once": ("accepted", "label", ""),
    "wrong_fact_once": ("accepted", "label", ""),
    "bad_json_once": ("accepted", "label", ""),
    "entity_left_once": ("accepted", "label", ""),
    "bad_json": ("screened_out", "summary", "invalid_reply"),
    "truncated": ("screened_out", "semantic", "truncated"),
    "refusal": ("screened_out", "updated", "refused"),
    "endless_label": ("screened_out", "label", "label"),
    "endless_facts": ("screened_out", "facts", "facts"),
    "nothing_found": ("left_out", "knowledge", "nothing_found"),
    "no_entities": ("left_out", "entities", "no_entities"),
    "nothing_relevant": ("left_out", "summary", "nothing_relevant"),
    "ungrounded": ("screened_out", "triples", "triples"),
    "near_copy": ("screened_out", "updated", "checks"),
    "semantic_loses_entity": ("screened_out", "semantic", "semantic"),
}
NEW_HEAD, NEW_TAIL = "Zorvia Council", "Quellmark"
_FILLER = "vel dan tor mirov kesh ulmar pindo rast"
_USABLE = re.compile(r"\b[A-Za-z]{4,}\b")
_NEVER = {"user", "people", "https", "item", "zorvia", "council", "quellmark", *_FILLER.split()}


class Part:
    """One item of the script: its example, its branch, and the name that the model finds in it."""

    def __init__(self, number: int, example: LabelledExample, branch: str, name: str) -> None:
        self.tag = f"item-{number:04d}"
        self.example, self.branch, self.name = example, branch, name


def cast(
    examples: Sequence[LabelledExample],
    count: int,
    *,
    branches: Sequence[str] = BRANCHES,
    first: int = 0,
) -> list[Part]:
    """``count`` examples with branches in turn, each with a name that no other one has."""
    parts: list[Part] = []
    taken: set[str] = set()
    texts: set[str] = set()
    for example in examples:
        words = sorted(set(_USABLE.findall(example.text)), key=lambda w: (-len(w), w))
        free = [w for w in words if w.lower() not in taken | _NEVER and is_entity(w)]
        if free and example.text not in texts and len(parts) < count:
            branch = branches[len(parts) % len(branches)]
            parts.append(Part(first + len(parts), example, branch, free[0]))
            taken.add(free[0].lower())
            texts.add(example.text)
    assert len(parts) == count
    return parts


def write_news(folder: Path, parts: Iterable[Part], day: str = "20260301") -> Path:
    """A folder with one GKG file: one report for every part that is to find something."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{day}000000.gkg.csv").open("w", encoding="utf-8") as file:
        for number, part in enumerate(parts):
            if part.branch == "nothing_found":
                continue
            cells = dict.fromkeys(GKG, "")
            cells |= {
                "GKGRECORDID": f"{day}101500-{number}",
                "DATE": f"{day}101500",
                "DocumentIdentifier": f"https://news.example.org/{day}/{number}",
                "V2Tone": "-1.5,2,3,5,20,1,300",
                "AllNames": f"{part.name},10;{NEW_HEAD},40;{NEW_TAIL},70",
                "Extras": f"<PAGE_TITLE>{part.name}: {NEW_HEAD} meets {NEW_TAIL}, "
                f"report {number * 7919 % 10007}</PAGE_TITLE>",
            }
            file.write("\t".join(cells[name] for name in GKG) + "\n")
    return folder


class ScriptedModel:
    """The answer callable of a ``LoopbackModel``."""

    def __init__(self, task: LabelledTask, parts: Iterable[Part]) -> None:
        self._task = task
        self._by_text = {part.example.text: part for part in parts}
        self._by_tag = {part.tag: part for part in self._by_text.values()}
        self.steps: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any]) -> Any:
        step = body["response_format"]["json_schema"]["name"]
        self.steps[step] += 1
        text = asked_text(body)
        part = self._part(text)
        answer = getattr(self, f"_{step}")(part, text, len(body["messages"]))
        return answer if isinstance(answer, dict) and "content" in answer else json.dumps(answer)

    def _part(self, text: str) -> Part:
        tags = re.findall(r"item-\d{4}", text)
        if tags:
            return self._by_tag[tags[-1]]
        blocks = re.findall(r"<(\w+)>\n(.*?)\n</\1>", text, re.DOTALL)
        return next(self._by_text[t] for _, t in blocks if t in self._by_text)

    def _entities(self, part: Part, text: str, turns: int) -> Any:
        named = [] if part.branch == "no_entities" else [{"entity": part.name, "type": "thing"}]
        if part.branch == "no_entities":
            named = [{"entity": "Nowhere Atall", "type": "not in the text"}]
        return {"entities": named}

    def _summary(self, part: Part, text: str, turns: int) -> Any:
        if part.branch == "bad_json":
            return {"content": "Here is your summary: {"}
        if part.branch == "nothing_relevant":
            return {"summary": "", "facts": []}
        return {"summary": f"The {NEW_HEAD} met {NEW_TAIL} over {part.name}.", "facts": [1]}

    def _triples(self, part: Part, text: str, turns: int) -> Any:
        if part.branch == "bad_json_once" and turns == 1:
            return {"content": '{"before": [}'}
        tail = "Atlantis" if part.branch == "ungrounded" else NEW_TAIL
        answer = {
            "before": [{"head": part.name, "relation": "concerns", "tail": "people"}],
            "after": [{"head": NEW_HEAD, "relation": "met", "tail": tail}],
        }
        if self._task.is_pair:
            return answer | {"first": f"{NEW_HEAD} one.", "second": f"{NEW_TAIL} two."}
        return answer | {"text": f"{NEW_HEAD} met {NEW_TAIL}."}

    def _semantic(self, part: Part, text: str, turns: int) -> Any:
        if part.branch == "truncated":
            return {"content": '{"text": "half of', "finish_reason": "length"}
        lost = part.branch == "semantic_loses_entity"
        return {"text": self._sized(text, [part.tag] if lost else [part.tag, part.name]),
                "reason": "as before"}  # fmt: skip

    def _updated(self, part: Part, text: str, turns: int) -> Any:
        if part.branch == "refusal":
            return {"content": None, "refusal": "I would rather not."}
        again = "An earlier attempt" in text
        words = [part.tag, NEW_HEAD, NEW_TAIL, "anew" if again else "once"]
        if part.branch == "near_copy":
            second = self._turn(text) == 1
            return {"text": part.example.second if second else part.example.text, "reason": ""}
        if part.branch == "entity_left_once" and not again:
            words.append(part.name)
        return {"text": self._sized(text, words), "reason": "kept"}

    def _facts(self, part: Part, text: str, turns: int) -> Any:
        wrong = part.branch == "endless_facts" or (
            part.branch == "wrong_fact_once" and " once" in text
        )
        return {"rationale": "The report does not say so." if wrong else "All of it is reported.",
                "supported": not wrong}  # fmt: skip

    def _label(self, part: Part, text: str, turns: int) -> Any:
        wrong = part.branch == "endless_label" or (
            part.branch == "wrong_label_once" and " once" in text
        )
        return {"rationale": "Another label fits." if wrong else "It fits.", "agrees": not wrong}

    def _sized(self, text: str, words: list[str]) -> str:
        """The words and filler of about the length that the prompt asks for; the texts of a pair
        differ by their first filler word."""
        found = re.search(r"close to (\d+) words", text)
        wanted = int(found.group(1)) if found else 12
        turn = self._turn(text)
        filler = _FILLER.split()[turn:] + _FILLER.split()
        missing = max(1, wanted - len(" ".join(words).split()))
        more = [filler[i % len(filler)] for i in range(missing)]
        return " ".join([*words, *more])

    def _turn(self, text: str) -> int:
        return int(bool(re.search(rf"Write the {re.escape(self._task.parts[1])} only", text)))


def expected_funnel(parts: Sequence[Part], rounds: int) -> dict[str, Any]:
    """The counts that the script must lead to."""
    branches = Counter(part.branch for part in parts)
    outcomes = Counter[str]()
    reasons = Counter[str]()
    for branch, count in branches.items():
        outcome, step, reason = ENDS[branch]
        outcomes[outcome] += count
        if reason:
            reasons[f"{step}: {reason}"] += count

    def total(*names: str) -> int:
        return sum(branches[name] for name in names)

    once = total("wrong_label_once", "wrong_fact_once", "entity_left_once")
    endless = total("endless_label", "endless_facts", "near_copy")
    direct = total("good", "bad_json_once")
    by_round = {
        "1": {
            "written": direct + once + endless,
            "passed_checks": direct
            + total("wrong_label_once", "wrong_fact_once", "endless_label", "endless_facts"),
            "passed_facts": direct + total("wrong_label_once", "endless_label"),
            "accepted": direct,
        },
        "2": {
            "written": once + endless,
            "passed_checks": once + total("endless_label", "endless_facts"),
            "passed_facts": once + total("endless_label"),
            "accepted": once,
        },
    }
    for number in range(3, rounds + 1):
        by_round[str(number)] = {
            "written": endless,
            "passed_checks": total("endless_label", "endless_facts"),
            "passed_facts": total("endless_label"),
            "accepted": 0,
        }
    return {
        "items": len(parts),
        **{name: outcomes[name] for name in ("accepted", "screened_out", "left_out", "failed")},
        "with_knowledge": len(parts) - total("no_entities", "nothing_found"),
        "with_summary": len(parts)
        - total("no_entities", "nothing_found", "nothing_relevant", "bad_json"),
        "rounds": by_round,
        "reasons": dict(sorted(reasons.items())),
    }
