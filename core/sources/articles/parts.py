"""Files that are parts of another one: what a LaTeX, Typst or Org document inputs."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.sources.articles.latex.project import candidates
from core.sources.articles.pandoc.org import ORG
from core.sources.articles.pandoc.typst import TYPST, place_of_part
from core.sources.articles.trees import inside


@dataclass(frozen=True)
class FileOutline:
    """Whether a file can stand alone, and what it inputs as it is written there."""

    is_root: bool = False
    inputs: tuple[str, ...] = ()


def parts_of(
    outlines: Mapping[Path, FileOutline], folders_above: Callable[[Path], int]
) -> dict[Path, Path]:
    """Each file that another one inputs, and the document whose part it is.

    ``folders_above`` says how many folders above its own a document's parts may lie in.
    """
    known = {_plain(path): path for path in outlines}
    part_of: dict[Path, Path] = {}
    for root in sorted(outlines, key=lambda path: (not outlines[path].is_root, str(path))):
        if root in part_of:
            continue
        above = folders_above(root)
        pending, seen = [root], {root}
        while pending:
            path = pending.pop()
            base = Path(os.path.relpath(path, root.parent)).as_posix()
            for written in outlines[path].inputs:
                places = (_plain(root.parent / n) for n in _places(base, written, above))
                part = next((known[place] for place in places if place in known), None)
                if part is None or part in seen:
                    continue
                # a file that only hands a whole document on does not make it a part
                if outlines[root].is_root or not outlines[part].is_root:
                    seen.add(part)
                    pending.append(part)
                    part_of.setdefault(part, root)
    return part_of


def left_over(
    outlines: Mapping[Path, FileOutline], part_of: Mapping[Path, Path]
) -> dict[Path, Path]:
    """Files beside or below a document of several parts that it does not input.

    Such are chapters that were taken out, and those that came with a template. Beside a Typst
    document may lie another that leaves its looks to the program.
    """
    roots = [root for root in dict.fromkeys(part_of.values()) if outlines[root].is_root]
    return {
        path: root
        for path, outline in outlines.items()
        if not outline.is_root and path not in part_of
        for root in roots
        if path.is_relative_to(root.parent)
        and (_suffix(path) == TYPST) == (_suffix(root) == TYPST)
        and not (_suffix(path) == TYPST and path.parent == root.parent)
    }


def _plain(path: Path) -> Path:
    return Path(os.path.normpath(path))


def _suffix(path: Path) -> str:
    return path.suffix.lower()


def _places(base: str, written: str, above: int) -> Sequence[str]:
    """Where a part may lie, from the folder of the document whose part ``base`` inputs it."""
    suffix = _suffix(Path(base))
    if suffix not in (TYPST, ORG):
        return candidates(base, written, above)
    name = place_of_part(base, written) if suffix == TYPST else inside(base, written)
    return [name] if name else []
