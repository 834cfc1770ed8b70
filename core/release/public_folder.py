"""An expired split as a data set that anybody may have: Parquet files, a data card, what proves it.

The card's head is that of a data set on the Hugging Face Hub, and ``eval.yaml`` tells Inspect how
to ask its tasks (``inspect eval hf/OWNER/NAME``). ``proof/items.jsonl`` has the items with their
salts, as the locked archive had them: ``proof/check_root.py`` recomputes the root from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml
from typing_extensions import override

from core.families import family
from core.files import write_atomic, write_jsonl
from core.i18n import tr, trn
from core.release.datasheet import SplitFacts
from core.release.formats.base import Tasks
from core.release.formats.parquet import FOLDER, Parquet
from core.release.formats.plain_rows import ITEM
from core.release.manifest import SplitItem

PROOF = "proof"
EVAL_FILE, ERRATA_FILE = "eval.yaml", "errata.jsonl"
_SIZES = (("n<1K", 1_000), ("1K<n<10K", 10_000), ("10K<n<100K", 100_000), ("100K<n<1M", 10**6))


@dataclass(frozen=True, slots=True)
class PublishedErratum:
    """An item that was found wrong after it was frozen: its ``uid``, why, and when (ISO, UTC)."""

    uid: str
    reason: str
    at: str


class PublishedSplit(Parquet):
    """The public folder of a split: ``beside`` writes further files into it."""

    name = "published"
    title = "Published data set"

    def __init__(
        self,
        facts: SplitFacts,
        license: str,
        roots: Sequence[str],
        beside: Callable[[Path], None],
        errata: Sequence[PublishedErratum] = (),
    ) -> None:
        super().__init__()
        self.facts, self.license, self.roots, self.beside = facts, license, roots, beside
        self.errata = errata

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """Data, card and what is beside them; ``eval.yaml`` where every item of a task asks."""
        entry = super().write(items, split_name, folder, tasks)
        self.beside(folder)
        if self.errata:
            write_jsonl(folder / ERRATA_FILE, map(asdict, self.errata))
        return entry

    @override
    def wrote_task(self, folder: Path, config: str, members: Sequence[SplitItem]) -> None:
        """Add the task to ``eval.yaml``."""
        kinds = {(item.content.family, item.content.format): item for item in members}
        if not all(family(one.content.family).is_question(one.content) for one in kinds.values()):
            return
        choices = all(family(i.content.family).prompt(i.content).choices for i in kinds.values())
        path = folder / EVAL_FILE
        known = yaml.safe_load(path.read_text("utf-8")) if path.exists() else self._evaluation()
        known["tasks"].append({
            "id": config, "config": config, "split": "test",
            "field_spec": {"input": "prompt", "target": "target", "id": "uid"},
            "solvers": [{"name": "generate"}],
            "scorers": [{"name": "exact" if choices else "f1"}],
        })  # fmt: skip
        write_atomic(path, yaml.safe_dump(known, allow_unicode=True, sort_keys=False))

    def _evaluation(self) -> dict[str, Any]:
        about = f"{self.facts.benchmark}, {self.facts.items} items."
        return {"name": self.facts.name, "description": about,
                "evaluation_framework": "inspect-ai", "tasks": []}  # fmt: skip

    @override
    def card_head(self) -> dict[str, Any]:
        """What the Hub reads beside the names of the files."""
        size = next((word for word, most in _SIZES if self.facts.items < most), "n>1M")
        return {**_license_of(self.license), "tags": ["benchmark", "evaluation"],
                "size_categories": [size]}  # fmt: skip

    @override
    def card_text(self) -> list[str]:
        """What people read first."""
        facts = self.facts
        return [
            trn("The split {split} of the benchmark {benchmark}: 1 item. Its evaluation period is "
                "over.",
                "The split {split} of the benchmark {benchmark}: {n} items. Its evaluation period "
                "is over.",
                facts.items, split=facts.name, benchmark=facts.benchmark),
            facts.canary,
            tr("Frozen {at}; SHA-256 of its manifest: {digest}. `{file}` says how it was made.",
               at=facts.frozen_at, digest=facts.digest, file="datasheet.md"),
            *(tr("Merkle root of its locked archive: {root}.", root=one) for one in self.roots),
            tr("`python3 {path} .` recomputes what can be checked, with Python's standard library "
               "alone.", path=f"{PROOF}/check_root.py"),
            *([trn("1 item was found wrong after it was frozen; scores should be given with and "
                   "without it: `{file}`.",
                   "{n} items were found wrong after they were frozen; scores should be given with "
                   "and without them: `{file}`.", len(self.errata), file=ERRATA_FILE)]
              if self.errata else []),
            tr("Each row has the prompt, its choices, the target and all references. The column "
               "`{name}` is the whole item as JSON.", name=ITEM),
        ]  # fmt: skip


def _license_of(text: str) -> Mapping[str, str]:
    """The license as the Hub names it: one of its identifiers, or the address of another."""
    if "://" in text:
        return {"license": "other", "license_name": "other", "license_link": text}
    return {"license": text.lower()}


def parquet_files(folder: Path) -> list[Path]:
    """The data files of the folder, in order."""
    return sorted((folder / FOLDER).glob("*.parquet"))
