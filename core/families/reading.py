"""How replies are read and measured, with nothing but Python's own library.

This file, with ``core.unicode_forms`` before it, is copied beside the tasks that are exported for
other harnesses, so that they read and measure as this program does. It must import nothing else of
it.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from core.unicode_forms import normal_form

_AROUND = " \t\r\n\"'“”‘’`*_$().,;:!?[]{}<>【】《》「」、。"
_MARK = r"(?:answer|choice|option|答案|选项|选择|应选|故选|选)(?:\s+is)?[\s是为：:=*（(\[【“\"]*"
_BETWEEN_LETTERS = r"[\s,，、;；/&+|*()（）.。]*(?:and|和|与|及)?[\s,，、;；/&+|*()（）.。]*"
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")
_BETWEEN_LABELS = re.compile(r"[,，、;；|\n/]+")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
# signs, but for those that belong to a number: 3.5, -2, 1/2, 40%
_SIGN = re.compile(r"(?<!\d)[.%]|\.(?!\d)|[-+−/](?!\d)|(?<=[^\W\d])[-+−/]|[^\w\s.%+/−-]|_")
_NUMBER = re.compile(
    r"[-+−]?(?:0,\d+|\d{1,3}(?:\.\d{3})+,\d+|(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?)"
    r"(?:[eE][-+]?\d+)?(?:\s*/\s*\d+)?%?"
)
_COMMA = re.compile(r"(?<![\d.,])(0|\d{1,3}(?:\.\d{3})+),(\d+)(?![\d,])")  # 0,25 and 1.234,50
_ANSWER = re.compile(
    r"\s*(?:the\s+)?(?:final\s+)?(?:answer(?:\s+is)?|答案(?:是|为)?)\s*[:：]?\s*", re.IGNORECASE
)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")


def answer_in(kind: str, reply: str, pattern: str, choices: Sequence[str]) -> str | None:
    """The answer in a reply to an item of a family, None where there is none.

    ``pattern`` and ``choices`` are those of the item's prompt. A choice counts in full width, in
    lower case and behind an answer mark as well: ``Ａ``, ``答案是b``.
    """
    if not reply.strip():
        return None
    known = tuple(choices)
    extract = EXTRACTIONS.get(kind, by_pattern)
    found = extract(reply, pattern, known)
    if not found and known and extract is not by_letter:
        found = spelled_otherwise(reply, known)
    return found.strip() or None if found else None


def cut_reply(reply: str, stops: Sequence[str]) -> str:
    """The reply up to the first of the stops behind the white space that it begins with, which
    ends nothing; the whole reply where there is none."""
    text = reply.lstrip()
    places = [place for stop in stops if stop and (place := text.find(stop)) >= 0]
    return text[: min(places)] if places else reply


# --- one extraction for each family ----------------------------------------------------------


def by_pattern(reply: str, pattern: str, choices: tuple[str, ...]) -> str | None:
    """What the first group of the pattern finds; without a pattern the whole reply."""
    del choices
    if not pattern:
        return reply.strip() or None
    match = _compiled(pattern).search(reply)
    return match.group(1) if match else None


def by_label(reply: str, pattern: str, choices: tuple[str, ...]) -> str | None:
    """The first label in a reply to a classification; else the whole reply."""
    if not choices:
        return reply.strip() or None
    match = _caseless(pattern).search(normal_form("NFKC", reply))
    if match is None:
        return None
    return _by_folded(choices).get(_wide(match.group(1)))


def by_label_in_json(reply: str, pattern: str, choices: tuple[str, ...]) -> str | None:
    """The first label in a reply, of a JSON object only in its values, as the label is spelled."""
    match = _caseless(pattern).search(values_of(reply)) if pattern else None
    if match is None:
        return None
    named = plain_label(match.group(1))
    return next((label for label in choices if plain_label(label) == named), None)


def by_letter(reply: str, pattern: str, choices: tuple[str, ...]) -> str | None:
    """The letter of an option, of several in the order of the alphabet: ``B``, ``ACD``.

    ``pattern`` names the letters (``[A-D]``), with ``+`` behind them where several may be right.
    Looked for are, in this order: a box of LaTeX, a reply of nothing else, the last one behind an
    answer mark, one at the beginning with a sign behind it, the only one there is.
    """
    del choices
    letters = re.search(r"\[([A-Z])-([A-Z])\]", pattern)
    if letters is None:
        return None
    span, several = f"[{letters[1]}-{letters[2]}]", "]+" in pattern
    text = normal_form("NFKC", reply)
    run = f"{span}(?:{_BETWEEN_LETTERS}{span})*" if several else span
    bounded = rf"(?<![A-Za-z0-9])({run})(?![A-Za-z0-9])"
    boxed = _BOXED.findall(text)
    alone = boxed[-1] if boxed else text
    alone = re.sub(r"\\(?:text|mathrm|mathbf)\s*\{([^{}]*)\}", r"\1", alone).strip(_AROUND)
    if _caseless(f"^{run}$").search(alone):
        return _letters_of(alone.upper(), span)
    if marked := _caseless(_MARK + bounded).findall(text):
        return _letters_of(marked[-1].upper(), span)
    signed = rf"^[\s*(\[（【“\"']*({run})\s*(?:[).:：）、，,\]】*”\"']|\n|$)"
    if first := _compiled(signed).search(text):
        return _letters_of(first.group(1), span)
    alone_in_text = rf"(?<![A-Za-z0-9])({span})(?![A-Za-z0-9']|\s+(?!or\b|and\b)[a-z])"
    named = set(_compiled(alone_in_text).findall(text))
    if len(named) == 1 or (several and named):
        return "".join(sorted(named))
    return None


def _letters_of(text: str, span: str) -> str:
    return "".join(sorted(set(re.findall(span, re.sub(r"AND|和|与|及", " ", text)))))


def whole_reply(reply: str, pattern: str, choices: tuple[str, ...]) -> str | None:
    """The reply itself, without the white space around it and an answer mark before it."""
    del pattern, choices
    boxed = _BOXED.findall(reply)
    text = boxed[-1] if boxed else reply
    marked = _ANSWER.match(text)
    rest = text[marked.end() :] if marked else text
    return (rest if rest.strip() else text).strip() or None


EXTRACTIONS: Mapping[str, Callable[[str, str, tuple[str, ...]], str | None]] = {
    "scp": by_pattern,
    "instruction": by_label,
    "rewrite": by_label_in_json,
    "choice": by_letter,
    "answer": whole_reply,
}


def spelled_otherwise(text: str, choices: tuple[str, ...]) -> str | None:
    """A choice in another spelling; None where there is none for certain."""
    plain = normal_form("NFKC", text)
    by_folded = _by_spelling(choices)
    alone = _joined(plain.strip(_AROUND))
    if alone in by_folded:
        return by_folded[alone]
    for pattern in _choice_patterns(choices):
        if match := pattern.search(plain):
            return by_folded.get(_joined(match.group(1)))
    return None


def values_of(reply: str) -> str:
    """The values of a JSON object, one a line; any other reply as it is."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        value = json.loads(reply[start : end + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        value = None
    return "\n".join(str(part) for part in value.values()) if isinstance(value, dict) else reply


def plain_label(label: str) -> str:
    """A label with its case, width, accents and signs put aside."""
    bare = re.sub("[\u0300-\u036f]", "", normal_form("NFKD", label))
    folded = normal_form("NFKC", bare).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def _wide(text: str) -> str:
    return normal_form("NFKC", text).casefold()


def _joined(text: str) -> str:
    return "".join(text.casefold().split())


@lru_cache(maxsize=1024)
def _by_folded(labels: tuple[str, ...]) -> Mapping[str, str]:
    """The label of each folded spelling; of two with the same one the first."""
    return {_wide(label): label for label in reversed(labels)}


@lru_cache(maxsize=256)
def _by_spelling(choices: tuple[str, ...]) -> Mapping[str, str]:
    return {_joined(choice): choice for choice in choices}


@lru_cache(maxsize=256)
def _choice_patterns(choices: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Patterns in the order in which they are trusted: as it is written, then behind a mark."""
    longest = sorted(choices, key=len, reverse=True)
    spelled = "|".join(r"\s*".join(map(re.escape, choice.split())) for choice in longest)
    whole = rf"(?<![A-Za-z0-9])({spelled})(?![A-Za-z0-9])"
    return re.compile(whole), re.compile(_MARK + whole, re.IGNORECASE)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@lru_cache(maxsize=1024)
def _caseless(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# --- measures of one answer against its references -------------------------------------------


def measure(metric: str, answer: str | None, references: Sequence[str]) -> float:
    """The metric of one answer in 0…1, the best over the references; no answer is 0."""
    if not answer or not answer.strip():
        return 0.0
    return max((MEASURES[metric](answer, text) for text in references), default=0.0)


def verbatim_match(answer: str, reference: str) -> float:
    """1 where both are equal character for character but for white space around them."""
    return float(answer.strip() == reference.strip())


def normalised_answer(text: str) -> str:
    """A text as answers are compared: width, case, punctuation, English articles and spaces put
    aside (SQuAD, Rajpurkar et al. 2016); a text of signs alone stays as it is."""
    wide = normal_form("NFKC", text).casefold()
    bare = _SIGN.sub("", wide)
    words = _ARTICLES.sub(" ", bare).split() or bare.split()  # “A” may be the answer itself
    signs = "".join(wide.split())
    return " ".join(words) if words else signs.rstrip(".。") or signs


def exact_match(answer: str, reference: str) -> float:
    """1 where both are the same text once evened out."""
    return float(normalised_answer(answer) == normalised_answer(reference))


def token_f1(answer: str, reference: str) -> float:
    """F1 over the words that both have (SQuAD); a Chinese character counts as a word."""
    said, wanted = Counter(_tokens(answer)), Counter(_tokens(reference))
    shared = sum((said & wanted).values())
    if not shared:
        return float(normalised_answer(answer) == normalised_answer(reference))
    precision, recall = shared / said.total(), shared / wanted.total()
    return 2 * precision * recall / (precision + recall)


def _tokens(text: str) -> list[str]:
    return _WORD.findall(normalised_answer(text))


def same_number(answer: str, reference: str) -> float:
    """1 where the last number of the answer is the reference's, whatever its digits' grouping."""
    wanted, said = number_of(reference), numbers_in(answer)
    if wanted is None:
        return exact_match(answer, reference)
    value = number_of(said[-1]) if said else None
    return float(value is not None and abs(value - wanted) <= 1e-6 * max(1.0, abs(wanted)))


def numbers_in(text: str) -> list[str]:
    """The numbers that are written in a text, fractions and percentages included."""
    wide = normal_form("NFKC", text)
    return [part for part in _NUMBER.findall(wide) if any(c.isdigit() for c in part)]


def number_of(text: str) -> float | None:
    """The value of a text that is one number, be it with a currency or in brackets; else None."""
    if "_" in text or not any(c.isdigit() for c in text):
        return None  # what Python reads beyond that: 1_000, nan, infinity
    wide = _COMMA.sub(lambda m: f"{m[1].replace('.', '')}.{m[2]}", normal_form("NFKC", text))
    cleaned = wide.replace(",", "").replace("−", "-").strip(" \n\t$¥€.()")
    share = cleaned.endswith("%")
    top, slash, below = cleaned.rstrip("%").partition("/")
    try:
        value = float(top) / float(below) if slash else float(top)
    except (ValueError, ZeroDivisionError):
        return None
    return value / 100 if share else value


def chrf(answer: str, reference: str) -> float:
    """Character n-gram F-score of order 6 and beta 2 (Popović 2015), as sacrebleu computes it for
    one sentence."""
    said, wanted = "".join(answer.split()), "".join(reference.split())
    precision = recall = 0.0
    orders = 0
    for n in range(1, 7):
        ours = Counter(said[i : i + n] for i in range(len(said) - n + 1))
        theirs = Counter(wanted[i : i + n] for i in range(len(wanted) - n + 1))
        if ours and theirs:
            shared = (ours & theirs).total()
            precision, recall = precision + shared / ours.total(), recall + shared / theirs.total()
            orders += 1
    if not orders or precision + recall == 0:
        return 0.0
    precision, recall = precision / orders, recall / orders
    return 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


def even_chrf(answer: str, reference: str) -> float:
    """chrF, but 1 for an answer that is the reference but for its case and signs."""
    return exact_match(answer, reference) or chrf(answer, reference)


def labels_f1(answer: str, reference: str) -> float:
    """F1 between two sets of labels with commas, semicolons, bars, slashes or lines between."""
    said, wanted = label_set(answer), label_set(reference)
    whole = len(said) + len(wanted)
    return 2 * len(said & wanted) / whole if whole else 1.0


def label_set(text: str) -> frozenset[str]:
    """The labels written in a text."""
    return frozenset(part.strip() for part in _BETWEEN_LABELS.split(text) if part.strip())


MEASURES: Mapping[str, Callable[[str, str], float]] = {
    "accuracy": verbatim_match,
    "exact": exact_match,
    "f1": token_f1,
    "number": same_number,
    "chrf": chrf,
    "even_chrf": even_chrf,
    "multilabel_f1": labels_f1,
}


def macro_f1(pairs: Sequence[tuple[str, str | None]], labels: Sequence[str] = ()) -> float:
    """Mean over the labels of the F1 of each, from pairs of the right and the given label.

    Without ``labels`` they are those of the right ones.
    """
    labels = list(labels) or sorted({right for right, _ in pairs})
    hits = Counter(right for right, given in pairs if right == given)
    weight = Counter(right for right, _ in pairs) + Counter(given for _, given in pairs if given)
    f1 = [2 * hits[label] / weight[label] if weight[label] else 0.0 for label in labels]
    return sum(f1) / max(1, len(labels))
