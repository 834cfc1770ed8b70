"""What families of one kind of question share: one format, one model of the payload, one sample."""

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from core.families.base import Family, ItemContent
from core.sources.chinese_text import is_chinese


class QuestionFamily(Family):
    """A family whose items have one format, of the family's own name."""

    sample_fields: ClassVar[Mapping[str, Any]]

    @override
    def sample(self, format: str) -> ItemContent:
        """A small sound item of our own words."""
        return self.varied()

    def varied(self, **fields: Any) -> ItemContent:
        """The sample with other values in these fields."""
        return ItemContent(self.name, self.name, {**self.sample_fields, **fields})


def with_passage(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row whose passage is one text also where its file lists paragraphs, as lists of sentences
    or with their titles (HotpotQA); none where its question has it whole (ASDiv-A)."""
    given = row.get("passage")
    if isinstance(given, str) and given.strip() and given.strip() in str(row.get("question")):
        return {**row, "passage": ""}
    if isinstance(given, Mapping) and given.keys() >= {"title", "sentences"}:
        given = list(zip(given["title"], given["sentences"], strict=False))
    if not isinstance(given, list):
        return row
    return {**row, "passage": "\n".join(filter(None, map(_paragraph, given)))}


def _paragraph(given: Any) -> str:
    if isinstance(given, str):
        return given.strip()
    if not isinstance(given, list | tuple):
        return str(given)
    if len(given) == 2 and isinstance(given[0], str) and isinstance(given[1], list):
        return f"{given[0].strip()}\n{_paragraph(given[1])}"
    return " ".join(map(_paragraph, given))


def asked_text(instruction: str, passage: str, question: str, options: str = "") -> str:
    """Instruction, passage (left out where there is none), question with its options, and the place
    of the answer, in the question's language."""
    before, after = ("文章：\n", "答案：") if is_chinese(question) else ("Passage:\n", "Answer:")
    asked = f"{question}\n{options}" if options else question
    parts = (instruction, f"{before}{passage}" if passage.strip() else "", asked, after)
    return "\n\n".join(part for part in parts if part)
