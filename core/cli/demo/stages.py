"""The demonstration's items that people write and rate: an instruction task and a few rewrites.

The author and the reviewers are scripts and named so; what is left open (an item that came back,
a draft, an audit half-way, ratings) is for whoever looks at the demonstration.
"""

import json
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.i18n import tr
from resources import resource

if TYPE_CHECKING:
    from core.workflow.workspace import Workspace

TONES = "tones"
REWRITES = "emotion-rewrites"
AUTHOR = "demo author"
NOTE = "demonstration data"
LABELS = ("感谢", "抱怨", "请求", "祝贺")
GUIDELINE = (
    "每题写一句日常会说的话，不超过六十个字；句子里要有具体的人或事，不要直接写出答案那个词以外的"
    "语气标签。四种语气的题数大致相等。"
)
INSTRUCTION = "读下面这句话，判断说话人的语气，只从“感谢、抱怨、请求、祝贺”中选一个词作答。"
_OWN = 2  # of the written items are the lead's own
_AUDITED = 6  # of the drawn items are decided already


def hand_in(ws: "Workspace", benchmark: str, lead: str) -> None:
    """Add both tasks, and their items as drafts."""
    from core.workflow import tasks
    from core.workflow.production import import_items, write

    profile = {"labels": list(LABELS), "guideline": GUIDELINE, "instruction": INSTRUCTION}
    tasks.add(
        ws, TONES, "instruction", benchmark=benchmark, format="triplet", profile=profile,
        protocol={"target": "40", "gate": "required"}, person=lead, language="zh",
    )  # fmt: skip
    for index, payload in enumerate(_written()):
        write.submit(ws, lead if index < _OWN else AUTHOR, TONES, payload, benchmark=benchmark)
    tasks.add(
        ws, REWRITES, "rewrite", benchmark=benchmark, person=lead,
        protocol={"target": "12", "raters": "3", "rating_sample": "4"},
    )  # fmt: skip
    place = resource("demo_stages", "rewrites.jsonl")
    import_items.import_file(
        ws, import_items.ImportOrder(place, REWRITES, benchmark, person=AUTHOR)
    )


def _written() -> list[dict[str, Any]]:
    text = resource("demo_stages", "tones.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def decide(ws: "Workspace", benchmark: str, lead: str, reviewers: Sequence[str], seed: int) -> None:
    """Let the scripts review what was written, begin the audit, and rate the rewrites."""
    from core.workflow.audit import lots
    from core.workflow.check import review
    from core.workflow.items import search
    from core.workflow.production import write

    rng = random.Random(seed)
    item_ids, *others = search.numbers(
        ws, search.Filters(benchmark, TONES, states=("in_review",)), viewer=""
    )
    back = tr("Express it with a name or a place.")
    review.decide(ws, reviewers[0], item_ids, "return", note=back, seconds=rng.uniform(4, 40))
    for number in others[_OWN - 1 :]:
        review.decide(ws, reviewers[0], number, "accept", note=NOTE, seconds=rng.uniform(4, 40))
    draft = {"instruction": INSTRUCTION, "input": "昨晚的流星雨", "labels": list(LABELS)}
    write.save_draft(ws, lead, TONES, draft, benchmark=benchmark)
    sample = lots.start(ws, TONES, lead, seed=seed, benchmark=benchmark).lots[-1].drawn
    for entry in sample[:_AUDITED]:
        lots.decide(ws, lead, entry.number, "accept", seconds=rng.uniform(10, 60))
    _rate(ws, benchmark, lead, reviewers, rng)


def _rate(
    ws: "Workspace", benchmark: str, lead: str, reviewers: Sequence[str], rng: random.Random
) -> None:
    from core.workflow.check import rate

    sample = rate.draw(ws, REWRITES, lead, seed=rng.randrange(1000), benchmark=benchmark)
    for number, _ in sample.items:
        for reviewer in reviewers:
            slip = rng.random() < 0.3
            values = {"fluency": 2 if slip else 3, "coherence": 3, "factuality": 1, "accuracy": 1}
            rate.rate(ws, reviewer, number, values, seconds=rng.uniform(20, 90))
