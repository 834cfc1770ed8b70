"""Questions with a short answer in free text, measured against reference answers."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from typing_extensions import override

from core.families.base import Defect, FormField, ItemContent, Prompt
from core.families.choice_columns import contains_question, is_passage, listed_texts
from core.families.instruction_checks import picture_defects, spelling
from core.families.payload import Payload
from core.families.question_family import QuestionFamily, asked_text, with_passage
from core.families.reading import number_of, numbers_in, same_number
from core.files import text_key
from core.i18n import listed, tr
from core.sources.cell_text import cell_text
from core.sources.chinese_text import is_chinese
from core.sources.lettered_options import split_question
from core.sources.question_columns import (
    ANSWERS_ELSEWHERE,
    PASSAGES,
    QUESTIONS_ELSEWHERE,
    plain_name,
)
from core.unicode_forms import comparable_text

METRICS = ("exact", "f1", "number", "chrf")
_MEASURED_BY = {"chrf": "even_chrf"}  # case and signs count no more here than in the others
# how GSM8K separates the way from its end, and others after it
_SOLVED = re.compile(
    r"(.*)(?:####|\n\s*(?:A|Answer|Final answer|答案)\s*[:：])\s*(\S.*)", re.DOTALL | re.IGNORECASE
)
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_NEARLY_ALL = 0.9
_CLOSED = ("true", "false", "valid", "invalid", "none", "both", "neither")
_LETTER = re.compile(r"[^\W\d_]")
_CALLED_RIGHT = re.compile(
    r"(?:std|standard|gold(?:en)?|true|right|correct|expected|reference|ideal|final)answers?"
)  # names of columns beside the usual ones, as ``plain_name`` gives them
_WORD = re.compile(r"[^\W\d_]{2,}")
_LONG = 5  # words, or twice as many Chinese characters, that nobody writes just so
# by which words are told from a list of them, whose order may be what is asked for
_OF_SENTENCES = re.compile(
    r"^[^\W\d_a-z]|[.!?。！？]$|\b(?:the|an?|of|in|to|and|or|is|are|was|for|by|with|that)\b"
)
_COUNTED = re.compile(r"[-+]?[\d.,]*\d \([^()\d]+\)")  # what is counted behind it (ASDiv)
_QUOTES = ("'", '"')
_OFFERED = re.compile(
    r"(?:options?|choices|选项)\s*[:：]|\bbetween\b.+\band\b|还是|還是|或者"
    r"|\bor (?!when\b|how\b|what\b|why\b|not\b)\w",
    re.IGNORECASE,
)  # answers of which one is right
_READING = Prompt("", max_tokens=256)


class AnswerPayload(Payload):
    """A question with reference answers, of which any is right; the first is shown as the key.

    ``metric`` is how an answer is measured: ``exact`` (the same text but for case, punctuation,
    English articles and spaces), ``f1`` (words shared, as SQuAD counts), ``number`` (its last
    number) or ``chrf``. ``passage`` is the text that the question is about.
    """

    question: str
    answers: tuple[str, ...]
    metric: str = "exact"
    passage: str = ""
    rationale: str = ""
    language: str = ""


_SAMPLE: Mapping[str, Any] = {
    "question": "How often does a gauge report the height of the water?",
    "answers": ["every ten minutes", "each ten minutes"],
    "metric": "exact",
    "passage": "Since spring a small radio in each gauge reports the height of the water every ten "
    "minutes.",
    "rationale": "The passage says so.",
    "language": "en",
}

_MODELS: Mapping[str, type[Payload]] = {"": AnswerPayload, "answer": AnswerPayload}


class AnswerFamily(QuestionFamily):
    """Short answers: a question, a passage where it needs one, and the answers that are right.

    Each item says which metric compares a model's answer with them.
    """

    models = _MODELS
    sample_fields = _SAMPLE
    name = "answer"
    title = "Short answer"
    formats = ("answer",)
    hides_key = False
    defect_names = (
        "invalid_payload",
        "empty_field",
        "empty_answer",
        "unknown_metric",
        "not_a_number",
        "key_in_question",
        "needs_picture",
        "markup_left",
        "garbled_text",
        "duplicate_item",
        "answers_differ",
    )

    @override
    def defects(
        self, payload: AnswerPayload, item: ItemContent, source: str | None
    ) -> Iterator[Defect]:
        """What is wrong with one item; there is no source to compare it with."""
        yield from _defects(payload)
        yield from picture_defects(item)

    @override
    def check_set(self, items: Sequence[ItemContent]) -> Mapping[int, Sequence[Defect]]:
        """Items that occur twice, and equal questions without an answer in common."""
        defects: dict[int, list[Defect]] = defaultdict(list)
        first: dict[bytes, tuple[int, set[bytes]]] = {}
        for index, item in enumerate(items):
            fields = item.payload
            passage, question = (
                comparable_text(str(fields.get(n, ""))) for n in ("passage", "question")
            )
            asked = text_key(passage, question)
            answers = {
                text_key(comparable_text(str(answer))) for answer in fields.get("answers") or ()
            }
            place, earlier = first.setdefault(asked, (index, answers))
            if place == index:
                continue
            if earlier & answers:
                detail = tr("It is identical to item {number}.", number=place + 1)
                defects[index].append(Defect("duplicate_item", detail))
            else:
                detail = tr("Item {number} has the same question with a different answer.",
                            number=place + 1)  # fmt: skip
                defects[index].append(Defect("answers_differ", detail))
        return defects

    @override
    def planted(self) -> Mapping[str, ItemContent]:
        """An item with each defect that ``check`` finds."""
        return {
            "invalid_payload": self.varied(answers=7),
            "empty_field": self.varied(question=" "),
            "empty_answer": self.varied(answers=["ten minutes", " "]),
            "unknown_metric": self.varied(metric="guess"),
            "not_a_number": self.varied(metric="number", answers=["often"]),
            "key_in_question": self.varied(
                question="Is the height reported every ten minutes, or when?"
            ),
            "needs_picture": self.varied(question="What is the height shown in the figure?"),
            "markup_left": self.varied(question="How often?<br/>"),
            "garbled_text": self.varied(passage="The gauge 锟斤拷 stands by the bridge."),
        }

    @override
    def planted_sets(self) -> Mapping[str, Sequence[ItemContent]]:
        """A set with each defect that ``check_set`` finds."""
        return {
            "duplicate_item": [self.varied(), self.varied(rationale="")],
            "answers_differ": [self.varied(), self.varied(answers=["once a day"])],
        }

    @override
    def form(self, format: str) -> Sequence[FormField]:
        """Fields in the order in which they are written."""
        return (
            FormField("question", tr("Question"), "long_text"),
            FormField("answers", tr("Correct answers"), "list",
                      help=tr("One per line; any of them counts as right.")),
            FormField("passage", tr("Passage"), "long_text", required=False),
            FormField("metric", tr("Metric"), options=METRICS, required=False),
            FormField("rationale", tr("Rationale"), "long_text", required=False),
            FormField("language", tr("Language"), required=False),
        )  # fmt: skip

    @override
    def prompt(self, item: ItemContent, instruction: str = "") -> Prompt:
        """Passage and question, in English or Chinese words around them."""
        payload: AnswerPayload = self.payload(item)
        told = instruction or _INSTRUCTIONS[is_chinese(payload.question)]
        return _READING.asking(asked_text(told, payload.passage, payload.question))

    @override
    def reading(self, item: ItemContent) -> Prompt:
        """The whole reply is the answer."""
        return _READING

    @override
    def key(self, item: ItemContent) -> str:
        """The first reference answer; empty where there is none."""
        payload: AnswerPayload = self.payload(item)
        answers = payload.answers
        return answers[0].strip() if answers else ""

    @override
    def others(self, item: ItemContent) -> tuple[str, ...]:
        """The other reference answers."""
        return tuple(str(answer).strip() for answer in item.payload.get("answers", ())[1:])

    @override
    def metric(self, item: ItemContent) -> str:
        """The measure of the item's own metric; ``exact`` for one that there is not."""
        metric = str(item.payload.get("metric", ""))
        return _MEASURED_BY.get(metric, metric) if metric in METRICS else METRICS[0]

    @override
    def from_columns(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any] | str]:
        """The answers in one list, however the file has them; GSM8K's and MATH's with their way to
        them."""
        rows = _with_lists(rows)
        solved = [_SOLVED.fullmatch(str(row.get("answers") or "")) for row in rows]
        boxed = [_boxed(row.get("answers")) for row in rows]
        gsm8k = bool(rows) and all(solved)
        in_boxes = len(rows) > 0 and sum(map(bool, boxed)) >= _NEARLY_ALL * len(rows)
        made: list[Mapping[str, Any] | str] = []
        for row, solution, box in zip(rows, solved, boxed, strict=True):
            fields = dict(with_passage(row))
            if in_boxes:
                fields["rationale"], fields["answers"] = row.get("answers"), [box] if box else []
            elif gsm8k and solution is not None:
                fields.setdefault("rationale", solution[1].strip())
                fields["answers"] = [solution[2].strip()]
                if numbers_in(solution[2]):
                    fields.setdefault("metric", "number")
            else:
                fields["answers"] = _letters(row.get("answers")) or _answers(row.get("answers"))
                if fields["answers"] and all(map(_COUNTED.fullmatch, fields["answers"])):
                    fields.setdefault("metric", "number")
            fields.setdefault("metric", _metric_for(fields["answers"]))
            made.append(_undecided(row.get("answers"), fields["answers"]) or fields)
        return made

    @override
    def suggest(self, columns: Mapping[str, Any]) -> Mapping[str, str]:
        """Question and answers of the usual data sets."""
        known = {plain_name(name): name for name in reversed(list(columns))}
        found: dict[str, str] = {}
        for field, usual in _USUAL.items():
            names = [known[name] for name in usual if name in known]
            filled = [n for n in names if columns[n] not in (None, "", []) and n not in
                      found.values()]  # fmt: skip
            if field == "passage":
                asked = columns.get(found.get("question", ""))
                filled = [n for n in filled if is_passage(columns[n])
                          and not contains_question(n, columns[n], asked)]  # fmt: skip
            if field == "answers" and not filled:
                filled = [known[name] for name in known if _CALLED_RIGHT.fullmatch(name)]
            if filled:
                found[field] = filled[0]
        if "question" not in found and (inner := self._within(columns)):
            found.update(inner)
        if "question" not in found and _asks(found, columns):
            found["question"] = found.pop("passage")
        asked, given = (plain_name(found.get(n, "")) for n in ("question", "answers"))
        if asked in ("input", "prompt") and given == "label":
            return {}  # texts to be classified, and nothing asks for that
        if "answers" not in found and _boxed(columns.get(known.get("solution", ""))):
            found["answers"] = known["solution"]
            found.pop("rationale", None)
        return found

    def _within(self, columns: Mapping[str, Any]) -> dict[str, str]:
        """Question and answers of the first column that is an object with both (FinQA)."""
        for name, value in columns.items():
            inner = self.suggest(value) if isinstance(value, Mapping) else {}
            if inner.keys() >= {"question", "answers"}:
                return {field: f"{name}.{column}" for field, column in inner.items()}
        return {}

    @override
    def plain_text(self, item: ItemContent) -> str:
        """Passage, question and answers, one below the other."""
        fields = item.payload
        parts = [fields.get("passage"), fields.get("question"), *fields.get("answers", ())]
        return "\n".join(str(part) for part in parts if part)


def _asks(found: Mapping[str, str], columns: Mapping[str, Any]) -> bool:
    """Whether what a name calls a text is a question, beside an answer that is called one."""
    text = columns.get(found.get("passage", ""))
    called = plain_name(found.get("answers", ""))
    return (
        plain_name(found.get("passage", "")) in ("text", "content", "文本")
        and isinstance(text, str)
        and text.rstrip().endswith(("?", "？", "؟"))
        and called in ("answer", "answers", "答案", *ANSWERS_ELSEWHERE)
    )


def _metric_for(answers: Sequence[str]) -> str:
    """What measures answers of which a file says nothing: numbers by their value, others by the
    text, unless even the shortest is so long that it is put in words of one's own."""
    if answers and all(map(_is_number, answers)):
        return "number"
    return "f1" if answers and all(map(is_prose, answers)) else METRICS[0]


def _is_number(text: str) -> bool:
    """Whether a text is a number and no code, which begins with a zero."""
    is_code = text[:1] == "0" and text[1:2].isdigit()
    return not is_code and number_of(text) is not None and same_number(text, text) == 1.0


def is_prose(text: str) -> bool:
    """Whether an answer is so long that it is put in words of one's own, and no list of words."""
    if is_chinese(text):
        return sum("\u3400" <= sign <= "\u9fff" for sign in text) > 2 * _LONG
    return len(_WORD.findall(text)) > _LONG and _OF_SENTENCES.search(text.strip()) is not None


def _boxed(solution: Any) -> str:
    r"""What stands in the last ``\boxed{…}`` of a solution (MATH); empty where there is none."""
    boxes = list(_BOX.finditer(solution)) if isinstance(solution, str) else []
    depth, begin = 1, boxes[-1].end() if boxes else 0
    for end in range(begin, len(solution) if boxes else 0):
        depth += (solution[end] == "{") - (solution[end] == "}")
        if depth == 0:
            return str(solution[begin:end]).strip()
    return ""


def _letters(value: Any) -> list[str]:
    """One answer of the letters of several questions in their order, as ``BDA`` (GAOKAO-Bench)."""
    listed = isinstance(value, list) and len(value) > 1
    if not listed or not all(isinstance(v, str) and re.fullmatch(r"[A-Z]", v) for v in value):
        return []
    return ["".join(value)]


def _with_lists(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The rows with the answers of cells that list them (“['A', 'B']”) as lists, unless those of
    other rows are quoted as in a program."""
    cells = [(row, str(row.get("answers") or "").strip()) for row in rows]
    if any(cell.startswith(_QUOTES) for _, cell in cells):
        return rows
    parsed = [listed_texts(cell) for _, cell in cells]
    return [{**row, "answers": texts} if texts else row
            for (row, _), texts in zip(cells, parsed, strict=True)]  # fmt: skip


def _undecided(given: Any, answers: Sequence[str]) -> str:
    """Why the answers of a cell make no key; empty where they do. The spans of DROP's rows may be
    parts of one answer, unless each has the shortest in it."""
    if not answers:
        return tr("It has no answer.")
    if isinstance(given, Mapping) and given.keys() >= {"spans", "types"}:
        shortest = min(answers, key=len)
        whole = re.compile(rf"(?<!\w){re.escape(shortest)}(?!\w)", re.ASCII)
        if not all(map(whole.search, answers)):
            return tr("It has several answers, and nothing tells whether one of them is enough: "
                      "{answers}.", answers=listed(answers))  # fmt: skip
    return ""


def _answers(value: Any) -> list[str]:
    """The different answers in a cell: a text, a list, or an object of texts (SQuAD, TriviaQA).
    Several numbers in a list are one answer."""
    if isinstance(value, Mapping):
        parts = {plain_name(str(n)): part for n, part in value.items()}
        named = [parts[n] for n in ("text", "value", "answer", "aliases", "spans") if n in parts]
        return list(dict.fromkeys(part for entry in named for part in _answers(entry)))
    if isinstance(value, list | tuple):
        if value and all(type(entry) in (int, float) for entry in value):
            return [", ".join(map(cell_text, value))]
        return list(dict.fromkeys(part for entry in value for part in _answers(entry)))
    if isinstance(value, bool):
        return ["yes", "true"] if value else ["no", "false"]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = "" if value is None else str(value).strip()
    bare = text.strip("$ .")
    begin, box = _BOX.match(bare), _boxed(bare)
    if begin and box and bare[begin.end() :].strip() in (f"{box}}}", f"{box} }}"):
        text = box
    return [text] if text else []


def _defects(payload: AnswerPayload) -> Iterator[Defect]:
    if not payload.question.strip():
        yield Defect("empty_field", tr("The field “{field}” is empty.", field="question"))
    if not payload.answers or not all(answer.strip() for answer in payload.answers):
        yield Defect("empty_answer", tr("An answer is empty, or there is none."))
    if payload.metric not in METRICS:
        detail = tr("There is no metric “{name}”. Available: {known}.", name=payload.metric,
                    known=listed(METRICS))  # fmt: skip
        yield Defect("unknown_metric", detail)
    if payload.metric == "number" and not all(numbers_in(answer) for answer in payload.answers):
        yield Defect("not_a_number", tr("The metric compares numbers, but an answer has none."))
    named = any(
        answer.casefold() in payload.question.casefold()
        for answer in payload.answers
        if _LETTER.search(answer)
        and len(answer.strip()) > 3
        and comparable_text(answer) not in _CLOSED
    )
    if named and not (_OFFERED.search(payload.question) or split_question(payload.question)[1]):
        yield Defect("key_in_question", tr("The question gives its answer away."))
    for name in ("question", "passage", "rationale"):
        yield from spelling(name, getattr(payload, name))


_USUAL: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "questiontext", "querytext", "query", "qtext", "problem",
                 "originaltext", "题目", "题干",
                 "问题", *QUESTIONS_ELSEWHERE, "prompt", "input"),
    "answers": ("answers", "answer", "references", "reference", "finalanswer", "correctanswer",
                "bestanswer", "groundtruth", "goldanswer", "referenceanswer", "expectedanswer",
                "gold", "target", "ans", "ideal", "answersspans", "finaldecision", "答案",
                "标准答案", "参考答案", "正确答案", *ANSWERS_ELSEWHERE, "output", "label"),
    "passage": PASSAGES,
    "rationale": ("rationale", "explanation", "solution", "解析"),
    "metric": ("metric",),
    "language": ("language", "lang"),
}  # fmt: skip
_INSTRUCTIONS: Mapping[bool, str] = {
    False: "Answer the question. Reply with the answer and nothing else, as short as it can be.",
    True: "回答下面的问题，只写出答案，越短越好。",
}
