"""The journey of one item: entities, knowledge, triples, style, integration, reflection.

CoreEval §3.2 to §3.4. A journey ends in exactly one outcome: ``accepted``; ``screened_out`` (a
reply that could not be used, a check or a criterion that failed to the last round);
``left_out`` (no entity, nothing found, nothing to do with the text: an item is never rewritten
from a model's memory); ``failed`` (the server gave no reply).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from core.families.base import Defect
from core.families.rewrite_checks import (
    check_semantic,
    check_updated,
    is_entity,
    mentions,
    new_names,
    normal,
    ungrounded,
)
from core.families.rewrite_payload import Triple
from core.i18n import tr, trn
from core.llm.session import ServerSession
from core.rewriting import prompts, reply_schemas
from core.rewriting.knowledge import KnowledgeLookup
from core.rewriting.params import RewriteParams
from core.rewriting.ranking import rank_facts
from core.rewriting.record import RewriteDraft, Round
from core.rewriting.step_calls import CallPosition, StepCaller, StepFailed
from core.sources.labelled.datasets import LabelledExample
from core.sources.news.events import NewsFact, Window


class _ItemEnded(Exception):
    """The journey ends before its last step: outcome, step, reason, detail."""

    def __init__(self, outcome: Any, step: str, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.arguments = (outcome, step, reason, detail)


class Pipeline:
    """The steps of one run, for any number of items at once."""

    def __init__(self, params: RewriteParams, caller: StepCaller, lookup: KnowledgeLookup) -> None:
        self._params = params
        self._task = params.task
        self._caller = caller
        self._lookup = lookup
        self._window: Window = params.window()

    async def rewrite(self, session: ServerSession, work: dict[str, Any]) -> dict[str, Any]:
        """The record of one work item."""
        draft = RewriteDraft(LabelledExample.model_validate(work["example"]))
        try:
            await self._find_entities(session, draft)
            await self._find_knowledge(draft)
            await self._summarise(session, draft)
            await self._replace_triples(session, draft)
            await self._write_semantic(session, draft)
            return await self._write_updated(session, draft)
        except _ItemEnded as ended:
            return draft.record(*ended.arguments)
        except StepFailed as failed:
            outcome: Any = "failed" if failed.why == "no_reply" else "screened_out"
            return draft.record(outcome, failed.step, failed.why, failed.detail)

    # -- knowledge (§3.2) -----------------------------------------------------------------------

    async def _find_entities(self, session: ServerSession, draft: RewriteDraft) -> None:
        example = draft.example
        if max(len(example.text), len(example.second)) > reply_schemas.LONGEST_TEXT:
            raise _ItemEnded("left_out", "entities", "too_long")
        reply = await self._caller.ask(
            session,
            CallPosition(example.id, "entities"),
            prompts.entities_prompt(self._task, example),
            reply_schemas.EntitiesForm,
            draft.trace,
        )
        named = [(entity.entity, entity.type) for entity in reply.entities]
        if example.target:
            named.append((example.target, "target"))
        text = f"{example.text}\n{example.second}\n{example.target}"
        names: set[str] = set()
        for name, kind in named:
            plain = normal(name)
            if plain and plain not in names and is_entity(name) and _is_in(text, name):
                names.add(plain)
                draft.entities.append((name, kind))
        draft.entities = draft.entities[: reply_schemas.MOST_ENTITIES]
        if not draft.entities:
            raise _ItemEnded("left_out", "entities", "no_entities")

    async def _find_knowledge(self, draft: RewriteDraft) -> None:
        names = [name for name, _ in draft.entities]
        answer = await self._lookup.look_up(draft.example.id, names)
        for key in answer["keys"]:
            draft.trace.calls.append(["knowledge", 1, 1, key])
        draft.refused = answer["refused"]
        by_entity = {
            name: [NewsFact.from_json(row) for row in rows]
            for name, rows in answer["found"].items()
            if rows
        }
        draft.facts_found = len({fact.url for facts in by_entity.values() for fact in facts})
        text = f"{draft.example.text} {draft.example.second}"
        ranked = rank_facts(by_entity, text, self._window, self._params.facts)
        draft.facts = [entry.fact for entry in ranked]
        draft.scores = [entry.score for entry in ranked]
        if not draft.facts:
            raise _ItemEnded("left_out", "knowledge", "nothing_found")

    async def _summarise(self, session: ServerSession, draft: RewriteDraft) -> None:
        reply = await self._caller.ask(
            session,
            CallPosition(draft.example.id, "summary"),
            prompts.summary_prompt(self._task, draft.example, draft.facts),
            reply_schemas.SummaryForm,
            draft.trace,
        )
        if not normal(reply.summary):
            raise _ItemEnded("left_out", "summary", "nothing_relevant")
        used = [number for number in dict.fromkeys(reply.facts) if 0 < number <= len(draft.facts)]
        if used:
            draft.scores = [draft.scores[number - 1] for number in used]
            draft.facts = [draft.facts[number - 1] for number in used]
        draft.summary = reply.summary

    # -- recontextualisation (§3.3) -------------------------------------------------------------

    async def _replace_triples(
        self, session: ServerSession, draft: RewriteDraft, critique: Sequence[str] = ()
    ) -> None:
        form = reply_schemas.PairTriplesForm if self._task.is_pair else reply_schemas.TriplesForm
        for number in self._tries(draft, "triples"):
            reply: (
                reply_schemas.PairTriplesForm | reply_schemas.TriplesForm
            ) = await self._caller.ask(
                session,
                CallPosition(draft.example.id, "triples", number),
                prompts.triples_prompt(self._task, draft.example, draft.knowledge, critique),
                form,
                draft.trace,
            )
            draft.before = tuple(pair.triple for pair in reply.before)
            draft.after = tuple(pair.triple for pair in reply.after)
            draft.substituted = reply.texts
            defects = _triple_defects(draft)
            if not defects:
                return
            critique = self._note(draft, "triples", defects)
        raise _ItemEnded("screened_out", "triples", "triples", "; ".join(critique))

    async def _write_semantic(
        self, session: ServerSession, draft: RewriteDraft, critique: Sequence[str] = ()
    ) -> None:
        example = draft.example
        original = (example.text, example.second)
        for number in self._tries(draft, "semantic"):
            texts = original
            for turn in (1, 2) if self._task.is_pair else (1,):
                reply = await self._caller.ask(
                    session,
                    CallPosition(example.id, "semantic", number, turn),
                    prompts.semantic_prompt(
                        self._task, example, draft.before, texts, turn, critique
                    ),
                    reply_schemas.TextForm,
                    draft.trace,
                )
                texts = (reply.text, texts[1]) if turn == 1 else (texts[0], reply.text)
            draft.semantic = texts
            defects = check_semantic(texts, original, draft.before, example.label)
            if not defects:
                return
            critique = self._note(draft, "semantic", defects)
        raise _ItemEnded("screened_out", "semantic", "semantic", "; ".join(critique))

    def _tries(self, draft: RewriteDraft, step: str) -> Iterator[int]:
        """The numbers of the attempts that are left for a step, over its whole journey."""
        while draft.tried[step] < self._params.max_rounds:
            draft.tried[step] += 1
            yield draft.tried[step]

    async def _begin_again(
        self, session: ServerSession, draft: RewriteDraft, critique: Sequence[str]
    ) -> None:
        """After a failed reflection the triples and the semantic text are written again, too.

        Where no attempt is left, or none is good enough, those that passed before stay.
        """
        if min(self._params.max_rounds - draft.tried[s] for s in ("triples", "semantic")) < 1:
            return
        before = (draft.before, draft.after, draft.substituted, draft.semantic)
        try:
            await self._replace_triples(session, draft, critique)
            await self._write_semantic(session, draft, critique)
        except _ItemEnded:
            draft.before, draft.after, draft.substituted, draft.semantic = before

    def _note(self, draft: RewriteDraft, step: str, defects: list[Defect]) -> list[str]:
        """Keep what was wrong with an attempt; returns it as the next one's critique."""
        draft.attempts.setdefault(step, []).append([defect.name for defect in defects])
        return [defect.detail for defect in defects]

    # -- integration and reflection (§3.3, §3.4) --------------------------------------------------

    async def _write_updated(self, session: ServerSession, draft: RewriteDraft) -> dict[str, Any]:
        critique: list[str] = []
        for number in range(1, self._params.max_rounds + 1):
            if draft.rounds and not draft.rounds[-1].defects:
                await self._begin_again(session, draft, critique)
            texts = await self._write_once(session, draft, number, critique)
            round = Round(number, texts)
            draft.rounds.append(round)
            round.defects = self._defects(draft, texts)
            if not round.defects:
                await self._reflect(session, draft, round)
            if round.good:
                return draft.record("accepted", "label")
            critique = round.critique
        last = draft.rounds[-1]
        step = "updated" if last.defects else "facts" if last.supported is False else "label"
        reason = "checks" if last.defects else step
        return draft.record("screened_out", step, reason, "; ".join(critique))

    async def _write_once(
        self, session: ServerSession, draft: RewriteDraft, number: int, critique: list[str]
    ) -> prompts.Texts:
        """One attempt; of a pair the first text is written beside the semantic second one, then
        the second beside the new first (figures 10 and 11)."""
        made_of = prompts.IntegrationInput(
            draft.semantic, draft.substituted, draft.before, draft.after, draft.knowledge
        )
        texts = ["", ""]
        for turn in (1, 2) if self._task.is_pair else (1,):
            other = draft.semantic[1] if turn == 1 else texts[0]
            reply = await self._caller.ask(
                session,
                CallPosition(draft.example.id, "updated", number, turn),
                prompts.updated_prompt(self._task, draft.example, made_of, other, turn, critique),
                reply_schemas.TextForm,
                draft.trace,
            )
            texts[turn - 1] = reply.text
        return texts[0], texts[1]

    def _defects(self, draft: RewriteDraft, texts: prompts.Texts) -> list[Defect]:
        example = draft.example
        return check_updated(
            texts,
            (example.text, example.second),
            draft.before,
            draft.after,
            example.label,
            example.target,
        )

    async def _reflect(self, session: ServerSession, draft: RewriteDraft, round: Round) -> None:
        """Both criteria, each with its rationale."""
        facts = await self._caller.ask(
            session,
            CallPosition(draft.example.id, "facts", round.number),
            prompts.facts_prompt(self._task, round.texts, draft.knowledge),
            reply_schemas.FactsForm,
            draft.trace,
            critic=True,
        )
        round.supported, round.facts_rationale = facts.supported, facts.rationale
        label = await self._caller.ask(
            session,
            CallPosition(draft.example.id, "label", round.number),
            prompts.label_prompt(self._task, draft.example, round.texts),
            reply_schemas.LabelForm,
            draft.trace,
            critic=True,
        )
        round.agrees, round.label_rationale = label.agrees, label.rationale


def _is_in(text: str, name: str) -> bool:
    """Whether an entity is the text's own: the name, or at least one longer word of it."""
    words = [word for word in normal(name).split() if len(word) >= 4 or not word.isascii()]
    return mentions(text, name) or any(mentions(text, word) for word in words)


def _triple_defects(draft: RewriteDraft) -> list[Defect]:
    """What keeps triples from being used: their number, their newness, where names come from."""
    before, after = draft.before, draft.after
    defects: list[Defect] = []
    if len(before) != len(after):
        detail = trn(
            "There is 1 triple before but {after} after the update.",
            "There are {n} triples before but {after} after the update.",
            len(before),
            after=len(after),
        )
        defects.append(Defect("triples_uneven", detail))
    unchanged = {_plain(triple) for triple in before} & {_plain(triple) for triple in after}
    if unchanged:
        detail = tr("A triple was not changed: {triple}.", triple=" — ".join(sorted(unchanged)[0]))
        defects.append(Defect("triple_kept", detail))
    names = new_names(before, after)
    if not names:
        defects.append(Defect("nothing_new", tr("Its triples introduce no new entity.")))
    for name in ungrounded(names, draft.grounds):
        detail = tr("“{name}” appears in none of the facts.", name=name)
        defects.append(Defect("entity_ungrounded", detail))
    return defects


def _plain(triple: Triple) -> tuple[str, ...]:
    return tuple(normal(part) for part in triple)
