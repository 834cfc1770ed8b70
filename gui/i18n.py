"""The window's language, and how numbers, moments and spans are said in it."""

from datetime import UTC, datetime

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from core.i18n import language, set_language, tr

_QT_CATALOGUE = {"zh": "qtbase_zh_CN"}


def use_language(app: QApplication, code: str) -> None:
    """Speak this language from now on, Qt's own words (file dialogs, menus) included."""
    set_language(code)
    QLocale.setDefault(
        QLocale(QLocale.Language.Chinese, QLocale.Country.China)
        if language() == "zh"
        else QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom)
    )
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    if name := _QT_CATALOGUE.get(language()):
        translator = QTranslator(app)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if translator.load(name, folder):
            app.installTranslator(translator)


def number(value: float, digits: int = 0) -> str:
    """A number with thousands separators, such as ``45,000`` or ``0.78``."""
    return f"{value:,.{digits}f}"


def parsed(text: str) -> int | float | str:
    """The number that ``number`` wrote, or the text itself where it is more than a number."""
    plain = text.replace(",", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        return float(plain)
    except ValueError:
        return text


class ShownTime(str):
    """A time as the window shows it, which keeps the one that was stored (ISO 8601, UTC) for the
    files of a table."""

    __slots__ = ("stored",)
    stored: str

    @classmethod
    def of(cls, text: str, when: datetime) -> "ShownTime":
        """``text`` for the moment ``when``, which has a zone or is of this machine's."""
        made = cls(text)
        made.stored = when.astimezone(UTC).isoformat(timespec="seconds")
        return made


def moment(when: datetime | None) -> str:
    """A moment in local time: the hour today, the date before that; empty for None."""
    if when is None:
        return ""
    local = when.astimezone() if when.tzinfo else when
    same_day = local.date() == datetime.now().astimezone().date()
    return ShownTime.of(f"{local:%H:%M}" if same_day else f"{local:%Y-%m-%d %H:%M}", local)


def stamp(at: str) -> str:
    """The date and hour in local time of an ISO time as it is stored; empty for none."""
    if not at:
        return ""
    local = datetime.fromisoformat(at).astimezone()
    return ShownTime.of(f"{local:%Y-%m-%d %H:%M}", local)


def span(seconds: float | None) -> str:
    """How long something still takes, to the precision a person cares about; empty for None."""
    if seconds is None or seconds < 0:
        return ""
    if seconds < 60:
        return tr("{count} s left", count=max(1, round(seconds)))
    if seconds < 3600:
        return tr("{count} min left", count=round(seconds / 60))
    return tr("{count} h left", count=number(seconds / 3600, 1))
