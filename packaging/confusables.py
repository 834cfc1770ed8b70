"""Make ``resources/unicode/confusables.tsv``: ``confusables.py confusables.txt``.

The file is https://www.unicode.org/Public/security/latest/confusables.txt.
"""

import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "resources" / "unicode" / "confusables.tsv"
_HEAD = """# Look-alike characters: a character, and what stands for it in a skeleton (UTS #39).
# Shortened from confusables.txt, {version}, by packaging/confusables.py.
# {rights}
# Licensed under the Unicode License V3, https://www.unicode.org/license.txt
"""


def main(source: Path) -> None:
    """Write the table."""
    lines = source.read_text(encoding="utf-8-sig").splitlines()
    notes = [line.lstrip("# ") for line in lines if line.startswith("#")]
    version = next(note for note in notes if note.startswith("Version:"))
    rights = next(note for note in notes if note.startswith("©"))
    rows = []
    for line in lines:
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) >= 2:
            rows.append("\t".join(_hex(field) for field in fields[:2]))
    text = _HEAD.format(version=version.replace("Version: ", "version "), rights=rights)
    TARGET.write_text(text + "\n".join(sorted(rows)) + "\n", encoding="utf-8")


def _hex(field: str) -> str:
    return " ".join(f"{int(point, 16):04X}" for point in field.split())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
