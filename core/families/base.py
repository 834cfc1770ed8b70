"""What every item family owns: its payload, its defect checks, its form, its prompt, its scoring.

A family is one file in this folder and one entry in ``core.families.FAMILIES``.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from core.errors import InputError
from core.files import canonical_bytes, quick_canonical
from core.i18n import field_problem, listed, tr

if TYPE_CHECKING:
    from pydantic import ValidationError

    from core.families.payload import Payload


COLUMNS = "columns"
"""The field of an item's provenance that keeps what its row had beside the payload."""
NO_ARTICLE_FIELD = "no_article"
"""The field that says what the source is of an item that was made of no article; a key of
``core.sources.articles.prose.no_article.NO_ARTICLE``."""


_MODEL = "model"


@lru_cache(maxsize=4096)
def _before_payload(family: str, format: str) -> bytes:
    return canonical_bytes({"family": family, "format": format, "payload": None})[: -len("null}")]


def content_hash_of(family: str, format: str, payload: bytes) -> str:
    """The content hash of an item whose payload has this canonical JSON."""
    known = isinstance(family, str) and isinstance(format, str)  # anybody's file has what it has
    head = _before_payload(family, format) if known else _before_payload.__wrapped__(family, format)
    return hashlib.sha256(head + payload + b"}").hexdigest()


@dataclass(frozen=True)
class ItemContent:
    """One item as it travels between packages, files and the workspace.

    ``format`` is the family's own subdivision (``sequencing``, ``cloze``, ``prediction`` for SCP;
    empty where a family has none). ``provenance`` says where the item came from and is not hashed.
    """

    family: str
    format: str
    payload: Mapping[str, Any]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    domain: str = ""

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over family, format and payload."""
        return content_hash_of(self.family, self.format, canonical_bytes(dict(self.payload)))

    def quick_payload(self) -> bytes | None:
        """The canonical JSON of the payload, by which the content hash is known as well from then
        on; None where that takes longer (``core.files.quick_canonical``)."""
        written = quick_canonical(dict(self.payload))
        if written is not None:
            known = content_hash_of(self.family, self.format, written)
            vars(self).setdefault("content_hash", known)
        return written

    def keep_model(self, model: "Payload | None" = None) -> None:
        """Keep the payload as its model, where somebody has just read it so: it is asked for
        again when the item is checked. Without one, the first that is read is kept: of an item
        that several things are asked of before it is forgotten."""
        vars(self)[_MODEL] = model

    def model_was_read(self, model: "Payload") -> None:
        """Keep the payload as its model, if that was asked for."""
        if _MODEL in vars(self):
            vars(self)[_MODEL] = model

    def kept_model(self) -> "Payload | None":
        """The payload as its model, where it was kept."""
        return vars(self).get(_MODEL)

    def as_json(self) -> dict[str, Any]:
        """One JSON object, the form of a line in ``items.jsonl``; ``from_json`` reads it back."""
        return {
            "family": self.family,
            "format": self.format,
            "domain": self.domain,
            "content_hash": self.content_hash,
            "payload": dict(self.payload),
            "provenance": dict(self.provenance),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "ItemContent":
        """Inverse of ``as_json``; a ``content_hash`` in the row is ignored and recomputed."""
        return cls(
            family=row["family"],
            format=row.get("format", ""),
            payload=row["payload"],
            provenance=row.get("provenance", {}),
            domain=row.get("domain", ""),
        )


def task_name(content: ItemContent) -> str:
    """Name of the task that a generated item belongs to: ``scp-cloze-CS``."""
    parts = (content.family, content.format, content.domain)
    return "-".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that is wrong with an item. ``name`` is stable, ``detail`` is for people.

    ``field`` says where in the payload it stands, such as ``parts[2]``; empty for the whole item.
    """

    name: str
    detail: str = ""
    field: str = ""


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a payload or in a value of one, lists and objects looked through."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)


def first_problem(error: "ValidationError") -> str:
    """The first field that is not as its model wants it, in a sentence."""
    field, problem = field_problem(error)
    return tr("Field “{field}”: {problem}.", field=field or "–", problem=problem)


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a family's form. ``path`` is the key in the payload."""

    path: str
    title: str
    kind: Literal["text", "long_text", "choice", "list", "number"] = "text"
    options: tuple[str, ...] = ()
    required: bool = True
    help: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked, and how its reply is read.

    ``choices`` are the admissible answers in order (for constrained choice, log-likelihood and the
    baselines; empty for free generation). ``stop`` and ``pattern`` are the paper's extraction.
    """

    text: str
    choices: tuple[str, ...] = ()
    choice_texts: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    pattern: str = ""
    max_tokens: int = 50

    def asking(self, text: str, choice_texts: tuple[str, ...] = ()) -> "Prompt":
        """The prompt with its texts, read in the same way; many items share all else."""
        # a tenth of the time of ``dataclasses.replace``
        return Prompt(text, self.choices, choice_texts, self.stop, self.pattern, self.max_tokens)


class Family(ABC):
    """A kind of item. Stateless; one instance per family in ``FAMILIES``."""

    name: str
    title: str
    formats: tuple[str, ...] = ()
    models: "ClassVar[Mapping[str, type[Payload]]]"
    """The payload's model by format; also of the empty one where items may go without."""
    defect_names: tuple[str, ...] = ()  # every name that check and check_set can give
    asks_all: bool = True  # whether every item is a question, see ``is_question``
    reads_alike: bool = False  # whether all of a format have the stops and length of one, no labels
    hides_key: bool = True  # whether a reader may be shown an item without its key

    def payload_model(self, format: str) -> "type[Payload]":
        """The pydantic model of the payload of one format; InputError for an unknown format."""
        try:
            return self.models[format]
        except KeyError:
            raise InputError.tr(
                "Family “{family}” has no format “{format}”. Available: {known}.",
                family=self.name, format=format, known=listed(self.formats)
            ) from None  # fmt: skip

    def payload(self, item: ItemContent) -> Any:
        """The payload as its model; InputError for an unknown format, pydantic's ValidationError
        where a field is not as the model wants it."""
        model = item.kept_model()
        if model is None:
            model = self.payload_model(item.format).model_validate(dict(item.payload))
            item.model_was_read(model)
        return model

    @abstractmethod
    def sample(self, format: str) -> ItemContent:
        """A small sound item, used by the contract tests and the form's preview."""

    def check(self, item: ItemContent, source: str | None = None) -> Sequence[Defect]:
        """Defects of one item; ``source`` is the article's text where it is at hand."""
        if (known := item.kept_model()) is not None:
            return tuple(self.defects(known, item, source))
        from pydantic import ValidationError

        try:
            payload = self.payload(item)
        except InputError as error:
            return (Defect("invalid_payload", str(error)),)
        except ValidationError as error:
            return (Defect("invalid_payload", first_problem(error)),)
        return tuple(self.defects(payload, item, source))

    @abstractmethod
    def defects(self, payload: Any, item: ItemContent, source: str | None) -> Iterable[Defect]:
        """What is wrong with an item whose payload is of its model."""

    def check_set(  # the default finds nothing
        self,
        items: Sequence[ItemContent],  # noqa: ARG002 - interface
    ) -> Mapping[int, Sequence[Defect]]:
        """Defects that only show over a set (position bias, repeated items), by item index."""
        return {}

    @abstractmethod
    def planted(self) -> Mapping[str, ItemContent]:
        """For every defect name that ``check`` can find, an item which has that defect."""

    def planted_sets(self) -> Mapping[str, Sequence[ItemContent]]:
        """For every defect name that only ``check_set`` can find, a set which has that defect."""
        return {}

    @abstractmethod
    def form(self, format: str) -> Sequence[FormField]:
        """Fields of the form in which a person reads or writes the payload."""

    @abstractmethod
    def prompt(self, item: ItemContent, instruction: str = "") -> Prompt:
        """What an evaluated model is asked."""

    def reading(self, item: ItemContent) -> Prompt:
        """The prompt without its texts: what reads a reply, where it is cut and how long it may be.

        Scoring asks this of every item of a split, so a family whose texts are much work leaves
        ``text`` and ``choice_texts`` out; all else is as in the prompt.
        """
        return self.prompt(item)

    def option_count(
        self,
        item: ItemContent,  # noqa: ARG002 - interface
    ) -> int:
        """How many options of an item ``turned`` can move; 0 for items whose options stay."""
        return 0

    def turned(
        self,
        item: ItemContent,
        places: int,  # noqa: ARG002 - interface
    ) -> ItemContent:
        """The item with its options turned round: what stood at ``places`` stands first."""
        return item

    def is_question(
        self,
        item: ItemContent,  # noqa: ARG002 - interface
    ) -> bool:
        """Whether an item is asked by itself, which its format says; a wording in which others
        are asked is not."""
        return True

    @abstractmethod
    def key(self, item: ItemContent) -> str:
        """The reference answer as a string."""

    def others(self, item: ItemContent) -> tuple[str, ...]:
        """Other answers that are as good as the key."""
        return tuple(str(other).strip() for other in item.payload.get("alternatives") or ())

    def metric(self, item: ItemContent) -> str:  # noqa: ARG002 - interface
        """Which of ``core.families.reading.MEASURES`` measures an answer; empty for equality."""
        return ""

    def scoring(self, item: ItemContent) -> tuple[Prompt, str]:
        """``reading`` and ``key``; a family that reads the payload for both reads it once here."""
        return self.reading(item), self.key(item)

    def from_columns(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any] | str]:
        """Payload fields of the rows of one foreign file, or in words why a row gives no item.

        The fields come as the mapping found them. What only a whole file tells is settled here,
        such as whether its keys count from 0 or from 1; InputError where it does not tell.
        """
        return rows

    def suggest(
        self,
        columns: Mapping[str, Any],  # noqa: ARG002 - interface
    ) -> Mapping[str, str]:
        """Columns of a foreign file for fields, where it takes more than the usual names to find
        them. ``columns`` has every column with an example of its values."""
        return {}

    @abstractmethod
    def plain_text(self, item: ItemContent) -> str:
        """All text of the item in reading order: for search, duplicates and screening prompts."""

    def extract(self, reply: str, prompt: Prompt) -> str | None:
        """The answer in a model's reply, as ``core.families.reading`` reads this family's; None
        where there is none."""
        from core.families.reading import EXTRACTIONS, by_pattern  # many commands need no patterns

        read = EXTRACTIONS.get(self.name, by_pattern)
        return read(reply, prompt.pattern, tuple(prompt.choices))
