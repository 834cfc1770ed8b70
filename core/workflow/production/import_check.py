"""What an import would do with a file, said before anything is written: row by row, with counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.families import family
from core.families.answer import is_prose
from core.families.intake import BANKS, INSTRUCTIONS, AcceptedRow, ImportPreview, ImportTarget
from core.i18n import listed, sentences, tr, trn
from core.release.formats.harness_tasks import LIKENESS
from core.sources.cell_text import cell_text
from core.sources.imports import ImportRow, RefusedRow
from core.sources.lettered_options import split_question
from core.sources.text_columns import long_texts
from core.workflow.labels import defect_label
from core.workflow.model_servers import gate_sentence
from core.workflow.protocols import settings_of
from db.benchmarks import TaskRow

_LISTED = 20


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """One kind of trouble: how many rows have it, and the first of them by line.

    ``name`` is that of the defect; empty for a field (``detail``) in which rows have nothing.
    """

    name: str
    detail: str
    count: int
    lines: tuple[int, ...]

    @property
    def problem(self) -> str:
        """What is wrong, in a sentence."""
        if self.name:
            return self.detail or defect_label(self.name)
        return tr("“{field}” is empty.", field=self.detail)

    def first_lines(self, most: int = 8) -> str:
        """The first ``most`` of its lines, and a sign where there are more."""
        said = listed(str(line) for line in self.lines[:most])
        return f"{said} …" if self.count > most else said


def findings(rows: Iterable[AcceptedRow | RefusedRow]) -> tuple[ImportFinding, ...]:
    """The defects of the rows that can be taken, then the fields that some of them leave empty.

    A field that every row leaves empty is not one that the file has, and is not named.
    """
    defects: dict[str, list[int]] = {}
    details: dict[str, str] = {}
    empty: dict[str, list[int]] = {}
    taken = 0
    for row in rows:
        if isinstance(row, RefusedRow):
            continue
        taken += 1
        for defect in family(row.content.family).check(row.content):
            defects.setdefault(defect.name, []).append(row.line)
            details.setdefault(defect.name, defect.detail)
        for name, value in row.content.payload.items():
            if value in (None, "", [], ()):
                empty.setdefault(name, []).append(row.line)
    found = [_finding(name, details[name], lines) for name, lines in defects.items()]
    found += [_finding("", name, lines) for name, lines in empty.items() if len(lines) < taken]
    return tuple(sorted(found, key=lambda finding: (not finding.name, -finding.count)))


def unshown_texts(preview: ImportPreview, target: ImportTarget) -> str:
    """Of questions without a passage, which columns of long texts nobody is shown."""
    mapping = preview.mapping
    if "passage" not in target.fields or "passage" in mapping:
        return ""
    rows = [row.values for row in preview.rows if isinstance(row, ImportRow)]
    named = {part.partition(".")[0] for source in mapping.values() for part in source.split("+")}
    left = [name for name in long_texts(rows) if name not in {*named, *target.drop}]
    if not left:
        return ""
    return tr("The questions are asked without the long texts in {columns}. Map a column to the "
              "passage to ask with them.", columns=listed(left))  # fmt: skip


def options_in_questions(preview: ImportPreview, target: ImportTarget) -> str:
    """Of questions that are asked as they stand, that some have their options in their text."""
    source = preview.mapping.get("question", "")
    if target.family != "answer" or not source:
        return ""
    rows = [row.values for row in preview.rows if isinstance(row, ImportRow)]
    found = sum(bool(split_question(str(row.get(source) or ""))[1]) for row in rows)
    if not found:
        return ""
    return tr("Some questions have their options in their text ({count} of {total} looked at), "
              "and are asked as they stand. A task of multiple-choice questions would take only "
              "these.",
              count=found, total=len(rows))  # fmt: skip


def of_the_other_kind(preview: ImportPreview, target: ImportTarget) -> str:
    """Of a question bank that has questions with options and others, how the others are imported;
    and that a tolerance of numbers is not scored."""
    rows = [row.values for row in preview.rows if isinstance(row, ImportRow)]
    told = []
    if target.family == "choice" and any("answers" in row for row in rows):
        told.append(tr("The file also has questions with a short answer: import it again into a "
                       "task of the family answer (--family answer --task NAME), which takes "
                       "those and leaves these out."))  # fmt: skip
    if target.family == "answer" and any("options" in row for row in rows):
        told.append(tr("The file also has questions with options: import it again into a task of "
                       "the family choice (--family choice --task NAME), which takes those and "
                       "leaves these out."))  # fmt: skip
    if target.family == "answer" and any(_tolerates(row) for row in rows):
        told.append(tr("Some answers are numbers with a tolerance. It is kept beside the items; "
                       "a reply is right only if it gives the same number."))  # fmt: skip
    return sentences(told) if preview.format in BANKS else ""


def _tolerates(row: Mapping[str, Any]) -> bool:
    """Whether GIFT or Moodle accepts numbers near to the answer."""
    given = [str(value).partition(":")[2] for value in row.get("numerical") or ()]
    return any(value.strip(" 0.") for value in given)


def measured_in_words(preview: ImportPreview, count: int) -> str:
    """How many new answers are so long that no reply is the same text, unless the file says it."""
    if not count or "metric" in preview.mapping:
        return ""
    return trn(
        "1 answer is long: replies are measured by the words that they share with it (f1), and a "
        "judge would read them better.",
        "{n} answers are long: replies are measured by the words that they share with them (f1), "
        "and a judge would read them better.",
        count,
    )


def likeness(preview: ImportPreview, target: ImportTarget) -> dict[str, str]:
    """The metric of a new task of instructions, for its profile, where the first answers are
    prose, which nobody writes to the letter; empty where they are not, or are labels."""
    source = preview.mapping.get("output", "")
    if target.family != INSTRUCTIONS or not source or {"label", "labels"} & set(preview.mapping):
        return {}
    given = (row.values.get(source) for row in preview.rows if isinstance(row, ImportRow))
    answers = [text for text in map(cell_text, given) if text]
    return (
        {"metric": LIKENESS} if answers and 2 * sum(map(is_prose, answers)) > len(answers) else {}
    )


def told_of_new_task(task: TaskRow) -> str:
    """What is said of a task that an import made: its gate, and how prose is measured."""
    in_prose = task.profile.get("metric") == LIKENESS
    measured = tr("The answers are prose: replies are scored by their similarity to them (chrF); "
                  "a judge would assess them better.")  # fmt: skip
    return sentences(
        (gate_sentence(task.family, settings_of(task.protocol)), measured if in_prose else "")
    )


def _finding(name: str, detail: str, lines: Sequence[int]) -> ImportFinding:
    unique = tuple(dict.fromkeys(lines))
    return ImportFinding(name, detail, len(unique), unique[:_LISTED])
