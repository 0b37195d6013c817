"""The window's language: translations by Qt Linguist, plurals, and numbers as the language writes them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.core.message import Message, NamedFormatter

# Each by its own name, so that a person finds the one they read.
LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español"}
_MOST = 2**31 - 1  # that Qt counts to


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
    """A sentence in the window's language, in English where it has no translation.

    Takes literals and values as a `Message` does; lupdate collects the literals.
    """
    number = values.get("n")
    counted = max(0, min(number, _MOST)) if several and isinstance(number, int) else -1
    found = QCoreApplication.translate("", pattern, several or None, counted)
    if several and found == pattern and number != 1:
        found = several
    return _filling.vformat(found, (), values) if values else found


def localised(text: str) -> str:
    """A message in the window's language; any other text, as that of a document, stays as it is."""
    return tr(text.pattern, text.several, **text.values) if isinstance(text, Message) else text


def written(number: float, form: str) -> str:
    """A number in one of Python's formats, with the marks of the window's language."""
    return _filling.format_field(number, form)


def use_language(folder: Path, chosen: str) -> str:
    """Show texts in the chosen language, or for "system" in that of the system if Spanlight has it, else in English.

    `folder` holds the translations; Qt's own words follow. Returns the language that is used. Widgets that there are
    already keep their texts.
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
    for name, place in (
        (f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
        (f"spanlight_{language}", str(folder)),
    ):
        translator = QTranslator(application)
        if translator.load(name, place):
            application.installTranslator(translator)
    return language


_filling = _Filling(QLocale(QLocale.Language.English))
