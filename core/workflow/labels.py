"""What is stored as people read it: states of items, verdicts, reasons, outcomes, criteria."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.i18n import tr

Words = Mapping[str, Callable[[], str]]

ITEM_STATES: Words = MappingProxyType(
    {
        "draft": lambda: tr("draft"),
        "screening": lambda: tr("in screening"),
        "screened_out": lambda: tr("screened out"),
        "in_review": lambda: tr("in review"),
        "accepted": lambda: tr("accepted"),
        "rejected": lambda: tr("rejected"),
        "returned": lambda: tr("returned"),
        "approved": lambda: tr("approved"),
        "frozen": lambda: tr("frozen"),
    }
)
VERDICT_NAMES: Words = MappingProxyType(
    {
        "accept": lambda: tr("accept"),
        "reject": lambda: tr("reject"),
        "return": lambda: tr("return"),
    }
)
"""The verdict as a deed, not as what became of an item."""
REASONS: Words = MappingProxyType(
    {
        "ambiguous": lambda: tr("ambiguous"),
        "not_solvable": lambda: tr("not solvable"),
        "formula": lambda: tr("formula"),
        "language": lambda: tr("language"),
        "wrong_key": lambda: tr("wrong key"),
        "other": lambda: tr("other"),
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
        "choice": lambda: tr("options"),
        "answer": lambda: tr("reference answers"),
    }
)
"""What an item is, where its family has several kinds."""
FAMILIES: Words = MappingProxyType(
    {
        "scp": lambda: tr("SCP: sequencing, cloze, prediction"),
        "instruction": lambda: tr("instruction items"),
        "rewrite": lambda: tr("rewrites"),
        "choice": lambda: tr("multiple choice"),
        "answer": lambda: tr("short answers"),
    }
)
RUN_STATES: Words = MappingProxyType(
    {
        "prepared": lambda: tr("not started"),
        "queued": lambda: tr("queued"),
        "running": lambda: tr("running"),
        "stopped": lambda: tr("stopped"),
        "interrupted": lambda: tr("interrupted; can be resumed"),
        "failed": lambda: tr("failed"),
        "finished": lambda: tr("finished"),
        "preempted": lambda: tr(
            "preempted by a more urgent job; it restarts by itself, or resume it"
        ),
        "timeout": lambda: tr("stopped at its time limit; can be resumed"),
    }
)
RUN_KINDS: Words = MappingProxyType(
    {
        "generate": lambda: tr("Generation"),
        "screen": lambda: tr("Screening"),
        "prescreen": lambda: tr("Screening"),
        "evaluate": lambda: tr("Evaluation"),
        "matrix": lambda: tr("Evaluation matrix"),
        "adaptive": lambda: tr("Adaptive evaluation"),
        "judge": lambda: tr("Judging"),
        "pairwise": lambda: tr("Comparison in pairs"),
        "rewrite": lambda: tr("Rewriting"),
        "signatures": lambda: tr("Signatures of texts"),
        "near_pairs": lambda: tr("Near-duplicates"),
        "finetune": lambda: tr("Fine-tuning"),
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
EVENT_KINDS: Words = MappingProxyType(
    {
        "created": lambda: tr("created"),
        "revised": lambda: tr("revised"),
        "submitted": lambda: tr("submitted"),
        "screening_started": lambda: tr("screening started"),
        "screened": lambda: tr("screened"),
        "claimed": lambda: tr("claimed for review"),
        "skipped": lambda: tr("skipped"),
        "decided": lambda: tr("reviewed"),
        "rated": lambda: tr("rated"),
        "adjudicated": lambda: tr("decided by adjudication"),
        "audit_started": lambda: tr("added to a lot"),
        "audit_decided": lambda: tr("audited"),
        "audit_ended": lambda: tr("audit ended"),
        "approved": lambda: tr("approved"),
        "returned": lambda: tr("returned with its lot"),
        "frozen": lambda: tr("frozen in a split"),
        "undone": lambda: tr("undone"),
        "revealed": lambda: tr("revealed hidden details"),
        "gold": lambda: tr("marked as gold"),
        "bulk": lambda: tr("changed in bulk"),
        "second_look": lambda: tr("second look requested"),
        "looked_again": lambda: tr("second look done"),
        "erratum": lambda: tr("erratum"),
        "asked": lambda: tr("asked about"),
        "answered": lambda: tr("answered a question"),
        "unsure": lambda: tr("marked as unsure, or no longer"),
    }
)
"""What was done, as the history of an item says it."""
FINDINGS: Words = MappingProxyType(
    {
        "account": lambda: tr("login"),
        "anchor": lambda: tr("anchor"),
        "answers": lambda: tr("answers"),
        "assignment": lambda: tr("assignment"),
        "benchmark": lambda: tr("benchmark"),
        "chain": lambda: tr("ledger"),
        "comment": lambda: tr("comment"),
        "content": lambda: tr("content"),
        "damage": lambda: tr("damage"),
        "decision": lambda: tr("decision"),
        "gap": lambda: tr("missing event"),
        "gold": lambda: tr("gold item"),
        "item": lambda: tr("item"),
        "lot": lambda: tr("lot"),
        "name": lambda: tr("name"),
        "person": lambda: tr("person"),
        "places": lambda: tr("reviewers"),
        "protocol": lambda: tr("protocol"),
        "public": lambda: tr("published text"),
        "rating": lambda: tr("rating"),
        "rating_draw": lambda: tr("rating sample"),
        "receipt": lambda: tr("receipt"),
        "run": lambda: tr("run"),
        "schema": lambda: tr("database"),
        "screening": lambda: tr("screening"),
        "setting": lambda: tr("setting"),
        "split": lambda: tr("split"),
        "step": lambda: tr("step"),
        "task": lambda: tr("task"),
        "unreadable": lambda: tr("unreadable"),
    }
)
"""What a finding of ``verify`` is about."""
BARRED: Words = MappingProxyType({"as_published": lambda: tr("as published")})
"""How an item was generated that can never be accepted."""
TEXTS: Words = MappingProxyType(
    {
        "letter": lambda: tr("letters to or from reviewers"),
        "template": lambda: tr("templates and guides for authors"),
        "licence": lambda: tr("licences"),
        "documentation": lambda: tr("documentation"),
        "questionnaire": lambda: tr("questionnaires and study materials"),
        "course": lambda: tr("material of courses"),
        "page": lambda: tr("pages about articles"),
        "plan": lambda: tr("plans and proposals"),
        "notebook": lambda: tr("notebooks of analyses"),
        "rows": lambda: tr("rows of a data set"),
        "notes": lambda: tr("notes"),
        "thanks": lambda: tr("acknowledgements"),
        "similarity": lambda: tr("reports of checks for plagiarism"),
        "program": lambda: tr("files of programs"),
    }
)
"""What a text is that is not an article (``prose.no_article.NO_ARTICLE``)."""
DEFECTS: Words = MappingProxyType(
    {
        "affiliations": lambda: tr("authors or addresses in the text"),
        "answer_leaked": lambda: tr("the answer appears in the input"),
        "answers_differ": lambda: tr("different answers to the same question"),
        "as_published": lambda: tr("generated as published"),
        "back_matter": lambda: tr("references or back matter"),
        "broken_words": lambda: tr("broken words"),
        "context_among_options": lambda: tr("the context is an option"),
        "duplicate_item": lambda: tr("duplicate item"),
        "empty_answer": lambda: tr("empty answer"),
        "empty_field": lambda: tr("empty field"),
        "empty_option": lambda: tr("empty option"),
        "empty_text": lambda: tr("empty text"),
        "entity_left": lambda: tr("old entity left"),
        "entity_missing": lambda: tr("entity missing"),
        "entity_ungrounded": lambda: tr("entity not in the knowledge"),
        "garbled_text": lambda: tr("garbled text"),
        "glued_heading": lambda: tr("heading runs into the text"),
        "input_is_output": lambda: tr("input and output are the same"),
        "instruction_in_input": lambda: tr("instruction repeated in the input"),
        "invalid_payload": lambda: tr("fields do not fit the format"),
        "invisible_characters": lambda: tr("invisible characters"),
        "key_contradicts_source": lambda: tr("key contradicts the source"),
        "key_in_question": lambda: tr("the question gives the answer away"),
        "key_not_an_option": lambda: tr("key is not an option"),
        "knowledge_missing": lambda: tr("knowledge missing"),
        "label_leaked": lambda: tr("the text names its label"),
        "labels_differ": lambda: tr("different labels for the same text"),
        "leftover_markup": lambda: tr("leftover markup"),
        "length_bias": lambda: tr("the right option stands out by length"),
        "length_gives_answer": lambda: tr("length gives the answer away"),
        "length_off": lambda: tr("length differs too much"),
        "lost_citation": lambda: tr("lost citation"),
        "markup_left": lambda: tr("markup left"),
        "mask_count_mismatch": lambda: tr("gaps and pieces do not match"),
        "missing_reference": lambda: tr("missing reference"),
        "mixed_passages": lambda: tr("mixed passages"),
        "mojibake": lambda: tr("wrongly decoded characters"),
        "mostly_markup": lambda: tr("mostly markup"),
        "near_copy": lambda: tr("nearly a copy"),
        "near_identical_options": lambda: tr("nearly identical options"),
        "needs_picture": lambda: tr("a picture is missing"),
        "not_a_number": lambda: tr("not a number"),
        "nothing_new": lambda: tr("nothing new"),
        "option_equals_key": lambda: tr("another option equals the key"),
        "option_lettered": lambda: tr("letters in front of options"),
        "order_not_permutation": lambda: tr("order is not a permutation"),
        "ordinal_cues": lambda: tr("words such as “first” give the order away"),
        "original_missing": lambda: tr("original missing"),
        "placeholder": lambda: tr("placeholder"),
        "position_bias": lambda: tr("right answers favour a position"),
        "repeated_options": lambda: tr("repeated options"),
        "sentence_fragment": lambda: tr("sentence fragment"),
        "set_unpaired": lambda: tr("set incomplete"),
        "several_right": lambda: tr("several options are right"),
        "texts_alike": lambda: tr("texts too similar"),
        "too_long": lambda: tr("too long"),
        "too_short": lambda: tr("too short"),
        "triple_kept": lambda: tr("old fact kept"),
        "triples_uneven": lambda: tr("facts do not match in number"),
        "unknown_label": lambda: tr("unknown label"),
        "unknown_metric": lambda: tr("unknown metric"),
        "wrong_language": lambda: tr("wrong language"),
        "wrong_option_count": lambda: tr("wrong number of options"),
    }
)
"""What is wrong with an item, for each name that a check of items gives."""
STORED: Words = MappingProxyType(
    {
        **ITEM_STATES,
        **VERDICT_NAMES,
        **REASONS,
        "open": lambda: tr("open"),
        "passed": lambda: tr("passed"),
        "invalid": lambda: tr("unreadable"),
        "truncated": lambda: tr("truncated"),
        "refused": lambda: tr("refused"),
        "failed": lambda: tr("failed"),
        "decision": lambda: tr("decision"),
        "Fluency": lambda: tr("Fluency"),
        "Coherence": lambda: tr("Coherence"),
        "Factuality": lambda: tr("Factuality"),
        "Accuracy": lambda: tr("Accuracy"),
    }
)
"""All of these at once, for dashboards and histories, where any of them may stand."""
SETTING_TITLES: Words = MappingProxyType(
    {
        "target": lambda: tr("Target number of items"),
        "overlap": lambda: tr("Reviewers per item"),
        "gate": lambda: tr("Language-model gate"),
        "threshold": lambda: tr("Lowest passing score (0 to 10)"),
        "gate_audit_share": lambda: tr("Share of screened-out items sent to review"),
        "audit_sample": lambda: tr("Items drawn for the audit (0: none)"),
        "audit_allowed": lambda: tr("Failures allowed for a lot to pass"),
        "private_share": lambda: tr("Private share"),
        "instructions": lambda: tr("Instruction variants"),
        "public_instructions": lambda: tr("Public instruction variants"),
        "raters": lambda: tr("Raters per sampled item"),
        "rating_sample": lambda: tr("Items drawn for rating"),
        "rubric": lambda: tr("Rubric"),
        "lease_minutes": lambda: tr("Minutes until a claim expires"),
        "gold_rate": lambda: tr("Share of gold items"),
        "gold_limit": lambda: tr("Gold accuracy below which a reviewer is paused"),
        "qualification": lambda: tr("Gold items of the qualification round (0: none)"),
        "qualification_pass": lambda: tr("Share of them that must be right to pass"),
        "skip": lambda: tr("Where skipped items go"),
    }
)
"""The settings of a protocol by their names."""
TASK_PARTS: Words = MappingProxyType(
    {
        "guideline": lambda: tr("guideline"),
        "instruction": lambda: tr("instruction"),
        "labels": lambda: tr("label space"),
        "reasons": lambda: tr("rejection reasons"),
        "rubric": lambda: tr("rubric"),
        "judge": lambda: tr("instructions for judges"),
        "metric": lambda: tr("metric"),
    }
)
"""What people write about a task (``core.workflow.tasks.DESCRIBED``)."""
METRICS: Words = MappingProxyType(
    {
        "accuracy": lambda: tr("accuracy"),
        "f1": lambda: tr("macro F1"),
        "similarity": lambda: tr("similarity to the reference"),
        "judge": lambda: tr("rating by a judge model"),
    }
)
"""What measures answers in free text of a task (``core.workflow.tasks.TASK_METRICS``)."""


RUN_FIGURES: Words = MappingProxyType(
    {
        "items": lambda: tr("items"),
        "total": lambda: tr("items"),
        "cells": lambda: tr("trainings"),
        "prompt_tokens": lambda: tr("prompt tokens"),
        "completion_tokens": lambda: tr("completion tokens"),
        "tokens": lambda: tr("tokens"),
        "cost": lambda: tr("cost"),
        "seconds": lambda: tr("seconds"),
        "requests": lambda: tr("requests"),
        "retries": lambda: tr("retries"),
        "waiting": lambda: tr("waiting"),
        "asked": lambda: tr("asked"),
        "passed": lambda: tr("passed"),
        "screened_out": lambda: tr("screened out"),
        "invalid": lambda: tr("without a usable reply"),
        "failed": lambda: tr("failed"),
        "truncated": lambda: tr("truncated"),
        "refused": lambda: tr("refused"),
        "not_asked": lambda: tr("not asked"),
        "asked_again": lambda: tr("asked again"),
        "too_long": lambda: tr("too long for the model"),
        "cut_prompts": lambda: tr("shortened prompts"),
        "server_waits_s": lambda: tr("seconds of waiting requested by the server"),
        "resumed": lambda: tr("already finished"),
        "mode": lambda: tr("mode"),
        "model": lambda: tr("model"),
    }
)
"""What the single figures of a run are called, in the order in which they are said."""


def word(words: Words, value: str) -> str:
    """The word for a stored value; the value itself, readable, where we have none."""
    label = words.get(value)
    return label() if label else value.replace("_", " ")


def label_of(value: str) -> str:
    """The word for any stored value."""
    return word(STORED, value)


def state_label(state: str) -> str:
    """The word for the state of an item, a lot, a split or a run."""
    return word({**RUN_STATES, **SPLIT_STATES, **STORED}, state)


def run_kind_label(kind: str) -> str:
    """The word for a kind of runs."""
    return word(RUN_KINDS, kind)


def format_label(name: str) -> str:
    """The word for a format of items."""
    return word(FORMATS, name)


def defect_label(name: str) -> str:
    """The word for what is wrong with an item."""
    return word(DEFECTS, name)


def role_label(role: str) -> str:
    """The word for a role."""
    return word(ROLES, role)


def criterion_label(name: str) -> str:
    """A criterion as people read it: its title in the rubric that has it."""
    from core.workflow.rubrics import rubrics

    titles = (c.title for rubric in rubrics() for c in rubric.criteria if c.name == name)
    return label_of(next(titles, name))
