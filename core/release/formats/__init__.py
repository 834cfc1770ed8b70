"""The registry of export formats. To add one: a file beside this one and an entry in the tuple."""

from core.i18n import tr_noop
from core.known_names import part_named
from core.release.formats.base import ExportFormat, ExportReport
from core.release.formats.excel import Excel
from core.release.formats.inspect import Inspect
from core.release.formats.json_lines import JsonLines
from core.release.formats.label_studio import LabelStudio
from core.release.formats.lm_eval import LmEval
from core.release.formats.opencompass import OpenCompass
from core.release.formats.parquet import Parquet

EXPORT_FORMATS: tuple[ExportFormat, ...] = (
    JsonLines(),
    LmEval(),
    Inspect(),
    OpenCompass(),
    Parquet(),
    Excel(),
    LabelStudio(),
)

__all__ = ["EXPORT_FORMATS", "ExportFormat", "ExportReport", "export_format"]


def export_format(name: str) -> ExportFormat:
    """The export format of that name; raises NotFoundError for an unknown one."""
    return part_named(
        EXPORT_FORMATS, name, tr_noop("There is no export format “{name}”. Available: {known}.")
    )
