"""Import formats: one entry each in ``IMPORT_FORMATS``, in the order in which they are tried."""

from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from core.errors import InputError, NotFoundError
from core.i18n import listed, tr, tr_noop
from core.sources.imports.annotated_rows import (
    argilla,
    conversations,
    doccano,
    is_argilla,
    is_conversation,
    is_doccano,
    is_label_studio,
    is_prodigy,
    is_turns,
    label_studio,
    prodigy,
    turn_rows,
)
from core.sources.imports.answers_beside import answers_of, neighbours, with_answers
from core.sources.imports.base import ImportFormat, ImportRow, RefusedRow, Rows
from core.sources.imports.descriptions import refuse_description
from core.sources.imports.evaluation_rows import (
    big_bench_rows,
    helm,
    is_big_bench,
    is_helm,
    is_lm_eval,
    is_mkqa,
    is_openai_evals,
    lm_eval_rows,
    mkqa_rows,
    openai_evals,
)
from core.sources.imports.exam_rows import aiken_rows, gift_rows, is_aiken, is_gift
from core.sources.imports.exam_xml_rows import is_moodle, is_qti, moodle_rows, qti_rows
from core.sources.imports.flashcard_rows import flashcard_rows, is_flashcards
from core.sources.imports.folder_rows import folder_rows, is_folder
from core.sources.imports.intent_rows import intent_rows, is_intents
from core.sources.imports.json_rows import (
    is_cif,
    is_items,
    is_json_lines,
    is_self_instruct,
    is_sni,
    json_lines,
    self_instruct,
    sni,
)
from core.sources.imports.labelled_rows import glue_rows, is_glue, is_tweeteval, tweeteval_rows
from core.sources.imports.nested_rows import c3_rows, is_c3, is_nested, nested_rows
from core.sources.imports.packaged_rows import (
    arrow_rows,
    dataset_rows,
    is_arrow,
    is_dataset,
    is_xml,
    is_yaml,
    read_xml,
    workbook_rows,
    yaml_rows,
)
from core.sources.imports.preference_rows import is_preference, preference_rows
from core.sources.imports.question_rows import (
    is_logiqa,
    is_mmlu,
    is_race,
    is_squad,
    logiqa_rows,
    mmlu_rows,
    race_rows,
    squad_rows,
)
from core.sources.imports.table_rows import (
    is_excel,
    is_feather,
    is_parquet,
    is_text_table,
    table_rows,
)
from core.sources.imports.tagged_rows import (
    brat_rows,
    conll_rows,
    is_brat,
    is_conll,
    is_webanno,
    webanno_rows,
)
from core.sources.limits import UnreadableSource
from core.sources.signatures import refuse_other_tables, refuse_unreadable
from core.sources.tables import no_rows, no_sheets
from core.sources.text_files import head_of, refuse_empty

__all__ = [
    "IMPORT_FORMATS",
    "ImportFormat",
    "ImportRow",
    "RefusedRow",
    "Rows",
    "import_format",
    "sample",
]

IMPORT_FORMATS: tuple[ImportFormat, ...] = (
    ImportFormat(
        "tweeteval", "TweetEval", is_tweeteval, tweeteval_rows, reads_folders=True, has_answers=True
    ),
    ImportFormat("parquet", "Parquet", is_parquet, table_rows, is_table=True),
    ImportFormat("feather", "Feather", is_feather, table_rows, is_table=True),
    ImportFormat("arrow", "Arrow", is_arrow, arrow_rows),
    ImportFormat(
        "dataset", tr_noop("Hugging Face data set"), is_dataset, dataset_rows, reads_folders=True
    ),
    ImportFormat("excel", "Excel", is_excel, workbook_rows, is_table=True),
    ImportFormat("glue", "GLUE", is_glue, glue_rows),
    ImportFormat("mmlu", "MMLU", is_mmlu, mmlu_rows),
    ImportFormat("logiqa", "LogiQA", is_logiqa, logiqa_rows),
    ImportFormat("brat", "brat", is_brat, brat_rows, reads_folders=True),
    ImportFormat("webanno", "WebAnno, INCEpTION", is_webanno, webanno_rows),
    ImportFormat("conll", "CoNLL", is_conll, conll_rows),
    ImportFormat("gift", "GIFT", is_gift, gift_rows),
    ImportFormat("aiken", "Aiken", is_aiken, aiken_rows),
    ImportFormat("flashcards", "Anki", is_flashcards, flashcard_rows),
    ImportFormat("csv", "CSV", is_text_table, table_rows, is_table=True),
    ImportFormat("intents", "CLINC150, Rasa, Snips", is_intents, intent_rows),
    ImportFormat("yaml", "YAML", is_yaml, yaml_rows),
    ImportFormat("moodle", "Moodle XML", is_moodle, moodle_rows),
    ImportFormat("qti", "QTI", is_qti, qti_rows),
    ImportFormat("xml", "XML", is_xml, read_xml),
    ImportFormat("sni", "Super-NaturalInstructions", is_sni, sni),
    ImportFormat("label-studio", "Label Studio", is_label_studio, label_studio),
    ImportFormat("squad", "SQuAD", is_squad, squad_rows),
    ImportFormat("race", "RACE", is_race, race_rows),
    ImportFormat("nested-questions", "DROP, CMRC, MRQA", is_nested, nested_rows),
    ImportFormat("c3", "C3", is_c3, c3_rows),
    ImportFormat("items", "Benchseal", is_items, json_lines),
    ImportFormat("cif", "CIF-Bench", is_cif, json_lines),
    ImportFormat("self-instruct", "Self-Instruct", is_self_instruct, self_instruct),
    ImportFormat("prodigy", "Prodigy", is_prodigy, prodigy),
    ImportFormat("argilla", "Argilla", is_argilla, argilla),
    ImportFormat("openai-evals", "OpenAI Evals, Inspect", is_openai_evals, openai_evals),
    ImportFormat("lm-eval", "lm_eval", is_lm_eval, lm_eval_rows),
    ImportFormat("big-bench", "BIG-bench", is_big_bench, big_bench_rows),
    ImportFormat("mkqa", "MKQA", is_mkqa, mkqa_rows),
    ImportFormat("helm", "HELM", is_helm, helm),
    ImportFormat("preference", tr_noop("Preference pairs"), is_preference, preference_rows),
    ImportFormat("mt-bench", "MT-Bench", is_turns, turn_rows),
    ImportFormat("messages", "ShareGPT, OpenAI", is_conversation, conversations),
    ImportFormat("doccano", "doccano", is_doccano, doccano),
    ImportFormat("jsonl", tr_noop("JSON lines"), is_json_lines, json_lines),
    ImportFormat(
        "folder",
        tr_noop("Folder of files"),
        is_folder,
        lambda path: folder_rows(path, _recognised),
        reads_folders=True,
    ),
)


def import_format(path: Path, name: str = "", sheet: str = "") -> ImportFormat:
    """The format of that name, or the first that knows the file; it reads the sheet of a workbook.

    Raises NotFoundError for a missing file and InputError for a kind that none of them reads.
    """
    path = Path(path)
    if not path.exists():
        raise NotFoundError.tr("There is no file or folder “{path}”.", path=path)
    found = _named(path, name, sheet) if name else _recognised(path, sheet)
    answers = None if found.has_answers else answers_of(neighbours(path)).get(path)
    if answers is None:
        return found
    return replace(found, rows=lambda read: with_answers(found.rows(read), read, answers))


def _named(path: Path, name: str, sheet: str) -> ImportFormat:
    for known in IMPORT_FORMATS:
        if name == known.name:
            return _readable(path, known, sheet)
    names = listed(known.name for known in IMPORT_FORMATS)
    raise InputError.tr(
        "There is no import format “{name}”. Available: {known}.", name=name, known=names
    )


def _recognised(path: Path, sheet: str = "") -> ImportFormat:
    head = head_of(path)
    refuse_empty(path, head)
    refuse_description(path, head)
    for known in IMPORT_FORMATS:
        if known.sniff(path, head):
            return _readable(path, known, sheet)
    if path.is_dir():
        raise InputError.tr(
            "The folder “{path}” has no file in it that can be imported.", path=path
        )
    asking = (asked for asked, given in answers_of(neighbours(path)).items() if given == path)
    if questions := next(asking, None):
        raise InputError.tr(
            "“{path}” has the answers to the questions of “{questions}”. Import that file, and "
            "they are read with it.", path=path, questions=questions
        )  # fmt: skip
    refuse_other_tables(path, head)
    try:
        refuse_unreadable(head)
    except UnreadableSource as error:
        raise InputError.tr("“{path}”: {reason}", path=path, reason=str(error)) from error
    titles = listed(tr(known.title) for known in IMPORT_FORMATS)
    raise InputError.tr("“{path}” is not in a format that can be imported. Available: {known}.",
                        path=path, known=titles)  # fmt: skip


def _readable(path: Path, chosen: ImportFormat, sheet: str) -> ImportFormat:
    """The format, unless the path is a folder that it cannot read."""
    if path.is_dir() and not chosen.reads_folders:
        raise InputError.tr("“{path}” is a folder; give the files in it.", path=path)
    if not sheet:
        return chosen
    if not chosen.is_table:
        raise InputError(no_sheets(path))
    return replace(chosen, rows=partial(chosen.rows, sheet=sheet))


def sample(path: Path, chosen: ImportFormat, limit: int = 20) -> list[ImportRow | RefusedRow]:
    """The first rows of a file, and where none of them can be read, all up to one that can.

    Raises InputError for a file in which there is no such row.
    """
    rows = chosen.rows(Path(path))
    found = list(islice(rows, limit))
    if any(isinstance(row, ImportRow) for row in found):
        return found
    for row in rows:
        found.append(row)
        if isinstance(row, ImportRow):
            return found
    refused = next((row for row in found if isinstance(row, RefusedRow)), None)
    if refused is None:
        raise InputError(no_rows(path))
    raise InputError.tr(
        "No row of “{path}” could be read. Line {line}: {reason}",
        path=path,
        line=refused.line,
        reason=refused.reason,
    )
