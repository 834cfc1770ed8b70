"""The project's own words as people read them: states, verdicts, reasons, formats, roles."""

from types import MappingProxyType

from core.i18n import tr
from core.workflow.labels import ITEM_STATES, REASONS, VERDICT_NAMES, Words, word

__all__ = [
    "BULK",
    "FAMILIES",
    "FORMATS",
    "ITEM_STATES",
    "JUDGED",
    "REASONS",
    "ROLES",
    "RUN_KINDS",
    "RUN_STATES",
    "SPLIT_STATES",
    "STAGES",
    "UNDOABLE",
    "VERDICTS",
    "VERDICT_NAMES",
    "YES_OR_NO",
    "Words",
    "ink_of",
    "word",
]

VERDICTS: Words = MappingProxyType(
    {
        "accept": lambda: tr("accepted"),
        "reject": lambda: tr("rejected"),
        "return": lambda: tr("returned"),
        "skip": lambda: tr("skipped"),
    }
)
UNDOABLE: Words = MappingProxyType(
    {
        "decided": lambda: tr("decision"),
        "adjudicated": lambda: tr("adjudication"),
        "audit_decided": lambda: tr("audit decision"),
        "submitted": lambda: tr("hand-in"),
        "revised": lambda: tr("revision"),
        "rated": lambda: tr("rating"),
        "bulk": lambda: tr("change of many items"),
    }
)
FORMATS: Words = MappingProxyType(
    {
        "sequencing": lambda: tr("sequencing"),
        "cloze": lambda: tr("cloze"),
        "prediction": lambda: tr("prediction"),
        "triplet": lambda: tr("triplet"),
        "instruction": lambda: tr("instruction"),
        "original": lambda: tr("original"),
        "semantic": lambda: tr("semantic"),
        "updated": lambda: tr("updated"),
    }
)
BULK: Words = MappingProxyType(
    {
        "reject": lambda: tr("Reject many items"),
        "return": lambda: tr("Return many items"),
        "reopen": lambda: tr("Review many items again"),
        "second_look": lambda: tr("Ask for a second look"),
        "looked_again": lambda: tr("End the second look"),
    }
)
FAMILIES: Words = MappingProxyType(
    {
        "scp": lambda: tr("SCP: sequencing, cloze, prediction"),
        "instruction": lambda: tr("instruction items"),
        "rewrite": lambda: tr("rewrites"),
    }
)
STAGES: Words = MappingProxyType(
    {
        "1": lambda: tr("stage 1, production"),
        "2": lambda: tr("stage 2, check"),
        "3": lambda: tr("stage 3, audit"),
    }
)
JUDGED: Words = MappingProxyType(
    {
        "creativity": lambda: tr("creativity"),
        "fluency": lambda: tr("fluency"),
        "instruction_following": lambda: tr("following the instruction"),
        "confidence": lambda: tr("confidence"),
        "answer_correct": lambda: tr("answer is right"),
        "reference_correct": lambda: tr("reference is right"),
    }
)
"""What a judge rates."""
YES_OR_NO: Words = MappingProxyType({"yes": lambda: tr("yes"), "no": lambda: tr("no")})
RUN_STATES: Words = MappingProxyType(
    {
        "prepared": lambda: tr("not started yet"),
        "queued": lambda: tr("waiting for its turn"),
        "running": lambda: tr("running"),
        "stopped": lambda: tr("stopped"),
        "interrupted": lambda: tr("interrupted; resume continues where it was"),
        "failed": lambda: tr("failed"),
        "finished": lambda: tr("finished"),
        "preempted": lambda: tr(
            "sent away by more urgent work; it goes on by itself or is resumed"
        ),
        "timeout": lambda: tr("over its time limit; resume continues where it was"),
    }
)
RUN_KINDS: Words = MappingProxyType(
    {
        "generate": lambda: tr("Generate"),
        "screen": lambda: tr("Screen"),
        "prescreen": lambda: tr("Screen"),
        "evaluate": lambda: tr("Evaluate"),
        "judge": lambda: tr("Judge"),
        "rewrite": lambda: tr("Rewrite"),
        "finetune": lambda: tr("Fine-tune"),
    }
)
ROLES: Words = MappingProxyType(
    {
        "annotator": lambda: tr("annotator"),
        "specialist": lambda: tr("specialist"),
        "researcher": lambda: tr("researcher"),
        "lead": lambda: tr("lead"),
    }
)
SPLIT_STATES: Words = MappingProxyType(
    {
        "draft": lambda: tr("draft"),
        "frozen": lambda: tr("frozen"),
        "sealed": lambda: tr("sealed"),
        "opened": lambda: tr("opened"),
        "expired": lambda: tr("expired"),
    }
)

_VERDICT_INK = MappingProxyType({"accept": "accept", "reject": "reject", "return": "return"})
_STATE_INK = MappingProxyType(
    {
        "accepted": "accept",
        "approved": "accept",
        "frozen": "accent",
        "rejected": "reject",
        "screened_out": "reject",
        "returned": "return",
        "failed": "reject",
        "interrupted": "return",
        "stopped": "return",
        "preempted": "return",
        "timeout": "return",
        "running": "accent",
        "finished": "accept",
    }
)


def ink_of(value: str) -> str:
    """Name of the ink in which a state or verdict is written; ``muted`` where it has none."""
    return _VERDICT_INK.get(value) or _STATE_INK.get(value) or "muted"
