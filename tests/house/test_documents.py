"""The site made from the help: nothing of it is dead, missing or fetched."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from babel.messages.extract import extract_from_dir

from core.cli.parser import GROUPS, build_parser
from core.i18n import set_language
from core.workflow.labels import ITEM_STATES, ROLES, SPLIT_STATES
from tests.contracts.test_commands import leaves
from tests.messages import messages
from tests.paths import ROOT

HELP = ROOT / "resources" / "help"
SCRIPT = ROOT / "packaging" / "documents.py"
CODE = f"""
import sys; from pathlib import Path
sys.path.insert(0, {str(ROOT / "packaging")!r})
import documents
"""


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "staged"
    code = f"{CODE}documents.stage(Path({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "docs"


def settings() -> dict[str, object]:
    return yaml.safe_load((ROOT / "packaging" / "mkdocs.yml").read_text(encoding="utf-8"))


def named(nav: object) -> list[str]:
    """The files of a navigation, whatever sections they stand in."""
    if isinstance(nav, str):
        return [nav]
    values = nav.values() if isinstance(nav, dict) else nav
    return [name for value in values for name in named(value)]


def test_the_navigation_has_every_page_of_the_help_once():
    help_pages = {path.name.split(".")[0] for path in HELP.glob("*.md")} - {"overview"}
    files = named(settings()["nav"])
    assert sorted(files) == sorted(f"{name}.md" for name in help_pages | {"index", "commands"})


def test_every_page_is_there_in_both_languages(staged: Path):
    for name in named(settings()["nav"]):
        for code in ("en", "zh"):
            assert (staged / name.replace(".md", f".{code}.md")).is_file()


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_page_of_commands_has_each_with_its_options(code: str, staged: Path):
    """The manual page of the packaged program is made of the same text."""
    text = (staged / f"commands.{code}.md").read_text(encoding="utf-8")
    sections = {part.partition("\n")[0]: part for part in re.split("(?m)^### ", text)[1:]}
    commands = {one.prog.removeprefix("benchseal "): one for one in leaves(build_parser())}
    assert len(commands) > 100
    assert commands.keys() <= sections.keys()
    assert {name for names in GROUPS.values() for name in names} <= sections.keys()
    for name, command in commands.items():
        for action in command._actions:
            shown = action.option_strings if action.help != argparse.SUPPRESS else ()
            assert all(option in sections[name] for option in shown), f"{name} {shown}"


def test_sections_have_a_chinese_name():
    plugins = settings()["plugins"]
    assert isinstance(plugins, list)
    (i18n,) = (one["i18n"] for one in plugins if isinstance(one, dict))
    (chinese,) = (one for one in i18n["languages"] if one["locale"] == "zh")
    nav = settings()["nav"]
    assert isinstance(nav, list)
    sections = {title for one in nav if isinstance(one, dict) for title in one}
    assert set(chinese["nav_translations"]) == sections


class References(HTMLParser):
    """What a page points to (``links``) and what a browser fetches for it (``fetched``)."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a":
            self.links.append(found.get("href") or "")
        elif tag == "link":
            self.fetched += [found.get("href") or ""] if found.get("rel") != "canonical" else []
        else:
            self.fetched.append(found.get("src") or "")


@pytest.mark.slow
def test_the_site_is_built_without_network_and_has_no_dead_link(tmp_path: Path):
    subprocess.run(["bash", str(ROOT / "packaging/side_env.sh"), "site"], check=True)
    out = tmp_path / "site"
    command = [sys.executable, str(SCRIPT), str(ROOT / ".envs/site/bin/mkdocs"), str(out)]
    alone = ["unshare", "--net"] if os.geteuid() == 0 else []
    done = subprocess.run([*alone, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    pages = sorted(out.rglob("*.html"))
    assert len(pages) > 60
    for path in pages:
        read = References()
        read.feed(path.read_text(encoding="utf-8"))
        assert not [link for link in read.fetched if re.match("[a-z]*:?//", link)], path
        if path.name == "404.html":  # its links begin at the root of where the site is served
            continue
        for link in read.links:
            target = link.partition("#")[0]
            if target and not re.match("[a-z]+:", link):
                assert (path.parent / target).exists(), f"{path.name}: {link}"


def built(folder: Path, out: Path) -> str:
    """What is wrong with the site that a staged folder makes."""
    code = (
        CODE
        + f"print(documents.build({str(ROOT / '.envs/site/bin/mkdocs')!r}, "
        + (f"Path({str(folder)!r}), Path({str(out)!r})))")
    )
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_link_that_leads_nowhere_ends_the_build(code: str, tmp_path: Path, staged: Path):
    subprocess.run(["bash", str(ROOT / "packaging/side_env.sh"), "site"], check=True)
    folder = tmp_path / "staged"
    shutil.copytree(staged.parent, folder)
    assert built(folder, tmp_path / "sound") == ""
    with (folder / "docs" / f"start.{code}.md").open("a", encoding="utf-8") as page:
        page.write("\n[nowhere](nowhere.md)\n")
    assert "nowhere.md" in built(folder, tmp_path / "dead")


def test_the_changelog_says_nothing_twice() -> None:
    """Of one version no two entries begin alike: a merge leaves such."""
    for version in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        begin = [" ".join(entry.split())[:60] for entry in version.split("\n- ")[1:]]
        assert [one for one, count in Counter(begin).items() if count > 1] == []


def paragraphs(page: Path) -> list[str]:
    """What stands between two breaks on a page: paragraphs and points of lists, not tables."""
    text = re.sub("(?s)^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE)
    pieces = re.split(r"\n\n|\n(?=- |\d+\. |\|)", text)
    return [piece for piece in pieces if not piece.startswith("|")]


@pytest.mark.parametrize(("code", "most"), [("en", 1000), ("zh", 500)])
def test_no_paragraph_of_the_help_is_a_wall(code: str, most: int) -> None:
    """In letters, of which Chinese takes fewer."""
    walls = [
        f"{page.name}: {len(piece)}: {piece[:60]}"
        for page in sorted(HELP.glob(f"*.{code}.md"))
        for piece in paragraphs(page)
        if len(piece) > most
    ]
    assert walls == []


def plain(words: str) -> str:
    """Words of the window as a sentence names them: without dots, counts and remarks behind."""
    words = re.sub(r"\s*[（(][{\d][^)）]*[)）]", "", words).partition(" ○")[0]
    return re.sub(r"[….:：\s]+$", "", words).casefold()


@cache
def window_words() -> dict[str, dict[str, frozenset[str]]]:
    """What the window says, by language, with what that is in the other; the words of the command
    line alone are not among it."""
    tools = messages()
    used = {
        form
        for folder in ("gui", "core")
        for name, _, text, _, _ in extract_from_dir(
            ROOT / folder, [("**.py", "python")], keywords=tools.KEYWORDS
        )
        if not name.startswith("cli/")
        for form in tools.forms(text)
    }
    found: dict[str, dict[str, frozenset[str]]] = {"en": {}, "zh": {}}
    catalogue = tools.read(tools.TRANSLATIONS / "zh" / "LC_MESSAGES" / "benchseal.po")
    for entry in tools.entries(catalogue):
        english, chinese = (
            frozenset(map(plain, tools.forms(text))) for text in (entry.id, entry.string)
        )
        if used & set(tools.forms(entry.id)):
            for code, here, there in (("en", english, chinese), ("zh", chinese, english)):
                for words in here:
                    found[code][words] = found[code].get(words, frozenset()) | there
    return found


def in_italics(page: str) -> list[str]:
    """What a page says in italics, which is what the window says."""
    text = re.sub("(?s)^```.*?^```$|`[^`\n]*`", "", page, flags=re.MULTILINE)
    return re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", text)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_window_has_what_the_help_names_in_italics(code: str) -> None:
    """Buttons, fields, menus and panels that were renamed, or never had that name."""
    pages = sorted(HELP.glob(f"*.{code}.md"))
    named = {page.name: in_italics(page.read_text("utf-8")) for page in pages}
    assert sum(map(len, named.values())) > 100
    unknown = [
        f"{name}: {words}"
        for name, found in named.items()
        for words in found
        if plain(words) not in window_words()[code]
    ]
    assert unknown == []


def test_the_chinese_help_has_the_chinese_of_what_the_english_names() -> None:
    missing = []
    for page in sorted(HELP.glob("*.en.md")):
        chinese = page.with_name(page.name.replace(".en.", ".zh.")).read_text("utf-8").casefold()
        missing += [
            f"{page.name}: {words}"
            for words in in_italics(page.read_text("utf-8"))
            if not any(word in chinese for word in window_words()["en"].get(plain(words), ()))
        ]
    assert missing == []


def test_a_control_that_there_is_not_would_be_found() -> None:
    assert in_italics("Press *Seal it…* (**not** `*this*`).") == ["Seal it…"]
    assert plain("Second looks ({count})…") == plain("*Second looks (3)…*".strip("*"))
    assert plain("Seal it…") not in window_words()["en"]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_glossary_explains_every_state_and_role(code: str):
    """The tutorial and the page of the window send there for the words of the window."""
    terms = [
        word
        for line in (HELP / f"glossary.{code}.md").read_text("utf-8").splitlines()
        if line.startswith("| ")
        for word in re.split("[,，、]", line.split("|")[1])
    ]
    known = {term.strip() for term in terms}
    set_language(code)
    names = [say() for words in (ITEM_STATES, ROLES, SPLIT_STATES) for say in words.values()]
    assert [name for name in names if name not in known] == []


def test_both_glossaries_have_the_same_number_of_words() -> None:
    english, chinese = (
        (HELP / f"glossary.{code}.md").read_text("utf-8").count("\n| ") for code in ("en", "zh")
    )
    assert english == chinese
