"""The deterministic checks of rewritten texts, beside what a model says about them.

Used twice: on every attempt of a rewriting run, and on items of any origin.
"""

import re
from collections.abc import Iterator, Sequence

from core.families.base import Defect
from core.families.rewrite_payload import (
    AnyPayload,
    SemanticPayload,
    Triple,
    UpdatedPayload,
    names_in,
)
from core.i18n import tr, trn
from core.unicode_forms import normal_form

SHORTEST, LONGEST = 0.5, 2.0  # of the original's length in words
SHORT_SLACK, LONG_SLACK = 4, 8  # words more, so that very short texts have a fair band
NEAR_COPY = 90.0  # rapidfuzz ratio, 0 to 100, of the normal forms
NEAR_COPY_OF_PART = 95.0  # the same of one text of a pair, which may be short

_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_TAG = re.compile(r"[#@]\w+")
_ACCENT = re.compile(r"[\u0300-\u036f]")
_INFLECTED = 4  # letters from which a name's last word may stand in the plural
# Words that a triple may hold but that are no entity, so that they may stay.
_PRONOUNS = """
i me my mine we us our you your he him his she her it its they them their this that these those
who what one someone somebody something everyone everybody everything people user author speaker
writer person 我 我们 你 你们 他 他们 她 她们 它 它们 人们 大家 自己
"""
_NO_ENTITY = frozenset(_PRONOUNS.split())


def normal(text: str) -> str:
    """Case, width, accents and punctuation put aside: words with single spaces between them."""
    bare = _ACCENT.sub("", normal_form("NFKD", text))
    folded = normal_form("NFKC", bare).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def word_count(text: str) -> int:
    """Words, where every Chinese, Japanese or Korean character counts as one."""
    plain = normal(text)
    return len(_WIDE.findall(plain)) + len(_WIDE.sub(" ", plain).split())


def mentions(text: str, name: str) -> bool:
    """Whether a text has a name as whole words, also in the plural or the possessive, between
    Chinese characters, or written as one hashtag."""
    plain = normal(name)
    if not plain:
        return bool(name.strip()) and name.strip() in text
    if _WIDE.search(plain):
        return plain.replace(" ", "") in normal(text).replace(" ", "")
    # a bar where Chinese stands: it parts words as a space does, and joins none
    words = f" {' '.join(_WIDE.sub(' | ', normal(text)).split())} "
    if any(f" {form} " in words for form in _forms(plain)):
        return True
    joined = plain.replace(" ", "")
    return len(joined) >= 4 and any(joined in normal(tag) for tag in _TAG.findall(text))


def _forms(plain: str) -> list[str]:
    """The name, and its regular plurals where its last word is long enough to have one."""
    last = plain.rpartition(" ")[2]
    if len(last) < _INFLECTED or not last.isalpha():
        return [plain]
    ending = [f"{plain[:-1]}ies"] if plain.endswith("y") else []
    return [plain, f"{plain}s", f"{plain}es", *ending]


def is_entity(name: str) -> bool:
    """Whether a triple's end is a name, rather than a pronoun or nothing."""
    plain = normal(name)
    return bool(plain or name.strip()) and plain not in _NO_ENTITY


def new_names(before: Sequence[Triple], after: Sequence[Triple]) -> list[str]:
    """Entities of the replacing triples that the replaced ones do not have."""
    old = {normal(name) for name in names_in(before)}
    return [name for name in names_in(after) if is_entity(name) and normal(name) not in old]


def replaced_names(
    before: Sequence[Triple], after: Sequence[Triple], target: str = ""
) -> list[str]:
    """Entities that the replacing triples no longer have.

    The target of a stance stays, and so does a name that is part of a new one.
    """
    remaining = [*names_in(after), target]
    return [
        name
        for name in names_in(before)
        if is_entity(name) and not any(mentions(other, name) for other in remaining)
    ]


def ungrounded(names: Sequence[str], knowledge: str) -> list[str]:
    """Names that the knowledge does not have: they would come from a model's memory."""
    return [name for name in names if not mentions(knowledge, name)]


def check_semantic(
    texts: tuple[str, str],
    originals: tuple[str, str],
    before: Sequence[Triple],
    label: str,
) -> list[Defect]:
    """Defects of a semantic rewrite (d^s): names lost, and whatever ``check_form`` finds."""
    defects = list(check_form(texts, originals, label))
    if any(defect.name == "empty_text" for defect in defects):
        return defects
    defects += _missing([name for name in names_in(before) if is_entity(name)], texts, originals)
    return defects


def check_updated(
    texts: tuple[str, str],
    originals: tuple[str, str],
    before: Sequence[Triple],
    after: Sequence[Triple],
    label: str,
    target: str = "",
) -> list[Defect]:
    """Defects of an updated text (d̂): a new entity missing, a replaced one left, its form."""
    defects = list(check_form(texts, originals, label))
    if any(defect.name == "empty_text" for defect in defects):
        return defects
    defects += _missing(new_names(before, after), texts, None)
    together = "\n".join(texts)
    for name in replaced_names(before, after, target):
        if mentions(together, name):
            defects.append(
                Defect("entity_left", tr("The replaced “{name}” still appears.", name=name))
            )
    return defects


def _missing(
    names: Sequence[str], texts: tuple[str, str], originals: tuple[str, str] | None
) -> Iterator[Defect]:
    """Names that a text lacks; of ``originals``, only names that they had can be lost."""
    together = "\n".join(texts)
    for name in names:
        had = originals is None or mentions("\n".join(originals), name)
        if had and not mentions(together, name):
            yield Defect("entity_missing", tr("“{name}” is not in the text.", name=name))


def check_form(texts: tuple[str, str], originals: tuple[str, str], label: str) -> Iterator[Defect]:
    """Defects that need no triples: length, label leaked, near-copy, a pair's texts alike."""
    if not texts[0].strip() or (originals[1].strip() and not texts[1].strip()):
        yield Defect("empty_text", tr("A text is empty."))
        return
    yield from _lengths(texts, originals)
    together, original = "\n".join(texts), "\n".join(originals)
    if mentions(together, label) and not mentions(original, label):
        yield Defect("label_leaked", tr("The text gives away its label, “{label}”.", label=label))
    likeness = _likeness(together, original)
    parts = [
        _likeness(text, was) for text, was in zip(texts, originals, strict=True) if was.strip()
    ]
    if likeness >= NEAR_COPY or (len(parts) > 1 and max(parts) >= NEAR_COPY_OF_PART):
        likeness = max(likeness, *parts)
        yield Defect(
            "near_copy",
            tr("It is {percent}% similar to the original.", percent=round(likeness)),
        )
    alike = texts[1] and normal(texts[0]) == normal(texts[1])
    if alike and normal(originals[0]) != normal(originals[1]):
        yield Defect("texts_alike", tr("Both texts of the pair are the same."))


def _lengths(texts: tuple[str, str], originals: tuple[str, str]) -> Iterator[Defect]:
    for text, original in zip(texts, originals, strict=True):
        was, now = word_count(original), word_count(text)
        lowest, highest = SHORTEST * was - SHORT_SLACK, LONGEST * was + LONG_SLACK
        if was and not lowest <= now <= highest:
            yield Defect(
                "length_off",
                trn(
                    "It has 1 word; the original has {was}.",
                    "It has {n} words; the original has {was}.",
                    now,
                    was=was,
                ),
            )


def _likeness(one: str, other: str) -> float:
    from rapidfuzz import fuzz

    return float(fuzz.ratio(normal(one), normal(other)))


def check_payload(payload: AnyPayload) -> list[Defect]:
    """All defects of one item."""
    texts = (payload.text, payload.second)
    defects: list[Defect] = []
    if payload.label not in payload.labels:
        defects.append(
            Defect("unknown_label", tr("“{label}” is not in the label space.", label=payload.label))
        )
    if not isinstance(payload, SemanticPayload):
        if not payload.text.strip():
            defects.append(Defect("empty_text", tr("A text is empty.")))
        return defects
    if not payload.original.strip():
        defects.append(Defect("original_missing", tr("The original text is missing.")))
        return defects
    originals = (payload.original, payload.original_second)
    if not isinstance(payload, UpdatedPayload):
        return defects + check_semantic(texts, originals, payload.triples_before, payload.label)
    return defects + _check_update(payload, texts, originals)


def _check_update(
    payload: UpdatedPayload, texts: tuple[str, str], originals: tuple[str, str]
) -> list[Defect]:
    defects = check_updated(
        texts,
        originals,
        payload.triples_before,
        payload.triples_after,
        payload.label,
        payload.target,
    )
    if not new_names(payload.triples_before, payload.triples_after):
        defects.append(Defect("nothing_new", tr("Its triples introduce no new entity.")))
    if not payload.facts:
        defects.append(Defect("knowledge_missing", tr("This update is not supported by any fact.")))
        return defects
    known = "\n".join(
        [payload.summary, *(f"{f.title}\n{f.detail}" for f in payload.facts), *originals]
    )
    for name in ungrounded(new_names(payload.triples_before, payload.triples_after), known):
        defects.append(
            Defect("entity_ungrounded", tr("“{name}” appears in none of the facts.", name=name))
        )
    return defects
