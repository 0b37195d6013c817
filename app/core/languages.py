"""Names of languages by their ISO 639 codes, and whether a model reads a language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.core.message import Message, joined

# What a multilingual model states instead of language codes.
MANY = "multi"
# A model that reads one of these reads the others.
_NORWEGIAN = frozenset(("no", "nb", "nn"))

_NAMES = {
    "af": Message("Afrikaans"), "ar": Message("Arabic"), "az": Message("Azerbaijani"),
    "be": Message("Belarusian"), "bg": Message("Bulgarian"), "bn": Message("Bengali"),
    "bs": Message("Bosnian"), "ca": Message("Catalan"), "cs": Message("Czech"), "cy": Message("Welsh"),
    "da": Message("Danish"), "de": Message("German"), "el": Message("Greek"), "en": Message("English"),
    "es": Message("Spanish"), "et": Message("Estonian"), "eu": Message("Basque"), "fa": Message("Persian"),
    "fi": Message("Finnish"), "fr": Message("French"), "ga": Message("Irish"), "gl": Message("Galician"),
    "gu": Message("Gujarati"), "he": Message("Hebrew"), "hi": Message("Hindi"), "hr": Message("Croatian"),
    "hu": Message("Hungarian"), "hy": Message("Armenian"), "id": Message("Indonesian"),
    "is": Message("Icelandic"), "it": Message("Italian"), "ja": Message("Japanese"),
    "ka": Message("Georgian"), "kk": Message("Kazakh"), "km": Message("Khmer"), "kn": Message("Kannada"),
    "ko": Message("Korean"), "la": Message("Latin"), "lo": Message("Lao"), "lt": Message("Lithuanian"),
    "lv": Message("Latvian"), "mk": Message("Macedonian"), "ml": Message("Malayalam"),
    "mn": Message("Mongolian"), "mr": Message("Marathi"), "ms": Message("Malay"),
    "multi": Message("many languages"), "my": Message("Burmese"), "nb": Message("Norwegian (Bokmål)"),
    "ne": Message("Nepali"), "nl": Message("Dutch"), "nn": Message("Norwegian (Nynorsk)"),
    "no": Message("Norwegian"), "pa": Message("Punjabi"), "pl": Message("Polish"),
    "pt": Message("Portuguese"), "ro": Message("Romanian"), "ru": Message("Russian"),
    "si": Message("Sinhala"), "sk": Message("Slovak"), "sl": Message("Slovenian"), "sq": Message("Albanian"),
    "sr": Message("Serbian"), "sv": Message("Swedish"), "sw": Message("Swahili"), "ta": Message("Tamil"),
    "te": Message("Telugu"), "th": Message("Thai"), "tl": Message("Tagalog"), "tr": Message("Turkish"),
    "uk": Message("Ukrainian"), "ur": Message("Urdu"), "uz": Message("Uzbek"), "vi": Message("Vietnamese"),
    "zh": Message("Chinese"),
}  # fmt: skip


def language(code: str) -> str:
    """Return a language's name: "German" for "de"; an unknown code unchanged."""
    return _NAMES.get(code, code)


def languages(codes: Sequence[str], most: int = 3) -> str:
    """List languages: "English, German", or "12 languages" if there are more than `most`; "" for none."""
    if len(codes) > most:
        return Message("{n} language", "{n} languages", n=len(codes))
    return joined(language(code) for code in codes)


def is_named(code: str) -> bool:
    """Whether `language` knows the code of a single language."""
    return code in _NAMES and code != MANY


def reads(codes: Sequence[str], code: str) -> bool:
    """Whether a model that states `codes` reads a language; one that states none, or many languages, reads any."""
    alike = _NORWEGIAN if code in _NORWEGIAN else {code}
    return not codes or MANY in codes or not alike.isdisjoint(codes)


@dataclass(frozen=True, slots=True)
class LanguageSubject:
    """What a model is to read, as the subject of a sentence about its language.

    `name` is the subject ("This document"); `languages` counts its documents by language code. The language of `text`,
    if there is one, has yet to be detected.
    """

    name: str
    languages: Mapping[str, int] = field(default_factory=dict)
    text: str = ""
