"""The window's language: translations by Qt Linguist, plurals, and numbers as the language writes them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.core.message import Message, NamedFormatter

# Each is named in itself, so that whoever speaks it finds it.
LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español"}
_MOST = 2**31 - 1  # the largest number that Qt takes for a plural


class _Filling(NamedFormatter):
    """Fills a pattern with messages in the window's language, and with numbers as that language writes them."""

    def __init__(self, locale: QLocale) -> None:
        self._marks = str.maketrans({",": locale.groupSeparator(), ".": locale.decimalPoint()})

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, Message):
            return super().format_field(localised(value), format_spec)
        text = super().format_field(value, format_spec)
        return text.translate(self._marks) if isinstance(value, (int, float)) else text


def tr(pattern: str, several: str = "", /, **values: object) -> str:
    """Translate a pattern into the window's language and fill in its values; without a translation it stays English.

    Takes literals and values as a `Message` does; lupdate collects the literals.
    """
    number = values.get("n")
    counted = max(0, min(number, _MOST)) if several and isinstance(number, int) else -1
    found = QCoreApplication.translate("", pattern, several or None, counted)
    if several and found == pattern and number != 1:
        found = several
    return _filling.vformat(found, (), values) if values else found


def localised(text: str) -> str:
    """Return a message in the window's language; any other text, such as a document's, stays as it is."""
    return tr(text.pattern, text.several, **text.values) if isinstance(text, Message) else text


def format_number(number: float, spec: str) -> str:
    """Format a number by one of Python's format specifications, with the marks of the window's language."""
    return _filling.format_field(number, spec)


def use_language(folder: Path, chosen: str) -> str:
    """Use the chosen language, or for "system" that of the system if it is in `LANGUAGES`, else English.

    `folder` holds the translations; Qt's own texts are translated too. Returns the code of the language in use. Widgets
    that exist already keep their texts.
    """
    global _filling
    application = QCoreApplication.instance()
    assert application is not None
    system = QLocale.system()
    language = chosen if chosen in LANGUAGES else QLocale.languageToCode(system.language())
    language = language if language in LANGUAGES else "en"
    is_systems = QLocale.languageToCode(system.language()) == language
    locale = system if is_systems else QLocale(language)
    QLocale.setDefault(locale)
    _filling = _Filling(locale)
    for before in application.findChildren(QTranslator):
        application.removeTranslator(before)
        before.deleteLater()
    for name, directory in (
        (f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
        (f"spanlight_{language}", str(folder)),
    ):
        translator = QTranslator(application)
        if translator.load(name, directory):
            application.installTranslator(translator)
    return language


_filling = _Filling(QLocale(QLocale.Language.English))
