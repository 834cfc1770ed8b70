"""Options with a letter before each, as a text lists them: in a cell of their own, or behind the
question that they belong to."""

import re
from collections.abc import Sequence

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERED = re.compile(r"^\s*(?:[(（\[]([A-Za-z])[)）\]]|([A-Za-z])\s?[.．、:：)）])\s*")
_MARK = re.compile(r"(?:^|(?<=[\s,;，；]))[(（]?([A-Za-z])\s?([)）.．、:：])\s*")
_DASHED = re.compile(
    r"\n\s*(?:options|choices|选项)\s*[:：]\s*((?:\n\s*[-*•]\s*\S.*){2,})\s*$", re.IGNORECASE
)
_ANNOUNCED = re.compile(r"\s(?:answer\s+)?(?:options|choices|选项)\s*[:：]\s*$", re.IGNORECASE)
_ANSWER_BELOW = re.compile(r"\n\s*(?:answer|答案)\s*[:：]?\s*$", re.IGNORECASE)

_FEW = 3  # options, with which a list of them is one
_LONGEST_CLOSING = 100  # characters of what a question says below its options


def split_question(text: str) -> tuple[str, list[str]]:
    """A question and the options that stand behind it in its text, with a letter each or, below a
    line that announces them, a dash; the whole text and no options where there are none, and where
    it has those of several questions."""
    if listed := _DASHED.search(text):
        options = [line.strip().lstrip("-*•").strip() for line in listed[1].strip().splitlines()]
        return text[: listed.start()].rstrip(), options
    marks = [*_MARK.finditer(text)]
    runs = [_run_of_marks(marks[place:]) for place, mark in enumerate(marks) if mark[1] == "A"]
    if _are_of_several(runs):
        return text, []
    best = max(reversed(runs), key=len, default=[])  # “vitamin A. …” may stand before them
    options = _between_marks(_ANSWER_BELOW.sub("", text), best)
    asked = _ANNOUNCED.sub("", text[: best[0].start()]).rstrip() if best else ""
    *others, last = options or [""]
    goes_on = 0 < len(last.partition("\n\n")[2]) < _LONGEST_CLOSING
    return (asked, options) if asked and others and all(options) and not goes_on else (text, [])


def _are_of_several(runs: Sequence[Sequence[re.Match[str]]]) -> bool:
    """Whether two lists of three options or more stand one behind the other (GAOKAO-Bench)."""
    ends = -1
    lists = 0
    for run in runs:
        if len(run) >= _FEW and run[0].start() > ends:
            ends = run[-1].start()
            lists += 1
    return lists > 1


def lettered_parts(text: str) -> list[str]:
    """What stands behind each letter from A, or from an a at the beginning, on in their order;
    other letters with a sign behind them are of the options."""
    marks = [*_MARK.finditer(text)]
    first = (n for n, m in enumerate(marks) if m[1] == "A" or (m[1] == "a" and not m.start()))
    begin = next(first, len(marks))
    marks = _run_of_marks(marks[begin:]) if marks[begin:] else []
    return _between_marks(text, marks)


def _run_of_marks(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """The first mark and those behind it that go on in the alphabet with the same sign."""
    run = [marks[0]]
    for mark in marks[1:]:
        if (mark[1], mark[2]) == (chr(ord(run[0][1]) + len(run)), run[0][2]):
            run.append(mark)
    return run


def _between_marks(text: str, marks: Sequence[re.Match[str]]) -> list[str]:
    """What stands behind each of two marks or more, without the sign that parts them all."""
    if len(marks) < 2:
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts = [text[m.end() : end].strip() for m, end in zip(marks, ends, strict=True)]
    between = parts[:-1]
    for sign in ",;，；":
        if all(part.endswith(sign) for part in between):
            return [*(part[:-1].rstrip() for part in between), parts[-1]]
    return parts


def without_letters(texts: list[str]) -> list[str]:
    """The options without their letters, where each begins with its own, be it twice."""
    marks = [LETTERED.match(text) for text in texts]
    found = [(mark[1] or mark[2]) if mark else "" for mark in marks]
    if "".join(found) not in (_LETTERS[: len(texts)], _LETTERS[: len(texts)].lower()):
        return texts
    bare = [text[mark.end() :] if mark else text for text, mark in zip(texts, marks, strict=True)]
    return without_letters(bare)
