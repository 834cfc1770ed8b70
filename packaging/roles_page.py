"""Bring the table of roles in ``resources/help/roles.*.md`` up to ``core.workflow.rights``.

``roles_page.py update`` writes it, ``roles_page.py check`` says whether it is up to date.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from core.i18n import set_language, tr  # noqa: E402 (after the path is set)
from core.workflow.labels import role_label  # noqa: E402 (after the path is set)
from core.workflow.rights import ROLES, RULES, roles_for  # noqa: E402 (after the path is set)

LANGUAGES = ("en", "zh")
_BEGIN, _END = "<!-- roles -->", "<!-- end of roles -->"


def table(code: str) -> str:
    """The table of roles and actions in a language, as Markdown."""
    set_language(code)
    heads = [tr("what"), *(role_label(role) for role in ROLES)]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    ordered = sorted(RULES, key=lambda action: ROLES.index(RULES[action].lowest))
    for action in ordered:
        marks = ["✓" if role in roles_for(action) else "" for role in ROLES]
        lines.append("| " + " | ".join([RULES[action].phrase(), *marks]) + " |")
    set_language("en")
    return "\n".join(lines)


def page(code: str) -> str:
    """The page in a language, with the table as it should be."""
    text = _path(code).read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{table(code)}\n\n{_END}{after}"


def _path(code: str) -> Path:
    return ROOT / "resources" / "help" / f"roles.{code}.md"


def main(verb: str) -> int:
    """Write or check both pages; 1 where one is not up to date."""
    outdated = [code for code in LANGUAGES if page(code) != _path(code).read_text(encoding="utf-8")]
    if verb == "update":
        for code in outdated:
            _path(code).write_text(page(code), encoding="utf-8")
        return 0
    return int(bool(outdated))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
