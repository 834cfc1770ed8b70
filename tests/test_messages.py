"""What people read: every message is taken out of the code, translated, and fills its count."""

import ast
import os
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages import Catalog

from core.i18n import LANGUAGES, catalogue, set_language, tr, tr_noop, trn
from tests.messages import ROOT, messages

FUNCTIONS = {"tr": 1, "tr_noop": 1, "trn": 2}


@cache
def calls() -> tuple[tuple[str, str, ast.Call], ...]:
    """Every call of a function that translates: where it is, its name and the call."""
    collected = []
    for path in (
        path for folder in ("core", "gui", "db") for path in (ROOT / folder).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(node, ast.Call):
                called = node.func
                name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
                if name in FUNCTIONS:
                    place = f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
                    collected.append((place, name, node))
    return tuple(collected)


def sentences(name: str, call: ast.Call) -> tuple[str, ...] | None:
    """The sentences that a call writes out, or None where it names a variable."""
    arguments = call.args[: FUNCTIONS[name]]
    written = [one.value for one in arguments if isinstance(one, ast.Constant)]
    texts = tuple(one for one in written if isinstance(one, str))
    return texts if len(texts) == FUNCTIONS[name] else None


def literal_calls() -> Iterator[tuple[str, str, ast.Call, tuple[str, ...]]]:
    for place, name, call in calls():
        if (texts := sentences(name, call)) is not None:
            yield place, name, call, texts


def catalogues() -> list[Path]:
    return messages().po_files()


def _glued(node: ast.AST) -> bool:
    """Whether a node is ``", ".join(…)``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "join"
        and isinstance(node.func.value, ast.Constant)
        and node.func.value.value == ", "
    )


def lists_in_sentences(tree: ast.AST) -> Iterator[int]:
    """Lines at which a list is put together with commas, and then into a sentence."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        nodes = list(ast.walk(function))
        named = {
            target.id: node.lineno
            for node in nodes
            if isinstance(node, ast.Assign) and _glued(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in nodes:
            called = call.func if isinstance(call, ast.Call) else None
            if isinstance(called, ast.Name) and called.id in FUNCTIONS:
                for part in ast.walk(call):
                    if _glued(part):
                        yield part.lineno
                    elif isinstance(part, ast.Name) and part.id in named:
                        yield named[part.id]


def test_a_list_in_a_sentence_is_written_as_the_language_does() -> None:
    """With ``listed``: Chinese has 、 between the parts."""
    planted = 'def f(names):\n    x = ", ".join(names)\n    return tr("Only {x}.", x=x)'
    assert list(lists_in_sentences(ast.parse(planted))) == [2]
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line}"
        for folder in ("core", "gui", "db")
        for path in (ROOT / folder).rglob("*.py")
        for line in lists_in_sentences(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


SAME_IN_CHINESE = {frozenset({"Written to {path}.", "Wrote {path}."})}


def test_two_sentences_never_share_a_translation() -> None:
    """One that was taken over from a neighbour says something false in Chinese alone."""
    for path in catalogues():
        by_translation: dict[str, set[str]] = {}
        for message in messages().entries(messages().read(path)):
            source, told = messages().forms(message.id)[-1], messages().forms(message.string)[-1]
            if told.endswith("。"):
                by_translation.setdefault(told, set()).add(source)
        shared = {frozenset(sources) for sources in by_translation.values() if len(sources) > 1}
        assert not shared - SAME_IN_CHINESE


# --- the code --------------------------------------------------------------------------------


def test_no_sentence_is_glued_from_pieces() -> None:
    """``tr`` gets a sentence, or the name of one that a table holds; nothing is built for it.

    ``core/errors.py`` hands on to ``core.i18n`` what ``InputError.tr`` and its like are given.
    """
    named = (ast.Name, ast.Attribute, ast.Subscript)
    glued = [
        place
        for place, name, call in calls()
        if sentences(name, call) is None
        and not place.startswith("core/errors.py")
        and not (name == "tr" and call.args and isinstance(call.args[0], named))
    ]
    assert not glued


def test_every_placeholder_is_given_a_value() -> None:
    """``trn`` fills ``{n}`` itself; its singular may leave it out, and a tr_noop gets none here."""
    wrong = []
    for place, name, call, texts in literal_calls():
        values = {keyword.arg for keyword in call.keywords}
        wanted = set().union(*map(messages().placeholders, texts))
        own = {"n"} if name == "trn" else set()
        if name != "tr_noop" and None not in values and wanted - own != values:
            wrong.append(f"{place}: {texts[0]}")
    assert not wrong


# what is counted here is never one: a limit of the program, a branch for many, a list, a share
ALWAYS_MANY = (
    "of {possible} pairs", "all {possible} pairs", "With {count} raters there are too many pairs",
    "{count} different ratings", "more than {members} entries", "more than {files} files",
    "more than {count} characters", "at most {count} characters", "1 to {most} characters",
    "has {count} characters", "up to {wordings} instruction variants",
    "the {count} tasks furthest", "matches {count} runs", "leads {count} models", "of {all} rows",
    "scores of {n} models", "{n} models are too few", "answers of {n} models",
    "in {counts} items", "more than {shown} of {total} items", "at most {bound} defects",
    "in the last {days} days",
)  # fmt: skip
COUNTED = re.compile(r"\{n\} (?:[a-z-]+ )?([a-z]+s|people)\b")


def test_a_sentence_with_a_count_has_its_plural() -> None:
    """No ``tr`` puts a number before a word that some ``trn`` counts."""
    plurals = [texts[1] for _, name, _, texts in literal_calls() if name == "trn"]
    nouns = {noun for text in plurals for noun in COUNTED.findall(text)}
    nouns -= {"as", "has", "is", "belongs"}
    assert {"items", "answers", "runs", "tokens"} <= nouns
    verb = "is |are |has |contains |selects "
    before_noun = re.compile(rf"\{{\w+\}} (?:(?!{verb})[a-z-]+ )?(?:{'|'.join(sorted(nouns))})\b")
    found = [
        f"{place}: {texts[0]}"
        for place, name, _, texts in literal_calls()
        if name == "tr"
        and before_noun.search(texts[0])
        and not any(many in texts[0] for many in ALWAYS_MANY)
    ]
    assert not found, "\n".join(found)


def test_every_sentence_is_extracted() -> None:
    """Babel reads calls token by token and misses those inside an f-string."""
    extracted = messages().extracted()
    missed = [
        f"{place}: {texts[0]}"
        for place, _, _, texts in literal_calls()
        if extracted.get(texts[0]) is None
    ]
    assert not missed


LOGS = frozenset({"log", "info", "warning", "error", "critical", "exception"})


def _words(line: ast.expr) -> Iterator[str]:
    """The words that a line of a log writes out itself; those within a call of it are no longer
    its own."""
    parts = line.values if isinstance(line, ast.JoinedStr) else [line]
    if isinstance(line, ast.BinOp):
        parts = [line.left, line.right]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from re.findall(r"[A-Za-z]{2,}", re.sub(r"%[a-z]|%\.\df", "", part.value))
        elif part is not line and isinstance(part, ast.JoinedStr | ast.BinOp):
            yield from _words(part)


TROUBLES = {"FailedAttempt": 1, "_Trouble": 0}
"""What went wrong with a request, and which argument says it in the middle of a sentence."""


def english_log_lines(tree: ast.AST) -> Iterator[int]:
    """Lines at which a run or a program's log is told something in English alone."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        place = 0
        if isinstance(call.func, ast.Attribute):
            owner = ast.unparse(call.func.value).lower()
            said = call.func.attr in LOGS and owner.endswith(("log", "logger", "context"))
        else:
            place = TROUBLES.get(ast.unparse(call.func), -1)
            said = place >= 0
        words = list(_words(call.args[place])) if said and len(call.args) > place else []
        if words not in ([], ["HTTP"]):
            yield call.lineno


def test_what_a_run_writes_to_its_log_is_in_the_language_of_who_reads_it() -> None:
    """A run's log and what its worker says are shown in the window; what ``core.workflow`` and the
    window log goes into crash reports alone, which those who mend the program read."""
    planted = (
        'context.log(f"loading {model}")\nself._context.log("a" + f"left {n}")\n'
        'log.warning("no %s", field)\nlog.info(tr("No {field}", field=field))\n'
        'context.log(f"{name}: {said}")\nmath.log(2)\nFailedAttempt("timeout", "too late")'
    )
    assert list(english_log_lines(ast.parse(planted))) == [1, 2, 3, 7]
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line}"
        for path in (ROOT / "core").rglob("*.py")
        if "workflow" not in path.parts
        for line in english_log_lines(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


# --- the catalogues --------------------------------------------------------------------------


def test_every_language_has_its_catalogue() -> None:
    assert {po.parent.parent.name for po in catalogues()} == set(LANGUAGES) - {"en"}


def test_no_catalogue_has_a_fault() -> None:
    """Missing, unused, empty, fuzzy, unequal placeholders, another order: run make messages."""
    faults = [line for po in catalogues() for line in messages().faults(po, messages().extracted())]
    assert not faults, "\n".join(faults)


OTHER_WORDS = {
    "操作日志": ("账本", "分类账", "总账"),
    "标注员": ("标注者", "注释者"),
    "评判模型": ("评审模型", "裁判模型"),
    "抽检": ("质检", "审计"),
    "仲裁": ("裁决", "裁定"),
    "初筛": ("门控", "把关"),
    "专家": ("专员",),
    "研究员": ("研究者",),
    "审核员": ("审核者",),
    "密钥环": ("钥匙串",),
    "金标条目": ("金标准",),
    "标签集": ("标签空间",),
}
"""The one Chinese word of a thing, and others that mean the same and would confuse."""


def test_one_thing_has_one_chinese_word() -> None:
    texts = [*catalogues(), *(ROOT / "resources" / "help").glob("*.zh.md")]
    assert len(texts) > 10
    found = [
        (path.name, other, word)
        for path in texts
        for word, others in OTHER_WORDS.items()
        for other in others
        if other in path.read_text(encoding="utf-8")
    ]
    assert not found


@pytest.fixture
def used() -> Catalog:
    """Three messages that some code uses."""
    catalog = Catalog()
    for text in ("{count} left", "Items", ("1 item in {place}", "{n} items in {place}")):
        catalog.add(text)
    return catalog


ITEMS = 'msgid "Items"\nmsgstr "条目"\n\n'
LEFT = 'msgid "{count} left"\nmsgstr "剩余 {count}"\n'
PLANTED = f"""msgid "1 item in {{place}}"
msgid_plural "{{n}} items in {{place}}"
msgstr[0] "{{place}} 有 {{n}} 个条目"

{ITEMS}{LEFT}"""


def faults_of(text: str, used: Catalog, folder: Path) -> list[str]:
    po = folder / "zh" / "LC_MESSAGES" / "benchseal.po"
    po.parent.mkdir(parents=True)
    header = messages().written(Catalog(locale="zh")).rstrip("\n")
    po.write_text(f"{header}\n\n{text}", encoding="utf-8")
    faults: list[str] = messages().faults(po, used)
    return faults


def test_a_catalogue_in_order_has_no_fault(used: Catalog, tmp_path: Path) -> None:
    assert faults_of(PLANTED, used, tmp_path) == []


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        (ITEMS, "", "not in the catalogue: Items"),
        ('"条目"', '"条目"\n\nmsgid "Old"\nmsgstr "旧"', "used nowhere: Old"),
        ('"条目"', '""', "not translated: Items"),
        ('msgid "Items"', '#, fuzzy\nmsgid "Items"', "fuzzy: Items"),
        ("剩余 {count}", "剩余", "other placeholders than in English: {count} left"),
        ("有 {n} 个", "有", "other placeholders than in English: 1 item in {place}"),
        ('msgid "Items"', '#: core/x.py:3\nmsgid "Items"', "not as `make messages` writes it"),
        ('"条目"', '"条目"\n\nmsgid "Items"\nmsgstr "题目"', "not as `make messages` writes it"),
        (ITEMS + LEFT, LEFT + ITEMS, "not as `make messages` writes it"),
    ],
)
def test_each_fault_of_a_catalogue_is_named(
    before: str, after: str, fault: str, used: Catalog, tmp_path: Path
) -> None:
    assert before in PLANTED
    (line,) = faults_of(PLANTED.replace(before, after), used, tmp_path)
    assert line.startswith(fault)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_what_is_compiled_is_what_the_catalogue_says(language: str) -> None:
    compiled = catalogue(language)
    po = messages().TRANSLATIONS / language / "LC_MESSAGES" / "benchseal.po"
    for entry in messages().entries(messages().read(po)):
        english, translation = messages().forms(entry.id), messages().forms(entry.string)
        assert compiled.gettext(english[0]) == translation[0]


def test_a_changed_catalogue_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, used: Catalog
) -> None:
    faults_of(PLANTED, used, tmp_path)
    monkeypatch.setattr(messages(), "TRANSLATIONS", tmp_path)
    (po,) = messages().po_files()
    messages().compile_catalogues()
    before = po.with_suffix(".mo").read_bytes()
    messages().compile_catalogues()
    assert po.with_suffix(".mo").read_bytes() == before
    po.write_text(po.read_text(encoding="utf-8").replace("条目", "题目"), encoding="utf-8")
    later = time.time() + 10
    os.utime(po, (later, later))
    messages().compile_catalogues()
    assert po.with_suffix(".mo").read_bytes() != before


# --- the functions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "english"), [(0, "0 items left"), (1, "1 item left"), (2, "2 items left")]
)
def test_english_has_two_forms(n: int, english: str) -> None:
    assert trn("1 item left", "{n} items left", n) == english


@pytest.mark.parametrize("n", [0, 1, 2])
def test_chinese_has_one_form(
    n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, used: Catalog
) -> None:
    faults_of(PLANTED, used, tmp_path)
    monkeypatch.setattr(messages(), "TRANSLATIONS", tmp_path)
    messages().compile_catalogues()
    monkeypatch.setattr("core.i18n.resource", lambda *parts: tmp_path.joinpath(*parts[1:]))
    catalogue.cache_clear()
    set_language("zh")
    try:
        text = trn("1 item in {place}", "{n} items in {place}", n, place="A")
    finally:
        catalogue.cache_clear()
    assert text == f"A 有 {n} 个条目"


def test_a_count_has_thousands_separators() -> None:
    assert trn("1 item", "{n} items", 12000) == "12,000 items"


def test_a_marked_sentence_is_translated_when_it_is_shown() -> None:
    title = tr_noop("Exact match")
    assert title == "Exact match"
    set_language("zh")
    assert tr(title) == "精确匹配"


def test_without_compiled_catalogues_everything_is_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.i18n.resource", lambda *parts: tmp_path.joinpath(*parts))
    catalogue.cache_clear()
    set_language("zh")
    try:
        assert tr("Exact match") == "Exact match"
        assert trn("1 item", "{n} items", 2) == "2 items"
    finally:
        catalogue.cache_clear()


def test_what_is_filled_into_a_command_can_be_copied_with_it() -> None:
    """A shell takes “ and ” for parts of a name."""
    po = messages().TRANSLATIONS / "zh" / "LC_MESSAGES" / "benchseal.po"
    wrong = [
        said
        for entry in messages().entries(messages().read(po))
        for said in (*messages().forms(entry.id), *messages().forms(entry.string))
        if re.search(r"benchseal (?:[a-z-]+ )+“\{", said)
    ]
    assert wrong == []
