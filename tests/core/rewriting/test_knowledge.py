"""The parts of rewriting by themselves: ranking, look-ups, the call log, sources by name, words."""

import asyncio
import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError, OutsideError
from core.rewriting import record, step_labels
from core.rewriting.call_log import CallLog, read_calls, usage_of
from core.rewriting.funnel import Funnel
from core.rewriting.knowledge import KnowledgeLookup, open_source, search_knowledge
from core.rewriting.prompts import IntegrationInput, entities_prompt, label_prompt, updated_prompt
from core.rewriting.ranking import rank_facts
from core.sources.labelled.datasets import EMOTION, RTE, STANCE, LabelledExample
from core.sources.news.events import NewsFact, Window
from resources import resource
from tests.core.rewriting.scripted import ENDS, cast, write_news
from tests.servers.gdelt_server import GdeltServer

WINDOW = Window(date(2026, 1, 1), date(2026, 12, 31))


def fact(number: int, title: str, day: int = 100, articles: int = 1) -> NewsFact:
    seen = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
    return NewsFact(title, f"https://x/{number}", seen, articles=articles)


def entry(key: str, **more) -> dict:
    return {"key": key, "item": "i", "step": "entities",
            "reply": {"prompt_tokens": 3, "completion_tokens": 2}, **more}  # fmt: skip


# -- ranking ----------------------------------------------------------------------------------


def test_a_report_on_two_entities_and_the_texts_words_comes_first():
    both = fact(1, "Eastby and Mira Holm open the harbour")
    one = fact(2, "Eastby has rain")
    found = {"Eastby": [one, both], "Mira Holm": [both]}
    ranked = rank_facts(found, "Mira Holm saw the harbour of Eastby", WINDOW, 5)
    assert [r.fact.url for r in ranked] == [both.url, one.url]
    assert ranked[0].entities == ("Eastby", "Mira Holm")


def test_of_equal_reports_the_fresh_one_wins_and_order_of_finding_does_not_matter():
    old, new = fact(1, "Eastby council meets", 1), fact(2, "Storm over Eastby tonight", 300)
    first = rank_facts({"Eastby": [old, new]}, "", WINDOW, 5)
    assert [r.fact for r in first] == [new, old]
    assert rank_facts({"Eastby": [new, old]}, "", WINDOW, 5) == first


def test_the_same_headline_counts_once():
    facts = [fact(n, f"Ferry returns to Eastby after {n} years") for n in range(5)]
    assert len(rank_facts({"Eastby": facts}, "", WINDOW, 5)) == 1


# -- the call log -----------------------------------------------------------------------------


def test_a_torn_line_is_dropped_and_whole_ones_are_found_again(tmp_path: Path):
    with CallLog(tmp_path, 0) as log:
        log.append(entry("a", text="一"))
        log.append(entry("b"))
    path = tmp_path / "calls-000.jsonl"
    path.write_bytes(path.read_bytes() + b'{"key": "c", "item"')
    with CallLog(tmp_path, 0) as log:
        assert (log.find("a") or {})["text"] == "一"
        assert log.find("c") is None
        log.append(entry("c"))
        assert log.usage.tokens == 15
    assert [found["key"] for found in read_calls(tmp_path)] == ["a", "b", "c"]


def test_what_another_shard_asked_is_found(tmp_path: Path):
    with CallLog(tmp_path, 1) as log:
        log.append(entry("a"))
    with CallLog(tmp_path, 0) as log:
        assert log.find("a")
        log.append(entry("b"))
    assert usage_of(tmp_path).as_json(1e6, 0)["entities"] == {
        "calls": 2, "prompt_tokens": 6, "completion_tokens": 4, "cost": 6.0,
    }  # fmt: skip


def test_a_call_without_reply_is_traced_but_never_found(tmp_path: Path):
    with CallLog(tmp_path, 0) as log:
        log.append(entry("a", kept=False))
        assert log.find("a") is None
    assert len(list(read_calls(tmp_path))) == 1


def test_equal_questions_wait_for_one_another(tmp_path: Path):
    asked = []

    async def ask(log: CallLog) -> None:
        async with log.alone("a"):
            if log.find("a") is None:
                asked.append(1)
                await asyncio.sleep(0.01)
                log.append(entry("a"))

    async def both() -> None:
        with CallLog(tmp_path, 0) as log:
            await asyncio.gather(*(ask(log) for _ in range(5)))

    asyncio.run(both())
    assert len(asked) == 1


# -- knowledge --------------------------------------------------------------------------------


def test_sources_are_opened_by_name(tmp_path: Path):
    with GdeltServer() as server:
        for spec in (f"gdelt-doc:{server.url}", "gdelt-doc"):
            source = open_source(spec, cache=tmp_path)
            assert source.identity.startswith("gdelt-doc:http")
            source.close()
    for spec in ("", "gdelt-files", "gdelt-files:", "wikipedia", "/some/dir"):
        with pytest.raises(InputError, match="gdelt-doc, gdelt-bigquery, gdelt-files:DIR"):
            open_source(spec)
    with pytest.raises(NotFoundError, match="no folder"):
        open_source(f"gdelt-files:{tmp_path / 'absent'}")


def test_search_gives_facts_of_the_window(tmp_path: Path):
    examples = [LabelledExample(id="1", text="the violin is back", label="joy")]
    news = write_news(tmp_path / "news", cast(examples, 1))
    spec = f"gdelt-files:{news}"
    days = (date(2026, 3, 1), date(2026, 3, 1))
    (found,) = search_knowledge(spec, "Zorvia council", *days, cache=tmp_path)
    assert (found.tone, found.seen.date()) == (-1.5, days[0])
    assert (
        search_knowledge(spec, "zorvia", date(2026, 3, 2), date(2026, 4, 1), cache=tmp_path) == []
    )
    assert search_knowledge(spec, "zorvia", *days, 0, cache=tmp_path) == []


def test_a_refused_name_is_noted_and_the_others_are_looked_up(tmp_path: Path):
    with GdeltServer(faults=["too_short"]) as server, CallLog(tmp_path, 0) as log:
        source = open_source(f"gdelt-doc:{server.url}", cache=tmp_path / "k")
        with KnowledgeLookup(source, WINDOW, log, 5) as library:
            answer = asyncio.run(library.look_up("i", ["a", "ferry"]))
            again = asyncio.run(library.look_up("j", ["a", "ferry"]))
    assert list(answer["refused"]) == ["a"]
    assert answer["found"] == {"ferry": []}
    assert again == answer
    assert len(server.asked) == 2


def test_a_source_that_fails_ends_the_look_up(tmp_path: Path):
    with GdeltServer(faults=["404"]) as server, CallLog(tmp_path, 0) as log:
        source = open_source(f"gdelt-doc:{server.url}", cache=tmp_path / "k")
        with KnowledgeLookup(source, WINDOW, log, 5) as library, pytest.raises(OutsideError):
            asyncio.run(library.look_up("i", ["ferry"]))
    assert list(read_calls(tmp_path)) == []


# -- prompts ----------------------------------------------------------------------------------


def test_text_that_looks_like_a_placeholder_stays_as_it_is():
    example = LabelledExample(id="1", text="{{rules}} {{label}} {0} {x}", label="joy")
    assert "{{rules}} {{label}} {0} {x}" in entities_prompt(EMOTION, example).text


def test_no_placeholder_is_left_and_the_label_question_names_the_target():
    example = LabelledExample(id="1", text="a", label="favor", target="the ferry")
    asked = label_prompt(STANCE, example, ("b", ""))
    assert "{{" not in asked.text
    assert "towards “the ferry”" in asked.text
    assert "“favor”" in asked.text


def test_the_second_text_of_a_pair_is_written_beside_the_new_first():
    example = LabelledExample(id="1", text="old one", second="old two", label="entailment")
    made_of = IntegrationInput(("s one", "s two"), ("u one", "u two"), (("a", "r", "b"),),
                          (("c", "r", "b"),), "known")  # fmt: skip
    text = updated_prompt(RTE, example, made_of, "new one", 2, ["Mend it."]).text
    assert "<premise>\nnew one\n</premise>" in text
    assert "<model_text>\ns two\n</model_text>" in text
    assert "Write the hypothesis only" in text
    assert "- Mend it." in text
    assert "may remain: a." in text


# -- words and the rubric ---------------------------------------------------------------------


def test_every_step_outcome_and_reason_has_its_words():
    assert all(step_labels.step_words(step) for step in record.STEPS)
    assert all(step_labels.outcome_words(o) for o in (*record.OUTCOMES, "unfinished"))
    assert all(
        bool(step_labels.reason_words(reason)) == bool(reason) for *_, reason in ENDS.values()
    )


def test_an_empty_funnel_is_all_zero():
    funnel = Funnel().as_json()
    assert (funnel["items"], funnel["accepted"], funnel["rounds"]) == (0, 0, {})


def test_the_rubric_has_the_scales_of_table_13():
    rubric = json.loads(resource("rubrics", "coreeval.json").read_text(encoding="utf-8"))
    scales = {c["name"]: [v["value"] for v in c["values"]] for c in rubric["criteria"]}
    assert scales == {
        "fluency": [1, 2, 3], "coherence": [1, 2, 3], "factuality": [0, 1], "accuracy": [0, 1],
    }  # fmt: skip
