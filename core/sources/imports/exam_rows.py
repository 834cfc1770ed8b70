"""Question banks of learning platforms as texts: Moodle's GIFT, and Aiken."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from core.i18n import tr
from core.sources.html_text import html_text
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.text_files import lines_of

_ESCAPED = re.compile(r"\\([~=#{}:\\n])")
_OPENS, _CLOSES = re.compile(r"(?<!\\)\{"), re.compile(r"(?<!\\)\}")
_ANSWERS = re.compile(r"(?<!\\)([=~])((?:\\.|[^\\=~])*)", re.DOTALL)
_TITLE = re.compile(r"\s*::((?:\\.|[^\\])*?)::", re.DOTALL)
_FORMAT = re.compile(r"\s*\[(html|plain|markdown|moodle)\]")
_WEIGHT = re.compile(r"%(-?[\d.]+)%")
_TRUTH = {"T": True, "TRUE": True, "F": False, "FALSE": False}
_GIFT = re.compile(
    r"^[ \t]*(?:::.*?::|\$CATEGORY:)"
    r"|(?<!\\)\{[ \t\r\n]{0,9}(?:[=~]|#\s?\d|T(?:RUE)?\}|F(?:ALSE)?\})",
    re.MULTILINE,
)
_OPTION = re.compile(r"\s*([A-Z])[.)]\s+(\S.*)")
_KEY = re.compile(r"\s*ANSWER\s*:\s*([A-Z])\s*")


def other_kind(kind: str) -> str:
    """Why a question of another kind gives no item."""
    return tr("A question of the kind “{kind}” is neither one with options nor one with a short "
              "answer.", kind=kind)  # fmt: skip


def is_gift(path: Path, head: bytes) -> bool:
    """A text with answers in braces, each behind = or ~, by its name or its titles of questions."""
    text = head.decode("utf-8-sig", errors="ignore")
    if path.suffix.lower() == ".gift":
        return True
    return path.suffix.lower() == ".txt" and len(_GIFT.findall(text)) > 1 and "{" in text


def gift_rows(path: Path) -> Rows:
    """A row a question, with ``options`` and letters under ``key``, or with its ``answers``;
    beside it the category, its name, and what is said to each answer."""
    category = ""
    for line, text in _blocks(path):
        if text.startswith("$CATEGORY:"):
            category = text.removeprefix("$CATEGORY:").strip()
            continue
        found = _gift(text)
        if isinstance(found, str):
            yield RefusedRow(line, found)
        else:
            yield ImportRow(line, found | ({"category": category} if category else {}))


def _blocks(path: Path) -> Iterator[tuple[int, str]]:
    """What stands between empty lines, without remarks; the line of a category is by itself."""
    kept: list[str] = []
    start = 0
    for number, line in enumerate((*lines_of(path), ""), start=1):
        bare = line.strip()
        if bare.startswith("//"):
            continue
        if kept and (not bare or bare.startswith("$CATEGORY:")):
            yield start, "\n".join(kept)
            kept = []
        if bare.startswith("$CATEGORY:"):
            yield number, bare
        elif bare:
            start = start if kept else number
            kept.append(line)


def _gift(text: str) -> dict[str, Any] | str:
    row: dict[str, Any] = {}
    if title := _TITLE.match(text):
        row["name"], text = _plain(title[1]), text[title.end() :]
    is_html = False
    if form := _FORMAT.match(text):
        is_html, text = form[1] == "html", text[form.end() :]
    opens = _OPENS.search(text)
    closes = _CLOSES.search(text, opens.end()) if opens else None
    if opens is None or closes is None:
        return other_kind(tr("description"))
    before, rest = text[: opens.start()], text[closes.end() :].strip()
    asked = f"{before.rstrip()} _____ {rest}" if rest else before
    said, pictures = html_text(_plain(asked)) if is_html else (_plain(asked), [])
    row |= {"question": said} | ({"image": pictures} if pictures else {})
    answers = _gift_answers(text[opens.end() : closes.start()].strip(), is_html=is_html)
    return answers if isinstance(answers, str) else row | answers


def _gift_answers(inner: str, *, is_html: bool) -> dict[str, Any] | str:
    inner, _, general = inner.partition("####")
    more = {"explanation": _read(general, is_html=is_html)} if general.strip() else {}
    bare, _, remark = inner.partition("#") if not inner.startswith("#") else (inner, "", "")
    if (truth := _TRUTH.get(bare.strip().upper())) is not None:
        said = {"feedback": _plain(remark)} if remark.strip() else {}
        return {"options": ["True", "False"], "key": "A" if truth else "B", **said, **more}
    if inner.startswith("#"):
        numbers = [m[2] for m in _ANSWERS.finditer(inner)] or [inner[1:]]
        whole = [text for text in numbers if not _WEIGHT.match(text) or "%100%" in text]
        values = [_plain(_WEIGHT.sub("", t).split("#")[0]) for t in whole]
        exact = [value.partition(":")[0].strip() for value in values]
        if any(".." in value for value in exact):
            return other_kind(tr("range of numbers"))
        return {"answers": exact, "numerical": values, **more} if all(exact) else _no_answer()
    marked = [match.groups() for match in _ANSWERS.finditer(inner)]
    if not inner:
        return other_kind("essay")
    if not marked:  # the one right answer needs no sign
        marked = [("=", inner)]
    elif all(mark == "=" and "->" in text for mark, text in marked):
        return other_kind("matching")
    found = [_gift_answer(mark, text, is_html=is_html) for mark, text in marked]
    return graded_answers(found, given=inner) | more


def _gift_answer(mark: str, text: str, *, is_html: bool) -> tuple[str, float, str]:
    """An answer, the share of the points that it gives, and what is said to it."""
    weight = _WEIGHT.match(text.strip())
    share = share_in(weight[1]) if weight else 100.0 if mark == "=" else 0.0
    bare = text.strip()[weight.end() :] if weight else text.strip()
    answer, _, said = re.sub(r"(?<!\\)#", "\x00", bare).partition("\x00")
    return _read(answer, is_html=is_html), share, _plain(said)


def _read(text: str, *, is_html: bool) -> str:
    """What a part says, in the format of the question or in one of its own."""
    if form := _FORMAT.match(text):
        is_html, text = form[1] == "html", text[form.end() :]
    return html_text(_plain(text))[0] if is_html else _plain(text)


def share_in(text: str) -> float:
    """The share of the points that a text gives in percent; none for what is not a number."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def graded_answers(found: Sequence[tuple[str, float, str]], given: str) -> dict[str, Any]:
    """Answers with their shares of the points: options where some are wrong, else right answers.

    ``given`` is what stands in the file; it is kept where its shares are not just right or wrong.
    """
    said = {"feedback": [text for *_, text in found]} if any(text for *_, text in found) else {}
    shares = [share for _, share, _ in found]
    if min(shares) > 0:  # Moodle calls it a short answer
        full = [text for text, share, _ in found if share == max(shares)]
        partly = {"graded": given} if len(full) < len(found) else {}
        return {"answers": full, **partly, **said}
    # beside an answer that gives all the points, others that give some are not right
    least = 100.0 if 100.0 in shares else min((s for s in shares if s > 0), default=100.0)
    right = "".join(ascii_uppercase[n] for n, share in enumerate(shares[:26]) if share >= least)
    uneven = {"graded": given} if {*shares} - {0.0, 100.0, max(shares)} else {}
    return {"options": [text for text, *_ in found], "key": right, **uneven, **said}


def _no_answer() -> str:
    return tr("It has no answer.")


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda m: "\n" if m[1] == "n" else m[1], text).strip()


# --- Aiken -----------------------------------------------------------------------------------


def is_aiken(path: Path, head: bytes) -> bool:
    """A text of questions, a lettered line for each option, and ``ANSWER: A`` below."""
    lines = head.decode("utf-8-sig", errors="ignore").splitlines()
    places = [n for n, line in enumerate(lines) if _KEY.fullmatch(line)]
    lettered = all(n > 2 and _OPTION.match(lines[n - 1]) for n in places)
    return path.suffix.lower() == ".txt" and bool(places) and lettered


def aiken_rows(path: Path) -> Rows:
    """A row a question; a line is that with which it begins."""
    kept: list[str] = []
    start = 1
    for number, line in enumerate(lines_of(path), start=1):
        if not line.strip():
            continue
        start = start if kept else number
        if key := _KEY.fullmatch(line):
            yield _aiken(start, kept, key[1])
            kept = []
        else:
            kept.append(line.strip())
    if kept:
        yield RefusedRow(start, _no_answer())


def _aiken(line: int, kept: list[str], key: str) -> ImportRow | RefusedRow:
    first = next((n for n, text in enumerate(kept) if n and text[:1] == "A" and _OPTION.match(text)
                  ), len(kept))  # fmt: skip
    options = [_OPTION.match(text) for text in kept[first:]]
    if len(options) < 2 or not all(options):
        return RefusedRow(line, tr("It has no options to choose from."))
    texts = [match[2].strip() for match in options if match]
    return ImportRow(line, {"question": "\n".join(kept[:first]), "options": texts, "key": key})
