"""Make ``resources/words/english.txt``: ``english_words.py FOLDER``.

The folder is that of SCOWL's word lists, ``/usr/share/dict/scowl`` of Debian's package ``scowl``;
its copyright file is ``resources/words/english.licence.txt``. Lists up to size 70 hold what a large
dictionary has, in American and British spelling, without the rarest words: those would make a
dictionary's word of many a misprint.
"""

import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "resources" / "words" / "english.txt"
_SPELLINGS = ("english", "american", "british", "british_z", "variant_1")
_SIZES = (10, 20, 35, 40, 50, 55, 60, 70)
_SHORTEST = 3  # shorter ones are few, and listed where they are needed
_HEAD = """# English words of three letters and more, one a line, in small letters, sorted.
# Made by packaging/english_words.py from SCOWL, sizes 10 to 70.
# Copyright 2000-2011 by Kevin Atkinson and others; notices: english.licence.txt
"""


def main(folder: Path) -> None:
    """Write the list."""
    words: set[str] = set()
    for spelling in _SPELLINGS:
        for size in _SIZES:
            file = folder / f"{spelling}-words.{size}"
            if file.is_file():
                words.update(file.read_text(encoding="iso-8859-1").split())
    plain = {word for word in words if word.islower() and word.isalpha() and word.isascii()}
    kept = sorted(word for word in plain if len(word) >= _SHORTEST)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(_HEAD + "\n".join(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
