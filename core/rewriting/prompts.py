"""The prompts of the steps: our wording in ``resources/prompts/rewrite_*.md``, filled in.

Inputs, outputs and constraints are those of figures 5 to 13 of CoreEval.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.families.rewrite_checks import replaced_names, word_count
from core.families.rewrite_payload import Triple
from core.files import file_digest
from core.sources.labelled.datasets import LabelledExample, LabelledTask
from core.sources.news.events import NewsFact
from resources import resource

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_SHORTEST = 5  # words that a rewrite is asked to have at least
_EVERY_ENTITY = " and names every one of their new entities"
_SHOWN_DETAIL = 500  # characters of a report's detail

Texts = tuple[str, str]
"""The text and, of a pair, the second text; else empty."""


@dataclass(frozen=True, slots=True)
class StepPrompt:
    """What one call asks. ``version`` names the prompt file and what it says."""

    text: str
    version: str


@cache
def _template(name: str) -> tuple[str, str]:
    """(body, version) of a prompt file."""
    path = resource("prompts", f"rewrite_{name}.md")
    head, _, body = path.read_text(encoding="utf-8").partition("\n---\n")
    version = head.removeprefix("version:").strip()
    return body.strip() + "\n", f"{version}:{file_digest(path)[:12]}"


def prompt_versions() -> dict[str, str]:
    """Step to prompt version, of all steps that ask a model."""
    names = ("entities", "summary", "triples", "semantic", "updated", "facts", "label")
    return {name: _template(name)[1] for name in names}


def _fill(name: str, **values: str) -> StepPrompt:
    """One pass over the template, so that a text that looks like a placeholder stays as it is."""
    body, version = _template(name)
    text = _PLACEHOLDER.sub(lambda match: values[match.group(1)], body)
    return StepPrompt(re.sub(r"\n{3,}", "\n\n", text), version)


def _material(parts: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"<{tag}>\n{text}\n</{tag}>" for tag, text in parts if text)


def _tags(task: LabelledTask, texts: Texts, prefix: str = "") -> list[tuple[str, str]]:
    """The text, or both texts of a pair, under the names that the task gives them."""
    if not task.is_pair:
        return [(f"{prefix}text", texts[0])]
    names = [f"{prefix}{part.replace(' ', '_')}" for part in task.parts]
    return list(zip(names, texts, strict=True))


def _target(example: LabelledExample) -> list[tuple[str, str]]:
    return [("target", example.target)]


def question_of(task: LabelledTask, example: LabelledExample) -> str:
    """What decides the label, with the example's target in its place."""
    return task.question.replace("{target}", example.target)


def _rules(task: LabelledTask, example: LabelledExample) -> str:
    """The rule that keeps the label, after figures 7 to 11."""
    subject = "pair" if task.is_pair else "text"
    lines = [
        f"The label must stay right. To the question “{question_of(task, example)}” the answer "
        f"for the original {subject} is “{example.label}” (out of: {', '.join(task.labels)}), and "
        f"it must be as clearly so for the new {subject}."
    ]
    if example.target:
        lines.append(f"The target “{example.target}” itself is not replaced.")
    return "\n".join(lines)


def _critique(points: Sequence[str]) -> str:
    if not points:
        return ""
    listed = "\n".join(f"- {point}" for point in points)
    return f"\nAn earlier attempt was not good enough. Mend this:\n{listed}\n"


def entities_prompt(task: LabelledTask, example: LabelledExample) -> StepPrompt:
    """Figure 5, upper half."""
    texts = (example.text, example.second)
    return _fill("entities", material=_material([*_tags(task, texts), *_target(example)]))


def summary_prompt(
    task: LabelledTask, example: LabelledExample, facts: Sequence[NewsFact]
) -> StepPrompt:
    """Figure 5, lower half; the reports are numbered from 1."""
    reports = "\n".join(
        f"{number}. [{fact.seen:%Y-%m-%d}] {fact.title}"
        + (f" ({fact.detail[:_SHOWN_DETAIL]})" if fact.detail else "")
        for number, fact in enumerate(facts, start=1)
    )
    texts = (example.text, example.second)
    return _fill("summary", material=_material([("reports", reports), *_tags(task, texts)]))


def triples_prompt(
    task: LabelledTask, example: LabelledExample, knowledge: str, critique: Sequence[str]
) -> StepPrompt:
    """Figure 6: of a pair, both texts are taken apart together."""
    first, second = task.parts
    return _fill(
        "triples",
        material=_material(
            [
                *_tags(task, (example.text, example.second)),
                *_target(example),
                ("knowledge", knowledge),
            ]
        ),
        parts_note=f": the {first} as “first”, the {second} as “second”" if task.is_pair else "",
        rules=_rules(task, example),
        critique=_critique(critique),
        reply='"first": "…", "second": "…"' if task.is_pair else '"text": "…"',
    )


def _listed(triples: Sequence[Triple]) -> str:
    return "\n".join(f"{head} — {relation} — {tail}" for head, relation, tail in triples)


def _length(original: str) -> str:
    """Number of words to aim at; at least a few, even for a text of one word."""
    return str(max(_SHORTEST, word_count(original)))


def _pair_note(task: LabelledTask, turn: int) -> str:
    if not task.is_pair:
        return ""
    mine, other = task.parts[turn - 1], task.parts[2 - turn]
    return f"\nWrite the {mine} only; the {other} is given and stays as it is."


def semantic_prompt(
    task: LabelledTask,
    example: LabelledExample,
    triples: Sequence[Triple],
    current: Texts,
    turn: int,
    critique: Sequence[str],
) -> StepPrompt:
    """Figures 7 and 8. ``turn`` is 1 or 2; ``current`` holds what earlier turns have written."""
    original = (example.text, example.second)[turn - 1]
    return _fill(
        "semantic",
        material=_material(
            [*_tags(task, current), *_target(example), ("relations", _listed(triples))]
        ),
        part=task.parts[turn - 1] if task.is_pair else "text",
        length=_length(original),
        rules=_rules(task, example) + _pair_note(task, turn),
        critique=_critique(critique),
    )


@dataclass(frozen=True, slots=True)
class IntegrationInput:
    """What the final text is made of (equation 5), beside the original."""

    semantic: Texts
    substituted: Texts
    before: tuple[Triple, ...]
    after: tuple[Triple, ...]
    knowledge: str


def updated_prompt(
    task: LabelledTask,
    example: LabelledExample,
    made_of: IntegrationInput,
    other: str,
    turn: int,
    critique: Sequence[str],
) -> StepPrompt:
    """Figures 9 to 11. ``other`` is the text of the pair that stays: of turn 1 the semantic
    second text, of turn 2 the new first one."""
    original = (example.text, example.second)
    parts = [
        ("model_text", made_of.semantic[turn - 1]),
        ("draft", made_of.substituted[turn - 1]),
        *_tags(task, original, "original_"),
    ]
    if task.is_pair:
        parts.append((task.parts[2 - turn].replace(" ", "_"), other))
    parts += [
        *_target(example),
        ("new_relations", _listed(made_of.after)),
        ("knowledge", made_of.knowledge),
    ]
    gone = replaced_names(made_of.before, made_of.after, example.target)
    return _fill(
        "updated",
        material=_material(parts),
        part=task.parts[turn - 1] if task.is_pair else "text",
        naming=" of its draft, and their new entities" if task.is_pair else _EVERY_ENTITY,
        replaced=", ".join(gone) or "–",
        length=_length(original[turn - 1]),
        rules=_rules(task, example) + _pair_note(task, turn),
        critique=_critique(critique),
    )


def facts_prompt(task: LabelledTask, texts: Texts, knowledge: str) -> StepPrompt:
    """Figure 13 (under the caption of figure 12)."""
    return _fill("facts", material=_material([("knowledge", knowledge), *_tags(task, texts)]))


def label_prompt(task: LabelledTask, example: LabelledExample, texts: Texts) -> StepPrompt:
    """Figure 12 (under the caption of figure 13)."""
    values: Mapping[str, str] = {
        "material": _material([*_tags(task, texts), *_target(example)]),
        "question": question_of(task, example),
        "labels": ", ".join(task.labels),
        "label": example.label,
    }
    return _fill("label", **values)
