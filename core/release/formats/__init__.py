"""The registry of export formats. To add one: a file beside this one and an entry in the tuple."""

from core.errors import NotFoundError
from core.i18n import listed, tr
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
    for candidate in EXPORT_FORMATS:
        if candidate.name == name:
            return candidate
    raise NotFoundError(
        tr(
            "There is no export format “{name}”. Available: {known}.",
            name=name,
            known=listed(form.name for form in EXPORT_FORMATS),
        )
    )
