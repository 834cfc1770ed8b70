"""The gettext catalogues: take the messages out of the code, compile them, check them.

    messages.py update    write each .po again from the code (new messages untranslated,
                          unused ones gone) and compile it
    messages.py compile   write each .mo that is older than its .po
    messages.py check     name every fault; ends with 1 where there is one

A .po is sorted by message and names no line of the code and no date, so that branches merge.
"""

import io
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.plurals import PLURALS
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
TRANSLATIONS = ROOT / "resources" / "translations"
SOURCES = ("core", "db", "gui")
KEYWORDS = {"tr": None, "tr_noop": None, "trn": (1, 2)}
HEADER = r"""msgid ""
msgstr ""
"Project-Id-Version: benchseal\n"
"Language: {language}\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals={count}; plural={expression};\n"

"""


def po_files() -> list[Path]:
    return sorted(TRANSLATIONS.glob("*/LC_MESSAGES/benchseal.po"))


def read(po: Path) -> Catalog:
    with po.open("rb") as lines:
        return read_po(lines, locale=po.parent.parent.name, abort_invalid=True)


def entries(catalog: Catalog) -> Iterator[Message]:
    """All but the header, which is the message without an id."""
    return (message for message in catalog if message.id)


def forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


@cache
def extracted() -> Catalog:
    """Every message of the code."""
    catalog = Catalog()
    for folder in SOURCES:
        found = extract_from_dir(ROOT / folder, [("**.py", "python")], keywords=KEYWORDS)
        for _, _, text, _, _ in found:
            catalog.add(text)
    return catalog


def written(catalog: Catalog) -> str:
    """The text of a .po, the same for the same messages."""
    for message in entries(catalog):
        message.flags &= {"fuzzy"}
        message.auto_comments = []
    count, expression = PLURALS[str(catalog.locale)]
    text = io.BytesIO()
    write_po(
        text, catalog, width=0, no_location=True, omit_header=True, sort_output=True,
        ignore_obsolete=True,
    )  # fmt: skip
    header = HEADER.format(language=catalog.locale, count=count, expression=expression)
    return header + text.getvalue().decode().strip() + "\n"


def update() -> None:
    for po in po_files():
        catalog = read(po)
        catalog.update(extracted(), no_fuzzy_matching=True)
        po.write_text(written(catalog), encoding="utf-8")
    compile_catalogues()


def compile_catalogues() -> None:
    """Each .mo appears whole, so that several processes may do this at once."""
    for po in po_files():
        mo = po.with_suffix(".mo")
        if mo.exists() and mo.stat().st_mtime >= po.stat().st_mtime:
            continue
        part = mo.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as binary:
            write_mo(binary, read(po))
        part.replace(mo)


# --- faults -----------------------------------------------------------------------------------


def placeholders(text: str) -> set[str]:
    return {
        field.partition(".")[0].partition("[")[0]
        for _, field, _, _ in Formatter().parse(text)
        if field is not None
    }


def faults_of(message: Message) -> Iterator[str]:
    """What is wrong with one translated message.

    Each form holds the placeholders of the English plural; where there is one form only, it
    serves the singular too, which may leave the count out.
    """
    english, translated = forms(message.id), forms(message.string)
    if message.fuzzy:
        yield "fuzzy"
    if not all(form.strip() for form in translated):
        yield "not translated"
    elif any(placeholders(form) != placeholders(english[-1]) for form in translated):
        yield "other placeholders than in English"
    if not placeholders(english[0]) <= placeholders(english[-1]):
        yield "the English singular has a placeholder that the plural lacks"


def faults(po: Path, used: Catalog) -> list[str]:
    """Each fault of a catalogue against the messages that are used, in one line."""
    catalog = read(po)
    known = {forms(message.id): message for message in entries(catalog)}
    wanted = {forms(message.id) for message in entries(used)}
    found = [f"not in the catalogue: {key[0]}" for key in wanted - set(known)]
    found += [f"used nowhere: {key[0]}" for key in set(known) - wanted]
    found += [f"{fault}: {key[0]}" for key in known for fault in faults_of(known[key])]
    if not found and po.read_text(encoding="utf-8") != written(catalog):
        found.append("not as `make messages` writes it: order, a message twice, or comments")
    return sorted(found)


def check() -> int:
    found = [
        f"{po.relative_to(ROOT)}: {line}" for po in po_files() for line in faults(po, extracted())
    ]
    print("\n".join(found) or "every message is translated")
    return bool(found)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["update"]:
            update()
        case ["compile"]:
            compile_catalogues()
        case ["check"]:
            sys.exit(check())
        case _:
            sys.exit(__doc__)
