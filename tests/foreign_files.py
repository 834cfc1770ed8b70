"""Files of items in the layouts in which data sets and annotation tools publish them.

The words are ours; names of columns and their nesting are those of the originals.
"""

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ForeignFile:
    """A kind of file: ``write`` makes one of ``rows`` in a folder. ``family`` is what the rows are,
    ``items`` how many they give, ``format`` as what the file is recognised."""

    name: str
    format: str
    family: str
    rows: Sequence[Row]
    write: Callable[[Path, Sequence[Row]], Path]
    items: int = 0

    @property
    def count(self) -> int:
        return self.items or len(self.rows)


def _lines(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    return write


def _packed(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / name).write_bytes(gzip.compress(text.encode()))
        return folder / name

    return write


def _document(name: str, key: str = "", **beside: Any) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        value: Any = {"version": "1.0", **beside, key: list(rows)} if key else list(rows)
        (folder / name).write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
        return folder / name

    return write


def _yaml(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        import yaml

        (folder / name).write_text(yaml.safe_dump(list(rows), allow_unicode=True), "utf-8")
        return folder / name

    return write


def _spread(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    """Objects one behind the other, each over several lines."""

    def write(folder: Path, rows: Sequence[Row]) -> Path:
        text = "\n".join(json.dumps(row, ensure_ascii=False, indent=2) for row in rows)
        (folder / name).write_text(text + "\n", encoding="utf-8")
        return folder / name

    return write


def _csv(name: str, *, header: bool = True) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        text = io.StringIO()
        writer = csv.writer(text)
        if header:
            writer.writerow(rows[0])
        writer.writerows(row.values() for row in rows)
        (folder / name).write_text(text.getvalue(), encoding="utf-8")
        return folder / name

    return write


def _excel(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        import pandas as pd

        half = len(rows) // 2
        with pd.ExcelWriter(folder / name) as book:
            for sheet, part in (("law", rows[:half]), ("medicine", rows[half:])):
                bare = [{k: v for k, v in row.items() if k != "sheet"} for row in part]
                pd.DataFrame(bare).to_excel(book, sheet_name=sheet, index=False)
        return folder / name

    return write


def _parquet(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), folder / name)
        return folder / name

    return write


def _arrow(folder: Path, rows: Sequence[Row], name: str = "data-00000-of-00001.arrow") -> Path:
    import pyarrow as pa

    table = pa.Table.from_pylist([dict(row) for row in rows])
    with pa.OSFile(str(folder / name), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    return folder / name


def _saved_dataset(folder: Path, rows: Sequence[Row]) -> Path:
    """As ``datasets.DatasetDict.save_to_disk`` writes: a folder for each split."""
    place = folder / "dataset"
    half = len(rows) // 2
    for split, part in (("train", rows[:half]), ("test", rows[half:])):
        below = place / split
        below.mkdir(parents=True)
        _arrow(below, [{k: v for k, v in row.items() if k != "split"} for row in part])
        names = {"_type": "ClassLabel", "names": ["负面", "正面"]}
        info = {"features": {"text": {"dtype": "string", "_type": "Value"}, "label": names}}
        (below / "dataset_info.json").write_text(json.dumps(info), "utf-8")
        state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}
        (below / "state.json").write_text(json.dumps(state), "utf-8")
    (place / "dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}), "utf-8")
    return place


def _splits_alone(place: Path) -> Path:
    """As if each split had been saved by itself."""
    (place / "dataset_dict.json").unlink()
    return place


QUESTIONS = (
    ("Which of these keeps water out of a gauge?", ("A lid", "A radio", "A river", "A map"), 0),
    ("Who reads the gauge at night?", ("The miller", "Nobody", "The mayor", "A clerk"), 1),
    ("When does the snow melt?", ("In autumn", "In winter", "In spring", "Never"), 2),
    (
        "Where does the repeater stand?",
        ("In town", "At the mill", "By the lake", "On the ridge"),
        3,
    ),
    ("What did the trees do?", ("They fell", "They shaded it", "They burned", "They grew"), 1),
    ("How high was the water?", ("One metre", "2 metres", "Three", "It was dry"), 3),
)
CHINESE = (
    ("下列哪一项最能挡住雨水？", ("盖子", "无线电", "河流", "地图"), 0),
    ("夜里由谁读数？", ("磨坊主", "没有人", "镇长", "职员"), 1),
    ("积雪什么时候融化？", ("秋天", "冬天", "春天", "从不"), 2),
    ("中继站建在哪里？", ("镇上", "磨坊", "湖边", "山脊"), 3),
)
PASSAGE = "The gauge stands under a lid; nobody reads it at night, and the snow melts in spring."


def _lettered(question: str, options: Sequence[str], key: int, **more: Any) -> Row:
    named = dict(zip("ABCD", options, strict=True))
    return {"Question": question, **named, "Answer": "ABCD"[key], **more}


def _mmlu(question: str, options: Sequence[str], key: int) -> Row:
    return {"question": question, **dict(zip("ABCD", options, strict=True)), "answer": "ABCD"[key]}


def _arc(number: int, question: str, options: Sequence[str], key: int) -> Row:
    marks = "1234" if number % 2 else "ABCD"
    choices = [{"text": text, "label": mark} for text, mark in zip(options, marks, strict=True)]
    return {"id": f"Mercury_{number}", "question": {"stem": question, "choices": choices},
            "answerKey": marks[key]}  # fmt: skip


def _agieval(question: str, options: Sequence[str], key: int) -> Row:
    lettered = [f"({letter}){text}" for letter, text in zip("ABCD", options, strict=True)]
    return {"passage": PASSAGE, "question": question, "options": lettered, "label": "ABCD"[key],
            "answer": None, "other": {"source": "own", "solution": "It says so."}}  # fmt: skip


SQUAD = [
    {"title": "Gauge", "paragraphs": [
        {"context": PASSAGE, "qas": [
            {"id": "q1", "question": "What does it stand under?", "is_impossible": False,
             "answers": [{"text": "a lid", "answer_start": 23},
                         {"text": "lid", "answer_start": 25}]},
            {"id": "q2", "question": "When does the snow melt?", "is_impossible": False,
             "answers": [{"text": "in spring", "answer_start": 75}]},
        ]},
    ]},
]  # fmt: skip


def _blocks(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    """As LogiQA writes: letter, passage, question and lettered options, a line each."""

    def write(folder: Path, rows: Sequence[Row]) -> Path:
        blocks = [
            "\n".join([row["answer"], row["passage"], row["question"],
                       *(f"{letter}.{o}" for letter, o in zip("ABCD", row["options"],
                                                              strict=True))])
            for row in rows
        ]  # fmt: skip
        (folder / name).write_text("\n" + "\n\n".join(blocks) + "\n", "utf-8")
        return folder / name

    return write


def _tabs(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    def write(folder: Path, rows: Sequence[Row]) -> Path:
        lines = ["\t".join(rows[0]), *("\t".join(row.values()) for row in rows)]
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")
        return folder / name

    return write


def _words(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    """A word and its tag in each line, and an empty line behind each sentence."""

    def write(folder: Path, rows: Sequence[Row]) -> Path:
        for row in rows:
            lines = map("\t".join, zip(row["text"].split(), row["tags"], strict=True))
            with (folder / name).open("a", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n\n")
        return folder / name

    return write


def _one_line(options: Sequence[str]) -> str:
    return " ".join(f"({letter}) {o}" for letter, o in zip("ABCD", options, strict=True))


def _scored(question: str, options: Sequence[str], key: int, **more: Any) -> Row:
    return {"input": question, "target_scores": {o: int(n == key) for n, o in enumerate(options)},
            **more}  # fmt: skip


def _helm(number: int, question: str, options: Sequence[str], key: int) -> Row:
    """As HELM writes an instance: what is right is said by a tag."""
    references = [{"output": {"text": text}, "tags": ["correct"] if n == key else []}
                  for n, text in enumerate(options)]  # fmt: skip
    return {"id": f"id{number}", "input": {"text": question}, "references": references,
            "split": "test"}  # fmt: skip


def _drop(number: str = "", spans: Sequence[str] = (), **date: str) -> Row:
    empty = {"day": "", "month": "", "year": ""}
    return {"number": number, "date": {**empty, **date}, "spans": list(spans)}


def _by_section(name: str) -> Callable[[Path, Sequence[Row]], Path]:
    """As DROP writes: an object with an object for each section."""

    def write(folder: Path, rows: Sequence[Row]) -> Path:
        sections = {f"nfl_{n}": row for n, row in enumerate(rows)}
        (folder / name).write_text(json.dumps(sections, ensure_ascii=False), "utf-8")
        return folder / name

    return write


def _c3(name: str) -> Callable[[Path, Sequence[Any]], Path]:
    def write(folder: Path, rows: Sequence[Any]) -> Path:
        (folder / name).write_text(json.dumps(list(rows), ensure_ascii=False, indent=1), "utf-8")
        return folder / name

    return write


PAIRS = (
    ("A lid keeps the gauge dry.", "entailment"),
    ("Somebody reads it at night.", "contradiction"),
    ("The gauge is made of wood.", "neutral"),
)

FILES: tuple[ForeignFile, ...] = (
    ForeignFile("mmlu", "mmlu", "choice", [_mmlu(*q) for q in QUESTIONS],
                _csv("anatomy_test.csv", header=False)),
    ForeignFile("mmlu-hugging-face", "parquet", "choice",
                [{"question": q, "subject": "anatomy", "choices": list(o), "answer": k}
                 for q, o, k in QUESTIONS], _parquet("test-00000-of-00001.parquet")),
    ForeignFile("cmmlu", "csv", "choice",
                [{"": str(n), **_lettered(*q)} for n, q in enumerate(CHINESE)],
                _csv("agronomy.csv")),
    ForeignFile("c-eval", "csv", "choice",
                [{"id": str(n), **{k.lower() if len(k) > 1 else k: v for k, v in
                  _lettered(*q, explanation="文中写明。").items()}} for n, q in enumerate(CHINESE)],
                _csv("law_val.csv")),
    ForeignFile("arc", "jsonl", "choice", [_arc(n, *q) for n, q in enumerate(QUESTIONS)],
                _lines("ARC-Challenge-Test.jsonl")),
    ForeignFile("arc-hugging-face", "jsonl", "choice",
                [{"id": f"M{n}", "question": q, "answerKey": "ABCD"[k],
                  "choices": {"text": list(o), "label": list("ABCD")}}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _lines("arc.jsonl")),
    ForeignFile("agieval", "jsonl", "choice", [_agieval(*q) for q in QUESTIONS],
                _lines("logiqa-en.jsonl")),
    ForeignFile("agieval-several", "jsonl", "choice",
                [{**_agieval(*q), "label": ["A", "C"] if n % 2 else ["B"]}
                 for n, q in enumerate(CHINESE)], _lines("jec-qa-kd.jsonl")),
    ForeignFile("cosmosqa", "csv", "choice",
                [{"id": f"c{n}", "context": PASSAGE, "question": q,
                  **{f"answer{i}": text for i, text in enumerate(o)}, "label": str(k)}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _csv("train.csv")),
    ForeignFile("race", "race", "choice",
                [{"id": "high1.txt", "article": PASSAGE, "questions": [q for q, _, _ in QUESTIONS],
                  "options": [list(o) for _, o, _ in QUESTIONS],
                  "answers": ["ABCD"[k] for _, _, k in QUESTIONS]}],
                lambda folder, rows: _document("1.txt.json")(folder, rows), items=len(QUESTIONS)),
    ForeignFile("squad", "squad", "answer", SQUAD, _document("dev-v2.0.json", "data"), items=2),
    ForeignFile("squad-hugging-face", "jsonl", "answer",
                [{"id": "q1", "title": "Gauge", "context": PASSAGE, "question": "Under what?",
                  "answers": {"text": ["a lid", "a lid", "lid"], "answer_start": [23, 23, 25]}}],
                _lines("squad.jsonl")),
    ForeignFile("gsm8k", "jsonl", "answer",
                [{"question": "Two gauges and three more?", "answer": "2 + 3 = <<2+3=5>>5\n#### 5"},
                 {"question": "Half of 2,468?", "answer": "It is 1,234.\n#### 1,234"}],
                _lines("test.jsonl")),
    ForeignFile("gsm8k-solutions", "jsonl", "answer",
                [{"question": "Two gauges and three more?",
                  "ground_truth": "There are 2 + 3 = <<2+3=5>>5 gauges.\nA: 5"},
                 {"question": "Half of 20?", "ground_truth": "It is <<20/2=10>>10.\nA: 10"}],
                _lines("solutions.jsonl")),
    ForeignFile("sharegpt", "messages", "instruction",
                [{"id": "s1", "conversations": [
                    {"from": "human", "value": "Name a gauge."},
                    {"from": "gpt", "value": "The mill's."}]},
                 {"id": "s2", "conversations": [
                    {"from": "system", "value": "You keep the log."},
                    {"from": "human", "value": "How high?"}, {"from": "gpt", "value": "One metre."},
                    {"from": "human", "value": "And now?"},
                    {"from": "gpt", "value": "Two metres."}]}],
                _document("sharegpt.json")),
    ForeignFile("openai-messages", "messages", "instruction",
                [{"messages": [{"role": "system", "content": "你记录水位。"},
                               {"role": "user", "content": "现在多高？"},
                               {"role": "assistant", "content": "一米。", "weight": 1}]},
                 {"messages": [{"role": "user", "content": [{"type": "text", "text": "谁读数？"}]},
                               {"role": "assistant", "content": "没有人。"}]}],
                _lines("messages.jsonl")),
    ForeignFile("self-instruct", "self-instruct", "instruction",
                [{"id": "seed_1", "name": "gauge", "instruction": "Name what is read.",
                  "is_classification": False, "instances": [
                      {"input": "At the mill.", "output": "The gauge."},
                      {"input": "In the log.", "output": "The height."}]},
                 {"id": "seed_2", "name": "lid", "instruction": "Say what a lid does.",
                  "is_classification": False, "instances": [
                      {"input": "", "output": "It keeps the rain out."}]}],
                _lines("seed_tasks.jsonl"), items=3),
    ForeignFile("argilla", "argilla", "instruction",
                [{"id": "a1", "status": "completed", "fields": {"text": "杯子没有磕碰。"},
                  "metadata": {"shop": "七"},
                  "suggestions": {"label": {"value": "正面", "score": 0.9, "agent": "m"}},
                  "responses": {"label": [{"value": "正面", "user_id": "u1"},
                                          {"value": "负面", "user_id": "u2"},
                                          {"value": "正面", "user_id": "u3"}]}}],
                _document("records.json")),
    ForeignFile("label-studio", "label-studio", "instruction",
                [{"id": 7, "data": {"text": "杯子没有磕碰。", "shop": "七"}, "meta": {"batch": 3},
                  "annotations": [
                      {"id": 1, "completed_by": {"email": "an@x.org"}, "created_at": "2026-01-01",
                       "result": [{"from_name": "label", "to_name": "text", "type": "choices",
                                   "value": {"choices": ["正面"]}}]},
                      {"id": 2, "completed_by": 5, "created_at": "2026-01-02",
                       "result": [{"from_name": "label", "to_name": "text", "type": "choices",
                                   "value": {"choices": ["负面"]}}]}]}],
                _document("project-1.json")),
    ForeignFile("doccano-without-ids", "doccano", "instruction",
                [{"text": "颜色和图片一样。", "label": ["正面"], "Comments": ["ok"]},
                 {"text": "又好又坏。", "label": ["正面", "负面"], "Comments": []}],
                _lines("admin.jsonl")),
    ForeignFile("hugging-face-folder", "dataset", "instruction",
                [{"text": "杯子没有磕碰。", "label": 1, "split": "train"},
                 {"text": "杯子碎了。", "label": 0, "split": "test"}], _saved_dataset),
    ForeignFile("arrow", "arrow", "choice",
                [{"question": q, "choices": list(o), "answer": k, "votes": [3, 1]}
                 for q, o, k in QUESTIONS], _arrow),
    ForeignFile("packed-lines", "jsonl", "choice",
                [{"query": q, "options": dict(zip("ABCD", o, strict=True)), "answer_idx": "ABCD"[k],
                  "answer": o[k], "tags": ["rain", "gauge"]} for q, o, k in QUESTIONS],
                _packed("medqa.jsonl.gz")),
    ForeignFile("yaml", "yaml", "answer",
                [{"question": "谁读数？", "answers": ["没有人", "无人"], "tags": ["夜里"],
                  "year": 2026}],
                _yaml("items.yaml")),
    ForeignFile("excel-sheets", "excel", "choice",
                [{**_mmlu(*q), "sheet": "law" if n < 3 else "medicine", "source": f"p. {n}"}
                 for n, q in enumerate(QUESTIONS)], _excel("items.xlsx")),
    ForeignFile("big-bench", "jsonl", "choice", [_scored(*q) for q in QUESTIONS],
                _document("task.json", "examples")),
    ForeignFile("big-bench-with-reasons", "jsonl", "choice",
                [_scored(*q, target="It says so. That is why.") for q in QUESTIONS],
                _document("task.json", "examples")),
    ForeignFile("openbookqa-tabs", "csv", "choice",
                [{"ID": f"7-{n}", "Question Stem": q, "Choices": _one_line(o),
                  "Complete Question": f"{q} {_one_line(o)}", "Answer Key": "ABCD"[k]}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _tabs("dev.tsv")),
    ForeignFile("logiqa", "logiqa", "choice",
                [{"answer": "abcd"[k], "passage": PASSAGE, "question": q, "options": list(o)}
                 for q, o, k in (*QUESTIONS, *CHINESE)], _blocks("Eval.txt")),
    ForeignFile("truthfulqa", "csv", "choice",
                [{"Type": "own", "Question": q, "Best Answer": o[k],
                  "Best Incorrect Answer": o[k - 1],
                  "Correct Answers": f"{o[k]}; Perhaps {o[k]}",
                  "Incorrect Answers": "; ".join(x for x in o if x != o[k])}
                 for q, o, k in QUESTIONS], _csv("TruthfulQA.csv")),
    ForeignFile("xiezhi", "jsonl", "choice",
                [{"question": q, "label": ["Hydrology", "Geography"], "answer": o[k],
                  "options": "\n".join(o) + '"\n'} for q, o, k in QUESTIONS],
                _lines("xiezhi.v1.json")),
    ForeignFile("options-in-a-cell", "csv", "choice",
                [{"id": f"q{n}", "text": q, "options": ",".join(o), "answer": o[k],
                  "explanation": "文中写明。"} for n, (q, o, k) in enumerate(CHINESE)],
                _csv("questions.csv")),
    ForeignFile("svamp", "jsonl", "answer",
                [{"ID": f"c{n}", "Body": f"There are {n} gauges and 3 more come.",
                  "Question": "How many are there?", "Equation": f"( {n} + 3 )",
                  "Answer": n + 3.5, "Type": "Addition"} for n in range(2, 5)],
                _document("SVAMP.json")),
    ForeignFile("gaokao-bench", "jsonl", "answer",
                [{"year": "2026", "category": "（全国卷）",
                  "question": f"{n}. 第 36～38 题：选词填空。", "answer": list(letters),
                  "analysis": "36. 略", "index": n, "score": 1.5}
                 for n, letters in enumerate(("CDC", "AAB", "D"))],
                _document("Fill_in_Blanks.json", "example")),
    ForeignFile("bustm", "jsonl", "instruction",
                [{"id": n, "sentence1": q, "sentence2": f"请问，{q}", "label": str(n % 2)}
                 for n, (q, _, _) in enumerate(CHINESE)], _lines("dev_0.json")),
    ForeignFile("snli", "jsonl", "instruction",
                [{"gold_label": label, "pairID": f"p{n}", "sentence1": PASSAGE, "sentence2": text,
                  "annotator_labels": [label, "neutral"]} for n, (text, label) in enumerate(PAIRS)],
                _lines("snli_1.0_dev.jsonl")),
    ForeignFile("anli", "jsonl", "instruction",
                [{"uid": f"u{n}", "context": PASSAGE, "hypothesis": text, "label": label[0],
                  "reason": "It says so."} for n, (text, label) in enumerate(PAIRS)],
                _lines("R1.jsonl")),
    ForeignFile("copa", "jsonl", "choice",
                [{"premise": f"{PASSAGE} {q}", "choice1": o[k], "choice2": o[k - 1], "idx": n,
                  "question": "effect" if n % 2 else "cause", "label": 0}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _lines("val.jsonl")),
    ForeignFile("options-in-the-question", "jsonl", "choice",
                [{"canary": "gauge", "examples": n, "input": f"{q}\nOptions:\n" + "\n".join(
                    f"({'ABCD'[place]}) {text}" for place, text in enumerate(o)),
                  "target": f"({'ABCD'[k]})"} for n, (q, o, k) in enumerate(QUESTIONS)],
                _lines("bbh.jsonl")),
    ForeignFile("several-best-answers", "jsonl", "choice",
                [{"Question": q, "Best Answer1": o[k], "Best Answer2": f"{o[k]}!",
                  **{f"Wrong_Answer{n}": o[k - n] for n in (1, 2, 3)}} for q, o, k in QUESTIONS],
                _lines("halluqa.jsonl")),
    ForeignFile("chid", "jsonl", "choice",
                [{"id": n, "candidates": list(o), "content": q, "answer": k}
                 for n, (q, o, k) in enumerate(CHINESE)], _lines("test_public.json")),
    ForeignFile("prodigy-choices", "prodigy", "choice",
                [{"text": q, "options": [{"id": f"o{i}", "text": text} for i, text in enumerate(o)],
                  "accept": [f"o{k}"], "answer": "accept", "_input_hash": n, "_task_hash": -n,
                  "_session_id": "gauges-an"} for n, (q, o, k) in enumerate(QUESTIONS)],
                _lines("gauges.jsonl")),
    ForeignFile("prodigy-labels", "prodigy", "instruction",
                [{"text": q, "label": "问题", "answer": "accept", "_input_hash": n, "_task_hash": n}
                 for n, (q, _, _) in enumerate(CHINESE)], _lines("textcat.jsonl")),
    ForeignFile("argilla-hugging-face", "argilla", "instruction",
                [{"text": "杯子没有磕碰。", "external_id": "e1", "metadata": "{\"shop\": 7}",
                  "label": [{"user_id": "u1", "value": "负面", "status": "submitted"},
                            {"user_id": "u2", "value": "正面", "status": "submitted"},
                            {"user_id": "u3", "value": "正面", "status": "submitted"}],
                  "label-suggestion": "负面",
                  "label-suggestion-metadata": {"type": None, "score": 0.8, "agent": "m"}}],
                _lines("train.jsonl")),
    ForeignFile("openai-evals", "openai-evals", "answer",
                [{"input": [{"role": "system", "content": "You keep the log."},
                            {"role": "user", "content": q}], "ideal": [o[k], f"{o[k]}."]}
                 for q, o, k in QUESTIONS], _lines("samples.jsonl")),
    ForeignFile("openai-evals-texts", "openai-evals", "answer",
                [{"input": q, "ideal": o[k]} for q, o, k in CHINESE], _lines("samples.jsonl")),
    ForeignFile("helm-choices", "helm", "choice", [_helm(n, *q) for n, q in enumerate(QUESTIONS)],
                _document("instances.json")),
    ForeignFile("helm-answers", "helm", "answer",
                [_helm(n, q, [o[k]], 0) for n, (q, o, k) in enumerate(QUESTIONS)],
                _document("instances.json")),
    ForeignFile("kola", "helm", "answer",
                [{"instance": _helm(n, q, [o[k]], 0), "request": {}}
                 for n, (q, o, k) in enumerate(QUESTIONS)],
                _document("kola.json", "request_states", adapter_spec={
                    "instructions": "Answer from what you know."})),
    ForeignFile("mt-bench", "mt-bench", "instruction",
                [{"question_id": n, "category": "writing", "turns": [q, f"Why not {o[k - 1]}?"],
                  "reference": [o[k], f"It is not so for {o[k]}."]}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _lines("question.jsonl"), items=12),
    ForeignFile("drop", "nested-questions", "answer",
                [{"passage": PASSAGE, "wiki_url": f"https://x.org/{n}", "qa_pairs": [
                    {"question": q, "query_id": f"d{n}", "answer": _drop(spans=[o[k], o[k - 1]]),
                     "validated_answers": [_drop(number=str(n + 2))]},
                    {"question": f"When: {q}", "query_id": f"w{n}",
                     "answer": _drop(day="31", month="October", year=str(1517 + n))}]}
                 for n, (q, o, k) in enumerate(QUESTIONS)],
                _by_section("drop_dev.json"), items=12),
    ForeignFile("drop-hugging-face", "jsonl", "answer",
                [{"section_id": "s1", "query_id": f"d{n}", "passage": PASSAGE, "question": q,
                  "answers_spans": {"spans": [o[k], o[k]], "types": ["span", "span"]}}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _lines("drop.jsonl")),
    ForeignFile("cmrc", "nested-questions", "answer",
                [{"context_id": "T0", "context_text": PASSAGE, "title": "水位", "qas": [
                    {"query_id": f"T0_{n}", "query_text": q, "answers": [o[k], f"是{o[k]}"]}
                    for n, (q, o, k) in enumerate(CHINESE)]}], _document("cmrc.json"), items=4),
    ForeignFile("c3", "c3", "choice",
                [[["男：听说你要去看水位？", "女：是呀。"],
                  [{"question": q, "choice": list(o), "answer": o[k]}], f"1-{n}"]
                 for n, (q, o, k) in enumerate(CHINESE)], _c3("c3-d-dev.json")),
    ForeignFile("firefly", "messages", "instruction",
                [{"conversation_id": n, "category": "gauges",
                  "conversation": [{"human": q, "assistant": o[k]}]}
                 for n, (q, o, k) in enumerate(CHINESE)], _lines("firefly.jsonl")),
    ForeignFile("hotpotqa", "jsonl", "answer",
                [{"_id": f"h{n}", "question": q, "answer": o[k], "supporting_facts": [["Gauge", 0]],
                  "context": [["Gauge", [PASSAGE, "It is old."]], ["Mill", ["It turns."]]]}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _document("hotpot.json")),
    ForeignFile("hotpotqa-hugging-face", "jsonl", "answer",
                [{"id": f"h{n}", "question": q, "answer": o[k],
                  "context": {"title": ["Gauge"], "sentences": [[PASSAGE, "It is old."]]}}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _lines("hotpot.jsonl")),
    ForeignFile("math", "jsonl", "answer",
                [{"problem": f"What is {n} + 1?", "level": "Level 1", "type": "Algebra",
                  "solution": f"We add: ${n}+1=\\boxed{{\\frac{{{n + 1}}}{{1}}}}$."}
                 for n in range(4)], _lines("algebra.jsonl")),
    ForeignFile("mathqa", "jsonl", "choice",
                [{"Problem": q, "Rationale": "It says so.", "correct": "abcd"[k],
                  "options": " , ".join(f"{m} ) {t}" for m, t in zip("abcd", o, strict=True))}
                 for q, o, k in QUESTIONS], _document("test.json")),
    ForeignFile("frenchmedmcqa", "jsonl", "choice",
                [{"id": f"f{n}", "question": q, "correct_answers": ["abcd"[k]], "type": "simple",
                  "answers": dict(zip("abcd", o, strict=True)), "nbr_correct_answers": 1}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _document("dev.json")),
    ForeignFile("casehold", "jsonl", "choice",
                [{"context": q, "endings": list(o), "label": k} for q, o, k in QUESTIONS],
                _lines("test.jsonl")),
    ForeignFile("multirc", "nested-questions", "choice",
                [{"idx": 0, "version": 1.1, "passage": {"text": PASSAGE, "questions": [
                    {"question": q, "idx": n, "answers": [
                        {"text": t, "idx": 4 * n + i, "label": int(i == k)}
                        for i, t in enumerate(o)]} for n, (q, o, k) in enumerate(QUESTIONS)]}}],
                _lines("val.jsonl"), items=len(QUESTIONS)),
    ForeignFile("record", "nested-questions", "answer",
                [{"source": "Own", "idx": n, "passage": {
                    "text": PASSAGE, "entities": [{"start": 4, "end": 8}]},
                  "qas": [{"query": f"{q} @placeholder", "idx": n, "answers": [
                      {"start": 4, "end": 8, "text": o[k]}]}]}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _lines("val.jsonl")),
    ForeignFile("quality", "nested-questions", "choice",
                [{"article_id": 7, "title": "Gauge", "article": PASSAGE, "questions": [
                    {"question": q, "options": list(o), "gold_label": k + 1, "difficult": 0}
                    for q, o, k in QUESTIONS]}], _lines("QuALITY.dev"), items=len(QUESTIONS)),
    ForeignFile("finqa", "jsonl", "answer",
                [{"pre_text": [PASSAGE], "filename": f"{n}.pdf", "id": f"p{n}",
                  "qa": {"question": q, "answer": o[k], "program": f"add({n}, 1)"}}
                 for n, (q, o, k) in enumerate(QUESTIONS)], _document("test.json")),
    ForeignFile("pubmedqa", "jsonl", "answer",
                [{"2164": {"QUESTION": "Does a lid help?", "CONTEXTS": [PASSAGE, "It rained."],
                           "LONG_ANSWER": "It does.", "YEAR": "2011", "final_decision": "yes"},
                  "1641": {"QUESTION": "Is it read at night?", "CONTEXTS": [PASSAGE],
                           "LONG_ANSWER": "Nobody does.", "final_decision": "no"}}],
                _spread("ori_pqal.json"), items=2),
    ForeignFile("pretty-printed", "jsonl", "choice", [_agieval(*q) for q in QUESTIONS],
                _spread("rows.jsonl")),
    ForeignFile("saved-splits", "dataset", "instruction",
                [{"text": "杯子没有磕碰。", "label": 1, "split": "train"},
                 {"text": "杯子碎了。", "label": 0, "split": "test"}],
                lambda folder, rows: _splits_alone(_saved_dataset(folder, rows))),
    ForeignFile("conll", "conll", "instruction",
                [{"text": "Nobody in Bern reads it .", "tags": ["O", "O", "B-LOC", "O", "O", "O"]},
                 {"text": "The miller Ann does .", "tags": ["O", "O", "B-PER", "O", "O"]}],
                _words("test.conll")),
)  # fmt: skip


def leaves(value: Any) -> list[str]:
    """Every text, number and truth value in a value, as text."""
    if isinstance(value, Mapping):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    if value is None or value == "":
        return []
    return [str(value)]
