"""The documents as a site: the pages of the help, and a page of every command.

    documents.py MKDOCS OUT    build it with this mkdocs into the folder OUT

Nothing is fetched, neither while it is built nor while it is read.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["COLUMNS"] = "88"  # of the usage lines

from core.cli.parser import build_parser  # noqa: E402 (after the path is set)
from core.i18n import set_language, tr  # noqa: E402 (after the path is set)

HELP = ROOT / "resources" / "help"
LANGUAGES = ("en", "zh")
_HOME = "overview"
# in the window a link names a page without its ending
_LINK = re.compile(r"\]\(([a-z_-]+)(#[^)]*)?\)")


def page(text: str) -> str:
    """A page of the help with links as a site has them."""
    return _LINK.sub(lambda link: f"]({_file(link[1])}.md{link[2] or ''})", text)


def _file(name: str) -> str:
    return "index" if name == _HOME else name


def commands(code: str) -> str:
    """Every command with its help, in a language, as Markdown."""
    set_language(code)
    parser = build_parser()
    parts = [f"# {tr('Commands')}", _usage(parser)]
    for title, lines in parser.groups:
        parts.append(f"## {title}")
        for line in lines:
            parts += _command(parser, str(line.dest).split())
    set_language("en")
    return "\n\n".join(parts) + "\n"


def _command(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if words:
        return _command(below[0].choices[words[0]], words[1:])
    found = [f"### {parser.prog.removeprefix('benchseal ')}", _usage(parser)]
    for action in below:
        for name in action.choices:
            found += _command(parser, [name])
    return found


def _usage(parser: argparse.ArgumentParser) -> str:
    return f"```text\n{parser.format_help().rstrip()}\n```"


def stage(folder: Path) -> None:
    """Put the settings and every page into a folder, as mkdocs reads them."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    shutil.copy(ROOT / "packaging" / "mkdocs.yml", folder)
    shutil.copytree(HELP / "pictures", docs / "pictures")
    for path in HELP.glob("*.md"):
        name, code, _ = path.name.split(".")
        text = page(path.read_text(encoding="utf-8"))
        (docs / f"{_file(name)}.{code}.md").write_text(text, encoding="utf-8")
    for code in LANGUAGES:
        (docs / f"commands.{code}.md").write_text(commands(code), encoding="utf-8")


def build(mkdocs: str, folder: Path, out: Path) -> str:
    """Build what ``stage`` put into a folder; what is wrong with it, empty if nothing is."""
    # its --quiet would also make it blind to what it warns of
    command = [str(Path(mkdocs).resolve()), "build", "--strict", "--site-dir", str(out.resolve())]
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    return done.stderr if done.returncode else ""


def main(mkdocs: str, out: str) -> int:
    """Build the site; a dead link or a page that the navigation lacks is a fault."""
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder))
        wrong = build(mkdocs, Path(folder), Path(out))
    sys.stderr.write(wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
